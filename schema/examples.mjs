// Writes the examples of openapi.json anew: what the program answers on samples/. Each is shortened to what shows its
// shape. `./dev examples` runs it; tests hold every example against its schema.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { benchhud, removeFolder, root, serve, temporaryFolder } from "../tests/integration/support/server.mjs";
import { hloXspace, writeProfile } from "../tests/integration/support/xplane.mjs";

const path = fileURLToPath(new URL("openapi.json", import.meta.url));
const contract = JSON.parse(readFileSync(path, "utf8"));
const MOST_ITEMS = 2;
const MOST_LETTERS = 300;

/** How many items a list of this name must have. */
const LEAST = {};
(function walk(node) {
  for (const [name, schema] of Object.entries(node.properties ?? {})) if (schema.minItems) LEAST[name] = schema.minItems;
  for (const member of Object.values(node)) if (member && typeof member === "object") walk(member);
})(contract.components.schemas);

/** The same with fewer items and shorter texts: what a reader takes in at a glance. */
function shortened(value, depth = 0, name = "") {
  if (typeof value === "string" && value.includes(root)) return shortened(value.replaceAll(root, "/srv/nightly/"));
  if (typeof value === "string") return value.length > MOST_LETTERS ? value.slice(0, MOST_LETTERS) + "…" : value;
  if (Array.isArray(value)) {
    // Bare numbers say little: a few more of them do no harm.
    const most = value.every((item) => ["number", "boolean"].includes(typeof item) || item === null) ? 8 : depth > 2 ? 1 : MOST_ITEMS;
    return value.slice(0, Math.max(most, LEAST[name] ?? 0)).map((item) => shortened(item, depth + 1));
  }
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member, depth + 1, key)]));
  return value;
}

const folder = temporaryFolder("examples");
const db = join(folder, "benchhud.db");
benchhud("ingest", join(root, "samples"), "--db", db, "--label", "pytorch=4a2cf3b");
// No sample holds HLO.
benchhud("ingest", writeProfile(join(folder, "profiled"), hloXspace()), "--db", db);
benchhud("links", "set", "pytorch", "--one", "https://github.com/pytorch/pytorch/commit/{value}", "--db", db);
const server = await serve(db);
const ask = async (address, options) => {
  const response = await fetch(`${server.base}/api/v1${address}`, options);
  if (!response.ok) throw new Error(`${address}: ${await response.text()}`);
  return response.headers.get("content-type").startsWith("application/json") ? response.json() : response.text();
};

// What the examples ask for: one result, its dumps, and an alert that has to do with it.
const dumpsOf = async (night) => {
  const [result] = (await ask(`/results?run=${night}&model=resnet_mini&backend=inductor&test=eval&limit=1`)).items;
  const { items } = await ask(`/artifacts?run=${night}&experiment=${result.experiment.id}`);
  const dump = (kind) => items.find((item) => item.kind === kind);
  return { experiment: result.experiment.id, counters: dump("dynamo_counters").id, trace: dump("trace").trace_id };
};
const before = await dumpsOf("2025-11-09");
const after = await dumpsOf("2025-11-10");
const logged = (await ask("/artifacts?kind=torch_trace&run=2025-11-28&limit=1")).items[0];
const log = logged.id;
const failed = (await ask("/results?limit=1000&run=2025-11-10")).items.find((item) => item.failure?.line_id);
const alert = (await ask("/alerts?state=all")).items[0];
const trace = await ask(`/traces/${after.trace}`);
const profiled = `/traces/${(await ask("/artifacts?kind=trace&limit=1")).items[0].trace_id}`;
const thread = trace.threads.find((one) => one.slices > 0);
const result = `/runs/2025-11-10/results/${after.experiment}`;
const traced = `/traces/${after.trace}`;
/** The number that the next trace gets. */
const dropped = 1 + Math.max(...(await ask("/artifacts?kind=trace&limit=1000")).items.map((one) => one.trace_id ?? 0));

