#include "schema/store/store_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "schema/base/count_text.h"
#include "schema/base/file_size.h"
#include "schema/base/time.h"
#include "schema/db/page_checksums.h"
#include "schema/queries.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

constexpr double kMega = 1e6;
/// A log that is this large is not given back: somebody reads an old state of the store.
constexpr double kLargeLog = 1e9;

std::string age_text(double seconds) {
  const double hours = seconds / 3600;
  if (hours < 48) return fmt::format("{:.0f} hours", std::floor(hours));
  return fmt::format("{:.0f} days", std::floor(hours / 24));
}

HealthCheck version_check(int version) {
  const int known = schema_version();
  if (version == known) return {"version", HealthLevel::kGood, fmt::format("schema {}", version)};
  if (version > known) {
    return {
        "version", HealthLevel::kBad,
        fmt::format("schema {}, which this program (schema {}) does not know: a newer one wrote "
                    "it",
                    version, known)};
  }
  return {"version", HealthLevel::kWarning,
          fmt::format("schema {}; the next ingest brings it to {}", version, known)};
}

/// What is wrong with pages that do not fit their checksums where other programs may have written
/// them: a store that is in order but for them has probably been changed and not damaged.
constexpr std::string_view kAcceptPages =
    "Everything in it is in order. If somebody did write to it, `benchhud restore --accept-pages` "
    "makes it usable with what it holds; otherwise restore a backup, for numbers in it may be "
    "wrong";

HealthCheck integrity_check(Connection& connection, const PageChecksums& pages,
                            Examination examination) {
  auto damage = damage_of(connection, examination);
  if (damage && damage->empty() && examination == Examination::kContent) {
    const auto texts = damaged_texts(connection);
    if (!texts) return {"integrity", HealthLevel::kBad, texts.error().message};
    if (*texts > 0) damage->push_back(fmt::format("{} texts do not fit their hashes", *texts));
  }
  if (!damage) return {"integrity", HealthLevel::kBad, damage.error().message};
  if (!damage->empty()) {
    std::string words = damage->front();
    if (damage->size() > 1) words += fmt::format(", and {} more", damage->size() - 1);
    return {"integrity", HealthLevel::kBad, words + "; restore a backup"};
  }
  if (pages.changed > 0) {
    return {"integrity", HealthLevel::kBad,
            fmt::format("{} of {} pages are not what benchhud wrote, page {} the first of them: "
                        "another program, such as sqlite3, has probably written to the store. {}",
                        pages.changed, pages.pages, pages.first_changed, kAcceptPages)};
  }
  return {"integrity", HealthLevel::kGood,
          examination == Examination::kContent ? "every page, row, index entry and text"
                                               : "every page and row; indexes not compared"};
}

HealthCheck checksums_check(const std::string& path,
                            const Expected<std::optional<PageChecksums>>& found) {
  if (!found) return {"checksums", HealthLevel::kWarning, found.error().message};
  if (!*found) {
    return {"checksums", HealthLevel::kWarning,
            "pages have none, so that damage to what is in them is not seen; the next ingest gives "
            "them some, if there is room for the store twice"};
  }
  const PageChecksums& pages = **found;
  // With a log, what is free is no longer what was when the file was written.
  if (pages.lost > 0 && file_size(path + "-wal") == 0) {
    return {"checksums", HealthLevel::kBad,
            fmt::format("{} pages that are not free hold nothing but zeros, page {} the first of "
                        "them; restore a backup",
                        pages.lost, pages.first_lost)};
  }
  if (pages.missing > 0) {
    return {"checksums", HealthLevel::kWarning,
            fmt::format("{} of {} pages have none: another program wrote them, or their ends were "
                        "lost to zeros; in a copy that `benchhud backup` makes all do",
                        pages.missing, pages.pages)};
  }
  if (pages.changed > 0) {
    return {"checksums", HealthLevel::kWarning,
            fmt::format("{} of {} pages do not fit theirs", pages.changed, pages.pages)};
  }
  if (pages.changed_free > 0) {
    return {"checksums", HealthLevel::kWarning,
            fmt::format("{} of {} pages do not fit theirs. They are free, so that nothing is lost, "
                        "but what changed them may change others",
                        pages.changed_free, pages.pages)};
  }
  return {"checksums", HealthLevel::kGood, fmt::format("of all {} pages", pages.pages)};
}

