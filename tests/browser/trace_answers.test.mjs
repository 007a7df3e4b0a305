// What the timeline answers in one click: how busy a device was and why not, what launched a kernel, what SQL can ask; and a
// file that is dropped on the page.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, driven, eventually, openBrowser, serve, shot, text } from "./support.mjs";
import { madeUpTrace, writeTrace } from "./support_trace.mjs";

let browser;
let server;
let address;
before(async () => {
  browser = await openBrowser();
  server = await serve([]);
  await server.ingest([writeTrace(server.folder, "made", madeUpTrace({ hostile: false }))]);
  const [artifact] = (await server.api("/artifacts?kind=trace&limit=10")).items;
  address = `${server.base}/trace/${artifact.trace_id}`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const drawn = (page) => eventually(async () => assert.equal(await page.evaluate(() => !!window.benchhudViewer && window.benchhudViewer.frame().items > 0 && !window.benchhudViewer.frame().isLate), true));
const timeline = (body, query = "", options = {}) =>
  driven(
    browser,
    address + query,
    async (page) => {
      await drawn(page);
      await body(page);
    },
    { height: 1000, ...options },
  );

test("the header says how busy the device was, and leads to its gaps, the longest first, with their cause", () =>
  timeline(async (page) => {
    const chip = page.locator(".trace-costs").getByRole("button", { name: /^GPU 0 busy \d+(\.\d)? %, idle / });
    await chip.click();
    const list = page.locator(".trace-mark-list");
    await eventually(async () => assert.match(await text(list), /Cause/));
    const [overview] = (await server.api(`/traces/${address.split("/").pop()}`)).devices;
    const { items, total } = await server.api(`/traces/${address.split("/").pop()}/findings/device_idle?limit=1000`);
    assert.equal(total, overview.gaps);
    assert.ok(items.every((one, index) => index === 0 || one.duration <= items[index - 1].duration));
    assert.match(await text(list.locator("tbody tr").first()), /waits for the host/);
    await list.locator("tbody tr").first().click();
    await eventually(async () => {
      const { begin, end } = await page.evaluate(() => window.benchhudViewer.window());
      assert.ok(begin <= items[0].begin && end >= items[0].end && end - begin < 20 * items[0].duration);
    });
    await shot(page, "trace-devices");
    await axe(page);
  }));

test("what a device did as a whole is drawn above its streams, and is no slice", () =>
  timeline(async (page) => {
    const labels = await page.locator(".trace-label").allInnerTexts();
    assert.match(labels[1], /Busy\s+derived, \d/);
    const canvas = await page.locator(".trace-over").boundingBox();
    const lane = await page.locator(".trace-label-busy").boundingBox();
    await page.mouse.move(canvas.x + canvas.width / 2, lane.y + lane.height / 2);
    await eventually(async () => assert.match(await text(page.locator(".trace-tip")), /^Busy (busy|idle) .*derived/));
    await page.mouse.click(canvas.x + canvas.width / 2, lane.y + lane.height / 2);
    assert.doesNotMatch(page.url(), /s=/, "nothing is chosen");
    // By keyboard it is the label behind its device's, and it opens the list of gaps.
    await page.locator(".trace-label .trace-fold").first().focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".trace-label-busy") !== null), true);
    await page.keyboard.press("Enter");
    await eventually(async () => assert.match(await text(page.locator(".trace-panel")), /waits for the host/));
    assert.deepEqual(await axe(page), []);
  }));

test("a kernel's details begin with its operator and its step, which lead there, and say what is not known", () =>
  timeline(async (page) => {
    await page.getByRole("searchbox").fill("triton_poi_fused_1");
    await page.keyboard.press("Enter");
    const origin = page.locator(".trace-origin");
    await eventually(async () => assert.match(await text(origin), /^Operator aten::\w+ Module not known Step ProfilerStep#\d Launched by cudaLaunchKernel at/));
    assert.match(await origin.getByText("not known").getAttribute("title"), /with_stack/);
    const operator = await text(origin.getByRole("button").first());
    await origin.getByRole("button").first().click();
    await eventually(async () => assert.equal((await text(page.locator(".trace-details h2"))).replace(/ ?, copy.*/, ""), operator));
    assert.equal(await origin.count(), 0, "an operator is launched by nothing");
  }, "?tab=details"));

test("columns are listed beside the query, and a click puts one into the statement", () =>
  timeline(async (page) => {
    const box = page.locator("#trace-sql");
    await box.fill("SELECT  FROM slices");
    await box.evaluate((one) => one.setSelectionRange(7, 7));
    await page.getByText("Tables and their columns").click();
    await page.locator(".trace-tables summary", { hasText: "slices" }).first().click();
    await page.locator(".trace-tables").getByRole("button", { name: "duration" }).click();
    assert.equal(await box.inputValue(), "SELECT duration FROM slices");
    await box.press("Control+Enter");
    await eventually(async () => assert.match(await text(page.locator(".trace-panel")), /1,000 rows, and there are more/));
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator(".trace-panel").getByRole("link", { name: "CSV" }).click()]);
    assert.equal(file.suggestedFilename(), "query.csv");
  }, "?tab=query"));

