// JSON as Python's json module writes it, made into JSON that a strict parser takes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// Why a text is no JSON, and where.
struct JsonFault {
  std::size_t offset;  ///< the byte, counted from 0, at which the reader gave up
  std::string what;    ///< a phrase: "expected ',' or '}'"
};

/// What is kept from the parser, and what may take how much (docs/formats.md, "Memory budgets").
struct LiftedValues {
  std::vector<std::string_view> values;
  std::size_t samples = 0;         ///< numbers in those that are arrays of samples
  std::size_t metrics = 0;         ///< members of `metrics`
  std::size_t deepest = 0;         ///< how many brackets are open at most
  bool exceeds_budget = false;     ///< the fault is not one of the text, but of its size
  std::size_t most_metrics = 0;    ///< budget
  std::size_t most_samples = 0;    ///< budget
  std::size_t most_rewritten = 0;  ///< budget of `*out`, in bytes
};

/// Copies `text` to `*out` so that a strict parser reads what Python would have read:
/// - NaN, Infinity, -Infinity and numbers that fit neither 64 bits nor a double become marks;
/// - an escape that is half of a surrogate pair becomes U+FFFD.
///
/// A mark is the string of a NUL character and the literal. So that no string of the text's own is
/// taken for one, every string that begins with NUL gets a second one. Read strings with
/// `marked_literal` and `unmarked`. Takes time linear in the text, and no stack for its depth.
/// Refuses, with the place, whatever Python would refuse, and texts that are not UTF-8.
///
/// With `lifted`, long values are left out of `*out` where a line keeps them as they are: members
/// of `metrics`, and members of the outermost object that have no meaning of their own. In the
/// place of each stands a mark that `lifted_value` understands, and `*lifted` gets its text, a part
/// of `text`. For a parser's tree takes up to 16 times the text of a value. Stops, with a fault,
/// where the line exceeds one of the budgets of LiftedValues.
std::optional<JsonFault> rewrite_python_json(std::string_view text, std::string* out,
                                             LiftedValues* lifted = nullptr);

/// Which of LiftedValues::values a mark's literal stands for, if any.
std::optional<std::size_t> lifted_value(std::string_view literal);

/// Appends a value of a text that rewrite_python_json() accepted as append_json() would write it
/// from a tree (JsonOrder::kAsItStands), without making one.
void append_lifted(std::string_view text, std::string* out);

/// The string that stands between quotes in such a text.
std::string lifted_string(std::string_view quoted);

/// The literal of a mark ("NaN", "1e400"), or "" if `string`, read from a rewritten text, is none.
inline std::string_view marked_literal(std::string_view string) {
  if (string.size() < 2 || string[0] != '\0' || string[1] == '\0') return {};
  return string.substr(1);
}

/// The text's own string behind `string`, which is not a mark.
inline std::string_view unmarked(std::string_view string) {
  return !string.empty() && string[0] == '\0' ? string.substr(1) : string;
}

}  // namespace benchhud::ingest
