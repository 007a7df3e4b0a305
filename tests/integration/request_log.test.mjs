// What the server says of the requests that it answers, what a journal is told, and what a load balancer asks. The real program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, openToOthers, program, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

let folder, db;

before(() => {
  folder = temporaryFolder("log");
  db = join(folder, "store.db");
  writeFileSync(join(folder, "night.jsonl"), line({ metrics: times(0.5) }) + "\n");
  assert.equal(benchhud("ingest", join(folder, "night.jsonl"), "--db", db).status, 0);
});
after(() => folder && removeFolder(folder));

/** Sends bytes as they are, and gives what comes back. */
const raw = (port, text) =>
  new Promise((done, fail) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1").on("data", (piece) => (answer += piece)).on("end", () => done(answer)).on("error", fail);
  });

test("each request is a line: who asked for what, and how it went", async () => {
  const server = await serve(db, "--log", "json");
  const { authorization } = server.bearer();
  const runs = await fetch(`${server.base}/api/v1/runs?limit=5`, { headers: { "accept-encoding": "identity" } });
  const bytes = (await runs.arrayBuffer()).byteLength;
  await fetch(`${server.base}/api/v1/session`, { headers: { authorization } });
  await fetch(`${server.base}/api/v1/runs?token=hush`);
  await fetch(`${server.base}/api/v1/runs`, { method: "HEAD" });
  await (await fetch(`${server.base}/`)).text();
  const { printed } = await server.stop();
  assert.doesNotMatch(printed.replaceAll(/sign-in#\S+/g, ""), /hush|Bearer/);
  const [, ...rest] = authorization.split(" ");
  assert.ok(!printed.includes(rest.join(" ")), "no token is logged");
  const lines = printed.split("\n").filter((each) => each.startsWith("{")).map((each) => JSON.parse(each));
  assert.deepEqual(lines.map(({ method, path, status }) => [method, path, status]), [
    ["GET", "/api/v1/runs?limit=5", 200],
    ["GET", "/api/v1/session", 200],
    ["GET", "/api/v1/runs?token=***", 400],
    ["HEAD", "/api/v1/runs", 200],
    ["GET", "/", 200],
  ]);
  assert.equal(lines[0].bytes, bytes);
  assert.equal(lines[3].bytes, 0, "a HEAD has no body");
  assert.deepEqual(lines.map(({ token }) => token), [null, 1, null, null, null]);
  for (const { time, ms, whole } of lines) {
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
    assert.ok(ms >= 0 && ms < 60_000 && whole);
  }
});

test("what is refused is a line too, and nobody writes lines of their own", async () => {
  const server = await serve(db, "--log", "text");
  const answer = await raw(server.port, "GET /a\x1b[31m\x01 HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n");
  assert.match(answer, /^HTTP\/1.1 400/);
  await raw(server.port, "GET /api/v1/forged%202027%22 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const { printed } = await server.stop();
  const lines = printed.split("\n").filter((each) => /^20\d\d-/.test(each));
  assert.equal(lines.length, 2);
  assert.match(lines[0], /Z - - 400 \d+ B \d+\.\d ms$/);
  assert.match(lines[1], /Z GET \/api\/v1\/forged%202027%22 404 \d+ B \d+\.\d ms$/);
  assert.doesNotMatch(printed, /[\x00-\x09\x0b-\x1f\x7f]/);
});

test("without --log nothing is said of requests, and what is no format is an error", async () => {
  const server = await serve(db);
  await fetch(`${server.base}/api/v1/runs`);
  assert.doesNotMatch((await server.stop()).printed, /api\/v1\/runs/);
  assert.equal(benchhud("serve", "--log", "xml", "--db", db).status, 2);
});

test("the server is alive whatever becomes of its store, and ready only with one that it can read", async (t) => {
  const moving = join(folder, "moving.db");
  assert.equal(benchhud("ingest", join(folder, "night.jsonl"), "--db", moving).status, 0);
  const server = await serve(moving);
  const ask = async (address) => (await fetch(`${server.base}/api/v1${address}`)).status;
  try {
    assert.deepEqual([await ask("/alive"), await ask("/health")], [200, 200]);
    assert.deepEqual(await (await fetch(`${server.base}/api/v1/alive`)).json(), { status: "alive" });
    // What a newer program does to the store that this one serves.
    openToOthers(moving);
    const migrated = spawnSync("sqlite3", [moving, "PRAGMA user_version = 9999"]);
    if (migrated.error) return t.skip("sqlite3 is not installed: nothing takes the store away");
    assert.equal(await ask("/alive"), 200);
    assert.equal(await ask("/health"), 503);
  } finally {
    await server.stop();
  }
});

test("messages have their level where standard error is the journal, and only there", async () => {
  const bad = join(folder, "bad.jsonl");
  writeFileSync(bad, "broken\n");
  const file = join(folder, "journal");
  const said = (journal, ...args) =>
    new Promise((done) => {
      const stream = openSync(file, "w");
      const { dev, ino } = fstatSync(stream);
      const child = spawn(program, [...args, "--db", db], { stdio: ["ignore", "ignore", stream], env: { ...process.env, JOURNAL_STREAM: journal ?? `${dev}:${ino}` } });
      child.on("close", () => {
        closeSync(stream);
        done(readFileSync(file, "utf8"));
      });
    });
  assert.match(await said(null, "ingest", bad), /^<4>.*bad\.jsonl:1: rejected/);
  assert.match(await said(null, "ingest", bad, "--quiet"), /^<4>1 file: .*\n$/);
  assert.match(await said(null, "ingest", join(folder, "missing")), /^<3>benchhud: /);
  assert.match(await said(null, "watch", join(folder, "missing"), "--once"), /^<[34]>/);
  assert.match(await said("1:1", "ingest", bad, "--quiet"), /^1 file: /, "another stream is the journal");
});
