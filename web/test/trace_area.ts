import assert from "node:assert/strict";
import { test } from "node:test";
import { type Pen, drawArea } from "../src/trace/draw";
import { trackLanes } from "../src/trace/layout";
import { trackOf, viewerOf } from "./support_viewer";

/** The rectangles that are drawn, as top and height. */
function drawn(area: Parameters<typeof drawArea>[2]): Set<string> {
  const viewer = viewerOf([trackOf(1), trackOf(2), trackOf(3)]);
  viewer.resize(1000, 400);
  const rects = new Set<string>();
  const pen = { fillRect: (_x: number, y: number, _width: number, height: number) => rects.add(`${y} ${height}`) } as unknown as Pen;
  drawArea(pen, viewer.sight, area, "light");
  return rects;
}
const window = { begin: 1000, end: 2000 };

test("an area lies on its own tracks, and on everything where it is of all of them", () => {
  const lanes = trackLanes(viewerOf([trackOf(1), trackOf(2), trackOf(3)]).layout);
  const [, second, third] = lanes as [(typeof lanes)[number], (typeof lanes)[number], (typeof lanes)[number]];
  assert.deepEqual(drawn({ window, tracks: [2] }), new Set([`${second.top} ${second.height - 1}`]));
  assert.deepEqual(drawn({ window, tracks: [3, 2] }), new Set([second, third].map((lane) => `${lane.top} ${lane.height - 1}`)));
  assert.deepEqual(drawn({ window, tracks: null }), new Set(["0 400"]));
});
