#include "cli/options/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "ingest/output/machine_description.h"
#include "schema/results/machine_label.h"

namespace benchhud::cli {
namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

void add_machine_option(po::options_description* options) {
  options->add_options()("machine", po::value<std::string>()->value_name("NAME"),
                         "the machine that the results are of, as the label `machine`: times are "
                         "compared within each; "
                         "`auto`: this one, by host, CPU, GPUs and driver");
}

Expected<void> read_machine_option(const po::variables_map& values,
                                   std::map<std::string, std::string>* labels) {
  if (!values.contains("machine")) return {};
  std::string name = values["machine"].as<std::string>();
  if (name.empty()) return Error{ErrorCode::kInvalidArgument, "--machine needs a name, or auto"};
  if (name == "auto") {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    name = ingest::describe_machine(host.data(), "/proc");
  }
  const auto [label, is_new] = labels->try_emplace(std::string(schema::kMachineLabel), name);
  if (!is_new && label->second != name) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--machine says {}, --label machine={}", name, label->second)};
  }
  return {};
}

}  // namespace benchhud::cli
