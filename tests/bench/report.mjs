// The upstream-compatible report over a year of nights, beside Python that only parses the same lines.
import { filesOf, fleetFolder, keepFigures, measure, option, program, say, sizeOf, spread, table } from './lib/tools.mjs';

const PARSE_ONLY = 'import json, sys\nfor path in sys.argv[1:]:\n  for line in open(path): json.loads(line)';

export async function report(args) {
  const nights = option(args, 'nights', 365);
  const rounds = option(args, 'rounds', 5);
  const files = filesOf(await fleetFolder(`nights-${nights}`, ['--nights', String(nights)]));
  const megabytes = sizeOf(files) / 1e6;
  const kinds = {
    speedup: [], latest: ['--report', 'latest'], 'histogram, training, 4 backends':
      ['--report', 'histogram', '--test', 'training', '--backends', 'inductor', 'eager', 'openxla+dynamo', 'openxla+lazytensor'],
  };
  const command = (options) => [program, 'report', '--accelerator', 'a100', ...options, '--', ...files];
  const python = [], ours = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    const parsing = await measure(['python3', '-c', PARSE_ONLY, ...files]);
    if (round > 0) python.push(parsing);
    for (const [kind, options] of Object.entries(kinds)) {
      const run = await measure(command(options));
      if (run.output.split('\n').length < 3) throw new Error(`the report ${kind} is empty`);
      if (round > 0) ours[kind].push(run);
    }
  }
  const rate = (runs, of) => spread(runs.map((run) => megabytes / run[of]), 0);
  say(`\nThe report over ${nights} nights, ${megabytes.toFixed(0)} MB in ${files.length} files, ${rounds} rounds in turn: median (least–greatest)\n`);
  table(['', 'MB/s, wall', 'MB a second of processor time', 'peak memory, MB', 'times as fast as Python, wall', 'processor time'], [
    ['python3, json.loads of each line', rate(python, 'wall_s'), rate(python, 'cpu_s'), spread(python.map((run) => run.peak_mb), 0), '', ''],
    ...Object.entries(ours).map(([kind, runs]) => [
      `benchhud report: ${kind}`, rate(runs, 'wall_s'), rate(runs, 'cpu_s'), spread(runs.map((run) => run.peak_mb), 0),
      spread(runs.map((run, i) => python[i].wall_s / run.wall_s), 1), spread(runs.map((run, i) => python[i].cpu_s / run.cpu_s), 1),
    ]),
  ]);
  keepFigures('report', { nights, megabytes, python, ours });
  return true;
}
