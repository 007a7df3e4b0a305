// Stores that are not like the samples: empty, growing, hostile, and large.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, eventually, night, openBrowser, openPage, samples, serve, settled, shot, text, visit } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const DAY = 86400;
const START = 1767225600; // 2026-01-01

test("an empty store says the command to type, and fills without a reload", async () => {
  const server = await serve([]);
  const { page, problems, close } = await openPage(browser);
  try {
    await page.clock.install();
    await visit(page, server.base + "/");
    assert.match(await text(page.locator("main")), /benchhud ingest/);
    await shot(page, "empty");
    assert.deepEqual(await axe(page), []);
    for (const address of ["/runs", "/verification", "/ingests"]) {
      await page.evaluate((to) => document.querySelector(`.top nav a[href="${to}"]`).click(), address);
      await page.waitForURL(server.base + address);
      await page.locator("main h1").waitFor();
      assert.match(await text(page.locator("main")), /benchhud ingest/, address);
    }
    await page.evaluate(() => document.querySelector('.top nav a[href="/"]').click());
    await page.locator("main h1").waitFor();
    await page.locator(".command .copy").first().click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "benchhud ingest --db STORE path/to/output");

    await server.ingest([join(samples, "2025-11-01")]);
    await page.clock.fastForward(31_000);
    await page.locator("table.overview").waitFor();
    await server.ingest([join(samples, "2025-11-02")]);
    await page.clock.fastForward(31_000);
    await page.waitForFunction(() => document.querySelector("main .foot")?.textContent.startsWith("2 runs"));
    assert.deepEqual(
      problems.filter((one) => !/status of 404/.test(one)),
      [],
      "an empty store is no error, save that it has no latest run",
    );
  } finally {
    await close();
    await server.stop();
  }
});

test("hostile names are text", async () => {
  const names = ['<img src=x onerror="window.pwned=1">', '"><script>window.pwned=2</script>', "javascript:window.pwned=3", "a/../b?c=d#e&f=%2e%2e", "‮gnirts", "x".repeat(400), " ", "${7*7}{{7*7}}"];
  const server = await serve([]);
  const folder = join(server.folder, "hostile");
  mkdirSync(folder);
  const lines = (n) =>
    names.flatMap((model) =>
      [null, "inductor"].map((dynamo) => ({ suite: '<b onclick="window.pwned=4">suite</b>', model, dynamo, times: [1, 0.2, 0.2, 0.1, 0.11, 0.12, 0.1 + n / 100, 0.1] })),
    );
  for (let n = 0; n < 3; ++n) {
    writeFileSync(
      join(folder, `night${n}.jsonl`),
      night({ timestamp: START + n * DAY, accelerator: "<svg onload=window.pwned=5>", lines: [...lines(n), { model: "bad", dynamo: "<i>backend</i>", error: 'Traceback\n<img src=x onerror="window.pwned=6">Error: <b>bold</b> 12\n' }] }) +
        (n === 2 ? '{"model": "<img src=x onerror=window.pwned=7>"\n' : ""),
    );
  }
  await server.ingest([folder], ["--label", "commit=<img src=x onerror=window.pwned=8>"]);
  const { page, problems, close } = await openPage(browser);
  try {
    const models = await server.api("/models?limit=1000");
    const addresses = ["/", "/runs", "/runs/latest", "/verification", "/ingests"];
    for (const item of models.items) addresses.push(`/models/${encodeURIComponent(item.suite)}/${encodeURIComponent(item.model)}`);
    for (const ingest of (await server.api("/ingests")).items) addresses.push(`/ingests/${ingest.id}`);
    for (const address of addresses) {
      await visit(page, server.base + address);
      assert.equal(await page.evaluate(() => window.pwned), undefined, address);
      assert.equal(await page.locator("main img, main script, main i, main b, main [onerror], main [onload], main [onclick]").count(), 0, address);
    }
    await visit(page, server.base + "/runs/latest");
    const seen = (await page.locator("tr[data-entry] > th").allInnerTexts()).join("\n");
    for (const name of names.filter((one) => one.trim())) if (models.items.some((item) => item.model === name)) assert.ok(seen.includes(name), name);
    await shot(page, "hostile-run");
    // Each link leads to its model, whatever the name.
    const links = await page.locator("tr[data-entry] > th a").evaluateAll((nodes) => nodes.map((node) => node.href));
    for (const link of new Set(links)) {
      await visit(page, link);
      assert.equal(await page.locator("figure.chart").count() > 0, true, link);
    }
    await visit(page, server.base + "/verification");
    const failure = page.locator(".failures summary").first();
    if (await failure.count()) await failure.click();
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(problems, []);
    assert.deepEqual(await axe(page), []);
  } finally {
    await close();
    await server.stop();
  }
});

