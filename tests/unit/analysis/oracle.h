// The values that tests/oracle/statistics.py wrote.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/places.h"

namespace benchhud::analysis {

inline const nlohmann::json& oracle() {
  static const nlohmann::json values = [] {
    std::ifstream file(source_root() / "tests/unit/analysis/statistics_expected.json");
    return nlohmann::json::parse(file);
  }();
  return values;
}

inline std::vector<double> doubles(const nlohmann::json& array) {
  return array.get<std::vector<double>>();
}

}  // namespace benchhud::analysis
