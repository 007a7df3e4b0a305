// node tests/run.mjs REPORT AT_ONCE FILE…: runs test files, so many at once, prints what becomes of
// them and writes it to REPORT as TAP. The command line of Node 18, which is Debian 12's, cannot say
// how many run at once: it takes one core less than there are, of two cores one.
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";

const [report, atOnce, ...files] = process.argv.slice(2);
const results = run({ files: files.map((file) => resolve(file)), concurrency: Number(atOnce) });
results.on("test:fail", () => (process.exitCode = 1));
results.compose(new spec()).pipe(process.stdout);
results.compose(tap).pipe(createWriteStream(report));
