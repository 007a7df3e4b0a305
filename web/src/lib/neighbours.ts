// Results that a profile is worth comparing with: the same one on the night before, other backends of the same night.
import { useEffect, useState } from "preact/hooks";
import { address, ask, askAll } from "../api/client";
import type { ArtifactPage, Experiment, Page, Result, Run } from "../api/types";
import { byBackend } from "./backends";

export type Neighbours = { before: Run | null; others: Experiment[]; later: Run | null };

/** Nights are asked one after the other; dumps are rarely further away than this. */
const MOST_NIGHTS = 60;

export async function hasDumps(run: number, experiment: number, signal?: AbortSignal): Promise<boolean> {
  try {
    const answer = await ask<ArtifactPage>(address("/artifacts", { run, experiment, superseded: "false", limit: 1 }), signal);
    return answer.data.items.length > 0;
  } catch (error) {
    if (signal?.aborted) throw error;
    // No such result in that run: so no dumps.
    return false;
  }
}

/** The same model, test and accelerator by another backend; of several configurations those with the same batch size first. */
export function siblings(results: readonly Result[], own: Experiment): Experiment[] {
  return results
    .map((one) => one.experiment)
    .filter((one) => one.id !== own.id && one.suite === own.suite && one.model === own.model && one.test === own.test && one.accelerator_model === own.accelerator_model)
    .sort((a, b) => Number(b.batch_size === own.batch_size) - Number(a.batch_size === own.batch_size) || byBackend(a.backend, b.backend) || a.id - b.id);
}

/** Runs from the one right before `run` back in time, and those after it. `runs`: newest first. */
export function around(runs: readonly Run[], run: number): { earlier: Run[]; later: Run[] } {
  const place = runs.findIndex((one) => one.id === run);
  if (place < 0) return { earlier: [], later: [] };
  return { earlier: runs.slice(place + 1), later: runs.slice(0, place).reverse() };
}

async function firstWithDumps(runs: readonly Run[], experiment: number, signal: AbortSignal): Promise<Run | null> {
  for (const run of runs.slice(0, MOST_NIGHTS)) if (await hasDumps(run.id, experiment, signal)) return run;
  return null;
}

export function useNeighbours(run: number | null, own: Experiment | null): Neighbours | null {
  const [state, setState] = useState<{ key: string; found: Neighbours } | null>(null);
  const key = run === null || own === null ? "" : `${run}.${own.id}`;
  useEffect(() => {
    if (run === null || own === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    (async () => {
      const runs = (await ask<Page<Run>>(address("/runs", { accelerator_model: own.accelerator_model, limit: 1000 }), signal)).data.items;
      const results = (await askAll<Result>(address("/results", { run, suite: own.suite, model: own.model, test: own.test, accelerator_model: own.accelerator_model, limit: 1000 }), 1000, signal)).items;
      const candidates = siblings(results, own).slice(0, 16);
      const { earlier, later } = around(runs, run);
      const [before, after, dumped] = await Promise.all([
        firstWithDumps(earlier, own.id, signal),
        firstWithDumps(later, own.id, signal),
        Promise.all(candidates.map((one) => hasDumps(run, one.id, signal))),
      ]);
      setState({ key, found: { before, later: after, others: candidates.filter((_, index) => dumped[index]) } });
    })().catch(() => {
      if (!signal.aborted) setState({ key, found: { before: null, later: null, others: [] } });
    });
    return () => controller.abort();
  }, [key]);
  return state?.key === key && key ? state.found : null;
}
