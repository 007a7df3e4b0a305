// Damaged profiles: what is broken costs itself, and memory is bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"
#include "tests/unit/ingest/xplane/xplane_writer.h"
#include "tests/unit/places.h"

namespace benchhud::ingest {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string space_of(const std::vector<Message>& planes) {
  Message space;
  for (const Message& plane : planes) space.message(1, plane);
  return space.bytes();
}

Message plane_of(const std::vector<Message>& lines) {
  Message plane = xplane(0, "/host:CPU");
  for (const Message& line : lines) plane.message(3, line);
  return plane.message(4, kind_entry(1, "f"));
}

class CountedArgs : public trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    EXPECT_TRUE(json.starts_with('{') && json.ends_with('}'));
    bytes += json.size();
    last = json;
    return count++;
  }
  std::uint64_t count = 0;
  std::size_t bytes = 0;
  std::string last;
};

void expect_sum(const XplaneTrace& made) {
  for (const XplanePlaneCounts& plane : made.planes) {
    EXPECT_EQ(plane.events, plane.slices + plane.counters + plane.async + plane.aggregated +
                                plane.allocations + plane.refused);
  }
}

TEST(DamagedXplane, ABrokenValueCostsItsEvent) {
  Message line = xline(1, "l");
  line.message(4, xevent(1, 0, 1000))
      .message(4, xevent(1, 2000, 1000).message(4, Message().length(5, 100)))
      .message(4, xevent(1, 4000, 1000));
  const std::string bytes = space_of({plane_of({line})});
  const XplaneTrace made = read_xplane(bytes);
  EXPECT_THAT(made.trace.slices, SizeIs(2));
  EXPECT_EQ(made.planes[0].refused, 1);
  ASSERT_EQ(made.trace.problem_count, 1);
  EXPECT_GT(made.trace.problems[0].offset, 0);
  EXPECT_LT(made.trace.problems[0].offset, static_cast<std::int64_t>(bytes.size()));
}

TEST(DamagedXplane, AnEventThatRunsOutCostsTheRestOfItsLine) {
  Message broken = xline(1, "broken");
  broken.message(4, xevent(1, 0, 1000)).length(4, 1000).raw("\x08\x01");
  const Message sound = xline(2, "sound").message(4, xevent(1, 0, 1000));
  const XplaneTrace made = read_xplane(space_of({plane_of({broken, sound})}));
  EXPECT_THAT(made.trace.slices, SizeIs(2));
  ASSERT_EQ(made.trace.problem_count, 1);
  EXPECT_EQ(made.trace.broken, 1);
  EXPECT_THAT(made.trace.problems[0].reason, HasSubstr("the rest of the line broken is lost"));
}

TEST(DamagedXplane, ALineThatRunsOutCostsTheRestOfItsPlane) {
  const Message line = xline(1, "l").message(4, xevent(1, 0, 1000));
  const Message broken = xplane(0, "/host:CPU").message(3, line).length(3, 1000).raw("\x08\x01");
  const XplaneTrace made = read_xplane(space_of({broken, plane_of({line})}));
  EXPECT_THAT(made.trace.slices, SizeIs(2));
  EXPECT_EQ(made.trace.name(made.trace.slices[0]), "<UNKNOWN>");  // names stand behind lines
  EXPECT_EQ(made.trace.name(made.trace.slices[1]), "f");
  EXPECT_THAT(made.trace.problems[0].reason, HasSubstr("the rest of the plane /host:CPU is lost"));
}

TEST(DamagedXplane, LengthsBeyond32BitsAreNotCut) {
  const Message line = xline(1, "l").message(4, xevent(1, 0, 1000));
  for (const std::uint64_t length : {(std::uint64_t{1} << 32U) + 4, ~std::uint64_t{0}}) {
    Message broken = line;
    broken.length(4, length).raw("\x08\x01\x10\x01");
    const XplaneTrace made = read_xplane(space_of({plane_of({broken})}));
    EXPECT_THAT(made.trace.slices, SizeIs(1));
    EXPECT_THAT(made.trace.problems[0].reason, HasSubstr(std::to_string(length) + " bytes"));
  }
}

