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
 * with atOnce(). */
export function useModal(): RefObject<HTMLDialogElement> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      before?.focus?.({ preventScroll: true });
    };
  }, []);
  return dialog;
}
