// Two runs compared, as a person does it: by pins, by keys, by search; and what the page says is what the API says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, driven, eventually, night, openBrowser, samples, serve, settled, shot, text } from "./support.mjs";

let server;
let browser;
const GPU = "NVIDIA A100-SXM4-40GB";
before(async () => {
  server = await serve([samples]);
  // Another accelerator, with labels, a hostile name and one that crashes.
  const at = Date.parse("2025-11-20T00:00:00Z") / 1000;
  const { writeFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const times = (seconds) => [seconds + 2, seconds, seconds, seconds, seconds * 1.01, seconds * 0.99, seconds, seconds * 1.005];
  for (const [index, branch] of ["main", "work"].entries()) {
    const path = join(server.folder, `gpu-${index}.jsonl`);
    writeFileSync(
      path,
      night({
        timestamp: at + index * 86400,
        lines: [
          { model: "<img src=x onerror=alert(1)>", dynamo: "inductor", times: times(index ? 2 : 1) },
          { model: "resnet_mini", suite: "cpu-mini", dynamo: "inductor", times: times(0.001) },
          index ? { model: "crashes", dynamo: "inductor", error: "RuntimeError: CUDA out of memory." } : { model: "crashes", dynamo: "inductor", times: times(1) },
        ],
      }),
    );
    await server.ingest([path], ["--label", `branch=${branch}`]);
  }
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);
const runs = async (accelerator) => (await server.api("/runs?limit=1000")).items.filter((run) => (run.accelerator_model === GPU) === (accelerator === GPU));
const verdicts = { worse: "slower", better: "faster", unclear: "unclear" };

test("the numbers are those of the API, the reason of a verdict is said aloud and in full when a row is opened", async () => {
  const answer = await server.api("/compare?left=2025-11-14&right=2025-11-15");
  assert.ok(answer.rows.some((row) => row.verdict === "worse"), "these two nights have something to show");
  await on("/compare?left=2025-11-14&right=2025-11-15", async (page) => {
    const heading = await text(page.locator("h1"));
    assert.match(heading, new RegExp(`${answer.groups[0].newly_failing.length} newly failing`));
    assert.match(heading, new RegExp(`${answer.groups[0].worse} slower`));
    const rows = page.locator("#models ~ * tr[data-entry], section:has(> .section-head #models) tr[data-entry]");
    assert.equal(await rows.count(), answer.rows.length);
    for (const row of answer.rows.filter((one) => one.change)) {
      const line = page.locator("tr[data-entry]", { has: page.getByRole("rowheader", { name: row.model, exact: true }) }).filter({ hasText: { eval: "inference", train: "training" }[row.test] }).filter({ has: page.getByText(row.right.column, { exact: true }) }).first();
      const titles = (await line.locator(".num").evaluateAll((nodes) => nodes.map((node) => node.title))).join("\n");
      assert.ok(titles.includes(`${row.left.time.value} s`) && titles.includes(`${row.right.time.value} s`), row.model);
      assert.ok(titles.includes(`${row.change.ratio}×`), `${row.model}: ${row.change.ratio}`);
      assert.match(await text(line.locator(".verdict")), new RegExp(verdicts[row.verdict]));
      assert.match(await line.locator(".verdict .sr").textContent(), /held against|fewer than/);
    }
    const summary = page.locator("table.compare-summary tbody tr");
    assert.equal(await summary.count(), answer.groups.length);
    assert.ok((await text(summary.first())).includes(`${answer.groups[0].left.passing}/${answer.groups[0].left.verifiable} → ${answer.groups[0].right.passing}/${answer.groups[0].right.verifiable}`));

    await rows.first().focus();
    await page.keyboard.press("Enter");
    await eventually(async () => assert.match(page.url(), /row=/));
    const panel = page.locator(".compare-row");
    assert.match(await text(panel), /held against how \d+ earlier nights differ: q is/);
    assert.equal(await panel.getByRole("link", { name: "What differs between the profiles" }).count(), 1, "both nights have dumps of it");
    await shot(page, "compare-light");
    await page.keyboard.press("Enter");
    await eventually(async () => assert.doesNotMatch(page.url(), /row=/));
  });
});

test("runs go on by keys, by the slider and by search; all of it is in the address, and back goes back", async () => {
  const [newest, second, third, fourth, fifth] = await runs("cpu");
  await on(`/compare?left=${second.id}&right=${newest.id}`, async (page) => {
    await page.keyboard.press("[");
    // The run on the other side is passed over: no step compares a run with itself.
    await eventually(() => assert.match(page.url(), new RegExp(`right=${third.id}\\b`)));
    await settled(page);
    await page.keyboard.press("{");
    await eventually(() => assert.match(page.url(), new RegExp(`left=${fourth.id}\\b`)));
    await page.keyboard.press("]");
    await eventually(() => assert.match(page.url(), new RegExp(`right=${second.id}\\b`)));
    await settled(page);
    await page.keyboard.press("}");
    await eventually(() => assert.match(page.url(), new RegExp(`left=${third.id}\\b`)));
    await page.goBack();
    await eventually(() => assert.match(page.url(), new RegExp(`left=${fourth.id}\\b`)));
    await settled(page);

    const slider = page.getByLabel("Left: run, oldest to newest");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await eventually(() => assert.match(page.url(), new RegExp(`left=${fifth.id}\\b`)));
    await settled(page);

    await page.getByRole("group", { name: "Right", exact: true }).getByRole("button", { name: /^Right: run/ }).click();
    await page.getByRole("combobox", { name: "Right: search runs and labels" }).fill("branch work");
    await page.keyboard.press("Enter");
    await eventually(() => assert.match(page.url(), /right=branch:work/));
    await settled(page);
    assert.match(await text(page.locator("h1")), new RegExp(GPU.replace(/\W/g, ".")), "another accelerator is allowed, and said");
    await page.getByRole("button", { name: "Swap" }).click();
    await eventually(() => assert.match(page.url(), new RegExp(`right=${fifth.id}\\b`)));
  });
});

test("two backends of one run, model by model", async () => {
  await on("/compare?left=latest&right=latest&left_accelerator_model=Intel(R)%20Xeon(R)%20Processor&right_accelerator_model=Intel(R)%20Xeon(R)%20Processor", async (page) => {
    assert.match(await text(page.locator("h1")), /stands on both sides/);
    await page.getByRole("group", { name: "Left", exact: true }).getByLabel("Backend").selectOption("eager");
    await eventually(() => assert.match(page.url(), /left_backend=eager&right_backend=eager/));
    await page.getByRole("group", { name: "Right", exact: true }).getByLabel("Backend").selectOption("inductor");
    await eventually(() => assert.match(page.url(), /right_backend=inductor/));
    await settled(page);
    assert.match(await text(page.locator("h1")), /eager of .* → inductor of /);
    assert.match(await text(page.locator(".kicker")), /two backends of one run/);
    assert.ok((await text(page.locator("table.compare-summary"))).includes("eager → inductor"));
  });
});

test("what crashed is red and says of what; names are text", async () => {
  await on("/compare?left=branch:main&right=branch:work", async (page) => {
    const events = page.getByRole("region", { name: "No longer timed" });
    assert.match(await text(events), /out of memory.*crashes/);
    const row = page.locator("tr[data-entry]", { hasText: "<img src=x onerror=alert(1)>" });
    assert.match(await text(row.locator(".verdict")), /slower/);
    assert.match(await row.locator(".verdict .sr").textContent(), /fewer than 6 earlier nights/);
    assert.equal(await page.locator("main img").count(), 0);
    await page.getByRole("button", { name: /^missing/ }).click();
    await eventually(async () => assert.equal(await page.locator("tr[data-entry]").count(), 1));
    assert.match(page.url(), /show=missing/);
  });
});

test("two pinned nights of a chart, or of the list of runs, make a comparison", async () => {
  const all = await runs("cpu");
  await on("/models/cpu-mini/resnet_mini?accelerator_model=Intel(R)%20Xeon(R)%20Processor", async (page) => {
    const plot = page.locator(".plot").first();
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("p");
    await eventually(() => assert.match(page.url(), /pin=\d+$/));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("p");
    await eventually(() => assert.match(page.url(), /pin=\d+&pin=\d+$/));
    const bar = page.getByRole("complementary", { name: "Pinned nights" });
    await eventually(async () => assert.match(await text(bar), /left: \S+ \S+ right: \S+ \S+ Compare/));
    await page.reload();
    await settled(page);
    await eventually(async () => assert.equal(await bar.getByRole("link", { name: /Compare/ }).count(), 1));
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare\?left=\d+&right=\d+&q=resnet_mini/);
    const [, left, right] = /left=(\d+)&right=(\d+)/.exec(page.url());
    assert.ok(all.findIndex((run) => run.id === Number(left)) > all.findIndex((run) => run.id === Number(right)), "the earlier night stands at the left");
    await settled(page);
  });
  await on("/runs", async (page) => {
    await page.getByRole("button", { name: /^pin / }).nth(0).click();
    await page.getByRole("button", { name: /^pin / }).nth(1).click();
    await page.getByRole("link", { name: /Compare c/ }).click();
    await page.waitForURL(/\/compare\?left=\d+&right=\d+$/);
  });
  await on("/runs/latest?accelerator_model=x", async (page) => {
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare\?left=\d+&right=\d+/);
    await settled(page);
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare$/);
  });
});

