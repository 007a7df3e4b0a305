// What should have run and did not: by the runs before, and by a manifest.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

const DAY = 86400;
const ACCELERATOR = "NVIDIA A100-SXM4-40GB";
let folder, db, server;

/** A night's lines; of each model what became of it. */
function night(n, models) {
  return Object.entries(models)
    .map(([model, what]) => {
      const timestamp = 1762300800 + n * DAY;
      if (typeof what === "number") return line({ model, timestamp, metrics: times(what) });
      return line({ model, timestamp, metrics: { error: what }, verification_code: what === "SKIP" ? "VERIFIER_SKIPPED" : "VERIFIER_DIDNT_RUN", experiment: { batch_size: null } });
    })
    .join("\n");
}

const wrong = (n, model) => line({ model, timestamp: 1762300800 + n * DAY + 7200, verification_code: "FAIL" });

before(async () => {
  folder = temporaryFolder("coverage");
  db = join(folder, "store.db");
  const all = { alpha: 1, beta: 1, gamma: 1, delta: 1, epsilon: 1, zeta: 1, eta: 1 };
  writeFileSync(join(folder, "2025-11-05.jsonl"), night(0, { ...all, old: 1 }));
  writeFileSync(join(folder, "2025-11-06.jsonl"), night(1, all));
  writeFileSync(
    join(folder, "2025-11-07.jsonl"),
    night(2, {
      alpha: 1.1,
      beta: "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: CUDA error: out of memory. Tried to allocate 2.00 GiB\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
      gamma: "Command '['python', 'one.py']' timed out after 600 seconds",
      delta: "Fatal Python error: Segmentation fault",
      epsilon: "SKIP",
      eta: 1,
      fresh: 2,
    }),
  );
  writeFileSync(join(folder, "verify.jsonl"), wrong(2, "eta"));
  const ingested = benchhud("ingest", folder, "--db", db);
  assert.equal(ingested.status, 0, ingested.stderr + ingested.stdout);
  assert.equal(benchhud("runs", "group", "night", "--db", db).status, 0);
  server = await serve(db);
});

after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

async function ask(query = "") {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/coverage${query}`);
  return { status: response.status, etag: response.headers.get("etag"), data: await response.json() };
}

const outcomes = (data) => Object.fromEntries(data.items.map((item) => [item.model, `${item.expected ? "" : "+"}${item.outcome}`]));

test("what was in the runs before is expected, and each way not to be timed is told apart", async () => {
  const { data } = await ask();
  assert.equal(data.basis.kind, "runs");
  assert.equal(data.basis.run_count, 2);
  assert.deepEqual(outcomes(data), { beta: "out_of_memory", gamma: "timed_out", delta: "crashed", epsilon: "skipped", zeta: "not_run", eta: "wrong", fresh: "+timed", old: "not_run" });
  const [group] = data.groups;
  assert.deepEqual([group.suite, group.test, group.backend], ["torchbench", "eval", "inductor"]);
  assert.equal(group.expected, 8);
  assert.equal(group.extra, 1);
  assert.equal(Object.values(group.outcomes).reduce((a, b) => a + b), group.expected, "every expected one once");
  assert.equal(group.outcomes.timed, 1);
  assert.equal(group.lost, 6, "all but the one that was timed, and the one that was gone before");
  const find = (model) => data.items.find((item) => item.model === model);
  assert.equal(find("zeta").lost, true);
  assert.equal(find("old").lost, false);
  assert.equal(find("old").outcome_before, null);
  assert.match(find("old").last_timed_run.started_at, /^2025-11-05/);
  assert.match(find("zeta").last_timed_run.started_at, /^2025-11-06/);
  assert.equal(find("beta").failure.kind, "out_of_memory");
  assert.equal(find("zeta").failure, null);
});

test("how far back, and what of it", async () => {
  assert.equal("old" in outcomes((await ask("?expect_runs=1")).data), false);
  assert.deepEqual(outcomes((await ask("?model=zeta&model=alpha")).data), { zeta: "not_run" });
  assert.deepEqual((await ask("?backend=eager")).data.groups, []);
  assert.equal((await ask("?expect_runs=0")).status, 400);
  const first = await ask("?run=2025-11-05");
  assert.equal(first.data.basis.run_count, 0);
  assert.ok(first.data.items.every((item) => !item.expected), "nothing is expected of the first run");
});

test("a manifest says what is expected, and the answer is another one at once", async () => {
  const before = await ask();
  const file = join(folder, "manifest.csv");
  const expect = (...args) => benchhud("expect", ...args, "--db", db);
  writeFileSync(file, "suite,model,test,backend\ntorchbench,alpha|old|never,inference,inductor\n");
  assert.match(expect("set", file).stderr, /--accelerator-model 'NVIDIA A100-SXM4-40GB'/);
  const set = expect("set", file, "--accelerator-model", ACCELERATOR);
  assert.equal(set.status, 0, set.stderr);
  const after = await ask();
  assert.notEqual(after.etag, before.etag);
  assert.equal(after.data.basis.kind, "manifest");
  assert.deepEqual(outcomes(after.data), { old: "not_run", never: "not_run", beta: "+out_of_memory", gamma: "+timed_out", delta: "+crashed", epsilon: "+skipped", eta: "+wrong", fresh: "+timed" });
  assert.equal(after.data.items.find((item) => item.model === "never").experiment_id, null);
  assert.deepEqual(JSON.parse(expect("list", "--format", "json").stdout), [{ accelerator_model: ACCELERATOR, results: 3 }]);
  assert.match(expect("show", "--accelerator-model", ACCELERATOR).stdout, /torchbench\/never eval inductor/);

  writeFileSync(file, "suite,model,test,backend\ntorchbench,alpha,inference\n");
  const broken = expect("set", file, "--accelerator-model", ACCELERATOR);
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /manifest\.csv: line 2: there is no backend/);
  assert.equal((await ask()).data.basis.kind, "manifest", "the one before stays");
  assert.equal(expect("clear", "--accelerator-model", ACCELERATOR).status, 0);
  assert.deepEqual(outcomes((await ask()).data), outcomes(before.data));
  assert.match(benchhud("runs", "audit", "--db", db).stdout, /expect +NVIDIA A100-SXM4-40GB: 3 results/);
  assert.equal(expect("set", "nowhere.csv", "--accelerator-model", ACCELERATOR).status, 1);
  assert.equal(expect("forget").status, 2);
});
