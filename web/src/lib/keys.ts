// Keys that work everywhere, unless someone is typing.
import { tab } from "./tab";

export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** A page whose own keys come before those that work everywhere, until it is left. `help` is what the list of keys says
 * of them. Returns how to give them back. */
export function claimKeys(keys: ReadonlySet<string>, help: [string, string][]): () => void {
  const own = { keys, help };
  tab.claim = own;
  return () => {
    if (tab.claim === own) tab.claim = null;
  };
}

export const isClaimed = (key: string): boolean => tab.claim?.keys.has(key) ?? false;
export const claimedHelp = (): [string, string][] => tab.claim?.help ?? [];

const unmodified = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;

/** A key without modifiers that nobody took, and that no page claims for itself. */
export const plainKey = (event: KeyboardEvent): boolean => unmodified(event) && !isClaimed(event.key);

/** The same for the page that claims it. */
export const claimedKey = (event: KeyboardEvent): boolean => unmodified(event) && isClaimed(event.key);

export const KEYS: [string, string][] = [
  ["/", "search everything: models, runs, commits, alerts, errors, pages; also Ctrl K"],
  ["g o", "overview"],
  ["g c", "compare two runs"],
  ["g r", "runs"],
  ["g v", "verification"],
  ["g x", "explore"],
  ["g a", "alerts"],
  ["g i", "ingest reports"],
  ["g m", "all models"],
  ["j k", "next and previous row"],
  ["Enter", "open the row"],
  ["[ ]", "previous and next run; of a comparison the right one"],
  ["{ }", "previous and next left run of a comparison"],
  ["p", "pin the night under the cursor, or of the row"],
  ["c", "compare the pinned nights, or a run with the one before"],
  ["f", "filter the table"],
  ["e", "export the table as CSV"],
  ["m", "copy the page as Markdown, for an issue"],
  ["← →", "in a chart: move from night to night; Enter shows the samples"],
  ["t", "theme: as the system, light, dark"],
  ["?", "these keys"],
  ["Esc", "close, leave a field, or clear what is selected"],
];

/** On rows of the alerts, and on an alert's page. None of them means anything else there (KEYS). */
export const ALERT_KEYS: [string, string][] = [
  ["a", "acknowledge; what is nobody's is yours then"],
  ["i", "investigating; the same"],
  ["d", "done: fixed"],
  ["w", "won't fix"],
  ["v", "invalid: nothing changed"],
  ["h", "hardware: the infrastructure changed, not what is measured"],
  ["o", "open again"],
  ["s", "silence: mute until a day or a state"],
  ["n", "write a note"],
  ["x", "in the list: select the row; the keys above are for all selected ones"],
  ["X", "select all rows from the one selected last to this one"],
  ["z", "undo what was done last, while that is shown"],
];
