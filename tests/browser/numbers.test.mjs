// One word means one number: the headline of a page, its tables, the Markdown that is copied and the API's answer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, openBrowser, openPage, samples, serve, text, visit } from "./support.mjs";

let browser, server;
before(async () => {
  [browser, server] = await Promise.all([openBrowser(), serve([samples])]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);
const TESTS = { inference: "eval", training: "train" };

/** Presses `m` and gives what is in the clipboard then. */
async function copied(page) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.keyboard.press("m");
  await eventually(async () => assert.notEqual(await page.evaluate(() => navigator.clipboard.readText()), ""));
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The rows of the overview's table: { test, backend, passing, verifiable, failing, timed, expected }. */
async function statusRows(page) {
  const rows = [];
  let group = "";
  for (const row of await page.locator("table.overview tbody tr").all()) {
    const words = await text(row);
    if ((await row.getAttribute("class")) === "group") {
      group = TESTS[words.trim()] ?? words.trim();
      continue;
    }
    const passed = /(\d+)\/(\d+)(?: (\d+) fail)?/.exec(await text(row.locator("td").nth(0)));
    const timed = /(\d+)(?:\/(\d+))?/.exec(await text(row.locator("td.right").last()));
    rows.push({
      test: group,
      backend: (await text(row.locator("th"))).trim(),
      ...(passed ? { passing: Number(passed[1]), verifiable: Number(passed[2]), failing: Number(passed[3] ?? 0) } : {}),
      timed: Number(timed[1]),
      expected: timed[2] === undefined ? null : Number(timed[2]),
    });
  }
  return rows;
}

test("the overview's headline, table, Markdown and answer say the same", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/`);
    const [{ run, groups }] = (await server.api("/overview")).accelerators;
    const coverage = await server.api(`/coverage?run=${run.id}`);
    await eventually(async () => assert.ok((await statusRows(page)).every((row) => row.expected !== null)));
    const rows = await statusRows(page);
    assert.equal(rows.length, groups.length);
    for (const row of rows) {
      const group = groups.find((one) => one.test === row.test && one.backend === row.backend);
      assert.equal(row.timed, group.timed, JSON.stringify(row));
      if (group.passing + group.failing + group.undecided === 0) assert.equal(row.passing, undefined);
      else assert.deepEqual([row.passing, row.verifiable, row.failing], [group.passing, group.verifiable, group.failing]);
    }
    // "x of y pass" of the lead backend, and what fails verification on the others.
    const headline = await text(page.locator("main h1"));
    const lead = headline.split(":")[0];
    for (const [, name, passing, of] of headline.matchAll(/(inference|training) (\d+) of (\d+) pass/g)) {
      const row = rows.find((one) => one.test === TESTS[name] && one.backend === lead);
      assert.deepEqual([row.passing, row.verifiable], [Number(passing), Number(of)], headline);
    }
    for (const backend of new Set(rows.map((row) => row.backend))) {
      if (backend === lead) continue;
      const failing = sum(rows.filter((row) => row.backend === backend).map((row) => row.failing ?? 0));
      const said = new RegExp(`(\\d+) results? of ${backend} fails? verification`).exec(headline);
      assert.equal(said ? Number(said[1]) : 0, failing, headline);
    }
    // The timed ones of the expected are those of the column.
    const line = /(\d+) of (\d+) expected are timed/.exec(await text(page.locator(".coverage-line")));
    assert.deepEqual([Number(line[1]), Number(line[2])], [sum(rows.map((row) => row.timed)), sum(rows.map((row) => row.expected))]);
    assert.equal(Number(line[1]), sum(coverage.groups.map((group) => group.timed)));
    // The Markdown has the same, with the alerts, and its address shows the same numbers whatever comes later.
    const markdown = await copied(page);
    const alerts = (await server.api("/alerts?limit=5&order=urgency")).items;
    assert.match(markdown, new RegExp(`### \\d+ alerts? needs? attention`));
    for (const alert of alerts) assert.ok(markdown.replace(/\\/g, "").replace(/\u00a0/g, " ").includes(alert.details.title), `${alert.details.title}\n${markdown}`);
    for (const row of rows) if (row.passing !== undefined) assert.ok(markdown.includes(`${row.passing}/${row.verifiable}`), markdown);
    const address = /\[This view\]\(<(.*)>\)/.exec(markdown)[1];
    await visit(page, address);
    await eventually(async () => assert.deepEqual(await statusRows(page), rows));
    assert.match(await text(page.locator(".kicker").first()), /as of this run/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("compare, errors and coverage say the numbers of the overview", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    const [{ groups }] = (await server.api("/overview")).accelerators;
    const total = (name) => sum(groups.map((group) => group[name]));
    await visit(page, `${server.base}/compare`);
    const row = page.locator("table.compare-summary tr.sum-row");
    assert.match(await text(row), new RegExp(`→ ${total("passing")}/${total("verifiable")} `));
    assert.match(await text(row), new RegExp(`→ ${total("timed")} `));
    assert.doesNotMatch(await text(page.locator("main h1")), /(about the same|no significant change)[^;.]*%/);
    await visit(page, `${server.base}/errors`);
    assert.match(await text(page.locator("main h1")), new RegExp(`\\(${total("failed")} failed`));
    await visit(page, `${server.base}/coverage`);
    assert.match(await text(page.locator("main h1")), new RegExp(`^${total("timed")} of \\d+ expected results are timed`));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("steps of Compare never compare a run with itself", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/compare`);
    for (const key of ["[", "[", "]", "{", "}", "}", "[", "["]) {
      await page.keyboard.press(key);
      await page.waitForLoadState("networkidle");
      const asked = new URL(page.url()).searchParams;
      const answer = await server.api(`/compare?${new URLSearchParams([...asked].filter(([name]) => ["left", "right"].includes(name)))}`);
      assert.notEqual(answer.left.run.id, answer.right.run.id, `after ${key}: ${page.url()}`);
    }
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});
