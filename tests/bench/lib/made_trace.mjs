// A trace of as many events as wanted, as PyTorch's profiler writes them: operators with the calls that launch kernels, the kernels,
// flows between them, steps, memory instants. In the profiler's order (the host's operators first) and layout. The same for the same count.
import { closeSync, openSync, writeSync } from 'node:fs';

const OPERATORS = ['linear', 'addmm', 'matmul', 'bmm', 'layer_norm', 'native_layer_norm', 'gelu', 'softmax', '_softmax', 'add', 'mul',
  'copy_', 'convolution', 'batch_norm', 'relu', 'dropout', 'embedding', 'sum', 'mean', 'scaled_dot_product_attention'];
const ELEMENTWISE = ['vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)',
  'unrolled_elementwise_kernel<at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>',
  'reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, at::native::MeanOps<c10::Half, float, float, c10::Half>'];
const LAUNCHES_A_STEP = 2000;
const EVENTS_A_LAUNCH = 6;
const EVENTS_A_STEP = LAUNCHES_A_STEP * EVENTS_A_LAUNCH + 1 + LAUNCHES_A_STEP / 10;
const HOST = '"pid": 71053, "tid": 71053';
const DEVICE = '"pid": 0, "tid": 7';

/** Whole nanoseconds as the microseconds of a trace. */
function time(ns) {
  return `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;
}

/** A number that looks random, of two others: both passes over the launches need the same. */
function scatter(launch, what, below) {
  let hash = Math.imul(launch ^ Math.imul(what, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % below;
}

// Every launch has 20 µs of the host's time. The epoch is a year's nanoseconds, which doubles still hold exactly.
const start = (launch) => 31_536_000_000_000_000 / 4 + launch * 20_000 + scatter(launch, 1, 2000);

function operators(launch) {
  const begin = start(launch);
  const name = OPERATORS[scatter(launch, 2, OPERATORS.length)];
  const rows = [64, 128, 256, 512][scatter(launch, 3, 4)];
  const event = (what, ts, dur, id) => `  {
    "ph": "X", "cat": "cpu_op", "name": "aten::${what}", ${HOST},
    "ts": ${time(ts)}, "dur": ${time(dur)},
    "args": {
      "External id": ${id},"Record function id": 0, "Concrete Inputs": ["", "", "1."], "Input type": ["c10::Half", "c10::Half", "Scalar"], "Input Strides": [[768, 1], [1, 768], []], "Input Dims": [[${rows}, 768], [768, 3072], []], "Ev Idx": ${id}
    }
  },
`;
  return event(name, begin, 15_000, 2 * launch) + event(`${name}_out`, begin + 1500, 12_000, 2 * launch + 1);
}

function launched(launch) {
  const call = start(launch) + 3000, begin = call + 9000 + scatter(launch, 4, 5000), length = 2000 + scatter(launch, 5, 9000);
  const name = scatter(launch, 6, 3) ? `void at::native::${ELEMENTWISE[scatter(launch, 7, 3)]}>(int, c10::Half)` : `ampere_fp16_s16816gemm_fp16_${64 << scatter(launch, 8, 3)}x128_ldg8_f2f_stages_32x5_tn`;
  return `  {
    "ph": "X", "cat": "kernel", "name": "${name}", ${DEVICE},
    "ts": ${time(begin)}, "dur": ${time(length)},
    "args": {
      "External id": ${2 * launch + 1}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": ${launch + 500}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 14.222222, "warps per SM": 56.888889, "grid": [1536, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 71
    }
  },
  {
    "ph": "f", "id": ${launch + 500}, ${DEVICE}, "ts": ${time(begin)},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", ${HOST},
    "ts": ${time(call)}, "dur": ${time(6000)},
    "args": {
      "External id": ${2 * launch + 1}, "cbid": 211, "correlation": ${launch + 500}
    }
  },
  {
    "ph": "s", "id": ${launch + 500}, ${HOST}, "ts": ${time(call)},
    "cat": "ac2g", "name": "ac2g"
  },
`;
}

function instant(launch) {
  return `  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", ${HOST}, "ts": ${time(start(launch) + 2000)},
    "args": {
      "Total Reserved": ${scatter(launch, 9, 1e9)}, "Total Allocated": ${scatter(launch, 10, 1e9)}, "Bytes": 1048576, "Addr": 140${launch}, "Device Id": 0, "Device Type": 1
    }
  },
`;
}

function count(launch) {
  return `  {
    "ph": "C", "cat": "counter", "name": "memory", "pid": 71053, "tid": 0, "ts": ${time(start(launch) + 2000)},
    "args": { "allocated": ${scatter(launch, 9, 1e9)}, "reserved": ${scatter(launch, 10, 7) * 2 ** 30} }
  },
`;
}

function step(number) {
  const begin = start(number * LAUNCHES_A_STEP) - 1;
  return `  {
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#${number}", ${HOST},
    "ts": ${time(begin)}, "dur": ${time(start((number + 1) * LAUNCHES_A_STEP) - 2 - begin)},
    "args": { "External id": ${number} }
  },
`;
}

/** Writes a trace of at least so many events, less than a step more; `counters`: with one count more for every ten launches. */
export function writeMadeTrace(out, events, { counters = false } = {}) {
  const file = openSync(out, 'w');
  let text = `{"schemaVersion": 1, "deviceProperties": [], "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 71053, "tid": 0, "ts": 0, "args": {"name": "python"}},
  {"ph": "M", "name": "thread_name", ${DEVICE}, "ts": 0, "args": {"name": "stream 7"}},
`;
  const add = (more) => {
    text += more;
    if (text.length < 1 << 20) return;
    writeSync(file, text);
    text = '';
  };
  const steps = Math.ceil((events - 2) / EVENTS_A_STEP), launches = steps * LAUNCHES_A_STEP;
  for (let launch = 0; launch < launches; ++launch) {
    add(operators(launch));
    if (launch % 10 === 0) add(instant(launch));
    if (counters && launch % 10 === 5) add(count(launch));
  }
  for (let number = 0; number < steps; ++number) add(step(number));
  for (let launch = 0; launch < launches; ++launch) add(launched(launch));
  writeSync(file, text.replace(/,\n$/, '\n') + '], "traceName": "made.json"}\n');
  closeSync(file);
}
