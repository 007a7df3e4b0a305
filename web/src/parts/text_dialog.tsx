import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useModal } from "../lib/modal";

/** Asks for a text: one line, or several where `rows` says so. It stays open, with its text, until it is taken away. `problem`: why the text was not taken. */
export function TextDialog({
  title,
  note,
  label,
  button,
  rows = 1,
  busy = false,
  problem,
  onText,
  onClose,
}: {
  title: string;
  note?: string;
  label: string;
  button: string;
  rows?: number;
  busy?: boolean;
  problem?: ComponentChildren;
  onText: (text: string) => void;
  onClose: () => void;
}) {
  const dialog = useModal(onClose);
  const id = useId();
  const [text, setText] = useState("");
  const done = () => {
    if (!busy) onText(text.trim());
  };
  return (
    <dialog ref={dialog} class="help" aria-labelledby={id}>
      <form
        class="help-body ask"
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <h2 id={id}>{title}</h2>
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
            <input
              type="text"
              autofocus
              maxLength={200}
              autocomplete="name"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </label>
        {problem}
        <div class="ask-buttons">
          <button type="submit" class="button" disabled={busy}>
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
