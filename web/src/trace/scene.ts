// What one picture of the slices is made of: rectangles by style, names where there is room. Nothing here draws.
import { BAND_ROWS, type Item, type Tile } from "./types";
import { type Layout, type TrackLane, lanesIn, ROW_PX, rowTop } from "./layout";
import { STYLES, UNNAMED } from "./palette";
import { type Piece, type TileStore, stripKey } from "./tiles";
import { type View, endOf, levelOf, tilesOf, xOf } from "./view";

/** x, y, width, height of rectangles of one style; kept from picture to picture. */
export class Rects {
  values = new Float32Array(1024);
  length = 0;
  push(x: number, y: number, width: number, height: number): void {
    if (this.length + 4 > this.values.length) {
      const grown = new Float32Array(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = x;
    this.values[this.length++] = y;
    this.values[this.length++] = width;
    this.values[this.length++] = height;
  }
}

export type Text = { x: number; y: number; width: number; name: string; style: number; isPale: boolean };
/** Where something coarser is shown, or nothing yet. */
export type StandIn = { x: number; width: number; y: number };

export type Scene = {
  full: Rects[];
  /** Under them, in no style: where slices are too short to be told apart, beside each other one rectangle. */
  beds: Rects;
  texts: Text[];
  standIns: StandIn[];
  /** Rectangles, items they show, and slices in these; what tests and measurements read. */
  rects: number;
  items: number;
  counted: number;
};

export const newScene = (): Scene => {
  return {
    full: Array.from({ length: STYLES + 1 }, () => new Rects()),
    beds: new Rects(),
    texts: [],
    standIns: [],
    rects: 0,
    items: 0,
    counted: 0,
  };
};

function empty(scene: Scene): void {
  for (const one of scene.full) one.length = 0;
  scene.beds.length = 0;
  scene.texts.length = 0;
  scene.standIns.length = 0;
  scene.rects = scene.items = scene.counted = 0;
}

export type Names = { get(label: number): { name: string; style: number } | null };
/** What stands out by its label; the rest is pale. */
export type Hits = ReadonlySet<number> | null;
/** `top` and `height`: the part of the lanes in sight. */
export type Sight = { view: View; top: number; height: number; end: number; layout: Layout };

/** Items for which a picture has time: with many rows in sight, what is narrower than some pixels is one. */
const MOST_ITEMS = 12_000;
const TEXT_LEAST_PX = 36;
const MOST_TEXTS = 400;
/** A gap behind a slice, where it does not take much of it; where slices are not told apart there are none. */
const GAP_FROM_PX = 4;

function rowsInSight({ layout, top, height }: Sight): number {
  let rows = 0;
  for (const lane of lanesIn(layout.lanes, top, top + height))
    if (lane.kind === "track") rows += Math.min(lane.rows, height / lane.rowPx);
  return rows;
}

export function sightLevel(sight: Sight): number {
  // Buckets are up to half as wide as what is asked for.
  const leastPx = (rowsInSight(sight) * sight.view.width) / MOST_ITEMS;
  return levelOf(sight.view.nsPerPx, Math.max(1, 2 * leastPx));
}

/** The strips of a lane that are within `from` to `to`, and their rows there. */
export function stripsIn(lane: TrackLane, from: number, to: number): { strip: string; first: number; last: number }[] {
  const first = Math.max(0, Math.floor((from - rowTop(lane, 0)) / lane.rowPx));
  const last = Math.min(lane.rows - 1, Math.floor((to - rowTop(lane, 0)) / lane.rowPx));
  const found = [];
  for (let band = Math.floor(first / BAND_ROWS); band * BAND_ROWS <= last; ++band) {
    found.push({
      strip: stripKey({ track: lane.track.number, band }),
      first: Math.max(first, band * BAND_ROWS),
      last: Math.min(last, band * BAND_ROWS + BAND_ROWS - 1),
    });
  }
  return found;
}

/** The place of a row among a tile's; −1 if nothing is in it. */
export function placeOfRow(tile: Tile, row: number): number {
  let low = 0;
  let high = tile.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tile.rows[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return tile.rows[low] === row ? low : -1;
}

/** The first item of a tile's row that ends after `time`, or its end. */
export function firstEndingAfter(tile: Tile, place: number, time: number): number {
  let low = tile.first[place] as number;
  let high = tile.first[place + 1] as number;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tile.end[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const itemOf = (tile: Tile, row: number, at: number): Item => ({
  track: tile.track,
  row,
  begin: tile.begin[at] as number,
  end: tile.end[at] as number,
  count: tile.count[at] as number,
  busy: tile.busy[at] as number,
  label: tile.label[at] as number,
  slice: { track: tile.track, chunk: tile.chunk[at] as number, index: tile.index[at] as number },
});

/**
 * Calls `visit` with each item of a row that touches [begin, end), from left to right. A slice that reaches from one tile
 * into the next comes once; of an item that stands in beyond its piece's window only `from` to `to` is to be drawn.
 */
export function eachItem(
  pieces: readonly Piece[],
  row: number,
  begin: number,
  end: number,
  visit: (tile: Tile, at: number, from: number, to: number, isExact: boolean) => void,
): void {
  let lastChunk = -1;
  let lastIndex = -1;
  let isKnown = false;
  for (const { tile, window, isExact } of pieces) {
    const wasKnown = isKnown;
    isKnown = isExact && tile !== null && window.end > begin;
    if (!tile || window.begin >= end) continue;
    const place = placeOfRow(tile, row);
    if (place < 0) continue;
    const after = tile.first[place + 1] as number;
    for (let at = firstEndingAtOrAfter(tile, place, Math.max(begin, window.begin)); at < after; ++at) {
      const from = tile.begin[at] as number;
      if (from >= end || from >= window.end) break;
      const isAlone = tile.count[at] === 1;
      // It is in an item of the tile before, alone or among others.
      if (wasKnown && at === tile.first[place] && tile.reachesIn[place]) continue;
      if (isAlone && tile.chunk[at] === lastChunk && tile.index[at] === lastIndex) continue;
      lastChunk = isAlone ? (tile.chunk[at] as number) : -1;
      lastIndex = isAlone ? (tile.index[at] as number) : -1;
      const to = tile.end[at] as number;
      visit(
        tile,
        at,
        isAlone ? from : Math.max(from, window.begin),
        isAlone ? to : Math.min(to, Math.max(window.end, from)),
        isExact,
      );
    }
  }
}

/** As firstEndingAfter, with those that end just there if they have no length. */
function firstEndingAtOrAfter(tile: Tile, place: number, time: number): number {
  let at = firstEndingAfter(tile, place, time);
  while (at > (tile.first[place] as number) && tile.end[at - 1] === time && tile.begin[at - 1] === time) --at;
  return at;
}

/** Makes rectangles of a row's items: short neighbours of one style are one. */
class RowRects {
  private style = -1;
  private x0 = 0;
  private x1 = 0;
  private isDense = false;
  private share = 0;
  private bed0 = 0;
  private bed1 = -1;

  /** Of a row at `y`; edges lie on device pixels, `ratio` of them a pixel. */
  constructor(
    private readonly scene: Scene,
    private readonly y: number,
    private readonly height: number,
    private readonly ratio: number,
  ) {}

  /** From left to right. `share`: how busy a dense one is. */
  add(style: number, begin: number, end: number, isDense: boolean, share: number): void {
    const isShort = end - begin < 3 || this.x1 - this.x0 < 3;
    if (
      style === this.style &&
      isDense === this.isDense &&
      begin - this.x1 < 1 &&
      isShort &&
      Math.abs(share - this.share) * this.height < 1.5
    ) {
      this.x1 = Math.max(this.x1, end);
      return;
    }
    this.finish();
    this.style = style;
    this.x0 = begin;
    this.x1 = end;
    this.isDense = isDense;
    this.share = share;
  }

  /** The row is over. */
  end(): void {
    this.finish();
    this.finishBed();
  }

  /** What is not yet a rectangle becomes one. */
  private finish(): void {
    const { scene, style, x0, x1, y, height, ratio } = this;
    if (style < 0) return;
    this.style = -1;
    ++scene.rects;
    const full = scene.full[style] as Rects;
    if (!this.isDense) return full.push(x0, y, x1 - x0 > GAP_FROM_PX ? x1 - x0 - 1 / ratio : x1 - x0, height);
    const foot = this.share > 0 ? Math.max(1, Math.round(height * this.share * ratio) / ratio) : 0;
    if (foot) full.push(x0, y + height - foot, x1 - x0, foot);
    if (foot < height) this.lie(x0, x1);
  }

  /** A bed for a rectangle: thousands of them beside each other would take as long to draw as all that lies on them. */
  private lie(x0: number, x1: number): void {
    if (x0 - this.bed1 >= 1) {
      this.finishBed();
      this.bed0 = x0;
    }
    this.bed1 = x1;
  }

  private finishBed(): void {
    if (this.bed1 > this.bed0) this.scene.beds.push(this.bed0, this.y, this.bed1 - this.bed0, this.height);
    this.bed1 = -1;
  }
}

/** Makes `scene` what is in sight. `ratio`: device pixels a pixel; edges lie on them. */
export function buildScene(
  scene: Scene,
  sight: Sight,
  tiles: TileStore,
  names: Names,
  ratio = 1,
  hits: Hits = null,
): Scene {
  empty(scene);
  const { view, top, height, layout } = sight;
  const level = sightLevel(sight);
  const { first, last } = tilesOf({ begin: view.begin, end: endOf(view) }, level, sight.end);
  for (const lane of lanesIn(layout.lanes, top, top + height)) {
    if (lane.kind !== "track") continue;
    for (const { strip, first: firstRow, last: lastRow } of stripsIn(lane, top, top + height)) {
      const pieces = tiles.pieces(strip, level, first, last);
      addStandIns(scene, view, pieces, lane.top + lane.height - top);
      for (let row = firstRow; row <= lastRow; ++row) addRow(scene, sight, lane, row, pieces, names, ratio, hits);
    }
  }
  return scene;
}

/** So far beyond the edges is drawn, for what reaches there not to end in sight. */
const BEYOND_PX = 4;

function addStandIns(scene: Scene, view: View, pieces: readonly Piece[], y: number): void {
  for (const { window, isExact } of pieces) {
    if (isExact) continue;
    const x = Math.max(0, xOf(view, window.begin));
    scene.standIns.push({ x, width: Math.min(view.width + BEYOND_PX, xOf(view, window.end)) - x, y });
  }
}

function addRow(
  scene: Scene,
  { view, top }: Sight,
  lane: TrackLane,
  row: number,
  pieces: readonly Piece[],
  names: Names,
  ratio: number,
  hits: Hits,
): void {
  const isOpen = lane.rowPx >= ROW_PX;
  const y = rowTop(lane, row) - top;
  const rects = new RowRects(scene, y, lane.rowPx - (isOpen ? 2 : 1), ratio);
  const snap = (x: number): number => Math.round(x * ratio) / ratio;
  eachItem(pieces, row, view.begin, endOf(view), (tile, at, from, to) => {
    ++scene.items;
    const count = tile.count[at] as number;
    const label = tile.label[at] as number;
    if ((tile.begin[at] as number) >= view.begin || count === 1) scene.counted += count;
    const named = names.get(label);
    const style = named?.style ?? UNNAMED;
    const begin = snap(Math.max(-BEYOND_PX, xOf(view, from)));
    const end = Math.max(begin + 1 / ratio, snap(Math.min(view.width + BEYOND_PX, xOf(view, to))));
    // What was not looked for is drawn as what is too short: pale, and without a foot.
    const isPale = hits !== null && !hits.has(label);
    const busy =
      count > 1 ? (tile.busy[at] as number) / Math.max(1, (tile.end[at] as number) - (tile.begin[at] as number)) : 1;
    rects.add(style, begin, end, count > 1 || isPale, isPale ? 0 : busy);
    if (!named || !isOpen || count > 1 || scene.texts.length >= MOST_TEXTS) return;
    const x = Math.max(0, begin);
    const width = Math.min(view.width, end) - x;
    if (width >= TEXT_LEAST_PX) scene.texts.push({ x, y, width, name: named.name, style, isPale });
  });
  rects.end();
}
