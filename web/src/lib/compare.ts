// Two runs side by side, in words and in order: what a verdict is and why, what matters most.
import type {
  Absence,
  ComparedResult,
  ComparedTimeMean,
  Comparison,
  ComparisonGroup,
  ComparisonRow,
  RunRef,
  Verdict,
} from "../api/types";
import { change, count, date, digits, percentInterval, plural, runName, shown, testName } from "./format";
import { href } from "./route";

export type VerdictWords = { glyph: string; word: string; tone: "worse" | "better" | "unclear" };

const VERDICTS: Record<Verdict, VerdictWords> = {
  worse: { glyph: "▼", word: "slower", tone: "worse" },
  better: { glyph: "▲", word: "faster", tone: "better" },
  unclear: { glyph: "~", word: "unclear", tone: "unclear" },
  missing_left: { glyph: "+", word: "only right", tone: "unclear" },
  missing_right: { glyph: "−", word: "only left", tone: "unclear" },
  missing_both: { glyph: "–", word: "no time", tone: "unclear" },
};
export const verdictWords = (verdict: Verdict): VerdictWords => VERDICTS[verdict];

const ABSENCES: Record<Absence, string> = {
  not_run: "not run",
  batch_size_differs: "other batch size",
  not_timed: "not timed",
  skipped: "skipped",
  crashed: "crashed",
  timed_out: "timed out",
  out_of_memory: "out of memory",
  raised: "failed",
  too_few_samples: "too few samples",
};
export const absenceWords = (absent: Absence): string => ABSENCES[absent] ?? absent.replace(/_/g, " ");
/** It was to be timed and did not come through: not merely not asked for. */
export const isFailure = (absent: Absence | null): boolean =>
  absent !== null && ["crashed", "timed_out", "out_of_memory", "raised"].includes(absent);

export type Rule = Comparison["rule"];

/** 2 %, 0.5 %: a share of the rule, which is round. */
export const percent = (share: number): string => `${Number((share * 100).toPrecision(6))} %`;

function chance(q: number): string {
  return q < 0.001 ? "less than 0.001" : digits(q, 2);
}

/** Why the verdict is what it is, as one would say it. */
export function reasonSentence(
  row: Pick<ComparisonRow, "verdict" | "reason" | "change" | "left" | "right">,
  rule: Rule,
): string {
  const { change: time } = row;
  switch (row.reason) {
    case "missing": {
      const sides = [
        row.left.absent ? `left: ${absenceWords(row.left.absent)}` : "",
        row.right.absent ? `right: ${absenceWords(row.right.absent)}` : "",
      ].filter(Boolean);
      return `No time to compare: ${sides.join(", ")}.`;
    }
    case "same_result":
      return "The same result stands on both sides.";
    default:
  }
  if (!time) return "No time to compare.";
  const moved = `The time changed by ${change(time.ratio)}`;
  const bounds = time.interval ? ` ${percentInterval(time.interval.low, time.interval.high)}` : "";
  const known = `held against how ${plural(time.nights, "earlier night")} differ`;
  switch (row.reason) {
    case "significant":
      return `${moved}${bounds}, ${known}: q is ${chance(time.q ?? 1)}, below ${rule.rate}, and the change at least ${percent(rule.least_time_effect)}.`;
    case "not_significant":
      return `${moved}${bounds}, ${known}: that may well be noise (q is ${chance(time.q ?? 1)}, not below ${rule.rate}).`;
    case "small_effect":
      return `${moved}${bounds}, ${known}: surely there (q is ${chance(time.q ?? 1)}), but less than ${percent(rule.least_time_effect)}.`;
    case "apart":
      return `${moved}: fewer than ${rule.fewest_nights} earlier nights are known, but the intervals of the two runs lie apart, by more than ${percent(rule.least_effect_without_nights)}.`;
    case "few_nights":
      return `${moved}: fewer than ${rule.fewest_nights} earlier nights are known, so nobody can say how much of it is noise.`;
    default:
      return `${moved}.`;
  }
}

