// Labels in a file: whatever it holds, what is read can be written and is read again as it was.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/results/label_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto labels = benchhud::ingest::read_labels(text);
  if (!labels) return 0;
  std::string written;
  for (const auto& [key, value] : *labels) {
    if (key.empty() || key.find('=') != key.npos) std::abort();
    written += key + "=\"" + value + "\"\n";
  }
  const auto again = benchhud::ingest::read_labels(written);
  if (!again || *again != *labels) std::abort();
  return 0;
}
