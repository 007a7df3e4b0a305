#include "trace/xla_profile_store.h"

#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_chunk.h"

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
  schema::Statement query = connection.cached(sql::kBlocksOfTrace);
  query.bind(1, trace).bind(2, TraceBlockKind::kXlaProfile);
  std::optional<XlaProfile> profile;
  if (query.step()) {
    BENCHHUD_ASSIGN(profile, decode_xla_profile(query.blob(2), kAnyText));
  }
  BENCHHUD_TRY(query.status());
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
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::uint32_t count = 0;
  query.bind(1, trace).bind(2, TraceBlockKind::kTexts);
  while (query.step()) {
    BENCHHUD_ASSIGN(const std::vector<std::string> texts, decode_texts(query.blob(2)));
    for (const std::string& text : texts) numbers.try_emplace(text, count++);
  }
  BENCHHUD_TRY(query.status());
  const std::uint32_t known = count;
  std::vector<std::string_view> added;
  XlaProfile profile = *made.xla;
  for_each_text(profile, [&](std::uint32_t& number) {
    if (number == 0) return;
    const std::string_view text = made.texts[number];
    const auto [found, is_new] = numbers.try_emplace(std::string(text), count);
    if (is_new) {
      added.push_back(text);
      ++count;
    }
    number = found->second;
  });

  const auto put = [&](TraceBlockKind kind, std::size_t first, std::size_t rows,
                       std::string_view bytes) {
    schema::Statement insert = connection.cached(sql::kInsertTraceBlock);
    insert.bind(1, trace).bind(2, kind).bind(3, static_cast<std::int64_t>(first));
    insert.bind(4, static_cast<std::int64_t>(rows));
    // No times, and no threads.
    for (int parameter = 5; parameter <= 8; ++parameter) insert.bind(parameter, std::int64_t{0});
    insert.bind_blob_view(9, bytes);
    return insert.run();
  };
  if (!added.empty()) {
    BENCHHUD_TRY(put(TraceBlockKind::kTexts, known, added.size(), encode_texts(added)));
    schema::Statement update = connection.cached(sql::kSetTraceTextCount);
    BENCHHUD_TRY(update.bind(1, trace).bind(2, std::int64_t{count}).run());
  }
  BENCHHUD_TRY(put(TraceBlockKind::kXlaProfile, 0, 1, encode_xla_profile(profile)));
  return true;
}

}  // namespace benchhud::trace
