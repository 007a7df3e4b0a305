// Finds an instruction in a module's HLO text, and what the text says of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// A frame of Python, or of another language.
struct HloFrame {
  std::string file, function;
  std::int64_t line = 0;  ///< 0: not told
};

/// Another instruction, or a computation.
struct HloReference {
  std::string name;
  std::int64_t line = 0;  ///< of the text; 0: the text does not have it
};

/// Names are without "%". Lists have kMostHloReferences at most.
struct HloFacts {
  std::string name;
  std::string computation;   ///< that it is of
  std::int64_t line = 0;     ///< of the text, from 1
  std::int64_t offset = 0;   ///< of that line in the text, bytes
  std::string opcode, type;  ///< "fusion", "f32[2]{0}"
  std::string text;          ///< the line, as shortened() cuts it
  std::string op_type;       ///< the framework's operation: "aten__mm"; "" where it is not told
  std::string op_name;       ///< "jit(f)/add"; "" where it is not told
  std::string source_file;   ///< "" where it is not told
  std::int64_t source_line = 0;
  std::vector<HloFrame> stack;  ///< innermost first; empty where it is not told
  std::vector<HloReference> operands, users, called;  ///< each once
  /// Of all, an operand that is there twice counted twice.
  std::int64_t operand_count = 0, user_count = 0, called_count = 0;
};
inline constexpr std::size_t kMostHloReferences = 50;

/// The instruction of that name; "a::b" is b, "%b = f32[] add(…)" too, and what a name of HLO
/// cannot have is "_" in it. Of several the first that is not inside of a fusion, which is what a
/// device executes; else the first. Nothing where there is none. Takes time linear in the text,
/// which has an instruction a line, as print_hlo() makes it.
std::optional<HloFacts> find_hlo_instruction(std::string_view text, std::string_view name);

/// A line of the text.
struct HloLine {
  std::int64_t line = 0, offset = 0;    ///< its number, from 1, and where it begins, bytes
  std::optional<HloFacts> instruction;  ///< nothing where it has none
};

/// Nothing where the text has fewer lines.
std::optional<HloLine> hlo_line_at(std::string_view text, std::int64_t line);

/// The line on which the entry computation begins; 0 where there is none.
std::int64_t hlo_entry_line(std::string_view text);

/// Whether the text names a place in the source for any instruction.
bool has_hlo_source(std::string_view text);

}  // namespace benchhud::ingest
