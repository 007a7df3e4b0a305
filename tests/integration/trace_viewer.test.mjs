// What the timeline asks the server: tiles as bytes, names, what is where. The real program on stores of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { benchhud, program, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { readTiles } from "./support/tiles.mjs";

const IMMUTABLE = "private, max-age=31536000, immutable";

let folder, server, sample, gpu;

/** A small trace of a GPU: calls that launch kernels, a counter, marks. */
function madeUp() {
  const events = [
    { ph: "M", pid: 0, tid: 7, name: "process_name", args: { name: "python" } },
    { ph: "M", pid: 0, tid: 7, name: "process_labels", args: { labels: "GPU 0" } },
    { ph: "M", pid: 0, tid: 7, name: "thread_name", args: { name: "stream 7" } },
  ];
  for (let i = 0; i < 3000; ++i) {
    const ts = 1000 + 10 * i;
    events.push({ ph: "X", pid: 1, tid: 1, name: "aten::mm", cat: "cpu_op", ts, dur: 8 });
    events.push({ ph: "X", pid: 1, tid: 1, name: "cudaLaunchKernel", cat: "cuda_runtime", ts: ts + 1, dur: 5, args: { correlation: i } });
    events.push({ ph: "X", pid: 0, tid: 7, name: i % 2 ? "gemm" : "triton_poi_fused_0", cat: "kernel", ts: ts + 7, dur: 9, args: { correlation: i } });
    events.push({ ph: "s", pid: 1, tid: 1, id: i, name: "ac2g", cat: "ac2g", ts: ts + 1 });
    events.push({ ph: "f", pid: 0, tid: 7, id: i, name: "ac2g", cat: "ac2g", ts: ts + 7, bp: "e" });
    if (i % 3 === 0) events.push({ ph: "C", pid: 1, tid: 1, name: "memory", ts, args: { used: i, free: 3000 - i } });
    if (i % 1000 === 0) events.push({ ph: "i", pid: 1, tid: 1, name: `mark ${i}`, ts, s: "t" });
  }
  return { traceEvents: events };
}

before(async () => {
  folder = temporaryFolder("viewer");
  const db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--db", db).status, 0);
  const made = join(folder, "made.json");
  writeFileSync(made, JSON.stringify(madeUp()));
  assert.equal(benchhud("ingest", made, "--for", "latest/resnet_mini/eval/inductor", "--db", db).status, 0);
  server = await serve(db);
  const { items } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
  sample = await getJson(`/traces/${items.find((one) => one.name.startsWith("resnet_mini/0/trace-cpu-inductor-False-train")).trace_id}`);
  gpu = await getJson(`/traces/${items.find((one) => one.name === "made.json").trace_id}`);
});

after(async () => {
  await server?.stop();
  if (folder) removeFolder(folder);
});

const get = (path) => fetch(`${server.base}/api/v1${path}`);

