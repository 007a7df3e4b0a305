// The same events, names, nesting and times as the file, through the tiles that the timeline draws; and at every level counts
// that add up to the events.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { readTiles } from "./support/tiles.mjs";

const samples = "samples/cpu_nightlies/2025-11-10";
const files = [
  `${samples}/resnet_mini/0/trace-cpu-inductor-False-train-None-None-None-resnet_mini.json.gz`,
  `${samples}/resnet_mini/0/trace-cpu-None-False-eval-None-None-None-resnet_mini.json.gz`,
  "../shared/data/traces/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz",
  "../shared/data/traces/kineto/2d19c634__worker0.pt.trace.json.gz",
];

let folder, server;

before(async () => {
  folder = temporaryFolder("events");
});
after(async () => {
  await server?.stop();
  if (folder) removeFolder(folder);
});

/** Stores a trace file alone and serves it. Gives its overview. */
async function store(file) {
  await server?.stop();
  const db = join(folder, `${Math.random()}.db`);
  const empty = join(folder, "results.jsonl");
  writeFileSync(empty, readFileSync(join(root, samples, "results.jsonl")));
  assert.equal(benchhud("ingest", empty, "--db", db).status, 0);
  const done = benchhud("ingest", file, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.ok(done.status === 0 || done.status === 3, done.stderr);
  server = await serve(db);
  return (await fetch(`${server.base}/api/v1/traces/1`)).json();
}

async function tilesOf(trace, level, index, tracks) {
  const response = await fetch(`${server.base}/api/v1/traces/1/tiles?level=${level}&index=${index}&tracks=${tracks}&key=${trace.key}`);
  assert.equal(response.status, 200, await response.clone().text());
  return readTiles(new Uint8Array(await response.arrayBuffer()), index * 2 ** (level + 10));
}

/** The bands of a trace's tracks that have slices: "3", "4.1", … */
const bandsOf = (trace) => trace.threads.filter(({ slices }) => slices > 0).flatMap(({ thread, rows }) => Array.from({ length: Math.ceil(rows / 64) }, (_, band) => `${thread}.${band}`));

const topLevel = (trace) => Math.max(0, Math.ceil(Math.log2(trace.end + 1)) - 10);

/** Every slice of the trace, as {track, row, begin, end, label}, found by going down from the whole until each stands alone. */
async function descend(trace) {
  const found = new Map();
  const asked = new Set();
  let requests = 0;
  const keep = (track, row, { chunk, index, begin, end, label }) => found.set(`${track} ${chunk} ${index}`, { track, row, begin, end, label });

  /** Of an item without extent: what does not take any time, slice by slice. */
  async function list(track, row, item) {
    let { chunk, index } = item;
    for (let left = item.count; left > 0; ) {
      const response = await fetch(`${server.base}/api/v1/traces/1/slice?thread=${track}&chunk=${chunk}&index=${index}&key=${trace.key}`);
      ++requests;
      if (response.status === 404) {
        assert.ok(index > 0, "the next chunk is there");
        [chunk, index] = [chunk + 1, 0];
        continue;
      }
      const slice = await response.json();
      assert.deepEqual([slice.row, slice.begin, slice.end], [row, item.begin, item.begin]);
      const label = labels.get(`${slice.name}\n${slice.category}`);
      keep(track, row, { chunk, index, begin: slice.begin, end: slice.end, label });
      ++index;
      --left;
    }
  }

  const names = [];
  for (let block = 0; names.length < trace.labels; ++block) {
    names.push(...(await (await fetch(`${server.base}/api/v1/traces/1/labels?block=${block}`)).json()).items);
  }
  const labels = new Map(names.map(({ label, name, category }) => [`${name}\n${category}`, label]));

  async function visit(level, index, band) {
    const place = `${level} ${index} ${band}`;
    if (asked.has(place)) return;
    asked.add(place);
    ++requests;
    const [{ track, rows }] = await tilesOf(trace, level, index, band);
    for (const { row, items } of rows) {
      for (const item of items) {
        if (item.count === 1) keep(track, row, item);
        else if (item.length === 0) await list(track, row, item);
        else {
          assert.ok(level > 0, "at the finest level only what takes no time stands together");
          const finer = Math.max(0, level - 2);
          const width = 2 ** (finer + 10);
          for (let i = Math.floor(item.begin / width); i * width <= item.end; ++i) await visit(finer, i, band);
        }
      }
    }
  }
  for (const band of bandsOf(trace)) await visit(topLevel(trace), 0, band);
  return { slices: [...found.values()].map((slice) => ({ ...slice, name: names[slice.label].name, category: names[slice.label].category })), requests };
}

/** ns of decimal microseconds, exactly. */
function nanoseconds(text) {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  assert.ok(match, text);
  const [, sign, whole, fraction = ""] = match;
  assert.match(fraction.slice(3), /^0*$/, "no part of a nanosecond");
  const ns = BigInt(whole) * 1000n + BigInt(fraction.slice(0, 3).padEnd(3, "0"));
  return sign ? -ns : ns;
}

/** The slices of a file, read by other means: {pid, tid, name, category, start, duration}, times as BigInt. */
function slicesOf(text) {
  const exact = text.replace(/"(ts|dur)"\s*:\s*(-?[0-9.]+)/g, '"$1":"$2"');
  const parsed = JSON.parse(exact);
  const events = Array.isArray(parsed) ? parsed : parsed.traceEvents;
  assert.ok(!events.some(({ ph }) => ph === "B" || ph === "E"), "this reader knows no pairs");
  return events.filter(({ ph }) => ph === "X").map((event) => ({ pid: String(event.pid), tid: String(event.tid), name: event.name, category: event.cat ?? "", start: nanoseconds(event.ts), duration: nanoseconds(event.dur ?? "0") }));
}

/** The depths of a track's slices by a stack of its own, or null where slices overlap one another. */
function depths(slices) {
  const order = [...slices].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.duration > b.duration ? -1 : a.duration < b.duration ? 1 : 0));
  const open = [];
  for (const slice of order) {
    while (open.length > 0 && open.at(-1).start + open.at(-1).duration <= slice.start) open.pop();
    if (open.length > 0 && slice.start + slice.duration > open.at(-1).start + open.at(-1).duration) return null;
    slice.depth = open.length;
    open.push(slice);
  }
  return order;
}

