// Dumps beside results: taken in, tied, listed, read and compared, by commands and by REST.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";

import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { logged, ofFrame } from "./support/torch_trace.mjs";

const samples = join(root, "samples/cpu_nightlies");
const resnet = "cpu-inductor-False-eval-None-None-None-resnet_mini";
const base = "cuda-openxla-False-eval-None-PJRT-None-alpha";
const xla = { xla: "PJRT", dynamo: "openxla" };
let folder;

before(() => {
  folder = temporaryFolder("artifacts");
});
after(() => removeFolder(folder));

function write(name, content) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function ingest(db, ...args) {
  const done = benchhud("ingest", ...args, "--db", join(folder, db), "--format", "json");
  assert.ok(done.stdout, done.stderr);
  return { status: done.status, ...JSON.parse(done.stdout) };
}

function list(db, ...args) {
  const done = benchhud("artifacts", "list", ...args, "--db", join(folder, db), "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

async function serving(db, use) {
  const server = await serve(join(folder, db));
  try {
    await use(async (path) => {
      const response = await fetch(`${server.base}/api/v1${path}`);
      const text = await response.text();
      assert.equal(response.status, 200, `${path}: ${text}`);
      return response.headers.get("content-type").startsWith("application/json") ? JSON.parse(text) : text;
    });
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
}

const trace = (name) => JSON.stringify([{ ph: "X", name, ts: 1, dur: 2, pid: 1, tid: 1, cat: "cpu_op", args: { a: 1 } }]);
const table = (ns) =>
  `---------  ------------  ------------  \nName       Self CPU      # of Calls    \n---------  ------------  ------------  \n` +
  `aten::mm   ${ns.toFixed(3)}us        3             \n---------  ------------  ------------  \nSelf CPU time total: ${ns.toFixed(3)}us\n`;
const report =
  "Metric: CompileTime\n  TotalSamples: 2\n  Accumulator: 04s589ms590.974us\n  Percentiles: 50%=001ms32.778us\nCounter: aten::nonzero\n  Value: 33\n";
const hlo = `HloModule jit_f, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}

ENTRY main.3 {
  p0 = f32[2,3]{1,0} parameter(0)
  ROOT add.2 = f32[2,3]{1,0} add(p0, p0)
}
`;

function writeOutput(place, extra = []) {
  write(`${place}/results.jsonl`, [line({ metrics: times(0.5), experiment: xla }), ...extra].join("\n") + "\n");
  write(`${place}/alpha/0/trace-${base}.json.gz`, gzipSync(trace("a")));
  write(`${place}/alpha/0/pytorch-profile-${base}.txt`, table(12));
  write(`${place}/alpha/0/dynamo-counters-${base}.txt`, '{"graph_break": {"call to print": 2}}');
  write(`${place}/alpha/0/pytorch-xla-metrics-${base}.txt`, report);
  write(`${place}/alpha/dump-${base}.hlo`, hlo + hlo);
  write(`${place}/alpha/compile-times-${base}.txt`, "TorchDynamo compilation metrics:\nFunction                Runtimes (s)\n----------------------  --------------\n_compile.compile_inner  0.5, 0.25\n");
  write(`${place}/alpha/hlo-${base}/module_0001.jit_f.before_optimizations.txt`, hlo);
  write(`${place}/alpha/xla-profile/xplane-${base}/plugins/profile/d/host.op_stats.pb`, Buffer.from([0, 1, 2, 255]));
}

test("every kind of dump is found by its name, tied and read", async () => {
  writeOutput("kinds");
  const done = ingest("kinds.db", join(folder, "kinds"));
  assert.equal(done.status, 0);
  assert.equal(done.dumps.length, 8);
  for (const dump of done.dumps) assert.deepEqual([dump.outcome, dump.orphaned, dump.problem_count, dump.unreadable], ["new", false, 0, null], dump.path);
  const all = list("kinds.db");
  assert.deepEqual(all.map((one) => one.kind).sort(), ["compile_times", "dynamo_counters", "ir", "ir", "operator_table", "trace", "xla_metrics", "xplane"]);
  assert.deepEqual(list("kinds.db", "latest/alpha/eval/openxla+dynamo").length, 8);
  assert.deepEqual(list("kinds.db", "latest", "--kind", "trace").length, 1);
  const id = (kind) => all.find((one) => one.kind === kind).id;
  assert.equal(benchhud("artifacts", "show", String(id("xla_metrics")), "--db", join(folder, "kinds.db")).stdout, report);

  await serving("kinds.db", async (get) => {
    const content = (kind) => get(`/artifacts/${id(kind)}/content`);
    assert.deepEqual((await content("operator_table")).operator_tables[0].rows, [["aten::mm", 12000, 3]]);
    const metrics = (await content("xla_metrics")).xla_metrics;
    assert.equal(metrics.metrics[0].accumulator.value, 3588590974);
    assert.deepEqual(metrics.counters, [{ name: "aten::nonzero", value: 33 }]);
    assert.deepEqual((await content("dynamo_counters")).dynamo_counters, [{ group: "graph_break", counters: [{ name: "call to print", value: 2, of_cache: false }] }]);
    const times = (await content("compile_times")).compile_times;
    assert.deepEqual(times.map((one) => [one.name, one.total_s]), [["_compile.compile_inner", 0.75]]);
    const dump = all.find((one) => one.kind === "ir" && one.name.endsWith(".hlo"));
    const { ir_modules: modules } = await get(`/artifacts/${dump.id}/content`);
    assert.deepEqual(modules.map((module) => [module.name, module.ops.map((op) => op.name).sort()]), [["jit_f", ["add", "parameter"]], ["jit_f", ["add", "parameter"]]]);
    const text = await get(`/artifacts/${dump.id}/text`);
    const { offset, length } = modules[1];
    assert.ok(text.slice(offset, offset + length).startsWith("HloModule jit_f"));
    assert.equal(await get(`/artifacts/${dump.id}/text?offset=${offset}&length=${length}`), text.slice(offset, offset + length));
    const { trace: told, artifact } = await content("trace");
    assert.ok(told, "a trace's report");
    assert.ok(artifact.trace_id > 0);
    assert.deepEqual(artifact.results.length, 1);
  });
});

test("again, touched, copied, packed otherwise: nothing is taken in twice", () => {
  writeOutput("again");
  ingest("again.db", join(folder, "again"));
  const known = (done) => done.dumps.every((dump) => dump.outcome === "known");
  assert.ok(known(ingest("again.db", join(folder, "again"))));
  for (const dump of list("again.db")) utimesSync(dump.path, 1, 1);
  assert.ok(known(ingest("again.db", join(folder, "again"))));
  cpSync(join(folder, "again"), join(folder, "copy"), { recursive: true });
  write(`copy/alpha/0/pytorch-profile-${base}.txt.gz`, gzipSync(table(12)));
  assert.ok(known(ingest("again.db", join(folder, "copy"))));
  assert.equal(list("again.db").length, 8);
});

test("shared where only the batch size differs, orphaned without a result, given by hand", async () => {
  writeOutput("ties", [line({ metrics: times(0.4), experiment: { ...xla, batch_size: 16 } })]);
  write("ties/beta/0/dynamo-counters-cuda-nothing-beta.txt", "{}");
  const done = ingest("ties.db", join(folder, "ties"));
  assert.equal(done.status, 0);
  const orphans = list("ties.db", "--orphaned");
  assert.deepEqual(orphans.map((one) => one.name), ["beta/0/dynamo-counters-cuda-nothing-beta.txt"]);
  assert.ok(list("ties.db").filter((one) => one.results.length === 2).length, 8);
  const ambiguous = benchhud("ingest", orphans[0].path, "--for", "latest/alpha/eval/openxla+dynamo", "--db", join(folder, "ties.db"));
  assert.equal(ambiguous.status, 1);
  assert.match(ambiguous.stderr, /2 results are called/);
  const given = ingest("ties.db", orphans[0].path, "--for", "latest/alpha/eval/openxla+dynamo/16");
  assert.equal(given.dumps[0].outcome, "tied");
  assert.deepEqual(list("ties.db", "--orphaned"), []);
  assert.equal(list("ties.db", "latest/alpha/eval/openxla+dynamo/16").length, 9);
  assert.equal(list("ties.db", "latest/alpha/eval/openxla+dynamo/8").length, 8);
});

test("what cannot be read says why, and the rest goes in", () => {
  writeOutput("broken");
  write(`broken/alpha/0/trace-${base}.json.gz`, "this is no gzip and no trace");
  write(`broken/alpha/0/pytorch-profile-${base}.txt`, "no table");
  const whole = gzipSync('{"a": {"b": 1}}'.repeat(5000));
  write(`broken/alpha/0/dynamo-counters-${base}.txt.gz`, whole.subarray(0, whole.length - 20));
  const done = ingest("broken.db", join(folder, "broken"));
  assert.equal(done.status, 3);
  const unreadable = done.dumps.filter((dump) => dump.unreadable);
  assert.equal(unreadable.length, 3, JSON.stringify(unreadable));
  assert.match(unreadable.find((dump) => dump.path.includes("trace-")).unreadable, /no list of events/);
  const strict = benchhud("ingest", join(folder, "broken"), "--db", join(folder, "strict.db"), "--strict");
  assert.equal(strict.status, 1);
  assert.deepEqual(list("strict.db"), []);
});

test("folders of modules are summed, and a pair is compared when it is asked for", async () => {
  const module = (adds) => `HloModule jit_f\n\nENTRY main {\n  a0 = f32[2]{0} parameter(0)\n${Array.from({ length: adds }, (_, n) => `  a${n + 1} = f32[2]{0} add(a${n}, a${n})\n`).join("")}}\n`;
  for (const [night, adds] of [[0, 3], [1, 4]]) {
    write(`modules/${night}/results.jsonl`, line({ metrics: times(0.5), experiment: xla, timestamp: 1762300800 + night * 86400 }) + "\n");
    for (let n = 0; n < 40; ++n) write(`modules/${night}/alpha/hlo-${base}/module_${String(n).padStart(4, "0")}.jit_f.after_optimizations.txt`, module(adds));
  }
  write(`modules/1/alpha/hlo-${base}/module_0040.jit_g.after_optimizations.txt`, module(9));
  ingest("modules.db", join(folder, "modules"));
  await serving("modules.db", async (get) => {
    const { items } = await get("/results?limit=10");
    const experiment = items[0].experiment.id;
    const [after, before] = items.map((one) => one.run_id);
    const said = await get(`/profile-diff?before_run=${before}&before_experiment=${experiment}&run=${after}&experiment=${experiment}`);
    assert.equal(said.pair_count, 40);
    assert.ok(said.pairs.every((pair) => pair.sections === null && !pair.telling));
    assert.deepEqual([said.only_before_count, said.only_after_count, said.left_out], [0, 1, []]);
    assert.equal(said.sums.length, 1);
    const adds = said.sums[0].sections.find((one) => one.of === "operations").changes.find((one) => one.name === "add");
    assert.deepEqual([adds.before, adds.after], [120, 169]);
    const sentences = said.findings.map((one) => one.sentence);
    assert.equal(new Set(sentences).size, sentences.length, sentences.join("\n"));
    const { pair } = await get(`/artifact-diff?before=${said.pairs[7].before.id}&after=${said.pairs[7].after.id}`);
    const counted = pair.sections.find((one) => one.of === "operations").changes;
    assert.deepEqual(counted.map((one) => [one.name, one.before, one.after]), [["add", 3, 4]]);
  });
});

test("graph breaks of dumps are those of the metric: running totals are taken apart, all repetitions read", async () => {
  const reason = "call to a lru_cache wrapped function";
  // Counters that are never cleared, of 14 repetitions: more than are set side by side.
  const counters = Array.from({ length: 14 }, (_, n) => ({ stats: { unique_graphs: n < 2 ? 1 : 2 }, graph_break: { [reason]: n < 2 ? 2 : 3 }, inductor: { fxgraph_cache_hit: 1 } }));
  const samples = Array.from({ length: 14 }, (_, n) => (n ? 1 : 9));
  write("breaks/results.jsonl", line({ repeat: 14, metrics: { total_time: samples, per_iter_time: samples, dynamo_counters: counters }, experiment: xla }) + "\n");
  counters.forEach((one, n) => write(`breaks/alpha/${n}/dynamo-counters-${base}.txt`, JSON.stringify(one)));
  ingest("breaks.db", join(folder, "breaks"));
  await serving("breaks.db", async (get) => {
    const [{ run_id: run, experiment }] = (await get("/results?limit=1")).items;
    const { dynamo: ofLine } = await get(`/runs/${run}/results/${experiment.id}/phases`);
    const dumped = await get(`/runs/${run}/results/${experiment.id}/dumped-counters`);
    assert.deepEqual(dumped.dynamo, ofLine);
    assert.equal(dumped.dynamo.running_totals, true);
    assert.deepEqual(dumped.dynamo.graph_breaks, [{ reason, count: 3 }]);
    assert.deepEqual([dumped.dump_count, dumped.left_out, dumped.unreadable], [14, 0, 0]);
    const [file] = (await get("/artifacts?kind=dynamo_counters&limit=1")).items;
    const groups = (await get(`/artifacts/${file.id}/content`)).dynamo_counters;
    const ofCache = (group) => groups.find((one) => one.group === group).counters[0].of_cache;
    assert.deepEqual([ofCache("graph_break"), ofCache("inductor")], [false, true]);
  });
});

test("one question finds the nights and backends that a result can be compared with", async () => {
  // Six nights; dumps on the second, fourth and fifth; on the fourth of two backends.
  for (let night = 0; night < 6; ++night) {
    const timestamp = 1762300800 + night * 86400;
    const lines = [line({ metrics: times(0.5), experiment: xla, timestamp }), line({ metrics: times(0.4), timestamp }), line({ metrics: times(0.4), timestamp, model: "beta" })];
    write(`near/${night}/results.jsonl`, lines.join("\n") + "\n");
    if (![1, 3, 4].includes(night)) continue;
    write(`near/${night}/alpha/0/dynamo-counters-${base}.txt`, `{"night": {"n": ${night}}}`);
    if (night === 3) write(`near/${night}/alpha/0/dynamo-counters-cuda-inductor-False-eval-None-None-None-alpha.txt`, '{"other": {"n": 1}}');
  }
  ingest("near.db", join(folder, "near"));
  await serving("near.db", async (get) => {
    const { items } = await get("/results?limit=100&model=alpha");
    const runs = [...new Set(items.map((one) => one.run_id))].reverse();
    const experiment = (backend) => items.find((one) => one.experiment.backend === backend).experiment.id;
    const near = async (night, backend = "openxla+dynamo") => {
      const found = await get(`/runs/${runs[night]}/results/${experiment(backend)}/neighbours`);
      return [found.before?.id ?? null, found.after?.id ?? null, found.others.map((one) => one.backend)];
    };
    assert.deepEqual(await near(3), [runs[1], runs[4], ["inductor"]]);
    assert.deepEqual(await near(3, "inductor"), [null, null, ["openxla+dynamo"]]);
    assert.deepEqual(await near(0), [null, runs[1], []]);
    assert.deepEqual(await near(5), [runs[4], null, []]);
    assert.deepEqual(await near(4, "inductor"), [runs[3], null, ["openxla+dynamo"]]);
  });
});

test("the nights: what made resnet_mini slower on 2025-11-10, and transformer_mini on 2025-11-15", async () => {
  const done = ingest("nights.db", samples);
  assert.equal(done.status, 0);
  assert.equal(done.dumps.filter((dump) => dump.orphaned || dump.unreadable || dump.problem_count).length, 0);
  await serving("nights.db", async (get) => {
    const resultOf = async (night, model, backend, t = "eval") => {
      const { items } = await get(`/results?run=${night}&model=${model}&backend=${backend}&test=${t}&limit=10`);
      assert.equal(items.length, 1);
      return { run: items[0].run_id, experiment: items[0].experiment.id };
    };
    const diff = async (a, b) =>
      get(`/profile-diff?before_run=${a.run}&before_experiment=${a.experiment}&run=${b.run}&experiment=${b.experiment}`);

    for (const t of ["eval", "train"]) {
      const broken = await diff(await resultOf("2025-11-09", "resnet_mini", "inductor", t), await resultOf("2025-11-10", "resnet_mini", "inductor", t));
      assert.equal(broken.findings[0].topic, "graph_breaks", JSON.stringify(broken.findings));
      assert.ok(broken.findings.some((finding) => finding.names.some((name) => name.startsWith("graph_break: "))), "the reason");
      assert.deepEqual([broken.only_before, broken.only_after], [[], []]);
    }
    const worked = await diff(await resultOf("2025-11-14", "transformer_mini", "eager"), await resultOf("2025-11-15", "transformer_mini", "eager"));
    const named = worked.findings.flatMap((finding) => finding.names);
    for (const operator of ["aten::cumsum", "aten::sin"]) assert.ok(named.includes(operator), JSON.stringify(worked.findings));
    // Two backends on one night.
    const backends = await diff(await resultOf("2025-11-15", "resnet_mini", "eager"), await resultOf("2025-11-15", "resnet_mini", "inductor"));
    assert.ok(backends.pairs.length >= 6);
  });
  assert.equal(list("nights.db", `2025-11-10/resnet_mini/eval/inductor`).filter((one) => one.name.includes(resnet)).length, 7);
  assert.ok(readFileSync(list("nights.db", "--kind", "dynamo_counters")[0].path));
});

test("a stored trace: every slice of the file is in its tiles, with its arguments", async () => {
  const file = join(samples, "2025-11-10/resnet_mini/0", `trace-${resnet}.json.gz`);
  const slices = JSON.parse(gunzipSync(readFileSync(file))).traceEvents.filter((event) => event.ph === "X");
  await serving("nights.db", async (get) => {
    const { items } = await get("/artifacts?run=2025-11-10&kind=trace&limit=1000");
    const { trace_id: id } = items.find((one) => one.name === `resnet_mini/0/trace-${resnet}.json`);
    const trace = await get(`/traces/${id}`);
    assert.equal(trace.slices, slices.length);
    const origin = BigInt(trace.origin);
    const found = [];
    for (const thread of trace.threads) {
      if (thread.slices === 0) continue;
      for (const buckets of [1, 7, 1024]) {
        const tile = await get(`/traces/${id}/tile?thread=${thread.thread}&end=${thread.end + 1}&buckets=${buckets}`);
        assert.equal(tile.count, thread.slices);
        assert.equal(tile.rows.flatMap((row) => row.items).reduce((sum, item) => sum + item[2], 0), thread.slices);
      }
      const tile = await get(`/traces/${id}/tile?thread=${thread.thread}&end=${thread.end + 1}&buckets=16384`);
      for (const { items: drawn } of tile.rows) for (const item of drawn) if (item[2] === 1) found.push({ thread, item, labels: tile.labels });
    }
    const text = (name, start, duration) => `${name} ${start} ${duration}`;
    const ns = (us) => BigInt(Math.round(us * 1000));
    const expected = new Set(slices.map((slice) => text(slice.name, ns(slice.ts), ns(slice.dur))));
    assert.ok(found.length > slices.length / 4, `${found.length} of ${slices.length} drawn one by one`);
    for (const { item, labels } of found) {
      const name = labels.find((label) => label.label === item[4]).name;
      assert.ok(expected.has(text(name, origin + BigInt(item[0]), BigInt(item[1] - item[0]))), name);
    }
    const { thread, item } = found.find((one) => one.item[1] - one.item[0] > 0);
    const slice = await get(`/traces/${id}/slice?thread=${thread.thread}&chunk=${item[6]}&index=${item[7]}`);
    const same = slices.find((one) => one.name === slice.name && ns(one.ts) === origin + BigInt(slice.begin));
    assert.deepEqual(JSON.parse(slice.arguments ?? "{}"), same.args ?? {});
  });
});

test("XLA's modules in a folder hlo belong to the model's result; what nothing recognizes is counted and named", async () => {
  write("hlo/night/results.jsonl", line({ metrics: times(0.5), experiment: xla }) + "\n");
  const module = write("hlo/night/alpha/hlo/module_0001.SyncTensorsGraph.7.before_optimizations.txt", "HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n");
  const notes = write("hlo/night/alpha/notes.txt", "seen by nobody");
  const db = join(folder, "hlo/store.db");
  const printed = benchhud("ingest", join(folder, "hlo"), "--db", db);
  assert.equal(printed.status, 0, printed.stderr);
  assert.match(printed.stdout, /1 file is neither results nor dumps and not in the store:\n {2}\S*alpha\/notes\.txt\n/);
  assert.match(benchhud("ingest", join(folder, "hlo"), "--summary", "--db", db).stdout, /; 1 file not recognized/);
  const report = ingest("hlo/store.db", join(folder, "hlo"));
  assert.equal(report.unrecognized_count, 1);
  assert.deepEqual(report.unrecognized_files, [notes]);
  assert.deepEqual(report.dumps.map((dump) => [dump.path, dump.orphaned]), [[module, false]]);
  assert.equal(list("hlo/store.db")[0].kind, "ir");
  const server = await serve(db);
  try {
    const page = await (await fetch(`${server.base}/api/v1/ingests`)).json();
    assert.deepEqual(page.unrecognized_files, ["alpha/notes.txt"]);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});

const torchTrace = (name) =>
  logged({ str: ["model.py", 0] }) +
  [0, 1, 2]
    .map(
      (n) =>
        logged({ dynamo_start: { stack: [{ line: 3, name: "main", filename: 0 }] }, ...ofFrame(n) }) +
        logged({ inductor_output_code: { filename: "/tmp/c.py" }, ...ofFrame(n) }, `code of ${name}\nwith ü ${n}`) +
        logged({ compilation_metrics: { co_name: name, duration_us: 1500, fail_type: n === 2 ? "E" : null, cache_size: n }, ...ofFrame(n) }),
    )
    .join("") +
  logged({ dynamo_guards: {}, ...ofFrame(0), has_payload: "00" }) +
  "half a li";

test("a page of compilations with long stacks ends before its limit", async () => {
  const stack = Array.from({ length: 60 }, (_, line) => ({ line, name: "n".repeat(1000) }));
  const again = (frame) => logged({ dynamo_start: { stack }, ...ofFrame(0), frame_id: frame });
  // The last id comes twice.
  const log = write("long/dedicated_log_torch_trace_long.log", [...Array(100).keys(), 99].map(again).join(""));
  const [{ id }] = ingest("long.db", log).dumps;
  const shown = benchhud("artifacts", "show", String(id), "--db", join(folder, "long.db"));
  assert.match(shown.stdout, /\n\[99\/0\] +unknown +unknown +unknown +occurrence 2 of this id in the log\n/);
  await serving("long.db", async (get) => {
    const seen = [];
    let pages = 0;
    for (let cursor = ""; cursor !== null; ++pages) {
      const page = await get(`/artifacts/${id}/compilations?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      assert.ok(JSON.stringify(page).length < 5 * 2 ** 20);
      seen.push(...page.items.map((one) => one.ordinal));
      cursor = page.next_cursor;
    }
    assert.deepEqual([seen, pages], [[...Array(101).keys()], 2]);
  });
});

test("logs of TORCH_TRACE are taken in per rank, answered by pages, and pruned", async () => {
  const dynamo = { dynamo: "inductor" };
  const of = "cuda-inductor-False-eval-None-None-None-alpha";
  write("logs/results.jsonl", line({ metrics: times(0.5), experiment: dynamo }) + "\n");
  for (const rank of [0, 1]) write(`logs/alpha/torch-trace-${of}/dedicated_log_torch_trace_rank_${rank}_x.log`, torchTrace(`f${rank}`));
  write(`logs/alpha/torch-trace-${of}/notes.txt`, "not a log");
  const stray = write("stray/dedicated_log_torch_trace_y.log", torchTrace("f2"));
  const done = ingest("logs.db", join(folder, "logs"), stray);
  assert.deepEqual(done.dumps.map((dump) => [dump.outcome, dump.orphaned, dump.problem_count, dump.unreadable]), [["new", false, 2, null], ["new", false, 2, null], ["new", true, 2, null]]);
  assert.equal(ingest("logs.db", stray, "--for", "latest/alpha/eval/inductor").dumps[0].orphaned, false);
  const all = list("logs.db", "latest/alpha/eval/inductor", "--kind", "torch_trace").sort((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepEqual(all.map((one) => one.name.split("/").pop()), ["dedicated_log_torch_trace_rank_0_x.log", "dedicated_log_torch_trace_rank_1_x.log", "dedicated_log_torch_trace_y.log"]);
  const { id } = all[1];
  const shown = benchhud("artifacts", "show", String(id), "--db", join(folder, "logs.db"));
  assert.match(shown.stdout, /^rank 1: 11 records, 3 compilations\n/);
  assert.match(shown.stdout, /\n\[0\/2\] +0\.001500 +unknown +f1 +failed: E\n/);
  assert.match(shown.stdout, /\nline \d+: the record's payload of 0 bytes is damaged/);

  await serving("logs.db", async (get) => {
    const { torch_trace: log, problems } = await get(`/artifacts/${id}/content`);
    assert.deepEqual([log.rank, log.compilation_count, log.damaged_payloads, log.unreadable_lines, problems.length], [1, 3, 1, 1, 2]);
    const first = await get(`/artifacts/${id}/compilations?limit=2`);
    assert.deepEqual([first.items.map((one) => one.compile_id), first.total], [["0/0", "0/1"], 3]);
    const second = await get(`/artifacts/${id}/compilations?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    assert.deepEqual([second.items.map((one) => [one.compile_id, one.fail_type, one.seconds, one.guard_count]), second.next_cursor], [[["0/2", "E", 0.0015, null]], null]);
    assert.deepEqual(second.items[0].stack, [{ file: "model.py", line: 3, name: "main", code: null }]);
    const code = first.items[1].outputs.find((one) => one.kind === "inductor_output_code");
    assert.equal(code.name, "/tmp/c.py");
    const text = `/artifacts/${id}/compilation-text?output=${code.output}`;
    assert.equal(await get(text), "code of f1\nwith ü 1");
    assert.equal(await get(`${text}&offset=0&length=7`), "code of");
    const csv = await get(`/artifacts/${id}/compilations?format=csv`);
    assert.match(csv, /^ordinal,compile_id,/);
  });
  const db = join(folder, "logs.db");
  const pruned = benchhud("prune", "torch_trace", "--before", "2100-01-01", "--db", db);
  assert.equal(pruned.status, 0, pruned.stderr);
  const after = benchhud("artifacts", "show", String(id), "--db", db);
  assert.match(after.stderr, /nothing of this log was kept/);
  assert.match(benchhud("doctor", "--db", db).stdout, /good +integrity/);
});
