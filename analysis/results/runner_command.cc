#include "analysis/results/runner_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>

namespace benchhud::analysis {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

// A regular expression of Python's that matches this text alone.
std::string exactly(std::string_view text) {
  std::string pattern = "^";
  for (const char c : text) {
    if (std::string_view(R"(\.^$*+?{}[]|())").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  return "'" + boost::algorithm::replace_all_copy(std::string(text), "'", "'\\''") + "'";
}

std::string runner_command(const schema::ExperimentView& experiment, const RunnerOptions& options) {
  std::string command = "python xla/benchmarks/experiment_runner.py";
  const auto add = [&](std::string_view option, std::string_view value) {
    command += fmt::format(" {}={}", option, shell_word(value));
  };
  add("--suite-name", experiment.suite);
  add("--filter", exactly(experiment.model));
  add("--accelerator", experiment.accelerator);
  add("--xla", experiment.xla.value_or("None"));
  add("--dynamo", experiment.dynamo.value_or("None"));
  add("--test", experiment.test);
  if (experiment.torch_xla2) add("--torch-xla2", *experiment.torch_xla2);
  if (experiment.xla_flags) add("--xla-flags", *experiment.xla_flags);
  if (experiment.batch_size) add("--batch-size", std::to_string(*experiment.batch_size));
  if (experiment.flags.find("\"keep_model_data_on_cuda\":true") != std::string::npos) {
    command += " --xla-take-cuda-model-and-data";
  }
  if (options.repeat) add("--repeat", std::to_string(*options.repeat));
  if (options.iterations_per_run) {
    add("--iterations-per-run", std::to_string(*options.iterations_per_run));
  }
  if (options.verify) command += " --verify";
  return command + " --no-resume --output-dirname=output";
}

}  // namespace benchhud::analysis
