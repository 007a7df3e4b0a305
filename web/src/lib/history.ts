// Groups of results over runs: what can be drawn of them, and how a group is called and drawn.
import type { HistoryGroup, HistoryPoint, Series, SeriesPoint } from "../api/types";
import { type Style, byBackend, columnStyle, lineStyle } from "./backends";
import { shown, testName } from "./format";
import { FAILURES, OUTCOMES, outcomeMeaning, outcomeWord } from "./outcomes";

export type Dimension = "suite" | "test" | "backend" | "column";
export const DIMENSIONS: readonly Dimension[] = ["suite", "test", "backend", "column"];
export const dimensionWord = (dimension: Dimension): string => (dimension === "column" ? "configuration" : dimension);

/** A value with its interval and what it is over. */
export type GroupValue = { value: number; low: number | null; high: number | null; n: number };

export type GroupMetric = {
  key: string;
  name: string;
  /** "" for ratios, "s", "%", "count". */
  unit: string;
  better: "higher" | "lower" | "neither";
  explanation: string;
  of: (point: HistoryPoint, group: HistoryGroup) => GroupValue | null;
  /** It is a multiple of the baseline. */
  isRatio?: boolean;
};

const counted = (value: number, n: number): GroupValue => ({ value, low: null, high: null, n });
const isVerified = (point: HistoryPoint): boolean => point.passing + point.failing + point.undecided > 0;
const ofVerified =
  (pick: (point: HistoryPoint) => number) =>
  (point: HistoryPoint): GroupValue | null =>
    isVerified(point) ? counted(pick(point), point.verifiable) : null;
const ofAll =
  (pick: (point: HistoryPoint) => number) =>
  (point: HistoryPoint): GroupValue =>
    counted(pick(point), point.total);

const geomean =
  (set: "all" | "matched") =>
  (point: HistoryPoint): GroupValue | null => {
    const mean = point.geomean?.[set];
    return mean && mean.value !== null
      ? { value: mean.value, low: mean.interval?.low ?? null, high: mean.interval?.high ?? null, n: mean.n }
      : null;
  };

export const GROUP_METRICS: readonly GroupMetric[] = [
  {
    key: "geomean",
    name: "geomean speedup",
    unit: "",
    better: "higher",
    isRatio: true,
    explanation: "over every model that has a speedup; the interval is a bootstrap over models",
    of: geomean("all"),
  },
  {
    key: "matched",
    name: "geomean speedup, matched",
    unit: "",
    better: "higher",
    isRatio: true,
    explanation: "over the models that every backend has a speedup for, so that backends can be compared",
    of: geomean("matched"),
  },
  {
    key: "passing",
    name: "passing",
    unit: "count",
    better: "higher",
    explanation: "results whose last verification passed, stale ones included",
    of: ofVerified((point) => point.passing),
  },
  {
    key: "pass_rate",
    name: "pass rate",
    unit: "%",
    better: "higher",
    explanation: "passing results, of those of suites, tests and backends that are verified",
    of: (point) => (isVerified(point) ? counted((100 * point.passing) / point.verifiable, point.verifiable) : null),
  },
  {
    key: "failing",
    name: "failing verification",
    unit: "count",
    better: "lower",
    explanation: "results whose last verification failed",
    of: ofVerified((point) => point.failing),
  },
  {
    key: "undecided",
    name: "verified without a verdict",
    unit: "count",
    better: "neither",
    explanation: "eager failed, or two eager runs disagree",
    of: ofVerified((point) => point.undecided),
  },
  {
    key: "unverified",
    name: "never verified",
    unit: "count",
    better: "lower",
    explanation: "results without any verification",
    of: ofAll((point) => point.unverified),
  },
  {
    key: "compile",
    name: "compile time, median",
    unit: "s",
    better: "lower",
    explanation: "the median over results; of each, compiling in all repetitions",
    of: (point) => (point.compile ? counted(point.compile.median, point.compile.n) : null),
  },
  {
    key: "compile_mean",
    name: "compile time, mean",
    unit: "s",
    better: "lower",
    explanation: "the mean over results; of each, compiling in all repetitions",
    of: (point) => (point.compile ? counted(point.compile.mean, point.compile.n) : null),
  },
  {
    key: "level",
    name: "steady time, geomean",
    unit: "s",
    better: "lower",
    explanation:
      "over the results timed in every one of these runs, so that a change is of times and not of who is there",
    of: (point, group) => (point.steady === null ? null : counted(point.steady, group.steady_set.n)),
  },
  {
    key: "total",
    name: "results",
    unit: "count",
    better: "neither",
    explanation: "whatever became of them",
    of: ofAll((point) => point.total),
  },
  {
    key: "has_timings",
    name: "with timings",
    unit: "count",
    better: "higher",
    explanation: "be they of a wrong result",
    of: ofAll((point) => point.timed),
  },
  {
    key: "failed",
    name: "failed",
    unit: "count",
    better: "lower",
    explanation: `${FAILURES.map(outcomeWord).join(", ")}; what is skipped on purpose aside`,
    of: ofAll((point) => point.failed),
  },
  ...OUTCOMES.filter((outcome) => outcome !== "not_run").map(
    (outcome): GroupMetric => ({
      key: outcome,
      name: `outcome: ${outcomeWord(outcome)}`,
      unit: "count",
      better: outcome === "timed" ? "higher" : outcome === "skipped" || outcome === "not_timed" ? "neither" : "lower",
      explanation: outcomeMeaning(outcome),
      of: ofAll((point) => point.outcomes[outcome as keyof HistoryPoint["outcomes"]]),
    }),
  ),
];

