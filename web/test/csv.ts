import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText } from "../src/lib/csv";

test("a table is RFC 4180, and no text of a trace becomes a formula", () => {
  assert.equal(
    csvText(
      ["name", "ns"],
      [
        ["a,b", 1],
        ['say "x"', null],
        ["line\nbreak", -2.5],
      ],
    ),
    'name,ns\r\n"a,b",1\r\n"say ""x""",\r\n"line\nbreak",-2.5\r\n',
  );
  for (const text of ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx"])
    assert.ok(csvText([text], []).replace(/^"/, "").startsWith(`'${text}`), JSON.stringify(text));
  assert.equal(csvText([], []), "\r\n");
});
