import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { filesOf, findBreaches, findClashes, findForeignNamespaces, findLostSteps, includesOf, placesIn, readRules } from "./house.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const description = readFileSync(resolve(root, "ARCHITECTURE.md"), "utf8");

test("the tree is as ARCHITECTURE.md describes it", () => {
  const rules = readRules(description);
  const files = filesOf(root, rules.modules);
  assert.ok(files.length > 100, `only ${files.length} files were found`);
  assert.deepEqual(findBreaches(rules, files, includesOf(root, files, rules.modules)), []);
});

test("a room holds at most some 30 units", () => {
  const units = new Map();
  for (const file of filesOf(root, readRules(description).modules)) {
    const [folder, unit] = [file.replace(/\/[^/]*$/, ""), file.replace(/\.[a-z]+$/, "")];
    units.set(folder, (units.get(folder) ?? new Set()).add(unit));
  }
  const crowded = [...units].filter(([, names]) => names.size > 34).map(([folder, names]) => `${folder}: ${names.size}`);
  assert.deepEqual(crowded, []);
});

test("a unit's namespace is its module's", () => {
  const files = filesOf(root, readRules(description).modules);
  assert.deepEqual(findForeignNamespaces(files, (file) => readFileSync(resolve(root, file), "utf8")), []);
});

test("what is a unit's own is its own in the folder", () => {
  // Commands and tables of routes are compiled one by one.
  const files = filesOf(root, readRules(description).modules).filter((file) => !/^(cli|server\/routes)\//.test(file));
  assert.deepEqual(findClashes(files, (file) => readFileSync(resolve(root, file), "utf8")), []);
});

test("names that clash are told, and the same alias is none", () => {
  const texts = {
    "a/x.cc": "using Kind = One::Kind;\nusing Same = std::string;\nstruct Part {\n};\nconstexpr int kMost = 3, kLeast = 1;\n",
    "a/y.cc": "using Kind = Two::Kind;\nusing Same = std::string;\nclass Part final : Base {\n};\nconstexpr std::string_view kLeast[] = {};\n  constexpr int kMost = 2;\n",
    "b/z.cc": "struct Part {\n};\n",
  };
  assert.deepEqual(findClashes(Object.keys(texts), (file) => texts[file]), [
    "Kind is in a/x.cc and in a/y.cc", "Part is in a/x.cc and in a/y.cc", "kLeast is in a/x.cc and in a/y.cc",
  ]);
});

test("a namespace of another module is named", () => {
  const texts = { "a/x.h": "namespace benchhud::a::inner {\n}", "a/y.h": "namespace benchhud::b {\n}", "a/z.h": "namespace benchhud::ab {\n}" };
  assert.deepEqual(findForeignNamespaces(Object.keys(texts), (file) => texts[file]), [
    "a/y.h opens namespace benchhud::b, not benchhud::a",
    "a/z.h opens namespace benchhud::ab, not benchhud::a",
  ]);
});

const rules = readRules(`
| module | may include |
|---|---|
| low | |
| high | low |

| room | what is in it | rooms of its own module that it may include |
|---|---|---|
| low | one room | |
| high/a | | |
| high/b | | a |

| from | to |
|---|---|
| low | high/a |
`);
const files = ["low/x.h", "high/a/y.h", "high/b/z.h"];
const include = (file, target) => ({ file, line: 3, target });
const excepted = include("low/x.h", "high/a/y.h");

test("what is allowed passes", () => {
  const includes = [excepted, include("high/b/z.h", "high/a/y.h"), include("high/b/z.h", "low/x.h"), include("low/x.h", "low/queries.h")];
  assert.deepEqual(findBreaches(rules, files, includes), []);
});

test("includes against the arrows, within a module and between modules, are named", () => {
  const found = findBreaches(rules, files, [excepted, include("high/a/y.h", "high/b/z.h"), include("low/x.h", "high/b/z.h")]);
  assert.deepEqual(found, ["high/a/y.h:3: high/a may not include high/b/z.h", "low/x.h:3: low may not include high/b/z.h"]);
});

test("a room without a description, a description without a room and an exception that nothing needs are named", () => {
  const found = findBreaches(rules, ["low/x.h", "high/a/y.h", "high/c/z.h"], []);
  assert.equal(found.length, 3);
  assert.match(found[0], /names no room high\/c/);
  assert.match(found[1], /no unit is in high\/b/);
  assert.match(found[2], /delete the line/);
});

test("a circle in the description is named", () => {
  const circle = { ...rules, exceptions: [], rooms: new Map([["low", []], ["high/a", ["high/b"]], ["high/b", ["high/a"]]]) };
  assert.deepEqual(findBreaches(circle, files, []), ["ARCHITECTURE.md: high/a → high/b → high/a is a circle"]);
});

test("the paths lead along functions that are there, and every place that is named is there", () => {
  const texts = new Map(filesOf(root, readRules(description).modules).map((file) => [file, readFileSync(resolve(root, file), "utf8")]));
  assert.deepEqual(findLostSteps(description, texts), []);
  const lost = placesIn(description).filter((place) => !existsSync(resolve(root, place)));
  assert.deepEqual(lost.filter((place) => !/^(tests\/unit|schema\/results\/writer)/.test(place)), []);
});

test("a step whose function is gone, or that no other unit uses, is named", () => {
  const text = "| `derive` | `a/b.h` | what |\n| `gone` | `a/b.h` | what |\n| `unused` | `a/b.h` | what |";
  const texts = new Map([
    ["a/b.h", "bool derive(int); void unused();"],
    ["a/b.cc", "void unused() {}"],
    ["a/c.cc", "derive(1);"],
  ]);
  assert.deepEqual(findLostSteps(text, texts), ["a/b.h has no gone", "nothing but a/b uses unused"]);
});
