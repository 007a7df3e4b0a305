// For what must be drawn before the next key is taken.
import { options } from "preact";

/** Runs `change` and draws what it changes before it returns, not with the next frame: what opens a field to type in must
 * have the focus when the next letter comes. */
export function atOnce(change: () => void): void {
  const usual = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  try {
    change();
  } finally {
    options.debounceRendering = usual;
  }
}
