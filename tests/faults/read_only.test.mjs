// A store that may only be read: by a user who may not write to it, and on a file system that nobody may write to.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, program, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { figures } from "./support/faults.mjs";
import { isWhole } from "./support/store.mjs";

const within = { timeout: 60_000 };
const NOBODY = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
const canBeNobody = process.getuid() === 0 && spawnSync("setpriv", [...NOBODY, "true"]).status === 0;
const skip = !canBeNobody && "takes root and setpriv, to be somebody else";

let folder, db, own, night;
before(() => {
  folder = temporaryFolder("read-only");
  chmodSync(folder, 0o755);
  own = join(folder, "benchhud");
  copyFileSync(program, own);
  // The checkout may be in a folder that only its owner can enter, such as root's home directory.
  night = join(folder, "2025-11-11");
  cpSync(join(root, "samples/cpu_nightlies/2025-11-11"), night, { recursive: true });
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

const asNobody = (...args) => spawnSync("setpriv", [...NOBODY, own, ...args], { encoding: "utf8", timeout: 20_000 });

test("who may not write says what is missing, and changes nothing", { ...within, skip }, () => {
  for (const args of [["runs", "list"], ["export"], ["serve", "--port", "0"]]) {
    const done = asNobody(...args, "--db", db);
    assert.equal(done.status, 1, args.join(" ") + done.stderr);
    assert.match(done.stderr, /store\.db cannot be read: .*folder \(Permission denied\)\. Let this user write there, or copy/);
  }
  const ingest = asNobody("ingest", night, "--db", db);
  assert.equal(ingest.status, 1);
  assert.match(ingest.stderr, /store\.db-lock-next: Permission denied/);
  isWhole(db);
});

test("while somebody who may has it open it is read and served, and a change is refused", { ...within, skip }, async () => {
  const owner = await serve(db, "--no-code");
  const bearer = owner.bearer();
  await (await fetch(`${owner.base}/api/v1/overview`)).arrayBuffer();
  const child = spawn("setpriv", [...NOBODY, own, "serve", "--db", db, "--port", "0", "--no-code"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const base = await new Promise((done, fail) => {
      child.on("exit", () => fail(new Error("the server ended")));
      let printed = "";
      child.stdout.on("data", (bytes) => {
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec((printed += bytes));
        if (found) done(found[0]);
      });
    });
    const read = await fetch(`${base}/api/v1/overview`);
    assert.equal(await read.text(), await (await fetch(`${owner.base}/api/v1/overview`)).text());
    const drops = await (await fetch(`${base}/api/v1/dropped-traces`, { headers: bearer })).json();
    assert.equal(drops.refusal, "read_only", "before anything is sent");
    const dropped = await fetch(`${base}/api/v1/dropped-traces?name=a.json`, { method: "POST", headers: { ...bearer, "content-type": "application/octet-stream" }, body: '{"traceEvents": []}' });
    assert.equal(dropped.status, 403, await dropped.text());
    const changed = await fetch(`${base}/api/v1/runs/1/marks`, { method: "POST", headers: { ...bearer, "content-type": "application/json" }, body: JSON.stringify({ kind: "environment", reason: "x", who: "y" }) });
    const problem = await changed.json();
    assert.equal(changed.status, 403, JSON.stringify(problem));
    assert.match(problem.detail, /may not write to its store; nothing was changed/);
    figures("read-only", { read: read.status, change: changed.status });
  } finally {
    child.removeAllListeners("exit").kill("SIGTERM");
    assert.equal((await owner.stop()).code, 0);
  }
});

test("a folder that may not be entered is reported by its own name, and everything else goes in", { ...within, skip }, () => {
  const tree = join(folder, "tree"), closed = join(tree, "2025-11-11/closed"), place = join(folder, "place");
  cpSync(night, join(tree, "2025-11-11"), { recursive: true });
  mkdirSync(closed, { mode: 0o700 });
  mkdirSync(place);
  chmodSync(place, 0o777);
  const done = asNobody("ingest", tree, "--format", "json", "--db", join(place, "store.db"));
  assert.equal(done.status, 1, done.stderr);
  const report = JSON.parse(done.stdout);
  assert.deepEqual(report.unreadable_folders, [{ path: closed, error: `cannot read the folder ${closed}: Permission denied` }]);
  assert.ok(report.accepted > 10);
  assert.equal(asNobody("ingest", tree, "--summary", "--db", join(place, "store.db")).stderr.includes(closed), true);
  // Watched, the output directory goes in, and is tried again because of what may be in that folder.
  const watched = asNobody("watch", "--once", "--settle", "0", tree, "--db", join(place, "watched.db"));
  assert.match(watched.stdout + watched.stderr, /closed: Permission denied/);
  assert.equal(JSON.parse(asNobody("runs", "list", "--format", "json", "--db", join(place, "watched.db")).stdout).length, 1);
});

test("on a file system that is read-only", within, (context) => {
  const mounted = join(folder, "mounted"), inside = join(folder, "inside");
  mkdirSync(mounted);
  mkdirSync(inside);
  copyFileSync(db, join(inside, "store.db"));
  if (spawnSync("mount", ["--bind", inside, mounted]).status !== 0) return context.skip("only root can mount");
  try {
    assert.equal(spawnSync("mount", ["-o", "remount,ro,bind", mounted]).status, 0);
    for (const args of [["serve", "--port", "0"], ["runs", "list"]]) {
      const done = benchhud(...args, "--db", join(mounted, "store.db"));
      assert.equal(done.status, 1);
      assert.match(done.stderr, /store\.db cannot be read: .*\(Read-only file system\)/);
    }
    assert.match(benchhud("ingest", night, "--db", join(mounted, "store.db")).stderr, /Read-only file system/);
  } finally {
    assert.equal(spawnSync("umount", [mounted]).status, 0);
  }
});
