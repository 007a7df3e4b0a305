#include "views/profile_comparison_json.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "views/answers.h"

namespace benchhud::views {

using analysis::FrameworkOperators;
using analysis::IterationPart;
using analysis::IterationProfile;
using schema::to_int;
using service::BackendComparison;
using service::ComparedRow;
using service::ComparedTime;
using service::ProfiledResult;

namespace {

std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write_compared_time(schema::JsonWriter& json, std::string_view key, const ComparedTime& time) {
  json.key(key);
  json.begin_object();
  json.field("ns", time.ns);
  json.field("share", time.share);
  json.field("overlapped_ns", time.overlapped_ns);
  json.field("unknown", text_or_null(time.unknown));
  json.end_object();
}

void write_row(schema::JsonWriter& json, const ComparedRow& row) {
  json.begin_object();
  json.field("kind", row.kind);
  json.field("name", row.name);
  write_compared_time(json, "left", row.left);
  write_compared_time(json, "right", row.right);
  json.field("difference_ns", row.difference);
  json.end_object();
}

}  // namespace

void write_profile_dump(schema::JsonWriter& json, const ProfiledResult& of) {
  json.key("artifact_id");
  of.artifact ? json.value(to_int(of.artifact->id)) : json.null();
  json.key("trace_id");
  of.artifact ? json.value(to_int(*of.artifact->trace)) : json.null();
}

void write_profile_missing(schema::JsonWriter& json, const ProfiledResult& of) {
  json.field("missing", text_or_null(of.missing()));
}

void write_profile_numbers(schema::JsonWriter& json, const ProfiledResult& of) {
  const IterationProfile* const profile = of.profile ? &*of.profile : nullptr;
  std::optional<double> busy_share, idle, length;
  if (profile != nullptr) {
    length = of.profiled().per_iteration(profile->length);
    if (profile->busy) idle = of.profiled().per_iteration(profile->length - *profile->busy);
    if (profile->busy && profile->length > 0) {
      busy_share = static_cast<double>(*profile->busy) / static_cast<double>(profile->length);
    }
  }
  json.field("iteration_ns", length);
  json.field("busy_share", busy_share);
  json.field("idle_ns", idle);
  const bool has_class = profile != nullptr && !profile->top_class.empty();
  json.field("top_class", has_class ? text_or_null(profile->top_class) : std::nullopt);
  json.field("top_share", has_class ? std::optional(profile->top_share) : std::nullopt);
  json.field("compiling_ns", profile != nullptr ? profile->compiling : std::nullopt);
  json.field("peak_memory_bytes", profile != nullptr ? profile->peak_memory : std::nullopt);
  json.field("peak_reserved_bytes", profile != nullptr ? profile->peak_reserved : std::nullopt);
  std::optional<std::string_view> peak_of;
  if (profile != nullptr && profile->peak_memory_of) peak_of = name_of(*profile->peak_memory_of);
  json.field("peak_memory_of", peak_of);
}

namespace {

void write_side(schema::JsonWriter& json, std::string_view key, const ComparedProfile& side) {
  const ProfiledResult& of = side.profiled;
  json.key(key);
  json.begin_object();
  json.key("run");
  side.run != nullptr ? write_run_ref(json, *side.run) : json.null();
  json.key("experiment");
  side.entry != nullptr ? write_experiment(json, *side.entry) : json.null();
  write_profile_dump(json, of);
  json.field("dump", text_or_null(of.artifact ? std::string_view(of.artifact->name) : side.file));
  write_profile_missing(json, of);
  const IterationProfile* const profile = of.profile ? &*of.profile : nullptr;
  json.field("found_by", profile != nullptr ? text_or_null(profile->found_by) : std::nullopt);
  json.field("iterations", of.iterations);
  json.field("counted_by", name_of(of.counted_by));
  json.field("length_ns", profile != nullptr ? std::optional(profile->length) : std::nullopt);
  write_profile_numbers(json, of);
  json.field(
      "busy_unknown",
      text_or_null(profile != nullptr ? std::string_view(profile->busy_unknown) : of.missing()));
  json.field("operators_on", profile != nullptr ? name_of(profile->operators.where)
                                                : name_of(FrameworkOperators::Where::kNowhere));
  const bool is_on_device =
      profile != nullptr && profile->operators.where == FrameworkOperators::Where::kDevice;
  json.field("operator_devices",
             is_on_device ? std::optional(profile->operators.device_count) : std::nullopt);
  json.field("operators_unknown",
             text_or_null(profile != nullptr ? std::string_view(profile->operators.unknown)
                                             : of.missing()));
  json.end_object();
}

}  // namespace

void write_profile_comparison(schema::JsonWriter& json, const ComparedProfile& left,
                              const ComparedProfile& right, const BackendComparison& comparison,
                              std::size_t most_operators) {
  const auto write = [&](const ComparedRow& row) { write_row(json, row); };
  json.begin_object();
  write_side(json, "left", left);
  write_side(json, "right", right);
  json.key("parts");
  json.list(comparison.parts, write);
  json.key("operators");
  json.list(schema::first_of(comparison.operators, most_operators), write);
  json.field("operator_count", comparison.operators.size());
  json.field("without_difference", text_or_null(comparison.without_difference));
  json.key("definitions");
  json.list(service::kComparedParts, [&](IterationPart part) {
    json.begin_object();
    json.field("name", name_of(part));
    json.field("meaning", iteration_part_definition(part));
    json.end_object();
  });
  json.end_object();
}

void write_compared_rows(schema::JsonWriter& json, const BackendComparison& comparison) {
  const auto write = [&](const ComparedRow& row) { write_row(json, row); };
  json.begin_array();
  std::ranges::for_each(comparison.parts, write);
  std::ranges::for_each(comparison.operators, write);
  json.end_array();
}

}  // namespace benchhud::views
