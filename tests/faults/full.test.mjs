// A full disk, a quota, a disk that fails: said, with the store's name and the reason; the store is as before, and what is served goes on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, removeFolder, root, serve, serveWith, temporaryFolder } from "../integration/support/server.mjs";
import { busyClients, figures, pause, strength } from "./support/faults.mjs";
import { buildShim, contents, copyStore, harm, harmed, isWhole, leftOvers, makeNights, readText } from "./support/store.mjs";

const POINTS = strength("BENCHHUD_FULL_POINTS", 60, 1_000_000);
const within = { timeout: (120 + Math.min(POINTS, 5000)) * 1000 };

let folder, shim, nights;
before(() => {
  folder = temporaryFolder("full");
  shim = buildShim(folder);
  nights = makeNights(folder);
});
after(() => removeFolder(folder));

const night = (model) => line({ model, metrics: times(0.5), experiment: { accelerator_model: "NVIDIA H100" } }) + "\n";

test("at each write of an ingest, for once and from then on: it fails, says why, and leaves whole files or nothing", within, () => {
  const base = join(folder, "base.db"), whole = join(folder, "whole.db"), db = join(folder, "point.db"), count = join(folder, "count");
  assert.equal(benchhud("ingest", nights.first, "--db", base).status, 0);
  copyStore(base, whole);
  assert.equal(harmed(shim, { path: "whole.db", count }, "ingest", nights.second, "--db", whole).status, 3);
  // A fault that passes keeps out the file that it met; the next one goes in.
  const ones = [["a.jsonl", 3], ["b.jsonl", 0]].map(([name, status]) => {
    const one = join(folder, `only-${name}.db`);
    copyStore(base, one);
    assert.equal(benchhud("ingest", join(nights.second, name), "--db", one).status, status);
    return one;
  });
  // All lines, in whichever order they came in.
  const exported = (file) => benchhud("export", "--format", "jsonl", "--db", file).stdout.split("\n").sort().join("\n");
  const allowed = [base, ...ones, whole].map(exported), wanted = contents(whole);
  const calls = Number(readText(count));
  const all = [];
  for (let at = 1; at <= calls; ++at) for (const what of ["ENOSPC", "EDQUOT", "EIO"]) for (const once of [false, true]) all.push({ at, what, once });
  const stride = Math.max(1, Math.ceil(all.length / POINTS)), seen = {};
  let points = 0, failed = 0, unnoticed = 0;
  for (let i = 0; i < all.length; i += stride) {
    const fault = all[i], told = JSON.stringify(fault);
    ++points;
    copyStore(base, db);
    const done = harmed(shim, { path: "point.db", ...fault }, "ingest", nights.second, "--db", db);
    assert.equal(done.signal, null, `${told} ended by ${done.signal}`);
    if (done.status === 1) {
      ++failed;
      assert.match(done.stderr, /point\.db/, `${told}: the store is named`);
      const reason = /No space left|no space is left|quota exceeded|Input\/output error|unable to open database file/.exec(done.stderr)?.[0];
      assert.ok(reason, `${told}: ${done.stderr}`);
      seen[reason] = (seen[reason] ?? 0) + 1;
      assert.ok(allowed.includes(exported(db)), `${told}: whole files or nothing`);
    } else {
      // SQLite may do without what failed, the truncation of a log for instance.
      ++unnoticed;
      assert.equal(done.status, 3, `${told}: ${done.stderr}`);
      assert.equal(exported(db), allowed.at(-1), told);
    }
    const again = benchhud("ingest", nights.second, "--db", db);
    assert.equal(again.status, 3, `${told}, then with space: ${again.stderr}`);
    if (i % (7 * stride) === 0) assert.deepEqual(contents(db), wanted, told);
    else assert.equal(exported(db), allowed.at(-1), told);
    isWhole(db);
  }
  figures("writes that fail", { writes: calls, points, failed, done_without: unnoticed, reasons: JSON.stringify(seen), lost: 0, twice: 0 });
  assert.ok(failed > points / 2);
});

/** Changes that a full disk must refuse. */
const changes = (server, alert, name) => ({
  note: () => fetch(`${server.base}/api/v1/alerts/${alert}/actions`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify({ kind: "note", value: name }) }),
  upload: () => fetch(`${server.base}/api/v1/ingest?name=${name}.jsonl`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/x-ndjson" }, body: night(name) }),
});

async function isRefusedAsFull(answer, what) {
  const problem = await answer.json();
  assert.equal(answer.status, 507, `${what}: ${JSON.stringify(problem)}`);
  assert.equal(problem.type, "urn:benchhud:problem:full");
  assert.match(problem.detail, /space|quota/i, what);
}

