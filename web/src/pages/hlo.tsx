// A module of HLO that profiles hold: what is in it, its text, an instruction, and the slices that execute it.
import { useEffect, useRef, useState } from "preact/hooks";
import { BASE, address } from "../api/address";
import { type ApiError, asApiError, askTextPiece } from "../api/client";
import type { HloModuleContent } from "../api/types";
import { useApi } from "../api/use";
import { bytes, count, plural, shown } from "../lib/format";
import { numberedLines, slicesHref } from "../lib/hlo";
import { useTitle } from "../lib/hooks";
import { hloHref, traceHref, useQuery } from "../lib/route";
import { HloNeighbours, HloSource } from "../parts/profile/hlo";
import { ModuleContent } from "../parts/profile/ir";
import { Copy, ErrorNote, Section, Waiting } from "../parts/small";

export function HloPage({ id }: { id: number }) {
  const [query] = useQuery();
  const { data, error, again } = useApi(
    address("/hlo/{id}", { id, trace: /^[1-9]\d{0,15}$/.test(query.get("trace") ?? "") ? query.get("trace") : null }),
  );
  const line = /^[1-9]\d{0,9}$/.test(query.get("line") ?? "") ? Number(query.get("line")) : null;
  useTitle(data ? `HLO ${data.name}` : "HLO");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={10} />;
  // The trace that somebody came from stands first.
  const first = data.profiles[0];
  const from = first
    ? {
        trace: first.trace_id,
        module: data.name,
        programs: data.profiles.filter((one) => one.trace_id === first.trace_id).map((one) => one.program_id),
      }
    : null;
  const module = data.ir_modules[0];
  const place = { id, length: data.byte_count, from };
  return (
    <div class="profile">
      <header class="page-head">
        <div class="kicker">
          <span>HLO module</span>
          <span>{bytes(data.byte_count)} of text</span>
        </div>
        <h1>
          <span class="mono">{shown(data.name)}</span>: in {plural(data.profile_count, "profile")}
          {module
            ? `, ${plural(module.instruction_count, "instruction")} in ${plural(module.computation_count, "computation")}`
            : ""}
          .
        </h1>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <Profiles content={data} />
      {data.source_absence !== null && <p class="quiet note">{data.source_absence}</p>}
      {line === null ? <ModuleText {...place} chosen={null} /> : <Line key={line} {...place} line={line} />}
      {module && (
        <Section id="content" title="What is in it">
          <ModuleContent module={module} />
        </Section>
      )}
    </div>
  );
}

const MOST_PROFILES = 20;

function Profiles({ content }: { content: HloModuleContent }) {
  const { profiles, profile_count } = content;
  return (
    <dl class="facts">
      <dt>Held by</dt>
      <dd>
        <ul class="owners">
          {profiles.slice(0, MOST_PROFILES).map((one) => (
            <li key={`${one.trace_id} ${one.program_id}`}>
              <a href={traceHref(one.trace_id)}>trace {one.trace_id}</a>
              <span class="quiet">program {one.program_id}</span>
            </li>
          ))}
          {profile_count > MOST_PROFILES && <li class="quiet">and {count(profile_count - MOST_PROFILES)} more</li>}
        </ul>
      </dd>
    </dl>
  );
}

/** `from`: the trace that somebody came from, else the newest that holds the module, and the module's programs there. */
type Place = { id: number; length: number; from: { trace: number; module: string; programs: string[] } | null };

const lineHref = ({ id, from }: Pick<Place, "id" | "from">, line: number): string =>
  hloHref(id, { line: String(line), trace: from && String(from.trace) });