async function getJson(path) {
  const response = await get(path);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

/** Tiles of a window, and who answered. */
async function getTiles(trace, level, index, tracks) {
  const response = await get(`/traces/${trace.id}/tiles?level=${level}&index=${index}&tracks=${tracks}&key=${trace.key}`);
  assert.equal(response.status, 200, await response.clone().text());
  return readTiles(new Uint8Array(await response.arrayBuffer()), index * 2 ** (level + 10));
}


test("the tests' own reader reads what the document's cases say", () => {
  const cases = JSON.parse(readFileSync(join(root, "tests/cases/tile_bytes.json"), "utf8"));
  for (const { name, tiles, bytes } of cases) {
    for (const { window_begin: begin, ...expected } of tiles) {
      const tile = readTiles(Buffer.from(bytes, "hex"), begin).find(({ track, band }) => track === expected.track && band === expected.band);
      const items = expected.rows.map(({ row, items: own }) => ({ row, items: own.map(({ reaches_in: reachesIn, ...item }) => ({ reachesIn, ...item, length: item.end - item.begin })) }));
      assert.deepEqual(tile.rows, items, name);
    }
  }
});

describe("tiles as bytes", () => {
  test("are those of the address that answers JSON", async () => {
    const level = 14;
    for (const thread of sample.threads.filter(({ slices }) => slices > 0)) {
      for (const index of [0, 3]) {
        const begin = index * 2 ** (level + 10);
        const [tile] = await getTiles(sample, level, index, thread.thread);
        const json = await getJson(`/traces/${sample.id}/tile?thread=${thread.thread}&begin=${begin}&end=${begin + 2 ** (level + 10)}`);
        assert.deepEqual(
          tile.rows.map(({ row, items }) => ({ row, items: items.map((item) => [item.begin, item.end, item.count, item.busy, item.label, item.reachesIn, item.chunk, item.index]) })),
          json.rows,
        );
      }
    }
  });

  test("bands are rows of the track, and a window behind the end is empty", async () => {
    const deep = sample.threads.reduce((most, thread) => (thread.rows > most.rows ? thread : most));
    const all = await getTiles(sample, 40, 0, `${deep.thread}.0,${deep.thread}.1,${deep.thread}.67108863`);
    assert.deepEqual(all.map(({ track, band }) => [track, band]), [0, 1, 67108863].map((band) => [deep.thread, band]));
    assert.equal(all[0].rows.length, deep.rows);
    assert.equal(all[1].rows.length + all[2].rows.length, 0);
    for (const [level, index] of [[0, 2 ** 53], [52, 2 ** 53], [52, 1], [40, 1]]) {
      assert.deepEqual((await getTiles(sample, level, index, deep.thread))[0].rows, [], `${level} ${index}`);
    }
    assert.deepEqual((await getTiles(sample, 40, 0, "4294967295"))[0].rows, [], "a track that is not there");
  });

  test("may be kept for good with the trace's key, and not without", async () => {
    const path = `/traces/${sample.id}/tiles?level=20&index=0&tracks=0`;
    const plain = await get(path);
    assert.equal(plain.headers.get("cache-control"), "no-cache");
    const keyed = await get(`${path}&key=${sample.key}`);
    assert.equal(keyed.headers.get("cache-control"), IMMUTABLE);
    assert.equal(keyed.headers.get("content-encoding"), null);
    assert.equal(keyed.headers.get("content-type"), "application/octet-stream");
    const again = await fetch(keyed.url, { headers: { "if-none-match": keyed.headers.get("etag") } });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get("cache-control"), IMMUTABLE);
    for (const where of ["/tiles?level=20&index=0&tracks=0", "/tile?thread=0&end=1", "/slice?thread=0&chunk=0&index=0"]) {
      const stale = await get(`/traces/${sample.id}${where}&key=0123456789abcdef`);
      assert.equal(stale.status, 404, where);
      assert.equal((await stale.json()).parameter, "key");
    }
  });

  test("wrong lists of tracks are refused", async () => {
    const seventeen = Array(17).fill(0).join(",");
    for (const tracks of ["", ",", "1,", ",1", "-1", "1.5.2", "1.", "a", "1,,2", "4294967296", "1.67108864", "1 2", seventeen]) {
      const response = await get(`/traces/${sample.id}/tiles?level=0&index=0&tracks=${encodeURIComponent(tracks)}`);
      assert.equal(response.status, 400, tracks);
      assert.equal((await response.json()).parameter, "tracks", tracks);
    }
    for (const [level, index, parameter] of [[-1, 0, "level"], [53, 0, "level"], [0, -1, "index"]]) {
      const response = await get(`/traces/${sample.id}/tiles?level=${level}&index=${index}&tracks=0`);
      assert.equal(response.status, 400);
      assert.equal((await response.json()).parameter, parameter);
    }
  });
});

