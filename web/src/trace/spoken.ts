// What is said of a slice to those who do not see it.
import { count } from "../lib/format";
import { trackTitle } from "./layout";
import type { LabelStore } from "./labels";
import { exactPlace, spanText } from "./time";
import type { Item, Track } from "./types";

/** What knows the names of what it shows, and speaks. */
export type Speaker = { labels: LabelStore; tracks: ReadonlyMap<number, Track>; say(text: string): void };

/** How long, and when. The place has as many decimals as tell it from its neighbours. */
export const itemWords = (item: Item): { size: string; at: string } => {
  const span = item.end - item.begin;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, span))) - 1);
  return { size: spanText(span), at: exactPlace(item.begin, Math.min(1000, step)) };
};

export const nameOf = (viewer: Speaker, item: Item): string | null =>
  item.name ?? viewer.labels.get(item.label)?.name ?? null;

export function sentence(viewer: Speaker, item: Item): string {
  const { size, at } = itemWords(item);
  const name = nameOf(viewer, item) ?? "name not there yet";
  const track = viewer.tracks.get(item.track);
  const what = item.count > 1 ? `${count(item.count)} slices, the longest ${name}` : name;
  return `${what}, ${size} at ${at}, ${track ? trackTitle(track) : "unknown track"}${track?.isDerived ? ", derived" : ""}, row ${item.row + 1} of ${track?.rows ?? 1}`;
}

export const speak = (viewer: Speaker, item: Item): void => viewer.say(sentence(viewer, item));
