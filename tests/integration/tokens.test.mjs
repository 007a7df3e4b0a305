// Tokens by the command line, and what they open over the wire.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { benchhud, removeFolder, root, secretOf, serve, temporaryFolder } from "./support/server.mjs";

let folder, db;
before(() => {
  folder = temporaryFolder("tokens");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies/2025-11-10"), "--db", db).status, 0);
});
after(() => removeFolder(folder));

const tokens = (...words) => benchhud("tokens", ...words, "--db", db);
const listed = () => JSON.parse(tokens("list", "--format", "json").stdout);

test("a token is printed once, and nothing in the store is it", () => {
  const made = tokens("add", "nightly job", "--scope", "ingest", "--scope", "read", "--expires", "30d");
  assert.equal(made.status, 0, made.stderr);
  const token = made.stdout.trim();
  assert.match(token, /^bhud_\d+_[\w-]{43}$/);
  assert.match(made.stderr, /token \d+ \(nightly job\), may read ingest, valid until 20.*not shown again/);
  const [one] = listed();
  assert.deepEqual([one.name, one.scopes, one.state, one.withdrawn_at], ["nightly job", ["read", "ingest"], "valid", null]);
  assert.ok(Math.abs(Date.parse(one.expires_at) - Date.now() - 30 * 86_400_000) < 60_000);
  for (const file of [db, `${db}-wal`]) {
    let bytes;
    try {
      bytes = readFileSync(file);
    } catch {
      continue; // the log is put away with the last connection
    }
    assert.equal(bytes.indexOf(secretOf(token)), -1, file);
  }
  assert.match(tokens().stdout, /valid +read ingest +20\d\d-\d\d-\d\d +nightly job/);
});

test("a name names one valid token, by which it is withdrawn", () => {
  assert.equal(tokens("add", "ada", "--scope", "triage", "--expires", "never").status, 0);
  const again = tokens("add", "ada", "--scope", "read");
  assert.equal(again.status, 1);
  assert.match(again.stderr, /called ada already/);
  assert.match(tokens("withdraw", "ada").stdout, /token \d+ is withdrawn/);
  assert.equal(tokens("withdraw", "ada").status, 1);
  assert.equal(tokens("add", "ada", "--scope", "read").status, 0);
  assert.deepEqual(listed().filter((one) => one.name === "ada").map((one) => [one.state, one.expires_at === null]), [["withdrawn", true], ["valid", false]]);
});

test("what makes no sense is refused with the reason", () => {
  for (const [words, reason] of [
    [["add", "x"], /--scope read, triage or ingest/],
    [["add", "x", "--scope", "all"], /--scope is read, triage or ingest, not all/],
    [["add", "x", "--scope", "read", "--expires", "0d"], /number of days/],
    [["add", "x", "--scope", "read", "--expires", "soon"], /number of days/],
    [["add", "", "--scope", "read"], /needs a name/],
    [["add", "--scope", "read"], /takes a name/],
    [["withdraw", "99"], /no token 99/],
    [["list", "--scope", "read"], /for `benchhud tokens add`/],
    [["burn", "x"], /there is no `benchhud tokens burn`/],
  ]) {
    const refused = tokens(...words);
    assert.equal(refused.status, words[1] === "99" ? 1 : 2, words.join(" "));
    assert.match(refused.stderr, reason);
  }
});

test("a token that is withdrawn opens nothing from then on, while the server runs", async () => {
  const token = tokens("add", "reader", "--scope", "read").stdout.trim();
  const server = await serve(db, "--reading", "token");
  try {
    const ask = (authorization) => fetch(`${server.base}/api/v1/runs`, { headers: authorization ? { authorization } : {} });
    assert.equal((await ask()).status, 401);
    const answer = await ask(`Bearer ${token}`);
    assert.equal(answer.status, 200);
    assert.equal((await (await fetch(`${server.base}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } })).json()).name, "reader");
    assert.equal(tokens("withdraw", "reader").status, 0);
    assert.equal((await ask(`Bearer ${token}`)).status, 401);
    assert.equal((await fetch(`${server.base}/`)).status, 200, "the pages hold nothing; they say how to sign in");
  } finally {
    await server.stop();
  }
});

test("the code in the printed address is good once, and printed only where this machine alone is listened to", async () => {
  const server = await serve(db);
  try {
    const [page, code] = server.signIn.split("#");
    assert.equal(page, `${server.base}/sign-in`);
    const begin = () => fetch(`${server.base}/api/v1/session`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) });
    const begun = await begin();
    assert.equal(begun.status, 201);
    const cookie = begun.headers.get("set-cookie");
    assert.match(cookie, new RegExp(`^benchhud_session_${server.port}=bhud_\\d+_[\\w-]{43}; Max-Age=\\d+; Path=/; HttpOnly; SameSite=Strict$`));
    assert.equal((await begin()).status, 401);
    const act = (headers) => fetch(`${server.base}/api/v1/runs/latest/marks`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify({ kind: "pinned" }) });
    assert.equal((await act({ cookie: cookie.split(";")[0] })).status, 201);
    assert.equal((await act({ cookie: cookie.split(";")[0], origin: "https://elsewhere.example" })).status, 403);
  } finally {
    const { printed } = await server.stop();
    assert.match(printed, /sign a browser in, once/);
  }
  for (const options of [["--host", "0.0.0.0"], ["--no-code"]]) {
    const other = await serve(db, ...options);
    const { printed } = await other.stop();
    assert.doesNotMatch(printed, /sign-in/, options.join(" "));
  }
  assert.equal(benchhud("serve", "--reading", "nobody", "--db", db).status, 2);
});
