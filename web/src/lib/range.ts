// The zoom of charts in the address: from-to in seconds.
import type { Range } from "../parts/chart";

export function readRange(text: string | null): Range {
  const found = /^(\d+)-(\d+)$/.exec(text ?? "");
  return found && Number(found[1]) < Number(found[2]) ? { from: Number(found[1]), to: Number(found[2]) } : null;
}

export const writeRange = (range: Range): string | null => (range ? `${range.from}-${range.to}` : null);
