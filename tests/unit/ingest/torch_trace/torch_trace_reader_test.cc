#include "ingest/torch_trace/torch_trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ingest/torch_trace/compilation_builder.h"
#include "ingest/torch_trace/log_records.h"
#include "tests/unit/places.h"

namespace benchhud::ingest {
namespace {

using nlohmann::json;
using schema::Compilation;
using schema::CompilationOutput;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// A log that was read, with the texts that were kept of it.
struct ReadLog {
  schema::TorchTraceLog log;
  std::vector<std::string> texts;
  json by_compile_id = json::object();  // records by compile id with attempt, and by kind

  std::string text_of(const std::optional<schema::TextId>& id) const {
    return id ? texts.at(static_cast<std::size_t>(*id)) : "(none)";
  }
  const CompilationOutput* output(const std::string& kind) const {
    for (const CompilationOutput& one : log.outputs) {
      if (one.kind == kind) return &one;
    }
    return nullptr;
  }
};

ReadLog read_log(std::string_view text, std::size_t piece = std::string::npos) {
  ReadLog read;
  TorchTraceOptions options;
  options.keep_text = [&](std::string_view kept) -> std::optional<schema::TextId> {
    read.texts.emplace_back(kept);
    return schema::TextId(static_cast<std::int64_t>(read.texts.size()) - 1);
  };
  options.on_record = [&](std::string_view id, std::int64_t attempt, std::string_view kind) {
    if (id.empty()) return;
    auto& count =
        read.by_compile_id[std::string(id) + "_" + std::to_string(attempt)][std::string(kind)];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  };
  TorchTraceReader reader(options);
  while (!text.empty()) {
    reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  read.log = reader.finish();
  return read;
}

std::string md5_of(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_md5(), nullptr);
  std::ostringstream hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex << "0123456789abcdef"[digest[i] >> 4U] << "0123456789abcdef"[digest[i] & 15U];
  }
  return hex.str();
}

const std::string kPrefix = "V1206 15:20:13.926000 1543231 torch/_dynamo/utils.py:1288] ";
const std::string kOfFrame = R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 0)";

std::string record(const std::string& members) { return kPrefix + "{" + members + "}\n"; }

std::string with_payload(const std::string& members, const std::string& payload) {
  std::string lines = "\t";
  for (const char c : payload) {
    lines += c;
    if (c == '\n') lines += '\t';
  }
  return record(members + R"(, "has_payload": ")" + md5_of(payload) + '"') + lines + '\n';
}

std::vector<std::string> reasons_of(const schema::TorchTraceLog& log) {
  std::vector<std::string> reasons;
  for (const schema::DumpProblem& problem : log.problems) {
    reasons.push_back(std::to_string(problem.line) + ": " + problem.reason);
  }
  return reasons;
}

// The real logs (shared/data/torch_trace), against numbers of an independent decoder.
class RealLogs : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_ / "reference.json")) {
      GTEST_SKIP() << "the real logs (shared/data/torch_trace) are not here";
    }
    std::ifstream file(folder_ / "reference.json");
    reference_ = json::parse(file);
  }

  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const std::filesystem::path folder_ = shared_folder() / "data/torch_trace";
  json reference_;
};

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

