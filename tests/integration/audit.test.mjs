// Who did what: the token's name beside what people call themselves, and what the audit has beside changes. Also what readers do not get to see: where files
// lie on the server.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, removeFolder, root, secretOf, serve, temporaryFolder } from "./support/server.mjs";

let folder, db, server;
before(async () => {
  folder = temporaryFolder("audit");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples"), "--db", db).status, 0);
  server = await serve(db, "--log", "json");
});
after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

const token = (name, ...scopes) => {
  const made = benchhud("tokens", "add", name, ...scopes.flatMap((scope) => ["--scope", scope]), "--db", db);
  assert.equal(made.status, 0, made.stderr);
  return made.stdout.trim();
};
const api = (path, options = {}) => fetch(`${server.base}/api/v1${path}`, options);
const post = (path, shown, body) => api(path, { method: "POST", headers: { ...(shown && { authorization: `Bearer ${shown}` }), "content-type": "application/json" }, body: JSON.stringify(body) });
/** The audit's lines, newest first: { action, detail }. */
function audit() {
  const printed = benchhud("runs", "audit", "--limit", "1000", "--db", db).stdout;
  return printed.split("\n").filter((one) => one).map((one) => /^\S+  (?<action>\S.*?) *  (?<detail>.*)$/.exec(one).groups);
}

/** The audit's lines once there is one that fits; they are written beside what causes them. */
async function auditWith(action, detail) {
  for (let i = 0; i < 100; ++i) {
    const lines = audit().filter((one) => one.action === action && detail.test(one.detail));
    if (lines.length) return lines;
    await new Promise((next) => setTimeout(next, 100));
  }
  assert.fail(`no line ${action} ${detail} in ${JSON.stringify(audit().slice(0, 10), null, 1)}`);
}

