// What people and jobs do with alerts: triage, rules, marks, notifications, bisecting.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { benchhud, benchhudAsync, program, removeFolder, root, temporaryFolder } from "./support/server.mjs";

const nights = join(root, "samples/cpu_nightlies");
let folder, db;

before(() => {
  folder = temporaryFolder("alerts");
  db = join(folder, "nights.db");
  assert.equal(benchhud("ingest", nights, "--db", db).status, 0);
});
after(() => removeFolder(folder));

const run = (...args) => benchhud(...args, "--db", db);

function alerts(store = db, ...args) {
  const done = benchhud("regressions", "--format", "json", "--db", store, ...args);
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout).alerts;
}
const about = (model, store = db) => alerts(store, "--model", model)[0];

function copy(name) {
  const file = join(folder, name);
  copyFileSync(db, file);
  return file;
}

test("what a person says of an alert stays with it, and --fail-on looks at the others", () => {
  const store = copy("triage.db");
  for (const alert of alerts(store)) {
    assert.equal(benchhud("regressions", "--fail-on", "confirmed", "--db", store).status, 4);
    const done = benchhud("alerts", "state", String(alert.id), "acknowledged", "--who", "ada", "--db", store);
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /ada {2}state: acknowledged/);
  }
  assert.equal(benchhud("regressions", "--fail-on", "suspect", "--db", store).status, 0);
  const { id } = about("resnet_mini", store);
  assert.equal(benchhud("alerts", "note", String(id), "looks", "like", "<b>", "--db", store).status, 0);
  assert.equal(benchhud("alerts", "owner", String(id), "grace", "--db", store).status, 0);
  assert.equal(benchhud("alerts", "link", String(id), "https://example.org/1", "--db", store).status, 0);
  assert.equal(benchhud("rebuild", "--db", store).status, 0);
  const alert = about("resnet_mini", store);
  assert.deepEqual([alert.id, alert.state, alert.owner, alert.link], [id, "acknowledged", "grace", "https://example.org/1"]);
  assert.match(benchhud("alerts", "show", String(id), "--db", store).stdout, /note: looks like <b>/);
});

test("what makes no sense is refused with what is allowed", () => {
  const { id } = about("resnet_mini");
  for (const [args, reason] of [
    [["state", String(id), "acked"], /acknowledged, investigating/],
    [["state", "99999", "fixed"], /no alert 99999/],
    [["state", "x", "fixed"], /has a number/],
    [["link", String(id), "javascript:alert(1)"], /https?/],
    [["close", String(id)], /no `benchhud alerts close`/],
  ]) {
    const done = run("alerts", ...args);
    assert.notEqual(done.status, 0, args.join(" "));
    assert.match(done.stderr, reason);
  }
});

test("several numbers: all of them, or none", () => {
  const store = copy("several.db");
  const ids = alerts(store).map((alert) => String(alert.id));
  assert.ok(ids.length > 1);
  const stateOf = () => alerts(store, "--all").filter(({ id }) => ids.includes(String(id))).map((alert) => `${alert.state} ${alert.owner}`);
  const before = stateOf();
  for (const [args, reason] of [
    [["state", ...ids, "99999", "fixed"], /no alert 99999/],
    [["state", ids[0], ids[0], "fixed"], /named twice/],
    [["owner", ids[0], "Ada", "Lovelace"], /has a number, not `Ada`; .* quotes: "Ada Lovelace"/],
    [["owner", ids[0], ids[1]], new RegExp(`if that is its name: .benchhud alerts owner ${ids[0]} -- ${ids[1]}.`)],
    [["link", ...ids, "https://example.org"], /takes one argument/],
  ]) {
    const done = benchhud("alerts", ...args, "--db", store);
    assert.notEqual(done.status, 0, args.join(" "));
    assert.match(done.stderr, reason);
  }
  assert.deepEqual(stateOf(), before);
  const done = benchhud("alerts", "state", ...ids, "acknowledged", "--who", "ada", "--db", store);
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stdout, ids.map((id) => `#${id} acknowledged\n`).join(""));
  assert.deepEqual(new Set(stateOf()), new Set(["acknowledged ada"]), "what was nobody's is hers");
  assert.equal(benchhud("alerts", "owner", ...ids, "grace", "--db", store).status, 0);
  assert.deepEqual(new Set(stateOf()), new Set(["acknowledged grace"]));
});

