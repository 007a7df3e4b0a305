#include "cli/options/import_context_options.h"

#include <boost/program_options/value_semantic.hpp>
#include <string>
#include <utility>

namespace benchhud::cli {

namespace po = boost::program_options;

void add_neighbour_options(po::options_description* options) {
  auto add = options->add_options();
  const auto name = [] { return po::value<std::string>()->value_name("NAME"); };
  add("accelerator-model", name(),
      "of dynamo CSV files and HUD records that do not say it, as all of the following");
  add("accelerator", name(), "cuda, cpu, … (else column dev)");
  add("suite", name(), "else, of a CSV, as its name says");
  add("backend", name(), "else, of a CSV, as its name says");
  add("test", name(), "inference or training; else, of a CSV, as its name says");
  add("dtype", name(), "amp, bfloat16, …; else, of a CSV, as its name says");
}

ingest::ImportContext import_context(const po::variables_map& values) {
  ingest::ImportContext facts;
  for (const auto& [option, fact] :
       {std::pair("suite", &facts.suite), std::pair("backend", &facts.backend),
        std::pair("test", &facts.test), std::pair("dtype", &facts.dtype),
        std::pair("accelerator", &facts.accelerator),
        std::pair("accelerator-model", &facts.accelerator_model)}) {
    if (values.count(option)) *fact = values[option].as<std::string>();
  }
  return facts;
}

}  // namespace benchhud::cli
