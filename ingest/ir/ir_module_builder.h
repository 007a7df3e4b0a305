// What the readers of IR have in common. Only they need this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/text/problem_list.h"
#include "schema/model/ir.h"

namespace benchhud::ingest {

/// The dump at hand and what was found in it.
struct IrDump {
  explicit IrDump(std::string_view dump) : text(dump), lines(dump) {}

  std::string_view text;
  LineCounter lines;
  ProblemList problems;
  std::vector<schema::IrModule> modules;
  bool has_more_modules = false;  ///< than are kept
  /// Bytes that the contractions of all modules may still take: types that are named once and used
  /// by every instruction would let a hostile dump grow a hundredfold.
  std::size_t contraction_room = std::size_t{32} << 20;

  void problem(std::size_t offset, std::string reason) {
    problems.add(lines.line_of(offset), std::move(reason));
  }
};

/// A line of the dump, without its line end; `next` is where the one behind it begins.
struct IrLine {
  std::string_view text;
  std::size_t next = 0;
};
IrLine ir_line(std::string_view dump, std::size_t offset);

/// Whether a module begins with this line, or what is between modules: whatever was read before
/// ends here.
bool begins_ir(std::string_view line);
bool begins_hlo(std::string_view line);
bool begins_mlir(std::string_view line);
bool begins_lazy_ir(std::string_view line);

/// A module while it is read. Names handed to it are parts of the dump.
class IrModuleBuilder {
 public:
  /// `offset`: of the module's first byte.
  IrModuleBuilder(schema::IrDialect dialect, std::size_t offset, IrDump* dump);

  schema::IrModule module;  ///< for what is simply set

  void count_op(std::string_view op);
  void count_fusion(std::string_view kind) { ++fusions_[kind]; }
  void count_custom_call(std::string_view target) { ++custom_calls_[target]; }
  /// `place`: of the instruction, for a problem. Operands and result are shapes already.
  void add_contraction(std::size_t place, schema::IrContraction contraction);

  /// Puts the module, which ends at `end`, into the dump. `type_bytes` says what a type takes.
  void finish(std::size_t end, bool is_unfinished,
              std::optional<std::int64_t> (*type_bytes)(std::string_view type));

 private:
  using Counts = std::unordered_map<std::string_view, std::int64_t>;
  static schema::IrHistogram histogram(const Counts& counts);

  IrDump& dump_;
  Counts ops_, fusions_, custom_calls_;
  std::map<std::string, std::size_t> contraction_places_;  // in the module, by all their texts
  bool is_over_room_ = false;
};

/// No text of a contraction is longer, in bytes.
inline constexpr std::size_t kLongestShape = 256;
inline constexpr std::size_t kLongestDimensions = 512;

}  // namespace benchhud::ingest