test("what is muted does not fail a nightly job, which says so, until the day comes", () => {
  const store = copy("muted.db");
  const found = alerts(store);
  const ids = found.map(({ id }) => String(id));
  const failing = (...args) => benchhud("regressions", "--fail-on", "suspect", ...args, "--db", store);
  assert.equal(failing().status, 4);
  const muted = benchhud("alerts", "mute", ...ids, "2999-12-24", "--who", "ada", "--db", store);
  assert.equal(muted.status, 0, muted.stderr);
  assert.equal(muted.stdout, ids.map((id) => `#${id} muted until 2999-12-24\n`).join(""));
  const quiet = failing();
  assert.equal(quiet.status, 0);
  assert.equal(quiet.stdout, `nothing changed that is not dealt with; ${ids.length} alerts are muted\n`);
  assert.deepEqual(JSON.parse(failing("--format", "json").stdout), { alerts: [], muted_count: ids.length });
  assert.match(failing("--format", "markdown").stdout, new RegExp(`${ids.length} alerts are muted\\.`));
  assert.match(failing("--format", "junit").stdout, new RegExp(`<property name="muted" value="${ids.length}"/>`));
  const all = failing("--format", "junit", "--all");
  assert.equal(all.status, 0);
  assert.match(all.stdout, /<skipped message="muted until 2999-12-24"\/>/);
  assert.ok(!benchhud("summary", "--db", store).stdout.includes(`alert ${ids[0]},`), "it is no open alert");
  const late = benchhud("alerts", "mute", ids[0], "2020-01-01", "--db", store);
  assert.equal(late.status, 2);
  assert.match(late.stderr, /that day has begun/);
});

/** The environment of a program that lives so many days later; null where that cannot be had. */
function daysLater(days) {
  const source = join(folder, "later.c");
  const library = join(folder, "later.so");
  writeFileSync(
    source,
    `#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec* at) {
  const int status = (int)syscall(SYS_clock_gettime, id, at);
  if (id == CLOCK_REALTIME) at->tv_sec += ${days} * 86400L;
  return status;
}
`,
  );
  if (spawnSync("cc", ["-shared", "-fPIC", "-o", library, source]).status !== 0) return null;
  return { ...process.env, LD_PRELOAD: library };
}

test("a mute ends by itself when its day begins", (t) => {
  const env = daysLater(2);
  if (env === null) return t.skip("there is no C compiler: no day passes");
  const store = copy("passing.db");
  const found = alerts(store);
  const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const ids = found.map(({ id }) => String(id));
  assert.equal(benchhud("alerts", "mute", ids[0], day(2), "--db", store).status, 0);
  assert.equal(benchhud("alerts", "mute", ids[1], day(4), "--db", store).status, 0);
  const states = (text) => new Map(JSON.parse(text).alerts.map(({ id, state, muted_until }) => [String(id), [state, muted_until?.date ?? null]]));
  const now = states(benchhud("regressions", "--all", "--format", "json", "--db", store).stdout);
  assert.deepEqual([now.get(ids[0]), now.get(ids[1])], [["muted", day(2)], ["muted", day(4)]]);
  // Only what reads the store, two days later.
  const later = spawnSync(program, ["alerts", "show", ids[0], "--db", store], { env, encoding: "utf8" });
  assert.match(later.stdout, new RegExp(`^#${ids[0]} ${found[0].state}\n[^]*mute: ${day(2)}`));
  const listed = spawnSync(program, ["regressions", "--all", "--format", "json", "--db", store], { env, encoding: "utf8" });
  const then = states(listed.stdout);
  assert.deepEqual(then.get(ids[0]), [found[0].state, null]);
  assert.deepEqual(then.get(ids[1]), ["muted", day(4)]);
});

