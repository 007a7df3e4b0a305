// Places for objects where disks are full or fail, and where processes are killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KEYS, placeProgram, runPlace, startSmallStore } from "../integration/support/s3.mjs";
import { removeFolder, temporaryFolder } from "../integration/support/server.mjs";
import { pause, strength } from "./support/faults.mjs";
import { buildShim, harm } from "./support/store.mjs";

const KILLS = strength("BENCHHUD_PLACE_KILLS", 40, 1000);
const KEY = "traces/0f/0f3c9a.v36";
const bytes = Buffer.alloc((5 << 20) + 7, "0123456789abcdef");

let folder, shim;
before(() => {
  folder = temporaryFolder("place-faults");
  shim = buildShim(folder);
  writeFileSync(join(folder, "pack"), bytes);
});
after(() => removeFolder(folder));

/** All files below a folder. */
const filesIn = (path) => readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

async function makePlace(path) {
  mkdirSync(path);
  assert.equal((await runPlace({}, path, "mark", "0123456789abcdef".repeat(2))).status, 0);
}

test("a disk that is full or fails at any write: said, and nothing half is left", async () => {
  const store = await startSmallStore();
  store.objects.set(KEY, bytes);
  try {
    const bucket = `s3://bucket?endpoint=${store.endpoint}`, place = join(folder, "place");
    for (const [what, words] of [["ENOSPC", /^full: .*No space left/], ["EDQUOT", /^full: .*quota exceeded/], ["EIO", /^io: .*Input\/output error/]]) {
      for (const at of [1, 2, 3]) {
        rmSync(place, { recursive: true, force: true });
        await makePlace(place);
        const put = await runPlace(harm(shim, { path: "0f3c9a", at, what, once: true }), place, "put", KEY, join(folder, "pack"));
        assert.equal(put.status, 1, `${what} at ${at}`);
        assert.match(put.stderr, words);
        assert.deepEqual(filesIn(place).map((entry) => entry.name), [".benchhud-place"], "no object, and no part of one");
        store.requests.length = 0;
        const fetched = await runPlace({ ...KEYS, ...harm(shim, { path: "fetched", at, what, once: true }) }, bucket, "fetch", KEY, join(folder, "fetched"), "10000000");
        assert.equal(fetched.status, 1, `${what} at ${at}`);
        assert.match(fetched.stderr, words);
        assert.ok(!existsSync(join(folder, "fetched")));
        assert.ok(store.requests.length <= 1, "the place is not asked again for it");
      }
    }
    const hash = "0".repeat(32);
    const cached = await runPlace({ ...KEYS, BENCHHUD_CACHE: join(folder, "cache"), ...harm(shim, { path: ".partial", at: 1, what: "ENOSPC", once: true }) }, bucket, "cached", KEY, hash, String(bytes.length));
    assert.match(cached.stderr, /^full: .*No space left.*BENCHHUD_CACHE names another folder/);
    assert.deepEqual(filesIn(join(folder, "cache")), []);
  } finally {
    await store.stop();
  }
});

test("whatever of an object's folders cannot be made or synced: put() says so", async () => {
  const place = join(folder, "unsynced");
  const put = async (at) => {
    rmSync(place, { recursive: true, force: true });
    await makePlace(place);
    mkdirSync(join(place, "traces")); // as if another process had just made it
    return runPlace(harm(shim, { path: "/unsynced/traces", at, what: "EIO", once: true }), place, "put", KEY, join(folder, "pack"));
  };
  // Both folders made, the upper one synced, the object renamed, its folder synced.
  for (const at of [1, 2, 3, 4, 5]) assert.match((await put(at)).stderr, /^io: .*Input\/output error/, `call ${at}`);
  assert.equal((await put(6)).status, 0);
});

test(`killed ${KILLS} times while it puts into a folder: the object is whole or not there, and a day later nothing else is`, async () => {
  const place = join(folder, "killed");
  await makePlace(place);
  let kept = 0, killed = 0, began = performance.now();
  await runPlace({}, place, "put", "first", join(folder, "pack"));
  const whole = performance.now() - began;
  for (let i = 0; i < KILLS; ++i) {
    const key = `traces/${i}/object`;
    const child = spawn(placeProgram, [place, "put", key, join(folder, "pack")], { stdio: "ignore" });
    const ended = new Promise((done) => child.on("close", (status, signal) => done(signal)));
    await pause((whole * 1.3 * i) / KILLS);
    child.kill("SIGKILL");
    killed += (await ended) === "SIGKILL" ? 1 : 0;
    const path = join(place, key);
    if (existsSync(path)) {
      ++kept;
      assert.deepEqual(readFileSync(path), bytes);
    }
  }
  assert.ok(killed > KILLS / 4, `only ${killed} were killed`);
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const entry of readdirSync(join(place, ".incoming"))) utimesSync(join(place, ".incoming", entry), old, old);
  await runPlace({}, place, "put", "last", join(folder, "pack"));
  assert.equal(filesIn(place).length, kept + 3, "with .benchhud-place");
});
