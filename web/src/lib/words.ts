// The sentences at the top of pages: what a person would say about these numbers.
import type {
  AcceleratorHistory,
  AcceleratorOverview,
  Group,
  GroupChange,
  HistoryPoint,
  ModelTable,
  VerificationAnswer,
} from "../api/types";
import { byBackend } from "./backends";
import { count, date, plural, shown, testName, times } from "./format";
import { sign } from "./codes";

export const testOrder = (a: string, b: string) => (a === "eval" ? -1 : b === "eval" ? 1 : a < b ? -1 : 1);

export function testsOf(items: readonly { test: string }[]): string[] {
  return [...new Set(items.map((item) => item.test))].sort(testOrder);
}

/** The backend that a page is about: the first that is neither the baseline nor eager. */
export function leadBackend(backends: readonly string[], baseline: string): string | undefined {
  const order = [...new Set(backends)].sort((a, b) => {
    const rank = (name: string) =>
      name.startsWith("openxla+dynamo")
        ? 0
        : name.startsWith("openxla")
          ? 1
          : name === "eager"
            ? 9
            : name === baseline
              ? 8
              : 2;
    return rank(a) - rank(b) || byBackend(a, b);
  });
  return order[0];
}

function fewer(now: number, before: number | undefined): string {
  if (before === undefined || now === before) return "";
  return now < before ? ` (${before - now} fewer)` : ` (${now - before} more)`;
}

type Passed = Pick<Group, "passing" | "failing" | "undecided" | "verifiable">;

export function passSentence(group: Passed, previous: Passed | undefined): string {
  if (group.passing + group.failing + group.undecided === 0) return "nothing verified";
  return `${count(group.passing)} of ${count(group.verifiable)} pass${fewer(group.passing, previous?.passing)}`;
}

/** A backend or a suite: its lead backend in each test, the newest of these runs against the one before. */
export function sliceSentence(name: string, accelerator: AcceleratorHistory, baseline: string, alerts: number): string {
  const { groups, runs } = accelerator;
  const now = runs.length - 1;
  const backends = groups.filter((group) => (group.points[now]?.timed ?? 0) > 0).map((group) => group.backend ?? "");
  const lead = leadBackend(backends.length ? backends : groups.map((group) => group.backend ?? ""), baseline);
  const parts = groups
    .filter((group) => group.backend === lead && group.points[now])
    .sort((a, b) => testOrder(a.test ?? "", b.test ?? ""))
    .map((group) => {
      const point = group.points[now] as HistoryPoint;
      const before = group.points[now - 1] ?? undefined;
      const mean = point.geomean?.all;
      const speed =
        mean && mean.value !== null
          ? `, ${times(mean.value)} ${baseline}${mean.interval ? ` (${mean.interval.low.toFixed(2)}–${mean.interval.high.toFixed(2)})` : ""}`
          : "";
      return `${testName(group.test ?? "")} ${passSentence(point, before)}${speed}`;
    });
  const who = lead === undefined || lead === name ? "" : `${lead} `;
  const news = alerts > 0 ? ` ${plural(alerts, "alert")} ${alerts === 1 ? "needs" : "need"} attention.` : "";
  return `${shown(name)}: ${parts.length ? `${who}${parts.join("; ")}` : "nothing in the last run"}.${news}`;
}

/** What verification said that it had not said before, and of which verified runs that is true. */
function transitionsSentence({ transitions, run, verified_run, verified_before }: AcceleratorOverview): string {
  if (!verified_run) return "";
  const stale = verified_run.id !== run.id;
  if (!verified_before) return stale ? `not verified since ${date(verified_run.started_at)}` : "";
  const failing = transitions.filter((item) => item.kind === "newly_failing").length;
  const passing = transitions.filter((item) => item.kind === "newly_passing").length;
  const said =
    [failing ? `${count(failing)} newly failing` : "", passing ? `${count(passing)} newly passing` : ""]
      .filter(Boolean)
      .join(", ") || "nothing newly failing";
  return stale
    ? `verified last on ${date(verified_run.started_at)}: ${said} against ${date(verified_before.started_at)}`
    : `${said} since ${date(verified_before.started_at)}`;
}

/** "3 models no longer time": those that were timed in the run before, by name where there are few. */
export function untimedSentence({ changes }: Pick<AcceleratorOverview, "changes">): string {
  const names = [
    ...new Map(
      changes
        .flatMap((change) => change.no_longer_timed)
        .map((model) => [`${model.suite}/${model.model}`, model.model]),
    ).values(),
  ].map(shown);
  if (!names.length) return "";
  const named = names.length <= 4 ? ` (${names.join(", ")})` : "";
  return `${plural(names.length, "model")} no longer ${names.length === 1 ? "times" : "time"}${named}`;
}

