#include "analysis/profile_sections.h"

#include <algorithm>
#include <utility>

#include "analysis/compiled_regions.h"
#include "analysis/device_activity.h"
#include "schema/trace_nesting.h"

namespace benchhud::analysis {

using schema::OperatorTable;

namespace {

ProfileItem count_of(std::string name, double count) { return {std::move(name), count, count}; }

}  // namespace

std::string_view unit_name(ProfileUnit unit) {
  switch (unit) {
    case ProfileUnit::kCount:
      return "count";
    case ProfileUnit::kNs:
      return "ns";
    case ProfileUnit::kBytes:
      return "bytes";
  }
  return "";
}

std::vector<ProfileSection> profile_sections(const std::vector<OperatorTable>& tables) {
  std::vector<ProfileSection> sections;
  const double share = 1.0 / static_cast<double>(tables.size());
  for (const OperatorTable& table : tables) {
    const auto name = table.column("Name"), calls = table.column("# of Calls");
    if (!name) continue;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const std::string& header = table.columns[column].name;
      // "Self CPU", and what the table calls the device's self time ("Self CUDA").
      if (table.columns[column].kind != schema::OperatorColumn::Kind::kTime ||
          !header.starts_with("Self ")) {
        continue;
      }
      const std::string of = "self " + header.substr(5) + " time";
      auto section = std::find_if(sections.begin(), sections.end(),
                                  [&](const ProfileSection& known) { return known.of == of; });
      if (section == sections.end()) {
        sections.push_back({of, ProfileUnit::kNs, {}, {}});
        section = sections.end() - 1;
      }
      for (const auto& row : table.rows) {
        section->items.push_back({row[*name].text, row[column].value.value_or(0) * share,
                                  calls ? row[*calls].value.value_or(0) * share : 0});
      }
      for (const auto& [what, ns] : table.totals) {
        if (what == header + " time total")
          section->total = section->total.value_or(0) + ns * share;
      }
    }
  }
  return sections;
}

std::vector<ProfileSection> profile_sections(const schema::MetricsReport& report) {
  ProfileSection times{"time of metrics", ProfileUnit::kNs, {}, {}};
  ProfileSection others{"other metrics", ProfileUnit::kCount, {}, {}};
  ProfileSection counters{"counters", ProfileUnit::kCount, {}, {}};
  for (const schema::XlaMetric& metric : report.metrics) {
    if (!metric.accumulator) continue;
    const bool is_time = metric.accumulator->kind == schema::MetricValue::Kind::kTime;
    (is_time ? times : others)
        .items.push_back(
            {metric.name, metric.accumulator->value, static_cast<double>(metric.total_samples)});
  }
  for (const auto& [name, count] : report.counters) {
    counters.items.push_back(count_of(name, static_cast<double>(count)));
  }
  return {std::move(times), std::move(others), std::move(counters)};
}

std::vector<ProfileSection> profile_sections(const schema::DynamoCounters& counters) {
  ProfileSection section{"counters", ProfileUnit::kCount, {}, {}};
  for (const schema::DynamoCounters::Group& group : counters.groups) {
    for (const auto& [name, count] : group.counters) {
      section.items.push_back(count_of(group.name + ": " + name, static_cast<double>(count)));
    }
  }
  return {std::move(section)};
}

std::vector<ProfileSection> profile_sections(const schema::Trace& trace) {
  const schema::TraceNesting nesting = schema::nest(trace);
  const CompiledRegions regions = compiled_regions(trace, nesting);
  const CompiledFunctions functions = compiled_functions(trace);
  const DeviceActivity activity = device_activity(trace, device_slices(trace, nesting));
  ProfileSection counts{"counts", ProfileUnit::kCount, {}, {}};
  const auto add = [&](std::string name, std::int64_t count) {
    if (count != 0) counts.items.push_back(count_of(std::move(name), static_cast<double>(count)));
  };
  add("graph breaks", regions.graph_breaks);
  add("graph breaks, distinct frames", regions.graph_breaks_distinct.value_or(0));
  add("recompilations", regions.recompiles.value_or(0));
  add("compiled regions", regions.count);
  for (const auto& [frame, count] : regions.by_frame) add("compiled region " + frame, count);
  add("compiled functions, forward", functions.forward);
  add("compiled functions, backward", functions.backward);
  for (const auto& [name, count] : activity.launches) add("launches by " + name, count);
  return {
      std::move(counts),
      {"self time on the host", ProfileUnit::kNs, self_times(trace, nesting, false), {}},
      {"self time on the device", ProfileUnit::kNs, self_times(trace, nesting, true), {}},
  };
}

std::vector<SectionDifference> compare_sections(const std::vector<ProfileSection>& before,
                                                const std::vector<ProfileSection>& after) {
  const ProfileSection nothing;
  std::vector<std::pair<const ProfileSection*, const ProfileSection*>> pairs;
  for (const ProfileSection& section : before) pairs.emplace_back(&section, &nothing);
  for (const ProfileSection& section : after) {
    const auto same = std::find_if(pairs.begin(), pairs.end(),
                                   [&](const auto& pair) { return pair.first->of == section.of; });
    if (same != pairs.end()) {
      same->second = &section;
    } else {
      pairs.emplace_back(&nothing, &section);
    }
  }
  std::vector<SectionDifference> differences;
  for (const auto& [was, is] : pairs) {
    if (was->items.empty() && is->items.empty()) continue;
    const ProfileSection& named = was == &nothing ? *is : *was;
    // A total of one side alone could not be compared with the other's sum.
    const bool has_totals = was->total && is->total;
    differences.push_back(
        {named.of, named.unit,
         diff_profiles(was->items, is->items, has_totals ? was->total : std::nullopt,
                       has_totals ? is->total : std::nullopt)});
  }
  return differences;
}

}  // namespace benchhud::analysis
