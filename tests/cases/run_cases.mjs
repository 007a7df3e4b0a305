// Runs every *.case file below this folder against the real program (BENCHHUD, else build/benchhud).
//
// A case is one readable text file. What stands before the first section says what it shows. Then, in order:
//   --- file NAME                     the lines below become the file NAME
//   --- file NAME, no last line end   the same, without the last line's end
//   --- run ARGUMENTS                 runs the program with them, in a folder that holds the files
//   --- stdout                        what the run above prints there, exactly; nothing if there is no such section
//   --- stderr                        lines that must all occur in what it prints there; nothing if there is none
//   --- status N                      its exit status; 0 if there is none
// `--- stdout any` and `--- stderr any` do not look. ARGUMENTS are split at spaces; '…' keeps spaces and is taken as
// it stands. {samples} is the checkout's samples folder and {shared} the folder `shared` beside the
// checkout: a case that names the latter is skipped where that is not there. A `*` in a path stands for folders or
// files, sorted. Each case has a store of its own.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, relative, resolve} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const checkout = resolve(here, '../..');
const program = resolve(process.env.BENCHHUD ?? join(checkout, 'build/benchhud'));
const folders = {'{samples}': join(checkout, 'samples'), '{shared}': resolve(checkout, '../shared')};

function caseFiles(folder) {
  return readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap(
      entry => entry.isDirectory() ? caseFiles(join(folder, entry.name)) :
               entry.name.endsWith('.case') ? [join(folder, entry.name)] : []);
}

/** The case's sections: [{kind, argument, text}], the text before the first one left out. */
function sections(text) {
  const found = [];
  for (const line of text.split(/(?<=\n)/)) {
    const heading = /^--- (file|run|stdout|stderr|status)(?: (.*))?\n?$/.exec(line);
    if (heading) {
      found.push({kind: heading[1], argument: heading[2] ?? '', text: ''});
    } else if (found.length > 0) {
      found.at(-1).text += line;
    } else {
      assert.ok(!line.startsWith('---'), `not a section: ${line}`);
    }
  }
  return found;
}

/** The case as {files: {name: text}, runs: [{arguments, stdout, stderr, status}]}. */
function readCase(path) {
  const parsed = {files: {}, runs: []};
  for (const {kind, argument, text} of sections(readFileSync(path, 'utf8'))) {
    if (kind === 'file') {
      const [name, ...more] = argument.split(', ');
      parsed.files[name] = more.includes('no last line end') ? text.replace(/\n$/, '') : text;
    } else if (kind === 'run') {
      parsed.runs.push({arguments: argument, stdout: '', stderr: '', status: 0});
    } else {
      assert.ok(parsed.runs.length > 0, `--- ${kind} before any --- run`);
      const run = parsed.runs.at(-1);
      run[kind] = kind === 'status' ? Number(argument) : argument === 'any' ? null : text;
    }
  }
  assert.ok(parsed.runs.length > 0, 'the case runs nothing');
  return parsed;
}

function expand(pattern) {
  const paths = ['/'];
  for (const part of pattern.split('/').filter(Boolean)) {
    const accepts = new RegExp(`^${part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`);
    const next = paths.flatMap(path => !part.includes('*') ? [join(path, part)] :
        readdirSync(path).filter(name => accepts.test(name)).sort().map(name => join(path, name)));
    paths.splice(0, paths.length, ...next.filter(path => existsSync(path)));
  }
  return paths;
}

function splitArguments(text) {
  const words = text.match(/'[^']*'|\S+/g) ?? [];
  return words.flatMap(word => {
    if (word.startsWith('\'')) return [word.slice(1, -1)];
    const folder = Object.keys(folders).find(name => word.startsWith(name));
    if (!folder) return [word];
    const paths = expand(folders[folder] + word.slice(folder.length));
    assert.ok(paths.length > 0, `${word} is not there`);
    return paths;
  });
}

function check(run, cwd) {
  const result = spawnSync(program, splitArguments(run.arguments), {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 28,
    env: {...process.env, BENCHHUD_DB: join(cwd, 'case.db'), LC_ALL: 'C.UTF-8'},
  });
  assert.equal(result.error, undefined, `${program}: ${result.error}`);
  const what = `benchhud ${run.arguments}\n${result.stderr}`;
  if (run.stdout !== null) assert.equal(result.stdout, run.stdout, what);
  if (run.stderr === '') assert.equal(result.stderr, '', what);
  for (const line of (run.stderr ?? '').split('\n').filter(Boolean)) {
    assert.ok(result.stderr.includes(line), `no "${line}" on standard error of ${what}`);
  }
  assert.equal(result.status, run.status, what);
}

for (const path of caseFiles(here)) {
  const needsShared = readFileSync(path, 'utf8').includes('{shared}');
  const skip = needsShared && !existsSync(join(folders['{shared}'], 'data')) && 'SKIPPED: ../shared/data is not there';
  test(relative(here, path), {skip}, () => {
    const parsed = readCase(path);
    const cwd = mkdtempSync(join(tmpdir(), 'benchhud-case-'));
    try {
      for (const [name, text] of Object.entries(parsed.files)) writeFileSync(join(cwd, name), text);
      for (const run of parsed.runs) check(run, cwd);
    } finally {
      rmSync(cwd, {recursive: true});
    }
  });
}
