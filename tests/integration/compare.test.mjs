// Two runs side by side: what the answer says of nights whose differences are known, because they were made up.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const GPU = "NVIDIA A100-SXM4-40GB";
const OTHER = "NVIDIA B200";
const XLA = { xla: "PJRT", dynamo: "openxla" };
const NIGHTS = 14;
let folder, server;

/** A few tenths of a percent from night to night, the same on every machine that runs this test. */
const wobble = (night, model) => 1 + 0.003 * Math.sin(7.3 * night + 2.1 * model);
const date = (night) => new Date(Date.parse("2026-01-01T00:00:00Z") + night * 86400e3).toISOString().slice(0, 10);

before(async () => {
  folder = temporaryFolder("compare");
  const db = join(folder, "store.db");
  const ingest = (name, lines, ...more) => {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, lines.join("\n") + "\n");
    const done = benchhud("ingest", path, "--db", db, ...more);
    assert.equal(done.status, 0, done.stdout + done.stderr);
  };
  for (let night = 0; night < NIGHTS; ++night) {
    const last = night === NIGHTS - 1;
    const timestamp = Date.parse(`${date(night)}T00:00:00Z`) / 1000;
    const of = (model, number, seconds, experiment = {}, more = {}) =>
      line({ model, timestamp, experiment, metrics: { ...times(seconds * wobble(night, number)), ...more } });
    ingest(
      date(night),
      [
        of("baseline_faster", 1, last ? 0.8 : 1),
        of("baseline_faster", 2, 0.5, XLA),
        of("slower", 3, 1),
        of("slower", 4, last ? 0.6 : 0.5, XLA, { peak_mem: [last ? 4e9 : 2e9] }),
        of("steady", 5, 1),
        of("steady", 6, 0.5, XLA, { peak_mem: [2e9] }),
        last ? line({ model: "crashes", timestamp, experiment: { ...XLA, batch_size: null }, metrics: { error: "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB" } }) : of("crashes", 7, 1, XLA),
        ...(last ? [of("new", 8, 1, XLA)] : [of("gone", 9, 1, XLA)]),
      ],
      "--label",
      `branch=${night % 2 ? "main" : "work"}`,
      "--label",
      `pytorch=c${night}`,
    );
    const verdict = (model, code) => line({ model, timestamp: timestamp + 3600, experiment: { ...XLA, batch_size: null }, metrics: {}, verification_code: code });
    ingest(`${date(night)}-verify`, [verdict("steady", last ? "FAIL" : "PASS"), verdict("slower", "PASS")]);
  }
  const elsewhere = (model, seconds, experiment) => line({ model, timestamp: Date.parse("2026-01-05T00:00:00Z") / 1000, metrics: times(seconds), experiment: { accelerator_model: OTHER, ...experiment } });
  ingest("other", [elsewhere("steady", 0.4, XLA), elsewhere("slower", 0.25, XLA), elsewhere("slower", 0.5, {})]);
  server = await serve(db);
});
after(async () => {
  await server?.stop();
  if (folder) removeFolder(folder);
});

