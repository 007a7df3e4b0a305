// Keeps the address and the timeline in step: moving replaces the entry of the history, choosing adds one.
import { useEffect } from "preact/hooks";
import { changed, go, grouped, here, href } from "../lib/route";
import { selectSlices } from "./slice";
import { readPlace, sliceText, writePlace } from "./url";
import type { Viewer } from "./viewer";

/** So long the timeline has to rest: browsers refuse to write addresses all the time, and the page is drawn again for each. */
const REST_MS = 250;
/** After so long it is written though the timeline moves on: a page that is loaded again comes back near where it was. */
const MOST_MS = 2000;

/** What is worth going back to. */
const chosen = (viewer: Viewer): string => viewer.selection.map((one) => sliceText(one.slice)).join();

export const useUrl = (viewer: Viewer): void => useEffect(() => keepAddress(viewer), [viewer]);

/** Reads the address, and writes it whenever the timeline has come to rest or moved on for long. Returns how to end that. */
export function keepAddress(viewer: Viewer, { restMs = REST_MS, mostMs = MOST_MS } = {}): () => void {
  const own = here().path;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = "";
  let seen = "";
  let movesSince = 0;
  // While what an address says is not all there, nothing is written over it.
  let isReading = false;
  const read = () => {
    const { path, query } = here();
    // What is gone back to is another page, which is about to be drawn.
    if (path !== own) return;
    const place = readPlace(query);
    isReading = true;
    viewer.apply(place);
    void selectSlices(viewer, place.selection).finally(() => {
      known = chosen(viewer);
      isReading = false;
    });
  };
  const addressNow = (): string => {
    const { path, query, hash } = here();
    return href(path, grouped(changed(query, writePlace(viewer.place)))) + hash;
  };
  const write = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    if (isReading || here().path !== own) return;
    const isMove = chosen(viewer) === known;
    known = chosen(viewer);
    go(addressNow(), isMove);
  };
  const look = () => {
    const address = addressNow();
    if (address === seen || Date.now() - movesSince >= mostMs) return write();
    seen = address;
    timer = setTimeout(look, restMs);
  };
  const later = () => {
    if (timer !== undefined) return;
    movesSince = Date.now();
    timer = setTimeout(look, restMs);
  };
  // A link leaves what is in sight at that moment. Nothing else may be written while a click is on its way: the page
  // would be drawn again, and a checkbox get back the state from before it.
  const leave = (event: MouseEvent) => {
    if ((event.target as Element).closest("a[href]")) write();
  };
  read();
  addEventListener("popstate", read);
  addEventListener("click", leave, true);
  const stop = viewer.onChange(later);
  return () => {
    clearTimeout(timer);
    removeEventListener("popstate", read);
    removeEventListener("click", leave, true);
    stop();
  };
}
