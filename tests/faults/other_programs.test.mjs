// Other programs that write to a store: most are refused; what others did write is told apart from damage, and accepted when asked to.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, readSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, openToOthers, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { buildShim, harmed, removeStore } from "./support/store.mjs";

const PAGE = 4096;
const night = join(root, "samples/cpu_nightlies/2025-11-10"), nextNight = join(root, "samples/cpu_nightlies/2025-11-11");
const skip = spawnSync("sqlite3", ["-version"]).error ? "sqlite3 is not installed: no other program writes to the store" : false;

const lines = (store) => benchhud("export", "--format", "jsonl", "--db", store).stdout;
const doctor = (store) => benchhud("doctor", "--max-age", "1000000", "--db", store);
const sqlite = (store, sql) => spawnSync("sqlite3", [store, sql], { encoding: "utf8" });

let folder, base, exported, db;
before(() => {
  folder = temporaryFolder("other-programs");
  base = join(folder, "base.db");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", night, "--db", base).status, 0);
  exported = lines(base);
  assert.ok(exported.length > 1000);
});
after(() => removeFolder(folder));

/** The store as it was, for sqlite3 to write to. */
function fresh({ isOpen }) {
  removeStore(db);
  copyFileSync(base, db);
  if (isOpen) openToOthers(db);
}

/** Doctor says that another program did it, other commands that it may have; --accept-pages makes it a store that is in order. */
function isAccepted(check) {
  const said = doctor(db);
  assert.equal(said.status, 1, said.stdout);
  assert.match(said.stdout, /^bad +integrity +\d+ of \d+ pages are not what benchhud wrote, .*another program, such as sqlite3, has probably written .*`benchhud restore --accept-pages`/m);
  const refused = benchhud("export", "--format", "jsonl", "--db", db);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /another program, such as sqlite3, has probably written to the store, or it is damaged; `benchhud doctor` says which/);
  const before = readFileSync(db);
  const restored = benchhud("restore", "--accept-pages", "--db", db);
  assert.equal(restored.status, 0, restored.stderr);
  const [, aside] = /^what was there is now (\S+)$/m.exec(restored.stdout);
  assert.deepEqual(readFileSync(aside).subarray(PAGE), before.subarray(PAGE), "it is kept as it was");
  removeStore(aside);
  assert.equal(doctor(db).status, 0, doctor(db).stdout);
  check(lines(db));
  assert.equal(benchhud("ingest", nextNight, "--db", db).status, 0);
}

test("sqlite3 may read a store and is refused when it writes", { skip }, () => {
  fresh({ isOpen: false });
  assert.equal(sqlite(db, "SELECT count(*) FROM run").stdout, "1\n");
  for (const sql of ["UPDATE run SET name = 'x'", "VACUUM", "DELETE FROM line", "PRAGMA user_version = 1", "CREATE TABLE theirs (x)"]) {
    const done = sqlite(db, sql);
    assert.notEqual(done.status, 0, sql);
    assert.match(done.stderr, /readonly database/, sql);
  }
  assert.equal(doctor(db).status, 0, doctor(db).stdout);
  assert.equal(lines(db), exported);
  // A copy of its own is a file that it may change.
  const theirs = join(folder, "theirs.db");
  assert.equal(sqlite(db, `VACUUM INTO '${theirs}'`).status, 0);
  assert.equal(sqlite(theirs, "UPDATE run SET name = 'x'").status, 0);
});

test("an UPDATE", { skip }, () => {
  fresh({ isOpen: true });
  const done = sqlite(db, "UPDATE line SET repeat = 7 WHERE id = (SELECT min(id) FROM line WHERE repeat = 12)");
  assert.equal(done.status, 0, done.stderr);
  assert.equal(sqlite(db, "SELECT count(*) FROM line WHERE repeat = 7").stdout, "1\n", "it changed something");
  isAccepted((now) => {
    const before = exported.split("\n"), after = now.split("\n"), changed = after.filter((text, i) => text !== before[i]);
    assert.equal(after.length, before.length);
    assert.equal(changed.length, 1);
    assert.match(changed[0], /"repeat": ?7\b/);
  });
});

