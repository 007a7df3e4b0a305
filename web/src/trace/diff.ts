// Two traces on one axis: what each name costs in one and in the other.
import type { SumsOfAllTracks, SumsRow } from "./area";

type Side = { count: number; self: number; total: number };
export type DiffRow = {
  key: string;
  before: Side | null;
  after: Side | null;
  /** ns of self time: after − before. */
  delta: number;
};
/** `before`, `after`: all self time; `leftOut`: names that are not among the rows, for there are too many. */
export type Diff = { rows: DiffRow[]; before: number; after: number; leftOut: { before: number; after: number } };

/** Annotations and the profiler's own spans only contain other slices. */
const isWork = (row: SumsRow): boolean => row.work_ns > 0 || row.self_ns === 0;

/** Rows of one name in several categories are one. The largest changes first. What only contains other slices is no work, and left
 * out. */
export function joined(before: SumsOfAllTracks, after: SumsOfAllTracks): Diff {
  const rows = new Map<string, DiffRow>();
  const put = ({ key, count, self_ns, total_ns }: SumsRow, side: "before" | "after"): void => {
    const known = rows.get(key) ?? { key, before: null, after: null, delta: 0 };
    const sum = known[side] ?? { count: 0, self: 0, total: 0 };
    known[side] = { count: sum.count + count, self: sum.self + self_ns, total: sum.total + total_ns };
    rows.set(key, known);
  };
  for (const row of before.rows) if (isWork(row)) put(row, "before");
  for (const row of after.rows) if (isWork(row)) put(row, "after");
  const all = [...rows.values()].map((row) => ({ ...row, delta: (row.after?.self ?? 0) - (row.before?.self ?? 0) }));
  return {
    rows: all.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || a.key.localeCompare(b.key)),
    before: before.all.work_ns,
    after: after.all.work_ns,
    leftOut: { before: before.left_out, after: after.left_out },
  };
}
