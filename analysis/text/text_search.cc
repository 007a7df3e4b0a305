#include "analysis/text/text_search.h"

#include <algorithm>

#include "schema/base/ascii.h"

namespace benchhud::analysis {
namespace {

/// Below this a word must fit to the letter.
constexpr std::size_t kShortestNearly = 4;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Bytes outside ASCII belong to words: they are letters more often than not.
bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || schema::is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_of_word(text[at - 1]);
}

bool at_word_start(std::string_view text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    if (starts_word(text, at)) return true;
  }
  return false;
}

std::optional<TextMatch> match_name(std::string_view name, std::string_view whole) {
  if (name.size() == whole.size()) {
    return name == whole ? std::optional(TextMatch::kExact) : std::nullopt;
  }
  if (name.starts_with(whole)) return TextMatch::kPrefix;
  if (name.find(whole) == std::string_view::npos) return {};
  return at_word_start(name, whole) ? TextMatch::kWordStart : TextMatch::kPart;
}

bool contains(const SearchText& text, std::string_view word) {
  const auto has = [&](const std::string& part) { return part.find(word) != std::string::npos; };
  return has(text.title) || has(text.keywords) ||
         std::any_of(text.aliases.begin(), text.aliases.end(), has);
}

bool has_word_near(std::string_view text, std::string_view typed) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_of_word(text[at]) || !starts_word(text, at)) continue;
    if (begins_nearly_with(text.substr(at), typed)) return true;
  }
  return false;
}

}  // namespace

std::string_view text_match_name(TextMatch match) {
  switch (match) {
    case TextMatch::kExact:
      return "exact";
    case TextMatch::kPrefix:
      return "prefix";
    case TextMatch::kWordStart:
      return "word_start";
    case TextMatch::kPart:
      return "part";
    case TextMatch::kWords:
      return "words";
    case TextMatch::kNearly:
      return "nearly";
  }
  return "nearly";
}

std::string fold_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (!is_blank(c)) {
      result += schema::lower(c);
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

SearchText::SearchText(std::string_view title_text, std::string_view keyword_text,
                       const std::vector<std::string>& other_names)
    : title(fold_text(title_text)), keywords(fold_text(keyword_text)) {
  aliases.reserve(other_names.size());
  for (const auto& name : other_names) aliases.push_back(fold_text(name));
}

TextQuery::TextQuery(std::string_view text) : whole_(fold_text(text)) {
  for (std::string_view rest = whole_; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::optional<TextMatch> TextQuery::match(const SearchText& text) const {
  if (empty()) return {};
  auto best = match_name(text.title, whole_);
  for (const auto& alias : text.aliases) {
    const auto found = match_name(alias, whole_);
    if (found && (!best || *found < *best)) best = found;
  }
  if (best) return best;
  const bool all = std::all_of(words_.begin(), words_.end(),
                               [&](const std::string& word) { return contains(text, word); });
  return all ? std::optional(TextMatch::kWords) : std::nullopt;
}

bool TextQuery::nearly(const SearchText& text) const {
  return !empty() && std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
    return contains(text, word) ||
           (word.size() >= kShortestNearly && has_word_near(text.title, word));
  });
}

bool begins_nearly_with(std::string_view word, std::string_view typed) {
  const auto [in_word, in_typed] =
      std::mismatch(word.begin(), word.end(), typed.begin(), typed.end());
  const std::string_view left(in_word, word.end()), wanted(in_typed, typed.end());
  if (wanted.empty()) return true;
  const auto begins = [](std::string_view text, std::string_view with) {
    return text.starts_with(with);
  };
  // The letters before the first difference are right, so the mistake is there.
  if (begins(left, wanted.substr(1))) return true;  // one typed too many
  if (left.empty()) return false;
  if (begins(left.substr(1), wanted)) return true;            // one left out
  if (begins(left.substr(1), wanted.substr(1))) return true;  // another one
  return left.size() > 1 && wanted.size() > 1 && left[0] == wanted[1] && left[1] == wanted[0] &&
         begins(left.substr(2), wanted.substr(2));
}

}  // namespace benchhud::analysis
