// What is exported is read again as what was stored.

#include "service/traces/trace_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/trace/trace_reader.h"
#include "tests/unit/server/store_fixture.h"
#include "trace/trace_store.h"

namespace benchhud::service {
namespace {

using trace::Trace;

constexpr auto kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr auto kLatest = std::numeric_limits<std::int64_t>::max();

class Export : public server::StoreFixture {
 protected:
  Trace read(const std::string& json, trace::PackedArgs* args) {
    ingest::TraceReader reader(args);
    reader.feed(json);
    return reader.finish();
  }
  schema::TraceId store(const Trace& trace, trace::PackedArgs* args) {
    EXPECT_TRUE(connection_->execute("BEGIN"));
    const auto id =
        trace::put_trace(*connection_, trace, trace::nest(trace, trace::NestingRows::kYes), args,
                         schema::content_hash("a trace"), 1);
    EXPECT_TRUE(id) << id.error().message;
    EXPECT_TRUE(connection_->execute("COMMIT"));
    return *id;
  }
  std::string exported(schema::TraceId id, ExportQuery query) {
    std::string text;
    const auto done = write_chrome_trace(*connection_, id, query, [&](std::string_view piece) {
      text += piece;
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return text;
  }
};

// What makes two events the same; arguments as JSON.
using Fact = std::tuple<std::string, std::string, std::string, std::string, std::int64_t,
                        std::int64_t, char, std::string>;

class Facts : public trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    texts_.emplace_back(json);
    return texts_.size() - 1;
  }
  std::vector<Fact> of(const std::string& json) {
    ingest::TraceReader reader(this);
    reader.feed(json);
    const Trace trace = reader.finish();
    EXPECT_EQ(trace.problem_count, 0);
    std::vector<Fact> facts;
    const auto add = [&](const auto& event, std::int64_t time, std::int64_t duration, char phase) {
      const trace::TraceThread& thread = trace.threads[event.thread];
      const std::uint64_t packed = trace.args_of(event).packed;
      const std::string args =
          packed == trace::TraceArgs::kNotKept ? "" : nlohmann::json::parse(texts_[packed]).dump();
      facts.emplace_back(thread.pid + "/" + thread.tid, thread.name + thread.process_name,
                         std::string(trace.name(event)), std::string(trace.category(event)), time,
                         duration, phase, args);
    };
    for (const auto& slice : trace.slices) add(slice, slice.start, slice.duration, 'X');
    for (const auto& point : trace.points) {
      if (point.phase != 'M') add(point, point.time, 0, point.phase);
    }
    std::map<std::uint64_t, std::string> flows;
    for (const auto& flow : trace.flows) {
      flows[flow.key] += std::to_string(flow.time) + "@" + trace.threads[flow.thread].tid + " ";
    }
    for (const auto& [key, ends] : flows) facts.emplace_back(ends, "", "", "", 0, 0, 's', "");
    std::sort(facts.begin(), facts.end());
    return facts;
  }

 private:
  std::vector<std::string> texts_;
};

constexpr const char* kFile = R"({"baseTimeNanoseconds": 17, "traceEvents": [
  {"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "python \"3\""}},
  {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "main"}},
  {"ph": "M", "pid": 1, "tid": 2, "name": "thread_sort_index", "args": {"sort_index": -3}},
  {"ph": "X", "pid": 1, "tid": 2, "name": "a", "cat": "c", "ts": 1763000000000000.001, "dur": 5.25, "args": {"x": [1, "\u00fc"], "n": 1e3}},
  {"ph": "X", "pid": 1, "tid": 2, "name": "b", "ts": 1763000000000001, "dur": 0},
  {"ph": "X", "pid": "dev", "tid": "stream 7", "name": "k", "cat": "kernel", "ts": 1763000000000004, "dur": 0.001},
  {"ph": "i", "pid": 1, "tid": 2, "name": "mark", "ts": 1763000000000002, "s": "t"},
  {"ph": "C", "pid": 1, "tid": 2, "name": "mem", "ts": 1763000000000003, "args": {"used": 3}},
  {"ph": "s", "pid": 1, "tid": 2, "id": 5, "name": "f", "cat": "ac2g", "ts": 1763000000000001},
  {"ph": "f", "pid": "dev", "tid": "stream 7", "id": 5, "name": "f", "cat": "ac2g", "ts": 1763000000000004, "bp": "e"}
]})";

