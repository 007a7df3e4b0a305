#include "service/alerts/alert_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/results/result_view.h"

namespace benchhud::service {
namespace {

using analysis::ErrorTexts;
using schema::Expected;

constexpr std::size_t kMostErrors = 3;
constexpr std::size_t kMostErrorLines = 8;

/// Of a result that was run without its batch size being known, the line stands for all of them.
Expected<ErrorTexts::Text> error_of_lines(schema::Reader& reader, schema::RunId run,
                                          schema::ExperimentId experiment,
                                          const ErrorTexts& texts) {
  BENCHHUD_ASSIGN(const auto lines, reader.lines(run, experiment));
  const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                 [](const auto& line) { return line.error && !line.timed; });
  if (last == lines.rend()) return ErrorTexts::Text();
  auto text = texts.get(*last->error);
  BENCHHUD_TRY(texts.status());
  return text;
}

/// The error with which a member's result failed in the run in which it began; null: there is none.
Expected<ErrorTexts::Text> error_of(schema::Reader& reader, const schema::AlertMember& member,
                                    const ErrorTexts& texts) {
  const bool is_verification = member.metric == "verification";
  if ((member.metric != "timing" && !is_verification) || !member.onset) return ErrorTexts::Text();
  const schema::RunId run = *member.onset;
  const schema::ExperimentId experiment = member.experiment_id;
  const auto facts = reader.result(run, experiment);
  if (!facts && facts.error().code != schema::ErrorCode::kNotFound) return facts.error();
  if (facts) {
    const analysis::ResultView view = analysis::judge_result(*facts, {}, texts);
    BENCHHUD_TRY(texts.status());
    const bool of_verifier = is_verification && view.verification;
    const auto& failure = of_verifier ? view.verification->failure : view.failure;
    if (failure) return failure->error;
    // A wrong result has no error.
    if (of_verifier) return ErrorTexts::Text();
  }
  return error_of_lines(reader, run, experiment, texts);
}

std::vector<std::string> last_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < kMostErrorLines) {
    const std::size_t end = text.rfind('\n');
    lines.emplace_back(end == text.npos ? text : text.substr(end + 1));
    text = end == text.npos ? std::string_view() : text.substr(0, end);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

struct FoundError {
  ErrorTexts::Text error;
  std::int64_t count = 0;
};

AlertCause cause_of(const FoundError& found) {
  const analysis::ErrorText& error = *found.error;
  AlertCause cause{AlertCause::Kind::kError, "", {}, last_lines(error.excerpt)};
  cause.signature = error.signature;
  std::string kind = "failed";
  if (error.kind != analysis::ErrorKind::kOther) kind = analysis::error_kind_name(error.kind);
  std::replace(kind.begin(), kind.end(), '_', ' ');
  cause.title = kind + ": " + error.signature;
  if (found.count > 1) cause.title += fmt::format(" ({} series)", found.count);
  return cause;
}

}  // namespace

Expected<std::vector<AlertCause>> error_causes(schema::Reader& reader,
                                               std::span<const schema::AlertMember> members) {
  const ErrorTexts texts = analysis::error_texts_of(reader);
  std::vector<FoundError> all;
  for (const schema::AlertMember& member : members) {
    BENCHHUD_ASSIGN(auto error, error_of(reader, member, texts));
    if (error == nullptr) continue;
    const auto known = std::find_if(all.begin(), all.end(), [&](const FoundError& one) {
      return one.error->signature == error->signature;
    });
    FoundError& found = known == all.end() ? all.emplace_back() : *known;
    if (found.error == nullptr) found.error = std::move(error);
    ++found.count;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  if (all.size() > kMostErrors) all.resize(kMostErrors);
  std::vector<AlertCause> causes;
  for (const FoundError& found : all) causes.push_back(cause_of(found));
  return causes;
}

}  // namespace benchhud::service
