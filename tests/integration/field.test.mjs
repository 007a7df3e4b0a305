// Files that went wrong in the field (tests/data/field), through the real program.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as zlib from "node:zlib";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const field = (name) => join(root, "tests/data/field", name);

let folder;
before(() => (folder = temporaryFolder("field")));
after(() => removeFolder(folder));

function run(...args) {
  const done = benchhud(...args);
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}
const told = (what, name) => JSON.parse(run("trace", what, field(name), "--format", "json"));

describe("traces", () => {
  test("a device record whose times were lost is set aside, counted and said", () => {
    const said = told("summary", "04_device_record_at_zero.json");
    assert.equal(said.device.span_ns, 40_000);
    assert.equal(said.device.kernels, 1);
    assert.equal(said.refused, 2);
    assert.match(said.problems[0].reason, /its times were lost/);
    assert.match(run("trace", "summary", field("04_device_record_at_zero.json")), /its times were lost/);
  });

  test("category and id together identify a flow", () => {
    assert.deepEqual(told("summary", "08_flow_ids_of_two_categories.json").flows, { bound: 0, dangling: 1 });
  });

  test("bind_id makes two flows of three slices", () => {
    assert.deepEqual(told("summary", "14_flows_bind_id.json").flows, { bound: 2, dangling: 0 });
  });

  test("a slice without dur is a problem", () => {
    const said = told("summary", "15_slice_without_duration.json");
    assert.deepEqual([said.slices, said.problem_count], [2, 1]);
  });

  test("text between two events costs neither", () => {
    const said = told("summary", "16_text_between_events.json");
    assert.deepEqual([said.slices, said.broken, said.problem_count], [3, 1, 1]);
  });
});

describe("compile times", () => {
  test("m1_compile_events.json: PyTorch's own events tell time by compile id and phase", () => {
    const { compile_time: said, cannot_tell } = told("report", "m1_compile_events.json");
    assert.deepEqual(
      said.by_compile_id.map((one) => [one.compile_id, one.compiled.total_ns, one.phases.map((phase) => [phase.name, phase.time.total_ns])]),
      [["0/0", 1_000_000, [["dynamo", 1_000_000], ["inductor_compile", 600_000]]]],
    );
    assert.deepEqual([said.total_ns, said.profiled], [1_000_000, false]);
    assert.equal(cannot_tell.device, null, "a phase of compiling is no device's");
    assert.match(run("trace", "report", field("m1_compile_events.json")), /compilation by compile id\n +1 ms +0\/0\n +1 ms +dynamo\n +600 µs +inductor_compile\n/);
  });

  test("m2_compile_times_in_log.txt: a table is read behind its logger's prefix", () => {
    const found = JSON.parse(run("profile", "diff", field("m2_compile_times_in_log.txt"), field("m2_compile_times_in_log.txt"), "--format", "json"));
    assert.deepEqual([found.kind, found.sections[0].before, found.problems], ["compile times", 2_857_900_000, []]);
  });
});

