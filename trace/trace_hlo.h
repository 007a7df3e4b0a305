// Modules of HLO that profiles hold, in the store: each content once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/ascii.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/model/types.h"
#include "trace/trace.h"

namespace benchhud::trace {

/// Whether names in HLO text may have the character.
constexpr bool is_of_hlo_name(char c) {
  return schema::is_letter(c) || schema::is_digit(c) || c == '_' || c == '-' || c == '.';
}

/// A name as HLO text has it: what no name can have is "_"; "_" for an empty one.
std::string hlo_name(std::string_view name);

/// A module in a profile: its number in the store, and that by which its executions name it.
struct HloModuleUse {
  std::int64_t module = 0, program_id = 0;
};

/// What a profile holds of HLO.
struct TraceHlo {
  std::vector<HloModuleUse> modules;  ///< in the profile's order
  std::int64_t llo_bytes = 0;         ///< of dumps of LLO, which are not kept
  std::int64_t unreadable = 0;        ///< modules that are there and could not be decoded
  std::int64_t left_out = 0;          ///< modules beyond the limits
};

/// A module, which several profiles may hold.
struct HloModule {
  std::int64_t id = 0;
  std::string name;  ///< "jit_f"; "" where it has none
  schema::TextId text{};
  std::int64_t byte_count = 0;  ///< of its text
};

/// A module by its text, which is stored already; one of that text that is known already is the
/// same module. The caller holds the write transaction.
schema::Expected<std::int64_t> put_hlo_module(schema::Connection& connection, std::string_view name,
                                              schema::TextId text);

/// What a trace's profile holds; nothing happens where it is known. The caller holds the write
/// transaction.
schema::Expected<void> put_trace_hlo(schema::Connection& connection, schema::TraceId trace,
                                     const TraceHlo& hlo);

/// Forgets what a trace's profile holds. The caller holds the write transaction.
schema::Expected<void> delete_trace_hlo(schema::Connection& connection, schema::TraceId trace);

/// Deletes modules that no profile holds; their texts are deleted by delete_unused_texts(). The
/// caller holds the write transaction. Error: kCorrupt.
schema::Expected<void> delete_unused_hlo(schema::Connection& connection);

/// Adds what `found` has of problems to those of a trace that is stored, and to their number there
/// and at its dumps. The caller holds the write transaction.
schema::Expected<void> add_trace_problems(schema::Connection& connection, schema::TraceId trace,
                                          const Trace& found);

/// None of a trace that is no XPlane profile, or that was stored before its modules were read.
/// Errors: kCorrupt; kTooLarge where it holds more than `most` modules.
schema::Expected<std::optional<TraceHlo>> trace_hlo(
    schema::Connection& connection, schema::TraceId trace,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Error: kNotFound.
schema::Expected<HloModule> hlo_module(schema::Connection& connection, std::int64_t id);

/// Where a module is found.
struct HloProfile {
  schema::TraceId trace{};
  std::int64_t program_id = 0;
};

/// The profiles that hold a module, the newest first, once for each program. Error: kCorrupt.
schema::Expected<std::vector<HloProfile>> profiles_with_hlo(schema::Connection& connection,
                                                            std::int64_t module);

}  // namespace benchhud::trace
