// Addresses of pages as patterns: "/models/:suite/:model" has two texts, "/alerts/#id" a number.

/** What a pattern's parts stand for. */
export type PathParts<Pattern extends string> = Pattern extends `${infer One}/${infer Rest}`
  ? PathParts<One> & PathParts<Rest>
  : Pattern extends `:${infer Name}`
    ? { [name in Name]: string }
    : Pattern extends `#${infer Name}`
      ? { [name in Name]: number }
      : unknown;

/** Numbers that are told apart: what is longer is nothing's. */
const NUMBER = /^\d{1,15}$/;

/** A path without the slashes behind it; the first page has two addresses. */
export function cleanPath(path: string): string {
  const clean = path.replace(/\/+$/, "");
  return clean === "" || clean === "/index.html" ? "/" : clean;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What a clean path has in the places of a pattern; null where it is none of it. */
export function partsOf<Pattern extends string>(pattern: Pattern, path: string): PathParts<Pattern> | null {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return null;
  const found: Record<string, string | number> = {};
  for (const [at, want] of wanted.entries()) {
    const part = decoded(parts[at] as string);
    if (want.startsWith(":")) found[want.slice(1)] = part;
    else if (!want.startsWith("#")) {
      if (part !== want) return null;
    } else if (NUMBER.test(part)) found[want.slice(1)] = Number(part);
    else return null;
  }
  return found as PathParts<Pattern>;
}
