// kill -9 while traces are moved out of the store, brought back, or taken in with a place: each is in the store or in the
// place, whole, and nothing is lost or there twice.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, program, removeFolder, root, temporaryFolder } from "../integration/support/server.mjs";
import { figures, pause, randomNumbers, strength } from "./support/faults.mjs";
import { contents, copyStore, isWhole, removeStore } from "./support/store.mjs";

const KILLS = strength("BENCHHUD_MOVE_KILLS", 24, 1000);
const within = { timeout: (120 + KILLS * 8) * 1000 };
const nights = ["2025-11-10", "2025-11-14"].map((name) => join(root, "samples/cpu_nightlies", name));

let folder, base, whole, wanted, traces;

function json(...args) {
  const done = benchhud(...args, "--format", "json");
  assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}
const run = (...args) => assert.equal(benchhud(...args).status, 0, args.join(" "));

before(() => {
  folder = temporaryFolder("kill-moves");
  base = join(folder, "base.db");
  whole = join(folder, "whole.db");
  run("ingest", "--quiet", nights[0], "--db", base);
  copyStore(base, whole);
  run("ingest", "--quiet", nights[1], "--db", whole);
  wanted = contents(whole);
  traces = exportsOf(whole);
  assert.ok(traces.length > 40, `${traces.length} traces`);
});
after(() => removeFolder(folder));

/** Every trace of a store, as a file of its own. */
function exportsOf(db) {
  const dumps = json("artifacts", "list", "--limit", "100000", "--db", db);
  return (dumps.items ?? dumps).filter(({ kind }) => kind === "trace").map(({ id, name }) => {
    const done = benchhud("trace", "export", "--artifact", String(id), "--db", db);
    assert.equal(done.status, 0, done.stderr);
    return `${name}\n${done.stdout}`;
  }).sort();
}

/** Runs the program, which is killed after so many milliseconds; whether it was. */
async function killed(after, ...args) {
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise((done) => child.on("exit", (code, signal) => done(signal)));
  await Promise.race([pause(after), ended]);
  child.kill("SIGKILL");
  return (await ended) === "SIGKILL";
}

test("each trace is in the store or in its place, whatever was killed when", within, async () => {
  const random = randomNumbers(Number(process.env.BENCHHUD_KILL_SEED ?? 1));
  const usual = {};
  let kills = 0, tooLate = 0, stores = 0, orphans = 0;
  while (kills < KILLS) {
    const db = join(folder, `store${stores}.db`), place = join(folder, `place${stores++}`);
    copyStore(base, db);
    mkdirSync(place);
    const steps = { out: ["traces", "move", "--to", place], in: ["ingest", "--quiet", ...nights], back: ["traces", "move", "--to", "store"] };
    for (const [step, args] of Object.entries(steps)) {
      for (let i = 0; i < 4; ++i) {
        const died = await killed(random() * (usual[step] ?? 300), ...args, "--db", db);
        died ? ++kills : ++tooLate;
        isWhole(db);
        const { checks } = JSON.parse(benchhud("doctor", "--full", "--format", "json", "--db", db).stdout);
        const packs = checks.find(({ check }) => check === "packs");
        assert.ok(!packs || packs.level === "good", packs?.words);
        if (!died) break;
      }
      const began = Date.now();
      run(...args, "--db", db);
      usual[step] = Math.max(usual[step] ?? 0, Date.now() - began + 20);
      const { store, moved } = json("traces", "--db", db);
      if (step !== "back") assert.equal(store.traces, 0, step);
      else assert.equal(moved.traces, 0);
      if (step === "in" || step === "back") {
        assert.deepEqual(contents(db), wanted, step);
        assert.deepEqual(exportsOf(db), traces, step);
      }
      const files = existsSync(join(place, "traces")) ? readdirSync(join(place, "traces"), { recursive: true }).filter((name) => /\.v\d+$/.test(name)).length : 0;
      orphans = Math.max(orphans, files - moved.traces);
    }
    assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith(`store${stores - 1}.db-pack`) && !name.endsWith("-lock")), [], "no half pack stays beside the store");
    removeStore(db);
    rmSync(place, { recursive: true });
    if (stores % 20 === 0) console.log(`${kills} of ${KILLS} kills on ${stores} stores`);
  }
  figures("kill while traces are moved", { kills, too_late: tooLate, stores, traces: traces.length, most_orphans: orphans, without_object: 0, twice: 0 });
  assert.ok(kills >= KILLS);
});
