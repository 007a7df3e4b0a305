// What wheel, mouse, pen and fingers do on the picture of the tracks.
import { count, digits } from "../lib/format";
import { percent } from "../lib/profile";
import { busyAt, valueAt } from "./events";
import { hit, inRect, snapped } from "./hit";
import type { TraceCounter, TraceDevice } from "./info";
import { BUSY_TITLE, counterTitle, laneAt } from "./layout";
import { type Finding, MARKS, findingAt } from "./marks";
import { speak } from "./spoken";
import { spanText } from "./time";
import type { Window } from "./types";
import { timeOf, xOf } from "./view";
import type { HoverPoint, Viewer } from "./viewer";

const CLICK_PX = 4;
const MOST_IN_RECT = 2000;
/** Outlines of more hide what they are around. */
const MOST_OUTLINED = 50;
const WHEEL_ZOOM = 0.0022;

const placeIn = (canvas: HTMLElement, event: { clientX: number; clientY: number }): { x: number; y: number } => {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
};

/** The wheel over `box`, which scrolls, and the picture in it. Returns how to end that. */
export function onWheelOf(viewer: Viewer, box: HTMLElement, canvas: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? viewer.height : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      // A pinch on a touchpad comes as a wheel with small steps.
      viewer.zoom(
        Math.exp(-event.deltaY * scale * (Math.abs(event.deltaY) < 10 ? 4 : 1) * WHEEL_ZOOM),
        placeIn(canvas, event).x,
      );
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      viewer.pan((event.deltaX || event.deltaY) * scale);
    }
  };
  box.addEventListener("wheel", onWheel, { passive: false });
  return () => box.removeEventListener("wheel", onWheel);
}

/** What a counter was at a moment; null where that is not known, or before its first value. */
function counterAt(viewer: Viewer, counter: TraceCounter, time: number): HoverPoint | null {
  const values = viewer.events.counter(counter.number);
  const value = values && valueAt(values, time);
  if (value === null) return null;
  // As fine as a pixel is.
  const step = Math.max(1, 10 ** Math.floor(Math.log10(viewer.view.nsPerPx)));
  return {
    what: Number.isInteger(value) ? count(value) : digits(value),
    name: counterTitle(counter),
    time: Math.round(time / step) * step,
    category: "",
  };
}

const hoverOf = (finding: Finding): HoverPoint => ({
  what: MARKS[finding.kind].one,
  name: finding.words,
  time: finding.begin,
  category: spanText(finding.end - finding.begin),
});

/** What a device did at a moment, or for how long it did nothing; null where that is not known. */
function deviceAt(viewer: Viewer, { device, begin, end }: TraceDevice, time: number): HoverPoint | null {
  const known = viewer.events.busy(device);
  if (!known || time < begin || time >= end) return null;
  const at = busyAt(known, time);
  const [from, to] = [known.begin[at], known.end[at]];
  if (from === undefined || to === undefined) return null;
  if (time >= from) {
    const share = (known.busy[at] as number) / Math.max(1, to - from);
    return {
      what: share < 1 ? `busy ${percent(share)} of ${spanText(to - from)}` : `busy for ${spanText(to - from)}`,
      name: BUSY_TITLE,
      time: from,
      category: "derived",
    };
  }
  const since = known.end[at - 1];
  return since === undefined
    ? null
    : { what: `idle for ${spanText(from - since)}`, name: BUSY_TITLE, time: since, category: "derived" };
}

/** The finding, the instant or the value that is under a place. */
function pointUnder(viewer: Viewer, x: number, y: number): HoverPoint | null {
  const lane = laneAt(viewer.layout.lanes, y + viewer.top);
  const time = timeOf(viewer.view, x);
  if (lane?.kind === "counter") return counterAt(viewer, lane.counter, time);
  if (lane?.kind === "busy") {
    const gap = findingAt(
      viewer,
      lane.section.tracks.map((one) => one.number),
      time,
      true,
    );
    return gap ? hoverOf(gap) : deviceAt(viewer, lane.device, time);
  }
  if (lane?.kind !== "track") return null;
  const finding =
    y + viewer.top > lane.top + lane.height - 15 ? findingAt(viewer, [lane.track.number], time, false) : null;
  if (finding) return hoverOf(finding);
  const point = y + viewer.top > lane.top + lane.height - 7 ? viewer.events.pointAt(lane.track.number, time, 4) : null;
  return point && { what: "instant", name: point.name, time: point.time, category: point.category };
}

type Place = { x: number; y: number };
type Drag = Place & { kind: "pan" | "rect" | "zoom" | "time"; top: number; begin: number; moved: boolean };

const kindOf = (viewer: Viewer, event: PointerEvent): Drag["kind"] => {
  if (event.pointerType === "touch" || event.button === 1 || viewer.isPanHeld) return "pan";
  const tool = event.shiftKey ? "select" : viewer.tool;
  return tool === "select" ? "rect" : tool;
};

/** How far apart two fingers are, and the middle between them. */
function spread(pointers: ReadonlyMap<number, Place>): { distance: number; middle: number } {
  const [a = { x: 0 }, b = { x: 0 }] = pointers.values();
  return { distance: Math.max(24, Math.abs(a.x - b.x)), middle: (a.x + b.x) / 2 };
}

