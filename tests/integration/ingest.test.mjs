// The real program taking files in: exit statuses, what is left after kill -9, memory.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { strength } from "../faults/support/faults.mjs";
import { benchhud, program, root, serve, temporaryFolder } from "./support/server.mjs";

const samples = join(root, "samples/cpu_nightlies");
let folder;

before(() => {
  folder = temporaryFolder("ingest");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function runs(db) {
  const done = benchhud("runs", "list", "--db", db, "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

function line(model, time, seconds, batchSize = 8) {
  return JSON.stringify({
    model: { suite_name: "torchbench", model_name: model },
    experiment: {
      accelerator: "cuda", accelerator_model: "A100", xla: null, xla_flags: null, dynamo: "inductor",
      test: "eval", batch_size: batchSize,
    },
    repeat: 8,
    iterations_per_run: 1,
    metrics: {
      total_time: Array.from({ length: 8 }, (_, i) => seconds * (1 + i / 1000)),
      per_iter_time: Array.from({ length: 8 }, (_, i) => seconds * (1 + i / 1000)),
    },
    timestamp: time,
    verification_code: "VERIFIER_SKIPPED",
  }) + "\n";
}

test("the samples go in, and in again", () => {
  const db = join(folder, "samples.db");
  const first = benchhud("ingest", samples, "--db", db, "--format", "json");
  assert.equal(first.status, 0, first.stderr);
  const report = JSON.parse(first.stdout);
  assert.equal(report.files.length, 41);
  assert.equal(report.accepted, 1540);
  assert.equal(report.rejected, 0);
  assert.equal(runs(db).length, 28);
  assert.equal(runs(db).filter((run) => run.verified_at).length, 13);

  const bytes = readFileSync(db);
  const again = benchhud("ingest", samples, "--db", db, "--format", "json");
  assert.equal(again.status, 0);
  assert.equal(JSON.parse(again.stdout).duplicate, 1540);
  assert.ok(bytes.equals(readFileSync(db)), "the store's file changed");
});

test("samples can be shown as of this week", async () => {
  const db = join(folder, "shifted.db");
  const week = 7 * 24 * 3600 * 1000;
  const ingest = (...more) => benchhud("ingest", samples, "--shift-to-this-week", "--db", db, ...more);
  const first = ingest("--format", "json");
  assert.equal(first.status, 0, first.stderr);
  const report = JSON.parse(first.stdout);
  assert.equal(report.accepted, 1540);
  const newest = Math.max(...runs(db).map((run) => Date.parse(run.verified_at ?? run.started_at)));
  assert.ok(newest <= Date.now() && newest > Date.now() - week, new Date(newest).toISOString());
  const unshifted = join(folder, "samples.db");
  assert.deepEqual(
    runs(db).map((run) => Date.parse(run.started_at)),
    runs(unshifted).map((run) => Date.parse(run.started_at) + report.shift_weeks * week),
  );

  const bytes = readFileSync(db);
  assert.match(ingest().stdout, new RegExp(`times: shifted by ${report.shift_weeks} weeks`));
  assert.ok(bytes.equals(readFileSync(db)), "the store's file changed");
  // Exported results have the store's times and are not shifted again.
  const exported = join(folder, "shifted.hud.json");
  writeFileSync(exported, benchhud("export", "--format", "hud-v3", "--run", "latest", "--db", db).stdout);
  const again = JSON.parse(benchhud("ingest", exported, "--shift-to-this-week", "--db", db, "--format", "json").stdout);
  assert.equal(again.accepted, 0);
  assert.ok(again.duplicate > 0);

  const refused = benchhud("ingest", samples, "--shift-to-this-week", "--db", unshifted);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /results with their own times/);

  const server = await serve(db);
  try {
    const store = await (await fetch(`${server.base}/api/v1/store`)).json();
    assert.equal(store.time_shift_weeks, report.shift_weeks);
  } finally {
    await server.stop();
  }
});

test("exit statuses", () => {
  const db = join(folder, "status.db");
  const good = join(folder, "good.jsonl");
  const bad = join(folder, "bad.jsonl");
  writeFileSync(good, line("a", 1e9, 1));
  writeFileSync(bad, line("b", 1e9, 1) + "bad\n" + line("c", 1e9, 1));

  assert.equal(benchhud("ingest", good, "--db", db).status, 0);
  assert.equal(benchhud("ingest", good, "--db", db).status, 0);

  const strict = benchhud("ingest", good, bad, "--db", db, "--strict");
  assert.equal(strict.status, 1);
  assert.equal(runs(db)[0].result_count, 1, "strict left something behind");

  const some = benchhud("ingest", bad, "--db", db);
  assert.equal(some.status, 3);
  assert.match(some.stderr, /bad\.jsonl:2: rejected \(byte \d+\): /);
  assert.equal(runs(db)[0].result_count, 3);
  assert.equal(benchhud("ingest", bad, "--db", db).status, 3, "still not every line is in");

  const missing = benchhud("ingest", good, join(folder, "missing.jsonl"), "--db", db);
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /missing\.jsonl/);
  assert.equal(benchhud("ingest", "--db", db).status, 2);
  assert.equal(benchhud("ingest", good, "--db", join(folder, "good.jsonl", "x.db")).status, 1);

  const listed = benchhud("runs", "rejected", "--db", db, "--format", "json");
  const rejected = JSON.parse(listed.stdout);
  assert.equal(rejected.length, 1);
  assert.equal(rejected[0].line_number, 2);
  assert.equal(rejected[0].excerpt, "bad");
});

test("a report in one line, and none where nothing is wrong", () => {
  const db = join(folder, "summary.db");
  const good = join(folder, "summary-good.jsonl");
  const bad = join(folder, "summary-bad.jsonl");
  writeFileSync(good, line("a", 1e9, 1));
  writeFileSync(bad, "bad\u001b[31m\n" + line("b", 1e9, 1));
  const ingest = (...args) => benchhud("ingest", ...args, "--db", db);

  const quiet = ingest("--quiet", good);
  assert.deepEqual([quiet.status, quiet.stdout, quiet.stderr], [0, "", ""]);
  const summary = ingest("--summary", good);
  assert.deepEqual([summary.status, summary.stdout, summary.stderr], [0, "1 file: 0 new, 1 already there, 0 rejected; 0 new alerts\n", ""]);
  for (const option of ["--quiet", "--summary"]) {
    const some = ingest(option, good, bad);
    assert.equal(some.status, 3);
    assert.equal(some.stdout, "");
    assert.match(some.stderr, /^2 files: \d new, \d already there, 1 rejected; 0 new alerts; \S*summary-bad\.jsonl:1: rejected: .+\n$/);
    assert.equal(some.stderr.split("\n").length, 2, "one line");
  }
  const undone = ingest("--quiet", "--strict", bad);
  assert.equal(undone.status, 1);
  assert.match(undone.stderr, /; undone \(--strict\); /);
  assert.match(ingest("--quiet", join(folder, "missing.jsonl")).stderr, /^benchhud: .*missing\.jsonl.*\n$/);
  assert.equal(ingest("--quiet", "--format", "json", good).status, 2);
});

test("the line tells of new alerts", () => {
  const db = join(folder, "alerts.db");
  const night = (day, factor) => ["a", "b", "c", "d"].map((model) => line(model, 1.7e9 + day * 86400, factor * (1 + ((day * 7) % 5) / 1000))).join("");
  const file = join(folder, "alerts.jsonl");
  writeFileSync(file, Array.from({ length: 14 }, (_, day) => night(day, 1)).join(""));
  assert.match(benchhud("ingest", "--summary", file, "--db", db).stdout, /; 0 new alerts$/m);
  writeFileSync(file, Array.from({ length: 6 }, (_, day) => night(14 + day, 1.5)).join(""), { flag: "a" });
  const slower = benchhud("ingest", "--summary", file, "--db", db);
  assert.match(slower.stdout, /; [1-9]\d* new alerts?$/m, slower.stderr);
  const listed = JSON.parse(benchhud("regressions", "--format", "json", "--all", "--db", db).stdout);
  assert.equal(Number(/(\d+) new alerts?$/m.exec(slower.stdout)[1]), listed.alerts.length);
});

test("hostile text cannot write to the terminal", () => {
  const db = join(folder, "terminal.db");
  const file = join(folder, "terminal\u001b[31m.jsonl");
  writeFileSync(file, "\u001b]0;owned\u0007 not json\n");
  const done = benchhud("ingest", file, "--db", db);
  assert.equal(done.status, 3);
  const shown = done.stdout + done.stderr + benchhud("runs", "rejected", "--db", db).stdout;
  assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f]/);
});

