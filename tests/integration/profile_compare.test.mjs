// `benchhud profile compare`: where an iteration goes by two profiles, of results in a store and of files.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { benchhud, removeFolder, serve, temporaryFolder } from "./support/server.mjs";
import { cudaTrace, dayOf as day, writeFleet, xlaSession } from "./support/sessions.mjs";

const LEFT = "latest/alpha/eval/inductor", RIGHT = "latest/alpha/eval/openxla+dynamo";

let folder, db, chrome, xla;

/** A file of the test's folder. */
function write(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function ingestFleet(name, options) {
  const store = join(folder, `${name}.db`);
  for (const night of writeFleet(join(folder, name), { nights: 4, profiled: [3], both: [3], ...options })) {
    const done = benchhud("ingest", night, "--db", store);
    assert.equal(done.status, 0, done.stdout + done.stderr);
  }
  return store;
}

before(() => {
  folder = temporaryFolder("profile-compare");
  db = ingestFleet("fleet");
  chrome = write("chrome.json.gz", gzipSync(cudaTrace()));
  xla = write("xla.xplane.pb", xlaSession());
});
after(() => removeFolder(folder));

function compare(left, right, { store = db, more = [] } = {}) {
  return benchhud("profile", "compare", left, right, "--db", store, ...more);
}

function compareJson(left, right, options = {}) {
  const done = compare(left, right, { ...options, more: ["--format", "json"] });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

/** The row of the text that ends in `name`. */
function rowOf(text, name) {
  const row = text.split("\n").find((line) => line.endsWith(`  ${name}`));
  assert.ok(row, `${name}: ${text}`);
  return row.trim().split(/ {2,}|(?<=s) (?=\d)/);
}

describe("two results", () => {
  test("the document is the one that the address answers", async () => {
    const said = compareJson(LEFT, RIGHT);
    const server = await serve(db);
    try {
      const of = (side) => `${side}_run=${said[side].run.id}&${side}_experiment=${said[side].experiment.id}`;
      const answer = await fetch(`${server.base}/api/v1/profile-comparison?${of("left")}&${of("right")}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(said, await answer.json());
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
  });

  test("the text has both sides of each part and operator, and what one takes longer", () => {
    const { stdout, stderr, status } = compare(LEFT, RIGHT);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^left +alpha, eval, inductor, run 2025-/m);
    assert.match(stdout, /4 iterations, by steps of the profiler; 1 ms an iteration/);
    assert.match(stdout, /^right +alpha, eval, openxla\+dynamo, run 2025-/m);
    assert.equal(stdout.match(/^ {7}NVIDIA A100-SXM4-40GB, batch 8$/gm)?.length, 2, stdout);
    assert.doesNotMatch(stdout, /other flags/);
    assert.match(stdout, /4 iterations, by step marks of PyTorch\/XLA; 850 µs an iteration/);
    assert.deepEqual(rowOf(stdout, "compiling"), ["100 µs", "10.0 %", "0 s", "0.0 %", "-100 µs", "compiling"]);
    assert.deepEqual(rowOf(stdout, "executing"), ["450 µs", "45.0 %", "400 µs", "47.1 %", "-50 µs", "executing"]);
    assert.deepEqual(rowOf(stdout, "aten::mm"), ["400 µs", "80.0 %", "300 µs", "75.0 %", "-100 µs", "aten::mm"]);
    assert.match(stdout, /^ +unknown +unknown +100 µs +25\.0 % +unknown {2}aten::relu$/m, "it may have run");
    assert.match(stdout, /unknown of the left: aten::relu: .*it may have run/);
  });

  test("so many operators as are asked for, and how many more there are", () => {
    const { stdout } = compare(LEFT, RIGHT, { more: ["--top", "1"] });
    assert.match(stdout, /aten::mm\n {2}… and 3 more\n/);
    assert.doesNotMatch(stdout, /triton_poi/);
  });

  test("without marks a repetition has the iterations that the result says", () => {
    const store = ingestFleet("unmarked", { marked: false });
    const { stdout, status } = compare(LEFT, RIGHT, { store });
    assert.equal(status, 0);
    assert.match(stdout, /one repetition of \d+ iterations?, which nothing marks; .* an iteration/);
  });

  test("runs may differ, and so may what a side is", () => {
    const [run] = JSON.parse(benchhud("runs", "list", "--db", db, "--format", "json").stdout).filter((one) => one.name.startsWith(day(3)));
    const said = compareJson(`${run.id}/alpha/eval/inductor`, xla);
    assert.equal(said.left.run.id, run.id);
    assert.deepEqual([said.right.run, said.right.experiment, said.right.artifact_id, said.right.dump], [null, null, null, xla]);
    assert.deepEqual(said.parts.map((part) => part.difference_ns), [-10_000, -100_000, 0, -50_000, -20_000, 30_000]);
  });
});

describe("two files", () => {
  test("a Chrome trace and an XPlane profile compare without a store", () => {
    const nowhere = join(folder, "nowhere.db");
    const files = compareJson(chrome, xla, { store: nowhere });
    const stored = compareJson(LEFT, RIGHT);
    assert.deepEqual(files.parts, stored.parts);
    assert.deepEqual(files.operators, stored.operators);
    assert.match(compare(chrome, xla, { store: nowhere }).stdout, /^left {3}.*chrome\.json\.gz$/m);
  });

  test("an unknown length of an iteration is no 0, and shares are there", () => {
    const unmarked = write("unmarked.json", cudaTrace({ marked: false, withOperators: false }));
    const { stdout, status } = compare(unmarked, xla);
    assert.equal(status, 0);
    assert.match(stdout, /the whole profile: nothing marks iterations or says how many there are/);
    assert.match(stdout, /^ +unknown +47\.9 % +400 µs +47\.1 % +unknown {2}executing$/m);
    assert.match(stdout, /^ +unknown +unknown +90 µs +10\.6 % +unknown {2}tracing$/m);
    assert.match(stdout, /unknown of the left: tracing: The profile has no operators of the host\./);
  });

  test("where neither has iterations, what is known is printed and the rest is an error", () => {
    const unmarked = write("neither.json", cudaTrace({ marked: false }));
    for (const more of [[], ["--format", "json"]]) {
      const done = compare(unmarked, unmarked, { more });
      assert.equal(done.status, 1);
      assert.match(done.stderr, /^benchhud: it is not known of either profile how many iterations/);
      assert.match(done.stdout, /executing/);
    }
  });
});

describe("what cannot be compared", () => {
  const refused = (done, status, message) => {
    assert.equal(done.status, status, done.stderr);
    assert.match(done.stderr, message);
    assert.equal(done.stdout, "");
  };

  test("results without a profile, unknown results and files that are no traces", () => {
    refused(compare(LEFT, "latest/quiet/eval/inductor"), 1, /^benchhud: latest\/quiet\/eval\/inductor: The result has no profile\.$/m);
    refused(compare("latest/nobody/eval/inductor", RIGHT), 1, /there is no result latest\/nobody/);
    refused(compare("never/alpha/eval/inductor", RIGHT), 1, /never\/alpha\/eval\/inductor is no file, and no result: /);
    refused(compare(LEFT, "latest/alpha/eval/inductor/8/9"), 2, /names no result: give RUN\/EXPERIMENT/);
    refused(compare(LEFT, "latest/x"), 2, /x is no experiment's id/);
    refused(compare(LEFT, "latest/99999"), 1, /is no file, and no result/);
    refused(compare(chrome, "gone.json"), 2, /gone\.json is no file, and no result/);
    refused(compare(chrome, LEFT, { store: join(folder, "nowhere.db") }), 1, /no file, and no result: .*nowhere\.db/);
    refused(compare(chrome, LEFT, { store: write("damaged.db", "no store at all") }), 1, /is no file, and cannot be looked up as a result: /);
    refused(compare(chrome, write("text.json", "words")), 1, /text\.json/);
    refused(compare(chrome, folder), 2, /is no file, and no result/);
    refused(compare(chrome, "n".repeat(5000)), 2, /is no file, and no result/);
  });

  test("a command line that makes no sense", () => {
    refused(benchhud("profile", "compare", chrome), 2, /takes two files or results/);
    refused(benchhud("profile", "compare", chrome, xla, xla), 2, /takes two files or results/);
    refused(compare(chrome, xla, { more: ["--format", "xml"] }), 2, /format/);
    refused(compare(chrome, xla, { more: ["--top", "0"] }), 2, /top/);
    refused(benchhud("profile"), 2, /`diff BEFORE AFTER`, `compare LEFT RIGHT`/);
  });
});

test("hostile names stay text: of operators, of files and of what is asked for", () => {
  const names = ["aten::\u001b[31mred\u0007", "aten::a\nleft   forged", '=cmd|"calc"!A0', "é".repeat(3000)];
  const trace = JSON.stringify({
    traceEvents: [
      { ph: "X", cat: "user_annotation", name: "ProfilerStep#1", pid: 1, tid: 1, ts: 0, dur: 1000 },
      ...names.map((name, index) => ({ ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts: 10 + 100 * index, dur: 50 })),
    ],
  });
  mkdirSync(join(folder, "odd"));
  const file = write("odd/\u001b[2J\nname.json", trace);
  const { stdout, stderr, status } = compare(file, chrome);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f]/u);
  assert.ok(stdout.includes("aten::\\x1b[31mred\\x07") && stdout.includes("\\x1b[2J\\x0aname.json"), stdout);
  assert.equal(stdout.split("\n").filter((line) => line.startsWith("left   ")).length, 1);
  const said = compareJson(file, chrome);
  assert.equal(said.left.dump, file);
  const operators = said.operators.map((row) => row.name);
  for (const name of names) assert.ok(operators.includes(name), JSON.stringify(name));
  const refusal = compare(chrome, "latest/\u001b[31m/eval/x");
  assert.equal(refusal.status, 1);
  assert.doesNotMatch(refusal.stderr, /\u001b/);
});