TEST_F(RealLogs, NumbersEqualThoseOfTheReference) {
  for (const auto& [name, expected] : reference_.items()) {
    SCOPED_TRACE(name);
    const ReadLog read = read_log(text_of(name));
    const schema::TorchTraceLog& log = read.log;
    EXPECT_EQ(log.record_count, expected["records"].get<std::int64_t>());
    EXPECT_EQ(log.unreadable_lines, expected["unreadable_lines"].get<std::int64_t>());
    EXPECT_EQ(log.sound_payloads, expected["payloads_right"].get<std::int64_t>());
    EXPECT_EQ(log.damaged_payloads, expected["payloads_wrong"].get<std::int64_t>());
    EXPECT_EQ(log.problems.size(), expected["payloads_wrong"].get<std::size_t>());
    json kinds = json::object();
    for (const auto& [kind, count] : log.kinds) kinds[kind] = count;
    EXPECT_EQ(kinds, expected["by_kind"]);
    EXPECT_EQ(read.by_compile_id, expected["compile_ids"]);

    // A compilation has its metrics at its end: their order is that of the log, but for nested
    // ones.
    const json& metrics = expected["compilation_metrics"];
    ASSERT_EQ(log.compilations.size(), metrics.size());
    std::vector<const Compilation*> ended;
    for (const CompilationOutput& output : log.outputs) {
      if (output.kind != "compilation_metrics") continue;
      ended.push_back(&log.compilations.at(static_cast<std::size_t>(*output.compilation)));
    }
    ASSERT_EQ(ended.size(), metrics.size());
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      SCOPED_TRACE(i);
      const Compilation& one = *ended[i];
      const json& its = metrics[i];
      EXPECT_EQ(its["compile_id"], one.compile_id);
      EXPECT_EQ(one.attempt, its["attempt"]);
      EXPECT_EQ(or_null(one.frame_name), its["co_name"]);
      EXPECT_EQ(or_null(one.frame_file), its["co_filename"]);
      EXPECT_EQ(or_null(one.frame_line), its["co_firstlineno"]);
      EXPECT_EQ(or_null(one.op_count), its["graph_op_count"]);
      EXPECT_EQ(or_null(one.node_count), its["graph_node_count"]);
      EXPECT_EQ(or_null(one.guard_count), its["guard_count"]);
      EXPECT_EQ(or_null(one.shape_guard_count), its["shape_env_guard_count"]);
      EXPECT_EQ(or_null(one.fail_type), its["fail_type"]);
      EXPECT_EQ(or_null(one.fail_reason), its["fail_reason"]);
      EXPECT_EQ(or_null(one.seconds_before_restart), its["dynamo_time_before_restart_s"]);
      EXPECT_EQ(or_null(one.cache_size), its["cache_size"]);
      EXPECT_EQ(json::parse(one.restarts), its["restart_reasons"]);
      if (its.contains("entire_frame_compile_time_s")) {
        EXPECT_EQ(or_null(one.seconds), its["entire_frame_compile_time_s"]);
      }
      for (const std::string phase :
           {"entire_frame_compile_time", "inductor_compile_time", "backend_compile_time"}) {
        const auto known = its.find(phase + "_s");
        if (known == its.end()) continue;
        json found;
        for (const json& mine : json::parse(one.phases)) {
          if (mine["name"] == phase && mine["source"] == "metrics") found = mine["seconds"];
        }
        EXPECT_EQ(found, *known) << phase;
      }
    }
  }
}

TEST_F(RealLogs, PiecesOfAnySizeGiveTheSame) {
  const std::string text = text_of("comp_failure.log");
  const ReadLog whole = read_log(text);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    const ReadLog read = read_log(text, piece);
    EXPECT_EQ(read.texts, whole.texts);
    EXPECT_EQ(read.log.record_count, whole.log.record_count);
    EXPECT_EQ(read.log.compilations.at(0).phases, whole.log.compilations.at(0).phases);
  }
}

TEST_F(RealLogs, TellsCacheUseByOccurrence) {
  const ReadLog read = read_log(text_of("cache_hit_miss.log"));
  std::vector<std::string> uses;
  for (const Compilation& one : read.log.compilations) {
    if (one.compile_id != "1/0") continue;
    std::string use = std::to_string(one.occurrence);
    for (const json& cache : json::parse(one.caches)) {
      use += " " + cache["cache"].get<std::string>() + " " + cache["outcome"].get<std::string>();
    }
    uses.push_back(use);
  }
  EXPECT_THAT(uses,
              ElementsAre("1 fx_graph miss aotautograd bypass", "2 fx_graph hit aotautograd bypass",
                          "3 fx_graph miss aotautograd bypass"));
  const Compilation& first = read.log.compilations.at(1);
  EXPECT_THAT(first.caches, HasSubstr("Unsupported call_function target flex_attention"));
}

