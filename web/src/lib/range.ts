// The zoom of charts in the address: from-to in seconds.
import { useQuery } from "./route";

export type Range = { from: number; to: number } | null;

export function readRange(text: string | null): Range {
  const found = /^(\d+)-(\d+)$/.exec(text ?? "");
  return found && Number(found[1]) < Number(found[2]) ? { from: Number(found[1]), to: Number(found[2]) } : null;
}

export const writeRange = (range: Range): string | null => (range ? `${range.from}-${range.to}` : null);

/** The zoom of the page's charts, and how to set it. */
export function useRange(): [Range, (range: Range) => void] {
  const [query, setQuery] = useQuery();
  return [readRange(query.get("range")), (range) => setQuery({ range: writeRange(range) }, true)];
}
