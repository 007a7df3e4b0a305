import assert from "node:assert/strict";
import { test } from "node:test";
import { drawAll, trackOf, viewerOf } from "./support_viewer";

const SHIFT = 500;

function two() {
  const first = viewerOf([trackOf(1), trackOf(2)]);
  const second = viewerOf([trackOf(7)]);
  const chosen: string[] = [];
  first.onChosen = () => chosen.push(`above, ${first.tab}`);
  second.onChosen = () => chosen.push(`below, ${first.tab}`);
  const part = first.lead(second, SHIFT);
  drawAll();
  return { first, second, chosen, part };
}

test("an area that is chosen in the lower of two traces is one of both, with its tracks in its own alone", () => {
  const { first, second, chosen } = two();
  second.setArea({ window: { begin: 2000, end: 3000 }, tracks: [7] });
  drawAll();
  drawAll();
  assert.deepEqual(first.area, { window: { begin: 1500, end: 2500 }, tracks: null });
  assert.deepEqual(second.area, { window: { begin: 2000, end: 3000 }, tracks: [7] });
  assert.equal(chosen[chosen.length - 1], "below, area", "and the table is open by then");
  assert.equal(second.clear(), true, "Escape");
  drawAll();
  assert.deepEqual([first.area, second.area], [null, null]);
  assert.equal(second.clear(), false);
});

test("an area of the upper trace is of all tracks below, whatever was chosen there before", () => {
  const { first, second } = two();
  second.setArea({ window: { begin: 2000, end: 3000 }, tracks: [7] });
  drawAll();
  first.setArea({ window: { begin: 100, end: 200 }, tracks: [1] });
  drawAll();
  assert.deepEqual(second.area, { window: { begin: 600, end: 700 }, tracks: null });
  const { area } = second;
  first.changed("overlay");
  drawAll();
  assert.equal(second.area, area, "a picture alone changes nothing");
});

test("the tab that is open is that of both, whichever has the keys", () => {
  const { first, second } = two();
  first.setTab("hits");
  drawAll();
  assert.equal(second.tab, "hits");
  second.setTab("diff");
  second.setArea({ window: { begin: 2000, end: 3000 }, tracks: null });
  assert.equal(first.tab, "diff", "differences are of the area and stay");
});
