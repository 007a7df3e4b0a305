// What became of a result in a run: a word, a sign and a meaning each.
import type { ResultOutcome } from "../api/types";

export const OUTCOMES: readonly ResultOutcome[] = [
  "timed",
  "wrong",
  "crashed",
  "timed_out",
  "out_of_memory",
  "raised",
  "skipped",
  "not_timed",
  "not_run",
];

const WORDS: Record<ResultOutcome, [word: string, glyph: string, meaning: string]> = {
  timed: [
    "timed and not wrong",
    "●",
    "it has timings, and its last verification does not say that the result is wrong",
  ],
  wrong: ["wrong", "✗", "its last verification says FAIL, be it of an earlier run"],
  crashed: ["crashed", "‡", "a signal, an abort or a failed check ended it"],
  timed_out: ["timed out", "◷", "the runner's time limit was reached"],
  out_of_memory: ["out of memory", "▣", "memory did not suffice"],
  raised: ["raised", "!", "it failed otherwise: an exception, or nobody knows"],
  skipped: ["skipped", "·", "the runner knew it not to work and did not try"],
  not_timed: ["not timed", "○", "it has a line, but nothing tried to time it"],
  not_run: ["not run", "∅", "the run has no line of it"],
};

export const outcomeWord = (outcome: ResultOutcome): string => WORDS[outcome]?.[0] ?? outcome;
export const outcomeMeaning = (outcome: ResultOutcome): string => WORDS[outcome]?.[2] ?? outcome;
export const outcomeGlyph = (outcome: ResultOutcome): string => WORDS[outcome]?.[1] ?? "?";
/** Outcomes of what was to be timed and was not. */
export const FAILURES: readonly ResultOutcome[] = ["crashed", "timed_out", "out_of_memory", "raised"];
