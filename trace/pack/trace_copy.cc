#include "trace/pack/trace_copy.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "schema/db/text_store.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::TextId;
using schema::TraceId;

Expected<TraceCopy> TraceCopy::make(Connection& from) {
  TraceCopy made;
  BENCHHUD_ASSIGN(made.trace_, schema::TableCopy::make(from, "trace", "id"));
  for (const std::string_view part : kPartsOfATrace) {
    BENCHHUD_ASSIGN(auto copy, schema::TableCopy::make(from, part, "trace_id"));
    made.parts_.push_back(std::move(copy));
  }
  return made;
}

Expected<TraceId> TraceCopy::run_row(Connection& to, TraceId trace) {
  const std::int64_t number = schema::to_int(trace);
  BENCHHUD_ASSIGN(const std::int64_t count, trace_.run(to, number, number));
  if (count == 0) {
    return schema::Error{schema::ErrorCode::kNotFound, fmt::format("there is no trace {}", number)};
  }
  return TraceId(to.last_insert_id());
}

Expected<TraceId> TraceCopy::run(Connection& to, TraceId trace) {
  BENCHHUD_ASSIGN(const TraceId copied, run_row(to, trace));
  BENCHHUD_TRY(run_parts(to, trace, copied));
  return copied;
}

Expected<void> TraceCopy::run_parts(Connection& to, TraceId trace, TraceId copied) {
  for (schema::TableCopy& part : parts_) {
    BENCHHUD_TRY(part.run(to, schema::to_int(trace), schema::to_int(copied)));
  }
  return {};
}

void TraceCopy::start_parts(TraceId trace) {
  part_ = 0;
  started_ = trace;
  parts_.front().start(schema::to_int(trace));
}

Expected<bool> TraceCopy::copy_parts_until(Connection& to, TraceId copied,
                                           schema::TableCopy::Clock::time_point end) {
  while (part_ < parts_.size()) {
    BENCHHUD_ASSIGN(const bool is_whole, parts_[part_].copy_until(to, schema::to_int(copied), end));
    if (!is_whole) return false;
    if (++part_ < parts_.size()) parts_[part_].start(schema::to_int(started_));
  }
  return true;
}

void TraceCopy::stop() {
  for (schema::TableCopy& part : parts_) part.stop();
}

Expected<void> TraceCopy::overwrite_row(Connection& to, TraceId trace, TraceId over) {
  return trace_.overwrite(to, schema::to_int(trace), schema::to_int(over));
}

Expected<TextId> copy_text(Connection& from, Connection& to, TextId text) {
  BENCHHUD_ASSIGN(const schema::PackedText packed, schema::packed_text(from, text));
  schema::TextWriter texts(to);
  return texts.put(packed);
}

Expected<TraceHlo> copy_hlo(Connection& from, Connection& to, TraceHlo hlo) {
  for (HloModuleUse& use : hlo.modules) {
    BENCHHUD_ASSIGN(const HloModule module, hlo_module(from, use.module));
    BENCHHUD_ASSIGN(const TextId text, copy_text(from, to, module.text));
    BENCHHUD_ASSIGN(use.module, put_hlo_module(to, module.name, text));
  }
  return hlo;
}

}  // namespace benchhud::trace
