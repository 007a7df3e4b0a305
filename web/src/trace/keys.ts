// The keys of the timeline. Held ones move it as long as they are down.
import { useLayoutEffect } from "preact/hooks";
import { ask } from "../api/client";
import { claimKeys, claimedKey, isTyping } from "../lib/keys";
import { here, setQuery } from "../lib/route";
import { itemAt, neighbour } from "./hit";
import { lanesIn, trackKey, trackLanes } from "./layout";
import { goToFinding, shownFindings } from "./marks";
import { type SliceFlow, choose, chooseSlice, sliceUrl } from "./slice";
import { speak } from "./spoken";
import type { Item } from "./types";
import { STACKS, type Stacks, TOOLS, type Tab, stacksIn, stacksText } from "./url";
import { roundedOut, spanOf, type Viewer } from "./viewer";
import { timeOf } from "./view";

/** `keys` as events name them; `shown` in the list of keys, where an entry stands for all of them. `run` says whether it meant
 * something; without it held keys move (MOVES), or the key means the same
 * everywhere and has another name here. */
type Binding = { keys: string[]; shown: string; words: string; run?: (viewer: Viewer, key: string) => boolean | void };

const SHIFTED_DIGIT: Record<string, string> = { "!": "1", "@": "2", "#": "3", $: "4" };

const BINDINGS: Binding[] = [
  { keys: ["w", "W", "s", "S"], shown: "w s", words: "zoom in and out at the pointer; Shift: faster" },
  {
    keys: ["a", "A", "d", "D", "ArrowLeft", "ArrowRight"],
    shown: "a d",
    words: "move left and right; Shift: faster; also ← →",
  },
  {
    keys: ["1", "2", "3", "4", "!", "@", "#", "$"],
    shown: "1 2 3 4",
    words: "tool: select, pan, zoom, measure; also ! @ # $",
    run: (viewer, key) => viewer.setTool(TOOLS[Number(SHIFTED_DIGIT[key] ?? key) - 1] ?? "select"),
  },
  {
    keys: [" "],
    shown: "Space",
    words: "held: pan, whatever the tool is",
    run: (viewer) => void (viewer.isPanHeld = true),
  },
  {
    keys: ["f"],
    shown: "f",
    words: "fit the selection, or else the area, or else everything",
    run: (viewer) => viewer.fitChosen(),
  },
  { keys: ["0"], shown: "0", words: "the whole trace", run: (viewer) => viewer.fitAll() },
  {
    keys: ["m"],
    shown: "m",
    words: "measure the selection; again: take the mark away",
    run: (viewer) => viewer.markSelection(),
  },
  {
    keys: ["r"],
    shown: "r",
    words: "the selection or the measured interval as an area with its sums",
    run: areaOfChosen,
  },
  {
    keys: [".", ","],
    shown: ". ,",
    words: "next and previous slice of the row",
    run: (viewer, key) => step(viewer, key === "." ? 1 : -1),
  },
  {
    keys: ["ArrowUp", "ArrowDown"],
    shown: "↑ ↓",
    words: "what is around the slice, and within it; then the next track",
    run: (viewer, key) => climb(viewer, key === "ArrowUp" ? -1 : 1),
  },
  {
    keys: ["/"],
    shown: "/",
    words: "find a name in the whole trace",
    run: () => document.querySelector<HTMLInputElement>(".trace-find input")?.select(),
  },
  {
    keys: ["n", "N"],
    shown: "n N",
    words: "next and previous hit",
    run: (viewer, key) => void viewer.finder.go(key === "n" ? "next" : "previous"),
  },
  {
    keys: ["[", "]"],
    shown: "[ ]",
    words: "along an arrow of the slice, back and forward; with Alt: its other arrows in turn",
    run: (viewer, key) => void follow(viewer, key === "[" ? "back" : "forward"),
  },
  {
    keys: ["l"],
    shown: "l",
    words: "arrows of all kinds on and off",
    run: (viewer) =>
      viewer.setFlows(viewer.flows.length ? [] : [...new Set(viewer.info.flow_kinds.map((one) => one.kind))]),
  },
  {
    keys: ["M"],
    shown: "M",
    words: "keep what is measured, or selected, as a note",
    run: (viewer) => openField(viewer, "notes", "trace-note"),
  },
  {
    keys: ["b", "B"],
    shown: "b B",
    words: "next and previous mark or note",
    run: (viewer, key) => nextMark(viewer, key === "b" ? 1 : -1),
  },
  { keys: ["v"], shown: "v", words: "next view of the stacks", run: nextStacks },
  { keys: [":"], shown: ":", words: "ask in SQL", run: (viewer) => openField(viewer, "query", "trace-sql") },
  {
    keys: ["c"],
    shown: "c",
    words: "another trace beside this one",
    run: () => document.querySelector<HTMLElement>(".trace-compare button")?.click(),
  },
  {
    keys: ["Enter"],
    shown: "Enter",
    words: "details; again: zoom to it",
    run: (viewer) => (viewer.focus && viewer.tab === "details" ? viewer.fitChosen() : viewer.setTab("details")),
  },
  {
    keys: ["j", "k"],
    shown: "j k",
    words: "next and previous track",
    run: (viewer, key) => changeTrack(viewer, key === "j" ? 1 : -1),
  },
  { keys: ["p"], shown: "p", words: "pin the track at the top", run: ofTrack((viewer, track) => viewer.pin(track)) },
  { keys: ["h"], shown: "h", words: "hide the track", run: ofTrack((viewer, track) => viewer.hide(track)) },
  {
    keys: ["H"],
    shown: "H",
    words: "show all hidden tracks",
    run: (viewer) => viewer.setLayout({ hidden: new Set() }),
  },
  {
    keys: ["x"],
    shown: "x",
    words: "open or close the track",
    run: ofTrack((viewer, number) => viewer.toggle(trackKey({ number }))),
  },
  { keys: ["X"], shown: "X", words: "open or close all tracks", run: (viewer) => viewer.toggleAll() },
  {
    keys: ["q"],
    shown: "q",
    words: "open or close what is below",
    run: (viewer) => viewer.setTab(viewer.tab ? null : "details"),
  },
  { keys: [], shown: "y", words: "copy the page as Markdown" },
  {
    keys: ["Escape"],
    shown: "Esc",
    words: "take back the mark, the area, the selection",
    run: (viewer) => viewer.clear(),
  },
];

