// What of the timeline stands in the address, so that a link shows what its sender saw.
import type { SliceRef, Window } from "./types";

export type Tool = "select" | "pan" | "zoom" | "time";
export const TOOLS: Tool[] = ["select", "pan", "zoom", "time"];
export const TABS = ["details", "area", "flame", "hits", "marks", "notes", "query", "diff"] as const;
export type Tab = (typeof TABS)[number];

/** How stacks are put together. */
export const STACKS = ["time", "heavy", "sandwich"] as const;
export type Stacks = (typeof STACKS)[number];
export const stacksIn = (query: URLSearchParams): Stacks => STACKS.find((one) => one === query.get("flame")) ?? "heavy";
export const stacksText = (stacks: Stacks): string | null => (stacks === "heavy" ? null : stacks);

/** More tracks than this the server does not take one by one. */
const MOST_TRACKS = 1000;

export type Area = { window: Window /** Null: all. */; tracks: number[] | null };

/** What can be asked for: of more tracks than the server takes it is an area of all. */
export const askable = ({ window, tracks }: Area): Area => ({
  window,
  tracks: tracks && tracks.length <= MOST_TRACKS ? tracks : null,
});

/** Null and empty: as it is at first. */
export type Place = {
  window: Window | null;
  selection: SliceRef[];
  area: Area | null;
  tool: Tool;
  tab: Tab | null;
  find: string;
  flows: string[];
  /** Kinds of marks; null: those that are drawn at first. */
  marks: string[] | null;
  pinned: number[];
  hidden: number[];
  toggled: string[];
  only: string;
  top: number;
};

const MOST_SELECTED = 50;
/** What is empty, but not as it is at first. */
const NONE = "none";

const whole = (text: string | undefined): number | null =>
  text !== undefined && /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
const natural = (text: string | undefined): number | null => {
  const value = whole(text);
  return value !== null && value >= 0 ? value : null;
};
const list = (text: string | null): string[] => (text ? text.split(",").filter(Boolean) : []);
const numbers = (text: string | null): number[] => list(text).flatMap((one) => natural(one) ?? []);

function windowIn(text: string | undefined, end: string | undefined): Window | null {
  const [from, to] = [whole(text), whole(end)];
  return from !== null && to !== null && to > from ? { begin: from, end: to } : null;
}

/** What an address says; what is not understood of it is left out. */
export function readPlace(query: URLSearchParams): Place {
  const selection = list(query.get("s")).flatMap((one) => {
    const [track, chunk, index, ...more] = one.split(".").map(natural);
    return track !== null &&
      track !== undefined &&
      chunk !== null &&
      chunk !== undefined &&
      index !== null &&
      index !== undefined &&
      !more.length
      ? [{ track, chunk, index }]
      : [];
  });
  const [t0, t1] = (query.get("t") ?? "").split(":");
  const [a0, a1, tracks] = (query.get("a") ?? "").split(":");
  const area = windowIn(a0, a1);
  const tab = query.get("tab") as Tab | null;
  return {
    window: windowIn(t0, t1),
    selection: selection.slice(0, MOST_SELECTED),
    area: area && askable({ window: area, tracks: tracks === undefined ? null : numbers(tracks) }),
    tool: TOOLS[Number(query.get("tool") ?? "1") - 1] ?? "select",
    tab: tab && TABS.includes(tab) ? tab : null,
    find: query.get("q") ?? "",
    flows: list(query.get("fl")),
    marks: query.has("marks") ? list(query.get("marks")).filter((one) => one !== NONE) : null,
    pinned: numbers(query.get("pinned")),
    hidden: numbers(query.get("hide")),
    toggled: query.getAll("shut"),
    only: query.get("only") ?? "",
    top: natural(query.get("y") ?? undefined) ?? 0,
  };
}

export const sliceText = ({ track, chunk, index }: SliceRef): string => `${track}.${chunk}.${index}`;

/** As `changed` of lib/route takes it. */
export function writePlace(place: Place): Record<string, string | string[] | null> {
  const windowText = ({ begin, end }: Window): string => `${Math.floor(begin)}:${Math.ceil(end)}`;
  return {
    t: place.window && windowText(place.window),
    s: place.selection.slice(0, MOST_SELECTED).map(sliceText).join(","),
    a: place.area && windowText(place.area.window) + (place.area.tracks ? `:${place.area.tracks.join(",")}` : ""),
    tool: place.tool === "select" ? null : String(TOOLS.indexOf(place.tool) + 1),
    tab: place.tab,
    q: place.find,
    fl: place.flows.join(","),
    marks: place.marks && (place.marks.join(",") || NONE),
    pinned: place.pinned.join(","),
    hide: place.hidden.join(","),
    shut: place.toggled,
    only: place.only,
    y: place.top ? String(Math.round(place.top)) : null,
  };
}
