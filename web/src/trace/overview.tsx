// Above the tracks: how much happens when, over the whole trace, with the window in sight as a frame; and the axis.
import { useEffect, useRef } from "preact/hooks";
import { useTheme } from "../lib/theme";
import { penOf } from "./canvas";
import { type Pen, drawAxis } from "./draw";
import { INK, type Theme } from "./palette";
import { stripKey } from "./tiles";
import { axisOf, clampView, endOf, fitAll, timeOf, xOf } from "./view";
import type { Viewer } from "./viewer";

const STRIP_PX = 40;
const AXIS_PX = 26;
/** The frame's edges are caught so near. */
const GRIP_PX = 7;
const LEAST_FRAME_PX = 6;

/** Slices by pixel of the strip, from what is in memory of the whole trace. Its places are those of the tracks when all is
 * in sight. */
function densities(viewer: Viewer, width: number): Float64Array {
  const bins = new Float64Array(Math.max(1, Math.floor(width)));
  const all = fitAll(bins.length, viewer.end);
  for (const track of viewer.overviewTracks) {
    const tile = viewer.tiles.get(stripKey({ track: track.number, band: 0 }), viewer.tiles.top, 0);
    if (!tile) continue;
    for (let at = 0; at < tile.begin.length; ++at) {
      const first = Math.min(bins.length - 1, Math.max(0, Math.floor(xOf(all, tile.begin[at] as number))));
      // A slice counts where it begins, several over all of their extent.
      const last =
        tile.count[at] === 1 ? first : Math.min(bins.length - 1, Math.floor(xOf(all, tile.end[at] as number)));
      for (let bin = first; bin <= last; ++bin)
        bins[bin] = (bins[bin] as number) + (tile.count[at] as number) / (last - first + 1);
    }
  }
  return bins;
}

function drawStrip(pen: Pen, viewer: Viewer, bins: Float64Array, theme: Theme): void {
  const ink = INK[theme];
  const { width } = viewer.view;
  pen.clearRect(0, 0, width, STRIP_PX);
  pen.fillStyle = ink.band;
  pen.fillRect(0, 0, width, STRIP_PX);
  const most = Math.log1p(bins.reduce((a, b) => Math.max(a, b), 1));
  pen.fillStyle = ink.hatch;
  for (let x = 0; x < bins.length; ++x) {
    const value = bins[x] as number;
    // The logarithm lets quiet parts be seen beside loud ones.
    const height = value > 0 ? Math.max(3, (Math.log1p(value) / most) * (STRIP_PX - 6)) : 0;
    if (height) pen.fillRect(x, STRIP_PX - height, 1, height);
  }
  drawHits(pen, viewer, ink.hit);
  const [x0, x1] = frameOf(viewer);
  pen.fillStyle = ink.veil;
  pen.fillRect(0, 0, x0, STRIP_PX);
  pen.fillRect(x1, 0, width - x1, STRIP_PX);
  pen.strokeStyle = ink.focus;
  pen.lineWidth = 1;
  pen.strokeRect(Math.round(x0) + 0.5, 0.5, Math.max(2, Math.round(x1) - Math.round(x0) - 1), STRIP_PX - 1);
  pen.fillStyle = ink.focus;
  for (const x of [Math.round(x0), Math.round(x1)]) pen.fillRect(x - 2, STRIP_PX / 2 - 7, 4, 14);
}

/** Where what was looked for is, of the whole trace. */
function drawHits(pen: Pen, viewer: Viewer, color: string): void {
  const { found } = viewer.finder;
  if (!found) return;
  const all = fitAll(viewer.view.width, viewer.end);
  pen.fillStyle = color;
  found.bins.forEach((hits, bin) => {
    if (!hits) return;
    const x0 = Math.floor(xOf(all, (bin * viewer.end) / found.bins.length));
    const x1 = Math.ceil(xOf(all, ((bin + 1) * viewer.end) / found.bins.length));
    pen.fillRect(x0, STRIP_PX - 4, Math.max(1, x1 - x0 - 1), 4);
  });
}