HealthCheck disk_check(const std::string& path) {
  const auto store = static_cast<double>(file_size(path));
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  const auto space = fs::space(folder.empty() ? "." : folder, error);
  if (error) return {"disk", HealthLevel::kWarning, "free space: " + error.message()};
  const auto available = static_cast<double>(space.available);
  // A migration, or a large ingest, writes as much again before it is committed.
  const bool is_tight = available < store || available < 100 * kMega;
  return {"disk", is_tight ? HealthLevel::kBad : HealthLevel::kGood,
          fmt::format("the store takes {}, {} are free{}", megabytes_text(store),
                      megabytes_text(available),
                      is_tight ? "; a migration may need as much as the store again" : "")};
}

HealthCheck log_check(const std::string& path) {
  const auto size = static_cast<double>(file_size(path + "-wal"));
  const bool is_large = size > kLargeLog;
  return {"log", is_large ? HealthLevel::kWarning : HealthLevel::kGood,
          fmt::format("{}{}", megabytes_text(size),
                      is_large ? "; something has been reading an old state for long" : "")};
}

HealthCheck freshness_check(Connection& connection, const HealthOptions& options) {
  Statement query = connection.prepare(sql::kNewestRunByAccelerator);
  std::string others;
  std::string words = "no run at all";
  HealthLevel level = HealthLevel::kBad;
  for (int row = 0; query.step(); ++row) {
    const double age = options.now - query.real(1);
    if (row == 0) {
      level = age > options.most_age ? HealthLevel::kBad : HealthLevel::kGood;
      words = fmt::format("the newest run began {} ago, at {}, on {}", age_text(std::max(0.0, age)),
                          format_time(query.real(1)), query.text(0));
      if (level == HealthLevel::kBad) {
        words += fmt::format("; no results since {}", age_text(options.most_age));
      }
    } else if (age > options.most_age) {
      others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", query.text(0), age_text(age));
    }
  }
  if (const auto read = query.status(); !read) {
    return {"freshness", HealthLevel::kBad, read.error().message};
  }
  // An accelerator may have been given up: that alarms nobody every morning.
  if (!others.empty()) words += "; older ones: " + others;
  return {"freshness", level, words};
}

HealthCheck ingest_check(Connection& connection) {
  Statement query = connection.prepare(sql::kNewestIngest);
  if (!query.step()) {
    const auto read = query.status();
    if (!read) return {"ingest", HealthLevel::kBad, read.error().message};
    return {"ingest", HealthLevel::kWarning, "nothing was ingested yet"};
  }
  const std::int64_t rejected = query.integer(3);
  return {"ingest", rejected > 0 ? HealthLevel::kWarning : HealthLevel::kGood,
          fmt::format("the last file, {}, at {}: {} of {} lines rejected", query.text(0),
                      format_time(std::floor(query.real(1))), rejected, query.integer(2))};
}

}  // namespace

std::vector<HealthCheck> examine_store(const std::string& path, const HealthOptions& options) {
  std::vector<HealthCheck> checks;
  const auto pages = count_page_checksums(path);
  const PageChecksums known = pages && *pages ? **pages : PageChecksums();
  // Pages that another program may have written are looked at as they are.
  const bool accepts = known.changed > 0 && known.is_open_to_others;
  auto connection =
      Connection::open(path, accepts ? OpenMode::kRescueReadOnly : OpenMode::kReadOnly);
  const auto version =
      connection ? schema_version_of(*connection) : Expected<int>(connection.error());
  if (!version) {
    const bool is_damaged = version.error().code == ErrorCode::kCorrupt;
    checks.push_back({"opens", HealthLevel::kBad,
                      version.error().message + (is_damaged ? "; restore a backup" : "")});
    return checks;
  }
  if (*version == 0) {
    checks.push_back({"opens", HealthLevel::kBad, path + " is empty and no store of benchhud"});
    return checks;
  }
  checks.push_back({"opens", HealthLevel::kGood, path});
  checks.push_back(version_check(*version));
  const HealthCheck integrity =
      integrity_check(*connection, accepts ? known : PageChecksums(), options.examination);
  checks.push_back(integrity);
  checks.push_back(checksums_check(path, pages));
  checks.push_back(disk_check(path));
  checks.push_back(log_check(path));
  if (integrity.level == HealthLevel::kBad) return checks;
  checks.push_back(freshness_check(*connection, options));
  checks.push_back(ingest_check(*connection));
  return checks;
}

}  // namespace benchhud::schema
