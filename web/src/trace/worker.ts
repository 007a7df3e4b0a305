// Fetches and reads tiles beside the page's own thread, so that moving through a trace never waits for numbers.
import { decodeTiles } from "./codec";
import type { Tile } from "./types";

/** What the page sends: an address to read, or one to give up. */
export type Order = { number: number; url: string; windowBegin: number } | { number: number; isGivenUp: true };
/** What comes back: tiles, or the words of what went wrong. */
export type Delivery =
  | { number: number; tiles: Tile[] }
  | { number: number; status: number; text: string; type: string };

const open = new Map<number, AbortController>();

const buffersOf = (tile: Tile): ArrayBufferLike[] =>
  [
    tile.rows,
    tile.first,
    tile.reachesIn,
    tile.begin,
    tile.end,
    tile.count,
    tile.busy,
    tile.label,
    tile.chunk,
    tile.index,
  ].map((one) => one.buffer);

async function deliver({
  number,
  url,
  windowBegin,
}: {
  number: number;
  url: string;
  windowBegin: number;
}): Promise<void> {
  const controller = new AbortController();
  open.set(number, controller);
  const send = (delivery: Delivery, transfer: ArrayBufferLike[] = []) =>
    postMessage(delivery, { transfer: transfer as ArrayBuffer[] });
  try {
    const response = await fetch(url, { signal: controller.signal });
    if (response.ok) {
      const tiles = decodeTiles(new Uint8Array(await response.arrayBuffer()), windowBegin);
      send({ number, tiles }, tiles.flatMap(buffersOf));
    } else
      send({
        number,
        status: response.status,
        text: await response.text(),
        type: response.headers.get("content-type") ?? "",
      });
  } catch (error) {
    if (!controller.signal.aborted) send({ number, status: 0, text: String(error), type: "" });
  } finally {
    open.delete(number);
  }
}

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  if ("url" in data) void deliver(data);
  else open.get(data.number)?.abort();
});