const ADDRESSES = {
  getRun: "/runs/2025-11-10",
  getNightQuality: "/runs/2025-11-10/quality",
  getModelTable: "/runs/2025-11-10/models?model=resnet_mini",
  getComparison: "/compare?left=2025-11-09&right=2025-11-10&model=resnet_mini",
  listResults: "/results?run=2025-11-10&model=resnet_mini&limit=2",
  getResult: result,
  listMeasurements: `${result}/measurements`,
  getPhases: `${result}/phases`,
  getDumpedCounters: `${result}/dumped-counters`,
  getNeighbours: `${result}/neighbours`,
  getCompilationChanges: `/runs/2025-11-28/results/${logged.results[0].experiment_id}/compilation-changes`,
  getError: failed && `/lines/${failed.failure.line_id}/error`,
  getExperiment: `/experiments/${after.experiment}`,
  getSeries: "/series?suite=cpu-mini&model=resnet_mini&test=eval&metric=steady",
  getPhaseSeries: "/series/phases?suite=cpu-mini&model=resnet_mini&test=eval",
  getProfileSeries: "/series/profiles?suite=cpu-mini&model=resnet_mini&test=eval",
  getHistory: "/history?runs=2",
  getModelHistory: "/history/models?metric=steady&runs=2",
  getHistoryChanges: "/history/changes?metric=steady&runs=2",
  getSpeedups: "/speedups?run=latest&test=eval",
  getErrorHistory: failed && `/errors/history?signature=${encodeURIComponent(failed.failure.signature)}`,
  search: "/search?q=resnet",
  getAlert: `/alerts/${alert.id}`,
  getAlertChart: `/alerts/${alert.id}/chart`,
  listArtifacts: "/artifacts?run=2025-11-10&kind=trace",
  getArtifact: `/artifacts/${after.counters}`,
  getArtifactText: `/artifacts/${after.counters}/text`,
  getArtifactContent: `/artifacts/${after.counters}/content`,
  diffArtifacts: `/artifact-diff?before=${before.counters}&after=${after.counters}`,
  diffResults: `/profile-diff?before_run=2025-11-09&before_experiment=${before.experiment}&run=2025-11-10&experiment=${after.experiment}`,
  compareProfiles: `/profile-comparison?left_run=2025-11-09&left_experiment=${before.experiment}&right_run=2025-11-10&right_experiment=${after.experiment}&limit=2`,
  listCompilations: `/artifacts/${log}/compilations`,
  getCompilationText: `/artifacts/${log}/compilation-text?output=1`,
  getHloModule: "/hlo/1",
  getHloText: "/hlo/1/text",
  getHloInstruction: "/hlo/1/instruction?line=26",
  listTraceHlo: `${profiled}/hlo`,
  getHloOfSlice: `${profiled}/hlo-instruction?program_id=15&module=jit_step&op=fusion.1`,
  getTrace: traced,
  getTraceTile: `${traced}/tile?thread=${thread.thread}&end=1000000`,
  getTraceTiles: `${traced}/tiles?level=20&index=0&tracks=${thread.thread}`,
  getTraceLabels: `${traced}/labels`,
  getTraceSlice: `${traced}/slice?thread=${thread.thread}&chunk=0&index=0`,
  findInTrace: `${traced}/find?q=aten&limit=1`,
  nextInTrace: `${traced}/next?q=aten`,
  getTraceSums: `${traced}/sums?end=1000000`,
  listTracePoints: `${traced}/points`,
  getTracePoint: `${traced}/point?number=0`,
  getTraceCounter: `${traced}/counter?number=0&end=1000000`,
  getTraceDeviceBusy: `${traced}/busy?device=0&end=1000000`,
  getTraceReport: `${traced}/report`,
  listTraceFlows: `${traced}/flows`,
  getTraceFlame: `${traced}/flame`,
  exportTrace: `${traced}/export?begin=0&end=100000`,
  listTraceOperators: `${traced}/operators`,
  listTraceKernels: `${traced}/kernels`,
  listTraceMemory: `${traced}/memory`,
  listTraceIterations: `${traced}/iterations`,
  listTraceNotes: `${traced}/notes`,
  queryTrace: `${traced}/query?sql=${encodeURIComponent("SELECT name, count(*) AS calls FROM slices GROUP BY name ORDER BY calls DESC LIMIT 2")}`,
  listTraceFindings: `${traced}/findings`,
  listTraceFindingsOfKind: `${traced}/findings/graph_break?limit=1`,
  getIngest: "/ingests/1",
  downloadLines: "/results.jsonl?run=2025-11-10",
  getBadge: "/badge?what=verification",
  previewExclusion: "/exclusions/preview?first=2025-11-10&last=2025-11-12",
};

