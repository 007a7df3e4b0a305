import assert from "node:assert/strict";
import { test } from "node:test";
import { claimKeys, claimedHelp, claimedKey, plainKey } from "../src/lib/keys";
import { changed, grouped, href } from "../src/lib/route";
import { trackOf, viewerOf } from "./support_viewer";
import { type Place, readPlace, writePlace } from "../src/trace/url";

const NOTHING: Place = {
  window: null,
  selection: [],
  area: null,
  tool: "select",
  tab: null,
  find: "",
  flows: [],
  marks: null,
  pinned: [],
  hidden: [],
  toggled: [],
  only: "",
  top: 0,
};
const address = (place: Place) => href("/trace/3", grouped(changed(new URLSearchParams("with=9"), writePlace(place))));

test("a place is in its address, and comes back from there", () => {
  const place: Place = {
    window: { begin: -5, end: 9_007_199_254_740_991 },
    selection: [
      { track: 3, chunk: 0, index: 8190 },
      { track: 0, chunk: 12, index: 4 },
    ],
    area: { window: { begin: 1, end: 2 }, tracks: [3, 7] },
    tool: "time",
    tab: "area",
    find: "aten:: mm, & more",
    flows: ["launch", "async"],
    marks: ["step", "queue_full"],
    pinned: [3, 7],
    hidden: [1],
    toggled: ["4", "s:1 a, b"],
    only: "stream 7",
    top: 120,
  };
  assert.deepEqual(readPlace(new URL(address(place), "http://x").searchParams), place);
  assert.match(address(place), /with=9/, "what is not the timeline's stays");
  assert.deepEqual(
    readPlace(
      new URL(address({ ...place, area: { window: { begin: 1, end: 2 }, tracks: null } }), "http://x").searchParams,
    ).area,
    { window: { begin: 1, end: 2 }, tracks: null },
  );
});

test("what is as it is at first is not said", () => {
  assert.equal(address(NOTHING), "/trace/3?with=9");
  assert.deepEqual(readPlace(new URLSearchParams("")), NOTHING);
});

test("no marks at all are told from those that are drawn at first", () => {
  assert.match(address({ ...NOTHING, marks: [] }), /marks=none/);
  assert.deepEqual(readPlace(new URLSearchParams("marks=none")).marks, []);
  const viewer = viewerOf([trackOf(1)]);
  assert.equal(viewer.place.marks, null);
  for (const kind of viewer.marks) viewer.toggleMarks(kind);
  assert.deepEqual(viewer.place.marks, []);
  viewer.apply({ ...NOTHING, marks: ["pageable_copy", "nonsense", "step"] });
  assert.deepEqual(viewer.place.marks, ["step", "pageable_copy"]);
  viewer.apply(NOTHING);
  assert.equal(viewer.place.marks, null);
});

test("what an address cannot mean is left out", () => {
  for (const query of [
    "t=5:5",
    "t=9:3",
    "t=a:b",
    "t=1e3:9e9",
    "t=99999999999999999999:3",
    "s=1.2",
    "s=a.b.c,-1.0.0,1.2.3.4",
    "a=:",
    "tool=9",
    "tool=x",
    "tab=nonsense",
    "pinned=-1,x",
    "y=-4",
  ]) {
    assert.deepEqual(readPlace(new URLSearchParams(query)), NOTHING, query);
  }
  assert.equal(readPlace(new URLSearchParams("s=" + Array(99).fill("1.2.3").join())).selection.length, 50);
});

test("a page's own keys come before those that are everywhere, until it is left", () => {
  const key = (name: string, more = {}) =>
    ({ key: name, ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false, ...more }) as KeyboardEvent;
  assert.equal(plainKey(key("m")), true);
  assert.equal(claimedKey(key("m")), false);
  const giveBack = claimKeys(new Set(["m"]), [["m", "mark"]]);
  assert.equal(plainKey(key("m")), false);
  assert.equal(claimedKey(key("m")), true);
  assert.equal(claimedKey(key("m", { defaultPrevented: true })), false);
  assert.equal(claimedKey(key("m", { ctrlKey: true })), false);
  assert.equal(plainKey(key("t")), true);
  assert.deepEqual(claimedHelp(), [["m", "mark"]]);
  const giveBackLater = claimKeys(new Set(["x"]), []);
  giveBack();
  assert.equal(plainKey(key("x")), false, "the page that came since keeps its own");
  giveBackLater();
  assert.equal(plainKey(key("x")), true);
});
