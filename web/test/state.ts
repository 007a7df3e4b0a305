import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "../src/api/address";
import { backendStyle, byBackend, columnStyle } from "../src/lib/backends";
import { codeOrder, sign } from "../src/lib/codes";
import { backendHref, changed, errorHref, href, modelHref, suiteHref } from "../src/lib/route";
import { axisExtent, axisLimits, axisWords, beginsAtZero } from "../src/lib/plot";
import { compare, matches, sorted } from "../src/lib/sort";
import { leadBackend } from "../src/lib/words";
import { fullRange, withHoles } from "../src/parts/chart";
import { ratioDomain } from "../src/parts/small";
import { leaves, warmUp } from "../src/parts/samples";

test("an address says the view and nothing that is empty", () => {
  assert.equal(href("/runs/3", { q: "", sort: "-time:eager", hide: null }), "/runs/3?sort=-time:eager");
  assert.equal(href("/x", { metric: ["a", "b"] }), "/x?metric=a&metric=b");
  assert.equal(href("/x", { q: "a&b=c d" }), "/x?q=a%26b%3Dc+d");
  assert.equal(modelHref("s", "<img src=x onerror=a/b>"), "/models/s/%3Cimg%20src%3Dx%20onerror%3Da%2Fb%3E");
  assert.equal(suiteHref("a/b c"), "/suites/a%2Fb%20c");
  assert.equal(
    backendHref("openxla+dynamo", { test: "eval", accelerator_model: null }),
    "/backends/openxla%2Bdynamo?test=eval",
  );
  assert.equal(errorHref("RuntimeError: #1 & <x>"), "/errors?signature=RuntimeError:+%231+%26+%3Cx%3E");
});

test("changing one key keeps the others and every value of a repeated one", () => {
  const query = new URLSearchParams("a=1&m=x&m=y&b=2");
  assert.equal(changed(query, { a: null }).toString(), "m=x&m=y&b=2");
  assert.equal(changed(query, { m: ["z"] }).toString(), "a=1&b=2&m=z");
  assert.equal(changed(query, { m: [] }).toString(), "a=1&b=2");
  assert.equal(query.toString(), "a=1&m=x&m=y&b=2", "the old query is untouched");
});

test("API addresses leave out what was not asked for", () => {
  assert.equal(
    address("/runs/{run}/models", { run: "a/b", baseline: null, verified_only: false }),
    "/api/v1/runs/a%2Fb/models",
  );
  assert.equal(address("/series", { backend: ["a+b", "c"] }), "/api/v1/series?backend=a%2Bb&backend=c");
});

test("missing values come last in both directions; equal ones keep their order", () => {
  const rows = [
    { k: 2, n: "a" },
    { k: null, n: "b" },
    { k: 1, n: "c" },
    { k: 2, n: "d" },
    { k: NaN, n: "e" },
  ];
  assert.deepEqual(
    sorted(rows, (row) => row.k, "asc").map((row) => row.n),
    ["c", "a", "d", "b", "e"],
  );
  assert.deepEqual(
    sorted(rows, (row) => row.k, "desc").map((row) => row.n),
    ["a", "d", "c", "b", "e"],
  );
  assert.ok(compare("model_2", "model_10", "asc") < 0, "numbers in names are numbers");
});

test("every word of a filter must occur", () => {
  assert.ok(matches("RES eval", "cpu-mini resnet_mini eval"));
  assert.ok(!matches("res train", "cpu-mini resnet_mini eval"));
  assert.ok(matches("  ", "anything"));
});

test("a backend has one colour; its other configurations differ by dash", () => {
  assert.equal(backendStyle("inductor").color, "#0072b2");
  assert.equal(columnStyle("openxla+dynamo [flag]", "openxla+dynamo").color, backendStyle("openxla+dynamo").color);
  assert.notDeepEqual(columnStyle("openxla+dynamo [flag]", "openxla+dynamo").dash, backendStyle("openxla+dynamo").dash);
  assert.deepEqual(backendStyle("tensorrt"), backendStyle("tensorrt"));
  assert.deepEqual(["zzz", "openxla+dynamo", "inductor", "eager"].sort(byBackend), [
    "eager",
    "inductor",
    "openxla+dynamo",
    "zzz",
  ]);
});

test("a wrong result is the loudest, and no code is lost", () => {
  const order = codeOrder(["FAIL", "SOMETHING_NEW", "PASS", "EAGER_FAILED", "PASS"]);
  assert.deepEqual(order, ["PASS", "SOMETHING_NEW", "EAGER_FAILED", "FAIL"]);
  assert.equal(sign("SOMETHING_NEW").glyph, "?");
});

