// Stable sorting with missing values always last, whichever way the rest goes.

export type Direction = "asc" | "desc";
export type Key = number | string | null | undefined;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export function compare(a: Key, b: Key, direction: Direction): number {
  const missingA = a === null || a === undefined || (typeof a === "number" && Number.isNaN(a));
  const missingB = b === null || b === undefined || (typeof b === "number" && Number.isNaN(b));
  if (missingA || missingB) return missingA && missingB ? 0 : missingA ? 1 : -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  return direction === "asc" ? order : -order;
}

export function sorted<T>(rows: readonly T[], key: (row: T) => Key, direction: Direction): T[] {
  return rows
    .map((row, index) => ({ row, index, key: key(row) }))
    .sort((a, b) => compare(a.key, b.key, direction) || a.index - b.index)
    .map((entry) => entry.row);
}

/** Every word of the filter must occur somewhere, ignoring case. */
export function matches(filter: string, text: string): boolean {
  const where = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}
