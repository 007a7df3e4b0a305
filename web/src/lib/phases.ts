// Where time went, made ready to be drawn: stacks of phases, and how each of them is known.
import type { PhaseBasis, PhaseGroup, PhaseName, PhasePoint, PhasedRepetition } from "../api/types";

export const PHASES: PhaseName[] = ["tracing", "compiling", "executing", "rest"];
export const PHASE_WORDS: Record<PhaseName, string> = { tracing: "tracing", compiling: "compiling", executing: "executing", rest: "the rest" };

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
