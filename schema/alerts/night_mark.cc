#include "schema/alerts/night_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "schema/base/name_table.h"
#include "schema/base/text_limits.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

constexpr std::array kNames = {
    std::pair{NightMarkKind::kExcluded, std::string_view("excluded")},
    std::pair{NightMarkKind::kEnvironment, std::string_view("environment")},
    std::pair{NightMarkKind::kPinned, std::string_view("pinned")},
};

NightMark read_mark(const Statement& row) {
  NightMark mark;
  mark.accelerator_model = row.text(0);
  mark.name = row.text(1);
  mark.kind = night_mark_kind_of(row.text(2)).value_or(NightMarkKind::kExcluded);
  mark.reason = row.text(3);
  mark.who = row.text(4);
  mark.at = row.real(5);
  mark.token = row.optional_text(6);
  return mark;
}

// A run counts as changed with its marks: what was worked out from it may be different now.
Expected<void> count_revision(Connection& connection, RunId run) {
  BENCHHUD_ASSIGN(const std::int64_t revision, next_revision(connection));
  return connection.cached(sql::kSetRunRevision).bind(1, run).bind(2, revision).run();
}

}  // namespace

std::string_view night_mark_kind_name(NightMarkKind kind) { return name_in(kNames, kind); }

std::optional<NightMarkKind> night_mark_kind_of(std::string_view name) {
  return value_in(kNames, name);
}

Expected<std::vector<NightMark>> night_marks(Connection& connection,
                                             std::optional<std::string_view> accelerator_model) {
  if (!accelerator_model) return collect(connection.cached(sql::kNightMarksByName), read_mark);
  Statement query = connection.cached(sql::kNightMarksOfModel);
  query.bind(1, *accelerator_model);
  return collect(query, read_mark);
}

std::vector<NightMark> marks_of(const Run& run, std::span<const NightMark> marks) {
  std::vector<NightMark> own;
  std::ranges::copy_if(marks, std::back_inserter(own),
                       [&](const NightMark& mark) { return mark.name == run.name; });
  return own;
}

Expected<void> mark_nights(Connection& connection, std::span<const Run> runs,
                           const NewNightMark& mark) {
  BENCHHUD_TRY(check_length("the reason", mark.reason, kMostLineBytes));
  BENCHHUD_TRY(check_length("the name of who marks", mark.who, kMostLineBytes));
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  const double at = now();
  for (const Run& run : runs) {
    Statement put = connection.cached(sql::kPutNightMark);
    put.bind(1, run.accelerator_model).bind(2, run.name).bind(3, night_mark_kind_name(mark.kind));
    put.bind(4, mark.reason).bind(5, mark.who).bind(6, at).bind(7, mark.token);
    BENCHHUD_TRY(put.run());
    // The audit has the reason too: a mark can be replaced and taken away.
    std::string detail = fmt::format("{}: {}", describe(run), night_mark_kind_name(mark.kind));
    if (!mark.who.empty()) detail += fmt::format(" by {}", mark.who);
    if (!mark.reason.empty()) detail += fmt::format(": {}", mark.reason);
    BENCHHUD_TRY(note(connection, "mark", detail));
    BENCHHUD_TRY(count_revision(connection, run.id));
  }
  return transaction.commit();
}

Expected<std::vector<Run>> runs_without_mark(Connection& connection, std::vector<Run> runs,
                                             NightMarkKind kind) {
  BENCHHUD_ASSIGN(const auto marks, night_marks(connection));
  std::erase_if(runs, [&](const Run& run) {
    return std::ranges::any_of(marks, [&](const NightMark& mark) {
      return mark.kind == kind && mark.name == run.name &&
             mark.accelerator_model == run.accelerator_model;
    });
  });
  return runs;
}

Expected<void> unmark_nights(Connection& connection, std::span<const Run> runs,
                             NightMarkKind kind) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  for (const Run& run : runs) {
    Statement remove = connection.cached(sql::kDeleteNightMark);
    remove.bind(1, run.accelerator_model).bind(2, run.name).bind(3, night_mark_kind_name(kind));
    BENCHHUD_TRY(remove.run());
    if (connection.changes() == 0) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{} on {} is not marked as {}", run.name, run.accelerator_model,
                               night_mark_kind_name(kind))};
    }
    BENCHHUD_TRY(note(connection, "unmark",
                      fmt::format("{}: {}", describe(run), night_mark_kind_name(kind))));
    BENCHHUD_TRY(count_revision(connection, run.id));
  }
  return transaction.commit();
}

}  // namespace benchhud::schema
