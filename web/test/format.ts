import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, percent } from "../src/lib/profile";
import {
  age,
  bytes,
  change,
  count,
  digits,
  duration,
  hoverText,
  moment,
  percentInterval,
  plural,
  reason,
  short,
  testName,
  times,
  unitOf,
} from "../src/lib/format";

test("three significant digits, whatever the size", () => {
  assert.equal(digits(0.84213), "0.842");
  assert.equal(digits(1.0249), "1.02");
  assert.equal(digits(12.34), "12.3");
  assert.equal(digits(123.6), "124");
  assert.equal(digits(1234567), "1,230,000");
  assert.equal(digits(0.000123456), "0.000123");
  assert.equal(digits(0), "0");
  assert.equal(digits(-2.5), "\u22122.50");
  assert.equal(digits(-1234.5), "\u22121,230");
});

test("rounding up to the next power of ten keeps three digits", () => {
  assert.equal(digits(0.9996), "1.00");
  assert.equal(digits(9.996), "10.0");
  assert.equal(digits(999.6), "1,000");
});

test("what is not finite is named, never 0 and never blank", () => {
  assert.equal(digits(NaN), "NaN");
  assert.equal(digits(Infinity), "∞");
  assert.equal(digits(-Infinity), "\u2212∞");
  assert.equal(digits(1.5e-9), "1.50e\u22129");
});

test("a column of durations has one unit", () => {
  assert.equal(unitOf([0.002, 0.003, 5], "s").name, "ms");
  assert.equal(unitOf([2e-5, 3e-5], "s").name, "µs");
  assert.equal(unitOf([1, 20, 300], "s").name, "s");
  assert.equal(unitOf([NaN, 0.002], "s").name, "ms");
  assert.equal(unitOf([], "s").factor, 1000);
  assert.deepEqual(unitOf([1, 2], "count"), { name: "", factor: 1 });
});

test("durations, sizes and counts", () => {
  assert.equal(duration(0.00237), "2.37 ms");
  assert.equal(duration(45.6), "45.6 s");
  assert.equal(duration(125), "2 min 5 s");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(123456), "123 kB");
  assert.equal(count(1234567), "1,234,567");
  assert.equal(plural(1, "run"), "1 run");
  assert.equal(plural(0, "run"), "0 runs");
});

test("changes are percentages with a real minus", () => {
  assert.equal(change(0.94), "\u22126.0 %");
  assert.equal(change(1.123), "+12.3 %");
  assert.equal(change(1.0001), "0 %");
  assert.equal(change(3), "+200 %");
  assert.equal(percentInterval(0.929, 0.952), "[\u22127.1, \u22124.8]");
  assert.equal(times(0.8449), "0.84×");
});

test("ages grow coarser", () => {
  assert.equal(age(30), "30 s");
  assert.equal(age(3 * 3600), "3 h");
  assert.equal(age(3 * 86400), "3 d");
  assert.equal(age(40 * 86400), "6 w");
  assert.equal(age(365 * 86400), "12 months");
  assert.equal(age(3 * 365.25 * 86400), "3.0 years");
});

test("names people use", () => {
  assert.equal(testName("eval"), "inference");
  assert.equal(testName("train"), "training");
  assert.equal(testName("odd"), "odd");
  assert.equal(short("0123456789abcdef0123"), "012345678");
  assert.equal(short("2.5.1"), "2.5.1");
  assert.equal(moment("2025-11-28T00:03:33.250Z"), "2025-11-28 00:03");
  assert.equal(reason("baseline_failed"), "the baseline failed on it");
  assert.equal(reason("some_new_reason"), "some new reason");
});

/** Values of all sizes, those just below and above where a unit changes among them. */
const sizes = (low: number, high: number): number[] => {
  const found: number[] = [];
  for (let power = low; power <= high; ++power)
    for (const lead of [1, 1.004, 1.2, 1.5, 1.797, 3.6, 5.9949, 8.6399, 9.994, 9.996, 9.9996])
      found.push(lead * 10 ** power);
  for (let minutes = 1; minutes <= 300; ++minutes)
    for (const off of [-30.5, -29.5, -0.6, -0.4, 0, 0.4, 0.6]) found.push(60 * minutes + off);
  return found;
};
const plain = (text: string): number => Number(text.replace(/,/g, "").replace("\u2212", "-"));
const SIZES: Record<string, number> = {
  ns: 1e-9,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  min: 60,
  h: 3600,
  d: 86400,
  w: 7 * 86400,
  months: 30.44 * 86400,
  years: 365.25 * 86400,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};
