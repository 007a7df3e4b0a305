#include "trace/added_texts.h"

#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {

schema::Expected<AddedTexts> AddedTexts::of(schema::Connection& connection, schema::TraceId trace) {
  AddedTexts made;
  BENCHHUD_TRY(for_each_block(connection, trace, TraceBlockKind::kTexts,
                              [&](std::string_view block) -> schema::Expected<void> {
                                BENCHHUD_ASSIGN(const std::vector<std::string> texts,
                                                decode_texts(block));
                                for (const std::string& text : texts)
                                  made.numbers_.try_emplace(text, made.count_++);
                                return {};
                              }));
  return made;
}

std::uint32_t AddedTexts::put(std::string_view text) {
  const auto [found, is_new] = numbers_.try_emplace(std::string(text), count_);
  if (is_new) {
    added_.push_back(text);
    ++count_;
  }
  return found->second;
}

schema::Expected<void> AddedTexts::store(schema::Connection& connection,
                                         schema::TraceId trace) const {
  if (added_.empty()) return {};
  const BlockPlace place{
      .kind = TraceBlockKind::kTexts, .first = count_ - added_.size(), .count = added_.size()};
  BENCHHUD_TRY(insert_block(connection, trace, place, encode_texts(added_)));
  return connection.cached(sql::kSetTraceTextCount)
      .bind(1, trace)
      .bind(2, std::int64_t{count_})
      .run();
}

}  // namespace benchhud::trace
