#include "service/traces/label_query.h"

#include <algorithm>

#include "analysis/text/text_search.h"
#include "analysis/trace/label_class.h"
#include "trace/short_name.h"

namespace benchhud::service {
namespace {

constexpr std::string_view kCategory = "cat:", kClass = "class:";

bool contains_all(std::string_view text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != text.npos; });
}

// Takes a name in quotes from the beginning of `text`; in it a quote is written twice.
std::string take_quoted(std::string_view* text) {
  std::string name;
  for (;;) {
    text->remove_prefix(1);
    const std::size_t end = std::min(text->find('"'), text->size());
    name += text->substr(0, end);
    text->remove_prefix(std::min(end + 1, text->size()));
    if (!text->starts_with('"')) return name;
    name += '"';
  }
}

}  // namespace

LabelQuery::LabelQuery(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return;
    if (text.front() == '"') {
      names_.push_back(take_quoted(&text));
      continue;
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = analysis::fold_text(text.substr(0, end));
    text.remove_prefix(end);
    if (word.starts_with(kCategory)) {
      categories_.push_back(word.substr(kCategory.size()));
    } else if (word.starts_with(kClass)) {
      classes_.push_back(word.substr(kClass.size()));
    } else if (!word.empty()) {
      words_.push_back(word);
    }
  }
}

bool LabelQuery::empty() const {
  return words_.empty() && names_.empty() && categories_.empty() && classes_.empty();
}

bool LabelQuery::fits(const trace::LabelText& label) const {
  if (empty()) return false;
  const std::string_view name = label.name, category = label.category;
  const bool is_named = std::all_of(names_.begin(), names_.end(), [&](const std::string& each) {
    return each == name || (each.ends_with("…") && each == trace::short_name(name));
  });
  if (!is_named) return false;
  if (!words_.empty() && !contains_all(analysis::fold_text(name), words_)) return false;
  if (!categories_.empty() && !contains_all(analysis::fold_text(category), categories_)) {
    return false;
  }
  return std::all_of(classes_.begin(), classes_.end(), [&](const std::string& each) {
    return each == analysis::label_class(label).name;
  });
}

}  // namespace benchhud::service
