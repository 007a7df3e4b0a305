// Draws what scene.ts made. Knows a canvas, and neither the page nor the server.
import { shortened } from "./names";
import { FILLS, INK, type Theme, UNNAMED } from "./palette";
import { HEAD_PX, type Layout, ROW_PX, lanesIn } from "./layout";
import type { Rects, Scene, Sight } from "./scene";
import type { Area } from "./url";
import type { Axis } from "./view";
import { type View, xOf } from "./view";

/** What is used of a canvas. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillRect"
  | "clearRect"
  | "fillText"
  | "measureText"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
  | "strokeRect"
  | "fill"
  | "closePath"
  | "save"
  | "restore"
  | "setLineDash"
  | "bezierCurveTo"
> & {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  font: string;
  textBaseline: CanvasTextBaseline;
  textAlign: CanvasTextAlign;
};

export const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const TEXT_PAD_PX = 4;

// A letter is measured once; to measure every text anew at every zoom would take longer than to draw it.
const letters = new Float32Array(0x180).fill(-1);

function letterWidth(pen: Pen, code: number): number {
  if (code >= letters.length) return pen.measureText(String.fromCharCode(code)).width;
  let width = letters[code] as number;
  if (width < 0) letters[code] = width = pen.measureText(String.fromCharCode(code)).width;
  return width;
}

/** The pen has FONT. */
export function widthOf(pen: Pen, text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; ++at) width += letterWidth(pen, text.charCodeAt(at));
  return width;
}

/** How many letters of a text have room. */
function lettersIn(pen: Pen, text: string, width: number): number {
  let used = 0;
  for (let at = 0; at < text.length; ++at) {
    used += letterWidth(pen, text.charCodeAt(at));
    if (used > width) return at;
  }
  return text.length;
}

/** The name, or as much of it as `width` has room for. */
export function fitting(pen: Pen, name: string, width: number): string {
  let chars = lettersIn(pen, name, width);
  if (chars === name.length) return name;
  // What is left of a name may be of wider letters than its beginning.
  for (let turn = 0; turn < 4 && chars >= 3; ++turn) {
    const text = shortened(name, chars);
    const fits = lettersIn(pen, text, width);
    if (fits === text.length) return text;
    chars = Math.min(chars - 1, fits);
  }
  return "";
}

function fillAll(pen: Pen, rects: Rects, color: string): void {
  const { values, length } = rects;
  if (!length) return;
  pen.fillStyle = color;
  for (let at = 0; at < length; at += 4)
    pen.fillRect(values[at] as number, values[at + 1] as number, values[at + 2] as number, values[at + 3] as number);
}

export type Ground = { layout: Layout; top: number; width: number; height: number; theme: Theme };

/** What lies under the slices: heads of sections, lines between tracks, and those of the axis. */
export function drawGround(pen: Pen, { layout, top, width, height, theme }: Ground, view: View, axis: Axis): void {
  const ink = INK[theme];
  pen.fillStyle = ink.ground;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = ink.line;
  for (const { at } of axis.ticks) pen.fillRect(Math.round(xOf(view, at)), 0, 1, height);
  for (const lane of lanesIn(layout.lanes, top, top + height)) {
    const y = Math.round(lane.top - top);
    if (lane.kind === "head") {
      pen.fillStyle = ink.head;
      pen.fillRect(0, y, width, HEAD_PX);
    } else {
      pen.fillStyle = ink.line;
      pen.fillRect(0, y + lane.height - 1, width, 1);
    }
  }
}

