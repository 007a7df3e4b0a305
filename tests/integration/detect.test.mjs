// `benchhud detect` on series of anybody's.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { benchhud, program, temporaryFolder } from "./support/server.mjs";

let folder;

before(() => {
  folder = temporaryFolder("detect");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name, content) {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function detect(file, ...options) {
  const done = benchhud("detect", file, "--format", "json", ...options);
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stderr, "");
  return JSON.parse(done.stdout).series;
}

function piped(input, ...options) {
  return spawnSync(program, ["detect", "-", ...options], { input, encoding: "utf8", timeout: 120_000 });
}

// Between -1 and 1, the same at every run (a linear congruential generator).
function noise(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

// Values of nights, each night's level given.
function nights(count, level, seed = 1, share = 0.01) {
  const random = noise(seed);
  return Array.from({ length: count }, (_, i) => level(i) * (1 + share * random()));
}

const step = (at, factor) => (i) => (i < at ? 100 : 100 * factor);
const csv = (values, name) =>
  `night,value${name === undefined ? "" : ",series"}\n` +
  values.map((value, i) => `n${i},${value}${name === undefined ? "" : "," + name}\n`).join("");

test("a step: where, how much, how sure", () => {
  const [series, ...others] = detect(write("step.csv", csv(nights(60, step(40, 1.2)))));
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(series),
    ["name", "nights", "levels", "level", "noise", "change_points", "rejected"]);
  assert.equal(series.name, "");
  assert.equal(series.nights, 60);
  assert.equal(series.levels, "logarithmic");
  assert.deepEqual(Object.keys(series.noise), ["class", "meaning", "sigma", "correlation"]);
  assert.equal(series.noise.class, "stable");
  assert.ok(series.noise.sigma > 0.003 && series.noise.sigma < 0.01, String(series.noise.sigma));
  assert.equal(series.change_points.length, 1);
  const [change] = series.change_points;
  assert.deepEqual(Object.keys(change).sort(), ["after", "before", "ci", "direction", "effect", "index", "level",
    "location", "night", "p", "q", "state"]);
  assert.deepEqual([change.index, change.night, change.direction, change.state], [40, "n40", "up", "confirmed"]);
  assert.ok(Math.abs(change.effect - 0.2) < 0.01);
  assert.ok(change.ci[0] < change.effect && change.effect < change.ci[1] && change.ci[1] - change.ci[0] < 0.03);
  assert.ok(change.p > 0 && change.p < 1e-6 && change.q === change.p);
  assert.ok(change.location.earliest <= 40 && change.location.latest >= 40);
  assert.ok(Math.abs(change.before - 100) < 1 && Math.abs(change.after - 120) < 1);
});

test("repetitions wherever they stand, columns in any order, several series", () => {
  const slower = nights(50, step(30, 1.5), 2);
  const steady = nights(50, () => 7, 3);
  const rows = [];
  for (const repetition of [1, 1.001, 0.999]) {
    slower.forEach((value, i) => rows.push(`${value * repetition},"x,1",a,n${i}`));
    steady.forEach((value, i) => rows.push(`${value * repetition},,"b ""2""\n",n${49 - i}`));
  }
  const [a, b] = detect(write("several.csv", ["value,host,series,night", ...rows].join("\r\n")));
  assert.deepEqual([a.name, a.nights, b.name, b.nights], ["a", 50, 'b "2"', 50]);
  assert.deepEqual(a.change_points.map((change) => [change.index, change.night, change.state]), [[30, "n30", "confirmed"]]);
  assert.deepEqual(b.change_points, []);
  // Two series and one change.
  assert.ok(Math.abs(a.change_points[0].q / a.change_points[0].p - 3) < 1e-9);
});

test("repetitions that fall into two humps", () => {
  const random = noise(9), rows = ["night,value"];
  for (let i = 0; i < 60; ++i) {
    for (let k = 0; k < 4; ++k) {
      const hump = random() < -0.2 ? 1.4 : 1;
      rows.push(`n${i},${step(40, 1.1)(i) * hump * (1 + 0.02 * random())}`);
    }
  }
  const [series] = detect(write("humps.csv", rows.join("\n")));
  assert.equal(series.level, "shape");
  assert.deepEqual(series.change_points.map((change) => [change.index, change.level, change.state]), [[40, "shape", "confirmed"]]);
  assert.ok(Math.abs(series.change_points[0].effect - 0.1) < 0.02);
});

test("the youngest nights are suspected", () => {
  const [series] = detect(write("young.csv", csv(nights(52, step(50, 0.8)))));
  assert.deepEqual(series.change_points.map((change) => [change.index, change.direction, change.state]),
    [[50, "down", "suspect"]]);
  assert.deepEqual(series.rejected, []);
});

test("values of zero and below", () => {
  const random = noise(5);
  const values = Array.from({ length: 60 }, (_, i) => (i < 30 ? -3 : 2) + 0.1 * random());
  const [series] = detect(write("signs.csv", csv(values)));
  assert.equal(series.levels, "linear");
  const [change] = series.change_points;
  assert.deepEqual([change.index, change.direction, change.effect, change.ci], [30, "up", null, null]);
  assert.ok(Math.abs(change.before + 3) < 0.05 && Math.abs(change.after - 2) < 0.05);
  const text = benchhud("detect", join(folder, "signs.csv")).stdout;
  assert.match(text, /n30 +up +– +-3\S* → \S+ .*confirmed/);
});

test("a constant series, a short one and none", () => {
  for (const [rows, count] of [["a,1\n".repeat(3), 1], [csv(Array(100).fill(5)).slice(12), 100],
    [csv(Array(100).fill(0)).slice(12), 100], ["a,1\nb,2\nc,900\n", 3]]) {
    const [series] = detect(write("quiet.csv", "night,value\n" + rows));
    assert.equal(series.nights, count);
    assert.deepEqual(series.change_points, []);
    assert.equal(series.noise.sigma === null, count < 4);
  }
  assert.deepEqual(detect(write("header.csv", "night,value\n")), []);
  assert.equal(benchhud("detect", join(folder, "header.csv")).stdout, "0 series, 0 nights: no change\n");
});

test("rows that cannot be read are named, and the rest is judged", () => {
  const good = nights(60, step(40, 1.2)).map((value, i) => `n${i},${value}`);
  const bad = ["n1", "n1,2,3", "n1,abc", "n1,NaN", "n1,-inf", "n1,", ",1", "n1,1e999", '"n"1,1', "n1,\u001b[31m"];
  const file = write("hostile.csv", "\ufeffnight,value\r\n" + [...good.slice(0, 20), ...bad, ...good.slice(20), '"n1,1', ""].join("\r\n"));
  const done = benchhud("detect", file, "--format", "json");
  assert.equal(done.status, 3);
  const said = done.stderr.trimEnd().split("\n");
  assert.equal(said.length, bad.length + 1);
  bad.forEach((_, i) => assert.ok(said[i].startsWith(`${file}:${22 + i}: `), said[i]));
  assert.match(said[0], /1 field, where the header has 2/);
  assert.match(said[3], /NaN is not finite/);
  assert.match(said.at(-1), /:72: a quote that does not close/);
  assert.ok(!done.stderr.includes("\u001b"));
  const [series] = JSON.parse(done.stdout).series;
  assert.equal(series.nights, 60);
  assert.equal(series.change_points[0].index, 40);
  // Without them it is the same.
  assert.deepEqual(detect(write("clean.csv", "night,value\n" + good.join("\n"))), [series]);
});

test("names are shown as they are, and do nothing to the terminal", () => {
  const name = "Straße \u001b[31m" + "ü".repeat(100);
  const file = write("names.csv", csv(nights(60, step(40, 1.2)), `"${name}"`));
  assert.equal(detect(file)[0].name, name);
  const { stdout, status } = benchhud("detect", file);
  assert.equal(status, 0);
  assert.ok(!stdout.includes("\u001b"));
  assert.match(stdout, /^Straße \\x1b\[31mü+…  n40 /m);
  // Bytes that are no UTF-8 do not break the JSON.
  assert.equal(detect(write("latin.csv", Buffer.from("night,value,series\na,1,\xfc\n", "latin1")))[0].name, "\ufffd");
});

test("text for people: a row a change, and a last line that counts", () => {
  const two = csv(nights(60, step(40, 1.2)), "a") + csv(nights(60, (i) => step(30, 0.9)(i), 4), "b").slice(19);
  const { stdout, status } = benchhud("detect", write("two.csv", two));
  assert.equal(status, 0);
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 5);
  assert.match(lines[0], /^series +night +change +effect +95 % interval +q +state +noise$/);
  assert.match(lines[1], /^a +n40 +up +\+\d\d\.\d % +\+\d+\.\d to \+\d+\.\d % +\S+e-\d+ +confirmed +stable$/);
  assert.match(lines[2], /^b +n30 +down +-\d+\.\d % +-\d+\.\d to -\d+\.\d % +\S+e-\d+ +confirmed +stable$/);
  assert.equal(lines[4], "2 series, 60 nights: 2 changes");
  const column = lines[0].indexOf("state");
  for (const line of lines.slice(1, 3)) assert.equal(line.indexOf("confirmed"), column);
  const none = benchhud("detect", write("none.csv", csv(nights(60, () => 1)))).stdout;
  assert.equal(none, "1 series, 60 nights: no change\n");
});

test("options", () => {
  const file = write("options.csv", csv(nights(60, (i) => (i < 20 ? 100 : i < 40 ? 110 : 99), 6)));
  const indices = (...options) => detect(file, ...options)[0].change_points.map((change) => change.index);
  const reasons = (...options) => detect(file, ...options)[0].rejected.map((one) => [one.index, one.reason]);
  assert.deepEqual(indices(), [20, 40]);
  assert.deepEqual(indices("--direction", "up"), [20]);
  assert.deepEqual(indices("--direction", "down"), [40]);
  assert.deepEqual(indices("--least-effect", "25"), []);
  assert.ok(reasons("--least-effect", "25").some(([, reason]) => reason === "too_small"));
  assert.deepEqual(indices("--fewest-nights", "30"), []);
  assert.ok(reasons("--fewest-nights", "30").some(([, reason]) => reason === "too_few_nights"));
  assert.deepEqual(indices("--q", "1e-300"), []);
  assert.deepEqual(reasons("--q", "1e-300"),
    [[20, "not_significant_among_series"], [40, "not_significant_among_series"]]);
  assert.deepEqual(reasons("--q", "1e-300", "--direction", "down"), [[40, "not_significant_among_series"]]);
  const { stdout } = benchhud("detect", file, "--q", "1e-300");
  assert.equal(stdout, "1 series, 60 nights: no change; 2 candidates not told (--format json says why)\n");
});

test("many quiet series beside a changed one make it less sure", () => {
  const random = noise(9);
  const doubtful = csv(nights(40, step(20, 1.05), 7, 0.03), "changed");
  const alone = detect(write("alone.csv", doubtful))[0];
  assert.equal(alone.change_points.length, 1, JSON.stringify(alone));
  let many = doubtful;
  for (let k = 0; k < 2000; ++k) many += `n0,${1 + random()},quiet ${k}\n`;
  const among = detect(write("many.csv", many), "--q", String(alone.change_points[0].q * 100))[0];
  assert.deepEqual(among.change_points, []);
  assert.deepEqual(among.rejected.map((one) => [one.index, one.reason]),
    [[alone.change_points[0].index, "not_significant_among_series"]]);
});

test("standard input, gzip and a file are the same, and so is every run", () => {
  const text = csv(nights(300, (i) => 100 + 10 * Math.floor(i / 50)), "a") + csv(nights(200, () => 5, 8), "b").slice(19);
  const file = write("same.csv", text);
  const first = benchhud("detect", file, "--format", "json");
  assert.equal(first.status, 0);
  assert.ok(JSON.parse(first.stdout).series[0].change_points.length > 3);
  for (const again of [benchhud("detect", file, "--format", "json"), piped(text, "--format", "json"),
    benchhud("detect", write("same.csv.gz", gzipSync(text)), "--format", "json"),
    piped(text.replaceAll("\n", "\r\n"), "--format", "json")]) {
    assert.equal(again.status, 0, again.stderr);
    assert.equal(again.stdout, first.stdout);
  }
  // Numbers are the shortest that read back the same.
  for (const number of first.stdout.match(/-?\d+\.?\d*(e[-+]\d+)?(?=[,}\]])/g)) {
    assert.ok(number.length <= JSON.stringify(Number(number)).length + 1, number);
  }
  const cut = benchhud("detect", write("cut.csv.gz", gzipSync(text).subarray(0, -200)), "--format", "json");
  assert.equal(cut.status, 3);
  assert.match(cut.stderr, /cut\.csv\.gz:\d+: the gzip data is damaged or ends early/);
  const bad = piped("night,value\nn1\n");
  assert.equal(bad.status, 3);
  assert.match(bad.stderr, /^-:2: /);
});

