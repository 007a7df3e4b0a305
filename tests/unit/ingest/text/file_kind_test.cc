#include "ingest/text/file_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/profiles/dump_kind.h"
#include "ingest/results/results_format.h"
#include "ingest/text/source_file.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "tests/unit/ingest/field_files.h"
#include "tests/unit/ingest/store_fixture.h"

namespace benchhud::ingest {
namespace {

using schema::ArtifactKind;
using testing::HasSubstr;
using namespace std::string_literals;

// A protocol buffer's field with a length.
std::string field(int number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(content.size())) + content;
}

const std::string kXplane =
    field(1, "\x08\x02"s + field(2, "/device:TPU:0") + field(3, "\x08\x01"));
// timestamp (8), trusted_packet_sequence_id (10), and a clock snapshot (6).
const std::string kPerfetto =
    field(1, "\x40\x05\x50\x01"s + field(6, field(1, "\x08\x06\x10\x01"))) +
    field(1, "\x40\x07\x50\x01"s);

const std::vector<std::pair<std::string, std::string>> kContainers = {
    {"PK\x03\x04\x14\0\0\0"s, "zip"},
    {"\xFD"
     "7zXZ\0\0\x04"s,
     "xz"},
    {"BZh91AY&SY\x01"s, "bzip2"},
    {"\xFF\xFE{\0\"\0"s, "UTF-16"},
    {"\xFE\xFF\0{\0\""s, "UTF-16"},
    {"{\0\"\0p\0h\0\"\0"s, "UTF-16"},
    {kPerfetto, "Perfetto"},
};

TEST(FileKind, ContainersAreNamed) {
  for (const auto& [bytes, word] : kContainers) {
    const auto named = unread_container(bytes);
    ASSERT_TRUE(named) << word;
    EXPECT_THAT(*named, HasSubstr(word));
  }
  const std::string tar = std::string(257, 'x') + "ustar\0"s;
  EXPECT_THAT(unread_container(tar).value_or(""), HasSubstr("tar"));
}

TEST(FileKind, PacksAreNamedAndDatabasesAreNoPacks) {
  std::string head = "SQLite format 3\0"s + std::string(84, '\0');
  EXPECT_THAT(unread_container(head).value_or(""), HasSubstr("an SQLite database"));
  head.replace(68, 4, "bhpk");
  EXPECT_THAT(unread_container(head).value_or(""), HasSubstr("a pack of a trace: ingest it"));
}

TEST(FileKind, WhatIsReadIsNoContainer) {
  for (const std::string& text :
       {""s, "\n"s, "{"s, "[]"s, R"({"ph": "X"})"s, "\n{\"model\": 1}\n"s, "BZh\n"s, "\n\nPK"s,
        "\nHello, here are some lines\nof text\n"s, "\xEF\xBB\xBF{}"s, kXplane, "\n\x05hello"s}) {
    EXPECT_EQ(unread_container(text), std::nullopt) << text;
  }
}

TEST(FileKind, DumpsAreKnownByTheirContent) {
  EXPECT_EQ(dump_kind_of(field_text("07_trace_given_plainly.json")), ArtifactKind::kTrace);
  EXPECT_EQ(dump_kind_of(field_text("16_text_between_events.json")), ArtifactKind::kTrace);
  EXPECT_EQ(dump_kind_of(field_text("01_key_averages_xpu.txt")), ArtifactKind::kOperatorTable);
  EXPECT_EQ(dump_kind_of(kXplane), ArtifactKind::kTrace);
  EXPECT_EQ(dump_kind_of(R"({"frames": {"total": 2}})"), ArtifactKind::kDynamoCounters);
  EXPECT_EQ(dump_kind_of("Counter: UncachedCompile\n  Value: 2\n"), ArtifactKind::kXlaMetrics);
  EXPECT_EQ(dump_kind_of("HloModule m\n\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}\n"),
            ArtifactKind::kIr);
  for (const char* text : {"", "a log\nof lines\n", "[1, 2]", R"([{"benchmark": {}}])"}) {
    EXPECT_EQ(dump_kind_of(text), std::nullopt) << text;
  }
}

class ResultsFormats : public StoreFixture {
 protected:
  std::string error_of(const std::string& name, const std::string& bytes) {
    const auto format = results_format_of(write(name, bytes));
    return format ? "" : format.error().message;
  }
};

TEST_F(ResultsFormats, WhatIsNoResultsIsNamedWithWhatToDo) {
  for (const char* name : {"a.json", "results.jsonl", "plain"}) {
    EXPECT_THAT(error_of(name, field_text("07_trace_given_plainly.json")),
                testing::AllOf(HasSubstr("Chrome trace"), HasSubstr("--for")));
  }
  EXPECT_THAT(error_of("t.json", field_text("16_text_between_events.json")),
              HasSubstr("Chrome trace"));
  EXPECT_THAT(error_of("t.txt", field_text("01_key_averages_cuda.txt")),
              testing::AllOf(HasSubstr("operator table"), HasSubstr("--for")));
  EXPECT_THAT(error_of("x.pb", kXplane), testing::AllOf(HasSubstr("XPlane"), HasSubstr("--for")));
  EXPECT_THAT(error_of("s.csv", "night,value\n1,2\n"), HasSubstr("benchhud detect"));
  for (const auto& [bytes, word] : kContainers) {
    EXPECT_THAT(error_of("results.jsonl", bytes), HasSubstr(word));
  }
}

TEST_F(ResultsFormats, NothingOfWhatIsNoResultsIsStored) {
  for (const char* name : {"07_trace_given_plainly.json", "01_key_averages_xpu.txt"}) {
    const IngestResult result = ingest({field_path(name).string()});
    ASSERT_EQ(result.files.size(), 1u);
    ASSERT_TRUE(result.files[0].error) << name;
    EXPECT_EQ(result.files[0].error->code, schema::ErrorCode::kUnsupported);
    EXPECT_EQ(result.rejected, 0);
    EXPECT_FALSE(result.changed);
  }
}

TEST_F(ResultsFormats, ResultsAreResultsWhateverStandsBeforeThem) {
  const std::string line = timed().text();
  for (const std::string& before : {""s, "\xEF\xBB\xBF"s, "\n"s, "a warning\n"s, "{broken\n"s,
                                    "{}\n"s, "HloModule m, but in a log\n"s}) {
    EXPECT_EQ(error_of("results.jsonl", before + line), "") << before;
  }
  for (const char* odd : {"", "{}\n", "nothing\n", "{\"a\": 1}\n", "[]\n"}) {
    EXPECT_EQ(error_of("results.jsonl", odd), "") << odd;
  }
}

std::string zstd(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string read_all(const std::string& path, std::string* damage) {
  auto file = SourceFile::open(path);
  EXPECT_TRUE(file);
  std::string text;
  for (;;) {
    const auto count = file->read(1000, &text);
    if (!count) *damage = count.error().message;
    if (!count || *count == 0) return text;
  }
}

std::string gzip(std::string_view bytes, const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class GzipFiles : public StoreFixture {
 protected:
  std::string packed(std::string_view bytes) { return gzip(bytes, folder_ / "packed"); }

  // The same through a pipe, a byte or many at a time.
  std::string read_pipe(const std::string& bytes, std::size_t at_once, std::string* damage) {
    const std::string path = folder_ / "pipe";
    ::unlink(path.c_str());
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream pipe(path, std::ios::binary);
      for (std::size_t at = 0; at < bytes.size(); at += at_once) {
        pipe << bytes.substr(at, at_once) << std::flush;
      }
    });
    std::string text = read_all(path, damage);
    writer.join();
    return text;
  }
};

TEST_F(GzipFiles, AreReadAsTheyWere) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * i) + "\n";
  const std::string several = packed(text) + packed("") + packed("more");
  std::string damage;
  EXPECT_EQ(read_all(write("several", several), &damage), text + "more");
  EXPECT_EQ(read_all(write("behind", several + "no gzip"), &damage), text + "more");
  EXPECT_EQ(read_all(write("zeros", several + std::string(512, '\0')), &damage), text + "more");
  EXPECT_EQ(damage, "");
}

