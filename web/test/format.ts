import assert from "node:assert/strict";
import { test } from "node:test";
import { age, bytes, change, count, digits, duration, moment, percentInterval, plural, reason, short, testName, times, unitOf } from "../src/lib/format";

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
