// `benchhud regressions`: what changed in real nights, and in made-up fleets of which the truth is known.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { line } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";

const samples = join(root, "samples/cpu_nightlies");
const busyNights = join(root, "../shared/data/results/cpu_nightlies_2");
const DAY = 86400, FIRST = 1761955200; // 2025-11-01T00:00:00Z
let folder;

before(() => {
  folder = temporaryFolder("regressions");
});
after(() => removeFolder(folder));

let stores = 0;
const newStore = () => join(folder, `${++stores}.db`);

function ingest(db, ...paths) {
  const done = benchhud("ingest", ...paths, "--db", db);
  assert.equal(done.status, 0, done.stderr);
}

function list(db, ...options) {
  const done = benchhud("regressions", "--db", db, "--format", "json", ...options);
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout).alerts;
}

/** What an alert says, without what depends on the order of ingesting: ids of runs and experiments, of which `compared` is made. */
function withoutIds(value) {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !["id", "experiment_id", "compared"].includes(key)).map(([key, of]) => [key, withoutIds(of)]));
}

const day = (run) => run.name.slice(0, 10);

/** Checks that a text is well-formed XML; → names of its elements. */
function wellFormed(text) {
  const names = [], open = [];
  const tag = /<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
  let at = text.startsWith("<?xml") ? text.indexOf("?>") + 2 : 0;
  while (at < text.length) {
    if (text[at] !== "<") {
      const end = text.indexOf("<", at) < 0 ? text.length : text.indexOf("<", at);
      const words = text.slice(at, end);
      assert.ok(open.length || !words.trim(), `text outside of elements: ${words}`);
      assert.doesNotMatch(words, /&(?!(amp|lt|gt|quot|apos|#\d+);)|]]>/);
      at = end;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(text);
    assert.ok(found, `no tag: ${text.slice(at, at + 80)}`);
    const [whole, closes, name, attributes, isEmpty] = found;
    assert.doesNotMatch(attributes, /&(?!(amp|lt|gt|quot|apos|#\d+);)/);
    if (closes) assert.equal(open.pop(), name);
    else {
      names.push(name);
      if (!isEmpty) open.push(name);
    }
    at += whole.length;
  }
  assert.deepEqual(open, []);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/, "no character of XML 1.0");
  return names;
}

describe("real nights", { skip: existsSync(samples) ? false : "samples/cpu_nightlies is not there" }, () => {
  let db;
  const nights = existsSync(samples) ? readdirSync(samples).sort().map((name) => join(samples, name)) : [];

  before(() => {
    db = newStore();
    ingest(db, samples);
  });

  test("three alerts: what was done to them, and nothing else", () => {
    const alerts = list(db);
    // The worst first: two results that are wrong, one, and a time.
    assert.deepEqual(alerts.map(({ details }) => details.subject.model), ["transformer_mini", "unet_mini", "resnet_mini"]);
    assert.deepEqual(alerts.map(({ details }) => Math.floor(details.weight)), [1002, 1001, 0]);
    for (const alert of alerts) {
      assert.deepEqual([alert.state, alert.triage, alert.details.scope, alert.details.direction], ["confirmed", "open", "model", "regression"]);
      assert.equal(alert.details.subject.suite, "cpu-mini");
    }
    const [transformer, unet, resnet] = alerts.map(({ details }) => details);

    assert.deepEqual([day(resnet.last_good), day(resnet.onset), day(resnet.first_bad)], ["2025-11-09", "2025-11-10", "2025-11-10"]);
    const steady = resnet.members.filter(({ metric }) => metric === "steady");
    assert.ok(steady.length > 0);
    for (const member of steady) assert.deepEqual([member.experiment.backend, member.state], ["inductor", "confirmed"], "the breaks say where to look");
    assert.deepEqual([resnet.headline.metric, resnet.headline.effect, resnet.headline.interval], ["steady", steady[0].effect, steady[0].interval]);
    assert.ok(resnet.weight > 0.1 && resnet.weight < Math.log1p(steady[0].effect), "what it is at least");
    assert.deepEqual([unet.headline.before_text, unet.headline.after_text, unet.headline.effect], ["PASS", "FAIL", null]);
    assert.ok(resnet.members.some((one) => one.metric === "graph_breaks" && one.before_text === "0" && one.after_text === "2"));
    assert.match(resnet.title, /^cpu-mini\/resnet_mini: inductor .* slower in inference, graph breaks 0 → 2$/);

    assert.equal(day(transformer.onset), "2025-11-15");
    const verdicts = transformer.members.filter(({ metric }) => metric === "verification");
    assert.deepEqual(verdicts.map((one) => [one.before_text, one.after_text, one.state]), [["PASS", "FAIL", "confirmed"], ["PASS", "FAIL", "confirmed"]]);
    assert.ok(transformer.members.some((one) => one.metric === "steady" && one.direction === "regression"));

    assert.deepEqual(unet.members.map(({ metric }) => metric), ["verification"]);
    assert.deepEqual([day(unet.last_good), day(unet.first_bad)], ["2025-11-16", "2025-11-19"]);
  });

  test("night by night it comes to the same, numbers included", () => {
    const other = newStore();
    // A verification counts for the night before it, which is named so.
    for (const night of nights) {
      ingest(other, night);
      list(other);
    }
    assert.deepEqual(withoutIds(list(other, "--all")), withoutIds(list(db, "--all")));
    const numbers = (store) => list(store).map(({ id }) => id);
    const first = numbers(db)[0] - numbers(other)[0];
    assert.deepEqual(numbers(other).map((id) => id + first), numbers(db));
  });

  test("shuffled it comes to the same", () => {
    const other = newStore();
    const order = nights.map((night, i) => [(i * 17) % nights.length, night]).sort((a, b) => a[0] - b[0]).map(([, night]) => night);
    for (const night of order) ingest(other, night);
    assert.deepEqual(withoutIds(list(other)), withoutIds(list(db)));
    // What somebody may have been told of while nights were missing stays, withdrawn.
    const all = (store) => withoutIds(list(store, "--all")).map((one) => JSON.stringify(one));
    const ours = new Set(all(db));
    const more = all(other).filter((one) => !ours.delete(one));
    assert.deepEqual([...ours], []);
    for (const one of more) assert.equal(JSON.parse(one).detected, "withdrawn");
  });

  test("in one go but shuffled experiments: the same numbers", () => {
    const other = newStore();
    const one = join(folder, "reversed.jsonl");
    const text = nights.flatMap((night) => readFileSync(join(night, "results.jsonl"), "utf8").trimEnd().split("\n"));
    writeFileSync(one, text.reverse().join("\n") + "\n");
    ingest(other, one);
    assert.deepEqual(list(other, "--all").map(({ details }) => details.title), list(db, "--all").map(({ details }) => details.title));
  });

  test("nothing is found anew where nothing changed", () => {
    assert.deepEqual(list(db, "--all"), list(db, "--all"));
  });

  test("filters", () => {
    const models = (...options) => list(db, ...options).map(({ details }) => details.subject.model);
    assert.deepEqual(models("--model", "resnet_mini"), ["resnet_mini"]);
    assert.deepEqual(models("--model", "cpu-mini/resnet_mini"), ["resnet_mini"]);
    assert.deepEqual(models("--model", "other/resnet_mini"), []);
    assert.deepEqual(models("--since", "2025-11-15"), ["transformer_mini", "unet_mini"]);
    assert.deepEqual(models("--since", "2025-11-15T00:07:46Z"), ["transformer_mini", "unet_mini"]);
    assert.deepEqual(models("--since", "2026-01-01"), []);
    assert.deepEqual(models("--backend", "aot_eager"), ["transformer_mini", "resnet_mini"]);
    assert.deepEqual(models("--backend", "none"), []);
    assert.deepEqual(models("--accelerator-model", "A100"), []);
    assert.equal(models("--accelerator-model", list(db)[0].accelerator_model).length, 3);
    const all = list(db, "--all");
    assert.ok(all.length > 3);
    const weights = all.filter((one) => one.urgency === "confirmed").map(({ details }) => details.weight);
    assert.deepEqual(weights, [...weights].sort((a, b) => b - a), "the worst first");
    assert.deepEqual(all.slice(weights.length).filter((one) => one.urgency === "confirmed"), [], "what is over comes last");
    assert.ok(all.every((one) => one.state === "confirmed" || one.state === "withdrawn"));
  });

  test("formats", () => {
    const text = benchhud("regressions", "--db", db).stdout;
    assert.match(text, /^#\d+ confirmed, regression: cpu-mini\/resnet_mini: inductor /m);
    assert.match(text, /since 2025-11-10\S*; between 2025-11-09\S* and 2025-11-10/);
    assert.match(text, /\n3 alerts\n$/);
    const markdown = benchhud("regressions", "--db", db, "--format", "markdown").stdout;
    assert.equal(markdown.match(/^### /gm).length, 3);
    for (const row of markdown.split("\n").filter((one) => one.startsWith("|"))) {
      assert.equal(row.replaceAll("\\|", "").split("|").length, 7, row);
    }
    const junit = benchhud("regressions", "--db", db, "--format", "junit").stdout;
    const names = wellFormed(junit);
    assert.equal(names.filter((name) => name === "testcase").length, 3);
    assert.equal(names.filter((name) => name === "failure").length, 0, "nobody asked to fail");
    assert.match(junit, /<testsuite name="benchhud regressions" tests="3" failures="0">/);
    const failing = benchhud("regressions", "--db", db, "--format", "junit", "--fail-on", "confirmed");
    assert.equal(failing.status, 4);
    assert.equal(wellFormed(failing.stdout).filter((name) => name === "failure").length, 3);
    assert.match(failing.stdout, /tests="3" failures="3"/);
    assert.match(failing.stdout, /\n    confirmed +resnet_mini eval inductor \(batch 4\): graph breaks /, "a line a member");
  });

  test("exit statuses", () => {
    const status = (...options) => benchhud("regressions", "--db", db, ...options).status;
    assert.equal(status(), 0);
    assert.equal(status("--fail-on", "confirmed"), 4);
    assert.equal(status("--fail-on", "suspect"), 4);
    assert.equal(status("--fail-on", "confirmed", "--model", "mlp_mini"), 0);
    assert.equal(status("--fail-on", "confirmed", "--since", "2026-01-01"), 0);
    for (const wrong of [["--fail-on", "recovered"], ["--fail-on", "nothing"], ["--format", "xml"], ["--since", "yesterday"], ["--what"], ["extra"]]) {
      const done = benchhud("regressions", "--db", db, ...wrong);
      assert.equal(done.status, 2, wrong.join(" "));
      assert.match(done.stderr, /^benchhud: /);
      assert.equal(done.stdout, "");
    }
    const broken = join(folder, "broken.db");
    writeFileSync(broken, "no store\n".repeat(1000));
    assert.equal(benchhud("regressions", "--db", broken).status, 1);
    const help = benchhud("regressions", "--help");
    assert.equal(help.status, 0);
    assert.match(help.stdout, /--fail-on/);
  });
});

// --- Made-up fleets ------------------------------------------------------------------------------

/** Deterministic standard normal numbers: a small generator (mulberry32) and Box & Muller. */
function normals(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const BACKENDS = { eager: { dynamo: null }, inductor: { dynamo: "inductor" }, "openxla+dynamo": { dynamo: "openxla", xla: "PJRT" } };

/**
 * Nights of `models` models on three backends; `change({ night, model, backend })` may give `factor` of the time, `breaks` of the graph,
 * an `error`, or a `name` for the model. → folder
 */
function fleet(seed, change = () => ({}), { models = 12, nights = 30, noise = 0.01 } = {}) {
  const out = join(folder, `fleet-${seed}-${++stores}`);
  mkdirSync(out);
  const random = normals(seed);
  for (let night = 0; night < nights; ++night) {
    const lines = [];
    for (let m = 0; m < models; ++m) {
      for (const [backend, experiment] of Object.entries(BACKENDS)) {
        const { factor = 1, breaks = 1, error, name = `model_${String(m).padStart(2, "0")}` } = change({ night, model: m, backend });
        const seconds = 0.1 * (1 + m) * (backend === "eager" ? 1.5 : 1) * factor * Math.exp(noise * random());
        const samples = Array.from({ length: 8 }, (_, i) => seconds * (i === 0 ? 3 : i < 3 ? 1.05 : 1) * Math.exp(0.003 * random()));
        // A night's compiling scatters more than its running.
        if (experiment.dynamo) samples[0] = seconds + 4 * Math.exp(0.03 * random());
        const counters = { frames: { total: 2, ok: 2 }, stats: { unique_graphs: 1 + breaks, calls_captured: 9 }, graph_break: breaks ? { "call to print": breaks } : {} };
        const metrics = error ? { error } : { total_time: samples, per_iter_time: samples, ...(experiment.dynamo ? { dynamo_counters: samples.map((_, i) => (i === 0 ? counters : {})) } : {}) };
        lines.push(line({ model: name, suite: "made", experiment: { ...experiment, ...(error ? { batch_size: null } : {}) }, metrics, repeat: 8, timestamp: FIRST + night * DAY }));
      }
    }
    writeFileSync(join(out, `${String(night).padStart(3, "0")}.jsonl`), lines.join("\n") + "\n");
  }
  return out;
}

/** A store of a fleet, whose files are gone. */
function storeOf(...fleetArguments) {
  const db = newStore(), made = fleet(...fleetArguments);
  ingest(db, made);
  rmSync(made, { recursive: true });
  return db;
}

const confirmed = (alerts) => alerts.filter((one) => one.detected === "confirmed");
const titles = (alerts) => alerts.map((one) => `${one.state} ${one.details.title}`).join("\n");

describe("made-up fleets", () => {
  for (const seed of [1, 2, 3]) {
    test(`nothing changes: nothing is confirmed (${seed})`, () => {
      const alerts = list(storeOf(seed), "--all");
      assert.deepEqual(alerts.filter((one) => one.detected === "confirmed" || one.detected === "recovered"), [], titles(alerts));
    });

    test(`the machine gets 10 % slower: one alert (${seed})`, () => {
      const db = storeOf(seed, ({ night }) => ({ factor: night >= 20 ? 1.1 : 1 }));
      const alerts = list(db), [alert] = confirmed(alerts);
      assert.equal(confirmed(alerts).length, 1, titles(alerts));
      assert.deepEqual([alert.details.scope, alert.details.direction, day(alert.details.onset)], ["machine", "regression", "2025-11-21"]);
      assert.ok(alert.details.members.filter(({ metric }) => metric === "steady").length >= 34);
      assert.match(alert.details.title, /^the machine: 12 models (9|10|11)\.?\d* % slower/);
      assert.deepEqual(alert.details.subject, { suite: null, model: null, backend: null });
      assert.equal(benchhud("regressions", "--db", db, "--fail-on", "confirmed").status, 4);
    });

    test(`inductor gets 10 % faster: one alert of its times, and none of the others' speedups (${seed})`, () => {
      const db = storeOf(seed, ({ night, backend }) => ({ factor: night >= 20 && backend === "inductor" ? 0.9 : 1 }));
      const alerts = list(db), [alert] = confirmed(alerts);
      assert.equal(confirmed(alerts).length, 1, titles(alerts));
      assert.deepEqual([alert.details.scope, alert.details.direction, alert.details.subject.backend], ["backend", "improvement", "inductor"]);
      assert.ok(alert.details.members.length >= 12, String(alert.details.members.length));
      for (const one of alert.details.members) {
        assert.deepEqual([one.metric, one.experiment.backend, one.direction], ["steady", "inductor", "improvement"]);
        assert.ok(one.effect > -0.12 && one.effect < -0.08, String(one.effect));
      }
      assert.equal(benchhud("regressions", "--db", db, "--fail-on", "confirmed").status, 0, "an improvement is no failure");
    });
  }

  test("one night that is off is not confirmed", () => {
    for (const factor of [0.7, 1.5]) {
      const alerts = list(storeOf(4, ({ night, model }) => ({ factor: night === 20 && model === 5 ? factor : 1 })), "--all");
      assert.deepEqual(alerts.filter((one) => one.detected !== "withdrawn" && one.detected !== "suspect"), [], titles(alerts));
    }
  });

  test("a model that crashes is one alert, and over when it runs again", () => {
    const crash = (from, to) => ({ night, model, backend }) => night >= from && night < to && model === 7 && backend === "inductor" ? { error: "RuntimeError: boom" } : {};
    const alerts = confirmed(list(storeOf(5, crash(20, 99))));
    assert.equal(alerts.length, 1, titles(alerts));
    assert.deepEqual([alerts[0].details.subject.model, day(alerts[0].details.onset)], ["model_07", "2025-11-21"]);
    assert.match(alerts[0].details.title, /^made\/model_07: inductor timed → failed in inference$/);
    const again = list(storeOf(5, crash(20, 23)), "--all").filter((one) => one.details.title.includes("failed"));
    assert.deepEqual(again.map(({ detected }) => detected), ["recovered"]);
    assert.equal(day(again[0].details.closed), "2025-11-24");
  });

  test("graph breaks that come and go every night are told no more", () => {
    const alerts = list(storeOf(6, ({ night, model, backend }) => ({ breaks: model === 3 && backend === "inductor" ? night % 2 : 1 })), "--all");
    assert.deepEqual(confirmed(alerts), [], titles(alerts));
  });

  test("a graph break that appears is one alert at once", () => {
    const alerts = confirmed(list(storeOf(7, ({ night, model, backend }) => ({ breaks: night === 29 && model === 3 && backend === "inductor" ? 4 : 1 }))));
    assert.equal(alerts.length, 1, titles(alerts));
    assert.match(alerts[0].details.title, /^made\/model_03: inductor graph breaks 1 → 4$/);
  });

  test("what creeps up is told as drift, and against a pinned night", () => {
    const db = storeOf(9, ({ night, model, backend }) => ({ factor: model === 2 && backend === "eager" ? 1.0012 ** Math.max(0, night - 20) : 1 }), { models: 3, nights: 140 });
    const ofDrift = () => list(db, "--all").filter((one) => one.detected === "confirmed" && one.details.members.some(({ metric }) => metric === "drift"));
    const [alert, ...others] = ofDrift();
    assert.ok(alert, titles(list(db, "--all")));
    assert.deepEqual(others, []);
    assert.match(alert.details.title, /^made\/model_02: eager .*drift/);
    const member = alert.details.members.find(({ metric }) => metric === "drift");
    assert.ok(member.effect > 0.04 && member.effect < 0.16, String(member.effect));
    assert.equal(benchhud("regressions", "--db", db, "--fail-on", "confirmed").status, 4);
    // A night that is pinned is one to hold the last ones against; nothing else changes.
    assert.equal(benchhud("runs", "mark", "2025-11-15", "pinned", "release 2.9", "--db", db).status, 0);
    assert.equal(ofDrift().length, 1);
    assert.match(benchhud("regressions", "--db", db).stdout, /drift/);
  });

  test("a suspect fails a night that asks for it", () => {
    const db = storeOf(8, ({ night, model }) => ({ factor: night === 29 && model === 3 ? 1.6 : 1 }));
    const alerts = list(db).filter(({ details }) => details.subject.model === "model_03");
    assert.equal(alerts.length, 1);
    assert.equal(alerts[0].state, "suspect");
    assert.match(alerts[0].details.rerun, /2 nights more would confirm it as well$/);
    assert.equal(benchhud("regressions", "--db", db, "--fail-on", "confirmed").status, 0);
    assert.equal(benchhud("regressions", "--db", db, "--fail-on", "suspect").status, 4);
  });

  test("hostile names break neither a terminal nor a table nor XML", () => {
    const name = "a|b\n# c\t<i>&amp;\"]]>\u001b[31m\ufffe`x`*y*\u0085\u202e @ada #12 GH-3";
    const db = storeOf(9, ({ night, model, backend }) => ({ ...(model === 1 ? { name } : {}), breaks: night >= 28 && model === 1 && backend === "inductor" ? 4 : 1 }), { models: 3 });
    const [alert] = confirmed(list(db));
    assert.equal(alert.details.subject.model, name);
    assert.doesNotMatch(benchhud("regressions", "--db", db).stdout, /[\u0000-\u0009\u000b-\u001f\u007f]/);
    const markdown = benchhud("regressions", "--db", db, "--format", "markdown").stdout;
    assert.equal(markdown.match(/^#/gm).length, 1);
    // What GitHub would make a mention, or a reference to an issue; in code it makes none.
    assert.doesNotMatch(markdown.replaceAll(/^Again: `.*`$/gm, ""), /@ada|#12|GH-3/);
    assert.match(markdown, /@\u200bada/);
    for (const row of markdown.split("\n").filter((one) => one.startsWith("|"))) {
      assert.equal(row.replaceAll(/\\\\|\\\|/g, "").split("|").length, 7, row);
    }
    assert.ok(wellFormed(benchhud("regressions", "--db", db, "--format", "junit", "--fail-on", "confirmed").stdout).includes("failure"));
  });

  test("an empty store has none, in every format", () => {
    const db = newStore();
    assert.deepEqual(list(db), []);
    assert.equal(benchhud("regressions", "--db", db, "--fail-on", "suspect").stdout, "nothing changed that is not dealt with\n");
    assert.equal(benchhud("regressions", "--db", db, "--format", "markdown").stdout, "Nothing changed that is not dealt with.\n");
    assert.deepEqual(wellFormed(benchhud("regressions", "--db", db, "--format", "junit").stdout), ["testsuite", "testcase"]);
  });
});

/** Five nights of six models on two backends; on the last ones some fail. */
function nightsWithFailures(into, failureOf) {
  for (let night = 0; night < 5; ++night) {
    const lines = [];
    for (const model of ["a", "b", "c", "d", "e", "f"]) {
      for (const dynamo of ["inductor", "aot_eager"]) {
        const error = failureOf(night, model, dynamo);
        const metrics = error ? { error } : { total_time: [1, 0.5, 0.5, 0.5, 0.5], per_iter_time: [1, 0.5, 0.5, 0.5, 0.5] };
        // The line of a crash does not know its batch size.
        lines.push(line({ model, timestamp: FIRST + night * DAY, experiment: { dynamo, batch_size: error ? null : 8 }, metrics }));
      }
    }
    mkdirSync(join(into, String(night)), { recursive: true });
    writeFileSync(join(into, String(night), "results.jsonl"), lines.join("\n") + "\n");
  }
}

test("what fails together is one alert with its error, and is closed when it passes again", () => {
  const db = newStore();
  const into = join(folder, "failures");
  const lost = (model) => `Traceback (most recent call last):\n  File "run.py", line 3, in main\nRuntimeError: CUDA error ${model.charCodeAt(0)}: the device was lost\n`;
  nightsWithFailures(into, (night, model, dynamo) => {
    if (night === 2 && "abc".includes(model) && dynamo === "inductor") return lost(model);
    return night >= 3 && model === "f" && dynamo === "aot_eager" ? "ValueError: shapes do not fit" : null;
  });
  for (let night = 0; night < 3; ++night) ingest(db, join(into, String(night)));
  const [alert, ...more] = list(db);
  assert.deepEqual(more, [], "one cause");
  assert.equal(alert.state, "confirmed");
  assert.deepEqual([alert.details.scope, alert.details.subject.backend], ["backend", "inductor"]);
  assert.equal(alert.details.title, "inductor: 3 models fail in inference: RuntimeError: CUDA error N: the device was lost");
  assert.deepEqual(alert.details.members.map((member) => member.experiment.model), ["a", "b", "c"]);
  const error = alert.causes.find((cause) => cause.kind === "error");
  assert.match(error.title, /the device was lost \(3 series\)/);
  assert.match(error.lines.at(-1), /CUDA error 97: the device was lost/);
  ingest(db, join(into, "3"));
  ingest(db, join(into, "4"));
  const all = list(db, "--all");
  assert.deepEqual(
    all.map((one) => [one.id, one.state, one.details.title]),
    [
      [alert.id + 1, "confirmed", "torchbench/f: aot_eager timed → failed in inference"],
      [alert.id, "recovered", "inductor: 3 models failed in inference: RuntimeError: CUDA error N: the device was lost"],
    ],
  );
});

test("a model that fell out is told with the others that did", () => {
  const db = newStore();
  ingest(db, join(root, "tests/data/field/05_models_fell_out"));
  const alerts = list(db);
  assert.equal(alerts.length, 1);
  assert.deepEqual(alerts[0].details.members.map((member) => member.experiment.model), ["m2", "m3", "m4"]);
});

test("the quality of each night is told, and no model is suspected for a disturbed one", { skip: existsSync(busyNights) ? false : "the real nights are not beside the checkout" }, async () => {
  const db = newStore();
  ingest(db, busyNights);
  const server = await serve(db);
  try {
    const quality = async (run) => (await fetch(`${server.base}/api/v1/runs/${run}/quality`)).json();
    const calm = await quality("2026-01-17"), busy = await quality("2026-01-22"), first = await quality("2026-01-01");
    assert.deepEqual([calm.judged, calm.off, calm.is_disturbed], [35, 0, false]);
    assert.ok(calm.scatter > 0.7 && calm.scatter < 1.4);
    assert.equal(busy.is_disturbed, true);
    assert.ok(busy.off >= 10 && busy.scatter > 5, JSON.stringify(busy));
    assert.deepEqual([first.judged, first.is_disturbed, first.scatter], [0, false, null], "of the first nights nothing is known");
  } finally {
    await server.stop();
  }
  const suspects = list(db).filter((one) => one.state === "suspect" && one.details.scope === "model" && one.details.onset.name > "2026-01-20");
  assert.deepEqual(suspects.map((one) => one.details.title), []);
});
