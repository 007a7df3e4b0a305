// All of a store at once: its lines as the runner wrote them, which are the same lines wherever they are taken in, and
// the store itself without what is nobody else's.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, benchhudAsync, makeToken, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const hostile = 'mødel "\\ \u0001\n<script>';
let folder, db, server;
before(async () => {
  folder = temporaryFolder("download");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples"), "--db", db, "--label", "branch=main").status, 0);
  // What Python writes and JSON lacks, and what has no place of its own.
  const odd = [
    line({ model: hostile, metrics: { ...times(0.5), loss: [NaN, 1, null], nested: { a: 1 } }, more: { b: [1, "x"] }, timestamp: 1_764_300_000.5 }).replace("null,1,null", "NaN,1,-Infinity"),
    line({ model: "broken", metrics: { error: "it\nfailed" }, experiment: { keep_model_data_on_cuda: true, batch_size: null }, timestamp: 1_764_300_000.5 }),
  ];
  writeFileSync(join(folder, "odd.jsonl"), odd.join("\n") + "\n");
  assert.equal(benchhud("ingest", join(folder, "odd.jsonl"), "--db", db).status, 0);
  server = await serve(db);
});
after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

const get = (path, options) => fetch(`${server.base}/api/v1${path}`, options);
const exported = async (store) => (await benchhudAsync("export", "--format", "jsonl", "--db", store)).stdout.split("\n").sort();

test("lines make the same store again, and are the same lines in it", async () => {
  const response = await get("/results.jsonl");
  assert.equal(response.headers.get("content-type"), "application/x-ndjson");
  assert.match(response.headers.get("content-disposition"), /attachment; filename="results.jsonl"/);
  const text = await response.text();
  const store = await (await get("/store")).json();
  assert.equal(text.trimEnd().split("\n").length, (await exported(db)).length - 1, "every line, not every result");
  assert.ok(text.includes('"loss":[NaN,1.0,-Infinity]'));

  const file = join(folder, "again.jsonl");
  writeFileSync(file, text);
  const other = join(folder, "other.db");
  assert.match((await benchhudAsync("ingest", file, "--db", other)).stdout, /0 rejected/);
  assert.deepEqual(await exported(other), await exported(db));
  const second = await serve(other);
  try {
    assert.deepEqual((await (await fetch(`${second.base}/api/v1/results.jsonl`)).text()).split("\n").sort(), text.split("\n").sort());
    assert.equal((await (await fetch(`${second.base}/api/v1/store`)).json()).result_count, store.result_count);
  } finally {
    await second.stop();
  }
  // Nothing counts twice: neither what comes back, nor what it was made of.
  for (const [path, into] of [[file, db], [join(root, "samples"), other], [join(folder, "odd.jsonl"), other]]) {
    // Not as others are run: a process that stands still does not notice that its connections are closed.
    const again = await benchhudAsync("ingest", path, "--db", into);
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stdout, / 0 accepted|: 0 new/, `${path} into ${into}: ${again.stdout}`);
  }
  assert.deepEqual(await exported(other), await exported(db));
});

test("of some runs only", async () => {
  const lines = async (query) => (await (await get(`/results.jsonl?${query}`)).text()).trimEnd().split("\n").filter(Boolean).map((text) => JSON.parse(text.replaceAll(/NaN|-Infinity/g, "null")));
  const newest = await (await get("/runs/2025-11-10")).json();
  const ofRun = await lines("run=2025-11-10");
  assert.ok(ofRun.length >= newest.result_count);
  assert.ok(ofRun.every((one) => one.timestamp >= Date.parse(newest.started_at) / 1000 && one.timestamp < Date.parse(newest.started_at) / 1000 + 86_400));
  assert.deepEqual((await lines("accelerator_model=NVIDIA%20A100-SXM4-40GB")).map((one) => one.model.model_name), [hostile, "broken"]);
  assert.equal((await lines("label=branch:none")).length, 0);
  assert.ok((await lines("label=branch:main")).length > 1000);
  assert.equal((await lines("since=2030-01-01")).length, 0);
  assert.equal((await get("/results.jsonl?run=nobody")).status, 404);
});

test("the store's copy answers as the store does, and nothing in its bytes is a secret", async () => {
  const secret = makeToken(db, "read");
  const response = await get("/store.db");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/vnd.sqlite3");
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.subarray(0, 15).toString(), "SQLite format 3");
  const copy = join(folder, "copy.db");
  writeFileSync(copy, bytes);
  assert.deepEqual(await exported(copy), await exported(db));
  assert.deepEqual(JSON.parse(benchhud("tokens", "list", "--format", "json", "--db", copy).stdout), []);
  const id = secret.split("_")[1];
  assert.equal(JSON.parse(benchhud("tokens", "list", "--format", "json", "--db", db).stdout).filter((one) => String(one.id) === id).length, 1, "it is still in the store itself");
  // The names stand in the store's own bytes, or the search would prove nothing.
  const name = benchhud("backup", join(folder, "whole.db"), "--db", db);
  assert.equal(name.status, 0, name.stderr);
  assert.ok(readFileSync(join(folder, "whole.db")).includes("token"), "tests 1");
  assert.equal(bytes.includes("tests 1"), false);
  assert.deepEqual(readdirSync(folder).filter((file) => file.includes(".download")), []);
  const doctor = benchhud("doctor", "--db", copy, "--format", "json");
  assert.equal(JSON.parse(doctor.stdout).checks.find(({ check }) => check === "integrity").level, "good");
});

test("one copy at a time; who has it already gets none; another site gets none", async () => {
  const etag = (await get("/store.db", { method: "HEAD" })).headers.get("etag");
  assert.ok(etag);
  assert.equal((await get("/store.db", { headers: { "if-none-match": etag } })).status, 304);
  assert.equal((await get("/store.db", { headers: { "sec-fetch-site": "cross-site" } })).status, 403);
  assert.equal((await get("/results.jsonl", { headers: { "sec-fetch-site": "cross-site" } })).status, 403);

  const slow = await get("/store.db"); // its body is not read yet
  const others = await Promise.all([1, 2, 3].map(() => get("/store.db")));
  for (const other of others) {
    if (other.status !== 200) assert.equal((await other.json()).title.length > 0 && other.status, 503);
    else await other.arrayBuffer();
  }
  await slow.arrayBuffer();
  assert.equal((await get("/store.db")).status, 200);
});
