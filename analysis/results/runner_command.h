// The command line with which the benchmark runner runs one experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/types.h"

namespace benchhud::analysis {

/// One word of a POSIX shell that stands for `text`, whatever is in it.
std::string shell_word(std::string_view text);

struct RunnerOptions {
  std::optional<std::int64_t> repeat,
      iterations_per_run;  ///< the runner's own defaults, if not set
  bool verify = false;
};

/// `python xla/benchmarks/experiment_runner.py …` for exactly this model and configuration, into
/// ./output, whatever is there. Options as pytorch/xla's benchmarks/experiment_runner.py takes them
/// (009b83f). Of the other settings those that it has an option for; a batch size only where the
/// experiment has one.
std::string runner_command(const schema::ExperimentView& experiment, const RunnerOptions& options);

}  // namespace benchhud::analysis
