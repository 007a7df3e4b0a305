// Traces that are kept in a bucket: moved there and back, read through the server, looked after; a bucket that is damaged, gone, forbidden or
// fails for the moment. The real program against s3rver, and against a small store that fails as it is asked to.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildShim, harm } from "../faults/support/store.mjs";
import { KEYS, refuse, startS3rver, startSmallStore } from "./support/s3.mjs";
import { benchhudAsync, removeFolder, root, serveWith, temporaryFolder } from "./support/server.mjs";
import { assertSameAnswers, bytesOf, jsonOf, madeUpTrace, requestsOf } from "./support/traces.mjs";

const night = join(root, "samples/cpu_nightlies/2025-11-10");
let folder, original, s3rver;

// What is run here asks servers of this process, so nothing of it waits for its end without letting them answer.
for (const name of Object.keys(process.env)) if (/^AWS_|_proxy$/i.test(name)) delete process.env[name];
Object.assign(process.env, KEYS, { AWS_EC2_METADATA_DISABLED: "true" });

before(async () => {
  folder = temporaryFolder("moved-s3");
  original = join(folder, "original.db");
  await ok("ingest", "--quiet", night, "--db", original);
  const made = join(folder, "made.json");
  writeFileSync(made, JSON.stringify(madeUpTrace()));
  await ok("ingest", made, "--for", "latest/resnet_mini/eval/inductor", "--db", original);
  mkdirSync(join(folder, "s3rver"));
  s3rver = await startS3rver(join(folder, "s3rver"), "nightly");
});
after(async () => {
  await s3rver?.stop();
  if (folder) removeFolder(folder);
});

async function ok(...args) {
  const done = await benchhudAsync(...args);
  assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}
const json = async (...args) => JSON.parse(await ok(...args, "--format", "json"));

/** What a command says that fails with this status. */
async function fails(status, ...args) {
  const done = await benchhudAsync(...args);
  assert.equal(done.status, status, `${args.join(" ")}: ${done.stdout}${done.stderr}`);
  assert.ok(!(done.stdout + done.stderr).includes(KEYS.AWS_SECRET_ACCESS_KEY), "a message holds the secret");
  return done.stdout + done.stderr;
}

/** A copy of the store whose place is to be at `address`. */
async function copy(name, address) {
  const db = join(folder, `${name}.db`);
  // Of the same traces the packs are the same, wherever they are.
  process.env.BENCHHUD_CACHE = join(folder, `${name}-cache`);
  await ok("backup", db, "--db", original);
  const listed = () => json("traces", "--db", db);
  const move = (to = address) => json("traces", "move", "--to", to, "--db", db);
  const packsCheck = async (...options) => {
    const done = await benchhudAsync("doctor", "--max-age", "1000000", "--format", "json", "--db", db, ...options);
    return { status: done.status, ...JSON.parse(done.stdout).checks.find(({ check }) => check === "packs") };
  };
  let caches = 0;
  // A cache that nobody has used, unless one is given.
  const serve = (cache = join(folder, `${name}-cache${++caches}`)) => serveWith({ BENCHHUD_CACHE: cache }, db);
  return { db, address, listed, move, packsCheck, serve };
}

/** A trace of one slice that is not in the store. */
function small(name) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name, cat: "cpu_op", ts: 1, dur: 5 }] }));
  return file;
}
const takeIn = (file, db) => ["ingest", file, "--for", "latest/resnet_mini/eval/inductor", "--db", db];

const idsOf = async (server) => [...new Set((await jsonOf(server, "/artifacts?limit=1000")).items.map(({ trace_id: id }) => id).filter((id) => id !== null))];
/** The answers of all traces that are not 200. */
async function failing(server) {
  const answers = [];
  for (const id of await idsOf(server)) answers.push(await bytesOf(server, `/traces/${id}`));
  return answers.filter(({ status }) => status !== 200).map(({ status, body }) => ({ status, ...JSON.parse(body.toString()) }));
}