const RUNS = new Map(BINDINGS.flatMap(({ keys, run }) => keys.map((key) => [key, run] as const)));

/** Each frame so much nearer, and so many pixels, while a key is held. */
const ZOOM_A_SECOND = 9;
const PAN_A_SECOND = 1400;
const FASTER = 3;
/** What a short press does at least. */
const ZOOM_A_PRESS = 1.35;
const PAN_A_PRESS_PX = 90;

const MOVES: Record<string, { zoom: number; pan: number }> = {
  KeyW: { zoom: 1, pan: 0 },
  KeyS: { zoom: -1, pan: 0 },
  KeyA: { zoom: 0, pan: -1 },
  KeyD: { zoom: 0, pan: 1 },
  ArrowLeft: { zoom: 0, pan: -1 },
  ArrowRight: { zoom: 0, pan: 1 },
};
const MOVE_CODES: Record<string, string> = {
  w: "KeyW",
  s: "KeyS",
  a: "KeyA",
  d: "KeyD",
  arrowleft: "ArrowLeft",
  arrowright: "ArrowRight",
};

export function useKeys(viewer: Viewer): void {
  useLayoutEffect(() => {
    const giveBack = claimKeys(
      new Set(RUNS.keys()),
      BINDINGS.map(({ shown, words }) => [shown, words]),
    );
    const held = new Set<string>();
    let isFast = false;
    let frame = 0;
    let last = 0;
    const zoomX = () => viewer.pointer?.x ?? viewer.view.width / 2;

    const move = (now: number) => {
      const seconds = Math.min(0.05, (now - last) / 1000);
      last = now;
      let zoom = 0;
      let pan = 0;
      for (const code of held) {
        zoom += MOVES[code]?.zoom ?? 0;
        pan += MOVES[code]?.pan ?? 0;
      }
      const fast = isFast ? FASTER : 1;
      if (zoom) viewer.zoom(ZOOM_A_SECOND ** (zoom * seconds * fast), zoomX());
      if (pan) viewer.pan(pan * PAN_A_SECOND * seconds * fast);
      frame = held.size ? requestAnimationFrame(move) : 0;
    };
    /** The first press is a step at once; held on, it goes on evenly. */
    const press = (code: string) => {
      const { zoom, pan } = MOVES[code] as { zoom: number; pan: number };
      const fast = isFast ? FASTER : 1;
      if (zoom) viewer.zoom(ZOOM_A_PRESS ** (zoom * fast), zoomX(), true);
      if (pan) viewer.pan(pan * PAN_A_PRESS_PX * fast, true);
    };

    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || document.querySelector("dialog[open]")) return;
      if (event.key === "Shift") isFast = true;
      if (event.altKey && !event.ctrlKey && !event.metaKey && (event.key === "[" || event.key === "]")) {
        event.preventDefault();
        void follow(viewer, event.key === "[" ? "back" : "forward", true);
        return;
      }
      if (!claimedKey(event) || isElsewhere(event)) return;
      isFast = event.shiftKey;
      const code = MOVE_CODES[event.key.toLowerCase()];
      if (code) {
        event.preventDefault();
        if (event.repeat) {
          if (!held.has(code)) {
            held.add(code);
            if (!frame) {
              last = performance.now();
              frame = requestAnimationFrame(move);
            }
          }
        } else press(code);
        return;
      }
      if (RUNS.get(event.key)?.(viewer, event.key) !== false) event.preventDefault();
    };
    const onUp = (event: KeyboardEvent) => {
      if (event.key === "Shift") isFast = false;
      if (event.key === " ") viewer.isPanHeld = false;
      held.delete(event.code);
      held.delete(MOVE_CODES[event.key.toLowerCase()] ?? "");
    };
    const onBlur = () => {
      held.clear();
      viewer.isPanHeld = false;
    };
    addEventListener("keydown", onKey);
    addEventListener("keyup", onUp);
    addEventListener("blur", onBlur);
    return () => {
      giveBack();
      cancelAnimationFrame(frame);
      removeEventListener("keydown", onKey);
      removeEventListener("keyup", onUp);
      removeEventListener("blur", onBlur);
    };
  }, [viewer]);
}

