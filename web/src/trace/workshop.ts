// The page's end of worker.ts: one worker for all traces, started with the first tile that is asked for.
import { ApiError, problemOf } from "../api/client";
import type { Delivery, Order } from "./worker";
import type { Tile } from "./types";

/** Put in by build.mjs: the worker's file. Empty where there is none, as in unit tests. */
declare const WORKER_NAME: string;

type Waiting = { resolve: (tiles: Tile[]) => void; reject: (error: unknown) => void; url: string };
let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, Waiting>();

async function errorOf(delivery: Extract<Delivery, { status: number }>, url: string): Promise<ApiError> {
  if (delivery.status === 0)
    return new ApiError({ title: "The server does not answer", status: 0, detail: delivery.text }, url);
  return new ApiError(
    await problemOf(
      new Response(delivery.text, { status: delivery.status, headers: { "content-type": delivery.type } }),
    ),
    url,
  );
}

function started(): Worker {
  if (worker) return worker;
  worker = new Worker(`/${WORKER_NAME}`);
  worker.onmessage = async ({ data }: MessageEvent<Delivery>) => {
    const one = waiting.get(data.number);
    waiting.delete(data.number);
    if (!one) return;
    if ("tiles" in data) one.resolve(data.tiles);
    else one.reject(await errorOf(data, one.url));
  };
  // What it was asked for is asked for again by whoever needs it; the next one starts anew.
  worker.onerror = () => {
    for (const one of waiting.values())
      one.reject(new ApiError({ title: "The tiles could not be read", status: 0 }, one.url));
    waiting.clear();
    worker?.terminate();
    worker = null;
  };
  return worker;
}

export const hasWorker = (): boolean =>
  typeof Worker === "function" && typeof WORKER_NAME === "string" && WORKER_NAME !== "";

/** The tiles of an address, whose window begins at `windowBegin`. Rejects with an ApiError, or once `signal` is aborted. */
export function tilesByWorker(url: string, windowBegin: number, signal: AbortSignal): Promise<Tile[]> {
  return new Promise((resolve, reject) => {
    const number = ++next;
    const order: Order = { number, url, windowBegin };
    waiting.set(number, { resolve, reject, url });
    signal.addEventListener("abort", () => {
      if (!waiting.delete(number)) return;
      worker?.postMessage({ number, isGivenUp: true } satisfies Order);
      reject(signal.reason);
    });
    started().postMessage(order);
  });
}