describe("devices of all makers", () => {
  test("03_device_npu.json: one device with one kernel, and the operator that an arrow leads from", () => {
    const said = told("summary", "03_device_npu.json");
    assert.deepEqual(said.device, { kernels: 1, busy_ns: 41_350, span_ns: 41_350, utilization: 1, utilization_of_steps: null, devices: 1, least_busy_ns: 41_350, most_busy_ns: 41_350 });
    assert.equal(said.kernel_classes.gemm, 1);
    assert.equal(said.cannot_tell.device, null);
    assert.match(said.cannot_tell.launches, /1 slice on devices/);
    assert.equal(said.launches.by_name, null, "the operator is known, the call is not");
    const report = told("report", "03_device_npu.json");
    assert.deepEqual(report.operators.by_name.map(({ name, device_ns }) => [name, device_ns]), [["aten::mm", 41_350]]);
    assert.deepEqual(report.kernels.by_operator.map(({ name }) => name), ["aten::mm"]);
    assert.equal(report.host_busy_ns, 113_080);
  });

  test("03_device_xprof_gpu.json: a GPU with its kernels, copy and launch", () => {
    const said = told("summary", "03_device_xprof_gpu.json");
    assert.deepEqual(said.device, { kernels: 2, busy_ns: 33_000, span_ns: 43_000, utilization: 33 / 43, utilization_of_steps: null, devices: 1, least_busy_ns: 33_000, most_busy_ns: 33_000 });
    const { gemm, elementwise, memcpy } = said.kernel_classes;
    assert.deepEqual([gemm, elementwise, memcpy], [1, 1, 1]);
    assert.deepEqual(said.launches.by_name, { cuLaunchKernel: 1 });
    assert.deepEqual(said.idle_ns, { host_wait: 0, kernel_wait: 0, other: 0, unknown: 5000 });
    assert.deepEqual(said.cannot_tell, { device: null, launches: null });
  });

  test("02_launches_xpu.json: launches of another runtime are tied to their kernels", () => {
    const said = told("summary", "02_launches_xpu.json");
    assert.deepEqual(said.cannot_tell, { device: null, launches: null });
    assert.deepEqual([said.device.kernels, said.device.busy_ns], [2, 18_000]);
    assert.deepEqual(said.launches.by_name, { urEnqueueKernelLaunch: 2 });
    assert.deepEqual(said.idle_ns, { host_wait: 41_000, kernel_wait: 0, other: 0, unknown: 0 });
    assert.deepEqual(said.launch_delay_ns, { p50: 6000, p90: 6000, max: 6000 });
    assert.equal(told("report", "02_launches_xpu.json").operators.by_name.find(({ name }) => name === "aten::mm").device_ns, 18_000);
  });

  test("09_communication_kernels.json: four communication kernels", () => {
    assert.equal(told("summary", "09_communication_kernels.json").kernel_classes.communication, 4);
    const report = told("report", "09_communication_kernels.json");
    assert.equal(report.device_breakdown.communication_ns, 120_000);
    assert.equal(report.kernels.total.total_ns, 120_000);
  });
});

describe("rules of a team's own", () => {
  const rules = (text) => {
    const file = join(folder, "rules.txt");
    writeFileSync(file, text);
    return file;
  };
  const summary = (file) => benchhud("trace", "summary", field("02_launches_xpu.json"), "--format", "json", "--kernel-rules", file);

  test("come before the program's", () => {
    const done = summary(rules("# ours\nattention name is GEMM_kernel\n"));
    assert.equal(done.status, 0, done.stderr);
    assert.equal(JSON.parse(done.stdout).kernel_classes.attention, 2);
  });

  test("are refused with the line of what is no rule, by every command", () => {
    const file = rules("gemm name contains x\n\ngemm name like x\n");
    assert.match(summary(file).stderr, /rules\.txt:3: .*“like”/);
    for (const args of [["ingest", field("02_launches_xpu.json")], ["serve"], ["watch", folder, "--once"], ["rebuild"]]) {
      const done = benchhud(...args, "--kernel-rules", file, "--db", join(folder, "never.db"));
      assert.notEqual(done.status, 0);
      assert.match(done.stderr, /rules\.txt:3: /);
    }
    assert.match(summary(join(folder, "none.txt")).stderr, /none\.txt/);
  });
});

