// A made-up XPlane profile of 3 million events read and summed up, beside libprotobuf and protozero that only decode it (the first is what
// XProf does before it begins); how much memory one of a gigabyte takes; and how fast they come into a store.
import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { data, keepFigures, kept, measure, median, option, program, removeStore, say, spread, table, xplaneFileProgram, xplaneParseProgram } from './lib/tools.mjs';

const TARGET_SUMMARY_S = 0.6, TARGET_STORE = 1.0, TARGET_MB = 600;
/** Where the runner leaves what XLA's profiler wrote of a result. */
const SESSION = 'model/xla-profile/xplane-tpu-openxla-False-train-None-PJRT-None-model/plugins/profile/2026_01_02_03_04_05';

const made = (events) => kept(`xplane-of-${events}-events.xplane.pb`, (out) => measure([xplaneFileProgram, String(events), out]));
const summary = (file) => [program, 'trace', 'summary', file, '--format', 'json'];

/** The file as a dump in an output directory. */
export function xplaneFolder(file) {
  const folder = path.join(data, `${path.basename(file, '.xplane.pb')}-output`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, SESSION), { recursive: true });
  symlinkSync(file, path.join(folder, SESSION, 'localhost_9012.xplane.pb'));
  return folder;
}

/** A made-up profile of so many events, in an output directory. */
export const madeXplaneFolder = async (events) => xplaneFolder(await made(events));

export async function xplane(args) {
  const events = option(args, 'events', 3_000_000), rounds = option(args, 'rounds', 5), bytes = option(args, 'bytes', 1e9);
  const load = loadavg()[0];
  const file = await made(events);
  const size = statSync(file).size;
  const large = await made(Math.round(events * bytes / size));
  const jobs = {
    'benchhud trace summary': { command: () => summary(file) },
    'libprotobuf, parse alone': { command: () => [xplaneParseProgram, 'libprotobuf', file] },
    'protozero, all fields': { command: () => [xplaneParseProgram, 'protozero', file] },
  };
  const store = path.join(data, 'xplane.db'), folder = xplaneFolder(file);
  jobs['benchhud ingest, into a store'] = { before: () => removeStore(store), command: () => [program, 'ingest', '--db', store, folder] };
  let read;
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    for (const [name, job] of Object.entries(jobs)) {
      job.before?.();
      const run = await measure(job.command());
      if (name === 'benchhud trace summary') read = JSON.parse(run.output).events;
      if (round > 0) (job.runs ??= []).push(run);
    }
  }
  removeStore(store);
  const reading = await measure(summary(large));
  const read_large = JSON.parse(reading.output).events;
  const large_folder = xplaneFolder(large);
  const storing = await measure([program, 'ingest', '--db', store, large_folder]);
  removeStore(store);
  for (const made_folder of [folder, large_folder]) rmSync(made_folder, { recursive: true });
  const first = jobs['benchhud trace summary'].runs;
  say(`\n${(read / 1e6).toFixed(2)} million events in ${(size / 1e6).toFixed(0)} MB; ${rounds} rounds in turn: median (least–greatest).`);
  say(load < 0.5 ? '' : `The machine was shared: a load of ${load.toFixed(1)} before the first run. Wall times say little.\n`);
  table(['', 's, wall', 'million events a second, wall', 's of processor time', 'peak memory, MB', 'the summary takes so many times as long, wall'],
    Object.entries(jobs).map(([name, { runs }]) => [
      name, spread(runs.map(({ wall_s }) => wall_s)), spread(runs.map(({ wall_s }) => read / 1e6 / wall_s)), spread(runs.map(({ cpu_s }) => cpu_s)),
      median(runs.map(({ peak_mb }) => peak_mb)).toFixed(0), name.startsWith('benchhud') ? '' : spread(runs.map(({ wall_s }, i) => first[i].wall_s / wall_s), 1),
    ]));
  say(`\nOne of ${(statSync(large).size / 1e9).toFixed(2)} GB with ${(read_large / 1e6).toFixed(1)} million events: the summary takes ${reading.wall_s.toFixed(1)} s and ${reading.peak_mb.toFixed(0)} MB at most, into a store it goes in ${storing.wall_s.toFixed(1)} s with ${storing.peak_mb.toFixed(0)} MB.`);
  keepFigures('xplane', { load, events: read, bytes: size, large: { bytes: statSync(large).size, events: read_large, reading: { ...reading, output: undefined }, storing: { ...storing, output: undefined } },
    jobs: Object.fromEntries(Object.entries(jobs).map(([name, { runs }]) => [name, runs.map(({ output, ...figures }) => figures)])) });
  const seconds = (name) => median(jobs[name].runs.map(({ wall_s }) => wall_s));
  return seconds('benchhud trace summary') <= TARGET_SUMMARY_S && read / 1e6 / seconds('benchhud ingest, into a store') >= TARGET_STORE
    && reading.peak_mb < TARGET_MB && storing.peak_mb < TARGET_MB;
}
