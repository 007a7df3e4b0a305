// On a result's profile: XLA's operators of an XPlane profile, whose names are hostile; memory and several devices.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { message } from "../integration/support/xplane.mjs";
import { axe, eventually, openBrowser, openPage, samples, serve, shot, text, visit } from "./support.mjs";

const HOSTILE = '<img src=x onerror="window.pwned=1">';

let browser, server, profile, twoDevices, noDevice;
before(async () => {
  browser = await openBrowser();
  server = await serve([join(samples, "2025-11-28")]);
  // A result without a trace of its own.
  const { items } = await server.api("/results?limit=1000");
  const traced = new Set((await server.api("/artifacts?kind=trace&limit=1000")).items.flatMap((one) => one.results.map((result) => result.experiment_id)));
  const untraced = items.filter((one) => !traced.has(one.experiment.id) && one.kind !== "verification");
  const { run_id: run, experiment } = untraced[0];
  const other = untraced.find((one) => one.experiment.id !== experiment.id);
  profile = `${server.base}/profile?run=${run}&experiment=${experiment.id}`;
  twoDevices = `${server.base}/profile?run=${other.run_id}&experiment=${other.experiment.id}`;
  const folder = join(server.folder, "profiles");
  mkdirSync(folder);
  const file = join(folder, "made.xplane.pb");
  writeFileSync(file, tpuProfile());
  await server.ingest([file], ["--for", `${run}/${experiment.id}`]);
  const devices = join(folder, "devices.json");
  writeFileSync(devices, deviceTrace());
  await server.ingest([devices], ["--for", `${other.run_id}/${other.experiment.id}`]);
  const third = untraced.find((one) => one.experiment.id !== experiment.id && one.experiment.id !== other.experiment.id);
  noDevice = `${server.base}/profile?run=${third.run_id}&experiment=${third.experiment.id}`;
  const unnamed = join(folder, "unnamed.json");
  writeFileSync(unnamed, JSON.stringify([{ ph: "X", cat: "cpu_op", name: "aten::mm", pid: 9, tid: 9, ts: 0, dur: 10 }, ...[1, 2, 3].map((ts) => ({ ph: "i", name: "[memory]", pid: 9, tid: 9, ts, args: { Bytes: 8 } }))]));
  await server.ingest([unnamed], ["--for", `${third.run_id}/${third.experiment.id}`]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** One core that runs a module three times: a multiplication that computes, and an operator that reads memory. */
function tpuProfile() {
  const NAMES = ["program_id", "symbol_id", "hlo_category", "flops", "bytes_accessed", "tf_op", "peak_teraflops_per_second", "peak_hbm_bw_gigabytes_per_second"];
  const stat = (field, name, value) => [field, message([1, NAMES.indexOf(name) + 1], [typeof value === "number" ? 4 : 5, value])];
  const kind = (id, name, ...stats) => [4, message([1, id], [2, message([1, id], [2, name], ...stats.map(([key, value]) => stat(5, key, value)))])];
  const event = (id, at, length) => [4, message([1, id], [2, at], [3, length])];
  const runs = [1, 2, 3].map((n) => n * 10_000_000);
  const ops = message([1, 3], [2, "XLA Ops"], ...runs.flatMap((at) => [event(1, at, 4_000_000), event(2, at + 4_000_000, 1_000_000)]));
  const modules = message([1, 2], [2, "XLA Modules"], ...runs.map((at) => event(3, at, 5_000_000)));
  return message([
    1,
    message(
      [1, 0], [2, "/device:TPU:0"], [3, modules], [3, ops],
      kind(1, "dot.1", ["program_id", 9], ["symbol_id", 1], ["hlo_category", "convolution"], ["flops", 3_000_000], ["bytes_accessed", 1000], ["tf_op", HOSTILE]),
      kind(2, HOSTILE, ["program_id", 9], ["symbol_id", 2], ["hlo_category", "loop fusion"], ["flops", 1], ["bytes_accessed", 500_000]),
      kind(3, "SyncTensorsGraph.9(9)"),
      ...NAMES.map((name, index) => [5, message([1, index + 1], [2, message([1, index + 1], [2, name])])]),
      stat(6, "peak_teraflops_per_second", 1), stat(6, "peak_hbm_bw_gigabytes_per_second", 1000),
    ),
  ]);
}

/** Two GPUs, one busy for twice as long as the other; memory of both and of the host, one peak of which cannot be. */
function deviceTrace() {
  const kernel = (device, ts, dur) => ({ ph: "X", cat: "kernel", name: "gemm", pid: device, tid: 7, ts, dur });
  const memory = (type, id, bytes, allocated, reserved) => ({ ph: "i", s: "t", cat: "cpu_instant_event", name: "[memory]", pid: 9, tid: 9, ts: 5, args: { "Device Type": type, "Device Id": id, Bytes: bytes, "Total Allocated": allocated, "Total Reserved": reserved } });
  return JSON.stringify([
    { ph: "X", cat: "cpu_op", name: "aten::mm", pid: 9, tid: 9, ts: 0, dur: 10 },
    kernel(0, 0, 100), kernel(1, 0, 50),
    memory(1, 0, 1024, 6_629_508_096, 12_782_141_440), memory(1, 0, -1024, -7, 1), memory(1, 1, 512, 2_000_000, 4_000_000), memory(0, -1, 8, 8, 0),
  ]);
}

test("memory has a row per device, with its peaks or none, and several devices have a spread", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${twoDevices}#memory`);
    const memory = page.locator("section[aria-labelledby=memory]");
    const row = (name) => memory.locator("tbody tr", { hasText: name });
    await eventually(async () => assert.match(await text(row("cuda:0")), /6\.63 GB.*12\.8 GB.*1.*1/));
    assert.match(await text(row("cuda:1")), /2\.00 MB.*4\.00 MB/);
    assert.match(await text(row("cpu")), /8 B.*–/);
    assert.match(await text(memory), /Peaks of 2 devices: 2\.00 MB to 6\.63 GB\. Numbers over runs take the largest\./);
    const csv = await memory.locator('a[download="memory.csv"]').getAttribute("href");
    assert.match(await (await fetch(new URL(csv, server.base))).text(), /^allocator,.*\r\ncpu,1,0,8,5000,,,\r\ncuda:0,1,1,6629508096,5000,,,12782141440\r\n/);
    assert.match(await text(page.locator("section[aria-labelledby=device] .lead")), /Of 2 devices at least one was busy for 100.* each by itself for 50\.0 % to 100.* of them\./);
    await shot(page, "memory");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("records of memory of no known device are not called none", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${noDevice}#memory`);
    const memory = page.locator("section[aria-labelledby=memory]");
    await eventually(async () => assert.match(await text(memory), /The trace has records of memory, and of none it is known of which device it is\..*3 events of memory in no row/s));
    assert.equal(await memory.locator("table").count(), 0);
    await shot(page, "memory-no-device");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

const section = (page) => page.locator("section[aria-labelledby=xla-operators]");

test("operators have their time, rates and bounds, by category and module too, and iterations say how they were found", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${profile}#xla-operators`);
    await eventually(async () => assert.match(await text(section(page)), /2 iterations, found by runs of the module that takes the most time, each from one run's beginning to the next one's: nothing in the profile marks steps \(SyncTensorsGraph\.9, \/device:TPU:0\)/));
    const csv = await section(page).locator('a[download="iterations.csv"]').getAttribute("href");
    assert.match(await (await fetch(new URL(csv, server.base))).text(), /^number,start_ns.*\r\n1,0,10000,5000,/);
    const rows = section(page).locator("tbody tr");
    assert.match(await text(rows.nth(0)), /dot\.1 .*compute 75\.0 %/);
    assert.match(await text(rows.nth(1)), /onerror.*main memory 50\.0 %/);
    await section(page).getByRole("button", { name: "Module", exact: true }).click();
    await page.waitForURL(/xby=modules/);
    assert.match(await text(rows.nth(0)), /SyncTensorsGraph\.9/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});
