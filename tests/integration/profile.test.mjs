// `benchhud profile diff` on the dumps of two nights, between which resnet_mini got slower.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { benchhud, root, temporaryFolder } from "./support/server.mjs";

const nights = join(root, "samples/cpu_nightlies");
let folder;

before(() => {
  folder = temporaryFolder("profile");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function diff(...files) {
  const done = benchhud("profile", "diff", ...files, "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

const dump = (night, name, repetition = "1", model = "resnet_mini") => join(nights, night, model, repetition, name);
const both = (name, ...where) => [dump("2025-11-09", name, ...where), dump("2025-11-10", name, ...where)];
const section = (said, of) => said.sections.find((one) => one.of === of);
const change = (of, name) => of.changes.find((one) => one.name === name);
const BASE = "cpu-inductor-False-eval-None-None-None-resnet_mini";

test("traces name the graph breaks that appeared", () => {
  const said = diff(...both(`trace-${BASE}.json.gz`));
  assert.equal(said.kind, "trace");
  const counts = section(said, "counts");
  assert.deepEqual([change(counts, "graph breaks").change, change(counts, "graph breaks").after], ["appeared", 2]);
  assert.equal(change(counts, "compiled region 1/0").change, "appeared");
  const host = section(said, "self time on the host");
  assert.equal(host.changes[0].name, "Torch-Compiled Region: 1/0");
  assert.ok(host.after > host.before);
});

test("tables rank operators by their part in the change, and own up to the rest", () => {
  const said = diff(...both(`pytorch-profile-${BASE}.txt`));
  assert.equal(said.kind, "operator table");
  const cpu = section(said, "self CPU time");
  assert.equal(cpu.changes[0].name, "Torch-Compiled Region: 1/0");
  const total = (file) => Number(/Self CPU time total: ([\d.]+)ms/.exec(readFileSync(file, "utf8"))[1]) * 1e6;
  const [before, now] = both(`pytorch-profile-${BASE}.txt`).map(total);
  assert.equal(cpu.before, Math.round(before));
  assert.equal(cpu.after, Math.round(now));
  const explained = cpu.changes.reduce((sum, one) => sum + one.after - one.before, 0);
  assert.ok(Math.abs(explained + cpu.unexplained - (cpu.after - cpu.before)) < 1e-3);
  const shares = cpu.changes.reduce((sum, one) => sum + one.share, 0) + cpu.unexplained / (cpu.after - cpu.before);
  assert.ok(Math.abs(shares - 1) < 1e-9);
  for (let i = 1; i < cpu.changes.length; ++i) {
    const size = (one) => Math.abs(one.after - one.before);
    assert.ok(size(cpu.changes[i - 1]) >= size(cpu.changes[i]));
  }
});

test("dynamo counters name the break's reason", () => {
  const said = diff(...both(`dynamo-counters-${BASE}.txt`, "0"));
  assert.equal(said.kind, "dynamo counters");
  const reasons = said.sections[0].changes.filter((one) => one.name.startsWith("graph_break: "));
  assert.ok(reasons.some((one) => one.change === "appeared" && one.after === 2));
});

test("a file with itself: nothing, in either form", () => {
  const [file] = both(`pytorch-profile-${BASE}.txt`);
  for (const one of diff(file, file).sections) {
    assert.deepEqual(one.changes, []);
    assert.equal(one.before, one.after);
  }
  const { stdout, status } = benchhud("profile", "diff", file, file);
  assert.equal(status, 0);
  assert.match(stdout, /the same/);
});

test("several tables in a row count as their mean", () => {
  const outer = join(nights, "2025-11-09", "resnet_mini", `pytorch-profile-${BASE}.txt`);
  const tables = readFileSync(outer, "utf8").match(/Self CPU time total: [\d.]+m?u?s/g);
  assert.ok(tables.length > 1);
  const ns = tables.map((text) => {
    const [, value, unit] = /([\d.]+)(m?u?s)/.exec(text.slice("Self CPU time total".length));
    return Number(value) * { s: 1e9, ms: 1e6, us: 1e3 }[unit];
  });
  const mean = ns.reduce((sum, one) => sum + one) / ns.length;
  assert.ok(Math.abs(section(diff(outer, outer), "self CPU time").before - mean) < 1);
});

test("metrics reports, gzipped or not", () => {
  const report = (time, fallbacks, size = "2.00KB") => `Metric: CompileTime\n  TotalSamples: 3\n  Accumulator: ${time}\nMetric: InboundData\n  TotalSamples: 3\n  Accumulator: ${size}\nCounter: aten::nonzero\n  Value: ${fallbacks}\n`;
  const one = join(folder, "one.txt"), two = join(folder, "two.txt.gz");
  writeFileSync(one, report("04s589ms590.974us", 1));
  writeFileSync(two, gzipSync(report("05s000ms000.000us", 4, "4.00KB")));
  const said = diff(one, two);
  assert.equal(said.kind, "metrics report");
  const times = section(said, "time of metrics");
  // Metrics contain each other: they have no total.
  assert.deepEqual([times.before, times.after, times.unexplained], [null, null, 0]);
  assert.deepEqual([change(times, "CompileTime").before, change(times, "CompileTime").after, change(times, "CompileTime").share], [3588590974, 5e9, null]);
  const sizes = section(said, "size of metrics");
  assert.deepEqual([sizes.unit, change(sizes, "InboundData").before, change(sizes, "InboundData").after], ["bytes", 2048, 4096]);
  assert.equal(times.change_count, times.changes.length);
  const text = benchhud("profile", "diff", one, two).stdout;
  assert.match(text, /\+1\.41 s +3\.59 s → 5 s +CompileTime/, text);
  assert.match(text, /\+2048 B +2048 B → 4096 B +InboundData/, text);
  assert.deepEqual(change(section(said, "counters"), "aten::nonzero").after, 4);
});

const HLO = (name, kind, rows) => `HloModule ${name}, entry_computation_layout={(f32[${rows},8])->f32[${rows},4]}

ENTRY %main (p: f32[${rows},8], w: f32[8,4]) -> f32[${rows},4] {
  %p = f32[${rows},8]{1,0} parameter(0)
  %w = f32[8,4]{1,0} parameter(1)
  %dot = f32[${rows},4]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %fusion = f32[${rows},4]{1,0} fusion(%dot), kind=${kind}, calls=%add
}
`;
const LAZY = (ops) => `[ScheduleSyncTensorsGraph]
TensorsGraphInfo:
  train (lenet.py:86)

## BEGIN_GRAPH
IR {
  %0 = f32[4,4]{1,0} xla::device_data(), xla_shape=f32[4,4]{1,0}
${ops.map((op, i) => `  %${i + 1} = f32[4,4]{1,0} ${op}(%${i}, %0), xla_shape=f32[4,4]{1,0}\n`).join("")}}

## END_GRAPH

`;
const MLIR = (op) => `module @IrToHlo.7 attributes {mhlo.is_dynamic = false} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.${op} %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
`;

test("IR dumps of every dialect: graphs, operations, fusions and shapes", () => {
  const one = join(folder, "dump-a.hlo"), two = join(folder, "dump-b.hlo.gz");
  writeFileSync(one, HLO("IrToHlo.10", "kLoop", 2));
  writeFileSync(two, gzipSync(HLO("IrToHlo.12", "kInput", 2) + HLO("IrToHlo.14", "kLoop", 16)));
  const said = diff(one, two);
  assert.equal(said.kind, "IR modules");
  assert.deepEqual(said.problems, []);
  assert.equal(change(section(said, "modules"), "IrToHlo").after, 2);
  assert.equal(change(section(said, "operations"), "dot").after, 2);
  assert.equal(change(section(said, "fusions"), "kInput").change, "appeared");
  const dots = section(said, "convolutions and dots").changes;
  assert.equal(dots.length, 1);
  assert.match(dots[0].name, /^dot\(f32\[16,8\], f32\[8,4\]\) → f32\[16,4\], lhs_contracting_dims=\{1\}/);
  const size = section(said, "size of parameters");
  assert.deepEqual([size.unit, size.before, size.after], ["bytes", 4 * (16 + 32), 4 * (16 + 32 + 128 + 32)]);

  const lazy = [["aten::mm"], ["aten::mm", "aten::add"]].map((ops, i) => {
    const file = join(folder, `dump-${i}.text`);
    writeFileSync(file, LAZY(ops));
    return file;
  });
  assert.equal(change(section(diff(...lazy), "operations"), "aten::add").change, "appeared");

  const mlir = ["negate", "tanh"].map((op) => {
    const file = join(folder, `dump-${op}.stablehlo`);
    writeFileSync(file, MLIR(op));
    return file;
  });
  assert.deepEqual(
    section(diff(...mlir), "operations").changes.map((one) => [one.name, one.change]),
    [["stablehlo.negate", "gone"], ["stablehlo.tanh", "appeared"]],
  );
  const text = benchhud("profile", "diff", one, two);
  assert.match(text.stdout, /size of parameters\n +\+640 B/);
});

test("a broken instruction and an unfinished module are said with their lines", () => {
  const whole = join(folder, "whole.hlo"), half = join(folder, "half.hlo");
  writeFileSync(whole, HLO("m", "kLoop", 2));
  writeFileSync(half, HLO("m", "kLoop", 2).replace("  %w = f32[8,4]", "  %w = ").split("  ROOT")[0]);
  const said = diff(whole, half);
  assert.equal(change(section(said, "counts"), "unfinished modules").after, 1);
  assert.equal(change(section(said, "operations"), "fusion").change, "gone");
  assert.ok(said.problems.some((one) => one.startsWith(`${half}: line 5: no instruction: %w =`)), said.problems.join("\n"));
  assert.ok(said.problems.some((one) => one.startsWith(`${half}: line 3: computation main does not end`)));
});

test("compile times, printed or as lists", () => {
  const printed = join(folder, "times.txt"), listed = join(folder, "times.csv.txt");
  writeFileSync(printed, "TorchDynamo compilation metrics:\nFunction, Runtimes (s)\n_compile.compile_inner, 2.0000, 1.0000\ncompile_file, 0.5000\n");
  writeFileSync(listed, "(['_compile.compile_inner', 'compile_file'], ['4.000000', '2.500000, 1.000000'])");
  const said = diff(printed, listed);
  assert.equal(said.kind, "compile times");
  const times = section(said, "time by function");
  assert.deepEqual([times.unit, times.before, times.after, times.unexplained], ["ns", 3e9, 4e9, 0]);
  const file = change(times, "compile_file");
  assert.deepEqual([file.before, file.after, file.calls_before, file.calls_after, file.share], [0.5e9, 3.5e9, 1, 2, 3]);
});

test("dynamo counters as Python prints them, with what is no number", () => {
  const json = join(folder, "counters.json"), repr = join(folder, "counters.txt");
  writeFileSync(json, '{"stats": {"unique_graphs": 1, "odd": NaN, "none": null, "calls_captured": 2}}');
  writeFileSync(repr, "defaultdict(<class 'collections.Counter'>, {'stats': Counter({'unique_graphs': 3})})");
  const said = diff(json, repr);
  assert.equal(said.kind, "dynamo counters");
  assert.equal(change(section(said, "counters"), "stats: unique_graphs").after, 3);
  assert.deepEqual(said.problems, [
    `${json}: line 1: stats: odd is NaN, not a whole number`,
    `${json}: line 1: stats: none is null, not a whole number`,
  ]);
});

test("what cannot be compared says why", () => {
  const [table] = both(`pytorch-profile-${BASE}.txt`);
  const [trace] = both(`trace-${BASE}.json.gz`);
  const text = join(folder, "text");
  writeFileSync(text, "hello\n");
  for (const [args, status, words] of [
    [["profile", "diff", table, trace], 2, /operator table; .*trace.*one kind/],
    [["profile", "diff", text, text], 1, /no trace and no operator table, metrics report, dynamo counters, compile times or IR modules/],
    [["profile", "diff", table, join(folder, "nowhere")], 1, /cannot open/],
    [["profile", "diff", table], 2, /two files/],
    [["profile"], 2, /diff/],
    [["profile", "look", table, table], 2, /no `benchhud profile look`/],
  ]) {
    const done = benchhud(...args);
    assert.equal(done.status, status, `${args.join(" ")}: ${done.stderr}`);
    assert.match(done.stderr, words);
    assert.equal(done.stdout, "");
  }
});
