#include "schema/results/run_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace benchhud::schema {
namespace {

/// How many runs an error names.
constexpr std::size_t kMostNamed = 5;

std::optional<RunId> as_id(std::string_view text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return RunId(id);
}

/// The label that "label:KEY=VALUE" or "branch:NAME" asks for.
std::optional<std::pair<std::string_view, std::string_view>> as_label(std::string_view text) {
  constexpr std::string_view kLabel = "label:", kBranch = "branch:";
  if (text.starts_with(kBranch)) return std::pair("branch", text.substr(kBranch.size()));
  if (!text.starts_with(kLabel)) return std::nullopt;
  text.remove_prefix(kLabel.size());
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Error ambiguous(std::string_view text, const std::vector<const Run*>& found) {
  std::string names;
  for (std::size_t i = 0; i < found.size() && i < kMostNamed; ++i) {
    names += fmt::format("{}{} (id {}, on {})", i ? ", " : "", found[i]->name, to_int(found[i]->id),
                         found[i]->accelerator_model);
  }
  return Error{ErrorCode::kAmbiguous, fmt::format("{} fits {} runs: {}{}", text, found.size(),
                                                  names, found.size() > kMostNamed ? ", …" : "")};
}

}  // namespace

bool asks_for_label(std::string_view text) { return as_label(text).has_value(); }

Expected<const Run*> choose_run(std::span<const Run* const> runs, std::string_view text,
                                std::optional<std::string_view> accelerator_model) {
  const auto id = as_id(text);
  const auto label = as_label(text);
  const Run* by_id = nullptr;
  const Run* by_label = nullptr;
  std::vector<const Run*> exact, beginning;
  for (const Run* run : runs) {
    if (id && run->id == *id) by_id = run;
    if (accelerator_model && run->accelerator_model != *accelerator_model) continue;
    if (text == "latest") return run;
    if (label && by_label == nullptr) {
      const auto found = run->labels.find(std::string(label->first));
      if (found != run->labels.end() && found->second == label->second) by_label = run;
    }
    if (run->name == text) exact.push_back(run);
    if (run->name.starts_with(text)) beginning.push_back(run);
  }
  if (text == "latest") return Error{ErrorCode::kNotFound, "there are no runs yet"};
  if (exact.empty() && by_id != nullptr) return by_id;
  if (exact.empty() && by_label != nullptr) return by_label;
  const auto& found = exact.empty() ? beginning : exact;
  if (found.size() > 1) return ambiguous(text, found);
  if (!found.empty()) return found.front();
  if (label) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no run with the label {}={}", label->first, label->second)};
  }
  return Error{ErrorCode::kNotFound, fmt::format("there is no run called {}", text)};
}

}  // namespace benchhud::schema
