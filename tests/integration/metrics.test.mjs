// What a monitoring system reads: Prometheus' text format, with the numbers of the other answers.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, makeToken, serve, serveSamples } from "./support/server.mjs";

let folder, db, server, end;
before(async () => ({ folder, db, server, end } = await serveSamples("metrics")));
after(() => end?.());

// Exposition format 0.0.4: a family's HELP and TYPE once, then its samples.
const sampleLine = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)$/;

/** { name{labels}: value } and { family: type }; fails where the format is not kept to. */
function parse(text) {
  assert.ok(text.endsWith("\n"));
  const samples = new Map();
  const types = new Map();
  let family;
  for (const row of text.slice(0, -1).split("\n")) {
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(row);
    if (head?.[1] === "HELP") {
      assert.ok(!types.has(head[2]), `${head[2]} twice`);
      family = head[2];
    } else if (head) {
      assert.equal(head[2], family);
      assert.match(head[3], /^(counter|gauge)$/);
      assert.equal(family.endsWith("_total"), head[3] === "counter", family);
      types.set(family, head[3]);
    } else {
      const found = sampleLine.exec(row);
      assert.ok(found, row);
      assert.equal(found[1], family);
      assert.ok(Number.isFinite(Number(found[3])), row);
      const key = found[2] ? `${found[1]}{${found[2]}}` : found[1];
      assert.ok(!samples.has(key), `${key} twice`);
      samples.set(key, Number(found[3]));
    }
  }
  return { samples, types };
}

async function scrape(path = "/metrics", base = server.base, headers = {}) {
  const response = await fetch(base + path, { headers });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "no-store");
  return parse(await response.text());
}
const ask = async (path) => (await fetch(`${server.base}/api/v1${path}`)).json();

test("the store and its newest runs, as the API tells them", async () => {
  const { samples } = await scrape();
  const store = await ask("/store");
  assert.equal(samples.get("benchhud_store_runs"), store.run_count);
  assert.equal(samples.get("benchhud_store_results"), store.result_count);
  assert.equal(samples.get("benchhud_store_rejected_lines"), store.rejected_count);
  assert.equal(samples.get(`benchhud_build_info{version="${store.version}"}`), 1);
  const confirmed = (await ask("/alerts?state=all")).items.filter((alert) => alert.detected === "confirmed" && alert.triage === "open");
  assert.equal(samples.get('benchhud_alerts{detected="confirmed",triage="open"}'), confirmed.length);
  assert.ok(confirmed.length > 0);
  assert.equal(samples.get('benchhud_alerts{detected="suspect",triage="wont_fix"}'), 0);

  const { accelerators } = await ask("/overview");
  let groups = 0;
  for (const { accelerator_model: model, run, groups: all } of accelerators) {
    assert.equal(samples.get(`benchhud_newest_run_timestamp_seconds{accelerator_model="${model}"}`), Date.parse(run.started_at) / 1000);
    for (const group of all) {
      const labels = `accelerator_model="${model}",test="${group.test}",backend="${group.backend}"`;
      for (const state of ["passing", "failing", "undecided", "unverified"]) {
        assert.equal(samples.get(`benchhud_run_results{${labels},verification="${state}"}`), group[state]);
      }
      assert.equal(samples.get(`benchhud_run_results_timed{${labels}}`), group.timed);
      assert.equal(samples.get(`benchhud_run_results_failed{${labels}}`), group.failed);
      const geomean = group.geomean?.all;
      assert.equal(samples.get(`benchhud_run_speedup_geomean{${labels}}`), geomean?.value);
      assert.equal(samples.get(`benchhud_run_speedup_geomean_bound{${labels},bound="low"}`), geomean?.interval?.low);
      assert.equal(samples.get(`benchhud_run_speedup_geomean_bound{${labels},bound="high"}`), geomean?.interval?.high);
      assert.equal(samples.get(`benchhud_run_compile_seconds_median{${labels}}`), group.compile?.median);
      ++groups;
    }
  }
  assert.ok(groups >= 6);
});

test("answers and refusals are counted, and counters only grow", async () => {
  const first = (await scrape()).samples;
  assert.equal((await fetch(`${server.base}/api/v1/runs`)).status, 200);
  assert.equal((await fetch(`${server.base}/api/v1/nowhere`)).status, 404);
  await new Promise((done) => {
    const socket = net.connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"));
    socket.on("close", done).resume();
  });
  const { samples: second, types } = await scrape("/api/v1/metrics");
  for (const [key, value] of first) if (types.get(key.split("{")[0]) === "counter") assert.ok(second.get(key) >= value, key);
  const grown = (key) => second.get(key) - first.get(key);
  assert.equal(grown('benchhud_http_responses_total{code="2xx"}'), 2, "the scrape before and the runs");
  assert.equal(grown('benchhud_http_responses_total{code="4xx"}'), 1);
  assert.equal(grown("benchhud_http_refused_total"), 1);
  assert.ok(grown("benchhud_http_connections_total") >= 1);
  assert.ok(second.get("benchhud_http_connections_open") >= 1);
  assert.ok(second.get("process_resident_memory_bytes") > 1e6);
});

test("what a results file calls its machine cannot write a line of its own", async () => {
  const hostile = 'evil"} 1\n# TYPE up gauge\nup{a="\\';
  const file = join(folder, "hostile.jsonl");
  writeFileSync(file, line({ experiment: { accelerator_model: hostile }, metrics: times(0.5) }) + "\n");
  const other = join(folder, "hostile.db");
  assert.equal(benchhud("ingest", file, "--db", other).status, 0);
  const { base, stop } = await serve(other, "--reading", "token");
  try {
    assert.equal((await fetch(`${base}/metrics`)).status, 401);
    const headers = { authorization: `Bearer ${makeToken(other, "read")}` };
    const { samples } = await scrape("/metrics", base, headers);
    assert.equal([...samples.keys()].filter((key) => key.startsWith("up")).length, 0);
    const escaped = hostile.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    assert.equal(samples.get(`benchhud_newest_run_timestamp_seconds{accelerator_model="${escaped}"}`), 1762300800);
  } finally {
    await stop();
  }
});
