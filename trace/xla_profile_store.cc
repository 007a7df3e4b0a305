#include "trace/xla_profile_store.h"

#include <limits>

#include "trace/added_texts.h"
#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_chunk.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {

namespace {

// Calls `of_text` with each text of a profile.
template <class OfText>
void for_each_text(XlaProfile& profile, const OfText& of_text) {
  for (XlaOperator& row : profile.operators) {
    for (auto* text : {&row.name, &row.category, &row.framework_op, &row.module, &row.source}) {
      of_text(*text);
    }
  }
  for (XlaKernel& row : profile.kernels) {
    for (auto* text : {&row.name, &row.op, &row.module, &row.grid, &row.block}) of_text(*text);
  }
  for (XlaModule& row : profile.modules) of_text(row.name);
  for (XlaStep& row : profile.steps) of_text(row.name);
  for (XlaAllocator& row : profile.allocators) of_text(row.name);
}

}  // namespace

schema::Expected<std::optional<XlaProfile>> read_xla_profile(schema::Connection& connection,
                                                             schema::TraceId trace) {
  // Whether a text is there shows when it is looked up.
  constexpr std::size_t kAnyText = std::numeric_limits<std::uint32_t>::max();
  std::optional<XlaProfile> profile;  // of the only block
  BENCHHUD_TRY(for_each_block(connection, trace, TraceBlockKind::kXlaProfile,
                              [&](std::string_view block) -> schema::Expected<void> {
                                BENCHHUD_ASSIGN(profile, decode_xla_profile(block, kAnyText));
                                return {};
                              }));
  return profile;
}

schema::Expected<bool> add_xla_profile(schema::Connection& connection, schema::TraceId trace,
                                       const Trace& made) {
  schema::Statement query = connection.cached(sql::kBlocksOfTrace);
  query.bind(1, trace).bind(2, TraceBlockKind::kXlaProfile);
  const bool has_profile = query.step();
  BENCHHUD_TRY(query.status());
  query.reset();
  if (has_profile || !made.xla) return false;

  // The stored trace's texts have other numbers, and lack some.
  BENCHHUD_ASSIGN(AddedTexts texts, AddedTexts::of(connection, trace));
  XlaProfile profile = *made.xla;
  for_each_text(profile, [&](std::uint32_t& number) {
    if (number != 0) number = texts.put(made.texts[number]);
  });
  BENCHHUD_TRY(texts.store(connection, trace));
  BENCHHUD_TRY(insert_block(connection, trace, {.kind = TraceBlockKind::kXlaProfile, .count = 1},
                            encode_xla_profile(profile)));
  return true;
}

}  // namespace benchhud::trace
