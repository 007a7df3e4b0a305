// What to know before believing a number, and what might be done about it: each as a sentence with its numbers.
import type { Advice } from "../../api/trace";
import { digits, full } from "../../lib/format";
import { amount, percent } from "../../lib/profile";

export type Flag = { key: string; severity: string; sentence: string; numbers: [string, number][]; from: string };

const SEVERITIES: Record<string, { sign: string; tone: string; words: string; rank: number }> = {
  wrong: { sign: "✗", tone: "worse", words: "the number is not what it is called", rank: 0 },
  warning: { sign: "!", tone: "warn", words: "costs much, or the number may be off", rank: 1 },
  hint: { sign: "→", tone: "hint", words: "might be better", rank: 2 },
  note: { sign: "·", tone: "quiet", words: "to be known when numbers are read", rank: 3 },
};
const severity = (name: string) => SEVERITIES[name] ?? { sign: "?", tone: "quiet", words: name, rank: 2 };

export const gravestFirst = (flags: readonly Flag[]): Flag[] => [...flags].sort((a, b) => severity(a.severity).rank - severity(b.severity).rank);

/** A number by what its name ends with: `_ns`, `_s`, `_share`; others are counts. */
export function flagNumber(name: string, value: number): string {
  if (/_ns$/.test(name)) return amount(value, "ns");
  if (/(_s|seconds)$/.test(name)) return amount(value * 1e9, "ns");
  if (/(^|_)share$/.test(name)) return percent(value);
  if (/bytes$/.test(name)) return amount(value, "bytes");
  return Number.isInteger(value) ? amount(value, "count") : digits(value);
}
export const flagWords = (name: string): string => name.replace(/_(ns|s)$/, "").replace(/_/g, " ");

export const adviceFlags = (advice: readonly Advice[], from: string): Flag[] =>
  advice.map((one) => ({ key: one.code, severity: one.severity, sentence: one.sentence, numbers: Object.entries(one.numbers), from }));

export function Flags({ flags }: { flags: Flag[] }) {
  if (!flags.length) return <p class="quiet">Nothing stands out.</p>;
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
