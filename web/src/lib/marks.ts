// What people said of nights, and where a chart draws it.
import type { Mark } from "../api/types";

const WORDS = {
  excluded: "does not count",
  environment: "another environment from here on",
  pinned: "pinned: later levels are held against it",
};
const LONGEST = 28;

export type MarkKind = Mark["kind"];
/** What one may say of a night: the name of it, and what it means. */
export const MARK_KINDS: { kind: MarkKind; name: string; meaning: string }[] = [
  { kind: "excluded", name: "Exclude it", meaning: "its measurements do not count for alerts: the disk was full" },
  {
    kind: "environment",
    name: "Environment change",
    meaning:
      "the setup differs from this night on, such as the driver or the host: levels are computed from here, and the step is not reported as a change",
  },
  { kind: "pinned", name: "Pin it", meaning: "later levels are held against it: a release" },
];

/** A mark in a sentence: what it means, and why somebody set it. */
export const markWords = (mark: Mark): string => WORDS[mark.kind] + (mark.reason && `: ${mark.reason}`);

/** What is written beside it in a chart, where there is little room. */
function label({ kind, reason }: Mark): string {
  const text = reason || (kind === "environment" ? "environment" : "pinned");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** A rule at a time, or with `from` < `to` a stretch of time that does not count. */
export type PlacedMark = { kind: Mark["kind"]; from: number; to: number; label: string };

/** `marks`: of each night. A new environment begins between two nights; what does not count is one night, up to half-way to its neighbours. */
export function placedMarks(marks: readonly (readonly Mark[])[], nights: readonly number[]): PlacedMark[] {
  const step =
    nights.length > 1 ? ((nights[nights.length - 1] as number) - (nights[0] as number)) / (nights.length - 1) : 86400;
  return nights.flatMap((time, index) => {
    const before = (time + (nights[index - 1] ?? time - step)) / 2;
    const after = (time + (nights[index + 1] ?? time + step)) / 2;
    return (marks[index] ?? []).map((mark): PlacedMark => {
      if (mark.kind === "excluded") return { kind: mark.kind, from: before, to: after, label: "" };
      const at = mark.kind === "environment" ? before : time;
      return { kind: mark.kind, from: at, to: at, label: label(mark) };
    });
  });
}
