#include "ingest/trace/trace_syntax.h"

#include <algorithm>
#include <cstring>

namespace benchhud::ingest {
namespace {

// Deeper values are not read: nothing writes them.
constexpr int kMostNested = 200;
// A string with quotes that nobody escaped is not longer, so that what is garbage does not wait for
// more of it.
constexpr std::ptrdiff_t kLongestInexact = std::ptrdiff_t{1} << 20;
constexpr const char* kUnclosed = "a text without its closing quote";

const char* find(char c, const char* from, const char* to) {
  if (from >= to) return nullptr;
  return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(to - from)));
}

}  // namespace

// The next quote before `to` that no backslash escapes. Without one a place that is not before
// `to`, from which more bytes can be searched; or a backslash that is the last byte of all.
const char* TraceSyntax::closing_quote(const char* from, const char* to) const {
  const char* at = from;
  for (;;) {
    at = find_quote_or_backslash(at, to);
    if (at >= to || *at == '"' || end_ - at < 2) return at;
    at += 2;
  }
}

// A string of which the closing quote is not the first one, or not followed at once by what should,
// or not there yet. What was searched in vain is not searched again for the next string: whether a
// quote closes one does not depend on where that begins.
const char* TraceSyntax::inexact_string(const char* begin, TraceToken* token) {
  const char* from = begin;  // up to there it is known
  const char* to = end_;     // the first quote may be anywhere
  for (bool is_first = true;; is_first = false) {
    const char* const at = closing_quote(from, to);
    const bool is_quote = at < to && *at == '"';
    if (!is_first) {
      if (const char* const line = find('\n', from, std::min(at, to))) return fail(kUnclosed, line);
    }
    if (!is_quote) {
      if (to == end_ && !is_last_) return lack("");
      const char* const line = is_first ? find('\n', begin, end_) : nullptr;
      if (line != nullptr) return fail(kUnclosed, line);
      *gap_ = {begin, at};
      return fail(kUnclosed, begin);
    }
    const char* const next = skip_blanks(at + 1, end_);
    if (next == end_ && !is_last_) return lack("");
    if (next == end_ || follows_string(*next)) {
      set(token, TraceToken::Kind::kString, begin, at);
      token->has_escapes = find('\\', begin, at) != nullptr;
      return at + 1;
    }
    if (is_first) {
      if (const char* const line = find('\n', begin, at)) return fail(kUnclosed, line);
      to = end_ - begin > kLongestInexact ? begin + kLongestInexact : end_;
    }
    from = at + 1;
    if (gap_->begin <= from && from < gap_->end) from = gap_->end;
  }
}

// Whether a value may stand at `at`, within brackets: by what is before it.
bool TraceSyntax::takes_value(const char* at, bool is_in_list) const {
  do --at;
  while (is_blank(*at));
  return *at == ':' || (is_in_list && (*at == ',' || *at == '['));
}

const char* TraceSyntax::nested(const char* at, TraceToken* token, int depth) {
  const char* const begin = at;
  const int outside = depth;
  char closing[kMostNested + 1];  // what closes each of those that are open
  for (;;) {
    at = find_quote_or_bracket(at, end_);
    if (at == end_) return lack("the file ends inside an event");
    const char c = *at;
    if (c == '"') {
      TraceToken text;
      if ((at = string(at, &text)) == nullptr) return nullptr;
      continue;
    }
    if (c == '{') {
      if (end_ - at < kEventAhead && !is_last_) return lack("");
      if (note_event(at) &&
          (at >= suspect_from_ || (at != begin && !takes_value(at, closing[depth] == ']')))) {
        return fail("the next event begins inside of it", at);
      }
    }
    ++at;
    if (c == '{' || c == '[') {
      if (++depth > kMostNested) return fail("nested more than 200 deep", at);
      closing[depth] = c == '{' ? '}' : ']';
      continue;
    }
    if (c != closing[depth]) return fail("brackets that do not match", at);
    if (--depth == outside) {
      set(token, TraceToken::Kind::kNested, begin, at);
      return at;
    }
  }
}

}  // namespace benchhud::ingest
