// The reference of the REST API: all of the contract, to be found, opened by address and read by everybody.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, driven, openBrowser, samples, serve, settled, shot, visit } from "./support.mjs";

const contract = JSON.parse(readFileSync(new URL("../../schema/openapi.json", import.meta.url), "utf8"));
const operations = Object.entries(contract.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { operationId: id }]) => ({ id, path, method: method.toUpperCase() })));

let browser, server;
before(async () => {
  browser = await openBrowser();
  server = await serve([samples]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test("every operation and every shape is on it", async () => {
  await driven(browser, `${server.base}/api`, async (page) => {
    await settled(page);
    const entries = await page.locator("details.operation").evaluateAll((all) => all.map((one) => one.id));
    assert.deepEqual(
      entries.filter((id) => !id.startsWith("shape-")).sort(),
      operations.map((one) => one.id).sort(),
    );
    assert.equal(entries.filter((id) => id.startsWith("shape-")).length, Object.keys(contract.components.schemas).length);
    await shot(page, "reference");
    assert.deepEqual(await axe(page), []);
  });
});

test("an address opens its operation: parameters, answers, an example that this server answers", async () => {
  await driven(browser, `${server.base}/api#getRun`, async (page) => {
    await settled(page);
    const entry = page.locator("#getRun");
    assert.equal(await entry.getAttribute("open"), "");
    assert.match(await entry.innerText(), /\{run\}/);
    assert.ok(await entry.evaluate((node) => node.getBoundingClientRect().top >= 0 && node.getBoundingClientRect().top < innerHeight), "it is in sight");
    const shown = JSON.parse(await entry.locator("pre.example").innerText());
    assert.deepEqual(shown, contract.paths["/runs/{run}"].get.responses["200"].content["application/json"].example);
    assert.match(await entry.locator(".command code").innerText(), new RegExp(`^curl '${server.base}/api/v1/runs/`));
    const answer = await page.request.get(server.base + (await entry.getByRole("link", { name: "Ask this server" }).getAttribute("href")));
    assert.equal(answer.status(), 200);
    assert.deepEqual(Object.keys(await answer.json()), Object.keys(shown));
    await shot(page, "reference-operation");
    assert.deepEqual(await axe(page), []);
    // To a shape, and back to the operation.
    await entry.getByRole("link", { name: "Run", exact: true }).first().click();
    await settled(page);
    assert.equal(await page.locator("#shape-Run").getAttribute("open"), "");
    await page.goBack();
    await settled(page);
    assert.match(page.url(), /#getRun$/);
  });
});

test("words find operations, and the address keeps them", async () => {
  await driven(browser, `${server.base}/api`, async (page) => {
    await settled(page);
    await page.keyboard.press("f");
    await page.keyboard.type("alerts/{id}/actions");
    await page.waitForFunction(() => document.querySelectorAll("details.operation").length === 1);
    assert.equal(await page.locator("details.operation").first().getAttribute("id"), "actOnAlert");
    assert.match(page.url(), /\?q=alert/);
    await page.locator("summary").first().click();
    assert.match(await page.locator("details.operation").innerText(), /takes a token for\s+triage/);
    await page.locator("input[type=search]").fill("nothing-like-this");
    await page.getByText("No operation has all of these words.").waitFor();
  });
});

test("it is found by searching for pages, and fits a narrow window", async () => {
  await driven(browser, `${server.base}/`, async (page) => {
    await settled(page);
    await page.keyboard.press("?");
    await page.getByRole("link", { name: "the REST API" }).click();
    await page.waitForURL(`${server.base}/api`);
    await page.setViewportSize({ width: 390, height: 800 });
    await visit(page, `${server.base}/api#listResults`);
    await settled(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await shot(page, "reference-390");
  });
});
