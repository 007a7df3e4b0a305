import assert from "node:assert/strict";
import { test } from "node:test";
import type { TraceReport } from "../src/api/trace";
import { type Findings, goToFirst, hygieneOf } from "../src/trace/marks";
import { profileRow } from "../src/trace/profile_row";
import { trackOf, viewerOf } from "./support_viewer";

test("what one should know of is counted, also beyond what is listed, and leads to its first place", () => {
  const findings = {
    items: [{ kind: "step", thread: 1, begin: 1, end: 900_000, words: "a step" }, { kind: "graph_break", thread: 1, begin: 5000, end: 6000, words: "the first break" }, { kind: "graph_break", thread: 1, begin: 7000, end: 8000, words: "another" }],
    kinds: [{ kind: "step", count: 1 }, { kind: "pageable_copy", count: 1 }, { kind: "graph_break", count: 5000 }, { kind: "recompile", count: 0 }],
  } as Findings;
  assert.deepEqual(hygieneOf(findings), [{ kind: "graph_break", words: "5,000 graph breaks" }, { kind: "pageable_copy", words: "1 copy of pageable memory" }]);
  const viewer = viewerOf([trackOf(1)]);
  viewer.setFindings(findings.items);
  viewer.toggleMarks("graph_break", false);
  goToFirst(viewer, "graph_break");
  assert.ok(viewer.marks.has("graph_break"));
  assert.equal(viewer.spoken, "the first break");
});

test("a slice leads to the row of its name, where the profile has one", () => {
  const report = { kernels: { by_name: [{ name: "gemm" }] }, operators: { by_name: [{ name: "aten::mm" }] } } as unknown as TraceReport;
  assert.deepEqual(profileRow(report, "gemm", "device"), { section: "device", query: { kernel: "gemm" } });
  assert.deepEqual(profileRow(report, "aten::mm", "host"), { section: "operators", query: { slice: "aten::mm" } });
  assert.equal(profileRow(report, "gemm", "host"), null, "not on this side");
  assert.equal(profileRow(report, "beyond what is listed", "device"), null);
  assert.equal(profileRow({ ...report, operators: undefined } as unknown as TraceReport, "aten::mm", "host"), null, "an older report");
});
