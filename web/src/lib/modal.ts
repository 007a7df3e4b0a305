// Dialogs that are there before the next key is taken: what one types right after the key that opens them is theirs.
import { type RefObject, options } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Runs `change` and draws what it changes before it returns, not with the next frame. */
export function atOnce(change: () => void): void {
  const usual = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  try {
    change();
  } finally {
    options.debounceRendering = usual;
  }
}

/** The reference of a <dialog> that is open while it is drawn; whatever had the focus has it again afterwards. Open it
 * with atOnce(). `onClose` is called when the browser closes it, as for Escape, and has to take it away: that is drawn
 * before the next key is taken, and no event of a dialog that is gone closes one that was opened since. */
export function useModal(onClose: () => void): RefObject<HTMLDialogElement> {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement as HTMLElement | null;
    const leave = (event: Event) => {
      event.preventDefault();
      atOnce(() => latest.current());
    };
    shown?.addEventListener("cancel", leave);
    shown?.addEventListener("close", leave);
    shown?.showModal();
    return () => {
      shown?.removeEventListener("cancel", leave);
      shown?.removeEventListener("close", leave);
      shown?.close();
      before?.focus?.({ preventScroll: true });
    };
  }, []);
  return dialog;
}
