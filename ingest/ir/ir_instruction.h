// Instructions as HLO and PyTorch/XLA's lazy IR print them. Only their readers need this.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/model/ir.h"

namespace benchhud::ingest {

/// "ROOT %add.1 = f32[2]{0} add(f32[2]{0} %a, %b), metadata={…}": parts of the dump.
struct IrInstruction {
  bool is_root = false;         ///< HLO's mark; lazy IR has an attribute
  std::string_view name;        ///< "add.1"
  std::string_view type;        ///< "f32[2]{0}"
  std::string_view op;          ///< "add", "aten::add"
  std::string_view operands;    ///< between the operation's parentheses
  std::string_view attributes;  ///< behind them
};

/// Where the instruction ends that begins at `begin`: at a line end outside of brackets and
/// strings; or, where its brackets do not close, before the next line that begins an instruction or
/// a module, or that is a closing brace. `*is_whole`: whether they did.
std::size_t instruction_end(std::string_view dump, std::size_t begin, bool* is_whole);

/// Nothing if the text is none.
std::optional<IrInstruction> parse_instruction(std::string_view text);

/// The value of an attribute ("kind" of ", kind=kLoop, calls=…"), as it stands.
std::string_view attribute(std::string_view attributes, std::string_view key);

/// The types of a computation's instructions by name, for operands that are printed without.
using IrTypes = std::unordered_map<std::string_view, std::string_view>;

/// The shape of an operand: of the type that stands before its name, else of the instruction of
/// that name ("node.1" is also the part 1 of node's tuple), else "?".
std::string operand_shape(std::string_view operand, const IrTypes& types);

/// A convolution or dot with the shapes of its operands; `dimensions` as given.
schema::IrContraction contraction_of(const IrInstruction& instruction, std::string op,
                                     std::string dimensions, const IrTypes& types);

}  // namespace benchhud::ingest
