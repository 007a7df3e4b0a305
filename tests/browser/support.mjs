// What the browser tests share: a store filled by the real program, its server, Debian's Chromium, and a page that
// remembers everything that went wrong in it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
export const samples = join(root, "samples/cpu_nightlies");
export const program = resolve(root, process.env.BENCHHUD_BIN ?? "build/benchhud");
const artifacts = join(root, "tests/artifacts");
const axeSource = readFileSync(join(root, "tests/node_modules/axe-core/axe.min.js"), "utf8");
const run = promisify(execFile);
// With BENCHHUD_SLOW_PAGES=8 every page gets an eighth of the processor: a test that looks before the page is done then
// fails here and not on somebody else's busy machine.
const slowdown = Number(process.env.BENCHHUD_SLOW_PAGES ?? 1);
const throttles = new WeakMap();

/** Runs `body` on a page at full speed. */
async function unthrottled(page, body) {
  const rate = (to) => throttles.get(page)?.send("Emulation.setCPUThrottlingRate", { rate: to });
  await rate(1);
  try {
    return await body();
  } finally {
    await rate(slowdown);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Ingests `paths` into a store of its own and serves it, with `options` of `benchhud serve`. Exit status 3, some lines
 *  rejected, is no failure here. `end` and `start` are what a restart is made of. */
export async function serve(paths, more = [], options = []) {
  const folder = mkdtempSync(join(tmpdir(), "benchhud-browser-"));
  const db = join(folder, "store.db");
  const command = (...words) => run(program, [...words, "--db", db]);
  const ingest = async (from, labels = []) => {
    try {
      await command("ingest", ...labels, ...from);
    } catch (error) {
      if (error.code !== 3) throw error;
    }
  };
  if (paths.length) await ingest(paths, more);
  const token = (await command("tokens", "add", "tests", "--scope", "triage")).stdout.trim();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const cookie = { name: `benchhud_session_${port}`, value: token, url: base, httpOnly: true, sameSite: "Strict" };
  sessions.add(cookie);
  let child = null;
  let said = "";
  const end = async () => {
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await ended;
  };
  const start = async () => {
    child = spawn(program, ["serve", "--db", db, "--port", String(port), ...options], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (text) => (said += text));
    child.stderr.on("data", (text) => (said += text));
    for (let attempt = 0; ; ++attempt) {
      if (child.exitCode !== null) throw new Error(`benchhud serve ended with ${child.exitCode}: ${said}`);
      try {
        if ((await fetch(`${base}/api/v1/health`)).ok) return;
      } catch {
        // Not listening yet.
      }
      if (attempt === 200) {
        await end();
        throw new Error(`benchhud serve does not answer: ${said}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const stop = async () => {
    await end();
    sessions.delete(cookie);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const api = async (path) => {
    const response = await fetch(`${base}/api/v1${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const bearer = { authorization: `Bearer ${token}` };
  /** The address that signs a browser in, once, as the last start printed it. */
  const signIn = () => said.match(/\S+\/sign-in#\S+/g)?.at(-1);
  return { base, api, ingest, command, start, end, stop, folder, db, bearer, token, signIn };
}

// Chromium without what draws windows takes half the time of the whole one, which does where it alone is installed.
const chromiums = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? chromiums.find((path) => existsSync(path)) ?? chromiums[0],
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** What a browser that is signed in sends to each server that serves now. */
const sessions = new Set();

/** A page of its own profile, signed in everywhere unless told otherwise. `problems` collects errors of the console, exceptions and violations of the content policy. */
export async function openPage(browser, { width = 1440, height = 900, theme = "light", allow = [], signedIn = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  if (signedIn) await context.addCookies([...sessions]);
  const page = await context.newPage();
  if (slowdown > 1) {
    throttles.set(page, await context.newCDPSession(page));
    await throttles.get(page).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  }
  const problems = [];
  const note = (text) => {
    if (!allow.some((pattern) => pattern.test(text))) problems.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== "127.0.0.1") note(`network: ${request.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`content policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  return { page, problems, close: () => context.close() };
}

/** Opens an address and waits until its data is drawn. */
export async function visit(page, address) {
  await page.goto(address);
  await settled(page);
}

/** Opens an address in a page of its own, lets `body` drive it, and sees that nothing went wrong in it. */
export async function driven(browser, address, body, options) {
  const { page, problems, close } = await openPage(browser, options);
  try {
    await visit(page, address);
    await body(page);
    assert.deepEqual(problems, [], "nothing went wrong in the page");
  } finally {
    await close();
  }
}

export async function settled(page) {
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"], main .late') && !!document.querySelector("main h1, main [role=alert]"));
  // What is drawn listens to keys only after it was painted.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
}

/** Repeats `check` until it passes, for ten seconds: a page on a busy machine takes its time. */
export async function eventually(check) {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

export async function shot(page, name) {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`), fullPage: true });
}

/** The serious and critical findings of axe-core. */
export async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await unthrottled(page, () => page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] })));
  return violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help}\n  ${one.nodes.slice(0, 4).map((node) => node.html.slice(0, 200) + " | " + (node.any[0]?.message ?? "")).join("\n  ")}`);
}

/** Three significant digits as the pages show them, for comparing what is seen with what the API says. */
export function seen(value) {
  const size = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))));
  const text = Math.abs(Number(value.toPrecision(3))).toFixed(Math.max(0, 2 - size));
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (value < 0 ? "\u2212" : "") + grouped + (fraction ? "." + fraction : "");
}

export const text = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();

/** A made-up night in the runner's format: `lines` of {suite, model, test, dynamo, xla, times, code, error}. */
export function night({ timestamp, accelerator = "NVIDIA A100-SXM4-40GB", lines }) {
  return (
    lines
      .map(({ suite = "torchbench", model, test = "eval", dynamo = null, xla = null, times, code = "VERIFIER_SKIPPED", error }) =>
        JSON.stringify({
          model: { suite_name: suite, model_name: model },
          experiment: { accelerator: "cuda", accelerator_model: accelerator, xla, xla_flags: null, dynamo, torch_xla2: null, test, batch_size: null },
          repeat: 8,
          iterations_per_run: 1,
          metrics: error !== undefined ? { error } : times ? { total_time: times, per_iter_time: times } : {},
          timestamp,
          verification_code: code,
        }),
      )
      .join("\n") + "\n"
  );
}
