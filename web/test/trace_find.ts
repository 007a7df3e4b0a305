import assert from "node:assert/strict";
import { test } from "node:test";
import { trackOf, viewerOf } from "./support_viewer";

/** Answers as the server does: of `find` what was looked for, of `next` a slice whose place tells what it was asked with. */
function server() {
  const asked: string[] = [];
  let isDown = false;
  globalThis.fetch = (async (input: string, init?: RequestInit) => {
    await new Promise((done) => setTimeout(done, 2));
    if (init?.signal?.aborted) throw init.signal.reason;
    const url = new URL(input, "http://x");
    asked.push(`${url.pathname.split("/").pop()} ${url.searchParams.get("q")}`);
    if (isDown) return new Response("{}", { status: 500 });
    const body = url.pathname.endsWith("/find")
      ? { names: 1, slices: 1, total_ns: 1, labels: [], bins: [] }
      : { slice: null };
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  }) as unknown as typeof fetch;
  return { asked, setDown: (down: boolean) => (isDown = down) };
}

test("Enter right after typing goes to what was typed, not to what was looked for before", async () => {
  const { asked } = server();
  const { finder } = viewerOf([trackOf(1)]);
  finder.set("mm");
  await finder.go("next");
  assert.deepEqual(asked, ["find mm", "next mm", "next mm"]);
  finder.set("conv");
  await finder.go("next");
  assert.deepEqual(asked.slice(3), ["find conv", "next conv", "next conv"]);
  await new Promise((done) => setTimeout(done, 150));
  assert.equal(asked.length, 6, "it is not asked for again by the clock");
});

test("what could not be asked is no answer, and is asked for again", async () => {
  const { asked, setDown } = server();
  const { finder } = viewerOf([trackOf(1)]);
  finder.set("mm");
  await finder.go("next");
  setDown(true);
  finder.set("conv");
  await finder.go("next");
  assert.equal(asked[asked.length - 1], "find conv", "nothing is gone to");
  assert.deepEqual([finder.answered, !!finder.error], ["", true]);
  setDown(false);
  finder.set("mm");
  await finder.go("next");
  assert.equal(finder.answered, "mm");
  assert.ok(finder.found);
});
