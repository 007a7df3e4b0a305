#include "cli/output/profile_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/named_result.h"
#include "cli/options/options.h"
#include "ingest/pipeline/trace_file.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"
#include "service/answers/profile_comparison.h"
#include "service/answers/profiled_result.h"
#include "service/answers/read_catalog.h"
#include "views/profile_comparison_json.h"

namespace benchhud::cli {
namespace {

using analysis::FrameworkOperators;
using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using service::BackendComparison;
using service::ComparedRow;
using service::ComparedTime;
using service::ProfiledResult;

struct ComparedSide {
  std::string asked;
  ProfiledResult profiled;
  // Of a result; none of a file.
  std::optional<schema::Run> run;
  std::optional<schema::ExperimentId> experiment;
  const analysis::CatalogEntry* entry = nullptr;

  views::ComparedProfile view() const {
    return {run ? &*run : nullptr, entry, profiled,
            run ? std::string_view() : std::string_view(asked)};
  }
};

bool is_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

Expected<ComparedSide> side_of_file(const std::string& path) {
  BENCHHUD_ASSIGN(const trace::Trace trace, ingest::read_trace_file(path));
  for (const trace::TraceProblem& problem : trace.problems) {
    fmt::print(stderr, "{}\n",
               printable(fmt::format("{}: byte {}: {}", path, problem.offset + 1, problem.reason)));
  }
  ComparedSide side;
  side.asked = path;
  side.profiled = service::profile_of_trace(trace);
  return side;
}

// Whether there is such a result is not known where the store cannot be read.
Error not_looked_up(const std::string& asked, const Error& why) {
  const bool is_told = why.code == ErrorCode::kNotFound || why.code == ErrorCode::kAmbiguous ||
                       why.code == ErrorCode::kInvalidArgument;
  return Error{why.code,
               fmt::format("{} is no file, and {}: {}", asked,
                           is_told ? "no result" : "cannot be looked up as a result", why.message)};
}

Expected<ComparedSide> side_of_result(Connection& store, const std::string& asked) {
  const auto result = find_result(store, asked);
  if (!result) return not_looked_up(asked, result.error());
  schema::Reader reader(store);
  ComparedSide side;
  side.asked = asked;
  BENCHHUD_ASSIGN(side.run, reader.run(result->run));
  side.experiment = result->experiment;
  BENCHHUD_ASSIGN(side.profiled, service::profile_of_result(reader, *result));
  if (side.profiled.profile) return side;
  return Error{side.profiled.artifact ? ErrorCode::kUnsupported : ErrorCode::kNotFound,
               fmt::format("{}: {}", asked, side.profiled.missing())};
}

struct BothSides {
  ComparedSide left, right;
  std::optional<analysis::Catalog> catalog;  // of entries
};

Expected<BothSides> read_sides(const ProfileComparisonRequest& request) {
  BothSides both;
  const std::array asked = {std::pair(&request.left, &both.left),
                            std::pair(&request.right, &both.right)};
  std::optional<Connection> store;
  std::optional<schema::Transaction> transaction;  // both are of one state of the store
  for (const auto& [name, side] : asked) {
    if (is_file(*name)) {
      BENCHHUD_ASSIGN(*side, side_of_file(*name));
      continue;
    }
    if (!store) {
      auto opened = schema::open_store_for_reading(request.store);
      if (!opened) return not_looked_up(*name, opened.error());
      store = *std::move(opened);
      auto begun = schema::Transaction::begin(*store, schema::Transaction::Kind::kRead);
      if (!begun) return begun.error();
      transaction.emplace(*std::move(begun));
    }
    BENCHHUD_ASSIGN(*side, side_of_result(*store, *name));
  }
  if (!store) return both;
  BENCHHUD_ASSIGN(both.catalog, service::read_catalog(*store));
  for (ComparedSide* const side : {&both.left, &both.right}) {
    if (side->experiment) side->entry = both.catalog->find(*side->experiment);
  }
  return both;
}

std::string iterations_text(const ProfiledResult& of) {
  using CountedBy = ProfiledResult::CountedBy;
  if (of.counted_by == CountedBy::kNothing) {
    return "the whole profile: nothing marks iterations or says how many there are";
  }
  const std::string count = analysis::count_text(*of.iterations, "iteration");
  const auto length = of.profiled().per_iteration(of.profile->length);
  const std::string each =
      length ? analysis::nanoseconds_text(*length) + " an iteration" : "of unknown length";
  return of.counted_by == CountedBy::kMarks
             ? fmt::format("{}, by {}; {}", count, analysis::found_by_words(of.profile->found_by),
                           each)
             : fmt::format("one repetition of {}, which nothing marks; {}", count, each);
}

std::string memory_text(const analysis::IterationProfile& of) {
  if (!of.peak_memory && !of.peak_reserved) return "peak of memory unknown";
  std::string text = "peak of memory " + analysis::bytes_text(of.peak_memory);
  if (of.peak_reserved)
    text += fmt::format(", {} reserved", analysis::bytes_text(of.peak_reserved));
  if (of.peak_memory_of) text += fmt::format("; {}", words_of(*of.peak_memory_of));
  return text;
}

void print_side(std::string_view name, const ComparedSide& side) {
  if (side.run && side.entry != nullptr) {
    const schema::ExperimentView of = side.entry->experiment();
    fmt::print(
        "{:<7}{}, {}, {}, run {}\n       {}, {}\n       {}\n", name, printable(of.model),
        printable(of.test), printable(side.entry->column()), printable(side.run->name),
        of.accelerator_model.empty() ? "on an unknown machine" : printable(of.accelerator_model),
        of.batch_size ? fmt::format("batch {}", *of.batch_size) : "batch size unknown",
        side.profiled.artifact ? printable(side.profiled.artifact->name) : "");
  } else {
    fmt::print("{:<7}{}\n", name, printable(side.asked));
  }
  fmt::print("       {}\n       {}\n", iterations_text(side.profiled),
             memory_text(*side.profiled.profile));
}

std::string compared_ns_text(const std::optional<double>& ns) {
  return ns ? analysis::nanoseconds_text(*ns) : "unknown";
}

std::string compared_share_text(const std::optional<double>& share) {
  return share ? analysis::share_text(*share) : "unknown";
}

std::string difference_text(const ComparedRow& row) {
  if (row.difference) {
    return (*row.difference > 0 ? "+" : "") + analysis::nanoseconds_text(*row.difference);
  }
  return row.left.ns && row.right.ns ? "–" : "unknown";
}

std::string row_name(const ComparedRow& row) {
  if (row.kind == "without_operator") return "(time of which no operator is known)";
  if (row.kind == "rest") return "(operators beyond those that are kept)";
  return printable(row.name);
}

void print_rows(std::span<const ComparedRow> rows) {
  for (const ComparedRow& row : rows) {
    fmt::print("  {:>9} {:>8}  {:>9} {:>8}  {:>10}  {}\n", compared_ns_text(row.left.ns),
               compared_share_text(row.left.share), compared_ns_text(row.right.ns),
               compared_share_text(row.right.share), difference_text(row), row_name(row));
  }
}

// What is unknown for one reason is said once: "left: tracing, compiling: The trace has no …".
// Where a share is known, only the number of iterations is not, as iterations_text() says.
void print_reasons(std::string_view name, std::span<const ComparedRow> rows,
                   ComparedTime ComparedRow::* side) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const ComparedRow& row : rows) {
    const ComparedTime& time = row.*side;
    if (!time.ns && !time.share && !time.unknown.empty())
      by_reason[time.unknown].push_back(row_name(row));
  }
  for (const auto& [reason, names] : by_reason) {
    fmt::print("  unknown of the {}: {}: {}\n", name, fmt::join(names, ", "), printable(reason));
  }
}

