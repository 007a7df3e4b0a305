// Command lines in the style of Python's argparse, for the commands that stand in for upstream's
// scripts: what a nightly script passes to those must mean the same here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/commands.h"
#include "schema/base/errors.h"

namespace benchhud::cli {

struct PythonOption {
  enum class Takes { kNothing, kOne, kOneOrMore };
  std::string_view name;  ///< "--filter"
  char letter = '\0';     ///< 'k' for -k; '\0' if there is none
  Takes takes = Takes::kOne;
  std::vector<std::string_view> choices = {};  ///< what it may be; anything if empty
};

struct PythonArguments {
  std::map<std::string, std::vector<std::string>, std::less<>> values;  ///< by name, in order
  std::vector<std::string> positional;

  bool has(std::string_view name) const { return values.count(name) > 0; }
  /// All values of an option; none if it was not given.
  const std::vector<std::string>& all(std::string_view name) const;
  /// The last value of an option, or `otherwise`.
  std::string last(std::string_view name, std::string_view otherwise) const;
};

/// Takes `--name value`, `--name=value`, any unambiguous beginning of a name, `-k value`,
/// `-kvalue`, and `--` before what is no option. An option that takes several takes all up to the
/// next option. Error: kInvalidArgument.
schema::Expected<PythonArguments> parse_python_style(const std::vector<PythonOption>& options,
                                                     const Arguments& arguments);

/// The value of an option as a number. Errors: kInvalidArgument.
schema::Expected<double> to_number(std::string_view name, const std::string& text);
schema::Expected<int> to_integer(std::string_view name, const std::string& text);

}  // namespace benchhud::cli
