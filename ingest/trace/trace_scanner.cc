#include "ingest/trace/trace_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/text/byte_search.h"
#include "ingest/trace/trace_syntax.h"

namespace benchhud::ingest {
namespace {

constexpr std::string_view kTooLong = "an event of more than 8 MiB";

template <std::size_t Size>
bool is(const char* key, const char (&text)[Size]) {
  return std::memcmp(key, text, Size - 1) == 0;
}

TraceToken* member(std::string_view key, RawTraceEvent* event) {
  const char* const at = key.data();
  switch (key.size()) {
    case 2:
      if (is(at, "ph")) return &event->phase;
      if (is(at, "ts")) return &event->time;
      if (is(at, "id")) return &event->id;
      if (is(at, "bp")) return &event->bind_point;
      break;
    case 3:
      if (is(at, "cat")) return &event->category;
      if (is(at, "dur")) return &event->duration;
      if (is(at, "pid")) return &event->process;
      if (is(at, "tid")) return &event->thread;
      if (is(at, "id2")) return &event->id;
      break;
    case 4:
      if (is(at, "name")) return &event->name;
      if (is(at, "args")) return &event->args;
      break;
    case 7:
      if (is(at, "bind_id")) return &event->bind_id;
      if (is(at, "flow_in")) return &event->flow_in;
      break;
    case 8:
      if (is(at, "flow_out")) return &event->flow_out;
      break;
    default:
      break;
  }
  return nullptr;
}

TraceToken* member(std::string_view key, RawTraceArgs* args) {
  const char* const at = key.data();
  switch (key.size()) {
    case 4:
      if (is(at, "name")) return &args->name;
      break;
    case 5:
      if (is(at, "bytes")) return &args->bytes;
      break;
    case 6:
      if (is(at, "labels")) return &args->labels;
      break;
    case 10:
      if (is(at, "sort_index")) return &args->sort_index;
      if (is(at, "compile_id")) return &args->compile_id;
      break;
    case 11:
      if (is(at, "External id") || is(at, "external id")) return &args->external_id;
      if (is(at, "correlation")) return &args->correlation;
      break;
    case 12:
      if (is(at, "hlo_category")) return &args->origin;
      break;
    case 13:
      // What Ascend's profiler gives a call and what it launched.
      if (is(at, "connection_id")) return &args->correlation;
      break;
    case 14:
      if (is(at, "kernel_backend")) return &args->origin;
      if (is(at, "correlation_id")) return &args->correlation;  // XLA's
      break;
    case 15:
      if (is(at, "Sequence number")) return &args->sequence;
      break;
    case 23:
      if (is(at, "memory bandwidth (GB/s)")) return &args->bandwidth;
      break;
    default:
      break;
  }
  return nullptr;
}

// What is between the brackets of arguments need not be JSON; its members are read as far as it is.
const char* read_args(const char* at, TraceSyntax* syntax, RawTraceEvent* event) {
  if (event->args) event->arg = {};  // they come twice
  if (*at != '{') return syntax->value(at, &event->args);
  syntax->note_event(at);
  const char* const end = syntax->object(at, [&](std::string_view key, const char* value) {
    TraceToken ignored;
    TraceToken* const found = member(key, &event->arg);
    return syntax->value(value, found != nullptr ? found : &ignored, 1);
  });
  if (end == nullptr) {
    if (syntax->is_short()) return nullptr;
    syntax->forget_fault();
    return syntax->nested(at, &event->args);
  }
  event->args.begin = at;
  event->args.size = static_cast<std::uint32_t>(end - at);
  event->args.kind = TraceToken::Kind::kNested;
  return end;
}

const char* read_event(const char* at, TraceSyntax* syntax, RawTraceEvent* event) {
  return syntax->object(at, [&](std::string_view key, const char* value) {
    event->is_empty = false;
    TraceToken* const found = member(key, event);
    if (found == &event->args) return read_args(value, syntax, event);
    TraceToken ignored;
    return syntax->value(value, found != nullptr ? found : &ignored);
  });
}

}  // namespace

void TraceScanner::feed(std::string_view bytes) {
  // What is done with goes when there is as much of it as of the rest: linear in all.
  if (place_ >= buffer_.size() - place_) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(place_));
    offset_ += static_cast<std::int64_t>(place_);
    place_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() - place_ >= wanted_) scan(false);
}

