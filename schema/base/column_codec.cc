#include "schema/base/column_codec.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <new>

namespace benchhud::schema {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::uint64_t ColumnReader::get_long() {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == end_) break;
    const auto byte = static_cast<unsigned char>(*at_++);
    if (shift == 63 && byte > 1) break;
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  fail();
  return 0;
}

std::string compress(std::string_view bytes, int level) {
  // A context is costly to make and is not shared between threads.
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context;
  if (!context) context.reset(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compressCCtx(context.get(), frame.data(), frame.size(),
                                             bytes.data(), bytes.size(), level);
  // There is room for the worst case, so that nothing else fails.
  if (ZSTD_isError(size)) throw std::bad_alloc();
  frame.resize(size);
  frame.shrink_to_fit();
  return frame;
}

Expected<std::string> decompress(std::string_view frame, std::size_t most) {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context;
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  const unsigned long long stated = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR || stated > most) {
    return corrupt_trace("block");
  }
  std::string bytes(static_cast<std::size_t>(stated), '\0');
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), frame.data(), frame.size());
  throw_if_no_memory(size);
  if (ZSTD_isError(size) || size != bytes.size()) return corrupt_trace("block");
  return bytes;
}

void throw_if_no_memory(std::size_t zstd_size) {
  if (ZSTD_getErrorCode(zstd_size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
}

Error corrupt_trace(std::string_view part) {
  return Error{ErrorCode::kCorrupt, fmt::format("a {} of a stored trace is damaged", part)};
}

}  // namespace benchhud::schema
