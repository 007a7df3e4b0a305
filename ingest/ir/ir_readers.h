// A reader of one module for each dialect. Only read_ir_text() needs this.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/ir/ir_module_builder.h"

namespace benchhud::ingest {

/// What stood before a module: PyTorch/XLA's headers.
struct IrContext {
  std::string name;  ///< of "[ScheduleSyncTensorsGraph]"
  std::vector<std::string> stack;
};

// Each reads the module whose first line begins at `begin`, appends it to the dump's modules and
// returns where it ends: more than `begin`.

std::size_t read_hlo(std::size_t begin, IrContext context, IrDump* dump);
std::size_t read_mlir(std::size_t begin, IrContext context, IrDump* dump);
std::size_t read_lazy_ir(std::size_t begin, IrContext context, IrDump* dump);

}  // namespace benchhud::ingest
