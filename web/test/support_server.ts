// A server whose answers a test gives, or holds back.

type Request = {
  path: string;
  query: URLSearchParams;
  isGivenUp: boolean;
  answer(body: unknown, status?: number): void;
};

/** From now on what is fetched waits for `answer`. Gives all requests, in the order in which they came. */
export function heldServer(): Request[] {
  const requests: Request[] = [];
  globalThis.fetch = ((input: string, init?: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const { pathname, searchParams } = new URL(input, "http://x");
      const request: Request = {
        path: pathname.split("/").pop() ?? "",
        query: searchParams,
        isGivenUp: false,
        answer: (body, status = 200) =>
          resolve(new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })),
      };
      init?.signal?.addEventListener("abort", () => {
        request.isGivenUp = true;
        reject(init.signal?.reason);
      });
      requests.push(request);
    })) as typeof fetch;
  return requests;
}

export const settle = (ms = 5) => new Promise((done) => setTimeout(done, ms));
