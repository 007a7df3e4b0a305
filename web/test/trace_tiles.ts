import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_LAYOUT, lay, sections } from "../src/trace/layout";
import { buildScene, newScene, sightLevel } from "../src/trace/scene";
import { drawSlices } from "../src/trace/draw";
import { hit, inRect, itemAt, neighbour } from "../src/trace/hit";
import { TileStore } from "../src/trace/tiles";
import type { Track } from "../src/trace/types";
import { fitAll, tilesOf, topLevel, windowOf, xOf, zoomAt } from "../src/trace/view";
import { type PlainSlice, sourceOfSlices } from "./support_tiles";

const settle = () => new Promise((done) => setTimeout(done, 5));

/** Two rows: parents of 1,000 ns each, and in each of them 8 short ones; at the end 500 slices of 1 ns. */
function madeUp(): PlainSlice[] {
  const slices: PlainSlice[] = [];
  for (let n = 0; n < 300; ++n) {
    const begin = n * 4096;
    slices.push({ track: 1, row: 0, begin, end: begin + 3000 + (n % 7) * 150, label: n % 5 });
    for (let k = 0; k < 8; ++k)
      slices.push({ track: 1, row: 1, begin: begin + k * 300, end: begin + k * 300 + 200, label: 10 + k });
  }
  for (let n = 0; n < 500; ++n)
    slices.push({ track: 1, row: 2, begin: 1_000_000 + 2 * n, end: 1_000_000 + 2 * n + 1, label: 20 });
  slices.push({ track: 1, row: 3, begin: 10, end: 1_100_000, label: 30 });
  return slices;
}
const track: Track = {
  number: 1,
  pid: "1",
  tid: "1",
  process: "p",
  processLabels: "",
  name: "t",
  side: "host",
  isAsync: false,
  isDerived: false,
  processSort: null,
  threadSort: null,
  slices: 3201,
  rows: 4,
  span: { begin: 0, end: 1_228_800 },
  busy: 1,
  points: 0,
};
const END = 1_228_800;
const layout = lay(sections([track]), NO_LAYOUT);
const names = { get: (label: number) => ({ name: `name ${label}`, style: label % 24 }) };

function made() {
  const slices = madeUp();
  const source = sourceOfSlices(slices);
  const tiles = new TileStore(source, topLevel(END), () => {});
  const sight = (view = fitAll(1000, END)) => ({ view, top: 0, height: 600, end: END, layout });
  const load = async (at: ReturnType<typeof sight>) => {
    const level = sightLevel(at);
    tiles.want([{ level, ...tilesOf(windowOf(at.view), level, END), strips: ["1"] }]);
    await settle();
    assert.equal(tiles.isBusy, false);
  };
  return { slices, source, tiles, sight, load };
}

test("at every zoom what is drawn adds up to the slices in sight, each of them once", async () => {
  const { slices, tiles, sight, load } = made();
  const scene = newScene();
  let view = fitAll(1000, END);
  for (let step = 0; step < 40; ++step) {
    const at = sight(view);
    await load(at);
    buildScene(scene, at, tiles, names);
    const { begin, end } = windowOf(view);
    const inside = slices.filter((one) => one.begin < end && one.end > begin).length;
    // An item at the left edge may begin before it, with slices of which some are over.
    assert.ok(Math.abs(scene.counted - inside) <= (step ? 12 : 0), `step ${step}: ${scene.counted} of ${inside}`);
    assert.equal(scene.standIns.length, 0);
    view = zoomAt(view, 1.6, step % 3 ? 813 : 200, END);
  }
});

test("a slice that reaches over several tiles is one rectangle", async () => {
  const { tiles, sight, load } = made();
  const at = sight({ begin: 500_000, nsPerPx: 40, width: 1000 });
  await load(at);
  const { first, last } = tilesOf(windowOf(at.view), sightLevel(at), END);
  assert.ok(last > first, "the window has several tiles");
  const scene = buildScene(newScene(), at, tiles, names);
  assert.equal(scene.texts.filter((one) => one.name === "name 30").length, 1);
});

test("a coarser tile stands in until the finer one is there, and says so", async () => {
  const { tiles, sight, load } = made();
  await load(sight());
  const near = sight({ begin: 1_000_000, nsPerPx: 1, width: 1000 });
  const scene = newScene();
  buildScene(scene, near, tiles, names);
  assert.ok(scene.standIns.length > 0);
  assert.ok(scene.rects > 0, "something is seen at once");
  await load(near);
  buildScene(scene, near, tiles, names);
  assert.equal(scene.standIns.length, 0);
  assert.ok(scene.items >= 500, "every slice of a nanosecond is an item now");
});

