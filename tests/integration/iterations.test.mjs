// Where an iteration goes by the profiles of two backends, numbers of profiles over runs, and alerts that name operators.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ajv } from "./support/contract.mjs";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { dayOf as day, writeFleet } from "./support/sessions.mjs";
import { message, smallXspace, writeProfile } from "./support/xplane.mjs";

const shared = join(root, "../shared/data");
const OF_NO_ITERATION = "Nothing says how many iterations of the model the profile has.";
const NIGHTS = 24, SLOW_FROM = 14;
/** Nights on which there are profiles of both backends. */
const BOTH = [3, 20];

let folder, server;

/** A store of the fleet of writeFleet(), whose `options` they are. `profiled`: the nights with a trace of alpha on inductor. */
function makeFleet(name, options) {
  const db = join(folder, `${name}.db`);
  for (const night of writeFleet(join(folder, name), { nights: NIGHTS, slowFrom: SLOW_FROM, both: BOTH, ...options })) {
    const done = benchhud("ingest", night, "--db", db);
    assert.equal(done.status, 0, done.stdout + done.stderr);
  }
  return db;
}

before(async () => {
  folder = temporaryFolder("iterations");
  server = await serve(makeFleet("fleet", { profiled: [...BOTH, SLOW_FROM - 1, SLOW_FROM] }));
});

after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

async function ask(path, of = server) {
  const response = await fetch(`${of.base}/api/v1${path}`);
  return { status: response.status, text: await response.text() };
}

