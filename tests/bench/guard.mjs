// The guard of speed: counts instructions (valgrind's callgrind) and SQL statements of fixed paths, and fails where there are more than guard.json allows.
// Neither the machine's load nor its clock changes a count. docs/performance.md says how to read and how to renew them.
//
//   ./dev bench guard [--write] [--report FILE] [PART OF A NAME…]
//
// --report: numbers of passed, failed and skipped paths, as node's test runner ends its reports.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { compare, renewed, verdictTable, versionDifferences } from './guard_counts.mjs';
import { jobs, stores } from './guard_paths.mjs';
import { removeStore, root, say, table } from './lib/tools.mjs';

const countsFile = path.join(root, 'tests/bench/guard.json');
const programs = { benchhud: path.join(root, 'build/release/cli/benchhud'), guard: path.join(root, 'build/release/tests/guard') };
/** What callgrind wrote about each path, for callgrind_annotate. */
const folder = path.join(root, 'build/guard');
// Everything is run in here. A store holds paths of files, and how its pages fill depends on their lengths: counts differed by up to 1 % between
// checkouts until this path had the same length in all of them.
const PATH_LENGTH = 160;
const work = path.join(folder, 'x'.repeat(Math.max(1, PATH_LENGTH - folder.length - 1)));

// glibc and simdjson choose between versions of a function by the processor. What is freed goes to the thread's cache, however much there is: where
// malloc() merges and sorts freed blocks, it does so at times that depend on lengths of paths and times, and took 5 % of a short answer in one checkout only.
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: '/nonexistent',
  SIMDJSON_FORCE_IMPLEMENTATION: 'westmere', GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-AVX2,-AVX,-BMI2,-ERMS:glibc.malloc.tcache_count=65535',
};

// Whose code is counted, and what compiles and counts.
const PACKAGES = ['g++-12', 'libboost-program-options1.74.0', 'libboost-regex1.74.0', 'libc6', 'libfmt9', 'libsimdjson14', 'libsqlite3-0', 'libssl3', 'libstdc++6', 'libxxhash0', 'libzstd1', 'nlohmann-json3-dev', 'valgrind', 'zlib1g'];

/** Package → version, of those that are installed. */
function versions() {
  let lines;
  try {
    lines = execFileSync('dpkg-query', ['-W', '-f', '${Package} ${Version}\n', ...PACKAGES], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    lines = error.stdout ?? '';  // of the others, where one is not installed
  }
  return Object.fromEntries(lines.split('\n').filter(Boolean).map((line) => line.split(' ')));
}

/** Why the committed counts say nothing about this machine; null where they do. Valgrind presents the same processor wherever there is AVX2. */
function incomparable() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return `the counts are of Linux on x86-64, this is ${process.platform} on ${process.arch}`;
  return / avx2 /.test(readFileSync('/proc/cpuinfo', 'utf8')) ? null : 'the counts are of processors with AVX2, which this one does not have';
}

/** Runs a command to its end → what it wrote to standard output. Throws where it fails. */
function run(command, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: ENVIRONMENT, cwd: work });
    let output = '', errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve(output) : reject(new Error(`${path.basename(command)} ended with ${status}: ${errors.trim()}`))));
  });
}

const storeFile = (name) => path.join(work, `${name}.db`);
const namesOf = (some) => some.flatMap((job) => Object.values(job.parts));

/** What callgrind wrote about a path. */
const fileOf = (name) => path.join(folder, name.replace(/\W+/g, '_'));

/** Counts one job → {name: {instructions, statements}}. */
async function count({ program, does, store, words, parts }) {
  const name = Object.values(parts)[0].replace(/\W+/g, '_');
  const isGuard = program === 'guard';
  // Beside a file for each part, guard leaves an empty one for what is not counted.
  const files = `${name}.callgrind`, statements = {}, times = {}, counts = {};
  const valgrind = ['-q', '--tool=callgrind', `--callgrind-out-file=${files}`];
  if (isGuard) {
    copyFileSync(storeFile(store), storeFile(name));
    const output = await run('valgrind', [...valgrind, '--instr-atstart=no', programs.guard, does, `${name}.db`, ...words]);
    removeStore(storeFile(name));
    for (const [part, number, asked] of output.trim().split('\n').map((line) => line.split(' '))) {
      times[part] = Number(asked);
      statements[part] = Number(number) / times[part];
    }
  } else {
    await run('valgrind', [...valgrind, programs.benchhud, ...words]);
  }
  for (const file of readdirSync(work).filter((one) => one.startsWith(files))) {
    const text = readFileSync(path.join(work, file), 'utf8');
    const part = isGuard ? /^desc: Trigger: Client Request: (\w+)$/m.exec(text)?.[1] : 'all';
    if (!(part in parts)) continue;
    counts[parts[part]] = { instructions: Math.round(Number(/^totals: (\d+)$/m.exec(text)[1]) / (times[part] ?? 1)), statements: statements[part] };
    renameSync(path.join(work, file), fileOf(parts[part]));
  }
  return counts;
}

