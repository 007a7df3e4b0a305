// Traces that come into a store as packs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/pipeline/dump_ingest.h"
#include "ingest/pipeline/trace_file.h"
#include "ingest/profiles/dump_name.h"
#include "ingest/text/file_kind.h"
#include "tests/unit/ingest/store_fixture.h"
#include "tests/unit/places.h"
#include "tests/unit/trace/pack/hostile_pack.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/pack/pack_file.h"
#include "trace/trace_hlo.h"
#include "trace/trace_store.h"

namespace benchhud::ingest {
namespace {

using schema::Artifact;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kTraceText =
    R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1,"args":{"x":1}},)"
    R"({"ph":"X","name":"b","ts":2,"dur":1,"pid":1,"tid":1}])";
constexpr const char* kTraceName =
    "resnet/0/trace-cpu-inductor-False-eval-None-None-None-resnet.json";

class PackedDumps : public StoreFixture {
 protected:
  // The pack of a trace, made in a store of its own, at the trace's place with `ending` behind it.
  std::string pack(const std::string& name, const std::string& content,
                   const std::string& ending = ".pack") {
    const std::string file = write("elsewhere.json", content);
    std::filesystem::create_directories((folder_ / name).parent_path());
    const std::string path = (folder_ / (name + ending)).string();
    std::filesystem::remove(path);
    auto store = schema::open_store((folder_ / "elsewhere.db").string());
    EXPECT_TRUE(store);
    DumpIngest dumps(*store, {});
    auto prepared = dumps.prepare(file);
    EXPECT_TRUE(prepared) << prepared.error().message;
    auto put = dumps.put(*std::move(prepared));
    EXPECT_TRUE(put) << put.error().message;
    const auto artifact = schema::Reader(*store).artifact(put->id);
    EXPECT_TRUE(artifact && artifact->trace);
    const auto facts = trace::write_pack(*store, *artifact->trace, path);
    EXPECT_TRUE(facts) << facts.error().message;
    return path;
  }
  // A pack of a trace that has something of all that a pack may bring, and says that it was made of
  // a file of `content`.
  std::string forged_pack(const std::string& name, std::string_view content) {
    auto store = schema::open_store((folder_ / "forger.db").string());
    EXPECT_TRUE(store);
    const auto trace = trace::put_trace_with_everything(*store, trace::any_trace(1, 300));
    const std::string path = (folder_ / name).string();
    std::filesystem::create_directories((folder_ / name).parent_path());
    EXPECT_TRUE(trace::write_pack(*store, trace, path));
    trace::claim_content(path, schema::content_hash(content));
    return path;
  }
  // All that the store keeps of a trace.
  schema::ContentHash kept_of(schema::TraceId trace) {
    const auto path = (folder_ / "kept.pack").string();
    std::filesystem::remove(path);
    const auto facts = trace::write_pack(*store_, trace, path);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? facts->hash : schema::ContentHash();
  }
  static IngestOptions with_digests() {
    IngestOptions options;
    options.dumps.trace_summary = [](const trace::Trace& of, const trace::TraceNesting&) {
      TraceSummary summary{.digest = "of " + std::to_string(of.slices.size()) + " slices"};
      summary.devices.emplace();
      return summary;
    };
    return options;
  }
  std::string digest_of(const Artifact& artifact) {
    if (!artifact.digest) return "";
    auto text = reader().text(*artifact.digest);
    EXPECT_TRUE(text) << text.error().message;
    return text ? *std::move(text) : "";
  }
  static void change(const std::string& path, std::size_t at, char to) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(to);
  }
  IngestResult ingest_dumps(const std::vector<std::string>& files,
                            const IngestOptions& options = {}) {
    auto result = ingest_files(*store_, {{}, files}, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : IngestResult();
  }
  std::vector<Artifact> artifacts() {
    auto found = reader().artifacts({});
    EXPECT_TRUE(found) << found.error().message;
    return found ? *std::move(found) : std::vector<Artifact>();
  }
};

TEST_F(PackedDumps, AreNamedAsTheirTraces) {
  for (const std::string end : {"", ".gz", ".pack", ".gz.pack", ".zst.pack"}) {
    const auto name = dump_name("/out/" + std::string(kTraceName) + end);
    ASSERT_TRUE(name) << end;
    EXPECT_EQ(name->kind, schema::ArtifactKind::kTrace);
    EXPECT_EQ(name->place, kTraceName);
    EXPECT_EQ(name->directory, "/out");
  }
  const auto profile =
      dump_name("/out/resnet/xla-profile/xplane-cpu-x-resnet/plugins/profile/1/vm.xplane.pb.pack");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->kind, schema::ArtifactKind::kTrace);
}

