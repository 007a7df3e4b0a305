// What others wait for while traces come in: what people say of an alert during the ingest of a large trace, and four ingests at
// once beside one that takes the same files in by itself.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { writeMadeTrace } from './lib/made_trace.mjs';
import { Server } from './lib/server.mjs';
import { data, keepFigures, kept, measure, median, option, program, quantile, removeStore, root, say, spread, table } from './lib/tools.mjs';

const TARGET_CHANGE_MS = 200, TARGET_RATIO = 1.3;
const AT_ONCE = 4;
const PAUSE_MS = 20;
const RESULT = 'latest/mlp_mini/eval/aot_eager';

const own = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A store of the sample nights, which has alerts. */
function sampleStore(name) {
  const store = path.join(data, name);
  removeStore(store);
  own('ingest', path.join(root, 'samples/cpu_nightlies'), '--db', store, '--quiet');
  return store;
}

/** Notes at an alert, one after the other, until `work` is done; → {ms, ok} of each. */
async function notesDuring(work, { base, token }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [{ id }] = (await (await fetch(`${base}/api/v1/alerts?state=all`, { headers })).json()).items;
  const answers = [];
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  while (!isDone) {
    const began = performance.now();
    const answer = await fetch(`${base}/api/v1/alerts/${id}/actions`, { method: 'POST', headers, body: JSON.stringify({ kind: 'note', value: `note ${answers.length}` }) });
    await answer.arrayBuffer();
    answers.push({ ms: performance.now() - began, ok: answer.ok });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { run: await done, answers };
}

async function largeTrace(events) {
  const trace = await kept(`trace-of-${events}-events.json`, (out) => writeMadeTrace(out, events));
  const store = sampleStore('waiting.db');
  const token = own('tokens', 'add', 'waiting', '--scope', 'triage', '--db', store).trim();
  const server = await Server.start(store);
  try {
    await server.settled();
    const { run, answers } = await notesDuring(measure([program, 'ingest', trace, '--for', RESULT, '--db', store, '--quiet']), { base: server.base, token });
    return { bytes: statSync(trace).size, ingest_s: run.wall_s, peak_mb: run.peak_mb, ms: answers.map(({ ms }) => ms), refused: answers.filter(({ ok }) => !ok).length };
  } finally {
    await server.stop();
    removeStore(store);
  }
}

/** Seconds that the files take to come into a new store, all by one ingest after the other or each by one of its own at once. */
async function taken(files, isAtOnce) {
  const store = sampleStore('waiting-four.db');
  const ingest = (file) => measure([program, 'ingest', file, '--for', RESULT, '--wait', '600', '--db', store, '--quiet']);
  const began = performance.now();
  if (isAtOnce) await Promise.all(files.map(ingest));
  else for (const file of files) await ingest(file);
  const seconds = (performance.now() - began) / 1000;
  removeStore(store);
  return seconds;
}

async function fourAtOnce(events, rounds) {
  const files = [];
  for (let i = 0; i < AT_ONCE; ++i) files.push(await kept(`trace-of-${events + i}-events.json`, (out) => writeMadeTrace(out, events + i)));
  const rows = [];
  for (let round = 0; round <= rounds; ++round) {
    const row = { one: await taken(files, false), four: await taken(files, true) };
    if (round > 0) rows.push(row);  // the first warms the caches
  }
  return { bytes: files.reduce((sum, file) => sum + statSync(file).size, 0), rows };
}

export async function waiting(args) {
  const load = loadavg()[0];
  const large = await largeTrace(option(args, 'events', 6_600_000));
  const rounds = option(args, 'rounds', 3);
  const four = await fourAtOnce(option(args, 'each', 1_000_000), rounds);
  const most = Math.max(...large.ms);
  say(load < 0.5 ? '' : `The machine was shared: a load of ${load.toFixed(1)} before the first run.\n`);
  say(`\nA trace of ${(large.bytes / 1e9).toFixed(2)} GB came in in ${large.ingest_s.toFixed(1)} s (peak memory ${large.peak_mb.toFixed(0)} MB); meanwhile ${large.ms.length} notes at an alert, one after the other, ${large.refused} refused:`);
  table(['', 'p50 ms', 'p99 ms', 'most ms'], [['a note', median(large.ms).toFixed(1), quantile(large.ms, 0.99).toFixed(1), most.toFixed(1)]]);
  const ratios = four.rows.map(({ one, four: all }) => one / all);
  say(`\n${AT_ONCE} traces, ${(four.bytes / 1e9).toFixed(2)} GB together; ${rounds} rounds in turn: median (least–greatest).`);
  table(['', 'seconds'], [['one ingest after the other', spread(four.rows.map(({ one }) => one))], ['all at once', spread(four.rows.map(({ four: all }) => all))], ['so many times as much a second', spread(ratios)]]);
  say(`\nTargets: no note refused or longer than ${TARGET_CHANGE_MS} ms; ${TARGET_RATIO} times as much a second.`);
  keepFigures('waiting', { load, large, four });
  return large.refused === 0 && most < TARGET_CHANGE_MS && median(ratios) >= TARGET_RATIO;
}
