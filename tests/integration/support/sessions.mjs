// Profiles of a model's iterations as each backend leaves them: a session of PyTorch/XLA on a TPU, and PyTorch's trace of a GPU.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { line } from "./lines.mjs";
import { message } from "./xplane.mjs";

const PS_PER_US = 1_000_000;

/**
 * An XPlane profile of PyTorch/XLA: `iterations` that end with a step mark each. In each, in µs: 50 to 100 a transfer, 310 to 350 and 400 to
 * 500 tracing, 450 to 450 + `mm` + 100 executing aten::mm and aten::relu, and a wait for 30 µs more. An iteration takes 550 + `mm` µs.
 */
export function xlaSession({ iterations = 5, mm = 300, peak = 1 << 20, withOperators = true } = {}) {
  const stats = ["program_id", "symbol_id", "hlo_category", "tf_op", "bytes_reserved", "bytes_allocated", "peak_bytes_in_use", "bytes_available"];
  const stat = (field, name, value) => [field, message([1, stats.indexOf(name) + 1], [typeof value === "number" ? 4 : 5, value])];
  const kind = (id, name, ...of) => [4, message([1, id], [2, message([1, id], [2, name], ...of.map(([key, value]) => stat(5, key, value)))])];
  const event = (id, from, to, ...of) => [4, message([1, id], [2, Math.round(from * PS_PER_US)], [3, Math.round((to - from) * PS_PER_US)], ...of.map(([key, value]) => stat(4, key, value)))];
  const names = stats.map((name, index) => [5, message([1, index + 1], [2, message([1, index + 1], [2, name])])]);
  const length = 550 + mm;
  const starts = Array.from({ length: iterations }, (_, index) => index * length);
  const op = (name) => (withOperators ? [["tf_op", name]] : []);
  const device = message(
    [1, 0], [2, "/device:TPU:0"],
    [3, message([1, 2], [2, "XLA Modules"], ...starts.map((at) => event(3, at + 450, at + 550 + mm)))],
    [3, message([1, 3], [2, "XLA Ops"], ...starts.flatMap((at) => [event(1, at + 450, at + 450 + mm), event(2, at + 450 + mm, at + 550 + mm)]))],
    kind(1, "dot.1", ["program_id", 9], ["symbol_id", 1], ["hlo_category", "convolution"], ...op("Linear[fc1]/aten__mm")),
    kind(2, "fusion.2", ["program_id", 9], ["symbol_id", 2], ["hlo_category", "loop fusion"], ...op("aten__relu.7")),
    kind(3, "SyncTensorsGraph.9(9)"),
    ...names,
  );
  const thread = message(
    [1, 99], [2, "main/99"],
    ...starts.flatMap((at, index) => [
      event(1, at + 50, at + 100),
      event(2, at + 300, at + length + 40),
      event(3, at + 310, at + 350),
      event(4, at + 400, at + 500),
      event(5, at + 520, at + length + 30),
      ...(index === 1 ? [event(6, at + 60, at + 61, ["bytes_allocated", peak], ["bytes_reserved", 0], ["peak_bytes_in_use", peak], ["bytes_available", 1 << 30])] : []),
    ]),
  );
  const host = message(
    [1, 1], [2, "/host:CPU"], [3, thread],
    kind(1, "PjRtComputationClient::TransferToDevice"), kind(2, "StepMarker"), kind(3, "CollectSyncTensors"), kind(4, "PjRtComputationClient::ExecuteComputation"), kind(5, "DeviceBarrier"), kind(6, "MemoryAllocation"),
    ...names,
  );
  return message([1, device], [1, host]);
}

/**
 * A Chrome trace of PyTorch on a GPU: `iterations` marked by the profiler, 600 + `mm` µs each. In each, in µs: 10 to 210 tracing of aten::mm, of
 * which 100 to 200 compiling, 210 to 260 a copy, 300 to 300 + `mm` executing aten::mm and 50 µs more a fused kernel, a wait until 30 µs later.
 * `withOperators`: whether the host's operators and annotations are recorded. `made`: when, since a file of the same content as another is the same dump.
 */