test("what is no series, and what is no command line", () => {
  const file = write("good.csv", "night,value\na,1\n");
  for (const [args, status, words] of [
    [[join(folder, "nowhere.csv")], 1, /cannot open .*nowhere\.csv/],
    [[folder], 1, /is a folder/],
    [[write("empty.csv", "")], 1, /empty\.csv: there is nothing in it/],
    [[write("blank.csv", "\ufeff\r\n \n")], 1, /there is nothing in it/],
    [[write("columns.csv", "date;value\n1;2\n")], 1, /no column "night"; the columns are: date;value/],
    [[write("no_value.csv", "night,time\n1,2\n")], 1, /no column "value"; the columns are: night, time/],
    [[write("twice.csv", "night,value,value\n1,2,3\n")], 1, /two columns "value"/],
    [[], 2, /takes one file/],
    [[file, file], 2, /takes one file/],
    [[file, "--least-effect", "-1"], 2, /--least-effect/],
    [[file, "--least-effect", "nan"], 2, /--least-effect/],
    [[file, "--least-effect", "little"], 2, /least-effect/],
    [[file, "--fewest-nights", "0"], 2, /fewest-nights/],
    [[file, "--fewest-nights", "2.5"], 2, /fewest-nights/],
    [[file, "--q", "0"], 2, /--q/],
    [[file, "--q", "1.5"], 2, /--q/],
    [[file, "--q", "nan"], 2, /--q/],
    [[file, "--direction", "sideways"], 2, /up, down or both/],
    [[file, "--format", "xml"], 2, /text or json/],
    [[file, "--colour"], 2, /colour/],
  ]) {
    const done = benchhud("detect", ...args);
    assert.equal(done.status, status, args.join(" "));
    assert.match(done.stderr, words);
    assert.equal(done.stdout, "");
  }
  assert.match(piped("").stderr, /standard input: there is nothing in it/);
  assert.match(benchhud("detect", "--help").stdout, /^usage: benchhud detect FILE\.csv/);
});