TEST_F(RealLogs, TellsCacheUseOfHashes) {
  const Compilation one = read_log(text_of("simple.log")).log.compilations.at(0);
  EXPECT_THAT(one.caches, HasSubstr(R"({"cache":"aotautograd","outcome":"miss","reason":""})"));
}

TEST_F(RealLogs, EveryOccurrenceHasTheTimeOfDynamo) {
  const ReadLog read = read_log(text_of("cache_hit_miss.log"));
  std::int64_t last = 0;
  for (const Compilation& one : read.log.compilations) {
    SCOPED_TRACE(one.compile_id + " " + std::to_string(one.occurrence));
    std::int64_t count = 0;
    for (const json& phase : json::parse(one.phases)) {
      if (phase["name"] == "dynamo") count += phase["count"].get<std::int64_t>();
    }
    EXPECT_EQ(count, 1);
    EXPECT_GT(one.line, last);
    last = one.line;
  }
  // Of the event that begins it, and not of `dynamo_start` behind it.
  EXPECT_EQ(read.log.compilations.front().line, 1);
}

TEST_F(RealLogs, KeepsStackGraphAndCode) {
  const ReadLog read = read_log(text_of("simple.log"));
  ASSERT_THAT(read.log.compilations, SizeIs(1));
  const Compilation& one = read.log.compilations[0];
  const json stack = json::parse(read.text_of(one.stack));
  EXPECT_EQ(stack.front()["name"], "<module>");
  EXPECT_EQ(stack.front()["line"], 13037);
  EXPECT_THAT(stack.front()["file"].get<std::string>(), HasSubstr("test_torchinductor.py"));
  EXPECT_THAT(stack.back()["file"].get<std::string>(), testing::Not(HasSubstr("eval_frame.py")));
  ASSERT_NE(read.output("inductor_output_code"), nullptr);
  const CompilationOutput& code = *read.output("inductor_output_code");
  EXPECT_THAT(code.name, HasSubstr("cyjwx6x6efpuwt4dvr4ev42v4ghac5zo2uggvscht2otwnesito6.py"));
  EXPECT_THAT(read.text_of(code.text), HasSubstr("async_compile"));
  EXPECT_EQ(code.byte_count, static_cast<std::int64_t>(read.text_of(code.text).size()));
  EXPECT_NEAR(one.seconds.value_or(0), 1.659332, 1e-9);
  // The same phase by its begin and end event: 20.254 to 21.9 s.
  double by_events = 0;
  for (const json& phase : json::parse(one.phases)) {
    if (phase["source"] == "events" && phase["name"] == "entire_frame_compile") {
      by_events = phase["seconds"];
      EXPECT_EQ(phase["count"], 1);
    }
  }
  EXPECT_NEAR(by_events, *one.seconds, 0.005);
}

TEST(TorchTraceReader, DamagedRecordCostsThatRecord) {
  const std::string start = record(R"("dynamo_start": {"stack": []})" + kOfFrame);
  const std::string graph = with_payload(R"("dynamo_output_graph": {})" + kOfFrame, "a\n\tb\n");
  const std::string wrong =
      record(R"("aot_joint_graph": {}, "has_payload": "0123")" + kOfFrame) + "\tpayload\n";
  const ReadLog read = read_log("\torphaned\n\tpayload\n" + start + "half a li\n" + kPrefix +
                                "{\"x\": \n\tof it\n" + wrong + graph + record(R"("frame_id": 1)") +
                                record(R"("str": [1])") + kPrefix + R"({"compilation_met)");
  EXPECT_THAT(reasons_of(read.log),
              ElementsAre(HasSubstr("1: it is part of a payload"),
                          HasSubstr("4: it is neither a record"), HasSubstr("5: not JSON"),
                          HasSubstr("7: the record's payload of 7 bytes is "
                                    "damaged: its MD5 is "
                                    "321c3cf486ed509164edec1e1981fec8"),
                          HasSubstr("13: no member says of which kind"),
                          HasSubstr("14: the record of a string"), HasSubstr("15: not JSON")));
  EXPECT_EQ(read.log.record_count, 4);
  EXPECT_EQ(read.log.unreadable_lines, 4);
  EXPECT_EQ(read.log.damaged_payloads, 1);
  ASSERT_THAT(read.log.outputs, SizeIs(1));
  EXPECT_EQ(read.text_of(read.log.outputs[0].text), "a\n\tb\n");
  EXPECT_EQ(read.log.outputs[0].line, 9);
}

