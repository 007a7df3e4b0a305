// What the timeline asks of a stored trace, over HTTP: tiles at all zooms, finding, sums, stacks, SQL; what memory the server takes for it, what
// room the trace takes in the store, and how long it takes to get there. A real trace, and made-up ones of up to 100 million events.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { Client } from './lib/client.mjs';
import { writeMadeTrace } from './lib/made_trace.mjs';
import { Server } from './lib/server.mjs';
import { data, keepFigures, kept, measure, option, program, quantile, randomNumbers, removeStore, root, say, table, tilesProgram } from './lib/tools.mjs';
import { madeXplaneFolder } from './xplane.mjs';

const TARGET_MEDIAN_MS = 5, TARGET_P99_MS = 20, TARGET_SEARCH_MS = 50, TARGET_MB = 300;
const REAL = path.join(root, '../shared/data/traces/hta/df_index_resolver/df_index_resolver.json.gz');
/** Tracks whose tiles the page asks for at once. */
const TRACKS_A_BATCH = 16;
/** Slices that one answer about stacks is made of. */
const MOST_STACKED = 2e6;

/** Memory of a process in MB: the most that was ever resident. */
function peakOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Takes the file's pages out of the system's cache, as far as they are on disk. */
function dropCached(file) {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
}

/** Draws tiles as somebody gets to see them: any of the tracks that have slices, any zoom from the whole trace to a microsecond, any place where it has some. */
function tileDrawer(trace, random) {
  const top = Math.max(0, Math.ceil(Math.log2(trace.end + 1)) - 10);
  const tracks = trace.threads.filter(({ slices }) => slices > 0);
  const pick = () => tracks[Math.floor(random() * tracks.length)];
  const place = ({ begin, end }) => {
    const level = Math.floor(random() * (top + 1));
    return `level=${level}&index=${Math.floor((begin + random() * (end - begin)) / 2 ** (level + 10))}`;
  };
  return {
    whole: () => `/tiles?level=${top}&index=0&tracks=${pick().thread}`,
    one: () => {
      const track = pick();
      return `/tiles?${place(track)}&tracks=${track.thread}`;
    },
    batch: () => `/tiles?${place(pick())}&tracks=${tracks.slice(0, TRACKS_A_BATCH).map(({ thread }) => thread).join(',')}`,
  };
}

async function measured(store, { tiles, rounds }) {
  const server = await Server.start(store);
  try {
    await server.settled();
    const client = new Client(server.base);
    const ask = (address) => client.ask(`/api/v1/traces/1${address}`);
    const trace = JSON.parse((await ask('')).text());
    const draw = tileDrawer(trace, randomNumbers(1));
    const times = async (count, address, before = () => {}) => {
      const ms = [];
      for (let i = 0; i < count; ++i) {
        const asked = address(i);
        before();
        ms.push((await ask(asked)).ms);
      }
      return ms;
    };
    const samples = {
      tile: await times(tiles, draw.one),
      whole: await times(tiles / 10, draw.whole),
      batch: await times(tiles / 5, draw.batch),
    };
    const tiles_mb = peakOf(server.process.pid);
    // Answers are kept by their address: a parameter that changes makes each anew.
    const labels = JSON.parse((await ask('/labels')).text()).items.filter(({ count }) => count > 0);
    const common = labels.reduce((a, b) => (b.count > a.count ? b : a)).name, rare = labels.reduce((a, b) => (b.count < a.count ? b : a)).name;
    const find = (q) => times(rounds, (i) => `/find?q=${encodeURIComponent(q)}&limit=${200 + i}`);
    const share = Math.min(1, MOST_STACKED / 4 / trace.slices), length = Math.floor(trace.end * share);
    const begin = (i, part) => Math.floor((trace.end - part) * (i / rounds));
    const sql = (text) => (i) => `/query?limit=20&sql=${encodeURIComponent(text(i))}`;
    const thousandth = Math.floor(trace.end / 1000);
    Object.assign(samples, {
      find_letter: await find('e'),
      find_common: await find(common.slice(0, 4)),
      find_rare: await find(`"${rare}"`),
      find_none: await find('nothing is called so'),
      sums_all: await times(rounds, (i) => `/sums?limit=${100 + i}`),
      sums_window: await times(rounds, (i) => `/sums?begin=${begin(i, 0) + 1}&end=${Math.max(begin(i, 0) + 2, trace.end - begin(i, 0) / 2 - 1).toFixed(0)}`),
      flame: await times(rounds / 4, (i) => `/flame?limit=${5000 + i}&begin=${begin(i * 4, length)}&end=${begin(i * 4, length) + length + 1}`),
      sql_labels: await times(rounds, sql((i) => `SELECT name, count, total FROM labels ORDER BY total DESC LIMIT ${20 + i}`)),
      sql_slices: await times(rounds, sql((i) => `SELECT name, count(*), sum(duration) FROM slices WHERE begin >= ${begin(i, thousandth)} AND begin < ${begin(i, thousandth) + thousandth} GROUP BY name ORDER BY 3 DESC LIMIT 20`)),
    });
    if (trace.counters.length > 0) samples.counter = await times(rounds, (i) => `/counter?number=0&begin=${begin(i, 0)}&end=${trace.end + 1}`);
    if (trace.flow_kinds.length > 0) samples.flows = await times(rounds, (i) => `/flows?begin=${begin(i, thousandth)}&end=${begin(i, thousandth) + thousandth + 1}`);
    // Last, for it leaves the others nothing in the system's cache.
    samples.tile_cold = await times(tiles / 10, draw.one, () => dropCached(store));
    return {
      slices: trace.slices, points: trace.points, flows: trace.flows, tiles_mb, peak_mb: peakOf(server.process.pid),
      ms: Object.fromEntries(Object.entries(samples).map(([name, ms]) => [name, { n: ms.length, median: quantile(ms, 0.5), p99: quantile(ms, 0.99), most: Math.max(...ms) }])),
    };
  } finally {
    await server.stop();
  }
}