/** Buttons, tabs and boxes that scroll keep the keys that are theirs. */
function isElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as Element | null;
  if (!target || target === document.body || target.closest(".trace-over") || target.id === "main") return false;
  if (event.key.startsWith("Arrow")) return true;
  return (event.key === "Enter" || event.key === " ") && !!target.closest("button, a, summary, [role=tab], input");
}

function ofTrack(run: (viewer: Viewer, track: number) => void): (viewer: Viewer) => void {
  return (viewer) => {
    if (viewer.focusTrack !== null) run(viewer, viewer.focusTrack);
  };
}

function areaOfChosen(viewer: Viewer): void {
  const window = viewer.mark ?? spanOf(viewer.selection);
  if (window)
    viewer.setArea({
      window: roundedOut(window),
      tracks: viewer.mark ? null : [...new Set(viewer.selection.map((one) => one.track))],
    });
}

function openField(viewer: Viewer, tab: Tab, id: string): void {
  viewer.setTab(tab);
  // The field is there two pictures later.
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));
}

function nextStacks(viewer: Viewer): void {
  if (viewer.tab !== "flame") return viewer.setTab("flame");
  const at = STACKS.indexOf(stacksIn(here().query));
  setQuery({ flame: stacksText(STACKS[(at + 1) % STACKS.length] as Stacks) }, true);
}

/** The slice in the middle of the first track in sight: where keys begin that need one. */
function firstItem(viewer: Viewer): Item | null {
  for (const lane of lanesIn(viewer.layout.lanes, viewer.top, viewer.top + viewer.height)) {
    if (lane.kind !== "track") continue;
    const time = timeOf(viewer.view, viewer.view.width / 2);
    const item = itemAt(viewer.sight, viewer.tiles, lane.track.number, 0, time, viewer.view.width);
    if (item) return item;
  }
  return null;
}

