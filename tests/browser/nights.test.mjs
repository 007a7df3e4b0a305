// The pages over the 28 real nights of samples/, driven as a person would drive them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, driven, eventually, openBrowser, openPage, samples, seen, serve, settled, shot, text, visit } from "./support.mjs";

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

/** A name that is only the run's own time is shown as people write times. */
const runName = (run) => (Date.parse(run.name) === Date.parse(run.started_at) ? `${run.started_at.slice(0, 10)} ${run.started_at.slice(11, 16)}` : run.name);
const testName = (name) => ({ eval: "inference", train: "training" })[name] ?? name;

test("overview: the numbers are those of the API", async () => {
  const overview = await server.api("/overview?baseline=inductor&runs=30");
  await on("/", async (page) => {
    const [accelerator] = overview.accelerators;
    const heading = await text(page.locator("h1"));
    const lead = accelerator.groups.find((group) => group.backend === "aot_eager" && group.test === "eval");
    assert.match(heading, new RegExp(`aot_eager: inference ${lead.passing} of ${lead.total} pass`));
    if (lead.geomean.all.value) assert.ok(heading.includes(`${lead.geomean.all.value.toFixed(2)}× inductor`), heading);
    for (const group of accelerator.groups) {
      const body = page.locator("table.overview tbody", { has: page.getByText(testName(group.test), { exact: true }) });
      const row = body.locator("tr", { has: page.getByText(group.backend, { exact: true }) });
      const shown = await text(row);
      if (group.passing + group.failing + group.undecided > 0) assert.ok(shown.includes(`${group.passing}/${group.total}`), `${group.test} ${group.backend}: ${shown}`);
      if (group.geomean?.all.value) {
        assert.ok(shown.includes(`${seen(group.geomean.all.value)}×`), `${group.geomean.all.value} in ${shown}`);
        const { low, high } = group.geomean.all.interval;
        assert.ok(shown.includes(`[${seen(low)}–${seen(high)}]`), `${low} ${high} in ${shown}`);
        assert.ok((await row.locator("td strong .num").first().getAttribute("title")) !== null);
        const titles = await row.locator(".num").evaluateAll((nodes) => nodes.map((node) => node.title));
        assert.ok(titles.some((title) => title.startsWith(String(group.geomean.all.value))), "all digits on hover");
      }
    }
    assert.equal(await page.locator(".transitions li").count(), accelerator.transitions.length);
    assert.match(await text(page.locator("main")), /Not a verdict/);
    assert.match(await page.title(), /benchhud/);
    await shot(page, "overview-light");
  });
});

test("overview: another baseline is a choice kept in the address", async () => {
  await on("/", async (page) => {
    await page.getByLabel("Baseline").selectOption("eager");
    await page.waitForURL(/baseline=eager/);
    await settled(page);
    const overview = await server.api("/overview?baseline=eager&runs=30");
    const group = overview.accelerators[0].groups.find((one) => one.backend === "inductor" && one.test === "eval");
    assert.ok((await text(page.locator("table.overview"))).includes(`${seen(group.geomean.all.value)}×`));
    await page.reload();
    await settled(page);
    assert.equal(await page.getByLabel("Baseline").inputValue(), "eager");
    await page.goBack();
    await page.waitForURL((url) => !url.search);
    await settled(page);
    assert.equal(await page.getByLabel("Baseline").inputValue(), "inductor");
  });
});

test("runs: every run, sorted by click, filtered as one types, opened by key", async () => {
  const runs = await server.api("/runs?limit=1000");
  await on("/runs", async (page) => {
    const rows = page.locator("main table tbody tr[data-entry]");
    assert.equal(await rows.count(), runs.total);
    assert.equal(await text(rows.first().locator("th")), runName(runs.items[0]));
    await page.getByRole("button", { name: /^Started/ }).click();
    await page.getByRole("button", { name: /^Started/ }).click();
    await page.waitForURL(/sort=time/);
    assert.equal(await text(rows.first().locator("th")), runName(runs.items.at(-1)));
    assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);
    await page.reload();
    await settled(page);
    assert.equal(await text(rows.first().locator("th")), runName(runs.items.at(-1)), "the order survives a reload");

    await page.keyboard.press("f");
    await page.keyboard.type(runs.items[3].started_at.slice(0, 10));
    await page.waitForURL(/q=/);
    const kept = runs.items.filter((run) => [run.name, run.started_at, ...Object.values(run.labels)].join(" ").includes(runs.items[3].started_at.slice(0, 10)));
    assert.equal(await rows.count(), kept.length);
    assert.match(await text(page.locator('[role="status"]').first()), new RegExp(`${kept.length} of ${runs.total} runs`));
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await rows.count(), runs.total));

    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    const chosen = await page.evaluate(() => document.activeElement.querySelector("th").innerText.trim());
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/\d+$/);
    await settled(page);
    assert.match(await page.title(), new RegExp(chosen.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
    await page.goBack();
    await page.waitForURL(/\/runs\?sort=time/);
    await shot(page, "runs-light");
  });
});

