// Lines of results.jsonl for tests that want what samples/ does not have.

/** A line; `experiment` and the rest overwrite what is usual. */
export function line({ model = "alpha", suite = "torchbench", experiment = {}, metrics = {}, ...rest } = {}) {
  return JSON.stringify({
    model: { suite_name: suite, model_name: model },
    experiment: {
      accelerator: "cuda",
      accelerator_model: "NVIDIA A100-SXM4-40GB",
      xla: null,
      xla_flags: null,
      dynamo: "inductor",
      torch_xla2: null,
      test: "eval",
      batch_size: 8,
      ...experiment,
    },
    repeat: 6,
    iterations_per_run: 1,
    metrics,
    timestamp: 1762300800,
    verification_code: "VERIFIER_SKIPPED",
    ...rest,
  });
}

/** Timings of six repetitions around `seconds`, the first with compilation in it. */
export function times(seconds) {
  const samples = [seconds + 3, seconds * 1.2, seconds * 1.1, seconds, seconds * 1.01, seconds * 0.99];
  return { total_time: samples, per_iter_time: samples };
}
