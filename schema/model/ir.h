// The graphs that a compiler was given or made: what a dump of HLO, StableHLO or PyTorch/XLA's lazy
// IR holds, module by module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::schema {

enum class IrDialect : std::uint8_t {
  kHlo,
  kStableHlo,  ///< and its kin in MLIR: mhlo, chlo, vhlo
  kLazy,       ///< PyTorch/XLA's text of the traced graph
};

/// As the runner's files end: "hlo", "stablehlo", "text".
std::string_view ir_dialect_name(IrDialect dialect);

/// A parameter or a result of a module.
struct IrValue {
  std::string name;  ///< "" where it has none
  std::string type;  ///< as printed: "f32[2,3]{1,0}", "tensor<2x3xf32>"
};

/// Convolutions or matrix products of one shape.
struct IrContraction {
  std::string op;                     ///< "convolution", "stablehlo.dot_general", "aten::mm"
  std::vector<std::string> operands;  ///< types without layouts; "?" where the dump does not tell
  std::string result;                 ///< likewise
  /// What says how dimensions go together, as printed: window, labels, contracting dimensions.
  std::string dimensions;
  std::int64_t count = 1;
};

/// How often each name comes, the most frequent first, then by name.
using IrHistogram = std::vector<std::pair<std::string, std::int64_t>>;

/// A compiled graph.
struct IrModule {
  IrDialect dialect = IrDialect::kHlo;
  std::string name;         ///< "IrToHlo.129"; "" where it has none
  std::int64_t offset = 0;  ///< of its text in the dump, bytes
  std::int64_t length = 0;  ///< of its text, bytes
  std::int64_t line = 1;    ///< on which it begins, counted from 1
  bool is_unfinished = false;
  /// Python's frames where it was cut, as printed ("train (lenet.py:86)"), if the dump has them.
  std::vector<std::string> stack;
  std::vector<IrValue> parameters;  ///< of the entry computation, in order
  std::vector<IrValue> results;
  std::string entry_layout;  ///< of HLO, and of MLIR that says it; as printed
  /// Of all parameters, bytes; none where a type does not tell. Types below a byte count as one, as
  /// XLA keeps them unless told otherwise.
  std::optional<std::int64_t> parameter_bytes;
  std::int64_t computation_count = 0;  ///< HLO's computations, MLIR's functions; lazy IR has one
  std::int64_t instruction_count = 0;  ///< parameters, constants and returns included
  /// "add", "stablehlo.add", "aten::add"; MLIR's modules and functions are none.
  IrHistogram ops;
  IrHistogram fusion_kinds;  ///< "kLoop"
  IrHistogram custom_calls;  ///< by target
  std::vector<IrContraction> contractions;
};

}  // namespace benchhud::schema