test("kill -9 at any moment leaves the store as before the file or after it", async () => {
  const nights = 12;
  const models = 400;
  const file = join(folder, "killed.jsonl");
  let text = "";
  for (let night = 0; night < nights; ++night) {
    for (let model = 0; model < models; ++model) {
      text += line(`model_${model}`, 1.7e9 + night * 86400, 1 + model / 7 + night / 1000);
    }
  }
  writeFileSync(file, text);

  const reference = join(folder, "whole.db");
  const began = process.hrtime.bigint();
  assert.equal(benchhud("ingest", file, "--db", reference).status, 0);
  const wholeMs = Number(process.hrtime.bigint() - began) / 1e6;
  const story = (db) => runs(db).map(({ name, result_count }) => [name, result_count]);
  const expected = story(reference);
  assert.equal(expected.length, nights);

  const seen = { before: 0, after: 0 };
  const kills = strength("BENCHHUD_INGEST_KILLS", 30, 100);
  for (let i = 0; i < kills; ++i) {
    const db = join(folder, `kill-${i}.db`);
    // A store that is there already, so that every kill hits the taking-in and not the making.
    assert.equal(benchhud("runs", "group", "timestamp", "--db", db).status, 0);
    await new Promise((done) => {
      const child = spawn(program, ["ingest", file, "--db", db], { stdio: "ignore" });
      const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * wholeMs * 1.1);
      child.on("exit", () => {
        clearTimeout(timer);
        done();
      });
    });
    const left = story(db);
    if (left.length === 0) {
      ++seen.before;
    } else {
      assert.deepEqual(left, expected, "a part of the file is in the store");
      ++seen.after;
    }
    const finished = benchhud("ingest", file, "--db", db, "--format", "json");
    assert.equal(finished.status, 0, finished.stderr);
    const report = JSON.parse(finished.stdout);
    assert.equal(report.accepted + report.duplicate, nights * models);
    assert.deepEqual(story(db), expected);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(db + suffix, { force: true });
  }
  assert.ok(seen.before > 0, "no kill came before the commit: the test tests nothing");
  console.log(`# ${kills} kills: ${seen.before} before the commit, ${seen.after} after it`);
});

