#include "schema/model/artifact.h"

#include <array>
#include <utility>

#include "schema/base/name_table.h"

namespace benchhud::schema {
namespace {

constexpr std::array kNames = {
    std::pair{ArtifactKind::kTrace, std::string_view("trace")},
    std::pair{ArtifactKind::kOperatorTable, std::string_view("operator_table")},
    std::pair{ArtifactKind::kDynamoCounters, std::string_view("dynamo_counters")},
    std::pair{ArtifactKind::kXlaMetrics, std::string_view("xla_metrics")},
    std::pair{ArtifactKind::kIr, std::string_view("ir")},
    std::pair{ArtifactKind::kCompileTimes, std::string_view("compile_times")},
    std::pair{ArtifactKind::kXplane, std::string_view("xplane")},
    std::pair{ArtifactKind::kTorchTrace, std::string_view("torch_trace")},
};

}  // namespace

std::string_view artifact_kind_name(ArtifactKind kind) { return name_in(kNames, kind); }

std::optional<ArtifactKind> artifact_kind_of(std::string_view name) {
  return value_in(kNames, name);
}

bool is_of_xla_profiler(std::string_view name) { return name.find("/xla-profile/") != name.npos; }

}  // namespace benchhud::schema
