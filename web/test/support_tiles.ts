// Makes tiles' bytes as docs/traces.md describes them, from slices in plain lists.
import type { Batch } from "../src/trace/source";
import { BAND_ROWS, type Tile } from "../src/trace/types";
import { decodeTiles } from "../src/trace/codec";
import { tileSpan } from "../src/trace/view";

export type PlainItem = {
  begin: number;
  end: number;
  count?: number;
  busy?: number;
  label?: number;
  chunk?: number;
  index?: number;
};
export type PlainRow = { row: number; reachesIn?: boolean; items: PlainItem[] };
export type PlainTile = { track: number; band?: number; rows: PlainRow[] };

class Writer {
  readonly bytes: number[] = [0x42, 0x54, 0x31, 0];
  number(value: number): void {
    let left = value;
    while (left >= 0x80) {
      this.bytes.push((left % 0x80) | 0x80);
      left = Math.floor(left / 0x80);
    }
    this.bytes.push(left);
  }
  signed(value: number): void {
    this.number(value >= 0 ? value * 2 : -value * 2 - 1);
  }
}

export function encodeTiles(tiles: PlainTile[], windowBegin: number): Uint8Array {
  const out = new Writer();
  out.number(tiles.length);
  for (const { track, band = 0, rows } of tiles) {
    const items = rows.flatMap((row) => row.items);
    out.number(track);
    out.number(band);
    out.number(rows.length);
    out.number(items.length);
    let before = band * BAND_ROWS;
    for (const row of rows) {
      out.number(row.row - before);
      out.number(row.items.length * 2 + (row.reachesIn ? 1 : 0));
      before = row.row;
    }
    for (const row of rows) {
      let end = windowBegin;
      for (const item of row.items) {
        out.signed(item.begin - end);
        end = item.end;
      }
    }
    for (const item of items) out.number(item.end - item.begin);
    for (const item of items) out.number((item.count ?? 1) - 1);
    for (const item of items)
      if ((item.count ?? 1) > 1) out.number(item.end - item.begin - (item.busy ?? item.end - item.begin));
    for (const column of ["label", "chunk", "index"] as const) {
      let last = 0;
      for (const item of items) {
        out.signed((item[column] ?? 0) - last);
        last = item[column] ?? 0;
      }
    }
  }
  return Uint8Array.from(out.bytes);
}

export type PlainSlice = { track: number; row: number; begin: number; end: number; label?: number };

/** A source of these slices, cut into tiles as the server does: what is shorter than a bucket may stand together. */
export function sourceOfSlices(slices: PlainSlice[]) {
  const asked: Batch[] = [];
  const numbered = slices.map((one, index) => ({ ...one, index }));
  const tileOf = (strip: string, level: number, index: number): PlainTile => {
    const [track = 0, band = 0] = strip.split(".").map(Number);
    const bucket = 2 ** level;
    const [from, to] = [index * tileSpan(level), (index + 1) * tileSpan(level)];
    const rows = new Map<number, PlainRow>();
    for (const one of numbered
      .filter((each) => each.track === track && Math.floor(each.row / BAND_ROWS) === band)
      .sort((a, b) => a.row - b.row || a.begin - b.begin)) {
      const isIn = one.begin >= from && one.begin < to;
      if (!isIn && !(one.begin < from && one.end > from)) continue;
      const row = rows.get(one.row) ?? { row: one.row, reachesIn: !isIn, items: [] };
      rows.set(one.row, row);
      const last = row.items[row.items.length - 1];
      const isShort = one.end - one.begin < bucket;
      if (
        isIn &&
        last &&
        isShort &&
        last.end - last.begin < bucket &&
        one.end - last.begin < bucket &&
        !(row.reachesIn && row.items.length === 1)
      ) {
        last.count = (last.count ?? 1) + 1;
        last.busy = (last.busy ?? 0) + one.end - one.begin;
        last.end = one.end;
      } else
        row.items.push({
          begin: one.begin,
          end: one.end,
          busy: one.end - one.begin,
          label: one.label ?? 0,
          chunk: 0,
          index: one.index % 65536,
        });
    }
    return { track, band, rows: [...rows.values()] };
  };
  return {
    asked,
    tiles: (batch: Batch): Promise<Tile[]> => {
      asked.push(batch);
      const begin = batch.index * tileSpan(batch.level);
      return Promise.resolve(
        decodeTiles(
          encodeTiles(
            batch.tracks.map((strip) => tileOf(strip, batch.level, batch.index)),
            begin,
          ),
          begin,
        ),
      );
    },
  };
}
