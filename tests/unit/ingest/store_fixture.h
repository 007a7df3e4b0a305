// A store in a folder of its own, files to ingest, and what the store says afterwards.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ingest/pipeline/pipeline.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"

namespace benchhud::ingest {

/// A line of results.jsonl in the making.
class LineBuilder {
 public:
  LineBuilder() {
    json_ = {{"model", {{"suite_name", "torchbench"}, {"model_name", "resnet18"}}},
             {"experiment",
              {{"accelerator", "cuda"},
               {"accelerator_model", "A100"},
               {"xla", nullptr},
               {"xla_flags", nullptr},
               {"dynamo", "inductor"},
               {"test", "eval"},
               {"batch_size", 8}}},
             {"repeat", 5},
             {"iterations_per_run", 1},
             {"metrics", nlohmann::json::object()},
             {"timestamp", 1761955200.0},
             {"verification_code", "VERIFIER_SKIPPED"}};
  }
  LineBuilder& model(const std::string& name) { return set("/model/model_name", name); }
  LineBuilder& at(double time) { return set("/timestamp", time); }
  LineBuilder& on(const std::string& machine) {
    return set("/experiment/accelerator_model", machine);
  }
  LineBuilder& dynamo(nlohmann::json name) { return set("/experiment/dynamo", std::move(name)); }
  LineBuilder& batch(nlohmann::json size) { return set("/experiment/batch_size", std::move(size)); }
  LineBuilder& code(nlohmann::json code) { return set("/verification_code", std::move(code)); }
  LineBuilder& times(std::vector<double> times) {
    set("/metrics/total_time", times);
    return set("/metrics/per_iter_time", std::move(times));
  }
  LineBuilder& error(const std::string& text) { return set("/metrics/error", text); }
  LineBuilder& set(const std::string& pointer, nlohmann::json value) {
    json_[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return *this;
  }
  LineBuilder& without(const std::string& key) {
    json_.erase(key);
    return *this;
  }
  std::string text() const { return json_.dump() + "\n"; }

 private:
  nlohmann::json json_;
};

inline LineBuilder line() { return {}; }
inline LineBuilder timed(double seconds = 0.5) {
  return LineBuilder().times({10, seconds, seconds, seconds, seconds * 1.01});
}
inline LineBuilder verified(const std::string& code) {
  return LineBuilder().code(code).batch(nullptr);
}

class StoreFixture : public ::testing::Test {
 protected:
  StoreFixture() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string(test->test_suite_name()) + "." + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    open("store.db");
  }
  ~StoreFixture() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void open(const std::string& name) {
    store_.reset();
    auto store = schema::open_store((folder_ / name).string());
    ASSERT_TRUE(store) << store.error().message;
    store_.emplace(*std::move(store));
  }

  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }

  IngestResult ingest(const std::vector<std::string>& files, const IngestOptions& options = {}) {
    auto result = ingest_files(*store_, {files, {}}, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : IngestResult();
  }
  IngestResult ingest_folder(const std::string& folder, const IngestOptions& options = {}) {
    const auto inputs = find_inputs({(folder_ / folder).string()});
    EXPECT_TRUE(inputs) << inputs.error().message;
    if (!inputs) return {};
    auto result = ingest_files(*store_, *inputs, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : IngestResult();
  }
  IngestResult ingest_text(const std::string& name, const std::string& content,
                           const IngestOptions& options = {}) {
    return ingest({write(name, content)}, options);
  }

  schema::Reader reader() { return schema::Reader(*store_); }

  std::vector<schema::Run> runs() {
    auto runs = reader().runs({});
    EXPECT_TRUE(runs);
    return runs ? *std::move(runs) : std::vector<schema::Run>();
  }

  /// The only run.
  schema::Run only_run() {
    const auto all = runs();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? schema::Run() : all.front();
  }

  std::vector<schema::ResultFacts> results(const schema::Run& run) {
    auto results = reader().results(run.id);
    EXPECT_TRUE(results) << results.error().message;
    return results ? *std::move(results) : std::vector<schema::ResultFacts>();
  }

  schema::Experiment experiment(schema::ExperimentId id) {
    auto stored = reader().experiment(id);
    EXPECT_TRUE(stored);
    return stored ? stored->experiment : schema::Experiment();
  }

  /// Everything that a reader of the store is told, in words that do not hold ids: what must not
  /// depend on how and in what order it came in.
  std::string story() {
    std::set<std::string> sentences;
    for (const schema::Run& run : runs()) {
      std::string about = run.accelerator_model + " | " + run.name;
      std::string head = about + " started " + std::to_string(run.started_at) + " verified " +
                         std::to_string(run.verified_at.value_or(0));
      for (const auto& [key, value] : run.labels) head += " " + key + "=" + value;
      sentences.insert(head);
      for (const schema::ResultFacts& result : results(run)) {
        std::string text = about + " | " + experiment(result.experiment).identity() + " |";
        for (const double sample : result.total_time) text += " " + std::to_string(sample);
        if (result.timing_shared) text += " shared";
        if (result.failure) text += " failure " + place(result.failure->line);
        if (result.verification) {
          text += " " + result.verification->code + " at " +
                  std::to_string(result.verification->verified_at);
          if (result.verification->shared) text += " shared";
        }
        sentences.insert(text);
      }
    }
    std::string all;
    for (const std::string& sentence : sentences) all += sentence + "\n";
    return all;
  }

  /// Every row of every table, to see that nothing changed at all.
  std::string dump() {
    std::string all;
    schema::Statement tables =
        store_->prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    while (tables.step()) {
      const std::string table(tables.text(0));
      schema::Statement columns = store_->prepare(
          "SELECT group_concat('quote(\"' || name || '\")', ' || '','' || ') "
          "FROM pragma_table_info('" +
          table + "')");
      if (!columns.step()) continue;
      schema::Statement rows = store_->prepare("SELECT " + std::string(columns.text(0)) +
                                               " AS row FROM " + table + " ORDER BY row");
      while (rows.step()) all += table + ": " + std::string(rows.text(0)) + "\n";
    }
    return all;
  }

  std::filesystem::path folder_;
  std::optional<schema::Connection> store_;

 private:
  // What is said of a line without its id.
  std::string place(schema::LineId id) {
    const auto found = reader().line(id);
    if (!found) return "?";
    std::string text = std::to_string(found->timestamp) + " " + found->code.value_or("-");
    if (found->error) text += " " + *reader().text(*found->error);
    return text;
  }
};

}  // namespace benchhud::ingest
