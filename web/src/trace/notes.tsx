// What people noted of parts of a trace; kept in the store, for everybody.
import { useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, asApiError, take, tell } from "../api/client";
import type { components } from "../api/openapi";
import { useApi } from "../api/use";
import { authorOf } from "../lib/author";
import { moment, plural } from "../lib/format";
import { CsvLink } from "../parts/controls";
import { ErrorNote } from "../parts/small";
import { useRefusal } from "../parts/session";
import { useNamed } from "../parts/who";
import { goToFinding } from "./marks";
import { exactPlace, spanText } from "./time";
import type { Window } from "./types";
import { type Viewer, roundedOut, spanOf, useViewer } from "./viewer";

export type Note = components["schemas"]["TraceNote"];
const NONE: Note[] = [];

const notesUrl = (viewer: Viewer) => address("/traces/{id}/notes", { id: viewer.info.id });

/** The trace's notes, by time; others' too, as soon as they are there. */
export function useNotes(viewer: Viewer): { notes: Note[]; error: ApiError | null; again: () => void } {
  const { data, error, again } = useApi(notesUrl(viewer));
  return { notes: data?.items ?? NONE, error, again };
}

/** What a new note would be of. */
const notedWindow = (viewer: Viewer): Window | null =>
  viewer.mark ?? spanOf(viewer.selection) ?? viewer.area?.window ?? null;

export function Notes({
  viewer,
  notes,
  error,
  again,
}: {
  viewer: Viewer;
  notes: Note[];
  error: ApiError | null;
  again: () => void;
}) {
  const window = useViewer(viewer, (one) => JSON.stringify(notedWindow(one)));
  const of = JSON.parse(window) as Window | null;
  const refusal = useRefusal();
  const { named, dialog } = useNamed();
  const [failed, setFailed] = useState<ApiError | null>(null);
  const field = useRef<HTMLInputElement>(null);

  const busy = useRef(false);
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    try {
      await act();
      setFailed(null);
    } catch (problem) {
      setFailed(asApiError(problem, notesUrl(viewer)));
    } finally {
      busy.current = false;
    }
  };
  const add = (words: string) => {
    if (!of || !words.trim()) return;
    const { begin, end } = roundedOut(of);
    const [only] = viewer.selection;
    const thread: Record<string, string> =
      !viewer.mark && only && viewer.selection.length === 1 ? { thread: String(only.track) } : {};
    void attempt(async () => {
      const who = await named();
      if (who === null) return;
      await tell(notesUrl(viewer), { begin: String(begin), end: String(end), ...thread, words: words.trim(), who });
      if (field.current) field.current.value = "";
    });
  };
  return (
    <div class="trace-details">
      {error && <ErrorNote error={error} again={again} kept={notes.length > 0} />}
      {failed && <ErrorNote error={failed} />}
      {refusal ? (
        <p class="quiet">{refusal}</p>
      ) : (
        <form
          class="trace-note-form"
          onSubmit={(event) => {
            event.preventDefault();
            add(field.current?.value ?? "");
          }}
        >
          <label class="field">
            <span>
              {of
                ? `A note of ${spanText(of.end - of.begin)} from ${exactPlace(of.begin)}`
                : "Select a slice or measure an interval to note something of it"}
            </span>
            <input
              ref={field}
              id="trace-note"
              type="text"
              maxLength={1000}
              disabled={!of}
              autocomplete="off"
              placeholder="what is seen here"
            />
          </label>
          <button type="submit" class="button" disabled={!of}>
            Keep the note
          </button>
        </form>
      )}
      <h2>{notes.length ? plural(notes.length, "note") : "No notes yet"}</h2>
      <ul class="trace-notes">
        {notes.map((note) => (
          <li key={note.id}>
            <button type="button" class="link" onClick={() => goToFinding(viewer, note)}>
              {note.words}
            </button>{" "}
            <span class="quiet">
              {spanText(note.end - note.begin)} at {exactPlace(note.begin)} · {authorOf(note)}, {moment(note.at)}
            </span>{" "}
            {!refusal && (
              <button
                type="button"
                class="link"
                aria-label={`Remove the note: ${note.words}`}
                onClick={() =>
                  void attempt(() => take(address("/traces/{id}/notes/{note}", { id: viewer.info.id, note: note.id })))
                }
              >
                remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {notes.length > 0 && <CsvLink href={`${notesUrl(viewer)}?format=csv`} name="notes.csv" />}
      {dialog}
    </div>
  );
}
