// The names that a server answers for: what a web page whose own name points at this machine gets to read of it, which is nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, program, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

let folder, db;
before(() => {
  folder = temporaryFolder("host");
  db = join(folder, "store.db");
});
after(() => folder && removeFolder(folder));

/** The status and body of what a request of these lines is answered, on a connection of its own. */
const ask = (port, first, headers, body = "") =>
  new Promise((done, fail) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(`${first}\r\n${headers.map((line) => `${line}\r\n`).join("")}Connection: close\r\n\r\n${body}`, "latin1"));
    socket.setEncoding("latin1").on("data", (piece) => (text += piece)).on("error", fail);
    socket.on("end", () => done({ status: Number(text.slice(9, 12)), body: text.slice(text.indexOf("\r\n\r\n") + 4), isClosed: /\r\nConnection: close\r\n/i.test(text) }));
  });

const status = async (server, host, address = "/api/v1/alive") => (await ask(server.port, `GET ${address} HTTP/1.1`, [`Host: ${host}`])).status;

const loopbackNames = ["localhost", "LocalHost", "localhost.", "localhost:1", "localhost:65535", "localhost:", "127.0.0.1", "127.0.0.1:8080", "127.255.3.4", "127.0.0.1.", "[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]"];
const otherNames = [
  "evil.example", "evil.example:8080", "localhost.evil.example", "evil.localhost", "127.0.0.1.evil.example", "127.evil.example", "127.1", "2130706433", "0.0.0.0", "1127.0.0.1", "10.0.0.1", "[::2]", "[::]",
  "::1", "[::1", "[::1]x", "[::1]:x", "localhost:x", "localhost:80:80", "localhost:123456", "localhost,evil.example", "localhost evil.example", "evil.example@localhost", "localhost/", "localhost..", ".", "x", "",
];

test("on a loopback address only its own names are answered, whatever is asked for", async () => {
  const server = await serve(db, "--log", "json");
  for (const host of loopbackNames) assert.equal(await status(server, host), 200, host);
  for (const host of otherNames) assert.equal(await status(server, host), 421, host);
  const { authorization } = server.bearer();
  const post = (address, host, length) => [`POST ${address} HTTP/1.1`, [`Host: ${host}`, `Authorization: ${authorization}`, "Content-Type: application/json", `Content-Length: ${length}`]];
  for (const address of ["/", "/models", "/app.js", "/metrics", "/api/v1/metrics", "/api/v1/health", "/api/v1/store", "/api/v1/store.db", "/api/v1/results.jsonl", "/api/v1/openapi.json", "/api/v1/badge", "/api/v1/session", "/no/such/page"]) {
    for (const method of ["GET", "HEAD"]) {
      const { status, isClosed, body } = await ask(server.port, `${method} ${address} HTTP/1.1`, ["Host: evil.example"]);
      assert.equal(status, 421, `${method} ${address}`);
      assert.ok(isClosed);
      const { type, detail } = JSON.parse(body);
      assert.equal(type, "urn:benchhud:problem:misdirected-request");
      assert.match(detail, /"evil\.example".*--allow-host/);
    }
  }
  for (const address of ["/api/v1/alerts/1/actions", "/api/v1/session", "/api/v1/ingest?name=a.jsonl"]) {
    assert.equal((await ask(server.port, ...post(address, "evil.example", 2), "{}")).status, 421, address);
    assert.notEqual((await ask(server.port, ...post(address, "localhost", 2), "{}")).status, 421, address);
  }
  const { printed } = await server.stop();
  assert.match(printed, /"method":"GET","path":"\/models","status":421/, "the log says what was asked for");
});

test("a request without a Host, or with two, is refused", async () => {
  const server = await serve(db);
  for (const version of ["1.0", "1.1"]) {
    assert.ok([400, 421].includes((await ask(server.port, `GET /api/v1/alive HTTP/${version}`, [])).status), version);
    for (const second of ["localhost", "evil.example"]) {
      assert.equal((await ask(server.port, `GET /api/v1/alive HTTP/${version}`, ["Host: localhost", `Host: ${second}`])).status, 400, second);
    }
  }
  await server.stop();
});

test("--allow-host adds names, as often as it is given", async () => {
  const server = await serve(db, "--allow-host", "HUD.example.org.", "--allow-host", "10.1.2.3", "--allow-host", "[fd00::A]");
  for (const host of ["hud.example.org", "hud.example.org:443", "Hud.Example.Org.", "10.1.2.3:80", "[fd00:0::a]:8080", "localhost", "127.0.0.1"]) assert.equal(await status(server, host), 200, host);
  for (const host of ["example.org", "a.hud.example.org", "hud.example.org.evil.example", "10.1.2.4", "fd00::a"]) assert.equal(await status(server, host), 421, host);
  await server.stop();
  for (const wrong of ["", "hud.example.org:80", "http://hud.example.org", "a b", "*"]) {
    const done = benchhud("serve", "--db", db, "--port", "0", "--allow-host", wrong);
    assert.equal(done.status, 2, wrong);
    assert.match(done.stderr, /--allow-host takes a host name/, wrong);
  }
});

test("a server that other machines reach answers for every name, or for those that it is given", async () => {
  const open = await serve(db, "--host", "0.0.0.0");
  for (const host of ["localhost", "evil.example", "10.0.0.1:8080"]) assert.equal(await status(open, host), 200, host);
  await open.stop();
  const named = await serve(db, "--host", "0.0.0.0", "--allow-host", "hud.example.org");
  for (const host of ["localhost", "hud.example.org"]) assert.equal(await status(named, host), 200, host);
  for (const host of ["evil.example", "10.0.0.1:8080"]) assert.equal(await status(named, host), 421, host);
  await named.stop();
});

test("`trace view` answers for the same names", async () => {
  const trace = join(folder, "trace.json");
  writeFileSync(trace, JSON.stringify({ traceEvents: [{ ph: "X", name: "a", cat: "cpu_op", pid: 1, tid: 1, ts: 1, dur: 5 }] }));
  const child = spawn(program, ["trace", "view", trace, "--allow-host", "hud.example.org"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, DISPLAY: undefined, WAYLAND_DISPLAY: undefined } });
  const ended = new Promise((done) => child.on("exit", done));
  const port = await new Promise((done) => {
    let printed = "";
    child.stdout.on("data", (bytes) => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec((printed += bytes));
      if (found) done(Number(found[1]));
    });
  });
  for (const [host, wanted] of [["localhost", 200], ["hud.example.org", 200], ["evil.example", 421]]) {
    for (const address of ["/trace/1", "/api/v1/traces/1"]) assert.equal(await status({ port }, host, address), wanted, `${host}${address}`);
  }
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
});
