import assert from "node:assert/strict";
import { test } from "node:test";
import { type MarkdownPart, type MarkdownTable, asCode, escaped, toMarkdown } from "../src/lib/markdown";

const view = (parts: MarkdownPart[], sentence = "All is well.") => ({
  sentence: [sentence],
  context: [],
  parts,
  address: "http://host/runs/1?q=a|b",
});

test("text is never markup, a mention or a reference", () => {
  assert.equal(
    escaped("a|b `c` *d* _e_ <img src=x> [f](g) ~h~ &amp; #1"),
    "a\\|b \\`c\\` \\*d\\* \\_e\\_ \\<img src=x\\> \\[f\\](g) \\~h\\~ \\&amp; \\#\u200b1",
  );
  assert.equal(escaped("line one\r\nline two\u2028three\u0007"), "line one line two three ");
  assert.equal(escaped("@somebody GH-12"), "@\u200bsomebody GH-\u200b12");
  assert.equal(toMarkdown(view([], "- no list")).split("\n")[0], "**\\- no list**");
  assert.equal(escaped("0.84 [0.81–0.87] −6.0 %"), "0.84 \\[0.81–0.87\\] −6.0 %");
});

test("a name is code whatever is in it", () => {
  assert.equal(asCode("resnet_18"), "`resnet_18`");
  assert.equal(asCode("a`b``c"), "``` a`b``c ```");
  assert.equal(asCode("`"), "`` ` ``");
  assert.equal(asCode("x|y"), "`x\\|y`");
  assert.equal(asCode("two\nlines"), "`two lines`");
  assert.equal(asCode(" "), "");
});

test("sentence, table and address make a text for an issue", () => {
  const table: MarkdownTable = {
    kind: "table",
    title: "Models",
    heads: [{ text: "Model" }, { text: "time ms", right: true }, { text: "" }],
    rows: [
      [[{ code: "a|b" }], ["1.02"], []],
      [["x"], ["12.3"], []],
    ],
  };
  assert.equal(
    toMarkdown({ ...view([table]), context: [["cpu"], [{ code: "a|b" }]] }),
    "**All is well.**\n\ncpu · `a|b`\n\n| Model | time ms |\n| :-- | --: |\n| `a\\|b` | 1.02 |\n| x | 12.3 |\n\n[This view](<http://host/runs/1?q=a%7Cb>)\n",
  );
});

test("tables are told apart by their titles where there are several", () => {
  const one: MarkdownTable = { kind: "table", title: "First #1", heads: [{ text: "a" }], rows: [[["1"]]] };
  const text = toMarkdown(view([one, { ...one, title: "Second" }]));
  assert.match(text, /### First \\#\u200b1\n\n\| a \|/);
  assert.match(text, /### Second\n/);
});

test("a list is a list, and its items cannot leave it", () => {
  const items = [["✓ PASS → ✗ FAIL ", { code: "a`b" }], ["1. one\n- two"]];
  assert.match(
    toMarkdown(
      view([
        { kind: "list", title: "Newly failing", items },
        { kind: "command", text: "x" },
      ]),
    ),
    /### Newly failing\n\n- ✓ PASS → ✗ FAIL `` a`b ``\n- 1\\\. one - two\n/,
  );
});

test("a command is a block of its own", () => {
  assert.match(
    toMarkdown(view([{ kind: "command", text: "python run.py --model='a```b'" }])),
    /\n````sh\npython run\.py --model='a```b'\n````\n/,
  );
});

test("an issue has room for it, and what is left out is counted", () => {
  const rows = Array.from({ length: 4000 }, (_, index) => [[`model ${index}`], ["1.00"]]);
  const text = toMarkdown(
    view([{ kind: "table", title: "", heads: [{ text: "Model" }, { text: "x" }], rows, left: 10 }]),
  );
  assert.ok(text.length < 65_000, String(text.length));
  const kept = text.split("\n").filter((line) => line.startsWith("| model")).length;
  assert.ok(kept > 1000);
  assert.match(text, new RegExp(`and ${4010 - kept} more rows`));
});
