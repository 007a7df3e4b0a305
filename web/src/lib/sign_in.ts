// What the sign-in page is told by its address.

/** The code behind the # of the address that the program printed; "" where there is none. */
export const codeOf = (hash: string): string => hash.replace(/^#/, "");

/** Where to go on: a page of ours, whatever an address that somebody else wrote says. */
export function nextPage(to: string | null): string {
  return to !== null && /^\/(?![/\\])/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

const MAY: Record<string, string> = {
  read: "read",
  triage: "act on alerts, mark runs and note on traces",
  ingest: "add results and dumps",
};

/** What a token is for, in words: "read, and act on alerts". */
export function mayWords(scopes: string[]): string {
  const words = scopes.map((scope) => MAY[scope] ?? scope);
  return words.length > 1
    ? `${words.slice(0, -1).join(", ")}, and ${words[words.length - 1]}`
    : (words[0] ?? "nothing");
}
