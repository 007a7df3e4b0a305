import assert from "node:assert/strict";
import { test } from "node:test";
import { essence, kindOf, shortened, styleOf } from "../src/trace/names";
import { FILLS, STYLES } from "../src/trace/palette";
import { argumentsOf } from "../src/trace/arguments";
import { sliceOfId } from "../src/trace/query";

test("names that only a number tells apart have one colour", () => {
  for (const [a, b] of [
    ["ProfilerStep#3", "ProfilerStep#104"],
    ["triton_poi_fused_add_0", "triton_poi_fused_add_17"],
    ["Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/3"],
    ["void at::native::k<4, float>(int)", "void at::native::k<8, c10::Half>(int)"],
  ] as const) {
    assert.equal(kindOf(a), kindOf(b));
    assert.equal(styleOf(a), styleOf(b));
  }
  assert.notEqual(kindOf("aten::conv2d"), kindOf("aten::conv1"));
});

// A colour that changes with a version of these pages would make old pictures lie.
test("colours are what they were", () => {
  assert.deepEqual(
    [
      "aten::mm",
      "aten::addmm",
      "aten::conv2d",
      "aten::add_",
      "cudaLaunchKernel",
      "ProfilerStep#1",
      "CompiledFunction",
      "aten::copy_",
      "Memcpy HtoD (Pageable -> Device)",
      "triton_poi_fused_add_0",
    ].map(styleOf),
    [14, 12, 17, 13, 5, 23, 3, 21, 12, 11],
  );
});

const channel = (byte: number): number =>
  byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
const luminance = (color: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => channel(parseInt(color.slice(at, at + 2), 16)));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: string, b: string): number => {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
};

test("every name can be read on its fill", () => {
  for (const theme of ["light", "dark"] as const) {
    assert.equal(FILLS[theme].length, STYLES + 1);
    for (const [style, fill] of FILLS[theme].entries())
      assert.ok(
        contrast(fill.color, fill.text) >= 4.5,
        `${theme} ${style}: ${fill.color} ${contrast(fill.color, fill.text).toFixed(2)}`,
      );
    assert.equal(new Set(FILLS[theme].map((one) => one.color)).size, STYLES + 1);
  }
});

test("a name is cut so that what is left tells most", () => {
  assert.equal(shortened("aten::mm", 20), "aten::mm");
  assert.equal(
    essence("void at::native::vectorized_elementwise_kernel<4, X>(int)"),
    "at::native::vectorized_elementwise_kernel",
  );
  assert.equal(
    shortened("void at::native::vectorized_elementwise_kernel<4, X>(int)", 45),
    "at::native::vectorized_elementwise_kernel",
  );
  assert.equal(
    shortened("void at::native::vectorized_elementwise_kernel<4, X>(int)", 31),
    "…vectorized_elementwise_kernel",
  );
  assert.equal(shortened("Optimizer.step#SGD.step", 10), "Optimizer…");
  assert.equal(shortened("anything", 2), "");
  for (let chars = 3; chars < 60; ++chars)
    assert.ok(shortened("void at::native::vectorized_elementwise_kernel<4, X>(int)", chars).length <= chars);
});

test("arguments: what one looks for first, and text where it is no JSON", () => {
  const { shown, folded, raw } = argumentsOf('{"Ev Idx": 3, "bytes_accessed": 12, "x": [1, 2], "hlo_op": "fusion.1"}');
  assert.deepEqual(
    shown.map((one) => one.name),
    ["hlo_op", "bytes_accessed", "x"],
  );
  assert.deepEqual(shown[2], { name: "x", value: "[1,2]" });
  assert.deepEqual(
    folded.map((one) => one.name),
    ["Ev Idx"],
  );
  assert.equal(raw, null);
  assert.equal(argumentsOf('{"a": NaN}').raw, '{"a": NaN}');
  assert.deepEqual(argumentsOf(null), { shown: [], folded: [], raw: null });
});

test("a slice's number in the tables of SQL says where it is", () => {
  assert.deepEqual(sliceOfId(3 * 2 ** 43 + 70_000 * 2 ** 13 + 8190), { track: 3, chunk: 70_000, index: 8190 });
  assert.deepEqual(sliceOfId(0), { track: 0, chunk: 0, index: 0 });
  for (const none of [null, "3", -1, 1.5, 2 ** 60]) assert.equal(sliceOfId(none), null);
});
