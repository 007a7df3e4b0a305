// Output directories that are taken in by themselves, when they are finished. The real program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, createWriteStream, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { line, times } from "./support/lines.mjs";
import { benchhud, program, removeFolder, root, temporaryFolder } from "./support/server.mjs";

const samples = join(root, "samples/cpu_nightlies");
const DAY = 86_400;
let folder;

before(() => (folder = temporaryFolder("watch")));
after(() => removeFolder(folder));

let made = 0;
/** A folder to be watched and a store for it. */
function place() {
  const at = join(folder, `place-${++made}`);
  mkdirSync(at);
  return { dir: join(at, "nightly"), db: join(at, "store.db") };
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A line of night number `night`. */
const result = (night, more = {}) => line({ metrics: times(0.5), timestamp: 1_762_300_800 + night * DAY, ...more }) + "\n";
const exported = (db) => (existsSync(db) ? benchhud("export", "--format", "jsonl", "--db", db).stdout.split("\n").filter(Boolean) : []);
const once = (place, ...options) => benchhud("watch", place.dir, "--once", "--db", place.db, ...options);
const labelsOf = (db) => JSON.parse(benchhud("runs", "list", "--format", "json", "--db", db).stdout).map(({ labels }) => labels);

/** `benchhud watch`, looking every second; { printed(pattern), stop(signal) }. */
function watching({ dir, db }, ...options) {
  const child = spawn(program, ["watch", dir, "--every", "1", "--db", db, ...options], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) child[stream].on("data", (bytes) => (said[stream] += bytes));
  const ended = new Promise((done) => child.on("close", (status, signal) => done({ status, signal, ...said })));
  return {
    said,
    async printed(pattern, stream = "stdout") {
      while (!pattern.test(said[stream])) {
        assert.equal(child.exitCode, null, said.stderr);
        await sleep(10);
      }
    },
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

test("one look takes in what has settled, with the labels beside it, and nothing twice", () => {
  const at = place();
  cpSync(join(samples, "2025-11-15"), join(at.dir, "2025-11-15"), { recursive: true });
  cpSync(join(samples, "2025-11-13-verify"), join(at.dir, "2025-11-15/verify"), { recursive: true });
  write(join(at.dir, "labels"), "# all nights\nbranch=main\npytorch=unknown\n");
  write(join(at.dir, "2025-11-15/labels"), 'pytorch = "0123abc"\n');

  const early = once(at, "--settle", "3600");
  assert.equal(early.status, 0, early.stderr);
  assert.equal(early.stdout, "0 taken in, 2 not finished, 0 failed\n");
  assert.ok(!existsSync(at.db), "a copy with old times is as new as it is");

  const taken = once(at, "--settle", "0", "--label", "who=nightly", "--label", "branch=other");
  assert.equal(taken.status, 0, taken.stderr);
  assert.match(taken.stdout, /2025-11-15: 1 file: \d+ new, 0 already there, 0 rejected; \d+ dumps: \d+ new, 0 already there\n/);
  assert.match(taken.stdout, /2 taken in, 0 not finished, 0 failed\n$/);
  for (const labels of labelsOf(at.db)) assert.deepEqual(labels, { branch: "main", pytorch: "0123abc", who: "nightly" });

  const other = join(folder, "by-ingest.db");
  assert.equal(benchhud("ingest", join(at.dir, "2025-11-15"), "--db", other).status, 0);
  assert.equal(exported(at.db).length, exported(other).length);
  const before = readFileSync(at.db);
  const again = once(at, "--settle", "0");
  assert.equal(again.stdout, "2 taken in, 0 not finished, 0 failed\n", "no line for what changes nothing");
  assert.ok(before.equals(readFileSync(at.db)));
  assert.equal(once(at, "--settle", "0", "--quiet").stdout, "");
});

test("what the runner has not marked is not taken in, nor what was written behind the mark", () => {
  const at = place();
  const results = join(at.dir, "night/results.jsonl");
  const marked = ["--done-file", "DONE", "--settle", "3600"];
  write(results, result(0));
  assert.match(once(at, ...marked).stdout, /^0 taken in, 1 not finished/);
  assert.match(once(at, "--done-file", "DONE", "--settle", "0").stdout, /^0 taken in, 1 not finished/, "however long it has not changed");
  write(join(at.dir, "night/DONE"), "");
  utimesSync(join(at.dir, "night/DONE"), 1000, 1000);
  assert.match(once(at, ...marked).stdout, /^0 taken in, 1 not finished/);
  write(join(at.dir, "night/DONE"), "");
  assert.match(once(at, ...marked).stdout, /1 taken in, 0 not finished/);
  assert.equal(exported(at.db).length, 1);

  appendFileSync(results, result(1).slice(0, 40));
  write(join(at.dir, "night/DONE"), "");
  assert.match(once(at, ...marked).stdout, /^0 taken in, 1 not finished/, "the last line is cut off");
  appendFileSync(results, result(1).slice(40));
  write(join(at.dir, "night/DONE"), "");
  assert.match(once(at, ...marked).stdout, /night: 1 file: 1 new, 1 already there, 0 rejected/);
});

test("a directory that goes wrong is tried again, and the others are taken in meanwhile", async () => {
  const at = place();
  write(join(at.dir, "bad/results.jsonl"), result(0));
  write(join(at.dir, "bad/labels"), "no label\n");
  write(join(at.dir, "good/results.jsonl"), result(1) + "{broken\n");
  const watch = watching(at, "--settle", "0");
  await watch.printed(/bad: \S*bad\/labels: line 1 is no label, which is KEY=VALUE; again in 5 s\n/, "stderr");
  await watch.printed(/good: 1 file: 1 new, 0 already there, 1 rejected; \S*good\/results\.jsonl:2: rejected: /, "stderr");
  write(join(at.dir, "bad/labels"), "branch=main\n");
  await watch.printed(/bad: 1 file: 1 new/);
  const { status, signal } = await watch.stop();
  assert.deepEqual([status, signal], [0, null]);
  assert.match(watch.said.stdout, /stopped; 2 taken in\n$/);
  assert.equal(exported(at.db).length, 2);

  write(join(at.dir, "bad/labels"), "=\n");
  const looked = once(at, "--settle", "0");
  assert.equal(looked.status, 1);
  assert.match(looked.stdout, /1 taken in, 0 not finished, 1 failed/);
  const rejecting = place();
  write(join(rejecting.dir, "results.jsonl"), result(1) + "{broken\n");
  assert.equal(once(rejecting, "--settle", "0").status, 3);
  assert.equal(once(rejecting, "--settle", "0").status, 0, "told once");
});

test("a folder that is not there yet is waited for; what grows later adds only what is new", async () => {
  const at = place();
  const watch = watching(at, "--done-file", "DONE", "--settle", "3600");
  await watch.printed(/cannot read the folder \S*nightly: /, "stderr");
  // Of two that come together only the marked one is taken in.
  write(join(`${at.dir}.new`, "half/results.jsonl"), result(0));
  write(join(`${at.dir}.new`, "whole/results.jsonl"), result(1));
  write(join(`${at.dir}.new`, "whole/DONE"), "");
  renameSync(`${at.dir}.new`, at.dir);
  await watch.printed(/whole: 1 file: 1 new, 0 already there/);
  assert.equal(exported(at.db).length, 1);
  appendFileSync(join(at.dir, "whole/results.jsonl"), result(2));
  write(join(at.dir, "whole/DONE"), "");
  await watch.printed(/whole: 1 file: 1 new, 1 already there/);
  write(join(at.dir, "half/DONE"), "");
  await watch.printed(/half: 1 file: 1 new, 0 already there/);
  assert.equal((await watch.stop("SIGINT")).status, 0);
  assert.equal(exported(at.db).length, 3);
});

test("ended in the middle, gently or not, it leaves a whole store and goes on where it was", async () => {
  const at = place();
  const nights = readdirSync(samples).filter((name) => /^2025-\d\d-\d\d/.test(name)).sort();
  for (const night of nights) cpSync(join(samples, night), join(at.dir, night), { recursive: true });
  const reference = join(folder, "reference.db");
  assert.equal(benchhud("ingest", samples, "--db", reference).status, 0);
  let done = 0;
  for (const [signal, expected] of [["SIGTERM", [0, null]], ["SIGKILL", [null, "SIGKILL"]]]) {
    const watch = watching(at, "--settle", "0");
    await watch.printed(/: 1 file: \d+ new/);
    const { status, signal: by } = await watch.stop(signal);
    assert.deepEqual([status, by], expected);
    const looked = benchhud("doctor", "--db", at.db, "--max-age", "1000000");
    assert.equal(looked.status, 0, looked.stdout);
    const now = exported(at.db).length;
    assert.ok(now > done && now < exported(reference).length, `${done} ${now}`);
    done = now;
  }
  assert.equal(once(at, "--settle", "0").status, 0);
  assert.deepEqual(exported(at.db).length, exported(reference).length);
  const alerts = (db) => JSON.parse(benchhud("regressions", "--format", "json", "--db", db).stdout).alerts.length;
  assert.equal(alerts(at.db), alerts(reference));
});

test("a store that another process works on is waited for", async () => {
  const at = place();
  write(join(at.dir, "results.jsonl"), result(0));
  const fifo = `${at.db}.jsonl`;
  assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
  const holder = spawn(program, ["ingest", "--db", at.db, fifo], { stdio: "ignore" });
  const ended = new Promise((resolve) => holder.on("close", resolve));
  while (!existsSync(`${at.db}-lock`) || readFileSync(`${at.db}-lock`, "utf8") === "") await sleep(5);
  // The holder takes the lock more than once, and has no name between taking it and writing its name.
  let refused = once(at, "--settle", "0", "--wait", "0");
  for (let i = 0; i < 20 && refused.stderr.includes("being worked on: another process"); ++i) refused = once(at, "--settle", "0", "--wait", "0");
  assert.equal(refused.status, 5);
  assert.match(refused.stderr, new RegExp(`is being worked on: benchhud ingest, pid ${holder.pid} `));
  const watch = watching(at, "--settle", "0", "--wait", "0");
  await watch.printed(/is being worked on/, "stderr");
  const pipe = createWriteStream(fifo);
  pipe.end(result(1));
  assert.equal(await ended, 0);
  await watch.printed(/nightly: 1 file: 1 new/);
  assert.equal((await watch.stop()).status, 0);
  assert.equal(exported(at.db).length, 2);
});

test("what makes no sense is said", () => {
  const at = place();
  for (const args of [[], [at.dir, "--settle", "-1"], [at.dir, "--every", "0"], [at.dir, "--done-file", "a/b"], [at.dir, "--done-file", "x.jsonl"], [at.dir, "--label", "x"]]) {
    assert.equal(benchhud("watch", ...args, "--db", at.db).status, 2, args.join(" "));
  }
  assert.equal(once(at).status, 1, "the folder is not there");
  assert.ok(!existsSync(at.db));
});

test("the machine that results are of is a label: a name, or what this machine is", () => {
  const at = place("machines");
  write(join(at.dir, "a/results.jsonl"), result(0));
  assert.equal(once(at, "--settle", "0", "--machine", "node7").status, 0);
  assert.deepEqual(labelsOf(at.db), [{ machine: "node7" }]);
  const refused = benchhud("ingest", join(at.dir, "a"), "--db", at.db, "--machine", "node7", "--label", "machine=node8");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /--machine says node7, --label machine=node8/);
  assert.equal(benchhud("ingest", join(at.dir, "a"), "--db", at.db, "--machine", "").status, 2);
  const other = join(folder, "auto.db");
  assert.equal(benchhud("ingest", join(at.dir, "a"), "--db", other, "--machine", "auto").status, 0);
  const [{ machine }] = labelsOf(other);
  assert.ok(machine.startsWith(hostname()), machine);
});
