// Where an iteration goes by the profiles of two backends, profiles over runs, and an alert that names an operator.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dayOf, writeFleet } from "../integration/support/sessions.mjs";
import { axe, driven, openBrowser, openPage, serve, settled, shot, text, visit } from "./support.mjs";

const BOTH = [3, 20], GOOD = 13, BAD = 14;
let browser, server, folder, ids;

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "benchhud-iterations-"));
  server = await serve(writeFleet(folder, { slowFrom: BAD, profiled: [...BOTH, GOOD, BAD], both: BOTH }));
  const { items } = await server.api(`/results?run=${dayOf(3)}&model=alpha&limit=100`);
  ids = Object.fromEntries(items.map(({ experiment }) => [experiment.column, experiment.id]));
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const compared = (night) => `${server.base}/profile-comparison?left_run=${dayOf(night)}&left_experiment=${ids.inductor}&right_run=${dayOf(night)}&right_experiment=${ids["openxla+dynamo"]}`;
const cells = (row) => row.locator("td").allInnerTexts().then((all) => all.map((one) => one.trim()));
const partRow = (page, name) => page.locator(".part-table tbody tr", { has: page.locator("th", { hasText: new RegExp(`^${name}$`) }) });

test("two backends stand beside each other: parts, profiles, operators", () =>
  driven(browser, compared(3), async (page) => {
    assert.match(await text(page.locator("h1")), /alpha, inference, inductor and openxla\+dynamo.*an iteration takes 1\.00 ms and 850 µs; most of the difference is compiling\./);
    assert.deepEqual((await cells(partRow(page, "executing"))).slice(0, 4), ["450 µs", "45.0 %", "400 µs", "47.1 %"]);
    assert.deepEqual((await cells(partRow(page, "iteration"))).slice(0, 4), ["1.00 ms", "100 %", "850 µs", "100 %"]);
    assert.equal(await page.locator('.part-stacks svg[role="img"] rect').count(), 6 + 5, "what takes no time is not drawn");
    assert.match(await text(page.locator(".two-facts")), /4 iterations, by steps of the profiler.*4 iterations, by step marks of PyTorch\/XLA/s);
    const first = page.locator("section[aria-labelledby=operators] tbody tr").first();
    assert.match(await text(first), /aten::mm.*400 µs.*300 µs.*−100 µs/s);
    assert.match(await text(page.locator("section[aria-labelledby=operators]")), /a fusion of XLA counts wholly as the one operator that the profile gives it\./);
    assert.match(await text(page.locator(".reasons-unknown")), /no operator is known/);
    assert.equal(await page.getByText("Not only the backends differ").count(), 0);
    assert.deepEqual(await axe(page), []);
    await shot(page, "iterations");
  }));

test("what else differs than the backend is said", async () => {
  const { page, close } = await openPage(browser);
  try {
    await page.route(`**/api/v1/runs/*/results/${ids.inductor}`, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, experiment: { ...answer.experiment, batch_size: 64 } } });
    });
    await visit(page, compared(3));
    assert.match(await text(page.locator(".page-head")), /Not only the backends differ: batch 64 and batch 8\./);
    assert.deepEqual(await axe(page), []);
    await shot(page, "iterations-other-batch");
  } finally {
    await close();
  }
});

test("what no operator is known of is not called new where one side has none of it", async () => {
  const { page, close } = await openPage(browser);
  try {
    await page.route("**/api/v1/profile-comparison?*", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const row of answer.operators.filter((one) => one.kind === "without_operator" || one.name === "aten::mm")) {
        row.left = { ...row.left, ns: 0, share: 0 };
        row.right = { ...row.right, ns: 5000, unknown: null };
        row.difference_ns = 5000;
      }
      await route.fulfill({ response, json: answer });
    });
    await visit(page, compared(3));
    const rows = page.locator("section[aria-labelledby=operators] tbody tr");
    assert.match(await text(rows.filter({ hasText: "(no operator known)" })), /\+5\.00 µs$/);
    assert.match(await text(rows.filter({ hasText: "aten::mm" })), /\+5\.00 µs new$/);
  } finally {
    await close();
  }
});

test("sides can be swapped, and another run chosen", () =>
  driven(browser, compared(3), async (page) => {
    await page.getByRole("button", { name: /Swap/ }).click();
    await settled(page);
    assert.match(await text(page.locator("h1")), /openxla\+dynamo and inductor.*850 µs and 1\.00 ms/);
    await page.getByLabel("Right: run").selectOption({ label: `${dayOf(20)} 00:00` });
    await settled(page);
    assert.match(await text(page.locator("h1")), new RegExp(`inductor of ${dayOf(20)}`));
  }));

test("a side without a profile says so", () =>
  driven(browser, compared(BAD), async (page) => {
    assert.match(await text(page.locator("h1")), /openxla\+dynamo has no profile\./);
    assert.match(await partRow(page, "tracing").locator(".missing").first().getAttribute("title"), /The result has no profile/);
    assert.match(await text(page.locator("section[aria-labelledby=operators]")), /Nothing to compare/);
  }));

test("a model's page draws the numbers of its profiles and leads to the comparison", () =>
  driven(browser, `${server.base}/models/torchbench/alpha`, async (page) => {
    const section = page.locator("section[aria-labelledby=profiles]");
    const titles = await section.locator("figure.chart h3").allInnerTexts();
    assert.deepEqual(titles, ["Devices busy", "Devices idle", "Largest class of kernels", "Compiled in the profile", "Peak of memory"]);
    assert.match(await text(section), /No detector watches these numbers/);
    await section.locator("summary", { hasText: "6 profiles as a table" }).click();
    assert.match(await text(section.locator("table.plain")), /inductor.*gemm, 86\.5 %/s);
    await section.getByRole("link", { name: "inductor and openxla+dynamo" }).click();
    await settled(page);
    assert.match(await text(page.locator("h1")), new RegExp(`alpha, inference, inductor and openxla\\+dynamo, ${dayOf(20)}`));
  }));

test("a model without profiles has no such section", () =>
  driven(browser, `${server.base}/models/torchbench/quiet`, async (page) => {
    assert.equal(await page.locator("section[aria-labelledby=profiles]").count(), 0);
  }));

test("the comparison of two backends of a run leads there", () =>
  driven(browser, `${server.base}/compare?left=${dayOf(3)}&right=${dayOf(3)}&left_backend=inductor&right_backend=${encodeURIComponent("openxla+dynamo")}`, async (page) => {
    await page.locator("section[aria-labelledby=models] tbody tr", { hasText: "alpha" }).first().click();
    await page.getByRole("link", { name: "Where an iteration goes on both sides" }).click();
    await settled(page);
    assert.match(await text(page.locator("h1")), /an iteration takes 1\.00 ms and 850 µs/);
  }));

test("an alert names the operator and leads to both nights", async () => {
  const { items } = await server.api("/alerts?state=all&model=alpha");
  const { id } = items.find((one) => one.details.direction === "regression");
  await driven(browser, `${server.base}/alerts/${id}`, async (page) => {
    const cause = page.locator(".causes li", { hasText: "aten::mm takes longer" });
    assert.match(await text(cause), /400 µs → 640 µs an iteration 86 % of the change Where an iteration went/);
    await cause.getByRole("link").click();
    await settled(page);
    assert.match(await text(page.locator("h1")), new RegExp(`inductor, ${dayOf(GOOD)} 00:00 and ${dayOf(BAD)} 00:00: an iteration takes 1\\.00 ms and 1\\.24 ms; most of the difference is executing`));
  });
});
