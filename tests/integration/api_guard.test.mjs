// What the server lets through on the wire, byte by byte.
import assert from "node:assert/strict";
import net from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { removeFolder, serve, temporaryFolder } from "./support/server.mjs";

let folder, server;
before(async () => {
  folder = temporaryFolder("guard");
  server = await serve(join(folder, "store.db"), "--threads", "4");
});
after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) {
    assert.equal(ended.code, 0, ended.printed);
    assert.match(ended.printed, /stopped after \d+ requests on \d+ connections, [1-9]\d* refused/);
  }
});

/** Sends bytes, gives all that comes back until the server closes or `quiet` milliseconds pass. */
function exchange(bytes, { quiet = 1500 } = {}) {
  return new Promise((done, fail) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let answer = "";
    let timer = setTimeout(() => finish(false), quiet);
    const finish = (closed) => {
      clearTimeout(timer);
      socket.destroy();
      done({ answer, closed, statuses: [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map((m) => Number(m[1])) });
    };
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      answer += text;
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), quiet);
    });
    socket.on("end", () => finish(true));
    socket.on("error", (error) => (answer ? finish(true) : fail(error)));
    socket.write(Buffer.from(bytes, "latin1"));
  });
}

const health = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n";

const post = "POST /api/v1/alerts/1/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

/** The same from who may. */
const permitted = () => `${post}Authorization: ${server.bearer().authorization}\r\n`;

