#include "ingest/output/machine_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/algorithm/string/trim.hpp>
#include <fstream>
#include <map>
#include <system_error>
#include <vector>

namespace benchhud::ingest {
namespace {

namespace fs = std::filesystem;

// What stands behind "name:" in the first line of a file that begins so; "" where there is none.
std::string value_in(const fs::path& file, std::string_view name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || boost::trim_copy(line.substr(0, colon)) != name) continue;
    return boost::trim_copy(line.substr(colon + 1));
  }
  return "";
}

// By model, how many there are.
std::map<std::string, int> gpus_in(const fs::path& folder) {
  std::map<std::string, int> gpus;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string model = value_in(entry.path() / "information", "Model");
    if (!model.empty()) ++gpus[model];
  }
  return gpus;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 …": the first word that is
// a version.
std::string driver_in(const fs::path& file) {
  std::ifstream lines(file);
  std::string word;
  while (lines >> word) {
    const bool is_version =
        word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
    if (is_version) return word;
  }
  return "";
}

}  // namespace

std::string describe_machine(std::string_view host, const fs::path& proc) {
  std::vector<std::string> parts = {std::string(host)};
  parts.push_back(value_in(proc / "cpuinfo", "model name"));
  for (const auto& [model, count] : gpus_in(proc / "driver/nvidia/gpus")) {
    parts.push_back(count == 1 ? model : fmt::format("{} × {}", count, model));
  }
  const std::string driver = driver_in(proc / "driver/nvidia/version");
  if (!driver.empty()) parts.push_back("driver " + driver);
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace benchhud::ingest