void TraceScanner::exchange_bytes(std::vector<char>* bytes) {
  bytes->assign(buffer_.begin() + static_cast<std::ptrdiff_t>(place_), buffer_.end());
  buffer_.swap(*bytes);
  offset_ += static_cast<std::int64_t>(place_);
  place_ = 0;
}

void TraceScanner::finish() {
  scan(true);
  place_ = buffer_.size();
}

void TraceScanner::scan(bool is_last) {
  bool goes_on = true;
  wanted_ = 0;
  gap_ = {};
  while (goes_on) {
    switch (where_) {
      case Where::kStart:
        goes_on = scan_start();
        break;
      case Where::kMembers:
        goes_on = scan_members(is_last);
        break;
      case Where::kSkip:
        goes_on = scan_skipped(is_last);
        break;
      case Where::kList:
        goes_on = scan_list(is_last);
        break;
      case Where::kLost:
        goes_on = find_event(is_last);
        break;
      case Where::kAfter:
        place_ = buffer_.size();
        goes_on = false;
        break;
    }
  }
}

void TraceScanner::report(std::size_t at, std::string_view reason) {
  events_->on_broken(offset_ + static_cast<std::int64_t>(at), reason);
}

// For what begins at place_.
TraceSyntax TraceScanner::syntax(bool is_last) {
  const char* const end = buffer_.data() + buffer_.size();
  const bool is_suspect = offset_ + static_cast<std::int64_t>(place_) < suspect_until_;
  return {end, is_last, &gap_, is_suspect ? buffer_.data() + place_ : end};
}

// For the rest of what begins at place_: until there is twice as much of it, so that what is long
// is not looked at again and again. False if it is too long for that.
bool TraceScanner::wait() {
  const std::size_t there = buffer_.size() - place_;
  if (there >= kLongestEvent) return false;
  wanted_ = std::min(2 * there, kLongestEvent);
  return true;
}

// Whether something follows.
bool TraceScanner::skip_space(std::string_view also) {
  const char* const begin = buffer_.data();
  const char* const end = begin + buffer_.size();
  const char* at = skip_blanks(begin + place_, end);
  while (at < end && also.find(*at) != also.npos) at = skip_blanks(at + 1, end);
  place_ = static_cast<std::size_t>(at - begin);
  return at < end;
}

bool TraceScanner::scan_start() {
  if (!skip_space("\xEF\xBB\xBF")) return false;
  const char c = buffer_[place_];
  if (c == '[' || c == '{') {
    ++place_;
    is_object_ = c == '{';
    where_ = is_object_ ? Where::kMembers : Where::kList;
  } else {
    report(place_, "expected a list of events or an object that holds one");
    lose();
  }
  return true;
}

bool TraceScanner::scan_members(bool is_last) {
  if (!skip_space(",")) return false;
  if (buffer_[place_] == '}') {
    where_ = Where::kAfter;
    return true;
  }
  const char* const begin = buffer_.data() + place_;
  TraceSyntax syntax = this->syntax(is_last);
  TraceToken key;
  const char* value = syntax.key(begin, &key);
  if (syntax.is_short() && wait()) return false;
  if (value == nullptr) {
    report(place_, "expected a key of the outermost object");
    lose();
    return true;
  }
  const bool is_base_time = key.text() == "baseTimeNanoseconds";
  // A number or text; one of another kind is none, and is passed over as any member.
  if ((is_base_time || key.text() == "cuda_driver_version") && *value != '{' && *value != '[') {
    TraceToken token;
    const char* const end = syntax.value(value, &token);
    if (syntax.is_short() && wait()) return false;
    if (end != nullptr) {
      events_->on_number(is_base_time ? TraceNumber::kBaseTime : TraceNumber::kCudaDriver,
                         offset_ + static_cast<std::int64_t>(place_), token.text());
      value = end;
    }
  }
  const bool is_list = key.text() == "traceEvents" && *value == '[';
  where_ = is_list ? Where::kList : Where::kSkip;
  place_ = static_cast<std::size_t>(value - buffer_.data()) + is_list;
  return true;
}

// Goes past a value of any length.
bool TraceScanner::scan_skipped(bool is_last) {
  while (place_ < buffer_.size() && where_ == Where::kSkip) {
    const char c = buffer_[place_];
    if (skip_in_text_) {
      if (!skip_escaped_ && c == '"') skip_in_text_ = false;
      skip_escaped_ = !skip_escaped_ && c == '\\';
    } else if (c == '"') {
      if (!skip_text(is_last)) return false;
      continue;
    } else if (c == '{' || c == '[') {
      ++skip_depth_;
    } else if (skip_depth_ == 0 && (c == ',' || c == '}')) {
      where_ = Where::kMembers;
      continue;
    } else if (skip_depth_ > 0 && (c == '}' || c == ']')) {
      --skip_depth_;
    }
    ++place_;
  }
  return place_ < buffer_.size();
}

