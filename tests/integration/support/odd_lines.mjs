// Results files that are made to be odd, the same ones for the same seed: lines like the runner's in which members are missing,
// doubled, of another type, huge, not finite, not ASCII, nested. What is JSON only for Python (NaN, lone surrogates) is among it.

/** A generator of numbers from 0 to below 1 (mulberry32), with what is made of them. */
export function makeRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (values) => values[below(values.length)], chance: (share) => next() < share };
}

/** A value that JSON.stringify cannot write: its text. */
class Raw {
  constructor(text) {
    this.text = text;
  }
}
/** An object whose keys may be doubled: pairs. */
class Members {
  constructor(object) {
    this.pairs = Object.entries(object);
  }
}

export function textOf(value) {
  if (value instanceof Raw) return value.text;
  if (value instanceof Members) return `{${value.pairs.map(([key, one]) => `${JSON.stringify(key)}: ${textOf(one)}`).join(", ")}}`;
  if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
  if (value !== null && typeof value === "object") return textOf(new Members(value));
  return JSON.stringify(value);
}

const nested = (depth, open = "[", close = "]") => new Raw(open.repeat(depth) + close.repeat(depth));

const NUMBERS = [0, -1, 1, 1.5, 8, 1e308, -1e308, 5e-324, 2 ** 53, new Raw("-0.0"), new Raw("1e400"), new Raw("-1e400"), new Raw("NaN"), new Raw("Infinity"), new Raw("-Infinity"),
  new Raw("9223372036854775807"), new Raw("-9223372036854775808"), new Raw("9223372036854775808"), new Raw("18446744073709551616"), new Raw("123456789012345678901234567890"), new Raw("1E-7"), new Raw("253402300799.9")];
const TEXTS = ["", " ", "eval", "cuda", "None", "NaN", "null", "True", "0", "8", "übung-模型-😀", "e\u0301", "\u202egnp.exe", "\ufffe\uffff", "\ufeffbom", "\u0000", "a\u0000b", "\u0001\u001b[31m", "tab\tline\nreturn\r\n", 'quo"te,comma;\\', "=cmd|' /C calc'!A0", "<script>alert(1)</script>",
  "&amp;", "]]>", "../../etc/passwd", "a/b/c", "/", "?x=1#y", "%2e%2f%00", "%s%n{}{0}", "| pipe `code` *bold* [a](b) @somebody", "model.model_name", "VerificationCode.PASS", "<VerificationCode.FAIL: 'FAIL'>", "VerificationCode.VerificationCode.PASS", "<", "SKIP",
  "x".repeat(3000), "word ".repeat(400), new Raw('"\\ud800"'), new Raw('"\\udc00\\ud800 behind"'), new Raw('"\\u0000NaN"'), new Raw('"\\ud83d\\ude00"'), new Raw('"\\/\\b\\f"')];
const STRUCTURES = [[], {}, [[]], [{}], [null], { "": "" }, { a: { b: { c: [1, { d: null }] } } }, [1, "a", null, new Raw("NaN"), [2], { x: 1 }], { suite_name: "other", model_name: "other" }, [new Raw("Infinity"), new Raw("-Infinity")],
  Array.from({ length: 300 }, (_, i) => i / 7), nested(60), nested(60, '{"k":[', "]}"), nested(1000), nested(1015), nested(500, '{"k":[', "]}"), nested(1100), { total_time: [1, 2, 3] }, { hud: { timestamp: 1 } }, { of_hud: true }];
const CONSTANTS = [null, true, false];

/** Names that the runner gives members, at one age or another, and such as readers of files could take for their own. */
const NAMES = ["model", "experiment", "metrics", "repeat", "iterations_per_run", "timestamp", "verification_code", "verification_mean_rel_error", "outputs_file", "suite_name", "model_name", "accelerator", "accelerator_model", "xla", "xla_flags",
  "dynamo", "torch_xla2", "test", "batch_size", "keep_model_data_on_cuda", "enable_functionalization", "experiment_name", "process_env", "error", "dtype", "hud", "hud_metrics", "derived", "benchhud_line", "benchhud", "model.dtype", "model.model_name", "run", "labels", "", " ", "a.b", "ключ", "__proto__", "x".repeat(200)];
