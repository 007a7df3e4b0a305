// What a person does with alerts, from the list and from an alert's page: by key or by button, in their name.
import { useRef, useState } from "preact/hooks";
import { type ApiError, address, asApiError, tell } from "../api/client";
import { TRIAGE, stateWords } from "../lib/alerts";
import { announce } from "../lib/announce";
import { type Kind, type Step, type Target, doneWords, undoSteps, undoneWords } from "../lib/triage";
import { useRefusal } from "./session";
import { useNamed } from "./who";

export type Triage = {
  /** Does it in somebody's name, with all of them or none. Resolves to whether it was done: not where it failed, where the
   * name was not given, and where something is still under way for one of them. */
  act: (alerts: readonly Target[], kind: Kind, value: string) => Promise<boolean>;
  /** Alerts for which something is under way. */
  busy: ReadonlySet<number>;
  error: ApiError | null;
  forgetError: () => void;
  /** Why who looks may not act; null where they may. */
  refusal: preact.ComponentChildren | null;
  /** The name, asked for the first time; null where they cancelled. */
  named: () => Promise<string | null>;
  /** Asks for the name, the first time; to be drawn somewhere. */
  dialog: preact.ComponentChildren;
};

const SEVERAL = address("/alerts/actions");

/** One of them has an address of its own, whose answer is its page. */
function post({ ids, kind, value }: Step, who: string): Promise<unknown> {
  if (ids.length === 1) return tell(address(`/alerts/${ids[0]}/actions`), { kind, value, who });
  return tell(SEVERAL, { ids, kind, value, who });
}

/** Takes back what was done with alerts, and says so. It needs no page: that may be left by then. */
async function takeBack(alerts: readonly Target[], steps: readonly Step[], who: string): Promise<void> {
  try {
    for (const step of steps) await post(step, who);
    announce(undoneWords(alerts));
  } catch (failed) {
    const { problem } = asApiError(failed, SEVERAL);
    announce(`It could not be undone. ${problem.detail ?? problem.title}`);
  }
}

export function useTriage(): Triage {
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set());
  // As of now: a second press may come before anything is drawn.
  const underWay = useRef(new Set<number>());
  const [error, setError] = useState<ApiError | null>(null);
  const { named, dialog } = useNamed();
  const refusal = useRefusal();

  const mark = (ids: readonly number[], isBusy: boolean) => {
    for (const id of ids) {
      if (isBusy) underWay.current.add(id);
      else underWay.current.delete(id);
    }
    setBusy(new Set(underWay.current));
  };
  const act = async (alerts: readonly Target[], kind: Kind, value: string): Promise<boolean> => {
    const ids = alerts.map(({ id }) => id);
    if (!ids.length || ids.some((id) => underWay.current.has(id))) return false;
    mark(ids, true);
    try {
      const who = await named();
      if (who === null) return false;
      await post({ ids, kind, value }, who);
      setError(null);
      const steps = undoSteps(alerts, kind, value, who);
      announce(doneWords(alerts, kind, value, who), steps.length ? () => takeBack(alerts, steps, who) : null);
      return true;
    } catch (failed) {
      setError(asApiError(failed, SEVERAL));
      return false;
    } finally {
      mark(ids, false);
    }
  };
  return { act, busy, error, forgetError: () => setError(null), refusal, named, dialog };
}

/** The state that a key sets, or null. */
export const stateOfKey = (key: string): string | null => TRIAGE.find((one) => one.key === key)?.state ?? null;

/** A button for each state. `pressed`: the one that it has, of one alert. */
export function StateButtons({ pressed, isBusy, onState }: { pressed?: string; isBusy: boolean; onState: (state: string) => void }) {
  return (
    <>
      {TRIAGE.filter((one) => one.state !== "open" || pressed !== "open").map((one) => (
        <button key={one.key} type="button" class="button" aria-pressed={pressed === undefined ? undefined : pressed === one.state} title={`${one.state === "open" ? "as if nobody had said anything" : stateWords(one.state).meaning} (${one.key})`} disabled={isBusy} onClick={() => onState(one.state)}>
          {one.button} <kbd aria-hidden="true">{one.key}</kbd>
        </button>
      ))}
    </>
  );
}

export function TriageNote({ triage }: { triage: Triage }) {
  return (
    <>
      {triage.refusal && <p class="quiet note">{triage.refusal}</p>}
      <TriageProblem error={triage.error} />
    </>
  );
}

export function TriageProblem({ error }: { error: ApiError | null }) {
  if (!error) return null;
  return (
    <div class="problem" role="alert">
      <strong>{error.problem.title}</strong>
      <p>{error.problem.detail} Nothing was changed.</p>
    </div>
  );
}
