// What Inductor makes of PyTorch's operators.
#pragma once

#include <cstdint>
#include <string_view>

namespace benchhud::analysis {

enum class Lowering : std::uint8_t {
  kUnknown,    ///< on neither list, or it depends: on sizes, on the device, on who calls it
  kGenerated,  ///< code: seen by itself, Inductor did not compile it
  kCalled,     ///< a call of the original, or of a library's like it, which is seen by itself
};

/// By an operator's name in a trace, `aten::relu`; one in place, `aten::relu_`, is the same. A
/// composite operator (`aten::linear`) is what it is made of.
///
/// Generated: element by element, comparisons, reductions, normalisations, losses, indexing,
/// concatenation. Called: matrix products, convolutions, attention, recurrent cells, linear
/// algebra, transforms, and what is sorted or selected by its data. Unknown, among others: views
/// and copies, which the code around graphs makes too; pooling, scans, sorting and scattering, for
/// which Inductor has code in some cases.
Lowering inductor_lowering(std::string_view operator_name);

}  // namespace benchhud::analysis
