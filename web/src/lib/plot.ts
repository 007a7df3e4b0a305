// Where things stand in a drawing: scales, ticks and bins. Pure numbers, in the units of what is drawn.

export type Scale = { low: number; high: number; log: boolean; from: number; to: number };

/** The place of a value on a scale that goes from `from` to `to`. */
export function place({ low, high, log, from, to }: Scale, value: number): number {
  const part = log
    ? (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))
    : (value - low) / (high - low);
  return from + part * (to - from);
}

/** Whether an axis that holds these values begins at 0: none is below it, and the least is small beside the largest. Values that are all 0 begin there too. */
export function beginsAtZero({ low, high }: { low: number; high: number }): boolean {
  return low >= 0 && (high === 0 || low < 0.35 * high);
}

/** What is said of where a value axis begins. */
export function axisWords(log: boolean, startsAtZero: boolean): string {
  if (log) return "logarithmic axis";
  return startsAtZero ? "axis starts at 0" : "axis does not start at 0";
}

/** A little more than the values, and never nothing. Logarithmic: only values above 0 count. */
export function extent(values: readonly number[], log: boolean): { low: number; high: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value) || (log && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === Infinity) return log ? { low: 0.1, high: 10 } : { low: 0, high: 1 };
  if (log) {
    const margin = Math.max((high / low) ** 0.05, 1.03);
    return { low: low / margin, high: high * margin };
  }
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
  return { low: beginsAtZero({ low, high }) ? 0 : low - margin, high: high + margin };
}

/** Round numbers between two, at most `most` of them. */
export function linearTicks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * (1 - 1e-9)) as number;
  const ticks: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; ++n)
    ticks.push(Number((n * step).toPrecision(12)));
  return ticks;
}

/** 1, 2 and 5 of every power of ten; of wide ranges the powers alone, of narrow ones round numbers. */
export function logTicks(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  if (high / low < 8) return linearTicks(low, high, most).filter((tick) => tick > 0);
  const all: number[] = [];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const wide = last - first > most;
  const skip = Math.max(1, Math.ceil((last - first) / most));
  for (let power = first; power <= last; power += wide ? skip : 1) {
    for (const one of wide || Math.log10(high / low) * 3 > most ? [1] : [1, 2, 5]) {
      const tick = Number((one * 10 ** power).toPrecision(3));
      if (tick >= low && tick <= high) all.push(tick);
    }
  }
  return all;
}

export type Bin = { low: number; high: number; open: "" | "low" | "high" };

const BIN_PERCENTS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
const MOST_BINS = 44;

/**
 * Bins for ratios of now to before, equally wide in percent and with an edge at no change. Nearly all values lie
 * in them; the first and the last hold all that is further out.
 */
export function ratioBins(ratios: readonly number[]): Bin[] {
  const logs = ratios
    .filter((ratio) => ratio > 0 && Number.isFinite(ratio))
    .map(Math.log)
    .sort((a, b) => a - b);
  if (!logs.length) return [];
  const at = (share: number) =>
    logs[Math.min(logs.length - 1, Math.max(0, Math.round(share * (logs.length - 1))))] as number;
  const low = Math.min(at(0.01), 0);
  const high = Math.max(at(0.99), 0);
  const percent = BIN_PERCENTS.find((one) => (high - low) / Math.log1p(one / 100) <= MOST_BINS - 2) ?? 50;
  const width = Math.log1p(percent / 100);
  const first = Math.floor(low / width) - 1;
  const last = Math.ceil(high / width) + 1;
  const bins: Bin[] = [];
  const steps = Math.min(last - first, MOST_BINS);
  for (let n = 0; n < steps; ++n) {
    bins.push({
      low: Math.exp((first + n) * width),
      high: Math.exp((first + n + 1) * width),
      open: n === 0 ? "low" : n === steps - 1 ? "high" : "",
    });
  }
  return bins;
}

/** The bin that a ratio is in. */
export function binOf(bins: readonly Bin[], ratio: number): number {
  const first = bins[0];
  const last = bins[bins.length - 1];
  if (!first || !last) return -1;
  if (ratio < first.high) return 0;
  if (ratio >= last.low) return bins.length - 1;
  const width = Math.log(first.high / first.low);
  const guess = Math.min(bins.length - 1, Math.max(0, Math.floor(Math.log(ratio / first.low) / width + 1e-9)));
  return guess;
}

export function median(values: readonly number[]): number | null {
  if (!values.length) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export type Bounded = { value: number; low: number | null; high: number | null };

/** At most this part of the intervals' ends on one side may lie beyond the axis. */
const BEYOND = 0.05;

/**
 * What an axis holds: all values, and the intervals around them, but for the few that are much wider than the others:
 * one of them would make a flat line of everything else. `isClipped`: an interval goes on beyond it. Logarithmic: only
 * what is above 0 counts. Null where there is nothing to hold.
 */
export function axisExtent(
  points: readonly Bounded[],
  log: boolean,
): { low: number; high: number; isClipped: boolean } | null {
  const counts = (value: number | null): value is number =>
    value !== null && Number.isFinite(value) && (!log || value > 0);
  const values = points.map((point) => point.value).filter(counts);
  if (!values.length) return null;
  const scaled = log ? Math.log : (value: number) => value;
  const back = log ? Math.exp : (value: number) => value;
  const ends = (part: (point: Bounded) => number | null) =>
    points
      .map((point) => part(point) ?? point.value)
      .filter(counts)
      .map(scaled)
      .sort((a, b) => a - b);
  const lows = ends((point) => point.low);
  const highs = ends((point) => point.high);
  const middle = values.map(scaled);
  const from = Math.min(...middle, lows[Math.ceil(BEYOND * (lows.length - 1))] ?? Infinity);
  const to = Math.max(...middle, highs[Math.floor((1 - BEYOND) * (highs.length - 1))] ?? -Infinity);
  const room = (to - from) / 2;
  const low = Math.min(from, ...lows.filter((end) => end >= from - room));
  const high = Math.max(to, ...highs.filter((end) => end <= to + room));
  return {
    low: back(low),
    high: back(high),
    isClipped: (lows[0] ?? low) < low || (highs[highs.length - 1] ?? high) > high,
  };
}

/** From where to where an axis goes that holds `extent`, both times `factor`, with a margin; `zoom`: what was chosen instead. Values that are all 0 have an axis from 0. */
export function axisLimits(
  extent: { low: number; high: number } | null,
  factor: number,
  zoom: { from: number; to: number } | null,
  startsAtZero: boolean,
  log: boolean,
): [number, number] {
  if (zoom) return [zoom.from, zoom.to];
  if (!extent) return [0, 1];
  const low = extent.low * factor;
  const high = extent.high * factor;
  if (log) {
    const margin = Math.max((high / low) ** 0.08, 1.02);
    return [low / margin, high * margin];
  }
  if (low === 0 && high === 0) return [0, 1];
  if (startsAtZero) return [0, high * 1.06];
  const margin = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
  return [low - margin, high + margin];
}
