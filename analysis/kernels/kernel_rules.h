// What a kernel does, by rules on its name, on the operator that launched it and on the category
// that XLA gives it. The rules are text (kernel_rules.txt, in the program), and a team adds its own
// in a file; docs/traces.md says how they are written.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernels/name_matcher.h"
#include "schema/base/errors.h"

namespace benchhud::analysis {

enum class KernelClass : std::uint8_t {
  kInductorTriton,  ///< a Triton kernel that Inductor generated
  kUserTriton,      ///< launched as Triton kernels are, by something else: a candidate
  kGemm,            ///< matrix products
  kConvolution,
  kAttention,
  kNormalisation,  ///< softmax, too
  kElementwise,
  kReduction,
  kEmbedding,  ///< look-ups of rows
  kCopy,       ///< kernels that only move data: copies, transpositions, changes of layout
  kCommunication,
  kOther,  ///< no rule fits
  kMemcpy,
  kMemset,
};
inline constexpr std::size_t kKernelClasses = 14;

/// "inductor_triton", "gemm" …: as JSON and rules have it.
std::string_view name_of(KernelClass kernel_class);

class KernelRules {
 public:
  static constexpr std::size_t kMostFileBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostPatternBytes = 200;

  /// The rules of `text`, before the program's own; `file` is how errors call it. Error:
  /// kInvalidArgument with file and line of what is no rule; kTooLarge where the text has more than
  /// kMostFileBytes.
  static schema::Expected<KernelRules> parse(std::string_view text, std::string_view file);
  /// The program's own.
  static const KernelRules& built_in();
  /// The text that parse() took; "" of built_in().
  const std::string& own_text() const { return own_text_; }

  std::optional<KernelClass> of_name(std::string_view name) const { return of(kName, name); }
  /// By the team's own rules alone: they stand above what else tells.
  std::optional<KernelClass> own_of_name(std::string_view name) const {
    return own_of(kName, name);
  }
  std::optional<KernelClass> of_operator(std::string_view name) const {
    return of(kOperator, name);
  }
  /// Of XLA's category of the instruction, "convolution fusion".
  std::optional<KernelClass> of_hlo(std::string_view category) const { return of(kHlo, category); }
  std::optional<KernelClass> own_of_hlo(std::string_view category) const {
    return own_of(kHlo, category);
  }

 private:
  enum Subject : std::uint8_t { kName, kOperator, kHlo, kSubjects };
  struct Rules {
    NameMatcher matcher;
    std::vector<KernelClass> classes;  // by pattern
    std::size_t own = 0;               // so many are the team's, the first
  };

  std::optional<KernelClass> of(Subject subject, std::string_view text) const;
  std::optional<KernelClass> own_of(Subject subject, std::string_view text) const;

  std::string own_text_;
  std::array<Rules, kSubjects> rules_;
};

/// The rules that this process goes by: built_in(), or those that were set.
const KernelRules& kernel_rules();
/// To be called before anything asks for them, as a program starts.
void set_kernel_rules(KernelRules rules);

}  // namespace benchhud::analysis
