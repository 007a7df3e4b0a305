// What the views of Explore have in common: what can be taken along.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Asked } from "../lib/explore";

/** What a view gives for taking along: the drawing as in a file, and the same numbers from the server. */
export type Taken = { name: string; picture: (address: string) => ComponentChildren; json: string; csv: string };
export type ViewProps = { asked: Asked; onTaken: (taken: Taken | null) => void };

/** Tells the page what can be taken along, and that nothing can once the view is gone. */
export function useTaken(taken: Taken | null, onTaken: (taken: Taken | null) => void): void {
  useEffect(() => {
    onTaken(taken);
    return () => onTaken(null);
  }, [taken]);
}
