// What a person does with alerts, from the list and from an alert's page: by key or by button, in their name.
import { useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, asApiError, ask, tell } from "../api/client";
import { TRIAGE, stateWords } from "../lib/alerts";
import { announce } from "../lib/announce";
import { plural } from "../lib/format";
import {
  type Kind,
  MOST_AT_ONCE,
  type Step,
  type Target,
  doneWords,
  pieces,
  undoSteps,
  undoneWords,
} from "../lib/triage";
import { useRefusal } from "./session";
import { useNamed } from "./who";

/** `done`: with how many of the alerts it was done before. */
export type TriageError = { problem: ApiError["problem"]; done?: number };

export type Triage = {
  /** Does it in somebody's name, with all of them or none; of more than MOST_AT_ONCE, with so many or none at a time.
   * Resolves to whether it was done: not where it failed, where the name was not given, and where something is still under
   * way for one of them. */
  act: (alerts: readonly Target[], kind: Kind, value: string) => Promise<boolean>;
  /** Alerts for which something is under way. */
  busy: ReadonlySet<number>;
  error: TriageError | null;
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
  if (ids.length === 1) return tell(address("/alerts/{id}/actions", { id: ids[0] }), { kind, value, who });
  return tell(SEVERAL, { ids, kind, value, who });
}

/** The address of a question names no more: servers, and what stands before them, take 8 KiB of it. */
const MOST_ASKED = 400;

/** Alerts as they are now, by number. */
async function asTheyAre(alerts: readonly Target[]): Promise<Map<number, Target>> {
  const now = new Map<number, Target>();
  for (const some of pieces(alerts, MOST_ASKED)) {
    const { data } = await ask(
      address("/alerts", { state: "all", limit: MOST_ASKED, id: some.map(({ id }) => String(id)) }),
    );
    for (const alert of data.items) now.set(alert.id, alert);
  }
  return now;
}

const reasonOf = (failed: unknown): string => {
  const { problem } = asApiError(failed, SEVERAL);
  return problem.detail ?? problem.title;
};

/** Takes back what was done with alerts, but for what others changed since, and says so. It needs no page: that may be left
 * by then. */
async function takeBack(
  alerts: readonly Target[],
  kind: Exclude<Kind, "note">,
  value: string,
  who: string,
): Promise<void> {
  const failed = new Set<number>();
  let why = "";
  try {
    const undo = undoSteps(alerts, kind, value, who, await asTheyAre(alerts));
    for (const step of undo.steps) {
      const ids = step.ids.filter((id) => !failed.has(id));
      if (!ids.length) continue;
      try {
        await post({ ...step, ids }, who);
      } catch (error) {
        for (const id of ids) failed.add(id);
        why ||= reasonOf(error);
      }
    }
    announce(undoneWords(alerts, undo, [...failed], why));
  } catch (error) {
    announce(`It could not be undone. ${reasonOf(error)}`);
  }
}

export function useTriage(): Triage {
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set());
  // As of now: a second press may come before anything is drawn.
  const underWay = useRef(new Set<number>());
  const [error, setError] = useState<TriageError | null>(null);
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
    let done = 0;
    let name = "";
    try {
      const who = await named();
      if (who === null) return false;
      name = who;
      for (const some of pieces(ids, MOST_AT_ONCE)) {
        await post({ ids: some, kind, value }, who);
        done += some.length;
      }
      setError(null);
      return true;
    } catch (failed) {
      setError({ problem: asApiError(failed, SEVERAL).problem, done });
      return false;
    } finally {
      const changed = alerts.slice(0, done);
      if (done)
        announce(
          doneWords(changed, kind, value, name),
          kind === "note" ? null : () => takeBack(changed, kind, value, name),
        );
      mark(ids, false);
    }
  };
  return { act, busy, error, forgetError: () => setError(null), refusal, named, dialog };
}

/** The state that a key sets, or null. */
export const stateOfKey = (key: string): string | null => TRIAGE.find((one) => one.key === key)?.state ?? null;

/** A button for each state. `pressed`: the one that it has, of one alert. */
export function StateButtons({
  pressed,
  isBusy,
  onState,
}: {
  pressed?: string;
  isBusy: boolean;
  onState: (state: string) => void;
}) {
  return (
    <>
      {TRIAGE.filter((one) => one.state !== "open" || pressed !== "open").map((one) => (
        <button
          key={one.key}
          type="button"
          class="button"
          aria-pressed={pressed === undefined ? undefined : pressed === one.state}
          title={`${one.state === "open" ? "as if nobody had said anything" : stateWords(one.state).meaning} (${one.key})`}
          disabled={isBusy}
          onClick={() => onState(one.state)}
        >
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

export function TriageProblem({ error }: { error: TriageError | null }) {
  if (!error) return null;
  return (
    <div class="problem" role="alert">
      <strong>{error.problem.title}</strong>
      <p>
        {error.problem.detail}{" "}
        {error.done ? `Only the first ${plural(error.done, "alert")} were changed.` : "Nothing was changed."}
      </p>
    </div>
  );
}