const refused = {
  "a body with its length": [`${health}Content-Length: 5\r\n\r\nhello`, 400],
  "a second request in a body": [`${health}Content-Length: 44\r\n\r\nGET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n1234567`, 400],
  "two lengths": [`${health}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`, 400],
  "a length that is a list": [`${health}Content-Length: 0, 0\r\n\r\n`, 400],
  "chunks": [`${health}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  "a length and chunks": [`${health}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  "chunks in disguise": [`${health}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400],
  "compression": [`${health}Content-Encoding: gzip\r\n\r\n`, 400],
  "an expectation": [`${health}Expect: 100-continue\r\n\r\n`, 400],
  "several ranges": [`${health}Range: bytes=0-1,2-3\r\n\r\n`, 400],
  "two range headers": [`${health}Range: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n`, 400],
  "a folded header": [`${health}X-A: b\r\n c\r\n\r\n`, 400],
  "a header without a colon": [`${health}nonsense\r\n\r\n`, 400],
  "a NUL in a header": [`${health}X-A: b\0c\r\n\r\n`, 400],
  "a bare CR in a header": [`${health}X-A: b\rc\r\n\r\n`, 400],
  "a bare LF between headers": ["GET /api/v1/health HTTP/1.1\nHost: localhost\n\n", 400],
  "no host": ["GET /api/v1/health HTTP/1.1\r\n\r\n", 400],
  "two hosts": [`${health}Host: y\r\n\r\n`, 400],
  "a control character in the path": ["GET /api/\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "an encoded line end in the path": ["GET /api/v1/runs/%0d%0aSet-Cookie:x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "an encoded NUL in the query": ["GET /api/v1/runs?q=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "a % that encodes nothing": ["GET /api/v1/runs/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "bytes beyond ASCII in the path": ["GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "an absolute address": ["GET http://elsewhere/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  "another protocol": ["GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 400],
  "no protocol": ["GET /\r\nHost: localhost\r\n\r\n", 400],
  "PUT": ["PUT /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405],
  "OPTIONS, with which other sites would ask whether they may": ["OPTIONS /api/v1/alerts/1/actions HTTP/1.1\r\nHost: localhost\r\n\r\n", 405],
  "a POST that does not say its length": [`${post}\r\n`, 400],
  "a POST in chunks": [`${post}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  "a POST with a length and chunks": [`${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  "a POST of a negative length": [`${post}Content-Length: -1\r\n\r\n`, 400],
  "a POST of a length beyond all numbers": [`${post}Content-Length: 99999999999999999999\r\n\r\n`, 400],
  "a POST of a megabyte": [`${post}Content-Length: 1048576\r\n\r\n`, 413],
  "a DELETE with a body": ["DELETE /api/v1/runs/1/marks/excluded HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 400],
  "CONNECT": ["CONNECT /x HTTP/1.1\r\nHost: localhost\r\n\r\n", 405],
  "an address of 5000 bytes": [`GET /${"a".repeat(5000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 413],
  "a hundred headers": [`${health}${"A: b\r\n".repeat(100)}\r\n`, 413],
  "100,000 headers": [`${health}${"A: b\r\n".repeat(100_000)}\r\n`, 413],
  "a header of a megabyte": [`${health}A: ${"b".repeat(1 << 20)}\r\n\r\n`, 413],
};

describe("refused with a problem, counted, and the connection closed", () => {
  for (const [name, [bytes, status]] of Object.entries(refused)) {
    test(name, async () => {
      // A request behind it must not be answered: it may be what somebody smuggled.
      const { answer, closed, statuses } = await exchange(`${bytes}${health}\r\n`);
      assert.deepEqual(statuses, [status], answer.slice(0, 300));
      assert.ok(closed, "the connection is closed");
      assert.match(answer, /\r\nContent-Type: application\/problem\+json\r\n/i);
      assert.match(answer, /\r\nConnection: close\r\n/i);
      const problem = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
      assert.equal(problem.status, status);
      assert.ok(problem.detail.length > 5);
    });
  }
});

test("plain requests pass, one after the other on one connection", async () => {
  const { statuses } = await exchange(`${health}\r\n${health}Range: bytes=0-3\r\n\r\n${health}Content-Length: 0\r\n\r\n`, { quiet: 500 });
  assert.deepEqual(statuses, [200, 200, 200], "a single range is ignored, a length of 0 is no body");
});

test("a body is the request's, byte for byte, and what follows it is the next request", async () => {
  const inside = "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const { answer, statuses } = await exchange(`${permitted()}Content-Length: ${inside.length}\r\n\r\n${inside}${health}\r\n`, { quiet: 500 });
  assert.deepEqual(statuses, [400, 200], "what looks like a request in a body is not answered");
  assert.match(answer, /one JSON object/);
  assert.match(answer, /"status":"ok"/);
});

test("a body in pieces arrives", async () => {
  const socket = net.connect(server.port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => (answer += text));
  const body = '{"kind": "note", "value": "x"}';
  for (const byte of `${permitted()}Content-Length: ${body.length}\r\n\r\n${body}`) {
    socket.write(byte);
    await new Promise((next) => setTimeout(next, 2));
  }
  await new Promise((next) => setTimeout(next, 300));
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 404 /, "the alert is not there, but the request was read");
});

test("a head in pieces arrives", async () => {
  const socket = net.connect(server.port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => (answer += text));
  for (const byte of `${health}\r\n`) {
    socket.write(byte);
    await new Promise((next) => setTimeout(next, 2));
  }
  await new Promise((next) => setTimeout(next, 300));
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 200 /);
});

test("HTTP/1.0 and Connection: close end the connection", async () => {
  for (const bytes of ["GET /api/v1/health HTTP/1.0\r\nHost: localhost\r\n\r\n", `${health}Connection: close\r\n\r\n`]) {
    const { statuses, closed } = await exchange(bytes);
    assert.deepEqual(statuses, [200]);
    assert.ok(closed);
  }
});

test("HEAD has no body", async () => {
  const { answer } = await exchange("HEAD /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  assert.match(answer, /\r\nContent-Length: [1-9]\d*\r\n/i);
  assert.ok(answer.endsWith("\r\n\r\n"));
});

test("idle and dawdling connections do not starve others", async () => {
  // More than the server has threads.
  const idle = Array.from({ length: 12 }, (_, i) => {
    const socket = net.connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    if (i < 2) socket.write("GET /api/v1/he");
    return socket;
  });
  await new Promise((next) => setTimeout(next, 200));
  const began = Date.now();
  const { statuses } = await exchange(`${health}Connection: close\r\n\r\n`, { quiet: 8000 });
  assert.deepEqual(statuses, [200]);
  assert.ok(Date.now() - began < 4000, `${Date.now() - began} ms`);
  for (const socket of idle) socket.destroy();
});

test("the port of a running server cannot be taken", async () => {
  await assert.rejects(serve(join(folder, "store.db"), "--port", String(server.port)), /cannot listen|more than once/);
});
