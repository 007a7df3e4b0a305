// Keeps the address and the timeline in step: moving replaces the entry of the history, choosing adds one.
import { useEffect } from "preact/hooks";
import { changed, grouped, here, href } from "../lib/route";
import { selectSlices } from "./slice";
import { readPlace, sliceText, writePlace } from "./url";
import type { Viewer } from "./viewer";

const EVERY_MS = 250;

/** What is worth going back to. */
const chosen = (viewer: Viewer): string => viewer.selection.map((one) => sliceText(one.slice)).join();

export function useUrl(viewer: Viewer): void {
  useEffect(() => {
    let timer = 0;
    let known = "";
    // While what an address says is not all there, nothing is written over it.
    let isReading = false;
    const read = () => {
      const place = readPlace(here().query);
      isReading = true;
      viewer.apply(place);
      void selectSlices(viewer, place.selection).finally(() => {
        known = chosen(viewer);
        isReading = false;
      });
    };
    const write = () => {
      timer = 0;
      const now = here();
      if (isReading || !now.path.startsWith("/trace/")) return;
      const address = href(now.path, grouped(changed(now.query, writePlace(viewer.place)))) + now.hash;
      if (address === now.path + location.search + now.hash) return;
      const isChoice = chosen(viewer) !== known;
      known = chosen(viewer);
      if (isChoice) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    };
    const later = () => {
      if (!timer) timer = window.setTimeout(write, EVERY_MS);
    };
    read();
    addEventListener("popstate", read);
    const stop = viewer.onChange(later);
    return () => {
      clearTimeout(timer);
      removeEventListener("popstate", read);
      stop();
    };
  }, [viewer]);
}
