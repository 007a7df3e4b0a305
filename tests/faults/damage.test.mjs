// Pages of a store that are not what was written: said by doctor, answered with a problem that says so, and never with other numbers.
import assert from "node:assert/strict";
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { figures, randomNumbers, strength } from "./support/faults.mjs";
import { removeStore } from "./support/store.mjs";

const PAGES = strength("BENCHHUD_DAMAGED_PAGES", 16, 600);
const PAGE = 4096;
const within = { timeout: (60 + PAGES * 5) * 1000 };

let folder, base, targets, wanted, exported, pages;
before(async () => {
  folder = temporaryFolder("damage");
  base = join(folder, "base.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", base).status, 0);
  exported = benchhud("export", "--format", "jsonl", "--db", base).stdout;
  const server = await serve(base, "--no-code");
  const list = async (path) => (await (await fetch(`${server.base}/api/v1/${path}`)).json()).items;
  const runs = (await list("runs?limit=1000")).map(({ id }) => id);
  const dumps = (await list("artifacts?limit=100")).map(({ id, kind }) => `artifacts/${id}/${{ trace: "content", torch_trace: "compilations" }[kind] ?? "text"}`);
  targets = ["results?limit=1000", "results?limit=1000&format=csv", ...dumps, "overview", "runs", "models", "alerts", "ingests", "errors", "search?q=resnet", ...runs.slice(0, 10).flatMap((id) => [`runs/${id}`, `runs/${id}/models`, `failures?run=${id}`])];
  wanted = await answers(server);
  assert.ok([...wanted.values()].every(({ status }) => status === 200), JSON.stringify([...wanted].filter(([, { status }]) => status !== 200)));
  await server.stop();
  pages = statSync(base).size / PAGE;
});
after(() => removeFolder(folder));

async function answers(server) {
  const all = new Map();
  for (const target of targets) {
    const answer = await fetch(`${server.base}/api/v1/${target}`);
    // When something was ingested is the same in a copy of a store; which server answers is not.
    all.set(target, { status: answer.status, body: await answer.text().catch((error) => `broken off: ${error}`) });
  }
  return all;
}

function harmPage(db, page, kind, random) {
  const bytes = Buffer.alloc(PAGE);
  if (kind === "a few bytes") {
    readFileSync(db).copy(bytes, 0, page * PAGE, (page + 1) * PAGE);
    const at = Math.floor(random() * (PAGE - 16));
    for (let i = 0; i < 16; ++i) bytes[at + i] ^= 1 + Math.floor(random() * 255);
  }
  if (kind === "noise") for (let i = 0; i < PAGE; ++i) bytes[i] = Math.floor(random() * 256);
  if (kind === "another page") readFileSync(db).copy(bytes, 0, ((page * 7) % pages) * PAGE, ((page * 7) % pages) * PAGE + PAGE);
  const file = openSync(db, "r+");
  writeSync(file, bytes, 0, PAGE, page * PAGE);
  closeSync(file);
}

/** The pages, from 0, that SQLite's list of free pages names: what is on them is never read. */
function freePages(db) {
  const bytes = readFileSync(db), at = (page, offset) => bytes.readUInt32BE((page - 1) * PAGE + offset);
  const free = new Set();
  for (let trunk = at(1, 32); trunk !== 0; trunk = at(trunk, 0)) {
    for (let i = 0; i < at(trunk, 4); ++i) free.add(at(trunk, 8 + 4 * i) - 1);
  }
  return free;
}

