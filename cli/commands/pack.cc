// benchhud pack: traces as files that a store takes in without the files they were made of.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/options/commands.h"
#include "cli/options/memory.h"
#include "cli/options/options.h"
#include "ingest/text/file_kind.h"
#include "schema/base/count_text.h"
#include "schema/db/database.h"
#include "schema/db/store_folder.h"
#include "schema/store/migrate.h"
#include "service/imports/importer.h"
#include "trace/pack/pack_file.h"
#include "trace/trace_queries.h"

namespace benchhud::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

CommandLine pack_command_line() {
  CommandLine command;
  command.usage = "benchhud pack TRACE… [--out PLACE] [--format text|json]";
  command.about =
      "Makes a pack of each trace, a Chrome trace or an XPlane profile (*.xplane.pb), plain or\n"
      "compressed: a file with all that a store keeps of it, which is a fraction of a large "
      "trace's\n"
      "size. `benchhud ingest`, `benchhud watch` and uploads take packs in as they take traces. A\n"
      "pack is named as its trace, without .gz or .zst, and .pack behind it, and lies beside it; "
      "so\n"
      "it goes to the same result. No store is needed, and nothing is replaced.";
  command.options.add_options()(
      "out", po::value<std::string>()->value_name("PLACE"),
      "a folder to make the packs in; of one trace also the file, whose name ends in .pack");
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

struct Packed {
  std::string trace, pack;
  trace::PackFacts facts;
  std::int64_t trace_bytes = 0, problem_count = 0;
};

/// Where the pack of a trace goes.
fs::path pack_path(const std::string& trace, const std::optional<std::string>& out) {
  const fs::path beside =
      std::string(ingest::uncompressed_name(trace)) + std::string(ingest::kPackEnding);
  if (!out) return beside;
  std::error_code none;
  if (out->ends_with(ingest::kPackEnding) && !fs::is_directory(*out, none)) return *out;
  return fs::path(*out) / beside.filename();
}

Expected<Packed> pack_trace(const std::string& trace, const fs::path& file) {
  // A store that nobody sees.
  BENCHHUD_ASSIGN(auto store, Connection::open(":memory:", schema::OpenMode::kReadWriteCreate));
  BENCHHUD_TRY(schema::migrate(store));
  BENCHHUD_ASSIGN(const service::ImportedTrace imported, service::import_trace(store, trace));
  BENCHHUD_ASSIGN(const trace::TraceInfo info, trace::TraceQueries(store, imported.trace).info());
  BENCHHUD_TRY(schema::make_folder_of(file.string()));
  BENCHHUD_ASSIGN(const trace::PackFacts facts,
                  trace::write_pack(store, imported.trace, file, trace));
  return Packed{trace, file.string(), facts, info.byte_count, imported.problem_count};
}

void print(const Packed& packed) {
  fmt::print("{}: {:.3f} MB of {:.3f} MB\n", printable(packed.pack),
             static_cast<double>(packed.facts.byte_count) / 1e6,
             static_cast<double>(packed.trace_bytes) / 1e6);
  if (packed.problem_count > 0) {
    fmt::print(stderr, "{}: {} of it could not be read\n", printable(packed.trace),
               schema::count_text(packed.problem_count, "part"));
  }
}

nlohmann::ordered_json json_of(const Packed& packed) {
  return {{"trace", packed.trace},
          {"pack", packed.pack},
          {"hash", packed.facts.hash.hex()},
          {"bytes", packed.facts.byte_count},
          {"trace_bytes", packed.trace_bytes},
          {"problem_count", packed.problem_count}};
}

}  // namespace

int run_pack(const Arguments& arguments) {
  keep_memory();
  const ParsedCommandLine parsed = parse(pack_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  const Arguments traces = words_of(parsed.values);
  std::optional<std::string> out;
  if (parsed.values.count("out")) out = parsed.values["out"].as<std::string>();
  if (traces.empty()) {
    return fail({ErrorCode::kInvalidArgument, "`benchhud pack` needs to be told which traces"});
  }
  if (out && pack_path(traces[0], out) == *out && traces.size() > 1) {
    return fail(
        {ErrorCode::kInvalidArgument,
         fmt::format("--out {} is one pack, and there are {} traces", *out, traces.size())});
  }
  // One that fails keeps no other from its pack.
  int status = kDone;
  nlohmann::ordered_json packs = nlohmann::ordered_json::array();
  for (const std::string& trace : traces) {
    const auto packed = pack_trace(trace, pack_path(trace, out));
    if (!packed) {
      status = fail(packed.error());
    } else if (*as_json) {
      packs.push_back(json_of(*packed));
    } else {
      print(*packed);
    }
  }
  if (*as_json) {
    const nlohmann::ordered_json document{{"packs", std::move(packs)}};
    fmt::print("{}\n",
               document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  return status;
}

}  // namespace benchhud::cli
