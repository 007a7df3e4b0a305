// What is seen on a page, as Markdown for an issue. Names may hold anything: nothing in them is markup, a mention or a
// reference to an issue.

/** A piece of text, or a name that is written as code. */
export type Piece = string | { code: string };
export type Cell = Piece[];
export type Head = { text: string; right?: boolean };
export type MarkdownTable = {
  kind: "table";
  title: string;
  heads: Head[];
  rows: Cell[][];
  /** How many rows there are beside these. */
  left?: number;
};
export type MarkdownList = { kind: "list"; title: string; items: Cell[] };
export type MarkdownCommand = { kind: "command"; text: string };
export type MarkdownPart = MarkdownTable | MarkdownList | MarkdownCommand;
export type MarkdownView = { sentence: Cell; context: Cell[]; parts: MarkdownPart[]; address: string };

/** GitHub takes 65,536 characters for an issue; some are left for who writes it. */
const MOST_LETTERS = 60_000;

const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/g, " ");

/** Text that is shown as it is, in a paragraph and in a table. */
export function escaped(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*_{}[\]<>#|~&]/g, "\\$&")
      // Mentions and references are made of the finished text, whatever was escaped: an invisible space keeps them apart.
      .replace(/@(?=\w)/g, "@\u200b")
      .replace(/#(?=\d)/g, "#\u200b")
      .replace(/\b(GH)-(?=\d)/gi, "$1-\u200b")
  );
}

/** A name as code. A table's cells end at a bar even inside code, unless it is escaped. */
export function asCode(name: string): string {
  const text = oneLine(name).trim();
  if (text === "") return "";
  let fence = "`";
  while (text.includes(fence)) fence += "`";
  const space = fence.length > 1 || text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text.replace(/\|/g, "\\|")}${space}${fence}`;
}

/** In a paragraph a bar in code needs no escape, and one would be seen. */
const inParagraph = (piece: Piece): string =>
  typeof piece === "string" ? escaped(piece) : asCode(piece.code).replace(/\\\|/g, "|");
const inTable = (piece: Piece): string => (typeof piece === "string" ? escaped(piece) : asCode(piece.code));

const joined = (cell: Cell, write: (piece: Piece) => string): string =>
  cell.map(write).join("").replace(/ +/g, " ").trim();
/** A paragraph that begins like an item of a list is none. */
const paragraph = (cell: Cell): string =>
  joined(cell, inParagraph).replace(/^([-+]|\d+[.)])(?= )/, (sign) => `${sign.slice(0, -1)}\\${sign.slice(-1)}`);

/** The table without columns that hold nothing but pictures, and never without its first. */
export function written(table: MarkdownTable): MarkdownTable {
  const holds = table.heads.map((_, index) => index === 0 || table.rows.some((row) => (row[index] ?? []).length > 0));
  const keep = <T>(items: T[]): T[] => items.filter((_, index) => holds[index]);
  return { ...table, heads: keep(table.heads), rows: table.rows.map(keep) };
}

/** So many lines as there is room for, and a word about the others. */
function fitting(lines: string[], left: number, room: number, what: string): string {
  let used = 0;
  const kept = lines.filter((line) => (used += line.length + 1) <= room);
  const more = lines.length - kept.length + left;
  return (
    kept.join("\n") +
    (more > 0 ? `\n\n… and ${more} more ${more === 1 ? what : what + "s"}, at the address below.` : "")
  );
}

function tableText(table: MarkdownTable, room: number): string {
  const { heads, rows, left = 0 } = written(table);
  const line = (cells: string[]) => `| ${cells.map((cell) => cell || " ").join(" | ")} |`;
  const head = `${line(heads.map((one) => escaped(one.text).trim()))}\n${line(heads.map((one) => (one.right ? "--:" : ":--")))}\n`;
  return (
    head +
    fitting(
      rows.map((row) => line(heads.map((_, index) => joined(row[index] ?? [], inTable)))),
      left,
      room - head.length,
      "row",
    )
  );
}

function commandText(command: string): string {
  let fence = "```";
  while (command.includes(fence)) fence += "`";
  return `${fence}sh\n${command}\n${fence}`;
}

function partText(part: MarkdownPart, room: number): string {
  if (part.kind === "table") return tableText(part, room);
  if (part.kind === "list")
    return fitting(
      part.items.map((item) => `- ${paragraph(item)}`),
      0,
      room,
      "item",
    );
  return commandText(part.text);
}

/** The sentence, what it is of, what is below it on the page, and where it was seen. */
export function toMarkdown(view: MarkdownView): string {
  const sentence = paragraph(view.sentence);
  const context = view.context.map((cell) => paragraph(cell)).filter(Boolean);
  const texts = [sentence && `**${sentence}**`, context.join(" · ")].filter(Boolean);
  let room = MOST_LETTERS - texts.join("").length - view.address.length;
  for (const part of view.parts) {
    if (part.kind !== "command" && part.title && view.parts.length > 1) texts.push(`### ${escaped(part.title).trim()}`);
    const text = partText(part, room);
    room = Math.max(0, room - text.length);
    texts.push(text);
  }
  texts.push(`[This view](<${view.address.replace(/[<>|\\`\s]/g, encodeURIComponent)}>)`);
  return texts.join("\n\n") + "\n";
}
