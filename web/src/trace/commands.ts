// What the palette offers on this page: the timeline's commands, and its tracks by name.
import { useMemo } from "preact/hooks";
import { usePageCommands } from "../lib/page_commands";
import type { SearchCommand } from "../lib/tab";
import { trackTitle } from "./layout";
import type { Tab } from "./url";
import type { Viewer } from "./viewer";

/** More tracks than this are found by the filter of tracks. */
const MOST_TRACKS = 500;

function commandsOf(viewer: Viewer, tabs: { tab: Tab; title: string }[]): SearchCommand[] {
  const tracks = viewer.sections.flatMap((section) => section.tracks.map((track) => ({ section, track })));
  return [
    { name: "Show the whole trace", key: "0", words: "timeline zoom fit", run: () => viewer.fitAll() },
    { name: "Fit the selection", key: "f", words: "timeline zoom", run: () => viewer.fitChosen() },
    { name: "Measure the selection", key: "m", words: "timeline mark duration", run: () => viewer.markSelection() },
    { name: "Open or close all tracks", key: "X", words: "timeline collapse expand", run: () => viewer.toggleAll() },
    {
      name: "Show all hidden tracks",
      key: "H",
      words: "timeline",
      run: () => viewer.setLayout({ hidden: new Set(), only: "" }),
    },
    ...tabs.map(({ tab, title }) => ({
      name: `Open ${title}`,
      key: "",
      words: "timeline tab",
      run: () => viewer.setTab(tab),
    })),
    ...tracks.slice(0, MOST_TRACKS).map(({ section, track }) => ({
      name: `Track ${trackTitle(track)}`,
      key: "",
      words: `${section.title} timeline ${track.tid}`,
      run: () => viewer.showTrack(track.number),
    })),
  ];
}

export function useCommands(viewer: Viewer, tabs: { tab: Tab; title: string }[]): void {
  const names = tabs.map((one) => one.title).join();
  usePageCommands(useMemo(() => commandsOf(viewer, tabs), [viewer, names]));
}
