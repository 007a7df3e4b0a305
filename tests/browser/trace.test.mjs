// The timeline: moved, read and asked as people do it, on made-up traces.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, driven, eventually, openBrowser, openPage, serve, settled, shot, text, visit } from "./support.mjs";
import { TPU_TRACKS, madeUpTrace, slicesOf, writeTrace, xprofTrace } from "./support_trace.mjs";

let browser;
let server;
let address;
let slowId;
const events = madeUpTrace();

before(async () => {
  browser = await openBrowser();
  server = await serve([]);
  await server.ingest([writeTrace(server.folder, "made", events)]);
  const [artifact] = (await server.api("/artifacts?kind=trace&limit=10")).items;
  address = `${server.base}/trace/${artifact.trace_id}`;
  await server.ingest([writeTrace(server.folder, "slow", madeUpTrace({ slow: 1.5, hostile: false }))]);
  slowId = (await server.api("/artifacts?kind=trace&limit=10")).items.find((one) => one.name.includes("slow")).trace_id;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const frame = (page) => page.evaluate(() => window.benchhudViewer.frame());
const span = (page) => page.evaluate(() => window.benchhudViewer.window());
const spoken = (page) => page.locator(".trace > .sr[role=status]").textContent();
/** Waits until all that is in sight is there, as fine as it should be. */
const drawn = (page) => eventually(async () => assert.equal(await page.evaluate(() => !!window.benchhudViewer && window.benchhudViewer.frame().items > 0 && !window.benchhudViewer.frame().isLate && window.benchhudViewer.frame().standIns === 0), true));

const timeline = (body, { query = "", ...options } = {}) => driven(browser, address + query, async (page) => {
  await drawn(page);
  await body(page);
}, { height: 1200, ...options });

/** A place of the picture: of its width, and in pixels below its top. */
async function placeOn(page, part, y) {
  const box = await page.locator(".trace-over").boundingBox();
  return [box.x + box.width * part, box.y + y];
}
/** Where row `row` of a track stands in the picture. */
async function rowOf(page, track, row) {
  const label = page.locator(".trace-label", { hasText: track }).first();
  const [label0, canvas] = [await label.boundingBox(), await page.locator(".trace-over").boundingBox()];
  return label0.y - canvas.y + 3 + row * 18 + 9;
}
const details = (page) => text(page.locator(".trace-panel"));
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

test("a trace is opened from the list of dumps and from its page, and all of its slices are drawn", async () => {
  await driven(browser, `${server.base}/artifacts?kind=trace`, async (page) => {
    await page.getByRole("link", { name: /timeline of .*made/ }).click();
    await page.waitForURL(/\/trace\/\d+/);
    await drawn(page);
    assert.equal((await frame(page)).counted, slicesOf(events));
    assert.match(await text(page.locator("h1")), new RegExp(`${events.length.toLocaleString("en")} events on 4 tracks in `));
    const labels = await page.locator(".trace-label").allInnerTexts();
    const busy = /derived, (\S+ %)/.exec(labels.join(" "))?.[1];
    assert.deepEqual(labels.map((one) => one.replace(/[▾▸★☆×]/g, "").replace(/\s+/g, " ").trim()), ["GPU 0 python", `Busy derived, ${busy}`, "stream 7", "stream 20", "python pid 71053", "thread 71053 (python)", '<img src=x onerror="window.pwned=1">', "allocated bytes to 36,000"]);
    await page.getByRole("link", { name: "report" }).click();
    await page.waitForURL(/\/artifact\/\d+/);
    await page.getByRole("link", { name: "Open the timeline" }).click();
    await page.waitForURL(/\/trace\/\d+/);
  }, { height: 1200 });
});

test("the timeline is drawn while its report and its marks are on their way, and nothing moves when they come", async () => {
  const { page, problems, close } = await openPage(browser, { height: 1200 });
  const held = [];
  for (const part of ["**/api/v1/artifacts/*/content*", "**/api/v1/traces/*/findings*"]) await page.route(part, (route) => void held.push(route));
  await page.goto(address);
  await drawn(page);
  await eventually(async () => assert.equal(held.length, 2));
  const places = () => page.evaluate(() => [".trace-over", ".trace-tools", ".trace-ways"].map((one) => JSON.stringify(document.querySelector(one).getBoundingClientRect())));
  const before = await places();
  assert.match(await text(page.locator(".trace-costs")), /Reading the report/);
  for (const route of held) await route.continue();
  await eventually(async () => assert.doesNotMatch(await text(page.locator(".trace-costs")), /Reading the report/));
  assert.match(await text(page.locator(".trace-costs")), /GPU|device|busy/i);
  assert.deepEqual(await places(), before);
  assert.deepEqual(problems, []);
  await close();
});

test("keys zoom and move; what is under the pointer stays there", () =>
  timeline(async (page) => {
    const all = await span(page);
    await page.mouse.move(...(await placeOn(page, 0.5, 60)));
    await press(page, "w", "w", "w");
    await eventually(async () => {
      const near = await span(page);
      assert.ok(near.end - near.begin < (all.end - all.begin) / 2);
      const middle = (one) => (one.begin + one.end) / 2;
      assert.ok(Math.abs(middle(near) - middle(all)) < (all.end - all.begin) * 0.02, "the middle stays");
    });
    const near = await span(page);
    await press(page, "d");
    await eventually(async () => assert.ok((await span(page)).begin > near.begin));
    await press(page, "a", "a");
    await eventually(async () => assert.ok((await span(page)).begin < near.begin));
    await press(page, "Shift+S", "Shift+S", "Shift+S");
    await eventually(async () => assert.deepEqual(await span(page), all));
    await press(page, "w", "0");
    await eventually(async () => assert.deepEqual(await span(page), all));
    // Held, a key goes on and on.
    await page.keyboard.down("w");
    for (let n = 0; n < 12; ++n) {
      await page.keyboard.down("w");
      await page.waitForTimeout(40);
    }
    await page.keyboard.up("w");
    await eventually(async () => assert.ok((await span(page)).end - (await span(page)).begin < (all.end - all.begin) / 3));
    await drawn(page);
  }));

test("the wheel zooms with Ctrl, moves with Shift, and scrolls the tracks else", () =>
  timeline(async (page) => {
    const all = await span(page);
    const [x, y] = await placeOn(page, 0.25, 60);
    await page.mouse.move(x, y);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -600);
    await page.keyboard.up("Control");
    await eventually(async () => assert.ok((await span(page)).end - (await span(page)).begin < (all.end - all.begin) * 0.6));
    const near = await span(page);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 200);
    await page.keyboard.up("Shift");
    await eventually(async () => assert.ok((await span(page)).begin > near.begin));
    const before = await span(page);
    await page.mouse.wheel(0, 100);
    await eventually(async () => assert.ok((await page.locator(".trace-box").evaluate((node) => node.scrollTop)) > 0));
    assert.deepEqual(await span(page), before);
  }, { height: 330 }));

