// Phases, timing hygiene and counters of results, asked of the real program.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ajv } from "./support/contract.mjs";
import { line } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

/** So many equal repetitions behind those that are given. */
const then = (first, rest, count) => [...first, ...Array(count).fill(rest)];

const xla = { xla: "PJRT", dynamo: "openxla" };
const measured = {
  total_time: then([10, 2, 1.5], 1, 9),
  per_iter_time: then([10, 2, 1.5], 1, 9),
  trace_total_time: then([7, 1, 0.5], 0.25, 9),
  xla_CompileTime_time_s: then([4, 0.5, 0], 0, 9),
  xla_CompileTime_number: then([2, 1, 0], 0, 9),
  // The users' document calls it so.
  xla_ExecutionTime_time_s: then([1, 0.75, 0.75], 0.5, 9),
  xla_ExecutionTime_number: then([1, 1, 1], 1, 9),
};
const notWaited = { ...measured, trace_total_time: then([7, 2, 1.5], 1, 9), xla_ExecutionTime_time_s: then([1], 4, 11) };
const graphs = (count) => ({ frames: { total: count, ok: count }, stats: { unique_graphs: count, calls_captured: 7 * count }, inductor: { fxgraph_cache_hit: 1 } });

let folder, server;

before(async () => {
  folder = temporaryFolder("phases");
  const made = join(folder, "2025-11-05.jsonl");
  const operation = (calls, seconds) => ({ self_cpu_time_s: seconds, total_cpu_time_s: seconds, self_cuda_time_s: 0, total_cuda_time_s: 0, num_of_calls: calls });
  const lines = [
    line({ model: "measured", experiment: xla, metrics: measured }),
    line({ model: "traced", experiment: xla, metrics: notWaited }),
    line({ model: "counted", repeat: 12, metrics: { total_time: then([9, 1], 1, 10), per_iter_time: then([9, 1], 1, 10), dynamo_counters: [graphs(3), graphs(1), {}, {}, graphs(1), ...Array(7).fill({})] } }),
    line({ model: "beta", metrics: { total_time: then([9], 1, 8), per_iter_time: then([9], 1, 8) } }),
    line({ model: "beta", experiment: { ...xla, batch_size: 16 }, metrics: measured }),
    line({
      model: "fallback",
      experiment: xla,
      metrics: {
        ...measured,
        total_cpu_time_s: then([1], 1, 11),
        xla_unlowered_ops: [{ "aten::nonzero": operation(4, 3), "aten::nms": operation(1, 0.5) }, { "aten::nms": operation(2, 0.25), "aten::roll": operation(1, 2) }],
      },
    }),
    // Hostile: numbers that are none, counters that are none, and a reason with everything in it.
    line({ model: "hostile", metrics: { total_time: [9, null, 2, 3, 4, 5, 6], dynamo_counters: [{ stats: { unique_graphs: 1e300, calls_captured: "many", other: -3 }, graph_break: { 'quo"te \u0000 <b> \ud83d\ude00': 2 } }, null, 7, [], { stats: 5 }] } }).replace("null,2", "NaN,Infinity"),
    line({ model: "nonsense", metrics: { total_time: [9, 1, 1, 1, 1], dynamo_counters: "none", xla_unlowered_ops: [{ "aten::nms": null }, null] } }),
    line({ model: "bare", metrics: { total_time: [9, 1, 1, 1, 1], dynamo_counters: [{ stats: { unique_graphs: "NaN here", seconds: 1 } }, {}] } }).replace('"NaN here"', "NaN"),
    line({ model: "failed", experiment: { ...xla, batch_size: null }, metrics: { error: "RuntimeError: no" } }),
  ];
  writeFileSync(made, lines.join("\n") + "\n");
  const db = join(folder, "store.db");
  const done = benchhud("ingest", join(root, "samples"), made, "--db", db);
  assert.equal(done.status, 0, done.stdout + done.stderr);
  server = await serve(db);
});

after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

