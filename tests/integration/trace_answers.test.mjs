// What a trace answers beside its slices: how busy each device was and why it was idle, what launched a kernel, its tables as
// CSV, what SQL can ask; and traces that are dropped for a while.
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { benchhud, makeToken, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

const host = { pid: 10, tid: 10 };
const slice = (place, cat, name, ts, dur, args) => ({ ph: "X", ...place, cat, name, ts, dur, args });
/** Two streams of one device and one of another; times in µs. */
const events = [
  { ph: "M", name: "process_labels", pid: 0, tid: 0, args: { labels: "GPU 0" } },
  slice(host, "user_annotation", "ProfilerStep#3", 0, 900),
  slice(host, "python_function", "nn.Module: Block_0", 1, 800),
  slice(host, "python_function", "=cmd.py(7): forward", 2, 700),
  slice(host, "cpu_op", "aten::mm", 3, 400, { "External id": 4 }),
  slice(host, "cuda_runtime", "cudaLaunchKernel", 5, 2, { correlation: 1 }),
  slice(host, "cuda_runtime", "cudaLaunchKernel", 300, 2, { correlation: 2 }),
  slice({ pid: 0, tid: 7 }, "kernel", "first", 10, 40, { correlation: 1, "External id": 4 }),
  slice({ pid: 0, tid: 8 }, "kernel", "beside", 30, 70),
  slice({ pid: 0, tid: 7 }, "kernel", "late", 310, 20, { correlation: 2 }),
  slice({ pid: 1, tid: 7 }, "kernel", "other device", 0, 5),
];
const text = JSON.stringify({ traceEvents: events });

let folder, db, server;
before(async () => {
  folder = temporaryFolder("trace_answers");
  db = join(folder, "store.db");
  writeFileSync(join(folder, "trace-made.json"), text);
  const done = benchhud("ingest", join(folder, "trace-made.json"), "--db", db);
  assert.equal(done.status, 0, done.stderr);
  server = await serve(db);
});
after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

const get = (path, headers = {}) => fetch(`${server.base}/api/v1${path}`, { headers });
const json = async (path, headers) => {
  const response = await get(path, headers);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
};
const csv = async (path) => {
  const response = await get(path);
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  return (await response.text()).split("\r\n").slice(0, -1);
};

test("each device is busy as long as any of its streams is, and its gaps have causes, the longest first", async () => {
  const { devices } = await json("/traces/1");
  assert.deepEqual(devices.map(({ busy, begin, end, gaps, idle }) => ({ busy, span: end - begin, gaps, idle })), [
    { busy: 110_000, span: 320_000, gaps: 1, idle: { host_wait: 210_000, kernel_wait: 0, other: 0, unknown: 0 } },
    { busy: 5_000, span: 5_000, gaps: 0, idle: { host_wait: 0, kernel_wait: 0, other: 0, unknown: 0 } },
  ]);
  assert.deepEqual(await json("/traces/1/busy?device=0&begin=0&end=1000000&buckets=100"), { begin: [10_000, 310_000], end: [100_000, 330_000], busy: [90_000, 20_000], count: [1, 1] });
  const { items } = await json("/traces/1/findings/device_idle");
  assert.deepEqual(items.map(({ begin, duration, cause }) => [begin, duration, cause]), [[100_000, 210_000, "host_wait"]]);
  const [head, first] = await csv("/traces/1/findings/device_idle?format=csv");
  assert.equal(head, "kind,thread,begin,end,duration,cause,words");
  assert.match(first, /^device_idle,\d+,100000,310000,210000,host_wait,"?before late, which the host launched only then/);
});

test("a kernel says which operator, module, line and step launched it; what the trace does not tell is null", async () => {
  const { rows } = await json(`/traces/1/query?sql=${encodeURIComponent("SELECT slice_id, name FROM slices WHERE category = 'kernel'")}`);
  const launched = async (wanted) => {
    const [id] = rows.find(([, name]) => name === wanted);
    return (await json(`/traces/1/slice?thread=${Math.floor(id / 2 ** 43)}&chunk=${Math.floor(id / 2 ** 13) % 2 ** 30}&index=${id % 2 ** 13}`)).launched_by;
  };
  const names = ({ call, operator, module, line, step }) => [call, operator, module, line, step].map((one) => one?.name ?? null);
  assert.deepEqual(names(await launched("first")), ["cudaLaunchKernel", "aten::mm", "nn.Module: Block_0", "=cmd.py(7): forward", "ProfilerStep#3"]);
  assert.deepEqual(names(await launched("beside")), [null, null, null, null, null]);
});

test("what is derived of a trace later is asked for again, also with its key", async () => {
  const { key, devices } = await json("/traces/1");
  for (const [path, kept] of [[`slice?thread=${devices[0].thread}&chunk=0&index=0`, false], ["busy?device=0&begin=0&end=1000000&buckets=100", false], ["labels?block=0", true]]) {
    const response = await get(`/traces/1/${path}&key=${key}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("cache-control").includes("immutable"), kept, path);
  }
});

test("tables are CSV, and no name becomes a formula", async () => {
  const sums = await csv("/traces/1/sums?by=name&format=csv");
  assert.equal(sums.length, 1 + (await json("/traces/1/sums?by=name")).rows.length);
  assert.ok(sums.some((row) => row.startsWith("'=cmd.py(7): forward,")), sums.join("\n"));
  assert.match((await csv("/traces/1/sums?by=track&format=csv"))[0], /^key,category,class,thread,track,count,total_ns/);
  assert.deepEqual((await csv("/traces/1/find?q=launchkernel&format=csv")).map((row) => row.split(",").slice(1).join()), ["name,category,class,count,total_ns", "cudaLaunchKernel,cuda_runtime,runtime,2,4000"]);
  const flame = await csv("/traces/1/flame?format=csv");
  assert.equal(flame[0], "part,row,parent,depth,name,count,total_ns,self_ns");
  assert.equal(flame.length - 1, (await json("/traces/1/flame")).stacks.rows.length);
  assert.equal((await csv("/traces/1/notes?format=csv"))[0], "id,begin,end,thread,words,who,at,token");
  const sql = encodeURIComponent("SELECT name, duration, NULL AS empty FROM slices WHERE category = 'python_function' ORDER BY begin");
  assert.deepEqual(await csv(`/traces/1/query?format=csv&sql=${sql}`), ["name,duration,empty", "nn.Module: Block_0,800000,", "'=cmd.py(7): forward,700000,"]);
  assert.deepEqual(await csv(`/traces/1/query?format=csv&limit=1&sql=${sql}`), ["name,duration,empty", "nn.Module: Block_0,800000,", "(1 rows; there are more),,"]);
  assert.match((await csv("/traces/1/flame?format=csv&limit=2")).at(-1), /^stacks,,,,\(2 rows; \d+ more are left out\),,,$/);
  const endless = encodeURIComponent("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
  const cut = await get(`/traces/1/query?format=csv&sql=${endless}`);
  assert.equal(cut.status, 413, "a table that is not whole is none");
  assert.match((await cut.json()).detail, /ended early/);
});

test("the tables that SQL can ask are listed, and each column can be asked for", async () => {
  const { items } = await json("/trace-tables");
  assert.deepEqual(items.map((one) => one.name), ["slices", "tracks", "labels", "flows", "counters", "points", "args"]);
  for (const { name, columns } of items) {
    const sql = `SELECT ${columns.map((one) => `"${one.name}"`).join(", ")} FROM ${name}${name === "args" ? " WHERE slice_id = 0" : ""}`;
    const answer = await json(`/traces/1/query?sql=${encodeURIComponent(sql)}`);
    assert.deepEqual([answer.columns, answer.error], [columns.map((one) => one.name), null]);
  }
});

const dropped = { ...events[7], name: "mine alone" };
const mine = JSON.stringify({ traceEvents: [...events.slice(0, 7), dropped] });
const send = (body, headers, type = "application/octet-stream", name = "mine.json.gz") => fetch(`${server.base}/api/v1/dropped-traces?name=${name}`, { method: "POST", headers: { ...headers, "content-type": type }, body });

test("a trace that is dropped opens at once, for its token alone, and is there after the server was killed", async () => {
  const own = server.bearer();
  const other = { authorization: `Bearer ${makeToken(db, "triage")}` };
  assert.equal((await send(mine, {})).status, 401);
  const answer = await send(gzipSync(mine), own, "application/gzip");
  assert.equal(answer.status, 200, await answer.clone().text());
  const { id, until, at } = await answer.json();
  assert.equal(Date.parse(until) - Date.parse(at), 24 * 3600 * 1000);
  assert.equal((await json(`/traces/${id}`, own)).slices, 7);
  assert.equal((await get(`/traces/${id}`, other)).status, 404);
  assert.equal((await get(`/traces/${id}`)).status, 404);
  assert.equal((await json("/artifacts")).total, 1, "it is no dump");

  await server.stop("SIGKILL");
  server = await serve(db);
  assert.equal((await json(`/traces/${id}`, own)).dropped_until, until);
  assert.equal((await get(`/traces/${id}`, other)).status, 404);
  const removed = await fetch(`${server.base}/api/v1/dropped-traces/${id}`, { method: "DELETE", headers: own });
  assert.deepEqual((await removed.json()).items, []);
  assert.equal((await get(`/traces/${id}`, own)).status, 404);
});

test("what is sent when the server is killed is gone with the next one", async () => {
  const own = server.bearer();
  const controller = new AbortController();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(mine.slice(0, 100))) });
  const sending = fetch(`${server.base}/api/v1/dropped-traces?name=half.json`, { method: "POST", headers: { ...own, "content-type": "application/octet-stream" }, body, duplex: "half", signal: controller.signal }).catch(() => null);
  for (let turn = 0; turn < 100 && !(existsSync(`${db}.uploads`) && readdirSync(`${db}.uploads`).length); ++turn) await new Promise((next) => setTimeout(next, 20));
  await server.stop("SIGKILL");
  controller.abort();
  await sending;
  server = await serve(db);
  assert.deepEqual(readdirSync(`${db}.uploads`), []);
  assert.deepEqual((await json("/dropped-traces", own)).items, []);
});

test("the content of a dump that everybody sees is that dump's trace, and nothing is kept", async () => {
  const answer = await (await send(text, server.bearer(), "application/json", "same.json")).json();
  assert.deepEqual([answer.id, answer.until], [1, null]);
  assert.deepEqual((await json("/dropped-traces", server.bearer())).items, []);
  assert.equal((await get("/traces/1")).status, 200);
});
