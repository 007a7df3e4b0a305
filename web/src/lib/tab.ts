// What a tab of the browser keeps from page to page, all of it but the answers of the server (api/answers.ts): no other
// module of web/ has variables of its own.
import type { ComponentChildren } from "preact";
import type { MarkdownPart } from "./markdown";

/** The keys that a page claims, and what the list of keys says of them. */
export type Claim = { keys: ReadonlySet<string>; help: [string, string][] };

export type SearchCommand = { name: string; key: string; words?: string; run: () => void };

/** What was chosen in the search. */
export type Recent = { href: string; kind: string; title: string; context: string };

/** A page's say in what is copied. */
export type Told = {
  /** Instead of the page's first heading. */
  sentence?: string;
  /** The captions of the tables that are the matter; all that are in sight unless given. */
  tables?: string[];
  /** What is drawn, and stands in no table and in no list with `data-told`. */
  more?: () => MarkdownPart[];
  /** Where the same numbers are to be seen later, where that is not the page's own address. */
  address?: string | undefined;
};

/** A table that draws only its rows in sight. */
export type Source = {
  heads: { title: ComponentChildren; right: boolean }[];
  groups: { title: ComponentChildren; span: number }[] | undefined;
  size: number;
  /** The first rows in the order that is seen; a text is a group's name. */
  rows: (most: number) => (ComponentChildren[] | string)[];
};

export const tab = {
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