/** The traces, each as a function that puts it into a store. → {wall_s, cpu_s, peak_mb}. */
async function traces(most) {
  const ingest = (file) => (store) => measure([program, 'ingest', '--db', store, file], { expected: 0 });
  const made = (events) => kept(`trace-with-counters-${events}.json`, (out) => writeMadeTrace(out, events, { counters: true }));
  const all = {};
  if (existsSync(REAL)) {
    // Dumps are known by their names.
    all.real = ingest(await kept('trace-real.json.gz', (out) => copyFileSync(REAL, out)));
  } else {
    say('skipped: the real trace, for ../shared/data is not there');
  }
  for (const events of [1e6, 1e7]) {
    if (events <= most) all[`${events / 1e6} million`] = ingest(await made(events));
  }
  all['3 million, XPlane'] = ingest(await madeXplaneFolder(3e6));
  if (most > 1e7) all[`${most / 1e6} million`] = (store) => measure([tilesProgram, 'write-all', store, String(most)]);
  return all;
}

export async function viewer(args) {
  const most = option(args, 'events', 1e8), tiles = option(args, 'tiles', 3000), rounds = option(args, 'rounds', 40);
  const load = loadavg()[0];
  const figures = {};
  for (const [name, put] of Object.entries(await traces(most))) {
    const store = path.join(data, 'viewer.db');
    removeStore(store);
    const { wall_s, cpu_s, peak_mb } = await put(store);
    const sizes = JSON.parse((await measure([tilesProgram, 'sizes', store])).output);
    figures[name] = { imported: { wall_s, cpu_s, peak_mb }, sizes, file_bytes: statSync(store).size, ...(await measured(store, { tiles, rounds })) };
    say(`${name}: measured`);
    removeStore(store);
  }
  const columns = Object.keys(figures), of = Object.values(figures);
  const row = (name, show) => [name, ...of.map(show)];
  const ms = (name) => ({ ms: all }) => (all[name] ? `${all[name].median.toFixed(1)} / ${all[name].p99.toFixed(1)}` : '');
  const events = ({ slices, points, flows }) => slices + points + flows;
  say(`\nOver HTTP, median / p99 in ms: ${tiles} tiles of random tracks, zooms and places (a tenth of that cold), ${rounds} of each other question.${load < 0.5 ? '' : ` The machine was shared: a load of ${load.toFixed(1)} before.`}\n`);
  table(['', ...columns], [
    row('a tile', ms('tile')), row('a tile, nothing in the system’s cache', ms('tile_cold')), row('a tile of all of a track', ms('whole')), row(`tiles of ${TRACKS_A_BATCH} tracks`, ms('batch')),
    row('find: a letter', ms('find_letter')), row('a common name', ms('find_common')), row('a rare one', ms('find_rare')), row('no hit', ms('find_none')),
    row('sums of all', ms('sums_all')), row('sums of a window', ms('sums_window')), row('stacks of half a million slices', ms('flame')),
    row('a counter', ms('counter')), row('arrows of a thousandth', ms('flows')),
    row('SQL: names', ms('sql_labels')), row('SQL: slices of a thousandth', ms('sql_slices')),
    row('server’s memory at most, tiles only, MB', (one) => one.tiles_mb.toFixed(0)), row('with all questions, MB', (one) => one.peak_mb.toFixed(0)),
  ]);
  say('\nIn the store\n');
  table(['', ...columns], [
    row('slices', (one) => one.slices), row('ends of flows', (one) => one.flows), row('points', (one) => one.points),
    row('put into the store, s', (one) => one.imported.wall_s.toFixed(1)), row('processor time, s', (one) => one.imported.cpu_s.toFixed(1)),
    row('million events a second', (one) => (events(one) / one.imported.wall_s / 1e6).toFixed(2)), row('memory for it, MB', (one) => one.imported.peak_mb.toFixed(0)),
    row('bytes an event, all', (one) => (one.sizes.bytes.pages / events(one)).toFixed(2)),
    row('without the index', (one) => ((one.sizes.bytes.pages - one.sizes.index_pages) / events(one)).toFixed(2)),
    row('of it arguments', (one) => (one.sizes.bytes.arguments / events(one)).toFixed(2)),
  ]);
  keepFigures('viewer', { load, figures });
  const searches = ['find_letter', 'find_common', 'find_rare', 'find_none'];
  return of.every((one) => one.ms.tile.median < TARGET_MEDIAN_MS && one.ms.tile.p99 < TARGET_P99_MS
    && searches.every((name) => one.ms[name].p99 < TARGET_SEARCH_MS) && one.peak_mb < TARGET_MB);
}