TEST(TorchTraceReader, UnknownKindsAreKeptAndCounted) {
  const ReadLog read =
      read_log(record(R"("made_up": {"name": "n", "a": [1, NaN]})" + kOfFrame) +
               with_payload(R"("another": 7)", "text") + record(R"("made_up": null)" + kOfFrame));
  EXPECT_THAT(read.log.problems, IsEmpty());
  EXPECT_THAT(read.log.kinds, ElementsAre(Pair("another", 1), Pair("made_up", 2)));
  ASSERT_THAT(read.log.outputs, SizeIs(3));
  EXPECT_EQ(read.text_of(read.log.outputs[0].text), R"({"name":"n","a":[1,NaN]})");
  EXPECT_EQ(read.log.outputs[0].name, "n");
  EXPECT_EQ(read.log.outputs[0].compilation, 0);
  EXPECT_EQ(read.text_of(read.log.outputs[1].text), "text");
  EXPECT_EQ(read.log.outputs[1].compilation, std::nullopt);
}

TEST(TorchTraceReader, MetricsAreReadInlineAndFromThePayload) {
  const std::string metrics =
      R"({"co_name": "f", "duration_us": 2500, "inductor_time_us": 1500, "start_time_us": 1e15,
          "recompile_reason": "size of x changed", "restart_reasons": ["a", "b", "a"],
          "fail_user_frame_filename": "m.py", "fail_user_frame_lineno": 7, "gc_time_s": NaN})";
  const std::string backward = R"({"is_forward": false, "duration_us": 9e6, "co_name": null})";
  std::string one_line = metrics;
  std::erase(one_line, '\n');
  for (const std::string& text : {with_payload(R"("compilation_metrics": {})" + kOfFrame, metrics),
                                  record(R"("compilation_metrics": )" + one_line + kOfFrame)}) {
    const ReadLog read =
        read_log(text + record(R"("compilation_metrics": )" + backward + kOfFrame));
    EXPECT_THAT(read.log.problems, IsEmpty());
    ASSERT_THAT(read.log.compilations, SizeIs(1));
    const Compilation& one = read.log.compilations[0];
    EXPECT_EQ(one.frame_name, "f");
    EXPECT_EQ(one.seconds, 0.0025);
    EXPECT_EQ(one.guard_count, std::nullopt);
    EXPECT_EQ(one.fail_file, "m.py");
    EXPECT_EQ(one.fail_line, 7);
    EXPECT_EQ(one.restarts, R"(["a","b"])");
    EXPECT_EQ(one.recompiles, R"(["size of x changed"])");
    const json phases = json::parse(one.phases);
    ASSERT_EQ(phases.size(), 3u);
    EXPECT_EQ(phases[1]["name"], "inductor_time");
    EXPECT_EQ(phases[1]["seconds"], 0.0015);
    EXPECT_EQ(phases[1]["count"], nullptr);
    EXPECT_EQ(phases[2]["backward"], true);
    EXPECT_EQ(phases[2]["seconds"], 9);
  }
}

TEST(TorchTraceReader, ArtifactsGiveBreaksRecompilationsAndGuards) {
  const auto artifact = [](const std::string& name, const std::string& payload) {
    return with_payload(R"("artifact": {"name": ")" + name + R"(", "encoding": "json"})" + kOfFrame,
                        payload);
  };
  const ReadLog read = read_log(
      artifact("dynamo_graph_break_reason", "Graph break: print\nat x.py:3") +
      artifact("recompile_reasons", R"(["0/0: L['x'].size()[0] == 3"])") +
      artifact("aotautograd_cache_hit", "{}") +
      with_payload(R"("dynamo_guards": {})" + kOfFrame, R"([{"code": "a"}, {"code": "b"}])"));
  EXPECT_THAT(read.log.problems, IsEmpty());
  ASSERT_THAT(read.log.compilations, SizeIs(1));
  const Compilation& one = read.log.compilations[0];
  EXPECT_EQ(one.graph_breaks, R"(["Graph break: print\nat x.py:3"])");
  EXPECT_EQ(one.recompiles, R"(["0/0: L['x'].size()[0] == 3"])");
  EXPECT_EQ(one.caches, R"([{"cache":"aotautograd","outcome":"hit","reason":""}])");
  EXPECT_EQ(one.guard_count, 2);
  EXPECT_THAT(read.log.outputs, SizeIs(4));
}