TEST_F(GzipFiles, GiveWhatIsBeforeTheirDamage) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string whole = packed(text);
  std::string damage;
  const std::string read = read_all(write("cut", whole.substr(0, whole.size() / 2)), &damage);
  EXPECT_THAT(damage, HasSubstr("gzip data is damaged or ends early (unexpected end of file)"));
  EXPECT_TRUE(text.starts_with(read));
  EXPECT_GT(read.size(), text.size() / 10);
  std::string spoilt = whole;
  spoilt[spoilt.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(read_all(write("spoilt", spoilt), &damage), text);
  EXPECT_THAT(damage, HasSubstr("incorrect data check"));
  EXPECT_EQ(read_all(write("begun", whole.substr(0, 2)), &damage), "");
  EXPECT_THAT(damage, HasSubstr("unexpected end of file"));
}

TEST_F(GzipFiles, ComeThroughPipesToo) {
  const std::string text = "one line\nand another\n";
  std::string damage;
  for (const std::size_t at_once : {1, 3, 1000}) {
    EXPECT_EQ(read_pipe(packed(text) + packed(text), at_once, &damage), text + text) << at_once;
    EXPECT_EQ(read_pipe(zstd(text), at_once, &damage), text) << at_once;
    for (const std::string& plain : {text, std::string("\x1f"), std::string("(\xb5")}) {
      EXPECT_EQ(read_pipe(plain, at_once, &damage), plain) << at_once;
    }
  }
  EXPECT_EQ(damage, "");
}