test("a click tells of a slice; Ctrl and a click sums several up", () =>
  timeline(async (page) => {
    const step = await rowOf(page, "thread 71053", 0);
    await page.mouse.click(...(await placeOn(page, 0.4, step)));
    await eventually(async () => assert.match(await details(page), /ProfilerStep#1.*Duration 9\.90 ms.*Self .*Begin 10 ms.*End 19\.9 ms.*user_annotation.*row 1 of 3/));
    await eventually(async () => assert.match(await spoken(page), /^ProfilerStep#1, 9\.90 ms at 10 ms, thread 71053 \(python\), row 1 of 3$/));
    await page.keyboard.down("Control");
    await page.mouse.click(...(await placeOn(page, 0.8, step)));
    await page.keyboard.up("Control");
    await eventually(async () => assert.match(await details(page), /2 slices chosen, 19\.8 ms in all, within 19\.9 ms/));
    await eventually(async () => assert.match(await details(page), /ProfilerStep#1 1 9\.90 ms 9\.90 ms/));
    await press(page, "Escape");
    await eventually(async () => assert.match(await details(page), /^Click a slice/));
  }));

test("f fits the selection, m measures it, and the address brings all of it back", () =>
  timeline(async (page) => {
    await page.mouse.click(...(await placeOn(page, 0.4, await rowOf(page, "thread 71053", 0))));
    await press(page, "f", "m");
    await eventually(async () => {
      const { begin, end } = await span(page);
      assert.ok(begin < 10e6 && begin > 9e6 && end > 19.9e6 && end < 21e6, `${begin} ${end}`);
    });
    await eventually(async () => assert.match(page.url(), /t=\d+:\d+&s=\d+\.\d+\.\d+&tab=details/));
    const seen = await span(page);
    const link = page.url();
    // Escape closes a menu, and only that.
    await press(page, "m");
    await page.getByRole("button", { name: /^Tracks/ }).click();
    await page.locator(".menu-panel").waitFor();
    await press(page, "Escape");
    await page.locator(".menu-panel").waitFor({ state: "detached" });
    // What the key did besides would be seen two pictures later.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.match(await details(page), /ProfilerStep#1/);
    await press(page, "Escape", "0");
    await eventually(async () => assert.equal(new URL(page.url()).search, "?tab=details"));
    await page.goBack();
    await eventually(async () => assert.match(await details(page), /ProfilerStep#1/));
    await visit(page, link);
    await drawn(page);
    await eventually(async () => assert.match(await details(page), /ProfilerStep#1/));
    const again = await span(page);
    assert.ok(Math.abs(again.begin - seen.begin) <= 1 && Math.abs(again.end - seen.end) <= 2);
  }));

test("the tools: pan, zoom and measure by dragging, chosen by their keys and by those with Shift", () =>
  timeline(async (page) => {
    const pressed = (name) => eventually(async () => assert.equal(await page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed"), "true"));
    const drag = async (from, to, y = 60) => {
      await page.mouse.move(...(await placeOn(page, from, y)));
      await page.mouse.down();
      await page.mouse.move(...(await placeOn(page, (from + to) / 2, y)));
      await page.mouse.move(...(await placeOn(page, to, y)));
      await page.mouse.up();
    };
    for (const [plain, shifted, name] of [["2", "@", "Pan"], ["3", "#", "Zoom"], ["4", "$", "Time"], ["1", "!", "Select"]]) {
      await press(page, plain);
      await pressed(name);
      await press(page, "1", shifted);
      await pressed(name);
    }
    const all = await span(page);
    await press(page, "3");
    await pressed("Zoom");
    await drag(0.25, 0.5);
    await eventually(async () => {
      const near = await span(page);
      assert.ok(Math.abs((near.end - near.begin) * 4 - (all.end - all.begin)) < (all.end - all.begin) * 0.02);
    });
    const near = await span(page);
    await press(page, "2");
    await pressed("Pan");
    await drag(0.6, 0.4);
    await eventually(async () => assert.ok(Math.abs((await span(page)).begin - near.begin - 0.2 * (near.end - near.begin)) < (near.end - near.begin) * 0.01));
    await press(page, "0", "4");
    await pressed("Time");
    await drag(0.2, 0.4, await rowOf(page, "stream 20", 0));
    await press(page, "r");
    await eventually(async () => assert.match(page.url(), /a=\d+:\d+/));
    const [from, to] = /a=(\d+):(\d+)/.exec(page.url()).slice(1).map(Number);
    assert.ok(Math.abs((to - from) / (0.2 * (all.end - all.begin)) - 1) < 0.1, `${from} ${to}`);
  }));

test("by keys alone: from slice to slice, in and out, from track to track, each one spoken of", () =>
  timeline(async (page) => {
    const says = (pattern) => eventually(async () => assert.match(await spoken(page), pattern));
    await page.locator(".trace-over").focus();
    await press(page, ".");
    await says(/stream 7, row 1 of 1$/);
    await press(page, "j", "j");
    await says(/^ProfilerStep#1, /);
    await press(page, ",");
    await says(/^ProfilerStep#0, .* row 1 of 3$/);
    await press(page, ",");
    await says(/first slice of its row/);
    await press(page, "ArrowDown");
    await says(/^aten::mm, 200 µs at 50 µs, .* row 2 of 3$/);
    await press(page, "ArrowDown");
    await says(/^cudaLaunchKernel, 12\.5 µs .* row 3 of 3$/);
    await press(page, "ArrowUp", "ArrowUp");
    await says(/^ProfilerStep#0/);
    await press(page, "j");
    await says(/tiny_.*window\.pwned/);
    await press(page, "k", "k");
    await says(/stream 20, row 1 of 1$/);
    await press(page, "j");
    await says(/thread 71053/);
    await press(page, "q");
    await page.locator(".trace-drawer").waitFor({ state: "detached" });
    const before = await span(page);
    await press(page, "Enter");
    await eventually(async () => assert.match(await details(page), /ProfilerStep#/));
    assert.deepEqual(await span(page), before, "the first time it opens the details");
    await press(page, "Enter");
    await eventually(async () => assert.notDeepEqual(await span(page), before));
    await press(page, "q");
    await page.locator(".trace-drawer").waitFor({ state: "detached" });
  }));

test("tracks are closed, hidden, pinned and filtered, and the address says so", () =>
  timeline(async (page) => {
    const names = async () => (await page.locator(".trace-label:not(.trace-label-busy) .trace-fold").allInnerTexts()).map((one) => one.replace(/[▾▸★]/g, "").replace(/\s+/g, " ").trim());
    const act = async (track, name) => {
      await page.locator(".trace-label", { hasText: track }).first().hover();
      await page.getByRole("button", { name, exact: true }).click();
    };
    const are = (wanted) => eventually(async () => assert.deepEqual((await names()).map((one) => one.slice(0, 9).trim()), wanted));
    await act("stream 20", "Pin stream 20");
    await are(["Pinned", "stream 20", "GPU 0 pyt", "stream 7", "python pi", "thread 71", "<img src="]);
    await act("stream 7", "Hide stream 7");
    await are(["Pinned", "stream 20", "GPU 0 pyt", "python pi", "thread 71", "<img src="]);
    await page.getByRole("button", { name: /^python/ }).click();
    await are(["Pinned", "stream 20", "GPU 0 pyt", "python 2"]);
    await eventually(async () => assert.match(page.url(), /pinned=\d&hide=\d&shut=s/));
    await page.reload();
    await drawn(page);
    await are(["Pinned", "stream 20", "GPU 0 pyt", "python 2"]);
    await press(page, "Shift+H");
    await are(["Pinned", "stream 20", "GPU 0 pyt", "stream 7", "python 2"]);
    await page.getByRole("button", { name: /^Tracks/ }).click();
    await page.getByLabel(/^Only tracks/).fill("stream 7");
    await are(["Pinned", "stream 20", "GPU 0 pyt", "stream 7"]);
    await page.keyboard.press("Escape");
    const isOpen = () => page.getByRole("button", { name: /^stream 20/ }).getAttribute("aria-expanded");
    assert.equal(await isOpen(), "true");
    await press(page, "Shift+X");
    await eventually(async () => assert.equal(await isOpen(), "false"));
  }));

test("while finer tiles are on their way a coarser picture stands in, and says so", () =>
  timeline(async (page) => {
    const waiting = [];
    let isHeld = true;
    await page.route("**/tiles?*", (route) => (isHeld ? waiting.push(route) : route.continue()));
    // Into the middle of the very short ones.
    await page.evaluate(() => history.replaceState(null, "", location.pathname + "?t=19020000:19040000"));
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    await eventually(async () => {
      const { standIns, rects, isLate } = await frame(page);
      assert.ok(standIns > 0 && rects > 0 && isLate);
    });
    isHeld = false;
    for (const route of waiting) await route.continue().catch(() => {});
    await drawn(page);
  }));

test("what cannot be fetched is told, and comes by itself once it can", () =>
  timeline(async (page) => {
    let isDown = true;
    await page.route("**/tiles?*", (route) => (isDown ? route.fulfill({ status: 503, contentType: "application/json", body: '{"title":"busy","status":503,"detail":"The server is busy."}' }) : route.continue()));
    await page.evaluate(() => history.replaceState(null, "", location.pathname + "?t=19020000:19040000"));
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    const missing = page.locator(".trace-missing");
    await eventually(async () => assert.match(await text(missing), /could not be fetched.*asked for again: The server is busy\.$/));
    await settled(page);
    assert.deepEqual(await axe(page), []);
    await shot(page, "trace-missing");
    isDown = false;
    await drawn(page);
    await eventually(async () => assert.equal(await text(missing), ""));
  }, { allow: [/503/] }));

test("very many very short slices are counted where they are not told apart, and told apart further in", () =>
  timeline(async (page) => {
    const y = await rowOf(page, "window.pwned", 0);
    const [x0, py] = await placeOn(page, 0, y);
    const { width } = await page.locator(".trace-over").boundingBox();
    const { begin, end } = await span(page);
    const x = x0 + (width * (19.03e6 - begin)) / (end - begin);
    await page.mouse.click(x, py);
    await eventually(async () => assert.match(await details(page), /[\d,]+ slices, too short to be told apart here.*Busy .*33\.\d %/));
    await page.getByRole("button", { name: /Zoom in/ }).click();
    await drawn(page);
    await visit(page, address + "?t=18999990:19000100");
    await drawn(page);
    await page.mouse.click(...(await placeOn(page, 10.5 / 110, await rowOf(page, "window.pwned", 0))));
    await eventually(async () => assert.match(await details(page), /tiny_0.*Duration 1 ns.*Begin 19 ms/));
  }));

test("arrows lead from a launch to its kernel and back", () =>
  timeline(async (page) => {
    await page.locator(".trace-over").focus();
    await press(page, ".", "j", "j", ",", "ArrowDown", "ArrowDown");
    await eventually(async () => assert.match(await details(page), /cudaLaunchKernel.*launches void at::native::vectorized/));
    await page.getByRole("button", { name: /vectorized/ }).click();
    await eventually(async () => assert.match(await details(page), /Track stream 20.*launched by cudaLaunchKernel/));
    await page.locator(".trace-over").focus();
    await press(page, "[");
    await eventually(async () => assert.match(await details(page), /cudaLaunchKernel.*launches void at::native::vectorized/));
    await press(page, "]");
    await eventually(async () => assert.match(await details(page), /Track stream 20/));
    await eventually(async () => assert.equal((await frame(page)).arrows, 1, "the selection's own"));
    await press(page, "Escape", "l");
    const arrows = events.filter((one) => one.ph === "s").length;
    await eventually(async () => assert.equal((await frame(page)).arrows, arrows));
    await eventually(async () => assert.match(page.url(), /fl=launch/));
    await page.getByRole("button", { name: /^Arrows/ }).click();
    await page.getByLabel(/^instants/).check();
    // Instants and a counter's values alike are points of the trace.
    await eventually(async () => assert.ok((await frame(page)).points >= events.filter((one) => one.ph === "i").length));
    await page.getByLabel(/^launch to kernel/).uncheck();
    await eventually(async () => assert.equal((await frame(page)).arrows, 0));
    await eventually(async () => assert.equal((await frame(page)).counters, 1));
  }));

test("what a counter was is told on hover, and goes with the pointer", () =>
  timeline(async (page) => {
    await eventually(async () => assert.equal((await frame(page)).counters, 1));
    const { begin, end } = await span(page);
    const values = events.filter((one) => one.ph === "C").map((one) => ({ time: (one.ts - 1000) * 1000, value: one.args.bytes }));
    const tip = page.locator(".trace-tip");
    for (const part of [0.31, 0.7]) {
      const time = begin + part * (end - begin);
      const { value } = values.filter((one) => one.time <= time).pop();
      await page.mouse.move(...(await placeOn(page, part, await rowOf(page, "allocated", 0))));
      await eventually(async () => assert.match(await text(tip), new RegExp(`^allocated bytes ${value.toLocaleString("en")} at ${(time / 1e6).toPrecision(2)}[\\d.]* ms$`)));
    }
    await page.mouse.move(5, 5);
    await eventually(async () => assert.equal(await tip.count(), 0));
  }));

test("which marks are drawn is in the address", () =>
  timeline(async (page) => {
    const steps = events.filter((one) => one.name?.startsWith("ProfilerStep#")).length;
    const { marks } = await frame(page);
    const check = async (isOn) => {
      // The address is about to be written, which takes nothing from the click.
      await press(page, "w", "s");
      await page.getByRole("button", { name: /^Marks/ }).click();
      await page.getByLabel(new RegExp(`${steps} steps`)).setChecked(isOn);
      await press(page, "Escape");
    };
    await check(true);
    await eventually(async () => assert.match(page.url(), /marks=[\w,]*step/));
    await page.reload();
    await drawn(page);
    await eventually(async () => assert.equal((await frame(page)).marks, marks + steps));
    await check(false);
    await eventually(async () => assert.doesNotMatch(page.url(), /marks=/));
  }));

test("the list of marks reaches every one of thousands, and what is not loaded is said", async () => {
  const COUNT = 3000;
  const waits = Array.from({ length: COUNT }, (_, i) => ({ ph: "X", pid: 1, tid: 1, name: "cudaDeviceSynchronize", cat: "cuda_runtime", ts: 10_000 * i, dur: i + 1 }));
  await server.ingest([writeTrace(server.folder, "waits", waits)]);
  const { trace_id: id } = (await server.api("/artifacts?kind=trace&limit=10")).items.find((one) => one.name.includes("waits"));
  await driven(browser, `${server.base}/trace/${id}`, async (page) => {
    await drawn(page);
    const menu = page.getByRole("button", { name: /^Marks/ });
    await menu.click();
    assert.match(await text(page.locator(".trace-marks")), /3,000 synchronizations.*the longest 1,000 are marked, all of 2\.00 ms or more/);
    // The first is none of those.
    await page.getByRole("button", { name: "Go to the first: synchronization" }).click();
    await eventually(async () => assert.ok((await span(page)).begin < 1000));
    await eventually(async () => assert.equal((await frame(page)).marks, 1001));
    await menu.click();
    // The key comes as soon as the rows in sight are drawn: all the others are copied as well.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".trace-mark-list tr.spacer")) return;
        observer.disconnect();
        dispatchEvent(new KeyboardEvent("keydown", { key: "y" }));
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await page.getByRole("button", { name: "List the synchronizations" }).click();
    const list = page.locator(".trace-mark-list");
    const more = list.getByRole("button", { name: /more$/ });
    await eventually(async () => assert.match(await text(list), /1,000 of 3,000/));
    await eventually(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /and 2750 more rows/));
    for (const loaded of ["1,000", "2,000"]) {
      await eventually(async () => assert.match(await text(list), new RegExp(`${loaded} of 3,000 synchronizations 1,000 more`)));
      await more.click();
    }
    await eventually(async () => assert.equal(await more.count(), 0));
    await eventually(async () => assert.equal((await frame(page)).marks, COUNT));
    // The last of the list is the shortest.
    const box = list.locator(".table-box");
    await box.evaluate((node) => (node.scrollTop = node.scrollHeight));
    const last = list.locator(`tr[data-entry="${COUNT - 1}"]`);
    assert.match(await text(last), /cudaDeviceSynchronize 1\.00 µs 0 ns thread 1/);
    await page.keyboard.press("0");
    await last.click();
    await eventually(async () => {
      const { begin, end } = await span(page);
      assert.ok(begin <= 0 && end >= 1000 && end - begin < 10_000, `${begin} ${end}`);
    });
    assert.equal(await spoken(page), "cudaDeviceSynchronize");
    // From there on the marks that were loaded are gone through.
    await press(page, "b");
    await eventually(async () => assert.ok(Math.abs((await span(page)).begin - 10_000_000) < 10_000));
    await menu.click();
    assert.doesNotMatch(await text(page.locator(".trace-marks")), /are marked/);
    await press(page, "Escape");
    await eventually(async () => assert.match(page.url(), /kind=synchronization.*tab=marks/));
    await page.reload();
    await drawn(page);
    await eventually(async () => assert.match(await text(list), /of 3,000 synchronizations/));
  }, { height: 1200 });
});

test("counters beyond those that are kept are counted", async () => {
  const names = Array.from({ length: 10_005 }, (_, i) => ({ ph: "C", pid: 1, tid: 1, name: `counter ${i}`, ts: 10 * i, args: { bytes: i } }));
  await server.ingest([writeTrace(server.folder, "counted", [{ ph: "X", pid: 1, tid: 1, name: "a", ts: 0, dur: 200_000 }, ...names])]);
  const { trace_id: id } = (await server.api("/artifacts?kind=trace&limit=10")).items.find((one) => one.name.includes("counted"));
  const overview = await server.api(`/traces/${id}`);
  assert.deepEqual([overview.counters.length, overview.counters_left_out], [10_000, 5]);
  await driven(browser, `${server.base}/trace/${id}`, async (page) => {
    await drawn(page);
    assert.match(await text(page.locator("h1")), /10,006 events on 1 track in 200 ms, without 5 more counters$/);
  });
});

test("names are found in the whole trace, however near one is, and gone through", () =>
  timeline(async (page) => {
    await visit(page, address + "?t=1000:90000");
    await drawn(page);
    await press(page, "/");
    await page.keyboard.type("TRITON poi");
    const kernels = events.filter((one) => one.name?.startsWith("triton_poi"));
    const said = page.locator(".trace-found");
    await eventually(async () => assert.match(await text(said), new RegExp(`^${kernels.length} slices of 3 names, `)));
    const begins = kernels.map((one) => Math.round((one.ts - 1000) * 1000)).sort((a, b) => a - b);
    const isAt = (begin) => eventually(async () => assert.match(await details(page), new RegExp(`triton_poi.*Begin ${String(begin / 1e3).replace(".", "\\.")} µs|triton_poi.*Begin ${String(begin / 1e6).replace(".", "\\.")} ms`)));
    await press(page, "Enter");
    await isAt(begins.find((one) => one >= 1000));
    await page.locator(".trace-over").focus();
    await press(page, "n");
    await isAt(begins[1]);
    await press(page, "Shift+N", "Shift+N");
    await isAt(begins[begins.length - 1]);
    await press(page, "n");
    await isAt(begins[0]);
    await page.getByRole("tab", { name: "Hits" }).click();
    await eventually(async () => assert.match(await details(page), /triton_poi_fused_0 .*kernel \d+ /));
    await page.getByRole("button", { name: "triton_poi_fused_0", exact: true }).first().click();
    await eventually(async () => assert.match(await text(said), new RegExp(`^${kernels.filter((one) => one.name === "triton_poi_fused_0").length} slices of 1 name, `)));
    await eventually(async () => assert.match(page.url(), /q=%22triton_poi_fused_0%22/));
    await page.locator(".trace-find input").fill("nothing has this name");
    await eventually(async () => assert.match(await text(said), /nothing is called so/));
  }));

test("an area is summed up by name, category, track and class, and the counts are those of the file", () =>
  timeline(async (page) => {
    const first = events.filter((one) => one.ph === "X" && one.ts >= 1000 && one.ts < 10_900);
    await visit(page, address + "?a=0:9900000&tab=area");
    await drawn(page);
    const panel = page.locator(".trace-panel");
    await eventually(async () => assert.match(await text(panel), new RegExp(`${first.length} slices within 9\\.90 ms`)));
    const counts = async () => {
      const rows = await panel.locator("tr[data-entry]").evaluateAll((nodes) => nodes.map((node) => [...node.children].map((cell) => cell.innerText.trim())));
      return Object.fromEntries(rows.map((cells) => [cells[0], cells]));
    };
    await eventually(async () => {
      const rows = await counts();
      assert.equal(rows["cudaLaunchKernel"][2], String(first.filter((one) => one.name === "cudaLaunchKernel").length));
      assert.equal(rows["ProfilerStep#0"][3], "9.90 ms");
    });
    for (const [by, key, fits] of [["category", "kernel", (one) => one.cat === "kernel"], ["track", "stream 20", (one) => one.pid === 0 && one.tid === 20], ["class", "runtime", (one) => one.cat === "cuda_runtime"]]) {
      await panel.getByRole("button", { name: by, exact: true }).click();
      await eventually(async () => assert.equal((await counts())[key]?.[1], String(first.filter(fits).length), by));
    }
    await eventually(async () => assert.match(page.url(), /by=class/));
    // A rectangle over two rows is an area of that track.
    await page.mouse.move(...(await placeOn(page, 0.35, await rowOf(page, "stream 7", 0))));
    await page.mouse.down();
    await page.mouse.move(...(await placeOn(page, 0.5, await rowOf(page, "stream 7", 0))));
    await page.mouse.move(...(await placeOn(page, 0.6, await rowOf(page, "stream 20", 0))));
    await page.mouse.up();
    await eventually(async () => assert.match(await text(panel), /on 2 tracks/));
    await page.mouse.dblclick(...(await placeOn(page, 0.4, await rowOf(page, "thread 71053", 0))));
    await eventually(async () => assert.equal(await page.locator(".trace-find input").inputValue(), '"ProfilerStep#1"'));
    await settled(page);
    assert.deepEqual(await axe(page), []);
  }));

test("two traces lie beside each other on one axis, with what differs", () =>
  timeline(async (page) => {
    await page.getByRole("button", { name: /^Compare/ }).click();
    await page.getByLabel(/^Number of another trace/).fill(String(slowId));
    await page.getByRole("button", { name: "Show beside this one" }).click();
    await page.waitForURL(/with=\d+/);
    await eventually(async () => assert.equal(await page.locator(".trace-over").count(), 2));
    const panel = page.locator(".trace-panel");
    const kernel = (slow) => madeUpTrace({ slow }).filter((one) => one.name === "triton_poi_fused_1");
    const sum = (list) => list.reduce((all, one) => all + one.dur, 0) / 1000;
    const [above, below] = [sum(kernel(1)), sum(kernel(1.5))];
    await eventually(async () => {
      const cells = await panel.locator("tr[data-entry]", { hasText: "triton_poi_fused_1" }).locator("th, td").allInnerTexts();
      assert.deepEqual(cells.slice(1, 6).map((one) => one.trim()), [String(kernel(1).length), `${above.toPrecision(3)} ms`, String(kernel(1).length), `${below.toPrecision(3)} ms`, `+${(below - above).toPrecision(3)} ms`]);
    });
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((one) => one.name).filter((one) => one.includes("/sums?")));
    assert.ok(asked.length >= 2 && asked.every((one) => one.includes("limit=10000")), "a name that is not listed must not look as if it were not there");
    // Both move together, whichever is moved.
    const lower = await page.locator(".trace-over").nth(1).boundingBox();
    await page.mouse.move(lower.x + lower.width / 2, lower.y + 40);
    const all = await span(page);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -500);
    await page.keyboard.up("Control");
    await eventually(async () => assert.ok((await span(page)).end - (await span(page)).begin < 0.7 * (all.end - all.begin)));
    await page.getByRole("button", { name: /^Both from their beginning/ }).click();
    await page.getByRole("button", { name: "By their first step" }).click();
    await eventually(async () => assert.equal(await page.locator(".menu-panel").count(), 0));
    const thread = await page.locator(".trace-box").nth(1).locator(".trace-label", { hasText: "thread 71053" }).boundingBox();
    await page.mouse.click(lower.x + lower.width / 2, thread.y + 12);
    await eventually(async () => assert.match(await panel.innerText(), /ProfilerStep#\d/));
    await settled(page);
    assert.deepEqual(await axe(page), []);
    await shot(page, "trace-two");
    // A rectangle below is an area of the lower trace, and its time one of both.
    await page.mouse.move(lower.x + lower.width * 0.3, lower.y + 54);
    await page.mouse.down();
    await page.mouse.move(lower.x + lower.width * 0.4, lower.y + 58);
    await page.mouse.move(lower.x + lower.width * 0.6, lower.y + 62);
    await page.mouse.up();
    await page.getByRole("tab", { name: "Area" }).click();
    await eventually(async () => assert.match(await text(panel), /slices? within .* on 1 track, in the trace below/));
    await eventually(async () => assert.match(page.url(), /a=\d+:\d+(&|$)/));
    await page.locator(".trace-over").nth(1).focus();
    await press(page, "Escape");
    await eventually(async () => assert.match(await text(panel), /^Drag a rectangle/));
    await page.getByRole("button", { name: /^Beside/ }).click();
    await page.getByRole("button", { name: "Only the one before" }).click();
    await eventually(async () => assert.equal(await page.locator(".trace-over").count(), 1));
  }));

test("a note is kept for everybody, stands in the picture, and is gone to by its key", () =>
  timeline(async (page) => {
    await page.evaluate(() => localStorage.setItem("hud:who", "Ada"));
    await page.mouse.click(...(await placeOn(page, 0.4, await rowOf(page, "thread 71053", 0))));
    await eventually(async () => assert.match(await details(page), /ProfilerStep#1/));
    await press(page, "m", "Shift+M");
    const field = page.locator("#trace-note");
    await eventually(async () => assert.equal(await field.evaluate((node) => node === document.activeElement), true));
    await page.keyboard.type("slow <b>here</b>");
    await page.keyboard.press("Enter");
    await eventually(async () => assert.match(await details(page), /1 note slow <b>here<\/b> 9\.90 ms at 10 ms · Ada \(token tests\), /));
    assert.equal(await field.inputValue(), "");
    await settled(page);
    assert.deepEqual(await axe(page), []);
    await page.reload();
    await drawn(page);
    await eventually(async () => assert.equal((await frame(page)).notes, 1));
    await press(page, "Escape", "0", "w", "w", "w", "b");
    await eventually(async () => {
      const { begin, end } = await span(page);
      assert.ok(begin < 10e6 && end > 19.9e6);
    });
    await eventually(async () => assert.equal(await spoken(page), "slow <b>here</b>"));
    // Another reader sees it too, and what one removes is gone for the other.
    await timeline(async (other) => {
      await other.getByRole("tab", { name: "Notes: 1" }).click();
      await other.getByRole("button", { name: /^Remove the note/ }).click();
      await eventually(async () => assert.match(await details(other), /No notes yet/));
    }, { query: "?tab=details" });
    await eventually(async () => assert.equal((await frame(page)).notes, 0));
  }));

test("stacks of an area: heaviest first, around a name, and in the order of time", () =>
  timeline(async (page) => {
    await visit(page, address + "?a=0:9900000&tab=flame&pinned=1");
    await drawn(page);
    const panel = page.locator(".trace-panel");
    await eventually(async () => assert.match(await text(panel), /Stacks, the heaviest first [\d]+ boxes/));
    await panel.locator("summary").click();
    await eventually(async () => assert.match(await text(panel), /aten::conv2d .* itself, .* slices, depth 2/));
    await panel.getByRole("button", { name: "cudaLaunchKernel" }).first().click();
    await eventually(async () => assert.match(await text(panel), /What calls cudaLaunchKernel.*What cudaLaunchKernel calls/));
    await eventually(async () => assert.match(page.url(), /flame=sandwich&of=\d+/));
    await settled(page);
    assert.deepEqual(await axe(page), []);
    await shot(page, "trace-stacks");
    await panel.getByRole("button", { name: "in time" }).click();
    await eventually(async () => assert.match(await text(panel), /\d+ boxes; point at one/));
    // What a slice took by itself is not known there, and not told.
    await panel.locator("summary").click();
    await eventually(async () => assert.match(await text(panel), /the 50 with the longest time .*aten::conv2d .* in all, 1 slice, depth 2/));
    assert.doesNotMatch(await text(panel), /itself/);
    const [download] = await Promise.all([page.waitForEvent("download"), panel.getByRole("button", { name: "CSV" }).click()]);
    assert.match(readFileSync(await download.path(), "utf8"), /^row,name,longest_name,slices,begin_ns,duration_ns,busy_ns\r\n.*\n\d+,aten::conv2d,,1,\d+,/s);
    await page.locator(".trace-over").focus();
    for (const [name, flame] of [["heaviest first", null], ["around a name", "sandwich"], ["in time", "time"]]) {
      await press(page, "v");
      await eventually(async () => assert.equal(await panel.getByRole("button", { name }).getAttribute("aria-pressed"), "true"));
      assert.equal(new URL(page.url()).searchParams.get("flame"), flame);
    }
  }));

test("a part of the trace is exported as a trace", () =>
  timeline(async (page) => {
    await visit(page, address + "?t=0:5000000");
    await drawn(page);
    await page.getByRole("button", { name: /^Export/ }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "What is in sight" }).click()]);
    const { traceEvents } = JSON.parse(readFileSync(await download.path(), "utf8"));
    const wanted = events.filter((one) => one.ph === "X" && one.ts - 1000 < 5000);
    assert.equal(traceEvents.filter((one) => one.ph === "X").length, wanted.length);
  }));

test("keys mean here what they do not mean elsewhere, and elsewhere what they meant again", () =>
  timeline(async (page) => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => navigator.clipboard.writeText("before"));
    await page.mouse.click(...(await placeOn(page, 0.4, await rowOf(page, "thread 71053", 0))));
    await press(page, "m");
    await press(page, "f");
    await press(page, "?");
    const help = page.locator("dialog.help");
    await help.waitFor();
    assert.match(await text(help), /On this page.*zoom in and out at the pointer.*Everywhere/);
    await press(page, "Escape");
    await help.waitFor({ state: "detached" });
    assert.equal(await copied(), "before");
    await press(page, "y");
    await eventually(async () => assert.match(await copied(), /events on 4 tracks/));
    await press(page, "g", "a");
    await page.waitForURL(/\/alerts$/);
    await settled(page);
    await page.evaluate(() => navigator.clipboard.writeText("before"));
    await press(page, "m");
    await eventually(async () => assert.notEqual(await copied(), "before"));
  }));

test("nothing of a trace becomes anything but text, and everybody can use the page", async () => {
  for (const [width, theme] of [[1440, "light"], [1440, "dark"], [1024, "light"], [390, "dark"]]) {
    await timeline(async (page) => {
      await page.mouse.click(...(await placeOn(page, 0.4, await rowOf(page, "thread 71053", 0))));
      await eventually(async () => assert.match(await details(page), /ProfilerStep#1/));
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      assert.equal(await page.locator("main img, main script, main [onerror]").count(), 0);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), true, `${width}: the page itself does not scroll`);
      await settled(page);
      assert.deepEqual(await axe(page), [], `${width} ${theme}`);
      await shot(page, `trace-${width}-${theme}`);
    }, { width, theme, height: 900 });
  }
});

test("a trace of XProf has a section for each device with its rows in XProf's order, and tells of FLOPs, bytes and source", async () => {
  await server.ingest([writeTrace(server.folder, "xprof", xprofTrace())]);
  const { trace_id: id } = (await server.api("/artifacts?kind=trace&limit=10")).items.find((one) => one.name.includes("xprof"));
  await driven(browser, `${server.base}/trace/${id}`, async (page) => {
    await drawn(page);
    const names = (await page.locator(".trace-label").allInnerTexts()).map((one) => one.replace(/[▾▸★☆×]/g, "").replace(/\s+/g, " ").trim());
    const isBusy = (name) => /^Busy derived, \d+(\.\d+)? %$/.test(name);
    assert.deepEqual(names.flatMap((name, i) => (isBusy(name) ? [names[i - 1]] : [])), ["TPU 0 /device:TPU:0", "TPU 0 SparseCore 0 /device:TPU:0 SparseCore 0", "TPU 1 /device:TPU:1", "GPU 0 /device:GPU:0"]);
    assert.deepEqual(names.filter((name) => !isBusy(name)), [
      "TPU 0 /device:TPU:0",
      ...TPU_TRACKS,
      "TPU 0 SparseCore 0 /device:TPU:0 SparseCore 0",
      "XLA Modules",
      "XLA Ops",
      "TPU 1 /device:TPU:1",
      "Steps",
      "XLA Ops",
      "GPU 0 /device:GPU:0",
      "Steps",
      "XLA Ops",
      "Stream #3(MemcpyD2H)",
      "Stream #20(Compute)",
      "/host:CPU pid 701",
      "python",
      "tf_XLAEigen/1234",
    ]);
    assert.equal((await frame(page)).counted, slicesOf(xprofTrace()));
    await page.mouse.click(...(await placeOn(page, 0.4, await rowOf(page, "XLA Ops", 0))));
    await eventually(async () => assert.match(await details(page), /fusion\.1.*hlo_op fusion\.1 hlo_module jit_train_step\(1234\) tf_op jit\(train_step\)\/dot_general long_name .*source train\.py:42.*flops 268435456 bytes_accessed 524288/));
    await shot(page, "trace-xprof");
  }, { height: 1200 });
});

test("what is no trace is said so", async () => {
  const { page, close } = await openPage(browser, { allow: [/404/] });
  try {
    await visit(page, `${server.base}/trace/99999`);
    assert.match(await text(page.locator("main")), /404/);
    await visit(page, `${server.base}/trace/nonsense`);
    assert.match(await text(page.locator("h1")), /no page at this address/);
  } finally {
    await close();
  }
});

test("a question in SQL is answered, a wrong one said where, and a row leads to its slice", () =>
  timeline(async (page) => {
    await press(page, ":");
    const field = page.locator("#trace-sql");
    await eventually(async () => assert.equal(await field.evaluate((node) => node === document.activeElement), true));
    await page.keyboard.type("SELECT name, count(*) AS n FROM slices WHERE name = 'cudaLaunchKernel' GROUP BY name");
    await page.keyboard.press("Control+Enter");
    const launches = events.filter((one) => one.name === "cudaLaunchKernel").length;
    const panel = page.locator(".trace-panel");
    await eventually(async () => assert.match(await text(panel), new RegExp(`1 row, .* read .*cudaLaunchKernel ${launches}$`)));
    await eventually(async () => assert.match(page.url(), /sql=SELECT/));
    await settled(page);
    assert.deepEqual(await axe(page), []);
    await field.fill("SELECT slice_id FROM slices WHERE name = 'ProfilerStep#2'");
    await page.getByRole("button", { name: "Ask" }).click();
    await panel.locator("tr[data-entry] button").first().click();
    await eventually(async () => assert.match(await details(page), /ProfilerStep#2 .*Begin 20 ms/));
  }));

test("a statement that may not be is refused in words", async () => {
  const { page, close } = await openPage(browser, { allow: [/400/] });
  try {
    await visit(page, `${address}?tab=query&sql=DELETE FROM slices`);
    await drawn(page);
    await page.locator(".trace-panel [role=alert]").waitFor();
    assert.match(await details(page), /\(400\)/);
  } finally {
    await close();
  }
});