test("pages that were overwritten", within, async () => {
  const random = randomNumbers(Number(process.env.BENCHHUD_DAMAGE_SEED ?? 3));
  const kinds = ["zeros", "noise", "another page", "a few bytes"], db = join(folder, "damaged.db");
  const free = freePages(base);
  const counts = { pages: 0, free_pages: 0, doctor_says: 0, answers: 0, as_before: 0, problems: 0, other: 0, refused_to_start: 0, ingest_refused: 0 };
  const others = [];
  for (let i = 0; i < PAGES; ++i) {
    // The first page is what says that a file is a store.
    const page = i === 0 ? 0 : Math.floor(random() * pages), kind = kinds[i % kinds.length];
    removeStore(db);
    copyFileSync(base, db);
    harmPage(db, page, kind, random);
    ++counts.pages;
    const doctor = benchhud("doctor", "--format", "json", "--db", db);
    const { checks } = JSON.parse(doctor.stdout);
    const says = checks.some(({ check, level }) => level === "bad" && ["opens", "integrity", "version", "checksums"].includes(check));
    counts.doctor_says += says;
    counts.free_pages += free.has(page);
    // Of a free page it warns, unless nothing but zeros is on it.
    const isWarned = checks.some(({ check, level }) => level === "warning" && check === "checksums");
    const isEmpty = readFileSync(db).subarray(page * PAGE, (page + 1) * PAGE).every((byte) => byte === 0);
    if (free.has(page) ? !isWarned && !isEmpty : !says) others.push(`doctor says nothing of ${kind} on page ${page}`);
    const again = benchhud("export", "--format", "jsonl", "--db", db);
    if (again.status === 0 && again.stdout !== exported) others.push(`${kind}: export, page ${page}, ${kind}, doctor ${says}`);
    const server = await serve(db, "--no-code").catch((error) => (assert.match(String(error), /damaged|not a database|not a benchhud store|is not/), ++counts.refused_to_start, null));
    if (server) {
      for (const [target, { status, body }] of await answers(server)) {
        ++counts.answers;
        if (status === 200 && body === wanted.get(target).body) ++counts.as_before;
        else if (status >= 500 && JSON.parse(body).type === "urn:benchhud:problem:corrupt") ++counts.problems;
        else others.push(`${kind}: ${target}, page ${page}, ${kind}, doctor ${says}: ${status} ${body.slice(0, 300)}`), ++counts.other;
      }
      assert.equal((await server.stop()).code, 0, "damage is no reason to crash");
    }
    const ingest = benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-28"), "--run", "after the damage", "--db", db);
    counts.ingest_refused += ingest.status === 1;
    if (ingest.status === 1) assert.match(ingest.stderr, /damaged|malformed|not a database|is not|cannot/, ingest.stderr);
  }
  figures("overwritten pages", counts);
  assert.deepEqual(others, []);
  assert.equal(counts.doctor_says, counts.pages - counts.free_pages);
});

test("a store that is cut short under the server that has it open", within, async () => {
  const db = join(folder, "cut.db");
  copyFileSync(base, db);
  const server = await serve(db, "--no-code");
  truncateSync(db, Math.floor(pages * 0.3) * PAGE);
  const statuses = [...(await answers(server)).values()].map(({ status, body }) => (status === 200 ? "200" : JSON.parse(body).type));
  figures("cut short while it was served", { answers: statuses.length, problems: statuses.filter((one) => one !== "200").length });
  assert.deepEqual(statuses.filter((one) => one !== "200" && one !== "urn:benchhud:problem:corrupt"), []);
  assert.equal((await server.stop()).code, 0);
});

test("a store that was cut short", within, async () => {
  const db = join(folder, "short.db");
  for (const part of [0.1, 0.5, 0.99]) {
    removeStore(db);
    copyFileSync(base, db);
    truncateSync(db, Math.floor((pages * part)) * PAGE);
    assert.equal(benchhud("doctor", "--db", db).status, 1);
    const server = await serve(db, "--no-code").catch((error) => assert.match(String(error), /damaged/));
    if (!server) continue;
    for (const [target, { status, body }] of await answers(server)) {
      assert.ok((status === 200 && body === wanted.get(target).body) || JSON.parse(body).type === "urn:benchhud:problem:corrupt", `${target}: ${status} ${body.slice(0, 200)}`);
    }
    assert.equal((await server.stop()).code, 0);
  }
});
