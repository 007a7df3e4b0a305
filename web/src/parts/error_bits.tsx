// What pages of errors share: signs of kinds, counts over runs, nights of an experiment, the whole text.
import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, asApiError, askText } from "../api/client";
import type { RunRef } from "../api/types";
import { NIGHTS, errorSign } from "../lib/errors";
import { count, date, plural } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { Copy } from "./small";

export function KindSign({ kind }: { kind: string }) {
  const { glyph, word, meaning } = errorSign(kind);
  return (
    <span class={`error-kind error-${kind}`} title={meaning}>
      <span class="error-glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}

/** A few runs do not fill the page. */
const WIDEST_BAR = 28;

/** A bar a run, as high as experiments have the error; a hollow mark where nothing could show it. */
export function CountBars({
  runs,
  counts,
  onPick,
}: {
  runs: RunRef[];
  counts: (number | null)[];
  onPick: (run: RunRef) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number | null>(null);
  const height = 96;
  const most = Math.max(1, ...counts.map((n) => n ?? 0));
  const step = Math.min(WIDEST_BAR, runs.length ? width / runs.length : width);
  const said = (index: number): string => {
    const n = counts[index];
    return `${date((runs[index] as RunRef).started_at)}: ${n === null || n === undefined ? "not tried" : plural(n, "experiment")}`;
  };
  const known = counts.filter((n): n is number => n !== null);
  const summary = `Experiments with this error over ${plural(runs.length, "run")}: at most ${count(most)}, in ${plural(known.filter((n) => n > 0).length, "run")}`;
  const first = runs[0];
  const last = runs[runs.length - 1];
  return (
    <figure class="count-bars" style={{ maxWidth: `${Math.max(480, runs.length * WIDEST_BAR)}px` }}>
      <div
        ref={box}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${summary}. Arrow keys go from run to run, Enter opens one.`}
        aria-valuemin={1}
        aria-valuemax={runs.length}
        aria-valuenow={(at ?? runs.length - 1) + 1}
        aria-valuetext={runs.length ? said(at ?? runs.length - 1) : undefined}
        onKeyDown={(event) => {
          const now = at ?? runs.length - 1;
          const moves: Record<string, number> = {
            ArrowLeft: Math.max(0, now - 1),
            ArrowRight: Math.min(runs.length - 1, now + 1),
            Home: 0,
            End: runs.length - 1,
          };
          const next = moves[event.key];
          if (next !== undefined) {
            event.preventDefault();
            setAt(next);
          } else if (event.key === "Enter" && runs[now]) onPick(runs[now] as RunRef);
        }}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
      >
        <svg width={Math.max(0, width)} height={height} aria-hidden="true">
          <line class="axis" x1="0" y1={height - 0.5} x2={step * runs.length} y2={height - 0.5} />
          {width > 0 &&
            runs.map((run, index) => {
              const n = counts[index];
              const tall = n ? Math.max(2, (n / most) * (height - 14)) : 0;
              return (
                <g
                  key={run.id}
                  class={index === at ? "count-run on" : "count-run"}
                  onPointerEnter={() => setAt(index)}
                  onClick={() => onPick(run)}
                >
                  <rect class="count-hit" x={index * step} y="0" width={step} height={height} />
                  {n === null || n === undefined ? (
                    <rect class="count-untried" x={index * step + step / 2 - 1} y={height - 4} width="2" height="2" />
                  ) : n > 0 ? (
                    <rect
                      class="count-bar"
                      x={index * step + Math.min(1, step / 6)}
                      y={height - 1 - tall}
                      width={Math.max(1, step - Math.min(2, step / 3))}
                      height={tall}
                    />
                  ) : null}
                </g>
              );
            })}
        </svg>
      </div>
      <div class="stack-dates quiet">
        <span>{first ? date(first.started_at) : ""}</span>
        <span class="count-said">
          {at === null ? `at most ${plural(most, "experiment")}; dots: runs that could not show it` : said(at)}
        </span>
        <span>{last ? date(last.started_at) : ""}</span>
      </div>
    </figure>
  );
}

const NIGHT_WIDTH = 200;

/** A mark a run: tall and full where it failed of this, half where of something else, low where without an error. */
export function NightStrip({ nights, runs, label }: { nights: string; runs: RunRef[]; label: string }) {
  const step = NIGHT_WIDTH / Math.max(1, nights.length);
  const paths: Record<string, string> = { this: "", other: "", none: "" };
  const shapes: Record<string, [number, number]> = { this: [2, 16], other: [7, 11], none: [14, 4] };
  [...nights].forEach((letter, index) => {
    const name = NIGHTS[letter]?.name ?? "untried";
    const shape = shapes[name];
    if (shape)
      paths[name] +=
        `M${(index * step).toFixed(2)} ${shape[0]}h${Math.max(1, step - 0.6).toFixed(2)}v${shape[1]}h-${Math.max(1, step - 0.6).toFixed(2)}z`;
  });
  return (
    <svg
      class="night-strip"
      width={NIGHT_WIDTH}
      height="20"
      role="img"
      aria-label={label}
      onPointerMove={(event) => {
        // One title for all of them: hundreds in each row are dear.
        const index = Math.floor(((event.offsetX || 0) / NIGHT_WIDTH) * nights.length);
        const run = runs[index];
        const title = event.currentTarget.querySelector("title");
        if (title && run) title.textContent = `${date(run.started_at)}: ${NIGHTS[nights[index] ?? "-"]?.words ?? ""}`;
      }}
    >
      <title>{label}</title>
      {Object.entries(paths).map(([name, path]) => path && <path key={name} class={`night-${name}`} d={path} />)}
    </svg>
  );
}

/** More than this of a text is not put into the page. */
const MOST_LETTERS = 200_000;

/** A line's whole error; until it is here, its end. */
export function ErrorText({ line, excerpt }: { line: number; excerpt: string }) {
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const url = address("/lines/{id}/error", { id: line });
  useEffect(() => {
    const controller = new AbortController();
    setText(null);
    setProblem(null);
    askText(url, controller.signal)
      .then(setText)
      .catch((error) => {
        if (!controller.signal.aborted) setProblem(asApiError(error, url));
      });
    return () => controller.abort();
  }, [url]);
  const shown = text === null ? excerpt : text.slice(0, MOST_LETTERS);
  return (
    <div class="error-text">
      {problem && <p class="warn">The text could not be read: {problem.message} This is its end.</p>}
      <pre tabIndex={0} aria-label="Error text">
        {shown}
      </pre>
      <p class="quiet note">
        <Copy text={text ?? excerpt} label=", copy the text">
          Copy
        </Copy>
        {text !== null && text.length > MOST_LETTERS && (
          <span>
            The first {count(MOST_LETTERS)} of {count(text.length)} characters.{" "}
          </span>
        )}
        <a href={url} target="_blank" rel="noopener">
          The whole text alone
        </a>
      </p>
    </div>
  );
}
