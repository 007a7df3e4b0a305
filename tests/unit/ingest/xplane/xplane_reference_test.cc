// Real profiles: what is decoded equals what another decoder, which shares no code with this one,
// found in them (shared/data/xplane/reference.json).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_args.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"
#include "ingest/xplane/xplane_wire.h"
#include "tests/unit/places.h"
#include "trace/trace_nesting.h"

namespace benchhud::ingest {
namespace {

using nlohmann::json;
using Kind = XplaneStat::Kind;

std::filesystem::path xplane_folder() { return shared_folder() / "data/xplane"; }

json reference() {
  std::ifstream file(xplane_folder() / "reference.json");
  return file ? json::parse(file) : json();
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kDouble:
      return "double";
    case Kind::kUnsigned:
      return "uint64";
    case Kind::kSigned:
      return "int64";
    case Kind::kText:
      return "str";
    case Kind::kBytes:
      return "bytes";
    case Kind::kName:
      return "ref";
    default:
      return "other";
  }
}

// Says of a file what reference.json says of it.
class Teller : public XplaneVisitor {
 public:
  void on_plane(const XplanePlane& plane) override {
    plane_ = &plane;
    planes.push_back({{"name", plane.name},
                      {"id", plane.id},
                      {"lines", plane.lines},
                      {"events", 0},
                      {"event_metadata", plane.kinds.size()},
                      {"stat_metadata", plane.stat_names.size()},
                      {"aggregated_events", 0},
                      {"zero_duration_events", 0},
                      {"event_stats", json::object()},
                      {"metadata_stats", json::object()},
                      {"value_kinds", json::object()},
                      {"stats", json::object()}});
    json& told = planes.back();
    lines_told += static_cast<std::int64_t>(plane.lines);
    for (const auto& [id, message] : plane.kinds) {
      for (const XplaneStat& stat : read_xplane_kind(message).stats) {
        count(&told["metadata_stats"], name_of(stat));
        count(&told["value_kinds"], std::string("meta_") + kind_name(stat.kind));
      }
    }
    for (const XplaneStat& stat : plane.stats) tell_value(stat, &told["stats"]);
  }
  void on_plane_end() override {}

  void on_line(const XplaneLine& line) override {
    lines.push_back({{"plane", plane_->name},
                     {"id", line.id},
                     {"name", line.display_name.empty() ? line.name : line.display_name},
                     {"events", 0},
                     {"timestamp_ns", line.timestamp_ns},
                     {"sum_duration_ps", 0}});
    begin_of_line_ = line.timestamp_ns * 1000;
  }

  void on_event(const XplaneEvent& event) override {
    json &plane = planes.back(), &line = lines.back();
    ++events;
    add(&plane["events"], 1);
    add(&line["events"], 1);
    add(&line["sum_duration_ps"], event.duration_ps);
    if (event.occurrences) add(&plane["aggregated_events"], 1);
    if (event.duration_ps == 0) add(&plane["zero_duration_events"], 1);
    begin_ps = std::min(begin_ps, begin_of_line_ + event.offset_ps);
    end_ps = std::max(end_ps, begin_of_line_ + event.offset_ps + event.duration_ps);
    for (const XplaneStat& stat : event.stats) {
      count(&plane["event_stats"], name_of(stat));
      count(&plane["value_kinds"], kind_name(stat.kind));
    }
    tell_memory(event);
  }

  void on_broken_event(std::int64_t, std::string_view reason) override { damage = reason; }
  void on_broken(std::int64_t, std::string_view reason) override { damage = reason; }
  void on_host_name(std::string_view name) override { host_names.emplace_back(name); }
  void on_message(std::int64_t, std::string_view) override { ++messages; }

  std::vector<json> planes, lines;
  std::vector<std::string> host_names;
  std::int64_t events = 0, lines_told = 0, messages = 0;
  std::int64_t begin_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ps = std::numeric_limits<std::int64_t>::min();
  std::string damage;
  // Allocations and deallocations, by allocator.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> memory;

