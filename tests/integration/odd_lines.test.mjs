// Whatever ingest accepts, every exporter, report, endpoint and command answers without failing. The lines are made of a seed
// (support/odd_lines.mjs); BENCHHUD_ODD_SEEDS=20 tries that many seeds, BENCHHUD_ODD_SEED=7 one of them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ajv, contract, resolved } from "./support/contract.mjs";
import { makeRandom, oddCounters, oddNights, oddSeries } from "./support/odd_lines.mjs";
import { program, removeFolder, serve, temporaryFolder } from "./support/server.mjs";

/** What failed of the seed at hand: all of it is said, not the first alone. */
let failures = [];
function attempt(check) {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof assert.AssertionError || error instanceof SyntaxError)) throw error;
    failures.push(error.message.slice(0, 4000));
    return "";
  }
}

/** Runs the program, which must end by itself with one of `statuses`; its standard output. */
function run(statuses, ...args) {
  return attempt(() => runStrictly(statuses, ...args));
}

function runStrictly(statuses, ...args) {
  const done = spawnSync(program, args, { timeout: 60_000, maxBuffer: 1 << 28 });
  const said = `${args.join(" ").slice(0, 300)}: status ${done.status}, signal ${done.signal}: ${done.stderr}`.slice(0, 3000);
  assert.equal(done.error, undefined, said);
  assert.ok(statuses.includes(done.status), said);
  assert.doesNotMatch(String(done.stderr), /internal error/, said);
  return String(done.stdout);
}

function runJson(...args) {
  attempt(() => JSON.parse(runStrictly([0], ...args, "--format", "json")));
}

function write(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
}

/** Every command that reads a store, in every form that it has. */
function runCommands(db, folder, random, { runs, alerts, values }) {
  const store = ["--db", db];
  for (const format of ["csv", "jsonl", "hud-v3"]) {
    const text = run([0], "export", "--format", format, ...store);
    attempt(() => {
      if (format !== "csv") for (const line of text.split("\n").slice(0, -1)) JSON.parse(line.replace(/(?<=[:[,] ?)-?(NaN|Infinity)(?=[,\]} ])/g, "null"));
      else assert.ok(text.startsWith("timestamp,suite_name,"));
    });
  }
  run([0], "export", "--hide-errors", "--column-names", "min", ...store);
  run([0], "export", "--format", "hud-v3", "--run", "latest", "--repo", "a/b", ...store);
  const files = readdirSync(folder).map((name) => join(folder, name));
  run([0], "export", "--format", random.pick(["csv", "jsonl"]), ...files);
  for (const kind of ["latest", "latest_grouped", "histogram", "speedup"]) {
    for (const format of ["csv", "tab", "svg"]) {
      // 1: nothing of what is asked for is there, which upstream has as an error.
      run([0, 1], "report", "--report", kind, "--format", format, "--metric", random.pick(["exec", "compile"]), "--baseline", random.pick(["oldest", "latest"]), "--test", random.pick(["inference", "training"]), "--accelerator", random.pick(["a100", ""]), "--backends", "inductor", "openxla+dynamo", "eager", ...store);
    }
  }
  run([0, 1], "report", "--accelerator", "a100", ...files);
  for (const name of ["latest", random.pick(runs)]) {
    run([0], "summary", "--run", String(name), "--baseline", random.pick(["inductor", "eager", "nobody"]), ...store);
    run([0], "runs", "show", String(name), ...store);
    runJson("runs", "show", String(name), ...store);
    run([0], "artifacts", "list", String(name), ...store);
  }
  run([0], "summary", ...store);
  for (const action of ["list", "rejected", "audit", "marks"]) run([0], "runs", action, ...store);
  for (const action of ["list", "rejected", "marks"]) runJson("runs", action, ...store);
  for (const format of ["text", "markdown", "junit", "json"]) run([0, 4], "regressions", "--format", format, "--all", "--fail-on", "suspect", ...store);
  run([0], "regressions", "--model", "alpha", "--backend", "inductor", "--since", "2025-11-02", ...store);
  run([0], "notify", "--markdown", join(folder, "../notify.md"), ...store);
  run([0], "alerts", "rules", ...store);
  for (const alert of alerts.slice(0, 8)) {
    run([0], "alerts", "show", String(alert), ...store);
    run([0, 1, 125], "bisect-check", "--alert", String(alert), random.pick(files), ...store);
  }
  run([0], "artifacts", "list", "--format", "json", ...store);
  run([0], "expect", "list", ...store);
  // No argument of a program may hold a zero byte.
  const accelerator = values.accelerator_model.find((text) => text !== "" && !text.includes("\0"));
  const manifest = join(folder, "../manifest.csv");
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  writeFileSync(manifest, `suite,model,test,backend\n${values.suite.map((suite, i) => `${[suite, values.model[i % values.model.length], values.test[i % values.test.length], values.backend[i % values.backend.length]].map(quoted)}\n`).join("")}`);
  run([0, 1, 2], "expect", "set", manifest, "--accelerator-model", accelerator, ...store);
  run([0, 1], "expect", "show", "--accelerator-model", accelerator, ...store);
  for (const [name, text] of [["series.csv", oddSeries(random.below(1e9))], ["a.txt", oddCounters(random.below(1e9))], ["b.txt", oddCounters(random.below(1e9))]]) writeFileSync(join(folder, "..", name), text);
  run([0, 1, 3], "detect", join(folder, "../series.csv"));
  run([0, 1, 2], "profile", "diff", join(folder, "../a.txt"), join(folder, "../b.txt"), "--format", random.pick(["text", "json"]));
  run([0], "links", ...store);
  run([0], "tokens", ...store);
  run([0], "doctor", "--max-age", "1000000", ...store);
  run([0], "prune", "rejected", "--older-than", "1", "--dry-run", ...store);
}

