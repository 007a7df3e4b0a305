// Alerts in words and signs: what a state is called, which series an alert is mostly about, how much it changed.
import type { Alert, AlertMember, AlertPage, AlertState, ChangeDirection, TriageState } from "../api/types";
import { count, digits, full, percentInterval, change as percent, plural, unitOf } from "./format";
import { type Key, sorted } from "./sort";

export type StateWords = { word: string; glyph: string; name: string; meaning: string };

/** Shape and word say what colour repeats. */
const STATES: Record<AlertState, StateWords> = {
  confirmed: {
    word: "confirmed",
    glyph: "●",
    name: "confirmed",
    meaning: "enough nights say so, and nobody has said anything yet",
  },
  suspect: { word: "suspected", glyph: "◐", name: "suspect", meaning: "seen on too few nights to be sure" },
  acknowledged: { word: "acknowledged", glyph: "◎", name: "acknowledged", meaning: "somebody has seen it" },
  investigating: { word: "investigating", glyph: "◉", name: "investigating", meaning: "somebody looks for the cause" },
  fixed: { word: "fixed", glyph: "✓", name: "done", meaning: "somebody says that it is mended" },
  wont_fix: { word: "won't fix", glyph: "–", name: "done", meaning: "it stays as it is now" },
  invalid: { word: "invalid", glyph: "∅", name: "done", meaning: "somebody says that nothing changed" },
  infrastructure: {
    word: "infrastructure",
    glyph: "⌂",
    name: "done",
    meaning: "the machine changed, not what is measured",
  },
  muted: { word: "muted", glyph: "◌", name: "over", meaning: "nobody wants to hear of it for now" },
  recovered: { word: "recovered", glyph: "↺", name: "over", meaning: "the old level is back" },
  withdrawn: { word: "withdrawn", glyph: "○", name: "over", meaning: "further nights do not show it any more" },
};
const UNKNOWN: StateWords = {
  word: "unknown",
  glyph: "?",
  name: "over",
  meaning: "a state that this version does not know",
};

/** Every state of what was an alert and is still taken for one. */
export const NOT_WITHDRAWN = (Object.keys(STATES) as AlertState[]).filter((state) => state !== "withdrawn").join(",");

export const stateWords = (state: string): StateWords => STATES[state as AlertState] ?? { ...UNKNOWN, word: state };

/** What a person can say of an alert, with its key and the words of its button. */
export const TRIAGE: { key: string; state: TriageState; button: string }[] = [
  { key: "a", state: "acknowledged", button: "Acknowledge" },
  { key: "i", state: "investigating", button: "Investigating" },
  { key: "d", state: "fixed", button: "Fixed" },
  { key: "w", state: "wont_fix", button: "Won't fix" },
  { key: "v", state: "invalid", button: "Invalid" },
  { key: "h", state: "infrastructure", button: "Infrastructure" },
  { key: "o", state: "open", button: "Open again" },
];

export const tone = (direction: ChangeDirection): "worse" | "better" | "unclear" =>
  direction === "regression" ? "worse" : direction === "improvement" ? "better" : "unclear";
export const arrow = (direction: ChangeDirection): string =>
  direction === "regression" ? "▼" : direction === "improvement" ? "▲" : "~";
export const directionWord = (direction: ChangeDirection): string =>
  direction === "regression" ? "worse" : direction === "improvement" ? "better" : "neither better nor worse";

export type Group = { key: Alert["urgency"]; title: string; alerts: Alert[] };

const GROUPS: Omit<Group, "alerts">[] = [
  { key: "confirmed", title: "Confirmed regressions" },
  { key: "suspect", title: "Suspected regressions" },
  { key: "taken", title: "Taken up" },
  { key: "improvement", title: "Improvements" },
  { key: "change", title: "Neither better nor worse" },
];

/** What needs attention, the most urgent first: what somebody has taken on comes after what nobody has. */
export const groups = (alerts: readonly Alert[]): Group[] =>
  GROUPS.map((group) => ({ ...group, alerts: alerts.filter((alert) => alert.urgency === group.key) })).filter(
    (group) => group.alerts.length > 0,
  );

