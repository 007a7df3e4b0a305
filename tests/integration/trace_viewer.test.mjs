// What the timeline asks the server: tiles as bytes, names, what is where. The real program on stores of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { readTiles } from "./support/tiles.mjs";

const IMMUTABLE = "private, max-age=31536000, immutable";

let folder, server, sample;

before(async () => {
  folder = temporaryFolder("viewer");
  const db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--db", db).status, 0);
  server = await serve(db);
  const { items } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
  sample = await getJson(`/traces/${items.find((one) => one.name.startsWith("resnet_mini/0/trace-cpu-inductor-False-train")).trace_id}`);
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

const countOf = (tiles) => tiles.flatMap((tile) => tile.rows).flatMap((row) => row.items).reduce((sum, item) => sum + (item.reachesIn ? 0 : item.count), 0);

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

  test("counts add up at every level", async () => {
    const threads = sample.threads.filter(({ slices }) => slices > 0);
    const end = Math.max(...threads.map((thread) => thread.end));
    for (let level = Math.ceil(Math.log2(end + 1)) - 10; level > 12; --level) {
      let count = 0;
      for (let index = 0; index * 2 ** (level + 10) <= end; ++index) {
        for (let i = 0; i < threads.length; i += 16) {
          count += countOf(await getTiles(sample, level, index, threads.slice(i, i + 16).map(({ thread }) => thread).join(",")));
        }
      }
      assert.equal(count, sample.slices, `level ${level}`);
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
    const names = (await getJson(`/traces/${sample.id}/labels`)).items;
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
    assert.ok(names.length > 0);
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
    for (const [query, parameter] of [["", "q"], ["q=a&labels=1", "q"], ["q=a&thread=1", "thread"], ["q=a&chunk=1", "thread"], ["labels=x", "labels"], ["q=a&direction=up", "direction"], [`q=${"a".repeat(501)}`, "q"]]) {
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
          expected.set(key(slice), { count: row.count + 1, total: row.total + part(slice), max: Math.max(row.max, slice.duration) });
        }
        const found = new Map(sums.rows.map((row) => [by === "name" ? `${row.key}\n${row.category}` : row.key, { count: row.count, total: row.total_ns, max: row.max_ns }]));
        assert.deepEqual(found, expected, `${by} ${begin} ${end}`);
        assert.equal(sums.all.count, inside.length);
        assert.equal(sums.rows.reduce((sum, row) => sum + row.self_ns, 0), sums.all.self_ns);
      }
    }
    const whole = await getJson(`/traces/${sample.id}/sums`);
    assert.equal(whole.all.self_ns, slices.reduce((sum, { self }) => sum + self, 0));
    const busiest = sample.threads.reduce((most, thread) => (thread.slices > most.slices ? thread : most));
    assert.equal((await getJson(`/traces/${sample.id}/sums?tracks=${busiest.thread}`)).all.count, busiest.slices);
    assert.equal((await get(`/traces/${sample.id}/sums?begin=5&end=5`)).status, 400);
  });

  test("the overview knows more with the index", async () => {
    assert.equal(sample.has_index, true);
    const kinds = sample.flow_kinds.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["fwdbwd"]);
    assert.equal(sample.flow_kinds.reduce((sum, { ends }) => sum + ends, 0), sample.flows);
    for (const thread of sample.threads) assert.ok(thread.busy >= 0 && thread.points >= 0);
    const { items } = await getJson(`/traces/${sample.id}/labels`);
    const conv = items.find(({ name }) => name === "aten::conv2d");
    assert.equal(conv.count, slices.filter(({ name }) => name === "aten::conv2d").length);
  });
});