test("the strip of changes is gone through by keys, and filters narrow it", async () => {
  await on("/compare?left=2025-11-14&right=2025-11-15", async (page) => {
    const strip = page.locator(".change-strip [role=group]");
    await strip.focus();
    await page.keyboard.press("ArrowRight");
    const first = await text(page.locator(".strip-now"));
    assert.match(first, /: \+\d+\.\d %/);
    await page.keyboard.press("Enter");
    await eventually(() => assert.match(page.url(), /row=/));
    await page.getByRole("group", { name: "Test" }).getByRole("button", { name: "training" }).click();
    await eventually(async () => assert.match(await strip.getAttribute("aria-label"), /Changes of 17 results|Changes of 18 results/));
  });
});

test("on a small window the list of runs stays inside it", async () => {
  await on("/compare", async (page) => {
    await page.locator(".run-menu button").first().click();
    const box = await page.locator(".run-menu .menu-panel").boundingBox();
    // What is drawn ends before the place for a scroll bar.
    const width = await page.evaluate(() => document.documentElement.getBoundingClientRect().right);
    assert.ok(box.x >= 0 && box.x + box.width <= width, `${box.x} to ${box.x + box.width} of ${width}`);
  }, { width: 390, height: 844 });
});

for (const [width, theme] of [[390, "light"], [1024, "dark"], [1440, "dark"]]) {
  test(`at ${width} pixels, ${theme}: axe finds nothing serious, and the page does not scroll sideways`, async () => {
    const [newest, second] = await runs("cpu");
    await on(
      `/compare?left=2025-11-14&right=2025-11-15&pin=${newest.id}&pin=${second.id}`,
      async (page) => {
        await page.locator("tr[data-entry]").first().focus();
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: /^Left: run/ }).click();
        assert.deepEqual(await axe(page), []);
        await page.keyboard.press("Escape");
        const wide = await page.evaluate(() => document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide`);
        await shot(page, `compare-${width}-${theme}`);
      },
      { width, theme },
    );
  });
}
