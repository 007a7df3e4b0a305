#include "analysis/kernels/kernel_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "embedded/kernel_rules.h"
#include "schema/base/check.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::analysis {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

constexpr std::array<std::string_view, kKernelClasses> kClassNames = {
    "inductor_triton", "user_triton", "gemm",      "convolution", "attention",
    "normalisation",   "elementwise", "reduction", "embedding",   "copy",
    "communication",   "other",       "memcpy",    "memset"};

constexpr std::array<std::string_view, 3> kSubjectNames = {"name", "operator", "hlo"};

// By NamePlace.
constexpr std::array<std::string_view, 5> kPlaceNames = {"contains", "starts", "ends", "is",
                                                         "word"};

// The class of a rule: Triton's, too, though not whether Inductor made the kernel; copies between
// memories are what their profiler says that they are.
std::optional<KernelClass> class_of_rule(std::string_view name) {
  if (name == "triton") return KernelClass::kUserTriton;
  const auto found = std::find(kClassNames.begin(), kClassNames.end(), name);
  if (found == kClassNames.end() || name.ends_with("_triton") || name == "memcpy") {
    return std::nullopt;
  }
  return static_cast<KernelClass>(found - kClassNames.begin());
}

template <std::size_t N>
std::optional<std::size_t> place_in(const std::array<std::string_view, N>& names,
                                    std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

template <std::size_t N>
std::string list_of(const std::array<std::string_view, N>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Takes what stands up to the next blank.
std::string_view next_field(std::string_view* line) {
  constexpr std::string_view kBlanks = " \t";
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view field = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(field.size());
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  return field;
}

struct Rule {
  KernelClass kernel_class = KernelClass::kOther;
  std::size_t subject = 0;
  NamePattern pattern;
};

std::string quoted(std::string_view text) {
  constexpr std::size_t kMostShown = 60;
  return fmt::format("“{}”", schema::beginning_of(text, kMostShown));
}

// The error: what is wrong with it.
Expected<Rule> parse_rule(std::string_view line) {
  const auto wrong = [](std::string what) {
    return Error{ErrorCode::kInvalidArgument, std::move(what)};
  };
  const std::string_view class_name = next_field(&line), subject_name = next_field(&line),
                         place_name = next_field(&line);
  Rule rule;
  const auto kernel_class = class_of_rule(class_name);
  if (!kernel_class) {
    return wrong(fmt::format(
        "there is no class {}; the classes are attention, communication, convolution, copy, "
        "elementwise, embedding, gemm, memset, normalisation, other, reduction, triton",
        quoted(class_name)));
  }
  rule.kernel_class = *kernel_class;
  const auto subject = place_in(kSubjectNames, subject_name);
  if (!subject) {
    return wrong(fmt::format("behind the class stands one of {}, not {}", list_of(kSubjectNames),
                             quoted(subject_name)));
  }
  rule.subject = *subject;
  const auto place = place_in(kPlaceNames, place_name);
  if (!place) {
    return wrong(fmt::format("behind “{}” stands one of {}, not {}", subject_name,
                             list_of(kPlaceNames), quoted(place_name)));
  }
  rule.pattern.place = static_cast<NamePlace>(*place);
  if (line.empty()) return wrong(fmt::format("behind “{}” a text is missing", place_name));
  if (line.find('\0') != line.npos) return wrong("the text has a byte 0, which no name has");
  if (line.size() > KernelRules::kMostPatternBytes) {
    return wrong(fmt::format("the text has {} bytes; {} are the most", line.size(),
                             KernelRules::kMostPatternBytes));
  }
  rule.pattern.text = line;
  return rule;
}

std::string_view without_blanks_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

Expected<void> parse_rules(std::string_view text, std::string_view file, std::vector<Rule>* rules) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_blanks_behind(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    auto rule = parse_rule(line);
    if (!rule) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}:{}: {}", file, number, rule.error().message)};
    }
    rules->push_back(*std::move(rule));
  }
  return {};
}

std::string_view built_in_text() { return embedded_kernel_rules().front().bytes; }

// Set once, before threads are.
std::unique_ptr<const KernelRules>& rules_of_process() {
  static std::unique_ptr<const KernelRules> rules;
  return rules;
}

}  // namespace

std::string_view name_of(KernelClass kernel_class) {
  return kClassNames[static_cast<std::size_t>(kernel_class)];
}

Expected<KernelRules> KernelRules::parse(std::string_view text, std::string_view file) {
  if (text.size() > kMostFileBytes) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("{} has more than {} bytes", file, kMostFileBytes)};
  }
  KernelRules rules;
  rules.own_text_ = text;
  std::vector<Rule> all;
  // Editors of some systems begin files so.
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  BENCHHUD_TRY(parse_rules(text, file, &all));
  const std::size_t own = all.size();
  BENCHHUD_TRY(parse_rules(built_in_text(), "kernel_rules.txt", &all));
  for (std::size_t subject = 0; subject < kSubjects; ++subject) {
    std::vector<NamePattern> patterns;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Rule& rule = all[i];
      if (rule.subject != subject) continue;
      if (i < own) ++rules.rules_[subject].own;
      patterns.push_back(std::move(rule.pattern));
      rules.rules_[subject].classes.push_back(rule.kernel_class);
    }
    rules.rules_[subject].matcher = NameMatcher(patterns);
  }
  return rules;
}

const KernelRules& KernelRules::built_in() {
  static const KernelRules rules = [] {
    auto parsed = parse("", "");
    BENCHHUD_CHECK(parsed.has_value());
    return *std::move(parsed);
  }();
  return rules;
}

std::optional<KernelClass> KernelRules::of(Subject subject, std::string_view text) const {
  const Rules& rules = rules_[subject];
  const auto found = rules.matcher.first(text);
  return found ? std::optional(rules.classes[*found]) : std::nullopt;
}

std::optional<KernelClass> KernelRules::own_of(Subject subject, std::string_view text) const {
  const Rules& rules = rules_[subject];
  if (rules.own == 0) return std::nullopt;
  const auto found = rules.matcher.first(text);
  return found && *found < rules.own ? std::optional(rules.classes[*found]) : std::nullopt;
}

const KernelRules& kernel_rules() {
  const auto& rules = rules_of_process();
  return rules ? *rules : KernelRules::built_in();
}

void set_kernel_rules(KernelRules rules) {
  rules_of_process() = std::make_unique<const KernelRules>(std::move(rules));
}

}  // namespace benchhud::analysis
