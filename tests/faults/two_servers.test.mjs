// Two servers on one store, as when one is restarted: uploads of one name at the same time, none lost; and a file system without locks.
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, removeFolder, serve, serveWith, temporaryFolder } from "../integration/support/server.mjs";
import { figures, strength } from "./support/faults.mjs";
import { buildShim, harm, isWhole } from "./support/store.mjs";

const PAIRS = strength("BENCHHUD_UPLOAD_PAIRS", 15, 200);

let folder, db;
before(() => {
  folder = temporaryFolder("two-servers");
  db = join(folder, "store.db");
  const first = join(folder, "first.jsonl");
  writeFileSync(first, line({ metrics: times(0.5) }) + "\n");
  assert.equal(benchhud("ingest", first, "--db", db).status, 0);
});
after(() => removeFolder(folder));

const leftOvers = () => (existsSync(`${db}.uploads`) ? readdirSync(`${db}.uploads`) : []);
const upload = (server, headers, model) =>
  fetch(`${server.base}/api/v1/ingest?name=results.jsonl`, { method: "POST", headers: { ...headers, "content-type": "application/x-ndjson" }, body: line({ model, metrics: times(0.5) }) + "\n" });

test("two uploads of one name at the same time are both in the store", { timeout: (60 + PAIRS * 5) * 1000 }, async () => {
  const servers = [await serve(db, "--no-code"), await serve(db, "--no-code")];
  const headers = servers[0].bearer(), sent = [];
  for (let pair = 0; pair < PAIRS; ++pair) {
    const models = [`left-${pair}`, `right-${pair}`];
    const answers = await Promise.all(servers.map((server, i) => upload(server, headers, models[i])));
    for (const answer of answers) {
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      assert.equal(JSON.parse(text).accepted, 1);
    }
    sent.push(...models);
  }
  for (const server of servers) assert.equal((await server.stop()).code, 0);
  const stored = benchhud("export", "--format", "jsonl", "--db", db).stdout;
  const lost = sent.filter((model) => !stored.includes(`"${model}"`));
  figures("two servers", { pairs: PAIRS, lost: lost.length });
  assert.deepEqual(lost, []);
  assert.deepEqual(leftOvers(), []);
  isWhole(db);
});

test("an upload is refused, and leaves nothing, where files cannot be locked", { timeout: 60_000 }, async () => {
  const whileThere = join(folder, "no-locks");
  const server = await serveWith(harm(buildShim(folder), { path: ".incoming-", what: "ENOLCK", whileThere }), db, "--no-code");
  writeFileSync(whileThere, "");
  const answer = await upload(server, server.bearer(), "unlocked");
  const text = await answer.text();
  assert.ok(answer.status >= 500, `${answer.status} ${text}`);
  assert.match(text, /[Nn]o locks available/);
  assert.deepEqual(leftOvers(), []);
  assert.equal((await server.stop()).code, 0);
});
