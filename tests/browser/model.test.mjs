// A model's page beside its charts, what one says of a night on the pages, and labels and names as links.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, eventually, openBrowser, openPage, samples, serve, settled, shot, text, visit } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const COMMITS = { "2025-11-09": "1111111111aaaaaaaaaa", "2025-11-10": "2222222222bbbbbbbbbb" };

async function labelled() {
  const server = await serve([samples]);
  for (const [night, commit] of Object.entries(COMMITS)) await server.command("runs", "relabel", night, `pytorch=${commit}`, "branch=release/2.9", "host=<b>one</b>");
  await server.command("links", "set", "pytorch", "--one", "https://example.org/commit/{value}", "--range", "https://example.org/compare/{from}...{to}");
  await server.command("links", "set", "branch", "--one", "https://example.org/tree/{value}");
  return server;
}

const resultOf = async (server, night, query) => {
  const { items } = await server.api(`/results?run=${night}&limit=1&${query}`);
  return { run: items[0].run_id, experiment: items[0].experiment.id };
};

test("a night in full: commits and what is between, dumps, configuration, and how to run it again", async () => {
  const server = await labelled();
  const { page, problems, close } = await openPage(browser);
  try {
    const { run, experiment } = await resultOf(server, "2025-11-10", "model=resnet_mini&backend=inductor&test=eval");
    await visit(page, `${server.base}/models/cpu-mini/resnet_mini?point=${run}.${experiment}`);
    const panel = page.locator("#samples");
    const result = await server.api(`/runs/${run}/results/${experiment}`);
    assert.match(result.reproduction.timing, /--filter='\^resnet_mini\$'.* --dynamo=inductor.* --repeat=\d+/);
    const commands = panel.locator(".command");
    assert.deepEqual(await commands.locator("code").allTextContents(), [result.reproduction.timing, result.reproduction.verification]);
    await commands.first().getByRole("button", { name: "Copy" }).click();
    await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), result.reproduction.timing));

    const facts = panel.locator(".night-facts");
    assert.equal(await facts.getByRole("link", { name: "222222222" }).first().getAttribute("href"), `https://example.org/commit/${COMMITS["2025-11-10"]}`);
    assert.equal(await facts.getByRole("link", { name: "release/2.9" }).getAttribute("href"), "https://example.org/tree/release/2.9");
    assert.equal(await facts.getByRole("link", { name: "what is between" }).getAttribute("href"), `https://example.org/compare/${COMMITS["2025-11-09"]}...${COMMITS["2025-11-10"]}`);
    assert.match(await text(facts), /host <b>one<\/b>/);
    // Between it and any other night; the address keeps which.
    const other = (await server.api("/runs?limit=100")).items.find((one) => one.name.startsWith("2025-11-01") || one.started_at.startsWith("2025-11-01"));
    await facts.getByLabel("between it and").selectOption(String(other.id));
    await page.waitForURL(new RegExp(`against=${other.id}`));
    await eventually(async () => assert.equal(await facts.getByRole("link", { name: "what is between" }).count(), 0));
    assert.match(await text(facts.locator(".against")), /pytorch – the earlier run has no such label → 222222222/);

    const dumps = (await server.api(`/artifacts?run=${run}&experiment=${experiment}&superseded=false&limit=200`)).items;
    assert.ok(dumps.length > 0);
    for (const dump of dumps) assert.equal(await facts.locator(`a[href="/artifact/${dump.id}"]`).count(), 1, dump.name);
    assert.match(await text(facts), /batch size 4 dynamo inductor/);
    assert.deepEqual(await axe(page), []);

    // The runs that an alert lies between have labels too, and a run's own page has its.
    const alert = (await server.api("/alerts?model=resnet_mini&backend=inductor&since=2025-11-10&until=2025-11-11")).items[0];
    await visit(page, `${server.base}/alerts/${alert.id}`);
    assert.equal(await page.locator(".alert-facts").getByRole("link", { name: "what is between" }).getAttribute("href"), `https://example.org/compare/${COMMITS["2025-11-09"]}...${COMMITS["2025-11-10"]}`);
    await visit(page, `${server.base}/runs/${run}`);
    assert.equal(await page.locator(".kicker").getByRole("link", { name: "222222222" }).getAttribute("href"), `https://example.org/commit/${COMMITS["2025-11-10"]}`);
    // A link that is taken away is a text again, without a reload.
    await server.command("links", "remove", "pytorch");
    await eventually(async () => assert.equal(await page.locator(".kicker").getByRole("link", { name: "222222222" }).count(), 0));
    assert.match(await text(page.locator(".kicker")), /pytorch 222222222/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("verification strip: a sign a night, by mouse and by keys", async () => {
  const server = await labelled();
  const { page, problems, close } = await openPage(browser);
  try {
    const answer = await server.api("/series?suite=cpu-mini&model=unet_mini&test=eval&metric=steady&runs=180");
    const series = answer.series.find((one) => one.experiment.backend === "inductor");
    await visit(page, `${server.base}/models/cpu-mini/unet_mini`);
    const row = page.locator(".strip-row").filter({ has: page.getByRole("link", { name: "inductor", exact: true }) });
    const nights = await row.locator("svg a").evaluateAll((links) => links.map((link) => link.getAttribute("aria-label")));
    assert.deepEqual(nights, answer.runs.map((run, index) => `${run.started_at.slice(0, 10)}: ${series.codes[index] ? series.codes[index].code + (series.codes[index].stale ? ", stale" : "") : "never verified"}`));
    const own = answer.runs.map((run, index) => ({ run, code: series.codes[index] })).filter(({ code }) => code && !code.stale);
    const first = own[own.findLastIndex(({ code }) => code.code !== "FAIL") + 1];
    assert.match(await text(row), new RegExp(`FAIL since ${first.run.started_at.slice(0, 10)}`));

    const failed = answer.runs.findIndex((run) => run.id === first.run.id);
    await row.locator("svg a").nth(failed).click();
    await page.waitForURL(new RegExp(`point=${first.run.id}\\.${series.experiment.id}`));
    await page.locator("#samples .night-facts").waitFor();
    assert.equal(await row.locator("svg .at").count(), 1);

    await row.locator("svg[tabindex]").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.equal(await text(row.locator("[role=status]")), nights[1]));
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`point=${answer.runs[1].id}\\.`));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("alerts, errors of failed nights and configurations, each a way on", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/models/cpu-mini/broken_mini`);
    const answer = await server.api("/series?suite=cpu-mini&model=broken_mini&test=eval&metric=steady&runs=180");
    const rows = page.locator(".failed-nights tbody tr");
    assert.equal(await rows.count(), 3);
    for (const one of answer.series) {
      const row = rows.filter({ has: page.getByRole("link", { name: one.experiment.column, exact: true }) });
      assert.equal(await row.locator("a.signature").getAttribute("href"), `/errors?${new URLSearchParams({ signature: one.failures.at(-1) })}`.replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/"));
      assert.equal(await text(row.locator("td.right")), String(one.failures.filter(Boolean).length));
      assert.match(await text(row), /2025-11-01 2025-11-28 still/);
    }
    await rows.first().getByRole("link", { name: "2025-11-28" }).click();
    await page.locator("#samples a.signature").waitFor();
    assert.match(await text(page.locator("#alerts >> xpath=ancestor::section")), /Nothing that is watched has changed/);

    // One alert is open, and the others are withdrawn: suspects of a night or two.
    await visit(page, `${server.base}/models/cpu-mini/unet_mini`);
    const alerts = await server.api("/alerts?state=all&suite=cpu-mini&model=unet_mini");
    const states = alerts.items.map(({ state }) => state).sort();
    assert.deepEqual([states[0], ...new Set(states.slice(1))], ["confirmed", "withdrawn"]);
    const section = page.locator("#alerts >> xpath=ancestor::section");
    await section.locator("details summary").click();
    for (const alert of alerts.items) assert.equal(await section.locator(`a[href="/alerts/${alert.id}"]`).count(), 1);

    await visit(page, `${server.base}/models/cpu-mini/resnet_mini`);
    const configurations = page.getByRole("region", { name: "Configurations" });
    assert.match(await text(configurations.locator("tbody")), /eager 4 – not set 28 2025-11-28 inductor 4 inductor 28 2025-11-28 aot_eager 4 aot_eager 28 2025-11-28/);

    // Names lead to their pages.
    assert.match(await page.locator(".kicker a.suite").getAttribute("href"), /^\/suites\/cpu-mini\?/);
    assert.match(await configurations.getByRole("link", { name: "inductor" }).getAttribute("href"), /^\/backends\/inductor\?/);
    await visit(page, `${server.base}/`);
    assert.match(await page.locator("table.overview").getByRole("link", { name: "aot_eager" }).first().getAttribute("href"), /^\/backends\/aot_eager\?.*test=eval/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("what is to be said of a night is said from its pages, in a name, and unsaid", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser);
  try {
    const { run, experiment } = await resultOf(server, "2025-11-12", "model=mlp_mini&backend=inductor&test=eval");
    await visit(page, `${server.base}/models/cpu-mini/mlp_mini?point=${run}.${experiment}`);
    const marks = page.locator("#samples .night-marks");
    await marks.getByRole("button", { name: "Mark this night" }).click();
    await marks.getByLabel(/Environment change/).check();
    await marks.getByLabel("Why, in a word").fill("driver 570 <b>");
    await marks.getByRole("button", { name: "Mark", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("ada");
    await page.getByRole("button", { name: "Continue" }).click();
    await eventually(async () => assert.match(await text(marks), /another environment from here on: driver 570 <b>/));
    const [mark] = (await server.api(`/runs/${run}`)).marks;
    assert.deepEqual({ kind: mark.kind, reason: mark.reason, who: mark.who }, { kind: "environment", reason: "driver 570 <b>", who: "ada" });
    await eventually(async () => assert.match(await text(page.locator(".toast")), /Marked: Environment change/));
    assert.match(await text(page.locator(".chart-help")), /a new environment begins/);

    // On the run's own page, by keys alone; the name is known.
    await visit(page, `${server.base}/runs/${run}`);
    const onRun = page.locator(".night-marks");
    assert.match(await text(onRun), /driver 570/);
    await onRun.getByRole("button", { name: "Mark this night" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await onRun.getByLabel(/Exclude it/).evaluate((node) => node === document.activeElement));
    await page.keyboard.press("Tab");
    await page.keyboard.type("the disk was full");
    assert.deepEqual(await axe(page), []);
    await shot(page, "mark-night");
    await page.keyboard.press("Enter");
    await eventually(async () => assert.match(await text(onRun), /does not count: the disk was full/));
    assert.equal((await server.api(`/runs/${run}`)).marks.length, 2);
    assert.ok(await onRun.getByRole("button", { name: "Mark this night" }).evaluate((node) => node === document.activeElement), "the focus is where it was");

    await onRun.getByRole("button", { name: "Take away: Environment change" }).click();
    await eventually(async () => assert.doesNotMatch(await text(onRun), /driver 570/));
    assert.deepEqual((await server.api(`/runs/${run}`)).marks.map((one) => one.kind), ["excluded"]);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("to who is not signed in the controls say so", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser, { signedIn: false });
  try {
    await server.command("runs", "mark", "latest", "pinned", "release");
    await visit(page, `${server.base}/runs/latest`);
    const marks = page.locator(".night-marks");
    await eventually(async () => assert.match(await text(marks), /release/));
    assert.equal(await marks.getByRole("button", { name: /Take away/ }).count(), 0);
    await marks.getByRole("button", { name: "Mark this night" }).click();
    assert.match(await text(marks), /Sign in to act on alerts, mark runs/);
    assert.equal(await marks.getByRole("radio").count(), 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("small and dark: nothing sticks out of the page", async () => {
  const server = await labelled();
  try {
    for (const [width, theme] of [[1440, "light"], [1024, "dark"], [390, "light"]]) {
      const { page, problems, close } = await openPage(browser, { width, theme });
      const { run, experiment } = await resultOf(server, "2025-11-10", "model=resnet_mini&backend=inductor&test=eval");
      await visit(page, `${server.base}/models/cpu-mini/resnet_mini?point=${run}.${experiment}`);
      await page.locator("#samples .night-facts").waitFor();
      await settled(page);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${width} px`);
      assert.deepEqual(await axe(page), []);
      await shot(page, `model-night-${width}`);
      assert.deepEqual(problems, []);
      await close();
    }
  } finally {
    await server.stop();
  }
});
