// Traces that are kept outside the store: moved to a folder and back, read there, looked after, damaged. The real program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { after, before, test } from "node:test";
import { contract, resolved } from "./support/contract.mjs";
import { benchhud, program, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { assertSameAnswers, bytesOf, jsonOf, madeUpTrace, requestsOf } from "./support/traces.mjs";

const night = join(root, "samples/cpu_nightlies/2025-11-10");
const shared = join(root, "../shared/data");
/** Traces of GPUs and profiles of XLA, as far as they are beside the checkout. */
const others = ["xplane/cpu_julia.xplane.pb", "xplane/gtx1080ti_two_gpus.xplane.pb", "xplane/mi300_jax_conv.xplane.pb", "xplane/tpu_v6e_host_offload.xplane.pb"].map((name) => join(shared, name)).filter((file) => existsSync(file));
const tracesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => /\.json(\.gz)?$/.test(name)).map((name) => join(folder, name));
if (existsSync(shared)) others.push(...["kineto", "hta", "pytorch26_cpu"].flatMap((name) => tracesIn(join(shared, "traces", name))).filter((file) => statSync(file).size < 4e5));

let folder, original;

before(() => {
  folder = temporaryFolder("moved");
  original = join(folder, "original.db");
  ok("ingest", "--quiet", night, "--db", original);
  const made = join(folder, "made.json");
  writeFileSync(made, JSON.stringify(madeUpTrace()));
  ok("ingest", made, "--for", "latest/resnet_mini/eval/inductor", "--db", original);
});
after(() => folder && removeFolder(folder));

function ok(...args) {
  const done = benchhud(...args);
  assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}
const json = (...args) => JSON.parse(ok(...args, "--format", "json"));

/** A copy of the store, and a folder that is to be its place. */
function copy(name) {
  const db = join(folder, `${name}.db`), place = join(folder, `${name}-place`);
  ok("backup", db, "--db", original);
  mkdirSync(place);
  const listed = () => json("traces", "--db", db);
  const packs = () => (existsSync(join(place, "traces")) ? readdirSync(join(place, "traces"), { recursive: true }).filter((each) => /\.v\d+$/.test(each)).map((each) => join(place, "traces", each)) : []);
  const move = (to = place) => json("traces", "move", "--to", to, "--db", db);
  const packsCheck = (...options) => {
    const done = benchhud("doctor", "--max-age", "1000000", "--format", "json", "--db", db, ...options);
    return { status: done.status, ...JSON.parse(done.stdout).checks.find(({ check }) => check === "packs") };
  };
  return { db, place, listed, packs, move, packsCheck };
}

test("every address of a trace answers the same bytes from the store and from a folder, and from the store again", { timeout: 900_000 }, async (context) => {
  const { db, place, move, listed, packs, packsCheck } = copy("answers");
  if (others.length === 0) context.diagnostic(`${shared} is not there: only the samples are compared`);
  for (const file of others) ok("ingest", "--quiet", file, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  let server = await serve(db);
  const { items } = await jsonOf(server, "/artifacts?limit=1000");
  const ids = [...new Set(items.map(({ trace_id: id }) => id).filter((id) => id !== null))];
  assert.ok(ids.length >= 20 + others.length * 0.8, `${ids.length} traces`);
  const asked = {}, wanted = new Map();
  for (const id of ids) {
    for (const [name, paths] of Object.entries(await requestsOf(server, id))) {
      asked[name] = (asked[name] ?? 0) + paths.length;
      for (const path of paths) wanted.set(path, await bytesOf(server, path));
    }
  }
  // Nothing that the contract has is left out.
  const gets = Object.entries(contract.paths).filter(([path, item]) => path.startsWith("/traces/{id}") && item.get).map(([, item]) => resolved(item.get).operationId);
  assert.deepEqual(gets.filter((name) => !asked[name]), []);
  assert.ok([...wanted.values()].filter(({ status }) => status === 200).length > wanted.size * 0.8);
  const compare = (where) => assertSameAnswers(server, wanted, where);
  // While it is served.
  const moved = move();
  assert.deepEqual([moved.moved, moved.failed], [ids.length, 0]);
  assert.equal(packs().length, ids.length);
  await compare("moved, the same server");
  await server.stop();
  server = await serve(db);
  await compare("moved, a new server");
  assert.deepEqual(listed().moved.traces, ids.length);
  assert.equal(packsCheck("--full").level, "good");
  const back = move("store");
  assert.deepEqual([back.moved, back.failed], [ids.length, 0]);
  await server.stop();
  server = await serve(db);
  await compare("back in the store");
  assert.deepEqual([listed().moved.traces, listed().place], [0, null]);
  // What is moved again makes the same packs.
  const before = packs().sort();
  move();
  assert.deepEqual(packs().sort(), before);
  context.diagnostic(`figures: moved traces: traces=${ids.length} requests=${wanted.size} operations=${Object.keys(asked).length}`);
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.printed);
});

