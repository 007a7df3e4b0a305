// The house as ARCHITECTURE.md describes it: its rooms, and what each may include.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Rows of the table in `text` whose first header cell is `header`, as arrays of trimmed cells. */
function table(text, header) {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.startsWith(`| ${header} |`));
  if (begin < 0) throw new Error(`ARCHITECTURE.md has no table with the header \`${header}\``);
  const rows = [];
  for (const line of lines.slice(begin + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(line.split("|").slice(1, -1).map((cell) => cell.trim()));
  }
  return rows;
}

const names = (cell) => cell.split(",").map((name) => name.trim()).filter((name) => name !== "");

/**
 * What a description allows.
 * @param {string} text of ARCHITECTURE.md
 * @returns {{modules: Map<string, string[]>, rooms: Map<string, string[]>, exceptions: string[][]}} rooms by folder, with the folders of
 *   their own module that they may include
 */
export function readRules(text) {
  const modules = new Map(table(text, "module").map(([name, allowed]) => [name, names(allowed)]));
  const rooms = new Map();
  for (const [folder, , allowed] of table(text, "room")) {
    const module = folder.split("/")[0];
    rooms.set(folder, names(allowed).map((room) => `${module}/${room}`));
  }
  return { modules, rooms, exceptions: table(text, "from").map((row) => row.slice(0, 2)) };
}

/** The units' files below `root`, as paths from it. */
export function filesOf(root, modules) {
  return [...modules.keys()].flatMap((module) =>
    readdirSync(join(root, module), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(cc|h)$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1)),
  );
}

/** Includes of our own headers: `{file, line, target}` each. */
export function includesOf(root, files, modules) {
  return files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((text, i) => ({ file, line: i + 1, target: /^#include "([^"]+)"/.exec(text)?.[1] }))
      .filter(({ target }) => target !== undefined && modules.has(target.split("/")[0])),
  );
}

const folderOf = (path) => path.split("/").slice(0, -1).join("/");

/** What stands between a tree and its rules: a sentence each; empty where all is well. */
export function findBreaches({ modules, rooms, exceptions }, files, includes) {
  const breaches = new Set();
  const used = new Set();
  const isException = (from, to) => {
    const found = exceptions.findIndex(([a, b]) => a === from && b === to);
    if (found >= 0) used.add(found);
    return found >= 0;
  };
  for (const file of files) {
    if (!rooms.has(folderOf(file))) breaches.add(`${file}: ARCHITECTURE.md names no room ${folderOf(file)}`);
  }
  for (const room of rooms.keys()) {
    if (!files.some((file) => folderOf(file) === room)) breaches.add(`ARCHITECTURE.md: no unit is in ${room}`);
  }
  for (const { file, line, target } of includes) {
    const [from, to] = [folderOf(file), folderOf(target)];
    const [a, b] = [from.split("/")[0], to.split("/")[0]];
    if (to === a || to === b) {
      // A module's generated headers, such as "schema/queries.h", are its own; a module without rooms is one room.
      if (a === b) continue;
    }
    const isAllowed = a === b ? from === to || rooms.get(from)?.includes(to) : modules.get(a)?.includes(b);
    if (!isAllowed && !isException(from, to)) breaches.add(`${file}:${line}: ${from} may not include ${target}`);
  }
  for (const [from, path] of circles(rooms)) breaches.add(`ARCHITECTURE.md: ${[from, ...path].join(" → ")} is a circle`);
  for (const [from, path] of circles(modules)) breaches.add(`ARCHITECTURE.md: ${[from, ...path].join(" → ")} is a circle`);
  exceptions.forEach(([from, to], i) => {
    if (!used.has(i)) breaches.add(`ARCHITECTURE.md: nothing in ${from} includes ${to} any more; delete the line`);
  });
  return [...breaches];
}

/** Ways in `graph` that end where they began, each with its beginning. */
function circles(graph) {
  const found = [];
  const walk = (begin, at, path) => {
    for (const next of graph.get(at) ?? []) {
      if (next === begin) found.push([begin, [...path, next]]);
      else if (!path.includes(next) && next > begin) walk(begin, next, [...path, next]);
    }
  };
  for (const begin of graph.keys()) walk(begin, begin, []);
  return found;
}

/**
 * Where the paths of a description are not what they say: a sentence for each name that its file lacks, or that no other file uses, so that the
 * path does not lead through it. `texts` has each unit's text by its path.
 */
export function findLostSteps(text, texts) {
  const steps = text.split("\n").map((line) => /^\| `(\w+)` \| `([\w/.]+)` \|/.exec(line)).filter(Boolean);
  if (steps.length === 0) throw new Error("ARCHITECTURE.md names no step of a path");
  const unit = (file) => file.replace(/\.(cc|h)$/, "");
  return steps.flatMap(([, name, file]) => {
    const word = new RegExp(`\\b${name}\\b`);
    if (!word.test(texts.get(file) ?? "")) return [`${file} has no ${name}`];
    // A route is used by its own table.
    const isUsed = /^server\/routes\//.test(file) || [...texts].some(([other, its]) => unit(other) !== unit(file) && other.endsWith(".cc") && word.test(its));
    return isUsed ? [] : [`nothing but ${unit(file)} uses ${name}`];
  });
}

/** Files and folders that a description names in backquotes. */
export const placesIn = (text) => [...text.matchAll(/`([\w.]+\/[\w/.]+)`/g)].map(([, place]) => place);

/** Units whose namespace is not that of their module: a sentence each. `read` gives a file's text. */
export function findForeignNamespaces(files, read) {
  return files.flatMap((file) => {
    const own = `benchhud::${file.split("/")[0]}`;
    const opened = [...read(file).matchAll(/^namespace (benchhud[\w:]*) \{/gm)].map(([, name]) => name);
    return opened.filter((name) => name !== own && !name.startsWith(`${own}::`)).map((name) => `${file} opens namespace ${name}, not ${own}`);
  });
}

/** What a unit declares for itself outside of any class: [name, what it is], where equal texts are one thing. */
function ownNames(text) {
  const names = [];
  for (const [, name, meaning] of text.matchAll(/^using (\w+) = ([^;]+);/gm)) names.push([name, `= ${meaning}`]);
  for (const [, name] of text.matchAll(/^(?:struct|class|enum class|union) (\w+)(?: final)?(?: :[^{;]*)? \{/gm)) names.push([name, null]);
  for (const [, declared] of text.matchAll(/^(?:static |inline )*constexpr ([^({;]+?(?:\[\w*\])? = [^;]*);/gm)) {
    // Several may be declared at once: `constexpr int kA = 1, kB = 2;`
    for (const [, name] of declared.matchAll(/\b(k[A-Z]\w*)(?:\[\w*\])? =/g)) names.push([name, null]);
  }
  return names;
}

/** Units of one folder are compiled as one where everything is built once: what is a unit's own must be its own in the folder. */
export function findClashes(files, read) {
  const owners = new Map(); // folder and name → what it is, and in which unit
  const clashes = [];
  for (const file of files.filter((name) => name.endsWith(".cc"))) {
    const folder = file.replace(/\/[^/]*$/, "");
    for (const [name, meaning] of ownNames(read(file))) {
      const key = `${folder} ${name}`;
      const other = owners.get(key);
      if (!other) owners.set(key, { file, meaning });
      else if (other.file !== file && (meaning === null || meaning !== other.meaning)) clashes.push(`${name} is in ${other.file} and in ${file}`);
    }
  }
  return clashes;
}