TEST_F(Export, AllOfATraceIsReadAgainAsItWas) {
  trace::PackedArgs args;
  const schema::TraceId id = store(read(kFile, &args), &args);
  const std::string text = exported(id, {kEarliest, kLatest, nullptr});
  EXPECT_EQ(Facts().of(text), Facts().of(kFile));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("baseTimeNanoseconds"), 17);
  EXPECT_NE(text.find("\"ts\":1763000000000000.001"), std::string::npos) << "to the nanosecond";
  trace::PackedArgs again;
  const Trace reread = read(text, &again);
  const auto main = std::find_if(reread.threads.begin(), reread.threads.end(),
                                 [](const auto& thread) { return thread.tid == "2"; });
  ASSERT_NE(main, reread.threads.end());
  EXPECT_EQ(main->thread_sort_index, -3);
}

TEST_F(Export, AWindowOfSomeThreads) {
  trace::PackedArgs args;
  const schema::TraceId id = store(read(kFile, &args), &args);
  constexpr std::int64_t kBegin = 1763000000000000000;
  const auto names = [&](std::int64_t begin, std::int64_t end, auto is_wanted) {
    std::string all;
    const auto json = nlohmann::json::parse(exported(id, {begin, end, is_wanted}));
    for (const auto& event : json.at("traceEvents")) {
      if (event.at("ph") != "M") all += std::string(event.at("name")) + " ";
    }
    return all;
  };
  EXPECT_EQ(names(kBegin + 3500, kBegin + 5000, nullptr), "a k ") << "the arrow begins before";
  EXPECT_EQ(names(kBegin, kBegin + 5000, [](std::uint32_t thread) { return thread == 1; }),
            "a b mark mem ");
  EXPECT_EQ(names(kBegin + 900'000, kBegin + 900'001, nullptr), "");
}

TEST_F(Export, ArgumentsThatAreNoJsonAreKeptAsText) {
  trace::PackedArgs args;
  const schema::TraceId id = store(
      read(
          R"([{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 1, "args": {"x": NaN}}])",
          &args),
      &args);
  const auto json = nlohmann::json::parse(exported(id, {kEarliest, kLatest, nullptr}));
  EXPECT_EQ(json.at("traceEvents").back().at("args").at("benchhud_raw"), R"({"x": NaN})");
}

TEST_F(Export, WithoutAWindowIsAllThatTheTraceHas) {
  trace::PackedArgs args;
  store(read(R"([{"ph": "i", "pid": 1, "tid": 1, "name": "early", "ts": 1},
                 {"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 100, "dur": 1}])",
             &args),
        &args);
  const auto server = app();
  const auto events = [&](const std::string& query) {
    std::string text, names;
    const server::Response answer = get(*server, "/traces/1/export" + query);
    EXPECT_TRUE(answer.stream && answer.stream([&](std::string_view piece) {
      text += piece;
      return true;
    }));
    const auto json = nlohmann::json::parse(text);
    for (const auto& event : json["traceEvents"]) {
      if (event["ph"] != "M") names += event["name"].get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(events("?begin=0"), "a ");
  EXPECT_THAT(events(""), testing::HasSubstr("early "));
}

TEST_F(Export, WhoTakesItSlowlyHoldsNobodyElseUp) {
  trace::PackedArgs args;
  store(read(R"([{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 1}])", &args), &args);
  const auto server = app();
  const std::string address = "/traces/1/export";
  std::vector<server::Response> slow;
  for (int i = 0; i < 2; ++i) slow.push_back(get(*server, address));
  for (const server::Response& one : slow) EXPECT_TRUE(one.stream) << one.status;
  // As many more as there are connections for what is asked of traces.
  for (int i = 0; i < 6; ++i) EXPECT_EQ(get(*server, address).status, 503);
  EXPECT_EQ(get(*server, "/traces/1").status, 200);
  slow.pop_back();
  const server::Response next = get(*server, address);
  ASSERT_TRUE(next.stream) << next.status;
  std::string text;
  EXPECT_TRUE(next.stream([&](std::string_view piece) {
    text += piece;
    return true;
  }));
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

TEST_F(Export, EndsWhereNobodyTakesMore) {
  std::string file = "[";
  for (int i = 0; i < 20'000; ++i) {
    file += (i ? "," : "") +
            std::string(R"({"ph": "X", "pid": 1, "tid": 1, "name": "a name", "ts": )") +
            std::to_string(i) + R"(, "dur": 1})";
  }
  trace::PackedArgs args;
  const schema::TraceId id = store(read(file + "]", &args), &args);
  std::size_t pieces = 0, most = 0;
  const auto done = write_chrome_trace(*connection_, id, {kEarliest, kLatest, nullptr},
                                       [&](std::string_view piece) {
                                         most = std::max(most, piece.size());
                                         return ++pieces < 2;
                                       });
  EXPECT_TRUE(done);
  EXPECT_EQ(pieces, 2u);
  EXPECT_LT(most, 80'000u) << "in pieces";
}

}  // namespace
}  // namespace benchhud::service
