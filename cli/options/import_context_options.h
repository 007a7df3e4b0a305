// What the command line says of neighbours' files (docs/neighbours.md) that they do not say
// themselves.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "ingest/results/foreign_format_line.h"

namespace benchhud::cli {

/// Adds --accelerator-model, --accelerator, --suite, --backend, --test and --dtype.
void add_neighbour_options(boost::program_options::options_description* options);
ingest::ImportContext import_context(const boost::program_options::variables_map& values);

}  // namespace benchhud::cli
