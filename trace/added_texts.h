// Texts that a trace gets after it was stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// Numbers texts behind those that a stored trace has; what it has already keeps its number.
/// Memory: all texts of it.
class AddedTexts {
 public:
  /// Reads all texts of the trace. Errors: kCorrupt, the store's.
  static schema::Expected<AddedTexts> of(schema::Connection& connection, schema::TraceId trace);

  /// The text's number in the trace; the text must be there until store().
  std::uint32_t put(std::string_view text);

  /// Stores those that the trace did not have. Once, within a transaction.
  schema::Expected<void> store(schema::Connection& connection, schema::TraceId trace) const;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
  std::vector<std::string_view> added_;
};

}  // namespace benchhud::trace
