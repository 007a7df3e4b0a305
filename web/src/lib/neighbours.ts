// Other experiments that a result may be compared with.
import type { Experiment } from "../api/types";
import { byBackend } from "./backends";

/** Of several configurations those with the same batch size first, then by backend. */
export function inOrder(experiments: readonly Experiment[], own: Experiment): Experiment[] {
  return [...experiments].sort(
    (a, b) =>
      Number(b.batch_size === own.batch_size) - Number(a.batch_size === own.batch_size) ||
      byBackend(a.backend, b.backend) ||
      a.id - b.id,
  );
}

/** The same model, test and accelerator by another backend. */
export function siblings(experiments: readonly Experiment[], own: Experiment): Experiment[] {
  return inOrder(
    experiments.filter(
      (one) =>
        one.id !== own.id &&
        one.suite === own.suite &&
        one.model === own.model &&
        one.test === own.test &&
        one.accelerator_model === own.accelerator_model,
    ),
    own,
  );
}
