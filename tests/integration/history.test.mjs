// Groups and single results over runs: the same numbers as where they are said one run at a time.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

let folder, server;

before(async () => {
  folder = temporaryFolder("history");
  const db = join(folder, "store.db");
  // Another accelerator, with two suites, two configurations of a backend and a night of failures.
  const xla = { xla: "PJRT", dynamo: "openxla" };
  const night = (date, scale, more = []) => {
    const timestamp = Date.parse(`${date}T00:00:00Z`) / 1000;
    const of = (suite, model, seconds, experiment = {}) => line({ suite, model, timestamp, metrics: times(seconds), experiment });
    writeFileSync(
      join(folder, `${date}.jsonl`),
      [
        of("alpha", "a", 1),
        of("alpha", "a", 0.5 * scale, xla),
        of("alpha", "a", 0.25, { ...xla, xla_flags: "--xla_gpu_enable_x=true" }),
        of("alpha", "b", 1),
        of("alpha", "b", 1, xla),
        of("beta", "a", 2),
        of("beta", "a", 1, xla),
        ...more,
      ].join("\n") + "\n",
    );
  };
  night("2025-12-01", 1);
  night("2025-12-02", 1.01);
  night("2025-12-03", 1.5, [line({ suite: "beta", model: "z", timestamp: Date.parse("2025-12-03T00:00:00Z") / 1000, metrics: { error: "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB" } })]);
  night("2025-12-04", 1.51);
  const ingest = (...words) => {
    const ingested = benchhud("ingest", ...words, "--db", db);
    assert.equal(ingested.status, 0, ingested.stdout + ingested.stderr);
  };
  ingest(join(root, "samples"));
  for (const [branch, days] of [["main", ["01", "02"]], ["dev", ["03", "04"]]]) {
    ingest(...days.map((day) => join(folder, `2025-12-${day}.jsonl`)), "--label", `branch=${branch}`, "--label", "driver=550");
  }
  server = await serve(db);
});
after(async () => {
  await server?.stop();
  if (folder) removeFolder(folder);
});

