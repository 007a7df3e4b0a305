// Whatever is changed in a pack, and the checksums made right, it is refused with a reason, or it
// is another trace in all of its parts: nothing that says of it what is not so gets into a store.
#include "tests/unit/trace/pack/hostile_pack.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/pack/pack_file.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {
namespace {

namespace fs = std::filesystem;

using schema::Connection;
using schema::ErrorCode;
using schema::Statement;
using testing::HasSubstr;

struct Column {
  std::string table, name, type;
};

/// How many packs are tried of so many: all of them, ten thousand with those of each column, take
/// minutes.
int packs(int most) {
  const char* const strength = std::getenv("BENCHHUD_FAULTS");
  return strength && std::string_view(strength) == "full" ? most : most / 16;
}

class HostilePack : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("hostile-packs-{}", getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = folder_ / "a.pack";
    Connection store = trace_store();
    const schema::TraceId id = put_trace_with_everything(store, any_trace(1, 300));
    const auto facts = write_pack(store, id, file_);
    ASSERT_TRUE(facts) << facts.error().message;
    whole_ = bytes_of_file(file_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs `change` on the pack as a database, and makes it look right. False where SQLite refuses.
  template <class Change>
  bool change(const Change& apply) {
    write_file(file_, whole_);
    return change_pack(file_, apply);
  }
  // Takes it in. What it says when it is refused.
  std::string outcome() {
    // What came of the last one goes.
    EXPECT_TRUE(store_.execute("SAVEPOINT before"));
    const auto done = take_in(file_, store_);
    EXPECT_TRUE(store_.execute("ROLLBACK TO before; RELEASE before"));
    if (done) return "";
    EXPECT_THAT(done.error().code, testing::AnyOf(ErrorCode::kCorrupt, ErrorCode::kTooLarge))
        << done.error().message;
    EXPECT_THAT(done.error().message, HasSubstr("a.pack"));
    return done.error().message;
  }
  std::string outcome_after(const std::string& sql) {
    EXPECT_TRUE(change([&](Connection& pack) { return bool(pack.execute(sql)); })) << sql;
    return outcome();
  }
  std::vector<Column> columns() {
    auto pack = open_pack(file_);
    EXPECT_TRUE(pack);
    Statement query = pack->prepare(
        "SELECT m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, 2");
    return *schema::collect(query, [](const Statement& row) {
      return Column{std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2))};
    });
  }

  fs::path folder_, file_;
  std::string whole_;
  Connection store_ = trace_store();
};

TEST_F(HostilePack, OneThatNobodyChangedIsTakenIn) {
  EXPECT_EQ(outcome(), "");
  EXPECT_EQ(outcome_after("SELECT 1"), "");
}

TEST_F(HostilePack, NumbersAndTextsOfEachColumn) {
  std::mt19937_64 random(3);
  const std::vector<std::string> integers = {"-1", "1", "4294967296", "9223372036854775807",
                                             "NULL"};
  const std::vector<std::string> others = {"''",         "x'28b52ffd'", "NULL", "zeroblob(70000)",
                                           "'\xff\xfe'", "1e400"};
  std::set<std::string> refusals;
  int tried = 0;
  for (const Column& column : columns()) {
    for (const std::string& value : column.type == "INTEGER" ? integers : others) {
      const bool is_changed = change([&](Connection& pack) {
        // What STRICT refuses is written by somebody who edits the file.
        EXPECT_TRUE(pack.execute("PRAGMA ignore_check_constraints = ON"));
        return bool(pack.execute(
            fmt::format("UPDATE {0} SET {1} = {2} WHERE {1} = (SELECT {1} FROM {0} ORDER BY "
                        "abs(random()) LIMIT 1)",
                        column.table, column.name, value)));
      });
      if (!is_changed) continue;
      ++tried;
      SCOPED_TRACE(column.table + "." + column.name + " = " + value);
      refusals.insert(outcome());
    }
  }
  EXPECT_GT(tried, 600);
  EXPECT_GT(refusals.size(), 20) << "each says what it is about";
}

