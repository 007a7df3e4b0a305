// Builds the pages into ../build/web: names carry a hash of the content, so that they can be cached for ever.
//   node build.mjs           the pages
//   node build.mjs --watch   the pages, again after every change
//   node build.mjs --tests   the unit tests, as plain JavaScript for node:test
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../build/web");

function hashed(name, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return `${name}-${hash}.${extension}`;
}

async function buildPages() {
  const common = { bundle: true, minify: true, write: false, target: ["es2021"], logLevel: "warning" };
  const [script, style] = await Promise.all([
    esbuild.build({
      ...common,
      entryPoints: [join(here, "src/main.tsx")],
      format: "esm",
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "none",
    }),
    esbuild.build({ ...common, entryPoints: [join(here, "src/styles/main.css")] }),
  ]);
  const js = script.outputFiles[0].contents;
  const css = style.outputFiles[0].contents;
  const icon = readFileSync(join(here, "src/icon.svg"));
  const names = { js: hashed("app", "js", js), css: hashed("app", "css", css), icon: hashed("icon", "svg", icon) };
  const html = readFileSync(join(here, "src/index.html"), "utf8").replace(/\{(js|css|icon)\}/g, (_, key) => names[key]);

  mkdirSync(out, { recursive: true });
  for (const old of readdirSync(out)) rmSync(join(out, old), { recursive: true });
  writeFileSync(join(out, names.js), js);
  writeFileSync(join(out, names.css), css);
  writeFileSync(join(out, names.icon), icon);
  writeFileSync(join(out, "index.html"), html);
  const kilobytes = (bytes) => `${(bytes.length / 1024).toFixed(1)} KB, ${(gzipSync(bytes).length / 1024).toFixed(1)} KB gzipped`;
  console.log(`${names.js}: ${kilobytes(js)}`);
  console.log(`${names.css}: ${kilobytes(css)}`);
}

async function buildTests() {
  const tests = join(here, "../build/web-tests");
  rmSync(tests, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: readdirSync(join(here, "test")).map((name) => join(here, "test", name)),
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
