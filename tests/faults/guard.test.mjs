// What can be sent to a server that it must not fall for, as bytes; and meanwhile somebody who only wants an answer.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { Peer, figures, metric, pause, peakMemory, quantile, randomNumbers, strength, until } from "./support/faults.mjs";

const MUTATIONS = strength("BENCHHUD_GUARD_MUTATIONS", 300, 100_000);
const BOMB_MB = strength("BENCHHUD_GUARD_BOMB_MB", 700, 9000);
const within = { timeout: (120 + MUTATIONS / 20 + BOMB_MB / 10) * 1000 };

let folder, db, server, healthy;
const idle = [];
before(async () => {
  folder = temporaryFolder("guard");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
  server = await serve(db, "--threads", "4", "--no-code");
  for (let i = 0; i < 200; ++i) idle.push(new Peer(server.port));
  healthy = watch();
});
after(async () => {
  for (const one of idle) one.end();
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

/** Somebody who asks, on a new connection each time, from now on. */
function watch() {
  const took = [], wrong = [];
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const began = performance.now();
      const answer = await fetch(`${server.base}/api/v1/overview`, { headers: { connection: "close" } }).catch((error) => ({ status: String(error.cause ?? error) }));
      await answer.arrayBuffer?.();
      took.push(performance.now() - began);
      if (answer.status !== 200) wrong.push(answer.status);
      await pause(20);
    }
  })();
  return async () => ((isOver = true), await done, { took, wrong });
}

/** Sends bytes; all that comes back until the server closes. `quiet` ms after the last of it the client says that it has nothing more to send and
 *  takes what still comes: an answer that a busy machine gives late is one, too. `closed`: by the server, without that. */
function exchange(bytes, { quiet = 3000, isText = true } = {}) {
  return new Promise((done, fail) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let answer = "", timer, closed = true;
    const finish = () => (clearTimeout(timer), socket.destroy(), done({ answer, closed, statuses: [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map((m) => Number(m[1])) }));
    const leave = () => ((closed = false), socket.end(), (timer = setTimeout(finish, 10_000)));
    const wait = () => closed && (clearTimeout(timer), (timer = setTimeout(leave, quiet)));
    socket.setEncoding("latin1").on("data", (text) => ((answer += text), wait())).on("end", finish).on("error", (error) => (answer ? finish() : fail(error)));
    socket.write(isText ? Buffer.from(bytes, "latin1") : bytes);
    wait();
  });
}

/** The guard's own refusals in an answer: their problems name no address, for none was looked at. */
const guards = (answer) => answer.split('"instance":""').length - 1;

/** Sends all of them, some at once; counts what came and whether the server counted what it refused. `check(one, result)`. */
async function attack(what, all, check, options) {
  const before = await metric(server, "benchhud_http_refused_total");
  const statuses = {};
  let refused = 0, next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < all.length) {
      const one = all[next++];
      const result = await exchange(one.bytes, options);
      for (const status of result.statuses) statuses[status] = (statuses[status] ?? 0) + 1;
      refused += guards(result.answer);
      await check(one, result);
    }
  }));
  const counted = (await metric(server, "benchhud_http_refused_total")) - before;
  figures(what, { sent: all.length, refused, counted, answers: JSON.stringify(statuses) });
  // Clients that the server asks to come again (503) are refused as well; that answer names the address.
  assert.equal(counted, refused + (statuses[503] ?? 0), "each refusal is counted, once");
  return { refused, statuses };
}

/** One refusal of that status, and not a word more. */
function isRefused({ name, status }, { answer, closed, statuses }) {
  assert.deepEqual(statuses, [status], `${name}: ${answer.slice(0, 300)}`);
  assert.ok(closed, `${name}: the connection is closed`);
  assert.equal(guards(answer), 1, name);
}

const get = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n";
const post = "POST /api/v1/alerts/1/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const upload = (name) => `POST /api/v1/ingest?name=${name} HTTP/1.1\r\nHost: localhost\r\n`;

