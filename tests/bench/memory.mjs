// Memory and time as files grow: ten times the file, ten times the time, and no more memory; and single huge lines.
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { data, fleetFile, keepFigures, kept, measure, median, option, program, removeStore, say, spread, table } from './lib/tools.mjs';

// A file of one line of about `bytes` bytes; `fill` gives its metrics, piece by piece.
function hugeLine(name, bytes, fill) {
  return kept(name, async (out) => {
    const file = openSync(out, 'w');
    writeSync(file, '{"model": {"suite_name": "torchbench", "model_name": "huge"}, "experiment": {"accelerator": "cuda", "accelerator_model": "A", '
      + '"xla": null, "dynamo": "inductor", "test": "eval", "batch_size": 1}, "timestamp": 1700000000.0, "metrics": {');
    fill((text) => writeSync(file, text), bytes);
    writeSync(file, '}, "verification_code": "VERIFIER_SKIPPED"}\n');
    closeSync(file);
  });
}

function fillError(write, bytes) {
  write('"error": "');
  for (let done = 0; done < bytes; done += 64) write('RuntimeError: something at 0x7f00deadbeef went wrong once again\\n');
  write('"');
}

function fillSamples(write, bytes) {
  write('"total_time": [0.5');
  for (let done = 0, i = 0; done < bytes; ++i) {
    const text = `, ${0.05 + 1 / (i + 7)}`;
    write(text);
    done += text.length;
  }
  write(']');
}

// As little text per number as Python's json module ever writes.
function fillCounts(write, bytes) {
  write('"counts": [0');
  for (let done = 0; done < bytes; done += 30) write(', 1, 2, 3, 4, 5, 6, 7, 8, 9, 0');
  write(']');
}

function fillMetrics(write, bytes) {
  for (let done = 0, i = 0; done < bytes; ++i) {
    const text = `${i ? ', ' : ''}"metric_${i}": [${Array(8).fill(0.123456 + i).join(', ')}]`;
    write(text);
    done += text.length;
  }
}

// As many metrics as a line may have (docs/formats.md, "Memory budgets").
function fillMostMetrics(write, bytes) {
  const MOST = 100_000;
  const samples = Math.floor(bytes / MOST / ', 0.123456'.length);
  for (let i = 0; i < MOST; ++i) write(`${i ? ', ' : ''}"metric_${i}": [${Array(samples).fill(0.123456).join(', ')}]`);
}

// `expected`: the exit status, 3 where the line is refused.
async function ingestOnce(file, expected = 0) {
  const store = path.join(data, 'memory.db');
  removeStore(store);
  const run = await measure([program, 'ingest', '--db', store, file], { expected });
  removeStore(store);
  return run;
}

export async function memory(args) {
  const bytes = option(args, 'bytes', 200_000_000);
  const rounds = option(args, 'rounds', 3);
  const small = await fleetFile(`fleet-${bytes}.jsonl`, ['--bytes', String(bytes)]);
  const large = await fleetFile(`fleet-${10 * bytes}.jsonl`, ['--bytes', String(10 * bytes)]);
  const smalls = [], larges = [];
  for (let round = 0; round < rounds; ++round) {
    smalls.push(await ingestOnce(small));
    larges.push(await ingestOnce(large));
  }
  const ratio = (of) => larges.map((run, i) => run[of] / smalls[i][of]);
  const column = (runs, of, digits) => spread(runs.map((run) => run[of]), digits);
  say(`\nIngest of ${bytes / 1e6} MB and of ten times as much, ${rounds} rounds in turn: median (least–greatest)\n`);
  table(['', `${bytes / 1e6} MB`, `${bytes / 1e5} MB`, 'ratio, pair by pair'], [
    ['wall, s', column(smalls, 'wall_s', 1), column(larges, 'wall_s', 1), spread(ratio('wall_s'))],
    ['processor time, s', column(smalls, 'cpu_s', 1), column(larges, 'cpu_s', 1), spread(ratio('cpu_s'))],
    ['peak memory, MB', column(smalls, 'peak_mb', 0), column(larges, 'peak_mb', 0), spread(ratio('peak_mb'))],
  ]);

  const huge = 100_000_000;
  const rows = [], peaks = [];
  // What exceeds a budget is refused, and reading it until then has a peak as well.
  const REFUSED = 3;
  for (const [what, file, expected] of [
    ['error text', await hugeLine('huge-error.jsonl', huge, fillError), 0],
    ['samples', await hugeLine('huge-samples.jsonl', huge, fillSamples), 0],
    ['100,000 metrics', await hugeLine('huge-most-metrics.jsonl', huge, fillMostMetrics), 0],
    ['refused: counts of one digit', await hugeLine('huge-counts.jsonl', huge, fillCounts), REFUSED],
    ['refused: a million metrics of eight samples', await hugeLine('huge-metrics.jsonl', huge, fillMetrics), REFUSED],
  ]) {
    const run = await ingestOnce(file, expected);
    peaks.push(run.peak_mb * 2 ** 20 / huge);
    rows.push([what, run.wall_s.toFixed(1), run.peak_mb.toFixed(0), peaks.at(-1).toFixed(1)]);
  }
  say(`\nOne line of ${huge / 1e6} MB\n`);
  table(['the line is', 'wall, s', 'peak memory, MB', 'times the line'], rows);
  keepFigures('memory', { bytes, smalls, larges, huge: rows });
  // Processor time scatters by some per cent from run to run: hence 11.
  return Math.max(...larges.map((run) => run.peak_mb)) < 200 && median(ratio('cpu_s')) <= 11 && Math.max(...peaks) <= 10;
}
