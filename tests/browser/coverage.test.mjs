// What should have run and did not: on the page of the morning and on a page of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, driven, eventually, night, openBrowser, program, seen, serve, settled, shot, text } from "./support.mjs";

const START = Date.parse("2026-01-01T00:00:00Z") / 1000;
const DAY = 86400;
const ACCELERATOR = "NVIDIA A100-SXM4-40GB";
const steady = (seconds) => [seconds + 1, seconds * 1.2, seconds * 1.1, seconds, seconds * 1.01, seconds * 0.99, seconds * 1.02, seconds];

let server;
let browser;

/** Two suites on two backends; what `without` and `failing` say is not as it was. */
function lines({ without = [], failing = {} } = {}) {
  return ["torchbench", "timm"].flatMap((suite) =>
    ["alpha", "beta", "gamma"].flatMap((model) =>
      [null, "inductor"].flatMap((dynamo) => {
        const name = `${suite}/${model}/${dynamo ?? "eager"}`;
        if (without.includes(name)) return [];
        if (failing[name]) return [{ suite, model, dynamo, error: failing[name], code: "VERIFIER_DIDNT_RUN" }];
        return [{ suite, model, dynamo, times: steady(dynamo ? 0.1 : 0.15) }];
      }),
    ),
  );
}

before(async () => {
  server = await serve([]);
  const nights = [{}, {}, { without: ["timm/gamma/inductor"], failing: { "torchbench/alpha/inductor": "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "torchbench/beta/inductor": "Fatal Python error: Segmentation fault" } }];
  for (const [n, what] of nights.entries()) {
    const file = join(server.folder, `night${n}.jsonl`);
    writeFileSync(file, night({ timestamp: START + n * DAY, lines: lines(what) }));
    await server.ingest([file]);
  }
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);

test("the morning's page says what was lost, why, and since when nothing came", async () => {
  await on("/", async (page) => {
    const heading = page.locator("h1");
    await eventually(async () => assert.match(await text(heading), /3 results lost since the run before: 1 crashed, 1 out of memory, 1 not run\./));
    assert.match(await text(page.locator(".kicker .warn").first()), /no run for .*; there is usually one every 24 h/);
    const lost = page.locator(".lost li");
    assert.equal(await lost.count(), 3);
    assert.match(await text(lost.nth(0)), /crashed alpha|crashed beta/);
    assert.match(await text(page.locator(".lost")), /out of memory alpha inductor inference .*OutOfMemoryError/);
    assert.match(await text(page.locator(".lost")), /not run gamma inductor inference/);
    assert.match(await text(page.locator(".coverage-line")), /9 of 12 expected are timed/);
    await shot(page, "overview-coverage-light");
    assert.deepEqual(await axe(page), []);
    await page.locator("section", { has: page.getByRole("heading", { name: "What should have run" }) }).getByRole("link", { name: "Coverage" }).click();
    await page.waitForURL(/\/coverage\?run=\d+/);
  });
});

test("the morning's table by suite holds the numbers of the history", async () => {
  await on("/", async (page) => {
    await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: "suite and backend" }).click();
    await page.waitForURL(/rows=suite/);
    await page.locator("table.overview .group-name", { hasText: "torchbench" }).waitFor();
    const history = await server.api("/history?group_by=suite&group_by=test&group_by=backend&baseline=inductor&runs=30");
    for (const group of history.accelerators[0].groups) {
      const body = page.locator("table.overview tbody", { has: page.getByText(group.suite, { exact: true }) });
      const row = await text(body.locator("tr", { has: page.getByText(group.backend, { exact: true }) }));
      const point = group.points.at(-1);
      if (point.geomean?.all.value) assert.ok(row.includes(`${seen(point.geomean.all.value)}×`), `${group.suite} ${group.backend}: ${row}`);
      assert.ok(row.includes(`${point.timed}/3`), `${group.suite} ${group.backend}: ${row}`);
    }
  });
});

test("coverage: every expected result once, filtered, grouped, sorted, all in the address", async () => {
  const answer = await server.api("/coverage");
  await on("/coverage", async (page) => {
    assert.match(await text(page.locator("h1")), /^9 of 12 expected results are timed; 1 crashed, 1 out of memory, 1 not run\. 3 results lost since the run before/);
    const groups = page.getByRole("region", { name: "Expected results by what became of them" });
    assert.equal(await groups.locator("tbody tr").count(), answer.groups.length);
    const table = page.getByRole("region", { name: "Results that are not as expected" });
    assert.equal(await table.locator("tr[data-entry]").count(), 3);
    await page.getByLabel("Outcome").selectOption({ label: "not run" });
    await page.waitForURL(/outcome=not_run/);
    await eventually(async () => assert.equal(await table.locator("tr[data-entry]").count(), 1));
    assert.match(await text(table.locator("tr[data-entry]")), /gamma timm inference inductor .*∅ not run ● timed and not wrong 2026-01-02 no line in the results/);
    await page.getByLabel("Outcome").selectOption({ label: "all" });
    await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "outcome" }).click();
    await page.waitForURL(/group=outcome/);
    await eventually(async () => assert.equal(await table.locator("tr.group").count(), 3));
    await groups.getByRole("button", { name: "timm" }).first().click();
    await page.waitForURL(/suite=timm/);
    await eventually(async () => assert.match(await text(page.locator("h1")), /of 3 expected/));
    await page.reload();
    await settled(page);
    assert.match(await text(page.locator("h1")), /of 3 expected/);
    await page.getByRole("button", { name: "All suites, tests and backends" }).click();
    await eventually(async () => assert.match(await text(page.locator("h1")), /of 12 expected/));
    await shot(page, "coverage-light");
    assert.deepEqual(await axe(page), []);
  });
});

test("coverage fits small windows, dark too", async () => {
  for (const width of [390, 1024]) {
    await on(
      "/coverage",
      async (page) => {
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
        assert.deepEqual(await axe(page), []);
      },
      { width, theme: "dark" },
    );
  }
});

test("a manifest that is set while the page is open shows without reloading", async () => {
  await on("/coverage", async (page) => {
    const manifest = join(server.folder, "manifest.csv");
    writeFileSync(manifest, "suite,model,test,backend\ntorchbench,alpha|beta|never,inference,inductor\n");
    execFileSync(program, ["expect", "set", manifest, "--accelerator-model", ACCELERATOR, "--db", server.db]);
    await eventually(async () => assert.match(await text(page.locator("h1")), /^0 of 3 expected/));
    assert.match(await text(page.locator("main header")), /the manifest of this accelerator/);
    assert.match(await text(page.getByRole("region", { name: "Results that are not as expected" })), /never/);
    execFileSync(program, ["expect", "clear", "--accelerator-model", ACCELERATOR, "--db", server.db]);
    await eventually(async () => assert.match(await text(page.locator("h1")), /of 12 expected/));
  });
});
