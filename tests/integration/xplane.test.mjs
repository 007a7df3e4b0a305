// XPlane profiles (*.xplane.pb of XLA's profiler): summed up, taken in, shown.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { hloPlane, hloXspace, scopedXspace, smallXspace, writeProfile } from "./support/xplane.mjs";

const base = "cuda-openxla-False-eval-None-PJRT-None-alpha";
const real = join(root, "../shared/data/xplane");
let folder;

before(() => {
  folder = temporaryFolder("xplane");
});
after(() => removeFolder(folder));

function write(name, content) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function told(action, file) {
  const done = benchhud("trace", action, file, "--format", "json");
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

function ingest(db, ...args) {
  const done = benchhud("ingest", ...args, "--db", join(folder, db), "--format", "json");
  assert.ok(done.stdout, done.stderr);
  return JSON.parse(done.stdout);
}

test("summary and report, plain and compressed, by name and by content", () => {
  const bytes = smallXspace();
  const plain = told("summary", write("a.xplane.pb", bytes));
  assert.equal(plain.events, 4);
  assert.equal(plain.slices, 4);
  assert.equal(plain.refused, 0);
  assert.equal(plain.device.kernels, 1);
  assert.equal(plain.device.busy_ns, 6000, "the derived step is not counted");
  assert.deepEqual(plain.launches.by_name, { cuLaunchKernel: 1 });
  assert.deepEqual(told("summary", write("a.xplane.pb.gz", gzipSync(bytes))), plain);
  assert.deepEqual(told("summary", write("of_any_name", bytes)), plain);
  const [copies] = told("report", join(folder, "a.xplane.pb")).copies;
  assert.deepEqual([copies.name, copies.bytes, copies.mean_gb_per_s], ["MemcpyH2D", 4096, 4.096]);
});

test("a profile that lies where no result is named says what to do", () => {
  const file = write("loose/only/a.xplane.pb", smallXspace());
  const alone = benchhud("ingest", join(folder, "loose/only"), "--db", join(folder, "loose.db"));
  assert.equal(alone.status, 1);
  assert.ok(alone.stderr.includes(`${file} is an XPlane profile by its name: ingest it, or its folder, with --for RUN/MODEL/TEST/BACKEND`), alone.stderr);
  write("mixed/README.md", "no profile");
  const last = write("mixed/z.xplane.pb", smallXspace());
  const mixed = benchhud("ingest", join(folder, "mixed"), "--db", join(folder, "loose.db"));
  assert.ok(mixed.stderr.includes(`${last} is an XPlane profile by its name`), mixed.stderr);
  assert.doesNotMatch(mixed.stderr, /README/);
  write("others/README.md", "no profile");
  const others = benchhud("ingest", join(folder, "others"), "--db", join(folder, "loose.db"));
  assert.match(others.stderr, /by their names\. A trace, an XPlane profile or another dump is ingested by itself with --for/);
  assert.doesNotMatch(others.stderr, /README/);
  write("loose/results.jsonl", line({ metrics: times(0.5) }) + "\n");
  write("loose/notes.txt", "no profile");
  const beside = benchhud("ingest", join(folder, "loose"), "--db", join(folder, "loose.db"));
  assert.equal(beside.status, 0, beside.stderr);
  assert.ok(beside.stderr.includes(`1 XPlane profile: ${file}; no folder says of which result: ingest each by itself with --for RUN/MODEL/TEST/BACKEND\n`), beside.stderr);
  assert.doesNotMatch(beside.stderr, /notes\.txt/);
  for (const letter of "bcde") write(`many/${letter}.xplane.pb`, smallXspace());
  write("many/results.jsonl", line({ metrics: times(0.5) }) + "\n");
  const many = benchhud("ingest", join(folder, "many"), "--db", join(folder, "many.db"));
  assert.match(many.stderr, /4 XPlane profiles: \S+b\.xplane\.pb, \S+c\.xplane\.pb, \S+d\.xplane\.pb and 1 more; no folder says/);
  for (let n = 0; n < 1000; ++n) write(`many/y/${n}.txt`, "");
  const more = benchhud("ingest", join(folder, "many"), "--db", join(folder, "many.db"));
  assert.match(more.stderr, /4 XPlane profiles among the first 1000 of these files: /, "no number is said of files whose names were not kept");
  const named = benchhud("ingest", file, "--db", join(folder, "loose.db"));
  assert.equal(named.status, 1);
  assert.match(named.stderr, /a\.xplane\.pb: it is a profile of XLA \(XPlane\), not results: a dump of a result is taken in with --for RUN\/MODEL\/TEST\/BACKEND/);
  const done = benchhud("ingest", file, "--db", join(folder, "loose.db"), "--for", "latest/alpha/eval/inductor");
  assert.equal(done.status, 0, done.stderr);
  // Who did as the advice says does not get it again, until the file changes.
  const followed = benchhud("ingest", join(folder, "loose"), "--db", join(folder, "loose.db"), "--format", "json");
  assert.deepEqual(JSON.parse(followed.stdout).unrecognized_files, [join(folder, "loose/notes.txt")]);
  assert.doesNotMatch(benchhud("ingest", join(folder, "loose"), "--db", join(folder, "loose.db")).stderr, /--for/);
  write("loose/only/a.xplane.pb", Buffer.concat([smallXspace(), Buffer.from([0x22, 1, 0x68])]));
  assert.match(benchhud("ingest", join(folder, "loose"), "--db", join(folder, "loose.db")).stderr, /1 XPlane profile: .*--for/);
});

test("a session's folder belongs to the result that --for names", () => {
  const db = join(folder, "one_session.db");
  write("one_session/results.jsonl", line({ metrics: times(0.5) }) + "\n");
  const ofResult = (path, ...more) => benchhud("ingest", path, "--db", db, "--for", "latest/alpha/eval/inductor", "--format", "json", ...more);
  assert.equal(benchhud("ingest", join(folder, "one_session"), "--db", db).status, 0);
  const at = "profiled/plugins/profile/2025_11_10";
  const one = write(`${at}/host1.xplane.pb`, smallXspace());
  const two = write(`${at}/host2.xplane.pb.gz`, gzipSync(Buffer.concat([smallXspace(), Buffer.from([0x22, 1, 0x68])])));
  write(`${at}/host1.overview_page.pb`, "of XProf");
  const taken = ofResult(join(folder, "profiled"));
  assert.equal(taken.status, 0, taken.stderr);
  const report = JSON.parse(taken.stdout);
  assert.deepEqual(report.dumps.map(({ path, outcome }) => [path, outcome]), [[one, "new"], [two, "new"]]);
  assert.deepEqual(report.unrecognized_files, [join(folder, `${at}/host1.overview_page.pb`)]);
  const again = JSON.parse(ofResult(join(folder, "profiled")).stdout);
  assert.deepEqual(again.dumps.map(({ outcome }) => outcome), ["known", "known"]);
  const results = ofResult(join(folder, "one_session"));
  assert.equal(results.status, 2);
  assert.match(results.stderr, /one_session holds results \(\S+results\.jsonl\), and --for says that all dumps in it are of one result/);
  write("nothing/notes.txt", "no dump");
  const nothing = ofResult(join(folder, "nothing"));
  assert.equal(nothing.status, 1);
  assert.match(nothing.stderr, /nothing holds no dump, by their names/);
  assert.match(ofResult(join(folder, "not_there")).stderr, /not_there is not there/);
});

test("a profile that was ingested by itself is no unrecognised file on the page either", async () => {
  const file = write("page/p.xplane.pb", smallXspace());
  write("page/results.jsonl", line({ metrics: times(0.5) }) + "\n");
  const db = join(folder, "page.db");
  const listed = async () => {
    const server = await serve(db);
    try {
      return (await (await fetch(`${server.base}/api/v1/ingests`)).json()).unrecognized_files;
    } finally {
      await server.stop();
    }
  };
  benchhud("ingest", join(folder, "page"), "--db", db);
  assert.equal((await listed()).length, 1);
  assert.equal(benchhud("ingest", file, "--db", db, "--for", "latest/alpha/eval/inductor").status, 0);
  assert.deepEqual(await listed(), []);
});

test("what cannot be read is said", () => {
  const summary = (name, content) => benchhud("trace", "summary", write(name, content));
  const empty = summary("empty.xplane.pb", "");
  assert.equal(empty.status, 1);
  assert.match(empty.stderr, /empty\.xplane\.pb: it is empty: the profiler could not write more than 2 GB/);
  assert.match(summary("text.xplane.pb", "no profile").stderr, /no XPlane profile: .*\(byte 0\)/);
  const cut = write("cut.xplane.pb", smallXspace().subarray(0, -20));
  const said = told("summary", cut);
  assert.equal(said.slices, 4, "the planes before are whole");
  assert.equal(said.problem_count, 1);
  assert.match(said.problems[0].reason, /of which \d+ are there; the rest of the file is lost/);
});

test("taken in with results, it is a trace of its experiment", async () => {
  const place = `out/alpha/xla-profile/xplane-${base}/plugins/profile/2026_01_02_03_04_05`;
  write("out/results.jsonl", line({ metrics: times(0.5), experiment: { xla: "PJRT", dynamo: "openxla" } }) + "\n");
  write(`${place}/localhost_9012.xplane.pb`, smallXspace({ extra: [[3, "the buffer was full"]] }));
  write(`${place}/localhost_9012.op_stats.pb`, Buffer.from([0, 1]));
  write(`${place}/other.xplane.pb`, "");
  const done = ingest("store.db", join(folder, "out"));
  const of = (ending) => done.dumps.find((dump) => dump.path.endsWith(ending));
  assert.deepEqual([of("9012.xplane.pb").outcome, of("9012.xplane.pb").orphaned, of("9012.xplane.pb").unreadable, of("9012.xplane.pb").problem_count], ["new", false, null, 1]);
  assert.match(of("other.xplane.pb").unreadable, /more than 2 GB/);
  assert.equal(of("op_stats.pb").unreadable, null);

  // The same, compressed and elsewhere, is known.
  const again = write(`copy/alpha/xla-profile/xplane-${base}/plugins/profile/2026_01_02_03_04_05/localhost_9012.xplane.pb.gz`, gzipSync(smallXspace({ extra: [[3, "the buffer was full"]] })));
  write("copy/results.jsonl", line({ metrics: times(0.5), experiment: { xla: "PJRT", dynamo: "openxla" } }) + "\n");
  assert.ok(again.endsWith(".gz"));
  assert.deepEqual(ingest("store.db", join(folder, "copy")).dumps.map((dump) => dump.outcome), ["known"]);

  const server = await serve(join(folder, "store.db"));
  try {
    const get = async (path) => {
      const response = await fetch(`${server.base}/api/v1${path}`);
      assert.equal(response.status, 200, path);
      return response.json();
    };
    const artifact = await get(`/artifacts/${of("9012.xplane.pb").id}`);
    assert.equal(artifact.kind, "trace");
    assert.equal(artifact.results.length, 1);
    const overview = await get(`/traces/${artifact.trace_id}`);
    assert.equal(overview.slices, 4);
    const names = overview.threads.map((thread) => thread.name);
    assert.ok(names.includes("Stream #7(Compute)") && names.includes("main/99"), JSON.stringify(names));
    const sql = encodeURIComponent("SELECT name, category, begin, duration FROM slices ORDER BY begin, name");
    const rows = (await get(`/traces/${artifact.trace_id}/query?sql=${sql}`)).rows;
    assert.deepEqual(rows, [
      ["cuLaunchKernel", "cuda_runtime", 0, 1000],
      ["7", "gpu_derived", 2000, 8000],
      ["fusion_kernel", "kernel", 2000, 5000],
      ["MemcpyH2D", "gpu_memcpy", 9000, 1000],
    ]);
    const args = encodeURIComponent("SELECT arg(slice_id, 'kernel_details') FROM slices WHERE name = 'fusion_kernel'");
    assert.deepEqual((await get(`/traces/${artifact.trace_id}/query?sql=${args}`)).rows, [["regs:12"]]);
    assert.equal((await get(`/traces/${artifact.trace_id}/flows?begin=0&end=20000`)).arrows.length, 1);

    // The kernel belongs to no operator: how often something was executed is not known.
    const operators = await get(`/traces/${artifact.trace_id}/operators`);
    assert.deepEqual([operators.total, operators.cannot_tell, operators.devices[0].busy_ps], [1, null, 6_000_400]);
    const [row] = operators.items;
    assert.deepEqual([row.name, row.occurrences, row.kernels, row.self_ps, row.flops, row.bound_by], [null, null, 1, 5_000_400, null, null]);
    const [kernel] = (await get(`/traces/${artifact.trace_id}/kernels?device=/device:GPU:0`)).items;
    assert.deepEqual([kernel.name, kernel.registers, kernel.count, kernel.total_ps], ["fusion_kernel", 12, 1, 5_000_400]);
    const csv = await (await fetch(`${server.base}/api/v1/traces/${artifact.trace_id}/kernels?format=csv`)).text();
    assert.match(csv, /^device,name,operator.*\r\n\/device:GPU:0,fusion_kernel,,/);
    const wrong = await fetch(`${server.base}/api/v1/traces/${artifact.trace_id}/operators?device=nothing`);
    assert.equal(wrong.status, 400);
    const { trace } = await get(`/artifacts/${artifact.id}/content`);
    assert.equal(trace.xla.devices[0].operators[0].self_ps, 5_000_400);
    assert.equal(trace.xla.iterations.found_by, "nothing");
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});

/** A store with that profile, and what its server says of its trace. */
async function withTrace(name, bytes, check) {
  ingest(`${name}.db`, writeProfile(join(folder, name), bytes));
  const server = await serve(join(folder, `${name}.db`));
  try {
    const get = async (path) => {
      const response = await fetch(`${server.base}/api/v1${path}`);
      assert.equal(response.status, 200, path);
      return response.json();
    };
    await check(get, await get("/traces/1"));
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
}

test("tracks that XProf derives are there and marked, and nothing counts them", async () => {
  await withTrace("scoped", scopedXspace(), async (get, trace) => {
    const derived = trace.threads.filter((one) => one.is_derived);
    assert.deepEqual(derived.map((one) => [one.name, one.slices, one.rows, one.side, one.process_name, one.busy]), [
      ["Steps", 1, 1, "device", "/device:GPU:0", null],
      ["XLA Modules", 2, 1, "device", "/device:GPU:0", null],
      ["XLA Ops", 4, 1, "device", "/device:GPU:0", null],
      ["Framework Ops", 4, 1, "device", "/device:GPU:0", null],
      ["Framework Name Scope", 4, 2, "device", "/device:GPU:0", null],
      ["Source code", 2, 1, "device", "/device:GPU:0", null],
    ]);
    assert.equal(trace.derived_tracks, 6);
    assert.equal(trace.slices, 4);
    const scopes = derived.find((one) => one.name === "Framework Name Scope").thread;
    const tile = await get(`/traces/1/tile?thread=${scopes}&begin=0&end=200000&buckets=100`);
    assert.deepEqual(tile.labels.map((one) => [one.name, one.category]), [["jit(step)", "derived"], ["layer", "derived"]]);

    const sql = async (query) => (await get(`/traces/1/query?sql=${encodeURIComponent(query)}`)).rows;
    assert.deepEqual(await sql("SELECT count(*), sum(duration) FROM slices"), [[4, 8000]]);
    assert.deepEqual(await sql("SELECT count(*) FROM tracks"), [[1]]);
    assert.deepEqual(await sql("SELECT count(*) FROM slices WHERE name = 'layer'"), [[0]]);
  });
});

test("of real profiles every sum is of what the file has", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, async () => {
  // Tracks of a device: of the files that have the lines already, none is made twice.
  const derived = { cpu_julia: 0, gtx1080ti_two_gpus: 6, mi300_jax_conv: 5, mi300_jax_gemm: 5, tf_v100_multi_worker_2020: 0, tpu_v6e_host_offload: 16 };
  for (const [name, count] of Object.entries(derived)) {
    await withTrace(name, readFileSync(join(real, `${name}.xplane.pb`)), async (get, trace) => {
      assert.equal(trace.derived_tracks, count, name);
      assert.equal(trace.threads.filter((one) => one.is_derived).length, count, name);
      const titles = trace.threads.filter((one) => one.slices > 0 && one.process_name.startsWith("/device:")).map((one) => `${one.process_name} ${one.name}`);
      assert.equal(new Set(titles).size, titles.length, `${name}: a line is there twice`);
      const slices = trace.threads.filter((one) => !one.is_derived).reduce((sum, one) => sum + one.slices, 0);
      const sums = await get(`/traces/1/sums?begin=0&end=${trace.end + 1}`);
      const sql = (await get(`/traces/1/query?sql=${encodeURIComponent("SELECT count(*) FROM slices")}`)).rows[0][0];
      assert.deepEqual([slices, sql], [trace.slices, trace.slices], name);
      assert.equal(sums.all.count, trace.slices, name);
      // The report that is made of the file alone, where nothing is derived, is the one that the store keeps.
      assert.deepEqual((await get("/traces/1/report")).trace, told("report", join(real, `${name}.xplane.pb`)));
    });
  }
});

test("tables of a TPU's operators are in the report, in text and in REST, page by page", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, async () => {
  const file = join(real, "tpu_v6e_host_offload.xplane.pb");
  const { planes } = JSON.parse(readFileSync(join(real, "reference.json"), "utf8"))["tpu_v6e_host_offload.xplane.pb"];
  const { xla, advice } = told("report", file);
  assert.equal(xla.devices.length, 4);
  for (const device of xla.devices) {
    const expected = planes.find((plane) => plane.name === device.name).analysis.operators;
    assert.deepEqual([device.self_ps, device.span_ps, device.idle_ps], [expected.self_ps, expected.total_ps, expected.idle_ps]);
    assert.deepEqual(Object.fromEntries(device.categories.map((row) => [row.category, row.self_ps])), expected.self_ps_by_category);
    const add = device.operators.find((row) => row.name === "broadcast_add_fusion.1");
    assert.equal(add.bound_by, "hbm");
    assert.ok(add.utilization > 0.7 && add.utilization < 1, String(add.utilization));
  }
  assert.deepEqual([xla.iterations.found_by, xla.iterations.name, xla.iterations.count], ["module_runs", "jit_f", 99]);
  assert.equal(xla.iterations.marks, 100);
  assert.equal(xla.memory.length, 4);
  assert.ok(advice.some((one) => one.code === "compiling_in_window"));
  const text = benchhud("trace", "report", file);
  assert.match(text.stdout, /iterations +99, by runs of the module that takes the most time \(jit_f\)/);
  assert.match(text.stdout, /hbm \d+.*broadcast_add_fusion\.1/);

  write("tpu.jsonl", line({ metrics: times(0.5) }) + "\n");
  ingest("tpu.db", join(folder, "tpu.jsonl"));
  const done = ingest("tpu.db", file, "--for", "latest/alpha/eval/inductor");
  const server = await serve(join(folder, "tpu.db"));
  try {
    const get = async (path) => (await fetch(`${server.base}/api/v1${path}`)).json();
    const { trace_id } = await get(`/artifacts/${done.dumps[0].id}`);
    const rows = [];
    let cursor = null;
    do {
      const page = await get(`/traces/${trace_id}/operators?limit=10${cursor ? `&cursor=${cursor}` : ""}`);
      rows.push(...page.items);
      cursor = page.next_cursor;
      assert.equal(page.total, 65);
    } while (cursor);
    assert.equal(rows.length, 65);
    const modules = await get(`/traces/${trace_id}/operators?by=module&device=/device:TPU:0`);
    assert.deepEqual(modules.items.map((row) => [row.module, row.runs]).sort(), [["jit__psum", 3], ["jit_broadcast_in_dim", 1], ["jit_convert_element_type", 1], ["jit_f", 100]]);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});

test("the report has kernels of a GPU in text, and does not take occupancy that is not known for none", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, () => {
  const file = join(real, "mi300_jax_conv.xplane.pb");
  const { stdout } = benchhud("trace", "report", file);
  assert.match(stdout, /kernels: time, how many, mean, grid, block, registers, occupancy\n +\S+ \S+ +\d+×/);
  const kernels = told("report", file).xla.devices.flatMap((device) => device.kernels);
  assert.ok(kernels.length > 0 && kernels.every((row) => row.occupancy_pct !== 0));
});

test("the Chrome trace of the same session is no second trace", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, async () => {
  const session = `session/alpha/xla-profile/xplane-${base}/plugins/profile/2026_01_02_03_04_05`;
  write("session/results.jsonl", line({ metrics: times(0.5), experiment: { xla: "PJRT", dynamo: "openxla" } }) + "\n");
  for (const ending of [".trace.json.gz", ".xplane.pb"]) write(`${session}/cyclops${ending}`, readFileSync(join(real, `gtx1080ti_two_gpus${ending}`)));
  const done = ingest("session.db", join(folder, "session"));
  assert.equal(new Set(done.dumps.map((dump) => dump.id)).size, 1);
  assert.equal(done.dumps.length, 2);
  const listed = JSON.parse(benchhud("artifacts", "list", "--db", join(folder, "session.db"), "--format", "json").stdout);
  assert.equal(listed.length, 1);
  assert.equal(listed[0].kind, "trace");
  assert.deepEqual(ingest("session.db", join(folder, "session")).dumps.map((dump) => dump.outcome), ["known", "known"]);
});

// The profiler's own file tells what happened, by its name, wherever it lies, and keeps nothing else from being read.
test("outside of the runner's folders, a profile that is empty leaves the Chrome trace beside it", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, () => {
  write("run.jsonl", line({ metrics: times(0.5) }) + "\n");
  ingest("beside.db", join(folder, "run.jsonl"));
  const trace = write("beside/cyclops.trace.json.gz", readFileSync(join(real, "gtx1080ti_two_gpus.trace.json.gz")));
  const profile = write("beside/cyclops.xplane.pb", "");
  const done = ingest("beside.db", trace, "--for", "latest/alpha/eval/inductor");
  assert.deepEqual([done.dumps[0].outcome, done.dumps[0].unreadable], ["new", null]);
  const empty = ingest("beside.db", profile, "--for", "latest/alpha/eval/inductor");
  assert.match(empty.dumps[0].unreadable, /the profiler could not write more than 2 GB/);
});

test("two profiles are compared", () => {
  const before = write("before.xplane.pb", smallXspace());
  const done = benchhud("profile", "diff", before, write("after.xplane.pb", smallXspace()), "--format", "json");
  assert.equal(done.status, 0, done.stderr);
});

test("real profiles go into a store", { skip: !existsSync(real) && "the real profiles (shared/data/xplane) are not here" }, () => {
  for (const name of ["cpu_julia", "gtx1080ti_two_gpus", "mi300_jax_conv", "tpu_v6e_host_offload"]) {
    write("run.jsonl", line({ metrics: times(0.5) }) + "\n");
    ingest("real.db", join(folder, "run.jsonl"));
    const done = ingest("real.db", join(real, `${name}.xplane.pb`), "--for", "latest/alpha/eval/inductor");
    assert.equal(done.dumps[0].outcome, "new", JSON.stringify(done));
    assert.equal(done.dumps[0].problem_count, 0);
  }
});

// `reference.json` is of a decoder that shares no code with ours; times of TPUs are fractions of nanoseconds there.
const answers = join(real, "reference.json");
test("real profiles: how busy devices were", { skip: existsSync(answers) ? false : "no shared/data/xplane beside the checkout" }, async (t) => {
  const reference = JSON.parse(readFileSync(answers, "utf8"));
  for (const [file, theirs] of Object.entries(reference)) {
    const busy = theirs.planes.map((plane) => plane.analysis?.busy_ps).filter((ps) => ps);
    if (busy.length === 0) continue;
    await t.test(file, () => {
      const { device, cannot_tell } = told("summary", join(real, file));
      assert.equal(cannot_tell.device, null);
      assert.ok(device.busy_ns >= Math.max(...busy) / 1000 - 1 && device.busy_ns <= busy.reduce((sum, ps) => sum + ps) / 1000 + device.kernels, `${device.busy_ns} ns of ${busy} ps`);
    });
  }
});

/** A store with these profiles, each a night's, asked by `get`. */
async function stored(db, profiles, use) {
  for (const [night, content] of Object.entries(profiles)) ingest(db, writeProfile(join(folder, db + ".out", night), content));
  const server = await serve(join(folder, db));
  try {
    await use(async (address, status = 200) => {
      const answer = await fetch(`${server.base}/api/v1${address}`);
      assert.equal(answer.status, status, address);
      return answer.headers.get("content-type").includes("json") ? answer.json() : answer.text();
    });
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
}

test("a kernel leads to its HLO instruction, the instruction to source and stack", async () => {
  await stored("hlo.db", { one: hloXspace() }, async (get) => {
    const [{ trace_id: trace }] = (await get("/artifacts?kind=trace")).items;
    const { modules, absence } = await get(`/traces/${trace}/hlo`);
    assert.equal(absence, null);
    assert.deepEqual(modules.map(({ name, program_id }) => [name, program_id]), [["jit_step", "15"]]);
    const of = (query) => get(`/traces/${trace}/hlo-instruction?${query}`);
    const { module, instruction, absence: none } = await of("program_id=15&module=jit_step&op=fusion.1");
    assert.equal(module.module, modules[0].module);
    assert.equal(none, null);
    assert.deepEqual([instruction.opcode, instruction.op_type, instruction.op_name], ["fusion", "aten__add", "jit(step)/add"]);
    assert.deepEqual([instruction.source_file, instruction.source_line], ["/srv/model.py", 42]);
    assert.deepEqual(instruction.stack, [{ file: "/srv/model.py", line: 42, function: "forward" }, { file: "/srv/main.py", line: 7, function: "<module>" }]);
    assert.deepEqual(instruction.operands.map((one) => one.name), ["Arg_0.1"]);
    assert.deepEqual(instruction.called.map((one) => one.name), ["fused_computation"]);
    const text = await get(`/hlo/${module.module}/text`);
    assert.match(text.split("\n")[instruction.line - 1], /ROOT %fusion\.1 = f32\[8,16\]\{1,0\} fusion\(%Arg_0\.1\), kind=kLoop, calls=%fused_computation/);
    assert.equal(await get(`/hlo/${module.module}/text?offset=${instruction.offset}&length=6`), "  ROOT");
    assert.deepEqual(await get(`/hlo/${module.module}/instruction?line=${instruction.line}`), { line: instruction.line, offset: instruction.offset, instruction });
    // A computation's line is answered without an instruction, one behind the last not at all.
    const entry = text.split("\n").findIndex((line) => line.startsWith("ENTRY ")) + 1;
    assert.deepEqual(await get(`/hlo/${module.module}/instruction?line=${entry}`), { line: entry, offset: text.indexOf("ENTRY "), instruction: null });
    await get(`/hlo/${module.module}/instruction?line=999`, 400);
    await get("/hlo/99", 404);
    const content = await get(`/hlo/${module.module}`);
    assert.deepEqual(content.profiles, [{ trace_id: trace, program_id: "15" }]);
    assert.deepEqual([content.ir_modules[0].instruction_count, content.ir_modules[0].name, content.source_absence], [4, "jit_step", null]);
    // And back: as the page asks for the slices (web/test/hlo.ts holds it to the same text).
    const sql = "SELECT slice_id, track, name, begin, duration FROM slices WHERE (substr('::' || arg(slice_id, 'hlo_op'), -10) = '::fusion.1' OR (category LIKE 'xla%' AND (name = 'fusion.1' OR instr(arg(slice_id, 'full_name'), '%fusion.1 = ') = 1))) AND coalesce(CAST(arg(slice_id, 'program_id') AS TEXT) IN ('15'), arg(slice_id, 'hlo_module') = 'jit_step')";
    const asked = async (text) => (await get(`/traces/${trace}/query?sql=${encodeURIComponent(text)}`)).rows.map((row) => [row[2], row[4]]);
    assert.deepEqual(await asked(sql), [["loop_add_fusion", 5000]]);
    assert.deepEqual(await asked(sql.replace("'15'", "'16'")), []);
    // By the module's name alone; what the module lacks; another program.
    assert.equal((await of("module=jit_step&op=fusion.1")).instruction.line, instruction.line);
    const lacking = await of("program_id=15&op=gone.2");
    assert.equal(lacking.instruction, null);
    assert.equal(lacking.absence, "The module has no instruction of this name.");
    assert.equal((await of("program_id=16&op=fusion.1")).absence, "The profile holds no HLO of this program.");
    await get(`/traces/${trace}/hlo-instruction?program_id=x`, 400);
  });
});

test("one module of two nights is one, with both profiles", async () => {
  const second = hloXspace({ program: 77, hlo: hloPlane({ program: 77, ids: 9000 }), begin: 2000 });
  await stored("nights.db", { one: hloXspace(), two: second }, async (get) => {
    const content = await get("/hlo/1");
    const [newest, oldest] = [content.profiles[0], content.profiles.at(-1)];
    assert.notEqual(newest.trace_id, oldest.trace_id);
    // The trace that is asked for stands first.
    assert.deepEqual((await get(`/hlo/1?trace=${oldest.trace_id}`)).profiles, [oldest, newest]);
    assert.deepEqual(content.profiles.map((one) => one.program_id), ["77", "15"]);
    await get("/hlo/2", 404);
  });
});

test("why there is no HLO, or no source, is said with what brings it", async () => {
  const chrome = JSON.stringify([{ ph: "X", name: "k", ts: 1, dur: 2, pid: 1, tid: 1, args: { hlo_op: "fusion.1", hlo_module: "jit_step" } }]);
  write("chrome/alpha/0/trace-cuda-openxla-False-eval-None-PJRT-None-alpha.json", chrome);
  ingest("absent.db", join(folder, "chrome"));
  await stored("absent.db", { none: hloXspace({ hlo: null }), plain: hloXspace({ hlo: hloPlane({ source: false }), begin: 3000 }) }, async (get) => {
    // The newest first.
    const traces = (await get("/artifacts?kind=trace")).items.map((one) => one.trace_id);
    const absences = [];
    for (const trace of traces) absences.push((await get(`/traces/${trace}/hlo-instruction?module=jit_step&op=fusion.1`)).absence);
    assert.match(absences[0], /XLA_HLO_DEBUG=1/);
    assert.match(absences[1], /enable_hlo_proto/);
    assert.match(absences[2], /Chrome traces do not/);
    assert.match((await get("/hlo/1")).source_absence, /XLA_HLO_DEBUG=1/);
  });
});

test("every kernel of a real profile has its instruction", { skip: existsSync(real) ? false : `${real} is not there` }, async () => {
  await stored("modules.db", { one: readFileSync(join(real, "mi300_jax_conv.xplane.pb")) }, async (get) => {
    const [{ trace_id: trace }] = (await get("/artifacts?kind=trace")).items;
    const { modules } = await get(`/traces/${trace}/hlo`);
    assert.equal(modules.length, 8);
    const { instruction, module } = await get(`/traces/${trace}/hlo-instruction?program_id=15&module=jit_forward_3d_conv&op=cudnn-conv.1.0`);
    assert.equal(module.name, "jit_forward_3d_conv");
    assert.equal(instruction.opcode, "custom-call");
    assert.equal(instruction.source_file, "/workspace/conv-jax/jax_conv_profiling.py");
  });
});
