// Who is signed in, as the pages see it.
import type { ComponentChildren } from "preact";
import { address } from "../api/address";
import type { Session } from "../api/types";
import { useApi } from "../api/use";
import { href, usePlace } from "../lib/route";

export const SESSION = address("/session");

export const useSession = (): Session | null => useApi(SESSION).data;

/** The sign-in page, which comes back here. */
export function useSignIn(): string {
  const { path, query } = usePlace();
  const text = query.toString();
  return href("/sign-in", { to: path + (text ? "?" + text : "") });
}

/** Why who looks may not act here; null where they may, and while that is not known. */
export function useRefusal(): ComponentChildren | null {
  const session = useSession();
  const signIn = useSignIn();
  if (!session || session.scopes.includes("triage")) return null;
  return session.signed_in ? (
    <>
      You are signed in as {session.name}, which is not for acting on alerts, marking runs or noting on traces.{" "}
      <a href={signIn}>Sign in with another token</a>
    </>
  ) : (
    <>
      <a href={signIn}>Sign in</a> to act on alerts, mark runs and note on traces.
    </>
  );
}
