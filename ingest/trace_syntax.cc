#include "ingest/trace_syntax.h"

#include <cstring>

namespace benchhud::ingest {
namespace {

// Deeper values are not read: nothing writes them.
constexpr int kMostNested = 200;

const char* find(char c, const char* from, const char* to) {
  return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(to - from)));
}

}  // namespace

// The next one that no backslash escapes, or null.
const char* TraceSyntax::closing_quote(const char* from) const {
  const char* at = from;
  for (;;) {
    at = find_quote_or_backslash(at, end_);
    if (at == end_) return nullptr;
    if (*at == '"') return at;
    if (end_ - at < 2) return nullptr;
    at += 2;
  }
}

// A string of which the closing quote is not the first one, or not followed at once by what should,
// or not there yet.
const char* TraceSyntax::inexact_string(const char* begin, TraceToken* token) {
  const char* from = begin;
  for (bool has_quote = false;; has_quote = true) {
    const char* const quote = closing_quote(from);
    if (quote == nullptr) {
      if (!is_last_) return lack("");
      const char* const line = find('\n', begin, end_);
      return fail("a text without its closing quote", line == nullptr ? begin : line);
    }
    if (has_quote) {
      const char* const line = find('\n', begin, quote);
      if (line != nullptr) return fail("a text without its closing quote", line);
    }
    const char* const next = skip_blanks(quote + 1, end_);
    if (next == end_ && !is_last_) return lack("");
    if (next == end_ || follows_string(*next)) {
      set(token, TraceToken::Kind::kString, begin, quote);
      token->has_escapes = find('\\', begin, quote) != nullptr;
      return quote + 1;
    }
    from = quote + 1;
  }
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
