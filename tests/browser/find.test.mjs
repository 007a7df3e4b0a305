// Finding things, and errors over runs, as a person would.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "../integration/support/lines.mjs";
import { axe, driven, eventually, openBrowser, openPage, serve, settled, shot, text, visit } from "./support.mjs";

const NIGHT = 86_400;
const FIRST = 1_762_300_800;
const OOM = "Traceback (most recent call last):\n  File \"run.py\", line 3, in forward\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB";
const HOSTILE = "<img src=x onerror=alert(1)>";

let server;
let browser;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "benchhud-find-"));
  const nights = Array.from({ length: 12 }, (_, night) => {
    const timestamp = FIRST + night * NIGHT;
    const lines = ["alpha", "alphabet", "resnet50", "BERT_pytorch", HOSTILE].flatMap((model) =>
      ["inductor", null].map((dynamo) => line({ model, experiment: { dynamo }, metrics: times(0.01), timestamp })),
    );
    // alpha runs out of memory from the eighth night on, resnet50 in the third alone; another error is over.
    const failed = (model, error) => line({ model, experiment: { test: "train" }, metrics: { error }, verification_code: "VERIFIER_DIDNT_RUN", timestamp });
    lines.push(night >= 7 ? failed("alpha", OOM) : line({ model: "alpha", experiment: { test: "train" }, metrics: times(0.02), timestamp }));
    lines.push(night === 2 ? failed("resnet50", OOM) : line({ model: "resnet50", experiment: { test: "train" }, metrics: times(0.02), timestamp }));
    lines.push(night < 4 ? failed("alphabet", `ValueError: ${HOSTILE}`) : line({ model: "alphabet", experiment: { test: "train" }, metrics: times(0.02), timestamp }));
    const path = join(folder, `night-${night}.jsonl`);
    writeFileSync(path, lines.join("\n") + "\n");
    return path;
  });
  server = await serve([]);
  for (const [night, path] of nights.entries()) await server.ingest([path], ["--label", `commit=c0ffee${night}aaaaaaaaaa`, "--label", "branch=main"]);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);

const options = (page) => page.locator('.palette [role="option"]');
const titles = (page) => page.locator(".palette .hit-title").allInnerTexts();

test("one key, some letters, Enter: the page", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("resn");
    await eventually(async () => assert.equal((await titles(page))[0], "resnet50"));
    await eventually(async () => assert.equal(await page.locator('.palette [aria-selected="true"] mark').first().innerText(), "resn"));
    await shot(page, "search-light");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/models\/torchbench\/resnet50/);
    await eventually(async () => assert.equal(await page.locator(".palette").count(), 0));

    await page.keyboard.press("Control+k");
    await eventually(async () => assert.equal((await titles(page))[0], "resnet50", "what was chosen before is offered first"));
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await page.locator(".palette").count(), 0));
  });
});

test("typing and Enter at once leads to what was typed", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("BERT_pytorch");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/models\/torchbench\/BERT_pytorch/);
  });
});

test("arrow keys choose, also across kinds, and the list says so to who does not see it", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("alpha");
    await eventually(async () => assert.ok((await titles(page)).includes("alphabet")));
    // A word's beginning may have found it, too, and other things.
    await page.locator(".palette .late").waitFor({ state: "detached" });
    const shown = await titles(page);
    await page.keyboard.press("ArrowDown");
    const input = page.locator(".palette input");
    assert.equal(await input.getAttribute("aria-activedescendant"), "hit-1");
    assert.equal(await page.locator("#hit-1 .hit-title").innerText(), shown[1]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await input.getAttribute("aria-activedescendant"), `hit-${shown.length - 1}`);
    assert.deepEqual(await axe(page), []);
  });
});

test("commits, runs, errors, pages and keys are found", async () => {
  await on("/", async (page) => {
    const firstOf = async (typed, expected) => {
      // While it closes it still takes what is typed.
      await page.locator(".palette input").waitFor({ state: "hidden" });
      await page.keyboard.press("/");
      await page.locator(".palette input").fill(typed);
      await eventually(async () => assert.match((await titles(page))[0] ?? "", expected));
    };
    await firstOf("c0ffee3", /^c0ffee3/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/\d+$/);
    await firstOf("2025-11-06", /2025-11-06/);
    await page.keyboard.press("Escape");
    await firstOf("out of mem", /out of memory/i);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/errors\?signature=/);
    await firstOf("verific", /^Verification$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/verification/);
    await firstOf("shortcuts", /^Keys$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
  });
});

