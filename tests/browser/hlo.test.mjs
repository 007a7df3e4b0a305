// From a slice of an XPlane profile to its line of HLO, and back to the slices.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hloPlane, hloXspace, writeProfile } from "../integration/support/xplane.mjs";
import { axe, eventually, openBrowser, openPage, serve, text, visit } from "./support.mjs";

let browser, server, folder, traces;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "benchhud-hlo-"));
  writeProfile(join(folder, "one"), hloXspace());
  writeProfile(join(folder, "plain"), hloXspace({ program: 3, hlo: hloPlane({ program: 3, source: false }), begin: 3000 }));
  server = await serve([join(folder, "one")]);
  await server.ingest([join(folder, "plain")]);
  traces = (await server.api("/artifacts?kind=trace")).items.reverse();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const slice = async (trace) => {
  const { threads } = await server.api(`/traces/${trace}`);
  return `${threads.find((one) => one.slices > 0).thread}.0.0`;
};

test("a slice leads to its instruction, the instruction to its slices", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    const trace = traces[0].trace_id;
    await visit(page, `${server.base}/trace/${trace}?s=${await slice(trace)}&tab=details`);
    const hlo = page.locator(".trace-hlo");
    await eventually(async () => assert.match(await text(hlo), /HLO fusion\.1 fusion in jit_step, line 26 Framework operation aten__add jit\(step\)\/add Source \/srv\/model\.py:42 , copy Python stack 2 frames/));
    await hlo.getByRole("link", { name: "fusion.1" }).click();
    await page.waitForURL(/\/hlo\/1\?line=26&trace=\d+/);
    const instruction = page.locator("section[aria-labelledby=instruction]");
    await eventually(async () => assert.match(await text(instruction), /Operands Arg_0\.1 Calls fused_computation/));
    await eventually(async () => assert.match(await text(page.locator(".hlo-line.chosen")), /^26\s*ROOT %fusion\.1 = /));
    assert.match(await text(page.locator("h1")), /jit_step: in 1 profile, 4 instructions in 2 computations\./);
    assert.deepEqual(await axe(page), []);
    await instruction.getByRole("link", { name: "Arg_0.1" }).click();
    await page.waitForURL(/line=25/);
    await eventually(async () => assert.match(await text(instruction), /Users fusion\.1/));
    await page.goBack();
    await instruction.getByRole("link", { name: "those that execute it" }).click();
    await page.waitForURL(/\/trace\/\d+\?tab=query&sql=/);
    await eventually(async () => assert.match(await text(page.locator(".trace-panel")), /loop_add_fusion/));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("modules are listed on the dump's page; what is absent is said", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/artifact/${traces[1].id}`);
    await eventually(async () => assert.match(await text(page.locator("section[aria-labelledby=hlo]")), /jit_step 3/));
    await visit(page, `${server.base}/hlo/2`);
    await eventually(async () => assert.match(await text(page.locator("main")), /XLA_HLO_DEBUG=1/));
    // A computation's line is marked, too.
    await visit(page, `${server.base}/hlo/2?line=1`);
    await eventually(async () => assert.match(await text(page.locator(".hlo-line.chosen")), /^1\s*HloModule /));
    await visit(page, `${server.base}/hlo/2?line=999`);
    await eventually(async () => assert.match(await text(page.locator("main")), /The text has no line 999\./));
    const trace = traces[1].trace_id;
    await visit(page, `${server.base}/trace/${trace}?s=${await slice(trace)}&tab=details`);
    await eventually(async () => assert.match(await text(page.locator(".trace-hlo")), /fusion\.1 .*XLA_HLO_DEBUG=1/));
    assert.deepEqual(problems.filter((one) => !/400/.test(one)), []);
  } finally {
    await close();
  }
});
