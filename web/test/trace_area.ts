import assert from "node:assert/strict";
import { test } from "node:test";
import { type Pen, drawArea } from "../src/trace/draw";
import { trackLanes } from "../src/trace/layout";
import { readPlace } from "../src/trace/url";
import { trackOf, viewerOf } from "./support_viewer";

/** The rectangles that are drawn, as top and height. */
function drawn(area: Parameters<typeof drawArea>[2]): Set<string> {
  const viewer = viewerOf([trackOf(1), trackOf(2), trackOf(3)]);
  viewer.resize(1000, 400);
  const rects = new Set<string>();
  const pen = {
    fillRect: (_x: number, y: number, _width: number, height: number) => rects.add(`${y} ${height}`),
  } as unknown as Pen;
  drawArea(pen, viewer.sight, area, "light");
  return rects;
}
test("an area of more tracks than can be asked for is one of all, and so it is drawn and summed up", () => {
  const viewer = viewerOf([trackOf(1)]);
  const many = Array.from({ length: 1001 }, (_, n) => n);
  viewer.setArea({ window, tracks: many });
  const tracks = () => viewer.area?.tracks;
  assert.equal(tracks(), null);
  viewer.setArea({ window, tracks: many.slice(1) });
  assert.equal(tracks()?.length, 1000);
  assert.equal(readPlace(new URLSearchParams(`a=1:2:${many.join()}`)).area?.tracks, null);
});

const window = { begin: 1000, end: 2000 };

test("an area lies on its own tracks, and on everything where it is of all of them", () => {
  const lanes = trackLanes(viewerOf([trackOf(1), trackOf(2), trackOf(3)]).layout);
  const [, second, third] = lanes as [(typeof lanes)[number], (typeof lanes)[number], (typeof lanes)[number]];
  assert.deepEqual(drawn({ window, tracks: [2] }), new Set([`${second.top} ${second.height - 1}`]));
  assert.deepEqual(
    drawn({ window, tracks: [3, 2] }),
    new Set([second, third].map((lane) => `${lane.top} ${lane.height - 1}`)),
  );
  assert.deepEqual(drawn({ window, tracks: null }), new Set(["0 400"]));
});