const counted = (texts) => {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

async function compare(file) {
  const bytes = readFileSync(file);
  const slices = slicesOf((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
  const trace = await store(file);
  const origin = BigInt(trace.origin);
  const tracks = new Map();
  for (const slice of slices) {
    const key = `${slice.pid}/${slice.tid}`;
    if (!tracks.has(key)) tracks.set(key, []);
    tracks.get(key).push(slice);
  }
  const { slices: drawn } = await descend(trace);
  assert.equal(drawn.length, slices.length);
  const threads = new Map(trace.threads.map((thread) => [thread.thread, `${thread.pid}/${thread.tid}`]));
  const drawnOn = new Map();
  for (const slice of drawn) {
    const key = threads.get(slice.track);
    if (!drawnOn.has(key)) drawnOn.set(key, []);
    drawnOn.get(key).push(slice);
  }
  assert.deepEqual([...drawnOn.keys()].sort(), [...tracks.keys()].sort());
  let nested = 0;
  for (const [key, ofTrack] of tracks) {
    const byDepth = depths(ofTrack);
    if (byDepth) nested += ofTrack.length;
    const expected = counted(ofTrack.map((slice) => [slice.name, slice.category, slice.start, slice.duration, byDepth ? slice.depth : ""].join("\n")));
    const found = counted(drawnOn.get(key).map((slice) => [slice.name, slice.category, origin + BigInt(slice.begin), slice.end - slice.begin, byDepth ? slice.row : ""].join("\n")));
    assert.deepEqual(found, expected, `track ${key}`);
  }
  return { trace, nested, count: slices.length };
}

/** At every level the items that do not reach in count each slice once. */
async function addUp(trace) {
  const bands = bandsOf(trace);
  for (let level = topLevel(trace); level >= 0; --level) {
    const windows = Math.floor(trace.end / 2 ** (level + 10)) + 1;
    if (windows * bands.length > 3000) break;
    let count = 0;
    for (let index = 0; index < windows; ++index) {
      for (let i = 0; i < bands.length; i += 16) {
        for (const { rows } of await tilesOf(trace, level, index, bands.slice(i, i + 16).join(","))) {
          for (const { items } of rows) for (const item of items) count += item.reachesIn ? 0 : item.count;
        }
      }
    }
    assert.equal(count, slicesOfThreads(trace, () => true), `level ${level}`);
  }
  assert.equal(slicesOfThreads(trace, ({ is_async: isAsync }) => !isAsync), trace.slices);
}

const slicesOfThreads = (trace, fits) => trace.threads.filter(fits).reduce((sum, { slices }) => sum + slices, 0);

for (const file of files) {
  const path = join(root, file);
  test(`event by event: ${file}`, { skip: existsSync(path) ? false : `no ${file} beside the checkout` }, async () => {
    const { trace, nested, count } = await compare(path);
    assert.ok(count > 0 && nested > 0, "some nest");
    await addUp(trace);
  });
}

test("dense tiny events, and thousands at one moment", async () => {
  const events = [];
  const random = (() => {
    let state = 1;
    return (most) => (state = (state * 48271) % 2147483647) % most;
  })();
  const us = (ns) => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, "0")}`;
  const add = (ns, length, name, tid) => events.push(`{"ph":"X","pid":1,"tid":${tid},"name":"${name}","cat":"c","ts":${us(ns)},"dur":${us(length)}}`);
  for (let ns = 0; events.length < 20_000; ns += 1 + (random(100) === 0 ? random(500) : 0)) add(ns, 1, `tiny ${random(9)}`, 1);
  // More than a chunk holds, all at one moment and without length, between others.
  add(0, 5_000, "before", 2);
  for (let i = 0; i < 9_000; ++i) add(7_000, 0, `moment ${i % 3}`, 2);
  add(7_001, 3_000, "behind", 2);
  const file = join(folder, "dense.json");
  writeFileSync(file, `{"traceEvents":[${events.join(",\n")}]}`);
  const { trace, count } = await compare(file);
  assert.equal(count, 29_002);
  await addUp(trace);
});

test("what is asynchronous, on tracks of its own, event by event", async () => {
  const events = [{ ph: "M", pid: 1, tid: 1, name: "process_name", args: { name: "server" } }];
  let state = 1;
  const random = (most) => (state = (state * 48271) % 2147483647) % most;
  /** What is to be drawn, by track: {name, start, duration}. */
  const expected = [];
  const open = new Map();
  const begun = (key) => open.get(key) ?? open.set(key, []).get(key);
  for (let ts = 10; ts < 20_000; ++ts) {
    const pid = 1 + random(2), name = ["connect", "request", "answer"][random(3)], cat = ["net", "disk"][random(2)];
    const isNested = random(3) > 0, isLocal = isNested && random(4) === 0, id = random(30);
    const kind = random(7);
    const ph = isNested ? "bbbeeen"[kind] : "SSSFFFT"[kind];
    events.push({ ph, pid, tid: random(3), name, cat, ts, ...(isLocal ? { id2: { local: `0x${id}` } } : { id }), args: { ts } });
    const stack = begun([isNested, cat, isLocal ? `${pid} ${id}` : id, isNested ? "" : name].join("|"));
    const place = stack[0]?.track ?? `${pid}/async ${cat}/async: ${name}`;
    if (kind === 6) expected.push({ track: place, name, cat, start: ts, duration: 0 });
    else if (kind < 3) stack.push({ track: place, name, cat, start: ts });
    else {
      const at = stack.findLastIndex((one) => one.name === name);
      if (at >= 0) expected.push({ ...stack[at], duration: ts - stack[at].start });
      if (at >= 0) stack.splice(at, 1);
    }
    if (ts % 10 === 0) events.push({ ph: "X", pid, tid: 1, name: "work", cat: "cpu_op", ts: ts + 3, dur: 5 });
  }
  const file = join(folder, "async.json");
  writeFileSync(file, JSON.stringify({ traceEvents: events }));
  const trace = await store(file);
  assert.equal(trace.slices, 1999, "of the file's own slices");
  const lanes = new Map(trace.threads.filter(({ is_async: is }) => is).map((one) => [one.thread, `${one.pid}/${one.tid}/${one.name}`]));
  assert.equal(lanes.size, 12);
  assert.ok(trace.threads.every(({ is_async: is, pid, process_name: process }) => !is || pid !== "1" || process === "server"), "they stand with their process");
  const { slices } = await descend(trace);
  const drawn = slices.filter(({ track }) => lanes.has(track));
  const line = ({ track, name, category, begin, end }) => [lanes.get(track), name, category, trace.origin === "0" ? begin : begin + Number(trace.origin), end - begin].join("\n");
  assert.deepEqual(counted(drawn.map(line)), counted(expected.map(({ track, name, cat, start, duration }) => [track, name, cat, start * 1000, duration * 1000].join("\n"))));
  assert.ok(expected.length > 5000);
  await addUp(trace);
  const api = `${server.base}/api/v1/traces/1`;
  const one = drawn[0];
  const tile = await (await fetch(`${api}/tile?thread=${one.track}&begin=${one.begin}&end=${one.begin + 1}`)).json();
  const [, , , , , , chunk, index] = tile.rows.find(({ row }) => row === one.row).items.find(([begin]) => begin === one.begin);
  const slice = await (await fetch(`${api}/slice?thread=${one.track}&chunk=${chunk}&index=${index}`)).json();
  assert.equal(JSON.parse(slice.arguments).ts * 1000, one.begin + Number(trace.origin), "the arguments are those of its begin");
  // Exported they are the events that they were, once; what is before the first slice is before the window.
  const steps = (list) => counted(list.filter(({ ph, ts }) => "bneSTF".includes(ph) && ts * 1000 >= Number(trace.origin)).map(({ ph }) => ph));
  const { traceEvents: exported } = await (await fetch(`${api}/export`)).json();
  assert.equal(exported.filter(({ ph }) => ph === "X").length, 1999);
  assert.deepEqual(steps(exported), steps(events));
  const { rows } = await (await fetch(`${api}/sums?by=track`)).json();
  assert.equal(rows.filter(({ thread }) => lanes.has(thread)).reduce((sum, { count }) => sum + count, 0), expected.length);
  const { stacks } = await (await fetch(`${api}/flame?end=${trace.end + 1}`)).json();
  assert.equal(stacks.rows.length, 1, "stacks are of threads");
});
