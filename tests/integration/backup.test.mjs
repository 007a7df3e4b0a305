// Copies of a store that is in use, the way back, and what is said of a store that is not in order. The real program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, benchhudAsync, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const DAY = 86_400;
const nights = readdirSync(join(root, "samples/cpu_nightlies"))
  .filter((name) => /^2025-\d\d-\d\d$/.test(name))
  .sort()
  .map((name) => join(root, "samples/cpu_nightlies", name));

let folder, db;

before(() => {
  folder = temporaryFolder("backup");
  db = join(folder, "store.db");
  const taken = benchhud("ingest", "--db", db, ...nights.slice(8, 11));
  assert.equal(taken.status, 0, taken.stderr);
});

after(() => folder && removeFolder(folder));

const path = (name) => join(folder, name);
/** Without what belongs to a store that was read: a reader may leave its log where it is. */
const files = () => readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name)).sort();

/** A store of made-up runs, the newest at `newest`. */
function made(name, newest, count = 3) {
  const file = path(`${name}.jsonl`);
  writeFileSync(file, Array.from({ length: count }, (_, night) => line({ metrics: times(0.5), timestamp: newest - DAY * (count - 1 - night) }) + "\n").join(""));
  const store = path(`${name}.db`);
  const taken = benchhud("ingest", "--db", store, file);
  assert.equal(taken.status, 0, taken.stderr);
  return store;
}

/** Overwrites what lies behind that part of a file. */
function damage(store, from) {
  const { size } = statSync(store);
  const file = openSync(store, "r+");
  for (let page = 1 + Math.floor((from * size) / 4096); page * 4096 < size; page += 7) writeSync(file, Buffer.alloc(1024, 0xa5), 0, 1024, page * 4096);
  closeSync(file);
}

/** What the server says of a store: everything that a restored one must say as well. */
async function saidOf(store) {
  const server = await serve(store);
  const said = {};
  const get = async (address) => {
    const answer = await fetch(`${server.base}/api/v1${address}`);
    said[address] = `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString("base64")}`;
    return said[address];
  };
  try {
    for (const address of ["/overview", "/runs", "/models", "/alerts?state=all", "/verification", "/ingests", "/artifacts?limit=1000", "/results?run=latest", "/links"]) assert.match(await get(address), /^200 /, address);
    const { items } = await (await fetch(`${server.base}/api/v1/artifacts?limit=20`)).json();
    assert.ok(items.length > 0);
    for (const { id } of items) await get(`/artifacts/${id}/content`);
  } finally {
    await server.stop();
  }
  return said;
}

test("a copy made while the store is served and written to is a store of one moment", async (t) => {
  const server = await serve(db);
  t.after(() => server.stop());
  const runs = async () => (await (await fetch(`${server.base}/api/v1/store`)).json()).run_count;
  const first = await runs();
  const taking = benchhudAsync("ingest", "--db", db, ...nights.slice(11, 15));
  const copies = [];
  for (let turn = 0; turn < 4; ++turn) {
    const copied = await benchhudAsync("backup", path(`during-${turn}.db`), "--db", db);
    assert.equal(copied.status, 0, copied.stderr);
    copies.push(Number(/(\d+) runs? up to 2025-\S+, undamaged$/m.exec(copied.stdout)[1]));
  }
  assert.equal((await taking).status, 0);
  const last = await runs();
  assert.ok(last > first, `${first} ${last}`);
  assert.ok(copies.every((count, at) => count >= (copies[at - 1] ?? first) && count <= last), String(copies));
  for (let turn = 0; turn < 4; ++turn) {
    const looked = benchhud("doctor", "--db", path(`during-${turn}.db`), "--max-age", "1000000");
    assert.equal(looked.status, 0, looked.stdout);
  }
  assert.deepEqual(files().filter((name) => name.startsWith("during")), [0, 1, 2, 3].map((turn) => `during-${turn}.db`), "one file each");
});