/** The window in sight, in pixels of the strip. */
function frameOf(viewer: Viewer): [number, number] {
  const { view, end } = viewer;
  const all = fitAll(view.width, end);
  const x0 = Math.max(0, xOf(all, view.begin));
  const x1 = Math.min(view.width, xOf(all, endOf(view)));
  return x1 - x0 < LEAST_FRAME_PX ? [(x0 + x1 - LEAST_FRAME_PX) / 2, (x0 + x1 + LEAST_FRAME_PX) / 2] : [x0, x1];
}

/** `hasAxis`: not where another one stands above. */
export function Overview({ viewer, hasAxis = true }: { viewer: Viewer; hasAxis?: boolean }) {
  const strip = useRef<HTMLCanvasElement>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const { dark } = useTheme();
  const theme: Theme = dark ? "dark" : "light";

  useEffect(() => {
    let bins = new Float64Array(0);
    let known = "";
    const draw = (): void => {
      if (!viewer.isSlicesDirty || !strip.current) return;
      const { view, tiles } = viewer;
      strip.current.style.width = `${view.width}px`;
      const state = `${view.width} ${tiles.pinnedCount}`;
      if (state !== known) {
        known = state;
        bins = densities(viewer, view.width) as Float64Array<ArrayBuffer>;
      }
      drawStrip(penOf(strip.current, view.width, STRIP_PX), viewer, bins, theme);
      if (!axis.current) return;
      axis.current.style.width = `${view.width}px`;
      drawAxis(penOf(axis.current, view.width, AXIS_PX), view, axisOf(view), AXIS_PX, theme);
    };
    const stop = viewer.onFrame(draw);
    viewer.changed("slices");
    return stop;
  }, [viewer, theme]);

  useEffect(() => {
    const canvas = strip.current as HTMLCanvasElement;
    let drag: { kind: "move" | "begin" | "end"; x: number; begin: number; end: number } | null = null;
    const xIn = (event: PointerEvent) => event.clientX - canvas.getBoundingClientRect().left;
    const all = () => fitAll(viewer.view.width, viewer.end);
    const kindAt = (x: number) => {
      const [x0, x1] = frameOf(viewer);
      return Math.abs(x - x0) <= GRIP_PX
        ? "begin"
        : Math.abs(x - x1) <= GRIP_PX
          ? "end"
          : x > x0 && x < x1
            ? "move"
            : null;
    };
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      const x = xIn(event);
      canvas.setPointerCapture(event.pointerId);
      const kind = kindAt(x);
      // Elsewhere: the window goes there, and is moved on from there.
      if (!kind)
        viewer.show({ ...viewer.view, begin: timeOf(all(), x) - (viewer.view.width * viewer.view.nsPerPx) / 2 });
      drag = { kind: kind ?? "move", x, begin: viewer.view.begin, end: endOf(viewer.view) };
    };
    const onMove = (event: PointerEvent) => {
      const x = xIn(event);
      if (!drag) {
        const kind = kindAt(x);
        canvas.style.cursor = kind === "move" ? "grab" : kind ? "ew-resize" : "pointer";
        return;
      }
      const by = (x - drag.x) * all().nsPerPx;
      const begin = drag.kind === "end" ? drag.begin : drag.begin + by;
      const end = drag.kind === "begin" ? drag.end : drag.end + by;
      if (drag.kind === "move") viewer.show({ ...viewer.view, begin });
      else
        viewer.show(
          clampView(
            {
              begin: Math.min(begin, end),
              nsPerPx: Math.max(1e-3, Math.abs(end - begin)) / viewer.view.width,
              width: viewer.view.width,
            },
            viewer.end,
          ),
        );
    };
    const onUp = () => {
      drag = null;
    };
    canvas.addEventListener("pointerdown", onDown);
    canvas.addEventListener("pointermove", onMove);
    canvas.addEventListener("pointerup", onUp);
    canvas.addEventListener("pointercancel", onUp);
    return () => {
      canvas.removeEventListener("pointerdown", onDown);
      canvas.removeEventListener("pointermove", onMove);
      canvas.removeEventListener("pointerup", onUp);
      canvas.removeEventListener("pointercancel", onUp);
    };
  }, [viewer]);

  return (
    <div class="trace-top">
      <canvas
        ref={strip}
        class="trace-strip"
        aria-hidden="true"
        title="How many slices begin when, in the whole trace; drag the frame, or its edges"
      />
      {hasAxis && <canvas ref={axis} class="trace-axis" aria-hidden="true" />}
    </div>
  );
}
