// A short note for whoever looks or listens: shown at the edge for some seconds, and read out politely.

export const ANNOUNCED = "hud:announced";

export function announce(text: string): void {
  dispatchEvent(new CustomEvent(ANNOUNCED, { detail: text }));
}
