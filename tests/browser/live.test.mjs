// A page left open: what is new comes by itself, and nothing that somebody did on it is lost.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, openBrowser, openPage, samples, serve, text, visit } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const nights = readdirSync(samples).filter((name) => /^2025-\d\d-\d\d$/.test(name)).sort();
/** The folders of some nights; of most of them there is one with verifications beside that with timings. */
const folders = (from, to) => readdirSync(samples).filter((name) => nights.slice(from, to).includes(name.slice(0, 10))).map((name) => join(samples, name));

test("a finished ingest appears by itself; scroll, text and what is open stay", async () => {
  const server = await serve(folders(0, 20));
  const { page, problems, close } = await openPage(browser, { height: 500 });
  try {
    await visit(page, `${server.base}/verification`);
    const details = page.locator(".failures details").first();
    await details.locator("summary").click();
    await details.locator("pre").waitFor();
    const filter = page.getByLabel("Filter");
    await filter.pressSequentially("mini");
    await filter.evaluate((node) => node.setSelectionRange(2, 2));
    await page.evaluate(() => scrollTo(0, 300));
    await page.evaluate(() => {
      window.said = [];
      window.gaps = 0;
      new MutationObserver(() => {
        const said = document.querySelector(".toast").textContent;
        if (said && said !== window.said.at(-1)) window.said.push(said);
        if (!document.querySelector("main h1") || document.querySelector("main .late, main .waiting")) ++window.gaps;
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    const before = await text(page.locator("main .kicker"));
    await server.ingest(folders(20, 21));
    await eventually(async () => assert.notEqual(await text(page.locator("main .kicker")), before));
    const newest = (await server.api("/runs?limit=1")).items[0];
    assert.ok((await text(page.locator("main .kicker"))).includes(newest.started_at.slice(0, 10)));
    await eventually(async () => assert.match((await page.evaluate(() => window.said)).join("; "), new RegExp(`New: run ${newest.started_at.slice(0, 10)}`)));
    assert.equal(await page.evaluate(() => scrollY), 300, "nothing was scrolled");
    assert.equal(await filter.inputValue(), "mini");
    assert.ok(await filter.evaluate((node) => node === document.activeElement && node.selectionStart === 2), "the caret stays");
    assert.ok(await details.evaluate((node) => node.open), "what was unfolded stays unfolded");
    assert.equal(await page.evaluate(() => window.gaps), 0, "nothing was greyed or empty meanwhile");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("what another person says of an alert appears, and half a note stays", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser);
  try {
    const alert = (await server.api("/alerts?limit=1")).items[0];
    await visit(page, `${server.base}/alerts/${alert.id}`);
    const count = Number.parseInt(await text(page.locator(".nav-count")), 10);
    await page.getByRole("textbox", { name: "Note" }).fill("half a thou");
    await server.command("alerts", "state", String(alert.id), "invalid", "--who", "ada");
    await eventually(async () => assert.match(await text(page.locator(".history")), /ada said: invalid/));
    assert.match(await text(page.locator(".triage .alert-state")), /invalid/);
    assert.equal(await page.getByRole("textbox", { name: "Note" }).inputValue(), "half a thou");
    await eventually(async () => assert.equal(Number.parseInt(await text(page.locator(".nav-count")), 10), count - 1));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("at rest a page asks one small question every few seconds, and a hidden one none", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/models/cpu-mini/resnet_mini`);
    await page.waitForTimeout(500);
    const asked = [];
    page.on("response", (response) => asked.push(`${response.status()} ${new URL(response.url()).pathname}`));
    await page.waitForTimeout(7_000);
    assert.ok(asked.length >= 1 && asked.length <= 3, asked.join());
    assert.deepEqual([...new Set(asked)], ["304 /api/v1/store"]);
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.waitForTimeout(3_200);
    asked.length = 0;
    await page.waitForTimeout(4_000);
    assert.deepEqual(asked, []);
    await page.evaluate(() => {
      delete document.visibilityState;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await eventually(() => assert.ok(asked.length > 0));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("a server that goes away is said, and what it says when it is back is shown", async () => {
  const server = await serve(folders(0, 3));
  const { page, problems, close } = await openPage(browser, { allow: [/ERR_CONNECTION_REFUSED/, /ERR_EMPTY_RESPONSE/, /ERR_CONNECTION_RESET/] });
  try {
    await visit(page, `${server.base}/runs`);
    assert.match(await text(page.locator("h1")), /^3 runs/);
    await server.end();
    await eventually(async () => assert.match(await text(page.locator(".silent")), /has not answered since/));
    assert.match(await text(page.locator("h1")), /^3 runs/, "what was shown stays");
    await server.ingest(folders(3, 5));
    await server.start();
    await eventually(async () => assert.match(await text(page.locator("h1")), /^5 runs/));
    assert.equal(await text(page.locator(".silent")), "");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("a store of shifted samples says so at the foot of its pages, and does not wait for the next night", async () => {
  const server = await serve(folders(0, 12), ["--shift-to-this-week"]);
  const { page, problems, close } = await openPage(browser);
  try {
    const { time_shift_weeks: weeks } = await server.api("/store");
    for (const path of ["/", "/runs"]) {
      await visit(page, server.base + path);
      await page.locator("main .foot", { hasText: `Sample data: all times are shifted by ${weeks} weeks.` }).waitFor();
      assert.doesNotMatch(await text(page.locator("main")), /no run for/);
    }
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

for (const isRemembered of [false, true]) {
  test(`a page whose script was not loaded yet goes on by itself when the server is back${isRemembered ? ", in a browser that remembers failed scripts" : ""}`, async () => {
    const server = await serve(folders(0, 3));
    const { page, problems, close } = await openPage(browser, { allow: [/ERR_CONNECTION_REFUSED/, /ERR_EMPTY_RESPONSE/, /ERR_CONNECTION_RESET/, /ERR_FAILED/] });
    try {
      await visit(page, `${server.base}/runs`);
      await server.end();
      await page.getByRole("link", { name: "Explore" }).click();
      await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
      if (isRemembered) {
        let isLoadedAgain = false;
        page.on("request", (request) => (isLoadedAgain ||= request.isNavigationRequest()));
        await page.route("**/part-*.js", (route) => (isLoadedAgain ? route.continue() : route.abort()));
      }
      await server.start();
      // The page looks for the server again after 30 s at the latest: the longer it was away, the later.
      await page.getByRole("navigation", { name: "Questions" }).waitFor({ timeout: 40_000 });
      assert.equal(await page.getByRole("alert").count(), 0);
      assert.deepEqual(problems, []);
    } finally {
      await close();
      await server.stop();
    }
  });
}

test("after an upgrade an open tab offers to reload, and says so where a page's script is gone", async () => {
  const server = await serve(folders(0, 3));
  const { page, problems, close } = await openPage(browser, { allow: [/MIME type/, /text\/html/] });
  try {
    await visit(page, `${server.base}/runs`);
    assert.equal(await page.locator(".upgraded").count(), 0);
    // What the server of another version does: it has no script of that name, and answers with its first page.
    await page.route("**/part-*.js", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
    await page.getByRole("link", { name: "Explore" }).click();
    const gone = page.getByRole("alert").filter({ hasText: "could not be loaded" });
    await gone.waitFor();
    await page.unroute("**/part-*.js");
    await gone.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("navigation", { name: "Questions" }).waitFor();
    await page.route("**/api/v1/store", async (route) => {
      const store = await (await route.fetch({ headers: { ...route.request().headers(), "if-none-match": "" } })).json();
      await route.fulfill({ json: { ...store, version: "9.9.9" }, headers: { etag: '"9.9.9"' } });
    });
    await page.locator(".upgraded", { hasText: "upgraded to 9.9.9" }).waitFor({ timeout: 15_000 });
    await page.unroute("**/api/v1/store");
    await page.locator(".upgraded").getByRole("button", { name: "Reload" }).click();
    await eventually(async () => assert.equal(await page.locator(".upgraded").count(), 0));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});
