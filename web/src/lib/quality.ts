// How much of a night can be trusted, in words.
import type { NightQuality } from "../api/types";
import { date, digits, plural } from "./format";

/** Repetitions that scatter so many times as much as usual are worth telling. */
const MUCH = 1.5;

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;

/** "21 of 34 series are off their level, repetitions scatter 5.0 times as much as usual"; of a night of which nothing is known "". */
export function qualityFacts({ judged, off, scatter }: NightQuality): string {
  if (judged === 0) return "";
  const series =
    off === 0
      ? `none of ${plural(judged, "series", "series")} is off its level`
      : `${off} of ${plural(judged, "series", "series")} ${off === 1 ? "is off its" : "are off their"} level`;
  return scatter !== null && scatter >= MUCH
    ? `${series}, repetitions scatter ${digits(scatter, 2)} times as much as usual`
    : series;
}

/** What a reader of the night's results has to know before them; "" where it is a night like others. */
export function qualityWarning(quality: NightQuality): string {
  const parts = [];
  if (quality.is_disturbed) parts.push(`this night is disturbed: ${qualityFacts(quality)}`);
  if (quality.alike.length > 0)
    parts.push(
      `times are as on the ${quality.alike.length === 1 ? "night" : "nights"} of ${listed(quality.alike.map((run) => date(run.started_at)))}: probably another machine`,
    );
  return parts.join("; ");
}
