// Compilations by logs of TORCH_TRACE, on a result's profile: those of the samples, and a hostile log of a second rank.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { logged, ofFrame } from "../integration/support/torch_trace.mjs";
import { axe, eventually, openBrowser, openPage, samples, serve, text, visit } from "./support.mjs";

const HOSTILE = '<img src=x onerror="window.pwned=1">';

let browser, server, profile, profile15, difference;
before(async () => {
  browser = await openBrowser();
  server = await serve(["2025-11-14", "2025-11-15", "2025-11-28"].map((night) => join(samples, night)));
  const { items } = await server.api("/results?model=transformer_mini&backend=inductor&test=train&limit=1");
  const { run_id: run, experiment } = items[0];
  profile = `${server.base}/profile?run=${run}&experiment=${experiment.id}`;
  profile15 = `${server.base}/profile?run=2025-11-15&experiment=${experiment.id}`;
  difference = `${server.base}/profile-diff?before_run=2025-11-14&before_experiment=${experiment.id}&run=2025-11-15&experiment=${experiment.id}`;
  const folder = join(server.folder, "logs");
  mkdirSync(folder);
  const log = join(folder, "dedicated_log_torch_trace_rank_1_hostile.log");
  writeFileSync(log, hostileLog());
  await server.ingest([log], ["--for", `${run}/${experiment.id}`]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

function hostileLog() {
  const record = (members, payload) => logged({ ...members, ...ofFrame(0) }, payload);
  const stack = Array.from({ length: 40 }, (_, line) => ({ line, name: HOSTILE, filename: `/${"long/".repeat(40)}${HOSTILE}.py`, loc: HOSTILE }));
  return (
    record({ dynamo_start: { stack } }) +
    record({ artifact: { name: "dynamo_graph_break_reason", encoding: "string" } }, HOSTILE.repeat(20)) +
    record({ [HOSTILE]: { name: HOSTILE } }, HOSTILE) +
    record({ compilation_metrics: { co_name: HOSTILE, fail_type: HOSTILE, fail_reason: HOSTILE, restart_reasons: [HOSTILE] } }) +
    `${HOSTILE}\n`
  );
}

const section = (page) => page.locator("section[aria-labelledby=compilations]");

test("a compilation opens with its reasons, times, stack and code, and has an address", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    const [log] = (await server.api("/artifacts?kind=torch_trace")).items.filter((one) => /made\.log$/.test(one.name));
    await visit(page, `${profile}&log=${log.id}`);
    assert.match(await text(section(page)), /4 compilations: 1 failure, 1 recompilation, 1 restart, 1 frame resumed behind a graph break\./);
    await section(page).getByRole("button", { name: "[0/1]" }).first().click();
    await page.waitForURL(/compilation=2/);
    const stacks = section(page).locator("details", { hasText: "Stacks that led to compilations" });
    await stacks.locator("summary").first().click();
    const [download] = await Promise.all([page.waitForEvent("download"), stacks.getByRole("button", { name: "CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "compilation-stacks.csv");
    assert.match(readFileSync(await download.path(), "utf8"), /^ordinal,compile_id,.*\r\n0,0\/0,1,[^,]+,0,<module>,/);
    const panel = section(page).locator(".panel");
    assert.match(await text(panel), /Why it was compiled again 0\/0: tensor 'L\['x'\]' size mismatch at index 0\. expected 8, actual 4/);
    assert.match(await text(panel), /Cache fx_graph hit/);
    assert.match(await text(panel), /dynamo_cumulative_compile_time 275 ms/);
    const row = panel.locator("tr", { hasText: "inductor_output_code" });
    await row.getByRole("button", { name: "show" }).click();
    const { items } = await server.api(`/artifacts/${log.id}/compilations`);
    const { output } = items[2].outputs.find((one) => one.kind === "inductor_output_code");
    const code = await (await fetch(`${server.base}/api/v1/artifacts/${log.id}/compilation-text?output=${output}`)).text();
    await eventually(async () => assert.equal(await panel.locator(".text-view pre").evaluate((node) => node.textContent), code));
    await page.reload();
    await eventually(async () => assert.match(await text(panel), /\[0\/1\] forward/));
    await section(page).getByRole("button", { name: "[2/0]" }).first().click();
    await eventually(async () => assert.match(await text(panel), /InternalTorchDynamoError at \/srv\/bench\/models\/transformer_mini\.py:59 RuntimeError: unhashable type/));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("what was compiled differently from another night is shown below, and both codes open side by side", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, profile);
    const changes = section(page).locator("section[aria-label='Differences to another night']");
    await eventually(async () => assert.match(await text(changes), /1 graph break more in forward \(transformer_mini\.py:38\): Unsupported: call to print; .*Compared with 2025-11-15/));
    assert.match(await text(changes), /Not known: Of rank 1 there are 0 logs before and 1 log after: the rest has no counterpart\./);
    await changes.getByRole("button", { name: "inductor_output_code" }).click();
    const both = changes.locator(".both-texts");
    await eventually(async () => assert.match(await text(both), /Before \[0\/0\].*cpp_fused_cumsum_relu_0.*After \[0\/0\].*x0 < 16384L/s));
    await changes.getByLabel("Compared with").selectOption({ index: 2 });
    await page.waitForURL(/before=/);
    await eventually(async () => assert.match(await text(changes), /Compared with 2025-11-14/));
    await visit(page, difference);
    const section15 = page.locator("section[aria-labelledby=compilations]");
    await eventually(async () => assert.match(await text(section15), /Other graph of forward \(transformer_mini\.py:38\), 36 → 60 operations; .*inductor_compile slower/));
    await section15.getByRole("link", { name: "[0/0]" }).first().click();
    await page.waitForURL(/\/artifact\/\d+\?compilation=0/);
    await eventually(async () => assert.match(await text(page.locator(".panel")), /\[0\/0\] forward/));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("how often a region ran is of the trace, and times of a profiled window are said to be distorted", async () => {
  const { page, problems, close } = await openPage(browser, { width: 390 });
  try {
    const [log] = (await server.api("/artifacts?kind=torch_trace")).items.filter((one) => /rank_1_hostile/.test(one.name));
    await visit(page, `${profile}&log=${log.id}`);
    await eventually(async () => assert.match(await text(section(page)), /Which of these logs the trace belongs to is not known/));
    await visit(page, profile15);
    await eventually(async () => assert.match(await text(section(page)), /\[0\/0\] forward 350 ms 1 [\d.]+ ms 0 .*is of the trace of repetition 1/));
    await visit(page, `${profile15}&repetition=0`);
    const compile = page.locator("section[aria-labelledby=compile]");
    await eventually(async () => assert.match(await text(compile), /distorts compile times.* none was dumped for this repetition/));
    await server.ingest([join(samples, "../../tests/data/field/m1_compile_events.json")], ["--for", "2025-11-28/mlp_mini/train/inductor"]);
    const { items } = await server.api("/results?run=2025-11-28&model=mlp_mini&backend=inductor&test=train&limit=1");
    await visit(page, `${server.base}/profile?run=2025-11-28&experiment=${items[0].experiment.id}`);
    await eventually(async () => assert.match(await text(compile), /Compiling took 1\.00 ms.*By compile id.*0\/0 , level 1 1\.00 1 .*dynamo , level 2 1\.00 1 .*inductor_compile , level 2 0\.600 1/));
    assert.doesNotMatch(await text(compile), /distorts/);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("a hostile log does no harm at any width, and axe finds nothing", async () => {
  const [log] = (await server.api("/artifacts?kind=torch_trace")).items.filter((one) => /hostile\.log$/.test(one.name));
  for (const width of [390, 1024, 1440]) {
    for (const theme of ["light", "dark"]) {
      const { page, problems, close } = await openPage(browser, { width, theme });
      try {
        await visit(page, `${profile}&log=${log.id}&compilation=0`);
        await section(page).locator(".panel h3").first().waitFor();
        await section(page).locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
        assert.match(await text(section(page)), /1 part of this TORCH_TRACE log could not be read/);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `at ${width}: ${over} px too wide`);
        assert.equal(await page.evaluate(() => window.pwned), undefined);
        assert.equal(await page.locator("main img, main script, main [onerror]").count(), 0);
        assert.deepEqual(await axe(page), [], `at ${width}, ${theme}`);
        assert.deepEqual(problems, []);
      } finally {
        await close();
      }
    }
  }
});
