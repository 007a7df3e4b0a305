// Flags: what the timing and the trace of a result say is to be known before its number is believed.
import type { ApiError } from "../api/client";
import type { Advice } from "../api/trace";
import type { PhasesAnswer } from "../api/types";
import { plural } from "./format";

export type Flag = { key: string; severity: string; sentence: string; numbers: [string, number][]; from: string };

/** Where flags come from, and whether it has answered. `unread`: it is there, but nothing of it could be read. */
export type FlagSource = { what: string } & (
  | { state: "waiting" | "unread" | "answered" }
  | { state: "failed"; error: ApiError; again: () => void }
);

export const adviceFlags = (advice: readonly Advice[], from: string): Flag[] =>
  advice.map((one) => ({
    key: one.code,
    severity: one.severity,
    sentence: one.sentence,
    numbers: Object.entries(one.numbers),
    from,
  }));

/** More repetitions than this are counted, not listed. */
const MOST_LISTED = 6;

export const phaseFlags = (answer: Pick<PhasesAnswer, "flags">): Flag[] =>
  answer.flags.map((flag) => {
    const among =
      flag.repetitions.length > MOST_LISTED
        ? plural(flag.repetitions.length, "repetition")
        : `repetition ${flag.repetitions.join(", ")}`;
    return {
      key: flag.code,
      severity: flag.severity,
      sentence: flag.sentence,
      numbers: Object.entries(flag.values).filter((entry): entry is [string, number] => entry[1] !== null),
      from: flag.repetitions.length ? `timing, ${among}` : "timing",
    };
  });

/** What may be said where there is no flag: nothing until all sources have answered, and only of those that could be read. */
export function allClear(sources: readonly FlagSource[]): string {
  if (sources.some((one) => one.state === "waiting" || one.state === "failed")) return "";
  const read = sources.filter((one) => one.state === "answered");
  if (read.length === sources.length) return "Nothing stands out.";
  return read.length ? `Nothing stands out in the ${read.map((one) => one.what).join(" and the ")}.` : "";
}
