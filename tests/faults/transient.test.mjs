// What fails for a moment fails for that moment only: a server answers again as soon as the disk, or the memory, is there again.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, removeFolder, root, serveWith, temporaryFolder } from "../integration/support/server.mjs";
import { figures } from "./support/faults.mjs";
import { buildShim, harm } from "./support/store.mjs";

let folder, db, shim;
before(() => {
  folder = temporaryFolder("transient");
  db = join(folder, "store.db");
  shim = buildShim(folder);
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

const targets = ["overview", "runs", "models", "alerts", "ingests", "errors", "artifacts?limit=10", "search?q=resnet", "results?limit=100"];

for (const [what, words] of [["READ", "reads fail"], ["ENOMEM", "SQLite lacks memory"]]) {
  test(`a server answers again after ${words} for a moment`, { timeout: 120_000 }, async () => {
    const whileThere = join(folder, `switch.${what}`);
    const server = await serveWith(harm(shim, { path: "store.db", what, whileThere }), db, "--no-code", "--threads", "2");
    const statuses = async () => {
      const all = [];
      for (const target of targets) all.push((await fetch(`${server.base}/api/v1/${target}`)).status);
      return all;
    };
    const during = [], afterwards = [];
    // First what is not prepared, read or kept yet meets it, then what is.
    for (let round = 0; round < 4; ++round) {
      // Connections are open when it begins.
      for (const path of ["alive", "store", "store"]) await fetch(`${server.base}/api/v1/${path}`);
      writeFileSync(whileThere, "");
      during.push(...(await statuses()));
      rmSync(whileThere);
      afterwards.push(...(await statuses()));
    }
    const ended = await server.stop();
    const failed = during.filter((status) => status >= 500).length;
    figures(`transient ${what}`, { asked: during.length, failed, afterwards: afterwards.length });
    assert.ok(failed > 0, `nothing failed: ${during}`);
    assert.deepEqual(afterwards, afterwards.map(() => 200));
    assert.equal(ended.code, 0, ended.printed);
  });
}
