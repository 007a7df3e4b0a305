import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanPath, partsOf } from "../src/lib/page_path";

test("a path is one page's, whatever slashes are behind it", () => {
  for (const path of ["/", "", "//", "/index.html"]) assert.equal(cleanPath(path), "/");
  assert.equal(cleanPath("/runs/"), "/runs");
  assert.equal(cleanPath("/runs/3"), "/runs/3");
});

test("a pattern has its words and its parts, and nothing else", () => {
  assert.deepEqual(partsOf("/runs", "/runs"), {});
  assert.deepEqual(partsOf("/", "/"), {});
  for (const path of ["/run", "/runs/3", "/", "/runs/"]) assert.equal(partsOf("/runs", path), null);
  assert.deepEqual(partsOf("/models/:suite/:model", "/models/torchbench/a%2Fb%20c"), {
    suite: "torchbench",
    model: "a/b c",
  });
  assert.equal(partsOf("/models/:suite/:model", "/models/torchbench"), null);
});

test("what is no number has no page of a number, nor what is too long to be told apart", () => {
  assert.deepEqual(partsOf("/alerts/#id", "/alerts/12"), { id: 12 });
  assert.deepEqual(partsOf("/alerts/#id", "/alerts/999999999999999"), { id: 999999999999999 });
  for (const word of ["x", "-1", "1.5", "1e3", "", "9999999999999999", "%31x"])
    assert.equal(partsOf("/alerts/#id", `/alerts/${word}`), null, word);
});

test("a text that is not encoded as it should be is taken as it is", () => {
  assert.deepEqual(partsOf("/suites/:name", "/suites/100%"), { name: "100%" });
  assert.deepEqual(partsOf("/suites/:name", "/suites/%E0%A4%A"), { name: "%E0%A4%A" });
});
