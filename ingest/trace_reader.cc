#include "ingest/trace_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ingest/source_file.h"
#include "ingest/text_parts.h"
#include "ingest/trace_scanner.h"
#include "schema/content_hash.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Trace;
using schema::TraceArgs;
using schema::TraceFlow;
using schema::TraceSlice;
using schema::TraceThread;

namespace {

__extension__ using Wide = __int128;

using Kind = TraceToken::Kind;

constexpr std::size_t kPieceBytes = 1 << 20;

bool is_true(const TraceToken& token) { return token.text == "true" || token.text == "1"; }

// What stands between a string's quotes. What no strict parser reads is taken as it stands.
std::string unescaped(std::string_view raw, simdjson::dom::parser* parser) {
  std::string quoted;
  quoted.reserve(raw.size() + 2 + simdjson::SIMDJSON_PADDING);
  quoted += '"';
  quoted += raw;
  quoted += '"';
  std::string_view text;
  if (parser->parse(quoted).get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return std::string(raw);
}

}  // namespace

std::optional<std::int64_t> microseconds_to_ns(std::string_view decimal) {
  std::size_t at = 0;
  const auto is = [&](char c) { return at < decimal.size() && decimal[at] == c; };
  const bool is_negative = is('-');
  if (is_negative || is('+')) ++at;
  Wide mantissa = 0;
  int scale = 3;  // from microseconds to nanoseconds
  bool has_digits = false;
  const auto digits = [&](bool is_fraction) {
    for (; at < decimal.size() && is_digit(decimal[at]); ++at) {
      has_digits = true;
      // 30 digits are more than any time that fits; what follows them is rounded away.
      constexpr Wide kMost = Wide{1'000'000'000'000'000} * 1'000'000'000'000'000;
      if (mantissa >= kMost) {
        scale += is_fraction ? 0 : 1;
        continue;
      }
      mantissa = mantissa * 10 + (decimal[at] - '0');
      if (is_fraction) --scale;
    }
  };
  digits(false);
  if (is('.')) {
    ++at;
    digits(true);
  }
  if (!has_digits) return std::nullopt;
  if (is('e') || is('E')) {
    ++at;
    if (is('+')) ++at;
    int exponent = 0;
    const char* const end = decimal.data() + decimal.size();
    const auto [last, error] = std::from_chars(decimal.data() + at, end, exponent);
    if (error != std::errc() || exponent > 1000 || exponent < -1000) return std::nullopt;
    at = static_cast<std::size_t>(last - decimal.data());
    scale += exponent;
  }
  if (at != decimal.size()) return std::nullopt;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  for (; scale > 0 && mantissa != 0; --scale) {
    mantissa *= 10;
    if (mantissa > kMost) return std::nullopt;
  }
  if (scale < -40) mantissa = 0;
  Wide divisor = 1;
  for (; scale < 0 && mantissa != 0; ++scale) {
    // Rounded once, at the last digit.
    if (divisor > mantissa) mantissa = 0;
    divisor *= 10;
  }
  if (mantissa != 0) mantissa = (mantissa + divisor / 2) / divisor;
  if (mantissa > kMost) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(mantissa);
  return is_negative ? -ns : ns;
}

struct TraceReader::State : TraceEvents {
  void on_event(const RawTraceEvent& event) override;
  void on_broken(std::int64_t offset, std::string_view reason) override;

  void problem(std::int64_t offset, std::string_view reason);
  std::optional<std::int64_t> time_of(const RawTraceEvent& event);
  std::uint32_t text(const TraceToken& token);
  std::uint32_t thread_of(const RawTraceEvent& event);
  std::uint32_t args_of(const RawTraceEvent& event);
  TraceSlice new_slice(const RawTraceEvent& event, std::int64_t start);
  void add_complete(const RawTraceEvent& event);
  void begin(const RawTraceEvent& event);
  void end(const RawTraceEvent& event);
  void add_metadata(const RawTraceEvent& event);
  void add_flow(const RawTraceEvent& event, const TraceToken& id, TraceFlow::Step step);

  Trace trace;
  TraceScanner scanner{this};
  simdjson::dom::parser parser;
  std::unordered_map<std::string, std::uint32_t> escaped;  // texts with escapes, as they stand
  std::unordered_map<std::string, std::uint32_t> threads;  // by pid, NUL, tid
  std::string thread_key, last_thread_key;
  std::uint32_t last_thread = 0;
  std::vector<std::vector<TraceSlice>> open;  // begun, by thread
  std::unordered_map<std::string, std::string> process_names;
};

void TraceReader::State::problem(std::int64_t offset, std::string_view reason) {
  ++trace.problem_count;
  if (trace.problems.size() < Trace::kMostProblems) {
    trace.problems.push_back({offset, std::string(reason)});
  }
}

void TraceReader::State::on_broken(std::int64_t offset, std::string_view reason) {
  ++trace.broken;
  problem(offset, reason);
}

std::uint32_t TraceReader::State::text(const TraceToken& token) {
  if (token.kind != Kind::kString || token.text.find('\\') == token.text.npos) {
    return trace.texts.put(token.text);
  }
  const auto [found, is_new] = escaped.try_emplace(std::string(token.text), 0);
  if (is_new) found->second = trace.texts.put(unescaped(token.text, &parser));
  return found->second;
}

std::uint32_t TraceReader::State::thread_of(const RawTraceEvent& event) {
  thread_key.assign(event.process.text);
  thread_key += '\0';
  thread_key += event.thread.text;
  if (thread_key == last_thread_key && !trace.threads.empty()) return last_thread;
  const auto [found, is_new] =
      threads.try_emplace(thread_key, static_cast<std::uint32_t>(trace.threads.size()));
  if (is_new) {
    trace.threads.push_back({std::string(trace.texts[text(event.process)]),
                             std::string(trace.texts[text(event.thread)]), "", ""});
    open.emplace_back();
  }
  last_thread_key = thread_key;
  last_thread = found->second;
  return last_thread;
}

std::uint32_t TraceReader::State::args_of(const RawTraceEvent& event) {
  if (event.args.kind != Kind::kNested) return 0;
  TraceArgs args;
  bool has_any = false;
  for_each_field(event.args.text, [&](std::string_view key, const TraceToken& value) {
    const auto take = [&](std::int64_t* field) {
      if (const auto number = number_of<std::int64_t>(value.text)) {
        *field = *number;
        has_any = true;
      }
    };
    if (key == "correlation") {
      take(&args.correlation);
    } else if (key == "External id" || key == "external id") {
      take(&args.external_id);
    } else if (key == "Sequence number") {
      take(&args.sequence);
    } else if (key == "kernel_backend") {
      args.kernel_backend = text(value);
      has_any = true;
    }
  });
  if (!has_any) return 0;
  trace.args.push_back(args);
  return static_cast<std::uint32_t>(trace.args.size() - 1);
}

std::optional<std::int64_t> TraceReader::State::time_of(const RawTraceEvent& event) {
  const auto time = microseconds_to_ns(event.time.text);
  if (!time) {
    problem(event.offset, event.time
                              ? fmt::format("ts is {}, not a time", event.time.text.substr(0, 40))
                              : "an event without ts");
  }
  return time;
}

TraceSlice TraceReader::State::new_slice(const RawTraceEvent& event, std::int64_t start) {
  TraceSlice slice;
  slice.start = start;
  slice.label = trace.put_label({text(event.name), text(event.category)});
  slice.thread = thread_of(event);
  slice.args = args_of(event);
  return slice;
}

void TraceReader::State::add_complete(const RawTraceEvent& event) {
  const auto start = time_of(event);
  if (!start) return;
  TraceSlice slice = new_slice(event, *start);
  if (event.duration) {
    const auto duration = microseconds_to_ns(event.duration.text);
    if (!duration || *duration < 0) {
      problem(event.offset, fmt::format("dur is {}, not a length of time: taken as 0",
                                        event.duration.text.substr(0, 40)));
    } else if (*duration >
               std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(*start, 0)) {
      problem(event.offset,
              "ts and dur together are beyond 64 bits of nanoseconds: dur taken as 0");
    } else {
      slice.duration = *duration;
    }
  }
  trace.slices.push_back(slice);
  if (!event.bind_id) return;
  if (is_true(event.flow_out)) add_flow(event, event.bind_id, TraceFlow::Step::kStart);
  if (is_true(event.flow_in)) add_flow(event, event.bind_id, TraceFlow::Step::kEnd);
}

void TraceReader::State::begin(const RawTraceEvent& event) {
  if (const auto start = time_of(event)) {
    const TraceSlice slice = new_slice(event, *start);
    open[slice.thread].push_back(slice);
  }
}

void TraceReader::State::end(const RawTraceEvent& event) {
  const auto time = time_of(event);
  if (!time) return;
  std::vector<TraceSlice>& stack = open[thread_of(event)];
  if (stack.empty()) {
    ++trace.unmatched;
    return problem(event.offset, "an end without a beginning");
  }
  TraceSlice slice = stack.back();
  stack.pop_back();
  if (*time < slice.start) {
    problem(event.offset, "an end before its beginning: the length is taken as 0");
  } else {
    slice.duration = *time - slice.start;
  }
  if (slice.args == 0) slice.args = args_of(event);
  trace.slices.push_back(slice);
}

void TraceReader::State::add_metadata(const RawTraceEvent& event) {
  const bool is_process = event.name.text == "process_name";
  if (!is_process && event.name.text != "thread_name") return;
  std::uint32_t name = 0;
  for_each_field(event.args.text, [&](std::string_view key, const TraceToken& value) {
    if (key == "name") name = text(value);
  });
  if (is_process) {
    process_names[std::string(trace.texts[text(event.process)])] = trace.texts[name];
  } else {
    trace.threads[thread_of(event)].name = trace.texts[name];
  }
}

void TraceReader::State::add_flow(const RawTraceEvent& event, const TraceToken& id,
                                  TraceFlow::Step step) {
  const auto time = time_of(event);
  if (!time) return;
  TraceFlow flow;
  flow.time = *time;
  flow.category = text(event.category);
  flow.thread = thread_of(event);
  flow.step = step;
  std::string key(event.category.text);
  key += '\0';
  key += id.text;
  // An id of one process only.
  if (id.kind == Kind::kNested && id.text.find("\"local\"") != id.text.npos) {
    key += '\0';
    key += event.process.text;
  }
  const schema::ContentHash hash = schema::content_hash(key);
  std::memcpy(&flow.key, hash.view().data(), sizeof flow.key);
  trace.flows.push_back(flow);
}

void TraceReader::State::on_event(const RawTraceEvent& event) {
  ++trace.events;
  // `{}` closes the lists of writers that end every event with a comma.
  if (event.is_empty) return;
  if (event.phase.text.size() != 1) {
    return problem(event.offset,
                   event.phase ? "an event of an unknown phase" : "an event without ph");
  }
  switch (event.phase.text.front()) {
    case 'X':
      return add_complete(event);
    case 'B':
      return begin(event);
    case 'E':
      return end(event);
    case 'M':
      return add_metadata(event);
    case 's':
      return add_flow(event, event.id, TraceFlow::Step::kStart);
    case 't':
      return add_flow(event, event.id, TraceFlow::Step::kStep);
    case 'f':
      return add_flow(event, event.id, TraceFlow::Step::kEnd);
    default:
      return;
  }
}

TraceReader::TraceReader() : state_(std::make_unique<State>()) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;

void TraceReader::feed(std::string_view bytes) { state_->scanner.feed(bytes); }

Trace TraceReader::finish(std::string_view damage) {
  State& state = *state_;
  state.scanner.finish();
  if (!damage.empty()) state.problem(state.scanner.offset(), damage);
  for (const std::vector<TraceSlice>& stack : state.open) {
    state.trace.unclosed += static_cast<std::int64_t>(stack.size());
  }
  for (TraceThread& thread : state.trace.threads) {
    const auto name = state.process_names.find(thread.pid);
    if (name != state.process_names.end()) thread.process_name = name->second;
  }
  return std::move(state.trace);
}

bool TraceReader::has_list() const { return state_->scanner.has_list(); }

Expected<Trace> read_trace(const std::string& path) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  TraceReader reader;
  std::string piece, damage;
  for (;;) {
    piece.clear();
    const Expected<std::size_t> count = file.read(kPieceBytes, &piece);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) damage = count.error().message;
    if (piece.empty()) break;
    reader.feed(piece);
    if (!damage.empty()) break;
  }
  Trace trace = reader.finish(damage);
  if (!reader.has_list()) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is no Chrome trace: there is no list of events in it", path)};
  }
  return trace;
}

}  // namespace benchhud::ingest
