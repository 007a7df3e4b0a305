#include "truth.h"

#include <nlohmann/json.hpp>

namespace benchhud::bench {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const auto& optional) { return optional ? Json(*optional) : Json(nullptr); }

Json describe(const Series& series) {
  Json changes = Json::array(), failures = Json::array(), wrong = Json::array();
  for (const Change& change : series.changes) {
    changes.push_back({{"night", change.night}, {"ratio", change.ratio}});
  }
  for (const Failure& failure : series.failures) {
    failures.push_back({{"from", failure.from},
                        {"to", or_null(failure.to)},
                        {"cause", cause_name(failure.cause)}});
  }
  for (const WrongAnswer& answer : series.wrong_answers) {
    wrong.push_back({{"from", answer.from}, {"to", or_null(answer.to)}});
  }
  return {{"model", series.model},
          {"backend", series.backend},
          {"test", series.test},
          {"batch_size", series.batch_size},
          {"level_s", series.first_level},
          {"compile_s", series.compile_time},
          {"noise",
           {{"kind", noise_name(series.noise.kind())},
            {"between_nights", series.noise.between_nights()},
            {"within_night", series.noise.within_night()},
            {"size", series.noise.size()}}},
          {"skipped", series.is_skipped},
          {"nondeterministic", series.is_nondeterministic},
          {"changes", std::move(changes)},
          {"failures", std::move(failures)},
          {"wrong_answers", std::move(wrong)}};
}

}  // namespace

std::string truth_as_json(const Fleet& fleet) {
  const FleetOptions& options = fleet.options();
  Json truth = {{"options",
                 {{"seed", options.seed},
                  {"models", options.models},
                  {"backends", options.backends},
                  {"tests", options.tests},
                  {"repeat", options.repeat},
                  {"accelerator_model", options.accelerator_model}}}};
  Json nights = Json::array();
  for (const Night& night : fleet.nights()) {
    nights.push_back({{"date", night.date},
                      {"timestamp", night.timestamp},
                      {"verified_at", or_null(night.verified_at)}});
  }
  truth["nights"] = std::move(nights);
  Json series = Json::array();
  for (const Series& one : fleet.series()) series.push_back(describe(one));
  truth["series"] = std::move(series);
  return truth.dump(1);
}

}  // namespace benchhud::bench
