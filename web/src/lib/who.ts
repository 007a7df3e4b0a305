// Who triages and marks: a name that this browser keeps, asked for once. It is no account; it stands beside what was done.

const KEY = "hud:who";

let inMemory: string | null = null;

/** Null: nobody has been asked yet; "": they would not say. */
export function who(): string | null {
  try {
    return localStorage.getItem(KEY) ?? inMemory;
  } catch {
    return inMemory;
  }
}

export function setWho(name: string): void {
  inMemory = name.trim();
  try {
    localStorage.setItem(KEY, inMemory);
  } catch {
    // Where nothing may be kept it holds until the page goes.
  }
}
