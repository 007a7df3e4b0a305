// Profiles, differences and dumps: on made-up dumps, hostile ones among them, and on the real nights if they are there.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, eventually, night, openBrowser, openPage, root, seen, serve, settled, shot, text, visit } from "./support.mjs";

const real = join(root, "../shared/data/results/cpu_nightlies");
const START = 1767225600; // 2026-01-01
const DAY = 86400;
const HOSTILE = '<img src=x onerror="window.pwned=1">';
const REASON = "call to print() <script>window.pwned=2</script>";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const pad = (value, width) => String(value).padStart(width);

/** A table of key_averages(): rows of [name, self µs, total µs, calls]. */
function operatorTable(rows) {
  const widths = [Math.max(12, ...rows.map((row) => row[0].length)), 12, 12, 12, 12, 12];
  const rule = widths.map((width) => "-".repeat(width) + "  ").join("");
  const line = (cells) => cells.map((cell, index) => pad(cell, widths[index]) + "  ").join("");
  const all = rows.reduce((sum, row) => sum + row[1], 0);
  return [
    rule,
    line(["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "# of Calls"]),
    rule,
    ...rows.map(([name, self, total, calls]) => line([name, `${((100 * self) / all).toFixed(2)}%`, `${self.toFixed(3)}us`, `${((100 * total) / all).toFixed(2)}%`, `${total.toFixed(3)}us`, calls])),
    rule,
    `Self CPU time total: ${all.toFixed(3)}us`,
    "",
  ].join("\n");
}

const slice = (name, cat, ts, dur, more = {}) => ({ ph: "X", name, cat, pid: 1, tid: 1, ts, dur, ...more });

/** A call of a compiled function, that breaks into three regions or does not, with kernels that it launched. */
function trace({ compiling, broken }) {
  const events = [
    slice("Torch-Compiled Region: 0/0", "cpu_op", 1000, 900),
    ...(broken ? [slice("Torch-Compiled Region: 1/0", "cpu_op", 1300, 500), slice("Torch-Compiled Region: 2/0", "cpu_op", 1500, 200)] : []),
    slice(HOSTILE, "cpu_op", 1010, 100),
    ...[0, 1, 2].flatMap((n) => [
      slice("cudaLaunchKernel", "cuda_runtime", 1520 + 20 * n, 10, { args: { correlation: 10 + n } }),
      slice(n ? "triton_poi_fused_add_0" : `void ${HOSTILE}()`, "kernel", 2000 + 300 * n, 100 + n, { pid: 0, tid: 7, args: { correlation: 10 + n, stream: 7, device: 0 } }),
    ]),
  ];
  if (compiling) events.push(slice("_compile.compile_inner (dynamo_timed)", "user_annotation", 100, 800), slice("OutputGraph.call_user_compiler (dynamo_timed)", "user_annotation", 200, 600));
  return JSON.stringify({ traceEvents: events });
}

const REPORT = `Metric: CompileTime
  TotalSamples: 3
  Accumulator: 01m12s690ms741.000us
  ValueRate: 778ms572.062us / second
  Rate: 0.425201 / second
  Percentiles: 1%=001ms32.778us; 50%=02s000ms000.000us; 99%=21s102ms853.173us
Counter: aten::_local_scalar_dense
  Value: 12
Counter: aten::topk
  Value: 3
Counter: ${HOSTILE}
  Value: 1
`;

const module = (name, instructions) =>
  `HloModule ${name}, entry_computation_layout={(f32[4,8]{1,0}, f32[8,2]{1,0})->f32[4,2]{1,0}}\n\nENTRY main {\n  p0 = f32[4,8]{1,0} parameter(0)\n  p1 = f32[8,2]{1,0} parameter(1)\n  d = f32[4,2]{1,0} dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n` +
  Array.from({ length: instructions }, (_, n) => `  a${n} = f32[4,2]{1,0} add(${n ? "a" + (n - 1) : "d"}, d)\n`).join("") +
  `  ROOT r = f32[4,2]{1,0} negate(a${instructions - 1})\n}\n\n`;

/** Two nights of one model: on the second one its graph breaks. `manyRows` operators on the second night. */
function madeUp(folder, manyRows = 1500) {
  for (const [n, broken] of [false, true].entries()) {
    const out = join(folder, `night${n}`);
    const backends = [null, "inductor"];
    mkdirSync(out, { recursive: true });
    const times = [1, 0.2, 0.2, 0.1, 0.11, 0.12, 0.1, 0.1].map((time) => time * (broken ? 1.5 : 1));
    writeFileSync(join(out, "results.jsonl"), night({ timestamp: START + n * DAY, lines: backends.map((dynamo) => ({ model: "mini", dynamo, times })) }));
    for (const dynamo of backends) {
      const base = `cuda-${dynamo === null ? "None" : dynamo}-eval-None-None-None-mini`;
      for (const repetition of [0, 1]) {
        const place = join(out, "mini", String(repetition));
        mkdirSync(place, { recursive: true });
        const rows = [["aten::mm", 500, 600, 3], ["aten::add", 100, 100, 2]];
        if (broken) rows.push(["aten::new_thing", 700, 700, 4], [HOSTILE, 5, 5, 1], ...Array.from({ length: manyRows }, (_, row) => [`aten::op_${row}`, 0.001 * (row + 1), 0.001 * (row + 1), 1]));
        writeFileSync(join(place, `pytorch-profile-${base}.txt`), operatorTable(rows));
        if (dynamo === null) continue;
        writeFileSync(join(place, `trace-${base}.json`), trace({ compiling: repetition === 0, broken }));
        const counters = repetition ? {} : { frames: { total: broken ? 3 : 1, ok: broken ? 3 : 1 }, stats: { unique_graphs: broken ? 3 : 1 }, graph_break: broken ? { [REASON]: 2 } : {}, inductor: { fxgraph_cache_hit: 1 } };
        writeFileSync(join(place, `dynamo-counters-${base}.txt`), JSON.stringify(counters));
        if (!broken) continue;
        writeFileSync(join(place, `pytorch-xla-metrics-${base}.txt`), REPORT);
        writeFileSync(join(out, "mini", `dump-${base}.hlo`), module("small", 3) + module("large", 6000));
      }
    }
  }
  // A trace that no result of the folder produced, and a table that is none.
  const orphan = join(folder, "night1", "mini", "0", `trace-cuda-nobody-eval-None-None-None-${HOSTILE.replace(/"/g, "")}.json`);
  writeFileSync(orphan, trace({ compiling: true, broken: false }).replace("1000", "999"));
  writeFileSync(join(folder, "night1", "mini", "pytorch-profile-cuda-nobody-eval-None-None-None-mini.txt"), "not a table\n");
}

async function madeUpServer(rows) {
  const server = await serve([]);
  const folder = join(server.folder, "dumps");
  madeUp(folder, rows);
  await server.ingest([join(folder, "night0"), join(folder, "night1")]);
  const runs = (await server.api("/runs?limit=10")).items;
  const results = (await server.api(`/results?run=${runs[0].id}&limit=10`)).items;
  const of = (backend) => results.find((one) => one.experiment.backend === backend).experiment.id;
  return { server, run: runs[0], older: runs[1], inductor: of("inductor"), eager: of("eager") };
}

const noHarm = async (page, where) => {
  assert.equal(await page.evaluate(() => window.pwned), undefined, where);
  assert.equal(await page.locator("main img, main script, main [onerror]").count(), 0, where);
};

test("a profile says where the time goes, what breaks, what ran, and what was dumped", async () => {
  const { server, run, inductor } = await madeUpServer();
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${inductor}`);
    await page.locator("#breaks").waitFor();
    await settled(page);
    await noHarm(page, "profile");
    assert.match(await text(page.locator("h1")), /mini, inductor, inference: .*2 regions behind graph breaks/);

    const phases = await server.api(`/runs/${run.id}/results/${inductor}/phases`);
    const shown = page.locator('section[aria-labelledby="phases"]');
    assert.equal(await shown.locator(".phase-table tbody tr:not(.sum-row)").count(), phases.repetitions.length);
    const inferred = phases.repetitions.filter((one) => one.compiling.basis === "inferred").length;
    assert.ok(inferred > 0);
    assert.equal(await shown.locator('.phase-stacks rect[fill*="compiling-inferred"]').count(), inferred, "what is inferred is hatched");
    assert.match(await text(shown.locator(".phase-legend")), /hatched: inferred/);

    const contents = await server.api(`/artifacts?run=${run.id}&experiment=${inductor}&kind=trace`);
    const { trace } = await server.api(`/artifacts/${contents.items.find((one) => one.repetition === 1).id}/content`);
    const flags = await text(page.locator('section[aria-labelledby="flags"]'));
    for (const advice of trace.advice) assert.ok(flags.includes(advice.sentence.replace(/\s+/g, " ").trim()), advice.sentence);
    for (const flag of phases.flags) assert.ok(flags.includes(flag.sentence.replace(/\s+/g, " ").trim()), flag.sentence);
    const verdict = await text(page.locator('section[aria-labelledby="compiled"]'));
    for (const sentence of trace.torch_compile.evidence) assert.ok(verdict.includes(sentence.replace(/\s+/g, " ").trim()), sentence);

    const breaks = page.locator('section[aria-labelledby="breaks"]');
    assert.equal(await breaks.locator(".tree tbody tr").count(), trace.graph_breaks.tree.length);
    assert.ok((await text(breaks.locator(".reasons"))).includes(REASON));
    await breaks.locator(".tree .fold[aria-expanded]").first().click();
    assert.equal(await breaks.locator(".tree tbody tr").count(), 1, "what is folded hides all that is below");

    assert.match(await text(page.locator('section[aria-labelledby="compile"]')), /repetition 0.*nothing was compiled in repetition 1/, "the first repetition's compilation is shown where the last one has none");

    const device = page.locator('section[aria-labelledby="device"]');
    assert.equal(await device.getByRole("region", { name: "Kernels", exact: true }).locator("tr[data-entry]").count(), trace.kernels.by_name.length);
    assert.match(await text(device.locator(".lead")), new RegExp(`${(trace.device.utilization * 100).toFixed(1)} %`));

    const xla = await text(page.locator('section[aria-labelledby="xla"]'));
    assert.match(xla, /1 operation fell back to the CPU/);
    assert.match(xla, /aten::_local_scalar_dense usual/);
    const all = await server.api(`/artifacts?run=${run.id}&experiment=${inductor}&limit=100`);
    assert.equal(await page.locator('section[aria-labelledby="files"] tr[data-entry]').count(), all.items.length);
    await shot(page, "profile-light");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("a timeline says what its result's trace has that costs time, and its slices lead to their rows of the profile", async () => {
  const { server, run, older, inductor } = await madeUpServer(5);
  const { page, problems, close } = await openPage(browser, { height: 1200 });
  try {
    const { items } = await server.api(`/artifacts?run=${run.id}&experiment=${inductor}&kind=trace`);
    const { trace_id: id } = items.find((one) => one.repetition === 1);
    const { slice: kernel } = await server.api(`/traces/${id}/next?q=triton_poi`);
    const open = (one) => visit(page, `${server.base}/trace/${id}?tab=details&s=${one.thread}.${one.chunk}.${one.index}`);
    await open(kernel);
    const chip = page.getByRole("group", { name: "What costs time" }).getByRole("button", { name: "2 graph breaks" });
    await chip.click();
    await eventually(async () => assert.match(page.url(), /[?&]t=-?\d+:\d+/));
    await shot(page, "trace-of-result");
    assert.deepEqual(await axe(page), []);
    // The night before stands above, as in the difference of two profiles, though the later one was open.
    const { items: earlier } = await server.api(`/artifacts?run=${older.id}&experiment=${inductor}&kind=trace`);
    const { trace_id: before } = earlier.find((one) => one.repetition === 1);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".trace-compare .link").first().click();
    await page.waitForURL(new RegExp(`/trace/${before}\\?with=${id}&`));
    const heads = async () => [await text(page.locator(".trace-head")), await text(page.locator(".trace-second-bar"))];
    await eventually(async () => {
      const [above, below] = await heads();
      assert.match(above, /^Before: mini, inductor.* 2026-01-01 /);
      assert.match(below, /^After: mini, inductor.* 2026-01-02 /);
    });
    await page.getByRole("button", { name: "Swap" }).click();
    await page.waitForURL(new RegExp(`/trace/${id}\\?with=${before}&`));
    await eventually(async () => assert.match((await heads())[1], /^After: .* 2026-01-01 /));
    await open(kernel);
    await page.locator(".trace-panel").getByRole("link", { name: "all of this name" }).click();
    await page.waitForURL(/\/profile\?.*kernel=triton_poi_fused_add_0#device$/);
    const rows = (name) => page.getByRole("region", { name, exact: true }).locator("tr[data-entry]");
    await eventually(async () => assert.match(await text(rows("Kernels")), /^triton_poi_fused_add_0 /));
    const { slice: call } = await server.api(`/traces/${id}/next?q=cudaLaunch`);
    await open(call);
    await page.locator(".trace-panel").getByRole("link", { name: "all of this name" }).click();
    await page.waitForURL(/slice=cudaLaunchKernel#operators$/);
    await eventually(async () => assert.match(await text(page.locator('section[aria-labelledby="operators"] details tr[data-entry]')), /^cudaLaunchKernel /));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("thousands of operators are sorted, filtered and scrolled with few rows drawn; the choices are in the address", async () => {
  const { server, run, inductor } = await madeUpServer(4000);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${inductor}`);
    const section = page.locator('section[aria-labelledby="operators"]');
    const box = section.getByRole("region", { name: /^Operators,/ });
    await box.locator("tr[data-entry]").first().waitFor();
    assert.equal(await box.locator("table").getAttribute("aria-rowcount"), "4005");
    assert.ok((await section.locator("tr[data-entry]").count()) < 200, "only what is in sight is drawn");
    await box.getByRole("button", { name: /^Self CPU (µs|ms|s)/ }).click();
    await page.waitForURL(/ops=-/);
    await eventually(async () => assert.match(await text(box.locator("tr[data-entry]").first()), /^aten::new_thing/));
    await section.getByLabel(/^Filter/).first().fill("op_399 aten");
    await page.waitForURL(/op=/);
    await eventually(async () => assert.equal(await box.locator("tr[data-entry]").count(), 11));
    const before = await text(box);
    await page.reload();
    await settled(page);
    await box.locator("tr[data-entry]").first().waitFor();
    assert.equal(await text(box), before, "the same view after a reload");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("a large text is shown in slices", async () => {
  const { server, run, inductor } = await madeUpServer(1);
  const { page, problems, close } = await openPage(browser);
  try {
    const [dump] = (await server.api(`/artifacts?run=${run.id}&experiment=${inductor}&kind=ir`)).items;
    const whole = await (await fetch(`${server.base}/api/v1/artifacts/${dump.id}/text`)).text();
    const { ir_modules: modules } = await server.api(`/artifacts/${dump.id}/content`);
    const place = modules.findIndex((one) => one.name === "large");
    const { offset, length } = modules[place];
    assert.ok(length > 200_000);
    await visit(page, `${server.base}/artifact/${dump.id}`);
    await page.getByRole("button", { name: "large" }).click();
    await page.waitForURL(/module=/);
    assert.match(await text(page.locator(".panel")), new RegExp(`add ${modules[place].ops.find((one) => one.name === "add").count.toLocaleString("en")}`));
    assert.match(await text(page.locator(".panel")), /f32\[4,8\] × f32\[8,2\]/);
    await page.getByRole("button", { name: "Show its text" }).click();
    const pre = page.locator(".panel .text-view pre");
    await pre.waitFor();
    assert.equal(await pre.evaluate((node) => node.textContent), whole.slice(offset, offset + 65536));
    await page.locator(".panel").getByRole("button", { name: "Show more" }).click();
    await eventually(async () => assert.equal(await pre.evaluate((node) => node.textContent.length), 131072));
    assert.equal(await pre.evaluate((node) => node.textContent), whole.slice(offset, offset + 131072));
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("a difference begins with sentences, goes both ways, and tells what only one side has", async () => {
  const { server, run, older, inductor, eager } = await madeUpServer(1);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${inductor}`);
    const compare = page.getByRole("group", { name: "Compare with" });
    await compare.getByRole("link", { name: "eager" }).waitFor();
    await compare.getByRole("link", { name: /(day|days) before/ }).click();
    await page.waitForURL(/\/profile-diff\?before_run=/);
    await page.locator(".findings").waitFor();
    await noHarm(page, "difference");
    const answer = await server.api(`/profile-diff?before_run=${older.id}&before_experiment=${inductor}&run=${run.id}&experiment=${inductor}`);
    assert.equal(await page.locator(".findings li").count(), answer.findings.length);
    const findings = await text(page.locator(".findings"));
    assert.ok(findings.includes(REASON.replace(/\s+/g, " ")), findings);
    assert.match(findings, /aten::new_thing/);
    assert.match(await text(page.locator("h1")), /steady time 100 ms → 150 ms \(\+50\.0 %\)/);
    const table = page.locator('section[aria-labelledby="operator_table"] details[open]').getByRole("region").first();
    assert.match(await text(table.locator("tr[data-entry]").first()), /new: aten::new_thing .* 0 → 4/);
    assert.match(await text(page.locator('section[aria-labelledby="only"]')), /metrics report/);
    await shot(page, "difference-light");
    assert.deepEqual(await axe(page), []);

    // Each table has an order of its own.
    const tables = page.locator("main .table-box");
    assert.ok((await tables.count()) > 1);
    await tables.first().getByRole("button", { name: /^change/ }).click();
    await page.waitForURL(/sort-/);
    assert.equal(await page.locator("main .table-box th[aria-sort]").count(), 1);
    await page.goBack();

    await page.getByRole("button", { name: "Swap" }).click();
    await page.waitForURL((url) => url.searchParams.get("run") === String(older.id) && url.searchParams.get("before_run") === String(run.id));
    await settled(page);
    await eventually(async () => assert.match(await text(page.locator(".findings")), /aten::new_thing .*gone|gone: aten::new_thing/));
    await page.getByRole("group", { name: "Before" }).getByLabel("Backend").selectOption(String(eager));
    await page.waitForURL(new RegExp(`before_experiment=${eager}`));
    await settled(page);
    assert.match(await text(page.locator("h1")), /eager of .* → inductor of/);
    await page.goBack();
    await page.waitForURL(new RegExp(`before_experiment=${inductor}`));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("folders of modules: their sum is open, a pair is compared when it is opened; neighbours are one question", async () => {
  const server = await serve([]);
  const folder = join(server.folder, "dumps");
  for (const n of [0, 1]) {
    const out = join(folder, `night${n}`);
    const place = join(out, "mini", "hlo-cuda-inductor-eval-None-None-None-mini");
    mkdirSync(place, { recursive: true });
    writeFileSync(join(out, "results.jsonl"), night({ timestamp: START + n * DAY, lines: [{ model: "mini", dynamo: "inductor", times: [1, 0.2, 0.2, 0.1, 0.11, 0.12, 0.1, 0.1] }] }));
    for (const [name, instructions] of [["a", 3], ["b", 5 + n], ["c", 7 + n]]) writeFileSync(join(place, `module_000${name === "a" ? 0 : name === "b" ? 1 : 2}.${name}.after_optimizations.txt`), module(name, instructions));
  }
  await server.ingest([join(folder, "night0"), join(folder, "night1")]);
  const [run] = (await server.api("/runs?limit=10")).items;
  const inductor = (await server.api(`/results?run=${run.id}&limit=10`)).items[0].experiment.id;
  const { page, problems, close } = await openPage(browser);
  try {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${inductor}`);
    // Counted before the page of differences opens, which asks for the dumps of both sides.
    assert.equal(asked.filter((path) => path.endsWith("/neighbours")).length, 1);
    assert.equal(asked.filter((path) => path.endsWith("/artifacts")).length, 1);
    await page.getByRole("group", { name: "Compare with" }).getByRole("link", { name: /(day|days) before/ }).click();
    await page.waitForURL(/\/profile-diff\?before_run=/);
    const ir = page.locator('section[aria-labelledby="ir"]');
    await ir.locator("details.pair").first().waitFor();
    assert.equal(await ir.locator("details.pair").count(), 4);
    assert.equal(await ir.locator("details.pair[open]").count(), 1, "the sum alone");
    assert.match(await text(ir.locator("details.pair[open] summary")), /3 IR dumps.*operations: \+2/);
    assert.match(await text(ir.locator("details.pair summary").nth(1)), /module_0000.*the same, byte for byte/);
    const pair = ir.locator("details.pair").nth(2);
    assert.match(await text(pair.locator("summary")), /compared when opened/);
    await pair.locator("summary").click();
    await eventually(async () => assert.match(await text(pair.locator("summary")), /operations: \+1/));
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("dumps: filtered by run and kind, orphans and what could not be read said, hostile names text", async () => {
  const { server, run, older, inductor } = await madeUpServer(1);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, server.base + "/ingests");
    await page.getByRole("link", { name: "Dumps", exact: true }).click();
    await page.waitForURL(/\/artifacts$/);
    await settled(page);
    const all = await server.api("/artifacts?limit=1000");
    const rows = page.locator("main tr[data-entry]");
    assert.equal(await rows.count(), all.items.length);
    assert.match(await text(page.locator("h1")), /2 belong to no result; 1 could not be read/);
    await page.getByLabel("orphaned only").check();
    await page.waitForURL(/orphaned=true/);
    await settled(page);
    await eventually(async () => assert.equal(await rows.count(), 2));
    await noHarm(page, "orphans");
    assert.deepEqual(await axe(page), []);
    await page.locator("tr[data-entry] th a", { hasText: "<img" }).click();
    await page.waitForURL(/\/artifact\/\d+/);
    await settled(page);
    await noHarm(page, "orphan");
    assert.match(await text(page.locator("main")), /belongs to no result.*--for RESULT/);
    // The file's name is hostile to a shell as well.
    assert.match(await text(page.locator(".command code")), /^benchhud ingest --db STORE '[^'\/]+\/[^'\/]*<img src=x[^']*' --for RESULT$/);
    assert.match(await text(page.locator("main")), /Is torch\.compile applied\?/);

    await visit(page, `${server.base}/artifacts?run=${older.id}&kind=trace`);
    const some = await server.api(`/artifacts?run=${older.id}&kind=trace&limit=1000`);
    assert.equal(await rows.count(), some.items.length);
    const ids = (await server.api("/artifacts?limit=1000")).items.map((one) => one.id);
    for (const id of ids) {
      await visit(page, `${server.base}/artifact/${id}`);
      await noHarm(page, `artifact ${id}`);
    }
    // A result without dumps has a profile of its metrics alone; one that is not there says so.
    await visit(page, `${server.base}/artifact/999999`);
    assert.equal(await page.getByRole("alert").count(), 1);
    await visit(page, `${server.base}/profile`);
    assert.match(await text(page.locator("h1")), /A profile is of one result/);
    await visit(page, `${server.base}/profile-diff?run=${run.id}&experiment=${inductor}`);
    assert.match(await text(page.locator("h1")), /A difference is of two results/);
    assert.deepEqual(
      problems.filter((one) => !/status of 404/.test(one)),
      [],
    );
  } finally {
    await close();
    await server.stop();
  }
});

test("a model: phases over runs by keys and as a table, and from a night's samples to its profile", async () => {
  const { server, run, inductor } = await madeUpServer(1);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/models/torchbench/mini`);
    const section = page.locator('section[aria-labelledby="phases"]');
    await section.locator(".phase-plot svg rect.phase-compiling").first().waitFor();
    const series = await server.api(`/series/phases?suite=torchbench&model=mini&test=eval&accelerator_model=${encodeURIComponent(run.accelerator_model)}`);
    const mine = series.series.find((one) => one.experiment.id === inductor);
    const drawn = mine.points.filter((point) => point?.warmup.compiling.sum > 0).length;
    assert.equal(await section.locator(".phase-plot rect.phase-compiling").count(), drawn);
    await section.locator("summary").click();
    await section.locator("tr[data-entry]").first().waitFor();
    assert.equal(await section.locator("tr[data-entry]").count(), series.runs.length);
    const titles = await section.locator("tr[data-entry] .num").evaluateAll((nodes) => nodes.map((node) => node.title));
    for (const point of mine.points) assert.ok(titles.some((title) => title.startsWith(`${point.warmup.compiling.sum} s`)), `${seen(point.warmup.compiling.sum)}`);
    await section.locator(".phase-plot").focus();
    await page.keyboard.press("ArrowLeft");
    assert.match(await section.locator('.sr[role="status"]').innerText(), /^2026-01-02: .*compiling/);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/profile\\?run=${run.id}&experiment=${inductor}`));
    await page.goBack();
    await visit(page, `${server.base}/models/torchbench/mini?point=${run.id}.${inductor}`);
    await page.locator("#samples").getByRole("link", { name: /^Profile \d+ dumps/ }).click();
    await page.waitForURL(/\/profile\?/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("phases that overlap: the whole is marked, on a profile and over runs, and nothing is said to be a part of it", async () => {
  const server = await serve([]);
  const { page, problems, close } = await openPage(browser);
  try {
    const folder = join(server.folder, "lazy");
    mkdirSync(folder, { recursive: true });
    const times = [14, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2];
    for (const [n, part] of [0.5, 2.5].entries()) {
      const line = JSON.parse(night({ timestamp: START + n * DAY, lines: [{ model: "lazy", xla: "PJRT", times }] }));
      Object.assign(line.metrics, { trace_total_time: times.map((time) => time / 4), xla_CompileTime_time_s: [9, 0, 0, 0, 0, 0, 0, 0], xla_ExecuteTime_time_s: times.map((time, index) => (index ? time * part : 1)) });
      writeFileSync(join(folder, `night${n}.jsonl`), JSON.stringify(line) + "\n");
    }
    await server.ingest([join(folder, "night0.jsonl"), join(folder, "night1.jsonl")]);
    const runs = (await server.api("/runs?limit=10")).items;
    const { id } = (await server.api(`/results?run=${runs[0].id}&limit=10`)).items[0].experiment;
    const phases = page.locator('section[aria-labelledby="phases"]');
    const lines = phases.locator(".phase-stacks .phase-total, .phase-plot .phase-total");
    await visit(page, `${server.base}/profile?run=${runs[1].id}&experiment=${id}`);
    assert.match(await text(phases.locator(".lead")), /takes 1\.20 s, of that 300 ms tracing, 600 ms executing/);
    assert.equal(await lines.count(), 0);
    await visit(page, `${server.base}/profile?run=${runs[0].id}&experiment=${id}`);
    assert.match(await text(phases.locator(".lead")), /takes 1\.20 s, meanwhile 300 ms tracing, 3\.00 s executing, with an overlap of 2\.10 s/);
    const { repetitions } = await server.api(`/runs/${runs[0].id}/results/${id}/phases`);
    assert.equal(await lines.count(), repetitions.filter((one) => one.overlap > 0).length);
    assert.match(await text(phases.locator(".phase-legend")), /line: the whole/);
    await visit(page, `${server.base}/models/torchbench/lazy`);
    await phases.locator(".phase-plot rect.phase-executing").first().waitFor();
    assert.equal(await lines.count(), 1, "of the second night alone");
    const top = async (selector) => Math.min(...(await phases.locator(`.phase-plot .phase-night:last-of-type ${selector}`).evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().top))));
    assert.ok((await top(".phase-total")) > (await top("rect.phase-executing")), "below the top of the stack");
    await phases.locator(".phase-plot").focus();
    await page.keyboard.press("End");
    assert.match(await phases.locator('.sr[role="status"]').innerText(), /: 1\.20 s; meanwhile tracing 300 ms, executing 3\.00 s/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("profiles on small, middle and wide windows, light and dark: nothing sticks out, axe finds nothing", async () => {
  const { server, run, older, inductor } = await madeUpServer(40);
  try {
    const addresses = [`/profile?run=${run.id}&experiment=${inductor}`, `/profile-diff?before_run=${older.id}&before_experiment=${inductor}&run=${run.id}&experiment=${inductor}`, "/artifacts", "/models/torchbench/mini"];
    for (const width of [390, 1024, 1440]) {
      for (const theme of ["light", "dark"]) {
        const { page, problems, close } = await openPage(browser, { width, theme });
        for (const address of addresses) {
          await visit(page, server.base + address);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${address} at ${width}: ${over} px too wide`);
          // The first column stays in sight while the others scroll: it must not hide them.
          const hidden = await page.locator(".table-box").evaluateAll((boxes) => boxes.filter((box) => box.clientWidth > 0 && (box.querySelector("tbody .stay")?.offsetWidth ?? 0) > 0.7 * box.clientWidth).map((box) => box.getAttribute("aria-label")));
          assert.deepEqual(hidden, [], `${address} at ${width}`);
          assert.deepEqual(await axe(page), [], `${address} at ${width}, ${theme}`);
        }
        assert.deepEqual(problems, []);
        await close();
      }
    }
  } finally {
    await server.stop();
  }
});

test("no all-clear while a source of flags fails or is on its way, and a list of contents without dead links", async () => {
  const { server, run, eager, inductor } = await madeUpServer(1);
  const { page, problems, close } = await openPage(browser, { allow: [/status of 500/] });
  const flags = page.locator('section[aria-labelledby="flags"]');
  const clear = flags.getByText("Nothing stands out");
  const fail = (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify({ title: "The store is locked", status: 500 }) });
  const bare = /"flags":\[.*?\],"checks"/;
  try {
    // Backend eager has no trace: its timing is the only source.
    await page.route("**/phases", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(bare, '"flags":[],"checks"') });
    });
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${eager}`);
    assert.equal(await clear.count(), 1, "everything has answered");
    await page.unroute("**/phases");
    await page.route("**/phases", fail);
    await visit(page, `${server.base}/profile?run=${run.id}&experiment=${eager}`);
    assert.equal(await clear.count(), 0);
    assert.match(await text(flags), /Not known: what the timing flags\. The store is locked \(500\)\. Ask again/);
    await page.unroute("**/phases");
    await flags.getByRole("button", { name: "Ask again" }).click();
    await eventually(async () => assert.equal(await flags.getByText("Not known").count(), 0));

    // The trace: first on its way, then refused.
    let answer;
    const asked = new Promise((done) => (answer = done));
    const dump = (await server.api(`/artifacts?run=${run.id}&experiment=${inductor}&kind=trace&limit=10`)).items.find((one) => one.repetition === 1);
    const address = `**/artifacts/${dump.id}/content`;
    await page.route(address, async (route) => {
      await asked;
      await fail(route);
    });
    await page.goto(`${server.base}/profile?run=${run.id}&experiment=${inductor}`);
    await flags.locator('[aria-busy="true"]').waitFor();
    await page.getByText("Where the time goes").waitFor();
    assert.equal(await clear.count(), 0);
    answer();
    await flags.getByText("Not known: what the trace of repetition 1 flags").waitFor();
    assert.equal(await clear.count(), 0);
    assert.doesNotMatch(await text(page.locator('section[aria-labelledby="breaks"]')), /No trace|no graph break/i);
    const links = await page.locator("nav.toc a").evaluateAll((nodes) => nodes.map((node) => new URL(node.href).hash.slice(1)));
    assert.ok(links.length > 3);
    for (const id of links) assert.equal(await page.locator(`h2[id="${id}"]`).count(), 1, id);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

const skip = existsSync(real) ? false : `no real dumps: ${real} is not there`;
test("the real nights: the difference names the graph breaks of resnet_mini and the operators of transformer_mini", { skip }, async () => {
  const server = await serve([real]);
  const { page, problems, close } = await openPage(browser);
  try {
    const runs = (await server.api("/runs?limit=1000")).items;
    const on = (day) => runs.find((one) => one.started_at.startsWith(day));
    const experiment = async (run, model) => (await server.api(`/results?run=${run.id}&model=${model}&backend=inductor&test=eval`)).items[0].experiment.id;
    const visitDiff = async (model, from, to) => {
      const id = await experiment(on(to), model);
      await visit(page, `${server.base}/profile?run=${on(to).id}&experiment=${id}`);
      await page.getByRole("group", { name: "Compare with" }).getByRole("link", { name: new RegExp(`^${from}.* (day|days) before`) }).click();
      await page.waitForURL(new RegExp(`before_run=${on(from).id}&before_experiment=${id}&run=${on(to).id}`));
      await page.locator(".findings").waitFor();
      return text(page.locator(".findings"));
    };
    const breaks = await visitDiff("resnet_mini", "2025-11-09", "2025-11-10");
    assert.match(breaks, /Graph breaks .*skip function graph_break in file .*decorators\.py.* is new \(2\)/);
    await shot(page, "difference-resnet");
    const operators = await visitDiff("transformer_mini", "2025-11-14", "2025-11-15");
    assert.match(operators, /aten::cumsum/);
    assert.match(operators, /% of the change/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});