/** " (0.97× before, over the 28 of 35 models in both runs)" */
function speedBefore(change: GroupChange | undefined): string {
  const { before, now, n } = change?.speedup ?? {};
  if (!change || !n || before === null || before === undefined || now === null || now === undefined) return "";
  if (n === change.speedups_now && n === change.speedups_before) return "";
  return `; over the ${count(n)} of ${plural(Math.max(change.speedups_before, change.speedups_now), "model")} in both runs ${times(now)}, before ${times(before)}`;
}

export function overviewSentence(accelerator: AcceleratorOverview, baseline: string): string {
  const { groups, previous_groups } = accelerator;
  const timed = groups.filter((group) => group.timed > 0);
  const backend = leadBackend(
    (timed.length ? timed : groups).map((group) => group.backend),
    baseline,
  );
  if (!backend) return "The last run holds no results.";
  const parts = testsOf(groups)
    .map((test) => {
      const group = groups.find((one) => one.test === test && one.backend === backend);
      if (!group) return "";
      const before = previous_groups.find((one) => one.test === test && one.backend === backend);
      const geomean = group.geomean?.all;
      const speed =
        geomean && geomean.value !== null
          ? `, ${times(geomean.value)} ${baseline}${geomean.interval ? ` (${geomean.interval.low.toFixed(2)}–${geomean.interval.high.toFixed(2)})` : ""}${speedBefore(accelerator.changes.find((one) => one.test === test && one.backend === backend))}`
          : "";
      return `${testName(test)} ${passSentence(group, before)}${speed}`;
    })
    .filter(Boolean);
  const news = transitionsSentence(accelerator);
  const others = [...new Set(groups.map((group) => group.backend))]
    .filter((name) => name !== backend)
    .sort(byBackend)
    .map((name) => ({
      name,
      failing: groups.filter((group) => group.backend === name).reduce((sum, group) => sum + group.failing, 0),
    }))
    .filter((one) => one.failing > 0)
    .map(
      (one) => `${plural(one.failing, "result")} of ${one.name} ${one.failing === 1 ? "fails" : "fail"} verification`,
    );
  return (
    [`${backend}: ${parts.join("; ")}`, capital(untimedSentence(accelerator)), capital(news), ...others]
      .filter(Boolean)
      .join(". ") + "."
  );
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function runSentence(table: ModelTable): string {
  const timed = table.columns.filter((column) => table.rows.some((row) => row.cells[column.key]?.time));
  const backend = leadBackend(
    (timed.length ? timed : table.columns).map((column) => column.backend),
    table.baseline.backend,
  );
  const column = (timed.length ? timed : table.columns).find((one) => one.backend === backend);
  if (!column) return "This run holds no results.";
  const parts = testsOf(table.rows).map((test) => {
    const cells = table.rows
      .filter((row) => row.test === test)
      .map((row) => row.cells[column.key])
      .filter((cell) => cell !== undefined);
    const timed = cells.filter((cell) => cell.status === "timed").length;
    const passing = cells.filter((cell) => cell.verification?.outcome === "passing").length;
    const geomean = table.geomeans.find((one) => one.test === test && one.column === column.key)?.all;
    const speed =
      geomean && geomean.value !== null
        ? `, ${times(geomean.value)} ${table.baseline.backend} over ${plural(geomean.n, "model")}`
        : "";
    return `${testName(test)} ${count(timed)} of ${count(cells.length)} timed, ${count(passing)} pass${speed}`;
  });
  return `${column.key}: ${parts.join("; ")}.`;
}

export function verificationSentence(answer: VerificationAnswer): string {
  const verified = answer.backends.filter((one) => one.passing + one.failing + one.undecided > 0);
  if (!verified.length) return "Nothing in this run has been verified.";
  const wrong = answer.counts.reduce((sum, item) => sum + (item.code === "FAIL" ? item.count : 0), 0);
  const parts = verified
    .sort((a, b) => byBackend(a.backend, b.backend))
    .map((one) => `${one.backend} passes ${count(one.passing)} of ${count(one.verifiable)}`);
  return `${parts.join(", ")}; ${wrong ? `${plural(wrong, "result")} ${wrong === 1 ? "is" : "are"} wrong` : `no result is wrong`}.`;
}

export function codeWords(code: string): string {
  return sign(code).words;
}