test("a VACUUM", { skip }, () => {
  fresh({ isOpen: true });
  assert.equal(sqlite(db, "DELETE FROM audit; VACUUM").status, 0);
  const said = doctor(db);
  // A store that sqlite3 has rewritten may have no page with a checksum: then it is read as it is.
  if (said.status === 0) assert.match(said.stdout, /^warning +checksums +\d+ of \d+ pages have none/m);
  else return isAccepted((now) => assert.equal(now, exported));
  assert.equal(lines(db), exported);
  assert.equal(benchhud("restore", "--accept-pages", "--db", db).status, 0);
  assert.match(doctor(db).stdout, /^good +checksums/m);
  assert.equal(lines(db), exported);
});

test("a checkpoint of what a killed ingest left in the log", { skip }, async () => {
  fresh({ isOpen: false });
  const server = await serve(db);
  const token = server.bearer();
  assert.ok(token);
  await server.stop("SIGKILL");
  assert.ok(statSync(`${db}-wal`).size > 0);
  const wanted = lines(db);
  assert.equal(sqlite(db, "PRAGMA wal_checkpoint(TRUNCATE)").status, 0);
  assert.match(doctor(db).stdout, /^good +integrity/m);
  assert.equal(lines(db), wanted);
  assert.equal(benchhud("restore", "--accept-pages", "--db", db).status, 0);
  assert.equal(lines(db), wanted);
});

test("a page that was changed by hand stays damaged", () => {
  const pages = statSync(base).size / PAGE;
  for (const page of [1, Math.floor(pages / 2), pages - 2]) {
    fresh({ isOpen: false });
    const file = openSync(db, "r+"), bytes = Buffer.alloc(1);
    readSync(file, bytes, 0, 1, page * PAGE + 3000);
    writeSync(file, Buffer.from([bytes[0] ^ 1]), 0, 1, page * PAGE + 3000);
    closeSync(file);
    const said = doctor(db);
    assert.equal(said.status, 1, said.stdout);
    assert.match(said.stdout, /restore a backup/);
    assert.doesNotMatch(said.stdout, /another program|accept-pages/);
  }
});

test("nothing is accepted that is not in order", () => {
  for (const isOpen of [false, true]) {
    fresh({ isOpen });
    const file = openSync(db, "r+");
    for (let page = 5; page * PAGE < statSync(db).size; page += 7) writeSync(file, Buffer.alloc(1024, 0xa5), 0, 1024, page * PAGE);
    closeSync(file);
    const before = readFileSync(db);
    assert.match(doctor(db).stdout, /restore a backup/);
    const refused = benchhud("restore", "--accept-pages", "--db", db);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /damaged|malformed/);
    assert.deepEqual(readFileSync(db), before);
  }
});

test("what is left of a damaged store without a backup is rescued by sqlite3", { skip }, () => {
  fresh({ isOpen: false });
  const file = openSync(db, "r+"), bytes = Buffer.alloc(1), at = statSync(db).size - 2 * PAGE + 3000;
  readSync(file, bytes, 0, 1, at);
  writeSync(file, Buffer.from([bytes[0] ^ 1]), 0, 1, at);
  closeSync(file);
  const saved = join(folder, "saved.db"), again = join(folder, "again.db");
  removeStore(saved), removeStore(again);
  assert.equal(sqlite(db, `VACUUM INTO '${saved}'`).status, 0);
  assert.equal(benchhud("backup", again, "--db", saved).status, 0);
  assert.match(doctor(again).stdout, /^good +checksums/m);
  assert.equal(lines(again).split("\n").length, exported.split("\n").length);
});

test("killed backups and restores leave nothing that the next does not remove", () => {
  const shim = buildShim(folder), copies = folder;
  fresh({ isOpen: false });
  const partial = () => readdirSync(copies).filter((name) => name.includes(".partial")).map((name) => name.split(".db")[0]);
  const kill = (...args) => {
    const killed = harmed(shim, { path: ".partial", at: 8, what: "kill" }, ...args);
    assert.equal(killed.signal, "SIGKILL", killed.stderr);
    return new Set(partial());
  };
  assert.deepEqual(kill("backup", join(copies, "copy.db"), "--db", db), new Set(["copy"]));
  assert.deepEqual(kill("restore", base, "--db", join(copies, "new.db")), new Set(["new"]), "it has removed the backup's");
  assert.equal(benchhud("backup", join(copies, "copy.db"), "--db", db).status, 0);
  assert.deepEqual(partial(), []);
  assert.ok(existsSync(join(copies, "copy.db")));
});