test("every byte in every place of a head", within, async () => {
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/;
  const all = [];
  for (let code = 0; code < 256; ++code) {
    const c = String.fromCharCode(code), hex = code.toString(16).padStart(2, "0");
    const isPlain = code > 0x20 && code < 0x7f;
    all.push({ place: "method", c, ok: false, bytes: `G${c}T /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n` });
    all.push({ place: "address", c, ok: isPlain && c !== "#" && c !== "%", bytes: `GET /api/v1/health?x${c}y HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n` });
    all.push({ place: "percent-encoded", c, ok: code >= 0x20 && code !== 0x7f, bytes: `GET /api/v1/health?x%${hex}y HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n` });
    all.push({ place: "name", c, ok: token.test(c) || c === ":", bytes: `${get}X${c}Y: z\r\nConnection: close\r\n\r\n` });
    all.push({ place: "value", c, ok: code === 9 || (code >= 0x20 && code !== 0x7f), bytes: `${get}X: y${c}z\r\nConnection: close\r\n\r\n` });
  }
  await attack("every byte", all, ({ place, c, ok }, { answer, closed, statuses }) => {
    const told = `byte ${c.charCodeAt(0)} in the ${place}: ${answer.slice(0, 200)}`;
    assert.equal(statuses.length, 1, told);
    assert.ok(closed, told);
    assert.equal(guards(answer), ok || (place === "method" && statuses[0] === 200) ? 0 : 1, told);
    // No such parameter, says who looks at addresses; the guard has let it pass.
    if (ok && place !== "address" && place !== "percent-encoded") assert.equal(statuses[0], 200, told);
    assert.ok(!/\r\n[^\r\n]*\x00/.test(answer), "no control characters come back");
  });
});

test("bodies: too large, in chunks, packed, where none belongs", within, async () => {
  const big = "x".repeat(4 << 20);
  const all = [];
  for (let i = 0; i < 4; ++i) {
    all.push(
      { name: "a terabyte announced", status: 413, bytes: `${post}Content-Length: 1099511627776\r\n\r\n` },
      { name: "a byte too many", status: 413, bytes: `${post}Content-Length: 262145\r\n\r\n` },
      { name: "megabytes sent at once", status: 413, bytes: `${post}Content-Length: ${big.length}\r\n\r\n${big}` },
      { name: "a file of a byte too many", status: 413, bytes: `${upload("a.jsonl")}Content-Length: ${2 ** 30 + 1}\r\n\r\n` },
      { name: "chunks without end", status: 400, bytes: `${post}Transfer-Encoding: chunked\r\n\r\n${"1000\r\n".concat("y".repeat(4096), "\r\n").repeat(500)}` },
      { name: "a chunk of all there is", status: 400, bytes: `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n` },
      { name: "a file in chunks", status: 400, bytes: `${upload("a.jsonl")}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n` },
      { name: "a packed body of a change", status: 400, bytes: `${post}Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n${"z".repeat(20)}` },
      { name: "a packed body of a file", status: 400, bytes: `${upload("a.jsonl")}Content-Encoding: zstd\r\nContent-Length: 20\r\n\r\n${"z".repeat(20)}` },
      { name: "a body to GET", status: 400, bytes: `${get}Content-Length: 6\r\n\r\nhello!` },
    );
  }
  await attack("bodies", all, isRefused);
});

test("heads: many headers, long ones, ones without end", within, async () => {
  const all = [];
  for (let i = 0; i < 3; ++i) {
    all.push(
      { name: "65 headers", status: 413, bytes: `${get}${"A: b\r\n".repeat(64)}\r\n` },
      { name: "a million headers", status: 413, bytes: `${get}${"A: b\r\n".repeat(1_000_000)}\r\n` },
      { name: "a header of 8 MB", status: 413, bytes: `${get}A: ${"b".repeat(8 << 20)}\r\n\r\n` },
      { name: "a name of 8 MB", status: 413, bytes: `${get}${"b".repeat(8 << 20)}: A\r\n\r\n` },
      { name: "an address of 8 MB", status: 413, bytes: `GET /${"b".repeat(8 << 20)} HTTP/1.1\r\nHost: localhost\r\n\r\n` },
      { name: "nothing but line ends", status: 400, bytes: "\r\n".repeat(100_000) },
      { name: "nothing but zeros", status: 413, bytes: "\0".repeat(1 << 20) },
    );
  }
  await attack("heads", all, isRefused);
});

