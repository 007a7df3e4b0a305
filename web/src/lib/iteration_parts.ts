// Where an iteration goes, made ready to be drawn and said: by the profiles of two results.
import type {
  ComparedProfile,
  ComparedProfileTime,
  Experiment,
  ProfileComparison,
  ProfileSeriesAnswer,
} from "../api/types";
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

/** As the command line words it. */
export const FOUND_BY: Record<NonNullable<ComparedProfile["found_by"]>, string> = {
  profiler_steps: "steps of the profiler",
  annotations: "annotated steps",
  device_steps: "steps of the device",
  step_marks: "step marks of PyTorch/XLA",
  module_runs: "runs of the module that takes the most time",
  whole_profile: "the whole profile",
};

/** Behind a peak of memory, as the command line words it: numbers of two kinds do not compare. */
export const PEAK_MEMORY_OF: Record<NonNullable<ComparedProfile["peak_memory_of"]>, string> = {
  xla_allocator: "allocated and reserved by an allocator of XLA",
  pytorch_device: "allocated by PyTorch on a device",
  pytorch_cpu: "allocated by PyTorch on the CPU since the profiler began",
};

/** How the iterations of a profile were found and counted. */
export function iterationsWords(side: ComparedProfile): string {
  if (side.missing !== null || side.found_by === null) return side.missing ?? "";
  if (side.counted_by === "marks")
    return `${side.iterations} ${side.iterations === 1 ? "iteration" : "iterations"}, by ${FOUND_BY[side.found_by]}`;
  if (side.counted_by === "repetition")
    return `one repetition of ${side.iterations} ${side.iterations === 1 ? "iteration" : "iterations"}; nothing marks them`;
  return "the whole profile; nothing marks iterations or says how many there are";
}

/** Of a comparison in which a side has no profile to look at: which, and whether there is none or it has to be read again. */
export function missingWords({ left, right }: Pick<ProfileComparison, "left" | "right">): string {
  const words = (side: ComparedProfile) =>
    side.artifact_id === null ? "has no profile" : "has a profile that has to be read again";
  const without = [left, right].filter((side) => side.missing !== null);
  if (without.length === 2 && without.every((side) => side.artifact_id === null)) return "neither has a profile";
  return without
    .map(
      (side, index) =>
        `${without.length > 1 && left.experiment.column === right.experiment.column ? (index ? "the right" : "the left") : side.experiment.column} ${words(side)}`,
    )
    .join(", ");
}

