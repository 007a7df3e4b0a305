#include <vector>

#include "embedded/pages.h"
#include "server/http/static_files.h"

namespace benchhud::server {

std::span<const StaticFiles::File> built_in_pages() {
  static const std::vector<StaticFiles::File> kPages = [] {
    std::vector<StaticFiles::File> pages;
    for (const auto& file : embedded_pages()) pages.emplace_back(file.name, file.bytes);
    return pages;
  }();
  return kPages;
}

}  // namespace benchhud::server
