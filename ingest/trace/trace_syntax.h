// Reads JSON values as traces really hold them. Only the scanner of traces needs this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ingest/text/byte_search.h"
#include "ingest/trace/trace_event.h"

namespace benchhud::ingest {

/// From a '{' to this many bytes behind it decide whether an event begins there.
inline constexpr std::ptrdiff_t kEventAhead = 64;

/// The quote of the first key of the object whose '{' is at `at`; null if there is none, or more
/// space before it than anybody writes.
inline const char* first_key(const char* at, const char* end) {
  const char* const last = end - at < kEventAhead - 8 ? end : at + kEventAhead - 8;
  do ++at;
  while (at < last && is_blank(*at));
  return at < end && *at == '"' ? at : nullptr;
}

/// Whether a key is that with which events begin.
inline bool is_events_key(const char* key, const char* end) {
  return end - key >= 4 && std::memcmp(key, "\"ph\"", 4) == 0;
}

/// Bytes on one line, in which no quote closes a text.
struct TextGap {
  const char* begin = nullptr;
  const char* end = nullptr;
};

/// Values in bytes of which more may come. Every reading function returns where what it reads ends;
/// or null where it cannot, and then either is_short or fault is set.
class TraceSyntax {
 public:
  /// `gap` is what was found so far, and is kept from event to event while the bytes stay in their
  /// place. What is like an event from `suspect_from` on is no value, wherever it stands.
  TraceSyntax(const char* end, bool is_last, TextGap* gap, const char* suspect_from)
      : end_(end), is_last_(is_last), gap_(gap), suspect_from_(suspect_from) {}

  bool is_short() const { return is_short_; }     ///< more bytes are needed
  const char* fault() const { return fault_; }    ///< why reading stopped
  const char* resume() const { return resume_; }  ///< then: where to look for an event
  const char* reached() const {
    return reached_;
  }  ///< and how far it was read; not before resume()

  /// To where something stands.
  const char* skip_space(const char* at) {
    at = skip_blanks(at, end_);
    return at < end_ ? at : lack("the file ends inside an event");
  }

  /// From a quote to behind the one that closes the string: that is followed by what follows
  /// strings, for some writers do not escape quotes. Where those are, the string has to end on its
  /// line.
  const char* string(const char* at, TraceToken* token) {
    const char* const begin = at + 1;
    bool has_escapes = false;
    at = find_quote_or_backslash(begin, end_);
    while (at < end_ && *at == '\\') {
      has_escapes = true;
      if (end_ - at < 2) return inexact_string(begin, token);
      at = find_quote_or_backslash(at + 2, end_);
    }
    if (end_ - at < 2 || !follows_string(at[1])) return inexact_string(begin, token);
    set(token, TraceToken::Kind::kString, begin, at);
    token->has_escapes = has_escapes;
    return at + 1;
  }

  /// Anything in brackets, `depth` of which are open already: whatever is between them but strings
  /// and brackets, which have to match. Something like an event is a fault where no value may
  /// stand.
  const char* nested(const char* at, TraceToken* token, int depth = 0);

  /// Whether the '{' at `at` is like an event's. If there is a fault later on, reading goes on at
  /// the first one that was: what was broken off takes the next events for its values.
  bool note_event(const char* at) {
    const char* const key = first_key(at, end_);
    if (key == nullptr || !is_events_key(key, end_)) return false;
    if (event_ == nullptr) event_ = at;
    return true;
  }

  /// A number or a word.
  const char* bare(const char* at, TraceToken* token) {
    const char* const begin = at;
    while (at < end_ && !kEndsBare[static_cast<unsigned char>(*at)]) ++at;
    if (at == end_) return lack("the file ends inside an event");
    if (at == begin) return fail("expected a value", at);
    set(token, TraceToken::Kind::kBare, begin, at);
    return at;
  }

  /// What stands at `at`, which is no space.
  const char* value(const char* at, TraceToken* token, int depth = 0) {
    if (*at == '"') return string(at, token);
    if (*at == '{' || *at == '[') return nested(at, token, depth);
    return bare(at, token);
  }

  /// A key with its colon, to where its value stands.
  const char* key(const char* at, TraceToken* token) {
    if (*at != '"') return fail("expected a key in quotes", at);
    at = string(at, token);
    if (at != nullptr) at = skip_space(at);
    if (at == nullptr) return nullptr;
    if (*at != ':') return fail("expected ':'", at);
    return skip_space(at + 1);
  }

  /// An object from its '{'. For each member read(key, at) has to read the value.
  template <class Read>
  const char* object(const char* at, const Read& read) {
    ++at;
    for (;;) {
      at = skip_space(at);
      if (at == nullptr) return nullptr;
      if (*at == '}') return at + 1;
      if (*at == ',') {
        ++at;
        continue;
      }
      TraceToken name;
      at = key(at, &name);
      if (at != nullptr) at = read(name.text(), at);
      if (at != nullptr) at = skip_space(at);
      if (at == nullptr) return nullptr;
      if (*at != ',' && *at != '}') return fail("expected ',' or '}'", at);
    }
  }

  /// As if there had been no fault; but what is like an event behind it is no value any more.
  void forget_fault() {
    suspect_from_ = reached_ < suspect_from_ ? reached_ : suspect_from_;
    fault_ = resume_ = event_ = nullptr;
  }

 private:
  static constexpr std::array<bool, 256> kEndsBare = [] {
    std::array<bool, 256> ends{};
    for (const char c : {' ', '\n', '\r', '\t', '"', '[', ']', '{', '}', ',', ':'}) {
      ends[static_cast<unsigned char>(c)] = true;
    }
    return ends;
  }();

  static bool follows_string(char c) { return c == ',' || c == ':' || c == '}' || c == ']'; }

  static void set(TraceToken* token, TraceToken::Kind kind, const char* begin, const char* end) {
    token->begin = begin;
    token->size = static_cast<std::uint32_t>(end - begin);
    token->kind = kind;
    token->has_escapes = false;
  }

  const char* inexact_string(const char* begin, TraceToken* token);
  const char* closing_quote(const char* from, const char* to) const;
  bool takes_value(const char* at, bool is_in_list) const;

  const char* fail(const char* reason, const char* at) {
    fault_ = reason;
    stop(at);
    return nullptr;
  }

  const char* lack(const char* reason) {
    if (is_last_) return fail(reason, end_);
    is_short_ = true;
    stop(end_);
    return nullptr;
  }

  void stop(const char* at) {
    resume_ = event_ != nullptr ? event_ : at;
    if (reached_ == nullptr || reached_ < at) reached_ = at;
  }

  const char* const end_;
  const bool is_last_;  // no more bytes come
  TextGap* const gap_;
  const char* suspect_from_;
  const char* event_ = nullptr;  // see note_event()
  const char* fault_ = nullptr;
  const char* resume_ = nullptr;
  const char* reached_ = nullptr;
  bool is_short_ = false;
};

}  // namespace benchhud::ingest
