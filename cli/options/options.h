// What the commands' command lines have in common.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cli/options/commands.h"
#include "schema/base/errors.h"

namespace benchhud::cli {

/// A command's options, and how it says what it takes.
struct CommandLine {
  std::string usage;  ///< "benchhud ingest PATH… [option…]"
  std::string about;  ///< a paragraph below it
  boost::program_options::options_description options;
  /// What `positional` names; the usage line tells of them, the list of options does not.
  boost::program_options::options_description arguments;
  boost::program_options::positional_options_description positional;
};

/// Parses `arguments`. Where the command should not go on (--help was given, or something is wrong
/// and was said), `exit_status` is set. Adds --help by itself.
struct ParsedCommandLine {
  boost::program_options::variables_map values;
  std::optional<int> exit_status;
};
ParsedCommandLine parse(CommandLine command, const Arguments& arguments);

/// Adds `--db FILE`, whose default is the user's store.
void add_store_option(boost::program_options::options_description* options);
std::string store_path(const boost::program_options::variables_map& values);

/// Adds `--format text|json`; `about` is its help. The value: whether JSON was asked for. Error:
/// kInvalidArgument for anything else.
void add_format_option(boost::program_options::options_description* options,
                       const char* about = "text or json");
schema::Expected<bool> wants_json(const boost::program_options::variables_map& values);

/// Takes words behind the options; their value.
void add_words(CommandLine* command);
Arguments words_of(const boost::program_options::variables_map& values);

/// The value of an option that counts something: at least 1.
boost::program_options::typed_value<std::int64_t>* count_value(const std::string& option,
                                                               std::int64_t otherwise);

/// Splits `key=value`. Error: kInvalidArgument where there is no `=` or no key.
schema::Expected<std::pair<std::string, std::string>> split_label(const std::string& text);

/// Who uses the program, as the system calls them; "" where it does not know.
std::string user_name();

/// Says what went wrong on standard error; returns the exit status for it.
int fail(const schema::Error& error);
/// Whether the same command, given later, may succeed: it ends with kStoreBusy.
bool passes(schema::ErrorCode code);

/// Makes text from files safe to show on a terminal: control characters are spelled out.
std::string printable(std::string_view text);

}  // namespace benchhud::cli
