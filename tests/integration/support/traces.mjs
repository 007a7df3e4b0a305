// What is asked of a trace over HTTP, and a trace that has something of everything.
import assert from "node:assert/strict";

/** A small trace of a GPU with all that traces have: counters, arrows, marks, what is asynchronous. */
export function madeUpTrace() {
  const events = [
    { ph: "M", pid: 0, tid: 7, name: "process_labels", args: { labels: "GPU 0" } },
    { ph: "M", pid: 0, tid: 7, name: "thread_name", args: { name: "stream 7" } },
  ];
  for (let i = 0; i < 3000; ++i) {
    const ts = 1000 + 10 * i;
    events.push({ ph: "X", pid: 1, tid: 1, name: "aten::mm", cat: "cpu_op", ts, dur: 8, args: { "External id": i } });
    events.push({ ph: "X", pid: 1, tid: 1, name: "cudaLaunchKernel", cat: "cuda_runtime", ts: ts + 1, dur: 5, args: { correlation: i } });
    events.push({ ph: "X", pid: 0, tid: 7, name: i % 2 ? "gemm" : "triton_poi_fused_0", cat: "kernel", ts: ts + 7, dur: 3, args: { correlation: i } });
    events.push({ ph: "s", pid: 1, tid: 1, id: i, name: "ac2g", cat: "ac2g", ts: ts + 1 }, { ph: "f", pid: 0, tid: 7, id: i, name: "ac2g", cat: "ac2g", ts: ts + 7, bp: "e" });
    if (i % 3 === 0) events.push({ ph: "C", pid: 1, tid: 1, name: "memory", ts, args: { used: i, free: 3000 - i } });
    if (i % 1000 === 0) events.push({ ph: "i", pid: 1, tid: 1, name: `mark ${i}`, ts, s: "t" });
    if (i % 500 === 0) events.push({ ph: "b", pid: 1, tid: 1, cat: "step", name: "request", id: i, ts }, { ph: "e", pid: 1, tid: 1, cat: "step", name: "request", id: i, ts: ts + 900 });
  }
  return { traceEvents: events };
}

/** An answer of the API, of whatever status. */
export const bytesOf = async (server, path, headers = {}) => {
  const response = await fetch(`${server.base}/api/v1${path}`, { headers });
  return { status: response.status, etag: response.headers.get("etag"), body: Buffer.from(await response.arrayBuffer()) };
};
/** One that has to be 200. */
export const jsonOf = async (server, path) => {
  const { status, body } = await bytesOf(server, path);
  assert.equal(status, 200, `${path}: ${body}`);
  return JSON.parse(body.toString());
};

/** Whether each request is answered as it was before: `wanted` has the answer (bytesOf) of each path. */
export async function assertSameAnswers(server, wanted, where) {
  for (const [path, before] of wanted) {
    const now = await bytesOf(server, path);
    assert.equal(now.status, before.status, `${where}: ${path}: ${now.body}`);
    assert.ok(now.body.equals(before.body), `${where}: ${path} differs`);
  }
}

/** Requests of every address of a trace, by the address's name in the contract, made for what is in the trace. */
export async function requestsOf(server, id) {
  const trace = await jsonOf(server, `/traces/${id}`);
  const fullest = [...trace.threads].sort((a, b) => b.slices - a.slices).slice(0, 4).filter(({ slices }) => slices > 0);
  const end = Math.max(trace.end, 1), middle = Math.floor(end / 3);
  const level = Math.max(0, Math.ceil(Math.log2(end / 1024)));
  const own = { getTrace: [""], listTraceHlo: ["/hlo"], listTraceNotes: ["/notes"], getTraceReport: ["/report"], listTraceFindings: ["/findings"] };
  own.getHloOfSlice = ["/hlo-instruction?module=jit_f&op=fusion"];
  own.getTraceTile = fullest.flatMap(({ thread }) => [`/tile?thread=${thread}&end=${end}`, `/tile?thread=${thread}&begin=${middle}&end=${middle + 1000}`]);
  own.getTraceTiles = fullest.flatMap(({ thread }) => [`/tiles?level=${level}&index=0&tracks=${thread}`, `/tiles?level=${Math.max(0, level - 6)}&index=1&tracks=${thread}`]);
  own.getTraceLabels = ["/labels", "/labels?block=1"];
  own.getTraceSlice = fullest.flatMap(({ thread }) => [0, 1, 7].map((index) => `/slice?thread=${thread}&chunk=0&index=${index}`));
  own.findInTrace = ["/find?q=a", "/find?q=mm&format=csv"];
  own.nextInTrace = ["/next?q=a&from=0&direction=next", `/next?q=a&from=${end}&direction=previous`];
  own.getTraceSums = ["/sums", `/sums?begin=${middle}&end=${end}&by=label`, "/sums?format=csv"];
  own.listTracePoints = ["/points", `/points?begin=${middle}&end=${end}`];
  own.getTracePoint = ["/point?number=0", "/point?number=1"];
  own.getTraceCounter = trace.counters.slice(0, 3).map(({ number }) => `/counter?number=${number}&end=${end}`);
  own.getTraceDeviceBusy = (trace.devices ?? []).slice(0, 2).map(({ device }) => `/busy?device=${device}&end=${end}`);
  own.listTraceFlows = ["/flows", `/flows?begin=${middle}&end=${middle + 100_000}`];
  own.getTraceFlame = ["/flame?view=heavy", "/flame?view=sandwich&label=0", "/flame?view=heavy&format=csv"];
  own.exportTrace = ["/export", `/export?begin=${middle}&end=${middle + 100_000}`];
  own.queryTrace = [`/query?sql=${encodeURIComponent("SELECT name, count(*) AS n, sum(duration) FROM slices GROUP BY name ORDER BY n DESC, name")}&limit=50`];
  for (const [name, part] of [["listTraceOperators", "operators"], ["listTraceKernels", "kernels"], ["listTraceMemory", "memory"], ["listTraceIterations", "iterations"]]) own[name] = [`/${part}`, `/${part}?format=csv`];
  const { kinds } = await jsonOf(server, `/traces/${id}/findings`);
  own.listTraceFindingsOfKind = kinds.map(({ kind }) => `/findings/${kind}?limit=5`);
  return Object.fromEntries(Object.entries(own).map(([name, paths]) => [name, paths.map((path) => `/traces/${id}${path}`)]));
}
