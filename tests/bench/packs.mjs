// Packs beside the traces that they are made of: how large they are, and how long each takes to come into a store.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeMadeTrace } from './lib/made_trace.mjs';
import { data, filesOf, keepFigures, kept, measure, median, option, program, removeStore, root, say, spread, table } from './lib/tools.mjs';

/** Traces with a name for people: made ones, the project's own, and those beside the checkout where they are there. */
async function traces(events) {
  const sample = path.join(root, 'samples/cpu_nightlies/2025-11-15/resnet_mini/0');
  const found = filesOf(sample).filter((file) => path.basename(file).startsWith('trace-')).slice(0, 1).map((file) => ['a sample of resnet_mini', file]);
  const shared = path.join(root, '../shared/data');
  for (const [name, file] of [
    ['PyTorch, compiled, CPU', 'traces/pytorch26_cpu/graph_breaks_compile.json'],
    ['PyTorch, CUDA graphs', 'traces/hta/df_index_resolver/df_index_resolver.json.gz'],
    ['XPlane, V100s', 'xplane/tf_v100_multi_worker_2020.xplane.pb'],
  ]) if (existsSync(path.join(shared, file))) found.push([name, path.join(shared, file)]);
  found.push([`${events} made events`, await kept(`trace-of-${events}-events.json`, (out) => writeMadeTrace(out, events))]);
  return found;
}

/** Its content in a file that is named as a dump of the runner. */
function unpacked(file, number) {
  const copy = path.join(data, `trace-to-pack-${number}.json`);
  const bytes = readFileSync(file);
  writeFileSync(copy, file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  return copy;
}

async function comesIn(file) {
  const store = path.join(data, 'packs.db');
  removeStore(store);
  const run = await measure([program, 'ingest', file, '--db', store, '--quiet']);
  removeStore(store);
  return run;
}

export async function packs(args) {
  const rounds = option(args, 'rounds', 5);
  const rows = [];
  for (const [number, [name, file]] of (await traces(option(args, 'events', 1_000_000))).entries()) {
    const trace = unpacked(file, number), pack = `${trace}.pack`;
    rmSync(pack, { force: true });
    const made = await measure([program, 'pack', trace]);
    const turns = [];
    for (let round = 0; round <= rounds; ++round) {
      const turn = { trace: await comesIn(trace), pack: await comesIn(pack) };
      if (round > 0) turns.push(turn);  // the first warms the caches
    }
    rows.push({ name, trace: statSync(trace).size, gzip: gzipSync(readFileSync(trace)).length, pack: statSync(pack).size, made, turns });
    for (const one of [trace, pack]) rmSync(one);
  }
  const mb = (bytes) => (bytes / 1e6).toFixed(3);
  table(['', 'trace, MB', 'gzip', 'pack', 'of the trace', 'made in, s', 'the trace comes in, s', 'the pack', 'of its time'], rows.map(({ name, trace, gzip, pack, made, turns }) => [
    name, mb(trace), mb(gzip), mb(pack), (pack / trace).toFixed(3), made.wall_s.toFixed(2), spread(turns.map((turn) => turn.trace.wall_s)), spread(turns.map((turn) => turn.pack.wall_s)),
    median(turns.map((turn) => turn.pack.wall_s / turn.trace.wall_s)).toFixed(2)]));
  say(`\n${rounds} rounds in turn: median (least–greatest). There is no target.`);
  keepFigures('packs', rows);
  return true;
}