test("a key pressed right behind the one that leaves the palette is the page's", async () => {
  await on("/", async (page) => {
    const input = page.locator(".palette input");
    for (let round = 0; round < 5; ++round) {
      await page.keyboard.press("/");
      await input.fill("resnet");
      // All at once, before anything can be drawn in between.
      await Promise.all([page.keyboard.press("Escape"), page.keyboard.press("/"), page.keyboard.type("bert")]);
      assert.equal(await input.inputValue(), "bert");
      await page.keyboard.press("Escape");
      assert.equal(await input.count(), 0);
    }
    // A hit that was chosen.
    await page.keyboard.press("/");
    await input.fill("BERT_pytorch");
    await eventually(async () => assert.equal((await titles(page))[0], "BERT_pytorch"));
    await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("/"), page.keyboard.type("al")]);
    await page.waitForURL(/\/models\/torchbench\/BERT_pytorch/);
    assert.equal(await input.inputValue(), "al");
  });
});

test("nothing found says what was looked through; a slip of a letter is forgiven; anything may be typed", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    const input = page.locator(".palette input");
    await input.fill("zzzzzzzz");
    await page.getByText("Nothing is called that.").waitFor();
    assert.match(await text(page.locator(".palette")), /Searched .*12 runs/);
    await input.fill("resnte50");
    await eventually(async () => assert.equal((await titles(page))[0], "resnet50"));
    assert.match(await text(page.locator(".palette")), /with a letter changed/);
    for (const typed of ["%", "_", "\\", "' OR 1=1 --", "x".repeat(10_000), "\ud800", HOSTILE]) {
      await input.fill(typed);
      await eventually(async () => assert.equal(await page.locator('.palette #search-hits.late').count(), 0));
    }
    await eventually(async () => assert.equal((await titles(page))[0], HOSTILE));
  });
});

test("where the browser keeps nothing, searching works all the same", async () => {
  const { page, problems, close } = await openPage(browser);
  try {
    await page.addInitScript(() => {
      Object.defineProperty(window, "sessionStorage", { get: () => { throw new Error("refused"); } });
    });
    await visit(page, server.base + "/");
    await page.keyboard.press("/");
    await page.keyboard.type("resnet50");
    await eventually(async () => assert.equal((await titles(page))[0], "resnet50"));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/models\//);
    await page.locator(".palette").waitFor({ state: "detached" });
    await settled(page);
    await page.keyboard.press("/");
    await eventually(async () => assert.equal((await titles(page))[0], "resnet50"));
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("on a small window the palette is a sheet", async () => {
  await on("/", async (page) => {
    await page.getByRole("button", { name: "Search" }).click();
    await page.keyboard.type("alpha");
    await eventually(async () => assert.ok((await options(page).count()) > 2));
    const box = await page.locator(".palette").boundingBox();
    assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 390, 844]);
    await shot(page, "search-narrow");
    await page.getByRole("button", { name: "Close" }).click();
    await eventually(async () => assert.equal(await page.locator(".palette").count(), 0));
  }, { width: 390, height: 844 });
});

test("all hits stand on a page that can be shared", async () => {
  await on("/", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("alpha");
    await eventually(async () => assert.ok((await titles(page)).includes("alphabet")));
    await page.locator(".palette .late").waitFor({ state: "detached" });
    await page.getByRole("link", { name: /All \d+ hits on a page/ }).click();
    await page.waitForURL(/\/search\?q=alpha/);
    await settled(page);
    const answer = await server.api("/search?q=alpha&limit=200");
    assert.match(await text(page.locator("h1")), /“alpha” is found in 2 models/);
    assert.equal(await page.locator(".found tbody tr").count(), answer.groups.reduce((sum, group) => sum + group.items.length, 0));
    await page.reload();
    await settled(page);
    assert.match(await text(page.locator("h1")), /2 models/);
    await page.getByLabel("Search", { exact: true }).fill("no such thing at all");
    await page.waitForURL(/q=no\+such/);
    await eventually(async () => assert.match(await text(page.locator("h1")), /Nothing is called/));
  });
});