/** Where s3rver keeps the bytes of a bucket's objects. */
const objectFiles = (below) => readdirSync(join(folder, "s3rver/nightly", below), { recursive: true }).filter((name) => name.endsWith("._S3rver_object")).map((name) => join(folder, "s3rver/nightly", below, name));

test("every address of a trace answers the same bytes from the store and from a bucket, and from the store again", { timeout: 600_000 }, async (context) => {
  const { db, move, listed, packsCheck, serve } = await copy("answers", `s3://nightly/team/a?endpoint=${s3rver.endpoint}`);
  let server = await serve();
  const ids = await idsOf(server), wanted = new Map();
  for (const id of ids) {
    for (const path of Object.values(await requestsOf(server, id)).flat()) wanted.set(path, await bytesOf(server, path));
  }
  assert.ok([...wanted.values()].filter(({ status }) => status === 200).length > wanted.size * 0.8);
  const compare = (where) => assertSameAnswers(server, wanted, where);
  const moved = await move();
  assert.deepEqual([moved.moved, moved.failed], [ids.length, 0]);
  await compare("moved, the same server");
  await server.stop();
  server = await serve();
  await compare("moved, a new server with an empty cache");
  assert.deepEqual([(await listed()).moved.traces, (await listed()).store.traces], [ids.length, 0]);
  assert.equal((await packsCheck("--full")).level, "good");
  // New ones go there, and the command line reads them.
  await ok(...takeIn(small("alone"), db));
  assert.deepEqual([(await listed()).moved.traces, (await listed()).store.traces], [ids.length + 1, 0]);
  const newest = Math.max(...(await idsOf(server)));
  assert.match(await ok("trace", "export", String(newest), "--db", db), /"alone"/);
  assert.match(await ok("rebuild", "--db", db), /rebuilt/);
  assert.deepEqual([(await listed()).moved.traces, (await listed()).store.traces], [ids.length + 1, 0]);
  const back = await move("store");
  assert.deepEqual([back.moved, back.failed], [ids.length + 1, 0]);
  await server.stop();
  server = await serve();
  await compare("back in the store");
  assert.deepEqual([(await listed()).moved.traces, (await listed()).place], [0, null]);
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.printed);
  context.diagnostic(`figures: traces in a bucket: traces=${ids.length} requests=${wanted.size}`);
});

test("what is pruned stays for its day, what the store knows nothing of for a month, then it goes", async () => {
  const store = await startSmallStore();
  try {
    const { db, move, listed } = await copy("pruned", `s3://bucket?endpoint=${store.endpoint}`);
    const { moved } = await move();
    const packs = () => [...store.objects.keys()].filter((key) => key.startsWith("traces/"));
    const stranger = `traces/00/${"0".repeat(32)}.v35`;
    store.objects.set(stranger, store.objects.get(packs()[0]));
    assert.deepEqual((await json("prune", "--orphans", "--db", db)).removed, 0);
    writeFileSync(join(folder, "clock"), String(31 * 24 * 3600));
    const later = harm(buildShim(folder), { path: "no such path", clock: join(folder, "clock") });
    const inAMonth = async (...options) => {
      Object.assign(process.env, later);
      try {
        return (await json("prune", "--orphans", "--db", db, ...options)).removed;
      } finally {
        for (const name of Object.keys(later)) delete process.env[name];
      }
    };
    assert.equal(await inAMonth("--dry-run"), 1);
    assert.ok(packs().includes(stranger));
    assert.equal(await inAMonth(), 1);
    assert.ok(!packs().includes(stranger));
    assert.equal(packs().length, moved);
    const pruned = await json("prune", "trace", "--before", "2100-01-01", "--with-referred", "--db", db);
    assert.deepEqual([pruned.packs_of_no_trace.removed, pruned.packs_of_no_trace.young], [0, moved]);
    assert.deepEqual([(await listed()).moved.traces, packs().length], [0, moved]);
    assert.equal(await inAMonth(), moved);
    assert.deepEqual(packs(), []);
  } finally {
    await store.stop();
  }
});

