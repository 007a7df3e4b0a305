// Names that were looked for, over the whole trace: what fits, where, and from one to the next.
import { type ApiError, asApiError, ask } from "../api/client";
import type { components } from "../api/openapi";
import { traceUrl } from "./info";
import { type Chooser, chooseSlice } from "./slice";
import type { Item } from "./types";
import type { View } from "./view";

export type Found = components["schemas"]["TraceFound"];
type Next = components["schemas"]["TraceNext"];

const DEBOUNCE_MS = 120;
const MOST_LABELS = 1000;

/** What shows the trace that is searched. */
export type Searched = Chooser & {
  readonly focus: Item | null;
  readonly view: View;
  readonly end: number;
  changed(what: "slices" | "overlay"): void;
};

/** What is looked for and what was found; `labels`: of the slices that stand out. */
export class Finder {
  text = "";
  found: Found | null = null;
  /** What `found` answers. */
  answered = "";
  error: ApiError | null = null;
  labels: ReadonlySet<number> | null = null;
  private going: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private controller: AbortController | null = null;

  constructor(private readonly viewer: Searched) {}

  get isLate(): boolean {
    return this.text.trim() !== "" && this.answered !== this.text.trim() && !this.error;
  }

  set(text: string, isNow = false): void {
    this.text = text;
    this.error = null;
    clearTimeout(this.timer);
    this.controller?.abort();
    const wanted = text.trim();
    if (!wanted) {
      this.found = null;
      this.answered = "";
      this.labels = null;
    } else if (wanted !== this.answered) {
      this.timer = setTimeout(() => void this.ask(wanted), isNow ? 0 : DEBOUNCE_MS);
    }
    this.viewer.changed("slices");
  }

  /** Of all names that were found, as a table. */
  get csvUrl(): string {
    return traceUrl(this.viewer.info, "find", { q: this.answered, limit: MOST_LABELS, format: "csv" });
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  private async ask(wanted: string): Promise<void> {
    clearTimeout(this.timer);
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    const url = traceUrl(this.viewer.info, "find", { q: wanted, limit: MOST_LABELS });
    try {
      const { data } = await ask(url, controller.signal);
      if (controller.signal.aborted) return;
      this.found = data;
      this.answered = wanted;
      this.labels = new Set(data.labels.map((one) => one.label));
    } catch (error) {
      if (controller.signal.aborted) return;
      this.error = asApiError(error, url);
      this.answered = "";
      this.found = null;
      this.labels = null;
    }
    this.viewer.changed("slices");
  }

  /** Goes to the next hit after (or before) the focus, else after the left edge of the window; from the last to the first.
   * Steps that are asked for quickly come one after the other, each from where the one before led. */
  go(direction: "next" | "previous"): Promise<void> {
    this.going = this.going.then(() => this.step(direction));
    return this.going;
  }

  private async step(direction: "next" | "previous"): Promise<void> {
    const { viewer } = this;
    const answered = this.text.trim();
    if (answered && answered !== this.answered) await this.ask(answered);
    // It was not answered, or something else is looked for by now.
    if (!answered || answered !== this.answered) return;
    const { info, focus, view } = viewer;
    const nextFrom = async (query: Record<string, number>): Promise<Next["slice"]> =>
      (await ask(traceUrl(info, "next", { q: answered, direction, ...query }))).data.slice;
    const edge = Math.round(direction === "next" ? view.begin : view.begin + view.width * view.nsPerPx);
    try {
      let slice = await nextFrom(
        focus
          ? { from: focus.begin, thread: focus.slice.track, chunk: focus.slice.chunk, index: focus.slice.index }
          : { from: edge },
      );
      if (!slice) {
        slice = await nextFrom({ from: direction === "next" ? 0 : Math.ceil(viewer.end) });
        if (slice) viewer.say(direction === "next" ? "from the beginning again" : "from the end again");
      }
      if (slice) chooseSlice(viewer, slice);
    } catch (error) {
      this.error = asApiError(error, "");
      viewer.changed("overlay");
    }
  }
}

/** A name to the letter, as what is looked for. */
export const exactly = (name: string): string => `"${name.replaceAll('"', '""')}"`;
