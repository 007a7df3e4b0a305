// What a person does with an alert, from the list and from its page: by key or by button, in their name.
import { useState } from "preact/hooks";
import { type ApiError, address, asApiError, tell } from "../api/client";
import type { Alert, AlertWithHistory, NewAlertAction } from "../api/types";
import { TRIAGE, stateWords } from "../lib/alerts";
import { useRefusal } from "./session";
import { useNamed } from "./who";

type Kind = NewAlertAction["kind"];
type Pending = { alert: Pick<Alert, "id">; kind: Kind; value: string };

export type Triage = {
  act: (alert: Pick<Alert, "id">, kind: Kind, value: string) => void;
  /** What was done last, in words. */
  said: string;
  error: ApiError | null;
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
  const [said, setSaid] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const { named, dialog } = useNamed();
  const refusal = useRefusal();

  const send = async (pending: Pending, who: string) => {
    const url = address(`/alerts/${pending.alert.id}/actions`);
    try {
      await tell<AlertWithHistory>(url, { kind: pending.kind, value: pending.value, who });
      setError(null);
      setSaid(saidOf(pending));
    } catch (failed) {
      setError(asApiError(failed, url));
      setSaid("");
    }
  };
  return {
    act: (alert, kind, value) => named((who) => void send({ alert, kind, value }, who)),
    said,
    error,
    refusal,
    dialog,
  };
}

/** The state that a key sets, or null. */
export const stateOfKey = (key: string): string | null => TRIAGE.find((one) => one.key === key)?.state ?? null;

export function TriageNote({ triage }: { triage: Triage }) {
  return (
    <>
      {triage.refusal && <p class="quiet note">{triage.refusal}</p>}
      {triage.error && (
        <div class="problem" role="alert">
          <strong>{triage.error.problem.title}</strong>
          <p>{triage.error.problem.detail} Nothing was changed.</p>
        </div>
      )}
      <p class="sr" role="status">
        {triage.said}
      </p>
    </>
  );
}
