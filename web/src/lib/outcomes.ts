// What became of a result in a run: a word and a sign each.
import type { ResultOutcome } from "../api/types";

export const OUTCOMES: readonly ResultOutcome[] = ["timed", "wrong", "crashed", "timed_out", "out_of_memory", "raised", "skipped", "not_timed", "not_run"];

const WORDS: Record<ResultOutcome, [word: string, meaning: string]> = {
  timed: ["timed", "it has timings, and this run does not say that the result is wrong"],
  wrong: ["wrong", "this run's verification says FAIL"],
  crashed: ["crashed", "a signal, an abort or a failed check ended it"],
  timed_out: ["timed out", "the runner's time limit was reached"],
  out_of_memory: ["out of memory", "memory did not suffice"],
  raised: ["raised", "it failed otherwise: an exception, or nobody knows"],
  skipped: ["skipped", "the runner knew it not to work and did not try"],
  not_timed: ["not timed", "it has a line, but nothing tried to time it"],
  not_run: ["not run", "the run has no line of it"],
};

export const outcomeWord = (outcome: ResultOutcome): string => WORDS[outcome]?.[0] ?? outcome;
export const outcomeMeaning = (outcome: ResultOutcome): string => WORDS[outcome]?.[1] ?? outcome;
/** Outcomes of what was to be timed and was not. */
export const FAILURES: readonly ResultOutcome[] = ["crashed", "timed_out", "out_of_memory", "raised"];
