// A monitoring system asks `/alive` and `/health` while others load the server with what costs most: it is answered all the same.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, makeToken, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { figures, peakMemory, quantile, strength } from "./support/faults.mjs";
import { holdLock } from "./support/store.mjs";

const DUMP_MB = strength("BENCHHUD_HEALTH_DUMP_MB", 32, 126);
const SECONDS = strength("BENCHHUD_HEALTH_SECONDS", 5, 20);
const MOST_MS = 100;
const within = { timeout: 600_000 };

let folder, db, run, control;
before(async () => {
  folder = temporaryFolder("health");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
  run = JSON.parse(benchhud("runs", "list", "--db", db, "--format", "json").stdout)[0].name;
  const other = join(folder, "control.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--db", other).status, 0);
  control = await serve(other);
});
after(async () => {
  await control?.stop();
  if (folder) removeFolder(folder);
});

/** Two orphaned dumps of IR of so many megabytes; their ids. */
function ingestDumps() {
  const dumps = join(folder, "dumps");
  mkdirSync(dumps);
  for (const night of [1, 2]) {
    let text = `HloModule jit_f, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}\n\nENTRY main.3 {\n  p0 = f32[2,3]{1,0} parameter(0)\n`;
    const parts = [text];
    let size = text.length;
    for (let i = 0; size < DUMP_MB << 20; ++i) {
      text = `  fusion.${i} = f32[${night},${i % 977}]{1,0} add(f32[2,3]{1,0} p0, f32[2,3]{1,0} p0), metadata={op_type="aten__add" op_name="aten__add.${i}/${(i * 7919 * night) % 100003}"}\n`;
      parts.push(text);
      size += text.length;
    }
    parts.push("  ROOT add.2 = f32[2,3]{1,0} add(p0, p0)\n}\n");
    writeFileSync(join(dumps, `dump-${night}.hlo`), parts.join(""));
  }
  const done = benchhud("ingest", dumps, "--db", db);
  assert.ok([0, 3].includes(done.status), done.stderr);
  const list = JSON.parse(benchhud("artifacts", "list", "--db", db, "--format", "json").stdout);
  return (list.items ?? list).filter((one) => one.kind === "ir" && one.byte_count > (DUMP_MB << 20) / 2).map((one) => one.id);
}

/** How long the servers take to answer as long as `load` lasts, in milliseconds, by name; and what `load` gives. */
async function measured(server, load) {
  const targets = ["alive", "health"].map((name) => ({ name, port: server.port, address: `/api/v1/${name}` }));
  targets.push({ name: "control", port: control.port, address: "/api/v1/alive" });
  const child = spawn(process.execPath, [fileURLToPath(new URL("./support/prober.mjs", import.meta.url)), JSON.stringify(targets)], { stdio: ["pipe", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (bytes) => (printed += bytes));
  const ended = new Promise((done) => child.on("close", done));
  let told;
  try {
    told = await load();
  } finally {
    child.stdin.end();
  }
  assert.equal(await ended, 0);
  return { took: JSON.parse(printed), told };
}

/** Fails where `/alive` or `/health` take longer than they may as long as `load` lasts. What the machine does to answers, with whatever else runs on
 *  it, a server without load shows that is asked at the same times; and what was not the server's fault passes when it is done again. */
async function probe(what, server, load) {
  for (let turn = 1; ; ++turn) {
    const { took, told } = await measured(server, load);
    const p99 = (name) => quantile(took[name], 0.99);
    const most = Math.max(MOST_MS, 3 * p99("control"));
    for (const name of ["alive", "health"]) {
      const all = took[name];
      figures(`/api/v1/${name}, ${what}`, { asked: all.length, p50_ms: quantile(all, 0.5).toFixed(1), p99_ms: p99(name).toFixed(1), max_ms: quantile(all, 1).toFixed(1), p99_of_other_server_ms: p99("control").toFixed(1), load_average: loadavg()[0].toFixed(1), ...told });
      assert.ok(all.length > 20, `${name} was asked ${all.length} times`);
    }
    if (p99("alive") < most && p99("health") < most) return;
    assert.ok(turn < 3, `${what}: p99 of alive ${p99("alive")} ms, of health ${p99("health")} ms`);
  }
}

/** Serves a store, and ends whatever becomes of the test. */
async function serving(db, use) {
  const server = await serve(db);
  try {
    await use(server);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
}

/** The statuses of all addresses, asked at once, again and again for so many seconds, by `fetch` options of `ask(i)`. */
async function crowd(count, seconds, ask) {
  const statuses = {};
  const end = Date.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      for (let turn = 0; turn === 0 || Date.now() < end; ++turn) {
        const [address, options] = ask(i, turn);
        const answer = await fetch(address, options);
        await answer.arrayBuffer();
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      }
    }),
  );
  return statuses;
}

