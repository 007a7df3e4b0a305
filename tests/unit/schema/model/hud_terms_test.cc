// The neighbours' words and ours.

#include "schema/model/hud_terms.h"

#include <gmock/gmock.h>

namespace benchhud::schema {
namespace {

TEST(HudTerms, EveryCodeHasAStatusThatMeansIt) {
  for (const char* code : {"PASS", "FAIL", "EAGER_FAILED", "NONDETERMINISTIC_EAGER_RUN",
                           "EXCEPTION_RAISED", "VERIFIER_DIDNT_RUN", "SOMETHING_NEW"}) {
    const auto status = accuracy_of_code(code);
    ASSERT_TRUE(status) << code;
    EXPECT_EQ(code_of_accuracy(*status), code);
  }
  EXPECT_EQ(accuracy_of_code("VERIFIER_SKIPPED"), std::nullopt);
}

TEST(HudTerms, OnlyWhatIsNoVerdictIsAnError) {
  EXPECT_FALSE(is_accuracy_error("pass"));
  EXPECT_FALSE(is_accuracy_error("fail_accuracy"));
  EXPECT_FALSE(is_accuracy_error("pass_due_to_skip"));
  EXPECT_TRUE(is_accuracy_error("OOM"));
  EXPECT_TRUE(is_accuracy_error("something_new"));
}

TEST(HudTerms, ABackendsNameIsReadAsItIsPrinted) {
  for (const char* name : {"eager", "inductor", "inductor_no_cudagraphs", "openxla+dynamo",
                           "openxla+lazytensor", "torch_xla2:torch_export"}) {
    Experiment experiment;
    experiment.dynamo = "of before";
    set_backend(name, &experiment);
    EXPECT_EQ(experiment.backend(), name);
  }
}

TEST(HudTerms, ANameOfOursIsMarked) {
  EXPECT_EQ(metric_of_hud("speedup"), kHudSpeedup);
  EXPECT_EQ(metric_of_hud("total_time"), "hud:total_time");
  EXPECT_EQ(metric_of_hud("abs_latency"), "abs_latency");
  for (const char* name : {"speedup", "total_time", "abs_latency"}) {
    EXPECT_EQ(hud_metric_name(metric_of_hud(name)), name);
  }
}

TEST(HudTerms, ModesAreTests) {
  EXPECT_EQ(test_of_mode("inference"), "eval");
  EXPECT_EQ(test_of_mode("training"), "train");
  EXPECT_EQ(mode_of_test("eval"), "inference");
  EXPECT_EQ(mode_of_test(test_of_mode("generate")), "generate");
}

}  // namespace
}  // namespace benchhud::schema
