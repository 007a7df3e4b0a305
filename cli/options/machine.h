// Which machine results were measured on.
#pragma once

#include <boost/program_options.hpp>
#include <map>
#include <string>

#include "schema/base/errors.h"

namespace benchhud::cli {

/// --machine NAME|auto.
void add_machine_option(boost::program_options::options_description* options);

/// Adds the label that --machine asks for, where it is given. Error: kInvalidArgument for an empty
/// name, and where labels name another machine.
schema::Expected<void> read_machine_option(const boost::program_options::variables_map& values,
                                           std::map<std::string, std::string>* labels);

}  // namespace benchhud::cli