test("a run: times, speedups and geomeans are those of the API, to the last digit on hover", async () => {
  const table = await server.api("/runs/latest/models?baseline=inductor");
  await on("/runs/latest", async (page) => {
    for (const row of table.rows) {
      const line = page.locator("tr[data-entry]", { has: page.getByRole("rowheader", { name: row.model, exact: true }) }).filter({ hasText: testName(row.test) }).first();
      const titles = (await line.locator(".num").evaluateAll((nodes) => nodes.map((node) => node.title))).join("\n");
      for (const [column, cell] of Object.entries(row.cells)) {
        if (cell.time) assert.ok(titles.includes(`${cell.time.value} s`), `${row.model} ${row.test} ${column}: ${cell.time.value}`);
        if (cell.speedup) assert.ok(titles.includes(`${cell.speedup.value}×`), `${row.model} ${row.test} ${column}: ${cell.speedup.value}`);
      }
      const signs = (await line.locator(".sign .sr").allInnerTexts()).join("\n");
      for (const cell of Object.values(row.cells)) if (cell.verification) assert.ok(signs.includes(cell.verification.code), `${row.model}: ${cell.verification.code}`);
    }
    for (const geomean of table.geomeans.filter((one) => one.all.value !== null && one.backend !== "inductor")) {
      const shown = await text(page.locator("table.geomeans tbody tr", { hasText: testName(geomean.test) }).filter({ has: page.getByText(geomean.column, { exact: true }) }));
      assert.ok(shown.includes(seen(geomean.all.value)), `${geomean.all.value} in ${shown}`);
      assert.ok(shown.includes(seen(geomean.matched.value)), `${geomean.matched.value} in ${shown}`);
    }
    await shot(page, "run-light");
  });
});

test("a run: sorting, filtering, grouping and columns live in the address and survive a reload", async () => {
  const table = await server.api("/runs/latest/models?baseline=inductor");
  await on("/runs/latest", async (page) => {
    const models = () => page.locator("tr[data-entry] > th").allInnerTexts();
    await page.getByRole("button", { name: "aot_eager speedup: sort" }).click();
    await page.waitForURL(/sort=speedup:aot_eager/);
    const expected = table.rows
      .filter((row) => row.cells.aot_eager?.speedup)
      .sort((a, b) => a.cells.aot_eager.speedup.value - b.cells.aot_eager.speedup.value)
      .map((row) => row.model);
    assert.deepEqual((await models()).slice(0, expected.length).map((name) => name.trim()), expected);

    await page.getByRole("button", { name: "training", exact: true }).click();
    await page.waitForURL(/test=train/);
    assert.equal(await page.locator("tr[data-entry]").count(), new Set(table.rows.filter((row) => row.test === "train").map((row) => row.model)).size);
    await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "suite" }).click();
    await page.waitForURL(/group=suite/);
    assert.equal(await page.locator("tr.group").count(), new Set(table.rows.map((row) => row.suite)).size);

    const compile = page.getByRole("button", { name: "inductor compile time: sort" });
    assert.equal(await compile.count(), 0);
    await page.getByRole("button", { name: /^Columns/ }).click();
    await page.getByLabel("compile time").check();
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await compile.count(), 1));
    await page.getByLabel(/^Filter/).fill("resnet");
    await page.waitForURL(/q=resnet/);
    const address = page.url();
    const before = await text(page.locator(".table-box"));
    await page.reload();
    await settled(page);
    assert.equal(page.url(), address);
    assert.equal(await text(page.locator(".table-box")), before, "the same view after a reload");
  });
});