test("the token that was shown stands beside what its holder calls themselves, whatever that is", async () => {
  const shown = token("ada's laptop", "triage");
  const { items } = await (await api("/alerts?state=all")).json();
  const acted = await post(`/alerts/${items[0].id}/actions`, shown, { kind: "note", value: "mine", who: "the boss" });
  assert.equal(acted.status, 201);
  const { actions } = await acted.json();
  assert.deepEqual([actions.at(-1).who, actions.at(-1).token], ["the boss", "ada's laptop"]);
  const { items: runs } = await (await api("/runs?limit=1")).json();
  const marked = await post(`/runs/${runs[0].id}/marks`, shown, { kind: "pinned", reason: "", who: "" });
  assert.deepEqual((await marked.json()).marks.map(({ who, token }) => [who, token]), [["", "ada's laptop"]]);
  const traces = (await (await api("/artifacts?kind=trace&limit=1")).json()).items;
  const noted = await post(`/traces/${traces[0].trace_id}/notes`, shown, { begin: "0", end: "1000", words: "here", who: "root" });
  assert.deepEqual((await noted.json()).items.map(({ who, token }) => [who, token]), [["root", "ada's laptop"]]);
  // The command line takes no token, and says so.
  assert.equal(benchhud("alerts", "note", String(items[0].id), "from here", "--who", "root", "--db", db).status, 0);
  const again = await (await api(`/alerts/${items[0].id}`)).json();
  assert.deepEqual(again.actions.slice(-2).map(({ token }) => token), ["ada's laptop", null]);
  assert.match(benchhud("alerts", "show", String(items[0].id), "--db", db).stdout, /the boss \(token ada's laptop\)/);
});

test("sign-ins, downloads of the store and refused attempts are in the audit, without any secret", async () => {
  const shown = token("grace", "read");
  assert.equal((await post("/session", null, { token: shown })).status, 201);
  await auditWith("sign-in", /^token \d+ \(grace\) from 127\.0\.0\.1$/);
  await (await api("/store.db", { headers: { authorization: `Bearer ${shown}` } })).arrayBuffer();
  await auditWith("download", /^of the store by token \d+ \(grace\) from 127/);
  await (await api("/store.db")).arrayBuffer();
  await auditWith("download", /by somebody without a token/);
  const mark = `/runs/latest/marks`;
  const body = { kind: "pinned", reason: "", who: "eve" };
  assert.equal((await post(mark, shown, body)).status, 403);
  await auditWith("refused", /^POST \/api\/v1\/runs\/latest\/marks, token \d+ \(grace\) from 127\.0\.0\.1: .*scope triage/);
  assert.equal((await post(mark, null, body)).status, 401);
  assert.equal((await post(mark, "bhud_1_wrongwrongwrong", body)).status, 401);
  assert.equal((await post("/session", null, { token: "bhud_1_wrongwrongwrong" })).status, 401);
  assert.equal((await post("/session", null, { code: "wrongwrongwrong" })).status, 401);
  assert.equal((await api(`/ingest?name=a.jsonl&label=x:${shown}`, { method: "POST", body: "{}", headers: { "content-type": "application/x-ndjson" } })).status, 401);
  await auditWith("refused", /^POST \/api\/v1\/ingest\?name=a\.jsonl&label=\*\*\* from/);
  assert.ok((await auditWith("refused", /^POST \/api\/v1\/session from 127\.0\.0\.1: /)).length >= 2);
  const all = JSON.stringify(audit());
  assert.ok(!all.includes("wrongwrongwrong") && !all.includes(secretOf(shown)), "no secret");
});

test("a flood of refused attempts writes few lines", async () => {
  const before = audit().filter((one) => one.action === "refused").length;
  const flood = Array.from({ length: 500 }, () => post("/runs/latest/marks", null, { kind: "pinned" }));
  for (const answer of await Promise.all(flood)) assert.ok([401, 503].includes(answer.status));
  await new Promise((next) => setTimeout(next, 1500));
  const added = audit().filter((one) => one.action === "refused").length - before;
  assert.ok(added <= 20, `${added} lines`);
});

test("no answer says where files lie on the server, nor does a copy of its store", async () => {
  const contract = JSON.parse(readFileSync(join(root, "schema/openapi.json"), "utf8"));
  const folders = [root.replace(/\/$/, ""), folder];
  let asked = 0;
  for (const [path, { get }] of Object.entries(contract.paths)) {
    if (!get?.["x-example"] || path === "/openapi.json") continue;
    const bytes = Buffer.from(await (await api(get["x-example"])).arrayBuffer()).toString("latin1");
    for (const one of folders) assert.ok(!bytes.includes(one), `${path} says ${one}`);
    ++asked;
  }
  assert.ok(asked > 60);
  // What is not an example.
  for (const path of ["/artifacts?limit=1000&superseded=true", "/ingests?limit=1000", "/rejected-lines?limit=1000", "/runs?limit=1000"]) {
    const text = await (await api(path)).text();
    for (const one of folders) assert.ok(!text.includes(one), `${path} says ${one}`);
  }
  const { items } = await (await api("/ingests?limit=1")).json();
  assert.match(items[0].path, /^[^/]+\/[^/]+$/, "the file's name, and the folder that it is in");
  // The program on the store's own file says all of it.
  assert.ok(benchhud("artifacts", "list", "--db", db, "--format", "json").stdout.includes(folders[0]));
  // A copy is a store of its own, in which everything is known already.
  const copy = join(folder, "copy.db");
  writeFileSync(copy, Buffer.from(await (await api("/store.db")).arrayBuffer()));
  const again = benchhud("ingest", join(root, "samples"), "--db", copy);
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stdout, / 0 accepted|: 0 new/);
});

test("problems do not say where the store lies", async () => {
  const own = join(folder, "moved.db");
  const other = await serve(own);
  try {
    writeFileSync(own, "this is no database, and longer than the header of one: ".repeat(10));
    for (const path of ["/overview", "/health", "/runs"]) {
      const answer = await fetch(`${other.base}/api/v1${path}`);
      assert.ok(!(await answer.text()).includes(folder), path);
    }
  } finally {
    await other.stop();
  }
});
