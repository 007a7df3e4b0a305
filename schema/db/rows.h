// What the reader's units share: how rows of queries become values.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Samples out of the store.
inline std::vector<double> to_samples(std::string_view bytes) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  // Of nothing there may be no address, which memcpy must not be given.
  if (!samples.empty()) {
    std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  }
  return samples;
}

/// A column with a hash.
inline ContentHash hash_of(const Statement& row, int column) {
  ContentHash hash;
  row.blob(column).copy(hash.bytes.data(), hash.bytes.size());
  return hash;
}

template <class Id>
std::optional<Id> optional_id(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return Id(row.integer(column));
}

// Collects every row of a query that has its parameters.
template <class Read>
auto collect(Statement& query, Read read) -> Expected<std::vector<decltype(read(query))>> {
  std::vector<decltype(read(query))> rows;
  while (query.step()) rows.push_back(read(query));
  BENCHHUD_TRY(query.status());
  return rows;
}
template <class Read>
auto collect(Statement&& query, Read read) -> Expected<std::vector<decltype(read(query))>> {
  return collect(query, std::move(read));
}

// The only row of a query, or kNotFound with `what`.
template <class Read>
auto one(Statement& query, Read read, std::string what) -> Expected<decltype(read(query))> {
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return Error{ErrorCode::kNotFound, "there is no " + std::move(what)};
  }
  return read(query);
}
template <class Read>
auto one(Statement&& query, Read read, std::string what) -> Expected<decltype(read(query))> {
  return one(query, std::move(read), std::move(what));
}

}  // namespace benchhud::schema