test("a run: other baselines, other estimator, the runs beside it", async () => {
  const runs = await server.api("/runs?limit=1000");
  await on("/runs/latest", async (page) => {
    await page.getByLabel("Speedup over").selectOption("eager");
    await page.locator("label", { hasText: /^of run/ }).locator("select").selectOption("oldest");
    await page.getByRole("button", { name: "upstream" }).click();
    await page.waitForURL(/baseline=eager&baseline_run=oldest&estimator=upstream/);
    await settled(page);
    const table = await server.api("/runs/latest/models?baseline=eager&baseline_run=oldest&estimator=upstream");
    const geomean = table.geomeans.find((one) => one.column === "inductor" && one.test === "eval");
    assert.ok((await text(page.locator("table.geomeans"))).includes(seen(geomean.all.value)));

    await page.keyboard.press("[");
    await page.waitForURL(new RegExp(`/runs/${runs.items[1].id}\\?`));
    await settled(page);
    assert.match(page.url(), /baseline=eager/, "the choices stay");
    assert.match(await page.title(), new RegExp(runs.items[1].name.slice(0, 10)));
    await page.keyboard.press("]");
    await page.waitForURL(new RegExp(`/runs/${runs.items[0].id}\\?`));

    const leftOut = page.locator(".left-out button").first();
    await leftOut.click();
    assert.ok((await text(page.locator(".left-out ul").first())).length > 0);
  });
});

test("a run: the CSV beside the table holds the same rows", async () => {
  const table = await server.api("/runs/latest/models?baseline=inductor");
  await on("/runs/latest", async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("e")]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const csv = Buffer.concat(chunks).toString("utf8").trim().split(/\r?\n/);
    assert.ok(csv[0].includes("model"), csv[0]);
    assert.ok(csv.length > table.rows.length, `${csv.length} lines`);
  });
});

test("verification: counts, matrix and transitions are those of the API", async () => {
  const answer = await server.api("/verification?run=latest");
  await on("/verification", async (page) => {
    const head = (await page.locator("table.codes thead th").allInnerTexts()).map((name) => name.trim());
    for (const item of answer.counts) {
      const row = page.locator("table.codes tbody tr", { has: page.getByText(item.backend, { exact: true }) }).filter({ hasText: testName(item.test) });
      const place = head.findIndex((name) => name.split(/\s+/).includes(item.code));
      assert.ok(place > 0, `${item.code} in ${head}`);
      assert.equal(await text(row.locator("th, td").nth(place)), String(item.count), `${item.backend} ${item.test} ${item.code}`);
    }
    const wrong = answer.counts.filter((item) => item.code === "FAIL").reduce((sum, item) => sum + item.count, 0);
    assert.match(await text(page.locator("h1")), wrong ? new RegExp(`${wrong} results? (is|are) wrong`) : /no result is wrong/);

    for (const row of answer.rows) {
      const line = page.locator("tr[data-entry]", { has: page.getByRole("rowheader", { name: row.model, exact: true }) });
      const signs = await line.locator(".sign .sr").allInnerTexts();
      for (const cell of Object.values(row.cells)) if (cell) assert.ok(signs.some((sign) => sign.startsWith(cell.code)), `${row.model}: ${cell.code} in ${signs}`);
    }
    for (const code of answer.codes) assert.ok((await text(page.locator(".legend-table"))).includes(code.meaning), code.code);
    await shot(page, "verification-light");

    await page.getByRole("button", { name: "failing", exact: true }).click();
    await page.waitForURL(/only=failing/);
    const failing = new Set(answer.rows.filter((row) => Object.values(row.cells).some((cell) => cell?.outcome === "failing")).map((row) => row.model));
    assert.equal(await page.locator("tr[data-entry]").count(), failing.size);
    await page.reload();
    await settled(page);
    assert.equal(await page.locator("tr[data-entry]").count(), failing.size);
  });
});

test("verification: transitions since a chosen run", async () => {
  const runs = await server.api("/runs?limit=1000");
  const oldest = runs.items.at(-1);
  const transitions = await server.api(`/verification/transitions?run=latest&since=${oldest.id}`);
  await on("/verification", async (page) => {
    await page.getByLabel("since").selectOption(String(oldest.id));
    await page.waitForURL(/since=/);
    await settled(page);
    assert.equal(await page.locator(".transitions li").count(), Math.min(transitions.items.length, 150));
    const first = await page.locator(".transitions h3").first().innerText();
    if (transitions.items.some((item) => item.kind === "newly_failing")) assert.match(first, /Newly failing/);
  });
});

