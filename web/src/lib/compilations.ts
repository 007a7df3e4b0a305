// Compilations of a TORCH_TRACE log in words, and the tree of the stacks that led to them.
import type { CompiledFrame, Totals } from "../api/trace";
import type { Artifact, Compilation } from "../api/types";
import { csvText } from "./csv";
import { count, plural } from "./format";

/** "[0/1_2]": by what tlparse and PyTorch's logs call a compilation, with its last attempt. */
export const compileId = (one: Pick<Compilation, "compile_id" | "attempt">): string =>
  `[${one.compile_id}${one.attempt > 0 ? `_${one.attempt}` : ""}]`;

/** Which occurrence of its id a compilation is; "" where it is the first. */
export const occurrence = (one: Pick<Compilation, "occurrence">): string =>
  one.occurrence > 1 ? `occurrence ${count(one.occurrence)} of this id in the log` : "";

/** What is said of a log without compilations: where parts of it could not be read, they may have been there. */
export const nothingCompiled = (artifact: Pick<Artifact, "problem_count">): string =>
  artifact.problem_count > 0 ? "No compilation could be read." : "Nothing was compiled.";

/** A log without what the names of all logs have: "rank_0_x1y2". */
export const logName = (name: string): string =>
  (name.split("/").pop() ?? name).replace(/^dedicated_log_torch_trace_(.+)\.log$/, "$1");

/** A place in a file as editors take it; the file's last parts are enough to recognize it. */
export function place(file: string | null, line: number | null): string {
  if (file === null) return "";
  return line === null ? file : `${file}:${line}`;
}

const RESUMED = /^torch_dynamo_resume_in_(.+)_at_(\d+)$/;

/** Which function a frame goes on with behind a graph break, and at which line; null for any other frame. */
export function resumed(name: string | null): { name: string; line: number } | null {
  const found = RESUMED.exec(name ?? "");
  return found?.[1] && found[2] ? { name: found[1], line: Number(found[2]) } : null;
}

/** Whether the frame had been compiled before: its compile id counts on. */
export const isRecompilation = (one: Pick<Compilation, "compile_id" | "recompiles">): boolean =>
  /\/[1-9]\d*$/.test(one.compile_id) || one.recompiles.length > 0;

/** Everything that is unusual about the compilations of a log, as a sentence. */
export function compilationsSentence(items: readonly Compilation[], total: number): string {
  const of =
    total > items.length
      ? `Of ${count(total)} compilations the first ${count(items.length)}: `
      : `${plural(items.length, "compilation")}: `;
  const parts = [
    [items.filter((one) => one.fail_type !== null).length, "failure"],
    [items.filter(isRecompilation).length, "recompilation"],
    [items.reduce((sum, one) => sum + one.attempt, 0), "restart"],
    [
      items.filter((one) => resumed(one.frame_name) !== null).length,
      "frame resumed behind a graph break",
      "frames resumed behind graph breaks",
    ],
  ] as const;
  const found = parts.flatMap(([n, one, many]) => (n > 0 ? [plural(n, one, many)] : []));
  return `${of}${found.join(", ") || "no failure, recompilation or restart"}.`;
}

/** "fx_graph: miss, aotautograd: bypass": each cache with its outcomes. */
export function cacheWords(caches: Compilation["caches"]): string {
  const outcomes = new Map<string, string[]>();
  for (const use of caches) {
    const known = outcomes.get(use.cache) ?? [];
    if (!known.includes(use.outcome)) known.push(use.outcome);
    outcomes.set(use.cache, known);
  }
  return [...outcomes].map(([cache, all]) => `${cache}: ${all.join(" and ")}`).join(", ");
}

/** A frame that led to compilations: those of `own` were begun in it. `depth` counts from 0. */
export type StackNode = { name: string; depth: number; parent: number | null; own: Compilation[]; all: number };

/** The stacks of compilations laid over each other, outermost frames first. A chain of frames that leads to one frame only is one node: its name is that
 * of its last frame. Compilations without a stack are not in it. */
export function stackTree(items: readonly Compilation[]): StackNode[] {
  type Raw = { words: string; own: Compilation[]; below: Map<string, Raw> };
  const root: Raw = { words: "", own: [], below: new Map() };
  for (const one of items) {
    if (!one.stack.length) continue;
    let at = root;
    for (const frame of one.stack) {
      const words = `${frame.name ?? "?"} (${place(frame.file, frame.line)})`;
      let next = at.below.get(words);
      if (!next) at.below.set(words, (next = { words, own: [], below: new Map() }));
      at = next;
    }
    at.own.push(one);
  }
  const nodes: StackNode[] = [];
  const add = (raw: Raw, depth: number, parent: number | null): number => {
    let at = raw;
    while (!at.own.length && at.below.size === 1) at = [...at.below.values()][0] as Raw;
    const index = nodes.push({ name: at.words, depth, parent, own: at.own, all: at.own.length }) - 1;
    let all = at.own.length;
    for (const below of at.below.values()) all += add(below, depth + 1, index);
    (nodes[index] as StackNode).all = all;
    return all;
  };
  for (const below of root.below.values()) add(below, 0, null);
  return nodes;
}

/** Which compilations the stacks are of, where only the first `loaded` of `total` are there; "" where all are. */
export const stacksOf = (loaded: number, total: number): string =>
  loaded < total ? `of the first ${count(loaded)} of ${count(total)} compilations` : "";

/** The stacks of compilations in the order of the log, which is that of time: a row per frame, outermost first. Compilations without a stack are not in it. */
export const stacksCsv = (items: readonly Compilation[]): string =>
  csvText(
    ["ordinal", "compile_id", "occurrence", "logged_at", "depth", "name", "file", "line", "code"],
    items.flatMap((one) =>
      one.stack.map((frame, depth) => [
        one.ordinal,
        one.compile_id,
        one.occurrence,
        one.logged_at,
        depth,
        frame.name,
        frame.file,
        frame.line,
        frame.code,
      ]),
    ),
  );

/** How often what was compiled under an id ran in a trace, and for how long; or why that is not known. */
export type RegionRuns = { executed: Totals } | { unknown: string };

/** By compile ids that the log has, from the regions of a trace of the same result. Null where the trace has no region with an id. */
export function regionRuns(
  items: readonly Pick<Compilation, "compile_id">[],
  recompilation: { frames: readonly CompiledFrame[]; frames_left_out: number } | null,
): Map<string, RegionRuns> | null {
  if (!recompilation?.frames.length) return null;
  const executed = new Map(
    recompilation.frames.flatMap((frame) => frame.versions.map((version) => [version.id, version.executed] as const)),
  );
  const isWhole =
    recompilation.frames_left_out === 0 && recompilation.frames.every((frame) => frame.versions_left_out === 0);
  const counts = new Map<string, number>();
  for (const { compile_id: id } of items) counts.set(id, (counts.get(id) ?? 0) + 1);
  const runs = new Map<string, RegionRuns>();
  for (const [id, times] of counts) {
    const found = executed.get(id);
    if (times > 1)
      runs.set(id, { unknown: `the log has this id ${times} times, the trace does not tell which of them ran` });
    else if (found) runs.set(id, { executed: found });
    else
      runs.set(id, {
        unknown: isWhole ? "no region of this id ran in the trace" : "the trace has more regions than its report lists",
      });
  }
  return runs;
}