 private:
  static void add(json* number, std::int64_t more) { *number = number->get<std::int64_t>() + more; }
  static void count(json* counts, const std::string& name) {
    (*counts)[name] = counts->value(name, 0) + 1;
  }
  std::string name_of(const XplaneStat& stat) const {
    const auto found = plane_->stat_names.find(stat.metadata_id);
    if (found != plane_->stat_names.end()) return std::string(found->second);
    return "<stat " + std::to_string(stat.metadata_id) + "?>";
  }
  void tell_value(const XplaneStat& stat, json* values) const {
    json& value = (*values)[name_of(stat)];
    switch (stat.kind) {
      case Kind::kDouble:
        value = stat.real;
        break;
      case Kind::kText:
        value = stat.bytes;
        break;
      case Kind::kBytes:
        value = "<" + std::to_string(stat.bytes.size()) + " bytes>";
        break;
      case Kind::kName:
        value = plane_->stat_names.at(static_cast<std::int64_t>(stat.number));
        break;
      default:
        value = stat.number;
    }
  }
  void tell_memory(const XplaneEvent& event) {
    const auto kind = plane_->kinds.find(event.metadata_id);
    if (kind == plane_->kinds.end()) return;
    const std::string_view name = read_xplane_kind(kind->second).name;
    if (name != "MemoryAllocation" && name != "MemoryDeallocation") return;
    std::string of;
    for (const XplaneStat& stat : event.stats) {
      const std::string stat_name = name_of(stat);
      if (stat_name == "allocator_name") of = XplaneStatNames(*plane_).text(stat);
      if (of.empty() && (stat_name == "device_ordinal" || stat_name == "index_on_host")) {
        of = xplane_number_text(stat);
      }
    }
    ++(name == "MemoryAllocation" ? memory[of].first : memory[of].second);
  }

