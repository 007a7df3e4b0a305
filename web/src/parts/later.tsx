// A page whose script is fetched when it is opened, so that others start without it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../api/client";
import type { ApiError } from "../api/client";
import { ErrorNote, Waiting } from "./small";

/** The page once it is there; drawn at once when it is opened again. */
export function later(load: () => Promise<ComponentType>): ComponentType {
  let Known: ComponentType | null = null;
  return function Later() {
    const [Page, setPage] = useState<ComponentType | null>(() => Known);
    const [error, setError] = useState<ApiError | null>(null);
    const [turn, setTurn] = useState(0);
    useEffect(() => {
      if (Known) return;
      load()
        .then((page) => {
          Known = page;
          setError(null);
          setPage(() => page);
        })
        .catch((failure: unknown) => setError(asApiError(failure, location.pathname)));
    }, [turn]);
    if (Page) return <Page />;
    return error ? <ErrorNote error={error} again={() => setTurn(turn + 1)} /> : <Waiting rows={14} />;
  };
}
