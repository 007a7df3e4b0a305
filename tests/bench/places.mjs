// Traces outside the store: how long the first tile of one takes and each that follows, from the store, a folder and a bucket
// behind a line of 1 Gbit/s; and what packs beside a store add to looking at it and to its backup.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { loadavg } from 'node:os';
import path from 'node:path';
import { KEYS, startS3rver } from '../integration/support/s3.mjs';
import { writeMadeTrace } from './lib/made_trace.mjs';
import { Server } from './lib/server.mjs';
import { data, keepFigures, kept, measure, median, option, program, quantile, randomNumbers, removeStore, root, say, spread, table } from './lib/tools.mjs';

const TARGET_FIRST_MS = 1000, TARGET_MEDIAN_MS = 5, TARGET_P99_MS = 20, TARGET_RATIO = 1.1;
const LINE_BITS_PER_S = 1e9;
const PACKS_BYTES = 100e9, PACK_BYTES = 100e6;

const folder = path.join(data, 'places');
const cache = path.join(folder, 'cache');
const environment = { ...KEYS, AWS_EC2_METADATA_DISABLED: 'true', BENCHHUD_CACHE: cache };
const own = (...args) => execFileSync(program, args, { encoding: 'utf8', env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });

/** Passes requests on to `port`, and answers as fast as a line of 1 Gbit/s lets. */
async function startLine(port) {
  const server = createServer((from, to) => {
    const through = ask({ port, method: from.method, path: from.url, headers: from.headers }, async (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      const began = performance.now();
      let bits = 0;
      for await (const piece of answer) {
        bits += piece.length * 8;
        const early = (bits / LINE_BITS_PER_S) * 1000 - (performance.now() - began);
        if (early > 1) await new Promise((done) => setTimeout(done, early));
        to.write(piece);
      }
      to.end();
    });
    from.pipe(through);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { endpoint: `http://127.0.0.1:${server.address().port}`, stop: () => new Promise((done) => (server.closeAllConnections(), server.close(done))) };
}

/** Milliseconds until an answer is whole. */
async function asked(address) {
  const began = performance.now();
  const answer = await fetch(address);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return performance.now() - began;
}

/** A new server on the store: its first tile of the trace, and `count` that nobody has asked for. */
async function tilesOf(store, count) {
  rmSync(cache, { recursive: true, force: true });
  const server = await Server.start(store, environment);
  try {
    await server.settled();
    const { trace_id: trace } = (await (await fetch(`${server.base}/api/v1/artifacts?kind=trace&limit=1`)).json()).items[0];
    const tile = `${server.base}/api/v1/traces/${trace}/tiles`;
    const first = await asked(`${tile}?level=30&index=0&tracks=0`);
    const { end } = await (await fetch(`${server.base}/api/v1/traces/${trace}`)).json();
    const random = randomNumbers(30);
    const next = [];
    for (let i = 0; i < count; ++i) {
      const level = Math.floor(random() * Math.log2(end / 1024));
      const index = Math.floor((random() * end) / (1024 * 2 ** level));
      next.push(await asked(`${tile}?level=${level}&index=${index}&tracks=${random() < 0.5 ? 0 : 1}`));
    }
    return { first, median: median(next), p99: quantile(next, 0.99) };
  } finally {
    await server.stop();
  }
}

/** A store with one trace of `events` events. */
async function storeOf(events, name) {
  const trace = await kept(`trace-of-${events}-events.json`, (out) => writeMadeTrace(out, events));
  const store = path.join(folder, name);
  own('ingest', path.join(root, 'samples/cpu_nightlies'), '--db', store, '--quiet');
  own('prune', 'trace', '--before', '2100-01-01', '--with-referred', '--db', store);
  own('ingest', trace, '--for', 'latest/mlp_mini/eval/aot_eager', '--db', store, '--quiet');
  return { store, bytes: statSync(trace).size };
}

async function firstTiles(events, rounds, count) {
  const { store: within, bytes } = await storeOf(events, 'within.db');
  const bucket = await startS3rver(path.join(folder, 's3'), 'traces');
  const line = await startLine(Number(new URL(bucket.endpoint).port));
  try {
    const stores = { 'the store': within };
    for (const [where, address] of [['a folder', path.join(folder, 'packs')], ['a bucket', `s3://traces/packs?endpoint=${line.endpoint}&path_style=true`]]) {
      stores[where] = path.join(folder, `${where.replace(' ', '-')}.db`);
      copyFileSync(within, stores[where]);
      if (where === 'a folder') mkdirSync(address, { recursive: true });
      // Not execFileSync(): the bucket is this process.
      await measure(['env', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), program, 'traces', 'move', '--to', address, '--db', stores[where]]);
    }
    const rows = Object.fromEntries(Object.keys(stores).map((where) => [where, []]));
    for (let round = 0; round < rounds; ++round) for (const [where, store] of Object.entries(stores)) rows[where].push(await tilesOf(store, count));
    return { bytes, rows };
  } finally {
    await line.stop();
    await bucket.stop();
  }
}

/** Seconds of a quick look and of a backup, with and without 100 GB of packs in the store's folder. */
async function beside(rounds) {
  const store = path.join(folder, 'beside.db'), packs = path.join(folder, 'beside');
  own('ingest', path.join(root, 'samples/cpu_nightlies'), '--db', store, '--quiet');
  mkdirSync(packs, { recursive: true });
  own('traces', 'move', '--to', packs, '--db', store);
  const many = path.join(packs, 'traces');
  const hidden = path.join(folder, 'hidden');
  for (let i = 0; i < PACKS_BYTES / PACK_BYTES; ++i) {
    const name = i.toString(16).padStart(4, '0').repeat(8), into = path.join(hidden, name.slice(-2));
    mkdirSync(into, { recursive: true });
    const file = path.join(into, `${name}.v35`);
    writeFileSync(file, '');
    truncateSync(file, PACK_BYTES);  // without blocks: only names and sizes matter
  }
  const taken = async () => {
    const backup = path.join(folder, 'backup.db');
    removeStore(backup);
    return { quick: (await measure([program, 'doctor', '--quick', '--max-age', '1000000', '--db', store])).wall_s, backup: (await measure([program, 'backup', backup, '--db', store])).wall_s };
  };
  const rows = [];
  for (let round = 0; round <= rounds; ++round) {
    const alone = await taken();
    execFileSync('cp', ['-r', '--sparse=always', `${hidden}/.`, many]);
    const row = { alone, beside: await taken() };
    for (let i = 0; i < PACKS_BYTES / PACK_BYTES; ++i) {
      const name = i.toString(16).padStart(4, '0').repeat(8);
      rmSync(path.join(many, name.slice(-2), `${name}.v35`));
    }
    if (round > 0) rows.push(row);
  }
  return rows;
}

export async function places(args) {
  const rounds = option(args, 'rounds', 5), count = option(args, 'tiles', 500);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const load = loadavg()[0];
  const { bytes, rows } = await firstTiles(option(args, 'events', 325_000), rounds, count);
  say(`\nA made trace of ${(bytes / 1e6).toFixed(0)} MB: a new server's first tile, and ${count} random ones after it; ${rounds} rounds in turn, load before ${load.toFixed(1)}\n`);
  table(['the trace is in', 'first tile, ms', 'a tile, median, ms', 'p99, ms'], Object.entries(rows).map(([where, all]) => [where, spread(all.map((one) => one.first), 0), spread(all.map((one) => one.median)), spread(all.map((one) => one.p99))]));
  const looks = await beside(rounds);
  say('\nA store whose traces are in a folder, and the same with 100 GB of other packs there (sparse files)\n');
  const ratios = {};
  table(['', 'alone, s', 'with 100 GB, s', 'of it'], ['quick', 'backup'].map((what) => {
    ratios[what] = median(looks.map((row) => row.beside[what] / row.alone[what]));
    return [what === 'quick' ? 'doctor --quick' : 'backup', spread(looks.map((row) => row.alone[what]), 3), spread(looks.map((row) => row.beside[what]), 3), ratios[what].toFixed(2)];
  }));
  keepFigures('places', { bytes, rows, looks });
  rmSync(folder, { recursive: true, force: true });
  const of = (key, share) => share(rows['a bucket'].map((one) => one[key]));
  return of('first', median) < TARGET_FIRST_MS && of('median', median) <= TARGET_MEDIAN_MS && of('p99', median) <= TARGET_P99_MS && Object.values(ratios).every((ratio) => ratio <= TARGET_RATIO);
}