// Goes past a text with quotes that nobody escaped as events' texts are read. False: its end is not
// there yet. One that is too long to wait for is skipped as far as it has come.
bool TraceScanner::skip_text(bool is_last) {
  TraceSyntax syntax = this->syntax(is_last);
  TraceToken text;
  const char* const begin = buffer_.data();
  const char* const end = syntax.string(begin + place_, &text);
  if (end == nullptr && syntax.is_short()) {
    if (wait()) return false;
    skip_in_text_ = true;
    skip_escaped_ = false;
    ++place_;
    return true;
  }
  if (end == nullptr) {
    place_ = static_cast<std::size_t>(syntax.resume() - begin);
    return true;
  }
  const char* const next = skip_blanks(end, begin + buffer_.size());
  if (skip_depth_ == 0 && next < begin + buffer_.size() && *next == ':') {
    // No value: its quotes were not what they seemed, and from the last one on it is a key.
    const std::size_t quote = text.text().rfind('"');
    if (quote != std::string_view::npos) place_ += quote + 1;
    where_ = Where::kMembers;
  } else {
    place_ = static_cast<std::size_t>(end - begin);
  }
  return true;
}

bool TraceScanner::scan_list(bool is_last) {
  has_list_ = true;
  if (!skip_space(",")) {
    place_ = buffer_.size();
    return false;
  }
  const char c = buffer_[place_];
  if (c == ']') {
    ++place_;
    where_ = is_object_ ? Where::kMembers : Where::kAfter;
    return true;
  }
  if (c != '{') {
    report(place_, "expected an event");
    is_between_events_ = true;
    lose();
    return true;
  }
  RawTraceEvent* const event = events_->begin_event();
  event->offset = offset_ + static_cast<std::int64_t>(place_);
  TraceSyntax syntax = this->syntax(is_last);
  const char* const begin = buffer_.data() + place_;
  const char* const end = read_event(begin, &syntax, event);
  const bool is_whole = end != nullptr && static_cast<std::size_t>(end - begin) <= kLongestEvent;
  // Text between two events may hold objects of its own: those have no phase.
  const bool is_text = end != nullptr && is_between_events_ && !event->phase;
  const bool has_member = !event->is_empty;
  events_->end_event(is_whole && !is_text);
  if (is_text) {
    place_ = static_cast<std::size_t>(end - buffer_.data());
    where_ = Where::kLost;
    return true;
  }
  if (end != nullptr) {
    is_between_events_ = false;
    if (!is_whole) report(place_, kTooLong);
    place_ = static_cast<std::size_t>(end - buffer_.data());
    return true;
  }
  if (syntax.is_short() && wait()) return false;
  report(place_, syntax.is_short() ? kTooLong : syntax.fault());
  suspect_until_ = std::max(suspect_until_, offset_ + (syntax.reached() - buffer_.data()));
  place_ = static_cast<std::size_t>(syntax.resume() - buffer_.data());
  // What broke off before its first member opened no event.
  is_between_events_ = is_between_events_ || !has_member;
  lose();
  return true;
}

// Within a broken event, the next one is a '{' and a key behind "}," or with "ph" as its first key:
// nowhere within events does either come, or hardly ever. Between events, it is any object with a
// phase; scan_list() looks for that.
bool TraceScanner::find_event(bool is_last) {
  const std::string_view text(buffer_.data(), buffer_.size());
  const char* const end = text.data() + text.size();
  for (; place_ < text.size(); ++place_) {
    const char c = text[place_];
    if (is_blank(c)) continue;
    if (c == '{') {
      const char* const at = text.data() + place_;
      if (!is_last && end - at < kEventAhead) return false;
      const char* const key = first_key(at, end);
      const bool is_behind_event = before_[0] == '}' && before_[1] == ',';
      if (key != nullptr && (is_between_events_ || is_behind_event || is_events_key(key, end))) {
        where_ = Where::kList;
        return true;
      }
    }
    before_[0] = before_[1];
    before_[1] = c;
  }
  return false;
}

// From here on the next event is looked for.
void TraceScanner::lose() {
  where_ = Where::kLost;
  before_[0] = before_[1] = '\0';
}

}  // namespace benchhud::ingest