test("a restored store is the store: every line, what people said, every dump", async () => {
  const [alert] = JSON.parse(benchhud("regressions", "--format", "json", "--db", db, "--state", "all").stdout || "{}").alerts ?? [];
  if (alert) benchhud("alerts", "note", String(alert.id), "seen", "--db", db);
  assert.equal(benchhud("links", "set", "pytorch", "--one", "https://example.org/{value}", "--db", db).status, 0);
  const copy = path("whole.db");
  assert.equal(benchhud("backup", copy, "--db", db).status, 0);
  const again = path("folder/that/is/new/again.db");
  const restored = benchhud("restore", copy, "--db", again);
  assert.equal(restored.status, 0, restored.stderr);
  const lines = (store) => benchhud("export", "--format", "jsonl", "--db", store).stdout;
  assert.ok(lines(db).length > 10_000);
  assert.equal(lines(again), lines(db));
  assert.deepEqual(await saidOf(again), await saidOf(db));
  assert.match(benchhud("ingest", "--db", again, nights[8]).stdout, /: 0 new/, "nothing of it is new to it");
});

test("what is there is not written over", async (t) => {
  const copy = path("kept.db");
  assert.equal(benchhud("backup", copy, "--db", db).status, 0);
  const bytes = readFileSync(copy);
  const refused = benchhud("backup", copy, "--db", db);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /kept\.db is there already/);
  assert.deepEqual(readFileSync(copy), bytes);

  const other = made("other", 1_762_300_800);
  const before = files();
  assert.match(benchhud("restore", copy, "--db", other).stderr, /other\.db is there already; --replace/);
  const server = await serve(other);
  t.after(() => server.stop());
  const used = benchhud("restore", copy, "--replace", "--db", other);
  assert.equal(used.status, 5);
  assert.match(used.stderr, /other\.db is in use/);
  assert.equal((await (await fetch(`${server.base}/api/v1/store`)).json()).run_count, 3, "it goes on being served");
  await server.stop();
  assert.deepEqual(files(), before, "nothing is left of what was refused");

  const replaced = benchhud("restore", copy, "--replace", "--db", other);
  assert.equal(replaced.status, 0, replaced.stderr);
  const [, aside] = /^what was there is now (\S+)$/m.exec(replaced.stdout);
  assert.match(benchhud("runs", "list", "--db", other).stdout, /2025-11-10/);
  assert.equal(benchhud("export", "--format", "jsonl", "--db", aside).stdout.trim().split("\n").length, 3, "all of the other one");
});

test("a damaged store is said, neither copied nor restored, and can be replaced", () => {
  const good = path("good.db");
  assert.equal(benchhud("backup", good, "--db", db).status, 0);
  const bad = path("bad.db");
  for (const part of [0, 0.6]) {
    copyFileSync(good, bad);
    damage(bad, part);
    const looked = benchhud("doctor", "--db", bad, "--max-age", "1000000");
    assert.equal(looked.status, 1);
    assert.match(looked.stdout, /^bad +(opens|integrity) +[^*\\]*; restore a backup$/m, "one thing, on one line");
  }
  const before = files();
  const copied = benchhud("backup", path("of-bad.db"), "--db", bad);
  assert.equal(copied.status, 1);
  assert.match(copied.stderr, /bad\.db is damaged|malformed/);
  const restored = benchhud("restore", bad, "--db", path("from-bad.db"));
  assert.equal(restored.status, 1);
  assert.match(restored.stderr, /damaged|malformed/);
  assert.deepEqual(files(), before);
  const replaced = benchhud("restore", good, "--replace", "--db", bad);
  assert.equal(replaced.status, 0, replaced.stderr);
  assert.equal(benchhud("doctor", "--quick", "--db", bad, "--max-age", "1000000").status, 0);
});

test("a folder of copies keeps the newest, and what is not a copy of this store", () => {
  const copies = path("copies");
  mkdirSync(copies);
  const others = ["store-20200101T000000Z.db.txt", "store-2020.db", "other-20200101T000000Z.db", "store-20200101T00000xZ.db"];
  for (const name of [...others, "store-20200101T000000Z.db", "store-20210101T000000Z.db"]) writeFileSync(join(copies, name), "");
  const done = benchhud("backup", copies, "--keep", "2", "--db", db);
  assert.equal(done.status, 0, done.stderr);
  const left = readdirSync(copies).sort();
  const own = left.filter((name) => !others.includes(name));
  assert.deepEqual(left.length - own.length, others.length);
  assert.equal(own.length, 2);
  assert.equal(own[0], "store-20210101T000000Z.db");
  assert.match(own[1], /^store-20\d{6}T\d{6}Z\.db$/);
  assert.match(done.stdout, /store-20200101T000000Z\.db: deleted/);
  for (const args of [["--keep", "0"], ["--keep", "x"], []]) assert.equal(benchhud("backup", ...(args.length ? [copies] : []), ...args, "--db", db).status, 2);
  assert.equal(benchhud("backup", path("one.db"), "--keep", "1", "--db", db).status, 2, "a file is no folder");
});

