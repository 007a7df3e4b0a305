// A slice's arguments: an object's text, as the file has it, which is not always valid JSON.

export type Argument = { name: string; value: string };
export type Arguments = {
  shown: Argument[];
  /** Long ones and shapes: seldom what one looks for first. */
  folded: Argument[];
  /** The text, where it is no JSON. */
  raw: string | null;
};

/** What people look for first, in this order. */
const FIRST = [
  "hlo_op",
  "hlo_module",
  "tf_op",
  "long_name",
  "source",
  "flops",
  "model_flops",
  "bytes_accessed",
  "Call stack",
  "Input Dims",
  "Input type",
  "device",
  "stream",
  "grid",
  "block",
];
const FOLDED = /^(input strides|concrete inputs|source_stack|record function id|ev idx|queued|context)$/i;
const LONG = 300;

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function argumentsOf(text: string | null): Arguments {
  if (!text) return { shown: [], folded: [], raw: null };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { shown: [], folded: [], raw: text };
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return { shown: [], folded: [], raw: text };
  const all = Object.entries(parsed).map(([name, value]) => ({ name, value: textOf(value) }));
  const rank = ({ name }: Argument): number => {
    const place = FIRST.indexOf(name);
    return place < 0 ? FIRST.length : place;
  };
  const isFolded = ({ name, value }: Argument): boolean => FOLDED.test(name) || value.length > LONG;
  return {
    shown: all.filter((one) => !isFolded(one)).sort((a, b) => rank(a) - rank(b)),
    folded: all.filter(isFolded),
    raw: null,
  };
}

/** FILE:LINE or a path, as `source` and call stacks have it. */
export const isPlaceInCode = (name: string): boolean => /^(source|call stack)$/i.test(name);
