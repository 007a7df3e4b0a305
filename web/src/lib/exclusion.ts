// Which nights one may want to leave out when one looks at an alert.
import type { Alert, RunRef } from "../api/types";

/** An event that lasts longer than that is no disturbance: only its first night is offered. */
const MOST_NIGHTS = 10;

/** From the night on which an alert began to the last before it was over, or, while it goes on, to the newest. `runs`: of its
 * accelerator model, newest first. */
export function firstRange(
  { onset, closed }: Pick<Alert["details"], "onset" | "closed">,
  runs: readonly RunRef[] | undefined,
): { first: string; last: string } | null {
  if (!runs) return null;
  const began = runs.findIndex((run) => run.id === onset.id);
  const first = String(onset.id);
  const ended = closed ? runs.findIndex((run) => run.id === closed.id) + 1 : 0;
  const last = began - ended < MOST_NIGHTS ? runs[Math.min(ended, began)] : undefined;
  return { first, last: last ? String(last.id) : first };
}
