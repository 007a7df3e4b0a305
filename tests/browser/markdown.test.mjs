// What the key m and the buttons copy: what is seen, as Markdown, whatever is in the names.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, night, openBrowser, openPage, samples, seen, serve, text, visit } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Presses `m` and gives what is in the clipboard then. */
async function copied(page) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.keyboard.press("m");
  await eventually(async () => assert.equal(await text(page.locator(".toast")), "Copied as Markdown."));
  return clipboard(page);
}

const unescaped = (markdown) => markdown.replace(/\\([\\`*_{}[\]<>#|~&+.-])/g, "$1").replace(/\u200b/g, "");
/** The rows of the first table with such a head, as texts. */
function rowsOf(markdown, head) {
  const lines = unescaped(markdown).split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${head}`));
  assert.ok(at >= 0, `no table ${head} in\n${markdown}`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"));
  return lines.slice(at + 2, end).map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));
}

test("every page gives its sentence, its tables as seen, and its address", async () => {
  const server = await serve([samples]);
  const { page, problems, close } = await openPage(browser);
  try {
    const table = await server.api("/runs/latest/models");
    const alert = (await server.api("/alerts?limit=1")).items[0];
    const pages = [["/", "Backend"], ["/runs", "Run"], [`/runs/${table.run.id}?test=eval`, "Model"], ["/verification", "Model"], ["/alerts", "State"], [`/alerts/${alert.id}`, "Series"], ["/models/cpu-mini/resnet_mini", "Run"]];
    const all = new Map();
    for (const [address, head] of pages) {
      await visit(page, server.base + address);
      const markdown = await copied(page);
      all.set(address, markdown);
      const sentence = (await text(page.locator("main h1"))).replace(/(worse|better|different): /i, "");
      assert.ok(unescaped(markdown).replace(/\s+/g, " ").startsWith(`**${sentence}**`), `${address}\n${sentence}\n${markdown.slice(0, 300)}`);
      assert.ok(rowsOf(markdown, head).length > 0, address);
      // The newest runs are others tomorrow: the overview gives the address of these.
      const link = address === "/" ? `/?until=${encodeURIComponent(new Date(Date.parse(table.run.started_at) + 1).toISOString())}` : address;
      assert.ok(markdown.trimEnd().endsWith(`[This view](<${server.base}${link}>)`), markdown.slice(-200));
    }
    // Numbers are those of the answer, with units in the heads and the interval beside a speedup.
    const run = all.get(`/runs/${table.run.id}?test=eval`);
    const row = table.rows.find((one) => one.model === "resnet_mini" && one.test === "eval");
    const cells = rowsOf(run, "Model").find((one) => one[0] === "`resnet_mini`");
    const { speedup } = row.cells.aot_eager;
    assert.match(run, /aot\\_eager time ms/);
    assert.ok(cells.includes(seen(row.cells.aot_eager.time.value * 1e3)), cells.join());
    assert.ok(cells.some((cell) => cell.endsWith(`${seen(speedup.value)} [${seen(speedup.interval.low)}–${seen(speedup.interval.high)}]`)), cells.join());
    assert.ok(rowsOf(run, "Model").every((one) => one[1] === "inference"), "only what the filter lets through");
    assert.match(all.get(`/alerts/${alert.id}`), /```sh\n.*experiment_runner\.py/);

    // A button copies the section that it stands in.
    await visit(page, `${server.base}/runs/${table.run.id}`);
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.getByRole("button", { name: "Markdown" }).click();
    await eventually(async () => assert.match(await clipboard(page), /\| Model \|/));
    assert.doesNotMatch(await clipboard(page), /Left out/);

    // Who types an m types it.
    await page.keyboard.press("f");
    await page.keyboard.type("mm");
    await eventually(() => assert.match(page.url(), /q=mm/));
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});

test("what is in a name stays in it, and a long table is cut with a word", async () => {
  const server = await serve([]);
  const names = ["a|b", "a tick`s``", "<img src=x>", "@somebody", "a two\nlines", "[x](javascript:0)", ...Array.from({ length: 400 }, (_, index) => `model_${String(index).padStart(3, "0")}`)];
  const folder = join(server.folder, "names");
  mkdirSync(folder);
  const times = [1, 0.2, 0.2, 0.1, 0.11, 0.12, 0.1, 0.1];
  writeFileSync(join(folder, "night.jsonl"), night({ timestamp: 1767225600, lines: names.flatMap((model) => [null, "inductor"].map((dynamo) => ({ model, dynamo, times }))) }));
  await server.ingest([folder]);
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${server.base}/runs/latest?sort=model`);
    const markdown = await copied(page);
    const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
    const bars = (line) => line.replace(/\\\|/g, "").split("|").length;
    const table = lines.slice(lines.findIndex((line) => line.startsWith("| Model")));
    assert.ok(table.every((line) => bars(line) === bars(table[0])), "every row has as many cells as the head");
    for (const name of ["`a\\|b`", "``` a tick`s`` ```", "`<img src=x>`", "`@somebody`", "`a two lines`", "`[x](javascript:0)`"]) {
      assert.ok(table.some((line) => line.startsWith(`| ${name} |`)), name);
    }
    assert.match(markdown, /… and 156 more rows, at the address below\./);
    assert.ok(markdown.length < 65_536);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await server.stop();
  }
});
