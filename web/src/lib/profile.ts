// Dumps as the pages need them: what they are called, which to show, in which unit, how large a part.
import type {
  Artifact,
  ArtifactKind,
  ArtifactPair,
  OperatorTable,
  ProfileChange,
  SectionDifference,
  XlaMetricValue,
} from "../api/types";
import { bytes, change, count, digits, duration, percentSize, plural, unitOf, type Unit } from "./format";

type KindWords = {
  one: string;
  many: string;
  /** What it is, for those who never saw one. */
  words: string;
  /** How the benchmark runner is told to leave one. */
  flag: string;
  /** The section of a profile page that shows it. */
  section: string;
};

export const KINDS: Record<ArtifactKind, KindWords> = {
  operator_table: {
    one: "operator table",
    many: "operator tables",
    words: "The profiler's table of operators: how often each was called and how long it took",
    flag: "--dump-pytorch-profiles",
    section: "operators",
  },
  trace: {
    one: "trace",
    many: "traces",
    words: "Chrome trace or XPlane profile: every operator, kernel and compilation with its beginning and its end",
    flag: "--dump-pytorch-profiles",
    section: "breaks",
  },
  dynamo_counters: {
    one: "counter dump",
    many: "counter dumps",
    words: "TorchDynamo's counters: graphs captured, graph breaks with their reasons, caches",
    flag: "--dump-dynamo-counters",
    section: "counters",
  },
  compile_times: {
    one: "compile times",
    many: "compile times",
    words: "torch._dynamo.utils.compile_times(): seconds of each function of the compiler",
    flag: "compile_times() of torch._dynamo.utils, written to a file",
    section: "compile",
  },
  torch_trace: {
    one: "TORCH_TRACE log",
    many: "TORCH_TRACE logs",
    words:
      "PyTorch's structured log: every compilation with its frame, times, graphs, code, and why it was restarted or failed",
    flag: "TORCH_TRACE=DIR",
    section: "compilations",
  },
  xla_metrics: {
    one: "metrics report",
    many: "metrics reports",
    words: "PyTorch/XLA's metrics report: compilations, executions, transfers, fallbacks",
    flag: "--dump-pytorch-xla-metrics",
    section: "xla",
  },
  ir: {
    one: "IR dump",
    many: "IR dumps",
    words: "The graphs that XLA compiled, as text",
    flag: "--save-ir-format",
    section: "ir",
  },
  xplane: {
    one: "other XPlane file",
    many: "other XPlane files",
    words: "what else is in a folder of XLA's profiler, beside the profiles, which are traces; kept and listed",
    flag: "--profile-xla",
    section: "files",
  },
};
export const KIND_ORDER = Object.keys(KINDS) as ArtifactKind[];

export const kindName = (kind: ArtifactKind): string => KINDS[kind]?.one ?? kind.replace(/_/g, " ");

/** "2 traces, 3 operator tables": in the order of the pages. */
export function kindCounts(artifacts: readonly Artifact[]): { kind: ArtifactKind; text: string; count: number }[] {
  return KIND_ORDER.map((kind) => {
    const n = artifacts.filter((one) => one.kind === kind).length;
    return { kind, count: n, text: plural(n, KINDS[kind].one, KINDS[kind].many) };
  }).filter((one) => one.count > 0);
}

/** What a result has now: without what a later dump of the same name took the place of. */
export const current = (artifacts: readonly Artifact[]): Artifact[] => artifacts.filter((one) => !one.superseded);

/** Of a kind, by repetition, those of all repetitions last, then by part. */
export function ofKind(artifacts: readonly Artifact[], kind: ArtifactKind): Artifact[] {
  return artifacts
    .filter((one) => one.kind === kind)
    .sort(
      (a, b) =>
        (a.repetition ?? Infinity) - (b.repetition ?? Infinity) ||
        (a.part < b.part ? -1 : a.part > b.part ? 1 : a.id - b.id),
    );
}

export const isReadable = (artifact: Artifact): boolean =>
  artifact.unreadable === null && (artifact.has_text || artifact.trace_id !== null || artifact.kind === "torch_trace");

export function repetitions(artifacts: readonly Artifact[]): number[] {
  return [...new Set(artifacts.map((one) => one.repetition).filter((one) => one !== null))].sort((a, b) => a - b);
}

/** The dump of a kind for a repetition; one of all repetitions where there is none. */
export function pick(
  artifacts: readonly Artifact[],
  kind: ArtifactKind,
  repetition: number | null,
): Artifact | undefined {
  const mine = ofKind(artifacts, kind).filter(isReadable);
  return (
    mine.find((one) => one.repetition === repetition) ??
    mine.find((one) => one.repetition === null) ??
    mine[mine.length - 1]
  );
}

/** "repetition 1, part 0", or what stands for all of them. */
export function whichDump(artifact: Pick<Artifact, "repetition" | "part">): string {
  const part = artifact.part ? `, ${artifact.part}` : "";
  return (artifact.repetition === null ? "all repetitions" : `repetition ${artifact.repetition}`) + part;
}

