// Builds the pages into ../build/web: names carry a hash of the content, so that they can be cached for ever.
// Pages that few start with are scripts of their own, fetched when they are opened.
//   node build.mjs           the pages
//   node build.mjs --watch   the pages, again after every change
//   node build.mjs --tests   the unit tests, as plain JavaScript for node:test
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../build/web");

function hashed(name, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return `${name}-${hash}.${extension}`;
}

/**
 * The scripts by name, and which of them a page needs to start. Names that esbuild gives are replaced by ours, in the
 * importing scripts too: what is imported comes first, so that its name is known.
 */
function namedScripts({ outputFiles, metafile }) {
  const parts = new Map(
    outputFiles.map((file) => {
      const [, output] = Object.entries(metafile.outputs).find(([path]) => basename(path) === basename(file.path));
      return [
        basename(file.path),
        {
          text: file.text,
          isEntry: !!output.entryPoint?.endsWith("main.tsx"),
          imports: output.imports.map(({ path, kind }) => ({
            name: basename(path),
            isLater: kind === "dynamic-import",
          })),
        },
      ];
    }),
  );
  const named = new Map();
  const name = (old) => {
    if (named.has(old)) return named.get(old);
    const part = parts.get(old);
    let { text } = part;
    for (const one of part.imports) text = text.replaceAll(one.name, name(one.name));
    const now = hashed(part.isEntry ? "app" : "part", "js", text);
    named.set(old, now);
    part.text = text;
    return now;
  };
  const [entry] = [...parts].find(([, part]) => part.isEntry);
  const first = new Set();
  const need = (old) => {
    if (first.has(name(old))) return;
    first.add(name(old));
    for (const one of parts.get(old).imports) if (!one.isLater) need(one.name);
  };
  need(entry);
  return {
    entry: name(entry),
    first: [...first],
    texts: new Map([...parts].map(([old, part]) => [name(old), part.text])),
  };
}

/** What works beside a page: a script of its own, whose name the pages are told. */
async function buildWorker(common) {
  const { outputFiles } = await esbuild.build({
    ...common,
    entryPoints: [join(here, "src/trace/worker.ts")],
    format: "iife",
    legalComments: "none",
  });
  const { text } = outputFiles[0];
  return { name: hashed("worker", "js", text), text };
}

async function buildPages() {
  const common = { bundle: true, minify: true, write: false, target: ["es2021"], logLevel: "warning" };
  const worker = await buildWorker(common);
  const [script, style] = await Promise.all([
    esbuild.build({
      ...common,
      entryPoints: [join(here, "src/main.tsx")],
      format: "esm",
      splitting: true,
      define: { WORKER_NAME: JSON.stringify(worker.name) },
      metafile: true,
      outdir: out,
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "none",
    }),
    esbuild.build({ ...common, entryPoints: [join(here, "src/styles/main.css")] }),
  ]);
  const scripts = namedScripts(script);
  const css = style.outputFiles[0].contents;
  const icon = readFileSync(join(here, "src/icon.svg"));
  const names = { js: scripts.entry, css: hashed("app", "css", css), icon: hashed("icon", "svg", icon) };
  const preload = scripts.first
    .filter((name) => name !== scripts.entry)
    .map((name) => `\n    <link rel="modulepreload" href="/${name}">`)
    .join("");
  const html = readFileSync(join(here, "src/index.html"), "utf8")
    .replace("{preload}", preload)
    .replace(/\{(js|css|icon)\}/g, (_, key) => names[key]);

  mkdirSync(out, { recursive: true });
  for (const old of readdirSync(out)) rmSync(join(out, old), { recursive: true });
  for (const [name, text] of scripts.texts) writeFileSync(join(out, name), text);
  writeFileSync(join(out, worker.name), worker.text);
  writeFileSync(join(out, names.css), css);
  writeFileSync(join(out, names.icon), icon);
  writeFileSync(join(out, "index.html"), html);
  const kilobytes = (bytes) =>
    `${(Buffer.byteLength(bytes) / 1024).toFixed(1)} KB, ${(gzipSync(bytes).length / 1024).toFixed(1)} KB gzipped`;
  for (const [name, text] of scripts.texts)
    console.log(`${name}: ${kilobytes(text)}${scripts.first.includes(name) ? "" : ", later"}`);
  console.log(`${worker.name}: ${kilobytes(worker.text)}, later`);
  console.log(`${names.css}: ${kilobytes(css)}`);
}

async function buildTests() {
  const tests = join(here, "../build/web-tests");
  rmSync(tests, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: readdirSync(join(here, "test"))
      .filter((name) => !name.startsWith("support"))
      .map((name) => join(here, "test", name)),
    bundle: true,
    format: "esm",
    platform: "node",
    outdir: tests,
    outExtension: { ".js": ".test.mjs" },
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
}

if (process.argv.includes("--tests")) {
  await buildTests();
} else {
  await buildPages();
  if (process.argv.includes("--watch")) {
    const { watch } = await import("node:fs");
    let timer;
    watch(join(here, "src"), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => buildPages().catch((error) => console.error(error.message)), 100);
    });
  }
}
