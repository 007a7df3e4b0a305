// Where time went, made ready to be drawn: stacks of phases, and how each of them is known.
import type { PhaseBasis, PhaseGroup, PhaseName, PhasePoint, PhasedRepetition } from "../api/types";

export const PHASES: PhaseName[] = ["tracing", "compiling", "executing", "rest"];
export const PHASE_WORDS: Record<PhaseName, string> = {
  tracing: "tracing",
  compiling: "compiling",
  executing: "executing",
  rest: "the rest",
};

/** How a phase is drawn: what was measured is plain, what was worked out is dotted, what was inferred is hatched. */
export type Drawn = "measured" | "derived" | "inferred";
export function drawnAs(basis: PhaseBasis): Drawn {
  return basis === "inferred" ? "inferred" : basis === "derived" ? "derived" : "measured";
}

export type Segment = { phase: PhaseName; drawn: Drawn; from: number; seconds: number };

/** A repetition's phases one after the other, in seconds; phases that are not known or took no time have no segment. */
export function segments(repetition: PhasedRepetition): Segment[] {
  let from = 0;
  return PHASES.flatMap((phase) => {
    const { seconds, basis } = repetition[phase];
    if (seconds === null || !(seconds > 0)) return [];
    const segment: Segment = { phase, drawn: phase === "rest" ? "measured" : drawnAs(basis), from, seconds };
    from += seconds;
    return [segment];
  });
}

/** How long a stack is: its phases together, or the whole where that is longer. */
export function stackLength(repetition: PhasedRepetition): number {
  const sum = segments(repetition).reduce((all, one) => all + one.seconds, 0);
  return Math.max(sum, repetition.total ?? 0);
}

/** Phases that are longer than the whole by less than this part of it are so by rounding. */
const ROUNDING = 0.001;

/** Seconds that the phases of a repetition together are longer than the whole, because some went on at the same time; 0: they are not. */
export function overlapOf({ overlap, total }: Pick<PhasedRepetition, "overlap" | "total">): number {
  return overlap !== null && overlap > (total ?? 0) * ROUNDING ? overlap : 0;
}

export type Overlap = { repetitions: number; median: number };

/** How many of these repetitions have phases that overlap, and by how many seconds; null: none has. */
export function overlapAmong(repetitions: readonly PhasedRepetition[]): Overlap | null {
  const found = repetitions
    .map(overlapOf)
    .filter((one) => one > 0)
    .sort((a, b) => a - b);
  if (!found.length) return null;
  const upper = found[found.length >> 1] as number;
  const lower = found[(found.length - 1) >> 1] as number;
  return { repetitions: found.length, median: (lower + upper) / 2 };
}

export type GroupName = "steady" | "warmup";

/** A run's stack: medians of the steady repetitions, or sums of the warm-up's. */
export function pointSegments(point: PhasePoint, of: GroupName): Segment[] {
  let from = 0;
  return PHASES.flatMap((phase) => {
    const seconds = pointSeconds(point[of], phase, of);
    if (seconds === null || !(seconds > 0)) return [];
    const segment: Segment = { phase, drawn: "measured", from, seconds };
    from += seconds;
    return [segment];
  });
}

/** The whole of a run's stack where phases overlap, so that the stack is longer than it; null: it is not. */
export function overlappedWhole(point: PhasePoint, of: GroupName): number | null {
  const { total, rest } = point[of];
  const whole = pointSeconds(point[of], "total", of);
  // A repetition whose phases overlap has no rest. Medians alone may be longer than the whole without that.
  if (whole === null || rest.n >= total.n) return null;
  const length = pointSegments(point, of).reduce((sum, one) => sum + one.seconds, 0);
  return length > whole * (1 + ROUNDING) ? whole : null;
}

export function pointSeconds(group: PhaseGroup, phase: PhaseName | "total", of: GroupName): number | null {
  const summary = group[phase];
  return of === "steady" ? summary.median : summary.sum;
}

/** The phases that the rest of any of these repetitions may hold. */
export function restHolds(repetitions: readonly PhasedRepetition[]): PhaseName[] {
  return PHASES.filter((phase) => repetitions.some((one) => one.rest_holds.includes(phase)));
}

/** Numbers on an axis from 0: at most `most` steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(top: number, most: number): number[] {
  if (!(top > 0) || !Number.isFinite(top)) return [0];
  const rough = top / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let tick = 0; tick <= top * 1.0001; tick += step) ticks.push(Number(tick.toPrecision(12)));
  return ticks;
}
