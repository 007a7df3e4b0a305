// A page whose script is fetched when it is opened, so that others start without it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../api/client";
import type { ApiError } from "../api/client";
import { ErrorNote, Waiting } from "./small";

/** The page once it is there; drawn at once when it is opened again. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Known: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | null>(() => Known);
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
    if (Page) return <Page {...props} />;
    return error ? <ErrorNote error={error} again={() => setTurn(turn + 1)} /> : <Waiting rows={14} />;
  };
}
