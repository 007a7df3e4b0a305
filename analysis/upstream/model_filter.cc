#include "analysis/upstream/model_filter.h"

#include <fmt/format.h>

#include <boost/regex.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

namespace benchhud::analysis {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::string_view kTier1 =
    "^(BERT_pytorch|cm3leon_generate|DALLE2_pytorch|dlrm|hf_GPT2|hf_GPT2_large|GPT_3|hf_T5|"
    "hf_T5_base|hf_T5_generate|hf_T5_large|llama_v2_7b_16h|stable_diffusion_xl)$";
constexpr std::string_view kTier2 =
    "^(alexnet|attention_is_all_you_need_pytorch|Background_Matting|basic_gnn_(gcn|gin|sage)|dcgan|"
    "densenet121|detectron2_fasterrcnn_r_(50|101)_(c4|dc5|fpn)|detectron2_fcos_r_50_fpn|"
    "detectron2_maskrcnn(_r_(50|101)_(c4|fpn))?|fastNLP_Bert|functorch_dp_cifar10|hf_Albert|"
    "hf_Bart|hf_Bert|hf_Bert_large|llama)$";
constexpr std::string_view kTier3 =
    "^(doctr_det_predictor|doctr_reco_predictor|drq|functorch_maml_omniglot)$";

// None for no patterns: it then has no say.
Expected<std::optional<boost::regex>> compile(std::vector<std::string> patterns,
                                              const std::vector<int>& tiers) {
  for (const int tier : tiers) {
    if (!tier_pattern(tier).empty()) patterns.emplace_back(tier_pattern(tier));
  }
  if (patterns.empty()) return std::optional<boost::regex>();
  const std::string all = fmt::format("{}", fmt::join(patterns, "|"));
  try {
    // As Python's: ^ and $ are the ends of the name, and a point is not a line end.
    constexpr auto kSyntax =
        boost::regex::perl | boost::regex::icase | boost::regex::no_mod_m | boost::regex::no_mod_s;
    return std::optional<boost::regex>(boost::regex(all, kSyntax));
  } catch (const std::runtime_error& error) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is not a regular expression: {}", all, error.what())};
  }
}

bool finds(const std::string& model, const boost::regex& pattern) {
  // Without this flag the engine would take $ to match before every line end.
  return boost::regex_search(model, pattern, boost::match_single_line);
}

}  // namespace

struct ModelFilter::State {
  std::optional<boost::regex> filter;
  std::optional<boost::regex> exclude;
};

std::string_view tier_pattern(int tier) {
  switch (tier) {
    case 1:
      return kTier1;
    case 2:
      return kTier2;
    case 3:
      return kTier3;
    default:
      return {};
  }
}

ModelFilter::ModelFilter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelFilter::ModelFilter(ModelFilter&&) noexcept = default;
ModelFilter& ModelFilter::operator=(ModelFilter&&) noexcept = default;
ModelFilter::~ModelFilter() = default;

Expected<ModelFilter> ModelFilter::make(const ModelPatterns& patterns) {
  auto state = std::make_unique<State>();
  BENCHHUD_ASSIGN(state->filter, compile(patterns.filter, patterns.filter_by_tier));
  BENCHHUD_ASSIGN(state->exclude, compile(patterns.exclude, patterns.exclude_by_tier));
  return ModelFilter(std::move(state));
}

Expected<bool> ModelFilter::keeps(const std::string& model) const {
  try {
    if (state_->filter && !finds(model, *state_->filter)) return false;
    return !(state_->exclude && finds(model, *state_->exclude));
  } catch (const std::runtime_error& error) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a pattern was given up on the model {}: {}", model, error.what())};
  }
}

}  // namespace benchhud::analysis
