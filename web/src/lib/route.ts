// The address is the state: path and query say everything that a page shows.
import { useEffect, useState } from "preact/hooks";
import { tab } from "./tab";

export type Place = { path: string; query: URLSearchParams; hash: string };

const EVENT = "hud:place";

export function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), hash: location.hash };
}

/** The address of a path with a query; empty values are left out so that the same view has one address. */
export function href(path: string, query: Record<string, string | string[] | null | undefined> = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(key, one);
  }
  const text = params.toString().replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return path + (text ? "?" + text : "");
}

/** The query after some keys changed: null, "" and [] take a key away. */
export function changed(query: URLSearchParams, change: Record<string, string | string[] | null>): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(change)) {
    next.delete(key);
    if (value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) next.append(key, one);
  }
  return next;
}

if (typeof window !== "undefined") addEventListener("popstate", () => (tab.cameBack = true));

/** Whether what is shown was gone back or forward to: then it stands as it was left. */
export const cameBack = (): boolean => tab.cameBack;

/** Pages that pins do not go along to: the comparison is made of them, and a trace fills the window. */
const WITHOUT_PINS = /^\/(compare|trace\/|sign-in)/;

/** The address of another page, with what is pinned here. */
export function withPins(address: string, from: Pick<Place, "path" | "query">): string {
  const to = new URL(address, "http://here");
  const pins = from.query.getAll("pin");
  if (!pins.length || to.pathname === from.path || to.searchParams.has("pin") || WITHOUT_PINS.test(to.pathname))
    return address;
  return href(to.pathname, grouped(changed(to.searchParams, { pin: pins }))) + to.hash;
}

export function go(to: string, replace = false): void {
  const address = withPins(to, here());
  if (address === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, "", address);
  else {
    tab.cameBack = false;
    history.pushState(null, "", address);
  }
  dispatchEvent(new CustomEvent(EVENT, { detail: { replace } }));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const update = () => setPlace(here());
    addEventListener("popstate", update);
    addEventListener(EVENT, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(EVENT, update);
    };
  }, []);
  return place;
}

export type SetQuery = (change: Record<string, string | string[] | null>, replace?: boolean) => void;

/** Typing and dragging replace the entry of the history; choices push one. */
export const setQuery: SetQuery = (change, replace = false) => {
  const now = here();
  go(href(now.path, grouped(changed(now.query, change))) + now.hash, replace);
};

/** The query and how to change it. */
export const useQuery = (): [URLSearchParams, SetQuery] => [usePlace().query, setQuery];

/** A query as `href` takes it. */
export function grouped(query: URLSearchParams): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const key of new Set(query.keys())) all[key] = query.getAll(key);
  return all;
}

/** Follows links inside the pages without loading anything anew. */
export function onLinkClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  // In drawings a link's own properties are no texts.
  const link = (event.target as Element).closest?.("a[href]");
  if (!link || link.hasAttribute("target") || link.hasAttribute("download")) return;
  const to = new URL(link.getAttribute("href") as string, location.href);
  if (to.origin !== location.origin || to.pathname.startsWith("/api/")) return;
  event.preventDefault();
  if (to.pathname === location.pathname && to.hash && to.search === location.search) {
    const target = document.getElementById(decodeURIComponent(to.hash.slice(1)));
    target?.scrollIntoView();
    target?.focus();
    return;
  }
  const samePage = to.pathname === location.pathname;
  go(to.pathname + to.search + to.hash);
  if (!samePage) scrollTo(0, 0);
}

export const modelHref = (
  suite: string,
  model: string,
  query: Record<string, string | string[] | null | undefined> = {},
): string => href(`/models/${encodeURIComponent(suite)}/${encodeURIComponent(model)}`, query);
type LinkQuery = Record<string, string | string[] | null | undefined>;
export const suiteHref = (suite: string, query: LinkQuery = {}): string =>
  href(`/suites/${encodeURIComponent(suite)}`, query);
export const backendHref = (backend: string, query: LinkQuery = {}): string =>
  href(`/backends/${encodeURIComponent(backend)}`, query);
/** All failures whose errors have the same signature. */
export const errorHref = (signature: string): string => href("/errors", { signature });
export const runHref = (
  run: { id: number },
  query: Record<string, string | string[] | null | undefined> = {},
): string => href(`/runs/${run.id}`, query);
/** A result's profile: where its time went, from what was dumped beside it. */
export const profileHref = (
  run: string | number,
  experiment: string | number,
  query: Record<string, string | null | undefined> = {},
): string => href("/profile", { run: String(run), experiment: String(experiment), ...query });
export const profileDiffHref = (
  before: { run: string | number; experiment: string | number },
  after: { run: string | number; experiment: string | number },
): string =>
  href("/profile-diff", {
    before_run: String(before.run),
    before_experiment: String(before.experiment),
    run: String(after.run),
    experiment: String(after.experiment),
  });
type ResultOfRun = { run: string | number; experiment: string | number };
/** Where an iteration goes, by the profiles of two results beside each other. */
export const profileComparisonHref = (left: ResultOfRun, right: ResultOfRun): string =>
  href("/profile-comparison", {
    left_run: String(left.run),
    left_experiment: String(left.experiment),
    right_run: String(right.run),
    right_experiment: String(right.experiment),
  });
export const alertHref = (alert: { id: number }): string => `/alerts/${alert.id}`;
export const artifactHref = (artifact: { id: number }): string => `/artifact/${artifact.id}`;
/** A trace as a timeline; `query`: `with` another trace beside it, `t` what is in sight, and what else docs/traces.md says. */
export const traceHref = (trace: number, query: Record<string, string> = {}): string => href(`/trace/${trace}`, query);
/** A module of HLO that profiles hold; `query`: `line` of its text, and `trace` from which one came. */
export const hloHref = (module: number, query: Record<string, string | null | undefined> = {}): string =>
  href(`/hlo/${module}`, query);
