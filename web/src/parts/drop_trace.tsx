// A trace file that is dropped on the page, or chosen, opens at once: the server keeps it for a limited time, for the person who dropped it alone.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, announceChange, asApiError, ask, send } from "../api/client";
import type { components } from "../api/openapi";
import { useApi } from "../api/use";
import { announce } from "../lib/announce";
import { bytes, plural } from "../lib/format";
import { go, traceHref } from "../lib/route";
import { useSignIn } from "./session";

type Schemas = components["schemas"];
export type Dropped = Schemas["DroppedTrace"];
type DroppedList = Schemas["DroppedTraces"];
const DROPPED = address("/dropped-traces");
const HOUR = 3600;

export const useDropped = (): Dropped[] => useApi(DROPPED).data?.items ?? [];

/** How a file says that it is packed: the server unpacks what says so. */
async function typeOf(file: File): Promise<string> {
  const [a, b, c, d] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (a === 0x1f && b === 0x8b) return "application/gzip";
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? "application/zstd" : "application/octet-stream";
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

type State = { words: ComponentChildren; isWork: boolean } | null;

/** A button that opens a file, and the whole page as a place to drop one on. */
export function OpenTrace() {
  const [state, setState] = useState<State>(null);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const flight = useRef<AbortController | null>(null);
  const signIn = useSignIn();
  const say = (words: ComponentChildren): void => setState({ words, isWork: false });

  const refusalOf = ({ refusal, limits }: DroppedList, file: File): ComponentChildren | null => {
    if (refusal === "read_only")
      return (
        <>
          This server is read-only: it may not write to its store, so no trace can be opened here.{" "}
          <code>benchhud trace view FILE</code> opens one on your own machine.
        </>
      );
    if (refusal === "no_token")
      return (
        <>
          <a href={signIn}>Sign in</a> to open a trace here: the server keeps it for you for{" "}
          {plural(Math.round(limits.seconds / HOUR), "hour")}.
        </>
      );
    if (refusal === "other_scope")
      return (
        <>
          Your token lacks the scope <em>triage</em>, which opening a trace needs.{" "}
          <a href={signIn}>Sign in with another token</a>
        </>
      );
    return file.size > limits.bytes
      ? `${file.name} has ${bytes(file.size)}; ${bytes(limits.bytes)} may be dropped.`
      : null;
  };
  const open = async (file: File): Promise<void> => {
    flight.current?.abort();
    const controller = new AbortController();
    flight.current = controller;
    try {
      const refusal = refusalOf((await ask(DROPPED, controller.signal)).data, file);
      if (refusal) return say(refusal);
      setState({ words: `Sending and reading ${file.name}, ${bytes(file.size)} …`, isWork: true });
      const url = address("/dropped-traces", { name: file.name });
      const { id } = await send(url, file, await typeOf(file), controller.signal);
      setState(null);
      announceChange();
      go(traceHref(id));
      announce(`${file.name} is open`);
    } catch (problem) {
      if (controller.signal.aborted) return;
      say(wordsOf(asApiError(problem, DROPPED), file));
    }
  };

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 1) say(`These are ${files.length} files: one at a time is opened.`);
      else if (files[0]) void open(files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  });
  useEffect(() => () => flight.current?.abort(), []);

  return (
    <>
      <button
        type="button"
        class="link open-trace"
        title="Open a trace file for a limited time; or drop it anywhere on the page"
        onClick={() => input.current?.click()}
      >
        open a file
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="A trace file to open"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) void open(file);
        }}
      />
      {isOver && <div class="drop-over">Drop a trace to open it</div>}
      {/* Screen readers tell only what changes in a region that was there before. */}
      <div class={state ? "drop-state" : "sr"}>
        <p role="status">{state?.words}</p>
        {state && (
          <button
            type="button"
            class="button"
            onClick={() => {
              flight.current?.abort();
              setState(null);
            }}
          >
            {state.isWork ? "Cancel" : "Close"}
          </button>
        )}
      </div>
    </>
  );
}

const wordsOf = (error: ApiError, file: File): string => `${file.name} could not be opened: ${error.message}`;