TEST(TorchTraceReader, CompileIdsOfCompiledAutogradAndRanks) {
  const std::string text =
      "[rank3]:" +
      record(R"("dynamo_start": {"stack": []}, "compiled_autograd_id": 1, )"
             R"("frame_id": 2, "frame_compile_id": 4, "attempt": 0)") +
      record(R"("a": {}, "compiled_autograd_id": 1, "frame_id": 2, "frame_compile_id": 4, )"
             R"("attempt": 2)") +
      record(R"("b": {}, "compiled_autograd_id": 7, "frame_id": null)");
  const ReadLog read = read_log(text);
  EXPECT_EQ(read.log.rank, 3);
  ASSERT_THAT(read.log.compilations, SizeIs(2));
  EXPECT_EQ(read.log.compilations[0].compile_id, "!1/2/4");
  EXPECT_EQ(read.log.compilations[0].attempt, 2);
  EXPECT_EQ(read.log.compilations[0].logged_at, "12-06 15:20:13.926");
  EXPECT_EQ(read.log.compilations[1].compile_id, "!7");
  EXPECT_EQ(read_log(record(R"("a": 1, "rank": 5)")).log.rank, 5);
  EXPECT_EQ(rank_in_name("dedicated_log_torch_trace_rank_12_ab_c.log"), 12);
  EXPECT_EQ(rank_in_name("dedicated_log_torch_trace_abc.log"), std::nullopt);
  EXPECT_EQ(rank_in_name("dedicated_log_torch_trace_rank_x_abc.log"), std::nullopt);
}

TEST(TorchTraceReader, StackWithStringsThatAreNotThere) {
  const std::string start = R"("dynamo_start": {"stack": [)"
                            R"({"line": 1, "name": "f", "filename": 3, "loc": "x + 1"}, )"
                            R"({"line": 2, "name": "g", "filename": 9}, 5, )"
                            R"({"filename": "/x/torch/_dynamo/eval_frame.py"}]})";
  const ReadLog read = read_log(record(R"("str": ["/a/model.py", 3])") + record(start + kOfFrame));
  ASSERT_THAT(read.log.compilations, SizeIs(1));
  EXPECT_EQ(read.text_of(read.log.compilations[0].stack),
            R"([{"file":"/a/model.py","line":1,"name":"f","code":"x + 1"},)"
            R"x({"file":"(string 9 is not in the log)","line":2,"name":"g","code":null}])x");
}

TEST(TorchTraceReader, LongLinesAndPayloadsAreNotHeld) {
  const std::string payload(LogRecords::kLongestPayload + 5, 'x');
  const std::string line(LogRecords::kLongestLine + 5, 'y');
  const ReadLog read =
      read_log(with_payload(R"("graph_dump": {"name": "g"})" + kOfFrame, payload) + kPrefix + '{' +
                   line + "\n" + with_payload(R"("graph_dump": {"name": "h"})" + kOfFrame, "h"),
               1 << 20);
  EXPECT_THAT(reasons_of(read.log),
              ElementsAre(HasSubstr("1: a text of 16777221 bytes is not kept"),
                          HasSubstr("3: the line is longer than 8 MiB")));
  EXPECT_EQ(read.log.sound_payloads, 2);
  ASSERT_THAT(read.log.outputs, SizeIs(2));
  EXPECT_EQ(read.log.outputs[0].text, std::nullopt);
  EXPECT_EQ(read.log.outputs[0].byte_count, 16777221);
  EXPECT_EQ(read.text_of(read.log.outputs[1].text), "h");
}