describe("devices that are not known", () => {
  const unknown = (events) => {
    const file = join(folder, "unknown.json");
    writeFileSync(file, JSON.stringify(events));
    return (what) => JSON.parse(run("trace", what, file, "--format", "json"));
  };

  test("nothing tells where some slices ran: no number hangs on it", () => {
    const told = unknown([
      { ph: "X", pid: 1, tid: 1, ts: 1, dur: 5, name: "aten::mm", cat: "cpu_op" },
      { ph: "X", pid: 2, tid: 3, ts: 2, dur: 5, name: "mm", cat: "odd" },
    ]);
    const said = told("summary");
    assert.match(said.cannot_tell.device, /1 slice on 1 track may be a device's: neither their categories \(odd\)/);
    assert.deepEqual(said.device, { kernels: null, busy_ns: null, span_ns: null, utilization: null, utilization_of_steps: null, devices: null, least_busy_ns: null, most_busy_ns: null });
    assert.equal(said.kernel_classes, null);
    assert.deepEqual(said.idle_ns, { host_wait: null, kernel_wait: null, other: null, unknown: null });
    const report = told("report");
    for (const key of ["device_breakdown", "kernels", "launches", "launch_queues", "copies", "host_busy_ns"]) assert.equal(report[key], null, key);
    assert.equal(report.profiling.synchronizations, null);
    assert.ok(report.operators.by_name.every((row) => row.device_ns === null));
    assert.deepEqual(report.advice.map(({ code }) => code), ["unknown_device"]);
    for (const what of ["summary", "report"]) {
      const text = run("trace", what, join(folder, "unknown.json"));
      assert.doesNotMatch(text, /nothing ran|on the host:/);
      assert.match(text, /cannot be told/);
    }
    assert.match(run("trace", "summary", join(folder, "unknown.json")), /device +cannot tell: /);
  });

  test("calls launched something, and nothing of it is in the trace", () => {
    const told = unknown([{ ph: "X", pid: 1, tid: 1, ts: 1, dur: 5, name: "cudaLaunchKernel", cat: "cuda_runtime", args: { correlation: 1 } }]);
    assert.match(told("summary").cannot_tell.device, /1 call launched something/);
  });

  test("of an empty trace it is not known whether anything ran on a device", () => {
    const told = unknown([]);
    assert.match(told("summary").cannot_tell.device, /no slices: whether anything ran on a device is not known/);
    assert.equal(told("report").kernels, null);
    assert.doesNotMatch(run("trace", "summary", join(folder, "unknown.json")), /nothing ran/i);
  });

  test("on a CPU nothing ran on a device, and that is known", () => {
    const night = join(root, "samples/cpu_nightlies/2025-11-10/resnet_mini/0");
    const said = JSON.parse(run("trace", "summary", join(night, "trace-cpu-inductor-False-eval-None-None-None-resnet_mini.json.gz"), "--format", "json"));
    assert.deepEqual(said.cannot_tell, { device: null, launches: null });
    assert.equal(said.device.kernels, 0);
  });
});

describe("files given plainly", () => {
  const asked = { "07_trace_given_plainly.json": /Chrome trace.*--for/, "01_key_averages_xpu.txt": /operator table.*--for/ };

  test("are recognised, and what to do is said", () => {
    for (const [name, words] of Object.entries(asked)) {
      const db = join(folder, `${name}.db`);
      const done = benchhud("ingest", field(name), "--db", db);
      assert.equal(done.status, 1);
      assert.match(done.stderr, words);
      assert.doesNotMatch(done.stderr, /rejected/);
    }
  });

  test("sent to the server, too", async () => {
    const db = join(folder, "sent.db");
    const server = await serve(db);
    try {
      for (const [name, words] of Object.entries(asked)) {
        const response = await fetch(`${server.base}/api/v1/ingest?name=${name}`, { method: "POST", headers: { ...server.bearer(), "content-type": "text/plain" }, body: readFileSync(field(name)) });
        const said = await response.json();
        assert.equal(response.status, 400);
        assert.match(said.detail, words);
      }
      const ingests = await (await fetch(`${server.base}/api/v1/ingests`)).json();
      assert.deepEqual(ingests.items, []);
      const packed = await fetch(`${server.base}/api/v1/ingest?name=x.jsonl`, { method: "POST", headers: { ...server.bearer(), "content-type": "text/plain" }, body: Buffer.from("\x28\xb5\x2f\xfd----", "latin1") });
      assert.equal(packed.status, 415);
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
  });

  test("archives are named", () => {
    const zip = join(folder, "results.jsonl");
    writeFileSync(zip, "PK\x03\x04\x14\0\0\0");
    assert.match(benchhud("ingest", zip, "--db", join(folder, "zip.db")).stderr, /zip archive/);
    assert.match(benchhud("trace", "summary", zip).stderr, /zip archive/);
  });

  test("zstd is read", { skip: zlib.zstdCompressSync ? false : "this Node.js has no zstd" }, () => {
    const trace = join(folder, "t.json.zst");
    writeFileSync(trace, zlib.zstdCompressSync(readFileSync(field("15_slice_without_duration.json"))));
    assert.equal(JSON.parse(run("trace", "summary", trace, "--format", "json")).slices, 2);
  });
});

describe("operator tables", () => {
  test("one kernel slower by 800 µs is explained once", async () => {
    const db = join(folder, "tables.db");
    const line = (timestamp) => `${JSON.stringify({
      model: { suite_name: "s", model_name: "m" },
      experiment: { accelerator: "xpu", accelerator_model: "X", xla: null, xla_flags: null, dynamo: "inductor", test: "eval", batch_size: 1 },
      metrics: { total_time: [2, 1, 1, 1], per_iter_time: [2, 1, 1, 1] }, timestamp, repeat: 4, iterations_per_run: 1,
    })}\n`;
    const file = join(folder, "tables.jsonl");
    writeFileSync(file, line(1735689600) + line(1735776000));
    run("ingest", file, "--db", db);
    for (const [night, name] of [["2025-01-01", "before"], ["2025-01-02", "after"]]) {
      run("ingest", field(`10_kernels_as_rows/${name}.txt`), "--for", `${night}/m/eval/inductor`, "--db", db);
    }
    const server = await serve(db);
    try {
      const { items } = await (await fetch(`${server.base}/api/v1/artifacts`)).json();
      const [before, after] = ["before", "after"].map((name) => items.find((one) => one.name.includes(name)).id);
      const { pair } = await (await fetch(`${server.base}/api/v1/artifact-diff?before=${before}&after=${after}`)).json();
      const device = pair.sections.find(({ of }) => of === "self XPU time");
      assert.equal(device.after - device.before, 800_000);
      assert.equal(device.unexplained, 0);
      assert.deepEqual(device.changes.map(({ name, share }) => [name, share]), [["tile_gemm_kernel", 1]]);
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
  });
});

test("HUD records without device and time come back as the same results", () => {
  const db = join(folder, "hud.db");
  const first = JSON.parse(run("ingest", field("11_hud_v3_without_device_and_time.json"), "--accelerator-model", "NVIDIA A100", "--timestamp", "2026-01-05T06:07:08.25Z", "--format", "json", "--db", db));
  assert.deepEqual([first.accepted, first.rejected], [1, 0]);
  const before = run("export", "--format", "jsonl", "--db", db);
  const exported = run("export", "--format", "hud-v3", "--db", db);
  const record = JSON.parse(exported);
  assert.equal(record.timestamp, Date.parse("2026-01-05T06:07:08Z") / 1000);
  assert.equal(record.runners[0].type, "NVIDIA A100");
  const file = join(folder, "hud.jsonl");
  writeFileSync(file, exported);
  for (const options of [[], ["--accelerator-model", "another", "--timestamp", "2026-02-02"]]) {
    const again = JSON.parse(run("ingest", file, ...options, "--format", "json", "--db", db));
    assert.deepEqual([again.accepted, again.duplicate, again.rejected], [0, 1, 0]);
  }
  assert.equal(run("export", "--format", "jsonl", "--db", db), before);
  assert.equal(run("export", "--format", "hud-v3", "--db", db), exported);
  // And in another store they are the same.
  const copy = join(folder, "hud_copy.db");
  run("ingest", file, "--db", copy);
  assert.equal(run("export", "--format", "jsonl", "--db", copy), before);
});

test("a fall by 12 % after six nights is a suspect", () => {
  const [{ change_points }] = JSON.parse(run("detect", field("18_step_after_six_nights.csv"), "--format", "json")).series;
  assert.equal(change_points.length, 1);
  assert.deepEqual([change_points[0].night, change_points[0].state], ["2024-03-07", "suspect"]);
  assert.ok(Math.abs(change_points[0].effect + 0.12) < 0.01);
});

test("what the dynamo runner skips on purpose did not fail", async () => {
  const db = join(folder, "skip.db");
  run("ingest", field("12_pass_due_to_skip"), "--accelerator-model", "NVIDIA A100", "--timestamp", "2026-01-05", "--db", db);
  const server = await serve(db);
  try {
    const get = async (path) => (await fetch(`${server.base}/api/v1/${path}`)).json();
    const { items } = await get("results?run=latest&limit=100");
    const of = (model) => items.find(({ experiment }) => experiment.model === model && experiment.backend === "cudagraphs");
    assert.equal(of("timm_vision_transformer_large").status, "skipped");
    assert.equal(of("timm_vision_transformer_large").verification.code, "pass_due_to_skip");
    assert.equal(of("resnet50").status, "timed");
    const { run, failed_count } = await get("runs/latest");
    assert.equal(run?.failed_count ?? failed_count, 0);
    const { codes } = await get("verification?run=latest");
    assert.match(codes.find(({ code }) => code === "pass_due_to_skip").meaning, /on purpose/);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});
