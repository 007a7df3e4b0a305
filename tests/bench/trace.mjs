// A large Chrome trace read and analysed, beside Python and Node that only parse it (Node's is what Chrome's viewer does).
import { closeSync, openSync, readFileSync, readdirSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { kept, keepFigures, measure, median, option, program, root, say, spread, table } from './lib/tools.mjs';

const PYTHON = 'import json, sys\njson.load(open(sys.argv[1]))';
const NODE = 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))';

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

export async function trace(args) {
  // Node cannot hold a text of more than 512 MB.
  const bytes = option(args, 'bytes', 400_000_000);
  const rounds = option(args, 'rounds', 3);
  const file = await repeatedTrace(bytes);
  const megabytes = statSync(file).size / 1e6;
  const commands = {
    'benchhud trace summary': [program, 'trace', 'summary', file, '--format', 'json'],
    'python3, json.load': ['python3', '-c', PYTHON, file],
    'node, JSON.parse': [process.execPath, '--max-old-space-size=16000', '-e', NODE, file],
  };
  const runs = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  let events = 0;
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    for (const [name, command] of Object.entries(commands)) {
      const run = await measure(command);
      if (name.startsWith('benchhud')) events = JSON.parse(run.output).events;
      if (round > 0) runs[name].push(run);
    }
  }
  const ours = runs['benchhud trace summary'];
  say(`\nA trace of ${megabytes.toFixed(0)} MB and ${(events / 1e6).toFixed(2)} million events, ${rounds} rounds in turn: median (least–greatest)\n`);
  table(['', 'MB/s, wall', 'million events/s, wall', 'peak memory, MB', 'bytes of memory an event', 'benchhud is so many times as fast, wall', 'processor time'],
    Object.entries(runs).map(([name, of]) => [
      name, spread(of.map((run) => megabytes / run.wall_s), 0), spread(of.map((run) => events / 1e6 / run.wall_s)),
      spread(of.map((run) => run.peak_mb), 0), (median(of.map((run) => run.peak_mb)) * 2 ** 20 / events).toFixed(0),
      of === ours ? '' : spread(of.map((run, i) => run.wall_s / ours[i].wall_s), 1),
      of === ours ? '' : spread(of.map((run, i) => run.cpu_s / ours[i].cpu_s), 1),
    ]));
  keepFigures('trace', { bytes, events, runs: Object.fromEntries(Object.entries(runs).map(([name, of]) => [name, of.map(({ output, ...figures }) => figures)])) });
  const rate = median(ours.map((run) => megabytes / run.wall_s));
  return rate >= 250 || median(ours.map((run) => events / run.wall_s)) >= 1e6;
}
