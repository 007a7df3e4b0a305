// A backend has one colour and one line style on every page (palette of Okabe and Ito).

export type Style = { color: string; dash: number[]; name: string };

const KNOWN: Record<string, [string, number[]]> = {
  inductor: ["#0072b2", []],
  "openxla+dynamo": ["#d55e00", [8, 4]],
  "openxla+lazytensor": ["#009e73", [2, 3]],
  eager: ["#7f7f7f", [10, 3, 2, 3]],
  aot_eager: ["#cc79a7", [6, 3]],
  "torch_xla2:extract_jax": ["#e69f00", [12, 4]],
  "torch_xla2:torch_export": ["#56b4e9", [4, 2, 1, 2]],
};
const OTHERS: [string, number[]][] = [
  ["#cc79a7", [3, 3]],
  ["#e69f00", [8, 3, 2, 3]],
  ["#56b4e9", [5, 5]],
];

function hash(text: string): number {
  let value = 7;
  for (const letter of text) value = (value * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

export function backendStyle(backend: string): Style {
  const known = KNOWN[backend];
  const [color, dash] = known ?? (OTHERS[hash(backend) % OTHERS.length] as [string, number[]]);
  return { color, dash, name: backend };
}

/** Another configuration of a backend keeps its colour and gets another dash. */
export function columnStyle(column: string, backend: string): Style {
  const style = backendStyle(backend);
  if (column === backend) return { ...style, name: column };
  return { ...style, dash: style.dash.length ? [...style.dash, 1, 4] : [1, 4], name: column };
}

const LINES: [string, number[]][] = [
  ["#0072b2", []],
  ["#d55e00", [8, 4]],
  ["#009e73", [2, 3]],
  ["#cc79a7", [6, 3]],
  ["#e69f00", [12, 4]],
  ["#56b4e9", [4, 2, 1, 2]],
  ["#7f7f7f", [10, 3, 2, 3]],
];
/** The style of a chart's n-th line where lines are not of a backend each. A chart has seven at most. */
export function lineStyle(place: number, name: string): Style {
  const [color, dash] = LINES[place % LINES.length] as [string, number[]];
  return { color, dash, name };
}

const ORDER = Object.keys(KNOWN);
/** Eager first as the origin, then as the legend of every chart lists them. */
export function byBackend(a: string, b: string): number {
  const rank = (name: string) => (name === "eager" ? -1 : ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}
