// What is in dumps, one at a time or several at once.
import { useEffect, useState } from "preact/hooks";
import { type ApiError, address, asApiError, ask } from "./client";
import type { ArtifactContent } from "./types";

export const contentUrl = (id: number): string => address(`/artifacts/${id}/content`);

export type Contents = { data: ArtifactContent[] | null; error: ApiError | null };

/** Several dumps at once, in the order of `ids`. */
export function useContents(ids: number[]): Contents {
  const [state, setState] = useState<Contents & { key: string }>({ data: null, error: null, key: "" });
  const key = ids.join();
  useEffect(() => {
    const controller = new AbortController();
    Promise.all(ids.map((id) => ask<ArtifactContent>(contentUrl(id), controller.signal)))
      .then((answers) => setState({ data: answers.map((answer) => answer.data), error: null, key }))
      .catch((error) => {
        if (controller.signal.aborted) return;
        setState({ data: null, error: asApiError(error, ""), key });
      });
    return () => controller.abort();
  }, [key]);
  return state.key === key ? state : { data: null, error: null };
}
