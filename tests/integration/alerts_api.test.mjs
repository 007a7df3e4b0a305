// Alerts of the samples' nights: asked for, and acted on over the wire, by whom it may be.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { ajv } from "./support/contract.mjs";
import { benchhud, makeToken, serveSamples } from "./support/server.mjs";

let db, server, end, id;

before(async () => {
  ({ db, server, end } = await serveSamples("alerts", "--allow-host", "hud.example"));
  const { data } = await ask("GET", "/alerts?model=resnet_mini&backend=inductor&since=2025-11-10&until=2025-11-11");
  assert.equal(data.total, 1);
  id = data.items[0].id;
});

after(() => end?.());

/** Asks with exactly these headers: fetch would set Host and Origin by itself. */
function ask(method, path, body, headers = {}, port = server.port) {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const all = { ...(method === "GET" ? {} : server.bearer()), ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }), ...headers };
  return new Promise((done, fail) => {
    const asked = request({ host: "127.0.0.1", port, method, path: `/api/v1${path}`, headers: all }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (piece) => (answer += piece));
      response.on("end", () => done({ status: response.statusCode, headers: response.headers, data: answer ? JSON.parse(answer) : null }));
    });
    asked.on("error", fail);
    asked.end(text);
  });
}

const act = (body, headers) => ask("POST", `/alerts/${id}/actions`, body, headers);

function check(name, data) {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  assert.ok(validate(data), ajv.errorsText(validate.errors));
}

test("a result says how to measure it again, as the alerts about it do, as often as it was measured", async () => {
  const { data: alert } = await ask("GET", `/alerts/${id}`);
  const { experiment } = alert.details.members.find(({ metric }) => metric === "steady");
  const { data: result } = await ask("GET", `/runs/2025-11-10/results/${experiment.id}`);
  const { timing, verification } = result.reproduction;
  assert.equal(timing.replace(` --repeat=${result.repeat} --iterations-per-run=${result.iterations_per_run}`, ""), alert.reproduction);
  assert.equal(verification, alert.reproduction.replace(" --no-resume", " --verify --no-resume"));
  // What nobody ever verified has no such command.
  const eager = (await ask("GET", "/results?run=2025-11-10&model=resnet_mini&backend=eager&test=eval")).data.items[0];
  assert.equal((await ask("GET", `/runs/2025-11-10/results/${eager.experiment.id}`)).data.reproduction.verification, null);
});

test("an alert has a history by night, and orphaned ones are a state to ask for", async () => {
  const { items } = (await ask("GET", "/alerts?state=all&limit=1000")).data;
  const seen = new Set();
  for (const one of items) {
    const { data } = await ask("GET", `/alerts/${one.id}`);
    check("AlertDetail", data);
    const { details, history } = data;
    assert.deepEqual([history[0].kind, history[0].run.id], ["first_seen", details.first_seen.id]);
    assert.equal(history.find(({ kind }) => kind === "confirmed")?.run.id ?? null, details.confirmed?.id ?? null);
    const times = history.map(({ run }) => run.started_at);
    assert.deepEqual(times, [...times].sort(), "oldest first");
    for (const { series, alerts, count, kind } of history) {
      assert.ok(series.length <= Math.min(3, count) && alerts.length <= 3);
      seen.add(kind);
    }
    assert.equal(data.split_from, history.find(({ kind }) => kind === "split")?.alerts[0] ?? null);
    assert.deepEqual([one.is_orphaned, one.successor], [false, null]);
  }
  for (const kind of ["joined", "withdrawn"]) assert.ok(seen.has(kind), kind);
  const orphaned = await ask("GET", "/alerts?state=orphaned");
  assert.deepEqual([orphaned.status, orphaned.data.total], [200, 0]);
  assert.equal((await ask("GET", "/alerts?state=orphaned,confirmed")).data.total, (await ask("GET", "/alerts?state=confirmed")).data.total);
  assert.match((await ask("GET", "/alerts?state=orphan")).data.detail, /orphaned/);
});

