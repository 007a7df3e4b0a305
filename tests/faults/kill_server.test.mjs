// kill -9 of the server while many read and some change something: what was answered to be done is done, once.
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { line, times } from "../integration/support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "../integration/support/server.mjs";
import { Peer, busyClients, figures, pause, randomNumbers, strength, until } from "./support/faults.mjs";
import { isWhole } from "./support/store.mjs";

const ROUNDS = strength("BENCHHUD_SERVER_KILLS", 3, 100);
const NOTERS = 4, SENDERS = 2;
const within = { timeout: (60 + ROUNDS * 20) * 1000 };

let folder, db, alert;
before(() => {
  folder = temporaryFolder("kill-server");
  db = join(folder, "store.db");
  assert.equal(benchhud("ingest", join(root, "samples/cpu_nightlies"), "--db", db).status, 0);
  alert = JSON.parse(benchhud("regressions", "--format", "json", "--db", db).stdout).alerts[0].id;
});
after(() => removeFolder(folder));

const night = (model) => line({ model, metrics: times(0.5), experiment: { accelerator_model: "NVIDIA H100" } }) + "\n";
const leftOvers = () => (existsSync(`${db}.uploads`) ? readdirSync(`${db}.uploads`) : []);

test("every change that was answered is there afterwards, and none is there twice", within, async () => {
  const random = randomNumbers(Number(process.env.BENCHHUD_KILL_SEED ?? 2));
  const noted = [], sent = [], open = { notes: [], models: [] };
  let reads = 0, leftBehind = 0, bearer, number = 0, wrong = [];
  for (let round = 0; round < ROUNDS; ++round) {
    const server = await serve(db, "--no-code");
    assert.deepEqual(leftOvers(), [], "what the killed one was sent and had not taken in is cleared away");
    bearer ??= server.bearer();
    const readers = busyClients(server.port, { clients: 16, seconds: 30, targets: ["/api/v1/overview", "/api/v1/runs", `/api/v1/alerts/${alert}`, "/api/v1/alerts"] });
    // Half of a file, so that there is one when it is killed.
    const half = new Peer(server.port).send(`POST /api/v1/ingest?name=half.jsonl HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n${"x".repeat(70_000)}`);
    await until(() => leftOvers().some((name) => statSync(join(`${db}.uploads`, name)).size > 0), "the half file");
    if (round === 0) {
      const other = await serve(db, "--no-code");
      assert.ok(leftOvers().length > 0, "what one that lives is being sent is not another's to clear away");
      await other.stop();
    }
    let isKilled = false;
    const post = (path, type, body) => fetch(`${server.base}/api/v1/${path}`, { method: "POST", headers: { ...bearer, "content-type": type }, body });
    const change = async (list, begun, make) => {
      while (!isKilled) {
        const [name, request] = make(++number);
        begun.push(name);
        try {
          const answer = await request();
          if (answer.ok) list.push(name);
          // Two writers at once may be told to try again; nothing else is an answer to this.
          else if (answer.status !== 503) wrong.push(`${answer.status} ${await answer.text()}`);
        } catch {
          if (!isKilled) await pause(1);
        }
      }
    };
    const writers = [
      ...Array.from({ length: NOTERS }, () => change(noted, open.notes, (n) => [`note-${n}-`, () => post(`alerts/${alert}/actions`, "application/json", JSON.stringify({ kind: "note", value: `note-${n}-` }))])),
      ...Array.from({ length: SENDERS }, () => change(sent, open.models, (n) => [`model${n}`, () => post(`ingest?name=u${n}.jsonl`, "application/x-ndjson", night(`model${n}`))])),
    ];
    await pause(200 + random() * 1300);
    const ended = server.stop("SIGKILL");
    isKilled = true;
    await ended;
    half.end();
    leftBehind += leftOvers().length;
    reads += (await readers.stop()).answers;
    await Promise.all(writers);
    isWhole(db);
  }
  const server = await serve(db, "--no-code");
  const left = leftOvers();
  const { actions } = await (await fetch(`${server.base}/api/v1/alerts/${alert}`)).json();
  const count = (items) => items.reduce((counts, item) => counts.set(item, (counts.get(item) ?? 0) + 1), new Map());
  const notes = count(actions.map(({ value }) => value));
  // Whoever got no answer sends it again: by its content it is known if it was in.
  for (const model of open.models) {
    const answer = await fetch(`${server.base}/api/v1/ingest?name=${model.replace("model", "u")}.jsonl`, { method: "POST", headers: { ...bearer, "content-type": "application/x-ndjson" }, body: night(model) });
    assert.equal(answer.status, 200, await answer.clone().text());
    if (sent.includes(model)) assert.equal((await answer.json()).accepted, 0, "it was in already");
  }
  await server.stop();
  const models = count([...benchhud("export", "--format", "jsonl", "--db", db).stdout.matchAll(/"(model\d+)"/g)].map((m) => m[1]));
  const lost = noted.filter((name) => !notes.has(name)).length + sent.filter((name) => !models.has(name)).length;
  const twice = [...notes.entries(), ...models.entries()].filter(([name, times]) => /^(note-|model)\d/.test(name) && times > 1);
  figures("kill the server", { kills: ROUNDS, reads, notes_answered: noted.length, notes_begun: open.notes.length, files_answered: sent.length, files_begun: open.models.length, lost, twice: twice.length, files_left_by_killed: leftBehind, left_after_restart: left.length });
  assert.deepEqual(wrong, []);
  assert.equal(lost, 0);
  assert.deepEqual(twice, []);
  assert.equal(models.size, open.models.length);
  assert.deepEqual(left, []);
  assert.ok(noted.length >= ROUNDS && sent.length >= ROUNDS && leftBehind >= ROUNDS, "something was going on");
});
