// What is old is taken out of the store, for good, and nothing else; while the store is served. The real program.
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const samples = join(root, "samples/cpu_nightlies");
let folder, original;

before(() => {
  folder = temporaryFolder("prune");
  original = join(folder, "original.db");
  const taken = benchhud("ingest", "--quiet", "--db", original, samples);
  assert.equal(taken.status, 0, taken.stderr);
});
after(() => folder && removeFolder(folder));

const path = (name) => join(folder, name);

/** A store of the samples for one test; { db, prune(), … }. */
function store(name, from = original) {
  const db = path(name);
  copyFileSync(from, db);
  const json = (...args) => {
    const done = benchhud(...args, "--format", "json", "--db", db);
    assert.equal(done.status, 0, args.join(" ") + done.stderr);
    return JSON.parse(done.stdout);
  };
  return {
    db,
    json,
    runs: () => json("runs", "list").map(({ name: run }) => run).sort(),
    prune: (...args) => json("prune", ...args),
    dumps: (...args) => json("artifacts", "list", "--limit", "100000", ...args),
    ingest: (...args) => json("ingest", ...args),
    /** Lines of the audit that are about pruning, newest first. */
    audit: () => benchhud("runs", "audit", "--db", db).stdout.split("\n").filter((each) => /\bprune /.test(each)),
    sound: () => assert.equal(benchhud("doctor", "--db", db, "--max-age", "1000000").status, 0),
    decideAll: () => {
      for (const { id } of json("regressions", "--all").alerts) assert.equal(benchhud("alerts", "state", String(id), "wont_fix", "--db", db).status, 0);
    },
  };
}

test("dumps of one kind go, and do not come back; what is left of them says so", async () => {
  const { db, audit, prune, dumps, ingest, sound, decideAll } = store("dumps.db");
  decideAll();
  const before = dumps();
  const traces = before.filter(({ kind }) => kind === "trace");
  assert.ok(traces.length > 10);

  const rehearsed = prune("trace", "--before", "2025-11-12", "--dry-run");
  assert.ok(rehearsed.dumps.length > 0 && rehearsed.dumps.length < traces.length, "some, not all");
  assert.ok(rehearsed.dumps.every(({ what, at }) => what.startsWith("trace ") && at < "2025-11-12"));
  assert.deepEqual(dumps(), before, "a rehearsal changes nothing");
  assert.deepEqual(audit(), []);

  const server = await serve(db);
  try {
    const get = async (address) => fetch(`${server.base}/api/v1${address}`);
    const [, id] = /dump (\d+)\)$/.exec(rehearsed.dumps[0].what);
    assert.ok((await (await get(`/artifacts/${id}/content`)).json()).trace);
    const { revision } = await (await get("/store")).json();
    const done = prune("trace", "--before", "2025-11-12");
    assert.deepEqual({ ...done, dry_run: true, free_bytes: 0 }, { ...rehearsed, free_bytes: 0 }, "exactly what was foretold");
    assert.ok(done.freed_bytes > 0 && done.free_bytes >= done.freed_bytes);
    assert.ok((await (await get("/store")).json()).revision > revision, "readers see that something changed");
    assert.equal((await (await get(`/artifacts/${id}/content`)).json()).trace, null);
    assert.match((await (await get(`/artifacts/${id}`)).json()).unreadable, /^what was in it was pruned on 20\d\d-\d\d-\d\d$/);
    const gone = new Set(done.dumps.map(({ what }) => Number(/dump (\d+)\)$/.exec(what)[1])));
    assert.deepEqual(dumps().map((dump) => dump.id), before.map((dump) => dump.id).filter((each) => !gone.has(each)), "no other one");
    for (const kind of ["dynamo_counters", "operator_table", "trace"]) {
      const [dump] = dumps("--kind", kind);
      assert.equal((await get(`/artifacts/${dump.id}/content`)).status, 200, kind);
    }
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
  const left = dumps().map((dump) => dump.id);
  const again = benchhud("ingest", "--quiet", samples, "--db", db);
  assert.deepEqual([again.status, again.stderr], [0, ""], "they are neither new nor unreadable");
  // The same bytes at another place, with times of their own.
  cpSync(samples, path("moved"), { recursive: true });
  const moved = ingest(path("moved"));
  assert.deepEqual([moved.accepted, moved.rejected], [0, 0]);
  assert.ok(moved.dumps.every(({ outcome }) => outcome === "known"));
  assert.deepEqual(dumps().map((dump) => dump.id), left);
  assert.equal(audit().length, 1);
  assert.match(audit()[0], / prune +before 2025-11-12: [1-9]\d* dumps, 0 runs with 0 lines, 0 rejected lines$/);
  assert.deepEqual(prune("trace", "--before", "2025-11-12").dumps, [], "once");
  sound();
});