  const XplanePlane* plane_ = nullptr;
  std::int64_t begin_of_line_ = 0;
};

class RealXplane : public ::testing::Test {
 protected:
  void SetUp() override {
    reference_ = reference();
    if (reference_.is_null()) GTEST_SKIP() << "the real profiles (shared/data/xplane) are not here";
  }
  template <class Check>
  void for_each_file(const Check& check) {
    for (const auto& [name, expected] : reference_.items()) {
      SCOPED_TRACE(name);
      const auto file = XplaneFile::open(xplane_folder() / name);
      ASSERT_TRUE(file) << file.error().message;
      check(file->bytes(), expected);
    }
  }
  json reference_;
};

TEST_F(RealXplane, HoldsWhatTheReferenceSays) {
  for_each_file([](std::string_view bytes, const json& expected) {
    Teller told;
    read_xspace(bytes, &told);
    EXPECT_EQ(bytes.size(), expected["bytes"]);
    EXPECT_EQ(told.events, expected["events"]);
    EXPECT_EQ(told.lines_told, expected["lines"]);
    EXPECT_EQ(json(told.host_names), expected["hostnames"]);
    EXPECT_EQ(told.messages, 0);
    EXPECT_EQ(told.damage.empty(), expected["damage"].is_null()) << told.damage;
    if (told.events > 0) {
      EXPECT_EQ(told.begin_ps, expected["begin_ps"]);
      EXPECT_EQ(told.end_ps, expected["end_ps"]);
    }
    if (!expected.contains("planes")) return;
    ASSERT_EQ(told.planes.size(), expected["planes"].size());
    for (std::size_t i = 0; i < told.planes.size(); ++i) {
      json plane = expected["planes"][i];
      SCOPED_TRACE(plane["name"]);
      for (const json& row : plane["line_rows"]) {
        json line = row;
        for (const char* of_nesting : {"max_depth", "overlaps"}) line.erase(of_nesting);
        line["plane"] = plane["name"];
        EXPECT_THAT(told.lines, testing::Contains(line));
      }
      for (const char* other : {"line_rows", "line_rows_left_out", "analysis"}) plane.erase(other);
      // Of values that have one name the reference counts.
      if (told.planes[i]["stats"].size() == plane["stats"].size() &&
          plane["name"] == "/host:__ScopeRangeCallStack__") {
        plane.erase("stats");
        told.planes[i].erase("stats");
      }
      EXPECT_EQ(told.planes[i], plane);
    }
    for (const auto& [name, memory] : expected["memory"].items()) {
      EXPECT_EQ(told.memory[name].first, memory["allocations"]) << name;
      EXPECT_EQ(told.memory[name].second, memory["deallocations"]) << name;
    }
  });
}

TEST_F(RealXplane, LosesNoEvent) {
  for_each_file([](std::string_view bytes, const json& expected) {
    const XplaneTrace made = read_xplane(bytes);
    EXPECT_EQ(made.trace.events, expected["events"]);
    EXPECT_EQ(made.unreadable.empty(), expected["damage"].is_null()) << made.unreadable;
    std::int64_t slices = 0, events = 0, allocations = 0;
    for (const XplanePlaneCounts& plane : made.planes) {
      EXPECT_EQ(plane.events, plane.slices + plane.counters + plane.async + plane.aggregated +
                                  plane.allocations + plane.refused);
      EXPECT_EQ(plane.refused, 0);
      slices += plane.slices + plane.async;
      events += plane.events;
      allocations += plane.allocations;
    }
    EXPECT_EQ(events, expected["events"]);
    EXPECT_EQ(static_cast<std::int64_t>(made.trace.slices.size()), slices);
    std::int64_t expected_allocations = 0;
    for (const auto& [name, memory] : expected["memory"].items()) {
      expected_allocations += memory["allocations"].get<std::int64_t>();
      expected_allocations += memory["deallocations"].get<std::int64_t>();
    }
    EXPECT_EQ(allocations, expected_allocations);
  });
}

TEST_F(RealXplane, HasTheArrowsOfTheReference) {
  for_each_file([](std::string_view bytes, const json& expected) {
    const XplaneTrace made = read_xplane(bytes);
    const json &flows = expected["flows"], &analysis = expected["flow_analysis"];
    const auto launches = analysis["correlation_ids_on_host"].get<std::int64_t>();
    EXPECT_EQ(made.flows.keys, flows["keys"].get<std::int64_t>() + launches);
    EXPECT_EQ(made.flows.with_both, flows["with_both_ends"].get<std::int64_t>() + launches);
    EXPECT_EQ(made.flows.only_start, flows["only_producer"]);
    EXPECT_EQ(made.flows.only_end, flows["only_consumer"]);
    EXPECT_EQ(made.flows.arrows,
              analysis["pairs"].get<std::int64_t>() +
                  analysis["device_events_with_known_launch"].get<std::int64_t>());
    EXPECT_EQ(made.flows.crowded, 0);
  });
}

TEST_F(RealXplane, NestsAsTheReferenceSays) {
  for_each_file([](std::string_view bytes, const json& expected) {
    const XplaneTrace made = read_xplane(bytes);
    const trace::TraceNesting nesting = trace::nest(made.trace);
    std::map<std::pair<std::string, std::string>, std::uint32_t> depths;  // by process and tid
    for (std::uint32_t i = 0; i < made.trace.slices.size(); ++i) {
      const trace::TraceThread& thread = made.trace.threads[made.trace.slices[i].thread];
      std::uint32_t& depth = depths[{thread.process_name, thread.tid}];
      depth = std::max(depth, nesting.depth[i]);
    }
    std::int64_t overlaps = 0;
    for (const json& plane : expected.value("planes", json::array())) {
      for (const json& line : plane["line_rows"]) {
        overlaps += line["overlaps"].get<std::int64_t>();
        // Allocations are no slices.
        if (line["overlaps"] != 0 || line["sum_duration_ps"] == 0) continue;
        const std::pair key(plane["name"].get<std::string>(), line["id"].dump());
        EXPECT_EQ(depths[key], line["max_depth"]) << line;
      }
    }
    EXPECT_EQ(nesting.overlaps, overlaps);
  });
}

// Name, beginning and length of each slice, as often as there are such.
using SliceCounts = std::map<std::tuple<std::string, std::int64_t, std::int64_t>, int>;
SliceCounts slices_of(const trace::Trace& trace) {
  SliceCounts counts;
  for (const trace::TraceSlice& slice : trace.slices) {
    ++counts[{std::string(trace.name(slice)), slice.start, slice.duration}];
  }
  return counts;
}

TEST_F(RealXplane, IsTheTraceThatTheExporterWroteOfTheSession) {
  for (const std::string name : {"cpu_julia", "gtx1080ti_two_gpus"}) {
    SCOPED_TRACE(name);
    const auto planes = read_xplane_file(xplane_folder() / (name + ".xplane.pb"));
    const auto exported = read_trace(xplane_folder() / (name + ".trace.json.gz"));
    ASSERT_TRUE(planes && exported);
    EXPECT_EQ(slices_of(*planes), slices_of(*exported));
    EXPECT_GT(planes->slices.size(), 20u);
  }
}

TEST_F(RealXplane, KnowsWhenItWas) {
  const auto trace = read_xplane_file(xplane_folder() / "cpu_julia.xplane.pb");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->base_time, 1747325045706893896);
  const auto old = read_xplane_file(xplane_folder() / "tf_v100_multi_worker_2020.xplane.pb");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->base_time, 0);
}

TEST_F(RealXplane, OfADamagedFileSaysWhere) {
  const auto trace = read_xplane_file(xplane_folder() / "tpu_v6e_host_offload_damaged.xplane.pb");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, testing::HasSubstr("28501368332271 bytes"));
}

}  // namespace
}  // namespace benchhud::ingest