test("verification: failures show the whole error text on demand", async () => {
  const failures = await server.api("/failures?run=latest");
  assert.ok(failures.items.length > 0);
  await on("/verification", async (page) => {
    const groups = page.locator(".failures > li");
    assert.equal(await groups.count(), failures.items.length);
    const item = failures.items[0];
    assert.ok((await text(groups.first())).includes(`${item.count}×`));
    await groups.first().locator("summary").click();
    const whole = await (await fetch(`${server.base}/api/v1/lines/${item.line_id}/error`)).text();
    await page.waitForFunction((expected) => document.querySelector(".failures pre")?.textContent === expected, whole);
    assert.equal(await groups.first().locator(".experiments li").count(), item.experiments.length);
  });
});

test("a model: charts, their legend and the table of values say what the API says", async () => {
  const item = (await server.api("/models?limit=1000")).items.find((one) => one.model === "resnet_mini");
  const accelerator = encodeURIComponent(item.accelerator_models[0]);
  const series = await server.api(`/series?suite=${item.suite}&model=${item.model}&test=eval&accelerator_model=${accelerator}&metric=steady&baseline=inductor&runs=180`);
  await on(`/models/${item.suite}/${item.model}`, async (page) => {
    assert.equal(await page.locator("figure.chart:not([aria-labelledby=profiles] *) canvas").count(), 3);
    const titles = (await page.locator("figure.chart").first().locator(".legend .num").evaluateAll((nodes) => nodes.map((node) => node.title))).join("\n");
    for (const one of series.series) {
      const last = one.points.at(-1);
      if (last) assert.ok(titles.includes(String(last.value)), `${one.experiment.column}: ${last.value}`);
    }
    const rows = page.locator("tr[data-entry]");
    assert.equal(await rows.count(), series.runs.length);
    const buttons = await rows.first().locator(".num").evaluateAll((nodes) => nodes.map((node) => node.title));
    for (const one of series.series) if (one.points.at(-1)) assert.ok(buttons.includes(String(one.points.at(-1).value)));
    assert.equal(await page.locator(".strip-row").count(), series.series.filter((one) => one.codes.some(Boolean)).length);
    await shot(page, "model-light");
  });
});

test("a model: metrics, zoom and the samples of a night live in the address", async () => {
  await on("/models/cpu-mini/resnet_mini", async (page) => {
    await page.getByRole("group", { name: "Charts" }).getByRole("button", { name: "upstream time" }).click();
    await page.waitForURL(/metric=upstream/);
    await page.waitForFunction(() => document.querySelectorAll("figure.chart:not([aria-labelledby=profiles] *) canvas").length === 4);
    await settled(page);

    const over = page.locator("figure.chart .u-over").first();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/range=\d+-\d+/);
    await page.reload();
    await settled(page);
    assert.match(page.url(), /range=\d+-\d+/);
    await page.locator("figure.chart canvas").first().waitFor();
    const zoomed = await page.locator("figure.chart .u-over").first().boundingBox();
    await page.mouse.dblclick(zoomed.x + zoomed.width / 2, zoomed.y + 20);
    await page.waitForURL((url) => !url.searchParams.has("range"));

    const plot = page.locator("figure.chart .plot").first();
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator("figure.chart .sr[role=status]").first().innerText(), /^\d{4}-\d\d-\d\d: /);
    await page.keyboard.press("Enter");
    await page.waitForURL(/point=\d+\.\d+/);
    await page.locator("#samples .dots").waitFor();
    const [, run, experiment] = /point=(\d+)\.(\d+)/.exec(page.url());
    const measurements = await server.api(`/runs/${run}/results/${experiment}/measurements?limit=1000`);
    const main = measurements.items.find((one) => one.metric === "per_iter_time");
    // A mark for every repetition, as soon as the plot knows how wide it is.
    const marks = "#samples .dots circle title, #samples .dots .beyond title";
    await page.waitForFunction(([titles, n]) => document.querySelectorAll(titles).length === n, [marks, main.samples.length]);
    const drawn = await page.locator(marks).allTextContents();
    main.samples.forEach((sample, index) => assert.ok(drawn.some((title) => title.startsWith(`repetition ${index}: ${sample} `)), `repetition ${index}`));
    assert.equal(drawn.filter((title) => title.includes("warm-up")).length, 3);
    await page.reload();
    await settled(page);
    await page.locator("#samples .dots").waitFor();
    await shot(page, "model-samples-light");
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL((url) => !url.searchParams.has("point"));
  });
});