test("a list filtered by model, suite or backend contains only the matching series and the number of omitted ones", async () => {
  const { items } = (await ask("GET", "/alerts?state=all&limit=1000")).data;
  assert.ok(items.every(({ details }) => details.members_left_out === undefined), "nothing is asked for");
  const mixed = items.find(({ details }) => new Set(details.members.map(({ experiment }) => experiment.backend)).size > 1);
  const { experiment } = mixed.details.members[0];
  const fitting = mixed.details.members.filter((member) => member.experiment.backend === experiment.backend && member.experiment.model === experiment.model);
  const { data } = await ask("GET", `/alerts?state=all&limit=1000&model=${experiment.model}&suite=${experiment.suite}&backend=${experiment.backend}`);
  check("AlertPage", data);
  const found = data.items.find(({ id }) => id === mixed.id);
  assert.deepEqual(found.details.members, fitting);
  assert.equal(found.details.members_left_out, mixed.details.members.length - fitting.length);
  assert.deepEqual((await ask("GET", `/alerts/${mixed.id}`)).data.details.members, mixed.details.members, "the alert itself has all");
});

test("the list is what `benchhud regressions` prints", async () => {
  const printed = benchhud("regressions", "--db", db, "--format", "json");
  assert.equal(printed.status, 0, printed.stderr);
  const { data } = await ask("GET", "/alerts?limit=1000");
  const byId = (list) => [...list].sort((a, b) => a.id - b.id);
  const { alerts } = JSON.parse(printed.stdout);
  assert.deepEqual(byId(data.items), byId(alerts.map(({ causes, reproduction, ...alert }) => alert)));
  const { causes, reproduction } = alerts.find((alert) => alert.id === id);
  const whole = (await ask("GET", `/alerts/${id}`)).data;
  check("AlertDetail", whole);
  assert.deepEqual({ causes: whole.causes, reproduction: whole.reproduction }, { causes, reproduction });
  assert.ok(causes.length > 0 && reproduction.length > 0);
  const onsets = data.items.map((alert) => alert.details.onset.started_at);
  assert.deepEqual(onsets, [...onsets].sort().reverse(), "the one that began last first");
});

test("acting on an alert answers what it is then, and every reader sees it", async () => {
  const before = await ask("GET", `/alerts/${id}`);
  const done = await act({ kind: "state", value: "investigating", who: "Ada Lovelace" });
  assert.equal(done.status, 201, JSON.stringify(done.data));
  assert.equal(done.headers.location, `/api/v1/alerts/${id}`);
  check("AlertDetail", done.data);
  assert.equal(done.data.state, "investigating");
  const said = ({ actions }) => actions.map(({ who, kind, value }) => `${who}: ${kind} ${value}`);
  assert.deepEqual(said(done.data), ["Ada Lovelace: state investigating", "Ada Lovelace: owner Ada Lovelace"], "it was nobody's");
  assert.equal(done.data.owner, "Ada Lovelace");
  assert.equal((await act({ kind: "owner", value: "ada" })).data.owner, "ada");
  assert.deepEqual(said((await act({ kind: "state", value: "acknowledged", who: "bob" })).data).slice(-1), ["bob: state acknowledged"], "it stays whose it is");
  assert.equal((await act({ kind: "state", value: "investigating", who: "Ada Lovelace" })).data.owner, "ada");
  assert.equal((await act({ kind: "link", value: "https://example.org/1" })).data.link, "https://example.org/1");
  const note = `${"ä\n".repeat(20_000)}<img src=x onerror=alert(1)>`;
  assert.equal((await act({ kind: "note", value: note, who: "<b>" })).status, 201);
  const again = await ask("GET", `/alerts/${id}`, undefined, { "if-none-match": before.headers.etag });
  assert.equal(again.status, 200, "an ETag from before is of another answer");
  assert.equal(again.data.actions.at(-1).value, note);
  assert.equal((await ask("GET", "/alerts?state=investigating")).data.total, 1);
  const audit = benchhud("runs", "audit", "--db", db);
  assert.match(audit.stdout, new RegExp(`${id}: state=investigating owner=Ada Lovelace by Ada Lovelace`));

  assert.equal((await act({ kind: "state", value: "fixed" })).status, 201);
  const listed = (await ask("GET", "/alerts")).data.items.map((alert) => alert.id);
  assert.ok(!listed.includes(id), "what is decided needs no attention");
  assert.equal((await act({ kind: "state", value: "open" })).data.state, "confirmed");
});