async function getJson(path) {
  const response = await fetch(`${server.base}/api/v1${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

function check(schema, data) {
  const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
  assert.ok(validate(data), ajv.errorsText(validate.errors?.slice(0, 5), { separator: "\n" }));
  return data;
}

/** The phases of one result, by its run and what tells it apart there. */
async function phasesOf(run, filter, query = "") {
  const { items } = await getJson(`/results?run=${run}&limit=10&${new URLSearchParams(filter)}`);
  assert.equal(items.length, 1, JSON.stringify(filter));
  return check("PhasesAnswer", await getJson(`/runs/${items[0].run_id}/results/${items[0].experiment.id}/phases${query}`));
}

const made = (model, more = {}, query = "") => phasesOf("2025-11-05T", { model, accelerator_model: "NVIDIA A100-SXM4-40GB", ...more }, query);
const codes = (answer) => answer.flags.map((flag) => flag.code);
const outcome = (answer, code) => answer.checks.find((check) => check.code === code).outcome;

describe("phases", () => {
  test("with XLA's metrics each is measured", async () => {
    const answer = await made("measured");
    assert.deepEqual(answer.metrics, { tracing: "trace_total_time", compiling: "xla_CompileTime_time_s", executing: "xla_ExecuteTime_time_s" });
    const [first] = answer.repetitions;
    assert.deepEqual(first.tracing, { seconds: 3, basis: "derived", interval: null });
    assert.equal(first.compiling.seconds, 4);
    assert.equal(first.executing.seconds, 1);
    assert.equal(first.rest.seconds, 2);
    assert.equal(first.xla_compilations, 2);
    assert.equal(answer.warmup.repetitions, 3);
    assert.equal(answer.warmup.compiling.sum, 4.5);
    assert.equal(answer.steady.total.median, 1);
    assert.equal(answer.steady.total.n, 9);
    assert.equal(answer.steady.tracing.median, 0.25);
    assert.equal(answer.steady.executing.median, 0.5);
    assert.equal(answer.steady.rest.median, 0.25);
    assert.equal(answer.first_excess.seconds, 9);
    assert.deepEqual(codes(answer), []);
    assert.equal(outcome(answer, "only_tracing"), "not_found");
    assert.equal(answer.dynamo, null);
    assert.equal(answer.fallbacks, null);
    assert.ok(answer.definitions.phases.every(({ meaning }) => meaning.length > 20));
    assert.deepEqual(answer.definitions.checks.map((d) => d.name), answer.checks.map((c) => c.code));
  });

  test("as CSV: a row a repetition", async () => {
    const { run, experiment } = await made("measured");
    const response = await fetch(`${server.base}/api/v1/runs/${run.id}/results/${experiment.id}/phases?format=csv`);
    const [header, ...rows] = (await response.text()).trimEnd().split("\r\n");
    assert.equal(rows.length, 12);
    assert.match(header, /^repetition,warmup,total,tracing,tracing_basis,compiling,compiling_basis,/);
    assert.equal(rows[0], "0,true,10,3,derived,4,measured,1,measured,2,derived,[],,2,");
    assert.equal(rows[11], "11,false,1,0.25,measured,0,measured,0.5,measured,0.25,derived,[],,0,");
  });

  test("without them compiling is inferred, and what is unknown is not 0", async () => {
    const answer = await made("beta", { backend: "inductor" });
    const [first, second] = answer.repetitions;
    assert.deepEqual(first.compiling, { seconds: 8, basis: "inferred", interval: { low: 8, high: 8, confidence: 5 / 7 } });
    assert.deepEqual(first.rest_holds, ["tracing", "executing"]);
    assert.deepEqual(second.compiling, { seconds: null, basis: "not_recorded", interval: null });
    assert.equal(outcome(answer, "compiling_in_steady_state"), "cannot_tell");
    assert.equal(answer.steady.executing.n, 0);
    assert.equal(answer.steady.executing.sum, null);
  });

  test("Dynamo's counters tell which repetitions compiled", async () => {
    const answer = await made("counted");
    assert.equal(answer.repetitions[0].compiling.basis, "inferred");
    assert.equal(answer.repetitions[1].compiling.basis, "noise");
    assert.equal(answer.repetitions[2].compiling.basis, "counted");
    assert.equal(answer.dynamo.unique_graphs, 5);
    assert.equal(answer.dynamo.recaptured_graphs, 2);
    assert.equal(answer.dynamo.calls_captured, 35);
    const [flag] = answer.flags;
    assert.equal(flag.code, "compiling_in_steady_state");
    assert.deepEqual(flag.repetitions, [4]);
    assert.match(flag.sentence, /1 of 9 steady repetitions still compiled \(Dynamo captured 1 graph\)/);
  });

  test("a result that was not timed has none", async () => {
    const answer = await made("failed");
    assert.equal(answer.line_id, null);
    assert.deepEqual(answer.repetitions, []);
    assert.deepEqual(answer.flags, []);
    assert.ok(answer.checks.every((check) => check.outcome === "cannot_tell"));
  });

  test("hostile metrics are read as far as they go", async () => {
    const hostile = await made("hostile");
    assert.equal(hostile.repetitions.length, 7);
    assert.equal(hostile.repetitions[1].total, null);
    assert.equal(hostile.dynamo.repetitions, 5);
    assert.equal(hostile.dynamo.graph_break_count, 2);
    assert.equal(hostile.dynamo.graph_breaks[0].reason, 'quo"te \u0000 <b> \ud83d\ude00');
    const nonsense = await made("nonsense");
    assert.deepEqual(nonsense.unreadable, ["dynamo_counters"]);
    assert.equal(nonsense.dynamo, null);
    assert.deepEqual(nonsense.fallbacks, { items: [], omitted: 0 });
    assert.deepEqual(codes(nonsense), ["profiler_on", "too_few_repetitions"]);
    const bare = await made("bare");
    assert.deepEqual(bare.unreadable, [], "a NaN among the counters costs itself");
    assert.equal(bare.dynamo.counters.length, 1);
  });
});

describe("timing hygiene", () => {
  test("only tracing was measured", async () => {
    const answer = await made("traced");
    assert.equal(answer.flags[0].code, "only_tracing");
    assert.equal(answer.flags[0].severity, "wrong");
    assert.equal(answer.flags[0].values.device_s, 4);
    assert.equal(answer.repetitions[5].rest.basis, "overlapping");
    assert.equal(answer.repetitions[5].overlap, 4);
  });

  test("a batch size unlike the baseline's", async () => {
    const answer = await made("beta", { backend: "openxla+dynamo" });
    assert.ok(codes(answer).includes("batch_size_differs"));
    assert.equal(answer.flags.find((flag) => flag.code === "batch_size_differs").sentence, "Batch size 16, while inductor ran 8: the two are not compared.");
    const other = await made("beta", { backend: "openxla+dynamo" }, "?baseline=eager");
    assert.equal(outcome(other, "batch_size_differs"), "cannot_tell", "eager did not run it");
    const own = await made("beta", { backend: "inductor" });
    assert.equal(outcome(own, "batch_size_differs"), "not_found");
  });

  test("profiled, with fallbacks: the unusual ones first", async () => {
    const answer = await made("fallback");
    assert.ok(codes(answer).includes("profiler_on"));
    assert.deepEqual(
      answer.fallbacks.items.map((item) => [item.operation, item.usual, item.calls, item.total_cpu, item.repetitions]),
      [
        ["aten::roll", false, 1, 2, 1],
        ["aten::nms", false, 3, 0.75, 2],
        ["aten::nonzero", true, 4, 3, 1],
      ],
    );
  });
});

describe("real nights", () => {
  test("the graph breaks that came into resnet_mini on 2025-11-10", async () => {
    const of = (run) => phasesOf(run, { model: "resnet_mini", test: "eval", backend: "inductor" });
    const before = await of("2025-11-09");
    assert.equal(before.dynamo.graph_break_count, 0);
    assert.equal(before.dynamo.unique_graphs, 1);
    const after = await of("2025-11-10");
    assert.equal(after.dynamo.graph_break_count, 2);
    assert.match(after.dynamo.graph_breaks[0].reason, /^skip function graph_break in file/);
    assert.equal(after.dynamo.unique_graphs, 3);
    assert.equal(after.repetitions[0].compiling.basis, "inferred");
    assert.ok(Math.abs(after.repetitions[0].compiling.seconds - 5.0549502930002745) < 0.01, "all but the steady time");
    assert.ok(after.repetitions.slice(1).every((repetition) => repetition.compiling.basis === "counted"));
    assert.equal(after.steady.compiling.median, 0);
    assert.ok(!codes(after).includes("compiling_in_steady_state"));
  });

  test("eager compiles nothing; noise_mini captures again in its second repetition, which is warm-up", async () => {
    const eager = await phasesOf("2025-11-10", { model: "resnet_mini", test: "eval", backend: "eager" });
    assert.ok(eager.repetitions.every((repetition) => repetition.compiling.basis === "no_compiler"));
    assert.equal(eager.dynamo, null);
    const noise = await phasesOf("2025-11-10", { model: "noise_mini", test: "eval", backend: "inductor" });
    assert.equal(noise.dynamo.recaptured_graphs, 1);
    assert.equal(noise.repetitions[1].graphs_captured, 1);
    assert.equal(outcome(noise, "compiling_in_steady_state"), "not_found");
  });

  test("over runs: the same as each by itself", async () => {
    const question = "/series/phases?suite=cpu-mini&model=resnet_mini&test=eval";
    const answer = check("PhaseSeriesAnswer", await getJson(question));
    assert.equal(answer.runs.length, 28);
    assert.deepEqual(answer.series.map((s) => s.experiment.backend).sort(), ["aot_eager", "eager", "inductor"]);
    for (const series of answer.series) {
      assert.equal(series.points.length, 28);
      for (const i of [0, 9, 27]) {
        const one = await getJson(`/runs/${answer.runs[i].id}/results/${series.experiment.id}/phases`);
        assert.deepEqual(series.points[i].steady, one.steady);
        assert.deepEqual(series.points[i].warmup, one.warmup);
        assert.deepEqual(series.points[i].first_excess, one.first_excess);
        assert.deepEqual(series.points[i].flags, one.flags.map(({ code, severity }) => ({ code, severity })));
      }
    }
    const inductor = await getJson(`${question}&backend=inductor&runs=5`);
    assert.equal(inductor.series.length, 1);
    assert.equal(inductor.runs.length, 5);
  });

  test("flags of 28 nights are few, and none says that a time is wrong", async () => {
    const counts = {};
    let points = 0;
    for (const { model } of (await getJson("/models?suite=cpu-mini")).items) {
      for (const kind of ["eval", "train"]) {
        const answer = await getJson(`/series/phases?suite=cpu-mini&model=${model}&test=${kind}`);
        for (const point of answer.series.flatMap((series) => series.points)) {
          if (!point) continue;
          ++points;
          for (const { code, severity } of point.flags) {
            counts[code] = (counts[code] ?? 0) + 1;
            assert.notEqual(severity, "wrong", `${model} ${kind}: ${code}`);
          }
        }
      }
    }
    assert.ok(points > 900, `${points} timed results`);
    // A machine that was not always quiet; but drift and humps by chance come in 1 % of results.
    assert.deepEqual(Object.keys(counts).filter((code) => !["high_spread", "drifting", "bimodal"].includes(code)), []);
    assert.ok((counts.drifting ?? 0) + (counts.bimodal ?? 0) <= 0.03 * points, JSON.stringify(counts));
  });
});

const shared = join(root, "../shared/data/results");

test("nights of 2023: profiler metrics of a format that is gone", { skip: !existsSync(shared) && "../shared is not there" }, async () => {
  const folder = temporaryFolder("phases-2023");
  try {
    const example = JSON.parse(readFileSync(join(shared, "output-example.json"), "utf8"));
    const file = join(folder, "2023-10-01.jsonl");
    writeFileSync(file, JSON.stringify(example) + "\n");
    const db = join(folder, "store.db");
    assert.equal(benchhud("ingest", file, join(shared, "v100.jsonl"), "--db", db).status, 0);
    const other = await serve(db);
    try {
      const ask = async (path) => (await fetch(`${other.base}/api/v1${path}`)).json();
      const [item] = (await ask("/results?model=DALLE2_pytorch")).items;
      const answer = check("PhasesAnswer", await ask(`/runs/${item.run_id}/results/${item.experiment.id}/phases`));
      // trace_per_iter_time alone, times one iteration; the call of the first repetition compiled.
      assert.equal(answer.metrics.tracing, "trace_total_time");
      assert.equal(answer.repetitions[0].tracing.basis, "inseparable");
      assert.equal(answer.repetitions[4].tracing.seconds, 0.055552588775753975);
      assert.equal(answer.repetitions[4].rest.basis, "overlapping", "kernels ran while the host traced");
      assert.ok(codes(answer).includes("profiler_on"));
      const few = (await ask("/results?model=BERT_pytorch&limit=1")).items[0];
      const phases = check("PhasesAnswer", await ask(`/runs/${few.run_id}/results/${few.experiment.id}/phases`));
      assert.ok(codes(phases).includes("too_few_repetitions"));
      assert.equal(phases.repetitions[0].compiling.basis, "inferred");
    } finally {
      await other.stop();
    }
  } finally {
    removeFolder(folder);
  }
});