test("a bucket's prefix is one store's, also of two that take it at the same time", async () => {
  const bucket = (prefix) => `s3://nightly/${prefix}?endpoint=${s3rver.endpoint}`;
  const one = await copy("one", bucket("shared")), another = await copy("another", bucket("shared"));
  await one.move();
  assert.match(await fails(1, "traces", "move", "--to", one.address, "--db", another.db), /objects of another store.*\.benchhud-place\/[0-9a-f]{32} there first/);
  assert.equal((await another.listed()).moved.traces, 0);
  for (let round = 0; round < 5; ++round) {
    const stores = [await copy(`left${round}`), await copy(`right${round}`)], to = bucket(`contested${round}`);
    const done = await Promise.all(stores.map(({ db }) => benchhudAsync("traces", "move", "--to", to, "--db", db)));
    const won = done.filter(({ status }) => status === 0).length;
    assert.ok(won <= 1, "both have it");
    for (const { status, stderr } of done) if (status !== 0) assert.match(stderr, /objects of another store/);
    const left = join(folder, `s3rver/nightly/contested${round}`);
    const marks = existsSync(left) ? readdirSync(left, { recursive: true }).filter((name) => /\.benchhud-place\/[0-9a-f]{32}\._S3rver_object$/.test(name)) : [];
    assert.equal(marks.length, won, "who does not have it leaves no mark");
  }
  // Given another prefix, the packs are copied.
  await one.move(bucket("elsewhere"));
  assert.equal((await one.packsCheck("--full")).level, "good");
  // Where the mark is gone, nothing is put or removed.
  rmSync(join(folder, "s3rver/nightly/elsewhere/.benchhud-place"), { recursive: true });
  const isNot = /is not the place that was set: the object \.benchhud-place\/[0-9a-f]{32} is missing/;
  assert.match(await fails(1, ...takeIn(small("unmarked"), one.db)), isNot);
  assert.match(await fails(1, "prune", "--orphans", "--db", one.db), isNot);
  assert.match((await one.packsCheck()).words, isNot);
});

