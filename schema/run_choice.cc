#include "schema/run_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
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

Expected<const Run*> choose_run(std::span<const Run* const> runs, std::string_view text,
                                std::optional<std::string_view> accelerator_model) {
  const auto id = as_id(text);
  const Run* by_id = nullptr;
  std::vector<const Run*> exact, beginning;
  for (const Run* run : runs) {
    if (id && run->id == *id) by_id = run;
    if (accelerator_model && run->accelerator_model != *accelerator_model) continue;
    if (text == "latest") return run;
    if (run->name == text) exact.push_back(run);
    if (run->name.starts_with(text)) beginning.push_back(run);
  }
  if (text == "latest") return Error{ErrorCode::kNotFound, "there are no runs yet"};
  if (exact.empty() && by_id != nullptr) return by_id;
  const auto& found = exact.empty() ? beginning : exact;
  if (found.size() > 1) return ambiguous(text, found);
  if (!found.empty()) return found.front();
  return Error{ErrorCode::kNotFound, fmt::format("there is no run called {}", text)};
}

}  // namespace benchhud::schema
