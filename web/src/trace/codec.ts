// Tiles as the server sends them (docs/traces.md): columns of LEB128 numbers. Numbers are made by multiplication, so
// that they are exact up to 2^53, which are 104 days of nanoseconds.
import { BAND_ROWS, type Tile } from "./types";

class Reader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  magic(): boolean {
    this.at = 4;
    return (
      this.bytes.length >= 4 &&
      this.bytes[0] === 0x42 &&
      this.bytes[1] === 0x54 &&
      this.bytes[2] === 0x31 &&
      this.bytes[3] === 0
    );
  }

  number(): number {
    let byte = this.next();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    for (;;) {
      byte = this.next();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  /** Small sizes of either sign lie beside each other: 0, −1, 1, −2, … */
  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** How many numbers there can be still. */
  left(): number {
    return this.bytes.length - this.at;
  }

  private next(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error("A tile ended too early.");
    return byte;
  }
}

function decodeTile(reader: Reader, windowBegin: number): Tile {
  const track = reader.number();
  const band = reader.number();
  const rowCount = reader.number();
  const items = reader.number();
  if (rowCount > reader.left() || items > reader.left()) throw new Error("A tile says that it is larger than it is.");
  const rows = new Uint32Array(rowCount);
  const first = new Uint32Array(rowCount + 1);
  const reachesIn = new Uint8Array(rowCount);
  // The rows of a band are counted from its first one.
  let row = band * BAND_ROWS;
  let sum = 0;
  for (let r = 0; r < rowCount; ++r) {
    row += reader.number();
    const told = reader.number();
    rows[r] = row;
    reachesIn[r] = told % 2;
    sum += Math.floor(told / 2);
    first[r + 1] = sum;
  }
  if (sum !== items) throw new Error("The rows of a tile do not add up.");

  const begin = new Float64Array(items);
  const end = new Float64Array(items);
  const count = new Uint32Array(items);
  const busy = new Float64Array(items);
  const label = new Uint32Array(items);
  const chunk = new Uint32Array(items);
  const index = new Uint16Array(items);
  // Begins need the ends before them, which come in the next column: kept as distances until then.
  for (let i = 0; i < items; ++i) begin[i] = reader.signed();
  for (let r = 0; r < rowCount; ++r) {
    let before = windowBegin;
    for (let i = first[r] as number; i < (first[r + 1] as number); ++i) {
      begin[i] = before + (begin[i] as number);
      before = (begin[i] as number) + reader.number();
      end[i] = before;
    }
  }
  let isWhole = true;
  for (let i = 0; i < items; ++i) {
    count[i] = reader.number() + 1;
    if (count[i] !== 1) isWhole = false;
  }
  for (let i = 0; i < items; ++i)
    busy[i] = (end[i] as number) - (begin[i] as number) - (count[i] === 1 ? 0 : reader.number());
  let last = 0;
  for (let i = 0; i < items; ++i) label[i] = last += reader.signed();
  last = 0;
  for (let i = 0; i < items; ++i) chunk[i] = last += reader.signed();
  last = 0;
  for (let i = 0; i < items; ++i) index[i] = last += reader.signed();
  return { track, band, rows, first, reachesIn, begin, end, count, busy, label, chunk, index, isWhole };
}

/** The tiles of one answer, whose window begins at `windowBegin`. Throws what is wrong with bytes that are none. */
export function decodeTiles(bytes: Uint8Array, windowBegin: number): Tile[] {
  const reader = new Reader(bytes);
  if (!reader.magic()) throw new Error("These are no tiles.");
  const tiles: Tile[] = [];
  for (let left = reader.number(); left > 0; --left) tiles.push(decodeTile(reader, windowBegin));
  if (!reader.isAtEnd()) throw new Error("Something follows the last tile.");
  return tiles;
}

/** What a tile takes of the memory. */
export const tileBytes = (tile: Tile): number => 200 + 9 * tile.rows.length + 38 * tile.begin.length;
