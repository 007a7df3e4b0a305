// What torch.compile did differently from another night: by REST, as CSV, by commands, and as the cause of an alert.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { compilation, logged, ofFrame } from "./support/torch_trace.mjs";

const DAY = 86400;
const FIRST = 1762300800;
const BASE = "cuda-inductor-False-eval-None-None-None-alpha";
let folder, server, get, experiment;

function write(name, content) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const code = (bound, night) => `# kernel path: /tmp/torchinductor_${night}/k.py\nfor x in range(${bound}): pass`;
const BROKEN = "Graph break in user code at /srv/models/model.py:43\nReason: Unsupported: call to print";
const NIGHTS = [
  compilation({ code: code(8, "a"), seconds: 2 }) + compilation({ frame: 1, name: "loss", line: 80, code: code(4, "a"), seconds: 0.5 }),
  // A night without a log.
  null,
  // Frames have other numbers and lines, one breaks and is compiled again, and one has other code.
  compilation({ frame: 0, name: "prepare", line: 3, seconds: 0.25 }) +
    compilation({ frame: 1, line: 41, code: code(8, "b"), breaks: [BROKEN], seconds: 2.25 }) +
    compilation({ frame: 1, version: 1, line: 41, code: code(8, "b"), recompiled: ["1/0: size mismatch. expected 8, actual 4"], seconds: 2 }) +
    compilation({ frame: 2, name: "loss", line: 83, code: code(16, "b"), seconds: 1 }) +
    logged({ dynamo_guards: {}, ...ofFrame(0), has_payload: "00" }),
];

before(async () => {
  folder = temporaryFolder("compilation-changes");
  NIGHTS.forEach((log, night) => {
    write(`${night}/results.jsonl`, line({ metrics: times(0.5), timestamp: FIRST + night * DAY }) + "\n");
    if (log !== null) write(`${night}/alpha/torch-trace-${BASE}/dedicated_log_torch_trace_x${night}.log`, log);
    const done = benchhud("ingest", join(folder, String(night)), "--db", join(folder, "store.db"));
    assert.equal(done.status, 0, done.stderr);
  });
  server = await serve(join(folder, "store.db"));
  get = async (path, status = 200) => {
    const response = await fetch(`${server.base}/api/v1${path}`);
    const body = await response.text();
    assert.equal(response.status, status, `${path}: ${body}`);
    return response.headers.get("content-type").includes("json") ? JSON.parse(body) : body;
  };
  experiment = (await get("/experiments?model=alpha")).items[0].id;
});
after(async () => {
  await server?.stop();
  removeFolder(folder);
});

const day = (night) => new Date((FIRST + night * DAY) * 1000).toISOString().slice(0, 10);
const changes = (night, query = "", status = 200) => get(`/runs/${day(night)}/results/${experiment}/compilation-changes${query}`, status);

test("a night is compared with the last one before it that has a log, frame by frame", async () => {
  const answer = await changes(2);
  assert.equal(answer.before.started_at.slice(0, 10), day(0));
  assert.deepEqual(
    answer.changes.map((one) => [one.kind, one.change, one.frame_name, one.what, one.before, one.after, one.compile_id_before, one.compile_id_after]),
    [
      ["graph_break", "appeared", "forward", BROKEN, 0, 1, null, "1/0"],
      ["recompilation", "appeared", "forward", "1/0: size mismatch. expected 8, actual 4", 0, 1, null, "1/1"],
      ["frame", "appeared", "prepare", "", null, 0.25, null, "0/0"],
      ["code", "changed", "loss", "inductor_output_code", null, null, "1/0", "2/0"],
      ["time", "changed", "loss", "dynamo_cumulative_compile_time", 0.5, 1, "1/0", "2/0"],
    ],
  );
  assert.match(answer.sentence, /^1 graph break more in forward \(model\.py:41\): Unsupported: call to print; 1 recompilation more in forward .*; other generated code of loss \(model\.py:83\)/);
  assert.equal(answer.change_count, 5);
  const [pair] = answer.logs;
  assert.deepEqual([pair.rank, pair.before.counts.compilations, pair.after.counts.compilations, pair.after.counts.recompilations, pair.after.counts.seconds], [null, 2, 4, 1, 5.5]);
  assert.deepEqual(pair.unknown, ["1 payload of the later log could not be read."]);
  const [, , , other] = answer.changes;
  for (const [artifact, place, bound] of [[other.artifact_before, other.output_before, 4], [other.artifact_after, other.output_after, 16]]) {
    const text = await get(`/artifacts/${artifact}/compilation-text?output=${place.output}`);
    assert.match(text, new RegExp(`range\\(${bound}\\)`));
    assert.equal(text.length, place.byte_count);
  }
});

