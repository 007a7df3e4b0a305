// Names of slices: their colour, which is the same in every trace, and how they are shortened.
import { STYLES } from "./palette";

/** What a name is without what counts its kind: template arguments, trailing numbers, addresses. */
export function kindOf(name: string): string {
  return name
    .replace(/0x[0-9a-f]+/gi, "")
    .replace(/<.*>/s, "")
    .replace(/[_#:\s.]*\d+(?:[_/.]\d+)*$/, "")
    .trim();
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; ++at) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** The style of a name, from 0 to STYLES. */
export const styleOf = (name: string): number => {
  const value = hash(kindOf(name));
  return ((value ^ (value >>> 15)) >>> 0) % STYLES;
};

/** A class of labels as one reads it. */
export const classWords = (name: string): string => name.replace(/_/g, " ");

/** What of a name tells it from others: C++ functions without their result, arguments and namespaces' templates. */
export function essence(name: string): string {
  const bare = name.replace(/^(?:void|bool|int|float|double)\s+/, "");
  const cut = bare.search(/[<(]/);
  return cut > 3 && /^[\w:~]+$/.test(bare.slice(0, cut))
    ? bare.slice(0, cut).replace(/^(?:\(anonymous namespace\)::)+/, "")
    : name;
}

/** At most so many characters, the cut said by an ellipsis; "" where nothing of it would be told. */
export function shortened(name: string, chars: number): string {
  if (name.length <= chars) return name;
  const short = essence(name);
  if (short.length <= chars) return short;
  if (chars < 3) return "";
  // Of a function within namespaces the end tells more.
  const last = short.lastIndexOf("::");
  const own = last > 0 ? short.slice(last + 2) : "";
  if (own.length > 2 && own.length + 1 <= chars) return `…${own}`;
  return `${(own.length > 2 ? own : short).slice(0, chars - 1)}…`;
}
