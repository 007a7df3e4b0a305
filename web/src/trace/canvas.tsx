// The picture of the tracks: two canvases over a box that scrolls, and what a pointer does on them.
import { useEffect, useRef } from "preact/hooks";
import { useTheme } from "../lib/theme";
import { FONT, type Pen, drawArea, drawGround, drawInterval, drawSlices, outline } from "./draw";
import { drawArrow, drawBusy, drawCounter, drawFlags, drawPoints } from "./draw_events";
import { hit, placeOf } from "./hit";
import { lanesIn } from "./layout";
import { drawMarks, shownFindings } from "./marks";
import { INK, type Theme } from "./palette";
import { onPointerOf, onWheelOf } from "./pointer";
import { buildScene, newScene } from "./scene";
import { spanText } from "./time";
import { axisOf, xOf } from "./view";
import type { Viewer } from "./viewer";
import { LabelsColumn } from "./labels_column";
import { Tooltip } from "./tooltip";

/** More than this on a screen nobody sees, and every pixel must be drawn. */
const MOST_RATIO = 2;

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
export type FrameStats = {
  rects: number;
  items: number;
  counted: number;
  standIns: number;
  ms: number;
  frames: number;
  isLate: boolean;
  arrows: number;
  points: number;
  counters: number;
  notes: number;
  marks: number;
};

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
        if (viewer.hover && viewer.pointer)
          viewer.hover = hit(viewer.sight, viewer.tiles, viewer.pointer.x, viewer.pointer.y);
      }
      over.current.dataset["tool"] = viewer.isPanHeld ? "pan" : viewer.tool;
      drawOverlay(penOf(over.current, view.width, height), viewer, theme);
    };
    const stop = viewer.onFrame(draw);
    window.benchhudViewer = {
      frame: () => ({
        rects: scene.rects,
        items: scene.items,
        counted: scene.counted,
        standIns: scene.standIns.length,
        ms,
        frames,
        isLate: viewer.isLate,
        arrows: viewer.events.arrows.length + viewer.ownArrows.length,
        points: viewer.events.points.length,
        counters: viewer.events.counters,
        notes: viewer.notes.length,
        marks: shownFindings(viewer).length,
      }),
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

  useEffect(() => {
    const canvas = over.current as HTMLCanvasElement;
    const stops = [onWheelOf(viewer, box.current as HTMLDivElement, canvas), onPointerOf(viewer, canvas)];
    return () => stops.forEach((stop) => stop());
  }, [viewer]);

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
  if (viewer.area) drawArea(pen, sight, viewer.area, theme);
  if (viewer.mark)
    drawInterval(
      pen,
      xOf(view, viewer.mark.begin),
      xOf(view, viewer.mark.end),
      size,
      spanText(viewer.mark.end - viewer.mark.begin),
      theme,
    );
  for (const lane of lanesIn(sight.layout.lanes, sight.top, sight.top + height)) {
    const values = lane.kind === "counter" ? viewer.events.counter(lane.counter.number) : null;
    if (lane.kind === "counter" && values) drawCounter(pen, sight, lane, values, theme);
    const busy = lane.kind === "busy" ? viewer.events.busy(lane.device.device) : null;
    if (lane.kind === "busy" && busy) drawBusy(pen, sight, lane, busy, theme);
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
