import assert from "node:assert/strict";
import { test } from "node:test";
import { Events, busyAt } from "../src/trace/events";
import { NO_LAYOUT, lay, sections } from "../src/trace/layout";
import { trackOf } from "./support_viewer";
import { heldServer, settle } from "./support_server";

const REST_MS = 150;

function made(flows: string[], againMs?: number) {
  const requests = heldServer();
  const viewer = {
    info: { id: 1, key: "k" },
    view: { begin: 10_000, nsPerPx: 1, width: 1000 },
    flows,
    layout: lay([], NO_LAYOUT),
    top: 0,
    height: 100,
    changed: () => {},
  };
  const events = new Events(viewer as unknown as ConstructorParameters<typeof Events>[0], againMs);
  const rest = async (begin: number, nsPerPx = 1): Promise<void> => {
    viewer.view = { ...viewer.view, begin, nsPerPx };
    events.rest();
    await settle(REST_MS);
  };
  const windows = () => requests.map(({ query }) => [Number(query.get("begin")), Number(query.get("end"))]);
  return { requests, viewer, events, rest, windows };
}
const arrows = (time: number) => ({ arrows: [[time, 1, time + 1, 2, "launch", 0]], is_cut: false, count_at_least: 1 });
const cut = { arrows: [], is_cut: true, count_at_least: 5000 };

test("an answer for where one was before does not overwrite that for where one is", async () => {
  const { requests, events, rest, windows } = made(["launch"]);
  await rest(10_000);
  await rest(90_000);
  assert.deepEqual(windows(), [
    [9500, 11_500],
    [89_500, 91_500],
  ]);
  assert.equal(requests[0]?.isGivenUp, true);
  requests[1]?.answer(arrows(90_100));
  requests[0]?.answer(arrows(10_100));
  await settle();
  assert.deepEqual(
    events.arrows.map((one) => one.fromTime),
    [90_100],
  );
  await rest(90_200);
  assert.equal(requests.length, 2, "a small move asks for nothing");
});

test("kinds that were switched off meanwhile stay off", async () => {
  const { requests, viewer, events, rest } = made(["launch"]);
  await rest(10_000);
  viewer.flows = [];
  await rest(10_000);
  requests[0]?.answer(arrows(10_100));
  await settle();
  assert.deepEqual([events.arrows.length, requests[0]?.isGivenUp], [0, true]);
});

test("too many of the margins as well may be few enough of what is in sight, which is asked for at once", async () => {
  const { requests, events, rest, windows } = made(["launch"]);
  await rest(10_000);
  requests[0]?.answer(cut);
  await settle();
  assert.deepEqual(windows()[1], [10_000, 11_000]);
  assert.equal(events.tooManyArrows, null, "nothing is known of what is in sight yet");
  requests[1]?.answer(cut);
  await settle();
  assert.equal(requests.length, 2, "of that nothing more can be had");
  assert.equal(events.tooManyArrows, 5000);
  await rest(10_000.2, 1 / 64);
  assert.deepEqual(windows()[2], [10_000, 10_016], "nearer");
  requests[2]?.answer(arrows(10_003));
  await settle();
  assert.deepEqual([events.arrows.length, events.tooManyArrows], [1, null]);
  await rest(-24, 1);
  assert.deepEqual(windows()[3], [0, 1464], "before the beginning is nothing");
  requests[3]?.answer(arrows(1));
  await settle();
  await rest(-24, 1);
  assert.equal(requests.length, 4, "and what is there is not asked for again");
});

test("what could not be had is told, and asked for again until it comes", async () => {
  const { requests, events, rest } = made(["launch", "instants"], 40);
  await rest(10_000);
  assert.deepEqual(
    requests.map((one) => one.path),
    ["flows", "points"],
  );
  requests[0]?.answer({ title: "no" }, 500);
  requests[1]?.answer({ items: [], is_cut: false });
  await settle();
  assert.match(String(events.error), /no/);
  await settle(80);
  assert.deepEqual(
    requests.map((one) => one.path),
    ["flows", "points", "flows"],
  );
  requests[2]?.answer(arrows(10_100));
  await settle();
  assert.deepEqual([events.error, events.arrows.length], [null, 1]);
});

test("what a device did is asked for while its lane is in sight, and found by time", async () => {
  const { requests, viewer, events, rest } = made([]);
  const device = {
    device: 4,
    thread: 1,
    begin: 0,
    end: 100,
    busy: 60,
    gaps: 2,
    idle: { host_wait: 30, kernel_wait: 10, other: 0, unknown: 0 },
  };
  viewer.layout = lay(sections([trackOf(1, { side: "device" })], [], [device]), NO_LAYOUT);
  await rest(10_000);
  assert.deepEqual(
    requests.map((one) => [one.path, one.query.get("device")]),
    [["busy", "4"]],
  );
  const data = { begin: [10, 50], end: [20, 60], busy: [10, 10], count: [1, 1] };
  requests[0]?.answer(data);
  await settle();
  assert.deepEqual(events.busy(4), data);
  assert.deepEqual(
    [5, 10, 19, 20, 59, 60].map((time) => busyAt(data, time)),
    [0, 0, 0, 1, 1, 2],
  );
});