test("a line of 100 MB is taken in whole", () => {
  const db = join(folder, "huge.db");
  const file = join(folder, "huge.jsonl");
  const record = JSON.parse(line("huge", 1e9, 1));
  record.metrics = { error: "x".repeat(100 << 20) };
  writeFileSync(file, line("before", 1e9, 1) + JSON.stringify(record) + "\n" + line("after", 1e9, 1));
  const done = spawnSync("/usr/bin/env", ["bash", "-c",
    `"$0" ingest "$1" --db "$2" --format json & child=$!; peak=0
     while kill -0 $child 2>/dev/null; do
       now=$(awk '/VmHWM/ {print $2}' /proc/$child/status 2>/dev/null); [ "\${now:-0}" -gt "$peak" ] && peak=$now
       sleep 0.02
     done; wait $child; status=$?; echo "$peak" >&2; exit $status`, program, file, db],
    { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(JSON.parse(done.stdout).accepted, 3);
  const peakMb = Number(done.stderr.trim().split("\n").pop()) / 1024;
  assert.ok(peakMb < 1000, `peak memory ${peakMb} MB for a line of 100 MB`);
  console.log(`# peak memory ${Math.round(peakMb)} MB`);
});

test("two ingests at once: nothing lost, nothing twice", async () => {
  const db = join(folder, "two.db");
  const files = [0, 1].map((half) => {
    const dir = join(folder, `half-${half}`);
    mkdirSync(dir, { recursive: true });
    for (let night = 0; night < 10; ++night) {
      writeFileSync(join(dir, `${night}.jsonl`),
        Array.from({ length: 50 }, (_, m) => line(`m${half}_${m}`, 1.7e9 + night * 86400, m + 1)).join(""));
    }
    return dir;
  });
  const statuses = await Promise.all(files.map((dir) => new Promise((done) => {
    spawn(program, ["ingest", dir, "--db", db], { stdio: "ignore" }).on("exit", done);
  })));
  assert.deepEqual(statuses, [0, 0]);
  const all = runs(db);
  assert.equal(all.length, 10);
  for (const run of all) assert.equal(run.result_count, 100);
});
