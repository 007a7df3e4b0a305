import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "../src/api/address";
import { AnswerCache, Flights } from "../src/api/cache";
import { announceChange, ask, askCsv } from "../src/api/client";
import { joined, walk } from "../src/api/pages";
import type { Page } from "../src/api/types";
import { withPins } from "../src/lib/route";
import { runChoices } from "../src/parts/controls";
import { heldServer, settle } from "./support_server";

/** Addresses that only the made-up servers here have, answered as those are which the contract has. */
const numberOf = (name: string) => `/api/v1/${name}` as Address<"/runs/{run}">;
const listOf = (name: string) => `/api/v1/${name}` as Address<"/runs">;

const answer = (text: string) => ({ data: null, text, etag: null, at: 0 });

test("remembered answers are bounded in bytes, and the one that was used last stays", () => {
  const cache = new AnswerCache(60_000);
  for (let n = 0; n < 200; ++n) {
    cache.set(`/${n}`, answer("x".repeat(1000)));
    assert.ok(cache.get("/0"), "what is used stays");
    assert.ok(cache.size <= 60_000);
  }
  assert.equal(cache.get("/1"), undefined, "what is not used goes");
  assert.ok(cache.get("/199"));
  cache.set("/large", answer("x".repeat(100_000)));
  assert.equal(cache.get("/large"), undefined, "an answer larger than all the room is not kept");
  assert.ok(cache.get("/0"), "and takes no other's place");
  const before = cache.size;
  cache.set("/0", answer("x".repeat(1000)));
  assert.equal(cache.size, before, "an answer that takes the place of another is counted once");
});

test("whoever asks for the same meanwhile shares the request, and it is given up when nobody waits", async () => {
  const requests = heldServer();
  const first = new AbortController();
  const second = new AbortController();
  const one = ask(numberOf("shared"), first.signal);
  const two = ask(numberOf("shared"), second.signal);
  assert.equal(requests.length, 1, "one request for both");
  first.abort();
  await assert.rejects(one);
  assert.equal(requests[0]?.isGivenUp, false, "somebody still waits");
  requests[0]?.answer({ id: 1 });
  assert.equal((await two).data.id, 1);

  const left = new AbortController();
  const given = ask(numberOf("left"), left.signal);
  left.abort();
  await assert.rejects(given);
  assert.equal(requests[1]?.isGivenUp, true, "nobody waits");
});

test("after a change no answer that set out before is taken for one of now", async () => {
  globalThis.dispatchEvent ??= (() => true) as typeof dispatchEvent;
  const requests = heldServer();
  const before = ask(numberOf("state"));
  announceChange();
  const after = ask(numberOf("state"));
  assert.equal(requests.length, 2);
  requests[0]?.answer({ id: 1 });
  requests[1]?.answer({ id: 2 });
  assert.equal((await before).data.id, 1);
  assert.equal((await after).data.id, 2);
});

test("requests of different addresses do not share", () => {
  const flights = new Flights();
  let started = 0;
  const start = () => new Promise<number>(() => ++started);
  void flights.join("/a", start);
  void flights.join("/b", start);
  assert.equal(started, 2);
});

type Item = { id: number };
/** A list of ids, newest first, as the server gives it: a cursor is the last id that was given. */
function listServer(ids: number[], limit: number) {
  const asked: string[] = [];
  globalThis.fetch = (async (input: string) => {
    asked.push(input);
    const query = new URL(input, "http://x").searchParams;
    const cursor = query.get("cursor");
    const rest = cursor === null ? ids : ids.filter((id) => id < Number(cursor));
    const items = rest.slice(0, limit).map((id) => ({ id }));
    const next_cursor = rest.length > limit ? String(items[items.length - 1]?.id) : null;
    if (query.get("format") === "csv") {
      const link: Record<string, string> =
        next_cursor === null
          ? {}
          : { link: `<${new URL(input, "http://x").pathname}?format=csv&cursor=${next_cursor}>; rel="next"` };
      return new Response(["id", ...items.map((item) => item.id)].join("\r\n") + "\r\n", {
        headers: { "content-type": "text/csv", ...link },
      });
    }
    return new Response(JSON.stringify({ items, next_cursor, total: ids.length }), {
      headers: { "content-type": "application/json" },
    });
  }) as typeof fetch;
  return asked;
}
const idsOf = (pieces: Page<Item>[]): number[] => joined(pieces)?.items.map((item) => item.id) ?? [];
const never = new AbortController().signal;
const down = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from - n);

