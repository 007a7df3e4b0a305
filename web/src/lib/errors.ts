// Errors in words and signs: what kind they are, whether they are new, still there or over.
import type { ErrorList, ErrorStanding, ErrorTrend, FailingExperiment, RunRef } from "../api/types";
import { count, date, failureKind, plural } from "./format";
import { outcomeGlyph, outcomeMeaning } from "./outcomes";

export type ErrorKind = ErrorTrend["kind"];

/** Shape says what colour repeats: the signs of outcomes, where there are some. */
const SIGNS: Record<ErrorKind, { glyph: string; meaning: string }> = {
  crashed: { glyph: outcomeGlyph("crashed"), meaning: outcomeMeaning("crashed") },
  out_of_memory: { glyph: outcomeGlyph("out_of_memory"), meaning: outcomeMeaning("out_of_memory") },
  timed_out: { glyph: outcomeGlyph("timed_out"), meaning: outcomeMeaning("timed_out") },
  exception: { glyph: outcomeGlyph("raised"), meaning: "a Python exception was raised" },
  other: { glyph: "?", meaning: "what it was could not be told from the text" },
  skipped: { glyph: outcomeGlyph("skipped"), meaning: outcomeMeaning("skipped") },
};
export const ERROR_KINDS = Object.keys(SIGNS) as ErrorKind[];

export const errorSign = (kind: string): { glyph: string; word: string; meaning: string } => {
  const { glyph, meaning } = SIGNS[kind as ErrorKind] ?? SIGNS.other;
  return { glyph, word: failureKind(kind), meaning };
};

const dayOf = (runs: readonly RunRef[], id: number | null): string => {
  const run = runs.find((one) => one.id === id);
  return run ? date(run.started_at) : "";
};

/** Experiments that have an error since the same run: "new since 2025-11-10", "back since …", "since … or before". */
export function sinceText(
  { standing, run_id }: { standing: ErrorStanding; run_id: number | null },
  runs: readonly RunRef[],
): string {
  if (standing === "new") return `new since ${dayOf(runs, run_id)}`;
  if (standing === "back") return `back since ${dayOf(runs, run_id)}`;
  return standing === "lasting" ? `since ${dayOf(runs, run_id)} or before` : "over";
}

/** Of a whole error: since when each of its experiments has it, the latest first: "1 new since 2025-11-10, 3 since 2025-11-01 or before". */
export function standingText(trend: Pick<ErrorTrend, "since" | "last_run_id">, runs: readonly RunRef[]): string {
  if (!trend.since.length) return `over; last on ${dayOf(runs, trend.last_run_id)}`;
  const [only] = trend.since;
  if (trend.since.length === 1 && only) return sinceText(only, runs);
  return trend.since.map((one) => `${count(one.experiments)} ${sinceText(one, runs)}`).join(", ");
}

/** How the experiments stand that got it last. */
export const standingOf = (trend: Pick<ErrorTrend, "since">): ErrorStanding => trend.since[0]?.standing ?? "over";

/** The sentence of the list: what fails now, what of it is new, what is over. */
export function errorsSentence(answer: Pick<ErrorList, "items" | "runs" | "now">): string {
  const real = answer.items.filter((one) => one.kind !== "skipped");
  const span = plural(answer.runs.length, "run");
  if (!real.length) return `Nothing failed in the last ${span}.`;
  const now = real.filter((one) => one.now > 0);
  const fresh = now.filter((one) => standingOf(one) === "new").length;
  const back = now.filter((one) => standingOf(one) === "back").length;
  const over = real.length - now.length;
  const { experiments, failed, verification } = answer.now;
  const ways = [
    failed ? `${count(failed)} failed` : "",
    verification ? `${count(verification)} with an error of the verifier` : "",
  ]
    .filter(Boolean)
    .join(", ");
  const said = now.length
    ? [
        `${plural(now.length, "error")} in the newest run, of ${plural(experiments, "experiment")}${ways ? ` (${ways})` : ""}`,
      ]
    : ["No error in the newest run"];
  if (fresh || back)
    said.push(
      [fresh ? `${count(fresh)} new` : "", back ? `${count(back)} back` : ""].filter(Boolean).join(" and ") +
        ` within the last ${span}`,
    );
  if (over) said.push(`${plural(over, "other")} ${over === 1 ? "is" : "are"} over`);
  return said.join("; ") + ".";
}

/** The sentence of one error. */
export function errorSentence(trend: ErrorTrend, runs: readonly RunRef[]): string {
  const what = {
    skipped: "Skipped on purpose",
    timed_out: "Timed out",
    out_of_memory: "Out of memory",
    crashed: "Crashed",
    exception: "An exception",
    other: "A failure",
  }[trend.kind];
  const models = trend.model_count === trend.experiment_count ? "" : ` of ${plural(trend.model_count, "model")}`;
  const all = `${plural(trend.experiment_count, "experiment")}${models}`;
  if (trend.now === 0)
    return `${what}: over since ${dayOf(runs, trend.last_run_id)}; ${all} had it in ${plural(trend.run_count, "run")} of the last ${count(runs.length)}.`;
  const others = trend.experiment_count - trend.now;
  return `${what}: ${plural(trend.now, "experiment")} now, ${standingText(trend, runs)}${others ? `; ${count(others)} more had it before` : ""}.`;
}

/** What a letter of a night says. */
export const NIGHTS: Record<string, { name: string; words: string }> = {
  x: { name: "this", words: "has this error" },
  o: { name: "other", words: "has another error" },
  ".": { name: "none", words: "no error" },
  "-": { name: "untried", words: "not tried" },
};

/** "failed with this error in 5 of 12 runs that tried it, first 2025-11-10, last 2025-11-28" */
export function nightsText(
  failing: Pick<FailingExperiment, "failed" | "tried" | "first_run_id" | "last_run_id">,
  runs: readonly RunRef[],
): string {
  return `failed with this error in ${count(failing.failed)} of ${plural(failing.tried, "run")} that tried it; has it first ${dayOf(runs, failing.first_run_id)}, last ${dayOf(runs, failing.last_run_id)}`;
}
