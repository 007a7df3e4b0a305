// What the store says of itself in brief, and what makes labels links: by the command, over REST.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

let folder, db, server;

before(async () => {
  folder = temporaryFolder("links");
  db = join(folder, "store.db");
  takeIn("2025-11-05", 0);
  server = await serve(db);
});

after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

function takeIn(name, days, ...more) {
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, [line({ metrics: times(0.5), timestamp: 1762300800 + days * 86400 }), ...more, ""].join("\n"));
  return benchhud("ingest", file, "--db", db);
}

const links = (...words) => benchhud("links", ...words, "--db", db);

async function ask(path, etag) {
  const response = await fetch(`${server.base}/api/v1${path}`, { headers: etag ? { "if-none-match": etag } : {} });
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag"), data: text ? JSON.parse(text) : null };
}

test("the store is the same until something is committed, by whomever", async () => {
  const first = await ask("/store");
  assert.equal(first.data.run_count, 1);
  assert.equal(first.data.result_count, 1);
  assert.equal(first.data.newest_run.id, (await ask("/runs")).data.items[0].id);
  assert.equal((await ask("/store", first.etag)).status, 304);

  assert.equal(takeIn("2025-11-06", 1).status, 0);
  const second = await ask("/store", first.etag);
  assert.equal(second.status, 200);
  assert.equal(second.data.run_count, 2);
  assert.notEqual(second.data.newest_run.id, first.data.newest_run.id);
  assert.ok(second.data.revision > first.data.revision);

  // Lines that could not be taken in are news too.
  assert.equal(takeIn("broken", 1, "{broken").status, 3);
  const third = await ask("/store", second.etag);
  assert.equal(third.data.rejected_count, 1);

  // So is what a person says of a night.
  const marked = await fetch(`${server.base}/api/v1/runs/latest/marks`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify({ kind: "excluded", reason: "", who: "" }) });
  assert.equal(marked.status, 201, await marked.text());
  assert.equal((await ask("/store", third.etag)).status, 200);
});

test("a server that was started again says so by its ETag", async () => {
  const before = await ask("/store");
  const other = await serve(db);
  try {
    const response = await fetch(`${other.base}/api/v1/store`, { headers: { "if-none-match": before.etag } });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), before.data);
  } finally {
    await other.stop();
  }
});

test("links are set, listed, served and removed", async () => {
  assert.match(links("list").stdout, /no label is a link yet/);
  assert.deepEqual((await ask("/links")).data, { items: [] });
  const before = await ask("/store");
  assert.equal(links("set", "pytorch", "--one", "https://example.org/commit/{value}", "--range", "https://example.org/compare/{from}...{to}").status, 0);
  assert.equal(links("set", "branch", "--one", "https://example.org/tree/{value}").status, 0);
  const items = [
    { key: "branch", one: "https://example.org/tree/{value}", range: null },
    { key: "pytorch", one: "https://example.org/commit/{value}", range: "https://example.org/compare/{from}...{to}" },
  ];
  assert.deepEqual((await ask("/links")).data, { items });
  assert.deepEqual(JSON.parse(links("list", "--format", "json").stdout), items);
  assert.match(links().stdout, /pytorch\n {2}one {4}https:\/\/example\.org\/commit\/\{value\}\n {2}range {2}https/);
  assert.equal((await ask("/store", before.etag)).status, 200, "pages notice it");

  assert.equal(links("remove", "branch").status, 0);
  assert.deepEqual((await ask("/links")).data.items.map((item) => item.key), ["pytorch"]);
  assert.equal(links("remove", "branch").status, 1);
});

test("what cannot be a link is refused with a sentence, and nothing is kept", async () => {
  const before = (await ask("/links")).data;
  for (const [words, said] of [
    [["set", "x", "--one", "javascript:alert('{value}')"], /begins with http:\/\/ or https:\/\//],
    [["set", "x", "--one", "https://{value}.org/"], /in the name of its host/],
    [["set", "x", "--one", "https://example.org/{commit}"], /it may hold \{value\}/],
    [["set", "x", "--range", "https://example.org/{from}"], /does not say where \{to\} stands/],
    [["set", "x"], /give an address/],
    [["set", "x", "--one", ""], /--one is an address/],
    [["set"], /the key of one label/],
    [["remove", "x", "y"], /the key of one label/],
    [["list", "--one", "https://example.org/{value}"], /for `benchhud links set`/],
    [["forget", "x"], /there is no `benchhud links forget`/],
  ]) {
    const done = links(...words);
    assert.equal(done.status, 2, words.join(" "));
    assert.match(done.stderr, said);
  }
  assert.deepEqual((await ask("/links")).data, before);
});