export function drawSlices(pen: Pen, scene: Scene, theme: Theme): void {
  const fills = FILLS[theme];
  fillAll(pen, scene.beds, (fills[UNNAMED] as { color: string }).color);
  scene.full.forEach((rects, style) => fillAll(pen, rects, (fills[style] as { color: string }).color));
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  let color = "";
  for (const text of scene.texts) {
    const wanted = text.isPale ? INK[theme].quiet : (fills[text.style] as { text: string }).text;
    if (wanted !== color) {
      color = wanted;
      pen.fillStyle = color;
    }
    const shown = fitting(pen, text.name, text.width - 2 * TEXT_PAD_PX);
    if (shown) pen.fillText(shown, text.x + TEXT_PAD_PX, text.y + ROW_PX / 2 - 0.5);
  }
  pen.fillStyle = INK[theme].hatch;
  for (const { x, width, y } of scene.standIns) for (let at = x; at < x + width; at += 6) pen.fillRect(at, y - 3, 3, 2);
}

export function drawAxis(pen: Pen, view: View, axis: Axis, height: number, theme: Theme): void {
  const ink = INK[theme];
  pen.clearRect(0, 0, view.width, height);
  pen.font = FONT;
  pen.textBaseline = "middle";
  const middle = height / 2;
  let after = -Infinity;
  if (axis.base) {
    pen.textAlign = "left";
    pen.fillStyle = ink.text;
    pen.fillText(axis.base.text, 4, middle);
    after = 4 + widthOf(pen, axis.base.text) + 12;
  }
  pen.textAlign = "left";
  for (const { at, text } of axis.ticks) {
    const x = Math.round(xOf(view, at));
    pen.fillStyle = ink.strong;
    pen.fillRect(x, height - 6, 1, 6);
    if (x + 4 < after || x + 4 + widthOf(pen, text) > view.width) continue;
    pen.fillStyle = ink.quiet;
    pen.fillText(text, x + 4, middle);
    after = x + 4 + widthOf(pen, text) + 8;
  }
}

export type Rect = { x: number; y: number; width: number; height: number };

export function outline(pen: Pen, { x, y, width, height }: Rect, color: string, thick = 2): void {
  pen.strokeStyle = color;
  pen.lineWidth = thick;
  pen.strokeRect(x - thick / 2 + 0.5, y - thick / 2, Math.max(1, width) + thick - 1, height + thick);
}

/** An area lies on its tracks; on all of them, and on what is between, where it is of all. */
export function drawArea(
  pen: Pen,
  { view, top, height, layout }: Pick<Sight, "view" | "top" | "height" | "layout">,
  { window, tracks }: Area,
  theme: Theme,
): void {
  const [x0, x1] = [xOf(view, window.begin), xOf(view, window.end)];
  if (!tracks) return drawInterval(pen, x0, x1, { width: view.width, height }, "", theme);
  const chosen = new Set(tracks);
  for (const lane of lanesIn(layout.lanes, top, top + height)) {
    if (lane.kind === "track" && chosen.has(lane.track.number))
      fillInterval(pen, x0, x1, lane.top - top, lane.height - 1, theme);
  }
}

function fillInterval(pen: Pen, x0: number, x1: number, y: number, height: number, theme: Theme): void {
  const ink = INK[theme];
  pen.fillStyle = ink.mark;
  pen.fillRect(x0, y, Math.max(1, x1 - x0), height);
  pen.fillStyle = ink.focus;
  pen.fillRect(Math.round(x0), y, 1, height);
  pen.fillRect(Math.round(x1) - 1, y, 1, height);
}

/** An interval over the whole height, its length written at the top where there is room. */
export function drawInterval(
  pen: Pen,
  x0: number,
  x1: number,
  { width: all, height }: { width: number; height: number },
  words: string,
  theme: Theme,
): void {
  const ink = INK[theme];
  fillInterval(pen, x0, x1, 0, height, theme);
  if (!words || x1 < 0 || x0 > all) return;
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  const width = widthOf(pen, words) + 12;
  // In the middle of what is seen of it, or beside it.
  const [from, to] = [Math.max(0, x0), Math.min(all, x1)];
  const x = Math.min(all - width - 2, Math.max(2, to - from >= width ? (from + to - width) / 2 : to + 4));
  pen.fillStyle = ink.focus;
  pen.fillRect(x, 4, width, 18);
  pen.fillStyle = ink.filled;
  pen.fillText(words, x + 6, 13);
}
