// Signing in: by the code in the address, by itself, or with a token.
import { useEffect, useState } from "preact/hooks";
import { type ApiError, asApiError, take, tell } from "../api/client";
import type { Session } from "../api/types";
import { moment } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { go, usePlace } from "../lib/route";
import { codeOf, mayWords, nextPage } from "../lib/sign_in";
import { SESSION, useSession } from "../parts/session";

export function SignInPage({ isForced = false }: { isForced?: boolean }) {
  useTitle("Sign in");
  const { query, path } = usePlace();
  const session = useSession();
  const [token, setToken] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const next = path === "/sign-in" ? nextPage(query.get("to")) : path + location.search;

  const attempt = async (request: Promise<Session>, after: () => void) => {
    setBusy(true);
    try {
      await request;
      setError(null);
      after();
    } catch (failed) {
      setError(asApiError(failed, SESSION));
    } finally {
      setBusy(false);
    }
  };
  const begin = (body: { code: string } | { token: string }) => attempt(tell(SESSION, body), () => go(next, true));

  useEffect(() => {
    const code = path === "/sign-in" ? codeOf(location.hash) : "";
    if (!code) return;
    // Used once, and to be found in no history.
    go(location.pathname + location.search, true);
    void begin({ code });
  }, []);

  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      {isForced && <p>This server shows what it holds to who has a token.</p>}
      {error && (
        <div class="problem" role="alert">
          <strong>Signing in did not work</strong>
          <p>{error.problem.detail ?? error.problem.title}</p>
        </div>
      )}
      {session?.signed_in && (
        <section>
          <p>
            You are signed in as <strong>{session.name}</strong>, may {mayWords(session.scopes)}
            {session.expires_at && <>, until {moment(session.expires_at)}</>}.
          </p>
          <p class="ask-buttons">
            <a class="button" href={next}>
              Go on
            </a>
            <button
              type="button"
              class="button"
              disabled={isBusy}
              onClick={() => void attempt(take(SESSION), () => setToken(""))}
            >
              Sign out
            </button>
          </p>
        </section>
      )}
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          void begin({ token: token.trim() });
        }}
      >
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            autocomplete="current-password"
            required
            placeholder="bhud_…"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="ask-buttons">
          <button type="submit" class="button" disabled={isBusy || !token.trim()}>
            Sign in
          </button>
        </p>
      </form>
      <p class="quiet">
        Whoever may use the program on the server's machine makes one with{" "}
        <code>benchhud tokens add NAME --scope triage</code>. The address that <code>benchhud serve</code> prints when
        it starts signs one browser in without.
      </p>
    </div>
  );
}
