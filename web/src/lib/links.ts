// Labels as links, by the templates that the store keeps (`benchhud links`).
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Link } from "../api/types";

/** All templates; the frame of the pages asks for them once. */
export const Links = createContext<readonly Link[]>([]);

/** A value as a piece of an address. Slashes stay, as branches have them; null for one that would climb out of its place. */
function placed(value: string): string | null {
  if (value === "") return null;
  const parts = value.split("/");
  if (parts.some((part) => part === "." || part === "..")) return null;
  try {
    return parts.map(encodeURIComponent).join("/");
  } catch {
    return null; // half a character
  }
}

/** The address that a template makes of values; null where it makes none. */
export function filled(template: string | null | undefined, values: Record<string, string>): string | null {
  if (!template || !/^https?:\/\//.test(template)) return null;
  let whole = true;
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = placed(values[name] ?? "");
    if (value === null) whole = false;
    return value ?? "";
  });
  return whole && URL.canParse?.(address) !== false ? address : null;
}

export const linkOf = (links: readonly Link[], key: string, value: string): string | null =>
  filled(links.find((link) => link.key === key)?.one, { value });

/** What is between two values; null where they are the same. */
export const rangeOf = (links: readonly Link[], key: string, from: string, to: string): string | null =>
  from === to ? null : filled(links.find((link) => link.key === key)?.range, { from, to });

export const useLinks = (): readonly Link[] => useContext(Links);
