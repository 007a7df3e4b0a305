// Results and dumps that are sent to the server: taken in as if they had been named on the command line, once, and
// whole or not at all.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ajv } from "./support/contract.mjs";
import { line, times } from "./support/lines.mjs";
import { benchhud, makeToken, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const night = join(root, "samples/cpu_nightlies/2025-11-10");

let folder, db, server;
before(async () => {
  folder = temporaryFolder("upload");
  db = join(folder, "store.db");
  server = await serve(db);
});
after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

async function send(path, body, type = "application/x-ndjson", headers = server.bearer()) {
  const response = await fetch(`${server.base}/api/v1/${path}`, { method: "POST", headers: { ...headers, "content-type": type }, body });
  const data = await response.json();
  const validate = ajv.getSchema(`openapi#/components/schemas/${response.ok ? "IngestReport" : "Problem"}`);
  assert.ok(validate(data), ajv.errorsText(validate.errors));
  return { status: response.status, data };
}
const counts = ({ accepted, duplicate, rejected }) => [accepted, duplicate, rejected];
const leftOvers = () => (existsSync(`${db}.uploads`) ? readdirSync(`${db}.uploads`) : []);

test("a night that is sent is the night that is ingested: same lines, same answers", async () => {
  const results = readFileSync(join(night, "results.jsonl"));
  const sent = await send("ingest?name=2025-11-10.jsonl&label=pytorch:abc&label=branch:main", results);
  assert.equal(sent.status, 200);
  assert.ok(sent.data.accepted > 10);
  assert.deepEqual(sent.data.files[0].runs.length, 1);

  const other = join(folder, "other.db");
  assert.equal(benchhud("ingest", join(night, "results.jsonl"), "--label", "pytorch=abc", "--label", "branch=main", "--db", other).status, 0);
  assert.equal(benchhud("export", "--format", "jsonl", "--db", db).stdout, benchhud("export", "--format", "jsonl", "--db", other).stdout);
  const run = await (await fetch(`${server.base}/api/v1/runs/latest`)).json();
  assert.deepEqual(run.labels, { pytorch: "abc", branch: "main" });
  assert.deepEqual(leftOvers(), []);
});

test("the command line prints the report that an upload is answered with", async () => {
  const file = join(folder, "2025-11-10.jsonl");
  writeFileSync(file, line({ metrics: times(0.5), timestamp: 1_763_000_000 }) + "\nno JSON\n");
  const { store, ...printed } = JSON.parse(benchhud("ingest", file, "--format", "json", "--db", join(folder, "printed.db")).stdout);
  const { data: sent } = await send("ingest?name=2025-11-10.jsonl", readFileSync(file));
  assert.equal(store, join(folder, "printed.db"));
  assert.equal(printed.files[0].path, file);
  assert.equal(sent.files[0].path, "2025-11-10.jsonl");
  printed.files[0].path = sent.files[0].path;
  assert.deepEqual(printed, sent);
});

test("sent again it changes nothing, however it is packed and named; grown, it adds what is new", async () => {
  const first = line({ metrics: times(0.5), timestamp: 1_764_000_000 }) + "\n";
  const second = line({ metrics: times(0.6), timestamp: 1_764_000_000, model: "beta" }) + "\n";
  assert.deepEqual(counts((await send("ingest?name=a.jsonl", first)).data), [1, 0, 0]);
  assert.deepEqual(counts((await send("ingest?name=a.jsonl", first)).data), [0, 1, 0]);
  assert.deepEqual(counts((await send("ingest?name=b.jsonl", gzipSync(first), "application/gzip")).data), [0, 1, 0]);
  assert.deepEqual(counts((await send("ingest?name=a.jsonl", gzipSync(first + second), "application/gzip")).data), [1, 1, 0]);
  const zstd = spawnSync("zstd", ["-c"], { input: first + second });
  if (zstd.status === 0) assert.deepEqual(counts((await send("ingest?name=a.jsonl", zstd.stdout, "application/zstd")).data), [0, 2, 0]);
});

test("a line that cannot be read is rejected with its reason, once, and the rest goes in", async () => {
  const good = line({ metrics: times(0.5), timestamp: 1_764_100_000 });
  const { data } = await send("ingest?name=torn.jsonl", `${good}\n{"broken\n`);
  assert.deepEqual(counts(data), [1, 0, 1]);
  assert.equal(data.files[0].rejected_lines[0].line_number, 2);
  const before = (await (await fetch(`${server.base}/api/v1/rejected-lines`)).json()).total;
  await send("ingest?name=torn.jsonl", `${good}\n{"broken\n`);
  assert.equal((await (await fetch(`${server.base}/api/v1/rejected-lines`)).json()).total, before);
});

test("dumps belong to the result that is named", async () => {
  const { items } = await (await fetch(`${server.base}/api/v1/results?run=2025-11-10&model=resnet_mini`)).json();
  const result = items[0];
  const trace = readdirSync(join(night, "resnet_mini/0")).find((name) => name.startsWith("trace-"));
  const bytes = readFileSync(join(night, "resnet_mini/0", trace));
  const query = `run=2025-11-10&experiment=${result.experiment.id}&repetition=3`;
  const { status, data } = await send(`ingest/dump?name=${trace}&${query}`, bytes, "application/gzip");
  assert.equal(status, 200);
  assert.deepEqual([data.dumps[0].outcome, data.dumps[0].orphaned, data.dumps[0].unreadable], ["new", false, null]);
  assert.equal((await send(`ingest/dump?name=${trace}&${query}`, gunzipSync(bytes), "application/octet-stream")).data.dumps[0].outcome, "known");
  const dump = await (await fetch(`${server.base}/api/v1/artifacts/${data.dumps[0].id}`)).json();
  assert.equal(dump.kind, "trace");
  assert.equal((await send(`ingest/dump?name=x&run=2025-11-10&experiment=999999`, bytes, "application/gzip")).status, 404);
  assert.equal((await send(`ingest/dump?name=x&run=nothing&experiment=1`, bytes, "application/gzip")).status, 404);
});

describe("refused, and nothing is in the store", () => {
  const good = line({ metrics: times(0.5), timestamp: 1_765_000_000 }) + "\n";
  const refused = {
    "without a name": ["ingest", good, undefined, 400],
    "a name that leads elsewhere": ["ingest?name=..%2Fx", good, undefined, 400],
    "a hidden name": ["ingest?name=.x", good, undefined, 400],
    "a label that is none": ["ingest?name=x&label=x", good, undefined, 400],
    "a time that is none": ["ingest?name=x&timestamp=soon", good, undefined, 400],
    "a parameter that is none": ["ingest?name=x&force=true", good, undefined, 400],
    "a form": ["ingest?name=x", "a=b", "application/x-www-form-urlencoded", 415],
    "gzip under another name": ["ingest?name=x", gzipSync(good), "application/x-ndjson", 415],
    "gzip within gzip": ["ingest?name=x", gzipSync(gzipSync(good)), "application/gzip", 415],
    "gzip that ends early": ["ingest?name=x", gzipSync(good).subarray(0, 60), "application/gzip", 400],
    "gzip that is none": ["ingest?name=x", good, "application/gzip", 400],
    "zstd that is none": ["ingest?name=x", good, "application/zstd", 400],
    "a dump without a result": ["ingest/dump?name=x", good, undefined, 400],
    "a dump of no kind": ["ingest/dump?name=x.bin&run=2025-11-10&experiment=1", "\u0000\u0001", "application/octet-stream", 400],
    "a dump for nobody's result": ["ingest/dump?name=x.bin&run=latest&experiment=999999", "x", "application/octet-stream", 404],
  };
  for (const [name, [path, body, type, status]] of Object.entries(refused)) {
    test(name, async () => {
      const runs = (await (await fetch(`${server.base}/api/v1/store`)).json()).result_count;
      const answer = await send(path, body, type);
      assert.equal(answer.status, status, JSON.stringify(answer.data));
      assert.ok(!JSON.stringify(answer.data).includes(folder), "nothing of where files are kept");
      assert.equal((await (await fetch(`${server.base}/api/v1/store`)).json()).result_count, runs);
      assert.deepEqual(leftOvers(), []);
    });
  }

  test("whoever holds no token for it", async () => {
    assert.equal((await send("ingest?name=x", good, undefined, {})).status, 401);
    assert.equal((await send("ingest?name=x", good, undefined, { authorization: `Bearer ${makeToken(db, "triage")}` })).status, 403);
    assert.equal((await send("ingest?name=x", good, undefined, { ...server.bearer(), origin: "https://elsewhere.example" })).status, 403);
  });
});

/** What comes back for bytes that are sent in pieces, each after `pause` ms. */
function exchange(pieces, pause = 0) {
  return new Promise((done) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1").on("data", (text) => (answer += text));
    socket.on("error", () => {});
    socket.on("close", () => done(answer));
    (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(typeof piece === "function" ? piece(answer) : piece);
        await new Promise((next) => setTimeout(next, pause));
      }
    })();
  });
}
const head = (size, more = "") => `POST /api/v1/ingest?name=raw.jsonl HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${server.bearer().authorization}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${size}\r\n${more}\r\n`;