/** Pointing, clicking, dragging and pinching on the picture. Returns how to end that. */
export function onPointerOf(viewer: Viewer, canvas: HTMLElement): () => void {
  // What fingers and buttons are down, and where they are.
  const pointers = new Map<number, Place>();
  let drag: Drag | null = null;
  let pinch: { distance: number; time: number; nsPerPx: number } | null = null;

  const unhover = () => {
    viewer.setHover(null, 0, 0);
    viewer.setHoverPoint(null);
  };
  const onDown = (event: PointerEvent) => {
    if (event.button > 1) return;
    const place = placeIn(canvas, event);
    pointers.set(event.pointerId, place);
    canvas.setPointerCapture(event.pointerId);
    if (event.button === 1) event.preventDefault();
    unhover();
    if (pointers.size === 2) {
      const { distance, middle } = spread(pointers);
      pinch = { distance, time: timeOf(viewer.view, middle), nsPerPx: viewer.view.nsPerPx };
      drag = null;
      return;
    }
    drag = { kind: kindOf(viewer, event), ...place, top: viewer.top, begin: viewer.view.begin, moved: false };
  };
  const onMove = (event: PointerEvent) => {
    const place = placeIn(canvas, event);
    viewer.pointer = place;
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, place);
    if (pinch && pointers.size === 2) {
      const { distance, middle } = spread(pointers);
      const nsPerPx = (pinch.nsPerPx * pinch.distance) / distance;
      viewer.show({ ...viewer.view, nsPerPx, begin: pinch.time - middle * nsPerPx });
    } else if (drag) dragTo(viewer, drag, place);
    else if (event.pointerType !== "touch") {
      viewer.setHover(hit(viewer.sight, viewer.tiles, place.x, place.y), place.x, place.y);
      viewer.setHoverPoint(pointUnder(viewer, place.x, place.y));
    }
  };
  const finish = (event: PointerEvent, isDone: boolean) => {
    pointers.delete(event.pointerId);
    if (pointers.size < 2) pinch = null;
    const [done, shape] = [drag, viewer.drag];
    drag = null;
    viewer.drag = null;
    if (!done) return;
    if (isDone && !done.moved && event.button === 0) {
      canvas.focus({ preventScroll: true });
      choosePlace(viewer, placeIn(canvas, event), event.ctrlKey || event.metaKey);
    } else if (isDone && done.moved && shape) chooseShape(viewer, shape);
    viewer.changed("overlay");
  };
  const onUp = (event: PointerEvent) => finish(event, true);
  const onCancel = (event: PointerEvent) => finish(event, false);
  const onLeave = () => {
    viewer.pointer = null;
    unhover();
  };
  const onDouble = (event: MouseEvent) => {
    const { x, y } = placeIn(canvas, event);
    const item = hit(viewer.sight, viewer.tiles, x, y);
    if (item) viewer.allOfName(item);
  };
  const until = new AbortController();
  const { signal } = until;
  canvas.addEventListener("pointerdown", onDown, { signal });
  canvas.addEventListener("pointermove", onMove, { signal });
  canvas.addEventListener("pointerup", onUp, { signal });
  canvas.addEventListener("pointercancel", onCancel, { signal });
  canvas.addEventListener("pointerleave", onLeave, { signal });
  canvas.addEventListener("dblclick", onDouble, { signal });
  return () => until.abort();
}

function dragTo(viewer: Viewer, drag: Drag, { x, y }: Place): void {
  if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLICK_PX) return;
  drag.moved = true;
  if (drag.kind === "pan") {
    viewer.show({ ...viewer.view, begin: drag.begin - (x - drag.x) * viewer.view.nsPerPx });
    viewer.scrollTo(drag.top - (y - drag.y));
    return;
  }
  const edge = (place: Place): number =>
    drag.kind === "time" ? xOf(viewer.view, snapped(viewer.sight, viewer.tiles, place.x, place.y)) : place.x;
  viewer.drag = { kind: drag.kind, x0: edge(drag), y0: drag.y, x1: edge({ x, y }), y1: y };
  viewer.changed("overlay");
}

function choosePlace(viewer: Viewer, { x, y }: Place, isAlso: boolean): void {
  const item = hit(viewer.sight, viewer.tiles, x, y);
  if (!isAlso) viewer.select(item ? [item] : []);
  else if (item) viewer.alsoSelect(item);
  if (item) speak(viewer, item);
}

/** What was drawn with a tool is done: zoomed to, measured or chosen. */
function chooseShape(viewer: Viewer, { kind, x0, y0, x1, y1 }: NonNullable<Viewer["drag"]>): void {
  const begin = Math.round(timeOf(viewer.view, Math.min(x0, x1)));
  const window = { begin, end: Math.max(begin + 1, Math.round(timeOf(viewer.view, Math.max(x0, x1)))) };
  if (kind === "zoom")
    viewer.show({ begin, nsPerPx: (window.end - begin) / viewer.view.width, width: viewer.view.width }, true);
  else if (kind === "time") viewer.setMark(window);
  else chooseRect(viewer, window, Math.min(y0, y1) + viewer.top, Math.max(y0, y1) + viewer.top);
}

/** A rectangle is an area of its time and its tracks; where few slices are in it, these are selected too. */
function chooseRect(viewer: Viewer, window: Window, fromY: number, toY: number): void {
  const { items, tracks, isCut } = inRect(viewer.sight, viewer.tiles, window, fromY, toY, MOST_IN_RECT);
  viewer.selection = isCut || items.length > MOST_OUTLINED ? [] : items;
  viewer.setArea({ window, tracks: tracks.length ? tracks : null });
}
