// What a search finds: where it leads, which letters of it fit, and what was chosen before.
import { RAW } from "./explore";
import { alertHref, backendHref, errorHref, href, modelHref, runHref, suiteHref } from "./route";
import { runName, shown } from "./format";
import { type Recent, tab } from "./tab";
import type { SearchAnswer, SearchHit, SearchKind } from "../api/types";

/** The server takes no longer questions, in bytes. */
const LONGEST_QUERY = 200;

/** What may be asked for of what was typed: whole letters, as many as the server takes. */
export function askable(text: string): string {
  let query = "";
  let size = 0;
  for (const letter of text.replace(/\s+/g, " ").trim()) {
    // Half a surrogate pair is no letter and has no bytes.
    const code = letter.codePointAt(0) as number;
    if (code >= 0xd800 && code < 0xe000) continue;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size > LONGEST_QUERY) break;
    query += letter;
  }
  return query;
}

export const KINDS: Record<SearchKind, { one: string; many: string }> = {
  model: { one: "model", many: "models" },
  suite: { one: "suite", many: "suites" },
  backend: { one: "backend", many: "backends" },
  accelerator: { one: "accelerator", many: "accelerators" },
  run: { one: "run", many: "runs" },
  label: { one: "label", many: "labels" },
  alert: { one: "alert", many: "alerts" },
  error: { one: "error", many: "errors" },
  artifact: { one: "dump", many: "dumps" },
  metric: { one: "metric", many: "metrics" },
};

/** The page that a hit is about. */
export function hitHref(kind: SearchKind, address: SearchHit["address"]): string {
  const of = (name: string): string => address[name] ?? "";
  switch (kind) {
    case "model":
      return modelHref(of("suite"), of("model"));
    case "suite":
      return suiteHref(of("suite"));
    case "backend":
      return backendHref(of("backend"));
    case "accelerator":
      return href("/runs", { accelerator_model: of("accelerator_model") });
    case "run":
      return runHref({ id: Number(of("run")) });
    case "label":
      return of("runs") === "1" ? runHref({ id: Number(of("run")) }) : href("/runs", { q: of("value") });
    case "alert":
      return alertHref({ id: Number(of("alert")) });
    case "error":
      return errorHref(of("signature"));
    case "artifact":
      return of("artifact") ? `/artifact/${of("artifact")}` : href("/artifacts", { kind: of("kind") });
    case "metric":
      return href("/explore", { metric: RAW + of("metric") });
  }
}

/** A run's name that is only its time is shown as people write times. */
export const hitTitle = (kind: SearchKind, hit: Pick<SearchHit, "title" | "at">): string =>
  shown(kind === "run" && hit.at ? runName({ name: hit.title, started_at: hit.at }) : hit.title);

export type Piece = { text: string; on: boolean };

/** The text in pieces: `on` are those that were typed, the whole of it where it is there, else its words. */
export function highlighted(text: string, typed: string): Piece[] {
  const whole = typed.trim().replace(/\s+/g, " ").toLowerCase();
  const where = text.toLowerCase();
  // A text that gets longer or shorter when its letters are made small has its places elsewhere.
  if (!whole || where.length !== text.length) return [{ text, on: false }];
  const words = where.includes(whole) ? [whole] : whole.split(" ");
  const on = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = where.indexOf(word); at >= 0; at = where.indexOf(word, at + word.length))
      on.fill(true, at, at + word.length);
  }
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + 1;
    while (to < text.length && on[to] === on[from]) ++to;
    pieces.push({ text: text.slice(from, to), on: on[from] as boolean });
    from = to;
  }
  return pieces;
}

/** How a name of ours fits, as the server ranks names of the store; null where it does not. */
export function fits(typed: string, title: string, more = ""): SearchHit["match"] | null {
  const whole = typed.trim().replace(/\s+/g, " ").toLowerCase();
  const name = title.toLowerCase();
  if (!whole) return null;
  if (name === whole) return "exact";
  if (name.startsWith(whole)) return "prefix";
  for (let at = name.indexOf(whole); at >= 0; at = name.indexOf(whole, at + 1))
    if (!/[\p{L}\p{N}]/u.test(name[at - 1] as string)) return "word_start";
  if (name.includes(whole)) return "part";
  const all = `${name} ${more.toLowerCase()}`;
  return whole.split(" ").every((word) => all.includes(word)) ? "words" : null;
}

const RANKS: SearchHit["match"][] = ["exact", "prefix", "word_start", "part", "words", "nearly"];
export const rankOf = (match: SearchHit["match"]): number => RANKS.indexOf(match);

/** "300 models, 1,250 runs and 12 alerts", the most first. */
export function searchedText(searched: SearchAnswer["searched"], count: (n: number) => string): string {
  const parts = (Object.keys(KINDS) as SearchKind[])
    .map((kind) => ({ kind, n: searched[kind] ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n)
    .map(({ kind, n }) => `${count(n)} ${n === 1 ? KINDS[kind].one : KINDS[kind].many}`);
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}` : (parts[0] ?? "nothing");
}

const KEY = "benchhud.search";
const MOST_RECENT = 6;

const isRecent = (item: unknown): item is Recent => {
  const one = item as Recent | null;
  return (
    !!one &&
    [one.href, one.kind, one.title, one.context].every((text) => typeof text === "string") &&
    /^\/(?!\/)/.test(one.href)
  );
};

/** What was chosen in this tab, the last first. */
export function recentChoices(): Recent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, MOST_RECENT) : tab.recent;
  } catch {
    return tab.recent;
  }
}

export function remember(choice: Recent): void {
  tab.recent = [choice, ...recentChoices().filter((one) => one.href !== choice.href)].slice(0, MOST_RECENT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(tab.recent));
  } catch {
    // Where nothing may be kept it holds until the page goes.
  }
}
