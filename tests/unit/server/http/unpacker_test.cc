// What was packed comes out whole, however it was cut; what is too much, damaged or cut off is
// said.

#include "server/http/unpacker.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "server/http/gzip.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::int64_t kPlenty = 1 << 30;

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

/// What comes of a body that arrives in pieces of `step` bytes.
Expected<std::string> unpacked(Packing packing, std::string_view body, std::size_t step,
                               std::int64_t most = kPlenty) {
  const auto unpacker = Unpacker::make(packing, most);
  std::string text;
  const auto take = [&](std::string_view piece) -> Expected<void> {
    text += piece;
    return {};
  };
  while (!body.empty()) {
    const auto piece = body.substr(0, std::min(step, body.size()));
    BENCHHUD_TRY(unpacker->unpack(piece, take));
    body.remove_prefix(piece.size());
  }
  BENCHHUD_TRY(unpacker->finish());
  return text;
}

ErrorCode refusal(Packing packing, std::string_view body, std::int64_t most = kPlenty) {
  const auto result = unpacked(packing, body, 4096, most);
  EXPECT_FALSE(result);
  return result ? ErrorCode::kInternal : result.error().code;
}

/// Of a size at which buffers end exactly, and of others.
class UnpackerSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(UnpackerSizes, GivesBackWhatWasPacked) {
  std::string text;
  for (std::size_t i = 0; text.size() < GetParam(); ++i) text += std::to_string(i * 7919);
  text.resize(GetParam());
  for (const std::size_t step : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 20}) {
    if (step == 1 && text.size() > 70'000) continue;
    EXPECT_EQ(*unpacked(Packing::kNone, text, step), text);
    EXPECT_EQ(*unpacked(Packing::kGzip, gzip(text), step), text) << step;
    EXPECT_EQ(*unpacked(Packing::kZstd, zstd(text), step), text) << step;
    // Two behind each other are one file.
    EXPECT_EQ(*unpacked(Packing::kGzip, gzip(text) + gzip(text), step), text + text) << step;
    EXPECT_EQ(*unpacked(Packing::kZstd, zstd(text) + zstd(text), step), text + text) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, UnpackerSizes,
                         testing::Values(1, 1000, 65'535, 65'536, 65'537, 131'072, 1'000'000));

TEST(Unpacker, StopsWhereItBecomesTooMuch) {
  const std::string zeros(100 << 20, '\0');
  const std::string packed = gzip(zeros);
  ASSERT_LT(packed.size(), 1 << 20);
  EXPECT_EQ(refusal(Packing::kGzip, packed, 1 << 20), ErrorCode::kTooLarge);
  EXPECT_EQ(refusal(Packing::kZstd, zstd(zeros), 1 << 20), ErrorCode::kTooLarge);
  EXPECT_EQ(refusal(Packing::kNone, std::string(1001, 'x'), 1000), ErrorCode::kTooLarge);
  EXPECT_TRUE(unpacked(Packing::kGzip, packed, 4096, 100 << 20));
}

TEST(Unpacker, SaysWhatIsDamagedOrCutOff) {
  const std::string text(10'000, 'x');
  for (const auto& [packing, body] :
       {std::pair(Packing::kGzip, gzip(text)), std::pair(Packing::kZstd, zstd(text))}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, body.size() - 1}) {
      EXPECT_EQ(refusal(packing, body.substr(0, size)), ErrorCode::kInvalidArgument) << size;
    }
    EXPECT_EQ(refusal(packing, "{\"a\": 1}\n{\"a\": 2}\n"), ErrorCode::kInvalidArgument);
    EXPECT_EQ(refusal(packing, body + "something else"), ErrorCode::kInvalidArgument);
  }
}

TEST(Unpacker, FormatsOfZstdThatAreNoMoreAreRefused) {
  // 0.6's magic number, and a frame of today with 0.7's behind it.
  EXPECT_EQ(refusal(Packing::kZstd, std::string("\x26\xb5\x2f\xfd\x80\xff\xff\xff\xff\x11", 10)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(Packing::kZstd, zstd("x") + std::string("\x27\xb5\x2f\xfd\x00", 5)),
            ErrorCode::kInvalidArgument);
}

TEST(Unpacker, AnOldFormatIsRefusedInAHeadToo) {
  // A head with a window of terabytes, of which a piece begins with 0.6's magic number.
  const std::string body("\x28\xb5\x2f\xfd\x05\xf9\x26\xb5\x2f\xfd\x14\xff\x01\x05", 14);
  for (std::size_t step = 1; step <= body.size(); ++step) {
    EXPECT_FALSE(unpacked(Packing::kZstd, body, step)) << step;
  }
}

TEST(Unpacker, AWindowOfGigabytesIsRefused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  const std::string text(1000, 'x');
  std::string packed(4096, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // Without knowing how much will come, the frame keeps its window.
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  EXPECT_EQ(refusal(Packing::kZstd, packed), ErrorCode::kInvalidArgument);
}

TEST(Unpacker, WhatStopsTheReceiverStopsTheRest) {
  const auto unpacker = Unpacker::make(Packing::kGzip, kPlenty);
  int taken = 0;
  const auto full = [&](std::string_view) -> Expected<void> {
    ++taken;
    return Error{ErrorCode::kFull, "full"};
  };
  EXPECT_EQ(unpacker->unpack(gzip(std::string(1 << 20, 'x')), full).error().code, ErrorCode::kFull);
  EXPECT_EQ(taken, 1);
}

TEST(Unpacker, TypesSayHowABodyIsPacked) {
  EXPECT_EQ(packing_of("application/gzip"), Packing::kGzip);
  EXPECT_EQ(packing_of("Application/X-GZip ; x=y"), Packing::kGzip);
  EXPECT_EQ(packing_of("application/zstd"), Packing::kZstd);
  EXPECT_EQ(packing_of("application/x-ndjson; charset=utf-8"), Packing::kNone);
  EXPECT_EQ(packing_of("text/plain"), Packing::kNone);
  for (const char* type : {"", "text/html", "multipart/form-data", "application/gzipx",
                           "application/x-www-form-urlencoded"}) {
    EXPECT_FALSE(packing_of(type)) << type;
  }
}

}  // namespace
}  // namespace benchhud::server