void print_reasons(std::span<const ComparedRow> rows) {
  print_reasons("left", rows, &ComparedRow::left);
  print_reasons("right", rows, &ComparedRow::right);
}

std::string operators_text(const FrameworkOperators& of) {
  switch (of.where) {
    case FrameworkOperators::Where::kDevice:
      return of.device_count == 1 ? "of a device"
                                  : fmt::format("the mean of {} devices", of.device_count);
    case FrameworkOperators::Where::kHost:
      return "of the host";
    case FrameworkOperators::Where::kNowhere:
      break;
  }
  return "unknown";
}

bool has_other_flags(const BothSides& both) {
  if (both.left.entry == nullptr || both.right.entry == nullptr) return false;
  const schema::ExperimentView left = both.left.entry->experiment();
  const schema::ExperimentView right = both.right.entry->experiment();
  return left.xla_flags != right.xla_flags || left.flags != right.flags;
}

void print_text(const BothSides& both, const BackendComparison& comparison, std::size_t most) {
  print_side("left", both.left);
  print_side("right", both.right);
  if (has_other_flags(both)) fmt::print("       the two have other flags\n");
  fmt::print("\n  {:>18}  {:>18}  {:>10}  part of an iteration\n", "left", "right", "difference");
  print_rows(comparison.parts);
  print_reasons(comparison.parts);
  const ComparedRow& left_over = comparison.parts.back();
  if (!left_over.difference && left_over.left.ns && left_over.right.ns) {
    fmt::print("  The two do not know the same parts, so what is unknown does not compare.\n");
  }
  const FrameworkOperators& left = both.left.profiled.profile->operators;
  const FrameworkOperators& right = both.right.profiled.profile->operators;
  fmt::print("\noperators, left: {}; right: {}\n", operators_text(left), operators_text(right));
  const auto shown = schema::first_of(comparison.operators, most);
  print_rows(shown);
  if (shown.size() < comparison.operators.size()) {
    fmt::print("  … and {} more\n", comparison.operators.size() - shown.size());
  }
  print_reasons(shown);
  for (const auto& [name, of] : {std::pair("left", &left), std::pair("right", &right)}) {
    if (!of->unknown.empty()) fmt::print("  {}: {}\n", name, printable(of->unknown));
  }
  if (!comparison.without_difference.empty()) {
    fmt::print("  {}\n", comparison.without_difference);
  }
}

}  // namespace

Expected<void> print_profile_comparison(const ProfileComparisonRequest& request) {
  BENCHHUD_ASSIGN(const BothSides both, read_sides(request));
  const BackendComparison comparison =
      service::compare_profiles(both.left.profiled, both.right.profiled);
  if (request.as_json) {
    std::string text;
    schema::JsonWriter json(&text, schema::JsonWriter::Layout::kIndented);
    views::write_profile_comparison(json, both.left.view(), both.right.view(), comparison,
                                    std::numeric_limits<std::size_t>::max());
    fmt::print("{}\n", text);
  } else {
    print_text(both, comparison, request.most_operators);
  }
  if (both.left.profiled.iterations || both.right.profiled.iterations) return {};
  return Error{ErrorCode::kUnsupported,
               "it is not known of either profile how many iterations of the model it has: of an "
               "iteration there are only shares, and no times"};
}

}  // namespace benchhud::cli