test("wrong bytes are found, 100 of 100 times, and never read; a damaged copy in the cache is fetched again", { timeout: 300_000 }, async () => {
  const store = await startSmallStore();
  try {
    const { db, move, packsCheck, serve } = await copy("wrong", `s3://bucket?endpoint=${store.endpoint}`);
    await move();
    const packs = [...store.objects.keys()].filter((key) => key.startsWith("traces/"));
    const cache = join(folder, "wrong-kept");
    const server = await serve(cache);
    assert.deepEqual(await failing(server), []);
    // Those of the cache: other bytes of the same size, and as old as before.
    const cached = readdirSync(cache).filter((name) => name.endsWith(".object"));
    for (const [i, name] of cached.entries()) {
      const file = join(cache, name), bytes = readFileSync(file), asOld = join(folder, "as-old");
      execFileSync("touch", ["-r", file, asOld]);
      // Here what is read to open it, there blocks of events, or what only one of its readers reads.
      const at = Math.floor((bytes.length * (i + 1)) / (cached.length + 2));
      writeFileSync(file, bytes.fill(0x5a, at, at + 4096));
      execFileSync("touch", ["-r", asOld, file]);
    }
    const query = `/query?sql=${encodeURIComponent("SELECT name, count(*), sum(duration) FROM slices GROUP BY name")}`;
    const ids = await idsOf(server);
    const failed = new Set();
    for (const [i, id] of ids.entries()) {
      // Whoever comes upon them may fail once, also after it has begun to answer: the server itself, or the process of a query.
      for (const path of i % 2 ? ["/export", query] : [query, "/export"]) {
        const first = await bytesOf(server, `/traces/${id}${path}`).catch(() => ({ status: 500 }));
        if (first.status !== 200 || (path === query && JSON.parse(first.body.toString()).error !== null)) failed.add(path);
        const { status, body } = await bytesOf(server, `/traces/${id}${path}`);
        assert.equal(status, 200, `trace ${id}${path}: ${body}`);
        if (path === query) assert.equal(JSON.parse(body.toString()).error, null, `trace ${id}`);
      }
    }
    assert.deepEqual([...failed].sort(), ["/export", query]);
    await server.stop();
    let found = 0;
    for (let round = 0; found < 100; ++round) {
      const harmed = packs.slice(0, Math.min(packs.length, 20)), before = new Map(store.objects);
      for (const [i, key] of harmed.entries()) {
        const bytes = Buffer.from(store.objects.get(key));
        bytes[(i * 7919 + round * 104729) % bytes.length] ^= 1 << (round % 8);
        store.objects.set(key, bytes);
      }
      const check = await packsCheck("--full");
      assert.deepEqual([check.level, check.status], ["bad", 1]);
      for (const key of harmed) assert.ok(check.words.includes(key), `${key} is not named`);
      if (round === 0) {
        const fresh = await serve();
        const problems = await failing(fresh);
        await fresh.stop();
        assert.equal(problems.length, harmed.length);
        for (const { status, type, detail } of problems) {
          assert.deepEqual([status, type.split(":").at(-1)], [500, "corrupt"]);
          assert.match(detail, /pack traces\/.*benchhud doctor/);
        }
      }
      found += harmed.length;
      store.objects = before;
    }
    assert.equal((await packsCheck("--full")).level, "good");
    // One that is missing is named as well; its dump makes the same one again, also where a copy is in the cache.
    for (const isCached of [false, true]) {
      if (isCached) {
        const reader = await serve(process.env.BENCHHUD_CACHE);
        assert.deepEqual(await failing(reader), []);
        await reader.stop();
      }
      const kept = store.objects.get(packs[0]);
      store.objects.delete(packs[0]);
      assert.match((await packsCheck()).words, /1 missing or damaged/);
      await ok("ingest", "--quiet", night, "--db", db);
      await ok(...takeIn(join(folder, "made.json"), db));
      assert.ok(store.objects.get(packs[0]).equals(kept));
    }
    // What its lists do not have yet is not missing.
    store.faults = [(request, response, answer) => {
      if (request.method !== "GET" || !request.url.includes("prefix=traces")) return answer();
      const objects = store.objects;
      store.objects = new Map();
      answer();
      store.objects = objects;
    }];
    const lagging = await packsCheck();
    assert.deepEqual([lagging.level, lagging.status], ["good", 0], lagging.words);
  } finally {
    await store.stop();
  }
});