test("a list of several pieces is walked along to its end, and its total is the server's", async () => {
  listServer(down(2500, 2500), 1000);
  const shown: number[] = [];
  let last: Page<{ id: number }>[] = [];
  await walk(listOf("a?limit=1000"), Infinity, (pieces) => (shown.push(idsOf(pieces).length), (last = pieces)), never);
  assert.deepEqual(shown, [1000, 2000, 2500], "each piece is shown when it is there");
  assert.deepEqual(idsOf(last), down(2500, 2500));
  assert.equal(joined(last)?.total, 2500);
  assert.equal(joined(last)?.next_cursor, null);
});

test("a list that grew meanwhile is walked along again without gaps and without anything twice", async () => {
  const ids = down(2500, 2500);
  listServer(ids, 1000);
  let last: Page<{ id: number }>[] = [];
  await walk(listOf("b?limit=1000"), 2, (pieces) => (last = pieces), never);
  assert.deepEqual(idsOf(last), down(2500, 2000));
  ids.unshift(...down(2507, 7));
  await walk(listOf("b?limit=1000"), 2, (pieces) => (last = pieces), never);
  assert.deepEqual(idsOf(last), down(2507, 2000), "seven new ones, and all that follow on them");
});

test("of a list that breaks off what is there is shown", async () => {
  listServer(down(30, 30), 10);
  const good = globalThis.fetch;
  let calls = 0;
  globalThis.fetch = ((input: string) =>
    ++calls > 1 ? Promise.resolve(new Response("{}", { status: 503 })) : good(input)) as typeof fetch;
  let last: Page<{ id: number }>[] = [];
  await assert.rejects(walk(listOf("c?limit=10"), Infinity, (pieces) => (last = pieces), never));
  assert.equal(idsOf(last).length, 10);
  assert.notEqual(joined(last)?.next_cursor, null, "and it is known that there is more");
});

test("the CSV of a list has all of its rows, and one header", async () => {
  const asked = listServer(down(2500, 2500), 1000);
  const text = (await askCsv("/api/v1/d?format=csv")).join("");
  const lines = text.trim().split("\r\n");
  assert.equal(lines[0], "id");
  assert.deepEqual(lines.slice(1).map(Number), down(2500, 2500));
  assert.equal(asked.length, 3);
  await settle();
});

test("the run that is shown is among the choices, loaded or not", () => {
  const run = (id: number) =>
    ({ id, name: `night ${id}`, started_at: "2026-01-01T00:00:00Z" }) as Parameters<typeof runChoices>[1];
  const values = (choices: { value: string }[]) => choices.map((choice) => choice.value);
  assert.deepEqual(values(runChoices(undefined, run(3))), ["3"]);
  assert.deepEqual(values(runChoices([run(5)!, run(4)!], run(3))), ["3", "5", "4"]);
  assert.deepEqual(values(runChoices([run(5)!, run(4)!], run(4))), ["5", "4"]);
});

test("pins go along from page to page, but not to the comparison that is made of them", () => {
  const from = { path: "/runs", query: new URLSearchParams("pin=3&pin=5&sort=time") };
  assert.equal(withPins("/models?q=x", from), "/models?q=x&pin=3&pin=5");
  assert.equal(withPins("/models/a%2Fb/c#alerts", from), "/models/a%2Fb/c?pin=3&pin=5#alerts");
  assert.equal(withPins("/models?pin=9", from), "/models?pin=9");
  assert.equal(withPins("/runs?sort=time", from), "/runs?sort=time", "on the same page they can be let go");
  assert.equal(withPins("/compare?left=3&right=5", from), "/compare?left=3&right=5");
  assert.equal(withPins("/models", { path: "/runs", query: new URLSearchParams() }), "/models");
});