/** What a text with units says, read again. */
const read = (text: string): number =>
  [...text.matchAll(/(\u2212?[\d.,]+) (\S+)/g)].reduce(
    (sum, [, number, unit]) => sum + plain(number as string) * (SIZES[unit as string] as number),
    0,
  );

test("a duration is rounded before its unit is chosen, whatever its size", () => {
  assert.equal(duration(179.7), "3 min 0 s");
  assert.equal(duration(0.9996), "1.00 s");
  assert.equal(duration(9.996e-4), "1.00 ms");
  assert.equal(duration(119.7), "2 min 0 s");
  assert.equal(duration(-125), "\u22122 min 5 s");
  assert.equal(duration(7199.9), "2 h 0 min");
  for (const size of sizes(-8, 7)) {
    const text = duration(size);
    assert.ok(
      Math.abs(read(text) - size) <= Math.max(0.0051 * size, size > 7170 ? 30 : size > 119 ? 0.5 : 0),
      `${size}: ${text}`,
    );
    assert.ok(!/\b60 (s|min)$/.test(text) || size < 100, `${size}: ${text}`);
    assert.ok(!/^1,000 (ns|µs|ms)$/.test(text), `${size}: ${text}`);
    assert.equal(duration(-size), "\u2212" + text);
  }
});

test("a size is rounded before its unit is chosen, whatever its size", () => {
  assert.equal(bytes(999600), "1.00 MB");
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1 / 3), "0.333 B");
  assert.equal(amount(-999600, "bytes"), "\u22121.00 MB");
  for (const size of sizes(0, 14)) {
    const text = bytes(size);
    assert.ok(Math.abs(read(text) - size) <= 0.0051 * size, `${size}: ${text}`);
    assert.ok(!/^1,000 (kB|MB|GB)$/.test(text), `${size}: ${text}`);
  }
});

test("an age is rounded before its unit is chosen", () => {
  assert.equal(age(90.4), "90 s");
  assert.equal(age(90.6), "2 min");
  assert.equal(age(36.6 * 3600), "2 d");
  const most: Record<string, number> = { s: 90, min: 90, h: 36, d: 21, w: 10, months: 24 };
  for (const size of sizes(0, 8)) {
    const text = age(size);
    const [, number, unit] = /^([\d.,]+) (\S+)$/.exec(text) as unknown as [string, string, string];
    assert.ok(plain(number) <= (most[unit] ?? Infinity), `${size}: ${text}`);
    assert.ok(plain(number) >= 1, `${size}: ${text}`);
    assert.ok(Math.abs(read(text) - size) <= 0.51 * (SIZES[unit] as number), `${size}: ${text}`);
  }
});

test("percentages and multiples are rounded before their form is chosen", () => {
  assert.equal(change(1.9996), "+100 %");
  assert.equal(change(10.9996), "+1,000 %");
  assert.equal(percent(0.9996), "100 %");
  assert.equal(times(9.996), "10.0×");
  for (const size of sizes(-4, 5)) {
    for (const text of [change(1 + size / 100).slice(1), percent(size / 100)]) {
      if (text === " %" || text.startsWith("< ")) continue;
      const shown = plain(text.replace(" %", ""));
      assert.ok(Math.abs(shown - size) <= Math.max(0.051, 0.0051 * size), `${size}: ${text}`);
      assert.ok(shown < 100 === text.includes("."), `${size}: ${text}`);
      assert.ok(shown < 1000 || text.includes(","), `${size}: ${text}`);
    }
  }
});

test("a column's unit is that of its rounded median", () => {
  assert.equal(unitOf([0.9996], "s").name, "s");
  assert.equal(unitOf([9.996e-4], "s").name, "ms");
  assert.equal(unitOf([0.9994], "s").name, "ms");
});

test("counts and other numbers keep their value at every size", () => {
  assert.equal(count(-1234), "\u22121,234");
  for (const size of sizes(-12, 24))
    assert.ok(
      Math.abs(Number(digits(size).replace(/,/g, "").replace("\u2212", "-")) - size) <= 0.0051 * size,
      `${size}: ${digits(size)}`,
    );
});

test("what is shown on hover is bounded", () => {
  assert.equal(hoverText("short"), "short");
  assert.ok(hoverText("x".repeat(3_000_000)).length <= 1001);
});