test("errors: what fails, since when, and what is over", async () => {
  const answer = await server.api("/errors");
  await on("/errors", async (page) => {
    assert.match(await text(page.locator("h1")), /1 error in the newest run, of 1 experiment \(1 failed\); 1 new within the last 12 runs; 1 other is over\./);
    const rows = page.locator("tr[data-entry]");
    assert.equal(await rows.count(), answer.items.length);
    assert.match(await text(rows.nth(0)), /out of memory/i);
    assert.match(await text(rows.nth(0)), /new since 2025-11-12/);
    assert.match(await text(rows.nth(1)), /over; last on 2025-11-08/);
    await shot(page, "errors-light");
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "exception", exact: true }).click();
    await page.waitForURL(/kind=exception/);
    await eventually(async () => assert.equal(await rows.count(), 1));
    // Numbers in messages are one and the same.
    assert.ok((await text(rows.first())).includes("<img src=x onerror=alert(N)>"));
    await page.goBack();
    await rows.nth(0).locator("a").first().click();
    await page.waitForURL(/signature=/);
  });
});

test("one error: its experiments, its nights, its text and the command that tries it again", async () => {
  const { items } = await server.api("/errors");
  const oom = items.find((item) => item.kind === "out_of_memory");
  const history = await server.api(`/errors/history?signature=${encodeURIComponent(oom.signature)}`);
  await on(`/errors?signature=${encodeURIComponent(oom.signature)}`, async (page) => {
    assert.match(await text(page.locator("h1")), /^Out of memory: 1 experiment now, new since 2025-11-12; 1 more had it before\.$/);
    const rows = page.locator("tr[data-entry]");
    assert.equal(await rows.count(), 2);
    assert.match(await text(rows.nth(0)), /alpha.*failing.*5 of 12.*2025-11-12.*2025-11-16/);
    assert.match(await text(rows.nth(1)), /resnet50.*over.*1 of 12/);
    assert.ok((await text(page.locator(".wide-command"))).includes(history.reproduction));
    assert.equal(await page.locator(".count-bar").count(), 6);
    await shot(page, "error-light");
    assert.deepEqual(await axe(page), []);

    await page.getByRole("button", { name: "Show all of it" }).click();
    await eventually(async () => assert.equal(await page.locator(".error-text pre").innerText(), OOM));
    await page.getByRole("button", { name: "backend", exact: true }).click();
    await page.waitForURL(/group=backend/);
    await eventually(async () => assert.match(await text(page.locator("tr.group")), /inductor/));

    const plot = page.locator(".count-bars .plot");
    await plot.focus();
    await page.keyboard.press("End");
    assert.match(await plot.getAttribute("aria-valuetext"), /2025-11-16: 1 experiment/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/\d+/);
  });
});

test("an error that is in no run says what to do", async () => {
  await on("/errors?signature=nobody", async (page) => {
    assert.match(await text(page.locator("h1")), /none of the last 12 runs/);
    assert.match(await text(page.locator("main")), /choose more runs/);
  });
});

test("a run's failures lead to their error over runs", async () => {
  await on("/verification", async (page) => {
    await page.locator(".failures .over-runs").first().click();
    await page.waitForURL(/\/errors\?signature=/);
  });
});

for (const theme of ["light", "dark"]) {
  test(`no page of these is wider than its window, and axe-core finds nothing serious, ${theme}`, async () => {
    const { items } = await server.api("/errors");
    await on("/", async (page) => {
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 844 });
        for (const address of ["/search?q=alpha", "/errors", `/errors?signature=${encodeURIComponent(items[0].signature)}`]) {
          await visit(page, server.base + address);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${address} at ${width}: ${wide}`);
          assert.deepEqual(await axe(page), [], `${address} at ${width}`);
          await shot(page, `find-${address.split(/[/?=]/)[1]}-${address.includes("signature") ? "one-" : ""}${width}-${theme}`);
        }
      }
    }, { theme });
  });
}
