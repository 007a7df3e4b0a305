// How strong the tests are, and what they share.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";
import { fileURLToPath } from "node:url";

/** BENCHHUD_FAULTS=full takes minutes to an hour and is for machines that have nothing else to do; else what is usual. */
export const isFull = process.env.BENCHHUD_FAULTS === "full";

/** A number of the test: its own variable, or the usual, or the full one. */
export function strength(variable, usual, full) {
  const own = process.env[variable];
  if (own === undefined) return isFull ? full : usual;
  if (!/^\d+$/.test(own)) throw new Error(`${variable} is a number`);
  return Number(own);
}

/** Prints what was measured: `figures: <what> name=value …`. */
export function figures(what, values) {
  console.log(`figures: ${what}: ${Object.entries(values).map(([name, value]) => `${name}=${value}`).join(" ")}`);
}

export const pause = (milliseconds) => new Promise((next) => setTimeout(next, milliseconds));

export async function until(isSo, what, seconds = 20) {
  const latest = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > latest) throw new Error(`${what} did not happen within ${seconds} s`);
    await pause(20);
  }
}

export function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** Bytes of memory that a process has held at most, in MB. */
export function peakMemory(pid) {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

/** A counter or gauge of the server's own. */
export async function metric(server, name) {
  const text = await (await fetch(`${server.base}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)[1]);
}

/** One connection that keeps what comes. */
export class Peer {
  constructor(port) {
    this.text = "";
    this.isClosed = false;
    this.socket = net.connect(port, "127.0.0.1");
    this.socket.setEncoding("latin1").setNoDelay(true);
    this.socket.on("data", (text) => (this.text += text));
    this.socket.on("error", () => {});
    this.socket.on("close", () => (this.isClosed = true));
    this.connected = new Promise((done) => this.socket.once("connect", done).once("close", done));
  }
  send(bytes) {
    if (!this.isClosed) this.socket.write(Buffer.from(bytes, "latin1"));
    return this;
  }
  /** Stops reading. */
  deaf() {
    this.socket.pause();
    return this;
  }
  /** The statuses of all that was answered. */
  get statuses() {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((m) => Number(m[1]));
  }
  end() {
    this.socket.destroy();
  }
}

/** Clients in a process of their own, each on one connection that is kept, asking again as soon as it is answered. Gives what `stop()` or
 *  the end of `seconds` brings: { answers, statuses, errors, perClient, p50, p99, max } in milliseconds. */
export function busyClients(port, { clients, seconds, targets, pauseMs = 0 }) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./clients.mjs", import.meta.url)), JSON.stringify({ port, clients, seconds, targets, pauseMs })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (bytes) => (printed += bytes));
  const done = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(`the clients ended with ${code}`))));
  });
  return { done, stop: () => (child.stdin.end(), done) };
}
