// What a person does with an alert, from the list and from its page: by key or by button, in their name.
import { useRef, useState } from "preact/hooks";
import { type ApiError, address, asApiError, tell } from "../api/client";
import type { Alert, AlertWithHistory, NewAlertAction } from "../api/types";
import { TRIAGE, stateWords } from "../lib/alerts";
import { announce } from "../lib/announce";
import { useRefusal } from "./session";
import { useNamed } from "./who";

type Kind = NewAlertAction["kind"];
type Pending = { alert: Pick<Alert, "id">; kind: Kind; value: string };

export type Triage = {
  /** Does it in somebody's name. Resolves to whether it was done: not where it failed, where the name was not given, and
   * where something is still under way for the same alert. */
  act: (alert: Pick<Alert, "id">, kind: Kind, value: string) => Promise<boolean>;
  /** Alerts for which something is under way. */
  busy: ReadonlySet<number>;
  error: ApiError | null;
  forgetError: () => void;
  /** Why who looks may not act; null where they may. */
  refusal: preact.ComponentChildren | null;
  /** Asks for the name, the first time; to be drawn somewhere. */
  dialog: preact.ComponentChildren;
};

function saidOf({ alert, kind, value }: Pending): string {
  if (kind === "state") return `Alert ${alert.id} is ${value === "open" ? "open again" : stateWords(value).word}.`;
  if (kind === "note") return `Your note is with alert ${alert.id}.`;
  if (kind === "owner") return value ? `Alert ${alert.id} belongs to ${value}.` : `Alert ${alert.id} belongs to nobody.`;
  return value ? `The link is with alert ${alert.id}.` : `Alert ${alert.id} has no link any more.`;
}

export function useTriage(): Triage {
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set());
  // As of now: a second press may come before anything is drawn.
  const underWay = useRef(new Set<number>());
  const [error, setError] = useState<ApiError | null>(null);
  const { named, dialog } = useNamed();
  const refusal = useRefusal();

  const mark = (id: number, isBusy: boolean) => {
    if (isBusy) underWay.current.add(id);
    else underWay.current.delete(id);
    setBusy(new Set(underWay.current));
  };
  const act = async (alert: Pick<Alert, "id">, kind: Kind, value: string): Promise<boolean> => {
    if (underWay.current.has(alert.id)) return false;
    mark(alert.id, true);
    const url = address(`/alerts/${alert.id}/actions`);
    try {
      const who = await named();
      if (who === null) return false;
      await tell<AlertWithHistory>(url, { kind, value, who });
      setError(null);
      announce(saidOf({ alert, kind, value }));
      return true;
    } catch (failed) {
      setError(asApiError(failed, url));
      return false;
    } finally {
      mark(alert.id, false);
    }
  };
  return { act, busy, error, forgetError: () => setError(null), refusal, dialog };
}

/** The state that a key sets, or null. */
export const stateOfKey = (key: string): string | null => TRIAGE.find((one) => one.key === key)?.state ?? null;

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
