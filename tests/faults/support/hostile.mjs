// Lines of results.jsonl and traces that no runner writes: as large in memory as their bytes allow.
import { closeSync, openSync, writeSync } from "node:fs";

const HEAD = (model, timestamp) =>
  `{"model": {"suite_name": "torchbench", "model_name": "${model}"}, "experiment": {"accelerator": "cuda", "accelerator_model": "A", "xla": null, "dynamo": "inductor", "test": "eval", "batch_size": 1}, "timestamp": ${timestamp}`;
const TAIL = ', "verification_code": "VERIFIER_SKIPPED"}\n';

/** What a line's members are filled with: `text(i)` again and again, between `open` and `close`. `fate`: accepted or rejected, where it is long. */
export const FILLINGS = {
  "error text": { open: ', "metrics": {"error": "', text: () => "RuntimeError: something at 0x7f00deadbeef went wrong once again\\n", close: '"}', fate: "accepted" },
  "escaped error text": { open: ', "metrics": {"error": "', text: () => "\\u00e9\\ud800\\n", close: '"}', fate: "accepted" },
  samples: { open: ', "metrics": {"total_time": [0.5', text: (i) => `, ${0.05 + 1 / (i + 7)}`, close: "]}", fate: "accepted" },
  "samples of one digit": { open: ', "metrics": {"total_time": [1', text: () => ",2,1,3", close: "]}", fate: "rejected" },
  "samples of a metric without a column": { open: ', "metrics": {"counts": [1', text: () => ",2,1,3", close: "]}", fate: "rejected" },
  "arrays of a thousand samples": { open: ', "metrics": {"first": [1]', text: (i) => `,"m${i}":[1${",2".repeat(999)}]`, close: "}", fate: "rejected" },
  "empty arrays in an array": { open: ', "metrics": {"nested": [[]', text: () => ",[],[]", close: "]}", fate: "accepted" },
  "objects in an array": { open: ', "metrics": {"nested": [{}', text: () => ',{"a":1},{}', close: "]}", fate: "accepted" },
  "doubles in an object": { open: ', "metrics": {"nested": {"a":1', text: () => ',"b":1E5', close: "}}", fate: "accepted" },
  "literals of Python": { open: ', "metrics": {"nested": {"a":[NaN', text: () => ",NaN,Infinity,1e999", close: "]}}", fate: "accepted" },
  "a member that is not known": { open: ', "metrics": {}, "other": [1', text: () => ',{},"a"', close: "]", fate: "accepted" },
  "metrics of a digit": { open: ', "metrics": {"first":1', text: (i) => `,"m${i}":1`, close: "}", fate: "rejected" },
  "metrics of eight samples": { open: ', "metrics": {"first":1', text: (i) => `,"metric_${i}": [${Array(8).fill(0.123456 + i).join(", ")}]`, close: "}", fate: "rejected" },
  "a long name": { open: ', "metrics": {"first', text: () => "_and_on_and_on", close: '":1}', fate: "rejected" },
  "a deep nest": { open: ', "metrics": {"first":', text: () => "[", close: "", fate: "rejected" },
  "a configuration of many keys": { open: ', "metrics": {}, "experiment": {"accelerator": "cuda", "test": "eval"', text: (i) => `,"k${i}":1`, close: "}", fate: "rejected" },
  "members that are not known": { open: ', "metrics": {}', text: (i) => `,"k${i}":1`, close: "", fate: "rejected" },
  "no JSON": { open: ', "metrics": {"first":', text: () => "?", close: "", fate: "rejected" },
};

/** Writes `lines` of about `bytes` bytes each to `path`, each between two short good ones. */
export function writeHostileLines(path, filling, bytes, lines = 1) {
  const { open, text, close } = FILLINGS[filling];
  const file = openSync(path, "w");
  let timestamp = 1_700_000_000;
  const good = (i) => writeSync(file, `${HEAD(`good${i}`, timestamp++)}, "metrics": {"total_time": [0.5, 0.25]}${TAIL}`);
  good(0);
  for (let line = 0; line < lines; ++line) {
    writeSync(file, HEAD(`hostile${line}`, timestamp++) + open);
    let piece = "";
    for (let done = 0, i = 0; done < bytes; ++i) {
      piece += text(i);
      if (piece.length < 1 << 20 && done + piece.length < bytes) continue;
      writeSync(file, piece);
      done += piece.length;
      piece = "";
    }
    writeSync(file, close + TAIL);
    good(line + 1);
  }
  closeSync(file);
}

/** A Chrome trace of `events` events: `event(i)` each, or slices with names of `nameBytes` bytes that differ. */
export function writeTrace({ events, event, nameBytes = 0 }) {
  const name = "x".repeat(nameBytes);
  const make = event ?? ((i) => `{"ph":"X","ts":${i},"dur":1,"pid":1,"tid":1,"name":"${i}${name}"}`);
  const pieces = [];
  let piece = "[";
  for (let i = 0; i < events; ++i) {
    piece += (i ? ",\n" : "") + make(i);
    if (piece.length > 1 << 22) pieces.push(Buffer.from(piece)), (piece = "");
  }
  return Buffer.concat([...pieces, Buffer.from(piece + "]")]);
}
