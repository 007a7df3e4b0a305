// What is in dumps, one at a time or several at once.
import { useEffect, useState } from "preact/hooks";
import { address } from "./address";
import { type ApiError, CHANGED, asApiError, ask } from "./client";
import type { ArtifactContent } from "./types";
import { useRetry } from "./use";

export const contentUrl = (id: number) => address("/artifacts/{id}/content", { id });

export type Contents = { data: ArtifactContent[] | null; error: ApiError | null; again: () => void };

/** Several dumps at once, in the order of `ids`; asked for again whenever the store has changed. */
export function useContents(ids: number[]): Contents {
  const [state, setState] = useState<{ data: ArtifactContent[] | null; error: ApiError | null; key: string }>({
    data: null,
    error: null,
    key: "",
  });
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  const key = ids.join();
  useEffect(() => {
    const controller = new AbortController();
    Promise.all(ids.map((id) => ask(contentUrl(id), controller.signal)))
      .then((answers) =>
        setState((old) =>
          isSame(old.data, answers) && old.key === key && !old.error
            ? old
            : { data: answers.map((answer) => answer.data), error: null, key },
        ),
      )
      .catch((error) => {
        if (controller.signal.aborted) return;
        setState((old) => ({ data: old.key === key ? old.data : null, error: asApiError(error, ""), key }));
      });
    return () => controller.abort();
  }, [key, turn]);
  useEffect(() => {
    addEventListener(CHANGED, again);
    return () => removeEventListener(CHANGED, again);
  }, []);
  useRetry(state.key === key ? state.error : null, again);
  return state.key === key ? { data: state.data, error: state.error, again } : { data: null, error: null, again };
}

const isSame = (before: ArtifactContent[] | null, now: { data: ArtifactContent }[]): boolean =>
  before !== null && before.length === now.length && before.every((one, index) => one === now[index]?.data);
