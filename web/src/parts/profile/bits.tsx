// What several sections of a profile are made of: bars, amounts, a dump being fetched, a note of what could not be read.
import type { ComponentChildren } from "preact";
import { address } from "../../api/address";
import type { ApiError } from "../../api/client";
import { contentUrl } from "../../api/contents";
import { PER_PAGE } from "../../api/pages";
import type { Artifact, ArtifactContent } from "../../api/types";
import { useApi } from "../../api/use";
import { full, hoverText, plural, shown } from "../../lib/format";
import { amount, kindName, whichDump } from "../../lib/profile";
import { artifactHref, traceHref } from "../../lib/route";
import { ErrorNote, Waiting } from "../small";

/** A part of a whole, drawn; `share` of 1. What is more than the whole fills it and says so. */
export function ShareBar({ share, width = 72, label }: { share: number; width?: number; label?: string }) {
  const part = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  return (
    <span
      class={`share-bar${share > 1 ? " over" : ""}`}
      style={{ width: `${width}px` }}
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <span style={{ width: `${part > 0 ? Math.max(1, part * width) : 0}px` }} />
    </span>
  );
}

/** A change drawn from the middle: what grew to the right, what shrank to the left. `part` from −1 to 1. */
export function ChangeBar({ part, tone = "", width = 96 }: { part: number; tone?: string; width?: number }) {
  const half = width / 2;
  const long = Math.min(half, Math.max(part === 0 ? 0 : 1, Math.abs(part) * half));
  return (
    <svg class={`change-bar ${tone}`} width={width} height="14" aria-hidden="true">
      <rect x={part < 0 ? half - long : half} y="3" width={long} height="8" />
      <line x1={half} y1="0" x2={half} y2="14" />
    </svg>
  );
}

/** An amount with its unit; the number as it was sent on hover. */
export function Amount({ value, unit }: { value: number; unit: "ns" | "bytes" | "count" | "number" }) {
  return (
    <span class="num" title={`${full(value)}${unit === "count" || unit === "number" ? "" : " " + unit}`}>
      {amount(value, unit)}
    </span>
  );
}

/** A name that a dump holds: any text, of any length. */
export function Name({ text, title }: { text: string; title?: string }) {
  return (
    <span class="mono clip" title={hoverText(title ?? text)}>
      {shown(text)}
    </span>
  );
}

/** The iterations of a stored trace, each with its parts. */
export function IterationsCsv({ trace }: { trace: number }) {
  return (
    <p class="note">
      <a
        href={address("/traces/{id}/iterations", { id: trace, limit: PER_PAGE, format: "csv" })}
        download="iterations.csv"
      >
        Each iteration with its parts, as CSV
      </a>
    </p>
  );
}

/** Fetches what is in a dump, and shows it once it is here. */
export function WithContent({
  artifact,
  children,
}: {
  artifact: Artifact;
  children: (content: ArtifactContent) => ComponentChildren;
}) {
  const { data, error, again, late } = useApi(contentUrl(artifact.id));
  if (error && !data) return <ErrorNote error={error} again={again} />;
  if (!data) return <Waiting rows={5} />;
  return (
    <div class={late ? "late" : ""}>
      <ProblemsNote content={data} />
      {children(data)}
    </div>
  );
}

/** What could not be read in a dump: the rest is shown all the same. */
export function ProblemsNote({ content }: { content: ArtifactContent }) {
  const { artifact, problems } = content;
  if (artifact.unreadable !== null) return <p class="warn">Nothing could be read of it: {artifact.unreadable}</p>;
  if (!problems.length && !artifact.problem_count) return null;
  return (
    <details class="nested dump-problems">
      <summary class="warn">
        {plural(Math.max(problems.length, artifact.problem_count), "part")} of this {kindName(artifact.kind)} could not
        be read; the rest is shown.
      </summary>
      <ul class="lines">
        {problems.slice(0, 100).map((problem, index) => (
          <li key={index}>
            line {problem.line}: {problem.reason}
          </li>
        ))}
        {problems.length > 100 && <li class="quiet">and {problems.length - 100} more</li>}
      </ul>
    </details>
  );
}

/** Which file a section tells of. */
export function From({ artifact }: { artifact: Artifact }) {
  return (
    <>
      <a href={artifactHref(artifact)} title={artifact.name}>
        {whichDump(artifact)}
      </a>
      {artifact.trace_id !== null && (
        <>
          {" "}
          (<a href={traceHref(artifact.trace_id)}>timeline</a>)
        </>
      )}
    </>
  );
}

/** What a page would say, had its address answered. */
export function NotKnown({ what, error, again }: { what: string; error: ApiError; again?: () => void }) {
  return (
    <p class="warn">
      Not known: {what}. {error.problem.title}
      {error.problem.status > 0 ? ` (${error.problem.status})` : ""}.{" "}
      {again && (
        <button type="button" class="button" onClick={again}>
          Ask again
        </button>
      )}
    </p>
  );
}
