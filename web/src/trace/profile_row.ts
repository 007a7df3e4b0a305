// From a slice to the row of its result's profile that sums up all slices of its name.
import type { TraceReport } from "../api/trace";
import type { Side } from "./types";

/** The filter of a profile's page is words; of more letters addresses become too long. */
const MOST_LETTERS = 500;

/** Which part of the page it is in, and what filters its table for it; null where the report does not list the name. */
export function profileRow(
  report: TraceReport,
  name: string,
  side: Side,
): { section: string; query: Record<string, string> } | null {
  const words = name.slice(0, MOST_LETTERS);
  const isIn = (rows: readonly { name: string }[] | undefined): boolean =>
    rows?.some((row) => row.name === name) ?? false;
  if (side === "device") return isIn(report.kernels?.by_name) ? { section: "device", query: { kernel: words } } : null;
  return isIn(report.operators?.by_name) ? { section: "operators", query: { slice: words } } : null;
}
