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

/** What each file imports, types as well, of the files of the same folder tree. */
const imports = new Map<string, string[]>();
for (const [file, text] of sources) {
  const named = [...text.matchAll(/(?:from|import\(|^import)\s*"(\.[^"]+)"/gm)].map(([, path]) =>
    join(dirname(file), path as string),
  );
  const files = named.map((path) => [`${path}.ts`, `${path}.tsx`].find((one) => sources.has(one)));
  imports.set(
    file,
    files.filter((one) => one !== undefined),
  );
}

/** What lies further in knows nothing of what lies further out. `src` are the frame and the list of pages. */
const OUTWARD = ["src/api", "src/lib", "src/parts", "src/trace", "src/pages", "src"];

test("imports go one way: api, lib, parts, the timeline, pages, the frame", () => {
  const found: string[] = [];
  for (const [file, imported] of imports) {
    const room = OUTWARD.findIndex((folder) => file.startsWith(`${folder}/`));
    for (const other of imported) {
      if (room >= 0 && OUTWARD.findIndex((folder) => other.startsWith(`${folder}/`)) > room)
        found.push(`${file} imports ${other}`);
    }
  }
  assert.ok(imports.get("src/app.tsx")?.includes("src/shell.tsx"), "imports are read");
  assert.deepEqual(found, []);
});

test("no files import each other in a circle", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" imports "));
    if (way.includes(file) || done.has(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

/** One worker per tab, and what the worker itself keeps; the trace viewer's keys. */
const OWN = [
  "src/api/answers.ts",
  "src/lib/tab.ts",
  "src/trace/worker.ts",
  "src/trace/workshop.ts",
  "src/trace/keys.ts",
];

test("what a tab keeps from page to page is in lib/tab.ts, and answers in api/answers.ts", () => {
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