test("second requests in disguise are nobody's", within, async () => {
  const inside = "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const disguises = [
    "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5", "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5 5",
    "Content-Length: 5a", "Content-Length:", "Content-Length: \u00b25", "Content-Length : 5", "Content-Length\t: 5", " Content-Length: 5", "content-length: -0",
    "Content-Length: 18446744073709551621", "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:\tchunked",
    "Transfer-Encoding: \x0bchunked", "Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "transfer-encoding: CHUNKED", "TRANSFER-ENCODING: chunked", "X: y\nTransfer-Encoding: chunked",
    "X: y\rTransfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked", "Transfer-Encoding\r\n: chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5", "Expect: 100-continue\r\nContent-Length: 5", "Host: y",
  ];
  const all = disguises.flatMap((line) => [
    { name: line, status: 400, bytes: `GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n${inside}${inside}` },
    { name: `POST ${line}`, status: 400, bytes: `${post}${line}\r\n\r\n${inside}${inside}`.replace("\r\n\r\n", line.startsWith("Host") ? "\r\nContent-Length: 0\r\n\r\n" : "\r\n\r\n") },
  ]);
  await attack("smuggling", all, (one, result) => {
    assert.ok(!result.answer.includes('"items"'), `${one.name}: what is inside is not answered`);
    isRefused(one, result);
  });
});

test("ranges never multiply an answer", within, async () => {
  const all = [];
  for (const range of ["bytes=0-,0-", `bytes=${"0-,".repeat(1000)}0-`, "bytes=0-1,1-2,2-3", "bytes=0-0\r\nRange: bytes=1-1"]) {
    all.push({ name: range.slice(0, 40), status: 400, bytes: `${get}Range: ${range}\r\nConnection: close\r\n\r\n` });
  }
  await attack("several ranges", all, isRefused);
  const single = ["bytes=0-0", "bytes=-1", "bytes=5-", "bytes=9999999999-", "bytes=5-1", "bytes=a-b", "lines=1-2", ""].map((range) => ({ range, bytes: `${get}Range: ${range}\r\nConnection: close\r\n\r\n` }));
  await attack("single ranges", single, ({ range }, { answer, statuses }) => {
    assert.deepEqual(statuses, [200], range);
    assert.match(answer, /"status":"ok"/, "the answer is whole");
  });
});

test("slow clients are told to go after ten seconds, each of them once", within, async () => {
  const before = await metric(server, "benchhud_http_refused_total");
  const slow = Array.from({ length: 100 }, (_, i) => new Peer(server.port).send(i % 2 ? `${post}Content-Length: 1000\r\n\r\n` : "GET /api/v1/health HTTP/1.1\r\nA: "));
  const began = Date.now();
  const drip = setInterval(() => slow.forEach((one) => one.send("b")), 200);
  await until(() => slow.every((one) => one.isClosed), "the end of the slow ones", 30);
  clearInterval(drip);
  const seconds = (Date.now() - began) / 1000;
  for (const one of slow) assert.deepEqual(one.statuses, [408], one.text);
  const counted = (await metric(server, "benchhud_http_refused_total")) - before;
  figures("slow clients", { clients: slow.length, counted, gone_after_s: seconds.toFixed(1) });
  assert.equal(counted, slow.length);
  assert.ok(seconds < 15, `${seconds} s`);
});

