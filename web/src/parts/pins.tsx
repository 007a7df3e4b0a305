// Nights that were pinned, in a chart or a list: two of them make a comparison.
import { address } from "../api/address";
import type { Run, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { compareHref, inOrder } from "../lib/compare";
import { runName } from "../lib/format";
import { usePlainKeys } from "../lib/hooks";
import { changed, go, grouped, here, href, usePlace } from "../lib/route";

/** The pinned runs' ids, as the address has them: two at most. */
export function pinned(query: URLSearchParams): string[] {
  return query
    .getAll("pin")
    .filter((id) => /^\d+$/.test(id))
    .slice(-2);
}

/** What is pinned once `run` was pinned too, or again: of three, the first one goes. */
export function pinsWith(pins: readonly string[], run: string): string[] {
  return pins.includes(run) ? pins.filter((id) => id !== run) : [...pins, run].slice(-2);
}

/** Pins a night, or lets it go. */
export function togglePin(run: Pick<RunRef, "id">): void {
  const now = here();
  setPins(pinsWith(pinned(now.query), String(run.id)));
}

function setPins(pins: string[]): void {
  const now = here();
  go(href(now.path, grouped(changed(now.query, { pin: pins }))) + now.hash, true);
}

/** On a model's page the comparison is of that model. */
function modelOf(path: string): string | null {
  const parts = path.split("/");
  if (parts[1] !== "models" || parts.length !== 4) return null;
  try {
    return decodeURIComponent(parts[3] as string);
  } catch {
    return null;
  }
}

export function PinBar() {
  const { path, query } = usePlace();
  const pins = pinned(query);
  const first = useApi(pins[0] ? address("/runs/{run}", { run: pins[0] }) : null);
  const second = useApi(pins[1] ? address("/runs/{run}", { run: pins[1] }) : null);
  const [left, right] = first.data && second.data ? inOrder(first.data, second.data) : [first.data, second.data];

  usePlainKeys((event) => {
    if (event.key !== "c") return;
    // What was pinned goes before what the page offers.
    const link =
      document.querySelector<HTMLAnchorElement>(".pin-bar [data-compare]") ??
      document.querySelector<HTMLAnchorElement>("[data-compare]");
    link?.click();
  });

  if (!pins.length) return null;
  const name = (run: Run | null, id: string | undefined, error: unknown) =>
    run ? <span class="mono">{runName(run)}</span> : <span class="quiet">{error ? `no run ${id}` : "…"}</span>;
  return (
    <aside class="pin-bar" aria-label="Pinned nights">
      <span>
        <span class="quiet">left:</span> {name(left, pins[0], first.error)}
      </span>
      <span>
        <span class="quiet">right:</span>{" "}
        {pins[1] ? name(right, pins[1], second.error) : <span class="quiet">pin another night: click it, or p</span>}
      </span>
      {left && right && (
        <a class="button" data-compare href={compareHref(left, right, { q: modelOf(path) })}>
          Compare <kbd>c</kbd>
        </a>
      )}
      <button type="button" class="button" onClick={() => setPins([])} aria-label="Let the pinned nights go">
        ✕
      </button>
    </aside>
  );
}