export function cudaTrace({ iterations = 4, mm = 400, marked = true, withOperators = true, made = "" } = {}) {
  const event = (cat, name, tid, from, to, args = {}) => ({ ph: "X", cat, name, ts: from, dur: to - from, pid: tid === 7 ? 0 : 1, tid, args });
  const events = [
    { ph: "M", name: "process_labels", pid: 0, args: { labels: "GPU 0" } },
    { ph: "M", name: "process_labels", pid: 1, args: { labels: "CPU" } },
  ];
  for (let n = 0; n < iterations; ++n) {
    const at = n * (600 + mm), ids = [10 * n + 1, 10 * n + 2];
    if (marked) events.push(event("user_annotation", `ProfilerStep#${n}`, 1, at, at + 600 + mm));
    events.push(
      event("cpu_op", "aten::mm", 1, at + 10, at + 210),
      event("cuda_runtime", "cudaLaunchKernel", 1, at + 20, at + 30, { correlation: ids[0] }),
      event("user_annotation", "_compile.compile_inner (dynamo_timed)", 1, at + 100, at + 200),
      event("cpu_op", "triton_poi_fused_relu_3", 1, at + 215, at + 235),
      event("cuda_driver", "cuLaunchKernel", 1, at + 220, at + 230, { correlation: ids[1] }),
      event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, at + 210, at + 260),
      event("kernel", "ampere_sgemm_128x64", 7, at + 300, at + 300 + mm, { correlation: ids[0] }),
      event("kernel", "triton_poi_fused_relu_3", 7, at + 300 + mm, at + 350 + mm, { correlation: ids[1] }),
      event("cuda_runtime", "cudaDeviceSynchronize", 1, at + 280, at + 380 + mm),
    );
  }
  const isRecorded = ({ cat }) => withOperators || !["cpu_op", "user_annotation"].includes(cat);
  return JSON.stringify({ made, traceEvents: events.filter(isRecorded) });
}

const DAY = 86400, FIRST = 1761955200; // 2025-11-01T00:00:00Z
const XPLANE = "cuda-openxla-False-eval-None-PJRT-None-alpha";
const CHROME = "cuda-inductor-False-eval-None-None-None-alpha";

/** The name of the run of a night of writeFleet(). */
export const dayOf = (night) => new Date(1000 * (FIRST + DAY * night)).toISOString().slice(0, 10);

/** Seconds of an iteration: twelve repetitions, the first of which compiles. */
function timed(night, seconds) {
  const level = seconds * (1 + 0.004 * Math.sin(7 * night));
  const samples = Array.from({ length: 12 }, (_, n) => level * (n === 0 ? 30 : 1 + 0.002 * Math.cos(3 * n + night)));
  return { total_time: samples, per_iter_time: samples };
}

/**
 * The output folders of nights on which alpha, and a model without profiles, ran on inductor and on openxla; alpha is slower on inductor from
 * `slowFrom` on. `profiled`: the nights with a trace of alpha on inductor; `both`: those with an XPlane profile of it on openxla.
 * `marked`, `withOperators`: of the traces, as cudaTrace() has them.
 */
export function writeFleet(folder, { nights = 24, slowFrom = 14, profiled = [], both = [], marked = true, withOperators = true } = {}) {
  return Array.from({ length: nights }, (_, night) => {
    const isSlow = night >= slowFrom;
    const timestamp = FIRST + DAY * night;
    const place = join(folder, `night-${String(night).padStart(2, "0")}`);
    const write = (name, content) => {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), content);
    };
    const lines = ["alpha", "quiet"].flatMap((model) => [
      line({ model, timestamp, repeat: 12, metrics: timed(night, model === "alpha" && isSlow ? 0.00098 : 0.0007) }),
      line({ model, timestamp, repeat: 12, experiment: { xla: "PJRT", dynamo: "openxla" }, metrics: timed(night, 0.0009) }),
    ]);
    write("results.jsonl", lines.join("\n") + "\n");
    // Of 280 µs that an iteration takes longer, the matrix product is 240 and the rest is the host's.
    if (profiled.includes(night)) write(`alpha/11/trace-${CHROME}.json.gz`, gzipSync(cudaTrace({ mm: isSlow ? 640 : 400, marked, withOperators, made: place })));
    if (both.includes(night)) write(`alpha/xla-profile/xplane-${XPLANE}/plugins/profile/2026_01_02_03_04_05/localhost_9012.xplane.pb`, xlaSession({ peak: (1 << 20) + night }));
    return place;
  });
}