describe("names and sides", () => {
  test("labels come by blocks, with what they are", async () => {
    const { items } = await getJson(`/traces/${sample.id}/labels?key=${sample.key}`);
    assert.equal(items.length, Math.min(sample.labels, 1024));
    items.forEach(({ label }, i) => assert.equal(label, i));
    assert.equal(items.find(({ name }) => name === "aten::convolution").class, "operator");
    assert.ok(items.some((one) => one.class === "compiled"));
    assert.deepEqual((await getJson(`/traces/${sample.id}/labels?block=1000`)).items, []);
    assert.equal((await get(`/traces/${sample.id}/labels?key=${sample.key}`)).headers.get("cache-control"), IMMUTABLE);
  });

  test("the overview says where tracks ran, when the last slice ends, and of which dump it is", async () => {
    const busiest = sample.threads.reduce((most, thread) => (thread.slices > most.slices ? thread : most));
    assert.equal(busiest.side, "host");
    assert.equal(sample.end, Math.max(...sample.threads.map(({ end }) => end ?? 0)));
    const { name } = await getJson(`/artifacts/${sample.artifact}`);
    assert.match(name, /^resnet_mini\/0\//);
  });

  test("a slice tells its own time and where its arrows lead", async () => {
    const { items } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
    let followed = 0;
    for (const { trace_id: id } of items) {
      const trace = await getJson(`/traces/${id}`);
      if (trace.flows === 0) continue;
      for (const { thread } of trace.threads.filter(({ slices }) => slices > 0)) {
        const tile = await getJson(`/traces/${id}/tile?thread=${thread}&end=${trace.end + 1}&buckets=16384`);
        const backward = new Set(tile.labels.filter(({ name }) => /Backward\d/.test(name)).map(({ label }) => label));
        const slices = tile.rows.flatMap((row) => row.items).filter((item) => item[2] === 1 && backward.has(item[4]));
        for (const [, , , , , , chunk, index] of slices) {
          const slice = await getJson(`/traces/${id}/slice?thread=${thread}&chunk=${chunk}&index=${index}`);
          assert.equal(slice.end, slice.begin + slice.duration);
          assert.ok(slice.self >= 0 && slice.self <= slice.duration);
          for (const flow of slice.flows.filter((one) => one.slice)) {
            const at = flow.slice;
            const other = await getJson(`/traces/${id}/slice?thread=${at.thread}&chunk=${at.chunk}&index=${at.index}`);
            const back = flow.direction === "back" ? "forward" : "back";
            assert.ok(other.flows.some((one) => one.direction === back && one.slice && one.slice.thread === thread && one.slice.begin === slice.begin), "the arrow leads here from there");
            if (++followed === 20) return;
          }
        }
      }
    }
    assert.ok(followed > 0, "some slice has an arrow");
  });
});

describe("finding, going on, summing up", () => {
  /** The sample's slices, by the tiles: {thread, chunk, index, begin, end, label, name}. */
  async function allSlices() {
    const slices = [];
    for (const { thread, slices: count } of sample.threads) {
      if (count === 0) continue;
      for (let chunk = 0, left = count; left > 0; ++chunk) {
        for (let index = 0; left > 0; ++index) {
          const response = await get(`/traces/${sample.id}/slice?thread=${thread}&chunk=${chunk}&index=${index}`);
          if (response.status === 404) break;
          slices.push({ ...(await response.json()), thread });
          --left;
        }
      }
    }
    assert.equal(slices.length, sample.slices);
    return slices;
  }
  let slices;
  before(async () => {
    slices = await allSlices();
  });

  test("find tells how many there are in all of the trace, and where", async () => {
    for (const q of ["aten", "ATEN conv", '"aten::conv2d"', "class:compiled", "cat:user_annotation profiler", "nothing at all"]) {
      const found = await getJson(`/traces/${sample.id}/find?q=${encodeURIComponent(q)}`);
      const fits = {
        aten: ({ name }) => /aten/i.test(name),
        "ATEN conv": ({ name }) => /aten/i.test(name) && /conv/i.test(name),
        '"aten::conv2d"': ({ name }) => name === "aten::conv2d",
        "class:compiled": (slice) => slice.class === "compiled",
        "cat:user_annotation profiler": ({ name, category }) => category.includes("user_annotation") && /profiler/i.test(name),
        "nothing at all": () => false,
      }[q];
      const expected = slices.filter(fits);
      assert.equal(found.slices, expected.length, q);
      assert.equal(found.names, new Set(expected.map(({ name, category }) => `${name}\n${category}`)).size, q);
      assert.equal(found.total_ns, expected.reduce((sum, { duration }) => sum + duration, 0), q);
      const bins = Array(256).fill(0);
      for (const { begin } of expected) ++bins[Math.floor((begin * 256) / (sample.end + 1))];
      assert.deepEqual(found.bins, bins, q);
    }
    const cut = await getJson(`/traces/${sample.id}/find?q=aten&limit=2`);
    assert.equal(cut.labels.length, 2);
    assert.equal(cut.left_out, cut.names - 2);
    assert.ok(cut.labels[0].total_ns >= cut.labels[1].total_ns);
  });

  test("next and previous go through all hits in order", async () => {
    const inOrder = (a, b) => a.begin - b.begin || a.thread - b.thread || a.chunk - b.chunk || a.index - b.index;
    const hits = slices.filter(({ name }) => name === "aten::conv2d").sort(inOrder);
    assert.ok(hits.length > 3);
    const q = encodeURIComponent('"aten::conv2d"');
    const place = ({ thread, chunk, index, begin }) => ({ thread, chunk, index, begin });
    for (const direction of ["next", "previous"]) {
      const way = direction === "next" ? hits : [...hits].reverse();
      let at = (await getJson(`/traces/${sample.id}/next?q=${q}&direction=${direction}&from=${direction === "next" ? 0 : sample.end}`)).slice;
      for (const hit of way) {
        assert.deepEqual(place(at), place(hit), direction);
        at = (await getJson(`/traces/${sample.id}/next?q=${q}&direction=${direction}&from=${at.begin}&thread=${at.thread}&chunk=${at.chunk}&index=${at.index}`)).slice;
      }
      assert.equal(at, null, "behind the last there is none");
    }
    const { label } = (await getJson(`/traces/${sample.id}/find?q=${q}`)).labels[0];
    const other = sample.threads.find(({ thread, slices: count }) => count > 0 && thread !== hits[0].thread);
    assert.deepEqual(place((await getJson(`/traces/${sample.id}/next?labels=${label},${label}`)).slice), place(hits[0]));
    assert.equal((await getJson(`/traces/${sample.id}/next?labels=${label}&tracks=${other.thread}`)).slice, null);
    for (const [query, parameter] of [["", "q"], ["q=a&labels=1", "q"], ["q=a&thread=1", "thread"], ["q=a&chunk=1", "thread"], ["labels=x", "labels"], ["q=a&direction=up", "direction"], [`q=${"a".repeat(2001)}`, "q"]]) {
      const response = await get(`/traces/${sample.id}/next?${query}`);
      assert.equal(response.status, 400, query);
      assert.equal((await response.json()).parameter, parameter, query);
    }
  });

  test("sums of windows are those of the slices in them", async () => {
    const windows = [[0, sample.end + 1], [Math.floor(sample.end / 3), Math.floor(sample.end / 2)], [1000, 1001]];
    for (const [begin, end] of windows) {
      const inside = slices.filter((slice) => slice.begin < end && (slice.end > begin || slice.begin >= begin));
      const part = (slice) => Math.max(0, Math.min(slice.end, end) - Math.max(slice.begin, begin));
      for (const [by, key] of [["name", ({ name, category }) => `${name}\n${category}`], ["category", ({ category }) => category], ["track", ({ thread }) => String(thread)], ["class", (slice) => slice.class]]) {
        const sums = await getJson(`/traces/${sample.id}/sums?begin=${begin}&end=${end}&by=${by}&limit=10000`);
        const expected = new Map();
        for (const slice of inside) {
          const row = expected.get(key(slice)) ?? { count: 0, total: 0, max: 0 };
          expected.set(key(slice), { count: row.count + 1, total: row.total + part(slice), max: Math.max(row.max, part(slice)) });
        }
        const found = new Map(sums.rows.map((row) => [by === "name" ? `${row.key}\n${row.category}` : row.key, { count: row.count, total: row.total_ns, max: row.max_ns }]));
        assert.deepEqual(found, expected, `${by} ${begin} ${end}`);
        assert.equal(sums.all.count, inside.length);
        assert.equal(sums.rows.reduce((sum, row) => sum + row.self_ns, 0), sums.all.self_ns);
        // What only contains other slices does no work.
        assert.equal(sums.rows.reduce((sum, row) => sum + row.work_ns, 0), sums.all.work_ns);
        if (by === "class") for (const row of sums.rows) assert.equal(row.work_ns, ["annotation", "shadow", "profiler"].includes(row.key) ? 0 : row.self_ns, row.key);
      }
    }
    const whole = await getJson(`/traces/${sample.id}/sums`);
    assert.equal(whole.all.self_ns, slices.reduce((sum, { self }) => sum + self, 0));
    assert.equal(whole.all.work_ns, slices.filter((slice) => !["annotation", "shadow", "profiler"].includes(slice.class)).reduce((sum, { self }) => sum + self, 0));
    assert.ok(whole.all.work_ns < whole.all.self_ns);
    const busiest = sample.threads.reduce((most, thread) => (thread.slices > most.slices ? thread : most));
    assert.equal((await getJson(`/traces/${sample.id}/sums?tracks=${busiest.thread}`)).all.count, busiest.slices);
    assert.equal((await get(`/traces/${sample.id}/sums?begin=5&end=5`)).status, 400);
  });

  test("the overview knows more with the index", async () => {
    assert.equal(sample.has_index, true);
    const kinds = sample.flow_kinds.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["fwdbwd"]);
    assert.equal(sample.flow_kinds.reduce((sum, { ends }) => sum + ends, 0), sample.flows);
    for (const thread of sample.threads) assert.ok(Number.isInteger(thread.busy) && Number.isInteger(thread.points), `${thread.busy} ${thread.points}`);
    const { items } = await getJson(`/traces/${sample.id}/labels`);
    const conv = items.find(({ name }) => name === "aten::conv2d");
    assert.equal(conv.count, slices.filter(({ name }) => name === "aten::conv2d").length);
  });
});

