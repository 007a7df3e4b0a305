// Every address of openapi.json, asked of the real program, answers what the document says.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ajv, contract, resolved } from "./support/contract.mjs";
import { line, times } from "./support/lines.mjs";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "./support/server.mjs";
import { hloXspace, writeProfile } from "./support/xplane.mjs";

/** Addresses that answer GET; the others only take changes. */
const readPaths = Object.entries(contract.paths).filter(([, item]) => item.get);
const parametersOf = (operation) => operation.parameters.map(resolved).filter((p) => p.in !== "header");

let folder, server, api;
const ids = {};

before(async () => {
  folder = temporaryFolder("api");
  const db = join(folder, "store.db");
  const made = join(folder, "2025-11-05.jsonl");
  const xla = { xla: "PJRT", dynamo: "openxla" };
  const lines = [
    line({ metrics: times(0.5) }),
    line({ metrics: times(0.25), experiment: xla }),
    line({ metrics: times(0.2), experiment: { ...xla, xla_flags: "--xla_gpu_enable_x=true" } }),
    line({ metrics: times(0.5), experiment: { ...xla, keep_model_data_on_cuda: true } }),
    // Another batch size than the baseline's, a baseline that failed, and one that is missing.
    line({ metrics: times(0.4), experiment: { ...xla, batch_size: 16 }, model: "beta" }),
    line({ metrics: times(0.4), model: "beta" }),
    line({ metrics: { error: "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB" }, model: "gamma", experiment: { batch_size: null } }),
    line({ metrics: times(0.4), model: "gamma", experiment: xla }),
    line({ metrics: times(0.4), model: "delta", experiment: xla }),
    line({ metrics: { error: "SKIP" }, model: "epsilon", experiment: { ...xla, batch_size: null } }),
    // Names that a spreadsheet would take for a formula, and texts in need of quotes.
    line({ metrics: times(0.1), model: "=cmd|' /C calc'!A0" }),
    line({ metrics: times(0.1), model: 'quo"te, comma\nline' }),
    line({ metrics: times(0.1), model: "übung-模型" }),
    line({ model: "odd", metrics: { total_time: [1, null, 2], per_iter_time: null, xla_CompileTime_number: 7, inductor_ops: [{ "aten::mm": { num_of_calls: 3 } }] } }).replace("[1,null,2]", "[1,null,NaN,Infinity]"),
    "{broken",
    '{"model": {"suite_name": "torchbench"}}',
    "",
  ];
  writeFileSync(made, lines.join("\n") + '{"half": ');
  const ingested = benchhud("ingest", join(root, "samples"), made, "--db", db, "--label", "commit=abc123");
  assert.equal(ingested.status, 3, ingested.stdout + ingested.stderr);
  const profile = writeProfile(join(folder, "profiled"), hloXspace());
  assert.equal(benchhud("ingest", profile, "--db", db).status, 0);
  server = await serve(db);
  api = `${server.base}/api/v1`;

  const result = await getJson("/results?limit=1000&accelerator_model=NVIDIA%20A100-SXM4-40GB");
  const failed = result.items.find((item) => item.failure?.kind === "out_of_memory");
  assert.ok(failed, "a result out of memory");
  Object.assign(ids, { line: failed.failure.line_id, run: failed.run_id, experiment: failed.experiment.id });
  ids.ingest = (await getJson("/ingests?limit=1")).items[0].id;
  ids.alert = (await getJson("/alerts")).items.find((alert) => alert.details.subject.model === "resnet_mini").id;

  const dumpsOf = async (night) => {
    const { items } = await getJson(`/results?run=${night}&model=resnet_mini&backend=inductor&test=eval&limit=1`);
    const dumps = (await getJson(`/artifacts?run=${items[0].run_id}&experiment=${items[0].experiment.id}`)).items;
    return { run: items[0].run_id, experiment: items[0].experiment.id, dump: dumps.find((dump) => dump.kind === "dynamo_counters").id, trace: dumps.find((dump) => dump.kind === "trace").trace_id };
  };
  const before = await dumpsOf("2025-11-09");
  const after = await dumpsOf("2025-11-10");
  ids.artifact = after.dump;
  ids.trace = after.trace;
  ids.log = (await getJson("/artifacts?kind=torch_trace")).items[0].id;
  const { threads } = await getJson(`/traces/${ids.trace}`);
  const thread = threads.find((one) => one.slices > 0);
  ids.needed = {
    "/search": { q: "net" },
    "/exclusions/preview": { first: "2025-11-10", last: "2025-11-12" },
    "/errors/history": { signature: failed.failure.signature },
    "/traces/{id}/tile": { thread: thread.thread, end: thread.end + 1 },
    "/traces/{id}/tiles": { level: 20, index: 0, tracks: thread.thread },
    "/traces/{id}/find": { q: "aten" },
    "/traces/{id}/query": { sql: "SELECT name, count(*), avg(duration), NULL FROM slices GROUP BY name" },
    "/traces/{id}/point": { number: 0 },
    "/traces/{id}/counter": { number: 0, end: thread.end + 1 },
    "/traces/{id}/busy": { device: 0, end: thread.end + 1 },
    "/hlo/{id}/instruction": { line: 26 },
    "/traces/{id}/slice": { thread: thread.thread, chunk: 0, index: 0 },
    "/artifacts/{id}/compilation-text": { output: 1 },
    "/artifact-diff": { before: before.dump, after: after.dump },
    "/profile-diff": { before_run: before.run, before_experiment: before.experiment, run: after.run, experiment: after.experiment },
    "/profile-comparison": { left_run: before.run, left_experiment: before.experiment, right_run: after.run, right_experiment: after.experiment },
  };
});

