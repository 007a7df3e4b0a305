#include "cli/options/options.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "cli/options/journal.h"
#include "schema/store/store.h"

namespace benchhud::cli {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

ParsedCommandLine parse(CommandLine command, const Arguments& arguments) {
  command.options.add_options()("help,h", "print this and stop");
  ParsedCommandLine parsed;
  const auto usage = [&] {
    std::ostringstream text;
    text << command.options;
    return fmt::format("usage: {}\n\n{}\n\n{}", command.usage, command.about, text.str());
  };
  po::options_description all;
  all.add(command.options).add(command.arguments);
  try {
    po::store(
        po::command_line_parser(arguments)
            .options(all)
            .positional(command.positional)
            .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
            .run(),
        parsed.values);
    if (parsed.values.count("help")) {
      fmt::print("{}", usage());
      parsed.exit_status = kDone;
      return parsed;
    }
    po::notify(parsed.values);
  } catch (const po::error& error) {
    fmt::print(stderr, "benchhud: {}\n\n{}", error.what(), usage());
    parsed.exit_status = kUsage;
  }
  return parsed;
}

void add_store_option(po::options_description* options) {
  options->add_options()("db", po::value<std::string>()->value_name("FILE"),
                         "the store (default: $BENCHHUD_DB, else benchhud/benchhud.db in the "
                         "user's data folder)");
}

std::string store_path(const po::variables_map& values) {
  return values.count("db") ? values["db"].as<std::string>() : schema::default_store_path();
}

void add_format_option(po::options_description* options, const char* about) {
  options->add_options()(
      "format", po::value<std::string>()->value_name("FORMAT")->default_value("text"), about);
}

Expected<bool> wants_json(const po::variables_map& values) {
  const std::string format = values["format"].as<std::string>();
  if (format == "text" || format == "json") return format == "json";
  return Error{ErrorCode::kInvalidArgument, "--format is text or json"};
}

void add_words(CommandLine* command) {
  command->arguments.add_options()("word", po::value<Arguments>());
  command->positional.add("word", -1);
}

Arguments words_of(const po::variables_map& values) {
  return values.count("word") ? values["word"].as<Arguments>() : Arguments();
}

po::typed_value<std::int64_t>* count_value(const std::string& option, std::int64_t otherwise) {
  const auto check = [option](std::int64_t value) {
    if (value >= 1) return;
    throw po::validation_error(po::validation_error::invalid_option_value, option,
                               std::to_string(value));
  };
  return po::value<std::int64_t>()->value_name("N")->default_value(otherwise)->notifier(check);
}

Expected<std::pair<std::string, std::string>> split_label(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a label is KEY=VALUE, which {} is not", printable(text))};
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string user_name() {
  const passwd* const user = getpwuid(geteuid());
  return user != nullptr && user->pw_name != nullptr ? user->pw_name : "";
}

int fail(const Error& error) {
  // Not by fmt, which throws where standard error cannot be written.
  const std::string line =
      fmt::format("{}benchhud: {}\n", journal_mark(Urgency::kError), printable(error.message));
  std::fputs(line.c_str(), stderr);
  if (error.code == ErrorCode::kInvalidArgument) return kUsage;
  return passes(error.code) ? kStoreBusy : kFailed;
}

bool passes(ErrorCode code) { return code == ErrorCode::kBusy || code == ErrorCode::kUnavailable; }

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace benchhud::cli
