// Numbers, times and names as they are shown. Tables: three significant digits; hover: all of them.

export const DASH = "–";
const MINUS = "\u2212";

/** Three significant digits without exponent: 0.842, 1.02, 12.3, 1,230. */
export function digits(value: number, significant = 3): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : MINUS + "∞";
  if (value === 0) return "0";
  const rounded = roundedTo(Math.abs(value), significant);
  const size = Math.floor(Math.log10(rounded));
  if (size < -6 || size > 20) return signed(value.toExponential(significant - 1));
  const decimals = Math.max(0, significant - 1 - size);
  return (value < 0 ? MINUS : "") + withThousands(rounded.toFixed(Math.min(decimals, 20)));
}

/** The number that `digits` shows. */
const roundedTo = (value: number, significant = 3): number => Number(value.toPrecision(significant));

function signed(text: string): string {
  return text.replace(/-/g, MINUS);
}

function withThousands(text: string): string {
  const [whole, fraction] = text.split(".");
  const grouped = (whole as string).replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export function count(value: number): string {
  const whole = Math.round(value);
  return (whole < 0 ? MINUS : "") + withThousands(String(Math.abs(whole)));
}

/** The number as it was sent, for hover. */
export function full(value: number | null | undefined): string {
  return value === null || value === undefined ? DASH : String(value);
}

export type Unit = { name: string; factor: number };
const NANOSECONDS: Unit = { name: "ns", factor: 1e9 };
const SECONDS: Unit[] = [
  { name: "µs", factor: 1e6 },
  { name: "ms", factor: 1e3 },
  { name: "s", factor: 1 },
];
const BYTES: Unit[] = [
  { name: "kB", factor: 1e-3 },
  { name: "MB", factor: 1e-6 },
  { name: "GB", factor: 1e-9 },
  { name: "TB", factor: 1e-12 },
];

/** Of units from small to large the largest of which `value` is at least one, rounded as it is shown: 0.9996 s is
 * 1.00 s and not 1,000 ms. */
function unitFor(value: number, units: readonly Unit[]): Unit {
  let found = units[0] as Unit;
  for (const unit of units) if (roundedTo(Math.abs(value) * unit.factor) >= 1) found = unit;
  return found;
}

/** What stands behind a number in that unit: nothing behind counts and ratios. */
export const plainUnit = (unit: string): string => (["count", "1", "ratio"].includes(unit) ? "" : unit);

/** One unit for all values of a column: that in which their median has at least one digit before the point. */
export function unitOf(values: number[], unit: string): Unit {
  if (unit !== "s") return { name: plainUnit(unit), factor: 1 };
  const known = values.filter((value) => Number.isFinite(value) && value > 0).sort((a, b) => a - b);
  const median = known[Math.floor(known.length / 2)];
  return median === undefined ? (SECONDS[1] as Unit) : unitFor(median, SECONDS);
}

/** One unit for sizes of a chart: that in which the largest has at least one digit before the point. */
export const unitOfBytes = (values: readonly number[]): Unit =>
  unitFor(Math.max(0, ...values.filter(Number.isFinite)), BYTES);

/** A single duration with its unit: 12.0 ns, 1.23 ms, 45.6 s, 2 min 5 s, 3 h 20 min. */
export function duration(seconds: number): string {
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  const minus = seconds < 0 ? MINUS : "";
  const minutes = Math.round(size / 60);
  if (minutes >= 120 && size < Infinity) return `${minus}${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
  const whole = Math.round(size);
  if (whole >= 120 && size < Infinity) return `${minus}${Math.floor(whole / 60)} min ${whole % 60} s`;
  const unit = unitFor(size, [NANOSECONDS, ...SECONDS]);
  return `${minus}${digits(size * unit.factor)} ${unit.name}`;
}

export function bytes(value: number): string {
  if (roundedTo(Math.abs(value)) < 1000) return `${Number.isInteger(value) ? signed(String(value)) : digits(value)} B`;
  const unit = unitFor(value, BYTES);
  return `${digits(value * unit.factor)} ${unit.name}`;
}

/** A number of percent without its sign: one decimal below 100, three digits from there on. */
export function percentSize(percent: number): string {
  const text = Math.abs(percent).toFixed(1);
  return Number(text) < 100 ? text : digits(Math.abs(percent));
}

/** −6.0 %, +12 %: the change that a ratio means. */
export function change(ratio: number): string {
  const percent = (ratio - 1) * 100;
  const text = percentSize(percent);
  if (Number(text) === 0) return "0 %";
  return `${percent < 0 ? MINUS : "+"}${text} %`;
}

export function percentInterval(low: number, high: number): string {
  const one = (ratio: number) => change(ratio).replace(" %", "");
  return `[${one(low)}, ${one(high)}]`;
}

export function interval(low: number, high: number): string {
  return `${digits(low)}–${digits(high)}`;
}

/** 0.84×, with two decimals for sentences. */
export function times(ratio: number): string {
  const text = ratio.toFixed(2);
  return `${Number(text) >= 10 ? digits(ratio) : text}×`;
}

export function plural(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A name as it is; one of spaces alone could be neither seen nor clicked. */
export function shown(name: string): string {
  return name.trim() === "" ? "(blank)" : name;
}

/** More than this is neither read on hover nor fast. */
const LONGEST_HOVER = 1000;

/** A text for hover: of a long one its beginning. The whole is where the text itself is shown. */
export function hoverText(text: string): string {
  return text.length > LONGEST_HOVER ? `${text.slice(0, LONGEST_HOVER)}…` : text;
}

/** A run's name; one that is only its own time is shown as people write times. */
export function runName(run: { name: string; started_at: string }): string {
  return /^\d{4}-\d\d-\d\dT/.test(run.name) && Date.parse(run.name) === Date.parse(run.started_at)
    ? moment(run.started_at)
    : run.name;
}

/** 2025-11-28 00:03, in UTC as everything here. */
export function date(time: string): string {
  return time.slice(0, 10);
}

export function moment(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}

export function localMoment(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : `${time} (${at.toLocaleString()} here)`;
}

/** The time since, in one unit: 40 min, 3 h, 2 d, 5 w, 11 months. */
export function age(seconds: number): string {
  const steps: [most: number, one: number, name: string][] = [
    [90, 1, "s"],
    [90, 60, "min"],
    [36, 3600, "h"],
    [21, 86400, "d"],
    [10, 7 * 86400, "w"],
    [24, 30.44 * 86400, "months"],
  ];
  for (const [most, one, name] of steps) {
    const value = Math.max(0, Math.round(seconds / one));
    if (value <= most) return `${value} ${name}`;
  }
  return `${digits(seconds / (365.25 * 86400), 2)} years`;
}

/** How much earlier a run is than another: "12 days before", "the day before", "earlier the same day". */
export function daysBefore(earlier: string, later: string): string {
  const days = Math.round((Date.parse(later) - Date.parse(earlier)) / 86_400_000);
  return days === 0 ? "less than a day before" : days === 1 ? "the day before" : `${count(days)} days before`;
}

/** "3 days after", as daysBefore(). */
export const daysAfter = (later: string, earlier: string): string =>
  daysBefore(earlier, later).replace("before", "after");

export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  return Number.isFinite(seconds)
    ? seconds < -60
      ? "in the future"
      : seconds < 60
        ? "just now"
        : `${age(seconds)} ago`
    : time;
}

const TESTS: Record<string, string> = { eval: "inference", train: "training" };
/** What people call a test: inference for eval, training for train. */
export function testName(test: string): string {
  return TESTS[test] ?? test;
}

/** A commit is shown by its beginning; anything else as it is. */
export function short(label: string): string {
  return /^[0-9a-f]{16,}$/.test(label) ? label.slice(0, 9) : label;
}

const REASONS: Record<string, string> = {
  baseline_missing: "the baseline has no result for it",
  baseline_failed: "the baseline failed on it",
  failed: "it failed",
  skipped: "the runner skipped it",
  not_timed: "it was not timed",
  too_few_samples: "too few samples",
  batch_size_differs: "the batch size differs from the baseline's",
  is_baseline: "this is the baseline",
  not_verified: "it was not verified",
  verification_failed: "verification did not pass",
};
const COUNTED: Record<string, string> = {
  baseline_missing: "without a baseline result",
  baseline_failed: "where the baseline failed",
  failed: "failed",
  skipped: "skipped",
  not_timed: "not timed",
  too_few_samples: "with too few samples",
  batch_size_differs: "of another batch size",
  is_baseline: "of the baseline itself",
  not_verified: "not verified",
  verification_failed: "not verified as right",
};
/** Of a result that was timed under XLA's profiler alone. */
export const ONLY_PROFILED = "timed only while XLA's profiler ran (--profile-xla), which does not count";

/** After a number: 3 failed, 2 not timed. */
export function reasonCounted(exclusion: string): string {
  return COUNTED[exclusion] ?? exclusion.replace(/_/g, " ");
}
export function reason(exclusion: string): string {
  return REASONS[exclusion] ?? exclusion.replace(/_/g, " ");
}

const FLAGS: Record<string, string> = {
  no_warmup_dropped: "too few repetitions to drop the warm-up",
  few_samples: "few samples: the interval is wide or missing",
  unusable_samples: "some samples were not usable numbers",
};
export function flag(name: string): string {
  return FLAGS[name] ?? name.replace(/_/g, " ");
}

const KINDS: Record<string, string> = {
  skipped: "skipped",
  timed_out: "timed out",
  out_of_memory: "out of memory",
  crashed: "crashed",
  exception: "exception",
  other: "failed",
};
export function failureKind(kind: string): string {
  return KINDS[kind] ?? kind;
}
