// Two processes at work on one store: one waits for the other, says so, and neither is left half done. The real program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { line, times } from "./support/lines.mjs";
import { benchhud, benchhudAsync, program, removeFolder, root, temporaryFolder } from "./support/server.mjs";

const samples = join(root, "samples/cpu_nightlies");
const nights = readdirSync(samples).filter((name) => /^2025-\d\d-\d\d/.test(name)).sort().map((name) => join(samples, name));
let folder;

before(() => (folder = temporaryFolder("lock")));
after(() => removeFolder(folder));

const path = (name) => join(folder, name);
const exported = (db) => benchhud("export", "--format", "jsonl", "--db", db).stdout.split("\n").sort();

/** An ingest that stands in the middle of its file until it is let go. */
async function standing(db) {
  const fifo = `${db}.jsonl`;
  assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
  const child = spawn(program, ["ingest", "--db", db, fifo], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.on("close", (status, signal) => done({ status, signal })));
  // It has the lock once it has said so; opening the pipe for writing then waits for its reading.
  while (!existsSync(`${db}-lock`) || readFileSync(`${db}-lock`, "utf8") === "") await sleep(5);
  const pipe = createWriteStream(fifo);
  await new Promise((done) => pipe.on("open", done));
  return { child, pipe, ended };
}

test("of two ingests at once both get in, as if one had come after the other", async () => {
  const one = path("one.db");
  assert.equal(benchhud("ingest", "--db", one, ...nights).status, 0);
  const both = path("both.db");
  const half = Math.floor(nights.length / 2);
  const done = await Promise.all([benchhudAsync("ingest", "--db", both, ...nights.slice(0, half)), benchhudAsync("ingest", "--db", both, ...nights.slice(half))]);
  for (const { status, stderr } of done) assert.equal(status, 0, stderr);
  assert.ok(exported(one).length > 1000);
  assert.deepEqual(exported(both), exported(one));
  assert.ok(!existsSync(`${both}-lock`), "no lock is left");
});

test("who waits too long says who is at work since when, and did nothing", async () => {
  const db = path("busy.db");
  const first = await standing(db);
  const night = path("night.jsonl");
  writeFileSync(night, line({ metrics: times(0.5) }) + "\n");
  for (const args of [["ingest", night], ["rebuild"], ["restore", night, "--replace"]]) {
    const refused = benchhud(...args, "--wait", "0", "--db", db);
    assert.equal(refused.status, 5, args[0] + refused.stderr);
    assert.match(refused.stderr, new RegExp(`busy\\.db is being worked on: benchhud ingest, pid ${first.child.pid} on \\S*, since 20\\d\\d-\\d\\d-\\d\\dT[\\d:]+Z; waited 0 s, nothing was done`));
    assert.equal(refused.stdout, "");
  }
  const quiet = benchhud("ingest", night, "--quiet", "--wait", "2", "--db", db);
  assert.equal(quiet.status, 5);
  assert.match(quiet.stderr, /^benchhud: the store .* waited 2 s, nothing was done\n$/, "that it waits is not said");
  assert.equal(benchhud("runs", "list", "--db", db).status, 0, "reading goes on");

  const second = benchhudAsync("ingest", night, "--wait", "60", "--db", db);
  first.pipe.end(line({ model: "beta", metrics: times(0.5) }) + "\n");
  assert.deepEqual(await first.ended, { status: 0, signal: null });
  const waited = await second;
  assert.equal(waited.status, 0, waited.stderr);
  assert.match(waited.stdout, /1 new/);
  assert.equal(exported(db).filter(Boolean).length, 2);
});

test("a killed ingest leaves no lock and nothing half done", async () => {
  const db = path("killed.db");
  const first = await standing(db);
  first.pipe.on("error", () => {}); // who reads is killed
  first.pipe.write(line({ model: "beta", metrics: times(0.5) }) + "\n");
  first.child.kill("SIGKILL");
  assert.equal((await first.ended).signal, "SIGKILL");
  first.pipe.destroy();
  const night = path("after.jsonl");
  writeFileSync(night, line({ metrics: times(0.5) }) + "\n");
  const next = benchhud("ingest", night, "--wait", "0", "--db", db);
  assert.equal(next.status, 0, next.stderr);
  assert.equal(exported(db).filter(Boolean).length, 1, "the killed one's line is not there");
  assert.ok(!existsSync(`${db}-lock`));
});

