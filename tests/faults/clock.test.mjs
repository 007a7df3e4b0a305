// The clock jumps, by minutes and by years, to and fro: what lasts a while lasts as long as ever, what is valid until a date is so.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, makeToken, program, removeFolder, root, serveWith, temporaryFolder } from "../integration/support/server.mjs";
import { Peer, busyClients, figures, pause, until } from "./support/faults.mjs";
import { buildShim, contents, harm, harmed, isWhole } from "./support/store.mjs";

const within = { timeout: 90_000 };
const HOUR = 3600, DAY = 24 * HOUR, YEAR = 366 * DAY;

let folder, shim, db, clock;
before(() => {
  folder = temporaryFolder("clock");
  shim = buildShim(folder);
  clock = join(folder, "clock");
  db = join(folder, "store.db");
  jump(0);
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

function jump(seconds) {
  writeFileSync(clock, String(seconds));
}

test("a server whose clock jumps goes on; tokens, codes and cookies are valid by the clock, and only they", within, async () => {
  const server = await serveWith(harm(shim, { path: "no such path", clock }), db);
  const token = makeToken(db, "triage");
  const withToken = async () => (await fetch(`${server.base}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })).status;
  try {
    const code = server.signIn.split("#")[1];
    const signIn = () => fetch(`${server.base}/api/v1/session`, { method: "POST", headers: { "content-type": "application/json", origin: server.base }, body: JSON.stringify({ code }) });
    const first = await fetch(`${server.base}/api/v1/overview`);
    const etag = first.headers.get("etag"), body = await first.text();
    // A request that is on its way while the clock jumps.
    const slow = new Peer(server.port).send("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n");
    const idle = new Peer(server.port);
    await idle.connected;
    const crowd = busyClients(server.port, { clients: 8, seconds: 60, targets: ["/api/v1/overview", "/api/v1/runs", "/api/v1/alerts"] });
    let jumps = 0;
    for (const seconds of [2 * HOUR, -2 * HOUR, 5 * YEAR, -20 * YEAR, 50 * YEAR, 0]) {
      jump(seconds);
      ++jumps;
      await pause(150);
      const again = await fetch(`${server.base}/api/v1/overview`, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, `the same answer at ${seconds} s`);
      assert.equal(await withToken(), seconds >= YEAR ? 401 : 200, `the token at ${seconds} s`);
    }
    jump(2 * HOUR);
    assert.equal((await signIn()).status, 401, "the code was good for an hour");
    jump(0);
    const signed = await signIn();
    assert.equal(signed.status, 201, await signed.clone().text());
    const cookie = signed.headers.get("set-cookie"), age = Number(/Max-Age=(\d+)/.exec(cookie)[1]);
    assert.ok(age > 29 * DAY && age <= 30 * DAY, cookie);
    const session = async () => (await (await fetch(`${server.base}/api/v1/session`, { headers: { cookie: cookie.split(";")[0] } })).json());
    const inside = JSON.stringify(await session());
    jump(31 * DAY);
    assert.notEqual(JSON.stringify(await session()), inside, "the session is over");
    jump(0);
    assert.equal(JSON.stringify(await session()), inside, "and is not, when the clock is right again");
    // Ten seconds for a head are ten seconds.
    slow.send("\r\n");
    idle.send("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => slow.statuses.length === 1 && idle.statuses.length === 1, "answers on connections of before");
    assert.deepEqual([slow.statuses, idle.statuses], [[200], [200]]);
    const done = await crowd.stop();
    figures("clock", { jumps, reads: done.answers, statuses: JSON.stringify(done.statuses), max_ms: done.max.toFixed(0) });
    assert.deepEqual(Object.keys(done.statuses), ["200"], JSON.stringify(done.bad));
    assert.equal(done.errors, 0, done.error);
    assert.equal(await (await fetch(`${server.base}/api/v1/overview`)).text(), body);
    slow.end(), idle.end();
  } finally {
    jump(0);
    assert.equal((await server.stop()).code, 0);
  }
});

test("an ingest takes in the same whatever the clock says, and in whichever order", within, () => {
  const samples = join(root, "samples/cpu_nightlies");
  const strange = join(folder, "strange.db");
  const nights = ["2025-11-10", "2025-11-11", "2025-11-12"].map((name) => join(samples, name));
  const usual = join(folder, "usual.db");
  for (const night of nights) assert.equal(benchhud("ingest", night, "--db", usual).status, 0);
  const jumps = [10 * YEAR, -40 * YEAR, 0];
  nights.forEach((night, i) => {
    jump(jumps[i]);
    const done = harmed(shim, { path: "no such path", clock }, "ingest", night, "--db", strange);
    assert.equal(done.status, 0, done.stderr);
    const again = harmed(shim, { path: "no such path", clock }, "ingest", night, "--db", strange);
    assert.match(again.stdout, / 0 new, /);
  });
  jump(0);
  assert.deepEqual(contents(strange), contents(usual));
  isWhole(strange);
});

test("a wait for another's ingest lasts as long as it says while the clock jumps", within, async () => {
  const fifo = join(folder, "fifo.jsonl"), store = join(folder, "wait.db");
  spawnSync("mkfifo", [fifo]);
  const first = spawn(program, ["ingest", fifo, "--db", store], { stdio: "ignore" });
  await until(() => existsSync(`${store}-lock`) && readFileSync(`${store}-lock`, "utf8") !== "", "the lock");
  try {
    jump(0);
    const began = performance.now();
    const waiting = spawn(program, ["ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--wait", "2", "--db", store], { stdio: "ignore", env: { ...process.env, ...harm(shim, { path: "no such path", clock }) } });
    const ended = new Promise((done) => waiting.on("close", done));
    await pause(500);
    jump(-10 * YEAR);
    await pause(500);
    jump(10 * YEAR);
    assert.equal(await ended, 5);
    const seconds = (performance.now() - began) / 1000;
    figures("a wait of 2 s", { seconds: seconds.toFixed(2) });
    assert.ok(seconds > 1.9 && seconds < 6, `${seconds} s`);
  } finally {
    jump(0);
    first.kill("SIGKILL");
  }
});

test("a dropped trace is removed when its time is over, by the clock, also by a server that starts after that", within, async () => {
  const trace = (name) => JSON.stringify({ traceEvents: [{ ph: "X", pid: 0, tid: 7, cat: "kernel", name, ts: 1, dur: 2 }] });
  const run = () => serveWith(harm(shim, { path: "no such path", clock }), db);
  jump(0);
  const token = makeToken(db, "triage");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
  const drop = async (server, name) => (await (await fetch(`${server.base}/api/v1/dropped-traces?name=${name}.json`, { method: "POST", headers, body: trace(name) })).json()).id;
  const traces = () => Number(spawnSync("sqlite3", [db, "SELECT count(*) FROM dropped_trace"], { encoding: "utf8" }).stdout);
  let server = await run();
  try {
    const id = await drop(server, "one");
    const status = async () => (await fetch(`${server.base}/api/v1/traces/${id}`, { headers })).status;
    assert.equal(await status(), 200);
    jump(23 * HOUR);
    assert.equal(await status(), 200);
    jump(25 * HOUR);
    assert.equal(await status(), 404, "at once, whether it is removed yet or not");
    await until(() => traces() === 0, "its removal", 60);
    jump(0);
    await drop(server, "two");
    await server.stop("SIGKILL");
    assert.equal(traces(), 1);
    jump(25 * HOUR);
    server = await run();
    await until(() => traces() === 0, "its removal by the next server", 20);
  } finally {
    jump(0);
    await server.stop();
  }
  isWhole(db);
});
