// Lists that are longer than what the server gives at once: totals, neighbours and "none" are of all of it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { driven, eventually, night, openBrowser, serve, settled, text } from "./support.mjs";

const NIGHTS = 1203;
const FIRST = Date.UTC(2022, 0, 1, 1);
const when = (index) => new Date(FIRST + index * 86_400_000).toISOString();

let folder;
let server;
let browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "benchhud-many-"));
  for (let index = 0; index < NIGHTS; ++index) {
    const day = join(folder, when(index).slice(0, 10));
    mkdirSync(day);
    const lines = night({ timestamp: FIRST / 1000 + index * 86_400, lines: [{ model: "alexnet", dynamo: "inductor", times: [0.01, 0.01, 0.01, 0.01] }] });
    // Only the oldest file of all has a line that is rejected.
    writeFileSync(join(day, "results.jsonl"), index === 0 ? `${lines}{"broken\n` : lines);
  }
  server = await serve([folder]);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);
const heading = (page) => text(page.locator("h1"));

test("runs: the headline counts all of them, back to the first", async () => {
  assert.equal((await server.api("/runs?limit=1")).total, NIGHTS);
  await on("/runs", async (page) => {
    await eventually(async () => assert.match(await heading(page), /^1,203 runs on .* since 2022-01-01, 0 of them verified\.$/));
    await page.getByRole("searchbox", { name: "Filter" }).fill("2022-01-01");
    await eventually(async () => assert.equal(await page.locator("main table tbody tr[data-entry]").count(), 1));
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
    assert.equal(readFileSync(await download.path(), "utf8").trim().split("\r\n").length, NIGHTS + 1, "the exported table has all of them");
  });
});

test("ingests: one rejected line in the oldest of all files is counted", async () => {
  await on("/ingests", async (page) => {
    await eventually(async () => assert.match(await heading(page), /^1,204 lines read from 1,203 files; 1 line rejected\.$/));
  });
});

test("ingests: while the list is on its way, nothing is said of what is rejected", async () => {
  await on("/", async (page) => {
    let release;
    const held = new Promise((done) => (release = done));
    await page.route(/\/ingests\?.*cursor=/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.base}/ingests`);
    await eventually(async () => assert.match(await heading(page), /^1,203 files read; the newest 1,000 are loaded\.$/));
    await page.getByRole("searchbox", { name: "Filter" }).fill("2022-01-01");
    await eventually(async () => assert.match(await text(page.locator("main")), /None of the newest 1,000 files matches/));
    release();
    await eventually(async () => assert.match(await heading(page), /1 line rejected\.$/));
    await settled(page);
  });
});

test("a run older than the newest thousand has neighbours, and is a choice everywhere", async () => {
  const [oldest] = (await server.api(`/runs?until=${when(1)}`)).items;
  const [second] = (await server.api(`/runs?since=${when(1)}&until=${when(2)}`)).items;
  await on(`/runs/${oldest.id}`, async (page) => {
    await eventually(async () => assert.equal(await page.getByRole("link", { name: "Next run" }).count(), 1));
    await page.keyboard.press("]");
    await page.waitForURL(new RegExp(`/runs/${second.id}$`));
    await page.goBack();
  });
  await on(`/compare?left=${oldest.id}&right=${second.id}`, async (page) => {
    await eventually(async () => assert.equal(await page.getByRole("slider", { name: /^Left/ }).getAttribute("max"), String(NIGHTS - 1)));
    await page.keyboard.press("]");
    await page.waitForURL((url) => url.searchParams.get("right") === String(second.id + 1) || url.searchParams.get("right") !== String(second.id));
  });
  for (const address of ["/verification", "/coverage"]) {
    await on(address, async (page) => {
      await eventually(async () => assert.ok((await page.locator(".toolbar select").first().locator("option").count()) >= NIGHTS, address));
    });
  }
});
