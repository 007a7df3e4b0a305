import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, linkOf, rangeOf } from "../src/lib/links";

const links = [
  { key: "commit", one: "https://example.org/commit/{value}", range: "https://example.org/compare/{from}...{to}" },
  { key: "branch", one: "https://example.org/tree/{value}?of={value}", range: null },
  { key: "odd", one: "javascript:alert({value})", range: "javascript:{from}{to}" },
];

test("a label is a link by its key's template", () => {
  assert.equal(linkOf(links, "commit", "abc123"), "https://example.org/commit/abc123");
  assert.equal(linkOf(links, "branch", "feature/x y"), "https://example.org/tree/feature/x%20y?of=feature/x%20y");
  assert.equal(linkOf(links, "host", "abc"), null);
  assert.equal(linkOf(links, "commit", ""), null);
});

test("two labels make a range, unless they are the same or there is no template", () => {
  assert.equal(rangeOf(links, "commit", "a", "b"), "https://example.org/compare/a...b");
  assert.equal(rangeOf(links, "commit", "a", "a"), null);
  assert.equal(rangeOf(links, "commit", "", "b"), null);
  assert.equal(rangeOf(links, "branch", "a", "b"), null);
});

test("whatever is in a label stays in its place, and only http is a link", () => {
  assert.equal(
    linkOf(links, "commit", '"><img src=x>#?&%'),
    "https://example.org/commit/%22%3E%3Cimg%20src%3Dx%3E%23%3F%26%25",
  );
  assert.equal(linkOf(links, "commit", "../../evil"), null);
  assert.equal(linkOf(links, "commit", ".."), null);
  assert.equal(linkOf(links, "commit", "a/./b"), null);
  assert.equal(linkOf(links, "commit", "\ud800"), null);
  assert.equal(linkOf(links, "odd", "1"), null);
  assert.equal(rangeOf(links, "odd", "1", "2"), null);
  // What a value holds is not looked at again.
  assert.equal(
    filled("https://example.org/{from}/{to}", { from: "{to}", to: "x$&" }),
    "https://example.org/%7Bto%7D/x%24%26",
  );
});
