#include <algorithm>
#include <array>
#include <string>

#include "ingest/results/dynamo_csv.h"
#include "ingest/text/file_kind.h"

namespace benchhud::ingest {
namespace {

// Longer names first: a part of a name is not taken for all of it. Suites must be listed, since
// neither they nor the backend before them are one word; precisions, devices and machines stand
// between other parts and are open.
constexpr std::array<std::string_view, 4> kSuites = {"timm_models", "torchbench", "huggingface",
                                                     "timm"};
constexpr std::array<std::string_view, 2> kModes = {"inference", "training"};
constexpr std::array<std::string_view, 2> kTargets = {"performance", "accuracy"};

/// Which of `candidates` stands in `name`, which has '_' around every word, and where.
template <class Candidates>
std::pair<std::size_t, std::string_view> find_one(std::string_view name,
                                                  const Candidates& candidates) {
  for (const std::string_view candidate : candidates) {
    const std::size_t place = name.find("_" + std::string(candidate) + "_");
    if (place != std::string_view::npos) return {place, candidate};
  }
  return {std::string_view::npos, {}};
}

std::optional<std::string> without_frame(std::string_view text) {
  while (text.starts_with('_')) text.remove_prefix(1);
  while (text.ends_with('_')) text.remove_suffix(1);
  if (text.empty()) return {};
  return std::string(text);
}

}  // namespace

ImportContext facts_in_name(std::string_view path) {
  std::string_view stem = path.substr(path.find_last_of('/') + 1);
  stem = uncompressed_name(stem);
  stem = stem.substr(0, stem.find_last_of('.'));
  std::string name = "_" + std::string(stem) + "_";
  std::replace(name.begin(), name.end(), '-', '_');

  ImportContext facts;
  const auto [suite_place, suite] = find_one(name, kSuites);
  if (suite.empty()) return {};
  facts.suite = std::string(suite);
  facts.backend = without_frame(std::string_view(name).substr(0, suite_place));
  std::string_view rest = std::string_view(name).substr(suite_place + suite.size() + 1);
  const auto [mode_place, mode] = find_one(rest, kModes);
  if (mode.empty()) return facts;
  facts.test = std::string(mode);
  facts.dtype = without_frame(rest.substr(0, mode_place));
  rest = rest.substr(mode_place + mode.size() + 1);
  const auto [target_place, target] = find_one(rest, kTargets);
  if (!target.empty()) rest = rest.substr(0, target_place + 1);
  // The device is one word; behind it CI writes which machine it was.
  const std::size_t device_end = rest.find('_', 1);
  facts.accelerator = without_frame(rest.substr(0, device_end));
  if (device_end != rest.npos) facts.accelerator_model = without_frame(rest.substr(device_end));
  return facts;
}

}  // namespace benchhud::ingest