export const groupMetric = (key: string): GroupMetric | undefined => GROUP_METRICS.find((one) => one.key === key);

/** What a value of a group is called behind its number. */
export const unitWord = (unit: string): string => (unit === "" ? "×" : unit === "count" ? "results" : unit);

const partOf = (group: HistoryGroup, dimension: Dimension): string => {
  const text = group[dimension] ?? "";
  return dimension === "test" ? testName(text) : shown(text);
};

/** A group by the dimensions that tell it from the others. */
export function groupName(group: HistoryGroup, by: readonly Dimension[]): string {
  const parts = by
    .filter((dimension) => !(dimension === "backend" && by.includes("column")))
    .map((dimension) => partOf(group, dimension));
  return parts.length ? parts.join(" · ") : "all results";
}

/** Backends in their order everywhere, the rest by name. */
export function byGroup(a: HistoryGroup, b: HistoryGroup): number {
  const text = (x: string | null, y: string | null) => ((x ?? "") < (y ?? "") ? -1 : (x ?? "") > (y ?? "") ? 1 : 0);
  return (
    text(a.suite, b.suite) ||
    text(a.test, b.test) ||
    byBackend(a.backend ?? "", b.backend ?? "") ||
    text(a.column, b.column)
  );
}

/** Lines of one chart. Where backend or configuration is all that tells them apart, they have its colour. */
export function groupStyles(groups: readonly HistoryGroup[], by: readonly Dimension[]): Style[] {
  const ofBackends = by.length > 0 && by.every((dimension) => dimension === "backend" || dimension === "column");
  return groups.map((group, place) =>
    ofBackends
      ? { ...columnStyle(group.column ?? group.backend ?? "", group.backend ?? ""), name: groupName(group, by) }
      : lineStyle(place, groupName(group, by)),
  );
}

export const pointsOf = (group: HistoryGroup, metric: GroupMetric): (SeriesPoint | null)[] =>
  group.points.map((point) => {
    const value = point ? metric.of(point, group) : null;
    return value && { ...value, flags: [] };
  });

/** A line for a chart that draws experiments. */
export function lineSeries(id: number, style: Style, points: (SeriesPoint | null)[]): Series & { style: Style } {
  return {
    experiment: {
      id,
      suite: "",
      model: "",
      test: "",
      backend: style.name,
      column: style.name,
      accelerator: "",
      accelerator_model: "",
      batch_size: null,
      xla: null,
      xla_flags: null,
      dynamo: null,
      torch_xla2: null,
      flags: {},
    },
    points,
    codes: [],
    failures: [],
    changes: [],
    style,
  };
}