describe("what is beside slices", () => {
  test("the overview lists counters, kinds of arrows and points", () => {
    assert.deepEqual(gpu.counters.map(({ name, key, min, max, count }) => [name, key, min, max, count]).sort(), [["memory", "free", 3, 3000, 1000], ["memory", "used", 0, 2997, 1000]]);
    assert.deepEqual(gpu.flow_kinds, [{ category: "ac2g", kind: "launch", ends: 6000 }]);
    const [host, device] = ["host", "device"].map((side) => gpu.threads.find((thread) => thread.side === side));
    assert.equal(host.points, 1003);
    assert.deepEqual([device.process_labels, device.name, device.points], ["GPU 0", "stream 7", 0]);
  });

  test("counters over windows", async () => {
    const { number } = gpu.counters.find(({ key }) => key === "used");
    const all = await getJson(`/traces/${gpu.id}/counter?number=${number}&end=${gpu.end}&buckets=10`);
    assert.equal(all.before, null);
    assert.equal(all.at.length, 10);
    assert.equal(all.min[0], 0);
    assert.equal(all.last.at(-1), 2997);
    assert.deepEqual(all.max, all.last, "it only grows");
    const late = await getJson(`/traces/${gpu.id}/counter?number=${number}&begin=${15000 * 1000}&end=${15001 * 1000}&buckets=10`);
    assert.equal(late.before, 1497);
    assert.deepEqual([late.at, late.last], [[15000 * 1000], [1500]]);
  });

  test("points, and their arguments", async () => {
    const marks = await getJson(`/traces/${gpu.id}/points?phase=i`);
    assert.deepEqual(marks.items.map(({ name, time }) => [name, time]), [["mark 0", 0], ["mark 1000", 10_000_000], ["mark 2000", 20_000_000]]);
    const cut = await getJson(`/traces/${gpu.id}/points?limit=5&begin=1000`);
    assert.equal(cut.items.length, 5);
    assert.equal(cut.is_cut, true);
    assert.ok(cut.items.every(({ phase }) => phase !== "M"));
    const value = cut.items.find(({ phase }) => phase === "C");
    const { arguments: text } = await getJson(`/traces/${gpu.id}/point?number=${value.number}`);
    assert.equal(JSON.parse(text).used * 10_000, value.time);
    assert.equal((await get(`/traces/${gpu.id}/point?number=123456`)).status, 404);
    assert.equal((await get(`/traces/${gpu.id}/points?phase=xx`)).status, 400);
  });

  test("arrows of a window, and of a slice", async () => {
    const begin = 5_000_000, end = 5_100_000;
    const { arrows, is_cut: isCut, count_at_least: count } = await getJson(`/traces/${gpu.id}/flows?begin=${begin}&end=${end}`);
    const expected = Array.from({ length: 3000 }, (_, i) => [10_000 * i + 1000, 10_000 * i + 7000]).filter((times) => times.some((time) => time >= begin && time < end));
    assert.deepEqual(arrows.map(([from, , to]) => [from, to]), expected);
    assert.equal(isCut, false);
    assert.equal(count, expected.length);
    assert.ok(arrows.every((arrow) => arrow[4] === "launch" && gpu.threads[arrow[1]].side === "host" && gpu.threads[arrow[3]].side === "device"));
    const all = await getJson(`/traces/${gpu.id}/flows?limit=7`);
    assert.deepEqual([all.arrows.length, all.is_cut, all.count_at_least], [7, true, 3000]);
    assert.deepEqual((await getJson(`/traces/${gpu.id}/flows?kinds=fwdbwd,async`)).arrows, []);
    assert.equal((await get(`/traces/${gpu.id}/flows?kinds=launch,`)).status, 400);
    const [, , to, device] = arrows[3];
    const [tile] = await getTiles(gpu, 0, Math.floor(to / 1024), device);
    const item = tile.rows[0].items.find(({ begin: at }) => at === to);
    const slice = await getJson(`/traces/${gpu.id}/slice?thread=${device}&chunk=${item.chunk}&index=${item.index}`);
    assert.equal(slice.flows[0].slice.name, "cudaLaunchKernel");
    assert.deepEqual([slice.flows[0].direction, slice.flows[0].kind], ["back", "launch"]);
  });

  test("stacks by their names", async () => {
    const { slices, stacks } = await getJson(`/traces/${gpu.id}/flame`);
    assert.equal(slices, 9000);
    const { items } = await getJson(`/traces/${gpu.id}/labels`);
    const named = stacks.rows.map(([label, depth, parent, count, total, self]) => [items[label].name, depth, parent, count, total, self]);
    assert.deepEqual(named, [
      ["aten::mm", 0, null, 3000, 24_000_000, 9_000_000],
      ["cudaLaunchKernel", 1, 0, 3000, 15_000_000, 15_000_000],
      ["triton_poi_fused_0", 0, null, 1500, 13_500_000, 13_500_000],
      ["gemm", 0, null, 1500, 13_500_000, 13_500_000],
    ]);
    const launch = items.find(({ name }) => name === "cudaLaunchKernel").label;
    const { callers, callees } = await getJson(`/traces/${gpu.id}/flame?view=sandwich&label=${launch}`);
    assert.deepEqual(callers.rows.map(([label, , , count]) => [items[label].name, count]), [["cudaLaunchKernel", 3000], ["aten::mm", 3000]]);
    assert.equal(callees.rows.length, 1);
    assert.equal((await get(`/traces/${gpu.id}/flame?view=sandwich`)).status, 400);
    const foreign = await fetch(`${server.base}/api/v1/traces/${gpu.id}/flame`, { headers: { "sec-fetch-site": "cross-site" } });
    assert.equal(foreign.status, 403);
  });
});

