// What to know before believing a number, and what might be done about it: each as a sentence with its numbers.
import { type Flag, type FlagSource, allClear } from "../../lib/flags";
import { digits, full } from "../../lib/format";
import { amount, percent } from "../../lib/profile";
import { Waiting } from "../small";
import { NotKnown } from "./bits";

const SEVERITIES: Record<string, { sign: string; tone: string; words: string; rank: number }> = {
  wrong: { sign: "✗", tone: "worse", words: "the number is not what it is called", rank: 0 },
  warning: { sign: "!", tone: "warn", words: "costs much, or the number may be off", rank: 1 },
  hint: { sign: "→", tone: "hint", words: "might be better", rank: 2 },
  note: { sign: "·", tone: "quiet", words: "to be known when numbers are read", rank: 3 },
};
const severity = (name: string) => SEVERITIES[name] ?? { sign: "?", tone: "quiet", words: name, rank: 2 };

export const gravestFirst = (flags: readonly Flag[]): Flag[] =>
  [...flags].sort((a, b) => severity(a.severity).rank - severity(b.severity).rank);

/** A number by what its name ends with: `_ns`, `_s`, `share`; others are counts, or numbers without a unit. */
export function flagNumber(name: string, value: number): string {
  if (/_ns$/.test(name)) return amount(value, "ns");
  if (/_s$/.test(name)) return amount(value * 1e9, "ns");
  if (/(^|_)share$/.test(name)) return percent(value);
  return Number.isInteger(value) ? amount(value, "count") : digits(value);
}
/** The name as words: without its unit, which the number bears. */
export const flagWords = (name: string): string => name.replace(/_(ns|s|share)$/, "").replace(/_/g, " ");

/** What was found, and of each source whether it has been asked: silence is no all-clear. */
export function Flags({ flags, sources }: { flags: Flag[]; sources: FlagSource[] }) {
  const clear = flags.length ? "" : allClear(sources);
  return (
    <>
      {flags.length > 0 && <FlagList flags={flags} />}
      {clear && <p class="quiet">{clear}</p>}
      {sources.map(
        (one) =>
          one.state === "failed" && (
            <NotKnown key={one.what} what={`what the ${one.what} flags`} error={one.error} again={one.again} />
          ),
      )}
      {sources.map(
        (one) =>
          one.state === "unread" && (
            <p key={one.what} class="quiet note">
              The {one.what} could not be read, so it flags nothing.
            </p>
          ),
      )}
      {sources.some((one) => one.state === "waiting") && <Waiting rows={3} />}
    </>
  );
}

function FlagList({ flags }: { flags: Flag[] }) {
  return (
    <ul class="flags">
      {gravestFirst(flags).map((flag) => {
        const { sign, tone, words } = severity(flag.severity);
        return (
          <li key={`${flag.from} ${flag.key}`} class={`flag-${tone}`}>
            <span class={`flag-sign ${tone}`} title={`${flag.severity}: ${words}`}>
              <span aria-hidden="true">{sign}</span>
              <span class="sr">{flag.severity}:</span>
            </span>
            <div>
              <p>{flag.sentence}</p>
              <p class="quiet note flag-numbers">
                {flag.numbers.map(([name, value]) => (
                  <span key={name} title={`${name}: ${full(value)}`}>
                    {flagWords(name)} <strong>{flagNumber(name, value)}</strong>
                  </span>
                ))}
                <span>{flag.from}</span>
              </p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
