// Who triages and marks: a name that this browser keeps, asked for once. It is no account; it stands beside what was done.

import { tab } from "./tab";

const KEY = "hud:who";

/** Null: nobody has been asked yet; "": they would not say. */
export function who(): string | null {
  try {
    return localStorage.getItem(KEY) ?? tab.name;
  } catch {
    return tab.name;
  }
}

export function setWho(name: string): void {
  tab.name = name.trim();
  try {
    localStorage.setItem(KEY, tab.name);
  } catch {
    // Where nothing may be kept it holds until the page goes.
  }
}
