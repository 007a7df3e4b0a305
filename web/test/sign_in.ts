import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, mayWords, nextPage } from "../src/lib/sign_in";

test("after signing in one goes on to pages of ours alone", () => {
  assert.equal(nextPage("/runs/latest?test=eval"), "/runs/latest?test=eval");
  for (const other of [
    null,
    "",
    "runs",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "https://elsewhere.example",
    "javascript:alert(1)",
    "/sign-in?to=/sign-in",
  ])
    assert.equal(nextPage(other), "/", String(other));
});

test("the code stands behind the #", () => {
  assert.equal(codeOf("#abc-_1"), "abc-_1");
  assert.equal(codeOf(""), "");
});

test("what a token is for, in words", () => {
  assert.equal(mayWords(["read"]), "read");
  assert.equal(
    mayWords(["read", "triage", "ingest"]),
    "read, act on alerts, mark runs and note on traces, and add results and dumps",
  );
  assert.equal(mayWords([]), "nothing");
});
