// Modules of HLO that profiles hold, in the store.
#include "ingest/pipeline/profile_hlo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "ingest/ir/ir_text.h"
#include "ingest/pipeline/pipeline.h"
#include "schema/results/maintenance.h"
#include "tests/unit/ingest/store_fixture.h"
#include "tests/unit/ingest/xplane/hlo_proto_writer.h"
#include "tests/unit/places.h"
#include "trace/trace_hlo.h"
#include "trace/trace_store.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A model's module of so many instructions, as one process numbered them.
Message model(std::int64_t first_id, std::int64_t module_id, int instructions = 1000) {
  const Message shape = hlo_array(kF32, {128, 256});
  std::vector<Message> made = {hlo_parameter(first_id, "p0", 0, shape)};
  for (int i = 1; i < instructions; ++i) {
    made.push_back(
        hlo_instruction(first_id + i, "add." + std::to_string(i), "add", shape,
                        {first_id + i - 1, first_id})
            .message(
                7, Message()
                       // Not more alike than real names are.
                       .text(2, "jit(f)/" + std::to_string(2654435761U * static_cast<unsigned>(i)) +
                                    "/add")
                       .text(3, "/srv/model.py")
                       .number(4, 100 + i)));
  }
  const std::int64_t root = first_id + instructions - 1;
  const Message entry =
      hlo_computation(root, "main", hlo_signature({{"p0", shape}}, shape), made, root);
  return hlo_proto(hlo_module("jit_f", module_id, root, {entry}));
}

// A profile with a slice, and this plane.
std::string profile(const Message& metadata, std::int64_t begin = 5) {
  const Message device =
      xplane(1, "/device:GPU:0")
          .message(3, xline(7, "Stream #7", begin).message(4, xevent(1, 0, 5000)))
          .message(4, kind_entry(1, "add_1"));
  return Message().message(1, device).message(1, metadata).bytes();
}

class ProfileHlo : public StoreFixture {
 protected:
  IngestResult taken(const std::string& path) {
    auto done = ingest_files(*store_, {{}, {path}}, {});
    EXPECT_TRUE(done);
    return done ? *std::move(done) : IngestResult();
  }
  schema::TraceId trace_of(const std::string& path) {
    const IngestResult done = taken(path);
    const auto artifact = reader().artifact(done.dumps.at(0).id);
    EXPECT_TRUE(artifact && artifact->trace);
    return artifact && artifact->trace ? *artifact->trace : schema::TraceId{};
  }
  std::int64_t number(std::string_view sql) {
    schema::Statement query = store_->prepare(sql);
    EXPECT_TRUE(query.step());
    return query.integer(0);
  }
  // Bytes that modules take: their texts, and of each profile which it holds, with 16 bytes for
  // what is around a row.
  std::int64_t bytes_of_hlo() {
    return number(
        "SELECT (SELECT sum(length(bytes) + 32) FROM text WHERE id IN (SELECT text_id FROM "
        "hlo_module)) + (SELECT sum(length(modules) + 16) FROM trace_hlo)");
  }
};

TEST_F(ProfileHlo, IsStoredAsAModuleWithItsProgram) {
  const auto trace = trace_of(write(
      "n/a.xplane.pb", profile(metadata_plane("jit_f(18446744073709551615)", model(10, 1, 3)))));
  const auto hlo = trace::trace_hlo(*store_, trace);
  ASSERT_TRUE(hlo && *hlo);
  ASSERT_THAT((*hlo)->modules, SizeIs(1));
  EXPECT_EQ((*hlo)->modules[0].program_id, -1);
  const auto module = trace::hlo_module(*store_, (*hlo)->modules[0].module);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->name, "jit_f");
  const auto text = reader().text(module->text);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("%add.1 = f32[128,256]{1,0} add(%p0, %p0)"));
  EXPECT_EQ(module->byte_count, static_cast<std::int64_t>(text->size()));
  EXPECT_FALSE(trace::hlo_module(*store_, 99));
}