TEST(DamagedXplane, TextIsNoProfile) {
  for (const std::string text : {"no profile", "{}", "\x0a", "\xff\xff\xff\xff\xff\xff"}) {
    EXPECT_THAT(read_xplane(text).unreadable, HasSubstr("no XPlane profile"));
  }
}

TEST(DamagedXplane, AMillionPlanesTakeNoTime) {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += std::string("\x0a\x00", 2);
  const XplaneTrace made = read_xplane(bytes);
  EXPECT_EQ(made.trace.problem_count, 0);
  EXPECT_THAT(made.trace.threads, SizeIs(0));
}

TEST(DamagedXplane, AMillionPlanesWithAnEventAreBounded) {
  const std::string plane = space_of({Message().message(3, Message().message(4, Message()))});
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += plane;
  const XplaneTrace made = read_xplane(bytes);
  EXPECT_THAT(made.refusal, HasSubstr("names take more memory"));
}

// Between planes nothing is kept that the fullest of them needed.
TEST(DamagedXplane, ManyPlanesBehindAFullOneTakeNoTime) {
  Message line = xline(1, "line");
  for (int i = 0; i < 200'000; ++i) line.message(4, xevent(i + 1, 1000, 1));
  std::string bytes = space_of({xplane(1, "full").message(3, line)});
  for (int i = 0; i < 200'000; ++i) bytes += std::string("\x0a\x00", 2);
  const XplaneTrace made = read_xplane(bytes);
  EXPECT_EQ(made.trace.events, 200'000);
}

// A name of a megabyte, and events that name it a thousand times each.
TEST(DamagedXplane, ValuesThatNameALongTextOverAndOverAreLeftOut) {
  const std::string text(std::size_t{1} << 20, 'x');
  Message line = xline(1, "line");
  for (int i = 0; i < 20; ++i) {
    Message event = xevent(1, 1000 * i, 1);
    for (int k = 0; k < 1000; ++k) event.message(4, Message().number(1, 1).number(7, 1));
    line.message(4, event);
  }
  CountedArgs args;
  const XplaneTrace made = read_xplane(
      space_of({xplane(1, "plane").message(3, line).message(5, stat_entry(1, text))}), &args);
  EXPECT_THAT(made.trace.slices, SizeIs(20));
  EXPECT_LT(args.bytes, 20 * 4 * text.size());
  EXPECT_THAT(args.last, HasSubstr("values_left_out"));
}

// What a kind says is written with each of its events as far as there is room, and that is said.
TEST(DamagedXplane, WhatAKindSaysIsNotWrittenWithoutEnd) {
  const std::string text(std::size_t{1} << 20, 'x');
  Message line = xline(1, "line");
  for (int i = 0; i < 1000; ++i) line.message(4, xevent(1, 1000 * i, 1).message(4, int_stat(2, i)));
  Message kind = Message().number(1, 1).text(2, "op").message(5, text_stat(1, text));
  CountedArgs args;
  const XplaneTrace made =
      read_xplane(space_of({xplane(1, "plane")
                                .message(3, line)
                                .message(4, Message().number(1, 1).message(2, kind))
                                .message(5, stat_entry(1, "long"))
                                .message(5, stat_entry(2, "own"))}),
                  &args);
  EXPECT_THAT(made.trace.slices, SizeIs(1000));
  EXPECT_LT(args.bytes, 300 * text.size());
  EXPECT_EQ(args.last, R"({"own":999})");
  EXPECT_EQ(made.trace.problem_count, 1);
  EXPECT_THAT(made.trace.problems[0].reason, HasSubstr("values of kinds of events are left out"));
}

TEST(DamagedXplane, AnEventWithoutEndOfValuesKeepsTenThousand) {
  Message event = xevent(1, 1000, 1);
  for (int i = 0; i < 10'005; ++i) event.raw(std::string("\x22\x00", 2));
  CountedArgs args;
  const XplaneTrace made = read_xplane(
      space_of({xplane(1, "plane").message(3, xline(1, "line").message(4, event))}), &args);
  EXPECT_THAT(made.trace.slices, SizeIs(1));
  EXPECT_THAT(args.last, HasSubstr(R"("values_left_out":"5")"));
}

// It names no other kind instead.
TEST(DamagedXplane, ANameThatCannotBeDecodedIsReported) {
  const XplaneTrace made = read_xplane(
      space_of({xplane(1, "plane")
                    .message(3, xline(1, "line").message(4, xevent(0, 1000, 1)))
                    .message(4, kind_entry(0, "sound"))
                    .message(4, Message().length(1, 1000))
                    .message(5, Message().number(1, 2).message(2, Message().length(2, 9)))
                    .message(6, Message().length(5, 9))}));
  ASSERT_THAT(made.trace.slices, SizeIs(1));
  EXPECT_EQ(made.trace.name(made.trace.slices[0]), "sound");
  EXPECT_EQ(made.trace.broken, 3);
  ASSERT_EQ(made.trace.problem_count, 3);
  EXPECT_THAT(made.trace.problems[0].reason, HasSubstr("plane cannot be decoded"));
  EXPECT_GT(made.trace.problems[0].offset, 0);
}

TEST(DamagedXplane, ScopesThatContainEachOtherDoNoHarm) {
  Message plane = xplane(0, "/host:__ScopeRangeCallStack__");
  for (const auto& [id, parent] : {std::pair(1, 2), {2, 1}, {3, 3}}) {
    plane.message(6, int_stat(id, parent));
  }
  EXPECT_EQ(read_xplane(space_of({plane})).trace.problem_count, 0);
}

// What a file's trace takes; 0 where the allocator does not count.
std::size_t memory_of(std::string_view bytes) {
  const auto in_use = [] {
    const auto memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const std::size_t before = in_use();
  const XplaneTrace made = read_xplane(bytes);
  const std::size_t after = in_use();
  return after - std::min(before, after);
}

// Each real file, and one made by hand.
std::vector<std::string> files() {
  Message line = xline(-5, "Stream #1");
  for (int i = 0; i < 20; ++i) {
    line.message(4, xevent(1, std::int64_t{1000} * i, 900)
                        .message(4, int_stat(1, i))
                        .message(4, text_stat(2, "x")));
  }
  std::vector<std::string> files = {space_of({xplane(1, "/device:GPU:0")
                                                  .message(3, line)
                                                  .message(4, kind_entry(1, "kernel"))
                                                  .message(5, stat_entry(1, "correlation_id"))
                                                  .message(6, int_stat(1, 3))})};
  const std::filesystem::path folder = shared_folder() / "data/xplane";
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") continue;
    const auto file = XplaneFile::open(entry.path());
    EXPECT_TRUE(file);
    if (file) files.emplace_back(file->bytes());
  }
  return files;
}

TEST(DamagedXplane, CutAnywhereItIsReadUpToThere) {
  for (const std::string& file : files()) {
    const XplaneTrace whole = read_xplane(file);
    const std::size_t memory = memory_of(file);
    constexpr std::size_t kCuts = 1000;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < kCuts; ++i) {
      const std::size_t size = file.size() * i / kCuts;
      const auto bytes = std::string_view(file).substr(0, size);
      if (i % 10 == 0) {
        EXPECT_LE(memory_of(bytes), 2 * memory);
      }
      const XplaneTrace cut = read_xplane(bytes);
      expect_sum(cut);
      EXPECT_LE(cut.trace.events, whole.trace.events);
      EXPECT_GE(cut.trace.events, last);
      last = cut.trace.events;
    }
  }
}

TEST(DamagedXplane, FlippedBytesDoNoHarm) {
  for (std::string file : files()) {
    std::uint64_t state = 1;
    for (int i = 0; i < 100; ++i) {
      // Knuth's linear congruential generator (MMIX).
      state = state * 6364136223846793005U + 1442695040888963407U;
      char& byte = file[(state >> 20U) % file.size()];
      const char was = byte;
      byte = static_cast<char>(state >> 56U);
      CountedArgs args;
      expect_sum(read_xplane(file, &args));
      if (i % 3 == 0) byte = was;  // the others stay, and add up
    }
  }
}

}  // namespace
}  // namespace benchhud::ingest
