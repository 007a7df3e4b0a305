// Modules of HLO in the plane of metadata, and those of real profiles.
#include "ingest/xplane/hlo_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/ir/hlo_lookup.h"
#include "ingest/ir/ir_instruction.h"
#include "ingest/ir/ir_text.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_wire.h"
#include "tests/unit/ingest/xplane/hlo_proto_writer.h"
#include "tests/unit/places.h"

namespace benchhud::ingest {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

struct Found {
  XplaneHloFound counts;
  std::vector<XplaneHloModule> modules;
  std::vector<std::pair<std::int64_t, std::string>> problems;
};

Found found_in(std::string_view bytes) {
  Found found;
  const auto counts = read_xplane_hlo(
      bytes,
      [&](const XplaneHloModule& module) -> schema::Expected<void> {
        found.modules.push_back(module);
        return {};
      },
      [&](std::int64_t place, std::string reason) {
        found.problems.emplace_back(place, std::move(reason));
      });
  EXPECT_TRUE(counts);
  if (counts) found.counts = *counts;
  return found;
}

Message tiny() { return hlo_proto(hlo_module("jit_f", 1, 9, {})); }

std::string space(const Message& plane) { return Message().message(1, plane).bytes(); }

TEST(HloModules, TheProgramIsTheNumberInBrackets) {
  const auto program = [&](std::string_view name, std::string_view stat = "Hlo Proto") {
    const Found found = found_in(space(metadata_plane(name, tiny(), stat)));
    EXPECT_EQ(found.modules.size(), 1U) << name;
    return found.modules.empty() ? 0 : found.modules[0].program_id;
  };
  EXPECT_EQ(program("jit_f(15)"), 15);
  EXPECT_EQ(program("jit_f(12190760917235803885)", "HLO Proto"), -6255983156473747731);
  EXPECT_EQ(program("jit_f(-5)", "hlo_proto"), -5);
  EXPECT_EQ(program("jit_f"), 7) << "the entry's own number";
  EXPECT_EQ(program("jit_f(x)"), 7);
}

TEST(HloModules, OfDumpsOfLloOnlyTheLengthIsKept) {
  const Found found = found_in(
      space(metadata_plane("jit_f(1)", Message().raw(std::string(1000, 'l')), "llo_proto")));
  EXPECT_THAT(found.modules, IsEmpty());
  EXPECT_EQ(found.counts.llo_bytes, 1000);
}

TEST(HloModules, DamageIsAProblemWithItsPlace) {
  const std::string bytes =
      space(metadata_plane("jit_f(1)", Message().length(1, 99).raw("0123456789")));
  const Found found = found_in(bytes);
  EXPECT_THAT(found.modules, IsEmpty());
  ASSERT_EQ(found.problems.size(), 2U);
  EXPECT_EQ(found.problems[0].second,
            "HLO of jit_f(1): a length of 99 bytes, of which 10 are there");
  EXPECT_EQ(bytes.substr(static_cast<std::size_t>(found.problems[0].first), 4), "\nc01");
  EXPECT_EQ(found.problems[1].second, "HLO of jit_f(1): there is no module in it");
}

TEST(HloModules, AnErrorEndsIt) {
  int count = 0;
  const auto done = read_xplane_hlo(
      space(metadata_plane("jit_f(1)", tiny())),
      [&](const XplaneHloModule&) -> schema::Expected<void> {
        ++count;
        return schema::Error{schema::ErrorCode::kFull, "full"};
      },
      [](std::int64_t, const std::string&) {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, schema::ErrorCode::kFull);
  EXPECT_EQ(count, 1);
}

// What the reader of dumps says of a text that was printed.
json told_of(const XplaneHloModule& module) {
  const IrText read = read_ir_text(module.text);
  EXPECT_THAT(read.problems, IsEmpty()) << module.name << ": " << read.problems.front().reason;
  EXPECT_EQ(read.modules.size(), 1U);
  const auto count = [&](std::string_view part) {
    int times = 0;
    for (std::size_t at = module.text.find(part); at != std::string::npos;
         at = module.text.find(part, at + 1)) {
      ++times;
    }
    return times;
  };
  if (read.modules.empty()) return {};
  EXPECT_FALSE(read.modules[0].is_unfinished) << module.name;
  EXPECT_EQ(count("missing"), 0) << module.name;
  EXPECT_EQ(count("invalid"), 0) << module.name;
  return {{"name", read.modules[0].name},
          {"computations", read.modules[0].computation_count},
          {"instructions", read.modules[0].instruction_count},
          {"with_source", count("source_file=")},
          {"with_op_name", count("op_name=")},
          {"with_stack_frame", count("stack_frame_id=")},
          {"stack_frames", count("{file_location_id=")}};
}

TEST(HloModules, AreThoseOfRealProfiles) {
  const auto folder = shared_folder() / "data/xplane";
  std::ifstream file(folder / "reference.json");
  if (!file) GTEST_SKIP() << folder << " is not there";
  const json reference = json::parse(file);
  int modules = 0;
  for (const auto& [name, told] : reference.items()) {
    const auto opened = XplaneFile::open((folder / name).string());
    ASSERT_TRUE(opened) << name;
    const Found found = found_in(opened->bytes());
    EXPECT_THAT(found.problems, IsEmpty()) << name;
    std::multimap<std::string, json> expected, got;
    for (const json& one : told["hlo_modules"]) {
      json copy = one;
      for (const char* const key : {"bytes", "buffer_assignment", "event_metadata_name"}) {
        copy.erase(key);
      }
      expected.emplace(copy.dump(), copy);
    }
    for (const XplaneHloModule& one : found.modules) {
      const json said = told_of(one);
      got.emplace(said.dump(), said);
      ++modules;
    }
    EXPECT_EQ(got, expected) << name;
  }
  EXPECT_EQ(modules, 32);
}

// XLA prints the instruction of each operation of a TPU as the operation's name.
TEST(HloModules, ArePrintedAsXlaItselfPrintsInstructions) {
  const auto path = shared_folder() / "data/xplane/tpu_v6e_host_offload.xplane.pb";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto opened = XplaneFile::open(path.string());
  ASSERT_TRUE(opened);
  std::map<std::int64_t, std::string> texts;
  for (const XplaneHloModule& one : found_in(opened->bytes()).modules) {
    texts[one.program_id] = one.text;
  }
  int compared = 0;
  for (const XplanePlane& plane : find_xplanes(opened->bytes(), "/device:TPU:0")) {
    for (const auto& [id, message] : plane.kinds) {
      const XplaneKind kind = read_xplane_kind(message);
      if (!kind.name.starts_with('%')) continue;
      std::int64_t program = 0;
      for (const XplaneStat& stat : kind.stats) {
        const auto name = plane.stat_names.find(stat.metadata_id);
        if (name != plane.stat_names.end() && name->second == "program_id") {
          program = static_cast<std::int64_t>(stat.number);
        }
      }
      const auto facts = find_hlo_instruction(texts[program], kind.name);
      ASSERT_TRUE(facts) << kind.name;
      const auto of_xla = parse_instruction(kind.name);
      const auto ours = parse_instruction(facts->text);
      ASSERT_TRUE(of_xla && ours) << kind.name;
      EXPECT_EQ(ours->name, of_xla->name);
      EXPECT_EQ(ours->type, of_xla->type);
      EXPECT_EQ(ours->op, of_xla->op);
      // Behind what both print stand metadata and the like.
      EXPECT_TRUE(ours->attributes.starts_with(of_xla->attributes)) << facts->text << "\n"
                                                                    << kind.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace benchhud::ingest
