// How many SQL statements it takes to warm a server, to take in one more night and to answer: what
// travels to a store that is not a file of this machine travels so often. The bounds are what was
// counted, and some room where chance or time have a part in it; docs/performance.md has the
// numbers.
#include "tests/statement_count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "service/imports/importer.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

constexpr int kModels = 100, kNights = 20, kVerifiedEvery = 3;

/// Nights of 800 results, 100 models on four backends in two tests, as the runner writes them: some
/// fail, some get slower, some have metrics of their own, and every third night is verified, by
/// lines that know no batch size.
class MadeUpNights {
 public:
  std::string lines(int night) {
    std::string text;
    const double time = 1761955200.0 + 86400.0 * night;
    for (int model = 0; model < kModels; ++model) {
      for (const char* test : {"eval", "train"}) {
        for (const char* dynamo : {"", "inductor", "openxla", "aot_eager"}) {
          text += line(night, model, test, dynamo, time);
          if (night % kVerifiedEvery == 0 && *dynamo != '\0') {
            text += head(model, test, dynamo, "null") +
                    fmt::format(
                        "\"metrics\": {{}}, \"timestamp\": {}, \"verification_code\": "
                        "\"{}\"}}\n",
                        time + 3600.5, (model + night) % 29 == 0 ? "FAIL" : "PASS");
          }
        }
      }
    }
    return text;
  }

 private:
  static std::string head(int model, const std::string& test, const std::string& dynamo,
                          const std::string& batch_size) {
    return fmt::format(
        R"({{"model": {{"suite_name": "suite", "model_name": "model_{}"}}, "experiment": )"
        R"({{"accelerator": "cuda", "accelerator_model": "A100", "xla": null, "xla_flags": null, )"
        R"("dynamo": {}, "torch_xla2": null, "test": "{}", "batch_size": {}}}, "repeat": 6, )"
        R"("iterations_per_run": 1, )",
        model, dynamo.empty() ? "null" : '"' + dynamo + '"', test, batch_size);
  }

  std::string line(int night, int model, const std::string& test, const std::string& dynamo,
                   double time) {
    const std::string begin = head(model, test, dynamo, "8");
    if ((model * 7 + night) % 41 == 0) {
      return begin +
             fmt::format("\"metrics\": {{\"error\": \"RuntimeError: {} of {}\"", model % 5,
                         night % 3) +
             fmt::format("}}, \"timestamp\": {}}}\n", time);
    }
    const bool is_slower = night > kNights / 2 && model % 10 == 0 && dynamo == "inductor";
    std::normal_distribution<double> normal(0, 0.01);
    std::string times;
    for (int i = 0; i < 6; ++i) {
      const double seconds =
          (i == 0 ? 3 : 1) * (1 + 0.01 * model) * (is_slower ? 1.3 : 1) * std::exp(normal(random_));
      times += fmt::format("{}{}", i == 0 ? "" : ", ", seconds);
    }
    std::string more;
    if (dynamo == "inductor") {
      more = fmt::format(", \"dynamo_counters\": {{\"stats\": {{\"calls_captured\": {}}}}}", model);
    }
    return begin +
           fmt::format("\"metrics\": {{\"total_time\": [{}], \"per_iter_time\": [{}]{}", times,
                       times, more) +
           fmt::format("}}, \"timestamp\": {}, \"verification_code\": \"VERIFIER_SKIPPED\"}}\n",
                       time);
  }

  std::mt19937_64 random_{1};
};

class StatementCountTest : public StoreFixture {
 protected:
  void take_in(int first, int last) {
    const std::string path = (folder_ / fmt::format("night_{}.jsonl", last)).string();
    std::ofstream file(path);
    for (int night = first; night <= last; ++night) file << nights_.lines(night);
    file.close();
    const auto files = take_in(path);
    EXPECT_EQ(files.duplicate, 0);
  }

