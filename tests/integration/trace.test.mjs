// `benchhud trace summary` on trace files of every kind.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";

import { line } from "./support/lines.mjs";
import { benchhud, program, root, temporaryFolder } from "./support/server.mjs";
import { smallXspace } from "./support/xplane.mjs";

const sample = join(root,
  "samples/cpu_nightlies/2025-11-15/resnet_mini/0/trace-cpu-inductor-False-train-None-None-None-resnet_mini.json.gz");
const real = join(root, "../shared/data/traces");
let folder;

before(() => {
  folder = temporaryFolder("trace");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function summary(file) {
  const done = benchhud("trace", "summary", file, "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

function write(name, content) {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test("a sample, counted by another parser", () => {
  const said = summary(sample);
  const events = JSON.parse(gunzipSync(readFileSync(sample))).traceEvents;
  const slices = events.filter((event) => event.ph === "X");
  assert.equal(said.events, events.length);
  assert.equal(said.slices, slices.length);
  assert.equal(said.points, events.filter((event) => !"Xstf".includes(event.ph)).length);
  assert.equal(said.refused, 0);
  assert.equal(said.tracks, new Set(slices.map((event) => `${event.pid} ${event.tid}`)).size);
  const regions = slices.filter((event) => event.name.startsWith("Torch-Compiled Region"));
  assert.ok(regions.length > 0);
  assert.equal(said.compiled_regions.count, regions.length);
  assert.equal(said.device.kernels, 0);
  assert.equal(said.device.utilization, null);
  assert.deepEqual(said.problems, []);
});

test("gzip or not, of one member or several: the same", () => {
  const text = gunzipSync(readFileSync(sample));
  const half = text.length >> 1;
  const said = summary(sample);
  assert.deepEqual(summary(write("plain.json", text)), said);
  assert.deepEqual(
    summary(write("members.json.gz", Buffer.concat([gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))]))),
    said);
});

test("through a pipe: the same, packed or not", () => {
  const text = gunzipSync(readFileSync(sample));
  const said = summary(sample);
  const half = text.length >> 1;
  for (const input of [text, gzipSync(text), Buffer.concat([gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))])]) {
    const done = spawnSync(program, ["trace", "summary", "-", "--format", "json"], { input, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    assert.deepEqual(JSON.parse(done.stdout), said);
  }
  writeFileSync(join(folder, "piped.json.gz"), gzipSync(text));
  const piped = spawnSync("sh", ["-c", `cat "${join(folder, "piped.json.gz")}" | "${program}" trace summary /dev/stdin --format json`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(piped.stdout), said, piped.stderr);
  const cut = spawnSync(program, ["trace", "summary", "-", "--format", "json"], { input: gzipSync(text).subarray(0, 5000), encoding: "utf8" });
  assert.match(JSON.stringify(JSON.parse(cut.stdout).problems), /standard input: the gzip data is damaged or ends early/);
  const none = spawnSync(program, ["trace", "summary", "-"], { input: "\x1f", encoding: "latin1" });
  assert.match(none.stderr, /standard input is no Chrome trace/);
  const damaged = spawnSync(program, ["trace", "report", "-"], { input: gzipSync("{}").subarray(0, 11), encoding: "utf8" });
  assert.match(damaged.stderr, /standard input is no Chrome trace: .*; standard input: the gzip data is damaged or ends early/);
  const xplane = spawnSync(program, ["trace", "summary", "-"], { input: smallXspace(), encoding: "utf8" });
  assert.match(xplane.stderr, /standard input is an XPlane profile .* save it as a file/);
});

test("- is a file of that name for who reads its files more than once", () => {
  const input = `${line({ model: "alpha" })}\n${line({ model: "beta" })}\n`;
  for (const words of [["export", "--format", "csv", "-"], ["report", "-"], ["profile", "compare", "-", sample], ["profile", "compare", sample, "-"], ["trace", "view", "-", "--no-open"]]) {
    const done = spawnSync(program, words, { input, encoding: "utf8", cwd: folder, timeout: 60_000 });
    assert.notEqual(done.status, 0, words.join(" "));
    assert.equal(done.stdout, "", words.join(" "));
    assert.match(done.stderr, /-: No such file|- is no file/, words.join(" "));
  }
});

test("a file that ends too early says so, and what is there counts", () => {
  const whole = summary(sample);
  const text = gunzipSync(readFileSync(sample));
  const cut = summary(write("cut.json", text.subarray(0, text.length - 4000)));
  assert.ok(cut.slices > whole.slices * 0.9 && cut.slices < whole.slices);
  assert.equal(cut.broken, 1);
  const bytes = readFileSync(sample);
  const damaged = summary(write("cut.json.gz", bytes.subarray(0, bytes.length - 2000)));
  assert.ok(damaged.slices > 0 && damaged.slices < whole.slices);
  assert.ok(damaged.problems.some((problem) => problem.reason.includes("gzip")), JSON.stringify(damaged.problems));
});

test("text for people has the same numbers", () => {
  const said = summary(sample);
  const { stdout, status } = benchhud("trace", "summary", sample);
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(`^events +${said.events}$`, "m"));
  assert.match(stdout, new RegExp(`^compiled regions +${said.compiled_regions.count}$`, "m"));
});

test("what is no trace, and what is no command", () => {
  for (const [args, status, words] of [
    [["trace", "summary", write("line.jsonl", '{"model": {"a": 1}}\n')], 1, /no Chrome trace/],
    [["trace", "summary", write("empty", "")], 1, /no Chrome trace/],
    [["trace", "summary", join(folder, "nowhere")], 1, /cannot open/],
    [["trace", "summary"], 2, /one file/],
    [["trace", "summary", sample, sample], 2, /one file/],
    [["trace"], 2, /summary/],
    [["trace", "look", sample], 2, /no `benchhud trace look`/],
    [["trace", "summary", sample, "--format", "xml"], 2, /text or json/],
  ]) {
    const done = benchhud(...args);
    assert.equal(done.status, status, args.join(" "));
    assert.match(done.stderr, words);
    assert.equal(done.stdout, "");
  }
});

test("control characters of a trace do not reach the terminal", () => {
  const file = write("escape.json", JSON.stringify([{ ph: "X", ts: "\u001b[31mred" }]).replace("\\u001b", "\u001b"));
  const { stdout } = benchhud("trace", "summary", file);
  assert.ok(!stdout.includes("\u001b"), stdout);
});

// What an independent script counted, with exact decimal times. Where ours differs on purpose:
// gaps are never less than nothing (theirs add up negative ones where slices overlap), and every end of a flow counts
// (theirs count a flow once, whatever its ends).
const numbers = join(real, "reference_numbers.json");
const reference = existsSync(numbers) ? JSON.parse(readFileSync(numbers, "utf8")) : {};
test("real traces: the reference numbers", { skip: existsSync(numbers) ? false : "no shared/data/traces beside the checkout" }, async (t) => {
  for (const [file, theirs] of Object.entries(reference)) {
    await t.test(file, () => {
      const ours = summary(join(real, file));
      assert.equal(ours.events, theirs.events);
      assert.equal(ours.slices, theirs.X);
      assert.equal(ours.tracks, theirs.tracks);
      assert.equal(ours.max_depth, theirs.max_depth);
      assert.equal(ours.overlaps, theirs.partial_overlaps_same_tid);
      assert.equal(ours.device.kernels, theirs.kernels);
      assert.equal(ours.kernel_classes.inductor_triton, theirs.triton_kernels);
      assert.equal(Object.values(ours.kernel_classes).reduce((sum, n) => sum + n), theirs.gpu_events);
      const launches = { ...theirs.launch_names };
      delete launches["<none>"];
      assert.deepEqual(ours.launches.by_name, launches);
      if (theirs.gpu_events > 0) {
        assert.equal(ours.device.busy_ns, Math.round(theirs.gpu_busy_us * 1000));
        assert.equal(ours.device.span_ns, Math.round(theirs.gpu_span_us * 1000));
        const delay = ours.launch_delay_ns;
        assert.deepEqual([delay.p50, delay.p90, delay.max],
          theirs["launch_delay_us p50/p90/max"].map((us) => Math.round(us * 1000)));
        const idle = theirs["idle_us(30us thr)"];
        // Where the launch is not in the trace, theirs go by the length alone.
        const isKnown = ours.idle_ns.unknown === 0;
        const waits = isKnown ? ours.idle_ns : { host_wait: ours.idle_ns.host_wait, all: ours.idle_ns.kernel_wait + ours.idle_ns.other + ours.idle_ns.unknown };
        idle.all = (idle.kernel_wait ?? 0) + (idle.other ?? 0);
        for (const kind of isKnown ? ["host_wait", "kernel_wait", "other"] : ["host_wait", "all"]) {
          const difference = waits[kind] - (idle[kind] ?? 0) * 1000;
          // Theirs are rounded to 0.1 us.
          const most = kind === "kernel_wait" || kind === "all" ? waits[kind] * 0.003 + 50 : 50;
          assert.ok(difference >= -50 && difference <= most, `${kind}: ${difference} ns more`);
        }
      }
      const flows = (outcome) => Object.entries(theirs.flows)
        .filter(([name]) => name.endsWith(outcome)).reduce((sum, [, n]) => sum + n, 0);
      assert.ok(ours.flows.bound >= flows(":ok"));
      assert.ok(ours.flows.dangling >= flows(":no_s"));
      assert.equal(ours.compiled_regions.count, Object.values(theirs.regions ?? {}).reduce((sum, n) => sum + n, 0));
      assert.deepEqual(ours.compiled_regions.by_depth, theirs.region_depths ?? {});
      const functions = theirs.compiled_fn ?? {};
      assert.equal(ours.compiled_functions.forward, functions.CompiledFunction ?? 0);
      assert.equal(ours.compiled_functions.backward, functions.CompiledFunctionBackward ?? 0);
      assert.equal(ours.compiled_functions.paired, theirs.compiled_pairs_by_seq ?? 0);
    });
  }
});