test("several are acted on at once: all of them, or none", async () => {
  const { items } = (await ask("GET", "/alerts")).data;
  const ids = items.slice(0, 2).map((alert) => alert.id);
  assert.equal(ids.length, 2);
  const done = await ask("POST", "/alerts/actions", { ids, kind: "state", value: "acknowledged", who: "eve" });
  assert.equal(done.status, 200, JSON.stringify(done.data));
  assert.equal(done.headers.location, undefined);
  check("AlertPage", done.data);
  assert.deepEqual(done.data.items.map((alert) => alert.id).sort(), [...ids].sort());
  assert.ok(done.data.items.every((alert) => alert.state === "acknowledged" && alert.owner === "eve"));
  assert.equal((await ask("GET", "/alerts?owner=eve")).data.total, 2);
  assert.equal((await ask("GET", "/alerts?owner=nobody")).data.total, 0);
  const audit = benchhud("runs", "audit", "--db", db).stdout;
  for (const one of ids) assert.match(audit, new RegExp(`${one}: state=acknowledged(?: owner=eve)? by eve`));

  const revision = async () => (await ask("GET", "/health")).data.revision;
  const before = await revision();
  for (const [wrong, status, detail] of [
    [[...ids, 99999], 404, /alert 99999/],
    [[ids[0], ids[0]], 400, new RegExp(`${ids[0]} twice`)],
    [[], 400, /at least 1/],
    [Array.from({ length: 1001 }, (_, i) => i + 1), 400, /at most 1000/],
    [ids.join(), 400, /whole numbers/],
  ]) {
    const refused = await ask("POST", "/alerts/actions", { ids: wrong, kind: "state", value: "fixed", who: "eve" });
    assert.equal(refused.status, status, JSON.stringify(refused.data));
    check("Problem", refused.data);
    assert.equal(refused.data.parameter, "ids");
    assert.match(refused.data.detail, detail);
  }
  assert.equal(await revision(), before, "nothing was changed");
  assert.equal((await ask("POST", "/alerts/actions", { ids, kind: "owner", value: "", who: "eve" })).status, 200);
  assert.equal((await ask("POST", "/alerts/actions", { ids, kind: "state", value: "open", who: "eve" })).status, 200);
});

test("what is muted needs no attention and is listed apart, until its mute ends", async () => {
  const attention = async () => (await ask("GET", "/store")).data.attention_count;
  const before = await attention();
  const muted = await act({ kind: "mute", value: "2999-12-24", who: "ada" });
  assert.equal(muted.status, 201, JSON.stringify(muted.data));
  check("AlertDetail", muted.data);
  assert.deepEqual([muted.data.state, muted.data.urgency, muted.data.detected], ["muted", "muted", "confirmed"]);
  assert.deepEqual(muted.data.muted_until, { date: "2999-12-24", state: null });
  assert.equal(await attention(), before - 1);
  assert.ok(!(await ask("GET", "/alerts")).data.items.some((alert) => alert.id === id));
  const { data } = await ask("GET", "/alerts?state=muted");
  assert.deepEqual([data.items.map((alert) => alert.id), data.counts.muted], [[id], 1]);
  const printed = benchhud("regressions", "--db", db);
  assert.match(printed.stdout, /; 1 alert is muted\n$/);
  assert.ok(!printed.stdout.includes(`#${id} `));
  for (const [value, detail] of [["2001-01-01", /has begun/], ["confirmed", /it is confirmed/], ["soon", /a day like/], ["2999-02-30", /a day like/]]) {
    const refused = await act({ kind: "mute", value });
    assert.deepEqual([refused.status, refused.data.parameter], [400, "value"]);
    assert.match(refused.data.detail, detail);
  }
  assert.deepEqual((await act({ kind: "mute", value: "recovered" })).data.muted_until, { date: null, state: "recovered" });
  assert.equal((await act({ kind: "mute", value: "" })).data.state, "confirmed");
  assert.equal(await attention(), before);
});