TEST_F(HostilePack, NumbersWithinBlocks) {
  std::mt19937_64 random(4);
  std::vector<Column> blobs;
  for (const Column& column : columns()) {
    // What is derived is not looked at.
    const bool is_read = column.table == "trace_block" || column.table == "trace_chunk" ||
                         column.table == "trace_hlo" || column.table == "text" ||
                         column.table == "trace_thread" || column.table == "trace";
    if (column.type == "BLOB" && is_read) blobs.push_back(column);
  }
  int refused = 0, taken = 0;
  for (int i = 0; i < packs(1500); ++i) {
    const Column& column = blobs[random() % blobs.size()];
    const bool is_changed = change([&](Connection& pack) {
      Statement count = pack.prepare(fmt::format("SELECT count(*) FROM {}", column.table));
      const std::int64_t rows = count.step() ? count.integer(0) : 0;
      if (rows == 0) return false;
      const bool has_rowid = column.table != "trace_thread";
      const std::string key = has_rowid ? "rowid" : "thread";
      Statement query =
          pack.prepare(fmt::format("SELECT {}, {} FROM {} LIMIT 1 OFFSET {}", key, column.name,
                                   column.table, random() % static_cast<std::uint64_t>(rows)));
      if (!query.step() || query.is_null(1)) return false;
      const std::int64_t number = query.integer(0);
      std::string blob(query.blob(1));
      query.reset();
      count.reset();
      auto inner = schema::decompress(blob, std::size_t{16} << 20);
      std::string& bytes = inner ? *inner : blob;
      if (bytes.empty()) return false;
      for (std::uint64_t n = random() % 3 + 1; n > 0; --n) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 4) {
          case 0:
            bytes.erase(at, random() % 4 + 1);
            break;
          case 1:
            bytes.insert(at, random() % 4 + 1, '\xff');
            break;
          default:
            bytes[at] = static_cast<char>(random());
        }
        if (bytes.empty()) break;
      }
      if (inner) blob = schema::compress(bytes);
      Statement update = pack.prepare(
          fmt::format("UPDATE {} SET {} = $1 WHERE {} = $2", column.table, column.name, key));
      return bool(update.bind_blob(1, blob).bind(2, number).run());
    });
    if (!is_changed) continue;
    SCOPED_TRACE(fmt::format("change {} of {}.{}", i, column.table, column.name));
    ++(outcome().empty() ? taken : refused);
  }
  EXPECT_GT(refused, packs(200));
  RecordProperty("taken", taken);
}

TEST_F(HostilePack, BytesOfPages) {
  std::mt19937_64 random(5);
  int refused = 0;
  for (int i = 0; i < packs(7900); ++i) {
    std::string bytes = whole_;
    for (std::uint64_t n = random() % 4 + 1; n > 0; --n) {
      // Rather at the beginnings of pages, which say what is on them.
      const std::size_t page = random() % (bytes.size() / kPackPage) * kPackPage;
      const std::size_t within = random() % 2 == 0 ? random() % 16 : random() % (kPackPage - 8);
      const std::size_t at = page + within;
      bytes[at < kPackHead ? at + kPackHead : at] = static_cast<char>(random());
    }
    make_checksums_right(&bytes);
    write_file(file_, bytes);
    SCOPED_TRACE(i);
    refused += outcome().empty() ? 0 : 1;
  }
  EXPECT_GT(refused, packs(200));
}

TEST_F(HostilePack, WhatIsDerivedIsNotBelieved) {
  const auto sums = [](Connection& store) {
    Statement query = store.prepare(
        "SELECT group_concat(hex(sums) || hex(extents)) FROM trace_track ORDER BY thread");
    return query.step() ? std::string(query.text(0)) : "";
  };
  Connection right = trace_store(), wrong = trace_store();
  ASSERT_TRUE(take_in(file_, right));
  ASSERT_TRUE(change([](Connection& pack) {
    return bool(pack.execute(
        "UPDATE trace_track SET sums = extents, busy_ns = 7; DELETE FROM trace_posting;"
        "UPDATE trace_group SET segments = x'00', nodes = x'01'; UPDATE trace_chunk SET nodes = "
        "NULL;"
        "UPDATE trace_sums SET sums = x'02'; UPDATE trace_device SET busy_ns = 99"));
  }));
  const auto done = take_in(file_, wrong);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(sums(wrong), sums(right));
}

