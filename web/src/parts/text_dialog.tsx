import { useState } from "preact/hooks";
import { useModal } from "../lib/modal";

/** Asks for a text: one line, or several where `rows` says so. */
export function TextDialog({ title, note, label, button, rows = 1, onText, onClose }: { title: string; note?: string; label: string; button: string; rows?: number; onText: (text: string) => void; onClose: () => void }) {
  const dialog = useModal(onClose);
  const [text, setText] = useState("");
  const done = () => onText(text.trim());
  return (
    <dialog ref={dialog} class="help" aria-labelledby="ask-title">
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
