// The files in deploy/ do what docs/nightly.md says of them: systemd accepts them, and their commands, run
// as systemd and cron would run them, put a night into the store.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = resolve(root, process.env.BENCHHUD_BIN ?? "build/benchhud");
const installed = "/usr/local/bin/benchhud";
const deployed = (name) => readFileSync(join(root, "deploy", name), "utf8");
const units = ["benchhud.service", "benchhud-ingest.service", "benchhud-ingest.timer"];

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

test("systemd accepts the units", (t) => {
  if (run("systemd-analyze", ["--version"]).error) return t.skip("systemd-analyze is not installed");
  const dir = join(home, "units");
  mkdirSync(dir);
  for (const unit of units) {
    writeFileSync(join(dir, unit), deployed(unit).replaceAll(installed, program));
  }
  const verified = run("systemd-analyze", ["verify", ...units.map((unit) => join(dir, unit))]);
  assert.equal(verified.status, 0, verified.stderr);
  assert.equal(verified.stderr, "");
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
  assert.equal(ran.stdout, "", "cron mails whatever is printed, so a good night prints nothing");
  assert.notEqual(readFileSync(join(home, "benchhud-ingest.log"), "utf8"), "");
  assert.match(listRuns(join(home, ".local/share/benchhud/benchhud.db")), new RegExp(commit));

  writeFileSync(join(tonight, "results.jsonl"), "no result\n", { flag: "a" });
  const rejected = run("/bin/sh", ["-c", local], { env: { PATH: "/usr/bin:/bin" } });
  assert.notEqual(rejected.stdout, "", "rejected lines are printed, for cron to mail them");
});
