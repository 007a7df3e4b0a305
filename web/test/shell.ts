import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { pathWord, shellWord } from "../src/lib/shell";

test("a path in a command is one word, whatever is in it", () => {
  assert.equal(shellWord("/data/out/trace-cuda-None.json"), "/data/out/trace-cuda-None.json");
  assert.equal(shellWord("a b"), "'a b'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord(""), "''");
  assert.equal(pathWord("-rf"), "./-rf");
  assert.equal(pathWord("-r f"), "'./-r f'");
  const hostile = [
    "/d/trace; touch pwned.json",
    "$(id)`id`",
    "a\\'\"b\nc",
    "~/x*?[a]!",
    "é€ <img src=x>",
    "'",
    "&& | > #",
  ];
  for (const text of hostile)
    assert.equal(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(text)}`]).toString(), text);
});
