// A store in a folder of its own, filled by the real writer, and an application on it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/pipeline/dump_ingest.h"
#include "schema/base/content_hash.h"
#include "schema/db/text_store.h"
#include "schema/results/writer.h"
#include "schema/store/access_token.h"
#include "schema/store/store.h"
#include "server/api/app.h"
#include "server/routes/route_tables.h"
#include "service/traces/trace_digest.h"

namespace benchhud::server {

/// One line to be taken in.
struct MadeLine {
  std::string model = "alpha";
  std::string dynamo = "inductor";  ///< "" is eager
  double timestamp = 1000000;
  std::vector<double> times = {3, 1, 1, 0.5, 0.5, 0.5};  ///< none: not timed
  std::string code = "VERIFIER_SKIPPED";
  std::string error = "";
  std::string accelerator_model = "A100";
  std::string test = "eval";
  std::int64_t batch_size = 8;  ///< of a timed line; others do not know it
};

inline MadeLine verified(MadeLine line, const std::string& code) {
  line.times.clear();
  line.code = code;
  return line;
}

class StoreFixture : public testing::Test {
 protected:
  StoreFixture() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("server.") + test->test_suite_name() + "." + test->name());
    std::filesystem::remove_all(folder_);
    path_ = (folder_ / "store.db").string();
    auto store = schema::open_store(path_);
    EXPECT_TRUE(store) << store.error().message;
    connection_ = std::make_unique<schema::Connection>(*std::move(store));
    token_ = add_token({schema::Scope::kTriage});
  }
  ~StoreFixture() override {
    connection_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// Takes the lines in as one file.
  void ingest(const std::vector<MadeLine>& lines) {
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    auto writer = schema::FileWriter::begin(
        *connection_, {"night" + std::to_string(++files_) + ".jsonl", {}, {}});
    ASSERT_TRUE(writer);
    std::int64_t number = 0;
    for (const auto& line : lines) add(*writer, line, ++number);
    ASSERT_TRUE(
        writer->reject({number + 1, 0, 7, schema::content_hash("{broken" + std::to_string(files_)),
                        false, "not JSON", "{broken\xff"}));
    schema::FileContent content;
    content.hash = schema::content_hash("file" + std::to_string(files_));
    content.line_count = number + 1;
    content.byte_count = 100;
    ASSERT_TRUE(writer->finish(content));
    ASSERT_TRUE(transaction->commit());
  }

  std::unique_ptr<App> app(AppOptions options = {}) const {
    options.store_path = path_;
    options.version = "1.2.3";
    options.instance = "test";
    options.write_patience = std::chrono::milliseconds(50);
    options.stream_patience = std::chrono::milliseconds(50);
    return std::make_unique<App>(options, all_routes(), std::span<const StaticFiles::File>());
  }

  std::string add_token(schema::Scopes scopes) {
    const auto made = schema::add_access_token(*connection_, "tester", scopes, {});
    EXPECT_TRUE(made) << made.error().message;
    return made->text;
  }

  /// A request for a change as a program makes it that holds a token for triage.
  Request change_request(const std::string& method, const std::string& path,
                         const std::string& body = "") const {
    Request request;
    request.method = method;
    request.target = "/api/v1" + path;
    request.host = "localhost:8080";
    request.authorization = "Bearer " + token_;
    request.content_type = "application/json";
    request.body = body;
    return request;
  }
  Response change(App& app, const std::string& method, const std::string& path,
                  const std::string& body = "") const {
    return app.handle(change_request(method, path, body));
  }

  /// Takes a dump in with all that is made of it, in a transaction of its own.
  void take_in_dump(const std::string& file) {
    ingest::DumpOptions options;
    options.trace_summary = service::summarize_trace;
    ingest::DumpIngest dumps(*connection_, options);
    auto prepared = dumps.prepare(file);
    ASSERT_TRUE(prepared) << prepared.error().message;
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    const auto taken = dumps.put(*std::move(prepared));
    ASSERT_TRUE(taken) << taken.error().message;
    ASSERT_FALSE(taken->unreadable) << *taken->unreadable;
    ASSERT_TRUE(transaction->commit());
  }

  std::string token_;
  std::filesystem::path folder_;
  std::string path_;
  std::unique_ptr<schema::Connection> connection_;

 private:
  void add(schema::FileWriter& writer, const MadeLine& line, std::int64_t number) {
    schema::Experiment experiment;
    experiment.suite = "suite";
    experiment.model = line.model;
    experiment.accelerator = "cuda";
    experiment.accelerator_model = line.accelerator_model;
    experiment.test = line.test;
    if (!line.dynamo.empty()) experiment.dynamo = line.dynamo;
    if (!line.times.empty()) experiment.batch_size = line.batch_size;
    const std::string bytes = line.model + line.dynamo + line.code + line.error + line.test +
                              std::to_string(line.timestamp) + std::to_string(line.batch_size) +
                              std::to_string(files_);
    schema::NewLine row;
    row.experiment = &experiment;
    row.identity = schema::content_hash(experiment.identity());
    row.family = schema::content_hash(experiment.family());
    row.timestamp = line.timestamp;
    row.hash = schema::content_hash(bytes);
    row.bytes = bytes;
    row.line_number = number;
    row.timed = !line.times.empty();
    row.code = line.code;
    std::vector<schema::NewMeasurement> measurements;
    for (const char* name : {"per_iter_time", "total_time"}) {
      if (line.times.empty()) break;
      schema::NewMeasurement measurement;
      measurement.metric = name;
      measurement.samples = line.times;
      measurement.summary = schema::summarize(line.times);
      measurements.push_back(measurement);
    }
    row.measurements = measurements;
    schema::PackedText error;
    if (!line.error.empty()) {
      error = schema::pack_text(line.error);
      row.error = &error;
    }
    ASSERT_TRUE(writer.add(row));
  }

  int files_ = 0;
};

inline Response get(App& app, const std::string& path) {
  return app.handle({"GET", path.starts_with("/api") ? path : "/api/v1" + path, "", ""});
}

inline nlohmann::json get_json(App& app, const std::string& path) {
  const auto response = get(app, path);
  EXPECT_EQ(response.status, 200) << path << ": " << *response.body;
  return nlohmann::json::parse(*response.body, nullptr, false);
}

}  // namespace benchhud::server
