// Writes XSpace messages (XPlane profiles) byte by byte.

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