test("an alert that people acted on and that is not found any more is listed until it is decided", () => {
  const store = copy("orphans.db");
  const file = join(folder, "unwatched.json");
  const { id } = about("resnet_mini", store);
  const shown = benchhud("alerts", "show", String(id), "--db", store).stdout;
  assert.match(shown, /measurements {2}first seen\n[^]*measurements {2}confirmed with \d+ series/);
  assert.doesNotMatch(benchhud("regressions", "--db", store).stdout, /not found any more/);
  assert.equal(benchhud("alerts", "state", String(id), "investigating", "--who", "ada", "--db", store).status, 0);
  writeFileSync(file, JSON.stringify({ series: [{ model: "resnet_mini", watch: false }] }));
  assert.equal(benchhud("alerts", "rules", file, "--db", store).status, 0);
  assert.match(benchhud("regressions", "--db", store).stdout, /\n1 alert that people acted on and that is not found any more: benchhud regressions --orphaned\n$/);
  const listed = JSON.parse(benchhud("regressions", "--orphaned", "--format", "json", "--db", store).stdout).alerts;
  assert.deepEqual(listed.map((alert) => [alert.id, alert.state, alert.is_orphaned, alert.successor]), [[id, "withdrawn", true, null]]);
  assert.match(benchhud("alerts", "show", String(id), "--db", store).stdout, new RegExp(`^#${id} withdrawn: not found any more; no other alert covers its changes\n[^]*ada {2}state: investigating`));
  assert.equal(benchhud("alerts", "state", String(id), "invalid", "--db", store).status, 0);
  assert.deepEqual(JSON.parse(benchhud("regressions", "--orphaned", "--format", "json", "--db", store).stdout).alerts, []);
  writeFileSync(file, "{}");
  assert.equal(benchhud("alerts", "rules", file, "--db", store).status, 0);
  const again = JSON.parse(benchhud("regressions", "--all", "--format", "json", "--db", store).stdout).alerts.find((alert) => alert.id === id);
  assert.deepEqual([again.state, again.detected, again.is_orphaned], ["invalid", "confirmed", false], "it is the same alert when it is found again");
});

test("rules say which series are watched, and errors in them name the place", () => {
  const store = copy("rules.db");
  const file = join(folder, "rules.json");
  const keep = (rules) => {
    writeFileSync(file, typeof rules === "string" ? rules : JSON.stringify(rules));
    return benchhud("alerts", "rules", file, "--db", store);
  };
  assert.equal(keep({ series: [{ metric: "verification", model: "unet*", watch: false }] }).status, 0);
  assert.deepEqual(alerts(store, "--model", "unet_mini"), []);
  assert.match(benchhud("alerts", "rules", "--db", store).stdout, /unet\*/);
  for (const [rules, reason] of [
    ["{", /alert rules/],
    [[], /the whole is an object/],
    [{ serie: [] }, /serie is not known/],
    [{ series: [{}, { metric: "compil" }] }, /series\[1\]\.metric is one of steady/],
    [{ series: [{ least_effect: 2 }] }, /series\[0\]\.least_effect is a share/],
    [{ series: [{ fewest_nights: 1 }] }, /fewest_nights is a number of nights/],
    [{ series: [{ tell: "all" }] }, /tell is worse, better or both/],
    [{ false_discovery_rate: 0 }, /false_discovery_rate/],
  ]) {
    const done = keep(rules);
    assert.equal(done.status, 2, JSON.stringify(rules));
    assert.match(done.stderr, reason);
  }
  assert.deepEqual(alerts(store, "--model", "unet_mini"), [], "rules that are refused change nothing");
  assert.equal(keep({}).status, 0);
  assert.equal(alerts(store, "--model", "unet_mini").length, 1);
});

test("a night that is marked as another environment begins anew", () => {
  const store = copy("marks.db");
  const mark = (...args) => benchhud("runs", ...args, "--db", store);
  const before = about("transformer_mini", store);
  assert.ok(before.details.members.some((member) => member.metric === "steady"));
  assert.equal(mark("mark", before.details.onset.name, "environment", "driver", "550").status, 0);
  assert.match(mark("marks").stdout, /environment {2}driver 550/);
  const now = about("transformer_mini", store);
  assert.ok(now.details.members.every((member) => member.metric !== "steady"), "its time is no change any more");
  assert.equal(mark("unmark", before.details.onset.name, "environment").status, 0);
  assert.deepEqual(about("transformer_mini", store).details.title, before.details.title);
  assert.notEqual(mark("mark", before.details.onset.name, "odd").status, 0);
});