test("what a coarse tile says exactly is not asked for again", async () => {
  const source = sourceOfSlices([{ track: 1, row: 0, begin: 0, end: 900_000 }]);
  const tiles = new TileStore(source, topLevel(END), () => {});
  tiles.want([{ level: tiles.top, first: 0, last: 0, strips: ["1"] }]);
  await settle();
  assert.equal(source.asked.length, 1);
  tiles.want([{ level: 3, first: 4, last: 9, strips: ["1"] }]);
  await settle();
  assert.equal(source.asked.length, 1);
  assert.ok(tiles.pieces("1", 3, 4, 9).every((one) => one.isExact));
});

test("sixteen strips a request, four at once, and what is not wanted any more is given up", async () => {
  const aborted: string[] = [];
  const open: (() => void)[] = [];
  const asked: string[] = [];
  const tiles = new TileStore(
    {
      tiles: (batch, signal) =>
        new Promise((_, refuse) => {
          asked.push(`${batch.level}/${batch.index} ${batch.tracks.length}`);
          open.push(() => refuse(new Error("no")));
          signal.addEventListener("abort", () => {
            aborted.push(`${batch.level}/${batch.index}`);
            refuse(new Error("aborted"));
          });
        }),
    },
    20,
    () => {},
  );
  const strips = Array.from({ length: 20 }, (_, n) => String(n));
  tiles.want([{ level: 5, first: 0, last: 2, strips }]);
  assert.deepEqual(asked, ["5/0 16", "5/0 4", "5/1 16", "5/1 4"]);
  tiles.want([
    { level: 5, first: 1, last: 1, strips },
    { level: 4, first: 2, last: 2, strips: ["1"] },
  ]);
  assert.deepEqual(aborted, ["5/0", "5/0"]);
  assert.deepEqual(asked.slice(4), ["4/2 1"], "what flies is not asked for twice");
  for (const refuse of open) refuse();
  await settle();
  assert.match(String(tiles.error), /no/);
  tiles.want([{ level: 4, first: 2, last: 2, strips: ["1"] }]);
  assert.equal(asked.length, 5, "what failed is not asked for again at once");
  tiles.stop();
});

test("a tile that could not be had is told of, and a picture is asked for that asks for it again", async () => {
  let isDown = true;
  let loads = 0;
  const source = sourceOfSlices([{ track: 1, row: 0, begin: 0, end: 900_000 }]);
  const tiles = new TileStore(
    { tiles: (batch) => (isDown ? Promise.reject(new Error("no")) : source.tiles(batch)) },
    topLevel(END),
    () => ++loads,
    undefined,
    30,
  );
  const want = () => tiles.want([{ level: 3, first: 4, last: 4, strips: ["1"] }]);
  want();
  await settle();
  assert.match(String(tiles.error), /no/);
  isDown = false;
  want();
  assert.equal(source.asked.length, 0, "not at once");
  const before = loads;
  await new Promise((done) => setTimeout(done, 60));
  assert.equal(loads, before + 1);
  assert.match(String(tiles.error), /no/, "as long as it is not there");
  want();
  await settle();
  assert.equal(source.asked.length, 1);
  want();
  assert.equal(tiles.error, null);
});

test("what was used longest ago is given up first, the whole trace last", async () => {
  const { slices } = made();
  const source = sourceOfSlices(slices);
  const tiles = new TileStore(source, topLevel(END), () => {}, 40_000);
  tiles.want([{ level: tiles.top, first: 0, last: 0, strips: ["1"] }]);
  await settle();
  for (let index = 0; index < 100; ++index) {
    tiles.want([{ level: 2, first: index * 3, last: index * 3, strips: ["1"] }]);
    await settle();
    assert.ok(tiles.size <= 40_000);
  }
  assert.equal(tiles.get("1", 2, 0), null);
  assert.ok(tiles.get("1", 2, 297));
  assert.ok(tiles.get("1", tiles.top, 0));
});

test("tiles of the whole trace are within the same bytes", async () => {
  const { slices } = made();
  const source = sourceOfSlices(
    slices.flatMap((slice) => Array.from({ length: 40 }, (_, track) => ({ ...slice, track: track + 1 }))),
  );
  const tiles = new TileStore(source, topLevel(END), () => {}, 40_000);
  const strips = Array.from({ length: 40 }, (_, track) => String(track + 1));
  tiles.want([{ level: tiles.top, first: 0, last: 0, strips }]);
  for (let turn = 0; tiles.isBusy && turn < 100; ++turn) await settle();
  assert.ok(tiles.size > 0 && tiles.size <= 40_000, `${tiles.size}`);
  assert.equal(tiles.pinnedCount, 40);
  assert.equal(tiles.get("1", tiles.top, 0), null, "the first of them is given up");
  assert.ok(tiles.get("40", tiles.top, 0));
});

