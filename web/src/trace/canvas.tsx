// The picture of the tracks: two canvases over a box that scrolls, and what a pointer does on them.
import { useEffect, useRef } from "preact/hooks";
import { useTheme } from "../lib/theme";
import { FONT, type Pen, drawGround, drawInterval, drawSlices, outline } from "./draw";
import { drawArrow, drawCounter, drawFlags, drawPoints } from "./draw_events";
import { hit, inRect, placeOf, snapped } from "./hit";
import { laneAt, lanesIn } from "./layout";
import { MARKS, drawMarks, findingAt, shownFindings } from "./marks";
import { INK, type Theme } from "./palette";
import { buildScene, newScene } from "./scene";
import { spanText } from "./time";
import { axisOf, timeOf, xOf } from "./view";
import type { HoverPoint, Viewer } from "./viewer";
import { LabelsColumn } from "./labels_column";
import { Tooltip } from "./tooltip";
import { speak } from "./spoken";

/** More than this on a screen nobody sees, and every pixel must be drawn. */
const MOST_RATIO = 2;
const CLICK_PX = 4;
const MOST_IN_RECT = 2000;
/** Outlines of more hide what they are around. */
const MOST_OUTLINED = 50;
const WHEEL_ZOOM = 0.0022;

const ratioNow = (): number => Math.min(MOST_RATIO, devicePixelRatio || 1);