/** The text with a line that somebody chose, and what is known of the instruction on it. */
function Line({ line, ...place }: Place & { line: number }) {
  const { data, error, again } = useApi(address("/hlo/{id}/instruction", { id: place.id, line: String(line) }));
  if (!data && !error) return <Waiting rows={6} />;
  if (!data) {
    return (
      <>
        {error?.problem.status === 400 ? (
          <p class="quiet">The text has no line {count(line)}.</p>
        ) : (
          error && <ErrorNote error={error} again={again} />
        )}
        <ModuleText {...place} chosen={null} />
      </>
    );
  }
  const { instruction } = data;
  if (!instruction) return <ModuleText {...place} chosen={data} />;
  return (
    <>
      <Section
        id="instruction"
        title={shown(instruction.name)}
        note={`${instruction.opcode} in ${shown(instruction.computation)}, line ${data.line}`}
      >
        <dl class="facts trace-arguments">
          <dt>Type</dt>
          <dd class="mono">{shown(instruction.type)}</dd>
          <HloSource instruction={instruction} />
          <HloNeighbours instruction={instruction} lineHref={(to) => lineHref(place, to)} />
          {place.from && (
            <>
              <dt>Slices</dt>
              <dd>
                <a href={slicesHref(place.from.trace, instruction.name, place.from.module, place.from.programs)}>
                  those that execute it, in the timeline
                </a>
              </dd>
            </>
          )}
          <dt>Instruction</dt>
          <dd class="mono">
            <Copy text={instruction.text} />
          </dd>
        </dl>
      </Section>
      <ModuleText {...place} chosen={data} />
    </>
  );
}

const PIECE = 64 * 1024;
const BEFORE = 8 * 1024;

/** The text around the chosen line, or its beginning; more of it when asked. */
function ModuleText({ id, length, from, chosen }: Place & { chosen: { line: number; offset: number } | null }) {
  const url = `${BASE}/hlo/${id}/text`;
  const anchor = chosen ?? { line: 1, offset: 0 };
  const begin = Math.max(0, anchor.offset - BEFORE);
  const [part, setPart] = useState({ from: begin, text: "" });
  const [error, setError] = useState<ApiError | null>(null);
  const [wanted, setWanted] = useState({ from: begin, to: Math.min(length, begin + PIECE) });
  const chosenLine = useRef<HTMLElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    askTextPiece(url, wanted.from, Math.max(1, wanted.to - wanted.from), controller.signal)
      .then((text) => {
        setPart({ from: wanted.from, text });
        setError(null);
      })
      .catch((problem) => {
        if (!controller.signal.aborted) setError(asApiError(problem, url));
      });
    return () => controller.abort();
  }, [url, wanted]);
  const isThere = part.text !== "";
  useEffect(() => chosenLine.current?.scrollIntoView({ block: "center" }), [isThere]);
  if (error) return <ErrorNote error={error} again={() => setWanted({ ...wanted })} kept={isThere} />;
  if (!isThere) return <Waiting rows={8} />;
  return (
    <Section id="text" title="Text" note={`${bytes(wanted.to - wanted.from)} of ${bytes(length)}`}>
      <div class="text-view">
        {wanted.from > 0 && (
          <button
            type="button"
            class="button"
            onClick={() => setWanted({ from: Math.max(0, wanted.from - PIECE), to: wanted.to })}
          >
            Show what is before
          </button>
        )}
        <pre tabIndex={0} role="region" aria-label="Text of the module" class="hlo-lines">
          {numberedLines(part.text, part.from, anchor).map((one) => (
            <span
              key={one.line}
              class={one.line === chosen?.line ? "hlo-line chosen" : "hlo-line"}
              ref={one.line === chosen?.line ? chosenLine : undefined}
            >
              <a
                class="hlo-number"
                href={lineHref({ id, from }, one.line)}
                aria-label={`Line ${one.line}`}
                aria-current={one.line === chosen?.line ? "true" : undefined}
              >
                {one.line}
              </a>
              {one.text}
              {"\n"}
            </span>
          ))}
        </pre>
        <p class="note">
          {wanted.to < length && (
            <button
              type="button"
              class="button"
              onClick={() => setWanted({ from: wanted.from, to: Math.min(length, wanted.to + PIECE) })}
            >
              Show more
            </button>
          )}{" "}
          <a href={url} target="_blank" rel="noopener">
            whole text
          </a>
        </p>
      </div>
    </Section>
  );
}
