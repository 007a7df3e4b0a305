// A team's own rules for what kernels do (docs/traces.md).
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "schema/base/errors.h"

namespace benchhud::cli {

/// Adds `--kernel-rules FILE`.
void add_kernel_rules_option(boost::program_options::options_description* options);

/// Makes the rules of that file the process's, if one is given; before threads start. Errors:
/// kNotFound, kIo; kTooLarge; kInvalidArgument with the file and the line that is no rule.
schema::Expected<void> use_kernel_rules(const boost::program_options::variables_map& values);

}  // namespace benchhud::cli