async function api(path) {
  const response = await fetch(`${server.base}/api/v1${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const CPU = "Intel(R) Xeon(R) Processor";
const GPU = "NVIDIA A100-SXM4-40GB";
const on = (accelerator) => `accelerator_model=${encodeURIComponent(accelerator)}`;

test("a label leaves its runs alone, in histories of groups, of results and of a model", async () => {
  const all = (await api("/history")).accelerators.find((one) => one.runs.some((run) => run.labels.branch));
  const on = `accelerator_model=${encodeURIComponent(all.accelerator_model)}`;
  const days = async (path, pick) => pick(await api(path)).map((run) => run.started_at.slice(0, 10));
  const main = ["2025-12-01", "2025-12-02"], dev = ["2025-12-03", "2025-12-04"];
  const ofGroups = (labels) => days(`/history?${on}&${labels}`, (answer) => answer.accelerators[0].runs);
  assert.deepEqual(await ofGroups("label=branch:main"), main);
  assert.deepEqual(await ofGroups("label=branch:main&label=branch:dev"), [...main, ...dev], "any of a key's values");
  assert.deepEqual(await ofGroups("label=branch:dev&label=driver:550"), dev);
  assert.deepEqual(await ofGroups("label=branch:dev&label=driver:551"), [], "every key");
  assert.deepEqual(await ofGroups("label=branch:main&runs=1"), main.slice(1), "the newest of those that have it");
  assert.deepEqual(await days(`/history/models?${on}&metric=steady&label=branch:dev`, (answer) => answer.runs), dev);
  assert.deepEqual(await days(`/series?${on}&suite=alpha&model=a&test=eval&metric=steady&label=branch:main`, (answer) => answer.runs), main);
  const refused = await fetch(`${server.base}/api/v1/history?label=main`);
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).parameter, "label");
});

test("without filters a group's points are the groups of the overview", async () => {
  for (const baseline of ["inductor", "eager"]) {
    const [history, overview] = await Promise.all([api(`/history?runs=28&baseline=${baseline}`), api(`/overview?runs=28&baseline=${baseline}`)]);
    assert.deepEqual(history.accelerators.map((one) => one.accelerator_model), overview.accelerators.map((one) => one.accelerator_model));
    let compared = 0;
    history.accelerators.forEach((accelerator, index) => {
      const theirs = overview.accelerators[index];
      assert.deepEqual(accelerator.runs, theirs.history.map(({ run }) => run));
      theirs.history.forEach(({ groups }, run) => {
        for (const group of groups) {
          const ours = accelerator.groups.find((one) => one.test === group.test && one.backend === group.backend);
          const { outcomes, steady, ...point } = ours.points[run];
          assert.deepEqual({ test: group.test, backend: group.backend, ...point }, group);
          assert.equal(Object.values(outcomes).reduce((sum, n) => sum + n, 0), group.total);
          assert.ok(steady === null || steady > 0);
          ++compared;
        }
      });
    });
    assert.ok(compared > 100, String(compared));
  }
});

test("of a slice the geomeans are those of the run's table of that slice", async () => {
  const history = await api(`/history?${on(GPU)}&suite=alpha&group_by=test&group_by=column`);
  const [{ runs, groups }] = history.accelerators;
  for (const [index, run] of runs.entries()) {
    const { geomeans } = await api(`/runs/${run.id}/models?suite=alpha`);
    assert.equal(geomeans.length, groups.length);
    for (const group of groups) {
      const { all, matched } = geomeans.find((one) => one.column === group.column && one.test === group.test);
      assert.deepEqual(group.points[index].geomean, { all, matched });
    }
  }
  // Choosing a backend leaves its numbers alone.
  const chosen = await api(`/history?${on(GPU)}&suite=alpha&group_by=test&group_by=column&backend=openxla%2Bdynamo`);
  assert.deepEqual(chosen.accelerators[0].groups, groups.filter((group) => group.backend === "openxla+dynamo"));
});

test("groups are what they are asked to be", async () => {
  const keys = async (query) => (await api(`/history?${on(GPU)}&${query}`)).accelerators[0].groups.map(({ suite, test, backend, column }) => [suite, test, backend, column]);
  assert.deepEqual(await keys("group_by=none"), [[null, null, null, null]]);
  assert.deepEqual(await keys("group_by=suite"), [["alpha", null, null, null], ["beta", null, null, null]]);
  assert.equal((await keys("group_by=column")).length, 3);
  assert.equal((await keys("group_by=suite&group_by=backend")).length, 4);
  assert.deepEqual(await keys("suite=nobody"), []);
  const refused = await fetch(`${server.base}/api/v1/history?group_by=none&group_by=suite`);
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).parameter, "group_by");
});

test("the level of steady times is over what every run has, and says how many that are", async () => {
  const history = await api(`/history?${on(GPU)}&suite=alpha&group_by=backend&backend=openxla%2Bdynamo`);
  const [group] = history.accelerators[0].groups;
  assert.deepEqual(group.steady_set, { n: 3, of: 3 });
  const levels = group.points.map((point) => point.steady);
  assert.ok(Math.abs(levels[3] / levels[0] - Math.cbrt(1.51)) < 1e-9, levels.join());
});

test("a run's outcomes tell a lack of memory from other failures", async () => {
  const history = await api(`/history?${on(GPU)}&suite=beta&group_by=none`);
  const points = history.accelerators[0].groups[0].points;
  assert.deepEqual(points.map((point) => point.outcomes.out_of_memory), [0, 0, 1, 0]);
  const single = await api(`/history/models?${on(GPU)}&suite=beta&model=z`);
  assert.deepEqual(single.series.map((one) => [one.values, one.outcomes]), [[[null, null, null, null], ["not_run", "not_run", "out_of_memory", "not_run"]]]);
});

test("single results over runs are those of the series", async () => {
  for (const metric of ["steady", "speedup", "compile", "total_time", "peak_memory_nobody_wrote"]) {
    const answer = await api(`/history/models?${on(CPU)}&runs=28&metric=${metric}&intervals=true&model=resnet_mini&test=eval`);
    const series = await api(`/series?suite=cpu-mini&model=resnet_mini&test=eval&${on(CPU)}&runs=28&metric=${metric}`);
    assert.deepEqual(answer.runs, series.runs);
    assert.equal(answer.unit, series.unit);
    assert.equal(answer.better, series.better);
    assert.equal(answer.series.length, series.series.length);
    for (const one of answer.series) {
      const theirs = series.series.find(({ experiment }) => experiment.id === one.experiment.id);
      assert.deepEqual(one.values, theirs.points.map((point) => point?.value ?? null));
      if (metric === "total_time") assert.ok(one.values.some((value) => value > 0));
      if (!["speedup", "compile"].includes(metric)) {
        assert.deepEqual(one.low, theirs.points.map((point) => point?.low ?? null));
        assert.deepEqual(one.n, theirs.points.map((point) => point?.n ?? 0));
      }
      else assert.equal(one.low, null);
    }
  }
});

test("what changed is the ratio of medians over the runs at both ends", async () => {
  const answer = await api(`/history/changes?${on(GPU)}&span=2&suite=alpha&model=a`);
  assert.equal(answer.before.length, 2);
  assert.deepEqual(answer.after.map((run) => run.started_at.slice(0, 10)), ["2025-12-03", "2025-12-04"]);
  const moved = answer.items.find((item) => item.experiment.column === "openxla+dynamo");
  assert.ok(Math.abs(moved.ratio - 1.505 / 1.005) < 1e-9, String(moved.ratio));
  assert.ok(moved.interval.low > 1.4 && moved.interval.high < 1.6);
  assert.equal(answer.items.find((item) => item.experiment.backend === "inductor").ratio, 1);
  // Of four runs seven at either end cannot be had, nor any of one.
  assert.equal((await api(`/history/changes?${on(GPU)}`)).before.length, 2);
  const alone = await api(`/history/changes?${on(GPU)}&runs=1`);
  assert.deepEqual([alone.before, alone.after], [[], []]);
  assert.ok(alone.items.every((item) => item.before === null && item.after === null && item.ratio === null));
});

test("a span of dates is a span of runs", async () => {
  const answer = await api(`/history?${on(CPU)}&since=2025-11-10&until=2025-11-13`);
  assert.deepEqual(answer.accelerators[0].runs.map((run) => run.started_at.slice(0, 10)), ["2025-11-10", "2025-11-11", "2025-11-12"]);
  // A metric as the runner wrote it, at both ends of the span.
  const raw = await api(`/history/changes?${on(CPU)}&runs=28&span=3&metric=total_time&model=resnet_mini&test=eval`);
  assert.deepEqual([raw.unit, raw.better, raw.before.length, raw.after.length], ["s", "lower", 3, 3]);
  const whole = await api(`/history/models?${on(CPU)}&runs=28&metric=total_time&model=resnet_mini&test=eval`);
  const middle = (values) => values.filter((value) => value !== null).sort((a, b) => a - b);
  for (const item of raw.items) {
    const { values } = whole.series.find(({ experiment }) => experiment.id === item.experiment.id);
    for (const [side, of] of [[item.before, values.slice(0, 3)], [item.after, values.slice(-3)]]) {
      assert.equal(side?.n ?? 0, middle(of).length);
      if (side && side.n % 2) assert.equal(side.value, middle(of)[(side.n - 1) / 2]);
    }
  }
  assert.ok(raw.items.some((item) => item.ratio > 0));
  const none = await api(`/history/models?${on(CPU)}&since=2030-01-01`);
  assert.deepEqual([none.runs, none.series], [[], []]);
});

test("an accelerator that has no runs is told", async () => {
  assert.deepEqual((await api("/history?accelerator_model=nobody")).accelerators, []);
  for (const path of ["/history/models", "/history/changes"]) {
    const response = await fetch(`${server.base}/api/v1${path}?accelerator_model=nobody`);
    assert.equal(response.status, 404);
    assert.equal((await response.json()).parameter, "accelerator_model");
  }
});
