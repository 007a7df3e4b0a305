// Stored traces: made-up ones of up to 100 million events written straight into a store, and tiles of random windows at all zooms.
import path from 'node:path';
import { data, keepFigures, measure, option, removeStore, say, table, tilesProgram } from './lib/tools.mjs';

const TARGET_BYTES = 12, TARGET_MEDIAN_MS = 5, TARGET_P99_MS = 20;

export async function tiles(args) {
  const windows = option(args, 'windows', 3000);
  const figures = {};
  let all = true;
  for (const events of [1e6, 1e7, option(args, 'events', 1e8)]) {
    const store = path.join(data, 'tiles.db');
    removeStore(store);
    const write = JSON.parse((await measure([tilesProgram, 'write', store, String(events)])).output);
    const read = JSON.parse((await measure([tilesProgram, 'read', store, String(windows)])).output);
    figures[events] = { write, read };
    removeStore(store);
  }
  const of = (sum, unit, digits = 2) => (sum / unit).toFixed(digits);
  say(`\nMade-up traces, ${windows} windows each of 1024 buckets, in processor time\n`);
  table(['events', 'million written a second', 'bytes an event', 'of it the pyramid', 'peak memory, MB', 'a tile, median, ms', 'p99, ms', 'own memory, MB'],
    Object.values(figures).map(({ write, read }) => {
      const bytes = write.bytes.pages / write.slices;
      const [median, p99] = read.all.cpu_ms;
      all &&= bytes <= TARGET_BYTES && median < TARGET_MEDIAN_MS && p99 < TARGET_P99_MS;
      return [write.slices, of(write.slices / write.cpu_s, 1e6), bytes.toFixed(2), of(write.bytes.nodes + write.bytes.groups, write.slices),
        write.peak_mb.toFixed(0), median.toFixed(2), p99.toFixed(2), read.own_mb.toFixed(1)];
    }));
  keepFigures('tiles', figures);
  return all;
}
