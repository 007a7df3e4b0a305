// What people said of a night, and how to say or unsay it.
import { useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, asApiError, take, tell } from "../api/client";
import type { Mark, Run } from "../api/types";
import { announce } from "../lib/announce";
import { authorOf } from "../lib/author";
import { MARK_KINDS, type MarkKind, markWords } from "../lib/marks";
import { Menu } from "./controls";
import { useRefusal } from "./session";
import { useNamed } from "./who";

const nameOf = (kind: MarkKind): string => MARK_KINDS.find((one) => one.kind === kind)?.name ?? kind;
const MOST_LETTERS = 1000;

export function NightMarks({ run }: { run: { id: number; marks: Mark[] } }) {
  const refusal = useRefusal();
  const { named, dialog } = useNamed();
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);

  const change = async (url: string, asked: () => Promise<Run>, said: string, done?: () => void) => {
    setBusy(true);
    try {
      await asked();
      setError(null);
      announce(said);
      done?.();
    } catch (failed) {
      setError(asApiError(failed, url));
    }
    setBusy(false);
  };
  const unmark = (mark: Mark) => {
    const url = address("/runs/{run}/marks/{kind}", { run: run.id, kind: mark.kind });
    void change(url, () => take(url), `Taken away: ${nameOf(mark.kind)}.`);
  };
  const mark = async (kind: MarkKind, reason: string, close: () => void) => {
    const url = address("/runs/{run}/marks", { run: run.id });
    const who = await named();
    if (who !== null) await change(url, () => tell(url, { kind, reason, who }), `Marked: ${nameOf(kind)}.`, close);
  };
  return (
    <span class="night-marks">
      {run.marks.map((one) => (
        <span key={one.kind} class="night-mark">
          <span class="warn" title={`${authorOf(one)} said so at ${one.at}`}>
            {markWords(one)}
          </span>
          {!refusal && (
            <button
              type="button"
              class="copy"
              disabled={busy}
              onClick={() => unmark(one)}
              title={`Take away: ${nameOf(one.kind)}`}
              aria-label={`Take away: ${nameOf(one.kind)}`}
            >
              <span aria-hidden="true" data-text="">
                ×
              </span>
            </button>
          )}
        </span>
      ))}
      <Menu label="Mark this night">
        {(close) =>
          refusal ? (
            <div class="mark-form quiet">
              <p>{refusal}</p>
            </div>
          ) : (
            <MarkForm
              marks={run.marks}
              busy={busy}
              error={error}
              onMark={(kind, reason) => void mark(kind, reason, close)}
            />
          )
        }
      </Menu>
      {error && (
        <span class="warn" role="alert">
          {error.problem.detail ?? error.problem.title} Nothing was changed.
        </span>
      )}
      {dialog}
    </span>
  );
}

function MarkForm({
  marks,
  busy,
  error,
  onMark,
}: {
  marks: Mark[];
  busy: boolean;
  error: ApiError | null;
  onMark: (kind: MarkKind, reason: string) => void;
}) {
  const [kind, setKind] = useState<MarkKind>("excluded");
  const [reason, setReason] = useState("");
  const has = marks.some((one) => one.kind === kind);
  return (
    <form
      class="mark-form"
      onSubmit={(event) => {
        event.preventDefault();
        onMark(kind, reason.trim());
      }}
    >
      <fieldset>
        <legend>What is to be said of this night</legend>
        {MARK_KINDS.map((one) => (
          <label class="mark-kind" key={one.kind}>
            <input type="radio" name="mark-kind" checked={kind === one.kind} onChange={() => setKind(one.kind)} />
            <span>
              {one.name} <span class="quiet">{one.meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>Why, in a word</span>
        <input
          type="text"
          value={reason}
          maxLength={MOST_LETTERS}
          onInput={(event) => setReason(event.currentTarget.value)}
          placeholder={kind === "environment" ? "driver 570" : kind === "pinned" ? "release 2.6" : "the disk was full"}
        />
      </label>
      <button type="submit" class="button" disabled={busy}>
        {has ? "Say it anew" : "Mark"}
      </button>
      <p class="quiet note">Alerts are found again at once. {error ? "" : "It can be taken away again."}</p>
    </form>
  );
}
