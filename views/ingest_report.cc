#include "views/ingest_report.h"

#include <string_view>

#include "schema/base/json_writer.h"

namespace benchhud::views {
namespace {

std::string_view outcome_name(ingest::DumpResult::Outcome outcome) {
  switch (outcome) {
    case ingest::DumpResult::Outcome::kNew:
      return "new";
    case ingest::DumpResult::Outcome::kTied:
      return "tied";
    case ingest::DumpResult::Outcome::kKnown:
      return "known";
  }
  return "";
}

class Report {
 public:
  Report(schema::JsonWriter& json, schema::Reader& reader, const IngestReportOptions& options)
      : json_(json), reader_(reader), options_(options) {}

  void write(const ingest::IngestResult& result) {
    json_.begin_object();
    if (options_.store) json_.field("store", *options_.store);
    json_.field("accepted", result.accepted);
    json_.field("duplicate", result.duplicate);
    json_.field("rejected", result.rejected);
    json_.field("shift_weeks", result.shift_weeks);
    json_.field("undone", result.undone);
    json_.key("files");
    json_.list(result.files, [this](const auto& file) { write(file); });
    json_.key("dumps");
    json_.list(result.dumps, [this](const auto& dump) { write(dump); });
    json_.key("unreadable_folders");
    json_.list(result.unreadable_folders, [this](const ingest::UnreadableFolder& folder) {
      json_.begin_object();
      begin(folder.path, &folder.error);
      json_.end_object();
    });
    json_.field("unrecognized_count", result.unrecognized.count);
    json_.key("unrecognized_files");
    json_.list(result.unrecognized.paths,
               [this](const std::string& path) { json_.value(shown(path)); });
    json_.end_object();
  }

 private:
  std::string_view shown(std::string_view path) const {
    return options_.names_only ? path.substr(path.rfind('/') + 1) : path;
  }

  /// Of whatever has a path. False: there is nothing else to say.
  bool begin(const std::string& path, const schema::Error* error) {
    json_.field("path", shown(path));
    if (error != nullptr) json_.field("error", error->message);
    return error == nullptr;
  }

  void write(const ingest::FileResult& file) {
    json_.begin_object();
    if (begin(file.path, file.error ? &*file.error : nullptr)) write_counts(file);
    json_.end_object();
  }

  void write_counts(const ingest::FileResult& file) {
    json_.field("byte_count", file.byte_count);
    json_.field("line_count", file.line_count);
    json_.field("known_content", file.is_known);
    json_.field("accepted", file.report.accepted);
    json_.field("duplicate", file.report.duplicate);
    json_.field("rejected", file.report.rejected);
    json_.field("completed_lines", file.report.resolved);
    json_.field("pruned", file.report.pruned);
    json_.field("in_other_run", file.report.in_other_run);
    json_.field("not_labelled", file.report.not_labelled);
    json_.key("runs");
    json_.begin_array();
    for (const schema::RunId id : file.report.runs) {
      if (const auto run = reader_.run(id)) json_.value(run->name);
    }
    json_.end_array();
    json_.key("rejected_lines");
    json_.list(file.rejections, [this](const ingest::Rejection& line) {
      json_.begin_object();
      json_.field("line_number", line.line_number);
      json_.field("byte_offset", line.byte_offset);
      json_.field("reason", line.reason);
      json_.end_object();
    });
  }

  void write(const ingest::DumpResult& dump) {
    json_.begin_object();
    if (begin(dump.path, dump.error ? &*dump.error : nullptr)) {
      json_.field("id", to_int(dump.id));
      json_.field("outcome", outcome_name(dump.outcome));
      json_.field("orphaned", dump.is_orphan);
      json_.field("problem_count", dump.problem_count);
      json_.field("unreadable", dump.unreadable);
    }
    json_.end_object();
  }

  schema::JsonWriter& json_;
  schema::Reader& reader_;
  const IngestReportOptions& options_;
};

}  // namespace

void write_ingest_report(schema::JsonWriter& json, const ingest::IngestResult& result,
                         schema::Reader& reader, const IngestReportOptions& options) {
  Report(json, reader, options).write(result);
}

}  // namespace benchhud::views
