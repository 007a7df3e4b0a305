// Where tiles and names come from. Unlike what pages ask through api/client.ts, the browser may keep them for ever: their
// addresses hold the key of the content.
import { ApiError, address, asApiError, problemOf } from "../api/client";
import type { components } from "../api/openapi";
import { decodeTiles } from "./codec";
import { tileSpan } from "./view";
import { hasWorker, tilesByWorker } from "./workshop";
import type { Label, Tile } from "./types";

export type Batch = {
  level: number;
  index: number;
  /** TRACK or TRACK.BAND. */
  tracks: string[];
};

export type Source = {
  tiles(batch: Batch, signal: AbortSignal): Promise<Tile[]>;
  labels(block: number, signal?: AbortSignal): Promise<Label[]>;
};

async function answer(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, signal ? { signal } : {});
  } catch (error) {
    throw signal?.aborted ? error : asApiError(error, url);
  }
  if (!response.ok) throw new ApiError(await problemOf(response), url);
  return response;
}

/** Of the trace `id`, whose content has the key `key`. */
export function sourceOf(id: number, key: string): Source {
  const path = `/traces/${id}`;
  return {
    async tiles({ level, index, tracks }, signal) {
      const url = address(`${path}/tiles`, { level, index, tracks: tracks.join(","), key });
      const windowBegin = index * tileSpan(level);
      if (hasWorker()) return tilesByWorker(url, windowBegin, signal);
      return decodeTiles(new Uint8Array(await (await answer(url, signal)).arrayBuffer()), windowBegin);
    },
    async labels(block, signal) {
      const response = await answer(address(`${path}/labels`, { block, key }), signal);
      const { items } = (await response.json()) as components["schemas"]["TraceLabels"];
      return items.map((one) => ({ name: one.name, category: one.category, class: one.class, count: one.count, total: one.total_ns }));
    },
  };
}
