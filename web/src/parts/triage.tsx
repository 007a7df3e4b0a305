// What a person does with an alert, from the list and from its page: by key or by button, in their name.
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, address, asApiError, tell } from "../api/client";
import type { Alert, AlertWithHistory, Health, NewAlertAction } from "../api/types";
import { useApi } from "../api/use";
import { TRIAGE, stateWords } from "../lib/alerts";
import { setWho, who } from "../lib/who";

type Kind = NewAlertAction["kind"];
type Pending = { alert: Pick<Alert, "id">; kind: Kind; value: string };

export type Triage = {
  act: (alert: Pick<Alert, "id">, kind: Kind, value: string) => void;
  /** What was done last, in words. */
  said: string;
  error: ApiError | null;
  /** Where nobody may change anything this says why. */
  refusal: string | null;
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
  const [asking, setAsking] = useState<Pending | null>(null);
  const [said, setSaid] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const health = useApi<Health>(address("/health")).data;

  const send = async (pending: Pending) => {
    const url = address(`/alerts/${pending.alert.id}/actions`);
    try {
      await tell<AlertWithHistory>(url, { kind: pending.kind, value: pending.value, who: who() ?? "" });
      setError(null);
      setSaid(saidOf(pending));
    } catch (failed) {
      setError(asApiError(failed, url));
      setSaid("");
    }
  };
  return {
    act: (alert, kind, value) => {
      const pending = { alert, kind, value };
      if (who() === null) setAsking(pending);
      else void send(pending);
    },
    said,
    error,
    refusal: health && !health.takes_changes ? "Nothing can be changed here: other machines reach this server, and it asks nobody who they are. Use it on its own machine, or start it with --allow-writes." : null,
    dialog: asking && (
      <WhoDialog
        onName={(name) => {
          setWho(name);
          setAsking(null);
          void send(asking);
        }}
        onClose={() => setAsking(null)}
      />
    ),
  };
}

function WhoDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  return (
    <TextDialog title="Who are you?" note="Your name stands beside what you do with alerts. This browser remembers it; it is asked for once." label="Name" button="Go on" onText={onName} onClose={onClose} />
  );
}

/** Asks for a text: one line, or several where `rows` says so. */
export function TextDialog({ title, note, label, button, rows = 1, onText, onClose }: { title: string; note?: string; label: string; button: string; rows?: number; onText: (text: string) => void; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      before?.focus?.();
    };
  }, []);
  const done = () => onText(text.trim());
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-labelledby="ask-title">
      <form
        class="help-body ask"
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <h2 id="ask-title">{title}</h2>
        {note && <p class="quiet">{note}</p>}
        <label class="field">
          <span>{label}</span>
          {rows > 1 ? (
            <textarea
              rows={rows}
              autofocus
              required
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim()) done();
              }}
            />
          ) : (
            <input type="text" autofocus maxLength={200} autocomplete="name" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          )}
        </label>
        <div class="ask-buttons">
          <button type="submit" class="button">
            {button}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
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