  /// The file as it is now.
  ingest::IngestResult take_in(const std::string& path) {
    const auto done = service::import_and_find_alerts(*connection_, {{path}, {}}, {});
    EXPECT_TRUE(done) << done.error().message;
    if (!done) return {};
    EXPECT_EQ(done->files.rejected, 0);
    EXPECT_TRUE(done->alerts) << done->alerts.error().message;
    return done->files;
  }

  /// At most so many since they were counted last.
  static void expect_at_most(std::int64_t most, const std::string& what) {
    const std::int64_t count = take_statement_count();
    RecordProperty(what, std::to_string(count));
    EXPECT_LE(count, most) << what << ":\n" << table_of_statements();
  }

  /// From now on, on a connection of its own.
  void count_by_text() {
    count_statements(CountedBy::kText);
    connection_ = std::make_unique<schema::Connection>(*schema::open_store(path_));
    take_statement_count();
  }

  /// How often statements were run that begin so, of those that were counted last.
  static int runs_of(const std::string& begin) {
    std::istringstream lines(table_of_statements());
    int runs = 0, sum = 0;
    for (std::string line; lines >> runs && std::getline(lines, line);) {
      if (line.starts_with(" " + begin)) sum += runs;
    }
    return sum;
  }

  MadeUpNights nights_;
};

TEST_F(StatementCountTest, GrowsWithRunsAndNotWithResults) {
  take_in(0, kNights - 2);
  count_by_text();
  take_in(kNights - 1, kNights - 1);
  expect_at_most(600, "a night of 800 results");

  const auto server = app();
  take_statement_count();
  server->warm([] { return true; });
  // How many transactions it takes depends on how fast the machine is.
  expect_at_most(21 * kNights + 60, "warming a server");

  const auto ask = [&](const std::string& address, std::int64_t most) {
    take_statement_count();
    get_json(*server, address);
    expect_at_most(most, address);
  };
  ask("/overview", 4);
  ask("/search?q=model_1", 6);
  const std::string series = "/series?suite=suite&model=model_10&test=eval&accelerator_model=A100";
  ask(series + "&metric=steady&baseline=inductor", 8);
  ask(series + "&metric=steady&baseline=inductor", 4);
}

TEST_F(StatementCountTest, OfLinesThatAreKnownNothingElseIsLookedUp) {
  const std::string path = (folder_ / "grows.jsonl").string();
  std::ofstream(path) << nights_.lines(0);
  const auto first = take_in(path);
  std::ofstream(path, std::ios::app) << nights_.lines(1);
  count_by_text();
  const std::string texts = "SELECT id, hash FROM text", metrics = "SELECT id, name FROM metric";
  const auto grown = take_in(path);
  take_statement_count();
  EXPECT_EQ(grown.duplicate, first.accepted);
  EXPECT_GT(grown.accepted, 0);
  EXPECT_GT(runs_of(texts), 0);

  std::ofstream(path, std::ios::app) << "\n";
  const auto again = take_in(path);
  const std::int64_t statements = take_statement_count();
  EXPECT_EQ(again.duplicate, first.accepted + grown.accepted);
  EXPECT_EQ(runs_of(texts), 0);
  EXPECT_EQ(runs_of(metrics), 0);
  // One finds a line among those of its invocation.
  EXPECT_LE(statements, again.duplicate + 200) << table_of_statements();
}

TEST_F(StatementCountTest, AnExperimentOfManyLinesIsLookedUpOnce) {
  const std::string path = (folder_ / "repeated.jsonl").string();
  // Of no night that is verified: 800 experiments, of which each is timed three times.
  std::ofstream(path) << nights_.lines(1) << nights_.lines(1) << nights_.lines(1);
  count_by_text();
  take_in(path);
  take_statement_count();
  const int runs = runs_of("SELECT family, batch_size");
  EXPECT_GT(runs, 0);
  EXPECT_LE(runs, 13);
}

}  // namespace
}  // namespace benchhud::server
