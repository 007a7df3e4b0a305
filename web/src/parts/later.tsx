// A page whose script is fetched when it is opened, so that others start without it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address } from "../api/address";
import { ApiError, CHANGED, ask } from "../api/client";
import { ErrorNote, Waiting } from "./small";

/** Why a script is not there: nobody answers, or somebody does who does not have it. */
async function whyNot(): Promise<ApiError> {
  try {
    await ask(address("/store"));
    return new ApiError(
      {
        title: "The script of this page could not be loaded",
        status: 404,
        detail:
          "The server answers, but not with this script: benchhud was probably upgraded since this tab was opened.",
      },
      location.pathname,
    );
  } catch {
    return new ApiError(
      { title: "The server does not answer", status: 0, detail: "The script of this page could not be loaded." },
      location.pathname,
    );
  }
}

/** The page once it is there; drawn at once when it is opened again. While the server is away it is tried again whenever the server answers. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Known: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | null>(() => Known);
    const [error, setError] = useState<ApiError | null>(null);
    const [turn, setTurn] = useState(0);
    useEffect(() => {
      if (Known) return;
      let isLeft = false;
      const wasAway = error?.problem.status === 0;
      load()
        .then((page) => {
          Known = page;
          if (isLeft) return;
          setError(null);
          setPage(() => page);
        })
        .catch(async () => {
          const why = await whyNot();
          if (isLeft) return;
          // Some browsers (Chromium 150, not 156) remember for as long as the document lives that a script could not be
          // fetched; then only a new document gets it. Nothing is lost: this page was never drawn.
          if (wasAway && why.problem.status === 404) location.reload();
          else setError(why);
        });
      return () => (isLeft = true);
    }, [turn]);
    useEffect(() => {
      if (!error) return;
      const again = () => setTurn((n) => n + 1);
      addEventListener(CHANGED, again);
      return () => removeEventListener(CHANGED, again);
    }, [error]);
    if (Page) return <Page {...props} />;
    if (!error) return <Waiting rows={14} />;
    return error.problem.status === 404 ? (
      <Gone error={error} />
    ) : (
      <ErrorNote error={error} again={() => setTurn(turn + 1)} />
    );
  };
}

function Gone({ error }: { error: ApiError }) {
  return (
    <div class="problem" role="alert">
      <strong>{error.problem.title}</strong>
      <p>{error.problem.detail}</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
