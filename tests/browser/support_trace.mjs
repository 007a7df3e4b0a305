// A made-up trace for the browser tests, as PyTorch's profiler writes them: a host with two threads, a device with two
// streams, arrows from launches to kernels, and a row of very many very short slices.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const HOSTILE = '<img src=x onerror="window.pwned=1">';
const HOST = { pid: 71053, tid: 71053 };
const BACKWARD = { pid: 71053, tid: 80000 };
const STEPS = 3;
const OPERATORS = 40;
const TINY = 20_000;

const meta = (name, pid, tid, args) => ({ ph: "M", name, pid, tid, ts: 0, args });
const slice = (place, name, cat, ts, dur, args) => ({ ph: "X", name, cat, ...place, ts, dur, ...(args ? { args } : {}) });

/** Times in µs. A step takes 10 ms; `shift` moves the kernels of one step, so that two traces differ. */
export function madeUpTrace({ slow = 1, hostile = true } = {}) {
  const events = [
    meta("process_name", HOST.pid, 0, { name: "python" }),
    meta("process_labels", HOST.pid, 0, { labels: "CPU" }),
    meta("process_sort_index", HOST.pid, 0, { sort_index: HOST.pid }),
    meta("thread_name", HOST.pid, HOST.tid, { name: "thread 71053 (python)" }),
    meta("thread_sort_index", HOST.pid, HOST.tid, { sort_index: 1 }),
    meta("thread_sort_index", HOST.pid, BACKWARD.tid, { sort_index: 2 }),
    meta("thread_name", HOST.pid, BACKWARD.tid, { name: hostile ? HOSTILE : "autograd" }),
    meta("process_name", 0, 0, { name: "python" }),
    meta("process_labels", 0, 0, { labels: "GPU 0" }),
    meta("process_sort_index", 0, 0, { sort_index: 5_000_000 }),
    meta("thread_name", 0, 7, { name: "stream 7" }),
    meta("thread_name", 0, 20, { name: "stream 20" }),
  ];
  for (let step = 0; step < STEPS; ++step) {
    const at = 1000 + step * 10_000;
    events.push(slice(HOST, `ProfilerStep#${step}`, "user_annotation", at, 9_900));
    for (let n = 0; n < OPERATORS; ++n) {
      const begin = at + 50 + n * 240;
      const id = step * OPERATORS + n;
      const name = n % 10 === 9 && hostile ? HOSTILE : ["aten::mm", "aten::add_", "aten::relu", "aten::conv2d"][n % 4];
      events.push(slice(HOST, name, "cpu_op", begin, 200, { "External id": id, "Input Dims": [[64, 768], [768, 64]], flops: 1000 * n }));
      events.push(slice(HOST, "cudaLaunchKernel", "cuda_runtime", begin + 20, 12.5, { correlation: id }));
      events.push({ ph: "s", id, ...HOST, ts: begin + 20, cat: "ac2g", name: "ac2g" });
      const kernel = { pid: 0, tid: n % 5 ? 7 : 20 };
      const start = begin + 60 + (n % 7);
      events.push(slice(kernel, n % 4 ? `triton_poi_fused_${n % 3}` : "void at::native::vectorized_elementwise_kernel<4, float>(int, float)", "kernel", start, (100 + n) * slow, { correlation: id, stream: kernel.tid, device: 0 }));
      events.push({ ph: "f", id, ...kernel, ts: start, cat: "ac2g", name: "ac2g", bp: "e" });
      if (n % 4 === 0) events.push({ ph: "C", name: "allocated", ...HOST, ts: begin + 7, args: { bytes: 1000 * n } });
      if (n % 8 === 0) events.push({ ph: "i", s: "t", name: "[memory]", cat: "cpu_instant_event", ...HOST, ts: begin + 5, args: { "Total Allocated": 1000 * n, "Device Id": 0 } });
    }
  }
  for (let n = 0; n < TINY; ++n) events.push(slice(BACKWARD, `tiny_${n % 4}`, "cpu_op", (20_000_000 + 3 * n) / 1000, 0.001));
  return events;
}

export const slicesOf = (events) => events.filter((one) => one.ph === "X").length;

/** Writes it into a file that an ingest takes for a trace. */
export function writeTrace(folder, name, events) {
  const file = join(folder, `trace-${name}.json`);
  writeFileSync(file, JSON.stringify({ traceEvents: events }));
  return file;
}

/** The tracks of a TPU's core, in the order in which XProf shows them. */
export const TPU_TRACKS = ["Steps", "XLA Modules", "XLA Ops", "XLA TraceMe", "Framework Ops", "Framework Name Scope", "Source code", "Scalar unit", "TensorCore Sync Flags", "Host Offload Ops", "Host Offload Ops 2"];

/** A trace in the form that XProf exports: two TPUs, a SparseCore, a GPU, the host. */
export function xprofTrace() {
  const events = [];
  const processes = [
    [3, "/device:TPU:0", TPU_TRACKS.slice().reverse()],
    [4, "/device:TPU:0 SparseCore 0", ["XLA Modules", "XLA Ops"]],
    [5, "/device:TPU:1", ["XLA Ops", "Steps"]],
    [100, "/device:GPU:0", ["Stream #20(Compute)", "Stream #3(MemcpyD2H)", "XLA Ops", "Steps"]],
    [701, "/host:CPU", ["python", "tf_XLAEigen/1234"]],
  ];
  for (const [pid, name, threads] of processes) {
    events.push(meta("process_name", pid, 0, { name }), meta("process_sort_index", pid, 0, { sort_index: pid }));
    threads.forEach((thread, tid) => {
      events.push(meta("thread_name", pid, tid + 1, { name: thread }));
      for (let n = 0; n < 4; ++n) {
        const args = { run_id: "7", group_id: String(n) };
        if (thread === "XLA Ops") {
          Object.assign(args, {
            hlo_op: `fusion.${n}`,
            hlo_module: "jit_train_step(1234)",
            long_name: `%fusion.${n} = bf16[128,1024]{1,0} fusion(bf16[128,1024]{1,0} %p0), kind=kLoop`,
            tf_op: "jit(train_step)/dot_general",
            source: "train.py:42",
            flops: "268435456",
            bytes_accessed: "524288",
            hlo_category: "convolution fusion",
          });
        }
        const title = thread === "Steps" ? String(n) : thread === "XLA Ops" ? `fusion.${n}` : `${thread.toLowerCase()} ${n}`;
        events.push({ ph: "X", name: title, pid, tid: tid + 1, ts: 1000 + n * 100, dur: 80, args });
      }
    });
  }
  return events;
}