// A first member or frame of three bytes is not all that a file begins with.
TEST_F(GzipFiles, OneReadGoesOnThroughMembers) {
  const std::string text = kXplane + std::string(5000, 'x');
  const std::string begin = text.substr(0, 3), rest = text.substr(3);
  for (const std::string& bytes :
       {packed(begin) + packed("") + packed(rest), zstd(begin) + zstd("") + zstd(rest), text}) {
    const std::string path = write("members", bytes);
    auto file = SourceFile::open(path);
    ASSERT_TRUE(file);
    std::string read = "before ";
    EXPECT_EQ(*file->read(4096, &read), 4096u);
    EXPECT_EQ(*file->read(4096, &read), text.size() - 4096);
    EXPECT_EQ(*file->read(4096, &read), 0u);
    EXPECT_EQ(read, "before " + text);
    EXPECT_EQ(*is_xplane_file(path), true);
  }
}

TEST_F(GzipFiles, DamageIsToldBehindTheGoodBytesAndStays) {
  for (const std::string& bytes : {packed("good") + packed("damaged").substr(0, 12),
                                   zstd("good") + zstd("damaged").substr(0, 12)}) {
    auto file = SourceFile::open(write("damaged", bytes));
    ASSERT_TRUE(file);
    std::string read;
    const auto count = file->read(4096, &read);
    ASSERT_TRUE(count);
    EXPECT_TRUE(read.starts_with("good"));
    EXPECT_EQ(*count, read.size());
    for (int i = 0; i < 2; ++i) {
      const auto damage = file->read(4096, &read);
      ASSERT_FALSE(damage);
      EXPECT_THAT(damage.error().message, HasSubstr("damaged or ends early"));
    }
  }
}

TEST_F(GzipFiles, WhatIsNoTraceAndDamagedSaysBoth) {
  const auto trace = read_trace(write("t.json.gz", packed("{\"a\": 1").substr(0, 12)));
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message,
              testing::AllOf(HasSubstr("no list of events"), HasSubstr("unexpected end of file")));
}

class ZstdFiles : public StoreFixture {};

TEST_F(ZstdFiles, AreReadAsTheyWere) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * i) + "\n";
  std::string damage;
  EXPECT_EQ(read_all(write("one.zst", zstd(text)), &damage), text);
  EXPECT_EQ(read_all(write("two", zstd(text) + zstd("") + zstd("more")), &damage), text + "more");
  EXPECT_EQ(damage, "");
}

TEST_F(ZstdFiles, GiveWhatIsBeforeTheirDamage) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = zstd(text);
  std::string damage;
  const std::string read = read_all(write("cut", packed.substr(0, packed.size() / 2)), &damage);
  EXPECT_THAT(damage, HasSubstr("zstd"));
  EXPECT_TRUE(text.starts_with(read));
  EXPECT_GT(read.size(), text.size() / 10);
}

TEST_F(ZstdFiles, HoldTracesAndResults) {
  const auto trace =
      read_trace(write("t.json.zst", zstd(field_text("15_slice_without_duration.json"))));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->slices.size(), 2u);
  EXPECT_EQ(*results_format_of(write("r.jsonl.zst", zstd(timed().text()))), ResultsFormat::kRunner);
  const auto zip = read_trace(write("t.zip", "PK\x03\x04 and more"));
  ASSERT_FALSE(zip);
  EXPECT_THAT(zip.error().message, HasSubstr("zip archive"));
}

}  // namespace
}  // namespace benchhud::ingest