async function getJson(path, of = server) {
  const { status, text } = await ask(path, of);
  assert.equal(status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

async function experimentOf(column, model = "alpha") {
  const { items } = await getJson(`/results?run=${day(3)}&model=${model}&limit=100`);
  return items.find((one) => one.experiment.column === column).experiment.id;
}

async function comparison(night, { left = "inductor", right = "openxla+dynamo", other = night, more = "" } = {}) {
  const ids = [await experimentOf(left), await experimentOf(right)];
  return `/profile-comparison?left_run=${day(night)}&left_experiment=${ids[0]}&right_run=${day(other)}&right_experiment=${ids[1]}${more}`;
}

function assertValid(schema, data) {
  const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
  assert.ok(validate(data), ajv.errorsText(validate.errors?.slice(0, 5), { separator: "\n" }));
}

/** The trace of alpha's profile of night 3, on a backend. */
async function traceOf(column) {
  const artifacts = await getJson(`/artifacts?run=${day(3)}&experiment=${await experimentOf(column)}&kind=trace`);
  assert.equal(artifacts.items.length, 1);
  return artifacts.items[0].trace_id;
}

const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-6 * Math.abs(expected), `${value} is not ${expected}`);

describe("memory of allocators", () => {
  test("each has its peaks and when they were, as JSON and as CSV", async () => {
    const trace = await traceOf("openxla+dynamo");
    const page = await getJson(`/traces/${trace}/memory`);
    assertValid("XlaAllocatorPage", page);
    const peak = (1 << 20) + 3;
    // The second iteration begins 850 µs after the first, whose first slice, 50 µs on, is the trace's origin.
    assert.deepEqual(page, {
      items: [{ allocator: null, allocations: 1, deallocations: 0, peak_bytes: peak, peak_ns: 860_000, lifetime_peak_bytes: peak, capacity_bytes: peak + (1 << 30), peak_reserved_bytes: null }],
      next_cursor: null,
      total: 1,
      left_out: 0,
      cannot_tell: null,
    });
    const { text } = await ask(`/traces/${trace}/memory?format=csv`);
    assert.equal(text, `allocator,allocations,deallocations,peak_bytes,peak_ns,lifetime_peak_bytes,capacity_bytes,peak_reserved_bytes\r\n,1,0,${peak},860000,${peak},${peak + (1 << 30)},\r\n`);
  });

  test("a profile without allocations and a trace without records of memory are told apart", async () => {
    const page = await getJson(`/traces/${await traceOf("inductor")}/memory`);
    assertValid("XlaAllocatorPage", page);
    assert.deepEqual([page.items, page.total, page.cannot_tell], [[], 0, "The trace has no records of memory, which PyTorch's profiler writes with profile_memory=True; or it is an XPlane profile that an older version stored."]);
  });

  test("records whose devices cannot be read are records", async () => {
    const event = (args) => ({ ph: "i", name: "[memory]", pid: 1, tid: 1, ts: 5, args });
    const file = join(folder, "no-device.pt.trace.json");
    writeFileSync(file, JSON.stringify({ traceEvents: [{ ph: "X", name: "f", pid: 1, tid: 1, ts: 1, dur: 9 }, event({ Bytes: 5 }), event({ Bytes: 5, "Device Type": 1 }), event({ "Device Type": "cuda", "Device Id": 0 })] }));
    const said = JSON.parse(benchhud("trace", "report", file, "--format", "json").stdout);
    assert.deepEqual([said.memory, said.memory_events_left_out], [[], 3]);
    assert.match(benchhud("trace", "summary", file).stdout, /memory +3 events of no known device/);
    const none = join(folder, "no-device.db");
    const made = join(folder, "no-device.jsonl");
    writeFileSync(made, line({ metrics: times(0.5) }) + "\n");
    assert.equal(benchhud("ingest", made, "--db", none).status, 0);
    assert.ok([0, 3].includes(benchhud("ingest", file, "--for", "latest/alpha/eval/inductor", "--db", none).status));
    const own = await serve(none);
    try {
      const trace = (await getJson("/series/profiles?suite=torchbench&model=alpha&test=eval", own)).series.flatMap(({ points }) => points).find((point) => point?.trace_id).trace_id;
      const page = await getJson(`/traces/${trace}/memory`, own);
      assertValid("XlaAllocatorPage", page);
      assert.deepEqual([page.items, page.left_out], [[], 3]);
      assert.match(page.cannot_tell, /^The trace has records of memory .*of none it is known of which device/);
    } finally {
      await own.stop();
    }
  });

  test("hostile names come page by page, and are no formulas in CSV", async () => {
    const names = ['=cmd|" /C calc"!A0', "GPU_0_bfc", "<b>"];
    const stats = ["allocator_name", "bytes_allocated"];
    const stat = (name, value) => [4, message([1, stats.indexOf(name) + 1], [typeof value === "number" ? 4 : 5, value])];
    const events = names.map((name, index) => [4, message([1, 1], [2, 1000 * index], stat("allocator_name", name), ...(index === 2 ? [] : [stat("bytes_allocated", 100 * index)]))]);
    const named = (field, id, name) => [field, message([1, id], [2, message([1, id], [2, name])])];
    const host = message([1, 1], [2, "/host:CPU"], [3, message([1, 9], [2, "main/9"], ...events)], named(4, 1, "MemoryAllocation"), ...stats.map((name, index) => named(5, index + 1, name)));
    const db = join(folder, "memory.db");
    for (const [name, extra] of [["many", [[1, host]]], ["none", []]]) {
      const done = benchhud("ingest", writeProfile(join(folder, `memory-${name}`), smallXspace({ extra })), "--db", db);
      assert.equal(done.status, 0, done.stdout + done.stderr);
    }
    const other = await serve(db);
    try {
      const [many, none] = (await getJson("/artifacts?kind=trace", other)).items.map((one) => one.trace_id).sort((a, b) => a - b);
      assert.equal((await getJson(`/traces/${none}/memory`, other)).cannot_tell, "The profile has no records of memory allocations.");
      const found = [];
      for (let cursor = ""; cursor !== null; ) {
        const page = await getJson(`/traces/${many}/memory?limit=1${cursor && `&cursor=${cursor}`}`, other);
        assert.deepEqual([page.items.length, page.total], [1, 3]);
        found.push([page.items[0].allocator, page.items[0].peak_bytes]);
        cursor = page.next_cursor;
      }
      assert.deepEqual(found, names.map((name, index) => [name, index === 2 ? null : 100 * index]), "what the file does not say is unknown, and 0 is known");
      assert.match((await ask(`/traces/${many}/memory?format=csv`, other)).text, /\r\n"'=cmd\|"" \/C calc""!A0",1,0,0,/);
      for (const [asked, status] of [[`${many}/memory?cursor=x`, 400], [`${many}/memory?limit=0`, 400], [`${many}/memory?device=x`, 400], ["999/memory", 404]]) {
        assert.equal((await ask(`/traces/${asked}`, other)).status, status, asked);
      }
    } finally {
      assert.equal((await other.stop()).code, 0);
    }
  });
});

describe("iterations of a profile, one by one", () => {
  const HEAD = "number,start_ns,duration_ns,device_busy_ns,compiling_ns,executing_ns,transferring_ns,waiting_ns,tracing_ns,unknown_ns\r\n";

  test("each has its start, its duration and its parts, whatever the form of the profile", async () => {
    const chrome = await getJson(`/traces/${await traceOf("inductor")}/iterations`);
    assertValid("TraceIterationPage", chrome);
    assert.deepEqual([chrome.found_by, chrome.total, chrome.kept, chrome.cannot_tell], ["profiler_steps", 4, 4, null]);
    const parts = { compiling_ns: 100_000, executing_ns: 450_000, transferring_ns: 50_000, waiting_ns: 50_000, tracing_ns: 100_000, unknown_ns: 250_000 };
    assert.deepEqual(chrome.items[2], { number: 3, start_ns: 2_000_000, duration_ns: 1_000_000, device_busy_ns: 500_000, ...parts });
    const xla = await traceOf("openxla+dynamo");
    const page = await getJson(`/traces/${xla}/iterations`);
    assertValid("TraceIterationPage", page);
    assert.deepEqual([page.found_by, page.total], ["step_marks", 4]);
    for (const one of page.items) {
      assert.equal(one.duration_ns, 850_000);
      assert.equal(Object.entries(one).reduce((sum, [key, ns]) => (key in parts ? sum + ns : sum), 0), one.duration_ns);
    }
    const { text } = await ask(`/traces/${xla}/iterations?format=csv`);
    assert.ok(text.startsWith(HEAD), text);
    assert.equal(text.split("\r\n").length, 1 + 4 + 1);
  });

  test("a part that cannot be told is unknown, with its reason, and so are iterations that nothing shows", async () => {
    const other = await serve(makeFleet("unmarked-list", { profiled: [3], both: [], marked: false, withOperators: false }));
    try {
      const [{ trace_id: trace }] = (await getJson("/artifacts?kind=trace", other)).items;
      const page = await getJson(`/traces/${trace}/iterations`, other);
      assertValid("TraceIterationPage", page);
      assert.deepEqual([page.items, page.total, page.kept, page.found_by, page.cannot_tell], [[], null, null, null, "Nothing in the profile shows where an iteration begins or ends."]);
      assert.equal((await ask(`/traces/${trace}/iterations?format=csv`, other)).text, HEAD);
    } finally {
      assert.equal((await other.stop()).code, 0);
    }
  });

  test("runs of a module are iterations where nothing marks them, page by page; what is asked for wrongly is refused", async () => {
    const db = join(folder, "runs.db");
    const at = (n) => 10_000_000 * n;
    const named = (field, id, name) => [field, message([1, id], [2, message([1, id], [2, name])])];
    const modules = message([1, 2], [2, "XLA Modules"], ...[1, 2, 3].map((n) => [4, message([1, 1], [2, at(n)], [3, 5_000_000])]));
    const ops = message([1, 3], [2, "XLA Ops"], ...[1, 2, 3].map((n) => [4, message([1, 2], [2, at(n)], [3, 4_000_000])]));
    const profile = message([1, message([1, 0], [2, "/device:TPU:0"], [3, modules], [3, ops], named(4, 1, "step.9(9)"), named(4, 2, "dot.1"))]);
    const done = benchhud("ingest", writeProfile(join(folder, "module-runs"), profile), "--db", db);
    assert.equal(done.status, 0, done.stdout + done.stderr);
    const other = await serve(db);
    try {
      const [{ trace_id: trace }] = (await getJson("/artifacts?kind=trace", other)).items;
      const first = await getJson(`/traces/${trace}/iterations?limit=1`, other);
      assert.deepEqual([first.found_by, first.total, first.items.length, first.items[0].start_ns], ["module_runs", 2, 1, 0]);
      assert.equal(first.items[0].tracing_ns, null);
      assert.match(first.parts.find((part) => part.name === "tracing").unknown, /no events of the host/);
      const second = await getJson(`/traces/${trace}/iterations?limit=1&cursor=${first.next_cursor}`, other);
      assert.deepEqual([second.items[0].number, second.items[0].start_ns, second.items[0].device_busy_ns, second.next_cursor], [2, 10_000, 4000, null]);
      for (const [asked, status] of [[`${trace}/iterations?cursor=x`, 400], [`${trace}/iterations?limit=0`, 400], [`${trace}/iterations?by=x`, 400], ["999/iterations", 404]]) {
        assert.equal((await ask(`/traces/${asked}`, other)).status, status, asked);
      }
    } finally {
      assert.equal((await other.stop()).code, 0);
    }
  });
});

describe("two backends of one model", () => {
  test("an iteration's parts add up to it on either side, in one vocabulary", async () => {
    const answer = await getJson(await comparison(3));
    assertValid("ProfileComparison", answer);
    assert.deepEqual([answer.left.found_by, answer.left.counted_by, answer.left.iterations], ["profiler_steps", "marks", 4]);
    assert.deepEqual([answer.right.found_by, answer.right.counted_by, answer.right.iterations], ["step_marks", "marks", 4]);
    assert.deepEqual([answer.left.iteration_ns, answer.right.iteration_ns], [1_000_000, 850_000]);
    const of = (side) => Object.fromEntries(answer.parts.map((part) => [part.name, part[side].ns]));
    assert.deepEqual(of("left"), { tracing: 100_000, compiling: 100_000, transferring: 50_000, executing: 450_000, waiting: 50_000, unknown: 250_000 });
    assert.deepEqual(of("right"), { tracing: 90_000, compiling: 0, transferring: 50_000, executing: 400_000, waiting: 30_000, unknown: 280_000 });
    for (const side of ["left", "right"]) {
      near(answer.parts.reduce((sum, part) => sum + part[side].share, 0), 1);
      near(answer.parts.reduce((sum, part) => sum + part[side].ns, 0), answer[side].iteration_ns);
    }
    for (const part of answer.parts) assert.equal(part.difference_ns, part.right.ns - part.left.ns, part.name);
    assert.deepEqual(answer.definitions.map((one) => one.name), answer.parts.map((part) => part.name));
  });

  test("operators stand beside each other by the framework's names, the largest difference first", async () => {
    const answer = await getJson(await comparison(3));
    assert.equal(answer.operator_count, answer.operators.length);
    const mm = answer.operators.find((row) => row.name === "aten::mm");
    near(mm.left.ns, 400_000);
    near(mm.right.ns, 300_000);
    near(mm.difference_ns, -100_000);
    const known = answer.operators.filter((row) => row.difference_ns !== null).map((row) => Math.abs(row.difference_ns));
    assert.deepEqual(known, [...known].sort((a, b) => b - a));
    // The copy of the left has no operator: what it was for may be any of those that the other side lists.
    const relu = answer.operators.find((row) => row.name === "aten::relu");
    assert.equal(relu.left.ns, null);
    assert.match(relu.left.unknown, /may have run/);
    assert.equal(relu.difference_ns, null);
    near(relu.right.ns, 100_000);
    const fused = answer.operators.find((row) => row.name === "triton_poi_fused_relu");
    near(fused.left.ns, 50_000);
    assert.equal(fused.right.ns, 0, "the right names all of its operators");
    const nameless = answer.operators.find((row) => row.kind === "without_operator");
    near(nameless.left.ns, 50_000);
    assert.match(answer.left.operators_unknown, /no operator is known/);
    assert.equal(answer.right.operators_unknown, null);
    const cut = await getJson(await comparison(3, { more: "&limit=1" }));
    assert.equal(cut.operators.length, 1);
    assert.equal(cut.operator_count, answer.operator_count);
  });

  test("runs may differ, and so may what one side is", async () => {
    const answer = await getJson(await comparison(3, { right: "inductor", other: 20 }));
    assert.equal(answer.left.run.name.slice(0, 10), day(3));
    assert.equal(answer.right.run.name.slice(0, 10), day(20));
    near(answer.operators[0].difference_ns, 240_000);
    assert.equal(answer.operators[0].name, "aten::mm");
  });

  test("a side without a profile is unknown, with its reason", async () => {
    const answer = await getJson(await comparison(SLOW_FROM));
    assert.equal(answer.left.missing, null);
    assert.equal(answer.right.missing, "The result has no profile.");
    for (const part of answer.parts) assert.deepEqual(part.right, { ns: null, share: null, overlapped_ns: null, unknown: "The result has no profile." });
    assert.deepEqual(answer.operators, []);
    assert.equal(answer.right.busy_share, null);
  });

  test("what a trace of runtime calls and kernels alone cannot show is unknown, and then what is left does not compare", async () => {
    const db = makeFleet("kernels", { nights: 4, profiled: [3], both: [3], marked: false, withOperators: false });
    const one = await serve(db);
    try {
      const answer = await getJson(await comparison(3), one);
      assertValid("ProfileComparison", answer);
      const of = (name) => answer.parts.find((part) => part.name === name);
      for (const name of ["tracing", "compiling"]) {
        assert.equal(of(name).left.ns, null, name);
        assert.match(of(name).left.unknown, /operators/);
        assert.notEqual(of(name).right.ns, null, name);
      }
      assert.equal(answer.left.compiling_ns, null);
      assert.ok(of("executing").difference_ns !== null);
      assert.ok(of("unknown").left.ns !== null && of("unknown").right.ns !== null);
      assert.equal(of("unknown").difference_ns, null);
      near(answer.parts.reduce((sum, part) => sum + (part.left.share ?? 0), 0), 1);
    } finally {
      assert.equal((await one.stop()).code, 0);
    }
  });

  test("the comparison of runs says which results have a profile", async () => {
    const sides = async (night) => {
      const { rows } = await getJson(`/compare?left=${day(night)}&left_backend=inductor&right=${day(night)}&right_backend=openxla%2Bdynamo`);
      const row = rows.find((one) => one.model === "alpha");
      return [row.left.has_profile, row.right.has_profile];
    };
    assert.deepEqual(await sides(3), [true, true]);
    assert.deepEqual(await sides(SLOW_FROM), [true, false]);
  });

  test("the CSV has a row per part and per operator", async () => {
    const { text, status } = await ask(await comparison(3, { more: "&format=csv&limit=1" }));
    assert.equal(status, 200);
    const [head, ...rows] = text.trim().split(/\r?\n/);
    assert.equal(head, "kind,name,left_ns,left_share,left_overlapped_ns,left_unknown,right_ns,right_share,right_overlapped_ns,right_unknown,difference_ns");
    assert.equal(rows.filter((row) => row.startsWith("part,")).length, 6);
    assert.ok(rows.some((row) => row.startsWith("operator,aten::mm,")));
    assert.ok(rows.length > 7, "a limit does not shorten it");
  });

  test("what is asked for wrongly is refused", async () => {
    const path = await comparison(3);
    assert.equal((await ask(path.replace(/left_experiment=\d+/, "left_experiment=99999"))).status, 404);
    assert.equal((await ask(path.replace(/left_experiment=\d+/, "left_experiment=x"))).status, 400);
    assert.equal((await ask(path.replace(/&right_run=[^&]+/, ""))).status, 400);
  });
});

test("what is kept is the same when it is derived again from the store", async () => {
  const db = makeFleet("derived", { nights: 4, profiled: [3], both: [3] });
  const answer = async () => {
    const one = await serve(db);
    try {
      return await getJson(await comparison(3), one);
    } finally {
      assert.equal((await one.stop()).code, 0);
    }
  };
  const before = await answer();
  assert.equal(before.operator_count, 4);
  const rebuilt = benchhud("rebuild", "--db", db);
  assert.equal(rebuilt.status, 0, rebuilt.stderr);
  assert.deepEqual(await answer(), before);
});

test("real profiles: parts add up to the iterations, and to what the report says of steps", { skip: !existsSync(shared) && `${shared} is not there` }, async () => {
  const files = ["xplane/mi300_jax_conv.xplane.pb", "xplane/tpu_v6e_host_offload.xplane.pb", "xplane/cpu_julia.xplane.pb", "traces/kineto/769c3eb7__worker0.1623143089861.pt.trace.json.gz", "traces/pytorch26_cpu/compiled_train_3steps.json"].map((name) => join(shared, name));
  const db = join(folder, "real.db");
  const made = join(folder, "real.jsonl");
  writeFileSync(made, files.map((_, n) => line({ model: `model ${n}`, metrics: times(0.5) })).join("\n") + "\n");
  assert.equal(benchhud("ingest", made, "--db", db).status, 0);
  let one = await serve(db);
  const { items } = await getJson("/results?limit=100", one);
  await one.stop();
  const idOf = (n) => items.find((item) => item.experiment.model === `model ${n}`).experiment.id;
  for (const [n, file] of files.entries()) assert.ok([0, 3].includes(benchhud("ingest", file, "--for", `latest/${idOf(n)}`, "--db", db).status), file);
  one = await serve(db);
  try {
    for (const [n, file] of files.entries()) {
      const answer = await getJson(`/profile-comparison?left_run=latest&left_experiment=${idOf(n)}&right_run=latest&right_experiment=${idOf(n)}`, one);
      near(answer.parts.reduce((sum, part) => sum + (part.left.share ?? 0), 0), 1);
      const shares = answer.operators.reduce((sum, row) => sum + row.left.share, 0);
      assert.ok(answer.operators.length === 0 || Math.abs(shares - 1) < 1e-6, `${file}: ${shares}`);
      for (const part of answer.parts) assert.equal(part.left.share === null, part.left.unknown !== null && part.left.ns === null && part.left.unknown !== OF_NO_ITERATION, `${file}: ${part.name}`);
      if (!file.includes("kineto")) continue;
      const { steps } = JSON.parse(benchhud("trace", "report", file, "--format", "json").stdout);
      const { kernel, memcpy, memset, communication } = steps.parts_ns;
      assert.deepEqual([answer.left.iterations, answer.left.length_ns], [steps.count, steps.duration_ns]);
      const [executing, transferring] = ["executing", "transferring"].map((name) => answer.parts.find((part) => part.name === name).left.ns);
      near((executing + transferring) * steps.count, kernel + memcpy + memset + communication);
    }
  } finally {
    assert.equal((await one.stop()).code, 0);
  }
});

test("real profiles of PyTorch: peaks of memory are those of the [memory] events, and unknown in the old form", { skip: !existsSync(shared) && `${shared} is not there` }, async () => {
  const files = ["hta/df_index_resolver/df_index_resolver.json.gz", "pytorch26_cpu/eager_shapes_mem_flops.json.gz", "kineto/769c3eb7__worker0.1623143089861.pt.trace.json.gz"].map((name) => join(shared, "traces", name));
  const db = join(folder, "memory-real.db");
  const made = join(folder, "memory-real.jsonl");
  writeFileSync(made, files.map((_, n) => line({ model: `model ${n}`, metrics: times(0.5) })).join("\n") + "\n");
  assert.equal(benchhud("ingest", made, "--db", db).status, 0);
  const expected = [
    { rows: [["cpu", 8, null], ["cuda:1", 6_629_508_096, 12_782_141_440]], peaks: [6_629_508_096, 12_782_141_440, "pytorch_device"], text: "peak of memory 6.63 GB, 12.8 GB reserved; allocated by PyTorch on a device\n" },
    { rows: [["cpu", 2_428_808, null]], peaks: [2_428_808, null, "pytorch_cpu"], text: "peak of memory 2.43 MB; allocated by PyTorch on the CPU since the profiler began\n" },
    { rows: [["cpu", null, null], ["cuda:0", null, null]], peaks: [null, null, null], text: "peak of memory unknown" },
  ];
  let one = await serve(db);
  const { items } = await getJson("/results?limit=100", one);
  await one.stop();
  for (const [n, file] of files.entries()) {
    const id = items.find((item) => item.experiment.model === `model ${n}`).experiment.id;
    assert.ok([0, 3].includes(benchhud("ingest", file, "--for", `latest/${id}`, "--db", db).status), file);
    assert.ok(benchhud("profile", "compare", file, file).stdout.includes(expected[n].text), file);
    assert.deepEqual(JSON.parse(benchhud("trace", "report", file, "--format", "json").stdout).memory.map((row) => [row.allocator, row.peak_bytes, row.peak_reserved_bytes]), expected[n].rows);
  }
  const check = async () => {
    one = await serve(db);
    try {
      for (const n of files.keys()) {
        const { series } = await getJson(`/series/profiles?suite=torchbench&model=${encodeURIComponent(`model ${n}`)}&test=eval`, one);
        const [point] = series[0].points.filter((each) => each !== null);
        assert.deepEqual([point.peak_memory_bytes, point.peak_reserved_bytes, point.peak_memory_of], expected[n].peaks);
        const page = await getJson(`/traces/${point.trace_id}/memory`, one);
        assertValid("XlaAllocatorPage", page);
        assert.deepEqual(page.items.map((row) => [row.allocator, row.peak_bytes, row.peak_reserved_bytes]), expected[n].rows);
        assert.deepEqual([page.left_out, page.cannot_tell], [0, null]);
        // The page counts from the first slice on, as the timeline does; the report has the trace's own clock.
        const report = JSON.parse(benchhud("trace", "report", files[n], "--format", "json").stdout);
        const apart = report.memory.map((row, i) => (row.peak_ns === null ? page.items[i].peak_ns : row.peak_ns - page.items[i].peak_ns));
        assert.ok(apart.every((one) => one === apart[0] && (one === null || (one > 0 && one <= report.begin_ns))), JSON.stringify(apart));
      }
    } finally {
      assert.equal((await one.stop()).code, 0);
    }
  };
  await check();
  assert.equal(benchhud("rebuild", "--db", db).status, 0);
  await check();
});

describe("numbers of profiles over runs", () => {
  const path = "/series/profiles?suite=torchbench&model=alpha&test=eval";

  test("each backend has its own, and gaps where there is no profile", async () => {
    const answer = await getJson(path);
    assertValid("ProfileSeriesAnswer", answer);
    assert.equal(answer.runs.length, NIGHTS);
    const of = (column) => answer.series.find((one) => one.experiment.column === column).points;
    const nights = (points) => points.flatMap((point, night) => (point ? [night] : []));
    assert.deepEqual(nights(of("inductor")), [3, SLOW_FROM - 1, SLOW_FROM, 20]);
    assert.deepEqual(nights(of("openxla+dynamo")), BOTH);
    const good = of("inductor")[3];
    assert.deepEqual([good.iteration_ns, good.busy_share, good.idle_ns], [1_000_000, 0.5, 500_000]);
    assert.deepEqual([good.top_class, good.top_share, good.compiling_ns, good.peak_memory_bytes], ["gemm", 0.8, 400_000, null]);
    near(of("inductor")[SLOW_FROM].busy_share, 740 / 1240);
    const xla = of("openxla+dynamo")[3];
    assert.equal(xla.peak_memory_bytes, (1 << 20) + 3);
    assert.equal(xla.compiling_ns, 0);
    near(xla.busy_share, 400 / 850);
  });

  test("profiles that mark no iterations have those of their repetition, as in the comparison", async () => {
    const db = makeFleet("unmarked", { nights: 4, profiled: [3], both: [3], marked: false });
    const one = await serve(db);
    try {
      const { left } = await getJson(await comparison(3), one);
      assert.equal(left.counted_by, "repetition");
      const answer = await getJson(path, one);
      const point = answer.series.find(({ experiment }) => experiment.id === left.experiment.id).points[3];
      assert.ok(point.iteration_ns > 0);
      assert.deepEqual([point.iteration_ns, point.idle_ns, point.missing], [left.iteration_ns, left.idle_ns, null]);
    } finally {
      assert.equal((await one.stop()).code, 0);
    }
  });

  test("other models have none, and one backend can be asked for", async () => {
    assert.deepEqual((await getJson("/series/profiles?suite=torchbench&model=quiet&test=eval")).series, []);
    assert.deepEqual((await getJson(`${path}&backend=inductor`)).series.map((one) => one.experiment.column), ["inductor"]);
    assert.equal((await ask("/series/profiles?suite=torchbench&model=nobody&test=eval")).status, 404);
  });

  test("the CSV has a row per profile", async () => {
    const { text } = await ask(`${path}&format=csv`);
    const [head, ...rows] = text.trim().split(/\r?\n/);
    assert.match(head, /busy_share,idle_ns,top_class,top_share,compiling_ns,peak_memory_bytes,peak_reserved_bytes,peak_memory_of$/);
    assert.equal(rows.length, 6);
  });
});

describe("alerts", () => {
  const regression = async (of) => {
    const { items } = await getJson("/alerts?state=all&model=alpha", of);
    const found = items.filter((one) => one.details.direction === "regression" && one.details.members.some((member) => member.metric === "steady"));
    assert.equal(found.length, 1, JSON.stringify(items.map((one) => one.details.title)));
    return getJson(`/alerts/${found[0].id}`, of);
  };

  test("an alert names the operation that takes longer, by the profiles of the last good and the first bad run", async () => {
    const alert = await regression();
    const { last_good: good, first_bad: bad } = alert.details;
    assert.deepEqual([good.name.slice(0, 10), bad.name.slice(0, 10)], [day(SLOW_FROM - 1), day(SLOW_FROM)]);
    const cause = alert.causes.find((one) => one.kind === "operators");
    assert.ok(cause, JSON.stringify(alert.causes));
    assert.match(cause.title, /aten::mm takes longer: 400 µs → 640 µs an iteration/);
    assert.ok(cause.explains);
    assert.ok(Math.abs(cause.share - 240 / 280) < 0.05, String(cause.share));
    assert.deepEqual(cause.compared, { before_run: good.id, run: bad.id, experiment: await experimentOf("inductor") });
  });

  test("and nothing where one of the two has no profile", async () => {
    const other = await serve(makeFleet("without", { profiled: [SLOW_FROM - 1, 20] }));
    try {
      const { causes } = await regression(other);
      assert.deepEqual(causes.filter((one) => one.kind === "operators"), []);
      assert.ok(causes.some((one) => one.kind === "profile"), "the dumps of other runs are compared all the same");
    } finally {
      assert.equal((await other.stop()).code, 0);
    }
  });
});
