// The files in deploy/ do what docs/nightly.md says of them: systemd accepts them, and their commands, run
// as systemd and cron would run them, put a night into the store.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = resolve(root, process.env.BENCHHUD_BIN ?? "build/benchhud");
const installed = "/usr/local/bin/benchhud";
const deployed = (name) => readFileSync(join(root, "deploy", name), "utf8");
const units = readdirSync(join(root, "deploy")).filter((name) => /\.(service|timer)$/.test(name)).sort();
const services = units.filter((name) => name.endsWith(".service"));

let home;
before(() => {
  home = mkdtempSync(join(tmpdir(), "benchhud-deploy-"));
});
after(() => rmSync(home, { recursive: true, force: true }));

function run(command, args, options = {}) {
  const { env, ...rest } = options;
  return spawnSync(command, args, {
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    ...rest,
  });
}

/** The words of a unit's ExecStart as systemd makes them: %S filled in, $NAME split at spaces. */
function execStart(unit, state, variables) {
  const line = /^ExecStart=(.*)$/m.exec(deployed(unit))[1];
  return line
    .replaceAll(installed, program)
    .replaceAll("%S", state)
    .split(" ")
    .flatMap((word) => {
      const name = /^\$(\w+)$/.exec(word)?.[1];
      return name ? (variables[name] ?? "").split(" ").filter(Boolean) : [word];
    });
}

/** The variables that a file of deploy/ sets. */
function variablesOf(text) {
  const rows = [...text.matchAll(/^(\w+)=(.*)$/gm)];
  return Object.fromEntries(rows.map(([, name, value]) => [name, value]));
}

function listRuns(db) {
  const listed = run(program, ["runs", "list", "--db", db, "--format", "json"]);
  assert.equal(listed.status, 0, listed.stderr);
  return listed.stdout;
}

/** A folder with the units as they are for this program, or nothing where systemd is not there to read them. */
function unitFolder(t) {
  if (run("systemd-analyze", ["--version"]).error) return t.skip("systemd-analyze is not installed");
  const dir = join(home, "units");
  mkdirSync(dir, { recursive: true });
  for (const unit of units) {
    const text = deployed(unit).replaceAll(installed, program);
    // Pages of the manual are there once the package is installed, which verify insists on.
    writeFileSync(join(dir, unit), text.replace(/^Documentation=man:.*\n/m, ""));
  }
  return dir;
}

test("systemd accepts the units", (t) => {
  const dir = unitFolder(t);
  if (!dir) return;
  assert.deepEqual(units, ["benchhud-ingest.service", "benchhud-ingest.timer", "benchhud-watch.service", "benchhud.service"]);
  const verified = run("systemd-analyze", ["verify", ...units.map((unit) => join(dir, unit))]);
  assert.equal(verified.status, 0, verified.stderr);
  assert.equal(verified.stderr, "");
});

test("a service that was broken into could do little", (t) => {
  const dir = unitFolder(t);
  if (!dir) return;
  // systemd's measure goes from 0 to 10; a service without any protection has 9.6.
  for (const [service, most] of Object.entries({ "benchhud.service": 1.2, "benchhud-ingest.service": 0.5, "benchhud-watch.service": 0.5 })) {
    const judged = run("systemd-analyze", ["security", "--offline=true", `--threshold=${most * 10}`, "--no-pager", join(dir, service)]);
    if (/unrecognized option|not supported/.test(judged.stderr)) return t.skip("this systemd cannot judge units that are not loaded");
    assert.equal(judged.status, 0, judged.stdout + judged.stderr);
    assert.match(judged.stdout, /Overall exposure level for \S+: [01]\.\d (OK|SAFE)/);
  }
  assert.equal(services.length, 3, "each of them is judged");
});

