// Hooks that keep what is shown in step with the server: the old answer stays, greyed, until the new one is here.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Address, Answered, Path } from "./address";
import { type ApiError, CHANGED, asApiError, ask, remembered } from "./client";

export type Asked<T> = {
  data: T | null;
  /** The address that `data` answers; differs from what was asked for while the new answer is on its way. */
  url: string | null;
  late: boolean;
  error: ApiError | null;
  again: () => void;
};

/** What the server could not do just now it may be able to do soon. */
const AGAIN_MS = 10_000;

/** `url` null: nothing to ask yet. It is asked again whenever the store has changed (live.ts). */
export function useApi<P extends Path>(url: Address<P> | null): Asked<Answered<P>> {
  type T = Answered<P>;
  const [state, setState] = useState<{ data: T | null; url: string | null; error: ApiError | null }>(() => ({
    data: url ? (remembered(url)?.data ?? null) : null,
    url: url && remembered(url) ? url : null,
    error: null,
  }));
  const [turn, setTurn] = useState(0);
  const latest = useRef(url);
  latest.current = url;

  useEffect(() => {
    if (!url) return;
    const known = remembered(url);
    if (known)
      setState((old) => (old.data === known.data && old.url === url ? old : { data: known.data, url, error: null }));
    const controller = new AbortController();
    ask(url, controller.signal)
      .then((answer) => {
        if (latest.current !== url) return;
        setState((old) =>
          old.data === answer.data && old.url === url && !old.error ? old : { data: answer.data, url, error: null },
        );
      })
      .catch((error) => {
        if (controller.signal.aborted || latest.current !== url) return;
        setState((old) => ({ ...old, error: asApiError(error, url) }));
      });
    return () => controller.abort();
  }, [url, turn]);

  useEffect(() => {
    const renew = () => setTurn((n) => n + 1);
    addEventListener(CHANGED, renew);
    return () => removeEventListener(CHANGED, renew);
  }, []);

  useRetry(state.error, () => setTurn((n) => n + 1));

  // What is known already is drawn at once: greying what stands there would draw the page twice.
  const known = url && state.url !== url && !state.error ? remembered(url) : undefined;
  return {
    // An answer to another question is shown greyed while one waits, but not beside an error.
    data: known ? known.data : url && !(state.error && state.url !== url) ? state.data : null,
    url: known ? url : state.url,
    late: !!url && state.url !== url && !state.error && !known,
    error: state.error,
    again: () => setTurn((n) => n + 1),
  };
}

/** Asks again after a while where an error of the server may pass. */
export function useRetry(error: ApiError | null, again: () => void): void {
  const mayPass = error !== null && error.problem.status >= 500;
  useEffect(() => {
    if (!mayPass) return;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [mayPass, error]);
}
