// What a profile is made of: which dumps of a result are shown, and what was fetched of them.
import { address } from "../api/address";
import { type Contents, contentUrl, useContents } from "../api/contents";
import { PER_PAGE, usePages } from "../api/pages";
import { type TraceReport, traceReport } from "../api/trace";
import type { Artifact, ArtifactContent, ArtifactPage, DumpedCounters, PhasesAnswer, ResultDetail } from "../api/types";
import { type Asked, useApi } from "../api/use";
import { type Flag, type FlagSource, adviceFlags, phaseFlags } from "./flags";
import { current, isReadable, ofKind, pick, repetitions, whichDump } from "./profile";

/** Counters of more repetitions than this are not set side by side. */
export const MOST_COLUMNS = 12;

export type ChosenDumps = {
  /** Without what later dumps took the place of. */
  now: Artifact[];
  repetitions: number[];
  repetition: number | null;
  trace: Artifact | undefined;
  /** What the first repetition compiled is not in the trace of a later one. Undefined where `trace` is the first. */
  firstTrace: Artifact | undefined;
  counters: Artifact[];
  functions: Artifact[];
};

/** The dumps that a profile shows. `asked`: the repetition that a person chose; without one, or without dumps of it, the last. */
export function chooseDumps(artifacts: readonly Artifact[], asked: string | null): ChosenDumps {
  const now = current(artifacts);
  const known = repetitions(now);
  const repetition =
    asked !== null && known.includes(Number(asked)) ? Number(asked) : (known[known.length - 1] ?? null);
  const readable = (kind: Artifact["kind"]) => ofKind(now, kind).filter(isReadable);
  const trace = pick(now, "trace", repetition);
  const first = readable("trace")[0];
  return {
    now,
    repetitions: known,
    repetition,
    trace,
    firstTrace: first?.id === trace?.id ? undefined : first,
    counters: readable("dynamo_counters"),
    functions: readable("compile_times"),
  };
}

/** A trace, and how far one is with it. */
export type TraceState = { file: Artifact | undefined; content: ArtifactContent | null; report: TraceReport | null } & (
  | { state: "waiting" | "unread" | "answered" }
  | { state: "failed"; error: NonNullable<Asked<unknown>["error"]>; again: () => void }
);

/** `asked`: the answer for the content of `file`; it may still be that of another dump. */
export function traceState(
  file: Artifact | undefined,
  asked: Pick<Asked<ArtifactContent>, "data" | "error" | "again">,
): TraceState {
  const content = file && asked.data?.artifact.id === file.id ? asked.data : null;
  const report = content ? traceReport(content.trace) : null;
  const known = { file, content, report };
  if (report) return { ...known, state: "answered" };
  if (!file || content) return { ...known, state: "unread" };
  return asked.error
    ? { ...known, state: "failed", error: asked.error, again: asked.again }
    : { ...known, state: "waiting" };
}

/** The flags of a result, and where they come from. A result without a trace has its timing alone. */
export function profileFlags(
  phases: Pick<Asked<PhasesAnswer>, "data" | "error" | "again">,
  trace: TraceState | null,
): { flags: Flag[]; sources: FlagSource[] } {
  const flags = phases.data ? phaseFlags(phases.data) : [];
  const timing = { what: "timing" };
  const sources: FlagSource[] = [
    phases.data
      ? { ...timing, state: "answered" }
      : phases.error
        ? { ...timing, state: "failed", error: phases.error, again: phases.again }
        : { ...timing, state: "waiting" },
  ];
  if (trace) {
    const what = trace.file ? `trace of ${whichDump(trace.file)}` : "trace";
    if (trace.report) flags.push(...adviceFlags(trace.report.advice, what));
    sources.push(
      trace.state === "failed"
        ? { what, state: "failed", error: trace.error, again: trace.again }
        : { what, state: trace.state },
    );
  }
  return { flags, sources };
}

export type Compiling = { report: TraceReport; file: Artifact };

export type Profile = {
  result: ResultDetail;
  artifacts: ArtifactPage;
  dumps: ChosenDumps;
  phases: Asked<PhasesAnswer>;
  trace: TraceState;
  /** The trace that compiling is told by; null: none tells. */
  compiling: Compiling | null;
  counters: Contents;
  /** What all counter dumps say together. */
  dumped: Asked<DumpedCounters>;
  functions: Contents;
};

const compilingIn = (trace: TraceState): Compiling | null =>
  trace.file && trace.report?.compile_time.phases.length ? { report: trace.report, file: trace.file } : null;

/** Fetches the profile of a result, anew every half minute. `asked`: the repetition that a person chose. */
export function useProfile(
  run: string,
  experiment: string,
  asked: string | null,
): { profile: Profile | null; error: Asked<unknown>["error"]; again: () => void } {
  const place = { run, experiment };
  const detail = useApi(address("/runs/{run}/results/{experiment}", place));
  const list = usePages(address("/artifacts", { ...place, limit: PER_PAGE }), { whole: true });
  const phases = useApi(address("/runs/{run}/results/{experiment}/phases", place));
  const dumps = chooseDumps(list.data?.items ?? [], asked);

  const trace = traceState(dumps.trace, useApi(dumps.trace ? contentUrl(dumps.trace.id) : null));
  const first = trace.report && !compilingIn(trace) ? dumps.firstTrace : undefined;
  const firstTrace = traceState(first, useApi(first ? contentUrl(first.id) : null));
  const counters = useContents(dumps.counters.slice(0, MOST_COLUMNS).map((one) => one.id));
  const dumped = useApi(
    dumps.counters.length ? address("/runs/{run}/results/{experiment}/dumped-counters", place) : null,
  );
  const functions = useContents(dumps.functions.slice(0, MOST_COLUMNS).map((one) => one.id));

  const again = () => (detail.again(), list.again());
  const error = detail.error ?? list.error;
  if (!detail.data || !list.data) return { profile: null, error, again };
  return {
    profile: {
      result: detail.data,
      artifacts: list.data,
      dumps,
      phases,
      trace,
      compiling: compilingIn(trace) ?? compilingIn(firstTrace),
      counters,
      dumped,
      functions,
    },
    error,
    again,
  };
}
