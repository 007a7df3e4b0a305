// What should have run and did not, added up and in words.
import type { CoverageAnswer, CoverageCounts, CoverageGroup, CoverageItem, ResultOutcome } from "../api/types";
import { count, date, plural } from "./format";
import { OUTCOMES, outcomeWord } from "./outcomes";
import { capital } from "./words";

/** `timed`, `extraTimed`: with timings, whatever verification says. */
export type CoverageSum = {
  expected: number;
  timed: number;
  extra: number;
  extraTimed: number;
  lost: number;
  outcomes: CoverageCounts;
};

export function sumOf(groups: readonly CoverageGroup[]): CoverageSum {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as CoverageCounts;
  const sum = { expected: 0, timed: 0, extra: 0, extraTimed: 0, lost: 0, outcomes };
  for (const group of groups) {
    sum.expected += group.expected;
    sum.timed += group.timed;
    sum.extra += group.extra;
    sum.extraTimed += group.extra_timed;
    sum.lost += group.lost;
    for (const outcome of OUTCOMES) outcomes[outcome] += group.outcomes[outcome];
  }
  return sum;
}

/** "3 wrong, 2 crashed, 1 not run": all but what was timed. */
export function outcomesText(outcomes: CoverageCounts): string {
  return OUTCOMES.filter((outcome) => outcome !== "timed" && outcomes[outcome] > 0)
    .map((outcome) => `${count(outcomes[outcome])} ${outcomeWord(outcome)}`)
    .join(", ");
}

/** What became, in this run, of results that were timed in the one before; "" where all were timed again. */
export function lostSentence(items: readonly CoverageItem[]): string {
  const lost = items.filter((item) => item.lost);
  if (!lost.length) return "";
  const of = (outcome: ResultOutcome) => lost.filter((item) => item.outcome === outcome).length;
  const parts = OUTCOMES.map((outcome) => [outcome, of(outcome)] as const)
    .filter(([, n]) => n > 0)
    .map(([outcome, n]) => `${count(n)} ${outcomeWord(outcome)}`);
  return `${plural(lost.length, "result")} lost since the run before: ${parts.join(", ")}`;
}

export function coverageSentence(answer: CoverageAnswer): string {
  const sum = sumOf(answer.groups);
  if (sum.expected === 0)
    return sum.extra
      ? `Nothing was expected of this run, the first of its kind; it holds ${plural(sum.extra, "result")}.`
      : "Nothing was expected of this run, and it holds nothing of what is asked for.";
  const rest = outcomesText(sum.outcomes);
  const first = `${count(sum.timed)} of ${count(sum.expected)} expected results are timed${rest ? `; ${rest}` : ""}`;
  return [first, capital(lostSentence(answer.items))].filter(Boolean).join(". ") + ".";
}

/** What says what is expected. */
export function basisWords(answer: CoverageAnswer): string {
  const { kind, run_count, first_run } = answer.basis;
  if (kind === "manifest") return "Expected is what the manifest of this accelerator names (benchhud expect).";
  if (!first_run) return "There is no run before this one, so nothing is expected of it.";
  return `Expected is what was in one of the ${plural(run_count, "run")} before, since ${date(first_run.started_at)}.`;
}
