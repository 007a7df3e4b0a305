import assert from "node:assert/strict";
import { test } from "node:test";
import type { Compilation } from "../src/api/types";
import {
  cacheWords,
  compilationsSentence,
  compileId,
  isRecompilation,
  logName,
  nothingCompiled,
  occurrence,
  place,
  regionRuns,
  resumed,
  stackTree,
  stacksCsv,
  stacksOf,
} from "../src/lib/compilations";

const compilation = (more: Partial<Compilation>): Compilation => ({
  ordinal: 0,
  compile_id: "0/0",
  occurrence: 1,
  attempt: 0,
  line: 1,
  logged_at: "12-06 15:20:13.926",
  frame_name: "forward",
  frame_file: "/m.py",
  frame_line: 3,
  seconds: 1,
  restart_seconds: 0,
  guard_count: null,
  shape_guard_count: null,
  op_count: null,
  node_count: null,
  input_count: null,
  cache_size: null,
  fail_type: null,
  fail_reason: null,
  fail_file: null,
  fail_line: null,
  stack: [],
  phases: [],
  restarts: [],
  graph_breaks: [],
  recompiles: [],
  caches: [],
  outputs: [],
  output_count: 0,
  ...more,
});
const frame = (name: string, line: number) => ({ file: "/m.py", line, name, code: null });

test("a compile id names the last attempt where there was more than one", () => {
  assert.equal(compileId(compilation({})), "[0/0]");
  assert.equal(compileId(compilation({ compile_id: "!1/2/3", attempt: 2 })), "[!1/2/3_2]");
  assert.deepEqual([place("/m.py", 3), place("/m.py", null), place(null, 3)], ["/m.py:3", "/m.py", ""]);
});

test("an id that comes again says which occurrence it is", () => {
  assert.equal(occurrence(compilation({})), "");
  assert.equal(occurrence(compilation({ occurrence: 2 })), "occurrence 2 of this id in the log");
});

test("that nothing was compiled is said only where all of a log could be read", () => {
  assert.equal(nothingCompiled({ problem_count: 0 }), "Nothing was compiled.");
  assert.equal(nothingCompiled({ problem_count: 1 }), "No compilation could be read.");
});

test("frames behind graph breaks are known by their name", () => {
  assert.deepEqual(resumed("torch_dynamo_resume_in_fn_at_9551"), { name: "fn", line: 9551 });
  assert.deepEqual(resumed("torch_dynamo_resume_in_a_at_1_at_2"), { name: "a_at_1", line: 2 });
  assert.deepEqual([resumed("fn"), resumed(null)], [null, null]);
});

test("the sentence counts failures, recompilations, restarts and resumed frames", () => {
  const items = [
    compilation({ attempt: 2 }),
    compilation({ compile_id: "0/10", fail_type: "E" }),
    compilation({ compile_id: "1/0", frame_name: "torch_dynamo_resume_in_f_at_4" }),
  ];
  assert.equal(
    compilationsSentence(items, 3),
    "3 compilations: 1 failure, 1 recompilation, 2 restarts, 1 frame resumed behind a graph break.",
  );
  assert.equal(compilationsSentence([compilation({})], 1), "1 compilation: no failure, recompilation or restart.");
  assert.deepEqual(
    [logName("m/torch-trace-x/dedicated_log_torch_trace_rank_0_ab.log"), logName("a/b.log")],
    ["rank_0_ab", "b.log"],
  );
  assert.match(compilationsSentence(items, 5000), /^Of 5,000 compilations the first 3: /);
  assert.deepEqual(
    [isRecompilation(compilation({ compile_id: "10/0" })), isRecompilation(compilation({ recompiles: ["why"] }))],
    [false, true],
  );
});

test("each cache is named once with its outcomes", () => {
  const use = (cache: string, outcome: "hit" | "miss" | "bypass") => ({ cache, outcome, reason: "" });
  assert.equal(
    cacheWords([use("fx_graph", "miss"), use("fx_graph", "hit"), use("fx_graph", "hit"), use("aotautograd", "bypass")]),
    "fx_graph: miss and hit, aotautograd: bypass",
  );
  assert.equal(cacheWords([]), "");
});

test("stacks are laid over each other, and chains that lead to one frame are one node", () => {
  const stack = [frame("<module>", 1), frame("run", 2)];
  const a = compilation({ ordinal: 0, stack: [...stack, frame("f", 3)] });
  const b = compilation({ ordinal: 1, stack: [...stack, frame("g", 4), frame("h", 5)] });
  const c = compilation({ ordinal: 2, stack: [...stack, frame("f", 3), frame("k", 6)] });
  const nodes = stackTree([a, b, c, compilation({ ordinal: 3 })]);
  assert.deepEqual(
    nodes.map((node) => [node.name, node.depth, node.parent, node.own.map((one) => one.ordinal), node.all]),
    [
      ["run (/m.py:2)", 0, null, [], 3],
      ["f (/m.py:3)", 1, 0, [0], 2],
      ["k (/m.py:6)", 2, 1, [2], 1],
      ["h (/m.py:5)", 1, 0, [1], 1],
    ],
  );
  assert.deepEqual(stackTree([]), []);
  assert.equal(stacksOf(3, 3), "");
  assert.equal(stacksOf(1000, 2500), "of the first 1,000 of 2,500 compilations");
});

test("the CSV of stacks has a row per frame in the order of the log; a formula is none", () => {
  const first = compilation({ stack: [frame("=run()", 2), { file: "", line: null, name: "f", code: 'a, "b"' }] });
  const again = compilation({ ordinal: 2, occurrence: 2, stack: [frame("g", 4)] });
  assert.equal(
    stacksCsv([first, compilation({ ordinal: 1 }), again]),
    "ordinal,compile_id,occurrence,logged_at,depth,name,file,line,code\r\n" +
      "0,0/0,1,12-06 15:20:13.926,0,'=run(),/m.py,2,\r\n" +
      '0,0/0,1,12-06 15:20:13.926,1,f,,,"a, ""b"""\r\n' +
      "2,0/0,2,12-06 15:20:13.926,0,g,/m.py,4,\r\n",
  );
});

test("regions of a trace are those of the compile id, unless the id or the trace does not tell", () => {
  const executed = { count: 3, total_ns: 30, mean_ns: 10, min_ns: 9, max_ns: 11 };
  const frame = {
    frame: "0",
    executions: 3,
    recompiles: 0,
    compilations_ever: 1,
    versions: [{ id: "0/0", executed, compiled: executed }],
    versions_left_out: 0,
  };
  const ids = ["0/0", "1/0"].map((compile_id) => ({ compile_id }));
  const runs = regionRuns(ids, { frames: [frame], frames_left_out: 0 });
  assert.deepEqual(runs?.get("0/0"), { executed });
  assert.deepEqual(runs?.get("1/0"), { unknown: "no region of this id ran in the trace" });
  assert.deepEqual(regionRuns(ids, { frames: [frame], frames_left_out: 1 })?.get("1/0"), {
    unknown: "the trace has more regions than its report lists",
  });
  assert.match(
    JSON.stringify(regionRuns([...ids, { compile_id: "0/0" }], { frames: [frame], frames_left_out: 0 })?.get("0/0")),
    /2 times/,
  );
  assert.equal(regionRuns(ids, { frames: [], frames_left_out: 0 }), null);
  assert.equal(regionRuns(ids, null), null);
});
