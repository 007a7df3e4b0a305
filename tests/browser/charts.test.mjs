// Charts as they are handled: what the axis holds, what a click is, and what a screen reader is told.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { driven, eventually, night, openBrowser, serve, settled, shot, text } from "./support.mjs";

const START = Date.UTC(2026, 0, 1, 1) / 1000;
const DAY = 86_400;
let folder;
let server;
let browser;

/** Times whose interval is narrow, but for one night whose samples differ by a factor of 40. */
const times = (level, n, wide) => Array.from({ length: 12 }, (_, i) => (wide && i % 3 === 1 ? level * 40 : level * (1 + 0.001 * ((i * 7 + n * 3) % 5))));

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "benchhud-charts-"));
  for (let n = 0; n < 24; ++n) {
    const day = join(folder, new Date((START + n * DAY) * 1000).toISOString().slice(0, 10));
    mkdirSync(day);
    const lines = [
      { model: "alexnet", dynamo: "inductor", times: times(0.01, n, n === 12) },
      { model: "alexnet", times: times(0.012, n, false) },
    ];
    writeFileSync(join(day, "results.jsonl"), night({ timestamp: START + n * DAY, lines }));
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
const model = "/models/torchbench/alexnet?test=eval&metric=steady";
const caption = (page) => text(page.locator(".chart .legend caption").first());

/** How high points of a colour stand on average, as a part of the drawing's height from its top. */
const heightOf = (page, color) =>
  page.locator(".chart .plot canvas").first().evaluate((canvas, [r, g, b]) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    let sum = 0;
    let n = 0;
    for (let y = Math.round(height * 0.06); y < height * 0.88; ++y) {
      for (let x = Math.round(width * 0.1); x < width; ++x) {
        const at = (y * width + x) * 4;
        if (Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) > 12) continue;
        sum += y / height;
        ++n;
      }
    }
    return sum / n;
  }, color);
const EAGER = [0x7f, 0x7f, 0x7f];
const INDUCTOR = [0x00, 0x72, 0xb2];

test("one wide interval does not flatten the other nights, and a sign says that it goes on", async () => {
  const { series } = await server.api("/series?suite=torchbench&model=alexnet&test=eval&metric=steady");
  const all = series.flatMap((one) => one.points);
  const highest = Math.max(...all.map((point) => point.value));
  assert.ok(all.some((point) => point.high > 2 * highest), "an interval reaches far beyond all values");
  await on(model, async (page) => {
    assert.match(await text(page.locator(".chart figcaption").first()), /at an edge: an interval or a value goes on beyond it/);
    // Eager is a fifth slower: on an axis that the interval set, both would lie on its foot.
    const apart = (await heightOf(page, INDUCTOR)) - (await heightOf(page, EAGER));
    assert.ok(apart > 0.3, `${apart} of the height`);
    await shot(page, "chart-clipped");
  }, { allow: [/willReadFrequently/] });
});

test("a double click resets the zoom, and is no click", async () => {
  await on(`${model}&range=${START + 4 * DAY}-${START + 9 * DAY}`, async (page) => {
    const plot = page.locator(".chart .plot .u-over").first();
    const box = await plot.boundingBox();
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForURL((url) => !url.searchParams.has("range"));
    await page.waitForTimeout(500);
    const { searchParams } = new URL(page.url());
    assert.equal(searchParams.get("point"), null, "no night was picked");
    assert.equal(searchParams.get("pin"), null, "and none was pinned");
  });
});

test("values are zoomed into by dragging up or down, and a double click shows all again", async () => {
  await on(model, async (page) => {
    const figure = page.locator(".chart").first();
    const plot = figure.locator(".u-over");
    const drawing = () => figure.locator("canvas").evaluate((canvas) => canvas.toDataURL());
    const whole = await drawing();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 4, box.y + box.height * 0.8, { steps: 6 });
    await page.mouse.up();
    await eventually(async () => assert.notEqual(await drawing(), whole));
    assert.equal(new URL(page.url()).searchParams.get("range"), null, "nights are as before");
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.move(0, 0);
    await eventually(async () => assert.equal(await drawing(), whole));
  });
});

test("a logarithmic axis is a choice that the address keeps", async () => {
  await on(model, async (page) => {
    await page.locator(".chart").first().getByRole("button", { name: "log" }).click();
    await page.waitForURL(/axis=log/);
    assert.match(await text(page.locator(".chart figcaption").first()), /logarithmic axis/);
    await page.reload();
    await settled(page);
    assert.match(await text(page.locator(".chart figcaption").first()), /logarithmic axis/);
  });
});

test("the night under the cursor is the same night when runs are added before it", async () => {
  await on(model, async (page) => {
    const plot = page.locator(".chart .plot").first();
    await plot.focus();
    for (let n = 0; n < 5; ++n) await page.keyboard.press("ArrowLeft");
    const before = await caption(page);
    const day = join(folder, "2025-12-31");
    mkdirSync(day);
    writeFileSync(join(day, "results.jsonl"), night({ timestamp: START - DAY, lines: [{ model: "alexnet", dynamo: "inductor", times: times(0.01, 1, false) }] }));
    const points = page.waitForResponse((response) => response.url().includes("/series") && response.status() === 200);
    await server.ingest([day]);
    await points;
    await page.waitForTimeout(500);
    await page.keyboard.press("p");
    await page.waitForURL(/pin=/);
    const pinned = await server.api(`/runs/${new URL(page.url()).searchParams.get("pin")}`);
    assert.ok(before.startsWith(pinned.started_at.slice(0, 10)), `${before}: pinned ${pinned.started_at}`);
  });
});

test("what a screen reader is told of a chart is true of it", async () => {
  for (const address of [model, "/", "/explore", "/backends/inductor"]) {
    await on(address, async (page) => {
      const figures = page.locator("figure.chart:not(.none)");
      for (let n = 0; n < (await figures.count()); ++n) {
        const label = await figures.nth(n).locator(".plot").getAttribute("aria-label");
        assert.match(label, /The table after it has the values of that night\.$/, address);
        assert.ok((await figures.nth(n).locator("table.legend tbody tr").count()) > 0, `${address}: ${label}`);
      }
    });
  }
});
