// How the guard of speed compares counts (tests/bench/guard_counts.mjs), with made-up ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, renewed, verdictTable, versionDifferences } from "../bench/guard_counts.mjs";
import { jobs } from "../bench/guard_paths.mjs";

const committed = { overview: { instructions: 1_000_000, statements: 20 }, report: { instructions: 2_000_000 } };
const one = (counts) => compare({ overview: committed.overview }, { overview: { ...committed.overview, ...counts } })[0];

test("more than 5 % more instructions fail, with how many", () => {
  assert.deepEqual(one({ instructions: 1_050_001 }), { name: "overview", failed: true, stale: false, text: "+5.0 % instructions" });
  assert.equal(one({ instructions: 1_123_000 }).text, "+12.3 % instructions");
  assert.deepEqual(one({ instructions: 1_049_999 }), { name: "overview", failed: false, stale: false, text: "" });
});

test("more than 5 % fewer instructions are reported and fail nothing", () => {
  assert.deepEqual(one({ instructions: 949_999 }), { name: "overview", failed: false, stale: true, text: "−5.0 % instructions" });
  assert.deepEqual(one({ instructions: 950_001 }), { name: "overview", failed: false, stale: false, text: "" });
});

test("one more SQL statement fails, one fewer is reported", () => {
  assert.deepEqual(one({ statements: 21 }), { name: "overview", failed: true, stale: false, text: "1 more SQL statement" });
  assert.deepEqual(one({ statements: 18 }), { name: "overview", failed: false, stale: true, text: "2 fewer SQL statements" });
  assert.deepEqual(one({ instructions: 900_000, statements: 22 }), { name: "overview", failed: true, stale: true, text: "−10.0 % instructions, 2 more SQL statements" });
});

test("a path that was not counted fails, and so does one without a committed count", () => {
  const verdicts = compare(committed, { overview: committed.overview, search: { instructions: 1, statements: 1 } });
  assert.deepEqual(verdicts.map(({ name, failed, text }) => [name, failed, text]), [["overview", false, ""], ["search", true, "no count of it is committed"], ["report", true, "it was not counted"]]);
});

test("a program without statements is compared by its instructions", () => {
  assert.equal(compare(committed, { ...committed, report: { instructions: 2_200_000 } })[1].text, "+10.0 % instructions");
});

test("what is written keeps committed counts that differ only by noise", () => {
  const measured = { overview: { instructions: 1_004_000, statements: 20 }, report: { instructions: 2_020_000 } };
  assert.deepEqual(renewed(committed, measured), { overview: committed.overview, report: measured.report });
  const more = { overview: { instructions: 1_000_001, statements: 21 } };
  assert.deepEqual(renewed(committed, more), more);
});

test("packages whose versions differ are listed", () => {
  assert.deepEqual(versionDifferences({ libc6: "1", zlib1g: "2" }, { libc6: "1", zlib1g: "3" }), ["zlib1g: 3 here, 2 there"]);
  assert.deepEqual(versionDifferences({ libc6: "1" }, { valgrind: "3" }), ["libc6: none here, 1 there", "valgrind: 3 here, none there"]);
});

test("the table marks what fails and what is to be renewed", () => {
  const measured = { overview: { instructions: 1_100_000, statements: 20 }, report: { instructions: 1_000_000 } };
  const [header, rows] = verdictTable(compare(committed, measured), committed, measured);
  assert.equal(header.length, 7);
  assert.deepEqual(rows, [["overview", 1_100_000, 1_000_000, "+10.0 %", 20, 20, "FAILED"], ["report", 1_000_000, 2_000_000, "−50.0 %", "", "", "renew"]]);
});

test("no two paths have the same name", () => {
  const names = jobs.flatMap((job) => Object.values(job.parts));
  assert.equal(new Set(names).size, names.length);
});
