#include "cli/options/python_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace benchhud::cli {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using Takes = PythonOption::Takes;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

bool is_number(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// As in argparse: a text with a space, or a negative number, is a value even if it begins with a
// dash.
bool looks_like_option(const std::string& text) {
  return text.size() > 1 && text[0] == '-' && !is_number(text) && text.find(' ') == text.npos;
}

class Parser {
 public:
  Parser(const std::vector<PythonOption>& options, const Arguments& arguments)
      : options_(options), arguments_(arguments) {}

  Expected<PythonArguments> run() {
    while (place_ < arguments_.size()) {
      const std::string& text = arguments_[place_];
      if (text == "--") {
        parsed_.positional.insert(parsed_.positional.end(),
                                  arguments_.begin() + static_cast<std::ptrdiff_t>(place_) + 1,
                                  arguments_.end());
        break;
      }
      const bool is_spelled_out = text.starts_with("--") && text.find('=') != text.npos;
      if (!looks_like_option(text) && !is_spelled_out) {
        parsed_.positional.push_back(text);
        ++place_;
        continue;
      }
      BENCHHUD_TRY(option(text));
    }
    return std::move(parsed_);
  }

 private:
  Expected<void> option(const std::string& text) {
    std::optional<std::string> value;
    const PythonOption* found = nullptr;
    if (text.starts_with("--")) {
      const std::size_t equals = text.find('=');
      if (equals != text.npos) value = text.substr(equals + 1);
      BENCHHUD_ASSIGN(found, by_name(text.substr(0, equals)));
    } else {
      const auto same = [&](const PythonOption& o) {
        return o.letter != '\0' && o.letter == text[1];
      };
      const auto place = std::find_if(options_.begin(), options_.end(), same);
      if (place == options_.end()) return invalid("unrecognized arguments: " + text);
      found = &*place;
      if (text.size() > 2) value = text.substr(text[2] == '=' ? 3 : 2);
    }
    ++place_;
    return take(*found, value);
  }

  Expected<const PythonOption*> by_name(const std::string& name) const {
    std::vector<const PythonOption*> candidates;
    for (const PythonOption& option : options_) {
      if (option.name == name) return &option;
      if (option.name.starts_with(name)) candidates.push_back(&option);
    }
    if (candidates.empty()) return invalid("unrecognized arguments: " + name);
    if (candidates.size() == 1) return candidates[0];
    std::vector<std::string_view> names;
    for (const PythonOption* candidate : candidates) names.push_back(candidate->name);
    return invalid(
        fmt::format("ambiguous option: {} could match {}", name, fmt::join(names, ", ")));
  }

  Expected<void> take(const PythonOption& option, const std::optional<std::string>& value) {
    std::vector<std::string>& values = parsed_.values[std::string(option.name)];
    if (option.takes == Takes::kNothing) {
      if (value) return invalid(fmt::format("argument {}: ignored explicit argument", option.name));
      return {};
    }
    const std::size_t before = values.size();
    if (value) {
      values.push_back(*value);
    } else {
      const std::size_t most = option.takes == Takes::kOne ? 1 : arguments_.size();
      while (place_ < arguments_.size() && values.size() - before < most &&
             arguments_[place_] != "--" && !looks_like_option(arguments_[place_])) {
        values.push_back(arguments_[place_++]);
      }
    }
    if (values.size() == before) {
      return invalid(fmt::format("argument {}: expected {} argument", option.name,
                                 option.takes == Takes::kOne ? "one" : "at least one"));
    }
    if (option.choices.empty()) return {};
    for (const std::string& given : values) {
      if (std::find(option.choices.begin(), option.choices.end(), given) == option.choices.end()) {
        return invalid(fmt::format("argument {}: invalid choice: '{}' (choose from '{}')",
                                   option.name, given, fmt::join(option.choices, "', '")));
      }
    }
    return {};
  }

  const std::vector<PythonOption>& options_;
  const Arguments& arguments_;
  std::size_t place_ = 0;
  PythonArguments parsed_;
};

}  // namespace

const std::vector<std::string>& PythonArguments::all(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto place = values.find(name);
  return place == values.end() ? kNone : place->second;
}

std::string PythonArguments::last(std::string_view name, std::string_view otherwise) const {
  const auto& given = all(name);
  return given.empty() ? std::string(otherwise) : given.back();
}

Expected<PythonArguments> parse_python_style(const std::vector<PythonOption>& options,
                                             const Arguments& arguments) {
  return Parser(options, arguments).run();
}

Expected<double> to_number(std::string_view name, const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
      !std::isfinite(value)) {
    return invalid(fmt::format("argument {}: invalid float value: '{}'", name, text));
  }
  return value;
}

Expected<int> to_integer(std::string_view name, const std::string& text) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    return invalid(fmt::format("argument {}: invalid int value: '{}'", name, text));
  }
  return value;
}

}  // namespace benchhud::cli
