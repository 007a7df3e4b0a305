// Reads dumps of compiled graphs: HLO, StableHLO and PyTorch/XLA's lazy IR, as text.
#pragma once

#include <string_view>
#include <vector>

#include "schema/model/ir.h"
#include "schema/model/profile.h"

namespace benchhud::ingest {

struct IrText {
  std::vector<schema::IrModule> modules;  ///< in the text's order
  std::vector<schema::DumpProblem> problems;
};

/// Finds and reads every module of a text, whatever stands between them: graphs that the runner
/// appended one after the other (with PyTorch/XLA's headers and Python frames), one module that XLA
/// dumped, a log. An instruction that cannot be read is a problem and left out; a module that ends
/// early is kept, marked as unfinished. Takes time linear in the text and no stack for its depth.
IrText read_ir_text(std::string_view text);

}  // namespace benchhud::ingest
