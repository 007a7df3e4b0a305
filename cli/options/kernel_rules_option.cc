#include "cli/options/kernel_rules_option.h"

#include <boost/program_options/value_semantic.hpp>
#include <string>
#include <utility>

#include "analysis/kernels/kernel_rules.h"
#include "cli/options/text_file.h"

namespace benchhud::cli {

namespace po = boost::program_options;
using analysis::KernelRules;

void add_kernel_rules_option(po::options_description* options) {
  options->add_options()("kernel-rules", po::value<std::string>()->value_name("FILE"),
                         "what kernels of devices do, by their names: rules that come before the "
                         "program's own (docs/traces.md)");
}

schema::Expected<void> use_kernel_rules(const po::variables_map& values) {
  if (!values.count("kernel-rules")) return {};
  const std::string& path = values["kernel-rules"].as<std::string>();
  BENCHHUD_ASSIGN(const std::string text, read_text_file(path, KernelRules::kMostFileBytes));
  BENCHHUD_ASSIGN(KernelRules rules, KernelRules::parse(text, path));
  analysis::set_kernel_rules(std::move(rules));
  return {};
}

}  // namespace benchhud::cli
