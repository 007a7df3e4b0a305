// Pages of a backend, a suite and all models, driven as a person would drive them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, driven, eventually, night, openBrowser, samples, seen, serve, settled, shot, text } from "./support.mjs";

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

const on = (address, body, options, where = server) => driven(browser, where.base + address, body, options);

const CPU = "Intel(R) Xeon(R) Processor";

test("a backend: its numbers are those of the overview and of the newest run", async () => {
  const overview = await server.api("/overview?baseline=inductor&runs=30");
  const [{ groups, run }] = overview.accelerators;
  const group = groups.find((one) => one.backend === "aot_eager" && one.test === "eval");
  const { rows } = await server.api(`/runs/${run.id}/models?backend=aot_eager`);
  const { total } = await server.api("/alerts?backend=aot_eager");
  await on("/backends/aot_eager", async (page) => {
    const heading = await text(page.locator("h1"));
    assert.ok(heading.includes(`inference ${group.passing} of ${group.total} pass, ${group.geomean.all.value.toFixed(2)}× inductor`), heading);
    assert.ok(total === 0 ? !heading.includes("alert") : heading.includes(`${total} alert`), heading);
    assert.equal(await page.locator(".chart-grid .chart").count(), 6);
    assert.match(await text(page.getByRole("region", { name: "Values of Geomean speedup" })), new RegExp(`${seen(group.geomean.all.value).replace(".", "\\.")} × \\[`));
    const table = page.getByRole("region", { name: "Models of backend aot_eager" });
    const inference = rows.filter((row) => row.test === "eval");
    assert.equal(await table.locator("tbody tr").count(), inference.length);
    const resnet = inference.find((row) => row.model === "resnet_mini").cells.aot_eager;
    const shown = await text(table.locator("tbody tr", { hasText: "resnet_mini" }));
    assert.ok(shown.includes(seen(resnet.time.value * 1000)), `${resnet.time.value} in ${shown}`);
    await shot(page, "backend-light");
  });
});

test("a backend: test, span and baseline are choices kept in the address", async () => {
  await on("/backends/inductor", async (page) => {
    await page.getByRole("button", { name: "training" }).click();
    await eventually(async () => assert.match(await text(page.locator("#history")), /^Training over 28 runs/));
    await page.getByRole("button", { name: "30 runs" }).click();
    await page.getByRole("combobox", { name: "Speedup over" }).selectOption("eager");
    await eventually(async () => {
      assert.match(page.url(), /test=train/);
      assert.match(page.url(), /runs=30/);
      assert.match(page.url(), /baseline=eager/);
      assert.match(await text(page.locator("h1")), /× eager/);
    });
    await page.reload();
    await settled(page);
    assert.match(await text(page.locator("#history")), /^Training/);
    assert.equal(await page.getByRole("combobox", { name: "Speedup over" }).inputValue(), "eager");
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await eventually(async () => assert.match(await text(page.locator("#history")), /^Inference/));
  });
});

test("a suite: what fails leads to the error, a row to the model, a name to the backend", async () => {
  await on("/suites/cpu-mini", async (page) => {
    const failures = page.getByRole("region", { name: /^Failures of inference/ });
    const link = failures.getByRole("link", { name: /mat1 and mat2/ });
    assert.match(await link.getAttribute("href"), /^\/errors\?signature=RuntimeError/);
    const table = page.getByRole("region", { name: "Models of suite cpu-mini" });
    const first = await text(table.locator("tbody tr").first());
    assert.match(first, /transformer_mini|unet_mini/, "what is wrong is on top");
    await page.getByRole("searchbox", { name: "Filter" }).fill("resnet inductor");
    await eventually(async () => assert.equal(await table.locator("tbody tr").count(), 1));
    await table.locator("tbody tr a", { hasText: "inductor" }).click();
    await eventually(() => assert.match(page.url(), /\/backends\/inductor/));
    await settled(page);
    assert.match(await text(page.locator("h1")), /^inductor: /);
    await page.goBack();
    await settled(page);
    await page.getByRole("region", { name: "Models of suite cpu-mini" }).locator("tbody tr a", { hasText: "resnet_mini" }).click();
    await eventually(() => assert.match(page.url(), /\/models\/cpu-mini\/resnet_mini\?test=eval/));
  });
});

test("all models: found by key, filtered as one types, worst first", async () => {
  const { total } = await server.api("/models?limit=1");
  await on("/", async (page) => {
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await eventually(() => assert.match(page.url(), /\/models$/));
    await settled(page);
    const table = page.getByRole("region", { name: "Models", exact: true });
    assert.equal(await table.locator("tbody tr").count(), total);
    assert.match(await text(page.locator("h1")), new RegExp(`^${total} models of 1 suite; 2 compute a wrong result`));
    assert.match(await text(table.locator("tbody tr").first()), /transformer_mini|unet_mini/);
    await page.keyboard.press("f");
    await page.keyboard.type("gnn");
    await eventually(async () => assert.equal(await table.locator("tbody tr").count(), 1));
    assert.match(page.url(), /q=gnn/);
    await page.keyboard.press("Tab");
    await table.locator("tbody tr a").first().press("Enter");
    await eventually(() => assert.match(page.url(), /\/models\/cpu-mini\/gnn_mini/));
  });
});

test("a name that is none is told, hostile names are text", async () => {
  await on("/backends/nobody", async (page) => assert.match(await text(page.locator("h1")), /None of the last 60 runs holds a backend called nobody/));
  const hostile = await serve([]);
  try {
    const { writeFileSync } = await import("node:fs");
    const { join } = await import("node:path");
    const suite = `<img src=x onerror="alert(1)">/&?#%`;
    const file = join(hostile.folder, "hostile.jsonl");
    const lines = (scale) => [
      { suite, model: "<script>alert(2)</script>", dynamo: "inductor", times: [3, 1.1, 1, 1, 1, 1].map((value) => value * scale) },
      { suite, model: "../..", dynamo: `"><b>`, times: [3, 2.1, 2, 2, 2, 2] },
      { suite, model: "failed", dynamo: "inductor", error: "ValueError: <i>no</i>" },
    ];
    writeFileSync(file, night({ timestamp: 1762300800, lines: lines(1) }) + night({ timestamp: 1762387200, lines: lines(1.5) }));
    await hostile.ingest([file]);
    for (const address of [`/suites/${encodeURIComponent(suite)}`, `/backends/${encodeURIComponent(`"><b>`)}`, "/models"]) {
      await on(
        address,
        async (page) => {
          assert.ok((await text(page.locator("main"))).includes("<img src=x"), address);
          assert.equal(await page.locator("main img, main script, main b, main i").count(), 0);
        },
        {},
        hostile,
      );
    }
  } finally {
    await hostile.stop();
  }
});

for (const [name, address] of [["backend", "/backends/inductor"], ["suite", "/suites/cpu-mini"], ["models", "/models"]]) {
  for (const [width, theme] of [[390, "dark"], [1024, "light"], [1440, "dark"]]) {
    test(`${name}: ${width} px, ${theme}: nothing beside the page, nothing serious for axe`, async () => {
      await on(
        `${address}?accelerator_model=${encodeURIComponent(CPU)}`,
        async (page) => {
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
          assert.deepEqual(await axe(page), []);
          await shot(page, `${name}-${width}-${theme}`);
        },
        { width, theme },
      );
    });
  }
}
