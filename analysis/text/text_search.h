// How well a name fits what somebody typed into a search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::analysis {

/// How a text fits, the best first.
enum class TextMatch : std::uint8_t {
  kExact,      ///< It is what was typed.
  kPrefix,     ///< It begins with it.
  kWordStart,  ///< One of its words does.
  kPart,       ///< It contains it.
  kWords,      ///< Every word that was typed is in it or in what is known beside it.
  kNearly,  ///< Every word but for one letter each: one too many, too few, wrong, or two swapped.
};

/// "exact", "prefix", "word_start", "part", "words" or "nearly".
std::string_view text_match_name(TextMatch match);

/// The text as searches compare it: ASCII letters small, anything between words that is blank as
/// one space, none at the ends. Other bytes are as they are, whatever they are.
std::string fold_text(std::string_view text);

/// What is searched, folded once.
struct SearchText {
  std::string title;
  std::vector<std::string> aliases;  ///< other names: they count for a match as the title does
  std::string keywords;              ///< what else is known of it: for words only

  SearchText(std::string_view title, std::string_view keywords,
             const std::vector<std::string>& aliases = {});
};

/// What was typed. Nothing in it has a meaning of its own: `%`, `*` and quotes are themselves.
class TextQuery {
 public:
  explicit TextQuery(std::string_view text);

  bool empty() const { return words_.empty(); }
  /// How `text` fits to the letter; none where it does not. An empty query fits nothing.
  std::optional<TextMatch> match(const SearchText& text) const;
  /// Whether `text` fits but for a letter in a word. Words of less than four letters must fit to
  /// the letter: everything is near to them.
  bool nearly(const SearchText& text) const;

 private:
  std::string whole_;
  std::vector<std::string> words_;
};

/// Whether some beginning of `word` becomes `typed` when one letter is left out, put in, replaced,
/// or swapped with the next. Letters are bytes: one outside ASCII that is wrong in several bytes is
/// more than one letter wrong.
bool begins_nearly_with(std::string_view word, std::string_view typed);

}  // namespace benchhud::analysis