test("the watch service takes in a night as soon as it is finished, and ends when told to", async () => {
  const state = join(home, "watching");
  const night = join(state, "nightly/2025-11-13");
  mkdirSync(join(state, "benchhud"), { recursive: true });
  cpSync(join(root, "samples/cpu_nightlies/2025-11-13"), night, { recursive: true });
  const variables = { ...variablesOf(deployed("watch.env")), BENCHHUD_FOLDERS: join(state, "nightly") };
  const [command, ...args] = execStart("benchhud-watch.service", state, variables);
  assert.ok(args.includes("--done-file"));
  const watching = spawn(command, [...args, "--every", "1"], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const ended = new Promise((done) => watching.on("close", done));
  const taken = new Promise((done) => {
    for (const stream of [watching.stdout, watching.stderr]) {
      stream.on("data", (bytes) => {
        said += bytes;
        if (/2025-11-13: \d+ files?: [1-9]\d* new/.test(said)) done();
      });
    }
  });
  writeFileSync(join(night, "DONE"), "");
  await Promise.race([taken, ended]);
  watching.kill("SIGTERM");
  assert.equal(await ended, 0, said);
  assert.match(said, /stopped; 1 taken in\n$/);
  assert.match(listRuns(join(state, "benchhud/benchhud.db")), /2025-11-13/);
});

test("the ingest service puts a night with its labels into the store, twice as well as once", () => {
  const state = join(home, "state");
  mkdirSync(join(state, "benchhud"), { recursive: true });
  const variables = {
    ...variablesOf(deployed("ingest.env")),
    BENCHHUD_PATHS: ["2025-11-13", "2025-11-13-verify"]
      .map((night) => join(root, "samples/cpu_nightlies", night))
      .join(" "),
    BENCHHUD_LABELS: "--label pytorch=0123abc --label branch=main",
  };
  const [command, ...args] = execStart("benchhud-ingest.service", state, variables);
  const first = run(command, args);
  assert.equal(first.status, 0, first.stderr);
  const db = join(state, "benchhud/benchhud.db");
  const runs = listRuns(db);
  assert.match(runs, /0123abc/);
  const again = run(command, args);
  assert.equal(again.status, 0, again.stderr);
  assert.equal(listRuns(db), runs);
});

test("rejected lines end the ingest service with the status that the unit counts as success", () => {
  const state = join(home, "rejecting");
  mkdirSync(join(state, "benchhud"), { recursive: true });
  const night = join(state, "2025-11-13.jsonl");
  cpSync(join(root, "samples/cpu_nightlies/2025-11-13/results.jsonl"), night);
  writeFileSync(night, "{\"this is\": no result\n", { flag: "a" });
  const [command, ...args] = execStart("benchhud-ingest.service", state, { BENCHHUD_PATHS: night });
  const ingested = run(command, args);
  const allowed = /^SuccessExitStatus=(\d+)$/m.exec(deployed("benchhud-ingest.service"))[1];
  assert.equal(String(ingested.status), allowed, ingested.stderr);
});

test("the cron line is one line with five fields of time, and its command does the work", () => {
  const lines = deployed("benchhud.cron").split("\n").filter((line) => line && !line.startsWith("#"));
  assert.equal(lines.length, 1);
  const [, times, command] = /^((?:[\d*,/-]+ ){5})(.*)$/.exec(lines[0]);
  assert.equal(times, "30 6 * * * ");
  assert.doesNotMatch(command, /(?<!\\)%/, "cron ends a command at a bare %");

  const checkout = join(home, "nightly/pytorch");
  const tonight = join(home, "nightly", new Date().toISOString().slice(0, 10));
  cpSync(join(root, "samples/cpu_nightlies/2025-11-13"), tonight, { recursive: true });
  mkdirSync(checkout, { recursive: true });
  const git = (...args) => run("git", ["-C", checkout, "-c", "user.name=n", "-c", "user.email=e", ...args]);
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "tonight");
  const commit = git("rev-parse", "HEAD").stdout.trim();
  assert.match(commit, /^[0-9a-f]{40}$/);

  const local = command
    .replaceAll("\\%", "%")
    .replaceAll(installed, program)
    .replaceAll("/srv/nightly", join(home, "nightly"));
  // Cron's own environment is as bare as this; the store goes to its default place in the home directory.
  const ran = run("/bin/sh", ["-c", local], { env: { PATH: "/usr/bin:/bin" } });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout + ran.stderr, "", "cron mails whatever is printed, so a good night prints nothing");
  assert.match(listRuns(join(home, ".local/share/benchhud/benchhud.db")), new RegExp(commit));

  writeFileSync(join(tonight, "results.jsonl"), "no result\n", { flag: "a" });
  const rejected = run("/bin/sh", ["-c", local], { env: { PATH: "/usr/bin:/bin" } });
  assert.match(rejected.stderr, /^1 file: 0 new, \d+ already there, 1 rejected; .*results\.jsonl:\d+: rejected: .*\n$/, "one line to mail");
});