test("a night that does not count: its alert goes, and comes back with it", async () => {
  const { onset } = (await ask("GET", `/alerts/${id}`)).data.details;
  const all = async () => (await ask("GET", "/alerts?state=all&limit=1000")).data.items.map((alert) => [alert.id, alert.detected]);
  const before = await all();
  const marked = await ask("POST", `/runs/${onset.id}/marks`, { kind: "environment", reason: "another driver", who: "ada" });
  assert.equal(marked.status, 201, JSON.stringify(marked.data));
  check("Run", marked.data);
  assert.deepEqual(marked.data.marks.map(({ kind, reason, who }) => ({ kind, reason, who })), [{ kind: "environment", reason: "another driver", who: "ada" }]);
  assert.notDeepEqual(await all(), before, "alerts are found anew");
  const again = await ask("DELETE", `/runs/${onset.id}/marks/environment`);
  assert.equal(again.status, 200);
  assert.deepEqual(again.data.marks, []);
  const now = await all();
  assert.ok(now.some(([number, detected]) => number === id && detected === "confirmed"), "somebody acted on it, so its number stays");
  assert.equal((await ask("DELETE", `/runs/${onset.id}/marks/environment`)).status, 404);
  assert.equal((await ask("DELETE", `/runs/${onset.id}/marks/environment`, undefined, { origin: "https://evil.example" })).status, 403);
});

test("several nights are marked at once, after a look at what would remain", async () => {
  const { onset } = (await ask("GET", `/alerts/${id}`)).data.details;
  const { items: runs } = (await ask("GET", `/runs?limit=1000&accelerator_model=${encodeURIComponent(onset.accelerator_model)}`)).data;
  const last = runs[0];
  const range = { first: String(onset.id), last: String(last.id) };
  const address = `/exclusions/preview?${new URLSearchParams(range)}`;
  const preview = (await ask("GET", address)).data;
  check("ExclusionPreview", preview);
  assert.equal(preview.nights.length, runs.findIndex((run) => run.id === onset.id) + 1);
  assert.equal(preview.alerts.find((alert) => alert.id === id).outcome, "gone");
  const marked = await ask("POST", "/marks", { ...range, kind: "excluded", reason: "the disk was full", who: "ada" });
  assert.equal(marked.status, 201, JSON.stringify(marked.data));
  check("MarkPage", marked.data);
  assert.equal(marked.data.total, preview.nights.length);
  assert.ok(marked.data.items.every(({ mark, run }) => mark.reason === "the disk was full" && mark.who === "ada" && run !== null));
  const told = (await ask("GET", "/alerts?limit=1000")).data.items.filter((alert) => alert.accelerator_model === onset.accelerator_model).map((alert) => alert.details.title);
  assert.deepEqual(told.sort(), preview.alerts.filter((alert) => alert.then && alert.then.detected !== "recovered").map((alert) => alert.then.title).sort());
  const again = (await ask("GET", address)).data;
  assert.ok(again.nights.every((night) => night.is_excluded));

  const half = await ask("DELETE", `/marks/excluded?run=${onset.id}&run=${runs.at(-1).id}`);
  assert.equal(half.status, 404, "one of them has no such mark");
  assert.equal((await ask("GET", "/marks")).data.total, preview.nights.length, "all or none");
  assert.equal((await ask("DELETE", "/marks/excluded")).status, 400);
  const all = preview.nights.map((night) => `run=${night.run.id}`).join("&");
  assert.equal((await ask("DELETE", `/marks/excluded?${all}&${all}`)).data.total, 0);
  assert.equal((await ask("GET", `/alerts/${id}`)).data.detected, "confirmed");

  const wrong = await ask("GET", `/exclusions/preview?first=${last.id}&last=${onset.id}`);
  assert.equal(wrong.status, 400);
  assert.match(wrong.data.detail, /is before/);
  assert.equal((await ask("GET", "/exclusions/preview?first=nothing&last=latest")).status, 404);
  assert.equal((await ask("GET", `/exclusions/preview?first=${onset.id}`)).status, 400);
  assert.equal((await ask("POST", "/marks", { first: String(last.id), last: String(onset.id), kind: "excluded" })).status, 400);
  assert.equal((await ask("POST", "/marks", { ...range, kind: "excluded", reason: "x".repeat(2000) })).status, 413);
});