describe("notes", () => {
  const post = (note) => fetch(`${server.base}/api/v1/traces/${gpu.id}/notes`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify(note) });

  test("are kept with the trace, and taken away", async () => {
    const made = await post({ begin: "5000", end: "9007199254740993", thread: "1", words: "slow <b>here</b>", who: "ada" });
    assert.equal(made.status, 201);
    const { items } = await made.json();
    assert.deepEqual(items.map(({ begin, thread, words, who }) => [begin, thread, words, who]), [[5000, 1, "slow <b>here</b>", "ada"]]);
    assert.deepEqual((await getJson(`/traces/${gpu.id}/notes`)).items, items);
    assert.deepEqual((await getJson(`/traces/${sample.id}/notes`)).items, []);
    const gone = await fetch(`${server.base}/api/v1/traces/${gpu.id}/notes/${items[0].id}`, { method: "DELETE", headers: server.bearer() });
    assert.deepEqual(await gone.json(), { items: [] });
  });

  test("that make no sense are refused", async () => {
    for (const [note, parameter] of [
      [{ begin: "9", end: "5", words: "x" }, "end"],
      [{ begin: "a", end: "5", words: "x" }, "begin"],
      [{ begin: "1", end: "5", words: "" }, "words"],
      [{ begin: "1", end: "5", words: "x".repeat(1025) }, "words"],
      [{ begin: "1", end: "5", words: "x", thread: "-1" }, "thread"],
    ]) {
      const refused = await post(note);
      assert.ok([400, 413].includes(refused.status), JSON.stringify(note));
      assert.equal((await refused.json()).parameter, parameter, JSON.stringify(note));
    }
    assert.equal((await fetch(`${server.base}/api/v1/traces/${gpu.id}/notes/999`, { method: "DELETE", headers: server.bearer() })).status, 404);
  });
});

