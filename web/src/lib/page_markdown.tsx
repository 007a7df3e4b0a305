// Reads what is seen on a page: its first heading, what that is of, and its tables, as Markdown in the clipboard.
import { type ComponentChildren, render } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { announce } from "./announce";
import { copyText } from "./clipboard";
import {
  type Cell,
  type MarkdownList,
  type MarkdownPart,
  type MarkdownTable,
  type Piece,
  toMarkdown,
} from "./markdown";
import { type Source, type Told, tab } from "./tab";

/** What `m` copies of this page. Pages without it give their first heading, and every table, `dl.facts`, command
 * and list with `data-told` (its title) in sight. */
export function useMarkdown(now: Told): void {
  // With what is drawn, not after it was painted: a key may be pressed as soon as something is seen.
  useLayoutEffect(() => {
    tab.told = now;
  });
  useLayoutEffect(
    () => () => {
      tab.told = {};
    },
    [],
  );
}

/** More rows than this are counted, not copied. */
const MOST_ROWS = 250;

/** For tables that draw only the rows in sight: what else is in them. */
export function useTableSource(box: { current: Element | null }, source: Source): void {
  // See useMarkdown(). Without it the rows in sight would be copied as if they were all.
  useLayoutEffect(() => {
    if (box.current) tab.sources.set(box.current, source);
  });
}

const SKIPPED =
  "svg, .sr, .copy-state, .label-range .copy, .arrow, input, select, textarea, canvas, kbd, details:not([open]) > :not(summary), [hidden]";

/** How an element is laid out, by what style sheets go by here. */
function displayOf(node: HTMLElement): string {
  const key = `${node.parentElement?.className}|${node.tagName}|${node.className}`;
  let display = tab.displays.get(key);
  if (display === undefined) tab.displays.set(key, (display = getComputedStyle(node).display));
  return display;
}

/** The text that is seen, names as code. An element says in `data-text` what is to be written for a sign. */
function pieces(node: Node, into: Piece[] = []): Piece[] {
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      into.push(child.textContent ?? "");
      continue;
    }
    if (!(child instanceof HTMLElement) || child.matches(SKIPPED)) continue;
    const display = displayOf(child);
    if (display === "none") continue;
    // What layout keeps apart is apart in text as well.
    const parent = node instanceof HTMLElement ? displayOf(node) : "";
    const apart = /flex|grid/.test(parent) || /^(block|flex|grid|list-item|table)/.test(display);
    if (apart) into.push(" ");
    const text = child.dataset["text"];
    if (text !== undefined) into.push(text);
    else if (child.classList.contains("mono") && !child.querySelector(".mono"))
      into.push({ code: plain(pieces(child)) });
    else pieces(child, into);
    if (apart) into.push(" ");
  }
  return into;
}

const plain = (cell: Cell): string => cell.map((piece) => (typeof piece === "string" ? piece : piece.code)).join("");

function cellOf(node: Node): Cell {
  const all = pieces(node);
  return all.every((piece) => typeof piece === "string" && piece.trim() === "") ? [] : all;
}

const textOf = (node: Node): string => plain(pieces(node)).replace(/\s+/g, " ").trim();

/** What an element drawn apart from the page would say. */
function drawn<T>(what: ComponentChildren, read: (box: HTMLElement) => T): T {
  const box = document.createElement("div");
  box.className = "scratch";
  document.body.append(box);
  render(what, box);
  const answer = read(box);
  render(null, box);
  box.remove();
  return answer;
}

function fromSource(source: Source, title: string): MarkdownTable {
  const groups = (source.groups ?? []).flatMap((group) => Array.from({ length: group.span }, () => group.title));
  const titles = source.heads.map(({ title }, index) => (
    <div key={index}>
      <span>{groups[index]}</span> <span>{title}</span>
    </div>
  ));
  const texts = drawn(titles, (box) => [...box.children].map(textOf));
  const heads = source.heads.map(({ right }, index) => ({ text: texts[index] ?? "", right }));
  // All at once: what is drawn apart is laid out by nobody.
  const rows = drawn(
    source.rows(MOST_ROWS).map((row, place) => (
      <div key={place}>
        {(typeof row === "string" ? [row] : row).map((cell, index) => (
          <div key={index}>{cell}</div>
        ))}
      </div>
    )),
    (box) => [...box.children].map((row) => [...row.children].map(cellOf)),
  );
  return { kind: "table", title, heads, rows, left: source.size - rows.length };
}

type Spread = { cell: HTMLTableCellElement; first: boolean };

/** The cells of a row, one for every column that they cover. */
const spread = (row: HTMLTableRowElement): Spread[] =>
  [...row.cells].flatMap((cell) => Array.from({ length: cell.colSpan }, (_, index) => ({ cell, first: index === 0 })));