test("rejected lines are listed with place, reason and beginning", async () => {
  const server = await serve([]);
  const file = join(server.folder, "2026-02-01.jsonl");
  writeFileSync(file, night({ timestamp: START, lines: [{ model: "m", times: [1, 2, 3, 4, 5] }] }) + "this is no JSON <b>\n" + '{"model": {"suite_name": "s"');
  await server.ingest([file]);
  const { page, problems, close } = await openPage(browser);
  try {
    const rejected = await server.api("/rejected-lines?limit=100");
    assert.ok(rejected.total >= 1);
    await visit(page, server.base + "/ingests");
    assert.match(await text(page.locator("h1")), new RegExp(`${rejected.total} lines? rejected`));
    await page.locator("tr[data-entry] a.worse").click();
    await page.waitForURL(/\/ingests\/\d+/);
    await settled(page);
    const shown = await text(page.locator(".table-box"));
    for (const line of rejected.items) {
      assert.ok(shown.includes(line.reason.replace(/\s+/g, " ").trim()), line.reason);
      assert.ok(shown.includes(line.excerpt.slice(0, 15)), line.excerpt);
    }
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("300 models by 4 backends: the table scrolls through all of them with few rows at a time", async () => {
  const server = await serve([]);
  const backends = [
    { dynamo: "inductor" },
    { dynamo: "openxla", xla: "PJRT" },
    { dynamo: null, xla: "PJRT" },
    { dynamo: null },
  ];
  const files = [];
  for (let n = 0; n < 3; ++n) {
    const lines = [];
    for (let model = 0; model < 300; ++model) {
      for (const test of ["eval", "train"]) {
        backends.forEach((backend, b) => {
          const time = 0.01 * (1 + (model % 37)) * (1 + b / 4);
          lines.push({ ...backend, model: `model_${model}`, test, times: [time * 20, time, time, time, time * 1.01, time * 0.99, time * 1.02, time] });
        });
      }
    }
    const file = join(server.folder, `fleet${n}.jsonl`);
    writeFileSync(file, night({ timestamp: START + n * DAY, lines }));
    files.push(file);
  }
  await server.ingest(files);
  const { page, problems, close } = await openPage(browser);
  try {
    const table = await server.api("/runs/latest/models?baseline=inductor");
    await visit(page, server.base + "/runs/latest?sort=model");
    const box = page.locator("main .table-box").last();
    assert.equal(await box.locator("table").getAttribute("aria-rowcount"), String(table.rows.length + 1));
    await box.locator("tr[data-entry]").first().waitFor();
    assert.ok((await box.locator("tr[data-entry]").count()) < 150, "only what is in sight is drawn");
    assert.match(await text(box.locator("tr[data-entry]").first()), /^model_0 /);
    await box.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await box.locator("tr", { hasText: "model_299" }).first().waitFor();
    await shot(page, "fleet-run");

    // The keys move through rows that are not drawn yet, and the row stays in sight.
    await box.evaluate((node) => node.scrollTo(0, 0));
    await box.getByRole("rowheader", { name: "model_0", exact: true }).first().waitFor();
    for (let n = 0; n < 3; ++n) await page.keyboard.press("j");
    // Some come before anything is drawn for those before.
    await page.evaluate(() => {
      for (let n = 3; n < 60; ++n) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true }));
    });
    await eventually(async () => {
      const focused = await page.evaluate(() => ({ entry: Number(document.activeElement.dataset.entry), top: document.activeElement.getBoundingClientRect().top, height: innerHeight }));
      assert.equal(focused.entry, 59);
      assert.ok(focused.top > 0 && focused.top < focused.height, `the focused row is at ${focused.top} of ${focused.height}`);
    });

    await page.getByLabel(/^Filter/).fill("model_29 training");
    const kept = table.rows.filter((row) => row.model.includes("model_29") && row.test === "train").length;
    await eventually(async () => {
      assert.match(await text(page.locator('label.filter [role="status"]')), new RegExp(`^${kept} of 600 rows`));
      assert.equal(await box.locator("tr[data-entry]").count(), kept);
    });

    // Paper has no scrolling: all rows are drawn.
    await page.getByLabel(/^Filter/).fill("");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.waitForFunction(() => document.querySelectorAll("tr[data-entry]").length === 600);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});
