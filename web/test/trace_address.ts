import assert from "node:assert/strict";
import { test } from "node:test";
import { keepAddress } from "../src/trace/use_url";
import { drawAll, trackOf, viewerOf } from "./support_viewer";

const REST_MS = 30;
const written: string[] = [];
const told: string[] = [];
type Listener = (event: { target: { closest: (selector: string) => object | null } }) => void;
const listeners = new Map<string, Listener>();
const place = { pathname: "/trace/1", search: "", hash: "" };
const arrive = (how: string) => (_state: unknown, _title: string, address: string) => {
  const { pathname, search, hash } = new URL(address, "http://here");
  Object.assign(place, { pathname, search, hash });
  written.push(`${how} ${decodeURIComponent(search)}`);
};
Object.assign(globalThis, {
  location: place,
  history: { pushState: arrive("push"), replaceState: arrive("replace") },
  addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
  removeEventListener: (name: string) => listeners.delete(name),
  dispatchEvent: (event: { name: string }) => told.push(event.name),
  CustomEvent: class {
    constructor(readonly name: string) {}
  },
});

const happen = (name: string, isInLink = false) =>
  listeners.get(name)?.({ target: { closest: () => (isInLink ? {} : null) } });
const rest = (ms: number) => new Promise((done) => setTimeout(done, ms));
const slice = {
  track: 1,
  row: 0,
  begin: 10,
  end: 20,
  count: 1,
  busy: 10,
  label: 0,
  slice: { track: 1, chunk: 0, index: 3 },
};

test("the address is written through the router when the timeline rests, and not while it moves", async () => {
  const viewer = viewerOf([trackOf(1)]);
  viewer.resize(1000, 200);
  const stop = keepAddress(viewer, { restMs: REST_MS, mostMs: 60_000 });
  await rest(1);
  for (let n = 0; n < 40; ++n) {
    viewer.zoom(1.02);
    drawAll();
    await rest(5);
  }
  assert.deepEqual(written, [], "nothing in a fifth of a second of movement");
  await rest(5 * REST_MS);
  assert.equal(written.length, 1);
  assert.match(written[0] as string, /^replace \?t=\d+:\d+$/);
  assert.deepEqual(told, ["hud:place"], "who shows the address knows of it");
  viewer.select([slice]);
  drawAll();
  await rest(5 * REST_MS);
  assert.match(written[1] as string, /^push \?t=.*&s=1\.0\.3&tab=details$/);
  // A link that is followed at once leaves what is in sight.
  viewer.fitAll();
  drawAll();
  happen("click");
  assert.equal(written.length, 2, "a click beside links draws nothing again before it has done its work");
  happen("click", true);
  assert.match(written[2] as string, /^replace \?s=1\.0\.3&tab=details$/);
  await rest(5 * REST_MS);
  assert.equal(written.length, 3, "and it is written once");
  // Going back to another page is none of its business.
  Object.assign(place, { pathname: "/alerts", search: "?t=5:10" });
  const { view } = viewer;
  happen("popstate");
  assert.equal(viewer.view, view);
  viewer.zoom(2);
  drawAll();
  await rest(5 * REST_MS);
  assert.equal(written.length, 3);
  stop();
});

test("the address is written now and then while the timeline never rests", async () => {
  Object.assign(place, { pathname: "/trace/1", search: "" });
  written.length = 0;
  const viewer = viewerOf([trackOf(1)]);
  viewer.resize(1000, 200);
  const stop = keepAddress(viewer, { restMs: REST_MS, mostMs: 2 * REST_MS });
  await rest(1);
  const end = Date.now() + 10_000;
  for (let n = 0; written.length < 2 && Date.now() < end; ++n) {
    viewer.zoom(n % 2 ? 0.9 : 1.2);
    drawAll();
    await rest(1);
  }
  assert.equal(written.length, 2);
  stop();
});

test("which arrow was followed last is each timeline's own", () => {
  const [one, other] = [viewerOf([trackOf(1)]), viewerOf([trackOf(1)])];
  one.lastWay = { slice: { track: 1, chunk: 0, index: 0 }, direction: "back", turn: 2 };
  assert.equal(other.lastWay, null);
});
