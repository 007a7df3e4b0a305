// Two ingests and 64 readers at work for minutes: nothing lost, nothing twice, no 5xx.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, benchhudAsync, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { busyClients, figures, metric, peakMemory, quantile, strength } from "./support/faults.mjs";
import { isWhole } from "./support/store.mjs";

const SECONDS = strength("BENCHHUD_TOGETHER_SECONDS", 6, 600);
const READERS = 64, LINES = 40;
const within = { timeout: (SECONDS + 120) * 1000 };

let folder, db;
before(() => {
  folder = temporaryFolder("together");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

test(`two ingests and ${READERS} readers`, within, async () => {
  const held = benchhud("export", "--format", "jsonl", "--db", db).stdout.split("\n").filter(Boolean).length;
  const server = await serve(db, "--no-code");
  const results = async () => (await (await fetch(`${server.base}/api/v1/overview`)).json()).store.result_count;
  const before = await results();
  const readers = busyClients(server.port, { clients: READERS, seconds: SECONDS + 60, targets: ["/api/v1/overview", "/api/v1/runs", "/api/v1/runs/latest/models", "/api/v1/models", "/api/v1/alerts", "/api/v1/errors", "/api/v1/ingests", "/metrics"], pauseMs: 5 });
  const end = Date.now() + SECONDS * 1000, took = [];
  let ingests = 0, again = 0;
  const wanted = [];
  // Each has files of its own, and now and then sends one again, or the other's last.
  const last = ["", ""];
  const ingest = async (who) => {
    for (let n = 0; Date.now() < end; ++n) {
      const own = join(folder, `${who}`);
      mkdirSync(own, { recursive: true });
      const file = join(own, `night${n}.jsonl`);
      const lines = Array.from({ length: LINES }, (_, i) => {
        wanted.push(`m-${who}-${n}-${i}-`);
        return line({ model: `m-${who}-${n}-${i}-`, metrics: times(0.5), timestamp: 1_700_000_000 + who * 43_200 + n * 86_400, experiment: { accelerator_model: "NVIDIA H100" } });
      });
      writeFileSync(file, lines.join("\n") + "\n");
      const files = [file, ...(n % 3 === 2 && last[1 - who] ? [last[1 - who]] : [])];
      const began = performance.now();
      const done = await benchhudAsync("ingest", ...files, "--db", db);
      took.push(performance.now() - began);
      assert.equal(done.status, 0, done.stderr);
      last[who] = file;
      ++ingests;
      again += files.length - 1;
    }
  };
  await Promise.all([ingest(0), ingest(1)]);
  const crowd = await readers.stop();
  const memory = peakMemory(server.pid), refused = await metric(server, "benchhud_http_refused_total");
  // What is served is what is in the store.
  const served = (await results()) - before;
  assert.equal((await server.stop()).code, 0);
  const exported = benchhud("export", "--format", "jsonl", "--db", db).stdout;
  const counts = new Map();
  for (const [name] of exported.matchAll(/m-\d-\d+-\d+-/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const lost = wanted.filter((name) => !counts.has(name)).length;
  const lines = exported.split("\n").filter(Boolean).length;
  const twice = lines - held - (wanted.length - lost);
  const of5xx = Object.entries(crowd.statuses).filter(([status]) => status >= "500").reduce((sum, [, count]) => sum + count, 0);
  figures("together", {
    seconds: SECONDS, readers: READERS, answers: crowd.answers, statuses: JSON.stringify(crowd.statuses), "5xx": of5xx, cut: crowd.errors, refused, p50_ms: crowd.p50.toFixed(1), p99_ms: crowd.p99.toFixed(1),
    max_ms: crowd.max.toFixed(0), least: crowd.perClient.least, most: crowd.perClient.most, ingests, files_again: again, ingest_p50_ms: quantile(took, 0.5).toFixed(0), ingest_max_ms: quantile(took, 1).toFixed(0), lines: wanted.length, lost, twice, memory_MB: memory.toFixed(0),
  });
  assert.equal(lost, 0);
  assert.equal(twice, 0);
  assert.equal(of5xx, 0, JSON.stringify(crowd.bad));
  assert.deepEqual(Object.keys(crowd.statuses), ["200"], JSON.stringify(crowd.bad));
  assert.equal(crowd.errors, 0, crowd.error);
  assert.equal(refused, 0);
  assert.equal(served, wanted.length);
  assert.ok(ingests >= 4 && crowd.perClient.least > 0);
  isWhole(db);
});