test("nights are excluded together, after a look at what would remain", () => {
  const store = copy("excluded.db");
  const runs = (...args) => benchhud("runs", ...args, "--db", store);
  const { id, details } = about("resnet_mini", store);
  const names = JSON.parse(runs("list", "--format", "json").stdout).map((run) => run.name);
  const range = `${details.onset.name}..${names[0]}`;
  const preview = JSON.parse(runs("preview", range, "--format", "json").stdout);
  assert.deepEqual(preview.nights.map((night) => night.run), names.slice(0, names.indexOf(details.onset.name) + 1).reverse());
  assert.ok(preview.nights.every((night) => !night.is_excluded));
  const own = preview.alerts.find((alert) => alert.id === id);
  assert.equal(own.now.title, details.title);
  assert.equal(own.then, null);
  assert.match(runs("preview", range).stdout, new RegExp(`^gone +#${id} `, "m"));
  assert.equal(runs("marks").stdout, "", "nothing was marked");
  const mark = runs("mark", range, "excluded", "the", "disk", "was", "full");
  assert.equal(mark.status, 0, mark.stderr);
  assert.equal(JSON.parse(runs("marks", "--format", "json").stdout).length, preview.nights.length);
  const told = JSON.parse(benchhud("regressions", "--db", store, "--format", "json").stdout);
  const titles = (told.alerts ?? told.items ?? told).map((alert) => alert.details.title).sort();
  const expected = preview.alerts.filter((alert) => alert.then && alert.then.detected !== "recovered").map((alert) => alert.then.title).sort();
  assert.deepEqual(titles, expected, "what the preview said");
  assert.equal(runs("unmark", range, "excluded").status, 0);
  assert.equal(about("resnet_mini", store).id, id, "it is still the same");
  const wrong = runs("preview", `${names[0]}..${details.onset.name}`);
  assert.notEqual(wrong.status, 0);
  assert.match(wrong.stderr, /is before/);
  assert.match(runs("preview", "1999..latest").stderr, /1999/);
});

test("bisect-check tells good from bad, and what it cannot tell", () => {
  const check = (model, night, ...args) =>
    run("bisect-check", "--alert", String(about(model).id), join(nights, night, "results.jsonl"), ...args);
  assert.equal(check("resnet_mini", "2025-11-09").status, 0);
  assert.equal(check("resnet_mini", "2025-11-10").status, 1);
  assert.equal(check("resnet_mini", "2025-11-09", "--metric", "steady").status, 0);
  assert.equal(check("resnet_mini", "2025-11-10", "--metric", "steady").status, 1);
  assert.equal(check("transformer_mini", "2025-11-13", "--metric", "steady").status, 0);
  assert.equal(check("transformer_mini", "2025-11-28", "--metric", "steady").status, 1);
  assert.equal(check("unet_mini", "2025-11-16-verify").status, 0);
  assert.equal(check("unet_mini", "2025-11-19-verify").status, 1);
  const other = check("unet_mini", "2025-11-19");
  assert.equal(other.status, 125, "a timing verifies nothing");
  assert.match(other.stdout, /cannot tell/);
  assert.equal(run("bisect-check", "--alert", "99999", join(nights, "2025-11-09/results.jsonl")).status, 125);
  assert.equal(run("bisect-check", "--alert", "1", join(folder, "none.jsonl")).status, 125);
  assert.equal(run("bisect-check").status, 125);
});

test("bisect-check exits with 125 whatever fails, and never with a status that ends git bisect run", () => {
  const args = ["bisect-check", "--db", db, "--alert", String(about("resnet_mini").id), join(nights, "2025-11-09/results.jsonl")];
  const file = join(folder, "no-folder");
  writeFileSync(file, "");
  const full = openSync("/dev/full", "w");
  for (const [what, environment, stdio] of [
    ["a TMPDIR that is not there", { TMPDIR: join(folder, "nowhere") }, "pipe"],
    ["a TMPDIR that is a file", { TMPDIR: file }, "pipe"],
    ["a TMPDIR that may not be written to", { TMPDIR: "/proc" }, "pipe"],
    ["an output that cannot be written", {}, ["ignore", full, full]],
  ]) {
    const done = spawnSync(program, args, { encoding: "utf8", stdio, env: { ...process.env, ...environment } });
    assert.deepEqual([done.status, done.signal], [125, null], what);
    if (environment.TMPDIR) assert.match(done.stderr, /no folder for temporary files.*TMPDIR/, what);
  }
  closeSync(full);
  // Whoever reads it has left.
  const shell = spawnSync("bash", ["-c", '{ sleep 0.2; "$@"; echo $? >&2; } | true', "bash", program, ...args], { encoding: "utf8" });
  assert.match(shell.stderr, /cannot be written.*\n125\n$/);
});