const METRICS = ["total_time", "per_iter_time", "trace_total_time", "trace_per_iter_time", "xla_CompileTime_time_s", "xla_CompileTime_number", "xla_ExecuteTime_time_s", "xla_ExecuteTime_number", "xla_ExecutionTime_time_s", "xla_ExecutionTime_number", "total_cpu_time_s",
  "per_iter_cpu_time_s", "total_cuda_time_s", "per_iter_cuda_time_s", "dynamo_counters", "xla_unlowered_ops", "inductor_ops", "abs_latency", "speedup", "compilation_latency", "accuracy", "error", "", "übung", "a,b\"c", "=1+1", "model"];
const CODES = ["PASS", "FAIL", "EAGER_FAILED", "EXCEPTION_RAISED", "NONDETERMINISTIC_EAGER_RUN", "VERIFIER_SKIPPED", "VERIFIER_DIDNT_RUN", "VerificationCode.PASS", "<VerificationCode.FAIL: 'FAIL'>", "NEW_CODE", "pass"];
const ERRORS = ["SKIP", "", "\n", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x()\nValueError: bad value 3\n", "Segmentation fault (core dumped)", "subprocess.TimeoutExpired: timed out after 60 seconds",
  "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File \"b.py\", line 7 in f\n", "error: " + "y".repeat(5000), "\u0000\u0001", "No such operator: 😀 `|` *"];
const COUNTERS = [{ stats: { calls_captured: 12, unique_graphs: 1 }, graph_break: { "call_function BuiltinVariable(print)": 2 }, unimplemented: { "x": 1 } }, { stats: { calls_captured: 12, unique_graphs: 2 }, frames: { total: 2, ok: 2 } }, {}, { stats: null }, { stats: { calls_captured: "12" } },
  { graph_break: { "": -3, "a|b\n": new Raw("1e400") } }, { stats: { unique_graphs: new Raw("9223372036854775807"), calls_captured: new Raw("9223372036854775807") } }, { recompiles: { total: new Raw("18446744073709551616") } }, [], null, 7, "text"];
const OPERATIONS = [{ "aten::mm": { self_cpu_time_s: 0.01, total_cpu_time_s: 0.02, self_cuda_time_s: 0.1, total_cuda_time_s: 0.1, num_of_calls: 3 } }, {}, { "aten::nonzero": { num_of_calls: -1 } }, { "": {} }, { x: null }, { "aten::mm": { num_of_calls: "3", self_cpu_time_s: new Raw("NaN") } }, { "aten::add": [1] },
  { "aten::mul": { num_of_calls: new Raw("1e308"), total_cpu_time_s: new Raw("-Infinity") } }, [], null, "x"];

const MODELS = [["torchbench", "alpha"], ["torchbench", "beta"], ["torchbench", "gamma"], ["other", "alpha"], ["huggingface", "模型/é"]];
const CONFIGURATIONS = [{ xla: null, dynamo: null }, { xla: null, dynamo: "inductor" }, { xla: "PJRT", dynamo: "openxla" }, { xla: "PJRT", dynamo: null }, { xla: null, dynamo: "aot_eager" }, { xla: "PJRT", dynamo: null, torch_xla2: "torch_export" }];
const FIRST_NIGHT = Date.UTC(2025, 10, 1) / 1000;

const anyValue = (random) => random.pick([CONSTANTS, NUMBERS, NUMBERS, TEXTS, TEXTS, STRUCTURES].map((values) => random.pick(values)));

/** The line of an experiment in a night as the runner writes it: later nights of the first model are slower. */
function usualLine(random, night, [suite, model], configuration, test, isVerification) {
  const backend = CONFIGURATIONS.indexOf(configuration);
  const seconds = (0.5 + 0.1 * backend) * (model === "alpha" && night >= 6 ? 1.5 : 1) * (1 + 0.01 * random.next());
  const samples = [seconds + 3, ...Array.from({ length: 5 }, () => seconds * (1 + 0.01 * random.next()))];
  const metrics = isVerification ? {} : { total_time: samples, per_iter_time: samples };
  if (!isVerification && configuration.xla) Object.assign(metrics, { trace_total_time: samples.map((s) => s / 9), xla_CompileTime_time_s: [3, 0, 0, 0, 0, 0], xla_CompileTime_number: [2, 0, 0, 0, 0, 0], xla_ExecuteTime_time_s: samples.map((s) => s / 2) });
  if (!isVerification && random.chance(0.4)) metrics.dynamo_counters = Array.from({ length: 6 }, () => random.pick(COUNTERS));
  if (!isVerification && random.chance(0.2)) metrics[random.pick(["inductor_ops", "xla_unlowered_ops"])] = Array.from({ length: 3 }, () => random.pick(OPERATIONS));
  return {
    model: { suite_name: suite, model_name: model },
    experiment: { accelerator: "cuda", accelerator_model: "NVIDIA A100-SXM4-40GB", xla: null, xla_flags: null, dynamo: null, torch_xla2: null, keep_model_data_on_cuda: false, test, batch_size: isVerification ? null : 8, ...configuration },
    repeat: 6,
    iterations_per_run: 1,
    metrics: random.chance(0.05) ? { error: random.pick(ERRORS) } : metrics,
    outputs_file: null,
    timestamp: FIRST_NIGHT + 86400 * night + (isVerification ? 3600.5 : 0),
    verification_code: isVerification ? random.pick(model === "beta" && night >= 8 ? ["FAIL"] : ["PASS", "PASS", "PASS", ...CODES]) : "VERIFIER_SKIPPED",
  };
}