test("a bucket that is gone, forbidden or fails for the moment: it is said, nothing is lost, and the same command goes on", { timeout: 300_000 }, async () => {
  const store = await startSmallStore();
  try {
    const { db, move, listed, packsCheck, serve } = await copy("failing", `s3://bucket?endpoint=${store.endpoint}`);
    const always = (status, code) => (store.faults = [(request, response) => refuse(response, status, code)]);
    const all = (await listed()).store.traces;
    // While traces are moved: what was moved before stays moved, and the rest stays in the store.
    const puts = () => store.requests.filter(({ method, path }) => method === "PUT" && path.includes("/traces/")).length;
    store.faults = [(request, response, answer) => (puts() > 3 ? refuse(response, 403, "AccessDenied") : answer())];
    assert.match(await fails(1, "traces", "move", "--to", `s3://bucket?endpoint=${store.endpoint}`, "--db", db), /lacks permission: it needs s3:PutObject/);
    assert.deepEqual([(await listed()).moved.traces, (await listed()).store.traces], [3, all - 3]);
    store.faults = [];
    assert.equal((await move()).moved, all - 3);
    const warm = join(folder, "failing-warm");
    let server;
    const expected = {
      gone: [404, "NoSuchBucket", /there is no such bucket/, 502, 1],
      forbidden: [403, "AccessDenied", /lacks permission/, 502, 1],
      unavailable: [503, "SlowDown", /the place fails for the moment.*tried 5 times/, 503, 5],
    };
    for (const [name, [status, code, words, http, exit]] of Object.entries(expected)) {
      server = await serve(warm);
      assert.deepEqual(await failing(server), []);
      await server.stop();
      always(status, code);
      const file = small(name);
      const before = await listed();
      assert.match(await fails(exit, ...takeIn(file, db)), words, name);
      assert.deepEqual(await listed(), { ...before, store: { ...before.store, file_bytes: (await listed()).store.file_bytes } }, name);
      const check = await packsCheck();
      assert.deepEqual([check.level, check.status], ["bad", 1], name);
      assert.match(check.words, words, name);
      assert.match(await fails(exit, "prune", "--orphans", "--db", db), words, name);
      assert.match(await fails(exit, "traces", "move", "--to", "store", "--db", db), words, name);
      // What is in the cache is read all the same; what is not is said to be out of reach, and not to be damaged.
      server = await serve(warm);
      assert.deepEqual(await failing(server), [], name);
      await server.stop();
      server = await serve();
      const [id] = await idsOf(server);
      for (const [headers, why] of [[server.bearer(), words], [{}, /cannot be used now/]]) {
        const answer = await bytesOf(server, `/traces/${id}`, headers);
        assert.equal(answer.status, http, `${name}: ${answer.body}`);
        assert.match(answer.body.toString(), why, name);
        // Where the place is, and with which keys it is asked, is for who is signed in.
        assert.equal(answer.body.includes(store.endpoint), why === words, name);
      }
      store.faults = [];
      assert.equal((await bytesOf(server, `/traces/${id}`)).status, 200, name);
      await server.stop();
      await move();
      await ok(...takeIn(file, db));
      assert.deepEqual([(await listed()).moved.traces, (await listed()).store.traces], [before.moved.traces + 1, 0], name);
    }
    // What waits for the place keeps no other output directory from being watched.
    const watched = join(folder, "watched");
    for (const [name, shown] of [["a", "2025-11-14"], ["b", "2025-11-15"]]) cpSync(join(root, "samples/cpu_nightlies", shown, name === "a" ? "" : "results.jsonl"), join(watched, name, name === "a" ? "" : "results.jsonl"), { recursive: true });
    const runs = async () => (await json("runs", "list", "--db", db)).length;
    const known = await runs();
    always(503, "SlowDown");
    assert.match(await fails(5, "watch", watched, "--once", "--settle", "0", "--db", db), /the place fails for the moment/);
    assert.equal(await runs(), known + 2);
    store.faults = [];
    await ok("watch", watched, "--once", "--settle", "0", "--db", db);
    assert.equal((await listed()).store.traces, 0);
    // 503 while an ingest puts, and then no more.
    let refused = 0;
    store.faults = [(request, response, answer) => (request.method === "PUT" && ++refused <= 2 ? refuse(response, 503, "SlowDown") : answer())];
    await ok(...takeIn(small("patient"), db));
    assert.equal(refused, 3);
    assert.equal((await listed()).store.traces, 0);
    assert.equal((await packsCheck("--full")).level, "good");
    store.faults = [];
    const { moved } = await listed();
    const back = await move("store");
    assert.deepEqual([back.moved, (await listed()).moved.traces, (await listed()).place], [moved.traces, 0, null]);
  } finally {
    await store.stop();
  }
});