/** The same for the mean of a group. */
export function meanSentence(time: ComparedTimeMean, rule: Rule): string {
  if (time.ratio === null) return "No model has a time on both sides.";
  if (time.reason === "same_result") return "The same results stand on both sides.";
  const bounds = time.interval ? ` ${percentInterval(time.interval.low, time.interval.high)}` : "";
  const moved = `The geometric mean over ${plural(time.n, "model")} changed by ${change(time.ratio)}${bounds}`;
  if (!time.knows_nights)
    return `${moved}: ${time.n < 2 ? "one model" : `fewer than ${rule.fewest_nights} earlier nights`} cannot tell how much of it is noise.`;
  const known = `held against which models there are and how ${plural(time.nights, "earlier night")} differ`;
  if (time.reason === "significant")
    return `${moved}, ${known}: q is ${chance(time.q ?? 1)}, and the change at least ${percent(rule.least_mean_effect)}.`;
  if (time.reason === "small_effect")
    return `${moved}, ${known}: surely there, but less than ${percent(rule.least_mean_effect)}.`;
  return `${moved}, ${known}: that may well be noise (q is ${chance(time.q ?? 1)}).`;
}

/** Whether our own time or the baseline's moved the speedup. */
export function splitWords(row: ComparisonRow, baseline: string): { short: string; long: string } | null {
  const { speedup } = row;
  if (!speedup) return null;
  const long = `The speedup over ${baseline} changed by ${change(speedup.ratio)}: the own time did ${change(speedup.own)} of it, ${baseline}'s ${change(speedup.baseline)}.`;
  const short = {
    nothing: "",
    own: speedup.own < 1 ? "ours slower" : "ours faster",
    baseline: speedup.baseline < 1 ? `${baseline} faster` : `${baseline} slower`,
    both: "both moved",
  }[speedup.due];
  return { short, long };
}

/** What stands on the right; on the left where there is nothing. */
export const named = (row: ComparisonRow): ComparedResult => (row.right.experiment_id === null ? row.left : row.right);

export function columnText(row: ComparisonRow): string {
  const { left, right } = row;
  if (left.column === null || right.column === null || left.column === right.column) return named(row).column ?? "";
  return `${left.column} → ${right.column}`;
}

export function rowKey(row: ComparisonRow): string {
  return `${row.left.experiment_id ?? ""}.${row.right.experiment_id ?? ""}`;
}

/** How much a row wants to be seen: broken first, then what got slower, then what nobody can tell, then what is fine. */
export function badness(row: ComparisonRow): number {
  const moved = row.change ? Math.log(row.change.ratio) : 0;
  let rank = 0;
  if (row.verification === "newly_failing") rank = 9;
  else if (row.verdict === "missing_right" && isFailure(row.right.absent)) rank = 8;
  else if (row.verdict === "worse") rank = 7;
  else if (row.verification === "changed") rank = 6;
  else if (row.verdict === "missing_right") rank = 5;
  else if (row.verdict === "better" || row.verification === "newly_passing") rank = 4;
  else if (row.verdict === "unclear") rank = 3;
  else if (row.verdict === "missing_left") rank = 2;
  return rank * 1000 + (rank === 4 ? -moved : moved);
}

export const worstFirst = (rows: ComparisonRow[]): ComparisonRow[] =>
  rows
    .map((row) => ({ row, bad: badness(row) }))
    .sort((a, b) => b.bad - a.bad)
    .map(({ row }) => row);

/** What a row is filtered by, beside words. */
export const SHOWN: { value: string; text: string; fits: (row: ComparisonRow) => boolean }[] = [
  { value: "", text: "all", fits: () => true },
  { value: "worse", text: "slower", fits: (row) => row.verdict === "worse" },
  { value: "better", text: "faster", fits: (row) => row.verdict === "better" },
  { value: "unclear", text: "unclear", fits: (row) => row.verdict === "unclear" },
  { value: "missing", text: "missing", fits: (row) => row.verdict.startsWith("missing") },
  { value: "verification", text: "verification changed", fits: (row) => row.verification !== "unchanged" },
];

export const totalOf = (groups: readonly ComparisonGroup[]): ComparisonGroup | undefined =>
  groups.find((group) => group.suite === null);

const sideText = (side: Comparison["left"], other: Comparison["left"]): string => {
  const accelerator =
    side.run.accelerator_model === other.run.accelerator_model ? "" : ` on ${side.run.accelerator_model}`;
  const backend = side.backend !== null && side.backend !== other.backend ? `${side.backend} of ` : "";
  return `${backend}${runName(side.run)}${accelerator}`;
};

/** Whether the sides are two nights of the same: only then is a difference something that became so. */
export const isLikeForLike = ({ left, right }: Pick<Comparison, "left" | "right">): boolean =>
  left.backend === right.backend && left.run.accelerator_model === right.run.accelerator_model;

