// A store without runs, and one with a single run: nothing is said of runs that are not there.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { driven, night, openBrowser, serve, text } from "./support.mjs";

let folder;
let browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "benchhud-first-"));
  mkdirSync(join(folder, "2026-01-01"));
  const lines = [
    { model: "alexnet", dynamo: "inductor", times: [0.01, 0.01, 0.01, 0.01, 0.01] },
    { model: "alexnet", times: [0.02, 0.02, 0.02, 0.02, 0.02] },
  ];
  writeFileSync(join(folder, "2026-01-01", "results.jsonl"), night({ timestamp: Date.UTC(2026, 0, 1) / 1000, lines }));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const PAGES = ["/", "/compare", "/runs", "/verification", "/models", "/explore", "/alerts", "/coverage", "/ingests", "/errors", "/artifacts"];
// The browser itself reports every answer that is an error.
const options = { allow: [/status of 404/] };

test("without a run every page says how to get one, or that there is nothing, and the command finds this store", async () => {
  const server = await serve([]);
  try {
    for (const address of PAGES) {
      await driven(browser, server.base + address, async (page) => assert.doesNotMatch(await text(page.locator("main")), /\(404\)|not found/i, address), options);
    }
    await driven(browser, `${server.base}/`, async (page) => {
      const commands = await page.locator(".command code").allInnerTexts();
      assert.deepEqual(commands, ["benchhud ingest --db STORE path/to/output", "benchhud ingest --db STORE samples/cpu_nightlies"]);
      assert.match(await text(page.locator("main")), /benchhud serve --db STORE/);
    });
  } finally {
    await server.stop();
  }
});

test("files that nothing recognized are listed with the ingests", async () => {
  mkdirSync(join(folder, "2026-01-01", "alexnet"));
  writeFileSync(join(folder, "2026-01-01", "alexnet", "notes.txt"), "");
  const server = await serve([folder]);
  try {
    await driven(browser, `${server.base}/ingests`, async (page) => {
      const section = page.locator("section:has(#unrecognized)");
      assert.match(await text(section), /Files that were not recognized: 1/);
      assert.deepEqual(await section.locator("li").allInnerTexts(), ["alexnet/notes.txt"]);
    });
  } finally {
    await server.stop();
  }
});

test("with one run no page speaks of an earlier one that is not there", async () => {
  const server = await serve([folder]);
  try {
    const [run] = (await server.api("/runs")).items;
    for (const address of [...PAGES, `/runs/${run.id}`, "/backends/inductor", "/suites/torchbench"]) {
      await driven(
        browser,
        server.base + address,
        async (page) => {
          const words = await text(page.locator("main"));
          assert.doesNotMatch(words, /\(404\)/, address);
          assert.doesNotMatch(words, /of an earlier run/, address);
          assert.doesNotMatch(words, /\d\/0\b/, address);
        },
        options,
      );
    }
    await driven(browser, `${server.base}/compare`, async (page) => assert.match(await text(page.locator("main")), /There is one run so far/), options);
  } finally {
    await server.stop();
  }
});
