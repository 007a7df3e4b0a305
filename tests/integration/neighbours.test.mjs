// Results of torch's dynamo runner and of the PyTorch HUD beside ours: taken in, shown with the numbers that stand in
// the files, written as the HUD's records and read back.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const columns = "dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,eager_peak_mem,dynamo_peak_mem,graph_breaks";
const performance = [
  // name, batch size, speedup, abs_latency in ms
  ["BERT_pytorch", 16, 2.014039, 58.90128],
  ["alexnet", 128, 1.25, 4.004],
  ["hf_T5", 8, 0.981234, 31.5],
];
const accuracy = [
  ["BERT_pytorch", 4, "pass"],
  ["alexnet", 4, "fail_accuracy"],
  ["hf_T5", 4, "pass_due_to_skip"],
  ["dlrm", 0, "eager_1st_run_OOM"],
];
const performanceCsv =
  `${columns}\n` +
  performance.map(([name, size, speedup, latency]) => `cuda,${name},${size},${speedup.toFixed(6)},${latency.toFixed(6)},38.5,0.92,25.1,27.2,0\n`).join("") +
  "cuda,dlrm,0,0.0,0.0,0,0,0,0,0\n";
const accuracyCsv = "dev,name,batch_size,accuracy\n" + accuracy.map(([name, size, status]) => `cuda,${name},${size},${status}\n`).join("");
const csvName = (target) => `inductor_no_cudagraphs_torchbench_amp_training_cuda_${target}.csv`;

function record(metric, model, batch, benchmark = {}) {
  return {
    timestamp: 1_767_571_200,
    schema_version: "v3",
    name: "perf-nightly / test",
    repo: "pytorch/pytorch",
    head_branch: "refs/heads/main",
    head_sha: "0123456789abcdef0123456789abcdef01234567",
    workflow_id: 19_238_475_610,
    run_attempt: 1,
    job_id: 7,
    runners: [{ name: "cuda", type: "NVIDIA H100 80GB HBM3", cpu_count: 24, extra_info: { hostname: "a" } }],
    benchmark: {
      name: "TorchInductor",
      mode: "training",
      dtype: "amp",
      extra_info: { device: "cuda", batch_size: String(batch), output: `/x/${csvName(metric.name === "accuracy" ? "accuracy" : "performance")}` },
      ...benchmark,
    },
    model: { name: model, type: "OSS model", backend: "inductor", origins: ["torchbench"] },
    inputs: {},
    dependencies: { triton: { repo: "triton-lang/triton", branch: "main", sha: "feedbeeffeedbeef" } },
    metric,
  };
}
const records = [
  ...performance.flatMap(([name, size, speedup, latency]) => [
    record({ name: "speedup", benchmark_values: [speedup], target_value: 1 }, name, size),
    record({ name: "abs_latency", benchmark_values: [latency] }, name, size),
    record({ name: "compression_ratio", benchmark_values: [0.92], extra_info: { note: "so" } }, name, size),
  ]),
  ...accuracy.map(([name, size, status]) => record({ name: "accuracy", extra_info: { benchmark_values: [status] } }, name, size)),
];

let folder;
before(() => {
  folder = temporaryFolder("neighbours");
});
after(() => removeFolder(folder));

const lines = (text) => text.trim().split("\n").map((line) => JSON.parse(line));
function run(...args) {
  const done = benchhud(...args);
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}
const near = (actual, expected) => assert.ok(Math.abs(actual / expected - 1) < 1e-12, `${actual} is not ${expected}`);