TEST_F(PackedDumps, AreOfTracesAlone) {
  EXPECT_EQ(trace_name_of("a/x.json.pack.gz"), "a/x.json");
  EXPECT_EQ(trace_name_of("a/x.json.zst.pack"), "a/x.json");
  EXPECT_EQ(trace_name_of("a/x.json.gz"), "a/x.json");
  EXPECT_EQ(trace_name_of("x.pack.json"), "x.pack.json");
  const auto packed = dump_name("/out/" + std::string(kTraceName) + ".pack.gz");
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->place, kTraceName);
  const std::string counters =
      "/out/resnet/dynamo-counters-cpu-inductor-False-eval-None-None-None-resnet.txt";
  ASSERT_TRUE(dump_name(counters));
  EXPECT_FALSE(dump_name(counters + ".pack"));
  // What a name says nothing of is told by its content, and keeps its name.
  ingest_dumps({write("stats.pack", R"({"frames": {"total": 3}})")});
  ASSERT_THAT(artifacts(), SizeIs(1));
  EXPECT_EQ(artifacts()[0].kind, schema::ArtifactKind::kDynamoCounters);
  EXPECT_EQ(artifacts()[0].name, "stats.pack");
}

TEST_F(PackedDumps, OfProfilesThatNoFolderTellsAreNamedAsProfiles) {
  pack("n/vm.xplane.pb", kTraceText);
  const auto inputs = find_inputs({(folder_ / "n").string()});
  ASSERT_FALSE(inputs);
  EXPECT_THAT(inputs.error().message,
              HasSubstr("vm.xplane.pb.pack is an XPlane profile by its name"));
}

TEST_F(PackedDumps, TakenForSomethingElseAreNamed) {
  const std::string path = pack("n/" + std::string(kTraceName), kTraceText);
  const IngestResult done = ingest({path});
  ASSERT_THAT(done.files, SizeIs(1));
  ASSERT_TRUE(done.files[0].error);
  EXPECT_THAT(done.files[0].error->message, HasSubstr("a pack of a trace: ingest it"));
}

TEST_F(PackedDumps, AreTheSameDumpAsTheTrace) {
  pack("n/" + std::string(kTraceName), kTraceText);
  const IngestResult packed = ingest_folder("n");
  EXPECT_EQ(packed.new_dumps, 1);
  ASSERT_THAT(artifacts(), SizeIs(1));
  const Artifact artifact = artifacts().front();
  EXPECT_EQ(artifact.name, kTraceName);
  EXPECT_EQ(artifact.byte_count, static_cast<std::int64_t>(std::string(kTraceText).size()));
  ASSERT_TRUE(artifact.trace);
  const auto trace = trace::read_trace(*store_, *artifact.trace);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->slices.size(), 2);

  write("n/" + std::string(kTraceName), kTraceText);
  const IngestResult both = ingest_folder("n");
  EXPECT_EQ(both.new_dumps, 0);
  EXPECT_THAT(artifacts(), SizeIs(1));
}

TEST_F(PackedDumps, OfATraceThatTheStoreHasAddNone) {
  ingest_dumps({write("n/" + std::string(kTraceName), kTraceText)});
  const auto trace = artifacts().front().trace;
  // The same content under another name is another dump of the same trace.
  ingest_dumps({pack("other/" + std::string(kTraceName), kTraceText, "-2.pack")});
  for (const Artifact& each : artifacts()) EXPECT_EQ(each.trace, trace);
  EXPECT_TRUE(trace);
}

TEST_F(PackedDumps, ChangeNothingOfATraceThatTheStoreHas) {
  ingest_dumps({write("n/" + std::string(kTraceName), kTraceText)}, with_digests());
  const Artifact honest = artifacts().front();
  ASSERT_TRUE(honest.trace);
  const schema::ContentHash before = kept_of(*honest.trace);

  const IngestResult done =
      ingest_dumps({forged_pack("x/other.json.pack", kTraceText)}, with_digests());
  ASSERT_THAT(done.dumps, SizeIs(1));
  EXPECT_FALSE(done.dumps[0].error) << done.dumps[0].error->message;
  EXPECT_EQ(done.dumps[0].unreadable, std::nullopt);
  ASSERT_THAT(artifacts(), SizeIs(2));
  for (const Artifact& each : artifacts()) {
    EXPECT_EQ(each.trace, honest.trace);
    EXPECT_EQ(digest_of(each), "of 2 slices");
    EXPECT_EQ(each.problem_count, honest.problem_count);
  }
  EXPECT_EQ(kept_of(*honest.trace), before);
}

TEST_F(PackedDumps, ChangeNothingOfATraceThatCameMeanwhile) {
  DumpIngest dumps(*store_, with_digests().dumps);
  auto prepared = dumps.prepare(forged_pack("x/other.json.pack", kTraceText));
  ASSERT_TRUE(prepared) << prepared.error().message;
  ingest_dumps({write("n/" + std::string(kTraceName), kTraceText)}, with_digests());
  const auto trace = artifacts().front().trace;
  ASSERT_TRUE(trace);
  const schema::ContentHash before = kept_of(*trace);
  const auto put = dumps.put(*std::move(prepared));
  ASSERT_TRUE(put) << put.error().message;
  const auto artifact = reader().artifact(put->id);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->trace, trace);
  EXPECT_EQ(digest_of(*artifact), "of 2 slices");
  EXPECT_EQ(kept_of(*trace), before);
}

