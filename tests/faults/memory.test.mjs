// Memory budgets: whatever a file holds, reading it takes at most 10 times its longest line or 256 MB, for a trace 150 bytes per event and
// 64 MB of names. What exceeds a budget is refused by file, line and budget, and the rest goes in.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, createReadStream, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, program, removeFolder, serve, temporaryFolder } from "../integration/support/server.mjs";
import { figures, isFull, pause, peakMemory, until } from "./support/faults.mjs";
import { FILLINGS, writeHostileLines, writeTrace } from "./support/hostile.mjs";

const MB = 1e6;
const ADDRESS_LIMIT_KIB = 1 << 20;
const FLOOR = 256 * MB;
/** Megabytes of a line, and how many such lines a file has. */
const SHAPES = isFull ? [[1, 8], [16, 3], [64, 1]] : [[1, 3], [16, 2]];

let folder;
before(() => {
  folder = temporaryFolder("memory");
});
after(() => removeFolder(folder));

const peakBytes = (pid) => peakMemory(pid) * 2 ** 20;

/** Runs the program with at most 1 GB of addresses; { status, stdout, stderr, peak } with the most bytes of memory that it held. */
function runLimited(...args) {
  const child = spawn("sh", ["-c", `ulimit -v ${ADDRESS_LIMIT_KIB}; exec "$0" "$@"`, program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const done = { stdout: "", stderr: "", peak: 0 };
  child.stdout.on("data", (bytes) => (done.stdout += bytes));
  child.stderr.on("data", (bytes) => (done.stderr += bytes));
  const look = setInterval(() => {
    try {
      done.peak = Math.max(done.peak, peakBytes(child.pid));
    } catch {
      // It has ended.
    }
  }, 5);
  return new Promise((resolve) => {
    child.on("close", (status, signal) => {
      clearInterval(look);
      resolve({ ...done, status, signal });
    });
  });
}

function limitAddresses(pid, bytes) {
  assert.equal(spawnSync("prlimit", ["--pid", String(pid), `--as=${bytes}:`]).status, 0);
}

/** From now on a server gets at most so many bytes of addresses beside those that it has, which no longer grow by themselves. */
async function limitTo(server, bytes) {
  const held = () => 1024 * Number(/VmSize:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]);
  let before = 0;
  await until(async () => {
    const same = held() === before;
    before = held();
    await pause(500);
    return same;
  }, "nothing made in advance", 120);
  limitAddresses(server.pid, held() + bytes);
}

const storeAt = (name) => {
  const db = join(folder, name);
  for (const end of ["", "-wal", "-shm"]) rmSync(db + end, { force: true });
  return db;
};

describe("lines that no runner writes, under an address space of 1 GB", () => {
  for (const [megabytes, lines] of SHAPES) {
    for (const [filling, { fate }] of Object.entries(FILLINGS)) {
      test(`${lines} of ${megabytes} MB: ${filling}`, { timeout: 600_000 }, async () => {
        const file = join(folder, "hostile.jsonl"), db = storeAt("hostile.db");
        writeHostileLines(file, filling, megabytes * MB, lines);
        const done = await runLimited("ingest", "--format", "json", "--db", db, file);
        assert.equal(done.signal, null, done.stderr);
        assert.ok(done.status === 0 || done.status === 3, `${done.status}: ${done.stderr}`);
        const report = JSON.parse(done.stdout);
        assert.equal(report.accepted + report.rejected, 2 * lines + 1, done.stdout);
        if (megabytes >= 16) assert.equal(report.rejected, fate === "rejected" ? lines : 0, done.stdout.slice(0, 2000));
        for (const { line_number, reason } of report.files[0].rejected_lines) {
          assert.equal(line_number % 2, 0, "good lines go in");
          assert.doesNotMatch(reason, /not enough memory/);
        }
        const most = Math.max(10 * megabytes * MB, FLOOR);
        figures("a file's memory", { filling, megabytes, lines, peak_mb: Math.round(done.peak / MB), times: (done.peak / megabytes / MB).toFixed(1) });
        assert.ok(done.peak > 0 && done.peak <= most, `${Math.round(done.peak / MB)} MB`);
        rmSync(file);
      });
    }
  }

  const SHORT_LINES = {
    "models and metrics of their own, in many nights": (i) => `{"model":{"model_name":"m${i}"},"experiment":{},"metrics":{"k${i}":1},"timestamp":${1_600_000_000 + 100 * (i % 5000)}}`,
    "models of their own": (i) => `{"model":{"model_name":"m${i}"},"experiment":{},"metrics":{"total_time":[1.0]},"timestamp":1600000000}`,
    "models of their own, in two nights": (i) => `{"model":{"model_name":"m${i >> 1}"},"experiment":{},"metrics":{"total_time":[1.0]},"timestamp":${1_600_000_000 + 86_400 * (i % 2)}}`,
    "configurations of their own": (i) => `{"model":{"model_name":"m"},"experiment":{"f":${i}},"metrics":{"total_time":[1.0]},"timestamp":1600000000}`,
    "batch sizes of their own": (i) => `{"model":{"model_name":"m"},"experiment":{"batch_size":${i}},"metrics":{"total_time":[1.0]},"timestamp":1600000000}`,
  };
  for (const [name, shape] of Object.entries(SHORT_LINES)) {
    test(`many short lines of ${name}`, { timeout: 900_000 }, async () => {
      const count = name.includes("metrics") ? (isFull ? 300_000 : 30_000) : isFull ? 1_000_000 : 100_000;
      const file = join(folder, "many.jsonl");
      rmSync(file, { force: true });
      for (let i = 0; i < count; i += 10_000) {
        appendFileSync(file, Array.from({ length: Math.min(10_000, count - i) }, (_, k) => shape(i + k) + "\n").join(""));
      }
      const db = storeAt("many.db");
      const done = await runLimited("ingest", "--format", "json", "--db", db, file);
      assert.equal(done.status, 0, done.stderr);
      assert.equal(JSON.parse(done.stdout).accepted, count);
      const runs = await runLimited("runs", "list", "--limit", "1000000", "--format", "json", "--db", db);
      assert.equal(runs.status, 0, runs.stderr);
      assert.equal(JSON.parse(runs.stdout).reduce((sum, run) => sum + run.result_count, 0), count);
      figures("many short lines", { name, count, peak_mb: Math.round(done.peak / MB) });
      assert.ok(done.peak <= FLOOR, `${Math.round(done.peak / MB)} MB`);
    });
  }
});

describe("traces under an address space of 1 GB", () => {
  const ingest = async (name, bytes) => {
    // Results that lie beside a trace, or above it, are read with it.
    const beside = join(folder, "output", "model");
    mkdirSync(beside, { recursive: true });
    const file = join(beside, `trace-${name}.json.gz`);
    writeFileSync(file, bytes);
    const good = join(folder, "good.jsonl");
    writeFileSync(good, line({ metrics: times(0.5) }) + "\n");
    const done = await runLimited("ingest", "--format", "json", "--db", storeAt("trace.db"), file, good);
    assert.equal(done.signal, null, done.stderr);
    return { ...done, report: JSON.parse(done.stdout) };
  };

  test("names of a megabyte each are refused, and what lies beside them goes in", { timeout: 300_000 }, async () => {
    const done = await ingest("names", gzipSync(writeTrace({ events: 250, nameBytes: 1 << 20 })));
    assert.equal(done.status, 3);
    assert.match(done.report.dumps[0].unreadable, /names take more memory than traces may have \(64 MiB/);
    assert.equal(done.report.accepted, 1);
    figures("a trace of names", { peak_mb: Math.round(done.peak / MB) });
    assert.ok(done.peak <= FLOOR, `${Math.round(done.peak / MB)} MB`);
  });

  test("ids of flows of a megabyte each are refused, too", { timeout: 300_000 }, async () => {
    const id = "x".repeat(1 << 20);
    const event = (i) => `{"ph":"s","ts":${i},"pid":1,"tid":1,"cat":"c","name":"n","id":"${i}${id}"}`;
    const done = await ingest("flows", gzipSync(writeTrace({ events: 250, event })));
    assert.equal(done.status, 3);
    assert.match(done.report.dumps[0].unreadable, /names take more memory than traces may have \(64 MiB/);
    figures("a trace of ids of flows", { peak_mb: Math.round(done.peak / MB) });
    assert.ok(done.peak <= FLOOR, `${Math.round(done.peak / MB)} MB`);
  });

  for (const [what, digits, count] of [["short", 0, 210_000], ["of 80 letters", 80, 180_000]]) {
    test(`${count} distinct names, ${what}, go in`, { timeout: 300_000 }, async () => {
      const event = (i) => `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"cat":"cpu_op","name":"${i.toString(36).padStart(digits, "an_operator_")}"}`;
      const small = await ingest("small", gzipSync(writeTrace({ events: 1, event })));
      const done = await ingest("labels", gzipSync(writeTrace({ events: count, event }), { level: 1 }));
      assert.equal(done.status, 0, done.stdout);
      assert.equal(done.report.dumps[0].unreadable, null);
      const bytes = done.peak - small.peak;
      figures("a trace's names", { what, count, peak_mb: Math.round(done.peak / MB), bytes_each: Math.round(bytes / count) });
      assert.ok(bytes <= 150 * count + 64 * 2 ** 20, `${Math.round(bytes / MB)} MB`);
    });
  }

  const SHAPES_OF_EVENTS = {
    slices: (i) => `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"name":"n"}`,
    nested: (i) => `{"ph":"X","ts":${i % 1000},"dur":${5000 - (i % 1000)},"pid":1,"tid":${i % 7},"name":"n${i % 100}"}`,
    "begun and never ended": (i) => `{"ph":"B","ts":${i},"pid":1,"tid":1,"name":"n","args":{"a":${i}}}`,
    points: (i) => `{"ph":"i","ts":${i},"pid":1,"tid":1,"name":"n","args":{"a":${i}}}`,
    flows: (i) => `{"ph":"${i % 2 ? "f" : "s"}","ts":${i},"pid":1,"tid":1,"id":${i >> 1},"cat":"c","name":"n"}`,
    "names of their own": (i) => `{"ph":"i","ts":${i},"pid":1,"tid":1,"name":"n","id":"0x${i.toString(16)}"}`,
    "noise as arguments": (i) => `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"name":"n","args":{"a":"${Math.random()}${Math.random()}${Math.random()}"}}`,
    "launches and kernels": (i) =>
      i % 2
        ? `{"ph":"X","ts":${i},"dur":1,"pid":0,"tid":7,"cat":"kernel","name":"k","args":{"correlation":${i - 1},"External id":${i}}}`
        : `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaLaunchKernel","args":{"correlation":${i}}}`,
    copies: (i) => `{"ph":"X","ts":${i},"dur":1,"pid":0,"tid":7,"cat":"gpu_memcpy","name":"Memcpy HtoD","args":{"correlation":${i},"bytes":${i},"memory bandwidth (GB/s)":1.5}}`,
    "asynchronous pairs": (i) => `{"ph":"${i % 2 ? "e" : "b"}","ts":${i},"pid":1,"tid":1,"cat":"c","name":"n","id":${i >> 1}}`,
    "asynchronous and never ended": (i) => `{"ph":"b","ts":${i},"pid":1,"tid":1,"cat":"c","name":"n","id":${i}}`,
    "asynchronous steps": (i) => `{"ph":"n","ts":${i},"pid":1,"tid":1,"cat":"c","name":"n","id":1}`,
    "compiled regions": (i) => `{"ph":"X","ts":${10 * i},"dur":5,"pid":1,"tid":1,"cat":"cpu_op","name":"Torch-Compiled Region: ${i % 50}/${i % 3}"}`,
    "compiled functions": (i) => `{"ph":"X","ts":${10 * i},"dur":5,"pid":1,"tid":1,"cat":"cpu_op","name":"CompiledFunction${i % 2 ? "Backward" : ""}","args":{"Sequence number":${i >> 1}}}`,
    compilations: (i) => `{"ph":"X","ts":${10 * i},"dur":5,"pid":1,"tid":1,"cat":"user_annotation","name":"compile_fx (dynamo_timed)"}`,
    synchronizations: (i) => `{"ph":"X","ts":${10 * i},"dur":${1 + ((i * 7919) % 1000)},"pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaDeviceSynchronize"}`,
    // Each is a finding, and so are the gap before it and its wait.
    "copies that wait": (i) =>
      i % 2
        ? `{"ph":"X","ts":${1000 * i},"dur":1,"pid":0,"tid":7,"cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","args":{"correlation":${i - 1}}}`
        : `{"ph":"X","ts":${1000 * i},"dur":1,"pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaMemcpyAsync","args":{"correlation":${i}}}`,
    "counters of their own": (i) => `{"ph":"C","ts":${i},"pid":1,"tid":1,"name":"c","args":{"c${i}":1}}`,
    "flows in slices": (i) => `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"name":"n","bind_id":"0x${i.toString(16)}","flow_in":true,"flow_out":true}`,
  };
  const EVENTS = isFull ? 2_000_000 : 800_000;
  for (const [name, event] of Object.entries(SHAPES_OF_EVENTS)) {
    test(`${EVENTS} events: ${name}`, { timeout: 600_000 }, async () => {
      const small = await ingest("small", gzipSync(writeTrace({ events: 1, event })));
      const done = await ingest("events", gzipSync(writeTrace({ events: EVENTS, event }), { level: 1 }));
      assert.equal(done.status, 0, done.stderr);
      assert.equal(done.report.dumps[0].unreadable, null);
      const bytes = done.peak - small.peak;
      figures("a trace's memory", { name, peak_mb: Math.round(done.peak / MB), bytes_each: Math.round(bytes / EVENTS) });
      // With all buffers: SQLite's pages (8 MB while a trace is written), arguments (1 MB) and what waits between threads.
      assert.ok(bytes <= 150 * EVENTS, `${Math.round(bytes / MB)} MB for ${EVENTS} events`);
    });
  }
});

describe("a store of many models", () => {
  const models = isFull ? 1_000_000 : 100_000;
  let db;
  before(() => {
    const file = join(folder, "models.jsonl");
    for (let i = 0; i < models; i += 10_000) {
      const lines = Array.from({ length: 10_000 }, (_, k) => `{"model":{"model_name":"m${i + k}"},"experiment":{},"metrics":{"total_time":[1.0]},"timestamp":1600000000}\n`);
      appendFileSync(file, lines.join(""));
    }
    db = storeAt("models.db");
    assert.equal(benchhud("ingest", "--quiet", "--db", db, file).status, 0);
    rmSync(file);
  });

  test("regressions takes no more than its catalog", { timeout: 300_000 }, async () => {
    const done = await runLimited("regressions", "--db", db);
    assert.equal(done.status, 0, done.stderr);
    figures("regressions", { models, peak_mb: Math.round(done.peak / MB) });
    assert.ok(done.peak <= 350 * models + 24 * MB, `${Math.round(done.peak / MB)} MB`);
  });

  test("a command without the memory that it needs says so", { timeout: 300_000 }, () => {
    const limit = 150_000; // KiB: enough to begin
    const done = spawnSync("sh", ["-c", `ulimit -v ${limit}; exec "$0" "$@"`, program, "summary", "--db", db], { encoding: "utf8" });
    assert.equal(done.signal, null, done.stderr);
    assert.equal(done.status, 1, done.stderr);
    assert.equal(done.stderr, "benchhud: there is not enough memory\n");
  });

  test("an answer without the memory that it needs is 503, and others are answered", { timeout: 300_000 }, async () => {
    const server = await serve(db, "--log", "text", "--threads", "4");
    const get = async (path) => {
      const response = await fetch(`${server.base}/api/v1/${path}`);
      return { status: response.status, retry: response.headers.get("retry-after"), data: await response.json() };
    };
    // The catalog is read, and what is made in advance is made or given up.
    assert.equal((await get("runs")).status, 200);
    await limitTo(server, 24 * MB);
    const large = "runs/latest/models?estimator=upstream";
    const lacking = await get(large);
    assert.equal(lacking.status, 503, JSON.stringify(lacking.data).slice(0, 500));
    assert.equal(lacking.data.type, "urn:benchhud:problem:out-of-memory");
    assert.match(lacking.data.detail, /does not have enough memory/);
    assert.ok(Number(lacking.retry) > 0);
    for (const path of ["alive", "health", "runs", "models?model=m7"]) assert.equal((await get(path)).status, 200, path);
    limitAddresses(server.pid, "unlimited");
    const { code, printed } = await server.stop();
    assert.equal(code, 0, printed);
    assert.match(printed, /GET \/api\/v1\/runs\/latest\/models\?estimator=upstream 503 .* out-of-memory\n/);
  });
});

test("a file that is stored while there is no memory to find alerts: the answer says so, and the next one finds them", { timeout: 300_000 }, async () => {
  const models = 39_000; // as many as are watched together
  const result = (model, day, code) =>
    `{"model":{"model_name":"m${model}"},"experiment":{"dynamo":"inductor"},"metrics":{"total_time":[1.0]},"verification_code":"${code}","timestamp":${1_600_000_000 + 86_400 * day}}\n`;
  const file = join(folder, "watched.jsonl");
  writeFileSync(file, Array.from({ length: models }, (_, i) => result(i, 0, "PASS")).join(""));
  const db = storeAt("watched.db");
  assert.equal(benchhud("ingest", "--quiet", "--db", db, file).status, 0);
  rmSync(file);
  const server = await serve(db, "--threads", "4");
  const send = async (name, body) => {
    const headers = { ...server.bearer(), "content-type": "application/x-ndjson" };
    const response = await fetch(`${server.base}/api/v1/ingest?name=${name}`, { method: "POST", headers, body });
    return { status: response.status, data: await response.json() };
  };
  const get = async (path) => (await fetch(`${server.base}/api/v1/${path}`)).json();
  assert.equal((await get("alerts")).total, 0);
  await limitTo(server, 48 * MB);
  const sent = await send("broken.jsonl", result(0, 1, "FAIL_RTOL"));
  assert.equal(sent.status, 503, JSON.stringify(sent.data));
  assert.match(sent.data.detail, /^The file is stored, but the alerts were not updated \(there is not enough memory\)/);
  limitAddresses(server.pid, "unlimited");
  assert.equal((await get("runs")).total, 2, "it is stored");
  assert.equal((await get("alerts")).total, 0);
  const other = await send("other.jsonl", result(1, 1, "PASS"));
  assert.equal(other.status, 200, JSON.stringify(other.data));
  assert.equal((await get("alerts")).total, 1);
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.printed);
});

describe("what a server is sent, under an address space of 1 GB", () => {
  let db, server;
  before(async () => {
    db = storeAt("server.db");
    server = await serve(db);
    limitAddresses(server.pid, ADDRESS_LIMIT_KIB * 1024);
  });
  after(async () => {
    const ended = await server?.stop();
    if (ended) assert.equal(ended.code, 0, ended.printed);
  });
  const send = async (path, body, type) => {
    const response = await fetch(`${server.base}/api/v1/${path}`, { method: "POST", headers: { ...server.bearer(), "content-type": type }, body, duplex: "half" });
    return { status: response.status, data: await response.json() };
  };

  const usual = ["error text", "empty arrays in an array", "metrics of a digit", "samples of one digit", "a configuration of many keys"];
  const megabytes = isFull ? 64 : 16, most = Math.max(10 * megabytes * MB, FLOOR);
  for (const filling of isFull ? Object.keys(FILLINGS) : usual) {
    test(`${megabytes} MB packed with gzip: ${filling}`, { timeout: 300_000 }, async () => {
      const file = join(folder, "sent.jsonl");
      writeHostileLines(file, filling, megabytes * MB);
      const chunks = [];
      for await (const chunk of createReadStream(file).pipe(createGzip())) chunks.push(chunk);
      // The most memory from here on (proc(5), clear_refs).
      writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
      const sent = await send(`ingest?name=${encodeURIComponent(filling)}.jsonl`, Buffer.concat(chunks), "application/gzip");
      assert.equal(sent.status, 200, JSON.stringify(sent.data));
      assert.equal(sent.data.rejected, FILLINGS[filling].fate === "rejected" ? 1 : 0, JSON.stringify(sent.data));
      assert.equal(sent.data.accepted + sent.data.duplicate, 3 - sent.data.rejected);
      figures("a server's memory", { filling, megabytes, peak_mb: Math.round(peakBytes(server.pid) / MB) });
      assert.ok(peakBytes(server.pid) <= most, `${filling}: ${peakBytes(server.pid) / MB} MB for ${statSync(file).size} bytes`);
    });
  }

  test("where the time of a million repetitions went", { timeout: 300_000 }, async () => {
    const file = join(folder, "sent.jsonl");
    writeHostileLines(file, "samples", megabytes * MB);
    assert.equal((await send("ingest?name=samples.jsonl", gzipSync(readFileSync(file), { level: 1 }), "application/gzip")).status, 200);
    const { items } = await (await fetch(`${server.base}/api/v1/runs?limit=1000`)).json();
    writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
    let repetitions = 0;
    for (const run of items) {
      const results = (await (await fetch(`${server.base}/api/v1/results?run=${run.id}`)).json()).items;
      for (const { experiment } of results) {
        const response = await fetch(`${server.base}/api/v1/runs/${run.id}/results/${experiment.id}/phases`);
        assert.equal(response.status, 200);
        const phases = await response.json();
        assert.equal(phases.repetitions.length + phases.repetitions_omitted, phases.warmup.repetitions + phases.steady.repetitions);
        repetitions = Math.max(repetitions, phases.steady.repetitions);
      }
    }
    figures("the phases of a result", { megabytes, repetitions, peak_mb: Math.round(peakBytes(server.pid) / MB) });
    assert.ok(repetitions > 40_000 * megabytes, `${repetitions}`);
    assert.ok(peakBytes(server.pid) <= most, `${peakBytes(server.pid) / MB} MB`);
  });

  test("nothing but a line beyond its budget: 413, with the line and the budget, and nothing is kept", { timeout: 300_000 }, async () => {
    const rejected = async () => (await (await fetch(`${server.base}/api/v1/rejected-lines`)).json()).total;
    const kept = await rejected();
    const bomb = line({ metrics: { first: 1 } }).replace('"first":1', Array.from({ length: 150_000 }, (_, i) => `"m${i}":1`).join(","));
    const sent = await send("ingest?name=bomb.jsonl", gzipSync(bomb + "\n"), "application/gzip");
    assert.equal(sent.status, 413, JSON.stringify(sent.data));
    assert.match(sent.data.detail, /line 1: .*100000 metrics/);
    assert.equal(await rejected(), kept);
  });

  test("a trace beyond its budget: 413, and nothing is kept", { timeout: 300_000 }, async () => {
    const { items } = await (await fetch(`${server.base}/api/v1/runs`)).json();
    const result = (await (await fetch(`${server.base}/api/v1/results?run=${items[0].id}`)).json()).items[0];
    const body = gzipSync(writeTrace({ events: 250, nameBytes: 1 << 20 }));
    const sent = await send(`ingest/dump?name=trace-x.json&run=${items[0].id}&experiment=${result.experiment.id}`, body, "application/gzip");
    assert.equal(sent.status, 413, JSON.stringify(sent.data));
    assert.match(sent.data.detail, /names take more memory/);
    assert.equal((await (await fetch(`${server.base}/api/v1/artifacts`)).json()).total, 0);
    assert.ok(peakBytes(server.pid) <= most, `${peakBytes(server.pid) / MB} MB`);
  });
});