TEST(TorchTraceReader, EventsWithoutTheirEndOrBeginAreLeftOut) {
  const auto event = [](const std::string& name, const std::string& phase, int at) {
    return with_payload(R"("chromium_event": {})" + kOfFrame,
                        R"({"name": ")" + name + R"(", "ph": ")" + phase + R"(", "ts": )" +
                            std::to_string(at) + "}");
  };
  const ReadLog read = read_log(
      event("gone", "E", 5) + event("a", "B", 10) + event("lost", "B", 20) + event("a", "E", 1010) +
      event("a", "B", 2000) + event("a", "E", 3000) + event("a", "i", 4000));
  EXPECT_THAT(read.log.problems, IsEmpty());
  const json phases = json::parse(read.log.compilations.at(0).phases);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0]["name"], "a");
  EXPECT_EQ(phases[0]["count"], 2);
  EXPECT_NEAR(phases[0]["seconds"].get<double>(), 0.002, 1e-12);
}

std::string of_id(int frame, int attempt = 0) {
  return R"(, "frame_id": )" + std::to_string(frame) + R"(, "frame_compile_id": 0, "attempt": )" +
         std::to_string(attempt);
}

TEST(TorchTraceReader, AnEventBeforeTheStartBelongsToTheOccurrenceThatItBegins) {
  const auto event = [](const std::string& name, const std::string& phase, int at) {
    return with_payload(R"("chromium_event": {})" + of_id(0),
                        R"({"name": ")" + name + R"(", "ph": ")" + phase + R"(", "ts": )" +
                            std::to_string(at) + "}");
  };
  const std::string start = record(R"("dynamo_start": {"stack": []})" + of_id(0));
  const ReadLog read =
      read_log(event("dynamo", "B", 0) + start + event("lost", "B", 1) +
               record(R"("compilation_metrics": {})" + of_id(0)) + event("dynamo", "E", 1000) +
               event("dynamo", "B", 5000) + start + event("dynamo", "E", 7000));
  ASSERT_THAT(read.log.compilations, SizeIs(2));
  EXPECT_EQ(read.log.compilations[1].line, 9);
  std::vector<double> seconds;
  for (const Compilation& one : read.log.compilations) {
    const json phases = json::parse(one.phases);
    ASSERT_EQ(phases.size(), 1u);
    seconds.push_back(phases[0]["seconds"]);
  }
  EXPECT_THAT(seconds, ElementsAre(testing::DoubleEq(0.001), testing::DoubleEq(0.002)));
}

TEST(TorchTraceReader, ALostStartDoesNotMergeCompilations) {
  const auto metrics = [](const std::string& name, int attempt) {
    return record(R"("compilation_metrics": {"co_name": ")" + name + R"("})" + of_id(0, attempt));
  };
  const auto graph = [](int attempt) { return record(R"("graph": {})" + of_id(0, attempt)); };
  // The second is known by its metrics, the third by its attempt. Those of a later attempt belong
  // to the same compilation.
  const ReadLog read = read_log(graph(0) + metrics("a", 1) + graph(1) + metrics("b", 1) +
                                metrics("b", 2) + graph(0) + metrics("c", 0));
  std::vector<std::string> found;
  for (const Compilation& one : read.log.compilations) {
    found.push_back(*one.frame_name + std::to_string(one.occurrence) + std::to_string(one.attempt));
  }
  EXPECT_THAT(found, ElementsAre("a11", "b22", "c30"));
}

TEST(TorchTraceReader, RecordsOfCompilationsBeyondTheLimitAreOmitted) {
  std::string text;
  const int most = static_cast<int>(TorchTraceReader::kMostCompilations);
  for (int i = 0; i < most; ++i) {
    text += record(R"("dynamo_start": {"stack": []})" + of_id(i));
  }
  for (const int id : {7, most}) {
    text += record(R"("dynamo_start": {"stack": []})" + of_id(id)) +
            record(R"("graph": {})" + of_id(id)) +
            record(R"("compilation_metrics": {"co_name": "f"})" + of_id(id));
  }
  const ReadLog read = read_log(text + record(R"("graph": {})" + of_id(8)));
  EXPECT_THAT(read.log.compilations, SizeIs(most));
  EXPECT_EQ(read.log.compilations.at(7).frame_name, std::nullopt);
  EXPECT_EQ(read.log.omitted, 6);
  ASSERT_THAT(read.log.outputs, SizeIs(1));
  EXPECT_EQ(read.log.outputs[0].compilation, 8);
}

