// Where tiles and names come from. Unlike what pages ask through api/client.ts, the browser may keep them for ever: their
// addresses hold the key of the content.
import { ApiError, asApiError, problemOf } from "../api/client";
import type { components } from "../api/openapi";
import { decodeTiles } from "./codec";
import { traceUrl } from "./info";
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
  const trace = { id, key };
  return {
    async tiles({ level, index, tracks }, signal) {
      const url = traceUrl(trace, "tiles", { level, index, tracks: tracks.join(",") });
      const windowBegin = index * tileSpan(level);
      if (hasWorker()) return tilesByWorker(url, windowBegin, signal);
      return decodeTiles(new Uint8Array(await (await answer(url, signal)).arrayBuffer()), windowBegin);
    },
    async labels(block, signal) {
      const response = await answer(traceUrl(trace, "labels", { block }), signal);
      const { items } = (await response.json()) as components["schemas"]["TraceLabels"];
      return items.map((one) => ({ name: one.name, category: one.category }));
    },
  };
}