/** Who is stopped when its test fails would keep the tests waiting. */
const stopped = new Set();
after(() => stopped.forEach((child) => child.kill("SIGKILL")));

/** What a command prints and how it ends; it stands before it has the store's lock for the large trace `trace`, until it goes on. */
async function reading(trace, args) {
  const events = Array.from({ length: 200_000 }, (_, i) => `{"ph":"X","name":"step ${i % 50}","pid":1,"tid":1,"ts":${i * 10},"dur":5}`);
  writeFileSync(trace, `{"traceEvents":[${events.join(",")}]}`);
  const child = spawn(program, [...args, "--wait", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => printed.push(text));
  const ended = new Promise((done) => child.on("close", (status) => done({ status, printed: printed.join("") })));
  const files = () => {
    try {
      return readdirSync(`/proc/${child.pid}/fd`).map((fd) => readlinkSync(`/proc/${child.pid}/fd/${fd}`));
    } catch {
      return []; // one was closed meanwhile
    }
  };
  while (!files().includes(trace)) {
    assert.equal(child.exitCode, null, "it ended before it was seen reading");
    await sleep(1);
  }
  child.kill("SIGSTOP");
  stopped.add(child);
  return { goOn: () => child.kill("SIGCONT"), ended };
}

test("nobody waits while a large trace is read: another ingest gets in, and the trace behind it", async () => {
  const db = path("meanwhile.db");
  assert.equal(benchhud("ingest", "--db", db, nights[0]).status, 0);
  const trace = `${db}-large.json`;
  const first = await reading(trace, ["ingest", trace, "--for", "latest/mlp_mini/eval/aot_eager", "--db", db]);
  const others = benchhud("ingest", "--db", db, "--wait", "0", nights[1]);
  assert.equal(others.status, 0, others.stderr);
  first.goOn();
  const { status, printed } = await first.ended;
  assert.equal(status, 0, printed);
  assert.match(printed, /1 dump: 1 new/);
});

test("watch that does not get its turn says that the store is busy, and the next look takes in what is left", async () => {
  const db = path("watched.db"), output = path("watched"), trace = join(output, "alpha/trace-large.json");
  mkdirSync(join(output, "alpha"), { recursive: true });
  writeFileSync(join(output, "results.jsonl"), line({ metrics: times(0.5) }) + "\n");
  const first = await reading(trace, ["watch", output, "--once", "--settle", "0", "--db", db]);
  const second = await standing(db);
  first.goOn();
  const { status, printed } = await first.ended;
  assert.equal(status, 5, printed);
  assert.match(printed, /1 new.*is being worked on: benchhud ingest/);
  second.pipe.end(line({ model: "beta", metrics: times(0.5) }) + "\n");
  assert.equal((await second.ended).status, 0);
  const again = benchhud("watch", output, "--once", "--settle", "0", "--db", db);
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stdout, /1 file: 0 new, 1 already there, 0 rejected; 1 dump: 1 new/);
});

test("a store that was replaced while a trace was read is left alone", async () => {
  const db = path("replaced.db"), copy = path("copy.db");
  assert.equal(benchhud("ingest", "--db", db, nights[0]).status, 0);
  assert.equal(benchhud("backup", copy, "--db", db).status, 0);
  const trace = `${db}-large.json`;
  const first = await reading(trace, ["ingest", trace, "--for", "latest/mlp_mini/eval/aot_eager", "--db", db]);
  const refused = benchhud("restore", copy, "--replace", "--db", db);
  assert.equal(refused.status, 5, "whoever reads a trace for the store has it in use");
  renameSync(copy, db); // by hand
  first.goOn();
  const { status, printed } = await first.ended;
  assert.equal(status, 5, printed);
  assert.match(printed, /another file has taken the place of the store .*replaced\.db/);
});

test("a wait that is none is said", () => {
  for (const wait of ["-1", "x", "99999999"]) assert.equal(benchhud("ingest", samples, "--wait", wait, "--db", path("none.db")).status, 2);
  assert.ok(!existsSync(path("none.db")));
});