// A number of a row that no slice is in would be a row of the track all the same.
TEST_F(HostilePack, DerivedRowsHaveSlices) {
  const auto outcome_of = [&](std::uint32_t row, const std::vector<std::uint32_t>& stack_rows) {
    EXPECT_TRUE(change([&](Connection& pack) {
      const std::vector<ChunkSlice> slices = {{0, 10, 0, 0}, {0, 10, 0, row}};
      Statement chunk = pack.prepare(
          "UPDATE trace_chunk SET slices = $1 WHERE thread = (SELECT thread FROM trace_thread "
          "WHERE is_derived)");
      Statement thread = pack.prepare("UPDATE trace_thread SET stack_rows = $1 WHERE is_derived");
      return chunk.bind_blob(1, encode_slices(slices)).run() &&
             thread.bind_blob(1, encode_rows(stack_rows)).run();
    }));
    return outcome();
  };
  EXPECT_EQ(outcome_of(1, {0, 1}), "");
  EXPECT_THAT(outcome_of(2, {0, 1}), HasSubstr("trace_chunk of the derived thread"));
  EXPECT_THAT(outcome_of(1, {0, 2}), HasSubstr("stack_rows of the derived thread"));
  EXPECT_THAT(outcome_of(1, {0, 1, 1}), HasSubstr("list of rows"));
}

