// The reader of TORCH_TRACE logs: never crashes, keeps what it promises, and reads the same in
// pieces of any size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/torch_trace/torch_trace_reader.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

benchhud::schema::TorchTraceLog read(std::string_view text, std::size_t piece, std::string* kept) {
  benchhud::ingest::TorchTraceOptions options;
  options.keep_text = [&](std::string_view one) {
    kept->append(one) += '\n';
    return std::optional<benchhud::schema::TextId>();
  };
  benchhud::ingest::TorchTraceReader reader(options);
  while (!text.empty()) {
    reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return reader.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string kept, kept_again;
  const auto log = read(text, std::string_view::npos, &kept);
  const auto again = read(text, 3, &kept_again);
  require(kept == kept_again && log.record_count == again.record_count);
  require(log.problems.size() == again.problems.size());
  std::int64_t by_kind = 0;
  for (const auto& kind : log.kinds) by_kind += kind.second;
  require(by_kind == log.record_count);
  for (const auto& output : log.outputs) {
    require(output.line >= 1 && output.byte_count >= 0);
    require(!output.compilation ||
            static_cast<std::size_t>(*output.compilation) < log.compilations.size());
  }
  for (const auto& one : log.compilations) {
    require(!one.compile_id.empty() && one.attempt >= 0 && one.occurrence >= 1);
    require(!one.seconds || *one.seconds == *one.seconds);
  }
  return 0;
}
