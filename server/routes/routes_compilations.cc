// Logs of TORCH_TRACE: the compilations that they record, and the texts that these put out.
#include <array>
#include <utility>

#include "schema/base/utf8.h"
#include "schema/results/torch_trace_store.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "views/compilation_json.h"

namespace benchhud::server {
namespace {

using schema::ArtifactId;
using schema::Expected;

// A page ends once it has so many bytes: stacks, reasons and outputs may be long.
constexpr std::size_t kLongestPage = std::size_t{4} << 20;

constexpr std::size_t kBytesOfOutput = 150;

// About what its lists take, which may be long.
std::size_t size_of(const schema::Compilation& one) {
  return one.phases.size() + one.restarts.size() + one.graph_breaks.size() + one.recompiles.size() +
         one.caches.size() + one.fail_reason.value_or("").size();
}

struct AskedLog {
  ArtifactId id{};
  schema::TorchTraceSummary summary;
};

Expected<AskedLog> asked_log(RequestContext& context) {
  AskedLog asked{ArtifactId{context.query.integer("id")}, {}};
  const auto artifact = context.reader().artifact(asked.id);
  if (!artifact) {
    context.wrong_parameter = "id";
    return artifact.error();
  }
  BENCHHUD_ASSIGN(auto summary, schema::torch_trace_of(context.reader().connection(), asked.id));
  if (!summary) {
    return wrong_parameter(context, "id",
                           artifact->kind == schema::ArtifactKind::kTorchTrace
                               ? "Nothing of this log could be kept."
                               : "This dump is no log of TORCH_TRACE.");
  }
  asked.summary = *std::move(summary);
  return asked;
}

Expected<void> write_compilations(RequestContext& context, schema::JsonWriter& json,
                                  const AskedLog& asked, const std::optional<Cursor>& cursor) {
  schema::Connection& connection = context.reader().connection();
  const std::size_t limit = context.query.size("limit");
  BENCHHUD_ASSIGN(auto found, schema::compilations_of(connection, asked.id,
                                                      cursor ? cursor->numbers[0] : -1, limit + 1));
  begin_page(json);
  std::size_t written = 0, bytes = 0;
  for (const schema::StoredCompilation& one : found) {
    if (written == limit || bytes > kLongestPage) break;
    std::string stack;
    if (one.compilation.stack) {
      BENCHHUD_ASSIGN(stack, context.reader().text(*one.compilation.stack));
    }
    BENCHHUD_ASSIGN(const auto outputs, schema::outputs_of(connection, asked.id, one.ordinal,
                                                           schema::kMostListedOutputs));
    BENCHHUD_ASSIGN(const std::int64_t output_count,
                    schema::output_count_of(connection, asked.id, one.ordinal));
    views::write_compilation(json, one, stack, outputs, output_count);
    bytes += stack.size() + size_of(one.compilation);
    for (const auto& [ordinal, output] : outputs) bytes += output.name.size() + kBytesOfOutput;
    ++written;
  }
  std::optional<std::string> next;
  if (written < found.size()) {
    next = make_cursor(cursor_scope(context), {found[written - 1].ordinal});
  }
  end_page(json, next, asked.summary.compilation_count);
  return {};
}

Expected<ResponsePlan> list_compilations(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  BENCHHUD_ASSIGN(AskedLog asked, asked_log(context));
  return ResponsePlan{revision_key(context),
                      [&context, asked = std::move(asked), cursor](schema::JsonWriter& json) {
                        return write_compilations(context, json, asked, cursor);
                      }};
}

Expected<ResponsePlan> get_compilation_text(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedLog asked, asked_log(context));
  auto output =
      schema::output_at(context.reader().connection(), asked.id, context.query.integer("output"));
  if (!output) {
    context.wrong_parameter = "output";
    return output.error();
  }
  if (!output->output.text) {
    return wrong_parameter(context, "output", "This text is too long to be kept.");
  }
  const std::size_t offset = context.query.size("offset");
  const std::size_t length =
      context.query.has("length") ? context.query.size("length") : std::string::npos;
  return ResponsePlan{
      revision_key(context),
      [&context, text = *output->output.text, offset, length]() -> Expected<std::string> {
        BENCHHUD_ASSIGN(const std::string bytes, context.reader().text(text));
        return schema::to_valid_utf8(schema::whole_characters(bytes, offset, length));
      },
      "text/plain; charset=utf-8"};
}

constexpr std::array kRoutes = {
    NamedRoute{"listCompilations", list_compilations, Lane::kDumps},
    NamedRoute{"getCompilationText", get_compilation_text, Lane::kDumps}};

}  // namespace

std::span<const NamedRoute> compilation_routes() { return kRoutes; }

}  // namespace benchhud::server