test("eight comparisons of two large dumps of IR, in bounded memory", within, async () => {
  const [after, before] = ingestDumps();
  assert.ok(before && after);
  await serving(db, async (server) => {
    const idle = peakMemory(server.pid);
    let statuses;
    // Each with another limit, so that none is answered from what another one made.
    await probe(`8 comparisons of ${DUMP_MB} MB`, server, async () => {
      statuses = await crowd(8, SECONDS, (i, turn) => [`${server.base}/api/v1/artifact-diff?before=${before}&after=${after}&limit=${1 + ((i + turn * 8) % 90)}`]);
      return { statuses: JSON.stringify(statuses) };
    });
    const memory = peakMemory(server.pid) - idle;
    figures("memory of comparisons", { dump_MB: DUMP_MB, memory_MB: memory.toFixed(0) });
    assert.ok(statuses[200] > 0 && Object.keys(statuses).every((status) => ["200", "503"].includes(status)), JSON.stringify(statuses));
    // Two at a time, each with a dump's text and what was read of it.
    assert.ok(memory < 2 * 4 * DUMP_MB + 64, `${memory} MB`);
  });
});

test("64 who ask for the history of each model", within, async () => {
  const own = join(folder, "history.db");
  const nights = Array.from({ length: 100 }, (_, night) =>
    Array.from({ length: 300 }, (_, model) => line({ model: `m${model}`, metrics: times(0.5 + model / 100), timestamp: 1_762_300_800 + night * 86_400 })).join("\n"),
  );
  writeFileSync(join(folder, "nights.jsonl"), nights.join("\n") + "\n");
  assert.equal(benchhud("ingest", join(folder, "nights.jsonl"), "--db", own).status, 0);
  let asked = 0;
  await serving(own, async (server) => {
    await probe("64 histories of models", server, async () => {
      // Each since another time, so that none is answered from what another one made; without the body, which costs the client more than the server.
      const since = () => new Date(Date.UTC(2000, 0, 1) + 1000 * asked++).toISOString();
      const statuses = await crowd(64, SECONDS, () => [`${server.base}/api/v1/history/models?runs=100&since=${since()}`, { method: "HEAD" }]);
      assert.ok(statuses[200] > 0, JSON.stringify(statuses));
      return { statuses: JSON.stringify(statuses) };
    });
  });
});

test("64 changes while another process holds the store's lock", within, async (t) => {
  const headers = { authorization: `Bearer ${makeToken(db, "triage")}`, "content-type": "application/json" };
  const release = await holdLock(db);
  if (!release) return t.skip("sqlite3 is not installed: nobody holds the lock");
  try {
    await serving(db, async (server) => {
      await probe("64 changes behind a lock", server, async () => {
        const body = JSON.stringify({ kind: "pinned", reason: "test", who: "ada" });
        const began = Date.now();
        const statuses = await crowd(64, 1, () => [`${server.base}/api/v1/runs/${encodeURIComponent(run)}/marks`, { method: "POST", headers, body }]);
        assert.deepEqual(Object.keys(statuses), ["503"]);
        return { statuses: JSON.stringify(statuses), seconds: ((Date.now() - began) / 1000).toFixed(1) };
      });
      // A page is answered meanwhile, too.
      assert.equal((await fetch(`${server.base}/api/v1/overview`)).status, 200);
    });
  } finally {
    release();
  }
});
