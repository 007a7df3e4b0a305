// Devices that only the names of processes and threads tell, and a team's rules, in a store and over HTTP.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const names = ["03_device_npu.json", "03_device_xprof_gpu.json"];
const traces = {};
let folder, server;

before(async () => {
  folder = temporaryFolder("devices");
  const db = join(folder, "store.db");
  const rules = join(folder, "rules.txt");
  writeFileSync(rules, "attention name starts loop_\n");
  const run = (...args) => {
    const done = benchhud(...args, "--db", db, "--kernel-rules", rules);
    assert.equal(done.status, 0, done.stderr);
  };
  run("ingest", join(root, "samples/cpu_nightlies/2025-11-10"));
  for (const name of names) run("ingest", join(root, "tests/data/field", name), "--for", "latest/resnet_mini/eval/inductor");
  server = await serve(db, "--kernel-rules", rules);
  const { items } = await getJson("/artifacts?run=latest&kind=trace&limit=1000");
  for (const name of names) traces[name] = await getJson(`/traces/${items.find((one) => one.name === name).trace_id}`);
});
after(async () => {
  await server?.stop();
  if (folder) removeFolder(folder);
});

async function getJson(path) {
  const response = await fetch(`${server.base}/api/v1${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

const classes = async (name) => {
  const { rows } = await getJson(`/traces/${traces[name].id}/query?sql=${encodeURIComponent("SELECT name, class FROM slices ORDER BY name")}`);
  return Object.fromEntries(rows);
};

test("tracks of devices are known by their names", () => {
  const sides = (name) => traces[name].threads.filter(({ slices }) => slices > 0).map(({ side }) => side).sort();
  assert.deepEqual(sides(names[0]), ["device", "host"]);
  assert.deepEqual(sides(names[1]), ["device", "device", "host"]);
});

test("SQL knows the classes of their slices, by the server's rules", async () => {
  assert.deepEqual(await classes(names[0]), { "aten::mm": "operator", aclnnMm_MatMulCommon_MatMul: "gemm" });
  assert.deepEqual(await classes(names[1]), {
    "PjitFunction(f)": "host",
    cuLaunchKernel: "runtime",
    gemm_fusion_dot_general_744: "gemm",
    loop_add_fusion: "attention",
    MemcpyH2D: "memcpy",
  });
});

test("labels and searches do, too", async () => {
  const { id } = traces[names[1]];
  const { items } = await getJson(`/traces/${id}/labels?block=0`);
  assert.equal(items.find(({ name }) => name === "loop_add_fusion").class, "attention");
  const found = await getJson(`/traces/${id}/find?q=class%3Aattention`);
  assert.equal(found.slices, 1);
});

test("what is kept of an answer is not that of other rules", async () => {
  const etag = async () => (await fetch(`${server.base}/api/v1/traces/${traces[names[1]].id}/labels?block=0`)).headers.get("etag");
  const before = await etag();
  await server.stop();
  server = await serve(join(folder, "store.db"));
  assert.notEqual(await etag(), before);
});
