// Explore, driven as a person would drive it: questions, choices, drawings, and what can be taken along.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, driven, eventually, openBrowser, samples, seen, serve, settled, shot, text } from "./support.mjs";

let server;
let browser;
before(async () => {
  server = await serve([samples]);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);

async function fileOf(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

const change = (ratio) => `${ratio < 1 ? "\u2212" : "+"}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;

test("explore: found by key; the first question is the geomean by backend and test, as the API says it", async () => {
  const { accelerators } = await server.api("/history?group_by=backend&group_by=test&runs=60");
  const [{ groups, runs }] = accelerators;
  await on("/", async (page) => {
    await page.keyboard.press("g");
    await page.keyboard.press("x");
    await eventually(() => assert.match(page.url(), /\/explore$/));
    await settled(page);
    assert.match(await text(page.locator("h1")), /^Geomean speedup over inductor, by backend and test, 28 runs: 4 lines/);
    assert.deepEqual(await page.locator(".chart h3").allInnerTexts(), ["Inference", "Training"]);
    const table = page.getByRole("region", { name: /^Values on Intel/ });
    const newest = await text(table.locator("tbody tr").first());
    const wanted = groups.map((group) => group.points[runs.length - 1].geomean?.all.value).filter(Boolean);
    for (const value of wanted) assert.ok(newest.includes(seen(value)), `${value} in ${newest}`);
    assert.equal(wanted.length, 4);
    await shot(page, "explore-lines");
  });
});

test("explore: a question is a link; choices are kept in the address and undone by going back", async () => {
  await on("/explore", async (page) => {
    await page.getByRole("link", { name: "Pass count by backend" }).click();
    await eventually(async () => assert.match(await text(page.locator("h1")), /^Passing, by backend and test/));
    await page.getByRole("button", { name: "suite" }).click();
    await eventually(() => assert.match(page.url(), /by=/));
    await page.getByRole("group", { name: /^By,/ }).getByRole("button", { name: "suite" }).click();
    await page.getByRole("button", { name: "Backends: all" }).click();
    await page.getByRole("checkbox", { name: "inductor", exact: true }).check();
    await eventually(() => assert.match(page.url(), /backend=inductor/));
    await page.keyboard.press("Escape");
    await settled(page);
    const { accelerators } = await server.api("/history?group_by=backend&group_by=test&backend=inductor&runs=60");
    const now = accelerators[0].groups.map((group) => group.points.at(-1).passing);
    await eventually(async () => {
      const row = await text(page.getByRole("region", { name: /^Values on/ }).locator("tbody tr").first());
      assert.ok(now.every((value) => row.includes(` ${value}`)), `${now} in ${row}`);
    });
    await page.reload();
    await settled(page);
    assert.match(await text(page.locator("h1")), /^Passing/);
    await page.goBack();
    await eventually(() => assert.doesNotMatch(page.url(), /backend=inductor/));
  });
});

test("explore: which benchmarks regressed? The table has the API's ratios, the worst on top", async () => {
  const { items, before: first } = await server.api("/history/changes?runs=365&span=14");
  assert.equal(first.length, 14);
  const sure = items.filter((item) => item.interval?.low > 1).sort((a, b) => b.ratio - a.ratio);
  await on("/explore", async (page) => {
    await page.getByRole("link", { name: "Which benchmarks regressed in the past year?" }).click();
    await eventually(async () => assert.match(await text(page.locator("h1")), new RegExp(`^Of ${items.filter((item) => item.ratio !== null).length} results ${sure.length} look slower and`)));
    await settled(page);
    const top = page.getByRole("region", { name: "Change of steady time" }).locator("tbody tr").first();
    const shown = await text(top);
    assert.ok(shown.includes(sure[0].experiment.model) && shown.includes(change(sure[0].ratio)), `${sure[0].ratio} in ${shown}`);
    assert.equal(await page.locator(".drawing [data-href]").count(), items.filter((item) => item.ratio !== null).length);
    await page.keyboard.press("f");
    await page.keyboard.type("resnet inference inductor");
    await eventually(async () => assert.equal(await page.getByRole("region", { name: "Change of steady time" }).locator("tbody tr").count(), 1));
    await page.getByRole("region", { name: "Change of steady time" }).locator("tbody tr a").first().click();
    await eventually(() => assert.match(page.url(), /\/models\/cpu-mini\/resnet_mini\?test=eval/));
  });
});

test("explore: this against that, with other axes", async () => {
  await on("/explore?view=scatter", async (page) => {
    const { items } = await server.api("/history/changes?metric=speedup");
    const both = items.filter((item) => item.before && item.after);
    assert.match(await text(page.locator("h1")), new RegExp(`${both.length} results, ${both.filter((item) => item.after.value > item.before.value).length} above the line`));
    assert.equal(await page.locator(".drawing [data-href]").count(), both.length);
    await page.getByRole("combobox", { name: "Across" }).selectOption("steady.after");
    await page.getByRole("combobox", { name: "Up", exact: true }).selectOption("compile.after");
    await eventually(async () => assert.match(await text(page.locator("h1")), /^Compile time, last runs, against steady time, last runs: \d+ results\.$/));
    await settled(page);
    const title = await page.locator(".drawing [data-href] title").first().textContent();
    assert.match(title, /steady time, last runs: [\d.e-]+ m?s \(n = 7 runs\)/);
    await shot(page, "explore-scatter");
  });
});

test("explore: any metric that the runner wrote, over runs, as changes and against another", async () => {
  await on("/explore", async (page) => {
    await page.getByRole("combobox", { name: "Models", exact: true }).fill("resnet_mini");
    await page.keyboard.press("Enter");
    await eventually(() => assert.match(page.url(), /model=resnet_mini/));
    await settled(page);
    await page.getByRole("combobox", { name: "Number" }).selectOption("metric.total_time");
    await eventually(async () => assert.match(await text(page.locator("h1")), /^total_time of each result/));
    await settled(page);
    const { series } = await server.api("/history/models?suite=cpu-mini&model=resnet_mini&metric=total_time&runs=60");
    const row = await text(page.getByRole("region", { name: /^Values on/ }).locator("tbody tr").first());
    assert.ok(series.length > 1);
    for (const one of series) assert.ok(row.includes(seen(one.values.at(-1) * 1000)), `${one.values.at(-1)} in ${row}`);
    await page.getByRole("button", { name: /^resnet_mini/ }).click();
    await eventually(() => assert.doesNotMatch(page.url(), /model=/));
    await settled(page);
    await page.getByRole("button", { name: "changes", exact: true }).click();
    await page.getByRole("combobox", { name: "Of" }).selectOption("metric.total_time");
    const { items } = await server.api("/history/changes?metric=total_time&runs=60&span=7");
    await eventually(async () => assert.match(await text(page.locator("h1")), new RegExp(`^Of ${items.filter((item) => item.ratio !== null).length} results .* slower .* median change of total_time`)));
    await page.getByRole("button", { name: "this against that" }).click();
    await page.getByRole("combobox", { name: "Across" }).selectOption("metric.total_time.after");
    await eventually(async () => assert.match(await text(page.locator("h1")), /against total_time, last runs: \d+ results\.$/));
  });
});

test("explore: all digits as CSV and JSON, the drawing as SVG and PNG with title, axes, legend and address", async () => {
  await on("/explore", async (page) => {
    const csv = await fileOf(page, page.getByRole("link", { name: "CSV" }));
    assert.match(csv.name, /\.csv$/);
    assert.match(String(csv.bytes), /^accelerator_model,run_id,run,started_at,suite,test,backend,/);
    const json = await fileOf(page, page.getByRole("link", { name: "JSON" }));
    assert.equal(JSON.parse(String(json.bytes)).accelerators[0].runs.length, 28);
    const svg = String((await fileOf(page, page.getByRole("button", { name: "SVG" }))).bytes);
    for (const words of ["Geomean speedup over inductor, by backend and test", "Inference", "higher is better", "aot_eager", "2025-11-01", page.url()]) assert.ok(svg.includes(words.replace(/&/g, "&amp;")), words);
    assert.equal(await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", svg), "", "it is XML");
    const png = await fileOf(page, page.getByRole("button", { name: "PNG" }));
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(png.bytes.readUInt32BE(16) >= 2000, "twice as wide as the drawing");
    assert.ok(png.bytes.length > 20_000);
  });
  for (const view of ["changes", "scatter"]) {
    await on(`/explore?view=${view}`, async (page) => {
      const svg = String((await fileOf(page, page.getByRole("button", { name: "SVG" }))).bytes);
      assert.equal(await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", svg), "");
      assert.ok(svg.includes("inductor") && svg.includes("2025-11-28") && svg.includes("/explore?view="), view);
      assert.ok(!svg.includes("var(--"), "a file has no style sheet");
    });
  }
});

test("explore: spans without runs, and slices without results, say so", async () => {
  await on("/explore?since=2030-01-01", async (page) => assert.match(await text(page.locator("main")), /nothing to show/));
  await on("/explore?view=changes&runs=1", async (page) => assert.match(await text(page.locator("main")), /fewer than two runs/));
  await on("/explore?view=scatter&suite=nobody", async (page) => assert.match(await text(page.locator("main")), /No result has both/));
});

for (const [name, address] of [["lines", "/explore?metric=passing"], ["each", "/explore?metric=each.steady"], ["changes", "/explore?view=changes"], ["scatter", "/explore?view=scatter&x=steady.after&y=compile.after"], ["table", "/explore?view=table"]]) {
  for (const [width, theme] of [[390, "dark"], [1440, "light"]]) {
    test(`explore ${name}: ${width} px, ${theme}: nothing beside the page, nothing serious for axe`, async () => {
      await on(
        address,
        async (page) => {
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
          assert.deepEqual(await axe(page), []);
          await shot(page, `explore-${name}-${width}-${theme}`);
        },
        { width, theme },
      );
    });
  }
}
