// SIGTERM in every state that a server can be in: it ends within ten seconds, and what it has acknowledged is in the store. And a request log that
// nobody reads, which must not hold anything up.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line } from "../integration/support/lines.mjs";
import { benchhud, makeToken, program, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { Peer, figures, metric, pause, until } from "./support/faults.mjs";
import { holdLock, isWhole } from "./support/store.mjs";

const MOST_SECONDS = 10;
const within = { timeout: 180_000 };
const run = "2025-11-28T00:03:33.25Z";

let folder, db;
before(() => {
  folder = temporaryFolder("stopping");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
  // Error texts that cannot be compressed much, so that a download is larger than all buffers between a server and its client.
  const failures = Array.from({ length: 200 }, (_, i) => line({ model: `m${i}`, metrics: { error: `RuntimeError: ${randomBytes(75_000).toString("base64")}` }, verification_code: "VERIFIER_DIDNT_RUN" }));
  writeFileSync(join(folder, "large.jsonl"), failures.join("\n") + "\n");
  assert.equal(benchhud("ingest", join(folder, "large.jsonl"), "--db", db).status, 0);
});
after(() => folder && removeFolder(folder));

/** Stops the server; how long it took to end, in seconds. */
async function stopping(what, server) {
  const began = performance.now();
  const { code, signal } = await server.stop();
  const seconds = (performance.now() - began) / 1000;
  figures(`SIGTERM, ${what}`, { seconds: seconds.toFixed(1) });
  assert.deepEqual([code, signal], [0, null], what);
  assert.ok(seconds < MOST_SECONDS, `${what}: ${seconds} s`);
  isWhole(db);
}

const head = (server, first, ...headers) => `${first} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${server.bearer().authorization}\r\n${headers.map((one) => `${one}\r\n`).join("")}\r\n`;

for (const [what, address] of [["the store is sent to a client that does not read", "/api/v1/store.db"], ["lines are sent to a client that does not read", "/api/v1/results.jsonl"]]) {
  test(what, within, async () => {
    const server = await serve(db);
    const peer = new Peer(server.port).send(head(server, `GET ${address}`)).deaf();
    await pause(1500);
    await stopping(what, server);
    peer.end();
  });
}

test("answers that nobody takes, and a hundred requests behind each other", within, async () => {
  const server = await serve(db);
  const peers = Array.from({ length: 10 }, () => new Peer(server.port).deaf().send(head(server, "GET /api/v1/openapi.json").repeat(100)));
  await pause(500);
  await stopping("answers that nobody takes", server);
  for (const one of peers) one.end();
});

test("a file that never arrives", within, async () => {
  const server = await serve(db);
  const peer = new Peer(server.port).send(head(server, "POST /api/v1/ingest?name=a.jsonl", "Content-Type: application/x-ndjson", "Content-Length: 100000") + "{");
  await pause(500);
  await stopping("a file that never arrives", server);
  assert.ok(!peer.statuses.includes(200));
  peer.end();
});

test("changes that wait for another process, which holds the store; those that were acknowledged are kept", within, async (t) => {
  const own = join(folder, "locked.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", own).status, 0);
  const server = await serve(own);
  const headers = { authorization: `Bearer ${makeToken(own, "triage")}`, "content-type": "application/json" };
  const mark = (kind) => fetch(`${server.base}/api/v1/runs/${run}/marks`, { method: "POST", headers, body: JSON.stringify({ kind, reason: "test", who: "ada" }) }).then((answer) => answer.status, () => 0);
  assert.equal(await mark("pinned"), 201);
  const release = await holdLock(own);
  if (!release) return t.skip("sqlite3 is not installed: nobody holds the lock");
  const waiting = Array.from({ length: 20 }, () => mark("excluded"));
  await pause(500);
  await stopping("changes that wait for a lock", server);
  assert.ok((await Promise.all(waiting)).every((status) => [0, 503].includes(status)));
  release();
  const again = await serve(own);
  const { marks } = await (await fetch(`${again.base}/api/v1/runs/${run}`)).json();
  assert.deepEqual(marks.map(({ kind }) => kind), ["pinned"]);
  await again.stop();
});

/** A pipe that somebody reads only when told to: { path, read() }. */
function makePipe(name) {
  const path = join(folder, name);
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(1 << 16);
  const read = () => {
    let text = "";
    for (;;) {
      try {
        const count = readSync(descriptor, bytes);
        text += bytes.toString("latin1", 0, count);
      } catch (error) {
        if (error.code === "EAGAIN") return text;
        throw error;
      }
    }
  };
  return { path, read, close: () => closeSync(descriptor) };
}

const REQUESTS = 3000;

/** A server all of whose output goes into the pipe. */
async function servePiped(pipe, format) {
  const child = spawn("sh", ["-c", `exec "$0" "$@" >"${pipe.path}" 2>&1`, program, "serve", "--db", db, "--port", "0", "--no-code", "--log", format], { stdio: "ignore" });
  const ended = new Promise((done) => child.on("exit", (code, signal) => done({ code, signal })));
  let printed = "";
  await until(() => /127\.0\.0\.1:\d+/.test((printed += pipe.read())), "the server's address");
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(printed)[1]);
  const base = `http://127.0.0.1:${port}`;
  return { port, base, stop: () => (child.kill("SIGTERM"), ended) };
}

/** REQUESTS of them, and an answer to each. A connection is good for a thousand. */
async function askMany(server) {
  for (let asked = 0; asked < REQUESTS; asked += 500) {
    const peer = new Peer(server.port).send("GET /api/v1/alive HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500));
    await until(() => peer.isClosed || peer.statuses.length >= 500, `answers up to ${asked + 500}`);
    assert.equal(peer.statuses.length, 500);
    peer.end();
  }
}

for (const format of ["text", "json"]) {
  test(`a log that nobody reads holds nothing up, and says later what it lacks (${format})`, within, async () => {
    const pipe = makePipe(`log-${format}`);
    const server = await servePiped(pipe, format);
    await askMany(server);
    const dropped = await metric(server, "benchhud_log_lines_dropped_total");
    assert.ok(dropped > REQUESTS / 4, `${dropped} lines dropped`);
    // Somebody reads again.
    let text = pipe.read();
    await until(() => /dropped/.test((text += pipe.read())), "the line that says so");
    assert.equal((await fetch(`${server.base}/api/v1/alive`)).status, 200);
    await until(() => (text += pipe.read()).split("\n").filter((one) => one.includes("/api/v1/alive")).length >= REQUESTS + 1 - dropped, "the last line");
    const lines = text.split("\n").filter((one) => one);
    const notices = lines.map((one) => (format === "json" ? JSON.parse(one).dropped : / (\d+) lines? dropped/.exec(one)?.[1])).filter((count) => count !== undefined).map(Number);
    const written = lines.filter((one) => /alive|metrics/.test(one)).length;
    const finallyDropped = notices.reduce((sum, count) => sum + count, 0);
    figures(`unread log, ${format}`, { requests: REQUESTS + 2, written, dropped: finallyDropped });
    assert.equal(written + finallyDropped, REQUESTS + 2, "each request is a line, or counted");
    const { code } = await server.stop();
    pipe.close();
    assert.equal(code, 0);
  });
}

test("all output goes into a pipe that is full", within, async () => {
  const pipe = makePipe("full");
  const server = await servePiped(pipe, "text");
  await askMany(server);
  await stopping("a full log pipe", server);
  pipe.close();
});
