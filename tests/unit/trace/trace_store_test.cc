// What goes into the store as a trace comes out of it, whatever it is.

#include "trace/trace_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_args.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {
namespace {

std::int64_t rows_in(schema::Connection& connection, const std::string& table) {
  schema::Statement query = connection.prepare("SELECT count(*) FROM " + table);
  return query.step() ? query.integer(0) : -1;
}

TEST(TraceStore, AnythingComesOutAsItWentIn) {
  for (const std::uint32_t seed : {1, 2, 3}) {
    schema::Connection connection = trace_store();
    const Trace trace = any_trace(seed, 60'000);
    const schema::TraceId id = put(connection, trace);
    const auto read = read_trace(connection, id);
    ASSERT_TRUE(read) << read.error().message;
    expect_same(trace, *read);
    EXPECT_GT(rows_in(connection, "trace_chunk"), 4);
  }
}

TEST(TraceStore, DamagedArgumentsCostTheirEventsOfMemoryAndNoMore) {
  schema::Connection connection = trace_store();
  Trace trace;
  PackedArgs packed;
  add_slice(&trace, 0, 0, 10);
  // More than a block of arguments holds.
  constexpr int kEvents = 20'000;
  for (int i = 0; i < kEvents; ++i) {
    TraceArgs args;
    args.packed = packed.put(R"({"Device Type": 1, "Device Id": 0, "Bytes": 8, "Addr": )" +
                             std::to_string(i * 7919) + R"(, "Total Allocated": 5})");
    trace.points.push_back(
        {i, trace.put_label({trace.texts.put("[memory]"), 0}), 0, 0, trace.args.put(args), 'i'});
  }
  const schema::TraceId id = put(connection, trace, &packed);
  ASSERT_TRUE(read_trace(connection, id));
  EXPECT_EQ(read_trace(connection, id)->memory.devices.at(0).allocations, kEvents);
  ASSERT_TRUE(
      connection.execute("UPDATE trace_block SET bytes = x'00' WHERE kind = 2 AND first = "
                         "(SELECT max(first) FROM trace_block WHERE kind = 2)"));
  const auto read = read_trace(connection, id);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->memory.devices.size(), 1u);
  EXPECT_GT(read->memory.events_left_out, 0);
  EXPECT_GT(read->memory.devices[0].allocations, 0);
  EXPECT_EQ(read->memory.devices[0].allocations + read->memory.events_left_out, kEvents);
  EXPECT_EQ(read->points.size(), trace.points.size());
}

TEST(TraceStore, AnEmptyTraceIsATrace) {
  schema::Connection connection = trace_store();
  const auto read = read_trace(connection, put(connection, Trace()));
  ASSERT_TRUE(read);
  expect_same(Trace(), *read);
}

TEST(TraceStore, ManyRowsOfOneSliceEach) {
  schema::Connection connection = trace_store();
  Trace trace;
  for (int i = 0; i < 20'000; ++i) add_slice(&trace, 0, i, 100'000 - i);
  for (int i = 0; i < 2'000; ++i) add_slice(&trace, 1, i, 100'000 + i);
  const schema::TraceId id = put(connection, trace);
  const auto read = read_trace(connection, id);
  ASSERT_TRUE(read) << read.error().message;
  expect_same(trace, *read);
  // Rows that have few slices share chunks.
  EXPECT_LT(rows_in(connection, "trace_chunk"), 8);
  const auto threads = TraceQueries(connection, id).threads();
  ASSERT_TRUE(threads);
  EXPECT_EQ((*threads)[0].rows, 20'000);
  EXPECT_EQ((*threads)[0].end, 100'000);
}

TEST(TraceStore, TheSameContentIsStoredOnce) {
  schema::Connection connection = trace_store();
  const Trace trace = any_trace(1, 100);
  const schema::TraceId first = put(connection, trace);
  const auto blocks = rows_in(connection, "trace_block");
  EXPECT_EQ(put(connection, trace), first);
  EXPECT_EQ(rows_in(connection, "trace_block"), blocks);
  EXPECT_NE(put(connection, trace, nullptr, "other content"), first);
}

TEST(TraceStore, WhatLeadsNowhereIsRefused) {
  const auto refused = [](auto spoil) {
    schema::Connection connection = trace_store();
    Trace trace = any_trace(1, 10);
    spoil(trace);
    // What is refused cannot be nested.
    const auto id =
        put_trace(connection, trace, TraceNesting(), nullptr, schema::content_hash("c"), 1);
    return !id && id.error().code == schema::ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](Trace& t) { t.slices[3].duration = -1; }));
  EXPECT_TRUE(refused([](Trace& t) {
    t.slices[3].start = std::numeric_limits<std::int64_t>::max();
    t.slices[3].duration = 1;
  }));
  EXPECT_TRUE(refused([](Trace& t) { t.slices[3].thread = 5; }));
  EXPECT_TRUE(refused([](Trace& t) { t.slices[3].label = 301; }));
  EXPECT_TRUE(refused([](Trace& t) { t.slices[3].args = 1'000; }));
  EXPECT_TRUE(refused([](Trace& t) { t.labels[3].name = 1'000; }));
  EXPECT_TRUE(refused([](Trace& t) { t.flows.push_back({0, 0, 1'000, 0, {}}); }));
  EXPECT_TRUE(refused([](Trace& t) { t.points.push_back({0, 0, 9, 0, 0, 'i'}); }));
  EXPECT_TRUE(refused([](Trace& t) { t.bandwidths.push_back({1'000, 0, 0}); }));
}

TEST(TraceStore, OnlyWhatNoArtifactRefersToIsDeleted) {
  schema::Connection connection = trace_store();
  const schema::TraceId used = put(connection, any_trace(1, 10'000));
  const schema::TraceId unused = put(connection, any_trace(2, 10'000), nullptr, "b");
  const schema::TraceId third = put(connection, any_trace(3, 10), nullptr, "c");
  ASSERT_TRUE(connection.execute(
      "INSERT INTO artifact (kind, name, path, base, model, part, content_hash, byte_count, "
      "ingested_at, problem_count, trace_id) "
      "VALUES ('trace', '', '', '', '', '', x'00', 1, 1.0, 0, " +
      std::to_string(to_int(used)) + ")"));
  EXPECT_EQ(delete_trace(connection, used).error().code, schema::ErrorCode::kConflict);
  EXPECT_TRUE(delete_trace(connection, third));
  EXPECT_EQ(delete_trace(connection, third).error().code, schema::ErrorCode::kNotFound);
  const auto deleted = delete_unused_traces(connection);
  ASSERT_TRUE(deleted);
  EXPECT_EQ(*deleted, 1);
  EXPECT_TRUE(read_trace(connection, used));
  EXPECT_EQ(read_trace(connection, unused).error().code, schema::ErrorCode::kNotFound);
  for (const std::string table :
       {"trace_problem", "trace_thread", "trace_block", "trace_chunk", "trace_group", "trace"}) {
    const std::string name = table == "trace" ? "id" : "trace_id";
    EXPECT_GT(rows_in(connection, table), 0) << table;
    EXPECT_EQ(rows_in(connection, table + " WHERE " + name + " <> " + std::to_string(to_int(used))),
              0)
        << table;
  }
}

// Every blob of the store, damaged byte by byte, gives an error or something, but nothing worse.
TEST(TraceStore, DamageIsAnError) {
  schema::Connection connection = trace_store();
  Trace trace = any_trace(7, 3'000);
  PackedArgs packed;
  for (int i = 0; i < 1000; ++i) packed.put("{\"number\": " + std::to_string(i) + "}");
  const schema::TraceId id = put(connection, trace, &packed);
  std::mt19937 random(1);
  int errors = 0;
  for (const std::string column :
       {"trace_block.bytes", "trace_chunk.slices", "trace_chunk.extras", "trace_chunk.nodes",
        "trace_group.segments", "trace_group.nodes", "trace_thread.stack_rows"}) {
    const std::string table = column.substr(0, column.find('.'));
    const std::string name = column.substr(column.find('.') + 1);
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(connection.execute("SAVEPOINT s"));
      schema::Statement query = connection.prepare("SELECT " + name + " FROM " + table + " WHERE " +
                                                   name + " IS NOT NULL ORDER BY random() LIMIT 1");
      if (!query.step()) continue;
      std::string bytes(query.blob(0));
      query.reset();
      if (round % 4 == 0) {
        bytes.resize(random() % bytes.size());
      } else {
        bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
      }
      schema::Statement update = connection.prepare("UPDATE " + table + " SET " + name +
                                                    " = $1 WHERE " + name + " IS NOT NULL");
      ASSERT_TRUE(update.bind_blob(1, bytes).run());
      TraceQueries lookup(connection, id);
      errors += !read_trace(connection, id);
      for (std::uint32_t thread = 0; thread < 5; ++thread) {
        errors += !TileReader(connection, id).tile({.thread = thread, .begin = 0, .end = 100'000});
        errors += !lookup.details({thread, 0, 5});
        errors += !lookup.parents({thread, 0, 25});
        errors += !lookup.flows_on({thread, 0, 5});
      }
      ASSERT_TRUE(connection.execute("ROLLBACK TO s; RELEASE s"));
    }
  }
  EXPECT_GT(errors, 100);
}

TEST(PackedArgs, EachIsFoundAgain) {
  PackedArgs packed;
  std::vector<std::string> texts{"", "{}", std::string(3'000'000, 'z')};
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i)
    texts.push_back(std::string(random() % 100, 'a') + std::to_string(i));
  // What cannot be compressed goes into the temporary file.
  for (std::size_t bytes = 0; bytes < PackedArgs::kMostInMemory + (4 << 20);) {
    std::string noise(100'000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    bytes += noise.size();
    texts.push_back(std::move(noise));
  }
  schema::Connection connection = trace_store();
  Trace trace;
  for (const std::string& text : texts) {
    add_slice(&trace, 0, static_cast<std::int64_t>(trace.slices.size()),
              static_cast<std::int64_t>(trace.slices.size() + 1));
    TraceArgs args;
    args.packed = packed.put(text);
    trace.slices.back().args = trace.args.put(args);
  }
  const schema::TraceId id = put(connection, trace, &packed);
  std::size_t blocks = 0, in_file = 0;
  ASSERT_TRUE(packed.visit_blocks([&](const PackedArgs::Block& block) -> schema::Expected<void> {
    ++blocks;
    in_file += block.bytes.size();
    return {};
  }));
  EXPECT_GE(blocks, 4u);
  EXPECT_GT(in_file, PackedArgs::kMostInMemory);
  TraceQueries lookup(connection, id);
  for (std::uint64_t i = 0; i < texts.size(); i += i < 10 || i > 10'000 ? 1 : 501) {
    const auto text = lookup.arguments(i);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, texts[i]);
  }
  EXPECT_EQ(lookup.arguments(texts.size()).error().code, schema::ErrorCode::kNotFound);
  EXPECT_EQ(lookup.arguments(TraceArgs::kNotKept).error().code, schema::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace benchhud::trace
