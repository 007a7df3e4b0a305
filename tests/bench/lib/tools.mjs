// What the benchmarks share: the programs, fleets on disk, measuring a process, medians and tables.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const build = path.resolve(process.env.BENCHHUD_BENCH_BUILD ?? path.join(root, 'build/bench'));
/** Fleets, stores and results lie here; fleets stay for the next time. */
export const data = path.resolve(process.env.BENCHHUD_BENCH_DATA ?? path.join(root, 'build/bench/data'));
export const program = path.join(build, 'cli/benchhud');
export const alertsProgram = path.join(build, 'tests/bench/alerts');
export const tilesProgram = path.join(build, 'tests/bench/tiles');
export const fleetProgram = path.join(build, 'tests/bench/fleet');
export const xplaneFileProgram = path.join(build, 'tests/bench/xplane_file');
export const xplaneParseProgram = path.join(build, 'tests/bench/xplane_parse');
const measureProgram = path.join(build, 'tests/bench/measure');

export function say(text) {
  process.stdout.write(text + '\n');
}

/** Runs a command. → {wall_s, user_s, system_s, cpu_s, peak_mb, status, output}. Throws where its exit status is not `expected`. */
export function measure(command, { expected = 0 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(measureProgram, command, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const taken = { output: '', figures: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (taken.output += text));
    child.stdio[3].setEncoding('utf8').on('data', (text) => (taken.figures += text));
    child.on('error', reject);
    child.on('close', () => {
      const figures = JSON.parse(taken.figures || '{"status": -1}');
      if (figures.status !== expected) return reject(new Error(`${command.join(' ')} ended with ${figures.status}`));
      resolve({ ...figures, cpu_s: figures.user_s + figures.system_s, output: taken.output });
    });
  });
}

/** A file or folder of this name in `data`, made by `make(path)` unless it is there. A half-made one is not taken for one. */
export async function kept(name, make) {
  const target = path.join(data, name);
  if (existsSync(target)) return target;
  mkdirSync(data, { recursive: true });
  const making = target + '.making';
  rmSync(making, { recursive: true, force: true });
  say(`making ${name}`);
  await make(making);
  renameSync(making, target);
  return target;
}

export function fleetFile(name, options) {
  return kept(name, (out) => measure([fleetProgram, ...options, '--out', out]));
}

export function fleetFolder(name, options) {
  return kept(name, (out) => measure([fleetProgram, ...options, '--folder', out]));
}

export function removeStore(file) {
  for (const end of ['', '-wal', '-shm', '.wal']) rmSync(file + end, { force: true });
}

export function filesOf(folder) {
  return readdirSync(folder).sort().map((name) => path.join(folder, name));
}

export function sizeOf(files) {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** A generator of numbers in [0, 1), the same every time (mulberry32). */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

/** "1.23 (1.10–1.40)": the median, and the least and greatest. */
export function spread(values, digits = 2) {
  const show = (value) => value.toFixed(digits);
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

/** Prints rows of cells as a Markdown table. */
export function table(header, rows) {
  const all = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(' | ')} |`;
  say(line(all[0]));
  say(`|${widths.map((width, i) => (i ? '-'.repeat(width + 1) + ':' : '-'.repeat(width + 2))).join('|')}|`);
  for (const row of all.slice(1)) say(line(row));
}

/** Keeps figures beside the data, with what they were measured on. */
export function keepFigures(name, figures) {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memory_gb: Math.round(totalmem() / 2 ** 30), load: loadavg() };
  writeFileSync(path.join(data, `${name}.json`), JSON.stringify({ at: new Date().toISOString(), machine, ...figures }, null, 1));
}

/** The number behind `--name`, else `otherwise`. */
export function option(args, name, otherwise) {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(args[at + 1]);
}