// Few bytes may stand for very much: it is not read and then counted.
TEST_F(HostilePack, IsReadUpToItsLimits) {
  struct Case {
    std::string_view what;
    std::uint64_t PackLimits::* limit;
    std::uint64_t least;  // that the pack fits in
    std::string_view reason;
  };
  const auto outcome_within = [&](const PackLimits& limits) {
    EXPECT_TRUE(store_.execute("SAVEPOINT before"));
    const auto done = take_in(file_, store_, limits);
    EXPECT_TRUE(store_.execute("ROLLBACK TO before; RELEASE before"));
    return done ? "" : done.error().message;
  };
  const auto number = [&](const std::string& sql) {
    auto pack = open_pack(file_);
    Statement query = pack->prepare("SELECT " + sql);
    return query.step() ? static_cast<std::uint64_t>(query.integer(0)) : 0;
  };
  const std::uint64_t events = number("slice_count + point_count + flow_count FROM trace");
  const Case cases[] = {
      {"events and slices of derived tracks", &PackLimits::events, events + 50, "derived thread"},
      {"labels", &PackLimits::labels, number("label_count FROM trace"), "labels"},
      {"threads", &PackLimits::threads, number("count(*) FROM trace_thread WHERE NOT is_async"),
       "threads"},
      {"problems", &PackLimits::problems, number("count(*) FROM trace_problem"), "problems"},
      {"modules", &PackLimits::modules, 2, "HLO modules"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    PackLimits limits;
    limits.*each.limit = each.least;
    EXPECT_EQ(outcome_within(limits), "");
    limits.*each.limit = each.least - 1;
    EXPECT_THAT(outcome_within(limits), HasSubstr(each.reason));
  }
  PackLimits limits;
  limits.events = events - 1;
  EXPECT_THAT(outcome_within(limits), HasSubstr("ends of flows"));
  limits = {};
  limits.text_bytes = 100;
  EXPECT_THAT(outcome_within(limits), HasSubstr("100 bytes"));
  limits = {};
  limits.args_bytes = 100;
  EXPECT_THAT(outcome_within(limits), HasSubstr("100 bytes"));
}

// Twenty megabytes read for each of 20,000 events would take minutes.
TEST_F(HostilePack, IsAsLargeAsItsEventsWithTheirArguments) {
  Trace trace;
  trace.threads.emplace_back();
  const std::uint32_t label = trace.put_label({trace.texts.put(kMemoryEvent), 0});
  PackedArgs packed;
  TraceArgs args;
  args.packed = packed.put(R"({"Device Type": 1, "Device Id": 0, "Bytes": 8, "x": ")" +
                           std::string(20'000'000, 'x') + "\"}");
  const std::uint32_t shared = trace.args.put(args);
  for (std::int64_t i = 0; i < 20'000; ++i) {
    trace.points.push_back(
        {.time = i, .label = label, .thread = 0, .id = 0, .args = shared, .phase = 'i'});
  }
  Connection store = trace_store();
  const schema::TraceId id = put(store, trace, &packed);
  fs::remove(file_);
  ASSERT_TRUE(write_pack(store, id, file_));
  auto reader = PackReader::open(file_);
  ASSERT_TRUE(reader);
  PackedArgs read_args;
  const auto began = std::chrono::steady_clock::now();
  const auto read = reader->trace(&read_args);
  ASSERT_FALSE(read) << "a file in which each has its own would be too large";
  EXPECT_EQ(read.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(read.error().message, HasSubstr("arguments"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST_F(HostilePack, BlocksOfArgumentsAreWhereTheySay) {
  for (const std::string what : {"first = first + 1", "count = count + 1", "count = 0"}) {
    EXPECT_THAT(outcome_after("UPDATE trace_block SET " + what + " WHERE kind = 2"),
                HasSubstr("a block of arguments in trace_block"))
        << what;
  }
}

TEST_F(HostilePack, NumbersOfAnXlaProfileAreSuchAsItsReaderMakes) {
  auto pack = open_pack(file_);
  ASSERT_TRUE(pack);
  const auto trace = read_trace(*pack, kPackedTrace);
  ASSERT_TRUE(trace && trace->xla);
  const auto outcome_with = [&](const auto& edit) {
    XlaProfile profile = *trace->xla;
    edit(profile);
    const std::string bytes = encode_xla_profile(profile);
    EXPECT_TRUE(change([&](Connection& changed) {
      Statement update = changed.prepare("UPDATE trace_block SET bytes = $1 WHERE kind = $2");
      return bool(update.bind_blob(1, bytes).bind(2, TraceBlockKind::kXlaProfile).run());
    }));
    return outcome();
  };
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kEndless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome_with([](XlaProfile& p) {
              p.kernels[0].occupancy_pct = 100;
              p.kernels[0].registers = 65'536;
              p.devices[0].peaks.flops_per_s = 1e300;
              p.devices[0].busy_ps = p.devices[0].span_ps = 5;
            }),
            "");
  using Edit = void (*)(XlaProfile&);
  const Edit edits[] = {
      [](XlaProfile& p) { p.kernels[0].occupancy_pct = kNone; },
      [](XlaProfile& p) { p.kernels[0].occupancy_pct = 101; },
      [](XlaProfile& p) { p.kernels[0].occupancy_pct = 0; },
      [](XlaProfile& p) { p.kernels[0].registers = 65'537; },
      [](XlaProfile& p) { p.kernels[0].registers = -1; },
      [](XlaProfile& p) { p.kernels[0].static_shared = -1; },
      [](XlaProfile& p) { p.kernels[0].dynamic_shared = -1; },
      [](XlaProfile& p) { p.kernels[0].min_ps = 1; },
      [](XlaProfile& p) { p.modules[0].max_ps = 1; },
      [](XlaProfile& p) { p.devices[0].peaks.flops_per_s = kNone; },
      [](XlaProfile& p) { p.devices[0].peaks.flops_per_s = -1; },
      [](XlaProfile& p) { p.devices[1].peaks.bytes_per_s[4] = kEndless; },
      [](XlaProfile& p) { p.devices[0].busy_ps = 1; },
      [](XlaProfile& p) { p.allocators[0].allocations = -1; },
      [](XlaProfile& p) { p.allocators[0].peak_bytes = -1; },
      [](XlaProfile& p) { p.allocators[0].peak_bytes = 1; },
      [](XlaProfile& p) { p.allocators[0].lifetime_peak_bytes = -1; },
      [](XlaProfile& p) { p.allocators[0].capacity_bytes = -1; },
  };
  for (std::size_t i = 0; i < std::size(edits); ++i) {
    EXPECT_THAT(outcome_with(edits[i]), HasSubstr("XLA profile")) << "edit " << i;
  }
}

TEST_F(HostilePack, ModulesAreNamedAsTheirTextsSay) {
  for (const std::string name : {"n", "m2", "m,", "", "M"}) {
    EXPECT_THAT(outcome_after("UPDATE hlo_module SET name = '" + name + "'"),
                HasSubstr("the text of the HLO module 1 does not begin with its name"))
        << name;
  }
  const auto outcome_of = [&](const std::string& name, const std::string& text) {
    EXPECT_TRUE(change([&](Connection& pack) {
      const schema::PackedText packed = schema::pack_text(text);
      Statement update = pack.prepare(
          "UPDATE text SET hash = $1, zstd = $2, byte_count = $3, bytes = $4 "
          "WHERE id = (SELECT text_id FROM hlo_module)");
      EXPECT_TRUE(update.bind_blob_view(1, packed.hash.view())
                      .bind(2, packed.is_zstd)
                      .bind(3, packed.byte_count)
                      .bind_blob_view(4, packed.bytes)
                      .run());
      Statement rename = pack.prepare("UPDATE hlo_module SET name = $1");
      return bool(rename.bind(1, name).run());
    }));
    return outcome();
  };
  // What a name may not have is "_" in the text.
  EXPECT_EQ(outcome_of("jit f", "HloModule jit_f, is_scheduled=true\n"), "");
  EXPECT_EQ(outcome_of("", "HloModule _\n"), "");
  EXPECT_EQ(outcome_of("f", "HloModule f"), "");
  EXPECT_THAT(outcome_of("f", "something else"), HasSubstr("begin with its name"));
  EXPECT_THAT(outcome_of("f", "HloModule f_2"), HasSubstr("begin with its name"));
}

// A Chrome trace holds none.
TEST_F(HostilePack, ModulesAreOfProfiles) {
  ASSERT_EQ(outcome_after("DELETE FROM trace_block WHERE kind = " +
                          std::to_string(static_cast<int>(TraceBlockKind::kXlaProfile))),
            "");
  ASSERT_TRUE(take_in(file_, store_));
  Statement modules = store_.prepare("SELECT count(*) FROM hlo_module");
  ASSERT_TRUE(modules.step());
  EXPECT_EQ(modules.integer(0), 0);
}

TEST_F(HostilePack, SaysThatThereIsNoRoomForDerivedTracks) {
  ASSERT_EQ(outcome_after("UPDATE trace SET derived_version = " +
                          std::to_string(kNoRoomForDerivedTracks)),
            "");
  ASSERT_TRUE(take_in(file_, store_));
  Statement traces = store_.prepare("SELECT id FROM trace");
  ASSERT_TRUE(traces.step());
  const auto info = TraceQueries(store_, schema::TraceId(traces.integer(0))).info();
  ASSERT_TRUE(info);
  EXPECT_FALSE(info->has_derived_tracks);
  EXPECT_FALSE(info->lacks_derived_tracks) << "it is not tried again";
}

TEST_F(HostilePack, SaysWhichPartIsWrong) {
  EXPECT_THAT(outcome_after("UPDATE trace SET slice_count = slice_count - 1"),
              HasSubstr("chunk of slices"));
  EXPECT_THAT(outcome_after("UPDATE trace SET events = -1"), HasSubstr("table trace"));
  EXPECT_THAT(outcome_after("UPDATE trace SET content_hash = x'00'"), HasSubstr("content"));
  EXPECT_THAT(outcome_after("UPDATE trace SET point_count = 1 << 40"), HasSubstr("at most"));
  EXPECT_THAT(outcome_after("DELETE FROM trace_block WHERE kind = 2"), HasSubstr("arguments"));
  EXPECT_THAT(outcome_after("UPDATE text SET hash = x'00112233445566778899aabbccddeeff'"),
              HasSubstr("not that of its hash"));
  EXPECT_THAT(outcome_after("UPDATE trace_hlo SET llo_bytes = -1"), HasSubstr("trace_hlo"));
  EXPECT_THAT(outcome_after("DELETE FROM hlo_module"), HasSubstr("HLO module 1"));
  EXPECT_THAT(outcome_after("DELETE FROM trace_thread WHERE thread = 0"), HasSubstr("threads"));
}

}  // namespace
}  // namespace benchhud::trace
