// What Explore is asked: read from the address, and the questions to the server that follow from it.
import { address } from "../api/address";
import { type Dimension, DIMENSIONS, GROUP_METRICS, groupMetric } from "./history";
import type { RunRef } from "../api/types";
import { href } from "./route";

export type View = "lines" | "table" | "changes" | "scatter";
export const VIEWS: { value: View; text: string }[] = [
  { value: "lines", text: "over runs" },
  { value: "changes", text: "changes" },
  { value: "scatter", text: "this against that" },
  { value: "table", text: "table" },
];

export const EACH = "each.";
export const RAW = "metric.";

/** A number of every single result: what is made of its samples, or RAW and the name of a metric as the runner wrote it. */
export type ResultMetric = string;
export const RESULT_METRICS: { value: ResultMetric; text: string }[] = [
  { value: "steady", text: "steady time" },
  { value: "speedup", text: "speedup" },
  { value: "compile", text: "compile time" },
];
/** Whether it is as the runner wrote it. */
export const isRaw = (metric: ResultMetric): boolean => metric.startsWith(RAW) && metric.length > RAW.length;
/** What the server calls it. */
const serverName = (metric: ResultMetric): string => (isRaw(metric) ? metric.slice(RAW.length) : metric);
/** By its name in addresses; what is none of them is the first. */
export function resultMetric(value: string): { value: ResultMetric; text: string } {
  if (isRaw(value)) return { value, text: serverName(value) };
  return RESULT_METRICS.find((one) => one.value === value) ?? (RESULT_METRICS[0] as (typeof RESULT_METRICS)[number]);
}

/** `group`: of groups; `each`: of every result. */
export type Measure = { kind: "group"; key: string } | { kind: "each"; key: ResultMetric };

export const FILTERS = ["accelerator_model", "suite", "model", "test", "backend", "column", "label"] as const;
export type Filter = (typeof FILTERS)[number];

export type End = "before" | "after";
export const endWord = (end: End): string => (end === "before" ? "first runs" : "last runs");
export type AxisChoice = { metric: ResultMetric; end: End };

export type Asked = {
  view: View;
  measure: Measure;
  by: Dimension[];
  filters: Record<Filter, string[]>;
  runs: string;
  since: string;
  until: string;
  span: string;
  baseline: string;
  of: ResultMetric;
  x: AxisChoice;
  y: AxisChoice;
};

export const DEFAULTS = {
  view: "lines",
  metric: "geomean",
  by: "backend,test",
  runs: "60",
  span: "7",
  baseline: "inductor",
  of: "steady",
  x: "speedup.before",
  y: "speedup.after",
} as const;
/** So that a dimension can be left out altogether. */
export const NO_DIMENSION = "none";
export const MOST_DIMENSIONS = 2;

export function readMeasure(text: string): Measure {
  if (text.startsWith(EACH)) return { kind: "each", key: resultMetric(text.slice(EACH.length)).value };
  if (isRaw(text)) return { kind: "each", key: text };
  return { kind: "group", key: groupMetric(text) ? text : (GROUP_METRICS[0]?.key ?? "") };
}

export const writeMeasure = (measure: Measure): string =>
  measure.kind === "group" || isRaw(measure.key) ? measure.key : EACH + measure.key;

function readAxis(text: string | null, otherwise: string): AxisChoice {
  const all = text ?? otherwise;
  const dot = all.lastIndexOf(".");
  return {
    metric: resultMetric(all.slice(0, Math.max(0, dot))).value,
    end: all.slice(dot + 1) === "before" ? "before" : "after",
  };
}
export const writeAxis = ({ metric, end }: AxisChoice): string => `${metric}.${end}`;

const isDate = (text: string | null): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? "");
const whole = (text: string | null, low: number, high: number, otherwise: string): string =>
  /^\d{1,4}$/.test(text ?? "") && Number(text) >= low && Number(text) <= high ? String(Number(text)) : otherwise;