/** In this order: what one makes the next takes away. */
const json = (method, body) => ({ method, headers: { ...server.bearer(), "content-type": "application/json" }, body: JSON.stringify(body) });
const file = (body) => ({ method: "POST", headers: { ...server.bearer(), "content-type": "application/x-ndjson" }, body });
const CHANGES = {
  markRun: ["/runs/2025-11-10/marks", json("POST", { kind: "environment", reason: "driver 570", who: "ada" })],
  unmarkRun: ["/runs/2025-11-10/marks/environment", { method: "DELETE", headers: server.bearer() }],
  markNights: ["/marks", json("POST", { first: "2025-11-10", last: "2025-11-11", kind: "excluded", reason: "another job ran on the machine", who: "ada" })],
  unmarkNights: ["/marks/excluded?run=2025-11-10&run=2025-11-11", { method: "DELETE", headers: server.bearer() }],
  actOnAlert: [`/alerts/${alert.id}/actions`, json("POST", { kind: "note", value: "since the driver of 10 November", who: "ada" })],
  actOnAlerts: ["/alerts/actions", json("POST", { ids: [alert.id], kind: "note", value: "all of one driver", who: "ada" })],
  addTraceNote: [`${traced}/notes`, json("POST", { begin: "0", end: "1000000", words: "waits for the loader", who: "ada" })],
  removeTraceNote: [`${traced}/notes/1`, { method: "DELETE", headers: server.bearer() }],
  dropTrace: ["/dropped-traces?name=trace.json", { ...file(JSON.stringify({ traceEvents: [{ ph: "X", pid: 0, tid: 7, cat: "kernel", name: "gemm", ts: 1, dur: 2 }] })), headers: { ...server.bearer(), "content-type": "application/octet-stream" } }],
  removeDroppedTrace: [`/dropped-traces/${dropped}`, { method: "DELETE", headers: server.bearer() }],
  uploadResults: ["/ingest?name=2025-11-29.jsonl&label=pytorch:4a2cf3b", file(readFileSync(join(root, "samples/cpu_nightlies/2025-11-10/results.jsonl"), "utf8").split("\n")[0].replace(/"timestamp": [0-9.]+/, '"timestamp": 1764374400.0') + "\n{half")],
  uploadDump: [`/ingest/dump?name=counters.txt&run=2025-11-10&experiment=${after.experiment}`, { ...file(readFileSync(join(root, "samples/cpu_nightlies/2025-11-10/resnet_mini/0/dynamo-counters-cpu-inductor-False-eval-None-None-None-resnet_mini.txt"))), headers: { ...server.bearer(), "content-type": "text/plain" } }],
  beginSession: ["/session", json("POST", { token: server.bearer().authorization.split(" ")[1] })],
  endSession: ["/session", { method: "DELETE", headers: server.bearer() }],
};

let text = readFileSync(path, "utf8");
/** Writes into the text of one operation. */
function rewrite(operation, change) {
  const begin = text.indexOf(`"operationId": "${operation}"`);
  const next = text.indexOf('"operationId": ', begin + 1);
  const end = next < 0 ? text.length : next;
  text = text.slice(0, begin) + change(text.slice(begin, end)) + text.slice(end);
}

const schemaLine = /^(.*)"application\/json": \{"schema": (\{[^{}]*\})(?:\}|, "example": ).*?(,?)$/m;
/** The braces that are open at the end of a beginning of a line. */
const openBraces = (begin) => [...begin].reduce((open, letter) => open + (letter === "{") - (letter === "}"), 0);
let written = 0;
try {
  const read = Object.entries(contract.paths).flatMap(([address, { get: operation }]) => (operation ? [[operation.operationId, ADDRESSES[operation.operationId] ?? address]] : []));
  const changed = Object.entries(CHANGES).map(([name, [address, options]]) => [name, address, options]);
  for (const [name, question, options] of [...read, ...changed]) {
    if (name === "getContract") continue;
    if (question.includes("{")) throw new Error(`${name} has no address to ask`);
    const answer = await ask(question, options);
    rewrite(name, (block) => {
      let changed = block.replace(/\n *"x-example": .*$/m, "").replace(/("operationId": .*,)$/m, `$1\n        "x-example": ${JSON.stringify(question)},`);
      if (typeof answer === "string") return changed;
      const responses = changed.indexOf('"responses"');
      const head = changed.slice(0, responses);
      const tail = changed.slice(responses);
      if (!schemaLine.test(tail)) throw new Error(`${name}: its schema is not where it is looked for`);
      ++written;
      const example = JSON.stringify(shortened(answer));
      return head + tail.replace(schemaLine, (_, begin, schema, comma) => `${begin}"application/json": {"schema": ${schema}, "example": ${example}}${"}".repeat(openBraces(begin))}${comma}`);
    });
  }
} finally {
  await server.stop();
  removeFolder(folder);
}
JSON.parse(text);
writeFileSync(path, text);
console.log(`${written} examples in ${path}`);