describe("on the wire", () => {
  const body = line({ metrics: times(0.7), timestamp: 1_764_200_000 }) + "\n";

  test("a body in pieces arrives, and the connection ends with it", async () => {
    const answer = await exchange([head(body.length), body.slice(0, 5), body.slice(5, 100), body.slice(100)], 20);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /\r\nConnection: close\r\n/i);
    assert.match(answer, /"accepted":1/);
  });

  test("a body that comes byte by byte is known for gzip as well", async () => {
    const packed = gzipSync(body);
    const bytes = [...packed.subarray(0, 4)].map((byte) => Buffer.of(byte));
    assert.match(await exchange([head(packed.length), ...bytes, packed.subarray(4)], 30), /^HTTP\/1\.1 415 /);
    // Twice packed, and in members of a byte each, as a file may be of several.
    const members = Buffer.concat([...packed].map((byte) => gzipSync(Buffer.of(byte))));
    assert.equal((await send("ingest?name=raw.jsonl", members, "application/gzip")).status, 415);
  });

  test("who asks first is told to go on, and not where they may not", async () => {
    const expecting = "Expect: 100-continue\r\n";
    const answer = await exchange([head(body.length, expecting), (so) => (assert.match(so, /^HTTP\/1\.1 100 Continue\r\n\r\n$/), body)], 200);
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    const refusedHead = head(body.length, expecting).replace(/Bearer \S+/, "Bearer bhud_1_x");
    assert.match(await exchange([refusedHead]), /^HTTP\/1\.1 401 /);
  });

  test("what else could be meant is refused before it is read", async () => {
    for (const [bytes, status] of [
      [head(2 ** 31), 413],
      [head(body.length, "Transfer-Encoding: chunked\r\n"), 400],
      [head(body.length, "Content-Encoding: gzip\r\n"), 400],
      [head(body.length, "Content-Length: 1\r\n"), 400],
      [head(body.length, "Expect: 200-ok\r\n"), 400],
      [head("x"), 400],
    ]) {
      assert.match(await exchange([bytes]), new RegExp(`^HTTP/1\\.1 ${status} `), bytes);
    }
  });

  test("a body that breaks off leaves nothing behind", async () => {
    const before = (await (await fetch(`${server.base}/api/v1/store`)).json()).result_count;
    await new Promise((done) => {
      const socket = net.connect(server.port, "127.0.0.1", () => {
        socket.write(head(1 << 20) + body);
        setTimeout(() => socket.destroy(), 100);
      });
      socket.on("close", done);
    });
    for (let i = 0; i < 50 && leftOvers().length; ++i) await new Promise((next) => setTimeout(next, 20));
    assert.deepEqual(leftOvers(), []);
    assert.equal((await (await fetch(`${server.base}/api/v1/store`)).json()).result_count, before);
  });

  test("what follows a file is no request", async () => {
    const answer = await exchange([head(body.length) + body + "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"]);
    assert.equal([...answer.matchAll(/HTTP\/1\.1 /g)].length, 1, answer);
  });
});

test("a few that send slowly keep others from sending, and nobody from reading", async () => {
  const slow = Array.from({ length: 4 }, () => {
    const socket = net.connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head(1000) + "{");
    return socket;
  });
  try {
    await new Promise((next) => setTimeout(next, 300));
    const { status, data } = await send("ingest?name=x.jsonl", "{}\n");
    assert.equal(status, 503, JSON.stringify(data));
    assert.equal((await fetch(`${server.base}/api/v1/runs`)).status, 200);
  } finally {
    for (const socket of slow) socket.destroy();
  }
});

test("hundreds of megabytes pass through a bounded memory", { skip: !existsSync("/proc/self/status") && "no /proc" }, async () => {
  // Spaces in one line: longer than any that is read, but all of it is passed over.
  const huge = gzipSync(Buffer.alloc(300 << 20, " "));
  writeFileSync(join(folder, "huge.gz"), huge);
  const { status, data } = await send("ingest?name=huge.jsonl", huge, "application/gzip");
  assert.equal(status, 413, JSON.stringify(data).slice(0, 300));
  assert.match(data.detail, /line 1: the line has 314572800 bytes; the longest that is read has/);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
  assert.ok(peak < 700, `${peak} MB`);
});