test("an output that cannot be written is a failure", () => {
  const full = openSync("/dev/full", "w");
  for (const args of [["summary"], ["runs", "list"], ["export"], ["regressions"], ["doctor", "--max-age", "1000000"]]) {
    const done = spawnSync(program, [...args, "--db", db], { encoding: "utf8", stdio: ["ignore", full, "pipe"] });
    assert.deepEqual([done.status, done.signal], [1, null], args[0]);
    assert.match(done.stderr, /standard output cannot be written/, args[0]);
  }
  closeSync(full);
});

test("causes and the runner's command come with an alert", () => {
  const resnet = about("resnet_mini");
  const lines = (alert) => alert.causes.flatMap((cause) => [cause.title, ...cause.lines]).join("\n");
  assert.match(lines(resnet), /graph breaks 0 → 2/);
  assert.match(lines(resnet), /decorators\.py: 0 → 2/);
  assert.match(lines(resnet), /% of the change/);
  assert.match(resnet.reproduction, /experiment_runner\.py .*--filter='\^resnet_mini\$' .*--dynamo=inductor --test=eval/);
  assert.match(lines(about("transformer_mini")), /aten::cumsum/);
  assert.match(lines(about("unet_mini")), /differs from eager/);
  assert.match(about("unet_mini").reproduction, /--verify/);
});

test("a webhook is told of each alert once, signed, and again where it did not answer", async () => {
  const store = join(folder, "told.db");
  const secret = join(folder, "secret");
  writeFileSync(secret, "s3cret\n");
  const got = [];
  let failures = 1;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const { headers } = request;
      const signed = createHmac("sha256", "s3cret")
        .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
        .digest("base64");
      got.push({ id: headers["webhook-id"], ok: headers["webhook-signature"] === `v1,${signed}`, body: JSON.parse(body) });
      response.statusCode = failures-- > 0 ? 503 : 204;
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  const notify = (...args) =>
    benchhudAsync("notify", "--webhook", url, "--secret-file", secret, "--db", store, ...args);
  try {
    // Up to the night of resnet_mini's change: it is news.
    for (let day = 1; day <= 10; ++day) {
      benchhud("ingest", join(nights, `2025-11-${String(day).padStart(2, "0")}`), "--db", store);
    }
    const page = join(folder, "attention.md");
    const first = await notify("--attempts", "1", "--markdown", page);
    assert.equal(first.status, 1, "the first answer was 503");
    assert.match(readFileSync(page, "utf8"), /resnet\\_mini/);
    assert.equal((await notify()).status, 0);
    assert.equal((await notify()).status, 0);
    assert.equal(benchhud("rebuild", "--db", store).status, 0);
    assert.equal((await notify()).status, 0);
    assert.equal(got.length, 2);
    assert.ok(got.every((one) => one.ok));
    assert.equal(got[0].id, got[1].id);
    assert.equal(got[1].body.type, "alert.confirmed");
    assert.match(got[1].body.data.details.title, /resnet_mini/);

    // To another address, to which nothing was posted: not while it is muted, and afterwards what is still news.
    const { id } = got[1].body.data;
    assert.equal(benchhud("alerts", "mute", String(id), "2999-12-24", "--db", store).status, 0);
    const other = (...args) => benchhudAsync("notify", "--webhook", `${url}/other`, "--db", store, ...args);
    const quiet = join(folder, "quiet.md");
    assert.equal((await other("--markdown", quiet)).status, 0);
    assert.equal(got.length, 2);
    assert.doesNotMatch(readFileSync(quiet, "utf8"), /resnet\\_mini/);
    assert.equal(benchhud("alerts", "mute", String(id), "", "--db", store).status, 0);
    assert.equal((await other()).status, 0);
    assert.equal(got.length, 3);
    assert.equal(got[2].body.data.muted_until, null);
  } finally {
    server.close();
  }
  assert.notEqual((await benchhudAsync("notify", "--webhook", "ftp://x/", "--db", store)).status, 0);
  assert.notEqual((await benchhudAsync("notify", "--db", store)).status, 0);
  assert.ok(!existsSync(join(folder, "attention.md.tmp")));
});

test("a folder given for a file is an error with a reason, not the end of the program", () => {
  for (const args of [["alerts", "rules", folder], ["notify", "--webhook", "http://127.0.0.1:1/", "--secret-file", folder]]) {
    const done = run(...args);
    assert.ok([1, 2].includes(done.status), `${args[0]}: ${done.status}`);
    assert.ok(done.stderr.includes(folder), done.stderr);
  }
});