test("a bucket that answers nobody keeps no page, no change and no stop waiting; what was asked for comes once it answers", { timeout: 300_000 }, async () => {
  const store = await startSmallStore();
  try {
    const { db, move, serve } = await copy("silent", `s3://bucket?endpoint=${store.endpoint}`);
    await move();
    const server = await serve();
    const [one, another] = await idsOf(server);
    let held = [];
    store.faults = [(request, response) => held.push(response)];
    let waiting = 40;
    const asked = Array.from({ length: waiting }, () => bytesOf(server, `/traces/${one}`).finally(() => --waiting));
    // Nobody who wants something else notices.
    assert.equal((await bytesOf(server, "/overview")).status, 200);
    assert.deepEqual((await jsonOf(server, `/traces/${another}/notes`)).items, []);
    assert.ok(waiting > 0, "somebody waits yet");
    await new Promise((done) => setTimeout(done, 2000));
    assert.ok(waiting > 0 && waiting <= 2, `all but two are told at once; ${waiting} wait`);
    const answers = await Promise.all(asked);
    for (const { status, body } of answers) {
      assert.equal(status, 503);
      assert.match(JSON.parse(body.toString()).detail, /^traces\/\S+ is being fetched: \d+ bytes, begun \d+ s ago/);
    }
    assert.equal(held.length, 1, "it is fetched once");
    // A note of a trace outside is a matter of the store, and the place is not asked.
    const note = { begin: "0", end: "10", words: "seen while the bucket was away", who: "", thread: "" };
    const noted = await fetch(`${server.base}/api/v1/traces/${another}/notes`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify(note) });
    assert.equal(noted.status, 201, await noted.text());
    assert.equal(held.length, 1, "for the note nothing was asked");
    assert.equal((await bytesOf(server, "/overview")).status, 200);
    store.faults = [];
    held.forEach((response) => response.destroy());
    for (let i = 0; (await bytesOf(server, `/traces/${one}`)).status !== 200; ++i) {
      assert.ok(i < 100);
      await new Promise((done) => setTimeout(done, 100));
    }
    const notes = await jsonOf(server, `/traces/${another}/notes`);
    assert.deepEqual(notes.items.map(({ words, begin, end }) => [words, begin, end]), [[note.words, 0, 10]]);
    // It stops while another one is being fetched.
    held = [];
    const third = (await idsOf(server))[2];
    store.faults = [(request, response) => held.push(response)];
    assert.equal((await bytesOf(server, `/traces/${third}`)).status, 503);
    const ended = await server.stop();
    assert.equal(ended.code, 0, ended.printed);
    assert.match(ended.printed, /stopped after/, "after 8.5 s the program is ended, whatever it does, and says nothing");
    held.forEach((response) => response.destroy());
  } finally {
    await store.stop();
  }
});

test("a query over a trace whose copy has gone from the cache while it was open is answered, however large that is", { timeout: 300_000 }, async () => {
  const { db, move, serve } = await copy("query", `s3://nightly/query?endpoint=${s3rver.endpoint}`);
  // More than the file that the query's process may write: random letters, which compress to three quarters.
  const args = () => ({ text: randomBytes(45_000).toString("base64") });
  const traceEvents = Array.from({ length: 2000 }, (_, i) => ({ ph: "X", pid: 1, tid: 1, name: "aten::mm", cat: "cpu_op", ts: 10 * i, dur: 8, args: args() }));
  const file = join(folder, "large.json");
  writeFileSync(file, JSON.stringify({ traceEvents }));
  await ok(...takeIn(file, db));
  await move();
  const cache = join(folder, "query-served");
  const server = await serve(cache);
  const id = Math.max(...(await idsOf(server)));
  const counted = `/traces/${id}/query?sql=${encodeURIComponent("SELECT count(*) FROM slices")}`;
  const first = await jsonOf(server, counted);
  assert.deepEqual(first.rows, [[2000]]);
  const objects = () => readdirSync(cache).filter((name) => name.endsWith(".object"));
  const large = objects().map((name) => join(cache, name)).filter((path) => statSync(path).size > 64 << 20);
  assert.equal(large.length, 1);
  rmSync(large[0]);
  assert.deepEqual((await jsonOf(server, counted)).rows, [[2000]]);
  assert.ok(existsSync(large[0]), "it was fetched again, by the server");
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.printed);
});