test("what is hit is what is drawn there", async () => {
  const { slices, tiles, sight, load } = made();
  const at = sight({ begin: 40_000, nsPerPx: 10, width: 1000 });
  await load(at);
  const lane = layout.lanes[1];
  assert.ok(lane?.kind === "track");
  for (const slice of slices.filter((one) => one.row < 2 && one.begin > 40_000 && one.end < 50_000)) {
    const found = hit(at, tiles, xOf(at.view, (slice.begin + slice.end) / 2), lane.top + 3 + slice.row * 18 + 5);
    assert.deepEqual([found?.begin, found?.end, found?.label], [slice.begin, slice.end, slice.label]);
  }
  assert.equal(hit(at, tiles, 100, 2), null, "a head is no slice");
});

test("from slice to slice, also beyond what is in sight", async () => {
  const { slices, tiles, sight, load } = made();
  const at = sight({ begin: 40_000, nsPerPx: 10, width: 1000 });
  await load(sight());
  await load(at);
  const row = slices.filter((one) => one.row === 0).sort((a, b) => a.begin - b.begin);
  let item = itemAt(at, tiles, 1, 0, 41_000);
  assert.ok(item);
  const start = row.findIndex((one) => one.begin === item?.begin);
  for (let n = 1; n < 12; ++n) {
    item = item && neighbour(at, tiles, item, 1);
    assert.equal(item?.begin, row[start + n]?.begin, `${n} on`);
  }
  for (let n = 10; n >= 0; --n) {
    item = item && neighbour(at, tiles, item, -1);
    assert.equal(item?.begin, row[start + n]?.begin, `back at ${n}`);
  }
  const last = itemAt(at, tiles, 1, 0, (row[row.length - 1] as PlainSlice).begin + 1);
  assert.ok(last);
  assert.equal(neighbour(at, tiles, last, 1), null);
});

test("a rectangle has what touches it", async () => {
  const { slices, tiles, sight, load } = made();
  const at = sight({ begin: 40_000, nsPerPx: 10, width: 1000 });
  await load(at);
  const window = { begin: 41_000, end: 46_000 };
  const lane = layout.lanes[1];
  assert.ok(lane?.kind === "track");
  const { items, isCut } = inRect(at, tiles, window, lane.top + 4, lane.top + 3 + 2 * 18 - 1, 2000);
  assert.equal(isCut, false);
  const wanted = slices.filter((one) => one.row < 2 && one.begin < window.end && one.end > window.begin);
  assert.deepEqual(
    items.map((one) => one.begin).sort((a, b) => a - b),
    wanted.map((one) => one.begin).sort((a, b) => a - b),
  );
  assert.equal(inRect(at, tiles, window, 0, 600, 3).isCut, true);
});

test("a rectangle has the tracks of all that touches it, however few items of them are listed", async () => {
  const both = [track, { ...track, number: 2, tid: "2" }, { ...track, number: 3, tid: "3" }];
  const slices = [
    ...madeUp(),
    { track: 2, row: 0, begin: 42_000, end: 43_000 },
    { track: 3, row: 0, begin: 90_000, end: 91_000 },
  ];
  const tiles = new TileStore(sourceOfSlices(slices), topLevel(END), () => {});
  const lanes = lay(sections(both), NO_LAYOUT);
  const at = { view: { begin: 40_000, nsPerPx: 10, width: 1000 }, top: 0, height: 600, end: END, layout: lanes };
  const level = sightLevel(at);
  tiles.want([{ level, ...tilesOf(windowOf(at.view), level, END), strips: ["1", "2", "3"] }]);
  await settle();
  const { items, tracks, isCut } = inRect(at, tiles, { begin: 41_000, end: 46_000 }, 0, 600, 3);
  assert.deepEqual([items.length, isCut], [3, true]);
  assert.deepEqual(tracks, [1, 2]);
});

test("all rectangles are drawn, a style at a time", async () => {
  const { tiles, sight, load } = made();
  const at = sight();
  await load(at);
  const scene = buildScene(newScene(), at, tiles, names);
  let drawn = 0;
  let changes = 0;
  const pen = {
    fillRect: () => ++drawn,
    fillText: () => {},
    measureText: (text: string) => ({ width: 6 * text.length }),
    set fillStyle(_: string) {
      ++changes;
    },
  };
  drawSlices(pen as unknown as Parameters<typeof drawSlices>[0], scene, "light");
  const beds = scene.beds.length / 4;
  assert.ok(beds > 0 && beds < scene.rects / 4, "what is beside each other lies on one bed");
  assert.equal(drawn, scene.full.reduce((sum, one) => sum + one.length / 4, 0) + beds);
  assert.equal(drawn, scene.rects + beds);
  const alike = buildScene(newScene(), at, tiles, { get: () => ({ name: "one", style: 3 }) });
  assert.ok(
    alike.rects < scene.rects && alike.counted === scene.counted,
    "short neighbours of one style are one rectangle",
  );
  assert.ok(changes <= 25 + 24 + 2);
});
