// A short note for whoever looks or listens: shown at the edge for some seconds, and read out politely. One that can be
// taken back stays longer, with a button that does so.

export const ANNOUNCED = "hud:announced";

/** `undo` takes back what is announced; it says itself what became of that. */
export type Announced = { text: string; undo: (() => Promise<void>) | null };

export function announce(text: string, undo: Announced["undo"] = null): void {
  dispatchEvent(new CustomEvent<Announced>(ANNOUNCED, { detail: { text, undo } }));
}