/** Asks for an address; what the answer says. A missing page is an answer, a failure of the server is none. */
async function ask(base, path, address) {
  const response = await fetch(base + address);
  const text = await response.text();
  return attempt(() => checkAnswer(path, address, response, text)) || { status: response.status };
}

function checkAnswer(path, address, response, text) {
  const said = `${address}: ${response.status} ${text.slice(0, 500)}`;
  assert.ok(response.status < 500, said);
  const type = response.headers.get("content-type").split(";")[0];
  if (response.status !== 200) {
    assert.ok(contract.paths[path].get.responses[response.status], said);
    assert.equal(type, "application/problem+json", said);
    return { status: response.status };
  }
  if (type === "text/csv") {
    assert.ok(text.includes("\n"), said);
    return { status: 200, text };
  }
  if (type !== "application/json") return { status: 200, text };
  const data = JSON.parse(text);
  const pointer = ["paths", path, "get", "responses", "200", "content", type, "schema"].map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  assert.ok(path === "/openapi.json" || validate(data), `${address}: ${ajv.errorsText(validate.errors?.slice(0, 5), { separator: "\n" })}`);
  return { status: 200, data };
}

/** What the store has to ask for, of the server itself: ids for addresses, values for parameters. */
async function whatThereIs(base) {
  const list = async (path, limit = 1000) => {
    const items = [];
    for (let cursor = ""; ; ) {
      const { data } = await ask(base, path, `/api/v1${path}?limit=${limit}${cursor}`);
      items.push(...data.items);
      if (!data.next_cursor) return items;
      cursor = `&cursor=${encodeURIComponent(data.next_cursor)}`;
    }
  };
  const results = await list("/results", 200);
  const experiments = await list("/experiments", 50);
  const unique = (values) => [...new Set(values)];
  return {
    results,
    runs: unique(results.map((result) => result.run_id)),
    lines: unique(results.flatMap((result) => (result.failure?.line_id ? [result.failure.line_id] : []))),
    experiments: experiments.map((one) => one.id),
    alerts: (await ask(base, "/alerts", "/api/v1/alerts?state=all")).data.items.map((alert) => alert.id),
    ingests: (await list("/ingests")).map((ingest) => ingest.id),
    values: {
      suite: unique(experiments.map((one) => one.suite)), model: unique(experiments.map((one) => one.model)), test: unique(experiments.map((one) => one.test)), backend: unique(experiments.map((one) => one.backend)),
      accelerator_model: unique(experiments.map((one) => one.accelerator_model)), metric: (await list("/metrics-registry")).map((metric) => metric.name),
      baseline: ["inductor", "eager"], estimator: ["steady", "upstream"], run: unique(results.map((result) => String(result.run_id))), left: ["previous"], right: ["latest"], intervals: ["true"], verified_only: ["true"], group_by: ["suite", "test", "column"],
      kind: ["crashed", "skipped", "unknown"], since: ["2025-11-03"], until: ["2025-11-09"], state: ["all"], what: ["verification", "speedup"], expect_runs: ["3"], runs: ["5"], span: ["3"], label: ["commit:abc"],
    },
  };
}