test("new traces go to the place, what people drop stays in the store, and nothing is taken in twice", async () => {
  const { db, place, move, listed, packs } = copy("new");
  const { moved } = move();
  assert.ok(moved > 0);
  const other = join(folder, "other.json");
  writeFileSync(other, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name: "alone", cat: "cpu_op", ts: 1, dur: 5 }] }));
  ok("ingest", other, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.deepEqual([listed().moved.traces, packs().length, listed().store.traces], [moved + 1, moved + 1, 0]);
  // One that comes as a pack as well; and a pack of one that is there adds nothing to it.
  const packed = join(folder, "packed.json");
  writeFileSync(packed, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name: "packed", cat: "cpu_op", ts: 1, dur: 5 }] }));
  ok("pack", packed, other);
  ok("ingest", `${packed}.pack`, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  cpSync(`${other}.pack`, join(folder, "renamed.json.pack"));
  const kept = packs().map((file) => [file, readFileSync(file)]);
  ok("ingest", join(folder, "renamed.json.pack"), "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.deepEqual([listed().moved.traces, packs().length, listed().store.traces], [moved + 2, moved + 2, 0]);
  assert.ok(kept.every(([file, bytes]) => readFileSync(file).equals(bytes)));
  ok("ingest", other, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  ok("ingest", "--quiet", night, "--db", db);
  assert.deepEqual([listed().moved.traces, packs().length], [moved + 2, moved + 2]);
  const server = await serve(db);
  const { items } = await jsonOf(server, "/artifacts?run=latest&kind=trace&limit=1000");
  const trace = await jsonOf(server, `/traces/${items.find(({ name }) => name === "other.json").trace_id}`);
  assert.equal(trace.slices, 1);
  await server.stop();
  // The command line reads them as well.
  assert.match(ok("trace", "export", String(trace.id), "--db", db), /"alone"/);
  assert.match(ok("rebuild", "--db", db), /rebuilt/);
  assert.deepEqual([listed().moved.traces, listed().store.traces], [moved + 2, 0], "what was derived again is outside again");
  // A place that is not there: nothing is taken in, and it is said; later it is.
  renameSync(place, `${place}-away`);
  const more = join(folder, "more.json");
  writeFileSync(more, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name: "later", cat: "cpu_op", ts: 1, dur: 5 }] }));
  const failed = benchhud("ingest", more, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.equal(failed.status, 1, failed.stderr);
  assert.match(failed.stdout + failed.stderr, /new-place/);
  // One that is known already, under another name, needs no place.
  const again = join(folder, "other-again.json");
  cpSync(other, again);
  ok("ingest", again, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  cpSync(`${other}.pack`, join(folder, "without-place.json.pack"));
  ok("ingest", join(folder, "without-place.json.pack"), "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  renameSync(`${place}-away`, place);
  ok("ingest", more, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.equal(listed().moved.traces, moved + 3);
});

test("a place is one store's; given another one, the packs are copied to it", () => {
  const one = copy("one"), another = copy("another");
  one.move();
  const refused = benchhud("traces", "move", "--to", one.place, "--db", another.db);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /objects of another store/);
  assert.equal(another.listed().moved.traces, 0);
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  one.move(elsewhere);
  assert.deepEqual([one.listed().place, one.packsCheck("--full").level], [elsewhere, "good"]);
  // A folder that was copied by hand is taken as it is.
  const mirror = join(folder, "mirror");
  cpSync(elsewhere, mirror, { recursive: true });
  one.move(mirror);
  assert.deepEqual([one.listed().place, one.packsCheck("--full").level], [mirror, "good"]);
  // One that was moved by hand as well, so that the old place is gone.
  const far = join(folder, "far");
  renameSync(mirror, far);
  one.move(far);
  assert.deepEqual([one.listed().place, one.packsCheck("--full").level], [far, "good"]);
  assert.equal(benchhud("traces", "move", "--to", join(folder, "not-there"), "--db", one.db).status, 1);
  assert.equal(benchhud("traces", "move", "--db", one.db).status, 2);
});

test("two commands that disagree about the place lose nothing: each trace is where the store says", async () => {
  const { db, place, listed, packsCheck } = copy("two");
  const other = join(folder, "two-other");
  mkdirSync(other);
  const run = (to) =>
    new Promise((done) => {
      const child = spawn(program, ["traces", "move", "--to", to, "--db", db], { stdio: ["ignore", "ignore", "pipe"] });
      let words = "";
      child.stderr.on("data", (bytes) => (words += bytes));
      child.on("exit", (status) => done({ status, words }));
    });
  for (const pair of [[place, other], [other, "store"], [place, "store"], [other, place]]) {
    const ended = await Promise.all(pair.map(run));
    for (const { status, words } of ended) assert.ok(status === 0 || /another process has changed the store's place/.test(words), words);
    const check = packsCheck("--full");
    assert.ok(check.level === "good" || (check.level === undefined && listed().moved.traces === 0), `${pair}: ${check.words}`);
  }
  ok("traces", "move", "--to", "store", "--db", db);
  assert.deepEqual([listed().moved.traces, listed().place], [0, null]);
});

test("an empty folder where the place should be, such as a disk that is not mounted, is not believed to be it", () => {
  const { db, place, move, listed, packs, packsCheck } = copy("unmounted");
  const { moved } = move();
  renameSync(place, `${place}-away`);
  mkdirSync(place);
  const refused = (...args) => {
    const done = benchhud(...args, "--db", db);
    assert.equal(done.status, 1, done.stdout + done.stderr);
    assert.match(done.stderr, /is not the place that was set: its file \.benchhud-place, which says [0-9a-f]{32}, is missing/);
    return done.stdout;
  };
  refused("traces", "move", "--to", place);
  refused("prune", "--orphans");
  assert.match(packsCheck().words, /is not the place that was set/);
  // Nor is what is taken in put there.
  const alone = join(folder, "unmounted.json");
  writeFileSync(alone, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name: "unmounted", cat: "cpu_op", ts: 1, dur: 5 }] }));
  const notTaken = benchhud("ingest", alone, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.equal(notTaken.status, 1);
  assert.match(notTaken.stdout + notTaken.stderr, /is not the place that was set/);
  assert.deepEqual(readdirSync(place), []);
  // What else was asked for is done.
  const pruned = JSON.parse(refused("prune", "trace", "--before", "2025-01-01", "--vacuum", "--format", "json"));
  assert.deepEqual([pruned.dumps, pruned.packs_of_no_trace], [[], null]);
  rmSync(place, { recursive: true });
  renameSync(`${place}-away`, place);
  assert.deepEqual([move().moved, packs().length, listed().moved.traces, packsCheck("--full").level], [0, moved, moved, "good"]);
});