test("backups of one second have names of their own, and age by their order", async () => {
  const copies = path("same-second");
  mkdirSync(copies);
  // Taken by this second's first copies, whichever second it is.
  const done = await Promise.all(Array.from({ length: 4 }, () => benchhudAsync("backup", copies, "--db", db)));
  for (const one of done) assert.equal(one.status, 0, one.stderr);
  const made = readdirSync(copies);
  assert.equal(made.length, 4, String(made));
  assert.deepEqual(done.map(({ stdout }) => stdout.split(": ")[0]).sort(), made.map((name) => join(copies, name)).sort());
  for (const name of made) assert.match(name, /^store-20\d{6}T\d{6}Z(-\d)?\.db$/);
  for (const name of made) rmSync(join(copies, name));
  const old = ["store-20200101T000000Z.db", "store-20200101T000000Z-2.db", "store-20200101T000000Z-10.db"];
  for (const name of [...old, "store-20200101T000000Z-x.db"]) writeFileSync(join(copies, name), "");
  assert.equal(benchhud("backup", copies, "--keep", "2", "--db", db).status, 0);
  const left = readdirSync(copies).sort();
  assert.deepEqual(left.slice(0, 2), [old[2], "store-20200101T000000Z-x.db"]);
  assert.equal(left.length, 3);
});

test("doctor: results that are too old, an unknown version, rejected lines", () => {
  const now = Date.now() / 1000;
  const fresh = made("fresh", Math.round(now - 3600));
  const good = benchhud("doctor", "--db", fresh);
  assert.equal(good.status, 0, good.stdout);
  assert.deepEqual(good.stdout.trim().split("\n").map((one) => one.split(/ +/).slice(0, 2)), ["opens", "version", "integrity", "checksums", "disk", "log", "freshness", "ingest"].map((name) => ["good", name]));
  assert.equal(benchhud("doctor", "--quiet", "--db", fresh).stdout, "", "nothing to mail");

  const old = made("old", Math.round(now - 31.5 * 3600));
  const late = benchhud("doctor", "--quiet", "--db", old);
  assert.equal(late.status, 1);
  assert.match(late.stdout, /^bad +freshness +the newest run began 31 hours ago, .*; no results since 30 hours$/m);
  assert.equal(benchhud("doctor", "--max-age", "32", "--db", old).status, 0);
  const { checks } = JSON.parse(benchhud("doctor", "--format", "json", "--db", old).stdout);
  assert.equal(checks.find(({ check }) => check === "freshness").level, "bad");

  const broken = path("broken.jsonl");
  writeFileSync(broken, "{broken\n");
  assert.equal(benchhud("ingest", "--db", fresh, broken).status, 3);
  const warned = benchhud("doctor", "--quiet", "--db", fresh);
  assert.equal(warned.status, 0, "a warning is no alarm");
  assert.match(warned.stdout, /^warning +ingest +.*broken\.jsonl, at .*: 1 of 1 lines rejected$/m);

  // The schema's version stands at byte 60 of the file (SQLite's user_version).
  const file = openSync(fresh, "r+");
  writeSync(file, Buffer.from([0, 0, 99, 99]), 0, 4, 60);
  writeSync(file, Buffer.alloc(8), 0, 8, 4096 - 8); // no checksum, as of one who keeps none
  closeSync(file);
  const newer = benchhud("doctor", "--db", fresh);
  assert.equal(newer.status, 1);
  assert.match(newer.stdout, /^bad +version +schema 25443, which this program \(schema \d+\) does not know/m);
  assert.match(benchhud("restore", fresh, "--db", path("of-newer.db")).stderr, /newer benchhud/);
});