/** Drops a file on the page as a person does. */
const dropFile = (page, name, body) =>
  page.evaluate(
    ([title, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([bytes], title));
      for (const type of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [name, body],
  );
const mine = JSON.stringify({ traceEvents: madeUpTrace({ slow: 2, hostile: false }) });

test("a trace that is dropped opens at once, says who sees it until when, and is taken away", () =>
  timeline(async (page) => {
    await dropFile(page, "mine.json", mine);
    await page.waitForURL((url) => url.pathname.startsWith("/trace/") && !address.endsWith(url.pathname));
    await drawn(page);
    await eventually(async () => assert.match(await text(page.locator(".trace-head")), /^mine\.json: .* only you see it, until .* remove it now open a file/));
    await eventually(async () => assert.match(await text(page.locator(".trace-costs")), /GPU 0 busy/));
    await shot(page, "trace-dropped");
    const opened = page.url();
    await page.goto(`${server.base}/artifacts`);
    await page.getByRole("link", { name: "mine.json" }).click();
    await page.waitForURL(opened);
    await drawn(page);
    await page.getByRole("button", { name: "remove it now" }).click();
    await page.waitForURL(/\/artifacts/);
    await page.goto(opened);
    await page.getByText(/there is no trace/).waitFor();
  }, "", { allow: [/status of 404/] }));

test("what costs time is said of a dropped trace as well, though it has no page with its report", () =>
  timeline(async (page) => {
    const alone = { ph: "X", pid: 0, tid: 7, cat: "kernel", name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", ts: 100_000, dur: 50_000 };
    await dropFile(page, "communication.json", JSON.stringify({ traceEvents: [...madeUpTrace({ hostile: false }), alone] }));
    await page.waitForURL((url) => url.pathname.startsWith("/trace/") && !address.endsWith(url.pathname));
    await drawn(page);
    const chip = page.locator(".trace-costs span.chip", { hasText: "communication" });
    await chip.waitFor();
    assert.match(await chip.textContent(), /^communication, .* of it not covered by computation: ./);
    assert.equal(await page.locator(".trace-costs a.chip").count(), 0);
  }));

test("a file is opened by a button as well, and one that is no trace is refused with the reason", () =>
  timeline(async (page) => {
    const file = join(server.folder, "notes.txt");
    writeFileSync(file, "no trace at all");
    await page.locator("input[type=file]").setInputFiles(file);
    await eventually(async () => assert.match(await text(page.locator(".drop-state")), /^notes\.txt could not be opened: .*Close$/));
    await page.getByRole("button", { name: "Close", exact: true }).last().click();
    assert.equal(await page.locator(".drop-state").count(), 0);
  }, "", { allow: [/status of 400/] }));

test("who is not signed in is told how to open one, and nothing is sent", () =>
  timeline(async (page) => {
    const sent = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    await dropFile(page, "mine.json", mine);
    await eventually(async () => assert.match(await text(page.locator(".drop-state")), /^Sign in to open a trace here: the server keeps it for you for 24 hours/));
    assert.deepEqual(sent, []);
  }, "", { signedIn: false }));

test("a server that may not write says so", () =>
  timeline(async (page) => {
    // The answer of such a server; that it is one, tests/faults sees to.
    await page.route("**/api/v1/dropped-traces", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), refusal: "read_only" } });
    });
    await dropFile(page, "mine.json", mine);
    await eventually(async () => assert.match(await text(page.locator(".drop-state")), /^This server is read-only: .*benchhud trace view/));
  }));
