// A badge and a line for other people's pages: what they say is what the API says, and old news is not told as new.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, serve, serveSamples } from "./support/server.mjs";

let folder, db, server, end;
before(async () => ({ folder, db, server, end } = await serveSamples("badge")));
after(() => end?.());

const ask = async (path) => (await fetch(`${server.base}/api/v1${path}`)).json();
const badge = (query) => ask(`/badge?format=json&stale_after=100000&${query}`);
const grey = "#6e7781";

test("a badge says what the API says", async () => {
  const { attention_count: count, newest_run: run } = await ask("/store");
  assert.ok(count > 0);
  assert.deepEqual([(await badge("")).label, (await badge("what=alerts")).message], ["changes", `${count} to look at`]);
  const { groups } = (await ask("/overview")).accelerators[0];
  const sum = (key, only = () => true) => groups.filter(only).reduce((all, group) => all + group[key], 0);
  assert.equal((await badge("what=verification")).message, `${sum("passing")} passing, ${sum("failing")} failing`);
  const eager = (group) => group.backend === "aot_eager" && group.test === "eval";
  assert.equal(sum("failing", eager), 0);
  assert.deepEqual([(await badge("what=verification&backend=aot_eager&test=eval")).message, (await badge("what=verification&backend=aot_eager&test=eval")).color], [`${sum("passing", eager)} passing`, "#1a7f37"]);
  const { value, interval } = groups.find(eager).geomean.all;
  assert.equal((await badge("what=speedup&backend=aot_eager&test=eval")).message, `${value.toFixed(2)}× inductor (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`);
  assert.equal((await badge("what=speedup&backend=nobody&test=eval")).message, "no speedup");
  assert.match((await badge("what=freshness")).message, /^\d+ days ago$/);
  assert.equal((await badge(`accelerator_model=${encodeURIComponent(run.accelerator_model)}`)).message, `${count} to look at`);
  assert.equal((await badge("accelerator_model=nobody&label=mine")).message, "no results");
  assert.equal((await badge("label=mine")).label, "mine");
  assert.equal((await ask("/badge?what=speedup&test=eval")).parameter, "backend");
});

test("what is too old is grey and says so", async () => {
  const old = await ask("/badge?format=json");
  assert.match(old.message, /^\d+ to look at, \d+ days old$/);
  assert.equal(old.color, grey);
  assert.notEqual((await badge("")).color, grey);

  const fresh = join(folder, "fresh.jsonl");
  writeFileSync(fresh, line({ metrics: times(0.5), timestamp: Date.now() / 1000 - 3 * 3600 }) + "\n");
  const other = join(folder, "fresh.db");
  assert.equal(benchhud("ingest", fresh, "--db", other).status, 0);
  const second = await serve(other);
  try {
    const at = async (path) => fetch(`${second.base}/api/v1${path}`);
    assert.deepEqual(await (await at("/badge?format=json")).json(), { schemaVersion: 1, label: "changes", message: "nothing to look at", color: "#1a7f37" });
    assert.equal((await (await at("/badge?format=json&what=verification")).json()).message, "none");
    assert.match(await (await at("/status")).text(), /^changes: nothing to look at; verification: none; newest run: \S+ \(3 h ago\)\n$/);
    assert.match(await (await at("/status?stale_after=2")).text(), /^OLD: /);
  } finally {
    await second.stop();
  }
});

test("other pages may show the picture, and nothing in it runs or breaks out", async () => {
  const response = await fetch(`${server.base}/api/v1/badge?label=${encodeURIComponent('</text><script>"&')}`, { headers: { "sec-fetch-site": "cross-site" } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "image/svg+xml");
  assert.equal(response.headers.get("cross-origin-resource-policy"), "cross-origin");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.match(response.headers.get("content-security-policy"), /default-src 'none'/);
  const svg = await response.text();
  assert.match(svg, /^<svg [^>]*role="img"/);
  assert.doesNotMatch(svg, /<script/);
  const json = await fetch(`${server.base}/api/v1/store`);
  assert.equal(json.headers.get("cross-origin-resource-policy"), "same-origin");
});

test("the line agrees with the badges", async () => {
  const { attention_count: count } = await ask("/store");
  const text = await (await fetch(`${server.base}/api/v1/status?stale_after=100000`)).text();
  assert.equal(text, `changes: ${count} to look at; verification: ${(await badge("what=verification")).message}; newest run: ${(await ask("/store")).newest_run.started_at} (${(await badge("what=freshness")).message})\n`);
});