TEST_F(ProfileHlo, OfThirtyNightsTakesHardlyMoreThanOfOne) {
  std::int64_t of_one = 0;
  for (int night = 0; night < 30; ++night) {
    const std::string name = "jit_f(" + std::to_string(1000 + 17 * night) + ")";
    trace_of(write("n" + std::to_string(night) + "/a.xplane.pb",
                   profile(metadata_plane(name, model(10 + 5000 * night, night)), night)));
    if (night == 0) of_one = bytes_of_hlo();
  }
  EXPECT_EQ(number("SELECT count(*) FROM hlo_module"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM trace_hlo"), 30);
  EXPECT_LE(static_cast<double>(bytes_of_hlo()), 1.2 * static_cast<double>(of_one));
  const auto profiles = trace::profiles_with_hlo(*store_, 1);
  ASSERT_TRUE(profiles);
  ASSERT_THAT(*profiles, SizeIs(30));
  EXPECT_EQ(profiles->front().program_id, 1000 + 17 * 29) << "the newest first";
}

TEST_F(ProfileHlo, OfARealProfileIsStoredOnceForThirtyNightsToo) {
  std::ifstream file(shared_folder() / "data/xplane/mi300_jax_gemm.xplane.pb", std::ios::binary);
  if (!file) GTEST_SKIP() << "shared/data/xplane is not there";
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::int64_t of_one = 0, modules = 0;
  for (int night = 0; night < 30; ++night) {
    // Another host's name makes it another file.
    const std::string other = Message().text(4, "host" + std::to_string(night)).bytes();
    trace_of(write("n" + std::to_string(night) + "/a.xplane.pb", bytes + other));
    if (night > 0) continue;
    of_one = bytes_of_hlo();
    modules = number("SELECT count(*) FROM hlo_module");
  }
  EXPECT_GT(modules, 0);
  EXPECT_EQ(number("SELECT count(*) FROM hlo_module"), modules);
  EXPECT_LE(static_cast<double>(bytes_of_hlo()), 1.2 * static_cast<double>(of_one))
      << modules << " modules of " << of_one << " bytes";
}

TEST_F(ProfileHlo, GoesWithTheLastProfileThatHoldsIt) {
  const auto a = trace_of(write("a.xplane.pb", profile(metadata_plane("jit_f(1)", model(10, 1)))));
  const auto b =
      trace_of(write("b.xplane.pb", profile(metadata_plane("jit_f(2)", model(50, 2)), 9)));
  ASSERT_TRUE(schema::delete_unused_texts(*store_));
  ASSERT_TRUE(store_->execute("UPDATE artifact SET trace_id = NULL WHERE trace_id = 1"));
  ASSERT_TRUE(trace::delete_unused_traces(*store_));
  EXPECT_FALSE(trace::trace_hlo(*store_, a)->has_value());
  EXPECT_EQ(number("SELECT count(*) FROM hlo_module"), 1);
  ASSERT_TRUE(store_->execute("UPDATE artifact SET trace_id = NULL"));
  ASSERT_TRUE(trace::delete_unused_traces(*store_));
  EXPECT_FALSE(trace::trace_hlo(*store_, b)->has_value());
  EXPECT_EQ(number("SELECT count(*) FROM hlo_module"), 0);
  ASSERT_TRUE(schema::delete_unused_texts(*store_));
  EXPECT_EQ(number("SELECT count(*) FROM text WHERE id NOT IN (SELECT report_id FROM artifact "
                   "WHERE report_id IS NOT NULL)"),
            0);
}

TEST_F(ProfileHlo, IsAddedToAProfileThatWasStoredWithoutIt) {
  const std::string path = write("a.xplane.pb", profile(metadata_plane("jit_f(1)", model(10, 1))));
  const auto trace = trace_of(path);
  // As a store of an older program is after the migration.
  ASSERT_TRUE(
      store_->execute("DELETE FROM trace_hlo; DELETE FROM hlo_module; DELETE FROM artifact_file"));
  EXPECT_FALSE(trace::trace_hlo(*store_, trace)->has_value());
  EXPECT_EQ(taken(path).new_dumps, 0);
  const auto hlo = trace::trace_hlo(*store_, trace);
  ASSERT_TRUE(hlo && *hlo);
  EXPECT_THAT((*hlo)->modules, SizeIs(1));
}

TEST_F(ProfileHlo, DamageOfWhatIsAddedIsAProblemOfTheTraceToo) {
  const std::string path = write(
      "a.xplane.pb", profile(metadata_plane("jit_f(1)", Message().length(1, 99).raw("0123"))));
  trace_of(path);
  ASSERT_TRUE(
      store_->execute("DELETE FROM trace_hlo; DELETE FROM artifact_file; DELETE FROM trace_problem;"
                      "UPDATE artifact SET problem_count = 0; UPDATE trace SET problem_count = 0"));
  const IngestResult again = taken(path);
  ASSERT_THAT(again.dumps, SizeIs(1));
  EXPECT_EQ(again.dumps[0].problem_count, 2);
  EXPECT_EQ(number("SELECT count(*) FROM trace_problem"), 2);
  EXPECT_EQ(number("SELECT problem_count FROM trace"), 2);
  EXPECT_EQ(number("SELECT problem_count FROM artifact"), 2);
}

TEST_F(ProfileHlo, IsListedOnceForAProgram) {
  Message twice = metadata_plane("jit_f(1)", model(10, 1, 3));
  Message kind;
  kind.number(1, 8)
      .text(2, "jit_f(1)")
      .message(5, Message().number(1, 3).text(6, model(50, 2, 3).bytes()));
  twice.message(4, Message().number(1, 8).message(2, kind));
  const auto hlo = trace::trace_hlo(*store_, trace_of(write("a.xplane.pb", profile(twice))));
  ASSERT_TRUE(hlo && *hlo);
  EXPECT_THAT((*hlo)->modules, SizeIs(1));
}

TEST_F(ProfileHlo, WithoutModulesIsKnownToHaveNone) {
  const auto trace = trace_of(
      write("a.xplane.pb", profile(metadata_plane("x", Message().raw("abc"), "llo_proto"))));
  const auto hlo = trace::trace_hlo(*store_, trace);
  ASSERT_TRUE(hlo && *hlo);
  EXPECT_THAT((*hlo)->modules, IsEmpty());
  EXPECT_EQ((*hlo)->llo_bytes, 3);
}

TEST_F(ProfileHlo, DamageIsAProblemOfTheTrace) {
  const std::string bytes =
      profile(metadata_plane("jit_f(1)", Message().length(1, 99).raw("0123456789")));
  const IngestResult done = taken(write("a.xplane.pb", bytes));
  ASSERT_THAT(done.dumps, SizeIs(1));
  EXPECT_EQ(done.dumps[0].problem_count, 2);
  EXPECT_EQ(done.dumps[0].unreadable, std::nullopt);
  EXPECT_EQ(number("SELECT unreadable FROM trace_hlo"), 1);
}

}  // namespace
}  // namespace benchhud::ingest
