// Writes XSpace messages (XPlane profiles) byte by byte.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

/** A message of `[field, value]`: a number or BigInt, a text, or the bytes of another message. */
export function message(...fields) {
  return Buffer.concat(
    fields.flatMap(([field, value]) => {
      if (typeof value === "number" || typeof value === "bigint") return [varint(field << 3), varint(value)];
      const bytes = Buffer.from(value);
      return [varint((field << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

const entry = (id, name) => message([1, id], [2, message([1, id], [2, name])]);
const stat = (id, value) => [4, message([1, id], [typeof value === "number" ? 4 : 5, value])];

/** A profile of one GPU with a kernel that the host launched, a copy, and a step that XProf derived. Times in ps. */
export function smallXspace({ extra = [] } = {}) {
  const stream = message(
    [1, 7], [2, "Stream #7(Compute)"], [3, 1000],
    [4, message([1, 1], [2, 2_000_000], [3, 5_000_400], stat(1, 42), stat(2, "regs:12"))],
    [4, message([1, 2], [2, 9_000_000], [3, 1_000_000], stat(1, 43), stat(3, "kind_src:host size:4096 dest:0 async:1"))],
  );
  const derived = message([1, -559038737], [2, "Steps"], [3, 1000], [4, message([1, 3], [2, 2_000_000], [3, 8_000_000])]);
  const device = message(
    [1, 0], [2, "/device:GPU:0"], [3, stream], [3, derived],
    [4, entry(1, "fusion_kernel")], [4, entry(2, "MemcpyH2D")], [4, entry(3, "7")],
    [5, entry(1, "correlation_id")], [5, entry(2, "kernel_details")], [5, entry(3, "memcpy_details")],
  );
  const thread = message([1, 99], [2, "main/99"], [3, 1000], [4, message([1, 1], [3, 1_000_000], stat(1, 42))]);
  const host = message([1, 0], [2, "/host:CPU"], [3, thread], [4, entry(1, "cuLaunchKernel")], [5, entry(1, "correlation_id")]);
  const environment = message([2, "Task Environment"], [6, message([1, 1], [3, 1_700_000_000_000_000_000n])], [5, entry(1, "profile_start_time")]);
  return message([1, device], [1, host], [1, environment], ...extra);
}

/** The plane of metadata with one module, in which `fusion.1` adds; `ids`: what the process counted from. */
export function hloPlane({ program = 15, ids = 100, source = true } = {}) {
  const shape = message([2, 11], [3, 8], [3, 16], [5, message([1, 1], [1, 0])]);
  const where = source ? [[15, 2]] : [];
  const signature = (name) => message([1, shape], [2, shape], [3, name]);
  const parameter = (id, name) => message([1, name], [2, "parameter"], [3, shape], [35, id], [9, 0]);
  const fused = message(
    [1, "fused_computation"], [2, parameter(ids, "param_0")],
    [2, message([1, "add.0"], [2, "add"], [3, shape], [35, ids + 1], [36, ids], [36, ids])],
    [4, signature("param_0")], [5, ids + 1], [6, ids + 1],
  );
  const main = message(
    [1, "main.4"], [2, parameter(ids + 2, "Arg_0.1")],
    [2, message([1, "fusion.1"], [2, "fusion"], [3, shape], [7, message([1, "aten__add"], [2, "jit(step)/add"], ...where)], [11, "kLoop"], [35, ids + 3], [36, ids + 2], [38, ids + 1])],
    [4, signature("Arg_0.1")], [5, ids + 3], [6, ids + 3],
  );
  const frames = message(
    [1, "/srv/model.py"], [1, "/srv/main.py"], [2, "forward"], [2, "<module>"],
    [3, message([1, 2], [2, 2], [3, 7])], [3, message([1, 1], [2, 1], [3, 42])],
    [4, message([1, 1])], [4, message([1, 2], [2, 1])],
  );
  const module = message([1, "jit_step"], [2, "main.4"], [3, fused], [3, main], [4, signature("Arg_0.1")], [5, ids], [6, ids + 3], ...(source ? [[17, frames]] : []));
  const kind = message([1, program], [2, `jit_step(${program})`], [5, message([1, 1], [6, message([1, module])])]);
  return message([2, "/host:metadata"], [4, message([1, program], [2, kind])], [5, entry(1, "Hlo Proto")]);
}

/** A profile of a kernel that executes an instruction of HLO, and one of an instruction that the module lacks. */
export function hloXspace({ program = 15, hlo = hloPlane({ program }), begin = 1000 } = {}) {
  const named = (op) => [[4, message([1, 1], [5, op])], [4, message([1, 2], [5, "jit_step"])], [4, message([1, 3], [4, program])]];
  const stream = message(
    [1, 7], [2, "Stream #7(Compute)"], [3, begin],
    [4, message([1, 1], [2, 0], [3, 5_000_000], ...named("fusion.1"))], [4, message([1, 1], [2, 9_000_000], [3, 1_000_000], ...named("gone.2"))],
  );
  const device = message([1, 0], [2, "/device:GPU:0"], [3, stream], [4, entry(1, "loop_add_fusion")], [5, entry(1, "hlo_op")], [5, entry(2, "hlo_module")], [5, entry(3, "program_id")]);
  return message([1, device], ...(hlo ? [[1, hlo]] : []));
}

/** A GPU with two runs of a module, each of two operators of one scope. */
export function scopedXspace() {
  const kernel = (begin, op, framework) => [4, message([1, 1], [2, begin * 1000], [3, 2_000_000], stat(1, op), stat(2, "jit_step"), stat(3, 15), stat(4, framework), stat(5, "model.py:3"))];
  const stream = message([1, 7], [2, "Stream #7(Compute)"], [3, 1000], ...[0, 100_000].flatMap((at) => [kernel(at + 1000, "dot.1", "jit(step)/layer/dot:"), kernel(at + 4000, "add.2", "jit(step)/layer/add:")]));
  const names = ["hlo_op", "hlo_module", "program_id", "tf_op", "source"].map((name, at) => [5, entry(at + 1, name)]);
  return message([1, message([1, 0], [2, "/device:GPU:0"], [3, stream], [4, entry(1, "kernel")], ...names)]);
}

/** Puts a profile into an output directory where the runner leaves it, of a result that is not there. Returns the directory. */
export function writeProfile(folder, bytes, name = "localhost_9012.xplane.pb") {
  const place = join(folder, "alpha/xla-profile/xplane-cuda-openxla-False-eval-None-PJRT-None-alpha/plugins/profile/2026_01_02_03_04_05");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), bytes);
  return folder;
}