/** Every address that answers GET, as it is and with values that the store has. Traces and dumps have tests of their own. */
async function askEverything(base, random, there, most) {
  const counts = {};
  const some = (values) => (values.length <= most ? values : Array.from({ length: most }, () => random.pick(values)));
  const addressesOf = (path) => {
    if (path.includes("{experiment}")) return some(there.results).map((result) => path.replace("{run}", result.run_id).replace("{experiment}", result.experiment.id));
    if (path.includes("{run}")) return some(there.runs).map((id) => path.replace("{run}", id));
    const ids = { lines: there.lines, experiments: there.experiments, alerts: there.alerts, ingests: there.ingests }[path.split("/")[1]];
    return path.includes("{id}") ? some(ids ?? []).map((id) => path.replace("{id}", id)) : [path];
  };
  for (const [path, { get: operation }] of Object.entries(contract.paths)) {
    if (!operation || path.startsWith("/traces/") || path.startsWith("/artifacts/") || path === "/artifact-diff" || path === "/store.db") continue;
    const parameters = operation.parameters.map(resolved).filter((parameter) => parameter.in === "query");
    const valuesOf = (parameter) => (parameter.name === "signature" ? there.signatures : parameter.name === "q" ? [...there.values.model, "a"] : parameter.schema.enum ?? parameter.schema.items?.enum ?? there.values[parameter.name] ?? []);
    for (const address of addressesOf(path)) {
      const needed = () => {
        const query = new URLSearchParams();
        const { experiment } = random.pick(there.results);
        const of = { suite: experiment.suite, model: experiment.model, test: experiment.test };
        const other = random.pick(there.results);
        Object.assign(of, { before_run: other.run_id, before_experiment: other.experiment.id, left_run: other.run_id, left_experiment: other.experiment.id, right_run: random.pick(there.runs), right_experiment: experiment.id, run: random.pick(there.runs), experiment: experiment.id });
        for (const parameter of parameters.filter((one) => one.required)) query.set(parameter.name, of[parameter.name] ?? random.pick(valuesOf(parameter)));
        return query;
      };
      if (parameters.some((one) => one.name === "signature" && one.required) && there.signatures.length === 0) continue;
      const queries = [needed()];
      for (const parameter of parameters) {
        for (const value of parameter.name === "metric" ? valuesOf(parameter) : some(valuesOf(parameter)).slice(0, 4)) {
          const query = needed();
          query.set(parameter.name, value);
          queries.push(query);
          if (parameters.some((one) => one.name === "format") && path !== "/badge") queries.push(new URLSearchParams([...query, ["format", "csv"]].filter(([key], i, all) => all.findLastIndex(([other]) => other === key) === i)));
        }
      }
      for (const query of queries) {
        const text = query.toString();
        const { status, data } = await ask(base, path, `${path === "/metrics" ? "" : "/api/v1"}${address}${text ? `?${text}` : ""}`);
        counts[status] = (counts[status] ?? 0) + 1;
        if (path === "/errors" && data) there.signatures = [...new Set([...there.signatures, ...data.items.map((item) => item.signature)])];
      }
    }
  }
  return counts;
}

/** CSV as a text per row of what its fields are, whatever order the columns have. */
function rowsOf(csv) {
  const rows = [[""]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") rows.push([""]);
  }
  const [names, ...others] = rows;
  return others.map((row) => JSON.stringify(row.map((value, i) => [names[i], value]).filter(([, value]) => value !== "").sort()));
}

