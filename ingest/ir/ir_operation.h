// Operations as MLIR prints them, each by itself. Only the reader of MLIR needs this.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "schema/base/ascii.h"
#include "schema/model/ir.h"

namespace benchhud::ingest {

// What is given and returned are parts of the dump. A body is what stands behind an operation's
// name, its regions left out.

inline bool is_name_start(char c) { return schema::is_letter(c) || c == '_'; }

/// Where the word that begins at `at` ends: "stablehlo.add", letters, digits, points and dollars.
std::size_t word_end(std::string_view text, std::size_t at);

/// The operation's name without its dialect: "dot_general".
std::string_view plain_name(std::string_view op);

/// The name behind the "@" that a text begins with.
std::string_view symbol(std::string_view text);

/// What stands between `key`, which ends with a quote, and the next quote. Nothing without the key.
std::string_view quoted_behind(std::string_view text, std::string_view key);

/// Whether it is a convolution or dot, of whatever dialect.
bool is_contraction(std::string_view op);

/// Of "(%1, %arg3) dim_numbers = […], window = {…} : (A, B) -> C".
schema::IrContraction contraction_of(std::string_view op, std::string_view body);

/// What a custom call calls; "?" where it does not say.
std::string_view call_target(std::string_view body);

/// The operation of a region that is written as a word: "(%0 init: %1) applies stablehlo.add
/// across …". Nothing where there is none.
std::string_view applied_op(std::string_view body);

/// How much a function looks like the entry: "main" the most, one that is public more than one
/// that is not.
int entry_rank(std::string_view body);

struct IrSignature {
  std::vector<schema::IrValue> parameters, results;
};

/// A function's parameters and results, those without names by their types.
IrSignature signature_of(std::string_view body);

}  // namespace benchhud::ingest