/** Counts jobs, as many at a time as there are processors, which changes no count. What fails is said and not counted. */
async function countAll(asked) {
  const counts = {}, waiting = [...asked];
  const worker = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      try {
        Object.assign(counts, await count(job));
      } catch (error) {
        say(`${namesOf([job]).join('; ')}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return Object.fromEntries(namesOf(asked).filter((name) => counts[name]).map((name) => [name, counts[name]]));
}

async function measure(asked) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  cpSync(path.join(root, 'samples'), path.join(work, 'samples'), { recursive: true });
  const wanted = [...new Set(asked.map((job) => job.store).filter(Boolean))];
  await Promise.all(wanted.map((store) => run(programs.guard, ['ingest', `${store}.db`, ...stores[store]])));
  const measured = await countAll(asked);
  rmSync(work, { recursive: true });
  return measured;
}

function write(known, measured, here, isOfAll) {
  const counts = isOfAll ? renewed(known.counts, measured) : { ...known.counts, ...renewed(known.counts, measured) };
  const lines = Object.entries(counts).map(([name, count]) => `  ${JSON.stringify(name)}: ${JSON.stringify(count)}`);
  writeFileSync(countsFile, `{\n "versions": ${JSON.stringify(here, null, 2).replace('\n}', '\n }')},\n "counts": {\n${lines.join(',\n')}\n }\n}\n`);
  say('\nwritten to tests/bench/guard.json; the commit says why a count rose');
}

/** → the exit status. */
async function main(words) {
  const taken = (name, length) => (words.includes(name) ? words.splice(words.indexOf(name), length) : []);
  const writes = taken('--write', 1).length > 0, reportFile = taken('--report', 2)[1];
  const report = (passed, failed, skipped) => reportFile && writeFileSync(reportFile, `# pass ${passed}\n# fail ${failed}\n# skipped ${skipped}\n`);
  const reason = incomparable();
  if (reason) {
    say(`skipped: ${reason}`);
    report(0, 0, 1);
    return 0;
  }
  const asked = jobs.filter((job) => !words.length || namesOf([job]).some((name) => words.some((word) => name.includes(word))));
  if (!asked.length) {
    say(`no path is called ${words.join(' or ')}`);
    return 2;
  }
  const isOfAll = asked.length === jobs.length;
  const known = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : { versions: {}, counts: {} };
  const measured = await measure(asked);
  const names = namesOf(asked);
  const committed = isOfAll ? known.counts : Object.fromEntries(Object.entries(known.counts).filter(([name]) => names.includes(name)));
  const verdicts = compare(committed, measured);
  // A test run lists what fails.
  if (!reportFile) table(...verdictTable(verdicts, committed, measured));
  const here = versions(), differences = versionDifferences(known.versions, here);
  if (differences.length) say(`\nOther versions than the counts were taken with, which may be why counts differ:\n  ${differences.join('\n  ')}`);
  if (writes) {
    if (names.some((name) => !measured[name])) {
      say('\nnothing is written: not every path could be counted');
      return 1;
    }
    if (!isOfAll && differences.length) {
      say('\nnothing is written: with other versions, all paths have to be counted again, not only some');
      return 1;
    }
    write(known, measured, here, isOfAll);
    return 0;
  }
  const failed = verdicts.filter((one) => one.failed), stale = verdicts.filter((one) => one.stale);
  const list = (some) => some.map((one) => `${one.name}: ${one.text}`).join('\n  ');
  if (failed.length) {
    say(`\nFAILED\n  ${list(failed)}\nWhere the instructions are: callgrind_annotate --inclusive=yes ${path.relative(root, fileOf(failed[0].name))}\nIf it has to be so: ./dev bench guard --write, and the commit says why.`);
  }
  if (stale.length) say(`\nLess than committed, so that it could rise again unnoticed; ./dev bench guard --write renews it:\n  ${list(stale)}`);
  report(verdicts.length - failed.length, failed.length, 0);
  return failed.length ? 1 : 0;
}

process.exit(await main(process.argv.slice(2)));
