// Keeps what is shown in step with the store: one small question every few seconds, answered 304 while nothing has
// changed; when something has, everything that is shown is asked for again.
import { useEffect, useState } from "preact/hooks";
import { announce } from "./announce";
import { plural, runName } from "./format";
import { address } from "../api/address";
import { ApiError, CHANGED, announceChange, ask } from "../api/client";
import type { Store } from "../api/types";

export type Live = {
  store: Store | null;
  /** Since when the server has not answered; null while it does. */
  silentSince: number | null;
  /** The version of the program that answers, where it is another one than when this tab was opened: its pages may not fit. */
  newVersion: string | null;
};

export const EVERY_MS = 3_000;
/** While a long ingest goes on, everything changes all the time: it is looked at less often. */
const BUSY_MS = 10_000;
const BUSY_AFTER = 3;
const MOST_MS = 30_000;

/** How long to wait before looking again. */
export function waitAfter(failures: number, changesInARow: number): number {
  if (failures > 0) return Math.min(MOST_MS, EVERY_MS * 2 ** (failures - 1));
  return changesInARow > BUSY_AFTER ? BUSY_MS : EVERY_MS;
}

/** What is new in words; "" where it is no run. */
export function newsOf(before: Store, now: Store): string {
  const newest = now.newest_run;
  if (
    newest &&
    (!before.newest_run || (newest.id !== before.newest_run.id && newest.started_at > before.newest_run.started_at))
  )
    return `New: run ${runName(newest)}`;
  return now.run_count > before.run_count ? `New: ${plural(now.run_count - before.run_count, "earlier run")}` : "";
}

/** Whether what a look found makes everything be asked for again. After a change from here (`isOwn`) all is asked for anyway;
 * what others ingested at the same moment is not. */
export const isForAll = ({
  isNew,
  isOwn,
  wasSilent,
  news,
}: {
  isNew: boolean;
  isOwn: boolean;
  wasSilent: boolean;
  news: string;
}): boolean => wasSilent || (isNew && (!isOwn || news !== ""));

/** For the frame of the pages alone: whoever calls it looks. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ store: null, silentSince: null, newVersion: null });
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    let etag: string | null = null;
    let store: Store | null = null;
    let version: string | null = null;
    let failures = 0;
    let changesInARow = 0;
    let isLooking = false;
    let isAnnouncing = false;
    // Something was changed from here since the look that is under way set out.
    let isOwnLeft = false;
    const look = async (isOwn = false): Promise<void> => {
      clearTimeout(timer);
      if (isLooking) {
        isOwnLeft ||= isOwn;
        return;
      }
      if (document.visibilityState !== "visible") return;
      isLooking = true;
      let isShut = false;
      try {
        const answer = await ask(address("/store"), controller.signal);
        // Another start of the server gives other ETags: what it holds may be something else altogether.
        const isNew = etag !== null && answer.etag !== etag;
        const wasSilent = failures > 0;
        const news = isNew && store ? newsOf(store, answer.data) : "";
        etag = answer.etag;
        store = answer.data;
        failures = 0;
        if (!isOwn && !isOwnLeft) changesInARow = isNew ? changesInARow + 1 : 0;
        version ??= answer.data.version;
        const newVersion = answer.data.version === version ? null : answer.data.version;
        setLive((old) =>
          old.store === answer.data && old.silentSince === null
            ? old
            : { store: answer.data, silentSince: null, newVersion },
        );
        if (isForAll({ isNew, isOwn: isOwn || isOwnLeft, wasSilent, news })) {
          isAnnouncing = true;
          announceChange();
          isAnnouncing = false;
        }
        if (news) announce(news);
      } catch (error) {
        if (controller.signal.aborted) return;
        ++failures;
        // It does answer: that it shows what it holds to who is signed in.
        if (error instanceof ApiError && error.problem.status === 401) {
          isShut = true;
          setLive((old) => ({ ...old, store: null, silentSince: null }));
        } else {
          setLive((old) => (old.silentSince === null ? { ...old, silentSince: Date.now() } : old));
        }
      } finally {
        isLooking = false;
      }
      if (isOwnLeft) {
        isOwnLeft = false;
        return look(true);
      }
      // Signing in is a change from here.
      if (!isShut) timer = window.setTimeout(() => void look(), waitAfter(failures, changesInARow));
    };
    // A page that nobody sees asks nothing; it looks as soon as it is seen again.
    const onVisible = () => void look();
    document.addEventListener("visibilitychange", onVisible);
    // What was changed from here may have changed what the frame says.
    addEventListener(CHANGED, () => isAnnouncing || void look(true), { signal: controller.signal });
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, []);
  return live;
}
