#include "schema/model/types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "schema/model/metric.h"

namespace benchhud::schema {
namespace {

TEST(NullSample, IsNaNButNoOtherNaN) {
  EXPECT_TRUE(std::isnan(null_sample()));
  EXPECT_TRUE(is_null_sample(null_sample()));
  EXPECT_FALSE(is_null_sample(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_null_sample(-std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_null_sample(std::nan("1")));
  EXPECT_FALSE(is_null_sample(0.0));
}

TEST(NullSample, SurvivesCopiesInAnArray) {
  std::vector<double> samples{1.0, null_sample()};
  const std::vector<double> copy = samples;
  samples.insert(samples.begin(), copy.begin(), copy.end());
  EXPECT_TRUE(is_null_sample(samples[1]));
  EXPECT_TRUE(is_null_sample(samples[3]));
}

TEST(ExperimentBackend, IsNamedAsTheReportsNameIt) {
  struct Case {
    std::optional<std::string> xla, dynamo, torch_xla2;
    std::string backend;
  };
  const Case cases[] = {
      {{}, {}, {}, "eager"},
      {{}, "inductor", {}, "inductor"},
      {"PJRT", "openxla", {}, "openxla+dynamo"},
      {"PJRT", {}, {}, "openxla+lazytensor"},
      {"XRT", {}, {}, "openxla+lazytensor"},
      {"PJRT", "openxla_eval", {}, "openxla_eval"},
      {{}, "openxla", {}, "openxla"},
      {{}, "aot_eager", {}, "aot_eager"},
      {{}, {}, "extract_jax", "torch_xla2:extract_jax"},
      {"PJRT", "openxla", "torch_export", "torch_xla2:torch_export"},
  };
  for (const Case& c : cases) {
    Experiment experiment;
    experiment.xla = c.xla;
    experiment.dynamo = c.dynamo;
    experiment.torch_xla2 = c.torch_xla2;
    EXPECT_EQ(experiment.backend(), c.backend);
  }
}

TEST(ExperimentIdentity, DiffersWithEveryField) {
  std::vector<Experiment> experiments(13);
  experiments[1].suite = "x";
  experiments[2].model = "x";
  experiments[3].accelerator = "x";
  experiments[4].accelerator_model = "x";
  experiments[5].test = "x";
  experiments[6].xla = "x";
  experiments[7].xla_flags = "x";
  experiments[8].dynamo = "x";
  experiments[9].torch_xla2 = "x";
  experiments[10].batch_size = 0;
  experiments[11].flags = R"({"x":1})";
  experiments[12].xla = "";  // set, if to nothing
  std::set<std::string> identities;
  for (const Experiment& experiment : experiments) identities.insert(experiment.identity());
  EXPECT_EQ(identities.size(), experiments.size());
}

TEST(ExperimentIdentity, NoTextPassesForTwoFields) {
  Experiment a;
  a.suite = "s1:m";
  Experiment b;
  b.suite = "s";
  b.model = "m";
  EXPECT_NE(a.identity(), b.identity());
  Experiment c;
  c.suite = std::string("s\0m", 3);
  Experiment d;
  d.suite = "s";
  EXPECT_NE(c.identity(), d.identity());
}

TEST(ExperimentFamily, IsTheIdentityWithoutTheBatchSize) {
  Experiment unknown;
  unknown.model = "BERT_pytorch";
  Experiment sixteen = unknown;
  sixteen.batch_size = 16;
  EXPECT_EQ(unknown.family(), sixteen.family());
  EXPECT_NE(unknown.identity(), sixteen.identity());
  EXPECT_TRUE(sixteen.identity().starts_with(sixteen.family()));
}

TEST(Metric, NamesOfTheUsersDocumentAreAliases) {
  EXPECT_EQ(canonical_metric_name("xla_ExecutionTime_time_s"), "xla_ExecuteTime_time_s");
  EXPECT_EQ(canonical_metric_name("xla_ExecutionTime_number"), "xla_ExecuteTime_number");
  EXPECT_EQ(canonical_metric_name("xla_ExecutionTime_"), "xla_ExecuteTime_");
  EXPECT_EQ(canonical_metric_name("xla_ExecutionTimes"), "xla_ExecutionTimes");
  EXPECT_EQ(canonical_metric_name("total_time"), "total_time");
  EXPECT_EQ(canonical_metric_name(""), "");
  EXPECT_EQ(metric_info("xla_ExecutionTime_time_s").name, "xla_ExecuteTime_time_s");
}

TEST(Metric, KnownOnesSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const MetricInfo& metric : known_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_EQ(canonical_metric_name(metric.name), metric.name);
    EXPECT_EQ(&metric_info(metric.name), &metric);
    EXPECT_TRUE(metric.explanation.ends_with('.')) << metric.name;
    EXPECT_NE(metric.family, MetricFamily::kUnknown) << metric.name;
  }
  EXPECT_EQ(metric_info("total_time").unit, "s");
  EXPECT_EQ(metric_info("total_time").direction, Direction::kLowerIsBetter);
  EXPECT_EQ(family_name(metric_info("xla_CompileTime_time_s").family), "compile");
}

TEST(Metric, UnknownOnesAreGuessedFromTheirEnding) {
  EXPECT_EQ(metric_info("xla_TransferTime_time_s").unit, "s");
  EXPECT_EQ(metric_info("xla_TransferTime_number").unit, "count");
  EXPECT_EQ(metric_info("peak_memory").unit, "");
  EXPECT_EQ(metric_info("peak_memory").family, MetricFamily::kUnknown);
  EXPECT_EQ(metric_info("").name, "");
}

}  // namespace
}  // namespace benchhud::schema