const ask = (path, headers) => fetch(`${server.base}/api/v1${path}`, { headers });
async function api(path) {
  const response = await ask(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
const on = `right_accelerator_model=${encodeURIComponent(GPU)}`;
const rowOf = (answer, model, backend = "openxla+dynamo") => answer.rows.find((row) => row.model === model && (row.right.backend ?? row.left.backend) === backend);

test("the newest run against the one before: worse, missing, and who moved a speedup", async () => {
  const answer = await api(`/compare?${on}`);
  assert.equal(answer.left.run.name.slice(0, 10), date(NIGHTS - 2));
  assert.equal(answer.right.run.name.slice(0, 10), date(NIGHTS - 1));
  assert.equal(answer.nights_apart, 1);

  const slower = rowOf(answer, "slower");
  assert.equal(slower.verdict, "worse");
  assert.equal(slower.reason, "significant");
  assert.ok(Math.abs(slower.change.ratio - 1.2) < 0.02);
  assert.ok(slower.change.interval.low > 1.15 && slower.change.interval.high < 1.25, JSON.stringify(slower.change));
  assert.ok(slower.change.knows_nights && slower.change.nights >= 12 && slower.change.q < answer.rule.rate);
  assert.equal(slower.speedup.due, "own");

  const moved = rowOf(answer, "baseline_faster");
  assert.equal(moved.verdict, "unclear");
  assert.ok(Math.abs(moved.speedup.ratio - 0.8) < 0.02);
  assert.equal(moved.speedup.due, "baseline");
  assert.ok(Math.abs(moved.speedup.own * moved.speedup.baseline - moved.speedup.ratio) < 1e-9);
  assert.equal(rowOf(answer, "baseline_faster", "inductor").verdict, "better");

  const steady = rowOf(answer, "steady");
  assert.equal(steady.verdict, "unclear");
  assert.equal(steady.verification, "newly_failing");

  const crashed = rowOf(answer, "crashes");
  assert.equal(crashed.verdict, "missing_right");
  assert.equal(crashed.right.absent, "out_of_memory");
  assert.equal(crashed.left.experiment_id, crashed.right.experiment_id, "what failed is what was timed the night before");
  assert.match(crashed.right.failure.signature, /out of memory/);
  assert.equal(rowOf(answer, "gone").right.absent, "not_run");
  assert.equal(rowOf(answer, "new").left.absent, "not_run");
});

test("groups: what passes, what broke, and means over models that are on both sides", async () => {
  const answer = await api(`/compare?${on}`);
  const [total, ...groups] = answer.groups;
  assert.equal(total.suite, null);
  const group = groups.find((one) => one.right_backend === "openxla+dynamo");
  const names = (places) => places.map((place) => answer.rows[place].model);
  assert.deepEqual(names(group.newly_failing), ["steady"]);
  assert.deepEqual(names(group.stopped), ["crashes"]);
  assert.deepEqual(names(group.gone), ["gone"]);
  assert.deepEqual(names(group.appeared), ["new"]);
  assert.deepEqual([group.left.passing, group.right.passing, group.right.failing], [2, 1, 1]);
  assert.equal(group.time.n, 3, "gone, new and crashes have no time on both sides");
  assert.ok(Math.abs(group.time.ratio - 1.2 ** (1 / 3)) < 0.01);
  assert.ok(group.time.interval.low < group.time.ratio && group.time.ratio < group.time.interval.high);
  assert.equal(group.speedup.n, 3);
  assert.equal(group.left_speedup.n, 3);
  assert.equal(group.worse, answer.rows.filter((row) => row.verdict === "worse" && row.right.backend === "openxla+dynamo").length);
  const [memory] = group.memory;
  assert.equal(memory.metric, "peak_mem");
  assert.equal(memory.n, 2);
  assert.ok(Math.abs(memory.ratio - Math.sqrt(2)) < 1e-9);
  assert.equal(groups.find((one) => one.right_backend === "inductor").memory[0].n, 0);
});

test("a q-value does not hang on what is filtered", async () => {
  const all = await api(`/compare?${on}`);
  const some = await api(`/compare?${on}&model=slower`);
  assert.ok(some.rows.length < all.rows.length && some.rows.every((row) => row.model === "slower"));
  assert.deepEqual(rowOf(some, "slower").change, rowOf(all, "slower").change);
  assert.equal(some.groups[0].left.results, some.rows.length);
});

test("the other way round what was worse is better", async () => {
  const there = await api(`/compare?${on}`);
  const back = await api(`/compare?left=${there.right.run.id}&right=${there.left.run.id}`);
  assert.equal(rowOf(back, "slower").verdict, "better");
  assert.ok(Math.abs(rowOf(back, "slower").change.ratio * rowOf(there, "slower").change.ratio - 1) < 1e-9);
  assert.equal(rowOf(back, "crashes").verdict, "missing_left");
  assert.equal(rowOf(back, "steady").verification, "newly_passing");
});

test("a run against itself: no difference, no verdict", async () => {
  const answer = await api(`/compare?left=latest&right=latest&${on}`);
  assert.equal(answer.nights_apart, 0);
  for (const row of answer.rows.filter((one) => one.change)) {
    assert.equal(row.change.ratio, 1);
    assert.deepEqual([row.verdict, row.reason], ["unclear", "same_result"]);
  }
  assert.equal(answer.groups[0].time.reason, "same_result");
});

test("two backends of a run, model by model", async () => {
  const answer = await api(`/compare?left=latest&right=latest&left_backend=inductor&right_backend=openxla%2Bdynamo&${on}`);
  const row = rowOf(answer, "slower");
  assert.equal(row.left.backend, "inductor");
  assert.equal(row.right.backend, "openxla+dynamo");
  assert.ok(Math.abs(row.change.ratio - 0.6) < 0.02);
  assert.equal(row.verdict, "better");
  assert.equal(rowOf(answer, "new").left.absent, "not_run");
  const group = answer.groups.find((one) => one.suite !== null);
  assert.deepEqual([group.left_backend, group.right_backend], ["inductor", "openxla+dynamo"]);
});

test("two accelerators: matched by suite, model, test, batch size and configuration", async () => {
  const answer = await api(`/compare?left_accelerator_model=${encodeURIComponent(OTHER)}&${on}`);
  assert.equal(answer.left.run.accelerator_model, OTHER);
  assert.equal(answer.nights_apart, null);
  const row = rowOf(answer, "slower");
  assert.notEqual(row.left.experiment_id, row.right.experiment_id);
  assert.ok(Math.abs(row.change.ratio - 0.6 / 0.25) < 0.05);
  assert.deepEqual([row.verdict, row.reason], ["worse", "apart"], "one night of the other one tells nothing of its noise");
  assert.equal(row.change.knows_nights, false);
});

test("runs by label and by branch", async () => {
  const named = async (query) => {
    const answer = await api(`/compare?${query}&${on}`);
    return [answer.left.run.name.slice(0, 10), answer.right.run.name.slice(0, 10)];
  };
  assert.deepEqual(await named("left=branch:work&right=branch:main"), [date(NIGHTS - 2), date(NIGHTS - 1)]);
  assert.deepEqual(await named("left=label:pytorch=c3&right=latest"), [date(3), date(NIGHTS - 1)]);
  assert.deepEqual(await named(`left=${date(2)}&right=${date(5)}`), [date(2), date(5)]);
  const response = await ask(`/compare?left=branch:nobody&${on}`);
  assert.equal(response.status, 404);
  assert.equal((await response.json()).parameter, "left");
  const first = await ask(`/compare?right=${date(0)}&${on}`);
  assert.equal(first.status, 404, "there is no run before the first");
});

test("far apart runs are held against nights of which neither is the later one", async () => {
  const answer = await api(`/compare?left=${date(0)}&right=latest&${on}`);
  assert.equal(answer.nights_apart, NIGHTS - 1);
  const row = rowOf(answer, "slower");
  assert.equal(row.change.nights, NIGHTS - 1);
  assert.equal(row.verdict, "worse");
});

test("the CSV has the rows; an unchanged answer is told by its ETag", async () => {
  const response = await ask(`/compare?${on}&format=csv`);
  const lines = (await response.text()).trim().split("\r\n");
  const answer = await api(`/compare?${on}`);
  assert.equal(lines.length, answer.rows.length + 1);
  assert.match(lines[0], /^suite,model,test,left_column,right_column/);
  const etag = (await ask(`/compare?${on}`)).headers.get("etag");
  assert.equal((await ask(`/compare?${on}`, { "if-none-match": etag })).status, 304);
});

test("real nights: neighbours are mostly alike", async () => {
  const db = join(folder, "real.db");
  assert.equal(benchhud("ingest", join(root, "samples", "cpu_nightlies"), "--db", db).status, 0);
  const real = await serve(db);
  try {
    const get = async (path) => (await fetch(`${real.base}/api/v1${path}`)).json();
    const runs = (await get("/runs?limit=100")).items;
    let timed = 0;
    let called = 0;
    for (let i = 0; i + 1 < 15; ++i) {
      const answer = await get(`/compare?left=${runs[i + 1].id}&right=${runs[i].id}`);
      for (const row of answer.rows.filter((one) => one.change)) {
        ++timed;
        called += row.verdict !== "unclear";
      }
    }
    assert.ok(timed > 200, `${timed} compared`);
    assert.ok(called < 0.1 * timed, `${called} of ${timed} have a verdict`);
  } finally {
    await real.stop();
  }
});