/** A canvas of that many pixels of the page, whose pen counts in these. */
export function penOf(canvas: HTMLCanvasElement, width: number, height: number, ratio = ratioNow()): Pen {
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext("2d", { alpha: true }) as CanvasRenderingContext2D;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

/** What the last picture was made of: read by tests and measurements. */
export type FrameStats = { rects: number; items: number; counted: number; standIns: number; ms: number; frames: number; isLate: boolean; arrows: number; points: number; counters: number; notes: number; marks: number };

declare global {
  interface Window {
    benchhudViewer?: { frame(): FrameStats; window(): { begin: number; end: number } };
  }
}

export function TraceCanvas({ viewer }: { viewer: Viewer }) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const { dark } = useTheme();
  const theme: Theme = dark ? "dark" : "light";

  useEffect(() => {
    const scene = newScene();
    let ms = 0;
    let frames = 0;
    const draw = (): void => {
      const { view, height, top, layout } = viewer;
      if (!base.current || !over.current || !height || !view.width) return;
      const started = performance.now();
      if (viewer.isSlicesDirty) {
        if (inner.current) inner.current.style.height = `${Math.max(layout.height, 1)}px`;
        const pen = penOf(base.current, view.width, height);
        const axis = axisOf(view);
        buildScene(scene, viewer.sight, viewer.tiles, viewer.labels, ratioNow(), viewer.finder.labels);
        drawGround(pen, { layout, top, width: view.width, height, theme }, view, axis);
        drawSlices(pen, scene, theme);
        ++frames;
        ms = performance.now() - started;
        // The picture moved under a pointer that did not.
        if (viewer.hover && viewer.pointer) viewer.hover = hit(viewer.sight, viewer.tiles, viewer.pointer.x, viewer.pointer.y);
      }
      over.current.dataset["tool"] = viewer.isPanHeld ? "pan" : viewer.tool;
      drawOverlay(penOf(over.current, view.width, height), viewer, theme);
    };
    const stop = viewer.onFrame(draw);
    window.benchhudViewer = {
      frame: () => ({ rects: scene.rects, items: scene.items, counted: scene.counted, standIns: scene.standIns.length, ms, frames, isLate: viewer.isLate, arrows: viewer.events.arrows.length + viewer.ownArrows.length, points: viewer.events.points.length, counters: viewer.events.counters, notes: viewer.notes.length, marks: shownFindings(viewer).length }),
      window: () => ({ begin: viewer.view.begin, end: viewer.view.begin + viewer.view.width * viewer.view.nsPerPx }),
    };
    viewer.changed("slices");
    return () => {
      stop();
      delete window.benchhudViewer;
    };
  }, [viewer, theme]);

  useEffect(() => {
    const node = box.current as HTMLDivElement;
    const canvas = over.current as HTMLCanvasElement;
    const sticky = canvas.parentElement as HTMLElement;
    const measure = () => {
      sticky.style.height = `${node.clientHeight}px`;
      viewer.resize(sticky.clientWidth, node.clientHeight);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    observer.observe(sticky);
    measure();
    const scrolled = () => viewer.scrolled(node.scrollTop);
    node.addEventListener("scroll", scrolled, { passive: true });
    viewer.scrollTo = (top) => {
      // What is not yet as high as it will be cannot be scrolled to.
      if (inner.current) inner.current.style.height = `${viewer.layout.height}px`;
      node.scrollTop = top;
      viewer.scrolled(node.scrollTop);
    };
    const print = () => viewer.changed("slices");
    addEventListener("beforeprint", print);
    return () => {
      observer.disconnect();
      node.removeEventListener("scroll", scrolled);
      removeEventListener("beforeprint", print);
      viewer.scrollTo = () => {};
    };
  }, [viewer]);

  usePointer(viewer, box, over);

  return (
    <div class="trace-box" ref={box}>
      <div class="trace-inner" ref={inner}>
        <LabelsColumn viewer={viewer} />
        <div class="trace-sticky">
          <canvas ref={base} class="trace-canvas" aria-hidden="true" />
          <canvas
            ref={over}
            class="trace-canvas trace-over"
            role="application"
            aria-roledescription="timeline"
            aria-label="Timeline of the trace: w and s zoom, a and d move, comma and full stop go from slice to slice, the arrows up and down to what is around and within it, question mark lists all keys"
            tabIndex={0}
          />
          <Tooltip viewer={viewer} />
        </div>
      </div>
    </div>
  );
}

function drawOverlay(pen: Pen, viewer: Viewer, theme: Theme): void {
  const { view, height, sight, drag } = viewer;
  const size = { width: view.width, height };
  const ink = INK[theme];
  pen.clearRect(0, 0, view.width, height);
  pen.font = FONT;
  if (viewer.area) drawInterval(pen, xOf(view, viewer.area.window.begin), xOf(view, viewer.area.window.end), size, "", theme);
  if (viewer.mark) drawInterval(pen, xOf(view, viewer.mark.begin), xOf(view, viewer.mark.end), size, spanText(viewer.mark.end - viewer.mark.begin), theme);
  for (const lane of lanesIn(sight.layout.lanes, sight.top, sight.top + height)) {
    const values = lane.kind === "counter" ? viewer.events.counter(lane.counter.number) : null;
    if (lane.kind === "counter" && values) drawCounter(pen, sight, lane, values, theme);
  }
  drawMarks(pen, sight, shownFindings(viewer), theme);
  drawPoints(pen, sight, viewer.events.points, theme);
  // Many are a texture, a few are lines.
  const { arrows } = viewer.events;
  for (const arrow of arrows) drawArrow(pen, sight, viewer.tiles, arrow, arrows.length > 60 ? ink.hatch : ink.quiet);
  for (const arrow of viewer.ownArrows) drawArrow(pen, sight, viewer.tiles, arrow, ink.arrow, 2);
  drawFlags(pen, view, height, viewer.notes, theme);
  if (viewer.hover) {
    const place = placeOf(sight, viewer.hover);
    if (place) outline(pen, place, ink.text, 1);
  }
  for (const item of viewer.selection) {
    const place = placeOf(sight, item);
    if (place && place.y > -30 && place.y < height + 30) outline(pen, place, ink.focus, 2);
  }
  if (drag?.kind === "rect") {
    pen.fillStyle = ink.mark;
    const [x, y] = [Math.min(drag.x0, drag.x1), Math.min(drag.y0, drag.y1)];
    const rect = { x, y, width: Math.abs(drag.x1 - drag.x0), height: Math.abs(drag.y1 - drag.y0) };
    pen.fillRect(rect.x, rect.y, rect.width, rect.height);
    outline(pen, rect, ink.focus, 1);
  } else if (drag) {
    const [from, to] = [Math.min(drag.x0, drag.x1), Math.max(drag.x0, drag.x1)];
    drawInterval(pen, from, to, size, spanText((to - from) * view.nsPerPx), theme);
  }
}

/** The finding or the instant that is under a place. */
function pointUnder(viewer: Viewer, x: number, y: number): HoverPoint | null {
  const lane = laneAt(viewer.layout.lanes, y + viewer.top);
  if (lane?.kind !== "track") return null;
  const time = timeOf(viewer.view, x);
  const finding = y + viewer.top > lane.top + lane.height - 15 ? findingAt(viewer, lane.track.number, time) : null;
  if (finding) return { what: MARKS[finding.kind].one, name: finding.words, time: finding.begin, category: spanText(finding.end - finding.begin) };
  const point = y + viewer.top > lane.top + lane.height - 7 ? viewer.events.pointAt(lane.track.number, time, 4) : null;
  return point && { what: "instant", name: point.name, time: point.time, category: point.category };
}

/** Wheel, mouse, pen and fingers. */
function usePointer(viewer: Viewer, box: { current: HTMLDivElement | null }, over: { current: HTMLCanvasElement | null }): void {
  useEffect(() => {
    const node = box.current as HTMLDivElement;
    const canvas = over.current as HTMLCanvasElement;
    const placeIn = (event: { clientX: number; clientY: number }) => {
      const { left, top } = canvas.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };

    const onWheel = (event: WheelEvent) => {
      const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? viewer.height : 1;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        // A pinch on a touchpad comes as a wheel with small steps.
        viewer.zoom(Math.exp(-event.deltaY * scale * (Math.abs(event.deltaY) < 10 ? 4 : 1) * WHEEL_ZOOM), placeIn(event).x);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        viewer.pan((event.deltaX || event.deltaY) * scale);
      }
    };
    node.addEventListener("wheel", onWheel, { passive: false });

    // What fingers and buttons are down, and where they went down.
    const pointers = new Map<number, { x: number; y: number }>();
    type Drag = { kind: "pan" | "rect" | "zoom" | "time"; x: number; y: number; top: number; begin: number; moved: boolean };
    let drag: Drag | null = null;
    let pinch: { distance: number; time: number; nsPerPx: number } | null = null;

    const kindOf = (event: PointerEvent): Drag["kind"] => {
      if (event.pointerType === "touch" || event.button === 1 || viewer.isPanHeld) return "pan";
      const tool = event.shiftKey ? "select" : viewer.tool;
      return tool === "select" ? "rect" : tool;
    };

    const unhover = () => {
      viewer.setHover(null, 0, 0);
      viewer.setHoverPoint(null);
    };

    const onDown = (event: PointerEvent) => {
      if (event.button > 1) return;
      const { x, y } = placeIn(event);
      pointers.set(event.pointerId, { x, y });
      canvas.setPointerCapture(event.pointerId);
      if (event.button === 1) event.preventDefault();
      unhover();
      if (pointers.size === 2) {
        const [a = { x: 0 }, b = { x: 0 }] = pointers.values();
        pinch = { distance: Math.max(24, Math.abs(a.x - b.x)), time: timeOf(viewer.view, (a.x + b.x) / 2), nsPerPx: viewer.view.nsPerPx };
        drag = null;
        return;
      }
      drag = { kind: kindOf(event), x, y, top: viewer.top, begin: viewer.view.begin, moved: false };
    };

    const onMove = (event: PointerEvent) => {
      const { x, y } = placeIn(event);
      viewer.pointer = { x, y };
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, { x, y });
      if (pinch && pointers.size === 2) {
        const [a = { x: 0 }, b = { x: 0 }] = pointers.values();
        const nsPerPx = (pinch.nsPerPx * pinch.distance) / Math.max(24, Math.abs(a.x - b.x));
        viewer.show({ ...viewer.view, nsPerPx, begin: pinch.time - ((a.x + b.x) / 2) * nsPerPx });
        return;
      }
      if (!drag && event.pointerType === "touch") return;
      if (!drag) {
        viewer.setHover(hit(viewer.sight, viewer.tiles, x, y), x, y);
        viewer.setHoverPoint(pointUnder(viewer, x, y));
        return;
      }
      if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLICK_PX) return;
      drag.moved = true;
      if (drag.kind === "pan") {
        viewer.show({ ...viewer.view, begin: drag.begin - (x - drag.x) * viewer.view.nsPerPx });
        viewer.scrollTo(drag.top - (y - drag.y));
        return;
      }
      const isTime = drag.kind === "time";
      const edge = (px: number, py: number) => (isTime ? xOf(viewer.view, snapped(viewer.sight, viewer.tiles, px, py)) : px);
      viewer.drag = { kind: drag.kind, x0: edge(drag.x, drag.y), y0: drag.y, x1: edge(x, y), y1: y };
      viewer.changed("overlay");
    };

    const finish = (event: PointerEvent, isClick: boolean) => {
      pointers.delete(event.pointerId);
      if (pointers.size < 2) pinch = null;
      const done = drag;
      const shape = viewer.drag;
      drag = null;
      viewer.drag = null;
      if (!done) return;
      const { x, y } = placeIn(event);
      if (!done.moved) {
        if (isClick && event.button === 0) click(event, x, y);
      } else if (shape && isClick) {
        const [from, to] = [Math.min(shape.x0, shape.x1), Math.max(shape.x0, shape.x1)];
        const window = { begin: Math.round(timeOf(viewer.view, from)), end: Math.max(Math.round(timeOf(viewer.view, from)) + 1, Math.round(timeOf(viewer.view, to))) };
        if (shape.kind === "zoom") viewer.show({ begin: window.begin, nsPerPx: (window.end - window.begin) / viewer.view.width, width: viewer.view.width }, true);
        else if (shape.kind === "time") viewer.setMark(window);
        else chooseRect(viewer, window, Math.min(shape.y0, shape.y1) + viewer.top, Math.max(shape.y0, shape.y1) + viewer.top);
      }
      viewer.changed("overlay");
    };

    const click = (event: PointerEvent, x: number, y: number) => {
      canvas.focus({ preventScroll: true });
      const item = hit(viewer.sight, viewer.tiles, x, y);
      if (event.ctrlKey || event.metaKey) {
        if (item) viewer.alsoSelect(item);
      } else if (item) viewer.select([item]);
      else viewer.select([]);
      if (item) speak(viewer, item);
    };

    const onUp = (event: PointerEvent) => finish(event, true);
    const onCancel = (event: PointerEvent) => finish(event, false);
    const onLeave = () => {
      viewer.pointer = null;
      unhover();
    };
    const onDouble = (event: MouseEvent) => {
      const { x, y } = placeIn(event);
      const item = hit(viewer.sight, viewer.tiles, x, y);
      if (item) viewer.allOfName(item);
    };
    canvas.addEventListener("pointerdown", onDown);
    canvas.addEventListener("pointermove", onMove);
    canvas.addEventListener("pointerup", onUp);
    canvas.addEventListener("pointercancel", onCancel);
    canvas.addEventListener("pointerleave", onLeave);
    canvas.addEventListener("dblclick", onDouble);
    return () => {
      node.removeEventListener("wheel", onWheel);
      canvas.removeEventListener("pointerdown", onDown);
      canvas.removeEventListener("pointermove", onMove);
      canvas.removeEventListener("pointerup", onUp);
      canvas.removeEventListener("pointercancel", onCancel);
      canvas.removeEventListener("pointerleave", onLeave);
      canvas.removeEventListener("dblclick", onDouble);
    };
  }, [viewer]);
}

/** A rectangle is an area of its time and its tracks; where few slices are in it, these are selected too. */
function chooseRect(viewer: Viewer, window: { begin: number; end: number }, fromY: number, toY: number): void {
  const { items, tracks, isCut } = inRect(viewer.sight, viewer.tiles, window, fromY, toY, MOST_IN_RECT);
  viewer.selection = isCut || items.length > MOST_OUTLINED ? [] : items;
  viewer.setArea({ window, tracks: tracks.length ? tracks : null });
}
