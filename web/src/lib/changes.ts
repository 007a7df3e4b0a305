// Where changes stand in a chart: between which two nights, and over which nights their levels go.
import type { ChangeDirection, RunRef } from "../api/types";
import { change as percent } from "./format";

/** A change of one series, as a chart draws it. Times are seconds since 1970. */
export type ChangeMark = {
  experiment: number;
  onset: number;
  earliest: number;
  latest: number;
  /** NaN where there are no levels: of counts and verdicts. */
  before: number;
  after: number;
  direction: ChangeDirection;
  /** What is written beside the rule. */
  label: string;
};

/** All of it in seconds: the rule stands between the last night before and the first after. */
export type PlacedChange = { mark: ChangeMark; rule: number; from: number; to: number; begin: number; end: number };

/** Half-way to the night before; before the first night there is nothing to be between. */
function between(nights: readonly number[], time: number): number {
  let before = time;
  for (const night of nights) {
    if (night >= time) break;
    before = night;
  }
  return (before + time) / 2;
}

/** `nights`: when the runs of the chart began, ascending. Levels reach to the next change of the same series. */
export function placed(marks: readonly ChangeMark[], nights: readonly number[]): PlacedChange[] {
  const first = nights[0] ?? 0;
  const last = nights[nights.length - 1] ?? 0;
  const inOrder = marks.filter((mark) => mark.onset >= first && mark.onset <= last).sort((a, b) => a.onset - b.onset);
  const rules = inOrder.map((mark) => between(nights, mark.onset));
  return inOrder.map((mark, index) => {
    const own = (step: 1 | -1): number | undefined => {
      for (let at = index + step; at >= 0 && at < inOrder.length; at += step)
        if (inOrder[at]?.experiment === mark.experiment) return rules[at];
      return undefined;
    };
    return {
      mark,
      rule: rules[index] as number,
      from: Math.min(rules[index] as number, between(nights, mark.earliest)),
      to: Math.max(rules[index] as number, between(nights, mark.latest)),
      begin: own(-1) ?? first,
      end: own(1) ?? last,
    };
  });
}

const time = (run: RunRef): number => Date.parse(run.started_at) / 1000;

/** `effect` absent: a count or a verdict. */
type Change = {
  before_text?: string;
  after_text?: string;
  earliest: RunRef;
  latest: RunRef;
  before?: number;
  after?: number;
  effect?: number;
  direction: ChangeDirection;
};

/** A change as the API tells it, of a series' answer (`run`) or of an alert's member (`onset`). */
export function markOf(experiment: number, change: Change & ({ run: RunRef } | { onset: RunRef })): ChangeMark {
  const onset = "run" in change ? change.run : change.onset;
  return {
    experiment,
    onset: time(onset),
    earliest: time(change.earliest),
    latest: time(change.latest),
    before: change.before ?? NaN,
    after: change.after ?? NaN,
    direction: change.direction,
    label:
      change.effect === undefined
        ? `${change.before_text ?? ""} → ${change.after_text ?? ""}`
        : percent(1 + change.effect),
  };
}
