import assert from "node:assert/strict";
import { test } from "node:test";
import { hloQuestion, numberedLines, slicesQuery } from "../src/lib/hlo";

const slice = (name: string, category: string, values: object | null) => ({
  name,
  category,
  arguments: values && JSON.stringify(values),
});

test("a kernel's arguments name its instruction", () => {
  const values = { hlo_op: "loop_fusion", hlo_module: "jit_f", program_id: 15, kernel_details: "regs:1" };
  assert.deepEqual(hloQuestion(slice("loop_fusion_kernel", "kernel", values)), {
    program_id: "15",
    module: "jit_f",
    op: "loop_fusion",
  });
  assert.deepEqual(hloQuestion(slice("k", "kernel", { hlo_op: "a", hlo_module: "m" })), {
    program_id: null,
    module: "m",
    op: "a",
  });
  assert.equal(hloQuestion(slice("k", "kernel", { hlo_op: "a" })), null, "of no program");
});

test("a TPU's operation is in its full name, or is its name", () => {
  const values = {
    full_name: "%copy-start.1 = (f32[2]{0}, u32[]) copy-start(f32[2]{0} %p)",
    program_id: "12190760917235803885",
  };
  assert.deepEqual(hloQuestion(slice("async-copy", "xla_async_op", values)), {
    program_id: "12190760917235803885",
    module: null,
    op: "%copy-start.1",
  });
  assert.deepEqual(hloQuestion(slice("fusion.1", "xla_op", { program_id: 3 })), {
    program_id: "3",
    module: null,
    op: "fusion.1",
  });
});

test("a module's run leads to the module", () => {
  assert.deepEqual(hloQuestion(slice("jit_f(12190760917235803885)", "xla_module", null)), {
    program_id: "12190760917235803885",
    module: "jit_f",
    op: null,
  });
  assert.deepEqual(hloQuestion(slice("jit_f", "xla_module", { program_id: 4 })), {
    program_id: "4",
    module: "jit_f",
    op: null,
  });
});

test("what executes no instruction asks for none", () => {
  assert.equal(hloQuestion(slice("aten::add", "cpu_op", { "External id": 5 })), null);
  assert.equal(hloQuestion(slice("a", "host", { program_id: 5 })), null);
  assert.equal(hloQuestion({ name: "a", category: "cpu_op", arguments: "{broken" }), null);
});

test("lines of a part of a text keep their numbers", () => {
  const text = "ab\ncd\nef\ngh\n";
  assert.deepEqual(
    numberedLines(text, 0, { line: 1, offset: 0 }).map((one) => one.line),
    [1, 2, 3, 4],
  );
  // From the middle of the first line on; the line at byte 6 is the third.
  assert.deepEqual(numberedLines(text.slice(1), 1, { line: 3, offset: 6 }), [
    { line: 2, text: "cd" },
    { line: 3, text: "ef" },
    { line: 4, text: "gh" },
  ]);
});

test("the slices of an instruction are asked for by its name and its programs, with a sign or without, else its module", () => {
  const sql = slicesQuery("fusion.1", "jit_f", ["-6255983156473747731", "15"]);
  assert.match(sql, /substr\('::' \|\| arg\(slice_id, 'hlo_op'\), -10\) = '::fusion\.1'/);
  assert.match(
    sql,
    /IN \('-6255983156473747731', '12190760917235803885', '15'\), arg\(slice_id, 'hlo_module'\) = 'jit_f'\)/,
  );
  assert.ok(slicesQuery("it's", "m", ["5"]).includes("::it''s'"));
  // As tests/integration/xplane.test.mjs asks the server.
  assert.equal(
    slicesQuery("fusion.1", "jit_step", ["15"]),
    "SELECT slice_id, track, name, begin, duration FROM slices WHERE (substr('::' || arg(slice_id, 'hlo_op'), -10) = '::fusion.1' OR (category LIKE 'xla%' AND (name = 'fusion.1' OR instr(arg(slice_id, 'full_name'), '%fusion.1 = ') = 1))) AND coalesce(CAST(arg(slice_id, 'program_id') AS TEXT) IN ('15'), arg(slice_id, 'hlo_module') = 'jit_step')",
  );
});
