import assert from "node:assert/strict";
import { test } from "node:test";
import {
  askable,
  fits,
  highlighted,
  hitHref,
  hitTitle,
  recentChoices,
  remember,
  searchedText,
} from "../src/lib/search";

const on = (text: string, typed: string): string =>
  highlighted(text, typed)
    .map((piece) => (piece.on ? `[${piece.text}]` : piece.text))
    .join("");

test("what was typed stands out: the whole of it, else its words", () => {
  assert.equal(on("timm_ResNet50", "resnet"), "timm_[ResNet]50");
  assert.equal(on("resnet train", "train res"), "[res]net [train]");
  assert.equal(on("aaa", "aa"), "[aa]a");
  assert.equal(on("aXbX", "x"), "a[X]b[X]");
  assert.equal(on("resnet", ""), "resnet");
  assert.equal(on("resnet", "none of it"), "resnet");
});

test("highlighting takes nothing for a pattern and keeps every letter", () => {
  for (const [text, typed] of [
    ["a.*b", ".*"],
    ["<b>x</b>", "<b>"],
    ["İstanbul", "i"],
    ["👩‍👩‍👧 x", "x"],
    ["a\u0000b", "\u0000"],
  ] as const) {
    assert.equal(
      highlighted(text, typed)
        .map((piece) => piece.text)
        .join(""),
      text,
    );
  }
  assert.equal(on("a.*b", ".*"), "a[.*]b");
});

test("our names rank as the server ranks those of the store", () => {
  assert.equal(fits("runs", "Runs"), "exact");
  assert.equal(fits("ru", "Runs"), "prefix");
  assert.equal(fits("page", "Search page"), "word_start");
  assert.equal(fits("arch", "Search page"), "part");
  assert.equal(fits("shortcuts", "Keys", "help shortcuts"), "words");
  assert.equal(fits("nothing", "Keys"), null);
  assert.equal(fits("  ", "Keys"), null);
});

test("no more is asked for than the server takes, and no half letters", () => {
  assert.equal(askable("  a \n b\t"), "a b");
  assert.equal(askable("x".repeat(10_000)).length, 200);
  assert.equal(new TextEncoder().encode(askable("ü".repeat(1000))).length, 200);
  assert.equal(new TextEncoder().encode(askable("👩".repeat(1000))).length, 200);
  assert.equal(askable("a\ud800b"), "ab");
  assert.doesNotThrow(() => encodeURIComponent(askable("\udc00\ud800")));
});

test("each kind leads to its page", () => {
  assert.equal(hitHref("model", { suite: "a/b", model: "c d" }), "/models/a%2Fb/c%20d");
  assert.equal(hitHref("run", { run: "7" }), "/runs/7");
  assert.equal(hitHref("label", { key: "commit", value: "abc", run: "7", runs: "1" }), "/runs/7");
  assert.equal(hitHref("label", { key: "branch", value: "main", run: "7", runs: "3" }), "/runs?q=main");
  assert.equal(hitHref("alert", { alert: "3" }), "/alerts/3");
  assert.equal(hitHref("error", { signature: "KeyError: &x" }), "/errors?signature=KeyError:+%26x");
  assert.equal(hitHref("artifact", { artifact: "9" }), "/artifact/9");
  assert.equal(hitHref("artifact", { kind: "trace" }), "/artifacts?kind=trace");
  assert.equal(hitHref("metric", { metric: "total_time" }), "/explore?metric=metric.total_time");
  assert.equal(hitHref("accelerator", { accelerator_model: "A 1" }), "/runs?accelerator_model=A+1");
});

test("a run that is named by its time is shown as people write times", () => {
  assert.equal(hitTitle("run", { title: "2025-11-10T00:03:00Z", at: "2025-11-10T00:03:00Z" }), "2025-11-10 00:03");
  assert.equal(hitTitle("run", { title: "weekly", at: "2025-11-10T00:03:00Z" }), "weekly");
  assert.equal(hitTitle("model", { title: " ", at: null }), "(blank)");
});

test("what was searched is said, the most first", () => {
  assert.equal(searchedText({ model: 1, run: 12, alert: 0 }, String), "12 runs and 1 model");
  assert.equal(searchedText({}, String), "nothing");
});

test("choices are remembered where nothing may be kept, too", () => {
  assert.deepEqual(recentChoices(), []);
  for (let i = 0; i < 9; ++i) remember({ href: `/runs/${i}`, kind: "run", title: String(i), context: "" });
  remember({ href: "/runs/5", kind: "run", title: "5", context: "" });
  assert.deepEqual(
    recentChoices().map((one) => one.title),
    ["5", "8", "7", "6", "4", "3"],
  );
});

test("what others put in the store of the browser leads nowhere else", () => {
  const kept = new Map<string, string>();
  (globalThis as { sessionStorage?: unknown }).sessionStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  };
  remember({ href: "/runs/1", kind: "run", title: "1", context: "" });
  const [key] = [...kept.keys()];
  for (const bad of [
    "null",
    "{",
    "[1,null]",
    '[{"href":"javascript:alert(1)","kind":"","title":"","context":""}]',
    '[{"href":"//evil","kind":"","title":"","context":""}]',
  ]) {
    kept.set(key as string, bad);
    assert.ok(
      recentChoices().every((one) => /^\/runs\/\d$/.test(one.href)),
      bad,
    );
  }
  delete (globalThis as { sessionStorage?: unknown }).sessionStorage;
});
