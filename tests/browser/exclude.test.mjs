// Leaving nights out: what would remain is seen before, one action does it, and it can be undone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, driven, eventually, openBrowser, openPage, samples, serve, shot, visit } from "./support.mjs";

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

const change = async (path, body) => {
  const response = await fetch(`${server.base}/api/v1${path}`, { method: body ? "POST" : "DELETE", headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
  assert.ok(response.ok, await response.text());
};
const from = (dialog) => dialog.getByRole("combobox").nth(0);
const to = (dialog) => dialog.getByRole("combobox").nth(1);
const plain = (shown) => shown.replace(/\s+/g, " ").trim();
/** Those that were ever sure: a suspect that is not seen any more is forgotten. */
const sure = async () => (await server.api("/alerts?state=all")).items.filter((one) => one.details.confirmed && one.detected !== "withdrawn").map(({ id, detected, details }) => ({ id, detected, title: details.title }));
const byTitle = async (part) => (await server.api("/alerts")).items.find((one) => one.details.title.includes(part));

test("from an alert: a look at what would stand, one action, and undo", async () => {
  const alert = await byTitle("resnet_mini");
  const before = await sure();
  const { items: runs } = await server.api("/runs?limit=1000");
  const since = runs.filter((run) => run.started_at >= alert.details.onset.started_at);
  const preview = await server.api(`/exclusions/preview?first=${alert.details.onset.id}&last=${runs[0].id}`);
  assert.equal(preview.nights.length, since.length);
  await driven(browser, `${server.base}/alerts/${alert.id}`, async (page) => {
    await page.getByRole("button", { name: "Exclude nights…" }).click();
    const dialog = page.getByRole("dialog", { name: "Exclude nights" });
    await to(dialog).selectOption(String(runs[0].id));
    const button = dialog.getByRole("button", { name: `Exclude ${since.length} nights` });
    await button.waitFor();
    const shown = plain(await dialog.innerText());
    const remaining = preview.alerts.filter((one) => one.then && one.then.detected !== "recovered").length;
    assert.ok(shown.includes(remaining === 0 ? "No alert would stand." : remaining === 1 ? "1 alert would stand." : `${remaining} alerts would stand.`), shown);
    for (const one of preview.alerts) assert.ok(shown.includes(plain((one.now ?? one.then).title)), one.title);
    assert.ok(preview.alerts.some((one) => one.id === alert.id && one.outcome === "gone"));
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(await sure(), before, "looking changes nothing");

    await dialog.getByLabel("Why, in a word").fill("the disk <b>was full");
    await button.click();
    await page.getByLabel("Name", { exact: true }).fill("ada");
    await page.keyboard.press("Enter");
    await dialog.getByText(`${since.length} nights are excluded.`).waitFor();
    const { items: marks } = await server.api("/marks");
    assert.deepEqual(new Set(marks.map(({ run, mark }) => [run.id, mark.kind, mark.reason, mark.who].join())), new Set(since.map((run) => [run.id, "excluded", "the disk <b>was full", "ada"].join())));
    assert.equal((await server.api(`/alerts/${alert.id}`)).detected, "withdrawn");

    await dialog.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.equal((await server.api("/marks")).total, 0));
    await eventually(async () => assert.deepEqual(await sure(), before, "the same alerts with the same numbers"));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await page.locator("dialog[open]").count(), 0);
  });
});

test("nights that are excluded already stay as they were, and are not undone", async () => {
  const alert = await byTitle("resnet_mini");
  const { id } = alert.details.onset;
  await change(`/runs/${id}/marks`, { kind: "excluded", reason: "before", who: "grace" });
  try {
    const { items: runs } = await server.api("/runs?limit=1000");
    const place = runs.findIndex((run) => run.id === id);
    await change("/marks", { first: String(id), last: String(runs[place - 2].id), kind: "excluded", reason: "after", who: "ada" });
    const { items: marks } = await server.api("/marks");
    assert.deepEqual(marks.map(({ mark }) => mark.reason).sort(), ["after", "after", "before"]);
    const { page, close } = await openPage(browser, { allow: [/400/] });
    try {
      const left = (await server.api("/alerts")).items[0];
      await visit(page, `${server.base}/alerts/${left.id}`);
      await page.getByRole("button", { name: "Exclude nights…" }).click();
      const dialog = page.getByRole("dialog", { name: "Exclude nights" });
      await from(dialog).selectOption(String(id));
      await to(dialog).selectOption(String(runs[place - 2].id));
      await dialog.getByText("These nights are excluded already.").waitFor();
      assert.ok(await dialog.getByRole("button", { name: "Exclude", exact: true }).isDisabled());
      await to(dialog).selectOption(String(runs[place + 2].id));
      await dialog.getByText(/ is before /).waitFor();
      await shot(page, "exclude-nights-refused");
    } finally {
      await close();
    }
  } finally {
    for (const { run } of (await server.api("/marks")).items) await change(`/marks/excluded?run=${run.id}`);
  }
});

for (const [width, theme] of [[1440, "light"], [1024, "dark"], [390, "light"], [390, "dark"]]) {
  test(`the dialog at ${width} pixels, ${theme}`, async () => {
    const alert = await byTitle("transformer_mini");
    const { page, close } = await openPage(browser, { width, theme });
    try {
      await visit(page, `${server.base}/alerts/${alert.id}`);
      await page.getByRole("button", { name: "Exclude nights…" }).click();
      const dialog = page.getByRole("dialog", { name: "Exclude nights" });
      await dialog.getByText(/would stand/).waitFor();
      await shot(page, `exclude-nights-${width}-${theme}`);
      const box = await dialog.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, "it fits");
      assert.ok(await dialog.evaluate((node) => node.scrollWidth <= node.clientWidth), "nothing is cut off");
    } finally {
      await close();
    }
  });
}