test("the night to compare with can be chosen, the number of changes limited, and all be had as CSV", async () => {
  const back = await changes(0, `?before=${day(2)}`);
  assert.deepEqual(back.changes.slice(0, 2).map((one) => [one.kind, one.change]), [["graph_break", "gone"], ["recompilation", "gone"]]);
  const one = await changes(2, "?limit=1");
  assert.deepEqual([one.changes.length, one.change_count], [1, 5]);
  const csv = await changes(2, "?format=csv");
  assert.match(csv, /^kind,change,frame_name,/);
  assert.equal(csv.trim().split("\r\n").filter((row) => /^(graph_break|recompilation|frame|code|time),/.test(row)).length, 5);
  assert.deepEqual((await changes(2, `?before=${day(0)}&before_experiment=${experiment}`)).change_count, 5);
});

test("what cannot be compared is said, and is no verdict", async () => {
  const first = await changes(0);
  assert.deepEqual([first.before, first.sentence, first.logs, first.changes, first.unknown], [null, null, [], [], ["Of no earlier run a log of TORCH_TRACE of this experiment is kept."]]);
  const without = await changes(1, `?before=${day(0)}`);
  assert.deepEqual([without.sentence, without.unknown], [null, ["Of the later result no log of TORCH_TRACE is kept."]]);
  const against = await changes(2, `?before=${day(1)}`);
  assert.deepEqual([against.sentence, against.unknown], [null, ["Of the earlier result no log of TORCH_TRACE is kept."]]);
  const same = await changes(2, `?before=${day(2)}`);
  assert.deepEqual([same.sentence, same.change_count], ["", 0]);
  await changes(2, "?before=2031-01-01", 404);
  await changes(2, "?before_experiment=1", 400);
});

test("benchhud profile diff compares two logs without a store", () => {
  const logs = [0, 2].map((night) => join(folder, `${night}/alpha/torch-trace-${BASE}/dedicated_log_torch_trace_x${night}.log`));
  const text = benchhud("profile", "diff", ...logs);
  assert.equal(text.status, 0, text.stderr);
  assert.match(text.stdout, /\n +\+1 +0 → 1 +recompilations\n/);
  assert.match(text.stdout, /\ncompilations\n {2}graph break is new in forward \(model\.py:41\): Unsupported: call to print\n/);
  assert.match(text.stdout, /\n {2}unknown: 1 payload of the later log could not be read\.\n/);
  assert.match(text.stderr, /line \d+: the record's payload of 0 bytes is damaged/);
  assert.match(benchhud("profile", "diff", logs[1], logs[1]).stdout, /\ncompilations\n {2}of what could be compared, nothing differs\n/);
  const made = JSON.parse(benchhud("profile", "diff", ...logs, "--format", "json").stdout);
  assert.equal(made.kind, "TORCH_TRACE log");
  assert.deepEqual(made.compilations.changes.map((one) => one.kind), ["graph_break", "recompilation", "frame", "code", "time"]);
  const mixed = benchhud("profile", "diff", logs[0], write("counters.json", '{"frames": {"ok": 1}}'));
  assert.match(mixed.stderr, /Only two of one kind can be compared/);
});

test("logs of PyTorch: a hit of a cache is no other code", (context) => {
  const real = join(root, "../shared/data/torch_trace/cache_hit_miss.log");
  if (!existsSync(real)) return context.skip("shared/ is not beside the checkout");
  const done = benchhud("profile", "diff", real, real);
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /\ncompilations\n {2}the same\n/);
  const other = benchhud("profile", "diff", join(dirname(real), "simple.log"), real);
  assert.match(other.stdout, /frame is new: fn2 \(test_codecache\.py:465\)/);
  assert.match(other.stdout, /frame is gone: forward \(test_torchinductor\.py:11123\)/);
});

test("an alert whose nights have logs names what was compiled differently", async () => {
  const db = join(folder, "samples.db");
  assert.equal(benchhud("ingest", join(root, "samples"), "--db", db).status, 0);
  const alerts = JSON.parse(benchhud("regressions", "--db", db, "--all", "--format", "json").stdout);
  const causes = (alerts.items ?? alerts.alerts ?? alerts).flatMap((alert) => alert.causes.filter((cause) => cause.kind === "compilation").map((cause) => ({ ...cause, alert })));
  assert.equal(causes.length, 1);
  const [cause] = causes;
  assert.match(cause.title, /^transformer_mini train on inductor is compiled differently: other graph of forward \(transformer_mini\.py:38\), 36 → 60 operations$/);
  assert.deepEqual(cause.lines, ["other generated code of forward (transformer_mini.py:38)", "compilation 258 ms → 350 ms", "inductor_compile slower in forward (transformer_mini.py:38): 170 ms → 262 ms"]);
  assert.deepEqual([cause.explains, cause.compared.before_run, cause.compared.run], [true, cause.alert.details.last_good.id, cause.alert.details.first_bad.id]);
});
