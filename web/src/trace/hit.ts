// What is at a place of the picture, and in a part of it.
import { type TrackLane, laneAt, laneOf, lanesIn, rowAt, rowTop } from "./layout";
import { type Sight, eachItem, firstEndingAfter, itemOf, placeOfRow, sightLevel, stripsIn } from "./scene";
import { type TileStore, stripKey } from "./tiles";
import { timeOf, tilesOf, xOf } from "./view";
import { BAND_ROWS, type Item, type Tile, type Window } from "./types";

/** So near is as good as on it. */
const NEAR_PX = 3;

function rowItems(
  sight: Sight,
  tiles: TileStore,
  track: number,
  row: number,
  window: Window,
  visit: (tile: Tile, at: number) => void,
): void {
  const level = sightLevel(sight);
  const { first, last } = tilesOf(window, level, sight.end);
  eachItem(
    tiles.pieces(stripKey({ track, band: Math.floor(row / BAND_ROWS) }), level, first, last),
    row,
    window.begin,
    window.end,
    visit,
  );
}

/** The item under a place; the nearest one where several are too short to be hit. */
export function hit(sight: Sight, tiles: TileStore, x: number, y: number): Item | null {
  const lane = laneAt(sight.layout.lanes, y + sight.top);
  if (lane?.kind !== "track") return null;
  const row = rowAt(lane, y + sight.top);
  return row === null ? null : itemAt(sight, tiles, lane.track.number, row, timeOf(sight.view, x), NEAR_PX);
}

/** The item of a row that a moment lies in, or the nearest one less than `nearPx` away. */
export function itemAt(
  sight: Sight,
  tiles: TileStore,
  track: number,
  row: number,
  time: number,
  nearPx = 0,
): Item | null {
  const near = nearPx * sight.view.nsPerPx;
  let best: Item | null = null;
  let distance = Infinity;
  rowItems(sight, tiles, track, row, { begin: time - near, end: time + near + 1 }, (tile, at) => {
    const begin = tile.begin[at] as number;
    const end = tile.end[at] as number;
    const away = time < begin ? begin - time : time > end ? time - end : 0;
    if (away >= distance || away > near) return;
    distance = away;
    best = itemOf(tile, row, at);
  });
  return best;
}

/** The item after (or before) `from` in its row, of what is in memory. */
export function neighbour(sight: Sight, tiles: TileStore, from: Item, direction: 1 | -1): Item | null {
  const span = sight.view.width * sight.view.nsPerPx;
  for (const reach of [span, 16 * span, 256 * span, Infinity]) {
    const window =
      direction > 0
        ? { begin: from.begin, end: Math.min(sight.end, from.end + reach) + 1 }
        : { begin: Math.max(0, from.begin - reach), end: from.begin };
    // A far one may stand in a coarse tile only.
    const coarse = {
      ...sight,
      view: {
        ...sight.view,
        nsPerPx: Math.max(sight.view.nsPerPx, (window.end - window.begin) / (4 * sight.view.width)),
      },
    };
    let found: Item | null = null;
    rowItems(coarse, tiles, from.track, from.row, window, (tile, at) => {
      const begin = tile.begin[at] as number;
      const isSame = tile.chunk[at] === from.slice.chunk && tile.index[at] === from.slice.index;
      const isPast =
        direction > 0
          ? begin > from.begin || (begin === from.begin && isLater(tile, at, from))
          : begin < from.begin || (begin === from.begin && !isLater(tile, at, from));
      if (isSame || !isPast || (direction > 0 && found)) return;
      found = itemOf(tile, from.row, at);
    });
    if (found) return found;
    if (direction > 0 ? window.end > sight.end : window.begin <= 0) break;
  }
  return null;
}

const isLater = (tile: Tile, at: number, than: Item): boolean =>
  (tile.chunk[at] as number) > than.slice.chunk ||
  ((tile.chunk[at] as number) === than.slice.chunk && (tile.index[at] as number) > than.slice.index);

/** The items in sight within a window of time and from `fromY` to `toY` of the lanes, `most` of them; and all tracks that
 * have one. */
export function inRect(
  sight: Sight,
  tiles: TileStore,
  window: Window,
  fromY: number,
  toY: number,
  most: number,
): { items: Item[]; tracks: number[]; isCut: boolean } {
  const items: Item[] = [];
  const tracks = new Set<number>();
  let isCut = false;
  for (const lane of lanesIn(sight.layout.lanes, fromY, toY)) {
    if (lane.kind !== "track") continue;
    for (const { first, last } of stripsIn(lane, fromY, toY)) {
      for (let row = first; row <= last && !(isCut && tracks.has(lane.track.number)); ++row) {
        rowItems(sight, tiles, lane.track.number, row, window, (tile, at) => {
          tracks.add(tile.track);
          if (items.length >= most) isCut = true;
          else items.push(itemOf(tile, row, at));
        });
      }
    }
  }
  return { items, tracks: [...tracks], isCut };
}

/** The deepest item of a track at a moment: what an event of that moment happened in. */
export function deepestAt(sight: Sight, tiles: TileStore, track: number, time: number): Item | null {
  const level = sightLevel(sight);
  const { first, last } = tilesOf({ begin: time, end: time + 1 }, level, sight.end);
  const lane = laneOf(sight.layout, track);
  let best: Item | null = null;
  for (const { strip } of lane ? stripsIn(lane, -Infinity, Infinity) : []) {
    for (const { tile } of tiles.pieces(strip, level, first, last)) {
      if (!tile) continue;
      for (const row of tile.rows) {
        const place = placeOfRow(tile, row);
        const at = firstEndingAfter(tile, place, time);
        if (at < (tile.first[place + 1] as number) && (tile.begin[at] as number) <= time) best = itemOf(tile, row, at);
      }
    }
  }
  return best;
}

/** Where an item is drawn, in pixels of the lanes in sight; null where its track is not laid out, or its row not shown. */
export function placeOf(
  sight: Sight,
  item: Pick<Item, "track" | "row" | "begin" | "end">,
): { lane: TrackLane; x: number; y: number; width: number; height: number } | null {
  const lane = laneOf(sight.layout, item.track);
  if (!lane || item.row >= lane.rows) return null;
  const x0 = Math.max(-4, xOf(sight.view, item.begin));
  const x1 = Math.min(sight.view.width + 4, xOf(sight.view, item.end));
  return {
    lane,
    x: x0,
    y: rowTop(lane, item.row) - sight.top,
    width: Math.max(1, x1 - x0),
    height: lane.rowPx - (lane.isOpen ? 2 : 1),
  };
}

/** The edge of an item at most `px` away from a place, so that what is measured begins and ends with slices. */
export function snapped(sight: Sight, tiles: TileStore, x: number, y: number, px = 6): number {
  const time = timeOf(sight.view, x);
  const item = hit(sight, tiles, x, y);
  if (!item) return time;
  const edges = [item.begin, item.end].filter((edge) => Math.abs(xOf(sight.view, edge) - x) <= px);
  return edges.sort((a, b) => Math.abs(a - time) - Math.abs(b - time))[0] ?? time;
}