test("the backend that a sentence is about", () => {
  assert.equal(
    leadBackend(["eager", "inductor", "openxla+lazytensor", "openxla+dynamo"], "inductor"),
    "openxla+dynamo",
  );
  assert.equal(leadBackend(["eager", "inductor", "aot_eager"], "inductor"), "aot_eager");
  assert.equal(leadBackend(["eager", "inductor"], "inductor"), "inductor");
  assert.equal(leadBackend([], "inductor"), undefined);
});

test("a missing night is a hole in the line", () => {
  const day = 86400;
  assert.deepEqual(withHoles([0, day, 2 * day, 5 * day, 6 * day]).index, [0, 1, 2, -1, 3, 4]);
  assert.deepEqual(withHoles([]).index, []);
  const same = withHoles([0, day, day, 2 * day]).x;
  assert.ok(
    same.every((x, i) => i === 0 || x > (same[i - 1] as number)),
    "the axis always rises",
  );
  assert.deepEqual(fullRange([]).from < fullRange([]).to, true);
});

test("the domain of ratios holds 1 and is bounded", () => {
  const domain = ratioDomain([{ low: 1e-9, high: 2, confidence: 0.95 }, null]);
  assert.ok(domain.low < 1 && domain.high > 1 && domain.low > 0.1);
});

test("warm-up as the steady estimator drops it", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 12].map(warmUp), [0, 0, 1, 1, 3, 3]);
});

test("nested metrics become rows, absent ones stay absent", () => {
  const rows = leaves([{ a: { b: 1 } }, { a: { b: 2, c: 3 } }]);
  assert.deepEqual(rows, [
    { path: "a › b", values: [1, 2] },
    { path: "a › c", values: [null, 3] },
  ]);
  assert.deepEqual(leaves(null), [{ path: "", values: [null] }]);
  assert.deepEqual(leaves(["text"]), []);
});

test("one wide interval does not set the axis: values do, and the intervals of most", () => {
  const night = (value: number, half: number) => ({ value, low: value - half, high: value + half });
  const usual = Array.from({ length: 24 }, (_, n) => night(1 + 0.01 * (n % 5), 0.02));
  const all = axisExtent(usual, false);
  assert.deepEqual(
    [all?.low.toFixed(2), all?.high.toFixed(2), all?.isClipped],
    ["0.98", "1.06", false],
    "intervals of one width are all there",
  );
  const wide = axisExtent([...usual, night(1.02, 4)], false);
  assert.deepEqual([wide?.low.toFixed(2), wide?.high.toFixed(2), wide?.isClipped], ["0.98", "1.06", true]);
  const value = axisExtent([...usual, { value: 9, low: null, high: null }], false);
  assert.equal(value?.high, 9, "a value is never beyond the axis");
  assert.equal(value?.isClipped, false);
  const few = axisExtent([night(1, 0.01), night(1.01, 0.01), night(1.02, 5)], false);
  assert.ok(few && few.high < 1.1 && few.isClipped);
  assert.equal(axisExtent([], false), null);
  const log = axisExtent(
    [
      { value: 0.1, low: -1, high: 0.2 },
      { value: 10, low: 5, high: 20 },
    ],
    true,
  );
  assert.ok(log && log.low > 0 && log.low < 0.1001 && log.high > 9.99);
});

test("an axis of values that are all 0 begins there, and one that does not begin at 0 has a margin on either side", () => {
  const zero = axisExtent([{ value: 0, low: null, high: null }], false);
  assert.deepEqual(axisLimits(zero, 1e3, null, false, false), [0, 1]);
  assert.deepEqual(axisLimits(zero, 1e3, null, true, false), [0, 1]);
  assert.deepEqual(axisLimits(null, 1, null, false, false), [0, 1]);
  assert.deepEqual(axisLimits({ low: 100, high: 200 }, 1, null, false, false), [92, 208]);
  assert.deepEqual(axisLimits({ low: 100, high: 100 }, 1, null, false, false), [95, 105]);
  assert.deepEqual(axisLimits({ low: 100, high: 200 }, 1, null, true, false), [0, 212]);
  assert.deepEqual(axisLimits(zero, 1, { from: 3, to: 4 }, true, false), [3, 4]);
  assert.deepEqual(
    axisLimits({ low: Number.MIN_VALUE, high: Number.MIN_VALUE }, 1, null, false, false),
    [-1, 1],
    "a margin of 0 would make an axis of no length",
  );
});

test("where an axis begins is said as it is drawn", () => {
  const words = (low: number, high: number) => axisWords(false, beginsAtZero({ low, high }));
  assert.equal(words(0, 0), "axis starts at 0");
  assert.equal(words(0, 5), "axis starts at 0");
  assert.equal(words(1, 5), "axis starts at 0");
  assert.equal(words(4, 5), "axis does not start at 0");
  assert.equal(words(-1, 5), "axis does not start at 0");
  assert.equal(words(-1, 0), "axis does not start at 0");
  assert.equal(axisWords(true, false), "logarithmic axis");
});