describe("who may not change anything", () => {
  const note = { kind: "note", value: "not from here" };
  const refused = {
    "a page of another site": [{ origin: "https://evil.example" }, 403],
    "a page without an origin": [{ origin: "null" }, 403],
    "a page on another port of this machine": [{ origin: "http://127.0.0.1:1" }, 403],
    "what the browser calls cross-site": [{ "sec-fetch-site": "cross-site" }, 403],
    "a form": [{ "content-type": "application/x-www-form-urlencoded" }, 415],
    "plain text": [{ "content-type": "text/plain" }, 415],
  };
  for (const [name, [headers, status]] of Object.entries(refused)) {
    test(name, async () => {
      const answer = await act(note, headers);
      assert.equal(answer.status, status);
      check("Problem", answer.data);
      const { data } = await ask("GET", `/alerts/${id}`);
      assert.ok(data.actions.every((action) => action.value !== note.value));
    });
  }

  test("bodies that are no such thing are refused, and nothing is changed", async () => {
    const { actions } = (await ask("GET", `/alerts/${id}`)).data;
    for (const body of ["", "{", "[]", '"x"', "{}", '{"kind":"note"}', '{"kind":"note","value":["x"]}', '{"kind":"note","value":"x","admin":true}', '{"kind":"state","value":"suspect"}', '{"kind":"link","value":"javascript:alert(1)"}', "[".repeat(200_000), '{"kind":"note","value":"\\ud800"}']) {
      const answer = await act(body);
      assert.equal(answer.status, 400, body.slice(0, 60));
      check("Problem", answer.data);
    }
    assert.equal((await act({ kind: "note", value: "x".repeat(70_000) })).status, 413);
    assert.equal((await act({ kind: "owner", value: "x".repeat(2000) })).status, 413);
    assert.deepEqual((await ask("GET", `/alerts/${id}`)).data.actions, actions);
  });

  test("whoever holds no token for it changes nothing", async () => {
    const { actions } = (await ask("GET", `/alerts/${id}`)).data;
    const nobody = await act({ kind: "note", value: "x" }, { authorization: "" });
    assert.equal(nobody.status, 401);
    assert.match(nobody.data.detail, /benchhud tokens add/);
    assert.match(nobody.headers["www-authenticate"], /^Bearer/);
    assert.equal((await act({ kind: "note", value: "x" }, { authorization: "Bearer bhud_1_x" })).status, 401);
    assert.equal((await act({ kind: "note", value: "x" }, { authorization: `Bearer ${makeToken(db, "ingest")}` })).status, 403);
    assert.deepEqual((await ask("GET", `/alerts/${id}`)).data.actions, actions);
    assert.equal((await act({ kind: "note", value: "x" }, { host: "hud.example", origin: "https://hud.example" })).status, 201, "from wherever");
  });
});
