#include "analysis/errors/error_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace benchhud::analysis {
namespace {

std::string reduce(std::string_view text) { return reduce_message(text, 1000); }

TEST(ReduceMessage, WhatVariesBecomesAWord) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"at 0x7f001122 here", "at ADDR here"},
      {"see https://x.y/z?a=1) now", "see URL) now"},
      {"on 2024-04-24T15:37:20.3751083Z", "on TIME"},
      {"on 2022-04-04 00:27:49.642380, gone", "on TIME, gone"},
      {"commit d9db9e62e3d2d58d4e76a43f30c15db389e51c17", "commit ID"},
      {"id 550e8400-e29b-41d4-a716-446655440000.", "id ID."},
      {"in '/tmp/tmpab12/x.py'.", "in 'PATH'."},
      {"in ~/x/y and ../z and C:\\foo\\bar.txt", "in PATH and PATH and PATH"},
      {"--xla_dump_to=/tmp/dump on", "--xla_dump_to=PATH on"},
      {"xla/service/gpu/fusion.cc:123 : no", "fusion.cc:N : no"},
      {"3 of 4.5, 1e-5 or -7", "N of N... or N"},
      {"took 1.5s of 20 seconds", "took Ns of N seconds"},
      {"allocate 158.00 MiB, 6.48G and 20 bytes", "allocate N bytes, N bytes and N bytes"},
      {"[4, 9] X [8, 9, 10]", "[N...] X [N...]"},
      {"(4x9 and 8x9x3)", "(NxN and NxNxN)"},
      {"fusion.12 and %add.7", "fusion.N and %add.N"},
      {"cuda:0", "cuda:N"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(reduce(text), expected);
}

TEST(ReduceMessage, WhatIsAWordStays) {
  for (std::string text :
       {"float32 and bfloat16", "conv2d wants 3D input", "aten::_local_scalar_dense", "and/or N/A",
        "Errno 2", "exit status 137", "signal 11", "a-b", "layer4", "hello, world", "x = y",
        "cafe deadbeef", "'NoneType' object has no attribute 'size'", "größer als 100 %"}) {
    if (text == "größer als 100 %") {
      EXPECT_EQ(reduce(text), "größer als N %");
    } else {
      EXPECT_EQ(reduce(text), text);
    }
  }
}

TEST(ReduceMessage, CountedNamesLoseTheirCount) {
  EXPECT_EQ(reduce("primals_12 buf7 arg0_1 layers_0_conv1"),
            "primals_N bufN argN_N layers_N_conv1");
}

TEST(ReduceMessage, LongGroupsAreLeftOutQuotedOnesStay) {
  EXPECT_EQ(reduce("f(a, (b), c) failed"), "f(a, (b), c) failed");
  EXPECT_EQ(reduce("f(" + std::string(60, 'q') + ") failed"), "f(...) failed");
  EXPECT_EQ(reduce("E('" + std::string(60, 'q') + "') failed"),
            "E('" + std::string(60, 'q') + "') failed");
  EXPECT_EQ(reduce("['" + std::string(60, 'q') + "'] failed"), "[...] failed");
  EXPECT_EQ(reduce(")) ]"), ")) ]");
}

TEST(ReduceMessage, SpaceControlsAndColours) {
  EXPECT_EQ(reduce(" a \t\n b\x01"
                   "c \x1b[1;31mred\x1b[0m "),
            "a b c red");
  EXPECT_EQ(reduce("\x1b"), "");
  EXPECT_EQ(reduce("\x1b[12"), "");
}

TEST(ReduceMessage, BadUtf8IsReplaced) {
  EXPECT_EQ(reduce("a\xff"
                   "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(reduce("\xed\xa0\x80").find('\xed'), std::string::npos);      // a surrogate
  EXPECT_EQ(reduce("\xc0\xaf").find('\xc0'), std::string::npos);          // overlong
  EXPECT_EQ(reduce("\xf4\x90\x80\x80").find('\xf4'), std::string::npos);  // beyond Unicode
  EXPECT_EQ(reduce("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(reduce("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");  // half a character
}

TEST(ReduceMessage, IsCutAtTheLimit) {
  EXPECT_EQ(reduce_message("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(reduce_message("abcdefghijk", 10), "abcdefg...");
  EXPECT_EQ(reduce_message("abcdefghijk", 2), "");
  EXPECT_EQ(reduce_message("ééééé", 8), "éé...");
}

// Reducing what is reduced changes nothing: signatures can be compared with stored ones.
TEST(ReduceMessage, IsStable) {
  for (std::string text :
       {"at 0x7f in /a/b.cc:12 [1, 2, 3] 5 MiB", "E: 2024-01-01 10:00:00 x_1 -3"}) {
    EXPECT_EQ(reduce(reduce(text)), reduce(text));
  }
}

}  // namespace
}  // namespace benchhud::analysis
