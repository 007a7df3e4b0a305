// Logs of TORCH_TRACE, as PyTorch writes them, for tests.
import { createHash } from "node:crypto";

/** A record, with its payload if there is one. */
export function logged(members, payload) {
  const hash = payload === undefined ? {} : { has_payload: createHash("md5").update(payload).digest("hex") };
  const lines = payload === undefined ? "" : payload.split("\n").map((text) => `\t${text}\n`).join("");
  return `V1206 15:20:13.926000 1543231 torch/_dynamo/utils.py:1288] ${JSON.stringify({ ...members, ...hash })}\n${lines}`;
}

/** By which a record belongs to compilation `compilation` of frame `frame`. */
export const ofFrame = (compilation, frame = 0) => ({ frame_id: frame, frame_compile_id: compilation, attempt: 0 });

/** The records of one compilation: what it broke at, why it was compiled again, its code, and its metrics. */
export function compilation({ frame = 0, version = 0, name = "forward", line = 38, breaks = [], recompiled = [], code = null, seconds = 1, ...metrics }) {
  const of = ofFrame(version, frame);
  return [
    logged({ dynamo_start: { stack: [{ line, name, filename: "/srv/models/model.py" }] }, ...of }),
    ...breaks.map((reason) => logged({ artifact: { name: "dynamo_graph_break_reason", encoding: "string" }, ...of }, reason)),
    ...(recompiled.length ? [logged({ artifact: { name: "recompile_reasons", encoding: "json" }, ...of }, JSON.stringify(recompiled))] : []),
    ...(code === null ? [] : [logged({ inductor_output_code: { filename: "/tmp/c.py" }, ...of }, code)]),
    logged({ compilation_metrics: { co_name: name, co_filename: "/srv/models/model.py", co_firstlineno: line, cache_size: version, dynamo_cumulative_compile_time_us: seconds * 1e6, ...metrics }, ...of }),
  ].join("");
}
