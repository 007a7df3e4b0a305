// Stores to be harmed, and what is to be found in them afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { line, times } from "../../integration/support/lines.mjs";
import { benchhud, openToOthers, program } from "../../integration/support/server.mjs";

/** The library that makes writes fail; built into `folder`. */
export function buildShim(folder) {
  const library = join(folder, "shim.so");
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, fileURLToPath(new URL("./shim.c", import.meta.url)), "-ldl"], { encoding: "utf8" });
  if (built.error) throw built.error;
  assert.equal(built.status, 0, built.stderr);
  return library;
}

/** Runs the program with the shim. `fault`: { path, at, what, once, count, clock, whileThere, limits }. */
export function harmed(shim, fault, ...args) {
  return spawnSync(program, args, { encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 28, env: { ...process.env, ...harm(shim, fault) } });
}

export function harm(shim, { path, at = 0, what = "", once = false, count = "", clock = "", whileThere = "", limits = false }) {
  const own = { LD_PRELOAD: shim, FAULT_PATH: path, FAULT_AT: String(at), FAULT_DO: what, FAULT_ONCE: once && "1", FAULT_COUNT: count, FAULT_CLOCK: clock, FAULT_SWITCH: whileThere, FAULT_LIMITS: limits && "1" };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value));
}

/** Two nights, of which one is in the store already; the other in two files, with a line that is none and a dump. */
export function makeNights(folder) {
  const night = (day, seconds) => ["alpha", "beta", "gamma"].map((model) => line({ model, metrics: times(seconds), timestamp: 1_762_300_800 + day * 86_400 })).join("\n") + "\n";
  const first = join(folder, "first");
  const second = join(folder, "second");
  for (const one of [first, second]) mkdirSync(one);
  writeFileSync(join(first, "results.jsonl"), night(0, 0.5));
  writeFileSync(join(second, "a.jsonl"), night(1, 0.6) + "no line\n");
  writeFileSync(join(second, "b.jsonl"), night(2, 0.9).repeat(2));
  return { first, second };
}

/** A file of a store's name, and all that goes with it. */
export const filesOf = (db) => ["", "-wal", "-shm", "-lock", "-lock-next", "-journal"].map((end) => db + end).filter((file) => existsSync(file));

export function copyStore(from, to) {
  removeStore(to);
  for (const end of ["", "-wal"]) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}

export function removeStore(db) {
  for (const file of [...filesOf(db), `${db}.uploads`]) rmSync(file, { force: true, recursive: true });
}

function json(...args) {
  const done = benchhud(...args, "--format", "json");
  assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

/** Everything that people see of a store, without the numbers and times that an ingest gives it. */
export function contents(db) {
  const exported = benchhud("export", "--format", "jsonl", "--db", db);
  assert.equal(exported.status, 0, exported.stderr);
  const plain = (value) =>
    JSON.parse(JSON.stringify(value, (key, inner) => (["id", "run_id", "line_id", "ingested_at", "first_seen", "result", "dump_id", "experiment_id", "told_at", "created_at", "detected_at", "at"].includes(key) ? undefined : inner)));
  const sorted = (items) => items.map((item) => JSON.stringify(plain(item))).sort();
  return {
    lines: exported.stdout.split("\n").sort(),
    runs: sorted(json("runs", "list", "--db", db)),
    alerts: sorted(json("regressions", "--db", db).alerts),
    dumps: sorted(json("artifacts", "list", "--limit", "100000", "--db", db).items ?? json("artifacts", "list", "--limit", "100000", "--db", db)),
  };
}

/** The store opens and each of its pages, rows and index entries is in order. */
export function isWhole(db) {
  const done = benchhud("doctor", "--format", "json", "--db", db);
  const levels = Object.fromEntries(JSON.parse(done.stdout).checks.map(({ check, level, words }) => [check, { level, words }]));
  for (const check of ["opens", "integrity"]) assert.equal(levels[check]?.level, "good", `${check}: ${levels[check]?.words}`);
}

export const leftOvers = (db) => (existsSync(`${db}.uploads`) ? readdirSync(`${db}.uploads`) : []);
export const readText = (file) => readFileSync(file, "utf8");

/** Lets another process, sqlite3, hold the store's lock. What ends that; null where sqlite3 is not installed. */
export async function holdLock(db) {
  openToOthers(db);
  const holder = spawn("sqlite3", [db], { stdio: ["pipe", "pipe", "inherit"] });
  const isThere = await new Promise((done) => {
    holder.on("error", () => done(false));
    holder.stdout.once("data", () => done(true));
    holder.stdin.write("BEGIN IMMEDIATE;\nSELECT 'held';\n");
  });
  return isThere ? () => holder.stdin.end("ROLLBACK;\n") : null;
}
