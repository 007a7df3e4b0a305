// What a tab of the browser keeps from page to page, all of it: no other module of web/ has variables of its own.
import { AnswerCache, Flights } from "../api/cache";
import type { SearchCommand } from "../parts/search";
import type { Claim } from "./keys";
import type { Source, Told } from "./page_markdown";
import type { Recent } from "./search";

/** Bytes of answers that are remembered. */
const MOST_REMEMBERED = 64 << 20;

export const tab = {
  answers: new AnswerCache(MOST_REMEMBERED),
  flights: new Flights(),
  /** The keys that the open page claims for itself (keys.ts). */
  claim: null as Claim | null,
  /** The commands that the open page offers in the search (page_commands.ts). */
  commands: [] as SearchCommand[],
  /** Whether the page was gone back or forward to (route.ts). */
  cameBack: false,
  /** How far down each table was left (table.tsx). */
  scrolled: new Map<string, number>(),
  /** What `m` copies of the open page, and what is in tables that draw only their rows in sight (page_markdown.tsx). */
  told: {} as Told,
  sources: new WeakMap<Element, Source>(),
  /** How elements of a class are laid out: asking the browser for each of thousands takes seconds (page_markdown.tsx). */
  displays: new Map<string, string>(),
  /** Where the browser keeps nothing for us: the name for notes (who.ts) and what was searched for (search.ts). */
  name: null as string | null,
  recent: [] as Recent[],
};