/** A line of `export --format jsonl` with its members sorted: a store has metrics in the order in which it got to know them. */
function sortedMembers(line) {
  if (line === "") return line;
  const sort = (key, value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value);
  return JSON.stringify(JSON.parse(line.replace(/(?<=[:[,] ?)-?(NaN|Infinity)(?=[,\]} ])/g, '"$&"'), sort));
}

/** The same lines, in whatever order. */
function checkSame(format, text, wanted, what) {
  const linesOf = (one) => (format === "csv" ? rowsOf(one) : format === "jsonl" ? one.split("\n").map(sortedMembers) : one.split("\n"));
  const count = new Map();
  for (const line of linesOf(wanted)) count.set(line, (count.get(line) ?? 0) + 1);
  for (const line of linesOf(text)) count.set(line, (count.get(line) ?? 0) - 1);
  for (const [line, more] of count) if (more !== 0) attempt(() => assert.fail(`${format} of ${what}: ${more > 0 ? "lost" : "new"}: ${line}`));
}

/** What was exported goes into another store, and comes out as it was. */
function checkRoundTrip(db, folder, served) {
  const exported = (format, store) => run([0], "export", "--format", format, "--db", store);
  // The lines as they were.
  const lines = join(folder, "results.jsonl");
  writeFileSync(lines, served);
  const copy = join(folder, "copy.db");
  run([0], "ingest", lines, "--db", copy, ...LABELS);
  // Not as records of the HUD: in one file the invocations of one timestamp are one, of which kind each was is not in the lines.
  for (const format of ["csv", "jsonl"]) checkSame(format, exported(format, copy), exported(format, db), "the lines");
  run([0], "ingest", lines, "--db", db);
  // As records of the HUD.
  const records = exported("hud-v3", db);
  const file = join(folder, "records.jsonl");
  writeFileSync(file, records);
  const other = join(folder, "other.db");
  run([0], "ingest", file, "--db", other);
  for (const format of ["csv", "jsonl", "hud-v3"]) checkSame(format, exported(format, other), exported(format, db), "the records");
}

const LABELS = ["--label", "commit=abc", "--label", "ключ=é|x"];

async function check(seed, most) {
  failures = [];
  const random = makeRandom(seed ^ 0x5eed);
  const folder = temporaryFolder(`odd-${seed}`);
  const db = join(folder, "store.db");
  const nights = join(folder, "nights");
  write(nights, oddNights(seed));
  const report = JSON.parse(runStrictly([0, 3], "ingest", nights, "--db", db, "--format", "json", ...LABELS));
  assert.ok(report.accepted > 300, JSON.stringify(report).slice(0, 500));
  // Again, nothing changes.
  const again = JSON.parse(runStrictly([0, 3], "ingest", nights, "--db", db, "--format", "json"));
  assert.equal(again.accepted, 0);
  const server = await serve(db);
  const there = { ...(await whatThereIs(server.base)), signatures: [] };
  assert.ok(there.alerts.length > 0, "alerts");
  const counts = await askEverything(server.base, random, there, most);
  assert.ok(counts[200] > 300, JSON.stringify(counts));
  const served = await (await fetch(`${server.base}/api/v1/results.jsonl`)).text();
  const metrics = await (await fetch(`${server.base}/metrics`)).text();
  attempt(() => assert.match(/^benchhud_http_responses_total\{code="5xx"\} .*$/m.exec(metrics)[0], / 0$/));
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.printed);
  runCommands(db, nights, random, there);
  checkRoundTrip(db, folder, served);
  run([0], "rebuild", "--db", db);
  run([0], "doctor", "--max-age", "1000000", "--db", db);
  if (!process.env.BENCHHUD_ODD_KEEP) removeFolder(folder);
  assert.equal(failures.length, 0, `${failures.length} failures\n${failures.slice(0, 40).join("\n")}`);
}

describe("odd lines", () => {
  const { BENCHHUD_ODD_SEED: one, BENCHHUD_ODD_SEEDS: many = 2 } = process.env;
  const seeds = one ? [Number(one)] : Array.from({ length: Number(many) }, (_, i) => i + 1);
  for (const seed of seeds) test(`of seed ${seed}`, () => check(seed, one || many > 2 ? 40 : 8));
});