test("a window as a Chrome trace", async () => {
  const response = await get(`/traces/${gpu.id}/export?begin=0&end=5000000`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-disposition"), /^attachment; filename="made-2025-11-10-part\.json"$/);
  const { traceEvents: events } = await response.json();
  const of = (phase) => events.filter(({ ph }) => ph === phase);
  assert.equal(of("X").length, 1500);
  assert.deepEqual([of("s").length, of("f").length, of("C").length, of("i").length], [500, 500, 167, 1]);
  const whole = join(folder, "whole.json");
  writeFileSync(whole, await (await get(`/traces/${gpu.id}/export`)).text());
  const told = (file) => {
    const { events: count, broken, ...rest } = JSON.parse(benchhud("trace", "summary", file, "--format", "json").stdout);
    assert.equal(broken, 0);
    return rest;
  };
  assert.deepEqual(told(whole), told(join(folder, "made.json")));
});

describe("benchhud trace export", () => {
  const db = () => join(folder, "store.db");
  const run = (...args) => benchhud("trace", "export", ...args, "--db", db());

  test("the command writes what the address answers", async () => {
    for (const [args, query] of [
      [[], ""],
      [["--begin", "0"], "?begin=0"],
      [["--begin", "1000000", "--end", "5000000"], "?begin=1000000&end=5000000"],
      [["--tracks", "1,0"], "?tracks=0,1"],
      [["--begin", "4000000", "--tracks", "0"], "?begin=4000000&tracks=0"],
    ]) {
      const printed = run(String(gpu.id), ...args);
      assert.equal(printed.status, 0, printed.stderr);
      const answered = await (await get(`/traces/${gpu.id}/export${query}`)).text();
      assert.ok(printed.stdout === answered, `${args}: ${printed.stdout.length} and ${answered.length} bytes`);
    }
  });

  test("into a file, of a dump", async () => {
    const out = join(folder, "exported.json");
    const { items } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
    const dump = items.find(({ trace_id: id }) => id === gpu.id);
    for (const again of [false, true]) {
      const done = run("--artifact", String(dump.id), "--out", out);
      assert.deepEqual([done.status, done.stdout, done.stderr], [0, "", ""], `there before: ${again}`);
      assert.equal(readFileSync(out, "utf8"), await (await get(`/traces/${gpu.id}/export`)).text());
    }
    assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("exported")), ["exported.json"]);
  });

  test("what cannot be done is said, and leaves nothing behind", async () => {
    const { items } = await getJson("/artifacts?run=latest&limit=1000");
    const other = items.find(({ trace_id: id }) => id === null);
    for (const [args, status, words] of [
      [[], 2, /number of a trace/],
      [["seven"], 2, /seven is not the number/],
      [["7x"], 2, /7x is not the number/],
      [["1", "2"], 2, /number of a trace/],
      [["1", "--artifact", "1"], 2, /number of a trace/],
      [["999"], 1, /trace 999/],
      [["--artifact", "999"], 1, /999/],
      [["--artifact", String(other.id)], 1, /is no trace/],
      [["1", "--begin", "5", "--end", "5"], 2, /--end/],
      [["1", "--tracks", "1,,2"], 2, /--tracks must be/],
      [["1", "--begin", "soon"], 2, /soon/],
      [["1", "--out", join(folder, "nowhere", "file.json")], 1, /cannot be written/],
    ]) {
      const done = run(...args);
      assert.equal(done.status, status, `${args}: ${done.stderr}`);
      assert.match(done.stderr, words);
      assert.equal(done.stdout, "");
    }
    assert.equal(benchhud("trace", "export", "1", "--db", join(folder, "no.db")).status, 1);
  });
});

