// Writes the manual's pages, gzipped, of what the program says of itself: man.mjs PROGRAM FOLDER DATE.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [program, folder, date] = process.argv.slice(2);
const say = (...args) => execFileSync(program, args, { encoding: "utf8" });

/** Text as roff has it: no request at a line's beginning, no escape, only ASCII. */
const roff = (text) =>
  [...text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/gm, "\\&")]
    .map((c) => (c.codePointAt(0) < 128 ? c : `\\[u${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`))
    .join("");

/** Text as it is laid out. */
const laidOut = (lines) => [".PP", ".nf", ...lines.map(roff), ".fi"];

/** The paragraphs of a help text's middle: as running text, but for those with columns in them. */
function paragraphs(text) {
  return text
    .split(/\n{2,}/)
    .filter((each) => each.trim())
    .flatMap((each) => {
      const lines = each.split("\n").filter(Boolean);
      return lines.some((line) => line.startsWith("  ")) ? laidOut(lines) : [".PP", ...lines.map((line) => roff(line.trim()))];
    });
}

/** The options at the end of a help text: `  --wait SECONDS (=60)   how long …`, and lines that go on. */
function options(lines) {
  // Where the last row, `-h [ --help ]`, is told of, all of them are. Columns are counted in bytes.
  const column = lines.at(-1).indexOf("print this");
  const rows = [];
  for (const line of lines) {
    const bytes = Buffer.from(line);
    const name = bytes.subarray(0, column).toString().trim();
    if (name) rows.push([name, []]);
    rows.at(-1)[1].push(bytes.subarray(column).toString().trim());
  }
  return rows.flatMap(([name, about]) => [".TP", `.B ${roff(name)}`, ...about.filter(Boolean).map(roff)]);
}

function page(name, about, body) {
  const title = name.toUpperCase();
  return [`.TH ${roff(title)} 1 "${date}" "${version}" "benchhud"`, ".SH NAME", `${roff(name)} \\- ${roff(about)}`, ...body, ""].join("\n");
}

function write(name, text) {
  writeFileSync(join(folder, `${name}.1.gz`), gzipSync(text, { level: 9 }));
}

const version = say("--version").trim();
const commands = [...say("help").matchAll(/^ {2}(\S+) +(\S.*)$/gm)].map(([, name, about]) => ({ name, about }));
mkdirSync(folder, { recursive: true });

for (const { name, about } of commands) {
  const help = say(name, "--help");
  const end = help.search(/\n\n {2}-(?:-|h )/);
  const [usage, ...middle] = help.slice(0, end).split(/\n{2,}/);
  const rows = help.slice(end).split("\n").filter(Boolean);
  const isStatus = (text) => text.startsWith("Exit status");
  const status = middle.filter(isStatus);
  write(`benchhud-${name}`, page(`benchhud-${name}`, about, [
    ".SH SYNOPSIS",
    ...laidOut(usage.split("\n").map((line) => line.replace(/^usage: | {7}/, ""))).slice(1),
    ".SH DESCRIPTION",
    ...paragraphs(middle.filter((text) => !isStatus(text)).join("\n\n")).slice(1),
    ".SH OPTIONS",
    ...options(rows),
    ...(status.length ? [".SH EXIT STATUS", ...paragraphs(status.join("\n\n")).slice(1)] : []),
    ".SH SEE ALSO",
    ".BR benchhud (1)",
  ]));
}

write("benchhud", page("benchhud", "nightly benchmark results of PyTorch compiler backends, stored, judged and shown", [
  ".SH SYNOPSIS",
  ".B benchhud",
  ".I COMMAND",
  roff("[ARGUMENT…]"),
  ".SH DESCRIPTION",
  "Each command has a page of its own.",
  ...commands.flatMap(({ name, about }) => [".TP", `.BR ${roff(`benchhud-${name}`)} (1)`, roff(about)]),
  ".SH ENVIRONMENT",
  ".TP",
  ".B BENCHHUD_DB",
  roff("The store, where --db does not name another."),
  ".SH FILES",
  ".TP",
  roff("/var/lib/benchhud/benchhud.db"),
  "The store of the services.",
  ".TP",
  roff("~/.local/share/benchhud/benchhud.db"),
  "The store of who starts the program otherwise.",
  ".TP",
  roff("/etc/benchhud/ingest.env, watch.env, serve.env"),
  "What the services are told.",
  ".TP",
  roff("/usr/share/doc/benchhud"),
  "More to read: nightly.md first.",
]));