/** Changes one thing in a line whose objects are Members. */
function makeOdd(random, line) {
  const groups = line.pairs.filter(([, value]) => value instanceof Members);
  const [, group] = random.chance(0.75) && groups.length > 0 ? random.pick(groups) : [null, line];
  const isMetrics = group === line.pairs.find(([key]) => key === "metrics")?.[1];
  const at = random.below(Math.max(group.pairs.length, 1));
  const change = random.below(6);
  if (change === 0 && group.pairs.length > 0) {
    group.pairs.splice(at, 1);
  } else if (change <= 2) {
    const name = isMetrics ? random.pick(METRICS) : random.chance(0.3) ? "keep_model_data_on_cuda" : random.pick(NAMES);
    const value = name === "error" && random.chance(0.7) ? random.pick(ERRORS) : anyValue(random);
    group.pairs.splice(at, 0, [name, value]);  // the name may be there: doubled then
  } else if (group.pairs.length > 0) {
    const [key, value] = group.pairs[at];
    if (Array.isArray(value) && random.chance(0.7)) {
      group.pairs[at] = [key, value.map((one) => (random.chance(0.4) ? (random.chance(0.8) ? random.pick([...NUMBERS, null]) : anyValue(random)) : one)).slice(0, random.below(8))];
    } else {
      group.pairs[at] = [key, key === "verification_code" && random.chance(0.6) ? random.pick(CODES) : anyValue(random)];
    }
  }
}

/** A CSV of series and a dump of Dynamo's counters, odd in the same way. */
export function oddSeries(seed) {
  const random = makeRandom(seed);
  const values = Array.from({ length: 60 }, (_, i) => (random.chance(0.8) ? String(100 + (i > 40 ? 20 : 0) + random.next()) : textOf(random.pick([...NUMBERS, ...TEXTS]))));
  return `night,value\n${values.map((value, i) => `n${i},${value}\n`).join("")}`;
}
export const oddCounters = (seed) => textOf(makeRandom(seed).pick(COUNTERS.filter((one) => one !== null && typeof one === "object")));

/** Results files of `nights` nights: [{ name, text }]. `oddness`: the share of lines that are changed. */
export function oddNights(seed, { nights = 12, oddness = 0.5 } = {}) {
  const random = makeRandom(seed);
  const files = [];
  for (let night = 0; night < nights; ++night) {
    for (const isVerification of night % 2 ? [false, true] : [false]) {
      const lines = [];
      for (const model of MODELS) {
        for (const configuration of CONFIGURATIONS) {
          if (random.chance(0.1)) continue;
          const line = new Members(usualLine(random, night, model, configuration, random.chance(0.9) ? "eval" : "train", isVerification));
          for (const pair of line.pairs) if (["model", "experiment", "metrics"].includes(pair[0])) pair[1] = new Members(pair[1]);
          if (random.chance(oddness)) for (let i = random.below(3); i >= 0; --i) makeOdd(random, line);
          lines.push(textOf(line));
        }
      }
      const name = new Date(1000 * (FIRST_NIGHT + 86400 * night)).toISOString().slice(0, 10);
      files.push({ name: `${name}${isVerification ? "-verify" : ""}.jsonl`, text: lines.join("\n") + (random.chance(0.8) ? "\n" : '\n{"half": ') });
    }
  }
  return files;
}
