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
  const report = (time, fallbacks) => `Metric: CompileTime\n  TotalSamples: 3\n  Accumulator: ${time}\nCounter: aten::nonzero\n  Value: ${fallbacks}\n`;
  const one = join(folder, "one.txt"), two = join(folder, "two.txt.gz");
  writeFileSync(one, report("04s589ms590.974us", 1));
  writeFileSync(two, gzipSync(report("05s000ms000.000us", 4)));
  const said = diff(one, two);
  assert.equal(said.kind, "metrics report");
  const times = section(said, "time of metrics");
  assert.equal(times.before, 3588590974);
  assert.equal(times.after, 5e9);
  assert.deepEqual(change(section(said, "counters"), "aten::nonzero").after, 4);
});

test("what cannot be compared says why", () => {
  const [table] = both(`pytorch-profile-${BASE}.txt`);
  const [trace] = both(`trace-${BASE}.json.gz`);
  const text = join(folder, "text");
  writeFileSync(text, "hello\n");
  for (const [args, status, words] of [
    [["profile", "diff", table, trace], 2, /operator table; .*trace.*one kind/],
    [["profile", "diff", text, text], 1, /no operator table, metrics report, dynamo counters or trace/],
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
