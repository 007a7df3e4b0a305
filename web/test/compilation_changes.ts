// Differences of compilations in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeSentence, changeTone, frameWords, howWords } from "../src/lib/compilation_changes";

const change = {
  kind: "time",
  change: "changed",
  before: 1,
  after: 2,
  frame_name: "forward",
  frame_file: "/srv/models/model.py",
  frame_line: 38,
  compile_id_before: "0/0",
  compile_id_after: "1/0",
} as const;

test("a change says which way it went, and is worse or better only where that is known", () => {
  assert.equal(howWords(change), "slower");
  assert.equal(howWords({ ...change, before: 3 }), "faster");
  assert.equal(howWords({ ...change, kind: "graph_break" }), "more");
  assert.equal(howWords({ ...change, kind: "graph_break", change: "appeared" }), "new");
  assert.equal(howWords({ ...change, kind: "code", before: null, after: null }), "other");
  assert.equal(howWords({ ...change, kind: "cache", before: null, after: null }), "changed");
  assert.equal(changeTone(change), "worse");
  assert.equal(changeTone({ ...change, after: 0.5 }), "better");
  assert.equal(changeTone({ ...change, kind: "graph" }), "");
  assert.equal(changeTone({ ...change, before: null }), "");
});

test("a frame is named with its place, one behind a break by the function that it goes on with", () => {
  assert.equal(frameWords(change), "forward, model.py:38");
  assert.equal(
    frameWords({ ...change, frame_name: "torch_dynamo_resume_in_forward_at_43", frame_line: 43 }),
    "forward, resumed at line 43, model.py",
  );
  assert.equal(frameWords({ ...change, frame_name: null, frame_file: null, frame_line: null }), "not named, 1/0");
});

test("an answer is a sentence", () => {
  assert.equal(changeSentence("other graph of forward", true), "Other graph of forward.");
  assert.equal(changeSentence("", false), "Nothing that the logs say of compilation differs.");
  assert.equal(changeSentence("", true), "Of what could be compared, nothing differs.");
});