describe("benchhud trace view", () => {
  async function view(...args) {
    const child = spawn(program, ["trace", "view", "--no-open", ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: folder } });
    let printed = "", complaints = "";
    child.stderr.on("data", (bytes) => (complaints += bytes));
    const ended = new Promise((done) => child.on("close", (code) => done(code)));
    const address = await new Promise((done) => {
      child.stdout.on("data", (bytes) => {
        printed += bytes;
        if (printed.includes("\n")) done(printed.split("\n")[0]);
      });
      child.on("close", () => done(null));
    });
    return { address, end: async () => (child.kill("SIGTERM"), await ended), ended, complaints: () => complaints };
  }
  const stores = () => readdirSync(folder).filter((name) => name.startsWith("benchhud-"));

  test("serves a file, or two, and leaves nothing behind", async () => {
    const file = join(folder, "made.json");
    const other = join(root, "samples/cpu_nightlies/2025-11-10/resnet_mini/0/trace-cpu-inductor-False-train-None-None-None-resnet_mini.json.gz");
    for (const [args, page] of [[[file], /^http:\/\/127\.0\.0\.1:\d+\/trace\/1$/], [[file, "--with", other], /\/trace\/1\?with=2$/]]) {
      const viewer = await view(...args);
      assert.match(viewer.address, page);
      assert.equal(stores().length, 1);
      const trace = await (await fetch(new URL("/api/v1/traces/1", viewer.address))).json();
      assert.equal(trace.slices, gpu.slices);
      assert.equal(trace.has_index, true);
      assert.equal(await viewer.end(), 0);
      assert.deepEqual(stores(), []);
    }
  });

  test("ends at once while a trace is still being read, and leaves nothing behind", async () => {
    const large = join(folder, "large.json");
    const part = JSON.stringify(madeUp().traceEvents).slice(1, -1);
    writeFileSync(large, `{"traceEvents":[${Array(60).fill(part).join(",")}]}`);
    const child = spawn(program, ["trace", "view", "--no-open", large], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: folder } });
    let printed = "";
    child.stdout.on("data", (bytes) => (printed += bytes));
    const ended = new Promise((done) => child.on("close", (code) => done(code)));
    while (!stores().length) await new Promise((done) => setTimeout(done, 1));
    child.kill("SIGINT");
    assert.equal(await ended, 130);
    assert.equal(printed, "", "it did not come to serving");
    assert.deepEqual(stores(), []);
    removeFolder(large);
  });

  test("says why a file cannot be shown", async () => {
    const text = join(folder, "no-trace.json");
    writeFileSync(text, '{"a": 1}');
    for (const file of [text, join(folder, "not-there.json")]) {
      const viewer = await view(file);
      assert.equal(viewer.address, null);
      assert.equal(await viewer.ended, 1);
      assert.match(viewer.complaints(), /no-trace|not-there/);
      assert.deepEqual(stores(), []);
      assert.equal(existsSync(file), file === text);
    }
  });
});

test("findings are where the trace has them", async () => {
  const ofGpu = await getJson(`/traces/${gpu.id}/findings`);
  assert.deepEqual(ofGpu.kinds.map((one) => one.kind), ["device_idle"]);
  assert.deepEqual([...new Set(ofGpu.items.map((one) => one.cause))], ["kernel_wait"], "this device is never idle for long");
  const [{ busy, gaps, idle }] = gpu.devices;
  assert.deepEqual([gpu.findings, ofGpu.items.length], [gaps, Math.min(gaps, 1000)]);
  assert.ok(ofGpu.items.every((one) => one.duration === 1000));
  assert.equal(idle.kernel_wait, 1000 * gaps);
  assert.equal(busy + idle.kernel_wait, gpu.devices[0].end - gpu.devices[0].begin);
  const { items, kinds } = await getJson(`/traces/${sample.id}/findings`);
  assert.equal(sample.findings, items.length);
  const steps = items.filter(({ kind }) => kind === "step");
  const annotated = (await getJson(`/traces/${sample.id}/find?q=ProfilerStep`)).slices;
  assert.equal(steps.length, annotated);
  const { graph_breaks: breaks } = JSON.parse(benchhud("trace", "summary", join(root, "samples/cpu_nightlies/2025-11-10/resnet_mini/0/trace-cpu-inductor-False-train-None-None-None-resnet_mini.json.gz"), "--format", "json").stdout);
  assert.equal(items.filter(({ kind }) => kind === "graph_break").length, breaks ?? 0);
  for (const { kind, count, kept, first } of kinds) {
    const own = items.filter((one) => one.kind === kind);
    assert.equal(own.length, count);
    assert.equal(kept, count);
    assert.deepEqual(first, own[0]);
    const list = await getJson(`/traces/${sample.id}/findings/${kind}`);
    assert.deepEqual([list.total, list.next_cursor], [count, null]);
    assert.deepEqual(new Set(list.items.map((one) => JSON.stringify(one))), new Set(own.map((one) => JSON.stringify(one))));
  }
  for (const { begin, end, thread } of items) {
    assert.ok(end >= begin);
    assert.ok(sample.threads.some((one) => one.thread === thread));
  }
});

