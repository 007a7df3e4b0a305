// Tables that only the page has, as CSV: written as the server writes its own.

export type CsvCell = string | number | null;

/** A spreadsheet takes a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

function field(cell: CsvCell): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** RFC 4180, with a header line; null is an empty cell. */
export const csvText = (heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [heads, ...rows].map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