test("runs go with their lines and dumps, stay away, and come back only when that is asked for", async () => {
  const { db, audit, runs, prune, dumps, ingest, sound, decideAll } = store("runs.db");
  decideAll();
  const exported = () => benchhud("export", "--format", "jsonl", "--db", db).stdout.trim().split("\n").sort();
  const before = { runs: runs(), lines: exported(), dumps: dumps().length };
  const server = await serve(db);
  let done;
  try {
    const [oldest] = (await (await fetch(`${server.base}/api/v1/runs?limit=200`)).json()).items.slice(-1);
    done = prune("runs", "--before", "2025-11-10T00:00:00Z");
    const gone = await fetch(`${server.base}/api/v1/runs/${encodeURIComponent(oldest.name)}`);
    assert.equal(gone.status, 404, await gone.text());
    const { items } = await (await fetch(`${server.base}/api/v1/runs?limit=200`)).json();
    assert.deepEqual(items.map(({ name }) => name).sort(), before.runs.filter((name) => name >= "2025-11-10"));
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
  assert.deepEqual(done.kept, []);
  assert.equal(done.runs.length, before.runs.filter((name) => name < "2025-11-10").length);
  const left = exported();
  assert.ok(left.length < before.lines.length);
  assert.ok(left.every((each) => before.lines.includes(each)), "what is left is as it was");
  assert.equal(dumps().length, before.dumps - done.dumps.length);
  sound();

  for (const place of [samples, path("copied")]) {
    if (place !== samples) cpSync(samples, place, { recursive: true });
    const again = ingest(place);
    assert.deepEqual([again.accepted, again.rejected], [0, 0]);
    assert.deepEqual(exported(), left, "nothing came back");
  }
  // A file that has grown is read again, and only what is new of it comes in.
  const grown = path("2025-11-01.jsonl");
  copyFileSync(join(samples, "2025-11-01/results.jsonl"), grown);
  const pruned = readFileSync(grown, "utf8").trim().split("\n").length;
  appendFileSync(grown, line({ metrics: times(0.5) }) + "\n");
  const report = ingest(grown);
  assert.deepEqual([report.accepted, report.duplicate, report.files[0].pruned], [1, pruned, pruned]);
  assert.match(benchhud("ingest", grown, "--label", "a=b", "--db", db).stdout, new RegExp(`${pruned} lines were pruned and stay away; .benchhud prune --forget.`));

  assert.equal(audit().length, 1);
  assert.match(benchhud("prune", "--forget", "--db", db).stdout, /^[1-9]\d* things/);
  assert.match(benchhud("prune", "--forget", "--db", db).stdout, /^0 things/);
  ingest(samples);
  assert.deepEqual(exported().filter((each) => before.lines.includes(each)), before.lines, "all of it is back");
  assert.equal(dumps().length, before.dumps);
  sound();
});

test("what people and alerts refer to stays, and goes only by name", () => {
  const { db, audit, json, runs, prune, dumps, decideAll } = store("referred.db");
  const all = runs();
  const open = json("regressions").alerts.map(({ id }) => id);
  assert.ok(open.length > 0);
  const kept = prune("runs", "dumps", "--before", "2025-12-01");
  assert.deepEqual(kept.runs, []);
  assert.deepEqual(runs(), all);
  assert.ok(kept.kept.filter(({ what }) => what.startsWith("run ")).every(({ referred }) => open.includes(Number(/^alert (\d+)$/.exec(referred)[1]))));
  assert.ok(kept.dumps.length > 0 && kept.kept.some(({ what }) => !what.startsWith("run ")), "of the dumps those of the alerts' nights");
  assert.ok(dumps().length > 0);

  decideAll();
  assert.equal(benchhud("runs", "mark", "2025-11-03", "pinned", "a release", "--db", db).status, 0);
  const text = benchhud("prune", "runs", "--before", "2025-11-05", "--db", db);
  assert.equal(text.status, 0, text.stderr);
  assert.match(text.stdout, /^kept, because referred to \(--with-referred takes them as well\):\n {2}2025-11-03 {2}run 2025-11-03\S* \(id \d+\) on .*: pinned$/m);
  assert.deepEqual(runs().filter((name) => name < "2025-11-05").length, 1);
  const forced = benchhud("prune", "runs", "--before", "2025-11-05", "--with-referred", "--db", db);
  assert.match(forced.stdout, /^gone, although referred to:\n {2}2025-11-03 .*: pinned$/m);
  assert.match(audit()[0], /: pinned$/, "the audit keeps that it was");
  assert.deepEqual(runs().filter((name) => name < "2025-11-05"), []);
});

test("a trace with a note stays", async () => {
  const { db, prune, dumps, decideAll } = store("notes.db");
  decideAll();
  const server = await serve(db);
  try {
    const traces = dumps("--kind", "trace");
    assert.ok(traces.length > 1);
    const { trace_id: trace } = await (await fetch(`${server.base}/api/v1/artifacts/${traces[0].id}`)).json();
    const said = await fetch(`${server.base}/api/v1/traces/${trace}/notes`, { method: "POST", headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify({ begin: "0", end: "1000", words: "look here", who: "me" }) });
    assert.ok(said.ok, await said.text());
    const done = prune("trace", "--before", "2030-01-01");
    assert.deepEqual(done.kept.map(({ referred }) => referred), ["1 note"]);
    assert.deepEqual(dumps("--kind", "trace").map(({ id }) => id), [traces[0].id]);
    assert.equal((await fetch(`${server.base}/api/v1/traces/${trace}`)).status, 200);
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
});

test("a file with pruned rejections that has grown tells only of new ones", () => {
  const { db, json, prune, sound } = store("grown.db");
  const bad = path("grown.jsonl");
  writeFileSync(bad, `broken\n${line({ metrics: times(0.5) })}\n`);
  assert.equal(benchhud("ingest", bad, "--db", db).status, 3);
  assert.equal(json("runs", "rejected").length, 1);
  assert.equal(prune("rejected", "--older-than", "1").rejected_lines, 0, "it came today");
  assert.equal(prune("rejected", "--before", "2100-01-01").rejected_lines, 1);
  assert.deepEqual(json("runs", "rejected"), []);
  const again = benchhud("ingest", bad, "--quiet", "--db", db);
  assert.deepEqual([again.status, again.stderr], [0, ""]);
  appendFileSync(bad, line({ model: "beta", metrics: times(0.5) }) + "\nbroken too\n");
  const grown = benchhud("ingest", bad, "--format", "json", "--db", db);
  assert.equal(grown.status, 3);
  const { accepted, rejected, files } = JSON.parse(grown.stdout);
  assert.deepEqual([accepted, rejected, files[0].pruned, files[0].rejected_lines.map((each) => each.line_number)], [1, 1, 1, [4]]);
  assert.deepEqual(json("runs", "rejected").map(({ excerpt }) => excerpt), ["broken too"]);
  sound();
});

test("space is given back to the disk when asked for", async () => {
  const { db, prune, runs, decideAll, sound } = store("vacuum.db");
  decideAll();
  const size = () => statSync(db).size;
  const before = size();
  const server = await serve(db);
  try {
    await fetch(`${server.base}/api/v1/runs`);
    prune("dumps", "--before", "2030-01-01");
    assert.ok(size() >= before, "room inside is used first");
    const done = prune("runs", "--before", "2025-11-20", "--vacuum");
    assert.ok(done.freed_bytes > 0);
    const answer = await (await fetch(`${server.base}/api/v1/runs?limit=200`)).json();
    assert.deepEqual(answer.items.map(({ name }) => name).sort(), runs());
  } finally {
    assert.equal((await server.stop()).code, 0);
  }
  assert.ok(size() < before / 2, `${size()} of ${before}`);
  sound();
});

test("what makes no sense is said, and nothing goes", () => {
  const { db, runs } = store("usage.db");
  const all = runs();
  for (const args of [[], ["runs"], ["--older-than", "5"], ["nights", "--older-than", "5"], ["runs", "--older-than", "0"], ["runs", "--older-than", "-3"], ["runs", "--before", "yesterday"], ["runs", "--older-than", "5", "--before", "2025-01-01"], ["runs", "--forget"], ["--forget", "--dry-run"], ["--forget", "--orphans"], ["--forget", "--vacuum"], ["runs", "--orphans"], ["--orphans", "--vacuum"], ["--orphans", "--older-than", "5"]]) {
    assert.equal(benchhud("prune", ...args, "--db", db).status, 2, args.join(" "));
  }
  mkdirSync(path("empty"));
  assert.equal(benchhud("prune", "runs", "--before", "1970-01-02", "--db", db).status, 0);
  assert.deepEqual(runs(), all);
});
