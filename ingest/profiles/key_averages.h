// Reads the tables that torch.profiler's key_averages().table() prints.
#pragma once

#include <string_view>
#include <vector>

#include "schema/model/profile.h"

namespace benchhud::ingest {

struct KeyAverages {
  std::vector<schema::OperatorTable> tables;  ///< in the file's order: a repetition each
  std::vector<schema::DumpProblem> problems;
};

/// Reads a text of one table or several, of whatever columns. Cells are cut by the dashed ruler
/// above the header, counted in characters and not in bytes, for names and shapes hold spaces. Rows
/// that continue the last cell only (stacks of source locations) belong to the row above. A row
/// that does not fit the ruler is a problem and left out; lines outside of tables are nobody's. So
/// are rows beyond a million cells in all tables, and tables of more than 64 columns: nobody prints
/// them, and they would take far more memory than text.
KeyAverages read_key_averages(std::string_view text);

}  // namespace benchhud::ingest