test("a model: nested metrics open as rows", async () => {
  await on("/models/cpu-mini/resnet_mini", async (page) => {
    await page.locator("tr[data-entry] button.link").nth(1).click();
    await page.waitForURL(/point=/);
    const nested = page.locator("#samples details.nested", { hasText: "dynamo_counters" });
    await nested.locator("summary").click();
    assert.ok((await nested.locator("tbody tr").count()) > 0);
  });
});

test("ingest reports: every file, and its report", async () => {
  const ingests = await server.api("/ingests?limit=1000");
  await on("/ingests", async (page) => {
    assert.equal(await page.locator("tr[data-entry]").count(), ingests.total);
    const lines = ingests.items.reduce((sum, one) => sum + one.line_count, 0);
    assert.ok((await text(page.locator("h1"))).startsWith(`${lines.toLocaleString("en")} lines read from ${ingests.total} files`));
    await shot(page, "ingests-light");
    await page.locator("tr[data-entry] th a").first().click();
    await page.waitForURL(/\/ingests\/\d+/);
    await settled(page);
    assert.match(await text(page.locator("h1")), new RegExp(`${ingests.items[0].accepted} accepted`));
  });
});

test("keys: search, go to pages, help, theme", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("resnet");
    await page.locator('[role="option"]', { hasText: "resnet_mini" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/models\/cpu-mini\/resnet_mini/);
    await page.keyboard.press("g");
    await page.keyboard.press("v");
    await page.waitForURL(/\/verification/);
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForURL(/\/ingests/);
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForURL(/\/runs/);
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.waitForURL((url) => url.pathname === "/");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(255, 255, 255)");
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    await eventually(async () => assert.equal(await ground(), "rgb(20, 23, 26)"));
    await page.reload();
    await settled(page);
    assert.equal(await ground(), "rgb(20, 23, 26)", "the theme is remembered");
  });
});

test("the system's dark theme is followed", async () => {
  await on("/", async (page) => {
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 23, 26)");
    await shot(page, "overview-dark");
  }, { theme: "dark" });
});

for (const theme of ["light", "dark"]) {
  test(`axe-core finds nothing serious, ${theme}`, async () => {
    const ingest = (await server.api("/ingests?limit=1")).items[0].id;
    const found = [];
    await on("/", async (page) => {
      for (const address of ["/", "/runs", "/runs/latest", "/verification", "/models/cpu-mini/resnet_mini", "/ingests", `/ingests/${ingest}`, "/nowhere"]) {
        await visit(page, server.base + address);
        found.push(...(await axe(page)).map((one) => `${address}: ${one}`));
      }
    }, { theme });
    assert.deepEqual(found, [], theme);
    await on("/models/cpu-mini/resnet_mini", async (page) => {
      await page.locator("tr[data-entry] button.link").nth(1).click();
      await page.locator("#samples .dots").waitFor();
      await settled(page);
      assert.deepEqual(await axe(page), [], `samples in ${theme}`);
      await page.keyboard.press("?");
      assert.deepEqual(await axe(page), [], `help in ${theme}`);
    }, { theme });
  });
}

test("no page is wider than its window", async () => {
  await on("/", async (page) => {
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const address of ["/", "/runs", "/runs/latest", "/verification", "/models/cpu-mini/resnet_mini", "/ingests"]) {
        await visit(page, server.base + address);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${address} at ${width}: ${wide}`);
        if (width === 390) await shot(page, `narrow-${address.split("/").at(-1) || "overview"}`);
      }
    }
  });
});

test("what does not exist is said in words", async () => {
  await on("/nowhere", async (page) => {
    assert.match(await text(page.locator("h1")), /no page at this address/);
  });
  const failedLoad = [/status of 404/];
  await on("/runs/987654", async (page) => {
    assert.match(await text(page.getByRole("alert")), /404/);
  }, { allow: failedLoad });
  await on("/models/cpu-mini/no_such_model", async (page) => {
    assert.match(await text(page.locator("h1")), /no_such_model/);
  });
});

test("the server goes away and the page says so, keeping what it has", async () => {
  const other = await serve([samples]);
  const { page, close } = await openPage(browser);
  try {
    await page.clock.install();
    await visit(page, other.base + "/");
    const before = await text(page.locator("table.overview"));
    await other.stop();
    await page.clock.fastForward(31_000);
    await page.getByText(/The server has not answered since/).waitFor();
    assert.equal(await text(page.locator("table.overview")), before);
  } finally {
    await close();
    await other.stop();
  }
});
