// fleet: writes nightly results of a made-up fleet.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "fleet.h"
#include "truth.h"

namespace {

namespace po = boost::program_options;
using benchhud::bench::Fleet;
using benchhud::bench::FleetOptions;

struct Command {
  FleetOptions fleet;
  int nights = 30;
  std::size_t bytes = 0;  // 0: as many as the nights make
  int skip = 0;
  std::string out, folder, truth, start;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<Command> parse(int count, char** arguments) {
  Command command;
  std::string backends, tests;
  po::options_description options("fleet writes results of a made-up fleet of nightly benchmarks");
  options.add_options()("help", "show this")                                      //
      ("models", po::value(&command.fleet.models)->default_value(100), "models")  //
      ("backends",
       po::value(&backends)->default_value("eager,inductor,openxla+dynamo,openxla+lazytensor"),
       "backends, with commas between them")                               //
      ("tests", po::value(&tests)->default_value("eval,train"), "tests")   //
      ("nights", po::value(&command.nights)->default_value(30), "nights")  //
      ("bytes", po::value(&command.bytes)->default_value(0),
       "write nights until there are so many bytes, and end with the line that reaches them")  //
      ("skip", po::value(&command.skip)->default_value(0),
       "leave the first nights out; the others are as they would be with them")                //
      ("repeat", po::value(&command.fleet.repeat)->default_value(12), "repetitions a result")  //
      ("verify-every", po::value(&command.fleet.verify_every)->default_value(3),
       "nights from one verification to the next; 0: none")  //
      ("seed", po::value(&command.fleet.seed)->default_value(1),
       "the same seed, the same bytes")                                                     //
      ("start", po::value(&command.start)->default_value("2024-01-01"), "the first night")  //
      ("accelerator-model",
       po::value(&command.fleet.accelerator_model)->default_value(command.fleet.accelerator_model),
       "as the runner writes it")                                                                 //
      ("out", po::value(&command.out)->default_value("-"), "one file; -: standard output")        //
      ("folder", po::value(&command.folder), "a file a night, YYYY-MM-DD.jsonl, in this folder")  //
      ("truth", po::value(&command.truth), "write what is true of the numbers to this file");
  po::variables_map values;
  try {
    po::store(po::parse_command_line(count, arguments, options), values);
    po::notify(values);
  } catch (const po::error& error) {
    fmt::print(stderr, "fleet: {}\n", error.what());
    return {};
  }
  if (values.count("help")) {
    std::cerr << options;
    return {};
  }
  command.fleet.backends = split(backends);
  command.fleet.tests = split(tests);
  std::tm date{};
  if (strptime(command.start.c_str(), "%Y-%m-%d", &date) == nullptr) {
    fmt::print(stderr, "fleet: --start is not a date: {}\n", command.start);
    return {};
  }
  command.fleet.first_night = static_cast<double>(timegm(&date));
  if (command.fleet.models < 1 || command.fleet.repeat < 1 || command.fleet.backends.empty() ||
      command.fleet.tests.empty()) {
    fmt::print(stderr, "fleet: models, backends, tests and repetitions: at least one each\n");
    return {};
  }
  return command;
}

class Output {
 public:
  explicit Output(const std::string& path)
      : file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {}
  Output(const Output&) = delete;
  ~Output() {
    if (file_ && file_ != stdout) std::fclose(file_);
  }
  bool write(const std::string& text) {
    return file_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  }
  bool finish() { return file_ && std::fflush(file_) == 0; }

 private:
  std::FILE* file_;
};

bool write_file(const std::string& path, const std::string& text) {
  Output file(path);
  return file.write(text) && file.finish();
}

int fail(const std::string& path) {
  fmt::print(stderr, "fleet: cannot write {}\n", path);
  return 1;
}

// Cuts `text` behind the line that holds byte `most`.
void cut(std::size_t most, std::string* text) {
  const std::size_t end = text->find('\n', most == 0 ? 0 : most - 1);
  if (end != std::string::npos) text->resize(end + 1);
}

}  // namespace

int main(int count, char** arguments) {
  const auto command = parse(count, arguments);
  if (!command) return 2;
  Fleet fleet(command->fleet);
  std::optional<Output> out;
  if (command->folder.empty()) {
    out.emplace(command->out);
  } else {
    std::error_code error;
    std::filesystem::create_directories(command->folder, error);
  }

  std::string text;
  std::size_t written = 0;
  for (int night = 0; command->bytes > 0 ? written < command->bytes : night < command->nights;
       ++night) {
    text.clear();
    fleet.append_night(&text);
    if (night < command->skip) continue;
    if (command->bytes > 0 && written + text.size() > command->bytes) {
      cut(command->bytes - written, &text);
    }
    written += text.size();
    if (out) {
      if (!out->write(text)) return fail(command->out);
    } else {
      const std::string path = command->folder + "/" + fleet.nights().back().date + ".jsonl";
      if (!write_file(path, text)) return fail(path);
    }
  }
  if (out && !out->finish()) return fail(command->out);
  if (!command->truth.empty()) {
    if (!write_file(command->truth, truth_as_json(fleet))) return fail(command->truth);
  }
  return 0;
}