/** What the API says of a store's newest run is what stands in the files. */
async function checkNumbers(db) {
  const server = await serve(db);
  try {
    const get = async (path) => {
      const response = await fetch(`${server.base}/api/v1/${path}`);
      assert.equal(response.status, 200, path);
      return response.json();
    };
    const speedups = (await get("speedups?run=latest&test=train&baseline=eager")).items;
    for (const [name, size, speedup, latency] of performance) {
      const own = speedups.find(({ experiment }) => experiment.model === name && experiment.backend === "inductor_no_cudagraphs");
      near(own.speedup.value, speedup);
      near(own.own.value, latency / 1000);
      near(own.baseline_time.value, (speedup * latency) / 1000);
      assert.equal(own.experiment.batch_size, size);
      assert.deepEqual(own.experiment.flags, { dtype: "amp" });
    }
    const geomean = performance.reduce((product, [, , speedup]) => product * speedup, 1) ** (1 / performance.length);
    const [{ groups }] = (await get("overview?baseline=eager")).accelerators;
    near(groups.find(({ backend }) => backend === "inductor_no_cudagraphs").geomean.all.value, geomean);

    const codes = {};
    for (const { model, cells } of (await get("runs/latest/models?test=train")).rows) {
      codes[model] = cells.inductor_no_cudagraphs.verification.code;
    }
    assert.deepEqual(codes, { BERT_pytorch: "PASS", alexnet: "FAIL", hf_T5: "pass_due_to_skip", dlrm: "EAGER_FAILED" });
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
}

describe("dynamo's CSV files", () => {
  test("a folder of them is a run, with the files' own numbers", async () => {
    const db = join(folder, "csv.db");
    const night = join(folder, "csv", "2026-01-05");
    mkdirSync(night, { recursive: true });
    writeFileSync(join(night, csvName("performance")), performanceCsv);
    writeFileSync(join(night, `${csvName("accuracy")}.gz`), gzipSync(accuracyCsv));
    writeFileSync(join(night, "groceries.csv"), "what,price\nmilk,1\n");
    const asked = benchhud("ingest", join(folder, "csv"), "--db", db);
    assert.equal(asked.status, 1);
    assert.match(asked.stderr, /performance\.csv: .*--accelerator-model/);

    const options = ["--accelerator-model", "NVIDIA H100", "--db", db];
    const first = JSON.parse(run("ingest", join(folder, "csv"), ...options, "--format", "json"));
    assert.equal(first.files.length, 2);
    assert.deepEqual([first.accepted, first.duplicate, first.rejected], [4 + 3 + 4, 0, 0]);
    const again = JSON.parse(run("ingest", join(folder, "csv"), ...options, "--format", "json"));
    assert.deepEqual([again.accepted, again.duplicate, again.rejected], [0, 11, 0]);
    await checkNumbers(db);
  });

  test("a watched folder of them is taken in as one that is named", async () => {
    const db = join(folder, "watched.db");
    const night = join(folder, "watched", "2026-01-05");
    mkdirSync(night, { recursive: true });
    writeFileSync(join(night, csvName("performance")), performanceCsv);
    writeFileSync(join(night, "groceries.csv"), "what,price\nmilk,1\n");
    const watch = (...options) => benchhud("watch", join(folder, "watched"), "--once", "--settle", "0", "--db", db, ...options);
    const asked = watch();
    assert.equal(asked.status, 1);
    assert.match(asked.stderr, /performance\.csv: .*--accelerator-model/);
    writeFileSync(join(night, `${csvName("accuracy")}.gz`), gzipSync(accuracyCsv));
    assert.match(watch("--accelerator-model", "NVIDIA H100").stdout, /2 files: 11 new, 0 already there, 0 rejected/);
    await checkNumbers(db);
  });

  test("sent to a server they are told what they do not say", async () => {
    const db = join(folder, "sent.db");
    const server = await serve(db);
    const send = async (name, body, query = "") => {
      const response = await fetch(`${server.base}/api/v1/ingest?name=${name}&timestamp=2026-01-05${query}`, { method: "POST", headers: { ...server.bearer(), "content-type": "text/plain" }, body });
      return { status: response.status, data: await response.json() };
    };
    try {
      const asked = await send(csvName("performance"), performanceCsv);
      assert.equal(asked.status, 400);
      assert.match(asked.data.detail, /accelerator-model/);
      assert.equal((await send(csvName("performance"), performanceCsv, "&accelerator_model=NVIDIA%20H100")).data.accepted, 7);
      assert.equal((await send(csvName("accuracy"), accuracyCsv, "&accelerator_model=NVIDIA%20H100")).data.accepted, 4);
      // Under a name that tells nothing, everything is asked for.
      const all = "&accelerator_model=NVIDIA%20H100&accelerator=cuda&suite=torchbench&backend=inductor_no_cudagraphs&test=training&dtype=amp";
      assert.deepEqual([(await send("night.csv", performanceCsv)).status, (await send("night.csv", performanceCsv, all)).data.duplicate], [400, 7]);
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
    await checkNumbers(db);
  });

  test("what was cut short is rejected with file, line and reason, and in when it is whole", () => {
    const db = join(folder, "cut.db");
    const file = join(folder, csvName("performance"));
    const options = ["--accelerator-model", "H100", "--timestamp", "2026-01-05", "--db", db];
    writeFileSync(file, performanceCsv.slice(0, performanceCsv.indexOf("hf_T5") + 20));
    const cut = benchhud("ingest", file, ...options);
    assert.equal(cut.status, 3);
    assert.match(cut.stderr, /performance\.csv:4: rejected \(byte \d+\): the file ends inside this line/);
    writeFileSync(file, performanceCsv);
    assert.match(run("ingest", file, ...options), /3 new, 4 already there, 0 rejected/);
  });
});

describe("the HUD's records", () => {
  test("are a run with commit and branch, with the records' own numbers", async () => {
    const db = join(folder, "hud.db");
    const file = join(folder, "records.json.gz");
    writeFileSync(file, gzipSync(JSON.stringify(records)));
    run("ingest", file, "--db", db);
    const shown = run("runs", "show", "latest", "--db", db);
    assert.match(shown, /^workflow 19238475610 /);
    assert.match(shown, /pytorch=0123456789abcdef/);
    assert.match(shown, /branch=main/);
    await checkNumbers(db);
    // In another form they are the same.
    const other = join(folder, "records.jsonl");
    writeFileSync(other, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    assert.match(run("ingest", other, "--db", db), /0 new, 10 already there, 0 rejected/);
  });

  test("come back as they were", () => {
    const db = join(folder, "back.db");
    const file = join(folder, "back.json");
    writeFileSync(file, JSON.stringify(records));
    run("ingest", file, "--db", db);
    const back = lines(run("export", "--format", "hud-v3", "--db", db));
    const key = (one) => [one.model.name, one.metric.name].join(" ");
    const sorted = (list) => [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    assert.deepEqual(sorted(back), sorted(records));
  });
});

describe("our results as the HUD's records", () => {
  const nights = ["2025-11-09", "2025-11-10", "2025-11-10-verify"].map((night) => join(root, "samples/cpu_nightlies", night));

  test("keep to its conventions, and read back are the same results", async () => {
    const db = join(folder, "ours.db");
    run("ingest", ...nights.map((night) => join(night, "results.jsonl")), "--label", "pytorch=0123456789abcdef", "--label", "branch=main", "--db", db);
    run("runs", "relabel", "latest", "note=cold caches", "--db", db);
    const text = run("export", "--format", "hud-v3", "--db", db);
    const exported = lines(text);
    for (const one of exported) {
      assert.equal(one.schema_version, "v3");
      assert.ok(Number.isInteger(one.timestamp) && Number.isInteger(one.workflow_id));
      assert.equal(one.benchmark.name, "TorchInductor");
      assert.ok(["inference", "training"].includes(one.benchmark.mode));
      assert.equal(one.model.origins[0], "cpu-mini");
      assert.equal(one.runners[0].name, "cpu");
      assert.equal(one.head_sha, "0123456789abcdef");
      assert.equal(one.head_branch, "main");
      assert.equal(typeof one.metric.name, "string");
      for (const info of [one.benchmark.extra_info, one.model.extra_info ?? {}]) {
        for (const value of Object.values(info)) assert.equal(typeof value, "string");
      }
      // The HUD takes backend, suite, precision, mode and device from this name.
      const { backend } = one.model;
      const kind = one.metric.name === "accuracy" ? "accuracy" : "(performance|accuracy)";
      assert.match(one.benchmark.extra_info.output, new RegExp(`^${backend}_cpu-mini_notset_${one.benchmark.mode}_cpu_${kind}\\.csv$`));
      if (one.metric.name === "accuracy") assert.ok(Array.isArray(one.metric.extra_info.benchmark_values));
      else for (const value of one.metric.benchmark_values) assert.equal(typeof value, "number");
    }
    const names = new Set(exported.map((one) => one.metric.name));
    for (const name of ["abs_latency", "speedup", "accuracy", "total_time"]) assert.ok(names.has(name), name);

    // The speedup over eager is that of the API.
    const server = await serve(db);
    const { items, run: latest } = await (await fetch(`${server.base}/api/v1/speedups?run=latest&test=eval&baseline=eager`)).json();
    assert.equal((await server.stop()).code, 0);
    let compared = 0;
    for (const { experiment, speedup } of items) {
      if (!speedup) continue;
      const one = exported.find(
        (record) =>
          record.metric.name === "speedup" && record.model.name === experiment.model && record.model.backend === experiment.backend &&
          record.benchmark.mode === "inference" && record.timestamp === Math.floor(Date.parse(latest.started_at) / 1000),
      );
      near(one.metric.benchmark_values[0], speedup.value);
      ++compared;
    }
    assert.ok(compared > 3);

    const file = join(folder, "ours.jsonl");
    writeFileSync(file, text);
    const copy = join(folder, "copy.db");
    run("ingest", file, "--db", copy);
    const stories = [db, copy].map((store) => [
      run("export", "--format", "jsonl", "--db", store).trim().split("\n").sort(),
      JSON.parse(run("runs", "list", "--format", "json", "--db", store)).map(({ id, ...rest }) => rest),
      run("export", "--format", "hud-v3", "--db", store).trim().split("\n").sort(),
    ]);
    assert.ok(stories[0][0].length > 50);
    assert.deepEqual(stories[1][0], stories[0][0]);
    assert.deepEqual(stories[1][1], stories[0][1]);
    assert.deepEqual(stories[1][2], stories[0][2]);
    // Taken into the store that they are from they change nothing.
    const into = JSON.parse(run("ingest", file, "--db", db, "--format", "json"));
    assert.equal(into.accepted, 0);
    assert.equal(into.rejected, 0);
  });

  test("of one run, and not of files", () => {
    const db = join(folder, "ours.db");
    const one = lines(run("export", "--format", "hud-v3", "--run", "latest", "--repo", "me/fork", "--db", db));
    assert.equal(new Set(one.map((record) => record.workflow_id)).size, 1);
    assert.equal(one[0].repo, "me/fork");
    assert.equal(benchhud("export", "--format", "hud-v3", join(nights[0], "results.jsonl")).status, 2);
    assert.equal(benchhud("export", "--run", "latest", "--db", db).status, 2);
    assert.equal(benchhud("export", "--format", "hud-v3", "--run", "never", "--db", db).status, 1);
  });
});

test("sent to the server they are taken in as well", async () => {
  const db = join(folder, "sent.db");
  const server = await serve(db);
  try {
    const send = async (query, body) => {
      const headers = { ...server.bearer(), "content-type": "application/octet-stream" };
      const response = await fetch(`${server.base}/api/v1/ingest?${query}`, { method: "POST", headers, body });
      return { status: response.status, data: await response.json() };
    };
    const sent = await send("name=records.json", JSON.stringify(records));
    assert.equal(sent.status, 200);
    assert.deepEqual(sent.data.files[0].runs, ["workflow 19238475610"]);
    assert.equal(sent.data.accepted, 10);
    // A CSV's name has to tell the machine.
    const named = await send("name=inductor_torchbench_amp_training_cuda_h100_performance.csv&timestamp=2026-01-05T00:00:00Z", performanceCsv);
    assert.equal(named.status, 200, JSON.stringify(named.data));
    assert.equal(named.data.accepted, 7);
    const unnamed = await send(`name=${csvName("performance")}&timestamp=2026-01-05T00:00:00Z`, performanceCsv);
    assert.equal(unnamed.status, 400);
    assert.match(unnamed.data.detail, /accelerator model/);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});