TEST_F(PackedDumps, HaveTheDigestOfTheStoredTraceWhereNoDumpHasOne) {
  ingest_dumps({write("n/" + std::string(kTraceName), kTraceText)});
  EXPECT_EQ(digest_of(artifacts().front()), "");
  ingest_dumps({forged_pack("x/other.json.pack", kTraceText)}, with_digests());
  ASSERT_THAT(artifacts(), SizeIs(2));
  int digests = 0;
  for (const Artifact& each : artifacts()) digests += digest_of(each) == "of 2 slices" ? 1 : 0;
  EXPECT_EQ(digests, 1);
}

TEST_F(PackedDumps, AreRefusedWhereTheyAreNotToBeBelieved) {
  DumpOptions options;
  options.takes_packs = false;
  DumpIngest dumps(*store_, std::move(options));
  for (const std::string& name : {"n/" + std::string(kTraceName), std::string("whatever")}) {
    const auto prepared = dumps.prepare(pack(name, kTraceText));
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code, schema::ErrorCode::kUnsupported);
    EXPECT_THAT(prepared.error().message, HasSubstr("is a pack, which only says of what file"));
  }
  EXPECT_TRUE(dumps.prepare(write("plain.json", kTraceText)));
}

TEST_F(PackedDumps, AreMadeAgainToTheSameBytes) {
  std::string events = "[";
  for (int i = 0; i < 20000; ++i) {
    const std::string number = std::to_string(i);
    events += R"({"ph":"X","name":"n)" + std::to_string(i % 7) + R"(","ts":)" + number +
              R"(,"dur":3,"pid":1,"tid":)" + std::to_string(i % 3) + R"(,"args":{"i":)" + number +
              "}},";
    if (i % 10 == 0) {
      events += R"({"ph":"s","id":)" + number + R"(,"name":"f","cat":"c","ts":)" + number +
                R"(,"pid":1,"tid":0},{"ph":"f","id":)" + number + R"(,"name":"f","cat":"c","ts":)" +
                number + R"(.5,"pid":1,"tid":1},)" + R"({"ph":"C","name":"used","ts":)" + number +
                R"(,"pid":1,"tid":0,"args":{"b":)" + number + "}},";
    }
  }
  const std::string path = pack("n/" + std::string(kTraceName), events + "{}]");
  ingest_dumps({path});
  ASSERT_TRUE(artifacts().front().trace);
  const auto first = trace::facts_of_file(path);
  const auto again =
      trace::write_pack(*store_, *artifacts().front().trace, (folder_ / "again.pack").string());
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->hash, again->hash);
}

TEST_F(PackedDumps, BringTheModulesOfAProfile) {
  std::ifstream file(source_root() / "../shared/data/xplane/mi300_jax_gemm.xplane.pb",
                     std::ios::binary);
  if (!file) GTEST_SKIP() << "the folder shared is not beside the checkout";
  const std::string profile{std::istreambuf_iterator<char>(file), {}};
  ingest_dumps({pack("a/vm.xplane.pb", profile)});
  const Artifact artifact = artifacts().front();
  ASSERT_TRUE(artifact.trace);
  const auto hlo = trace::trace_hlo(*store_, *artifact.trace);
  ASSERT_TRUE(hlo && *hlo);
  EXPECT_FALSE((*hlo)->modules.empty());
}

TEST_F(PackedDumps, ThatAreDamagedAreListedAndTheTraceMayComeYet) {
  const std::string path = pack("n/" + std::string(kTraceName), kTraceText);
  change(path, 5000, '\x7f');
  const IngestResult done = ingest_folder("n");
  ASSERT_THAT(done.dumps, SizeIs(1));
  EXPECT_EQ(done.unreadable_dumps, 1);
  EXPECT_EQ(done.dumps[0].unreadable.value_or(""),
            "the pack is damaged: page 5 is not what was written");
  write("n/" + std::string(kTraceName), kTraceText);
  EXPECT_EQ(ingest_folder("n").unreadable_dumps, 1);
  int readable = 0;
  for (const Artifact& each : artifacts()) readable += each.trace ? 1 : 0;
  EXPECT_EQ(readable, 1);
}

TEST_F(PackedDumps, OfAnotherVersionLeaveNothingBehind) {
  const std::string path = pack("n/" + std::string(kTraceName), kTraceText);
  change(path, 63, 99);
  const IngestResult done = ingest_dumps({path});
  ASSERT_TRUE(done.dumps.at(0).error);
  EXPECT_EQ(done.dumps[0].error->code, schema::ErrorCode::kUnsupported);
  EXPECT_THAT(done.dumps[0].error->message, HasSubstr("is a pack of version 99"));
  EXPECT_THAT(artifacts(), SizeIs(0));
}

TEST_F(PackedDumps, AreReadWithoutAStore) {
  const auto read = read_trace_file(pack("a", kTraceText));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->slices.size(), 2);
}

}  // namespace
}  // namespace benchhud::ingest
