// Lists that a hostile trace makes long are cut, and what is cut off is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benchhud::analysis {

/// Keeps the first `most` rows. Returns how many were left out.
template <class Row>
std::int64_t truncate_rows(std::vector<Row>* rows, std::size_t most) {
  if (rows->size() <= most) return 0;
  const std::size_t left_out = rows->size() - most;
  rows->erase(rows->begin() + static_cast<std::ptrdiff_t>(most), rows->end());
  return static_cast<std::int64_t>(left_out);
}

}  // namespace benchhud::analysis
