#include <algorithm>
#include <array>
#include <string>

#include "ingest/dynamo_csv.h"
#include "ingest/file_kind.h"

namespace benchhud::ingest {
namespace {

// Longer names first: a part of a name is not taken for all of it.
constexpr std::array<std::string_view, 4> kSuites = {"timm_models", "torchbench", "huggingface",
                                                     "timm"};
constexpr std::array<std::string_view, 10> kDtypes = {"amp_bf16", "amp_fp16", "bfloat16", "float16",
                                                      "float32",  "float64",  "notset",   "quant",
                                                      "int8",     "amp"};
constexpr std::array<std::string_view, 2> kModes = {"inference", "training"};
constexpr std::array<std::string_view, 8> kDevices = {"cuda", "rocm", "cpu", "xpu",
                                                      "mps",  "hpu",  "tpu", "npu"};
constexpr std::array<std::string_view, 2> kTargets = {"performance", "accuracy"};

/// Where `words` stand in `name`, which has '_' around every word.
std::size_t place_of(std::string_view name, std::string_view words) {
  const std::string framed = "_" + std::string(words) + "_";
  return name.find(framed);
}

/// Takes the first of `candidates` that is there out of `name`.
template <class Candidates>
std::optional<std::string> take_one(const Candidates& candidates, std::string* name) {
  for (const std::string_view candidate : candidates) {
    const std::size_t place = place_of(*name, candidate);
    if (place == std::string::npos) continue;
    name->erase(place, candidate.size() + 1);
    return std::string(candidate);
  }
  return {};
}

std::string without_frame(std::string_view text) {
  while (text.starts_with('_')) text.remove_prefix(1);
  while (text.ends_with('_')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

NeighbourFacts facts_in_name(std::string_view path) {
  std::string_view stem = path.substr(path.find_last_of('/') + 1);
  stem = uncompressed_name(stem);
  stem = stem.substr(0, stem.find_last_of('.'));
  std::string name = "_" + std::string(stem) + "_";
  std::replace(name.begin(), name.end(), '-', '_');

  NeighbourFacts facts;
  std::size_t place = std::string::npos;
  for (const std::string_view suite : kSuites) {
    place = place_of(name, suite);
    if (place == std::string::npos) continue;
    facts.suite = std::string(suite);
    break;
  }
  if (!facts.suite) return {};
  const std::string backend = without_frame(std::string_view(name).substr(0, place));
  if (!backend.empty()) facts.backend = backend;
  std::string rest = name.substr(place + facts.suite->size() + 1);
  facts.dtype = take_one(kDtypes, &rest);
  facts.test = take_one(kModes, &rest);
  // Between device and target CI writes which machine it was.
  for (const std::string_view target : kTargets) {
    const std::size_t end = place_of(rest, target);
    if (end != std::string::npos) rest.resize(end + 1);
  }
  facts.accelerator = take_one(kDevices, &rest);
  const std::string machine = without_frame(rest);
  if (facts.accelerator && !machine.empty()) facts.accelerator_model = machine;
  return facts;
}

}  // namespace benchhud::ingest