for (const what of ["ENOSPC", "EDQUOT"]) {
  test(`a served store on a disk without space (${what}): reading goes on, changes are answered 507, with space all is well`, within, async () => {
    const db = join(folder, `served${what}.db`), isFull = `${db}.is-full`;
    assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
    const alert = JSON.parse(benchhud("regressions", "--format", "json", "--db", db).stdout).alerts[0].id;
    const server = await serveWith(harm(shim, { path: `served${what}.db`, at: 1, what, whileThere: isFull }), db, "--no-code");
    let reads;
    try {
      server.bearer();
      assert.equal((await changes(server, alert, "before").note()).status, 201);
      const wanted = benchhud("export", "--format", "jsonl", "--db", db).stdout;
      // Each run once at least when the disk is full already: no answer of before is kept of it.
      const runs = (await (await fetch(`${server.base}/api/v1/runs?limit=1000`)).json()).items.map(({ id }) => `/api/v1/runs/${id}`);
      writeFileSync(isFull, "");
      reads = busyClients(server.port, { clients: 8, seconds: 60, targets: ["/api/v1/overview", "/api/v1/runs", "/api/v1/alerts", ...runs] });
      let refused = 0;
      for (let i = 0; i < 5; ++i) {
        for (const [name, change] of Object.entries(changes(server, alert, `full${i}`))) {
          await isRefusedAsFull(await change(), name);
          ++refused;
        }
      }
      await pause(300);
      const crowd = await reads.stop();
      rmSync(isFull);
      assert.equal(benchhud("export", "--format", "jsonl", "--db", db).stdout, wanted, "nothing of it is in");
      assert.deepEqual(leftOvers(db), []);
      for (const [name, change] of Object.entries(changes(server, alert, "after"))) assert.ok((await change()).ok, name);
      figures(`served, ${what}`, { changes_refused: refused, reads: crowd.answers, statuses: JSON.stringify(crowd.statuses) });
      assert.deepEqual(Object.keys(crowd.statuses), ["200"], JSON.stringify(crowd.bad));
      assert.equal(crowd.errors, 0, crowd.error);
      isWhole(db);
    } finally {
      rmSync(isFull, { force: true });
      assert.equal((await server.stop()).code, 0);
    }
  });
}

test("on a disk that is full, prune makes room, and then an ingest goes through", within, (context) => {
  const disk = join(folder, "prune-disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "benchhud", disk]).status !== 0) return context.skip("only root can mount a small file system");
  try {
    const db = join(disk, "store.db"), samples = join(root, "samples/cpu_nightlies");
    assert.equal(benchhud("ingest", samples, "--db", db).status, 0);
    const free = () => statfsSync(disk).bavail * statfsSync(disk).bsize;
    writeFileSync(join(disk, "filler"), Buffer.alloc(free()));
    assert.equal(free(), 0);
    const refused = benchhud("ingest", nights.second, "--db", db);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /[Nn]o space/);
    const pruned = benchhud("prune", "dumps", "--before", "2100-01-01", "--with-referred", "--format", "json", "--db", db);
    assert.equal(pruned.status, 0, pruned.stderr);
    const { dumps, freed_bytes } = JSON.parse(pruned.stdout);
    assert.ok(dumps.length > 50 && freed_bytes > 1e6, `${dumps.length} dumps, ${freed_bytes} bytes`);
    const ingested = benchhud("ingest", nights.second, "--db", db);
    assert.equal(ingested.status, 3, ingested.stderr); // of its lines one is none
    assert.equal(JSON.parse(benchhud("runs", "list", "--format", "json", "--db", db).stdout).filter(({ accelerator_model: model }) => model.includes("A100")).length, 2);
    isWhole(db);
    figures("prune on a full disk", { dumps: dumps.length, freed_bytes, free_bytes: free() });
  } finally {
    assert.equal(spawnSync("umount", [disk]).status, 0);
  }
});

test("a file system that is really full", within, async (context) => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "benchhud", disk]).status !== 0) return context.skip("only root can mount a small file system");
  try {
    const db = join(disk, "store.db");
    assert.equal(benchhud("ingest", nights.first, "--db", db).status, 0);
    const server = await serve(db, "--no-code");
    try {
      server.bearer();
      const wanted = benchhud("export", "--format", "jsonl", "--db", db).stdout;
      const free = () => statfsSync(disk).bavail * statfsSync(disk).bsize;
      // All but what is left of the log's last page.
      writeFileSync(join(disk, "filler"), Buffer.alloc(free()));
      assert.equal(free(), 0);
      const samples = benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db);
      assert.equal(samples.status, 1, samples.stderr);
      assert.match(samples.stderr, /store\.db/);
      assert.match(samples.stderr, /[Nn]o space/);
      const answer = await fetch(`${server.base}/api/v1/ingest?name=x.jsonl`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/x-ndjson" }, body: night("x").repeat(2000) });
      await isRefusedAsFull(answer, "upload");
      for (const path of ["overview", "runs", "alerts", "ingests"]) assert.equal((await fetch(`${server.base}/api/v1/${path}`)).status, 200, path);
      assert.equal(benchhud("export", "--format", "jsonl", "--db", db).stdout, wanted);
      isWhole(db);
      rmSync(join(disk, "filler"));
      const after = await fetch(`${server.base}/api/v1/ingest?name=x.jsonl`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/x-ndjson" }, body: night("x") });
      assert.equal(after.status, 200, await after.text());
      isWhole(db);
      figures("a full tmpfs", { ingest_status: samples.status, upload: answer.status, reads: "200" });
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
  } finally {
    assert.equal(spawnSync("umount", [disk]).status, 0);
  }
});