/** Nanoseconds, bytes or counts as one says them, each with its unit. */
export function amount(value: number, unit: "ns" | "bytes" | "count" | "number"): string {
  if (unit === "ns") return nanoseconds(value);
  if (unit === "bytes") return bytes(value);
  return Number.isInteger(value) ? count(value) : digits(value);
}

export const nanoseconds = (ns: number): string => duration(ns / 1e9);

export function signedAmount(value: number, unit: "ns" | "bytes" | "count"): string {
  return value > 0 ? "+" + amount(value, unit) : amount(value, unit);
}

/** One unit for a column of nanoseconds: the factor takes nanoseconds to it. */
export function unitOfNs(values: number[]): Unit {
  const unit = unitOf(
    values.map((value) => Math.abs(value) / 1e9),
    "s",
  );
  return { name: unit.name, factor: unit.factor / 1e9 };
}

/** As the report says it, read: times in the unit that fits, sizes, plain numbers. */
export function metricText(value: XlaMetricValue): string {
  return value.unit === "number" ? digits(value.value) : amount(value.value, value.unit);
}

/** A share of 1 as a percentage; what is too small to be seen is not 0. */
export function percent(share: number): string {
  const value = share * 100;
  const size = Math.abs(value);
  if (value === 0) return "0 %";
  if (size < 0.1) return `${value < 0 ? "\u2212" : ""}< 0.1 %`;
  return `${value < 0 ? "\u2212" : ""}${percentSize(size)} %`;
}

/** The ratio after/before as a change; what there was none of before has no ratio. */
export const relative = (before: number, after: number): string =>
  before > 0 ? change(after / before) : after > 0 ? "new" : "";

export type Cell = number | string;
const NAME_COLUMN = /^name$/i;

/** The column that names a row, else the first of texts. */
export function nameColumn(table: OperatorTable): number {
  const named = table.columns.findIndex((column) => NAME_COLUMN.test(column.name));
  return named >= 0
    ? named
    : Math.max(
        0,
        table.columns.findIndex((column) => column.unit === "text"),
      );
}

/** The texts of a row as one: what a filter looks through. */
export function rowText(table: OperatorTable, row: readonly Cell[]): string {
  return row.filter((cell, index) => typeof cell === "string" && table.columns[index]?.unit === "text").join(" ");
}

/** Operations that PyTorch/XLA ran on the CPU: counters that begin with `aten::`. Two of them are usual. */
export const isFallback = (name: string): boolean => name.startsWith("aten::");
export const USUAL_FALLBACKS = ["aten::_local_scalar_dense", "aten::nonzero"];
export const isUnusualFallback = (name: string): boolean => isFallback(name) && !USUAL_FALLBACKS.includes(name);

/** A reason without the quotation marks that older versions wrote around it. */
export const unquoted = (reason: string): string =>
  /^(['"]).*\1$/s.test(reason) && reason.length > 1 ? reason.slice(1, -1) : reason;

/** Names counted in each of several dumps, as rows; null where a dump does not have it. */
export function countersSideBySide(
  dumps: readonly (readonly { name: string; value: number }[])[],
): { name: string; values: (number | null)[] }[] {
  const rows = new Map<string, (number | null)[]>();
  dumps.forEach((counters, place) => {
    for (const { name, value } of counters) {
      const values = rows.get(name) ?? new Array<number | null>(dumps.length).fill(null);
      values[place] = value;
      rows.set(name, values);
    }
  });
  return [...rows].map(([name, values]) => ({ name, values }));
}

/** How long the bar of a change is, from −1 to 1: its part of the largest one of the section. */
export function barOf(item: ProfileChange, section: SectionDifference): number {
  const size = (one: ProfileChange) => one.after - one.before;
  const most = Math.max(...section.changes.map((one) => Math.abs(size(one))), Math.abs(section.unexplained));
  return most > 0 ? size(item) / most : 0;
}

/** Whether the total of a section means anything: there is none where items contain each other, and counters of different things do not add up to one. */
export const addsUp = (kind: ArtifactKind, section: Pick<SectionDifference, "unit" | "before">): boolean =>
  section.before !== null && (section.unit !== "count" || kind === "ir" || kind === "operator_table");

/** Two dumps of one content need no comparison. */
export const isSameFile = (pair: Pick<ArtifactPair, "before" | "after">): boolean =>
  pair.before.content_hash === pair.after.content_hash;

/** Recompilations that the numbers of compilations tell of and the trace does not show: a frame whose region is 0/1 was compiled twice. */
export const earlierRecompilations = (frames: readonly { compilations_ever: number; recompiles: number }[]): number =>
  frames.reduce((sum, frame) => sum + Math.max(0, frame.compilations_ever - 1 - frame.recompiles), 0);

export function recompilationWords(recompiles: number | null, earlier: number): string {
  if (recompiles === null) return "Compilations of frames";
  const before = earlier ? `${plural(earlier, "recompilation")} before the trace began` : "";
  if (recompiles)
    return `${plural(recompiles, "recompilation")}: the same code compiled again for other inputs${before ? `; ${before}` : ""}`;
  return before || "No recompilation";
}