after(async () => {
  const ended = await server?.stop();
  if (folder) removeFolder(folder);
  if (ended) assert.equal(ended.code, 0, ended.printed);
});

async function get(path, options) {
  return fetch(path.startsWith("http") || path.startsWith("/api") ? new URL(path, server.base) : api + path, options);
}

async function getJson(path) {
  const response = await get(path);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** The contract's address with real ids, and the parameters that it must have. */
function address(path, extra = {}) {
  const operation = contract.paths[path].get;
  const values = { run: "latest", experiment: ids.experiment, kind: "graph_break", id: path.startsWith("/lines") ? ids.line : path.startsWith("/ingests") ? ids.ingest : path.startsWith("/artifacts/{id}/compilation") ? ids.log : path.startsWith("/artifacts") ? ids.artifact : path.startsWith("/traces") ? ids.trace : path.startsWith("/hlo") ? 1 : path.startsWith("/alerts") ? ids.alert : ids.experiment };
  if (path.includes("{experiment}")) values.run = ids.run;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
  const needed = { suite: "cpu-mini", model: "resnet_mini", test: "eval", ...ids.needed[path] };
  const query = new URLSearchParams();
  for (const parameter of parametersOf(operation)) {
    if (parameter.in === "query" && parameter.required) query.set(parameter.name, needed[parameter.name]);
  }
  for (const [name, value] of Object.entries(extra)) {
    query.delete(name);
    for (const one of [value].flat()) query.append(name, one);
  }
  const text = query.toString();
  return filled + (text ? `?${text}` : "");
}

function check(path, data, where) {
  const pointer = ["paths", path, "get", "responses", "200", "content", "application/json", "schema"].map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  assert.ok(validate(data), `${where}: ${ajv.errorsText(validate.errors?.slice(0, 5), { separator: "\n" })}`);
}

function checkProblem(data, status, where) {
  const validate = ajv.getSchema("openapi#/components/schemas/Problem");
  assert.ok(validate(data), `${where}: ${ajv.errorsText(validate.errors)}`);
  assert.equal(data.status, status, where);
}

/** Questions beside the plain one, by parameter. */
const askedFor = {
  baseline: ["inductor", "eager", "no such backend"],
  baseline_run: ["same", "oldest", "latest", "2025-11-28"],
  left: ["previous", "2025-11-10", "label:commit=abc123"],
  right: ["latest", "2025-11-20"],
  left_backend: ["inductor"],
  right_backend: ["eager", "nobody"],
  left_accelerator_model: ["NVIDIA A100-SXM4-40GB"],
  estimator: ["steady", "upstream"],
  verified_only: ["true"],
  runs: ["1", "7"],
  group_by: ["none", "suite", ["test", "column"]],
  column: ["inductor"],
  span: ["1", "30"],
  intervals: ["true"],
  metric: ["steady", "upstream", "compile", "xla_compile", "speedup", "total_time", "xla_ExecutionTime_number", "no_such"],
  backend: ["inductor", "nobody"],
  suite: ["cpu-mini"],
  model: ["resnet_mini"],
  test: ["train"],
  since: ["2025-11-10"],
  until: ["2025-11-12T00:00:00Z"],
  label: ["commit:abc123", "commit:other"],
  limit: ["1", "1000"],
  q: ["NET"],
  ingest: ["1"],
  run: ["latest", "2025-11-20"],
  kind: ["trace", "operator_table", "ir"],
  orphaned: ["true"],
  state: ["all", "attention", "confirmed,suspect", ["fixed", "recovered"]],
  direction: ["regression", "improvement"],
  superseded: ["false"],
  begin: ["0", "1000"],
  block: ["0", "1", "4194303"],
  tracks: ["0", "0,1,2"],
  thread: ["0"],
  kinds: ["fwdbwd", "launch,other"],
  phase: ["M", "i"],
};

/** Questions that the plain one is not enough for. */
const needsMore = {
  "/traces/{id}/flame": [{}, { view: "sandwich", label: "1", limit: "10" }, { begin: "5", end: "5000", tracks: "0,1" }],
  "/traces/{id}/next": [{ q: "aten" }, { labels: "1,2", from: "1000000000000", direction: "previous" }],
};

function questions(path) {
  if (needsMore[path]) return needsMore[path].map((extra) => address(path, extra));
  const asked = [address(path)];
  for (const parameter of parametersOf(contract.paths[path].get)) {
    if (parameter.in !== "query") continue;
    let values = askedFor[parameter.name] ?? [];
    if (parameter.name === "kind" && path === "/errors") values = ["crashed", ["skipped", "out_of_memory"]];
    if (parameter.name === "since" && path.endsWith("transitions")) values = ["previous", "2025-11-20"];
    if (parameter.name === "buckets") values = ["1", String(parameter.schema.maximum)];
    if (parameter.name === "test" && path.startsWith("/series")) values = ["train"];
    if (parameter.schema.enum && ["metric", "by"].includes(parameter.name)) values = parameter.schema.enum;
    for (const value of values) asked.push(address(path, { [parameter.name]: value }));
  }
  return asked;
}

describe("answers are what the contract says", () => {
  for (const [path, { get: operation }] of readPaths) {
    test(`${operation.operationId}: ${path}`, async () => {
      let checked = 0;
      for (const question of questions(path)) {
        const response = await get(question);
        const text = await response.text();
        assert.equal(response.status, 200, `${question}: ${text}`);
        assert.equal(!!response.headers.get("etag"), "304" in operation.responses, question);
        assert.equal(response.headers.get("cache-control"), "304" in operation.responses ? "no-cache" : "no-store", question);
        const types = Object.keys(operation.responses["200"].content);
        assert.equal(response.headers.get("content-type").split(";")[0], types[0], question);
        if (types[0] === "application/json") check(path, JSON.parse(text), question);
        ++checked;
      }
      assert.ok(checked > 0);
    });
  }
});

test("the document's examples are what their schemas say", () => {
  let checked = 0;
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    for (const example of schema.examples ?? []) {
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
      assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`);
      ++checked;
    }
  }
  assert.ok(checked > 3);
});

// What counts requests is another thing at each request.
const countsItself = (path) => path === "/metrics";

describe("every address", () => {
  for (const [path, { get: operation }] of readPaths) {
    test(`${path}: ETag, HEAD, compression, unknown parameters`, async () => {
      const question = questions(path)[0];
      const first = await get(question, { headers: { "accept-encoding": "identity" } });
      const body = Buffer.from(await first.arrayBuffer());
      const etag = first.headers.get("etag");
      // Where the contract has no 304, no answer is told from the next.
      for (const header of "304" in operation.responses ? [etag, `"other", ${etag}`, "*", etag.replace(/^W\//, "")] : []) {
        const again = await get(question, { headers: { "if-none-match": header } });
        assert.equal(again.status, 304, header);
        assert.equal(await again.text(), "");
        assert.equal(again.headers.get("etag"), etag);
      }
      const other = await get(question, { headers: { "if-none-match": '"other"' } });
      assert.equal(other.status, 200);
      const again = Buffer.from(await other.arrayBuffer());
      if (!countsItself(path)) assert.deepEqual(again, body, "the same question has the same answer");

      const head = await get(question, { method: "HEAD", headers: { "accept-encoding": "identity" } });
      assert.equal(head.status, 200);
      assert.equal(head.headers.get("etag"), etag);
      // What is made while it is sent does not know how long it will be.
      const isStreamed = first.headers.get("transfer-encoding") === "chunked";
      if (!isStreamed && !countsItself(path)) assert.equal(Number(head.headers.get("content-length")), body.length);

      const packed = await get(question, { headers: { "accept-encoding": "br, gzip" } });
      const isText = operation.responses["200"].content["application/octet-stream"] === undefined;
      assert.equal(packed.headers.get("content-encoding"), isText && !isStreamed && !countsItself(path) && body.length >= 1400 ? "gzip" : null);
      const unpacked = Buffer.from(await packed.arrayBuffer());
      if (!countsItself(path)) assert.deepEqual(unpacked, body);

      const unknown = await get(question + (question.includes("?") ? "&" : "?") + "nonsense=1");
      assert.equal(unknown.status, 400);
      const problem = await unknown.json();
      checkProblem(problem, 400, question);
      assert.equal(problem.parameter, "nonsense");
      assert.match(unknown.headers.get("content-type"), /^application\/problem\+json/);

      assert.equal(first.headers.get("x-content-type-options"), "nosniff");
      assert.equal(first.headers.get("x-frame-options"), "DENY");
      assert.match(first.headers.get("content-security-policy"), /default-src 'none'/);
      assert.doesNotMatch(first.headers.get("content-security-policy"), /unsafe/);
      assert.ok(operation.responses["405"]);
    });
  }
});

describe("wrong parameters are named", () => {
  const wrong = [
    ["/runs?limit=0", "limit"],
    ["/runs?limit=1001", "limit"],
    ["/runs?limit=ten", "limit"],
    ["/runs?limit=1&limit=2", "limit"],
    ["/runs?limit=99999999999999999999", "limit"],
    ["/runs?cursor=%21", "cursor"],
    ["/runs?cursor=", "cursor"],
    ["/runs?since=yesterday", "since"],
    ["/runs?label=nocolon", "label"],
    ["/runs?format=xml", "format"],
    ["/results?run=latest&run=nobody", "run", 404],
    ["/results/", "run", 200],
    ["/runs/nobody", "run", 404],
    ["/compare?left=nobody", "left", 404],
    ["/compare?right=label:commit=nobody", "right", 404],
    ["/compare?right=2025", "right"],
    ["/compare?left_accelerator_model=nobody", "left", 404],
    ["/runs/2025", "run"],
    ["/runs/latest/models?estimator=mean", "estimator"],
    ["/runs/latest/models?verified_only=yes", "verified_only"],
    ["/runs/latest/models?baseline_run=nobody", "baseline_run", 404],
    ["/runs/latest/results/0", "experiment"],
    ["/runs/latest/results/x", "experiment"],
    ["/runs/latest/results/999999", "experiment", 404],
    ["/experiments/999999", "id", 404],
    ["/lines/999999/error", "id", 404],
    ["/ingests/999999", "id", 404],
    ["/series?suite=cpu-mini&model=resnet_mini", "test"],
    ["/series?suite=cpu-mini&model=nobody&test=eval", "model", 404],
    ["/series/phases?suite=cpu-mini&model=resnet_mini", "test"],
    ["/series/phases?suite=cpu-mini&model=nobody&test=eval", "model", 404],
    ["/runs/latest/results/999999/phases", "experiment", 404],
    ["/verification/transitions?since=latest&run=2025-11-20", "since"],
    ["/verification/history?accelerator_model=nobody", "accelerator_model", 404],
    ["/overview?runs=366", "runs"],
    ["/history?group_by=model", "group_by"],
    ["/history/changes?span=31", "span"],
    ["/history/changes?accelerator_model=nobody", "accelerator_model", 404],
    ["/metrics-registry?cursor=AAAA", "cursor"],
    ["/alerts?state=open", "state"],
    ["/alerts?state=all,", "state"],
    ["/alerts?direction=worse", "direction"],
    ["/alerts/999999", "id", 404],
    ["/alerts/0", "id"],
    ["/search", "q"],
    [`/search?q=${"x".repeat(201)}`, "q"],
    ["/search?q=x&limit=0", "limit"],
    ["/errors?kind=strange", "kind"],
    ["/errors?runs=366", "runs"],
    ["/errors?accelerator_model=nobody", "accelerator_model", 404],
    ["/errors/history", "signature"],
    ["/errors/history?signature=x&accelerator_model=nobody", "accelerator_model", 404],
  ];
  for (const [question, parameter, status = 400] of wrong) {
    test(question, async () => {
      const response = await get(question);
      assert.equal(response.status, status, await response.clone().text());
      if (status === 200) return;
      const problem = await response.json();
      checkProblem(problem, status, question);
      assert.equal(problem.parameter, parameter, problem.detail);
      assert.ok(problem.detail.length > 10);
    });
  }

  test("an address that is none of the API's is a problem, not a page", async () => {
    for (const path of ["/api/v1/nothing", "/api/v1", "/api/v2/runs", "/api/v1/runs/a/b/c/d"]) {
      const response = await get(path);
      assert.equal(response.status, 404, path);
      checkProblem(await response.json(), 404, path);
    }
  });

  test("other methods are refused, and say which are not", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await get("/runs", { method, ...(method === "POST" ? { body: "{}" } : {}) });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get("allow"), "GET, HEAD");
      checkProblem(await response.json(), 405, method);
    }
  });
});

/** The rows of a CSV text (RFC 4180). */
function parseCsv(text) {
  const rows = [[]];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (++at; text[at] !== '"' || text[at + 1] === '"'; ++at) {
        if (text[at] === '"') ++at;
        cell += text[at];
      }
      ++at;
    } else {
      while (at < text.length && text[at] !== "," && text[at] !== "\r") cell += text[at++];
    }
    rows.at(-1).push(cell);
    if (text[at] === ",") {
      ++at;
      if (at === text.length || text[at] === "\r") rows.at(-1).push("");
    }
    if (text[at] === "\r") {
      assert.equal(text[at + 1], "\n");
      at += 2;
      if (at < text.length) rows.push([]);
    }
  }
  return rows;
}

const pointed = (row, pointer) => pointer.slice(1).split("/").reduce((at, key) => at?.[key], row);

function cellText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return value;
}

/** What the contract says the CSV's rows are. */
const csvRows = {
  getComparison: (answer) => answer.rows,
  getCompilationChanges: (answer) => answer.changes,
  getModelTable: (answer) => answer.rows.flatMap((row) => answer.columns.filter(({ key }) => row.cells[key]).map(({ key, backend }) => ({ ...row, column: key, backend, cell: row.cells[key] }))),
  getSeries: (answer) =>
    answer.series.flatMap((series) =>
      answer.runs.flatMap((run, i) => (series.points[i] ? [{ run, experiment: series.experiment, point: series.points[i], code: series.codes[i], failure: series.failures[i] }] : [])),
    ),
  findInTrace: (answer) => answer.labels,
  getTraceSums: (answer) => answer.rows,
  getPhases: (answer) => answer.repetitions,
  getPhaseSeries: (answer) => answer.series.flatMap(({ experiment, points }) => points.flatMap((point, i) => (point ? [{ run: answer.runs[i], experiment, point }] : []))),
  getProfileSeries: (answer) => answer.series.flatMap(({ experiment, points }) => points.flatMap((point, i) => (point ? [{ run: answer.runs[i], experiment, point }] : []))),
  compareProfiles: (answer) => [...answer.parts, ...answer.operators],
  getVerification: (answer) => answer.rows.flatMap((row) => Object.keys(row.cells).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map((column) => ({ ...row, column, cell: row.cells[column] }))),
  getVerificationHistory: (answer) => answer.counts,
  getErrorHistory: (answer) => answer.experiments,
  getHistory: (answer) => answer.accelerators.flatMap(({ runs, groups }) => groups.flatMap((group) => group.points.flatMap((point, i) => (point ? [{ run: runs[i], group, point }] : [])))),
  getModelHistory: (answer) => answer.series.flatMap(({ experiment, values, outcomes }) => answer.runs.map((run, i) => ({ run, experiment, value: values[i], outcome: outcomes[i] }))),
};

describe("CSV holds what JSON holds", () => {
  for (const [path, { get: operation }] of readPaths) {
    const columns = operation.responses["200"].content["text/csv"]?.["x-columns"];
    // Rows of stacks have names as CSV alone: trace_answers.test.mjs.
    if (!columns || operation.operationId === "getTraceFlame") continue;
    test(`${operation.operationId}`, async () => {
      for (const extra of [{}, { run: ids.run }, { accelerator_model: "NVIDIA A100-SXM4-40GB" }]) {
        const known = parametersOf(operation).map((p) => p.name);
        if (!Object.keys(extra).every((name) => known.includes(name))) continue;
        const question = address(path, path.includes("{run}") && extra.run ? {} : extra);
        if (path.startsWith("/series") && extra.accelerator_model) continue;
        const answer = await getJson(question);
        const response = await get(question + (question.includes("?") ? "&" : "?") + "format=csv");
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
        const [header, ...rows] = parseCsv(text);
        assert.deepEqual(header, Object.keys(columns));
        const expected = (csvRows[operation.operationId] ?? ((a) => a.items))(answer);
        assert.equal(rows.length, expected.length, question);
        rows.forEach((cells, i) => {
          assert.equal(cells.length, header.length, `${question} row ${i}`);
          Object.values(columns).forEach((pointer, column) => {
            const value = cellText(pointed(expected[i], pointer));
            if (typeof value === "string") assert.equal(cells[column], value);
            else assert.deepEqual(JSON.parse(cells[column]), value, `${question} ${header[column]}`);
          });
        });
        if (answer.next_cursor) assert.match(response.headers.get("link"), /^<\/api\/v1\/.*cursor=.*>; rel="next"$/);
        else assert.equal(response.headers.get("link"), null);
      }
    });
  }

  test("a formula is made safe", async () => {
    const text = await (await get(`/results?run=${ids.run}&format=csv&limit=1000`)).text();
    assert.match(text, /,'=cmd\|' \/C calc'!A0,/);
    assert.match(text, /,"quo""te, comma\nline",/);
    assert.match(text, /,übung-模型,/);
  });
});

describe("cursors lead through every list", () => {
  const key = (item) => JSON.stringify(item);
  for (const [path, { get: operation }] of readPaths) {
    if (!parametersOf(operation).some((p) => p.name === "cursor")) continue;
    test(path, async () => {
      const whole = await getJson(address(path, { limit: 1000 }));
      // Of what nobody knows how much there is, there is what was given.
      const total = whole.total ?? whole.items.length;
      const firstPart = whole.items.length > 60 ? Math.ceil(whole.items.length / 9) : 2;
      const seen = [];
      let cursor = null;
      do {
        const page = await getJson(address(path, { limit: firstPart, ...(cursor ? { cursor } : {}) }));
        check(path, page, path);
        assert.equal(page.total, whole.total);
        assert.ok(page.items.length <= firstPart);
        seen.push(...page.items.map(key));
        cursor = page.next_cursor;
      } while (cursor && seen.length <= total);
      assert.equal(new Set(seen).size, seen.length, "nothing twice");
      assert.equal(seen.length, total, "nothing missing");
      assert.deepEqual(seen.slice(0, whole.items.length), whole.items.map(key), "in the same order");
    });
  }

  test("results over all runs, newest first, filtered and not", async () => {
    for (const filter of [{}, { backend: "inductor" }, { model: ["resnet_mini", "mlp_mini"], test: "eval" }, { run: ["latest", "2025-11-20"] }]) {
      let cursor, total, before;
      const seen = new Set();
      do {
        const page = await getJson(address("/results", { limit: 97, ...filter, ...(cursor ? { cursor } : {}) }));
        total ??= page.total;
        for (const item of page.items) {
          const e = item.experiment;
          seen.add(`${item.run_id} ${e.id}`);
          if (before?.run_id === item.run_id) {
            const order = (x) => [x.suite, x.model, x.test, x.backend];
            assert.ok(JSON.stringify(order(before.experiment)) <= JSON.stringify(order(e)));
          }
          before = item;
        }
        cursor = page.next_cursor;
      } while (cursor);
      assert.equal(seen.size, total, JSON.stringify(filter));
      assert.ok(total > 0);
    }
  });

  test("a cursor of another list or other filters is refused", async () => {
    const { next_cursor: cursor } = await getJson("/runs?limit=1");
    assert.ok(cursor);
    for (const question of [`/results?cursor=${cursor}`, `/runs?since=2025-11-02&cursor=${cursor}`]) {
      const response = await get(question);
      assert.equal(response.status, 400);
      assert.equal((await response.json()).parameter, "cursor");
    }
    assert.equal((await get(`/runs?limit=5&format=csv&cursor=${cursor}`)).status, 200, "limit and form may change");
  });
});

describe("what it says is so", () => {
  test("who is compared with whom, and who is left out", async () => {
    const answer = await getJson(`/speedups?run=${ids.run}`);
    const of = (model, column = "openxla+dynamo") => answer.items.find((i) => i.experiment.model === model && i.experiment.column === column);
    const plain = of("alpha");
    assert.ok(Math.abs(plain.speedup.value - 2) < 1e-12, "0.5 s over 0.25 s");
    assert.equal(plain.speedup.baseline_run_id, ids.run);
    assert.ok(plain.speedup.interval.low <= 2 && plain.speedup.interval.high >= 2);
    assert.equal(plain.speedup.n, 3);
    assert.ok(Math.abs(of("alpha", "openxla+dynamo [--xla_gpu_enable_x=true]").speedup.value - 2.5) < 1e-12);
    assert.ok(of("alpha", "openxla+dynamo [keep_model_data_on_cuda=true]").speedup);
    assert.equal(of("beta").excluded, "batch_size_differs");
    assert.equal(of("gamma").excluded, "baseline_failed");
    assert.equal(of("delta").excluded, "baseline_missing");
    assert.equal(of("epsilon").excluded, "skipped");
    assert.equal(of("epsilon").status, "skipped");
    assert.equal(of("alpha", "inductor").excluded, "is_baseline");
    const mean = answer.geomeans.find((g) => g.column === "openxla+dynamo");
    assert.ok(Math.abs(mean.all.value - 2) < 1e-12);
    assert.equal(mean.all.n, 1);
    assert.deepEqual(mean.excluded.find((e) => e.reason === "baseline_failed"), { reason: "baseline_failed", count: 1, models: ["torchbench/gamma"] });
    const verified = await getJson(`/speedups?run=${ids.run}&verified_only=true`);
    assert.equal(verified.items.find((i) => i.experiment.id === plain.experiment.id).excluded, "not_verified");
    assert.ok(verified.geomeans.every((g) => g.all.value === null && g.all.n === 0));
  });

  test("samples come as they were", async () => {
    const { items } = await getJson(`/results?run=${ids.run}&model=odd`);
    const { items: measured } = await getJson(`/runs/${ids.run}/results/${items[0].experiment.id}/measurements`);
    const named = Object.fromEntries(measured.map((m) => [m.metric, m]));
    assert.deepEqual(named.total_time.samples, [1, null, "NaN", "Infinity"]);
    assert.equal(named.per_iter_time.shape, "null");
    assert.equal(named.xla_CompileTime_number.shape, "scalar");
    assert.deepEqual(named.inductor_ops.json, [{ "aten::mm": { num_of_calls: 3 } }]);
    assert.equal(items[0].status, "timed");
    assert.equal(items[0].steady, null);
  });

  test("error texts, failures by cause, rejected lines", async () => {
    const text = await (await get(`/lines/${ids.line}/error`)).text();
    assert.match(text, /^RuntimeError: CUDA out of memory/);
    const { items } = await getJson(`/failures?run=${ids.run}`);
    assert.deepEqual(items.map((i) => i.kind).sort(), ["out_of_memory", "skipped"]);
    assert.equal(items.every((i) => i.count === i.experiments.length), true);
    const rejected = await getJson("/rejected-lines");
    assert.equal(rejected.total, 3);
    assert.deepEqual(rejected.items.map((r) => r.line_number).sort((a, b) => a - b), [15, 16, 17]);
    const overview = await getJson("/overview");
    assert.equal(overview.store.rejected_count, 3);
    assert.equal(overview.accelerators.length, 2);
  });

  test("a night's transitions: unet_mini and transformer_mini fail from where they do", async () => {
    const since = async (run) => (await getJson(`/verification/transitions?run=${run}`)).items.map((i) => `${i.kind} ${i.experiment.model} ${i.experiment.test} ${i.experiment.backend}`);
    assert.ok((await since("2025-11-15")).includes("newly_failing transformer_mini eval inductor"));
    assert.ok((await since("2025-11-19")).includes("newly_failing unet_mini eval inductor"));
    assert.deepEqual(await since("2025-11-18"), [], "a night that was not verified changes nothing");
    const stale = await getJson("/verification?run=2025-11-18");
    const cells = stale.rows.flatMap((row) => Object.values(row.cells)).filter(Boolean);
    assert.ok(cells.length > 0 && cells.every((cell) => cell.stale && cell.age_seconds > 0));
  });

  test("an ingest shows at once, and ETags change with it", async () => {
    const before = await get("/runs?limit=1");
    const old = (await before.json()).items[0];
    const file = join(folder, "2025-12-01.jsonl");
    writeFileSync(file, line({ metrics: times(0.6), timestamp: 1764547200 }) + "\n");
    assert.equal(benchhud("ingest", file, "--db", join(folder, "store.db")).status, 0);
    const again = await get("/runs?limit=1", { headers: { "if-none-match": before.headers.get("etag") } });
    assert.equal(again.status, 200);
    const now = (await again.json()).items[0];
    assert.notEqual(now.id, old.id);
    assert.equal(now.started_at, "2025-12-01T00:00:00Z");
    const kept = await get(`/runs/${old.id}/models`);
    assert.equal(kept.status, 200);
  });
});

test("the pages: index.html for a page's address, nothing for a file's", async () => {
  const page = await fetch(`${server.base}/runs/latest`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type"), /^text\/html/);
  const html = await page.text();
  assert.match(html, /<title>/);
  assert.equal((await fetch(`${server.base}/missing.js`)).status, 404);
  for (const [, name] of html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)) {
    const asset = await fetch(server.base + name);
    assert.equal(asset.status, 200, name);
    assert.match(asset.headers.get("cache-control"), /immutable/, name);
  }
});

test("a store that is not there is made, and empty answers are answers", async () => {
  const db = join(folder, "new", "store.db");
  const empty = await serve(db);
  try {
    for (const [path, { get: operation }] of readPaths) {
      if (path.includes("{") || path.startsWith("/series")) continue;
      const response = await fetch(`${empty.base}/api/v1${path}`);
      const body = await response.text();
      if (parametersOf(operation).some((parameter) => parameter.required)) {
        assert.equal(response.status, 400, `${path}: ${body}`);
        continue;
      }
      const needsRun = operation.responses["404"] && !["/results", "/artifacts", "/results.jsonl"].includes(path);
      assert.equal(response.status, needsRun ? 404 : 200, `${path}: ${body}`);
      const isJson = Object.keys(operation.responses["200"].content)[0] === "application/json";
      if (response.status === 200 && isJson && path !== "/openapi.json") check(path, JSON.parse(body), path);
    }
  } finally {
    const ended = await empty.stop("SIGINT");
    assert.equal(ended.code, 0);
  }
});
