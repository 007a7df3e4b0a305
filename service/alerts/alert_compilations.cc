#include "service/alerts/alert_compilations.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "schema/base/count_text.h"
#include "service/answers/compilation_logs.h"

namespace benchhud::service {

using schema::Alert;
using schema::AlertDetails;
using schema::AlertMember;
using schema::ArtifactResult;
using schema::Expected;

namespace {

// An alert is explained while somebody waits for its page: so many results are compared, and of so
// many it is asked whether they have logs.
constexpr std::size_t kMostCompared = 3, kMostAsked = 32;

struct Differing {
  const AlertMember* member = nullptr;
  std::vector<std::string> parts;
};

}  // namespace

Expected<std::vector<AlertCause>> compilation_causes(schema::Reader& reader, const Alert& alert,
                                                     const AlertDetails& details) {
  std::vector<AlertCause> causes;
  if (!alert.last_good || !alert.first_bad) return causes;
  std::set<schema::ExperimentId> seen;
  std::vector<Differing> differing;
  std::set<std::string> unknown;
  std::size_t asked = 0, compared = 0, left_out = 0;
  for (const AlertMember& member : details.members) {
    if (!seen.insert(member.experiment_id).second) continue;
    if (asked == kMostAsked || compared == kMostCompared) {
      ++left_out;
      continue;
    }
    ++asked;
    const ArtifactResult before{*alert.last_good, member.experiment_id};
    const ArtifactResult after{*alert.first_bad, member.experiment_id};
    BENCHHUD_ASSIGN(const bool had_log, has_compilation_log(reader, before));
    if (!had_log) continue;
    BENCHHUD_ASSIGN(const bool has_log, has_compilation_log(reader, after));
    if (!has_log) continue;
    BENCHHUD_ASSIGN(const CompilationLogsDiff diff, diff_of_compilations(reader, before, after));
    unknown.insert(diff.unknown.begin(), diff.unknown.end());
    if (diff.pairs.empty()) continue;
    ++compared;
    for (const CompilationLogPair& pair : diff.pairs) {
      unknown.insert(pair.diff.unknown.begin(), pair.diff.unknown.end());
    }
    auto parts = compilation_parts(diff);
    if (!parts.empty()) differing.push_back({&member, std::move(parts)});
  }
  if (compared == 0 && unknown.empty()) return causes;
  AlertCause cause{AlertCause::Kind::kCompilation, "", {}, {}};
  if (differing.empty()) {
    cause.title =
        compared == 0 ? "the logs of TORCH_TRACE of the two nights could not be compared"
        : unknown.empty()
            ? "nothing that logs of TORCH_TRACE say of compilation differs between the two nights"
            : "of what could be compared of the logs of TORCH_TRACE of the two nights, nothing "
              "differs";
    cause.explains = false;
  } else {
    const auto& [member, parts] = differing.front();
    cause.title =
        fmt::format("{} is compiled differently: {}", member_name(*member), parts.front());
    cause.compared = ComparedDumps{*alert.last_good, *alert.first_bad, member->experiment_id};
    cause.lines.assign(parts.begin() + 1, parts.end());
    for (std::size_t i = 1; i < differing.size(); ++i) {
      cause.lines.push_back(fmt::format("{}: {}", member_name(*differing[i].member),
                                        fmt::join(differing[i].parts, "; ")));
    }
  }
  for (const std::string& sentence : unknown) cause.lines.push_back("not known: " + sentence);
  if (left_out > 0) {
    cause.lines.push_back(fmt::format("logs of {}, if there are any, not compared",
                                      schema::count_text(left_out, "other result")));
  }
  causes.push_back(std::move(cause));
  return causes;
}

}  // namespace benchhud::service
