#include "ingest/trace_scanner.h"

#include <cstring>

namespace benchhud::ingest {
namespace {

using Kind = TraceToken::Kind;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Deeper arguments are not read: nothing writes them, and looking for their end may take long.
constexpr int kMostNested = 200;

// A place in bytes of which more may come.
struct Cursor {
  const char* place;
  const char* const end;
  const bool is_last;            // no more bytes come
  const char* fault = nullptr;   // why reading stopped; null with is_short
  const char* resume = nullptr;  // after a fault: where the next event may be looked for
  bool is_short = false;         // more bytes are needed

  bool skip_space() {
    while (place < end && is_space(*place)) ++place;
    return place < end || lack("the file ends inside an event");
  }

  bool skip_colon() {
    const bool is_colon = *place == ':';
    place += is_colon;
    return is_colon;
  }

  bool fail(const char* reason, const char* at) {
    fault = reason;
    resume = at;
    return false;
  }

  bool lack(const char* reason) {
    if (is_last) return fail(reason, end);
    is_short = true;
    return false;
  }

  // From a quote to the one that closes the string: that is followed by what follows strings, for
  // some writers do not escape quotes. Where those are, the string has to end on its line.
  bool string(TraceToken* token) {
    const char* const begin = place + 1;
    const char* from = begin;
    for (bool has_quote = false;; has_quote = true) {
      const char* const quote = closing_quote(from);
      if (quote == nullptr) {
        const char* const line = find('\n', begin, end);
        return lack_string(line == nullptr ? begin : line);
      }
      if (has_quote) {
        const char* const line = find('\n', begin, quote);
        if (line != nullptr) return fail("a text without its closing quote", line);
      }
      const char* next = quote + 1;
      while (next < end && is_space(*next)) ++next;
      if (next == end && !is_last) {
        is_short = true;
        return false;
      }
      if (next == end || *next == ',' || *next == '}' || *next == ']' || *next == ':') {
        *token = {Kind::kString, {begin, static_cast<std::size_t>(quote - begin)}};
        place = quote + 1;
        return true;
      }
      from = quote + 1;
    }
  }

  bool nested(TraceToken* token) {
    const char* const begin = place;
    int depth = 0;
    while (place < end) {
      const char c = *place;
      if (c == '"') {
        TraceToken text;
        if (!string(&text)) return false;
        continue;
      }
      ++place;
      if (c == '{' || c == '[') {
        if (++depth > kMostNested) return fail("nested more than 200 deep", place);
      } else if (c == '}' || c == ']') {
        if (--depth > 0) continue;
        *token = {Kind::kNested, {begin, static_cast<std::size_t>(place - begin)}};
        return true;
      }
    }
    return lack("the file ends inside an event");
  }

  bool bare(TraceToken* token) {
    const char* const begin = place;
    const auto is_part = [](char c) {
      return !is_space(c) && c != ',' && c != '}' && c != ']' && c != '{' && c != '[' && c != '"' &&
             c != ':';
    };
    while (place < end && is_part(*place)) ++place;
    if (place == end) return lack("the file ends inside an event");
    if (place == begin) return fail("expected a value", place);
    *token = {Kind::kBare, {begin, static_cast<std::size_t>(place - begin)}};
    return true;
  }

  bool value(TraceToken* token) {
    if (!skip_space()) return false;
    if (*place == '"') return string(token);
    if (*place == '{' || *place == '[') return nested(token);
    return bare(token);
  }

  // An object from its '{'; take(key, value) for each member.
  template <class Take>
  bool object(const Take& take) {
    ++place;
    for (;;) {
      if (!skip_space()) return false;
      if (*place == '}') {
        ++place;
        return true;
      }
      if (*place == ',') {
        ++place;
        continue;
      }
      if (*place != '"') return fail("expected a key in quotes", place);
      TraceToken key, member;
      if (!string(&key) || !skip_space()) return false;
      if (!skip_colon()) return fail("expected ':'", place);
      if (!value(&member) || !skip_space()) return false;
      if (*place != ',' && *place != '}') return fail("expected ',' or '}'", place);
      take(key.text, member);
    }
  }

 private:
  static const char* find(char c, const char* from, const char* to) {
    return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(to - from)));
  }

  const char* closing_quote(const char* from) const {
    const char* at = from;
    for (;;) {
      at = find('"', at, end);
      if (at == nullptr) return nullptr;
      const char* before = at;
      while (before > from && before[-1] == '\\') --before;
      if ((at - before) % 2 == 0) return at;
      ++at;
    }
  }

  bool lack_string(const char* next) {
    if (!is_last) {
      is_short = true;
      return false;
    }
    return fail("a text without its closing quote", next);
  }
};

TraceToken* member(RawTraceEvent* event, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return &event->phase;
      if (key == "ts") return &event->time;
      if (key == "id") return &event->id;
      break;
    case 3:
      if (key == "cat") return &event->category;
      if (key == "dur") return &event->duration;
      if (key == "pid") return &event->process;
      if (key == "tid") return &event->thread;
      if (key == "id2") return &event->id;
      break;
    case 4:
      if (key == "name") return &event->name;
      if (key == "args") return &event->args;
      break;
    case 7:
      if (key == "bind_id") return &event->bind_id;
      if (key == "flow_in") return &event->flow_in;
      break;
    case 8:
      if (key == "flow_out") return &event->flow_out;
      break;
    default:
      break;
  }
  return nullptr;
}

}  // namespace

