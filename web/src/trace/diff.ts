// Two traces on one axis: what each name costs in one and in the other.
import type { SumsRow } from "./area";

export type DiffRow = { key: string; before: { count: number; self: number; total: number } | null; after: { count: number; self: number; total: number } | null; /** ns of self time: after − before. */ delta: number };
export type Diff = { rows: DiffRow[]; before: number; after: number };

const sideOf = ({ count, self_ns, total_ns }: SumsRow) => ({ count, self: self_ns, total: total_ns });

/** Rows of one name in several categories are one. The largest changes first. The profiler's own spans are as long as the
 * trace, and no work. */
export function joined(before: readonly SumsRow[], after: readonly SumsRow[]): Diff {
  const rows = new Map<string, DiffRow>();
  const put = (row: SumsRow, side: "before" | "after"): void => {
    if (row.class === "profiler") return;
    const known = rows.get(row.key) ?? { key: row.key, before: null, after: null, delta: 0 };
    const own = sideOf(row);
    const sum = known[side];
    known[side] = sum ? { count: sum.count + own.count, self: sum.self + own.self, total: sum.total + own.total } : own;
    rows.set(row.key, known);
  };
  for (const row of before) put(row, "before");
  for (const row of after) put(row, "after");
  const all = [...rows.values()].map((row) => ({ ...row, delta: (row.after?.self ?? 0) - (row.before?.self ?? 0) }));
  const sum = (side: "before" | "after") => all.reduce((total, row) => total + (row[side]?.self ?? 0), 0);
  return { rows: all.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || a.key.localeCompare(b.key)), before: sum("before"), after: sum("after") };
}
