// A trace that comes as a pack answers as the trace itself does, in whatever way it is taken in; and a pack is no way into the store.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { strength } from "../faults/support/faults.mjs";
import { benchhud, makeToken, program, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { hloXspace } from "./support/xplane.mjs";

const night = join(root, "samples/cpu_nightlies/2025-11-15");
const shared = join(root, "../shared/data");
/** Of the real traces beside the checkout those of up to so many bytes are compared. */
const MOST_BYTES = strength("BENCHHUD_PACKS_KB", 400, 1_000_000) * 1000;
let folder;
before(() => {
  folder = temporaryFolder("packs");
  writeFileSync(join(folder, "profile.xplane.pb"), hloXspace());
});
after(() => removeFolder(folder));

const path = (...parts) => join(folder, ...parts);
function run(...args) {
  const done = benchhud(...args);
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}
function ingest(what, db, ...options) {
  const done = benchhud("ingest", what, "--db", db, "--format", "json", ...options);
  assert.ok(done.status === 0, done.stderr + done.stdout);
  return JSON.parse(done.stdout);
}
const pack = (file, ...options) => JSON.parse(run("pack", file, "--format", "json", ...options)).packs;
const filesBelow = (at) => readdirSync(at, { recursive: true }).map((name) => join(at, name)).filter((file) => statSync(file).isFile());

/** What a server says to a list of addresses, each with its status. */
async function answers(base, addresses) {
  const said = {};
  for (const address of addresses) {
    const answer = await fetch(`${base}/api/v1${address}`);
    said[address] = `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString("latin1")}`;
  }
  return said;
}

/** Addresses of all that can be asked of a trace, by what it says that it has. */
async function addressesOf(base, id) {
  const at = `/traces/${id}`;
  const answer = await fetch(`${base}/api/v1${at}`);
  if (answer.status !== 200) return [at];
  const info = await answer.json();
  const addresses = [at];
  for (const more of ["labels", "labels?block=1", "hlo", "find?q=a&limit=50", "next?q=a", "points", "flows", "flame", "export", "report", "findings", "operators", "kernels", "memory", "iterations",
    "sums?end=9000000000000", "point?number=0", "flow?number=0"]) addresses.push(`${at}/${more}`);
  for (const thread of (info.threads ?? []).slice(0, 8)) {
    addresses.push(`${at}/tile?thread=${thread.thread}&end=9000000000000000`, `${at}/slice?thread=${thread.thread}&chunk=0&index=0`);
    for (const level of [20, 30, 40]) addresses.push(`${at}/tiles?level=${level}&index=0&tracks=${thread.thread}`);
  }
  for (let number = 0; number < 5; ++number) addresses.push(`${at}/counter?number=${number}&end=9000000000000`, `${at}/busy?device=${number}&end=9000000000000`);
  for (const table of ["slices", "points", "flows", "tracks", "counters"]) addresses.push(`${at}/query?sql=${encodeURIComponent(`SELECT * FROM ${table} LIMIT 3000`)}`);
  const found = await (await fetch(`${base}/api/v1${at}/findings`)).json();
  for (const { kind } of found.items ?? found.findings ?? []) addresses.push(`${at}/findings/${kind}`);
  return addresses;
}

/** A folder with every trace that there is, named as dumps, and another with packs of them, named the same. */
function folders() {
  const traces = path("same", "traces"), packs = path("same", "packs");
  mkdirSync(traces, { recursive: true });
  mkdirSync(packs, { recursive: true });
  const files = filesBelow(night).filter((file) => basename(file).startsWith("trace-"));
  const others = existsSync(shared) ? [join(shared, "traces"), join(shared, "xplane")].flatMap(filesBelow) : [];
  files.push(...others.filter((file) => /\.(json|json\.gz|xplane\.pb)$/.test(file) && !file.includes("reference") && statSync(file).size <= MOST_BYTES));
  files.push(path("profile.xplane.pb"));
  const made = [];
  files.forEach((file, number) => {
    const name = `trace-${String(number).padStart(3, "0")}-x.json${file.endsWith(".gz") ? ".gz" : ""}`;
    const done = benchhud("pack", file, "--out", join(packs, `${name}.pack`));
    if (done.status !== 0) {
      assert.match(done.stderr, /is no trace/, file);
      return;
    }
    copyFileSync(file, join(traces, name));
    renameSync(join(packs, `${name}.pack`), join(packs, name));
    made.push(file);
  });
  return { traces, packs, made, hasShared: others.length > 0 };
}

test("every answer of every sample is the same bytes", async (t) => {
  const { traces, packs, made, hasShared } = folders();
  if (!hasShared) t.diagnostic("the folder shared is not there: only the project's own samples are compared");
  const used = path("same", "used");
  const said = [];
  let addresses;
  for (const from of [traces, packs]) {
    // From the same place, so that it is not told by where they lay.
    renameSync(from, used);
    const db = path(`${basename(from)}.db`);
    const { dumps } = ingest(used, db);
    renameSync(used, from);
    assert.equal(dumps.length, made.length);
    for (const dump of dumps) assert.equal(dump.unreadable, null, `${dump.path}: ${dump.unreadable}`);
    const server = await serve(db);
    addresses ??= (await Promise.all(made.map((_, i) => addressesOf(server.base, i + 1)))).flat();
    said.push(await answers(server.base, addresses));
    await server.stop();
  }
  let compared = 0;
  for (const address of addresses) {
    const file = made[Number(/^\/traces\/(\d+)/.exec(address)[1]) - 1];
    assert.ok(said[0][address] === said[1][address], `${address} of ${file}:\n${said[0][address].slice(0, 3000)}\n${said[1][address].slice(0, 3000)}`);
    compared += said[0][address].startsWith("200 ") ? 1 : 0;
  }
  t.diagnostic(`${compared} answers of ${made.length} traces`);
  assert.ok(compared > 20 * made.length);
});

describe("packs of a night", () => {
  let output;
  before(() => {
    output = path("night");
    cpSync(night, output, { recursive: true });
    const traces = filesBelow(output).filter((file) => basename(file).startsWith("trace-"));
    for (const file of traces) {
      assert.equal(pack(file)[0].pack, `${file.replace(/\.gz$/, "")}.pack`);
      rmSync(file);
    }
  });

  test("belong to the results that their traces would", () => {
    ingest(night, path("a.db"));
    const { dumps } = ingest(output, path("b.db"));
    assert.ok(dumps.every((dump) => !dump.orphaned && dump.unreadable === null));
    const list = (db) => JSON.parse(run("artifacts", "list", "latest", "--db", db, "--format", "json"));
    const facts = (db) => JSON.stringify(list(db), (key, value) => (key === "path" || key === "ingested_at" ? undefined : value));
    assert.equal(facts(path("b.db")), facts(path("a.db")));
  });

  test("bring nothing twice, in either order", () => {
    for (const [first, second] of [[night, output], [output, night]]) {
      const db = path(`${basename(first)}-first.db`);
      ingest(first, db);
      const before = run("artifacts", "list", "latest", "--db", db);
      const { dumps } = ingest(second, db);
      assert.ok(dumps.every((dump) => dump.outcome === "known"), JSON.stringify(dumps));
      assert.equal(run("artifacts", "list", "latest", "--db", db), before);
      assert.equal(ingest(second, db).dumps.every((dump) => dump.outcome === "known"), true);
    }
  });

  test("are taken in by watch", () => {
    const watched = path("watched");
    mkdirSync(watched);
    cpSync(output, join(watched, "night"), { recursive: true });
    run("watch", watched, "--once", "--settle", "0", "--db", path("watched.db"));
    const list = JSON.parse(run("artifacts", "list", "latest", "--db", path("watched.db"), "--format", "json"));
    assert.ok(JSON.stringify(list).includes('"trace"'));
  });

  test("can be sent", async () => {
    const db = path("sent.db");
    ingest(night, db);
    const server = await serve(db);
    const { items } = await (await fetch(`${server.base}/api/v1/results?run=2025-11-15`)).json();
    const send = async (name, body, type) => {
      const answer = await fetch(`${server.base}/api/v1/ingest/dump?name=${name}&run=2025-11-15&experiment=${items[0].experiment.id}`, { method: "POST", headers: { ...server.bearer(), "content-type": type }, body });
      return { status: answer.status, data: await answer.json() };
    };
    writeFileSync(path("sent.json"), JSON.stringify({ traceEvents: [{ ph: "X", pid: 0, tid: 7, cat: "kernel", name: "gemm", ts: 1, dur: 2 }] }));
    const [{ pack: file }] = pack(path("sent.json"));
    const bytes = readFileSync(file);
    const first = await send("sent.json.pack", bytes, "application/octet-stream");
    assert.equal(first.status, 200, JSON.stringify(first.data));
    assert.deepEqual([first.data.dumps[0].outcome, first.data.dumps[0].unreadable], ["new", null]);
    assert.equal((await send("sent.json", readFileSync(path("sent.json")), "application/json")).data.dumps[0].outcome, "known");
    assert.equal((await send("sent.json.pack", gzipSync(bytes), "application/gzip")).data.dumps[0].outcome, "known");

    bytes[5000] ^= 1;
    const damaged = await send("other.json.pack", bytes, "application/octet-stream");
    assert.match(JSON.stringify(damaged.data), /the pack is damaged: page 5 is not what was written/);
    bytes[63] = 200;
    const newer = await send("newer.json.pack", bytes, "application/octet-stream");
    assert.equal(newer.status, 400);
    assert.match(newer.data.detail, /is a pack of version 200, this program reads version \d+/);
    for (const { data } of [damaged, newer]) assert.ok(!JSON.stringify(data).includes(folder), "nothing of where files are kept");
    await server.stop();
  });
});

test("packs say what they are where they are not read", () => {
  const at = path("elsewhere");
  cpSync(night, at, { recursive: true });
  const [{ pack: file }] = pack(path("profile.xplane.pb"), "--out", at);
  const piped = spawnSync("sh", ["-c", `cat "${file}" | "${program}" trace summary /dev/stdin`], { encoding: "utf8" });
  assert.equal(piped.status, 1);
  assert.match(piped.stderr, /is a pack of a trace: from a pipe these are not read, save it as a file/);
  const numbers = benchhud("detect", file);
  assert.match(numbers.stderr, /it is a pack of a trace: ingest it under the trace's name with \.pack behind it/);
  const done = benchhud("ingest", at, "--db", path("elsewhere.db"));
  assert.match(done.stderr, /profile\.xplane\.pb\.pack; no folder says of which result/);
});

describe("benchhud pack", () => {
  const made = { traceEvents: [{ ph: "X", pid: 0, tid: 7, cat: "kernel", name: "gemm", ts: 1, dur: 2 }] };

  test("makes the same bytes of the same trace, and replaces nothing", () => {
    writeFileSync(path("one.json"), JSON.stringify(made), { mode: 0o600 });
    writeFileSync(path("two.json.gz"), gzipSync(JSON.stringify(made)));
    const [one] = pack(path("one.json"));
    const [two] = pack(path("two.json.gz"));
    assert.equal(two.pack, path("two.json.pack"));
    assert.equal(one.hash, two.hash);
    assert.deepEqual(readFileSync(one.pack), readFileSync(two.pack));
    assert.equal(statSync(one.pack).mode & 0o777, 0o600, "it shows nobody what its trace hides");
    assert.deepEqual([one.bytes, one.trace_bytes], [statSync(one.pack).size, JSON.stringify(made).length]);
    const again = benchhud("pack", path("one.json"));
    assert.equal(again.status, 1);
    assert.match(again.stderr, /one\.json\.pack is there already/);
    // A pack of a pack is that pack.
    assert.equal(pack(one.pack, "--out", path("again.pack"))[0].hash, one.hash);
  });

  test("says what it cannot pack, and packs the rest", () => {
    writeFileSync(path("none.json"), "{}");
    writeFileSync(path("three.json"), JSON.stringify(made));
    const done = benchhud("pack", path("none.json"), path("absent.json"), path("three.json"), "--out", path("there"));
    assert.equal(done.status, 1);
    assert.match(done.stderr, /none\.json/);
    assert.match(done.stderr, /absent\.json/);
    assert.deepEqual(readdirSync(path("there")), ["three.json.pack"]);
    assert.equal(benchhud("pack").status, 2);
    assert.equal(benchhud("pack", path("one.json"), path("three.json"), "--out", path("x.pack")).status, 2);
  });

  test("makes what other commands read as a trace", () => {
    const [{ pack: file }] = pack(path("profile.xplane.pb"), "--out", path("read"));
    const summary = (of) => run("trace", "summary", of, "--format", "json");
    assert.equal(summary(file), summary(path("profile.xplane.pb")));
  });
});
