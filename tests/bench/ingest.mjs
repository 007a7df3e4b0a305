// Ingesting 200 MB into a file on disk, beside DuckDB doing the same with the same file.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { data, fleetFile, keepFigures, measure, median, option, program, removeStore, say, spread, table } from './lib/tools.mjs';

const peer = fileURLToPath(new URL('./peer/duckdb.mjs', import.meta.url));

export async function ingest(args) {
  const bytes = option(args, 'bytes', 200_000_000);
  const rounds = option(args, 'rounds', 7);
  const file = await fleetFile(`fleet-${bytes}.jsonl`, ['--bytes', String(bytes)]);
  const ours = [], theirs = [];
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    const store = path.join(data, 'ingest.db'), database = path.join(data, 'peer.duckdb');
    removeStore(store);
    const us = await measure([program, 'ingest', '--db', store, file]);
    removeStore(store);
    removeStore(database);
    const them = await measure(['node', peer, file, database]);
    removeStore(database);
    const inside = JSON.parse(them.output);
    them.inside_s = inside.create_table_s + inside.create_index_s + inside.close_s;
    them.version = inside.version;
    if (round > 0) ours.push(us), theirs.push(them);
  }
  const pairs = (of, other = of) => ours.map((us, i) => us[of] / theirs[i][other]);
  const column = (runs, of, digits) => spread(runs.map((run) => run[of]), digits);
  say(`\nIngest of ${bytes / 1e6} MB, ${rounds} rounds, benchhud and DuckDB ${theirs[0].version} (2 threads) in turn: median (least–greatest)\n`);
  table(['', 'benchhud', 'DuckDB', 'ratio, pair by pair'], [
    ['wall, whole process, s', column(ours, 'wall_s'), column(theirs, 'wall_s'), spread(pairs('wall_s'))],
    ['wall, DuckDB: its two statements and closing, s', column(ours, 'wall_s'), column(theirs, 'inside_s'), spread(pairs('wall_s', 'inside_s'))],
    ['processor time, s', column(ours, 'cpu_s'), column(theirs, 'cpu_s'), spread(pairs('cpu_s'))],
    ['peak memory, MB', column(ours, 'peak_mb', 0), column(theirs, 'peak_mb', 0), spread(pairs('peak_mb'))],
    ['MB/s', spread(ours.map((run) => bytes / 1e6 / run.wall_s), 1), spread(theirs.map((run) => bytes / 1e6 / run.inside_s), 1), ''],
  ]);
  keepFigures('ingest', { bytes, ours, theirs });
  return median(pairs('wall_s', 'inside_s')) <= 2 && Math.max(...ours.map((run) => run.peak_mb)) < 200;
}
