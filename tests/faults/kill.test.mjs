// kill -9: whatever an ingest was at, the store is whole, and the same ingest again gives what an undisturbed one does, nothing twice.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, program, removeFolder, root, temporaryFolder } from "../integration/support/server.mjs";
import { figures, pause, randomNumbers, strength } from "./support/faults.mjs";
import { buildShim, contents, copyStore, filesOf, harmed, isWhole, makeNights, readText, removeStore } from "./support/store.mjs";

const POINTS = strength("BENCHHUD_KILL_POINTS", 30, 1_000_000);
const KILLS = strength("BENCHHUD_KILLS", 30, 1000);
const LARGE_KILLS = strength("BENCHHUD_LARGE_KILLS", 8, 200);
const within = { timeout: (120 + Math.min(POINTS, 5000) + KILLS * 2 + LARGE_KILLS * 5) * 1000 };

let folder, shim, nights;
before(() => {
  folder = temporaryFolder("kill");
  shim = buildShim(folder);
  nights = makeNights(folder);
});
after(() => removeFolder(folder));

test("at each of its writes, before it and in the middle of it", within, () => {
  const base = join(folder, "base.db"), whole = join(folder, "whole.db"), db = join(folder, "point.db"), count = join(folder, "count");
  assert.equal(benchhud("ingest", nights.first, "--db", base).status, 0);
  copyStore(base, whole);
  const done = harmed(shim, { path: "whole.db", count }, "ingest", nights.second, "--db", whole);
  assert.equal(done.status, 3, done.stderr);
  const calls = Number(readText(count)), wanted = contents(whole), stride = Math.max(1, Math.ceil((2 * calls) / POINTS));
  const held = contents(base).lines.length;
  let points = 0, killed = 0, kept = 0;
  for (let i = 0; i < 2 * calls; i += stride) {
    const at = (i >> 1) + 1, what = (i / stride) % 2 ? "torn" : "kill";
    copyStore(base, db);
    const ended = harmed(shim, { path: "point.db", at, what }, "ingest", nights.second, "--db", db);
    ++points;
    killed += ended.signal === "SIGKILL";
    isWhole(db);
    kept += benchhud("export", "--format", "jsonl", "--db", db).stdout.split("\n").length > held;
    const again = benchhud("ingest", nights.second, "--db", db);
    assert.equal(again.status, 3, `after ${what} at ${at}: ${again.stderr}`);
    assert.deepEqual(contents(db), wanted, `after ${what} at ${at} of ${calls}`);
    isWhole(db);
  }
  figures("kill at writes", { writes: calls, points, killed, with_a_file_in: kept, lost: 0, twice: 0 });
  assert.ok(killed >= points * 0.9, `${killed} of ${points}`);
});

test("while a store is made", within, () => {
  const whole = join(folder, "new.db"), db = join(folder, "made.db"), count = join(folder, "count");
  assert.equal(harmed(shim, { path: "new.db", count }, "ingest", nights.first, "--db", whole).status, 0);
  const calls = Number(readText(count)), wanted = contents(whole), stride = Math.max(1, Math.ceil(calls / (POINTS / 2)));
  let points = 0;
  for (let at = 1; at <= calls; at += stride, ++points) {
    const own = `${db}.${at}`;
    harmed(shim, { path: `made.db.${at}`, at, what: points % 2 ? "torn" : "kill" }, "ingest", nights.first, "--db", own);
    const again = benchhud("ingest", nights.first, "--db", own);
    assert.equal(again.status, 0, `killed at ${at} of ${calls}: ${again.stderr}`);
    assert.deepEqual(contents(own), wanted, `killed at ${at} of ${calls}`);
    isWhole(own);
  }
  figures("kill while a store is made", { writes: calls, points, lost: 0, twice: 0 });
});

/** A trace that takes more than 4 MB however it is packed: its arguments are random. */
function writeLargeTrace(file) {
  const events = Array.from({ length: 100_000 }, (_, i) => `{"ph":"X","name":"n${i % 7}","pid":1,"tid":1,"ts":${10 * i},"dur":5,"args":{"a":"${randomBytes(50).toString("hex")}"}}`);
  writeFileSync(file, `[${events.join(",\n")}]`);
}

