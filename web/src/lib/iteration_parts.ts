// Where an iteration goes, made ready to be drawn and said: by the profiles of two results.
import type { ComparedProfile, ComparedProfileTime, ProfileComparison, ProfileSeriesAnswer } from "../api/types";
import { byBackend } from "./backends";
import { runName, shown, testName } from "./format";
import { nanoseconds, percent } from "./profile";

export type SideName = "left" | "right";
export const SIDE_NAMES: SideName[] = ["left", "right"];

export type PartSegment = { part: string; from: number; size: number; share: number };

/** The parts of one side one after the other. Sizes are ns of an iteration where both sides know that, else shares of 1. */
export function partSegments(parts: readonly ComparedProfileTime[], side: SideName, inTime: boolean): PartSegment[] {
  let from = 0;
  return parts.flatMap((one) => {
    const { ns, share } = one[side];
    const size = inTime ? ns : share;
    if (size === null || !(size > 0)) return [];
    const segment = { part: one.name, from, size, share: share ?? 0 };
    from += size;
    return [segment];
  });
}

/** Whether the stacks can have one axis in time: an iteration's length is known of each side that has a profile. */
export function isInTime(answer: Pick<ProfileComparison, "left" | "right">): boolean {
  return SIDE_NAMES.every((side) => answer[side].iteration_ns !== null || answer[side].missing !== null);
}

const FOUND_BY: Record<NonNullable<ComparedProfile["found_by"]>, string> = {
  profiler_steps: "steps of the profiler",
  annotations: "annotated steps",
  device_steps: "steps of the device",
  step_marks: "step marks of PyTorch/XLA",
  module_runs: "runs of the module that takes the most time",
  whole_profile: "the whole profile",
};

/** How the iterations of a profile were found and counted. */
export function iterationsWords(side: ComparedProfile): string {
  if (side.missing !== null || side.found_by === null) return side.missing ?? "";
  if (side.counted_by === "marks") return `${side.iterations} ${side.iterations === 1 ? "iteration" : "iterations"}, by ${FOUND_BY[side.found_by]}`;
  if (side.counted_by === "repetition") return `one repetition of ${side.iterations} ${side.iterations === 1 ? "iteration" : "iterations"}; nothing marks them`;
  return "the whole profile; nothing marks iterations or says how many there are";
}

/** What is compared, and which part makes the difference. */
export function comparisonSentenceOf(answer: ProfileComparison): string {
  const { left, right } = answer;
  const what = `${shown(right.experiment.model)}, ${testName(right.experiment.test)}`;
  const same = left.run.id === right.run.id;
  const sides = left.experiment.id === right.experiment.id ? `${right.experiment.column}, ${runName(left.run)} and ${runName(right.run)}` : same ? `${left.experiment.column} and ${right.experiment.column}, ${runName(right.run)}` : `${left.experiment.column} of ${runName(left.run)} and ${right.experiment.column} of ${runName(right.run)}`;
  if (left.missing !== null || right.missing !== null) return `${what}, ${sides}: ${left.missing !== null && right.missing !== null ? "neither has a profile" : `${left.missing !== null ? left.experiment.column : right.experiment.column} has no profile`}.`;
  if (left.iteration_ns === null || right.iteration_ns === null) return `${what}, ${sides}: how long an iteration is is not known of ${left.iteration_ns === null && right.iteration_ns === null ? "either profile" : left.iteration_ns === null ? left.experiment.column : right.experiment.column}.`;
  const by = right.iteration_ns - left.iteration_ns;
  const most = answer.parts.filter((one) => one.difference_ns !== null && one.difference_ns * by > 0).sort((a, b) => Math.abs(b.difference_ns as number) - Math.abs(a.difference_ns as number))[0];
  const because = most ? `; most of the difference is ${most.name === "unknown" ? "not known" : most.name}` : "";
  return `${what}, ${sides}: an iteration takes ${nanoseconds(left.iteration_ns)} and ${nanoseconds(right.iteration_ns)}${because}.`;
}

/** A time of one side as words, for those who hear it. */
export function partWords(parts: readonly ComparedProfileTime[], side: SideName): string {
  return parts
    .filter((one) => (one[side].share ?? 0) > 0)
    .map((one) => `${one.name} ${percent(one[side].share as number)}`)
    .join(", ");
}

/** The parts that a profile cannot tell, by side and reason. Of a side without a profile that one reason is said elsewhere. */
export function unknownParts(answer: Pick<ProfileComparison, "left" | "right" | "parts">): { side: SideName; parts: string[]; why: string }[] {
  return SIDE_NAMES.filter((side) => answer[side].missing === null).flatMap((side) => {
    const byReason = new Map<string, string[]>();
    for (const { name, [side]: time } of answer.parts) {
      if (time.share === null && time.unknown !== null) byReason.set(time.unknown, [...(byReason.get(time.unknown) ?? []), name]);
    }
    return [...byReason].map(([why, parts]) => ({ side, parts, why }));
  });
}

/** The profile of each backend's latest run that has one, as a comparison wants them: of several configurations the newest. */
export function latestProfiles(answer: ProfileSeriesAnswer): { column: string; backend: string; run: number; experiment: number; place: number }[] {
  const latest = new Map<string, { column: string; backend: string; run: number; experiment: number; place: number }>();
  for (const { experiment, points } of answer.series) {
    const place = points.reduce((last, point, index) => (point ? index : last), -1);
    const run = answer.runs[place];
    if (!run || (latest.get(experiment.column)?.place ?? -1) >= place) continue;
    latest.set(experiment.column, { column: experiment.column, backend: experiment.backend, run: run.id, experiment: experiment.id, place });
  }
  return [...latest.values()].sort((a, b) => byBackend(a.backend, b.backend) || (a.column < b.column ? -1 : 1));
}