function fromElement(table: HTMLTableElement, title: string): MarkdownTable {
  const headRows = [...(table.tHead?.rows ?? [])].map(spread);
  const last = headRows[headRows.length - 1] ?? [];
  // Columns under one head, a value and its interval, are one; boxes to select rows, which come first, are none.
  const columns = last
    .map((one, index) => ({ ...one, index }))
    .filter(({ first, cell }) => first && cell.dataset["untold"] === undefined);
  const ends = columns.map((_, place) => columns[place + 1]?.index ?? last.length);
  const heads = columns.map(({ cell, index }) => ({
    text: [...new Set(headRows.map((row) => row[index]?.cell).filter((one) => one !== undefined))]
      .map(textOf)
      .filter(Boolean)
      .join(" "),
    right: cell.classList.contains("right"),
  }));
  const body = [...table.tBodies].flatMap((part) => [...part.rows]);
  const rows = body.slice(0, MOST_ROWS).map((row) => {
    const cells = spread(row);
    const texts = cells.map(({ cell, first }) => (first ? cellOf(cell) : []));
    if (!columns.length) return texts;
    return columns.map(({ index }, place) =>
      texts.slice(index, ends[place]).flatMap((cell, nth) => (nth && cell.length ? [" ", ...cell] : cell)),
    );
  });
  const width = Math.max(heads.length, ...rows.map((row) => row.length));
  while (heads.length < width) heads.push({ text: "", right: false });
  return { kind: "table", title, heads, rows, left: body.length - rows.length };
}

const captionOf = (table: HTMLTableElement): string =>
  table.closest("[role=region]")?.getAttribute("aria-label") ?? table.caption?.textContent ?? "";

function titleOf(table: HTMLTableElement, caption: string): string {
  const heading = table.closest(".section")?.querySelector("h2");
  return heading ? textOf(heading) : caption;
}

const inSight = (node: HTMLElement): boolean => node.checkVisibility?.() ?? node.offsetParent !== null;

function tableOf(table: HTMLTableElement): MarkdownTable {
  const title = titleOf(table, captionOf(table));
  const source = table.parentElement ? tab.sources.get(table.parentElement) : undefined;
  return source ? fromSource(source, title) : fromElement(table, title);
}

/** Facts as rows of a name and what it is. */
function factsOf(list: HTMLElement): MarkdownTable {
  const rows: Cell[][] = [];
  for (const node of list.children) {
    if (node.tagName === "DT") rows.push([cellOf(node), []]);
    else rows[rows.length - 1]?.[1]?.push(...cellOf(node), " ");
  }
  return { kind: "table", title: "", heads: [{ text: "" }, { text: "" }], rows };
}

const listOf = (list: HTMLElement): MarkdownList => ({
  kind: "list",
  title: list.dataset["told"] ?? "",
  items: [...list.children].map(cellOf),
});

/** What is in sight within `place`, in its order; of tables those with the captions that the page told. */
function partsIn(place: Element, captions: string[] | undefined): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  for (const node of place.querySelectorAll<HTMLElement>("table, dl.facts, [data-told], .command code")) {
    if (!inSight(node) || node.parentElement?.closest("table, [data-told]") || node.closest(".legend-box")) continue;
    if (node instanceof HTMLTableElement) {
      if (!captions || captions.includes(captionOf(node))) parts.push(tableOf(node));
    } else if (node.dataset["told"] !== undefined) parts.push(listOf(node));
    else if (node.tagName === "DL") parts.push(factsOf(node));
    else parts.push({ kind: "command", text: node.textContent ?? "" });
  }
  return parts;
}

/** The page as Markdown, or of it the section that `within` stands in. */
export function pageMarkdown(within?: Element | null): string | null {
  tab.displays.clear();
  const main = document.querySelector("main");
  const heading = main?.querySelector("h1");
  const section = within?.closest(".section");
  const own = section?.querySelector("table, [data-told]") ? section : null;
  if (!main || (!heading && !tab.told.sentence)) return null;
  const head = heading?.closest(".page-head");
  return toMarkdown({
    sentence: tab.told.sentence ? [tab.told.sentence] : cellOf(heading as Element),
    context: [...(head?.querySelector(".kicker")?.children ?? [])].map(cellOf),
    parts: own ? partsIn(own, undefined) : [...partsIn(main, tab.told.tables), ...(tab.told.more?.() ?? [])],
    address: tab.told.address ?? location.href,
  });
}

/** What the key `m` and the buttons do. */
export async function copyMarkdown(within?: Element | null): Promise<void> {
  const text = pageMarkdown(within);
  if (text === null) announce("There is nothing here to copy yet.");
  else announce((await copyText(text)) ? "Copied as Markdown." : "The browser does not let this page copy.");
}