/** How many alerts are for the worse, and nobody has taken them up yet. */
export const waitingCount = (counts: AlertPage["counts"]): number => counts.confirmed + counts.suspect;

/** Alerts that people acted on and that are not found any more: to be asked for as a state is, beside what they are. */
export const ORPHANED = "orphaned";

/** Alerts that are not found any more, muted, decided or over: they are folded away, and asked for only when somebody looks. */
export const FOLDED: { key: string; title: string; states: (AlertState | typeof ORPHANED)[] }[] = [
  { key: ORPHANED, title: "Orphaned: not found any more", states: [ORPHANED] },
  { key: "muted", title: "Muted", states: ["muted"] },
  { key: "decided", title: "Decided", states: ["fixed", "wont_fix", "invalid", "infrastructure"] },
  { key: "over", title: "Recovered or withdrawn", states: ["recovered", "withdrawn"] },
];

/** In which order metrics tell of an alert. */
const TELLING = [
  "steady",
  "drift",
  "speedup",
  "verification",
  "timing",
  "compile",
  "device",
  "tracing",
  "graph_breaks",
  "graphs",
  "recompiles",
  "xla_compilations",
  "fallback_operations",
];

/** The series that an alert's title is about; where it is about many, that of mainMember(). */
export function headlineMember({ headline, members }: Alert["details"]): AlertMember | null {
  const own =
    headline &&
    members.find((member) => member.experiment.id === headline.experiment_id && member.metric === headline.metric);
  return own ?? mainMember(headline ? members.filter((member) => member.metric === headline.metric) : members);
}

/** The series that members are mostly about: of the most telling metric, the surest, then the largest change. */
export function mainMember(members: readonly AlertMember[]): AlertMember | null {
  const rank = (member: AlertMember): number[] => [
    member.is_doing_of_baseline ? 1 : 0,
    TELLING.indexOf(member.metric) + 1 || TELLING.length + 1,
    member.state === "confirmed" ? 0 : member.state === "suspect" ? 1 : 2,
    -Math.abs(Math.log1p(member.effect ?? 0)) || 0,
  ];
  const before = (a: number[], b: number[]) => {
    const at = a.findIndex((value, index) => value !== b[index]);
    return at >= 0 && (a[at] as number) < (b[at] as number);
  };
  return members.reduce<AlertMember | null>(
    (best, member) => (!best || before(rank(member), rank(best)) ? member : best),
    null,
  );
}

export const isTimed = (member: AlertMember): boolean =>
  member.before !== undefined && member.after !== undefined && member.effect !== undefined;

/** How much changed: of a member, or of the number that an alert's title tells. */
export type Changed = {
  effect?: number | null;
  interval?: AlertMember["interval"] | null;
  before_text?: string | null;
  after_text?: string | null;
};

/** "+29.9 % [+19.1, +41.7]"; of a count or a verdict "PASS → FAIL". */
export function effectText(changed: Changed): string {
  if (changed.effect === undefined || changed.effect === null)
    return `${changed.before_text ?? ""} → ${changed.after_text ?? ""}`;
  const bounds = changed.interval ? ` ${percentInterval(1 + changed.interval.low, 1 + changed.interval.high)}` : "";
  return percent(1 + changed.effect) + bounds;
}

/** "1.98 → 2.58 ms", "0 → 2", "PASS → FAIL". */
export function levelsText(member: AlertMember): string {
  if (!isTimed(member)) return effectText(member);
  const unit = unitOf([member.before as number, member.after as number], member.unit);
  const name = member.metric === "speedup" ? "×" : unit.name ? ` ${unit.name}` : "";
  return `${digits((member.before as number) * unit.factor)} → ${digits((member.after as number) * unit.factor)}${name}`;
}

export const levelsTitle = (member: AlertMember): string =>
  isTimed(member)
    ? `${full(member.before)} → ${full(member.after)}${member.unit ? ` ${member.unit}` : ""}`
    : effectText(member);