test("requests with bytes changed, added and taken away get an answer or an end", within, async () => {
  const random = randomNumbers(Number(process.env.BENCHHUD_GUARD_SEED ?? 1));
  const pick = (items) => items[Math.floor(random() * items.length)];
  const seeds = [`${get}Accept-Encoding: gzip\r\nConnection: close\r\n\r\n`, `${post}Content-Length: 17\r\nConnection: close\r\n\r\n{"kind": "state"}`, `${upload("x.jsonl")}Content-Type: application/gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00`,
    "HEAD /api/v1/runs?limit=5 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"a\"\r\nConnection: close\r\n\r\n", "DELETE /api/v1/session HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\nConnection: close\r\n\r\n"];
  const pieces = ["\r\n", "\n", "\r", "\0", ":", " ", "%00", "%", "/../", "?", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "\xff", "\r\n\r\n", "HTTP/1.1"];
  const all = Array.from({ length: MUTATIONS }, () => {
    let bytes = pick(seeds);
    for (let i = 1 + Math.floor(random() * 4); i > 0; --i) {
      const at = Math.floor(random() * bytes.length);
      const cut = random() < 0.4 ? Math.floor(random() * 8) : 0;
      const added = random() < 0.5 ? pick(pieces) : random() < 0.5 ? String.fromCharCode(Math.floor(random() * 256)) : "";
      bytes = bytes.slice(0, at) + added + bytes.slice(at + cut);
    }
    // What is left of it may wait for more; then this is what comes, and it is nobody's request.
    return { bytes: `${bytes}\r\n\r\n` };
  });
  await attack("changed bytes", all, ({ bytes }, { statuses }) => {
    // Sixteen clients send at once; of files the server takes two at a time (half of its threads) and asks others to come again.
    const isBusy = (status) => status === 503 && bytes.includes("/ingest");
    for (const status of statuses) assert.ok(status >= 200 && (status < 500 || isBusy(status)), `${status} for ${JSON.stringify(bytes)}`);
  }, { quiet: 150 });
});

test("a small file that unpacks to a large one passes through bounded memory, or is too large", within, async () => {
  const before = peakMemory(server.pid);
  const packed = await new Promise((done, fail) => {
    const gzip = createGzip({ level: 9 }), bytes = [];
    gzip.on("data", (piece) => bytes.push(piece)).on("end", () => done(Buffer.concat(bytes))).on("error", fail);
    // Lines that are none, not one long one.
    const piece = Buffer.alloc(1 << 20, `${"x".repeat(1023)}\n`);
    let left = BOMB_MB;
    const write = () => {
      while (left-- > 0) if (!gzip.write(piece)) return gzip.once("drain", write);
      gzip.end();
    };
    write();
  });
  const send = (name, body, type) => fetch(`${server.base}/api/v1/ingest?name=${name}`, { method: "POST", headers: { ...server.bearer(), "content-type": type }, body });
  const answer = await send("bomb.jsonl", packed, "application/gzip");
  const text = await answer.text();
  // A bomb in a bomb is not unpacked twice.
  const twice = await send("twice.jsonl", gzipSync(packed), "application/gzip");
  const memory = peakMemory(server.pid);
  figures("bomb", { sent_MB: (packed.length / 2 ** 20).toFixed(1), unpacked_MB: BOMB_MB, status: answer.status, memory_before_MB: before.toFixed(0), memory_MB: memory.toFixed(0), twice: twice.status });
  assert.equal(answer.status, BOMB_MB > 8192 ? 413 : 200, text.slice(0, 300));
  assert.equal(twice.status, 415);
  assert.ok(memory < 700, `${memory} MB`);
  assert.deepEqual(existsSync(`${db}.uploads`) ? readdirSync(`${db}.uploads`) : [], [], "nothing is left of it");
});

test("all the while somebody was served, and the idle ones are still there", within, async () => {
  const { took, wrong } = await healthy();
  figures("healthy client", { asked: took.length, not_200: wrong.length, p50_ms: quantile(took, 0.5).toFixed(1), p99_ms: quantile(took, 0.99).toFixed(1), max_ms: quantile(took, 1).toFixed(0) });
  assert.deepEqual(wrong, []);
  assert.ok(took.length > 50);
  assert.ok(quantile(took, 0.99) < 2000);
  const log = readFileSync(`/proc/${server.pid}/status`, "utf8");
  assert.match(log, /State:\s+[SR]/);
  // Those that have been idle for longer than they may are gone; nobody else is.
  assert.equal(await metric(server, "benchhud_http_crowded_out_total"), 0);
});