test("while a large trace comes in piece by piece", within, () => {
  const base = join(folder, "small.db"), whole = join(folder, "large.db"), db = join(folder, "piece.db"), count = join(folder, "count"), trace = join(folder, "large");
  mkdirSync(join(trace, "alpha/0"), { recursive: true });
  writeLargeTrace(join(trace, "alpha/0/trace-cpu-inductor-False-eval-None-None-None-alpha.json"));
  assert.equal(benchhud("ingest", nights.first, "--db", base).status, 0);
  copyStore(base, whole);
  const done = harmed(shim, { path: "large.db", count }, "ingest", trace, "--db", whole);
  assert.equal(done.status, 0, done.stderr);
  const calls = Number(readText(count)), before = contents(base), wanted = contents(whole);
  assert.equal(wanted.dumps.length, before.dumps.length + 1);
  const bytes = (store) => filesOf(store).reduce((sum, file) => sum + statSync(file).size, 0);
  let killed = 0, inPieces = 0;
  for (let i = 0; i < LARGE_KILLS; ++i) {
    const at = 1 + Math.floor(((i + 0.5) * calls) / LARGE_KILLS);
    copyStore(base, db);
    const ended = harmed(shim, { path: "piece.db", at, what: i % 2 ? "torn" : "kill" }, "ingest", trace, "--db", db);
    killed += ended.signal === "SIGKILL";
    isWhole(db);
    const found = contents(db);
    const isIn = found.dumps.length > before.dumps.length;
    assert.deepEqual(found, isIn ? wanted : before, `killed at ${at} of ${calls}`);
    inPieces += !isIn && bytes(db) > bytes(base) + 1e6;
    const again = benchhud("ingest", trace, "--db", db);
    assert.equal(again.status, 0, `killed at ${at} of ${calls}: ${again.stderr}`);
    assert.deepEqual(contents(db), wanted, `killed at ${at} of ${calls}`);
    isWhole(db);
  }
  figures("kill while a large trace comes in", { writes: calls, points: LARGE_KILLS, killed, with_a_part_of_it: inPieces, lost: 0, twice: 0 });
  assert.ok(killed >= LARGE_KILLS * 0.7, `${killed} of ${LARGE_KILLS}`);
  assert.ok(inPieces > 0, "it does not come in piece by piece");
});

test("at any moment, again and again on one store", within, async () => {
  const samples = join(root, "samples/cpu_nightlies");
  const folders = readdirSync(samples).filter((name) => /^2025-/.test(name)).sort().slice(12, 16).map((name) => join(samples, name));
  const whole = join(folder, "samples.db");
  const began = Date.now();
  assert.equal(benchhud("ingest", ...folders, "--db", whole).status, 0);
  const usual = Date.now() - began, wanted = contents(whole), random = randomNumbers(Number(process.env.BENCHHUD_KILL_SEED ?? 1));
  const MOST_AT_ONE = 5;
  let kills = 0, tooLate = 0, stores = 0;
  while (kills < KILLS) {
    const db = join(folder, `random${stores++}.db`);
    for (let i = 0; i < MOST_AT_ONE && kills < KILLS; ++i) {
      const child = spawn(program, ["ingest", ...folders, "--db", db], { stdio: "ignore" });
      const ended = new Promise((done) => child.on("exit", (code, signal) => done(signal)));
      await Promise.race([pause(random() * usual), ended]);
      child.kill("SIGKILL");
      // What had ended by itself was not killed, and what comes after it would find nothing to do.
      if ((await ended) !== "SIGKILL") {
        ++tooLate;
        break;
      }
      ++kills;
    }
    const again = benchhud("ingest", ...folders, "--db", db);
    assert.equal(again.status, 0, again.stderr);
    assert.deepEqual(contents(db), wanted);
    isWhole(db);
    removeStore(db);
  }
  figures("kill at any moment", { kills, too_late: tooLate, stores, lines: wanted.lines.length - 1, dumps: wanted.dumps.length, lost: 0, twice: 0 });
});
