// The printer of HLO modules and the search in their texts: never crash, and what is printed is
// read again without problems.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/ir/hlo_lookup.h"
#include "ingest/ir/ir_text.h"
#include "ingest/xplane/hlo_text.h"

namespace {

using benchhud::ingest::find_hlo_instruction;
using benchhud::ingest::HloText;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  int problems = 0;
  const HloText made = benchhud::ingest::print_hlo(bytes, [&](const char* place, std::string_view) {
    require(place == nullptr || (bytes.data() <= place && place <= bytes.data() + bytes.size()));
    ++problems;
  });
  for (const char c : made.text) require(c == '\n' || (' ' <= c && c <= '~'));
  const auto read = benchhud::ingest::read_ir_text(made.text);
  require(made.text.empty() == read.modules.empty());
  // The bytes themselves as a text, too.
  for (const std::string_view text : {std::string_view(made.text), bytes}) {
    for (std::int64_t line = 1; line < 50; ++line) {
      const auto found = benchhud::ingest::hlo_line_at(text, line);
      if (!found) break;
      require(found->line == line && static_cast<std::size_t>(found->offset) < text.size());
      if (!found->instruction) continue;
      require(found->instruction->line == line && !found->instruction->name.empty());
      (void)find_hlo_instruction(text, found->instruction->name);
    }
    (void)benchhud::ingest::hlo_entry_line(text);
  }
  return 0;
}