std::vector<std::string> phases_of(const Compilation& one) {
  std::vector<std::string> found;
  for (const json& phase : json::parse(one.phases)) {
    found.push_back(phase["name"].get<std::string>() + " " + phase["seconds"].dump());
  }
  return found;
}

TEST(TorchTraceReader, ATimeThatMetricsHaveTwiceIsTakenOnce) {
  const auto read = [](const std::string& members) {
    return phases_of(read_log(record(R"("compilation_metrics": {)" + members + "}" + of_id(0)))
                         .log.compilations.at(0));
  };
  EXPECT_THAT(read(R"("structured_logging_overhead_s": 1.5, "structured_logging_overhead_us": )"
                   R"(1500000, "remote_cache_time_saved_s": 7, "entire_frame_compile_time_s": 2, )"
                   R"("dynamo_cumulative_compile_time_us": 2000000)"),
              ElementsAre("structured_logging_overhead 1.5", "dynamo_cumulative_compile_time 2"));
  EXPECT_THAT(read(R"("backend_compile_time_s": 1, "aot_autograd_cumulative_compile_time_us": )"
                   R"(null, "code_gen_time_s": 2, "inductor_compile_time_s": 3, )"
                   R"("inductor_code_gen_cumulative_compile_time_us": 2000000, )"
                   R"("inductor_cumulative_compile_time_us": 3000000)"),
              ElementsAre("backend_compile_time 1", "inductor_code_gen_cumulative_compile_time 2",
                          "inductor_cumulative_compile_time 3"));
}

TEST(TorchTraceReader, TimesAreFiniteAndNotNegative) {
  const std::string metrics =
      record(R"("compilation_metrics": {"a_s": 1e308, "entire_frame_compile_time_s": -1, )"
             R"("duration_us": 5e6, "dynamo_time_before_restart_s": -2})" +
             of_id(0));
  const ReadLog read =
      read_log(metrics + record(R"("bwd_compilation_metrics": {"a_s": 1e308})" + of_id(0)) +
               record(R"("bwd_compilation_metrics": {"a_s": 1e308})" + of_id(0)));
  const Compilation& one = read.log.compilations.at(0);
  EXPECT_THAT(phases_of(one), ElementsAre("a 1e+308", "duration 5", "a 1e+308"));
  EXPECT_EQ(one.seconds, 5);
  EXPECT_EQ(one.seconds_before_restart, std::nullopt);
}

