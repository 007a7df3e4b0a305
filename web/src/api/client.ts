// Asks the server, remembers the last answer of each address, and says what went wrong in words.
import type { Address, Answered, Body, Path } from "./address";
import { answers, flights } from "./answers";
import type { Answer } from "./cache";
import type { Problem } from "./types";

export class ApiError extends Error {
  constructor(
    readonly problem: Problem,
    readonly url: string,
  ) {
    super(problem.detail ?? problem.title);
  }
}

/** What was answered last, while there is room for it. */
export const remembered = <P extends Path>(url: Address<P>): Answer<Answered<P>> | undefined => answers.get(url);

export async function problemOf(response: Response): Promise<Problem> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json")) {
    try {
      const body = (await response.json()) as Partial<Problem>;
      return {
        title: body.title ?? response.statusText,
        status: response.status,
        detail: body.detail,
        type: body.type,
      };
    } catch {
      // Not the shape that was promised: fall through to the status line.
    }
  }
  return { title: response.statusText || "The server refused", status: response.status };
}

/** Any error, as one to show. */
export const asApiError = (error: unknown, url: string): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({ title: "Something went wrong here", status: 0, detail: String(error) }, url);

async function respond(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(
      { title: "The server does not answer", status: 0, detail: `Nothing came back from ${url}.` },
      url,
    );
  }
}

/** Reads an address as JSON. The same object comes back while the answer is the same, so that nothing is drawn again. */
export const ask = <P extends Path>(url: Address<P>, signal?: AbortSignal): Promise<Answer<Answered<P>>> =>
  flights.join(url, (flight) => askNow<Answered<P>>(url, flight), signal);

async function askNow<T>(url: string, signal: AbortSignal): Promise<Answer<T>> {
  const known = answers.get<T>(url);
  const headers: Record<string, string> = { accept: "application/json" };
  if (known?.etag) headers["if-none-match"] = known.etag;
  const response = await respond(url, { signal, headers, cache: "no-store" });
  if (response.status === 304 && known) {
    known.at = Date.now();
    return known;
  }
  if (!response.ok) throw new ApiError(await problemOf(response), url);
  const text = await response.text();
  const data = known?.text === text ? known.data : (JSON.parse(text) as T);
  const answer = { data, text, etag: response.headers.get("etag"), at: Date.now() };
  answers.set(url, answer);
  return answer;
}

/** Fired when something was changed, from here or by others, so that what is shown is asked for again. */
export const CHANGED = "hud:changed";

/** Asks for everything again that is shown: no answer that set out before is taken for one of now. */
export function announceChange(): void {
  flights.forget();
  dispatchEvent(new Event(CHANGED));
}

async function change<T>(url: string, init: RequestInit): Promise<T> {
  const response = await respond(url, { ...init, headers: { accept: "application/json", ...init.headers } });
  if (!response.ok) throw new ApiError(await problemOf(response), url);
  const data = (await response.json()) as T;
  announceChange();
  return data;
}

/** Asks for a change. The answer is what is different now. */
export const tell = <P extends Path>(url: Address<P>, body: Body<P>): Promise<Answered<P, "post">> =>
  change(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Sends a file as it is. */
export async function send<P extends Path>(
  url: Address<P>,
  file: Blob,
  type: string,
  signal: AbortSignal,
): Promise<Answered<P, "post">> {
  const response = await respond(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": type },
    body: file,
    signal,
  });
  if (!response.ok) throw new ApiError(await problemOf(response), url);
  return (await response.json()) as Answered<P, "post">;
}

/** Takes something away. The answer is what is left. */
export const take = <P extends Path>(url: Address<P>): Promise<Answered<P, "delete">> =>
  change(url, { method: "DELETE" });

export async function askText(url: string, signal?: AbortSignal): Promise<string> {
  const response = await respond(url, { signal, headers: { accept: "text/plain" } });
  if (!response.ok) throw new ApiError(await problemOf(response), url);
  return response.text();
}

const NEXT = /<([^>]*)>; *rel="next"/;

/** A whole list as CSV, however many pieces the server gives it in: texts that make up the file, with one header line. */
export async function askCsv(url: string, signal?: AbortSignal): Promise<string[]> {
  const pieces: string[] = [];
  for (let next: string | null = url; next !== null; ) {
    const response = await respond(next, { signal, headers: { accept: "text/csv" } });
    if (!response.ok) throw new ApiError(await problemOf(response), next);
    const text = await response.text();
    pieces.push(pieces.length ? text.slice(text.indexOf("\n") + 1) : text);
    next = NEXT.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  }
  return pieces;
}

/** A piece of a dump's text, in bytes of the stored text: pieces that follow each other make up the whole. */
export async function askTextPiece(url: string, offset: number, length: number, signal?: AbortSignal): Promise<string> {
  return askText(`${url}${url.includes("?") ? "&" : "?"}offset=${offset}&length=${length}`, signal);
}
