// The reader of IR dumps: never crashes, and keeps what it promises.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/ir/ir_text.h"
#include "ingest/ir/ir_type.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::int64_t sum(const benchhud::schema::IrHistogram& histogram) {
  std::int64_t all = 0;
  for (const auto& [name, count] : histogram) all += count;
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchhud::ingest;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const IrText read = read_ir_text(text);
  std::int64_t end = 0;
  for (const auto& module : read.modules) {
    // In order, apart, and within the text.
    require(module.offset >= end && module.length > 0);
    end = module.offset + module.length;
    require(end <= static_cast<std::int64_t>(size));
    std::int64_t line = 1;
    for (const char c : text.substr(0, static_cast<std::size_t>(module.offset))) line += c == '\n';
    require(module.line == line);
    require(sum(module.ops) == module.instruction_count);
    require(!module.parameter_bytes || *module.parameter_bytes >= 0);
    std::int64_t contractions = 0;
    for (const auto& contraction : module.contractions) contractions += contraction.count;
    require(contractions <= module.instruction_count);
    require(!module.is_unfinished || !read.problems.empty());
  }
  if (const auto bytes = xla_type_bytes(text)) require(*bytes >= 0);
  if (const auto bytes = mlir_type_bytes(text)) require(*bytes >= 0);
  for (const std::string_view part : split_list(text, true)) require(part.size() <= size);
  const std::size_t bracket = bracket_end(text);
  require(bracket == text.npos || bracket <= size);
  return 0;
}