/** What a person would say of it. */
export function comparisonSentence(answer: Comparison): string {
  const { left, right, groups, rows } = answer;
  const total = totalOf(groups);
  if (left.run.id === right.run.id && left.backend === right.backend)
    return `${sideText(right, left)} stands on both sides: choose another run, or another backend, to see a difference.`;
  const title = `${left.backend !== null && left.backend === right.backend ? `${left.backend}, ` : ""}${sideText(left, right)} → ${sideText(right, left)}`;
  if (!total || !rows.length) return `${title}: they have nothing in common, and nothing else.`;
  const said: string[] = [];
  const alike = isLikeForLike(answer);
  if (total.newly_failing.length)
    said.push(`${count(total.newly_failing.length)} ${alike ? "newly failing" : "failing on the right only"}`);
  if (total.newly_passing.length)
    said.push(`${count(total.newly_passing.length)} ${alike ? "newly passing" : "passing on the right only"}`);
  if (total.stopped.length)
    said.push(`${count(total.stopped.length)} ${alike ? "no longer timed" : "timed on the left only"}`);
  const timed = rows.filter((row) => row.change).length;
  if (!timed) said.push("nothing is timed on both sides");
  else {
    const moved = [
      total.worse ? `${count(total.worse)} slower` : "",
      total.better ? `${count(total.better)} faster` : "",
    ].filter(Boolean);
    const few = total.worse + total.better === 0 && rows.every((row) => !row.change?.knows_nights);
    said.push(
      moved.length
        ? `${moved.join(", ")} of ${plural(timed, "result")}`
        : few
          ? `too few earlier nights to call any of ${plural(timed, "result")} slower or faster`
          : `none of ${plural(timed, "result")} is surely slower or faster`,
    );
  }
  const { time } = total;
  // A percentage only where it is more than noise: what may be none has no size worth a headline.
  const size =
    time.ratio === null
      ? ""
      : ` (${change(time.ratio)}${time.interval ? ` ${percentInterval(time.interval.low, time.interval.high)}` : ""})`;
  const unclear = time.knows_nights
    ? "no significant change of the times over all"
    : "too few earlier nights to judge the times over all";
  const mean =
    time.ratio === null || time.reason === "same_result"
      ? ""
      : time.verdict === "unclear"
        ? `; ${unclear}`
        : `; times over all ${time.verdict === "worse" ? "longer" : "shorter"}${size}`;
  return `${title}: ${said.join(", ")}${mean}.`;
}

export const compareHref = (
  left: { id: number } | string,
  right: { id: number } | string,
  more: Record<string, string | null | undefined> = {},
): string =>
  href("/compare", {
    left: typeof left === "string" ? left : String(left.id),
    right: typeof right === "string" ? right : String(right.id),
    ...more,
  });

/** The earlier run first. */
export function inOrder<T extends Pick<RunRef, "started_at">>(a: T, b: T): [T, T] {
  return a.started_at <= b.started_at ? [a, b] : [b, a];
}

export function groupName(group: ComparisonGroup): string {
  if (group.suite === null) return "All results";
  return `${shown(group.suite)}, ${testName(group.test ?? "")}`;
}

/** The labels that runs have, the commonest first, as what a side can be called by. */
export function labelChoices(runs: readonly RunRef[], most: number): { value: string; text: string; newest: RunRef }[] {
  const found = new Map<string, { value: string; text: string; newest: RunRef; runs: number }>();
  for (const run of runs) {
    for (const [key, value] of Object.entries(run.labels)) {
      const name = key === "branch" ? `branch:${value}` : `label:${key}=${value}`;
      const known = found.get(name);
      if (!known) found.set(name, { value: name, text: `${key} ${value}`, newest: run, runs: 1 });
      else {
        known.runs += 1;
        if (known.newest.started_at < run.started_at) known.newest = run;
      }
    }
  }
  const rank = (value: string) => (value.startsWith("branch:") ? 0 : 1);
  return [...found.values()]
    .sort((a, b) => rank(a.value) - rank(b.value) || b.runs - a.runs || (a.text < b.text ? -1 : 1))
    .slice(0, most);
}

/** "label:commit=abc" and its like hold beyond tonight; a run's own name is shown for an id. */
export function choiceText(asked: string, run: RunRef | null): string {
  if (asked === "latest" || asked === "previous") return run ? `${asked}: ${runName(run)}` : asked;
  if (/^(label|branch):/.test(asked)) return run ? `${asked.replace(/^label:/, "")}: ${date(run.started_at)}` : asked;
  return run ? runName(run) : asked;
}