test("what is no store is said so", () => {
  const text = path("notes.txt");
  writeFileSync(text, "no database\n".repeat(1000));
  for (const file of [text, path("not-there.db")]) {
    for (const args of [["doctor", "--db", file], ["backup", path("never.db"), "--db", file], ["restore", file, "--db", path("never.db")]]) {
      const done = benchhud(...args);
      assert.equal(done.status, 1, args.join(" "));
      assert.match(done.stdout + done.stderr, /notes\.txt|not-there\.db|not a database/, args.join(" "));
    }
  }
  assert.ok(!files().includes("never.db"));

  const theirs = path("theirs.db"), inFolder = path("a-folder");
  mkdirSync(inFolder);
  for (const args of [["doctor"], ["runs", "list"], ["export"], ["ingest", nights[8]], ["backup", path("never.db")], ["serve", "--port", "0"]]) {
    const done = benchhud(...args, "--db", inFolder);
    assert.notEqual(done.status, 0, args.join(" "));
    assert.match(done.stdout + done.stderr, /a-folder is a folder; the store is a file, such as .*a-folder\/benchhud\.db/, args.join(" "));
  }
  // Other programs number their schemas as well.
  for (const version of [0, 3, 9999]) {
    if (spawnSync("sqlite3", [theirs, `CREATE TABLE IF NOT EXISTS theirs (x); PRAGMA user_version = ${version}`]).error) return;
    const bytes = readFileSync(theirs);
    for (const args of [["doctor"], ["runs", "list"], ["export"], ["ingest", nights[8]], ["serve", "--port", "0"]]) {
      const done = benchhud(...args, "--db", theirs);
      assert.equal(done.status, 1, args.join(" "));
      assert.match(done.stdout + done.stderr, /another program's database/, args.join(" "));
      assert.doesNotMatch(done.stdout + done.stderr, /migrate/, args.join(" "));
    }
    assert.deepEqual(readFileSync(theirs), bytes);
  }
});

test("an empty file is no store that is there: readers say so, and an ingest that it begins a new one", () => {
  const empty = path("empty.db");
  writeFileSync(empty, "");
  assert.match(benchhud("runs", "list", "--db", empty).stderr, /is empty and no store yet/);
  assert.match(benchhud("doctor", "--db", empty).stdout, /is empty and no store/);
  const taken = benchhud("ingest", nights[8], "--db", empty);
  assert.equal(taken.status, 0);
  assert.match(taken.stderr, /empty\.db is an empty file: a new store begins in it/);
});

test("another program that brings the log into the store leaves it whole, and doctor says that pages have no checksums", async (t) => {
  if (spawnSync("sqlite3", ["-version"]).error) return t.skip("sqlite3 is not installed: nothing else writes to the store");
  const store = path("foreign.db");
  assert.equal(benchhud("ingest", "--db", store, nights[8]).status, 0);
  // A server that is killed leaves what it wrote last in the log.
  const server = await serve(store);
  const run = (await (await fetch(`${server.base}/api/v1/runs`)).json()).items[0].id;
  const pinned = await fetch(`${server.base}/api/v1/runs/${run}/marks`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify({ kind: "pinned", who: "a reader" }) });
  assert.ok(pinned.ok, await pinned.text());
  await server.stop("SIGKILL");
  assert.ok(statSync(`${store}-wal`).size > 0);
  const before = benchhud("export", "--format", "jsonl", "--db", store).stdout;
  assert.equal(spawnSync("sqlite3", [store, "SELECT count(*) FROM run"], { encoding: "utf8" }).stdout.trim(), "1");
  assert.ok(!existsSync(`${store}-wal`), "it is in the store");

  const { stdout } = benchhud("doctor", "--max-age", "1000000", "--db", store);
  assert.match(stdout, /^good +integrity/m);
  assert.match(stdout, /^warning +checksums +\d+ of \d+ pages have none: another program wrote them/m);
  assert.equal(benchhud("export", "--format", "jsonl", "--db", store).stdout, before);
  assert.match(benchhud("runs", "marks", "--db", store).stdout, /pinned/);
  // The copy that it makes page by page is read as the store is.
  const theirs = path("foreign-backup.db");
  assert.equal(spawnSync("sqlite3", ["-readonly", store, `.backup ${theirs}`]).status, 0);
  assert.equal(benchhud("export", "--format", "jsonl", "--db", theirs).stdout, before);
  const copy = path("foreign-copy.db");
  assert.equal(benchhud("backup", copy, "--db", store).status, 0);
  assert.match(benchhud("doctor", "--max-age", "1000000", "--db", copy).stdout, /^good +checksums +of all/m);
});
