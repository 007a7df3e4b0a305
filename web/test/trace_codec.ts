import assert from "node:assert/strict";
import { test } from "node:test";
import examples from "../../tests/cases/tile_bytes.json";
import { decodeTiles } from "../src/trace/codec";
import { encodeTiles } from "./support_tiles";

test("a tile is read as it was written", () => {
  const begin = 2 ** 52;
  const bytes = encodeTiles(
    [
      {
        track: 7,
        rows: [
          {
            row: 0,
            reachesIn: true,
            items: [
              { begin: 5, end: begin + 9, label: 3, chunk: 2, index: 8191 },
              { begin: begin + 10, end: begin + 20, count: 300, busy: 4, label: 1, chunk: 900, index: 0 },
            ],
          },
          { row: 5, items: [{ begin: begin + 1, end: begin + 1, label: 4_000_000_000, chunk: 1, index: 1 }] },
        ],
      },
      { track: 9, band: 2, rows: [{ row: 130, items: [{ begin, end: begin + 2 ** 40 }] }] },
      { track: 10, rows: [] },
    ],
    begin,
  );
  const [first, second, third] = decodeTiles(bytes, begin);
  assert.ok(first && second && third);
  assert.deepEqual(
    [first.track, first.band, [...first.rows], [...first.first], [...first.reachesIn]],
    [7, 0, [0, 5], [0, 2, 3], [1, 0]],
  );
  assert.deepEqual([...first.begin], [5, begin + 10, begin + 1]);
  assert.deepEqual([...first.end], [begin + 9, begin + 20, begin + 1]);
  assert.deepEqual([...first.count], [1, 300, 1]);
  assert.deepEqual([...first.busy], [begin + 4, 4, 0]);
  assert.deepEqual([...first.label], [3, 1, 4_000_000_000]);
  assert.deepEqual([...first.chunk], [2, 900, 1]);
  assert.deepEqual([...first.index], [8191, 0, 1]);
  assert.equal(first.isWhole, false);
  assert.deepEqual(
    [second.track, second.band, second.rows[0], second.end[0], second.isWhole],
    [9, 2, 130, begin + 2 ** 40, true],
  );
  assert.deepEqual([third.rows.length, third.begin.length, third.isWhole], [0, 0, true]);
});

test("what is no tile is refused, wherever it ends", () => {
  const whole = encodeTiles(
    [
      {
        track: 1,
        rows: [
          {
            row: 0,
            items: [
              { begin: 1, end: 2 },
              { begin: 300, end: 500, count: 2, busy: 7 },
            ],
          },
        ],
      },
    ],
    0,
  );
  assert.equal(decodeTiles(whole, 0).length, 1);
  for (let length = 0; length < whole.length; ++length)
    assert.throws(() => decodeTiles(whole.slice(0, length), 0), `cut at ${length}`);
  assert.throws(() => decodeTiles(Uint8Array.of(...whole, 0), 0));
  assert.throws(
    () => decodeTiles(Uint8Array.of(0x42, 0x54, 0x31, 0, 1, 1, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f), 0),
    "a tile of 34 billion items is none",
  );
});

test("bytes are read as the server means them", () => {
  for (const { name, tiles, bytes } of examples) {
    const [first] = tiles;
    const begin = first?.window_begin ?? 0;
    const read = decodeTiles(
      Uint8Array.from(bytes.match(/../g) ?? [], (pair) => parseInt(pair, 16)),
      begin,
    );
    assert.equal(read.length, tiles.length, name);
    for (const [at, wanted] of tiles.entries()) {
      const tile = read[at];
      assert.ok(tile && wanted.window_begin === begin, name);
      const rows = [...tile.rows].map((row, place) => ({
        row,
        items: Array.from({ length: (tile.first[place + 1] as number) - (tile.first[place] as number) }, (_, n) => {
          const i = (tile.first[place] as number) + n;
          return {
            begin: tile.begin[i],
            end: tile.end[i],
            count: tile.count[i],
            busy: tile.busy[i],
            label: tile.label[i],
            reaches_in: n === 0 && tile.reachesIn[place] === 1,
            chunk: tile.chunk[i],
            index: tile.index[i],
          };
        }),
      }));
      assert.deepEqual({ track: tile.track, band: tile.band, window_begin: begin, rows }, wanted, name);
    }
  }
});
