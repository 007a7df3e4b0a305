// `benchhud trace report`: what must hold of every report, on samples and on real traces.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

import { benchhud, root } from "./support/server.mjs";

const nights = join(root, "samples/cpu_nightlies");
const real = join(root, "../shared/data/traces");
const numbers = join(real, "reference_numbers.json");
const missing = existsSync(numbers) ? false : "no shared/data/traces beside the checkout";

function tell(what, file) {
  const done = benchhud("trace", what, file, "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

const trace = (night, repetition, backend, test, model = "resnet_mini") => join(nights, night, model, `${repetition}`,
  `trace-cpu-${backend}-False-${test}-None-None-None-${model}.json.gz`);

const sum = (list, of = (x) => x) => list.reduce((all, x) => all + of(x), 0);
function near(a, b, what) {
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} and ${b}`);
}

/** What is true of any report, with the summary of the same trace. */
function check(said, summary) {
  const { kernels, device_breakdown: breakdown, launches, operators, steps, graph_breaks: breaks } = said;
  // The device, as far as it can be told.
  assert.deepEqual(said.cannot_tell, summary.cannot_tell);
  if (said.cannot_tell.device === null) {
    assert.equal(sum(Object.values(breakdown.exclusive_ns)), breakdown.span_ns);
    assert.equal(breakdown.span_ns, summary.device.span_ns);
    assert.equal(breakdown.span_ns - breakdown.idle_ns, summary.device.busy_ns);
    assert.equal(sum(kernels.by_name, (row) => row.count) + kernels.left_out.count, kernels.total.count);
    assert.equal(sum(kernels.by_name, (row) => row.total_ns) + kernels.left_out.total_ns, kernels.total.total_ns);
    assert.equal(sum(kernels.by_operator, (row) => row.count) + kernels.operators_left_out_total.count, kernels.total.count);
    assert.equal(sum(Object.values(summary.kernel_classes)), kernels.total.count);
    if (kernels.total.total_ns > 0) {
      near(sum(kernels.by_name, (row) => row.share) + kernels.left_out.total_ns / kernels.total.total_ns, 1, "shares of kernels");
    }
    for (const row of kernels.by_name) {
      assert.ok(row.min_ns <= row.mean_ns && row.mean_ns <= row.max_ns, row.name);
    }
    assert.equal(sum(said.copies, (row) => row.count), summary.kernel_classes.memcpy + summary.kernel_classes.memset);
  }
  if (said.cannot_tell.launches === null) {
    assert.equal(launches.launched + launches.without_call, kernels.total.count);
    assert.equal(launches.launched, sum(Object.values(summary.launches.by_name)));
    assert.deepEqual(launches.delay_ns, summary.launch_delay_ns);
    assert.ok(launches.calls <= launches.launched);
    assert.equal(sum(said.launch_queues, (queue) => queue.launched), launches.launched);
    for (const queue of said.launch_queues) {
      assert.ok(queue.mean <= queue.longest && queue.full_ns <= queue.span_ns);
      if (queue.span_ns > 0) assert.equal(Math.max(...queue.longest_by_part), queue.longest);
    }
  }
  // The host.
  assert.equal(sum(operators.by_name, (row) => row.self_ns) + operators.left_out.self_ns, operators.self_ns);
  assert.equal(sum(operators.by_name, (row) => row.count) + operators.left_out.count, operators.count);
  for (const row of operators.by_name) assert.ok(row.self_ns <= row.total_ns || row.count > 1, row.name);
  assert.ok(said.host_busy_ns <= said.span_ns);
  if (said.cannot_tell.device === null) {
    for (const step of steps.steps) assert.equal(sum(Object.values(step.parts_ns)), step.duration_ns);
    assert.equal(sum(Object.values(steps.parts_ns)), steps.duration_ns);
  }
  // Compiled code.
  assert.equal(sum(breaks.tree, (node) => node.count) + breaks.executions_left_out, summary.compiled_regions.count);
  assert.equal(sum(breaks.tree.filter((node) => node.depth === 0), (node) => node.count), summary.compiled_regions.by_depth[0] ?? 0);
  breaks.tree.forEach((node, place) => {
    assert.equal(node.parent === null, node.depth === 0);
    if (node.parent !== null) {
      assert.ok(node.parent < place && breaks.tree[node.parent].depth === node.depth - 1);
    }
    const below = breaks.tree.filter((other) => other.parent === place);
    assert.equal(node.self_ns, node.total_ns - sum(below, (other) => other.total_ns));
  });
  assert.equal(breaks.longest_chain, Object.keys(summary.compiled_regions.by_depth).length);
  assert.equal(sum(said.recompilation.frames, (frame) => frame.recompiles), summary.recompiles ?? 0);
  if (summary.recompiles !== null) {
    assert.equal(sum(said.recompilation.frames, (frame) => frame.executions), summary.compiled_regions.count);
  }
  const functions = said.compiled_functions;
  assert.equal(functions.paired, summary.compiled_functions.paired);
  assert.equal(functions.paired + functions.forward_only, summary.compiled_functions.forward);
  assert.equal(functions.paired + functions.backward_only, summary.compiled_functions.backward);
  assert.equal(sum(functions.by_region, (group) => group.paired), functions.paired);
  for (const pair of functions.pairs) {
    if (pair.forward && pair.backward) assert.ok(pair.backward.start_ns >= pair.forward.start_ns);
  }
  const compile = said.compile_time;
  assert.ok(compile.total_ns <= compile.sum_ns);
  assert.equal(sum(compile.phases.filter((row) => row.depth === 0), (row) => row.total_ns), compile.sum_ns);
  assert.equal(sum(compile.phases, (row) => row.self_ns), compile.sum_ns);
  assert.equal(sum(compile.by_annotation, (row) => row.compiled.total_ns), compile.sum_ns);
  // What it comes to.
  assert.ok(said.torch_compile.evidence.length > 0);
  for (const advice of said.advice) {
    assert.ok(["note", "hint", "warning"].includes(advice.severity));
    for (const [name, number] of Object.entries(advice.numbers)) {
      assert.ok(Number.isFinite(number) && number >= 0, `${advice.code}: ${name}`);
      if (name.endsWith("share")) assert.ok(number <= 1, `${advice.code}: ${name} is ${number}`);
    }
  }
}

function sampleFiles() {
  const below = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? below(join(folder, entry.name)) : [join(folder, entry.name)]);
  return below(nights).filter((name) => name.endsWith(".json.gz") && name.includes("2025-11-1"));
}

test("samples: parts add up", () => {
  const files = sampleFiles();
  assert.ok(files.length > 0);
  for (const file of files) check(tell("report", file), tell("summary", file));
});

test("the sample's backends are told apart", () => {
  for (const [backend, phase, applied] of [
    ["None", "eval", "no"], ["None", "train", "no"],
    ["aot_eager", "eval", "partly"], ["aot_eager", "train", "partly"],
    ["inductor", "eval", "yes"], ["inductor", "train", "yes"],
  ]) {
    for (const night of ["2025-11-09", "2025-11-10"]) {
      const said = tell("report", trace(night, 1, backend, phase));
      assert.equal(said.torch_compile.applied, applied, `${night} ${backend} ${phase}: ${said.torch_compile.evidence}`);
    }
  }
});

test("the night with graph breaks, as a tree", () => {
  const before = tell("report", trace("2025-11-09", 1, "inductor", "train"));
  const after = tell("report", trace("2025-11-10", 1, "inductor", "train"));
  assert.deepEqual(before.graph_breaks.tree.map((node) => node.name), ["0/0"]);
  assert.deepEqual(after.graph_breaks.tree.map((node) => [node.name, node.depth]), [["0/0", 0], ["1/0", 1], ["2/0", 2]]);
  assert.ok(!before.advice.some((advice) => advice.code === "graph_breaks"));
  assert.ok(after.advice.some((advice) => advice.code === "graph_breaks"));
});

test("compilation in the first repetition, none in the second", () => {
  const first = tell("report", trace("2025-11-10", 0, "inductor", "train"));
  const second = tell("report", trace("2025-11-10", 1, "inductor", "train"));
  assert.equal(first.recompilation.compiled_in_trace.count, 3);
  assert.equal(first.recompilation.compiled_without_frame, 0);
  assert.ok(first.advice.some((advice) => advice.code === "compiling_in_window"));
  assert.equal(second.compile_time.total_ns, 0);
  // The same, counted by another parser: the outermost phases do not overlap on one thread.
  const slices = JSON.parse(gunzipSync(readFileSync(trace("2025-11-10", 0, "inductor", "train")))).traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith(" (dynamo_timed)")).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  let end = -Infinity, total = 0;
  for (const slice of slices) {
    if (slice.ts < end) continue;
    total += slice.dur;
    end = slice.ts + slice.dur;
  }
  assert.ok(Math.abs(first.compile_time.sum_ns - total * 1000) < 100, `${first.compile_time.sum_ns} and ${total}`);
});

test("text has the tree, the verdict and the advice", () => {
  const file = trace("2025-11-10", 1, "inductor", "train");
  const { stdout, status } = benchhud("trace", "summary", file);
  assert.equal(status, 0);
  assert.match(stdout, /^torch.compile +applied: yes$/m);
  assert.match(stdout, /^ {2}0\/0 +1×.*\n {4}1\/0 +1×.*\n {6}2\/0 +1×/m);
  assert.match(stdout, /^ {2}hint +1 of 1 call of compiled functions ran other compiled regions within, chains of 3 at most/m);
  const report = benchhud("trace", "report", file);
  assert.equal(report.status, 0);
  assert.ok(report.stdout.startsWith(stdout));
  assert.match(report.stdout, /aten::convolution_backward/);
});

test("real traces: parts add up", { skip: missing }, async (t) => {
  for (const file of Object.keys(missing ? {} : JSON.parse(readFileSync(numbers, "utf8")))) {
    await t.test(file, () => check(tell("report", join(real, file)), tell("summary", join(real, file))));
  }
});

test("real traces: what they are known for", { skip: missing }, () => {
  const adviceOf = (said) => said.advice.map((advice) => advice.code);
  const eager = tell("report", join(real, "kineto/769c3eb7__worker0.1623143089861.pt.trace.json.gz"));
  assert.equal(eager.torch_compile.applied, "no");
  assert.ok(adviceOf(eager).includes("cpu_bound") && adviceOf(eager).includes("data_loading"));
  const stacks = tell("report", join(real, "tracelens/mi300/resnet_act_checkpoint.json.gz"));
  assert.ok(adviceOf(stacks).includes("python_stacks"));
  assert.equal(stacks.autograd.links, 213);
  const warmUp = tell("report", join(real, "pytorch26_cpu/compile_first_call.json.gz"));
  assert.deepEqual(warmUp.compile_time.by_annotation.map((row) => row.annotation), ["resnet compile", "warmup compile"]);
  const disabled = tell("report", join(real, "pytorch26_cpu/disabled_region.json"));
  assert.ok(disabled.graph_breaks.tree[0].eager.count > 0);
  assert.deepEqual(disabled.graph_breaks.tree.map((node) => node.name), ["0/0", "1/0", "2/0", "2/1"]);
  assert.deepEqual(disabled.recompilation.frames[0].versions.map((version) => version.compiled.count), [0, 1]);
  const adjacent = tell("report", join(real, "pytorch26_cpu/two_adjacent_regions.json"));
  assert.deepEqual(adjacent.graph_breaks.tree.map((node) => [node.name, node.depth]), [["0/0", 0], ["1/0", 0]]);
  assert.ok(!adviceOf(adjacent).includes("graph_breaks"));
});
