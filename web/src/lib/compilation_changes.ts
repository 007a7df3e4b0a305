// Differences of compilations between two nights, in words.
import type { CompilationChange } from "../api/types";
import { place, resumed } from "./compilations";
import { capital } from "./words";

export const KIND_WORDS: Record<CompilationChange["kind"], string> = {
  failure: "failure",
  graph_break: "graph break",
  recompilation: "recompilation",
  frame: "frame",
  graph: "graph",
  code: "generated code",
  cache: "cache",
  restart: "restart",
  time: "time of a phase",
};

/** "new", "slower", "more": which way it changed. */
export function howWords(one: Pick<CompilationChange, "kind" | "change" | "before" | "after">): string {
  if (one.change !== "changed") return one.change === "appeared" ? "new" : "gone";
  if (one.kind === "graph" || one.kind === "code") return "other";
  if (one.before === null || one.after === null) return "changed";
  const more = one.after > one.before;
  return one.kind === "time" ? (more ? "slower" : "faster") : more ? "more" : "fewer";
}

/** The frame with the end of its place: "forward, resumed at line 43, transformer_mini.py:43". */
export function frameWords(
  one: Pick<CompilationChange, "frame_name" | "frame_file" | "frame_line" | "compile_id_before" | "compile_id_after">,
): string {
  const behind = resumed(one.frame_name);
  const name = behind
    ? `${behind.name}, resumed at line ${behind.line}`
    : (one.frame_name ?? `not named, ${one.compile_id_after ?? one.compile_id_before ?? "?"}`);
  const file = one.frame_file?.split("/").pop() ?? null;
  return [name, place(file, behind ? null : one.frame_line)].filter(Boolean).join(", ");
}

/** More breaks, failures, recompilations and time are worse; of the rest only the reader knows. */
export function changeTone(one: Pick<CompilationChange, "kind" | "before" | "after">): "worse" | "better" | "" {
  if (
    !["failure", "graph_break", "recompilation", "restart", "time"].includes(one.kind) ||
    one.before === null ||
    one.after === null
  )
    return "";
  return one.after > one.before ? "worse" : one.after < one.before ? "better" : "";
}

/** What the answer comes to; `isPartly`: where something could not be compared. */
export function changeSentence(sentence: string | null, isPartly: boolean): string {
  if (sentence) return `${capital(sentence)}.`;
  return isPartly ? "Of what could be compared, nothing differs." : "Nothing that the logs say of compilation differs.";
}