test("a pack that is missing, shortened, changed or another trace's is said to be so, wherever it is asked for", async () => {
  const { db, place, move, packs, packsCheck } = copy("damaged");
  move();
  const server = await serve(db);
  const { items } = await jsonOf(server, "/artifacts?run=latest&kind=trace&limit=1000");
  const [id] = items.map(({ trace_id: each }) => each);
  const good = packs(), kept = join(folder, "kept.pack");
  const answer = async () => {
    // One that was opened before goes on to be read; a new server opens them again.
    const fresh = await serve(db);
    try {
      return await Promise.all(items.map(async ({ trace_id: each }) => bytesOf(fresh, `/traces/${each}`)));
    } finally {
      await fresh.stop();
    }
  };
  assert.ok((await answer()).every(({ status }) => status === 200));
  const file = good[0];
  const harms = {
    missing: () => rmSync(file),
    shortened: () => truncateSync(file, statSync(file).size - 1024),
    changed: () => {
      const bytes = readFileSync(file);
      bytes[Math.floor(bytes.length / 2)] ^= 1;
      writeFileSync(file, bytes);
    },
    another: () => cpSync(good[1], file),
  };
  cpSync(file, kept);
  for (const [name, harm] of Object.entries(harms)) {
    harm();
    const failed = (await answer()).filter(({ status }) => status !== 200);
    assert.equal(failed.length, 1, `${name}: ${failed.map(({ status }) => status)}`);
    const problem = JSON.parse(failed[0].body.toString());
    assert.deepEqual([failed[0].status, problem.type.split(":").at(-1)], [500, "corrupt"], name);
    assert.match(problem.detail, /pack traces\/.*benchhud doctor/, name);
    const check = packsCheck("--full");
    assert.deepEqual([check.level, check.status], ["bad", 1], name);
    assert.match(check.words, /1 missing or damaged/, name);
    // Without --full sizes are compared, and bytes are not read.
    assert.equal(packsCheck("--quick").level, name === "changed" || statSync(kept).size === (existsSync(file) && statSync(file).size) ? "good" : "bad", name);
    // The others come back, and this one stays noted.
    cpSync(kept, file);
  }
  assert.equal(packsCheck("--full").level, "good");
  // Its dump is taken in again, although it is known, and the very same pack is put.
  const takeIn = () => {
    ok("ingest", "--quiet", night, "--db", db);
    ok("ingest", join(folder, "made.json"), "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  };
  rmSync(file);
  takeIn();
  assert.ok(readFileSync(file).equals(readFileSync(kept)));
  assert.equal(packsCheck("--full").level, "good");
  assert.ok((await answer()).every(({ status }) => status === 200));
  rmSync(file);
  const rebuilt = benchhud("rebuild", "--db", db);
  assert.equal(rebuilt.status, 1);
  assert.match(rebuilt.stderr, /it is rebuilt, but for traces outside the store: .*it is not there/);
  const back = benchhud("traces", "move", "--to", "store", "--db", db);
  assert.equal(back.status, 1);
  assert.match(back.stderr, /it is not there/);
  assert.equal(JSON.parse(ok("traces", "--format", "json", "--db", db)).moved.traces, 1);
  // Or its dump is taken in again, into the store, as no traces go to the place any more.
  takeIn();
  assert.equal(JSON.parse(ok("traces", "--format", "json", "--db", db)).moved.traces, 0);
  move("store");
  assert.equal(JSON.parse(ok("traces", "--format", "json", "--db", db)).moved.traces, 0);
  await server.stop();
  assert.ok(id && place);
});

test("a lost pack is not made again of a pack that somebody sends, which says of which file it was made and no more", () => {
  const { db, move, packs, packsCheck } = copy("unproved");
  const trace = join(folder, "unproved.json");
  writeFileSync(trace, JSON.stringify({ traceEvents: [{ ph: "X", pid: 1, tid: 1, name: "unproved", cat: "cpu_op", ts: 1, dur: 5 }] }));
  ok("pack", trace);
  move();
  const before = new Set(packs());
  ok("ingest", `${trace}.pack`, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  const [lost] = packs().filter((file) => !before.has(file));
  rmSync(lost);
  const refused = benchhud("ingest", `${trace}.pack`, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.equal(refused.status, 1, refused.stdout);
  assert.match(refused.stderr, /the pack of its trace is missing in the store's place, and \S+ only states of which file it was made: ingest that file/);
  assert.equal(packsCheck().level, "bad");
  ok("ingest", trace, "--for", "latest/resnet_mini/eval/inductor", "--db", db);
  assert.equal(packsCheck("--full").level, "good");
  assert.ok(existsSync(lost));
});

test("what is pruned goes from the place a day later; a copy to be shared does not say where packs are", async () => {
  const { db, place, move, packs, listed } = copy("pruned");
  move();
  const all = packs();
  assert.match(ok("backup", join(folder, "backup.db"), "--db", db), new RegExp(`not in it: ${all.length} traces in .*pruned-place`));
  // Whoever opens the backup finds them.
  assert.equal(json("traces", "--db", join(folder, "backup.db")).place, place);

  const server = await serve(db);
  const { body } = await bytesOf(server, "/store.db");
  writeFileSync(join(folder, "shared.db"), body);
  assert.ok(!body.includes("pruned-place"));
  const id = (await jsonOf(server, "/artifacts?run=latest&kind=trace&limit=1")).items[0].trace_id;
  await server.stop();
  const copied = await serve(join(folder, "shared.db"));
  const refused = await bytesOf(copied, `/traces/${id}`);
  assert.equal(refused.status, 502, refused.body.toString());
  assert.match(refused.body.toString(), /moved out of the store/);
  await copied.stop();
  const back = benchhud("traces", "move", "--to", "store", "--db", join(folder, "shared.db"));
  assert.equal(back.status, 1);
  assert.match(back.stderr, /does not say where/);

  const pruned = ok("prune", "trace", "--before", "2100-01-01", "--with-referred", "--db", db);
  assert.match(pruned, new RegExp(`packs of no trace: removed 0 \\(0\\.0 MB\\), ${all.length} \\([\\d.]+ MB\\) stay for now`));
  // Their time begins when their traces went, however long before they were put.
  const old = Date.now() / 1000 - 31 * 24 * 3600;
  for (const file of all) utimesSync(file, old, old);
  assert.deepEqual(json("prune", "--orphans", "--db", db).removed, 0);
  assert.equal(packs().length, all.length);
  // What the store knows nothing of stays for a month from when it was first seen, however old it is.
  const stranger = join(place, "traces", "00", `${"0".repeat(32)}.v36`);
  mkdirSync(join(place, "traces", "00"), { recursive: true });
  writeFileSync(stranger, "what a killed process has put");
  utimesSync(stranger, old, old);
  assert.deepEqual(json("prune", "--orphans", "--db", db).removed, 0);
  assert.deepEqual(json("prune", "--orphans", "--db", db).removed, 0);
  assert.ok(existsSync(stranger));
  rmSync(stranger);
  assert.equal(packs().length, all.length);
  assert.equal(listed().moved.traces, 0);
  // The same trace again, before its orphan is removed: it stays.
  for (const file of packs()) utimesSync(file, old, old);
  ok("prune", "--forget", "--db", db);
  ok("ingest", "--quiet", night, "--db", db);
  const { moved } = listed();
  assert.ok(moved.traces > 0);
  ok("prune", "--orphans", "--db", db);
  assert.equal(benchhud("doctor", "--full", "--max-age", "1000000", "--db", db).status, 0);
});

test("of 100 GB of packs beside it a quick look reads the names and sizes alone", () => {
  const { db, place, move, packsCheck } = copy("large");
  move();
  // Files without blocks, as orphans; ./dev bench places measures the time that they take.
  for (let i = 0; i < 1000; ++i) {
    const name = i.toString(16).padStart(4, "0").repeat(8), into = join(place, "traces", name.slice(-2));
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, `${name}.v35`), "");
    truncateSync(join(into, `${name}.v35`), 100e6);
  }
  const { level, words } = packsCheck("--quick");
  assert.deepEqual([level, /100000\.0 MB more of no trace/.test(words)], ["good", true], words);
  ok("backup", join(folder, "large-backup.db"), "--db", db);
});
