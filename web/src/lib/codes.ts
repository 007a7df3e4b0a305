// Verification codes: one sign each, so that shape says what colour repeats.
import type { Verification } from "../api/types";
import { age } from "./format";

export type Sign = { glyph: string; name: string; words: string; rank: number };

/** `rank`: how much it wants to be seen; the worst has the highest. */
const SIGNS: Record<string, Sign> = {
  FAIL: { glyph: "✗", name: "fail", words: "the result is wrong", rank: 7 },
  EXCEPTION_RAISED: { glyph: "!", name: "exception", words: "the verifier raised an exception", rank: 6 },
  EAGER_FAILED: { glyph: "E", name: "eager", words: "eager itself failed", rank: 5 },
  VERIFIER_DIDNT_RUN: { glyph: "", name: "didnt-run", words: "the verifier did not run", rank: 4 },
  NONDETERMINISTIC_EAGER_RUN: { glyph: "≈", name: "nondeterministic", words: "two eager runs disagree", rank: 3 },
  VERIFIER_SKIPPED: { glyph: "·", name: "skipped", words: "skipped on purpose", rank: 1 },
  pass_due_to_skip: { glyph: "·", name: "skipped", words: "skipped on purpose", rank: 1 },
  PASS: { glyph: "✓", name: "pass", words: "passed", rank: 0 },
};
const UNKNOWN: Sign = { glyph: "?", name: "unknown", words: "a code that this version does not know", rank: 2 };

export function sign(code: string): Sign {
  return SIGNS[code] ?? UNKNOWN;
}

/** Codes for legends and stacks: passing first, then by how loud they are, unknown ones by name. */
export function codeOrder(codes: Iterable<string>): string[] {
  return [...new Set(codes)].sort((a, b) => sign(a).rank - sign(b).rank || (a < b ? -1 : a > b ? 1 : 0));
}

export function describe(verification: Verification): string {
  const stale = verification.stale
    ? `; stale: ${verification.age_seconds === null ? "from an earlier run" : `${age(verification.age_seconds)} older than the timing`}`
    : "";
  const shared = verification.shared ? "; one line for several batch sizes" : "";
  return `${verification.code}: ${sign(verification.code).words}${stale}${shared}`;
}