void for_each_field(std::string_view object,
                    const std::function<void(std::string_view, TraceToken)>& on_field) {
  if (!object.starts_with('{')) return;
  Cursor cursor{object.data(), object.data() + object.size(), true};
  (void)cursor.object(on_field);
}

void TraceScanner::feed(std::string_view bytes) {
  // What is done with goes when there is as much of it as of the rest: linear in all.
  if (place_ >= buffer_.size() - place_) {
    buffer_.erase(0, place_);
    offset_ += static_cast<std::int64_t>(place_);
    place_ = 0;
  }
  buffer_.append(bytes);
  scan(false);
}

void TraceScanner::finish() {
  scan(true);
  offset_ += static_cast<std::int64_t>(buffer_.size());
  place_ = 0;
  buffer_ = {};
}

void TraceScanner::scan(bool is_last) {
  bool goes_on = true;
  while (goes_on) {
    switch (where_) {
      case Where::kStart:
        goes_on = scan_start();
        break;
      case Where::kMembers:
        goes_on = scan_members(is_last);
        break;
      case Where::kSkip:
        goes_on = scan_skipped();
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

// Whether something follows.
bool TraceScanner::skip_space(std::string_view also) {
  while (place_ < buffer_.size() &&
         (is_space(buffer_[place_]) || also.find(buffer_[place_]) != also.npos)) {
    ++place_;
  }
  return place_ < buffer_.size();
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
  Cursor cursor{buffer_.data() + place_, buffer_.data() + buffer_.size(), is_last};
  TraceToken key;
  const bool is_key = *cursor.place == '"' && cursor.string(&key) && cursor.skip_space() &&
                      cursor.skip_colon() && cursor.skip_space();
  if (cursor.is_short && buffer_.size() - place_ < kLongestEvent) return false;
  if (!is_key) {
    report(place_, "expected a key of the outermost object");
    lose();
    return true;
  }
  const char* const value = cursor.place;
  // A number or text; a base time of another kind is none, and is passed over as any member.
  if (key.text == "baseTimeNanoseconds" && *value != '{' && *value != '[') {
    TraceToken token;
    if (cursor.value(&token)) {
      events_->on_base_time(offset_ + static_cast<std::int64_t>(place_), token.text);
      place_ = static_cast<std::size_t>(cursor.place - buffer_.data());
      return true;
    }
    if (cursor.is_short && buffer_.size() - place_ < kLongestEvent) return false;
  }
  place_ = static_cast<std::size_t>(value - buffer_.data());
  if (key.text == "traceEvents" && buffer_[place_] == '[') {
    ++place_;
    where_ = Where::kList;
  } else {
    where_ = Where::kSkip;
  }
  return true;
}

// Goes past a value of any length, holding none of it.
bool TraceScanner::scan_skipped() {
  for (; place_ < buffer_.size(); ++place_) {
    const char c = buffer_[place_];
    if (skip_in_string_) {
      if (!skip_escaped_ && c == '"') skip_in_string_ = false;
      skip_escaped_ = !skip_escaped_ && c == '\\';
      continue;
    }
    if (c == '"') {
      skip_in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++skip_depth_;
    } else if (skip_depth_ == 0 && (c == ',' || c == '}')) {
      where_ = Where::kMembers;
      return true;
    } else if (c == '}' || c == ']') {
      --skip_depth_;
    }
  }
  return false;
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
    lose();
    return true;
  }
  RawTraceEvent event;
  event.offset = offset_ + static_cast<std::int64_t>(place_);
  Cursor cursor{buffer_.data() + place_, buffer_.data() + buffer_.size(), is_last};
  const bool is_whole = cursor.object([&](std::string_view key, const TraceToken& value) {
    event.is_empty = false;
    if (TraceToken* const found = member(&event, key)) *found = value;
  });
  if (is_whole) {
    events_->on_event(event);
    place_ = static_cast<std::size_t>(cursor.place - buffer_.data());
    return true;
  }
  if (cursor.is_short) {
    if (buffer_.size() - place_ < kLongestEvent) return false;
    report(place_, "an event of more than 64 MiB");
    place_ = buffer_.size();
  } else {
    report(place_, cursor.fault);
    place_ = static_cast<std::size_t>(cursor.resume - buffer_.data());
  }
  lose();
  return true;
}

// The next event is a '{' and a key behind "}," or with "ph" as its first key: nowhere within
// events does either come, or hardly ever.
bool TraceScanner::find_event(bool is_last) {
  // A '{' waits for that much behind it; more space than this before the key is nobody's.
  constexpr std::size_t kAhead = 64;
  const std::string_view text = buffer_;
  for (; place_ < text.size(); ++place_) {
    const char c = text[place_];
    if (is_space(c)) continue;
    if (c == '{') {
      if (!is_last && text.size() - place_ < kAhead) return false;
      std::size_t next = place_ + 1;
      while (next < text.size() && next - place_ < kAhead - 8 && is_space(text[next])) ++next;
      const bool is_behind_event = before_[0] == '}' && before_[1] == ',';
      if (text.substr(next).starts_with("\"ph\"") ||
          (is_behind_event && next < text.size() && text[next] == '"')) {
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
