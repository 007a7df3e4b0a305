import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

// The tests are built into build/web-tests.
const web = join(dirname(fileURLToPath(import.meta.url)), "../../web");
const sources = new Map<string, string>();
for (const folder of ["src", "test"]) {
  const read = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) read(inside);
      else if (/\.tsx?$/.test(entry.name) && entry.name !== "openapi.ts")
        sources.set(relative(web, inside), readFileSync(inside, "utf8"));
    }
  };
  read(join(web, folder));
}

test("nothing is exported that nobody uses", () => {
  const dead: string[] = [];
  for (const [file, text] of sources) {
    if (!file.startsWith("src")) continue;
    for (const [, name] of text.matchAll(/^export (?:async )?(?:const|function|class|type) (\w+)/gm)) {
      const word = new RegExp(`\\b${name}\\b`, "g");
      const uses = [...sources].reduce(
        (sum, [other, code]) => sum + (code.match(word)?.length ?? 0) - (other === file ? 1 : 0),
        0,
      );
      if (uses === 0) dead.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(dead, []);
});

/** One worker per tab, and what the worker itself keeps; the trace viewer's keys. */
const OWN = ["src/lib/tab.ts", "src/trace/worker.ts", "src/trace/workshop.ts", "src/trace/keys.ts"];

test("what a tab keeps from page to page is in lib/tab.ts", () => {
  const found: string[] = [];
  for (const [file, text] of sources) {
    if (!file.startsWith("src") || OWN.includes(file)) continue;
    for (const [line] of text.matchAll(
      /^(?:export )?(?:let |var |const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\)).*$/gm,
    ))
      found.push(`${file}: ${line}`);
  }
  assert.deepEqual(found, []);
});

test("texts of any length are shortened where they are shown on hover", () => {
  const found: string[] = [];
  for (const [file, text] of sources) {
    for (const [title] of text.matchAll(
      /title=\{(?:[^{}]|\$\{[^{}]*\})*\b(?:excerpt|signature|unreadable)\b(?:[^{}]|\$\{[^{}]*\})*\}/g,
    ))
      if (!title.includes("hoverText")) found.push(`${file}: ${title}`);
  }
  assert.deepEqual(found, []);
});
