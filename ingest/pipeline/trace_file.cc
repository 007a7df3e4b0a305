#include "ingest/pipeline/trace_file.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "ingest/text/source_file.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"
#include "trace/pack/pack_file.h"
#include "trace/pack/pack_reader.h"

namespace benchhud::ingest {

schema::Expected<bool> is_pack_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(path));
  std::string begin;
  // What is wrong with it, whoever reads it tells.
  if (!source.read(trace::kPackBeginBytes, &begin) || !trace::is_pack(begin)) return false;
  std::array<char, trace::kPackBeginBytes> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (file.read(bytes.data(), bytes.size()) && trace::is_pack({bytes.data(), bytes.size()})) {
    return true;
  }
  return schema::Error{schema::ErrorCode::kUnsupported,
                       fmt::format("{} is a pack that is compressed: unpack it first", path)};
}

schema::Expected<trace::Trace> read_trace_file(const std::string& path) {
  BENCHHUD_ASSIGN(const bool is_packed, is_pack_file(path));
  if (is_packed) {
    BENCHHUD_ASSIGN(auto pack, trace::PackReader::open(path));
    return pack.trace(nullptr);
  }
  BENCHHUD_ASSIGN(const bool is_xplane, is_xplane_file(path));
  return is_xplane ? read_xplane_file(path) : read_trace(path);
}

}  // namespace benchhud::ingest