test("every finding of thousands of a kind is reached, and none twice", async () => {
  const COUNT = 3000;
  // Lengths in no order, some of them equal.
  const length = (i) => 1 + ((i * 7919) % 2000);
  const events = Array.from({ length: COUNT }, (_, i) => ({ ph: "X", pid: 1, tid: 1, name: "cudaDeviceSynchronize", cat: "cuda_runtime", ts: 10_000 * i, dur: length(i) }));
  const file = join(folder, "waits.json");
  writeFileSync(file, JSON.stringify({ traceEvents: events }));
  assert.equal(benchhud("ingest", file, "--for", "latest/resnet_mini/eval/inductor", "--db", join(folder, "store.db")).status, 0);
  const { items: dumps } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
  const { trace_id: id } = dumps.find((one) => one.name === "waits.json");
  assert.equal((await getJson(`/traces/${id}`)).findings, COUNT);
  const { items, kinds } = await getJson(`/traces/${id}/findings`);
  assert.equal(items.length, 1000);
  assert.deepEqual(kinds.map(({ kind, count, kept, first }) => [kind, count, kept, first.begin]), [["synchronization", COUNT, COUNT, 0]]);
  const seen = [];
  for (let cursor = "", pages = 0; cursor !== null; ++pages) {
    const page = await getJson(`/traces/${id}/findings/synchronization?limit=700${cursor && `&cursor=${cursor}`}`);
    assert.deepEqual([page.total, page.kept], [COUNT, COUNT]);
    seen.push(...page.items);
    cursor = page.next_cursor;
    assert.ok(pages < 6);
  }
  assert.equal(seen.length, COUNT);
  assert.equal(new Set(seen.map((one) => one.begin)).size, COUNT);
  seen.forEach(({ begin, end, thread, words }, place) => {
    assert.equal(end - begin, 1000 * length(begin / 10_000_000));
    assert.deepEqual([thread, words], [0, "cudaDeviceSynchronize"]);
    if (place > 0) assert.ok(seen[place - 1].end - seen[place - 1].begin >= end - begin, "the longest first");
  });
  // What is marked at first is the beginning of the list.
  const key = (one) => JSON.stringify(one);
  assert.deepEqual(new Set(items.map(key)), new Set(seen.slice(0, 1000).map(key)));
});

describe("SQL over a trace", () => {
  const ask = (sql, more = "") => get(`/traces/${gpu.id}/query?sql=${encodeURIComponent(sql)}${more}`);

  test("answers a SELECT", async () => {
    const answer = await (await ask("SELECT name, count(*) AS n, class FROM slices GROUP BY name ORDER BY n DESC, name")).json();
    assert.deepEqual(answer.columns, ["name", "n", "class"]);
    assert.deepEqual(answer.rows, [["aten::mm", 3000, "operator"], ["cudaLaunchKernel", 3000, "runtime"], ["gemm", 1500, "gemm"], ["triton_poi_fused_0", 1500, "inductor_triton"]]);
    assert.deepEqual([answer.is_cut, answer.error, answer.slices_read], [false, null, 9000]);
    // Of a part: queries run at the lowest priority, and a busy machine has no time for the whole.
    const joined = await (await ask("SELECT count(*) FROM flows f JOIN slices s ON s.track = f.to_track AND s.begin = f.to_time WHERE f.to_time < 1000000")).json();
    assert.deepEqual(joined.rows, [[100]]);
    const arg = await (await ask("SELECT max(arg(slice_id, 'correlation')) FROM slices WHERE name = 'gemm'")).json();
    assert.deepEqual(arg.rows, [[2999]]);
    const cut = await (await ask("SELECT * FROM slices", "&limit=5")).json();
    assert.deepEqual([cut.rows.length, cut.is_cut], [5, true]);
  });

  test("answers the examples of the page, which stand on several lines", async () => {
    const page = readFileSync(new URL("../../web/src/trace/query.tsx", import.meta.url), "utf8");
    const examples = [...page.matchAll(/\{\s*value:\s*("SELECT (?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text));
    assert.ok(examples.length >= 3);
    for (const sql of [...examples, "SELECT 'a\nb' -- a comment\n, 2"]) {
      const response = await ask(sql);
      assert.equal(response.status, 200, sql);
      const { error, rows } = await response.json();
      assert.equal(error, null, sql);
      if (sql.startsWith("SELECT '")) assert.deepEqual(rows, [["a\nb", 2]]);
    }
  });

  test("says what is wrong, and refuses all else", async () => {
    for (const [sql, words] of [["SELEC 1", /syntax error \(at byte 0\)/], ["SELECT x FROM slices", /no such column: x \(at byte 7\)/], ["DROP TABLE slices", /./], ["SELECT * FROM sqlite_master", /./], ["ATTACH 'x' AS y", /./]]) {
      const response = await ask(sql);
      assert.equal(response.status, 400, sql);
      const problem = await response.json();
      assert.equal(problem.parameter, "sql");
      assert.match(problem.detail, words);
    }
    const foreign = await fetch(`${server.base}/api/v1/traces/${gpu.id}/query?sql=SELECT+1`, { headers: { "sec-fetch-site": "cross-site" } });
    assert.equal(foreign.status, 403);
  });

  test("ends what goes on for ever, and others are answered meanwhile", async () => {
    const endless = ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n").then((response) => response.json());
    assert.equal((await get(`/traces/${gpu.id}/tiles?level=20&index=0&tracks=0`)).status, 200);
    const { error, is_cut: isCut } = await endless;
    assert.match(error, /longer/);
    assert.equal(isCut, true);
  });
});
