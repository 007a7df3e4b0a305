// Reads the bytes of tiles as docs/traces.md describes them: written for the tests alone, so that the server and the pages
// are held to the document and not to each other.
import assert from "node:assert/strict";

/** Tiles as [{track, band, rows: [{row, items: [{begin, end, count, busy, label, reachesIn, chunk, index}]}]}]; `windowBegin`: ns. */
export function readTiles(bytes, windowBegin) {
  let at = 4;
  assert.deepEqual([...bytes.subarray(0, 4)], [0x42, 0x54, 0x31, 0]);
  const number = () => {
    let value = 0, unit = 1;
    for (;;) {
      assert.ok(at < bytes.length, "the bytes end too early");
      const byte = bytes[at++];
      value += (byte & 127) * unit;
      unit *= 128;
      if (byte < 128) return value;
    }
  };
  const signed = () => {
    const value = number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  const tiles = [];
  for (let left = number(); left > 0; --left) {
    const tile = { track: number(), band: number(), rows: [] };
    const rows = number(), count = number();
    const items = [];
    let row = 64 * tile.band;
    for (let i = 0; i < rows; ++i) {
      row += number();
      const packed = number();
      const own = Array.from({ length: Math.floor(packed / 2) }, () => ({ reachesIn: false }));
      if (packed % 2) own[0].reachesIn = true;
      tile.rows.push({ row, items: own });
      items.push(...own);
    }
    assert.equal(items.length, count);
    for (const { items: own } of tile.rows) for (const item of own) item.begin = signed();
    for (const item of items) item.length = number();
    for (const { items: own } of tile.rows) {
      let end = windowBegin;
      for (const item of own) {
        item.begin += end;
        end = item.end = item.begin + item.length;
      }
    }
    for (const item of items) item.count = number() + 1;
    for (const item of items) item.busy = item.count > 1 ? item.length - number() : item.length;
    for (const name of ["label", "chunk", "index"]) {
      let last = 0;
      for (const item of items) item[name] = last += signed();
    }
    tiles.push(tile);
  }
  assert.equal(at, bytes.length, "bytes behind the last tile");
  return tiles;
}
