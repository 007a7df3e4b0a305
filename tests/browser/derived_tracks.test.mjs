// Tracks that XProf derives of a GPU's streams: they are on the timeline, marked, and no table counts them.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { scopedXspace } from "../integration/support/xplane.mjs";
import { axe, eventually, openBrowser, openPage, samples, serve, shot, text, visit } from "./support.mjs";

let browser, server, address;
before(async () => {
  browser = await openBrowser();
  server = await serve([join(samples, "2025-11-28")]);
  const { items } = await server.api("/results?limit=1");
  const [{ run_id: run, experiment }] = items;
  const folder = join(server.folder, "profiles");
  mkdirSync(folder);
  writeFileSync(join(folder, "made.xplane.pb"), scopedXspace());
  await server.ingest([join(folder, "made.xplane.pb")], ["--for", `${run}/${experiment.id}`]);
  const traces = (await server.api("/artifacts?kind=trace&limit=1000")).items;
  address = `${server.base}/trace/${traces.find(({ name }) => name.includes("made.xplane.pb")).trace_id}`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const DERIVED = ["Steps", "XLA Modules", "XLA Ops", "Framework Ops", "Framework Name Scope", "Source code"];

test("derived tracks stand above the streams, and say that they are derived", async () => {
  for (const width of [1440, 1024, 390]) {
    for (const theme of ["light", "dark"]) {
      const { page, problems, close } = await openPage(browser, { width, theme });
      try {
        await visit(page, address);
        for (const name of DERIVED) await page.getByRole("button", { name: `${name} derived` }).first().waitFor();
        const labels = await page.locator(".trace-label .trace-fold").allInnerTexts();
        const names = labels.map((one) => one.replace(/\s+/g, " ").trim());
        const at = (name) => names.findIndex((one) => one.includes(name));
        assert.ok(DERIVED.every((name) => at(name) < at("Stream #7")), JSON.stringify(names));
        assert.doesNotMatch(names[at("Stream #7")], /derived/);
        assert.match(await text(page.locator("body")), /4 events on 1 track/);
        await axe(page);
        await shot(page, `derived-tracks-${width}-${theme}`);
        assert.deepEqual(problems, []);
      } finally {
        await close();
      }
    }
  }
});

test("the table of an area counts what the file has, and says why there is nothing of a derived track", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    const info = await server.api(`/traces/${address.split("/").at(-1)}`);
    const scopes = info.threads.find(({ name }) => name === "Framework Name Scope").thread;
    const area = page.getByRole("table", { name: "Slices of the area by name" });
    await visit(page, `${address}?a=0:${info.end}&tab=area`);
    await eventually(async () => assert.match(await text(page.locator("body")), /4 slices within/));
    assert.deepEqual(await area.locator("tbody tr").count(), 1, "the kernel's name, and none of a derived track");
    await visit(page, `${address}?a=0:${info.end}:${scopes}&tab=area`);
    await eventually(async () => assert.match(await text(page.locator("body")), /These tracks are derived: sums count the tracks that they are derived from\./));
    const stream = info.threads.find(({ is_derived, slices }) => !is_derived && slices > 0).thread;
    await visit(page, `${address}?a=0:${info.end}:${stream},${scopes}&tab=area`);
    await eventually(async () => assert.match(await text(page.locator("body")), /1 of these 2 tracks is derived and not summed up: it repeats other tracks/));
    const found = await server.api(`/traces/${info.id}/find?q=layer`);
    assert.equal(found.total ?? found.count ?? found.slices, 0, JSON.stringify(found).slice(0, 200));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});