function go(viewer: Viewer, item: Item | null): void {
  if (item) choose(viewer, item);
}

function step(viewer: Viewer, direction: 1 | -1): void {
  const { focus } = viewer;
  if (!focus) return go(viewer, firstItem(viewer));
  const next = neighbour(viewer.sight, viewer.tiles, focus, direction);
  if (next) choose(viewer, next);
  else viewer.say(direction > 0 ? "the last slice of its row" : "the first slice of its row");
}

/** Goes along an arrow of the focus. `isOther`: along its next one. */
async function follow(viewer: Viewer, direction: SliceFlow["direction"], isOther = false): Promise<void> {
  const { lastWay } = viewer;
  const from = isOther && lastWay ? lastWay.slice : viewer.focus?.slice;
  if (!from) return viewer.say("select a slice first");
  try {
    const { data } = await ask(sliceUrl(viewer, from));
    const ways = data.flows.filter((flow) => flow.direction === direction && flow.slice);
    if (!ways.length)
      return viewer.say(direction === "back" ? "no arrow comes from anywhere" : "no arrow leads anywhere");
    const turn = isOther && lastWay && lastWay.direction === direction ? (lastWay.turn + 1) % ways.length : 0;
    viewer.lastWay = { slice: from, direction, turn };
    const { slice } = ways[turn] as SliceFlow;
    if (slice) chooseSlice(viewer, slice);
  } catch {
    viewer.say("the server does not say where its arrows lead");
  }
}

/** The next note or finding that is drawn. */
function nextMark(viewer: Viewer, direction: 1 | -1): void {
  const all = [...viewer.notes, ...shownFindings(viewer)];
  const marks = all.sort((a, b) => (a.begin - b.begin) * direction);
  const middle = viewer.target.begin + (viewer.target.width * viewer.target.nsPerPx) / 2;
  const next =
    marks.find((one) => ((one.begin + one.end) / 2 - middle) * direction > viewer.target.nsPerPx) ?? marks[0];
  if (next) goToFinding(viewer, next);
  else viewer.say("there are no marks");
}

/** To the parent, or to the first child; beyond them to the next track. */
function climb(viewer: Viewer, direction: 1 | -1): void {
  const { focus } = viewer;
  if (!focus) return go(viewer, firstItem(viewer));
  const row = focus.row + direction;
  if (row >= 0) {
    const { sight, tiles } = viewer;
    // A child begins where its parent does, or later: what is next after that begin and still within it.
    const at = itemAt(sight, tiles, focus.track, row, focus.begin);
    const found = direction < 0 ? at : (at ?? childOf(viewer, focus, row));
    if (found && (direction < 0 || found.begin < focus.end || found.begin === focus.begin))
      return choose(viewer, found);
  }
  changeTrack(viewer, direction);
}

function childOf(viewer: Viewer, parent: Item, row: number): Item | null {
  const before: Item = { ...parent, row, end: parent.begin, slice: { ...parent.slice, chunk: -1, index: -1 } };
  const next = neighbour(viewer.sight, viewer.tiles, before, 1);
  return next && next.begin < parent.end ? next : null;
}

function changeTrack(viewer: Viewer, direction: 1 | -1): void {
  const lanes = trackLanes(viewer.layout);
  const { focus } = viewer;
  const own = focus ? lanes.findIndex((one) => one.track.number === focus.track) : -1;
  const time = focus ? (focus.begin + focus.end) / 2 : timeOf(viewer.view, viewer.view.width / 2);
  for (let at = own + direction; at >= 0 && at < lanes.length; at += direction) {
    const lane = lanes[at];
    if (!lane) return;
    const item =
      itemAt(viewer.sight, viewer.tiles, lane.track.number, 0, time, viewer.view.width) ??
      (lane.track.span ? itemAt(viewer.sight, viewer.tiles, lane.track.number, 0, lane.track.span.begin, 1) : null);
    if (item) {
      choose(viewer, item);
      return;
    }
  }
  if (focus) speak(viewer, focus);
}