TEST(TorchTraceReader, OfALongStackTheInnermostFramesAreKept) {
  const std::string file(1000, 'f');
  std::string frames;
  for (int i = 0; i < 100; ++i) {
    frames += std::string(i > 0 ? ", " : "") + R"({"line": )" + std::to_string(i) +
              R"(, "name": "g", "filename": 0})";
  }
  const ReadLog read =
      read_log(record(R"("str": [")" + file + R"(", 0])") +
               record(R"("dynamo_start": {"stack": [)" + frames + "]}" + of_id(0)));
  const std::string text = read.text_of(read.log.compilations.at(0).stack);
  EXPECT_LE(text.size(), std::size_t{64} << 10);
  const json stack = json::parse(text);
  EXPECT_EQ(stack.size(), 62u);
  EXPECT_EQ(stack.front()["line"], 38);
  EXPECT_EQ(stack.back()["line"], 99);
  EXPECT_THAT(reasons_of(read.log), ElementsAre("2: 38 of the stack's 100 frames, the outermost "
                                                "ones, are left out"));
  const std::string name(100'000, 'n');
  const ReadLog named = read_log(
      record(R"("dynamo_start": {"stack": [{"line": 1, "name": ")" + name + R"("}]})" + of_id(0)));
  EXPECT_THAT(named.log.problems, IsEmpty());
  EXPECT_THAT(json::parse(named.text_of(named.log.compilations.at(0).stack))[0]["name"],
              name.substr(0, 1024) + "…");
}

std::string artifact_record(const std::string& name, const std::string& payload) {
  return with_payload(R"("artifact": {"name": ")" + name + R"("})" + of_id(0), payload);
}

TEST(TorchTraceReader, ArtifactsThatAreCalledHashSayTheOutcome) {
  const ReadLog read = read_log(
      artifact_record("a_cache_hash", R"({"cache_state": "miss"})") +
      artifact_record("b_cache_hash", R"({"cache_state": "bypass", "cache_bypass_reason": "r"})") +
      artifact_record("c_cache_hash", R"({"cache_state": "unheard-of"})") +
      artifact_record("d_cache_hash", R"({"key": 1})") +
      artifact_record(std::string(2000, 'e') + "_cache_hit", "{}"));
  EXPECT_THAT(read.log.problems, IsEmpty());
  const json caches = json::parse(read.log.compilations.at(0).caches);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[0], json::parse(R"({"cache": "a", "outcome": "miss", "reason": ""})"));
  EXPECT_EQ(caches[1], json::parse(R"({"cache": "b", "outcome": "bypass", "reason": "r"})"));
  EXPECT_EQ(caches[2]["outcome"], "hit");
}

TEST(TorchTraceReader, StringsBeyondTheBudgetAreNotKept) {
  std::string text = record(R"("str": ["old.py", 0])");
  const std::string name(1000, 's');
  for (std::size_t i = 1; i < TextBudget::kMostBytes / 1000; ++i) {
    text += record(R"("str": [")" + name + R"(", )" + std::to_string(i) + "]");
  }
  const ReadLog read =
      read_log(text + record(R"("str": ["new.py", 0])") +
               record(R"("dynamo_start": {"stack": [{"filename": 0}]})" + of_id(0)));
  EXPECT_EQ(json::parse(read.text_of(read.log.compilations.at(0).stack))[0]["file"], "(not kept)");
}

TEST(TorchTraceReader, SaysOnceOfACompilationThatSomethingIsLeftOut) {
  const auto text = [](int count) {
    std::string reasons, phases;
    for (int i = 0; i < count; ++i) {
      reasons += (i > 0 ? ", \"" : "\"") + std::to_string(i) + '"';
      phases += ", \"p" + std::to_string(i) + "_s\": 1";
    }
    return record(R"("compilation_metrics": {"restart_reasons": [)" + reasons + "]" + phases + "}" +
                  of_id(0));
  };
  EXPECT_THAT(read_log(text(100)).log.problems, IsEmpty());
  EXPECT_THAT(reasons_of(read_log(text(501)).log),
              ElementsAre(HasSubstr("1: the compilation that begins here has more than is kept: "
                                    "100 reasons")));
  std::string caches, events;
  for (int i = 0; i < 101; ++i) caches += artifact_record("a_cache_hit", "{}");
  EXPECT_THAT(read_log(caches).log.problems, SizeIs(1));
  for (int i = 0; i < 51; ++i) {
    events +=
        with_payload(R"("chromium_event": {})" + of_id(0), R"({"name": "a", "ph": "B", "ts": 1})");
  }
  EXPECT_THAT(read_log(events).log.problems, SizeIs(1));
}

TEST(TorchTraceReader, KnowsALogByItsFirstLine) {
  EXPECT_TRUE(is_torch_trace(kPrefix + R"({"str": ["a", 0]})"));
  EXPECT_TRUE(is_torch_trace("[rank0]:" + kPrefix + R"({"str": )"));
  EXPECT_FALSE(is_torch_trace("V1206 15:20:13.926000 1543231 x.py:1] text"));
  EXPECT_FALSE(is_torch_trace("{}"));
  EXPECT_FALSE(is_torch_trace(""));
}

}  // namespace
}  // namespace benchhud::ingest
