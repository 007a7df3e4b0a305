// The real program on a store of its own.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hloXspace, writeProfile } from "./xplane.mjs";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const program = resolve(root, process.env.BENCHHUD_BIN ?? "build/benchhud");

/** Runs the program to its end, which is its own. */
export function benchhud(...args) {
  const done = spawnSync(program, args, { encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  assert.equal(done.signal, null, `${args[0]} ended by ${done.signal}`);
  return done;
}

/** The same while this process goes on, for programs that ask a server of the test. */
export function benchhudAsync(...args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const done = { stdout: "", stderr: "" };
  child.stdout.on("data", (bytes) => (done.stdout += bytes));
  child.stderr.on("data", (bytes) => (done.stderr += bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...done }));
  });
}

export function temporaryFolder(name) {
  return mkdtempSync(join(tmpdir(), `benchhud-${name}-`));
}

/** A new token of these scopes for a store. */
export function makeToken(db, ...scopes) {
  const made = benchhud("tokens", "add", `tests ${++tokensMade}`, ...scopes.flatMap((scope) => ["--scope", scope]), "--db", db);
  assert.equal(made.status, 0, made.stderr);
  return made.stdout.trim();
}
let tokensMade = 0;

/** What of a token is secret: all behind its number. It may have "_" in it, as base64url does. */
export const secretOf = (token) => token.slice(token.indexOf("_", "bhud_".length) + 1);

/** Starts `benchhud serve` on a free port; { base, port, bearer(), signIn, stop() }: the header that shows a token for everything,
 *  the address that signs a browser in, and what stops it and gives what it printed. */
export async function serve(db, ...options) {
  return serveWith({}, db, ...options);
}

/** Servers that still run. One whose test failed before it was stopped ends with the tests. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** The same with variables in its environment. */
export async function serveWith(variables, db, ...options) {
  const child = spawn(program, ["serve", "--db", db, "--port", "0", ...options], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...variables } });
  let printed = "";
  running.add(child);
  const ended = new Promise((done) => child.on("exit", (code, signal) => (running.delete(child), done({ code, signal }))));
  const address = await new Promise((done, fail) => {
    child.on("error", fail);
    child.on("exit", () => fail(new Error(`the server ended: ${printed}`)));
    child.stderr.on("data", (bytes) => (printed += bytes));
    child.stdout.on("data", (bytes) => {
      printed += bytes;
      const found = /http:\/\/(?:127\.0\.0\.1|0\.0\.0\.0):(\d+)\//.exec(printed);
      if (found) done(found);
    });
  });
  // Tests that have failed do not wait for it.
  const held = [child, child.stdout, child.stderr];
  held.forEach((one) => one.unref());
  let token;
  return {
    base: `http://127.0.0.1:${address[1]}`,
    port: Number(address[1]),
    pid: child.pid,
    bearer() {
      token ??= makeToken(db, "triage", "ingest");
      return { authorization: `Bearer ${token}` };
    },
    get signIn() {
      return /\S+\/sign-in#\S+/.exec(printed)?.[0];
    },
    async stop(signal = "SIGTERM") {
      held.forEach((one) => one.ref());
      child.kill(signal);
      return { ...(await ended), printed };
    },
  };
}

/** samples/ in a store of its own, served: { folder, db, server, end() }. */
export async function serveSamples(name, ...options) {
  const folder = temporaryFolder(name);
  const db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples"), "--db", db).status, 0);
  const server = await serve(db, ...options);
  const end = async () => {
    const ended = await server.stop();
    removeFolder(folder);
    assert.equal(ended.code, 0, ended.printed);
  };
  return { folder, db, server, end };
}

/** The samples, and a profile that holds HLO, which none of them does: what the examples of the contract ask for. */
export async function serveExamples(name) {
  const samples = await serveSamples(name);
  const profile = writeProfile(join(samples.folder, "profiled"), hloXspace());
  assert.equal(benchhud("ingest", profile, "--db", samples.db).status, 0);
  return samples;
}

/** Lets sqlite3 write to a store, as to one of benchhud 0.1: in the file's head the version of writing is that of reading. */
export function openToOthers(db) {
  const file = openSync(db, "r+");
  const versions = Buffer.alloc(2);
  readSync(file, versions, 0, 2, 18);
  writeSync(file, versions, 1, 1, 18);
  closeSync(file);
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
}
