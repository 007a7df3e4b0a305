// Many connections, most of which do nothing or dawdle: whoever asks is answered soon, those in the crowd get their turns, memory is bounded.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, program, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { Peer, busyClients, figures, metric, pause, peakMemory, quantile, strength, until } from "./support/faults.mjs";

const SECONDS = strength("BENCHHUD_CROWD_SECONDS", 4, 60);
const IDLE = 300, BUSY = 64, DAWDLING = 40, DEAF = 20;
const health = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n";

let folder, db;
before(() => {
  folder = temporaryFolder("crowding");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

/** Asks on a new connection; milliseconds to the whole answer. */
async function ask(port, target = "/api/v1/overview") {
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { connection: "close" } });
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - began };
}

const within = { timeout: (SECONDS + 90) * 1000 };

test("300 idle, 64 busy, 40 dawdling and 20 deaf connections on 4 threads: who asks is answered soon", within, async () => {
  const server = await serve(db, "--threads", "4", "--no-code");
  const peers = [];
  try {
    const idle = Array.from({ length: IDLE }, () => new Peer(server.port));
    const deaf = Array.from({ length: DEAF }, () => new Peer(server.port));
    peers.push(...idle, ...deaf);
    await Promise.all(peers.map((one) => one.connected));
    // Megabytes each, that nobody reads.
    for (const one of deaf) one.deaf().send("GET /api/v1/overview HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(150));
    const busy = busyClients(server.port, { clients: BUSY, seconds: SECONDS + 30, targets: ["/api/v1/overview", "/api/v1/runs", "/api/v1/models"] });
    // Heads and bodies of which a byte comes now and then; who is told to go begins anew.
    const dawdling = new Set();
    const dawdle = setInterval(() => {
      while (dawdling.size < DAWDLING) {
        const one = new Peer(server.port);
        one.send(dawdling.size % 2 ? "GET /api/v1/health HTTP/1.1\r\nA: " : "POST /api/v1/alerts/1/actions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n");
        dawdling.add(one);
      }
      for (const one of dawdling) one.isClosed ? dawdling.delete(one) : one.send("x");
    }, 50);
    // Idle, but not for as long as closes a connection (30 s).
    const rouse = setInterval(() => idle.forEach((one) => one.send(health)), 15_000);
    const took = [];
    for (const end = Date.now() + SECONDS * 1000; Date.now() < end; await pause(10)) {
      const { status, ms } = await ask(server.port);
      assert.equal(status, 200);
      took.push(ms);
    }
    clearInterval(dawdle);
    clearInterval(rouse);
    const crowd = await busy.stop();
    for (const one of dawdling) one.end();
    // Those that were idle are still there, and are answered as soon as they ask.
    let late = 0;
    const asked = idle.map((one) => one.statuses.length);
    const began = performance.now();
    for (const one of idle) one.send(health);
    await until(() => idle.every((one, i) => one.statuses.length > asked[i]), "an answer for each idle connection");
    late = performance.now() - began;
    const memory = peakMemory(server.pid);
    figures("crowding", {
      seconds: SECONDS, idle: IDLE, busy: BUSY, dawdling: DAWDLING, deaf: DEAF, asked: took.length,
      p50_ms: quantile(took, 0.5).toFixed(1), p99_ms: quantile(took, 0.99).toFixed(1), max_ms: quantile(took, 1).toFixed(1),
      busy_answers: crowd.answers, busy_least: crowd.perClient.least, busy_most: crowd.perClient.most, busy_p99_ms: crowd.p99.toFixed(1),
      idle_all_answered_ms: late.toFixed(0), memory_MB: memory.toFixed(0),
    });
    assert.ok(idle.every((one) => one.statuses.every((status) => status === 200)));
    assert.ok(quantile(took, 0.99) < 1000, `p99 ${quantile(took, 0.99)} ms`);
    assert.deepEqual(Object.keys(crowd.statuses), ["200"], JSON.stringify(crowd));
    assert.equal(crowd.errors, 0, crowd.error);
    assert.ok(crowd.perClient.least * 3 > crowd.perClient.most, "turns are shared");
    assert.ok(memory < 400, `${memory} MB`);
  } finally {
    for (const one of peers) one.end();
    assert.equal((await server.stop()).code, 0);
  }
});

/** A server that may have few files, and so few connections. */
async function serveWithFiles(count) {
  const child = spawn("sh", ["-c", `ulimit -n ${count}; exec "$0" "$@"`, program, "serve", "--db", db, "--port", "0", "--no-code"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  let printed = "";
  await new Promise((done, fail) => {
    child.on("exit", () => fail(new Error(`the server ended: ${printed}`)));
    child.stdout.on("data", (bytes) => /http:\/\/127/.test((printed += bytes)) && done());
  });
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(printed)[1]);
  return { port, base: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => (child.kill("SIGTERM"), ended) };
}

test("more connections than the system lets the server have: the longest idle make place, and nobody is kept waiting", within, async () => {
  const server = await serveWithFiles(400);
  const peers = [];
  try {
    const took = [];
    for (let i = 0; i < 600; ++i) {
      peers.push(new Peer(server.port));
      await peers.at(-1).connected;
      if (i % 20 === 0) {
        const { status, ms } = await ask(server.port);
        assert.equal(status, 200);
        took.push(ms);
      }
    }
    await until(() => peers.filter((one) => one.isClosed).length >= 380, "places are made");
    const crowdedOut = await metric(server, "benchhud_http_crowded_out_total");
    const open = await metric(server, "benchhud_http_connections_open");
    figures("few files", { files: 400, connections: 600, open, crowded_out: crowdedOut, asked: took.length, max_ms: quantile(took, 1).toFixed(1) });
    assert.ok(crowdedOut >= 380 && open <= 202, `${crowdedOut} closed, ${open} open`);
    assert.ok(quantile(took, 1) < 2000);
    // The newest of them are there.
    peers.at(-1).send(health);
    await until(() => peers.at(-1).statuses.length === 1, "an answer");
    assert.deepEqual(peers.at(-1).statuses, [200]);
  } finally {
    for (const one of peers) one.end();
    assert.equal(await server.stop(), 0);
  }
});

test("more requests on their way than there are places: one more is told to try again, until they have had their time", within, async () => {
  const server = await serveWithFiles(400);
  const peers = [];
  try {
    for (let i = 0; i < 200; ++i) peers.push(new Peer(server.port).send("GET /api/v1/health HTTP/1.1\r\nHo"));
    await Promise.all(peers.map((one) => one.connected));
    const more = new Peer(server.port);
    await until(() => more.isClosed, "the refusal");
    assert.deepEqual(more.statuses, [503], more.text);
    assert.match(more.text, /\r\nConnection: close\r\n/);
    assert.match(more.text, /Too many connections are open; try again/);
    await pause(1100);
    assert.equal((await ask(server.port)).status, 200);
    assert.ok((await metric(server, "benchhud_http_refused_total")) >= 1);
    for (const one of peers.slice(-50)) one.send("st: localhost\r\n\r\n");
    await until(() => peers.slice(-50).every((one) => one.statuses[0] === 200), "the answers of those that are still there");
  } finally {
    for (const one of peers) one.end();
    assert.equal(await server.stop(), 0);
  }
});
