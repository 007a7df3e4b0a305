// Lists that the server gives in pieces: what is shown is always one stretch without gaps, and whether it is all is known.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Address, type Answered, type Path, address } from "./address";
import { type ApiError, CHANGED, asApiError, ask, remembered } from "./client";
import type { Page, Run } from "./types";
import { type Asked, useRetry } from "./use";

/** The most that most lists give at once. */
export const PER_PAGE = 1000;

export type Listed<P> = Asked<P> & {
  /** `data` holds the whole list. */
  isComplete: boolean;
  /** More of it is on its way. */
  isLoading: boolean;
  /** Asks for the next piece; null where there is none, or where it comes by itself. */
  more: (() => void) | null;
};

/** What is answered piece by piece. */
export type Pieces<P extends Path> = Extract<Answered<P>, Page<unknown>> & Page<unknown>;

const follower = <P extends Path>(url: Address<P>, cursor: string): Address<P> =>
  `${url}&cursor=${encodeURIComponent(cursor)}` as Address<P>;

/** The first pieces of a list, at most `most`, as they are remembered. */
function rememberedPieces<P extends Path>(url: Address<P>, most: number): Pieces<P>[] {
  const pieces: Pieces<P>[] = [];
  for (let next: Address<P> | null = url; next !== null && pieces.length < most; ) {
    const piece = remembered(next)?.data as Pieces<P> | undefined;
    if (!piece) break;
    pieces.push(piece);
    next = piece.next_cursor === null ? null : follower(url, piece.next_cursor);
  }
  return pieces;
}

/** Pieces as one answer: the first one, with the items of all. */
export function joined<P extends Page<unknown>>(pieces: readonly P[]): P | null {
  const first = pieces[0];
  const last = pieces[pieces.length - 1];
  if (!first || !last) return null;
  return pieces.length === 1
    ? first
    : { ...first, items: pieces.flatMap((piece) => piece.items), total: last.total, next_cursor: last.next_cursor };
}

const isLast = (page: Page<unknown> | null): boolean => page !== null && page.next_cursor === null;

/** Walks along a list from its beginning, at most `most` pieces, and hands over what it has after each of them. */
export async function walk<P extends Path>(
  url: Address<P>,
  most: number,
  show: (pieces: Pieces<P>[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const pieces: Pieces<P>[] = [];
  for (let next: Address<P> | null = url; next !== null && pieces.length < most; ) {
    const piece = (await ask(next, signal)).data as Pieces<P>;
    signal.throwIfAborted();
    pieces.push(piece);
    next = piece.next_cursor === null ? null : follower(url, piece.next_cursor);
    show(pieces.slice());
  }
}

type State<P extends Path> = { pieces: Pieces<P>[]; url: string | null; error: ApiError | null };

/** A list by its address, which has a query. `whole`: all of it, piece by piece; else the first piece, and more when
 * `more` is called. Whenever the store has changed it is walked along again from its beginning, so that nothing is
 * shown twice or left out; meanwhile what was shown stays. */
export function usePages<P extends Path>(url: Address<P> | null, { whole = false } = {}): Listed<Pieces<P>> {
  const [asked, setAsked] = useState({ url, pieces: 1 });
  const most = whole ? Infinity : asked.url === url ? asked.pieces : 1;
  const begin = (): State<P> => ({ pieces: url ? rememberedPieces(url, most) : [], url, error: null });
  const [state, setState] = useState<State<P>>(begin);
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  const latest = useRef(url);
  latest.current = url;

  useEffect(() => {
    if (!url) return;
    const known = begin();
    if (known.pieces.length)
      setState((old) => (old.url === url && old.pieces.length >= known.pieces.length ? old : known));
    const controller = new AbortController();
    const show = (pieces: Pieces<P>[]) => {
      if (latest.current !== url) return;
      const isWhole = pieces.length >= most || pieces[pieces.length - 1]?.next_cursor === null;
      setState((old) => {
        if (old.url === url && !isWhole && old.pieces.length > pieces.length) return old;
        const isSame =
          old.url === url &&
          !old.error &&
          old.pieces.length === pieces.length &&
          old.pieces.every((piece, index) => piece === pieces[index]);
        return isSame ? old : { pieces, url, error: null };
      });
    };
    walk(url, most, show, controller.signal).catch((error) => {
      if (controller.signal.aborted || latest.current !== url) return;
      setState((old) => ({ ...old, error: asApiError(error, url) }));
    });
    return () => controller.abort();
  }, [url, turn, most]);

  useEffect(() => {
    addEventListener(CHANGED, again);
    return () => removeEventListener(CHANGED, again);
  }, []);
  useRetry(state.error, again);

  const isOld = state.url !== url;
  const known = useMemo(
    () => (url && isOld && !state.error ? rememberedPieces(url, most) : []),
    [url, isOld, state.error, most],
  );
  const pieces = known.length ? known : url && !(state.error && isOld) ? state.pieces : [];
  const data = useMemo(() => joined(pieces), [pieces]);
  const isAnswered = known.length > 0 || !isOld;
  const isComplete = isAnswered && isLast(data);
  const isLoading = isAnswered && data !== null && !isComplete && pieces.length < most && !state.error;
  return {
    data,
    url: known.length ? url : state.url,
    late: !!url && !isAnswered && !state.error,
    error: state.error,
    again,
    isComplete,
    isLoading,
    more:
      data !== null && isAnswered && !isComplete && !isLoading && !whole
        ? () => setAsked({ url, pieces: pieces.length + 1 })
        : null,
  };
}

/** All runs, newest first; of one accelerator model where one is given. */
export const useRuns = (accelerator?: string | null): Listed<Page<Run>> =>
  usePages(accelerator === null ? null : address("/runs", { accelerator_model: accelerator, limit: PER_PAGE }), {
    whole: true,
  });
