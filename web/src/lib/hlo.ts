// From slices to the instructions of HLO that they execute, and back.
import { traceHref } from "./route";

/** What a slice says of the instruction: parameters of /traces/{id}/hlo-instruction. */
export type HloQuestion = { program_id: string | null; module: string | null; op: string | null };

const XLA_SLICES = new Set(["xla_op", "xla_async_op", "xla_module"]);

/** By a slice's arguments, as the file has them; null of a slice that executes none. */
export function hloQuestion(slice: { name: string; category: string; arguments: string | null }): HloQuestion | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(slice.arguments ?? "");
  } catch {
    parsed = null;
  }
  const values =
    typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : {};
  const text = (name: string): string | null => {
    const value = values[name];
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value ? value : null;
  };
  const isXla = XLA_SLICES.has(slice.category);
  const [program, module] = [text("program_id"), text("hlo_module")];
  if (slice.category === "xla_module") {
    // "jit_f(12190760917235803885)"
    const named = /^(.*)\((-?\d+)\)$/.exec(slice.name);
    return { program_id: program ?? named?.[2] ?? null, module: module ?? named?.[1] ?? slice.name, op: null };
  }
  // A TPU's operations have the text of the instruction as their full name.
  const full = text("full_name") ?? slice.name;
  const op = text("hlo_op") ?? (isXla ? (/^%\S+ = /.exec(full)?.[0].slice(0, -3) ?? slice.name) : null);
  if (op === null || (!isXla && program === null && module === null)) return null;
  return { program_id: program, module, op };
}

/** The slices of a trace that execute an instruction of a module, which runs there as these programs: a question to its tables, since a GPU's kernels have names of their own and the instruction's in their arguments. A slice that names no program is of the module that it names. */
export function slicesQuery(instruction: string, module: string, programs: readonly string[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  // Arguments have the number with a sign or without.
  const numbers = programs.flatMap((program) => [program, BigInt.asUintN(64, BigInt(program)).toString()]);
  return [
    "SELECT slice_id, track, name, begin, duration FROM slices",
    // "a::b" is b. Arguments are asked for as seldom as can be: each takes its time.
    `WHERE (substr('::' || arg(slice_id, 'hlo_op'), ${-instruction.length - 2}) = ${quoted(`::${instruction}`)}`,
    `OR (category LIKE 'xla%' AND (name = ${quoted(instruction)} OR instr(arg(slice_id, 'full_name'), ${quoted(`%${instruction} = `)}) = 1)))`,
    `AND coalesce(CAST(arg(slice_id, 'program_id') AS TEXT) IN (${[...new Set(numbers)].map(quoted).join(", ")}), arg(slice_id, 'hlo_module') = ${quoted(module)})`,
  ].join(" ");
}

/** The timeline with their list. */
export const slicesHref = (trace: number, ...asked: Parameters<typeof slicesQuery>): string =>
  traceHref(trace, { tab: "query", sql: slicesQuery(...asked) });

/** Lines of a part of a text that begins at the byte `from`: whole ones, each with its number. `anchor`: a line whose number is known; texts of HLO are ASCII. */
export function numberedLines(
  text: string,
  from: number,
  anchor: { line: number; offset: number },
): { line: number; text: string }[] {
  const lines = text.split("\n");
  const before = text.slice(0, Math.max(0, anchor.offset - from)).split("\n").length - 1;
  const first = anchor.line - before;
  const whole = lines.map((one, index) => ({ line: first + index, text: one }));
  if (from > 0) whole.shift();
  if (whole.at(-1)?.text === "") whole.pop();
  return whole;
}
