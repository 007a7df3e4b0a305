// One word means one number: what the API, CSV and `benchhud summary` say of the same run is counted here again from the single
// results, by the definitions of docs/numbers.md, and compared.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const nightlies = join(root, "../shared/data/results/cpu_nightlies_2");
const fellOut = join(root, "tests/data/field/05_models_fell_out");
let folder;
before(() => (folder = temporaryFolder("numbers")));
after(() => removeFolder(folder));

const DAY = 86400;
const begin = Date.parse("2026-03-01T00:00:00Z") / 1000;
const CRASH = "Traceback (most recent call last):\n  File \"runner.py\", line 3, in main\nFatal Python error: Segmentation fault\n\nThread 0x00007f (most recent call first):\n  File \"model.py\", line 9 in forward\n";
const FIRST_OF = { eager: null, inductor: "inductor", aot_eager: "aot_eager" };

/** Twelve nights of two suites and three backends, with everything that made numbers differ. */
function fleet(into) {
  const counters = (captured) => captured.map((n) => (n ? { frames: { ok: n }, stats: { unique_graphs: n } } : {}));
  for (let night = 0; night < 12; ++night) {
    const timestamp = begin + night * DAY;
    const lines = [];
    for (const suite of ["one", "two"]) {
      for (const model of ["a", "b", "c", "d", "e"]) {
        for (const [backend, dynamo] of Object.entries(FIRST_OF)) {
          const of = (more) => line({ suite, model, timestamp, ...more, experiment: { dynamo, ...more.experiment } });
          const noise = 1 + 0.004 * (((night * 7 + model.charCodeAt(0) * 3 + backend.length) % 5) - 2);
          const seconds = { eager: 2, inductor: 1, aot_eager: 1.7 }[backend] * noise;
          // From night 8 on c crashes on inductor, and without its batch size; d runs out of memory; e is gone from suite two.
          if (night >= 8 && backend === "inductor" && model === "c") lines.push(of({ metrics: { error: CRASH }, experiment: { batch_size: null } }));
          else if (night >= 8 && backend === "inductor" && model === "d" && suite === "one") lines.push(of({ metrics: { error: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB" } }));
          else if (night >= 8 && suite === "two" && model === "e") continue;
          else if (backend === "aot_eager" && model === "b") lines.push(of({ metrics: { error: "ValueError: shapes (3, 4) do not fit" } }));
          else if (backend === "inductor" && model === "a" && suite === "one") {
            // A model that begins to recompile seven times.
            const captured = Array.from({ length: 12 }, (_, i) => (i === 0 || (night >= 8 && i < 7) ? 1 : 0));
            const samples = captured.map((n, i) => seconds * (1 + 0.001 * (i % 3)) + n * 3);
            lines.push(of({ metrics: { total_time: samples, per_iter_time: samples, dynamo_counters: counters(captured) } }));
          } else if (backend === "aot_eager" && model === "c") {
            // A first repetition that is not slower: upstream's compile time is below zero.
            const samples = [seconds * 0.98, ...Array.from({ length: 9 }, (_, i) => seconds * (1 + 0.01 * ((i * 7 + night) % 3)))];
            lines.push(of({ metrics: { total_time: samples, per_iter_time: samples } }));
          } else lines.push(of({ metrics: times(seconds) }));
        }
      }
    }
    write(into, `night-${night}`, lines);
    // Verified every third night; eager verifies the others, and inductor is never verified in suite two.
    if (night % 3 !== 0) continue;
    const verified = [];
    for (const suite of ["one", "two"]) {
      for (const model of ["a", "b", "c", "d", "e"]) {
        for (const dynamo of ["inductor", "aot_eager"]) {
          if (dynamo === "inductor" && suite === "two") continue;
          const raised = dynamo === "aot_eager" && model === "b";
          const code = raised ? "EXCEPTION_RAISED" : model === "e" ? "NONDETERMINISTIC_EAGER_RUN" : model === "d" && night >= 6 ? "FAIL" : "PASS";
          verified.push(line({ suite, model, timestamp: timestamp + 7200, experiment: { dynamo, batch_size: null }, metrics: raised ? { error: "KeyError: 'x'" } : {}, verification_code: code, verification_mean_rel_error: raised ? null : 1.5e-5 }));
        }
      }
    }
    write(into, `night-${night}-verify`, verified);
  }
}

function write(into, name, lines) {
  mkdirSync(join(into, name), { recursive: true });
  writeFileSync(join(into, name, "results.jsonl"), lines.join("\n") + "\n");
}

function storeOf(name, ...words) {
  const db = join(folder, `${name}.db`);
  const done = benchhud("ingest", ...words, "--db", db);
  assert.ok([0, 3].includes(done.status), done.stdout + done.stderr);
  return db;
}

/** Counts single results by the definitions. */
function counted(results) {
  const cell = (one) => `${one.experiment.suite}\n${one.experiment.test}\n${one.experiment.backend}`;
  const verifiable = new Set(results.filter((one) => one.verification).map(cell));
  const counts = { total: 0, timed: 0, failed: 0, passing: 0, failing: 0, undecided: 0, unverified: 0, stale: 0, verifiable: 0 };
  for (const one of results) {
    counts.total += 1;
    counts.timed += one.status === "timed" ? 1 : 0;
    counts.failed += one.status === "failed" ? 1 : 0;
    counts[one.verification ? one.verification.outcome : "unverified"] += 1;
    counts.stale += one.verification?.stale ? 1 : 0;
    counts.verifiable += verifiable.has(cell(one)) ? 1 : 0;
  }
  return counts;
}

const picked = (group) => Object.fromEntries(["total", "timed", "failed", "passing", "failing", "undecided", "unverified", "stale", "verifiable"].map((name) => [name, group[name] ?? (name === "total" ? group.results : undefined)]));
const summed = (groups) => groups.map(picked).reduce((sum, one) => Object.fromEntries(Object.entries(one).map(([name, n]) => [name, n + (sum[name] ?? 0)])), {});
const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);
const digits = (value) => (value < 99.95 ? value.toPrecision(3) : value.toFixed(0));
const words = (test) => ({ eval: "Inference", train: "Training" })[test] ?? test;

async function check(db, { runs = 400 } = {}) {
  const server = await serve(db);
  const api = async (path) => {
    const response = await fetch(`${server.base}/api/v1${path}`);
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.headers.get("content-type").startsWith("text/csv") ? response.text() : response.json();
  };
  const rows = async (path) => {
    const items = [];
    for (let cursor = ""; ; ) {
      const page = await api(`${path}&limit=500${cursor}`);
      items.push(...page.items);
      if (page.next_cursor === null) return items;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  };
  try {
    const overview = await api("/overview?runs=1");
    for (const accelerator of overview.accelerators) {
      const { run, previous_run: previous, groups, changes } = accelerator;
      const on = `accelerator_model=${encodeURIComponent(accelerator.accelerator_model)}`;
      const results = await rows(`/results?run=${run.id}`);
      // The overview's groups, and the history's.
      for (const group of groups) {
        const own = results.filter((one) => one.experiment.test === group.test && one.experiment.backend === group.backend);
        assert.deepEqual(picked(group), counted(own), `${group.test} ${group.backend}`);
      }
      assert.equal(sum(groups.map((group) => group.total)), results.length, "every result is in a group");
      const history = (await api(`/history?${on}&group_by=test&group_by=backend&runs=1`)).accelerators[0];
      for (const group of history.groups) assert.deepEqual(picked(group.points.at(-1)), picked(groups.find((one) => one.test === group.test && one.backend === group.backend)));
      const everything = (await api(`/history?${on}&group_by=suite&runs=1`)).accelerators[0].groups.map((group) => group.points.at(-1));
      assert.deepEqual(summed(everything), summed(groups), "other groups, the same sums");
      // CSV.
      const csv = (await api(`/history?${on}&group_by=test&group_by=backend&runs=1&format=csv`)).trim().split(/\r?\n/).map((text) => text.split(","));
      const column = (name) => csv[0].indexOf(name);
      if (column("passing") >= 0) for (const row of csv.slice(1)) assert.equal(Number(row[column("passing")]), groups.find((one) => one.test === row[column("test")] && one.backend === row[column("backend")]).passing);
      for (const one of (await api(`/verification?run=${run.id}`)).backends) assert.deepEqual(picked(one), summed(groups.filter((group) => group.backend === one.backend)));
      // What was expected.
      const coverage = await api(`/coverage?run=${run.id}`);
      assert.equal(sum(coverage.groups.map((group) => group.timed + group.extra_timed)), sum(groups.map((group) => group.timed)), "timed, expected or not");
      for (const group of coverage.groups) {
        assert.equal(sum(Object.values(group.outcomes)), group.expected);
        assert.ok(group.timed >= group.outcomes.timed, "a wrong result may be timed");
      }
      // Errors.
      const errors = await api(`/errors?${on}&runs=${Math.min(runs, 365)}`);
      assert.equal(errors.now.failed, sum(groups.map((group) => group.failed)), "failed is the run's failed");
      assert.ok(errors.now.experiments <= errors.now.failed + errors.now.verification);
      for (const error of errors.items) {
        assert.equal(error.now, error.counts.at(-1) ?? 0, error.signature);
        assert.equal(sum(error.since.map((one) => one.experiments)), error.now, error.signature);
        assert.equal(error.run_count, error.counts.filter((n) => n > 0).length);
        assert.equal(error.last_run_id === errors.runs.at(-1).id, error.now > 0, "what is there now was last seen now");
        const { experiments } = await api(`/errors/history?${on}&runs=${Math.min(runs, 365)}&signature=${encodeURIComponent(error.signature)}`);
        assert.equal(experiments.filter((one) => one.now).length, error.now);
        for (const one of experiments) assert.equal(one.since_run_id !== null, one.now);
      }
      // Compile times are known and above zero, or they are not there.
      for (const one of results) assert.ok(one.compile.all === null || one.compile.all >= 0, JSON.stringify(one.compile));
      // Two runs.
      if (!previous) {
        assert.deepEqual(changes, []);
        assert.match(benchhud("summary", "--db", db, "--run", String(run.id)).stdout, /before: there is no earlier run/);
        continue;
      }
      const comparison = await api(`/compare?left=${previous.id}&right=${run.id}`);
      const [total, ...parts] = comparison.groups;
      assert.deepEqual(picked(total.right), summed(groups));
      assert.deepEqual(picked(total.left), summed(accelerator.previous_groups));
      assert.deepEqual(summed(parts.map((part) => part.right)), picked(total.right), "the total is the sum");
      for (const change of changes) {
        assert.ok(change.speedup.n <= Math.min(change.speedups_before, change.speedups_now));
        assert.ok(change.speedup.ratio === null || change.speedup.ratio > 0);
        assert.ok(change.compile.ratio === null || change.compile.ratio > 0);
        if (change.backend !== overview.baseline) assert.equal(change.speedups_now, groups.find((one) => one.test === change.test && one.backend === change.backend)?.geomean?.all.n ?? 0);
      }
      checkSummary(db, accelerator, overview.baseline, (await api(`/alerts?${on}&limit=1`)).total);
    }
    return { api, server, overview };
  } finally {
    await server.stop();
  }
}

/** `benchhud summary` says the overview's numbers. */
function checkSummary(db, { run, groups, changes }, baseline, alerts) {
  const done = benchhud("summary", "--db", db, "--run", String(run.id));
  assert.equal(done.status, 0, done.stderr);
  const { stdout } = done;
  assert.match(stdout, new RegExp(`\\*\\*Open alerts\\*\\*: ${alerts || "none"}\n`));
  const names = new Set(changes.flatMap((change) => change.no_longer_timed.map((model) => `${model.suite}/${model.model}`)));
  assert.match(stdout, new RegExp(`\\*\\*No longer timed\\*\\*: ${names.size === 0 ? "none" : names.size === 1 ? "1 model" : `${names.size} models`}\n`));
  const tables = stdout.split("####").slice(1).map((part) => part.split("\n").filter((text) => text.startsWith("|")).map((text) => text.split("|").slice(1, -1).map((cell) => cell.trim())));
  for (const group of groups) {
    const cell = (table) => {
      const [head, , ...body] = table;
      return body.find((row) => row[0] === `\`${group.backend}\``)?.[head.indexOf(words(group.test))];
    };
    const isVerified = group.passing + group.failing + group.undecided > 0;
    const passing = cell(tables[0]);
    if (isVerified) assert.ok(passing.startsWith(`${group.passing} of ${group.verifiable}${group.failing ? `, ${group.failing} failing` : ""}`), `${passing}: ${JSON.stringify(group)}`);
    else assert.match(passing, /^–/);
    if (group.backend === baseline) continue;
    const { geomean } = group;
    const speedup = cell(tables[1]);
    if (!geomean?.all.value) {
      assert.equal(speedup, "–");
      continue;
    }
    assert.ok(speedup.startsWith(`${digits(geomean.all.value)}×`), speedup);
    const change = changes.find((one) => one.test === group.test && one.backend === group.backend);
    if (change.speedup.before !== null) assert.ok(speedup.includes(`${digits(change.speedup.before)}×`), `${speedup}: ${JSON.stringify(change.speedup)}`);
  }
}

test("samples: every place counts alike", async () => {
  await check(storeOf("samples", join(root, "samples")));
});

test("the other nightlies: every place counts alike", { skip: existsSync(nightlies) ? false : "../shared/data/results/cpu_nightlies_2 is not there" }, async () => {
  await check(storeOf("nightlies", nightlies));
});

test("a fleet with crashes, models that fell out, recompilations and backends that are never verified", async () => {
  const into = join(folder, "fleet");
  fleet(into);
  const db = storeOf("fleet", ...readdirSync(into).sort().map((name) => join(into, name)));
  const { overview } = await check(db);
  const [{ groups, changes }] = overview.accelerators;
  const inductor = groups.find((one) => one.backend === "inductor");
  assert.equal(inductor.verifiable, 5, "suite two was never verified on inductor");
  assert.ok(groups.some((one) => one.backend === "eager" && one.verifiable === 0));
  assert.deepEqual(changes.flatMap((one) => one.no_longer_timed), [], "it fell out four nights ago");
  const week = benchhud("summary", "--db", db, "--against", "7d").stdout;
  assert.match(week, /before: run 2026-03-05T00:00:00Z/);
  assert.match(week, /\*\*No longer timed\*\*: 4 models\n/);
  assert.match(week, /- `one\/c`, Inference, on inductor: crashed \(.*Segmentation fault/i);
  assert.match(week, /- `one\/d`, Inference, on inductor: out of memory/);
  assert.match(week, /- `two\/e`, Inference, on aot\\_eager, eager, inductor: not run/);
  assert.match(week, /\| `eager` \| 0\.5\d\d× \[.*\], n = 6 \(before, over the same 6 of 10: 0\.\d{3}×\) \|/);
  assert.equal(benchhud("summary", "--db", db, "--since", "2026-03-05T00:00:00Z").stdout, week, "a run by name is the same");
  assert.notEqual(benchhud("summary", "--db", db, "--against", "7x").status, 0);
  assert.match(benchhud("summary", "--db", db).stdout, /\*\*Open alerts\*\*: [1-9]/, "never nothing under open regressions");

  const server = await serve(db);
  try {
    const api = async (path) => (await fetch(`${server.base}/api/v1${path}`)).json();
    // The model that began to recompile takes longer to compile, not less.
    const series = await api("/series?suite=one&model=a&test=eval&backend=inductor&metric=compile");
    const values = series.series[0].points.map((point) => point.value);
    assert.ok(values.slice(0, 8).every((value) => Math.abs(value - 3) < 0.1), values.join());
    assert.ok(values.slice(8).every((value) => Math.abs(value - 21) < 0.2), values.join());
    const none = await api("/series?suite=one&model=c&test=eval&backend=aot_eager&metric=compile");
    assert.ok(none.series.every((one) => one.points.every((point) => point === null)), "what is within noise is unknown");
    // A crash alert shows the crash.
    const alerts = (await api("/alerts?limit=100")).items;
    const causes = [];
    for (const alert of alerts) causes.push(...(await api(`/alerts/${alert.id}`)).causes);
    const crash = causes.find((cause) => cause.kind === "error" && /Segmentation fault/.test(cause.signature));
    assert.match(crash.title, /^crashed: .*Segmentation fault/);
    assert.match(crash.lines.join("\n"), /model\.py", line 9 in forward/);
    assert.equal((await api(`/errors/history?signature=${encodeURIComponent(crash.signature)}`)).experiments.length > 0, true, "its page is there");
    assert.ok(causes.some((cause) => cause.kind === "error" && cause.title.startsWith("out of memory: ")), "out of memory as such");
    for (const cause of causes) assert.ok(cause.share === null || (cause.share > 0 && cause.share <= 1), JSON.stringify(cause));
    // The verifier's mean relative error is beside its code.
    const passed = (await api("/results?run=latest&model=a&backend=aot_eager&suite=one")).items[0];
    const lines = (await api(`/runs/${passed.verification.run_id}/results/${passed.experiment.id}`)).lines;
    assert.equal(lines.find((one) => one.effective.includes("verification")).mean_rel_error, 1.5e-5);
    // As of an earlier run the overview is what it was.
    const until = new Date(Date.parse("2026-03-06T00:00:00Z") + 1).toISOString();
    const then = (await api(`/overview?until=${until}`)).accelerators[0];
    assert.equal(then.run.started_at, "2026-03-06T00:00:00Z");
    assert.equal(then.groups.find((one) => one.backend === "inductor").timed, 10);
    assert.deepEqual((await api("/overview?until=2020-01-01")).accelerators, []);
  } finally {
    await server.stop();
  }
});

test("models that fell out: over the one common model, and three that no longer time", async () => {
  const db = storeOf("fell-out", ...readdirSync(fellOut).sort().map((name) => join(fellOut, name)));
  const { overview } = await check(db);
  assert.equal(overview.accelerators.length, 1);
  const { stdout } = benchhud("summary", "--db", db, "--baseline", "eager");
  assert.match(stdout, /\| `inductor` \| 1\.01×, n = 1 \(before, over the same 1 of 4: 1\.00×\) \|/);
  assert.match(stdout, /\*\*No longer timed\*\*: 3 models\n- `torchbench\/m2`/);
});

test("one run, and none", async () => {
  write(join(folder, "lone"), "night", [line({ metrics: times(1) }), line({ metrics: times(2), experiment: { dynamo: null } })]);
  const { overview } = await check(storeOf("lone", join(folder, "lone")));
  assert.equal(overview.accelerators[0].groups.length, 2);
  mkdirSync(join(folder, "none"), { recursive: true });
  writeFileSync(join(folder, "none", "results.jsonl"), "");
  const nothing = benchhud("summary", "--db", storeOf("none", join(folder, "none", "results.jsonl")));
  assert.notEqual(nothing.status, 0);
  assert.match(nothing.stderr, /no runs yet/);
});