/** What is compared, and which part makes the difference. */
export function comparisonSentenceOf(answer: ProfileComparison): string {
  const { left, right } = answer;
  const [of, ofRight] = [left, right].map(
    ({ experiment }) => `${shown(experiment.model)}, ${testName(experiment.test)}`,
  );
  const what = of === ofRight ? of : `${of} and ${ofRight}`;
  const same = left.run.id === right.run.id;
  const sides =
    left.experiment.id === right.experiment.id
      ? `${right.experiment.column}, ${runName(left.run)} and ${runName(right.run)}`
      : same
        ? `${left.experiment.column} and ${right.experiment.column}, ${runName(right.run)}`
        : `${left.experiment.column} of ${runName(left.run)} and ${right.experiment.column} of ${runName(right.run)}`;
  if (left.missing !== null || right.missing !== null) return `${what}, ${sides}: ${missingWords(answer)}.`;
  if (left.iteration_ns === null || right.iteration_ns === null) {
    const unknown = [left, right].filter((side) => side.iteration_ns === null);
    const [only] =
      left.experiment.id === right.experiment.id
        ? unknown.map(({ run }) => runName(run))
        : unknown.map(({ experiment }) => experiment.column);
    return `${what}, ${sides}: how long an iteration takes is not known for ${unknown.length > 1 ? "either profile" : only}.`;
  }
  const by = right.iteration_ns - left.iteration_ns;
  const most = answer.parts
    .filter((one) => one.difference_ns !== null && one.difference_ns * by > 0)
    .sort((a, b) => Math.abs(b.difference_ns as number) - Math.abs(a.difference_ns as number))[0];
  const isMost = most && Math.abs(most.difference_ns as number) > Math.abs(by) / 2;
  const because = most
    ? `; ${isMost ? "most" : "the largest part"} of the difference is ${most.name === "unknown" ? "not known" : most.name}`
    : "";
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
export function unknownParts(
  answer: Pick<ProfileComparison, "left" | "right" | "parts">,
): { side: SideName; parts: string[]; why: string }[] {
  return SIDE_NAMES.filter((side) => answer[side].missing === null).flatMap((side) => {
    const byReason = new Map<string, string[]>();
    for (const { name, [side]: time } of answer.parts) {
      if (time.share === null && time.unknown !== null)
        byReason.set(time.unknown, [...(byReason.get(time.unknown) ?? []), name]);
    }
    return [...byReason].map(([why, parts]) => ({ side, parts, why }));
  });
}

export type LatestProfile = { column: string; run: number; experiment: number; place: number; of: Experiment };

/** The latest profile of each experiment that has one, in the order of backends. */
function latestOfExperiments(answer: ProfileSeriesAnswer): LatestProfile[] {
  const latest = answer.series.flatMap(({ experiment, points }) => {
    const place = points.reduce((last, point, index) => (point && point.missing === null ? index : last), -1);
    const run = answer.runs[place];
    return run ? [{ column: experiment.column, run: run.id, experiment: experiment.id, place, of: experiment }] : [];
  });
  return latest.sort(
    (a, b) =>
      byBackend(a.of.backend, b.of.backend) || (a.column < b.column ? -1 : a.column > b.column ? 1 : b.place - a.place),
  );
}

const settings = ({ batch_size, xla_flags, flags }: Experiment): string =>
  JSON.stringify([batch_size, xla_flags, Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1))]);
const machineAndBatch = ({ accelerator_model, batch_size }: Experiment): [string, string] => [
  accelerator_model,
  batch_size === null ? "batch size unknown" : `batch ${batch_size}`,
];

/** A pair of profiles of two backends, and what of their settings is not the same, in words. */
export type ProfilePair = { left: LatestProfile; right: LatestProfile; differs: string };

/** One pair of each two backends, by the latest profiles: of configurations on the same machine those with the same batch size and flags first. */
export function profilePairs(answer: ProfileSeriesAnswer): ProfilePair[] {
  const latest = latestOfExperiments(answer);
  const columns = [...new Set(latest.map((one) => one.column))];
  const penalty = (left: LatestProfile, right: LatestProfile): number =>
    (left.of.accelerator_model !== right.of.accelerator_model ? 4 : 0) +
    (left.of.batch_size !== right.of.batch_size ? 2 : 0) +
    (settings(left.of) !== settings(right.of) ? 1 : 0);
  return columns.flatMap((one, index) =>
    columns.slice(index + 1).flatMap((other) => {
      const all = latest
        .filter(({ column }) => column === one)
        .flatMap((left) => latest.filter(({ column }) => column === other).map((right) => ({ left, right })));
      const best = all.sort(
        (a, b) =>
          penalty(a.left, a.right) - penalty(b.left, b.right) ||
          Math.min(b.left.place, b.right.place) - Math.min(a.left.place, a.right.place),
      )[0];
      return best ? [{ ...best, differs: differenceOfSettings(best.left.of, best.right.of) }] : [];
    }),
  );
}

/** What of two configurations is not the same beside the backend, in words; "": nothing. */
export function differenceOfSettings(left: Experiment, right: Experiment): string {
  const of = machineAndBatch(right);
  const words = machineAndBatch(left).flatMap((word, index) =>
    word === of[index] ? [] : [`${word} and ${of[index]}`],
  );
  if (!words.length && settings(left) !== settings(right)) words.push("other flags");
  return words.join(", ");
}