/** A p-value as one reads it: 0.037, 3e-6, < 1e-12. */
export function probability(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 1e-12) return "< 1e-12";
  return Number(value.toExponential(0)) < 1e-3
    ? value.toExponential(0).replace("-", "\u2212")
    : value >= 0.995
      ? "1"
      : digits(value, 2);
}

/** A title whose "0 → 2" and "6.5 %" are not torn apart at the end of a line. */
export const unbroken = (title: string): string =>
  title.replace(/ → /g, "\u00a0→\u00a0").replace(/(\d) %/g, "$1\u00a0%");

const SCOPES: Record<string, string> = { machine: "the whole machine", backend: "a backend", model: "one model" };
/** What an alert is about: a model, a backend, or all of the machine. */
export function scopeText(alert: Alert): string {
  const { scope, subject } = alert.details;
  if (scope === "backend" && subject.backend !== null) return subject.backend;
  return SCOPES[scope] ?? scope;
}

/** Ways to go through a group of alerts; `column` is the one in whose head a click asks for it. */
type Order = {
  value: string;
  text: string;
  column: AlertColumn;
  direction: "asc" | "desc";
  key: (alert: Alert) => Key;
};
export type AlertColumn = "title" | "effect" | "since" | "where" | "owner";
export const WORST = "worst";
export const ORDERS: readonly Order[] = [
  { value: WORST, text: "worst first", column: "effect", direction: "desc", key: (alert) => alert.details.weight },
  { value: "least", text: "least first", column: "effect", direction: "asc", key: (alert) => alert.details.weight },
  {
    value: "newest",
    text: "newest",
    column: "since",
    direction: "desc",
    key: (alert) => alert.details.onset.started_at,
  },
  {
    value: "oldest",
    text: "oldest",
    column: "since",
    direction: "asc",
    key: (alert) => alert.details.onset.started_at,
  },
  { value: "title", text: "what changed", column: "title", direction: "asc", key: (alert) => alert.details.title },
  {
    value: "where",
    text: "where",
    column: "where",
    direction: "asc",
    key: (alert) => `${scopeText(alert)} ${alert.accelerator_model}`,
  },
  // Nobody's come last: a missing key.
  { value: "owner", text: "owner", column: "owner", direction: "asc", key: (alert) => alert.owner || null },
];

export const orderOf = (value: string | null): Order =>
  ORDERS.find((one) => one.value === value) ?? (ORDERS[0] as Order);

/** In that order; where it makes no difference, as they come. */
export const orderedBy = (alerts: readonly Alert[], { key, direction }: Order): Alert[] =>
  sorted(alerts, key, direction);

/** The order that a click on a column's head asks for: its first, or the other one where it is in that already. */
export function orderAfterClick(column: AlertColumn, now: Order): string {
  const own = ORDERS.filter((one) => one.column === column);
  return (own[(own.indexOf(now) + 1) % own.length] ?? now).value;
}

/** "3 alerts need attention: 2 confirmed regressions, 1 suspected; 2 improvements; 1 is taken up." */
export function attentionSentence({ counts }: Pick<AlertPage, "counts">): string {
  const waiting = waitingCount(counts);
  const regressions = [
    counts.confirmed ? plural(counts.confirmed, "confirmed regression") : "",
    counts.suspect
      ? counts.confirmed
        ? `${count(counts.suspect)} suspected`
        : plural(counts.suspect, "suspected regression")
      : "",
  ].filter(Boolean);
  const parts = [
    waiting === 0
      ? "No alert needs attention"
      : `${waiting === 1 ? "1 alert needs" : `${count(waiting)} alerts need`} attention: ${regressions.join(", ")}`,
    counts.improvement ? plural(counts.improvement, "improvement") : "",
    counts.change ? `${count(counts.change)} neither better nor worse` : "",
    counts.taken ? `${count(counts.taken)} ${counts.taken === 1 ? "is" : "are"} taken up` : "",
  ].filter(Boolean);
  return `${parts.join("; ")}.`;
}