export function readAsked(query: URLSearchParams): Asked {
  const by = (query.get("by") ?? DEFAULTS.by)
    .split(",")
    .filter((one): one is Dimension => DIMENSIONS.includes(one as Dimension));
  const since = query.get("since");
  const until = query.get("until");
  return {
    view: VIEWS.find((one) => one.value === query.get("view"))?.value ?? DEFAULTS.view,
    measure: readMeasure(query.get("metric") ?? DEFAULTS.metric),
    by: [...new Set(by)].slice(0, MOST_DIMENSIONS),
    filters: Object.fromEntries(FILTERS.map((name) => [name, query.getAll(name)])) as Record<Filter, string[]>,
    runs: whole(query.get("runs"), 1, 365, DEFAULTS.runs),
    since: isDate(since) ? since : "",
    until: isDate(until) ? until : "",
    span: whole(query.get("span"), 1, 30, DEFAULTS.span),
    baseline: query.get("baseline") ?? DEFAULTS.baseline,
    of: resultMetric(query.get("of") ?? DEFAULTS.of).value,
    x: readAxis(query.get("x"), DEFAULTS.x),
    y: readAxis(query.get("y"), DEFAULTS.y),
  };
}

/** `until` is a day that belongs to the span; the server's is the first moment that does not. */
export function dayAfter(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? day : new Date(time + 86_400_000).toISOString().slice(0, 10);
}

const spanOf = (asked: Asked) => ({
  runs: asked.runs,
  since: asked.since,
  until: asked.until ? dayAfter(asked.until) : "",
});
const sliceOf = (asked: Asked) => {
  const { accelerator_model: _, ...slice } = asked.filters;
  return slice;
};

type More = { format?: "csv" };

export const historyAddress = (asked: Asked, more: More = {}) =>
  address("/history", {
    accelerator_model: asked.filters.accelerator_model,
    ...sliceOf(asked),
    group_by: asked.by.length ? asked.by : "none",
    baseline: asked.baseline,
    ...spanOf(asked),
    ...more,
  });

export const modelsAddress = (asked: Asked, metric: ResultMetric, more: More = {}) =>
  address("/history/models", {
    accelerator_model: asked.filters.accelerator_model[0],
    ...sliceOf(asked),
    metric: serverName(metric),
    baseline: asked.baseline,
    intervals: true,
    ...spanOf(asked),
    ...more,
  });

export const changesAddress = (asked: Asked, metric: ResultMetric, more: More = {}) =>
  address("/history/changes", {
    accelerator_model: asked.filters.accelerator_model[0],
    ...sliceOf(asked),
    metric: serverName(metric),
    baseline: asked.baseline,
    span: asked.span,
    ...spanOf(asked),
    ...more,
  });

/** A key with more values than this names runs, as commits do; it is no slice of them. */
const MOST_VALUES = 20;

/** The labels, `key:value`, by which runs can be told apart in kinds: branches before all. */
export function labelSlices(runs: readonly Pick<RunRef, "labels">[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const run of runs)
    for (const [key, value] of Object.entries(run.labels)) values.set(key, (values.get(key) ?? new Set()).add(value));
  return [...values]
    .filter(([, all]) => all.size <= MOST_VALUES)
    .sort(([a], [b]) => Number(b === "branch") - Number(a === "branch") || (a < b ? -1 : 1))
    .flatMap(([key, all]) => [...all].sort().map((value) => `${key}:${value}`));
}

export const exploreHref = (query: Record<string, string | string[] | null | undefined> = {}): string =>
  href("/explore", query);

/** Questions that people ask; each is an address. */
export const PRESETS: { text: string; href: string }[] = [
  { text: "Geomean speedup by backend", href: exploreHref() },
  { text: "Pass count by backend", href: exploreHref({ metric: "passing" }) },
  { text: "Compile time by backend", href: exploreHref({ metric: "compile" }) },
  { text: "Steady time of what was always timed", href: exploreHref({ metric: "level" }) },
  { text: "What failed, by suite", href: exploreHref({ metric: "failed", by: "suite,backend" }) },
  {
    text: "Which benchmarks regressed in the past year?",
    href: exploreHref({ view: "changes", runs: "365", span: "14" }),
  },
  { text: "Speedup now against 30 runs ago", href: exploreHref({ view: "scatter", runs: "30", span: "3" }) },
  {
    text: "Compile time against steady time",
    href: exploreHref({ view: "scatter", x: "steady.after", y: "compile.after" }),
  },
];
