// Where the next byte of a kind is, sixteen bytes at a time where the processor can. Only what
// reads traces needs this.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace benchhud::ingest {

inline bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
inline bool is_quote_or_backslash(char c) { return c == '"' || c == '\\'; }
inline bool is_quote_or_bracket(char c) {
  const char folded = static_cast<char>(c | 0x20);  // [ and ] are { and } without that bit
  return c == '"' || folded == '{' || folded == '}';
}

#if defined(__SSE2__)

namespace sixteen {

inline __m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
inline __m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
inline unsigned bits(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

inline unsigned quotes_and_backslashes(const char* at) {
  const __m128i bytes = load(at);
  return bits(_mm_or_si128(equal(bytes, '"'), equal(bytes, '\\')));
}

inline unsigned quotes_and_brackets(const char* at) {
  const __m128i bytes = load(at);
  const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  return bits(
      _mm_or_si128(equal(bytes, '"'), _mm_or_si128(equal(folded, '{'), equal(folded, '}'))));
}

inline unsigned not_blanks(const char* at) {
  const __m128i bytes = load(at);
  return bits(_mm_or_si128(_mm_or_si128(equal(bytes, ' '), equal(bytes, '\n')),
                           _mm_or_si128(equal(bytes, '\r'), equal(bytes, '\t')))) ^
         0xffffU;
}

}  // namespace sixteen

#endif

/// The first quote or backslash in [at, end), or `end`.
inline const char* find_quote_or_backslash(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    if (const unsigned found = sixteen::quotes_and_backslashes(at)) {
      return at + __builtin_ctz(found);
    }
  }
#endif
  while (at < end && !is_quote_or_backslash(*at)) ++at;
  return at;
}

/// The first quote or bracket of [ ] { } in [at, end), or `end`.
inline const char* find_quote_or_bracket(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    if (const unsigned found = sixteen::quotes_and_brackets(at)) return at + __builtin_ctz(found);
  }
#endif
  while (at < end && !is_quote_or_bracket(*at)) ++at;
  return at;
}

/// The first byte in [at, end) that is no space or line end, or `end`.
inline const char* skip_blanks(const char* at, const char* end) {
  if (at == end || !is_blank(*at)) return at;
  ++at;
  if (at == end || !is_blank(*at)) return at;
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    if (const unsigned found = sixteen::not_blanks(at)) return at + __builtin_ctz(found);
  }
#endif
  while (at < end && is_blank(*at)) ++at;
  return at;
}

}  // namespace benchhud::ingest
