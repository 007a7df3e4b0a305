// A large Chrome trace read and analysed, beside Python and Node that only parse it (Node's is what Chrome's viewer does); and one
// larger than those can take.
import { closeSync, openSync, readFileSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeMadeTrace } from './lib/made_trace.mjs';
import { kept, keepFigures, measure, median, option, program, root, say, spread, table } from './lib/tools.mjs';

const PYTHON = 'import json, sys\njson.load(open(sys.argv[1]))';
const NODE = 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))';

const summary = (file) => [program, 'trace', 'summary', file, '--format', 'json'];

function tracesIn(folder) {
  return readdirSync(folder, { recursive: true }).map(String).sort()
    .filter((name) => /(^|\/)trace-.*\.json\.gz$/.test(name)).map((name) => path.join(folder, name));
}

/** The events of the sample traces, as they stand in their files, again and again up to so many bytes. */
function repeatedTrace(bytes) {
  return kept(`trace-${bytes}.json`, (out) => {
    const lists = tracesIn(path.join(root, 'samples')).map((file) => {
      const text = gunzipSync(readFileSync(file)).toString();
      const begin = text.indexOf('[', text.indexOf('"traceEvents"')) + 1;
      return text.slice(begin, text.lastIndexOf(']')).trim();
    });
    const file = openSync(out, 'w');
    writeSync(file, '{"schemaVersion": 1, "traceEvents": [');
    for (let done = 0, i = 0; done < bytes; ++i) {
      const text = (i ? ',\n' : '\n') + lists[i % lists.length];
      writeSync(file, text);
      done += Buffer.byteLength(text);
    }
    writeSync(file, '\n]}\n');
    closeSync(file);
  });
}

/** Memory that reading a trace of a single event takes: the program's own. */
async function ownMemory() {
  const file = await kept('trace-of-one-event.json', (out) => writeFileSync(out, '[{"ph": "X", "ts": 1, "dur": 1}]'));
  return (await measure(summary(file))).peak_mb;
}

export async function trace(args) {
  // Node cannot hold a text of more than 512 MB.
  const bytes = option(args, 'bytes', 400_000_000);
  const rounds = option(args, 'rounds', 3);
  const made = option(args, 'events', 10_000_000);
  const load = loadavg()[0];
  const plain = await repeatedTrace(bytes);
  const zipped = await kept(`trace-${bytes}.json.gz`, (out) => writeFileSync(out, gzipSync(readFileSync(plain))));
  const large = await kept(`trace-of-${made}-events.json`, (out) => writeMadeTrace(out, made));
  const own = await ownMemory();
  const jobs = {
    'benchhud trace summary': { command: summary(plain), file: plain, ours: true },
    'python3, json.load': { command: ['python3', '-c', PYTHON, plain], file: plain },
    'node, JSON.parse': { command: [process.execPath, '--max-old-space-size=16000', '-e', NODE, plain], file: plain },
    'benchhud, the same as gzip': { command: summary(zipped), file: plain, ours: true },
    'benchhud, the made one': { command: summary(large), file: large, ours: true },
  };
  const events = {};
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    for (const job of Object.values(jobs)) {
      const run = await measure(job.command);
      if (job.ours) events[job.file] = JSON.parse(run.output).events;
      if (round > 0) (job.runs ??= []).push(run);
    }
  }
  const million = (file) => (events[file] / 1e6).toFixed(2), megabytes = (file) => statSync(file).size / 1e6;
  say(`\n${million(plain)} million events of sample traces in ${megabytes(plain).toFixed(0)} MB (${megabytes(zipped).toFixed(0)} MB as gzip), ${million(large)} million made ones in ${megabytes(large).toFixed(0)} MB; ${rounds} rounds in turn: median (least–greatest).`);
  say(`MB are of plain JSON. Bytes of memory: the peak of the process less that for a single event (${own.toFixed(1)} MB), texts included.`);
  say(load < 0.5 ? '' : `The machine was shared: a load of ${load.toFixed(1)} before the first run. Wall times say little.\n`);
  const first = jobs['benchhud trace summary'].runs;
  table(['', 'MB/s, wall', 'million events/s, wall', 'MB a second of processor time', 'million events a second of it', 'bytes of memory an event', 'benchhud is so many times as fast, wall', 'processor time'],
    Object.entries(jobs).map(([name, { file, runs, ours }]) => [
      name, spread(runs.map((run) => megabytes(file) / run.wall_s), 0), spread(runs.map((run) => events[file] / 1e6 / run.wall_s)),
      spread(runs.map((run) => megabytes(file) / run.cpu_s), 0), spread(runs.map((run) => events[file] / 1e6 / run.cpu_s)),
      ((median(runs.map((run) => run.peak_mb)) - (ours ? own : 0)) * 2 ** 20 / events[file]).toFixed(0),
      ours ? '' : spread(runs.map((run, i) => run.wall_s / first[i].wall_s), 1),
      ours ? '' : spread(runs.map((run, i) => run.cpu_s / first[i].cpu_s), 1),
    ]));
  keepFigures('trace', { bytes, load, own_mb: own, jobs: Object.fromEntries(Object.entries(jobs).map(([name, { file, runs }]) => [name, { events: events[file], megabytes: megabytes(file), runs: runs.map(({ output, ...figures }) => figures) }])) });
  return median(first.map((run) => megabytes(plain) / run.wall_s)) >= 250 || median(first.map((run) => events[plain] / run.wall_s)) >= 1e6;
}
