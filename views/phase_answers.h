// Phases, timing hygiene and counters as JSON: one function each, named as its schema in
// openapi.json.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/profiles/dynamo_counters.h"
#include "analysis/results/timing_review.h"
#include "analysis/timing/phases.h"
#include "analysis/timing/timing_hygiene.h"
#include "schema/base/json_writer.h"

namespace benchhud::views {

/// So much of a list that a file may make as long as it likes is written; how many more there are
/// is said.
inline constexpr std::size_t kMostListed = 1000;

void write_phased_repetition(schema::JsonWriter& json, const analysis::PhasedRepetition& repetition,
                             std::size_t place);
void write_phase_group(schema::JsonWriter& json, const analysis::PhaseGroup& group);
void write_excess(schema::JsonWriter& json, const std::optional<analysis::Excess>& excess);
void write_hygiene_flag(schema::JsonWriter& json, const analysis::HygieneFlag& flag);
void write_dynamo_report(schema::JsonWriter& json,
                         const std::optional<analysis::DynamoReport>& report);
void write_fallbacks(schema::JsonWriter& json,
                     const std::optional<std::vector<analysis::FallbackOperation>>& operations);
/// The members phases, bases and checks: what the words of the answer mean.
void write_definitions(schema::JsonWriter& json);

}  // namespace benchhud::views
