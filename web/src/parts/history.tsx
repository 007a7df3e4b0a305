// What verification said, run after run: a strip for one experiment, stacks for many.
import { useRef, useState } from "preact/hooks";
import type { RunRef, Series, VerificationHistory } from "../api/types";
import { codeOrder, sign } from "../lib/codes";
import { byBackend } from "../lib/backends";
import { date, plural, testName } from "../lib/format";
import { useWidth } from "../lib/hooks";
import type { Range } from "../lib/range";
import { go } from "../lib/route";
import { PLOT_LEFT, PLOT_RIGHT, fullRange, seconds } from "./chart";
import { Backend, CodeSign } from "./small";

type StripProps = {
  runs: RunRef[];
  series: Series[];
  range: Range;
  /** Where a night of a series is told in full. */
  hrefOf?: (run: RunRef, series: Series) => string;
  picked?: { run: number; experiment: number } | null;
};

/** One sign a night under the charts' time axis, so that a night stands at the same place in all of them. */
export function VerificationStrip({ runs, series, range, hrefOf, picked = null }: StripProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return (
    <div class="strip" ref={box}>
      {series.map((one) => (
        <StripRow
          key={one.experiment.id}
          runs={runs}
          series={one}
          range={range}
          width={width}
          hrefOf={hrefOf}
          picked={picked?.experiment === one.experiment.id ? picked.run : null}
        />
      ))}
    </div>
  );
}

const codeWords = (code: Series["codes"][number] | undefined): string =>
  code ? code.code + (code.stale ? ", stale" : "") : "never verified";

function StripRow({
  runs,
  series,
  range,
  width,
  hrefOf,
  picked,
}: {
  runs: RunRef[];
  series: Series;
  range: Range;
  width: number;
  hrefOf: StripProps["hrefOf"];
  picked: number | null;
}) {
  const [at, setAt] = useState<number | null>(null);
  const { from, to } = range ?? fullRange(runs);
  const plotWidth = width - PLOT_LEFT - PLOT_RIGHT;
  const x = (run: RunRef) => PLOT_LEFT + ((seconds(run) - from) / (to - from)) * plotWidth;
  const inRange = runs
    .map((run, index) => ({ run, index }))
    .filter(({ run }) => seconds(run) >= from && seconds(run) <= to);
  const room = inRange.length > 1 ? plotWidth / (inRange.length + 1) : plotWidth;
  const size = Math.max(3, Math.min(18, room - 2));
  const { experiment, codes } = series;
  const since = standing(runs, series);
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step) {
      event.preventDefault();
      setAt((now) =>
        Math.max(0, Math.min(inRange.length - 1, now === null ? (step > 0 ? 0 : inRange.length - 1) : now + step)),
      );
    } else if (event.key === "Enter" && at !== null && hrefOf) {
      const night = inRange[at];
      if (night) go(hrefOf(night.run, series));
    }
  };
  const night = at === null ? undefined : inRange[at];
  return (
    <div class="strip-row">
      <div class="strip-name">
        <Backend
          name={experiment.column}
          backend={experiment.backend}
          link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
        />
        {since && (
          <span class="strip-now">
            <CodeSign code={since.code} stale={since.stale} /> <span class="mono">{since.code}</span>{" "}
            <span class="quiet">{since.words}</span>
          </span>
        )}
      </div>
      <svg
        width={Math.max(0, width)}
        height="22"
        role={hrefOf ? "group" : "img"}
        tabindex={hrefOf ? 0 : undefined}
        aria-label={`${experiment.column}: ${stripWords(runs, series)}${hrefOf ? ". Left and right arrows move from night to night, Enter opens it" : ""}`}
        onKeyDown={hrefOf ? onKey : undefined}
        onBlur={() => setAt(null)}
      >
        {width > 0 &&
          inRange.map(({ run, index }, place) => {
            const code = codes[index];
            const middle = x(run);
            const title = `${date(run.started_at)}: ${codeWords(code)}`;
            const { name, glyph } = sign(code?.code ?? "");
            const drawn = (
              <g
                key={run.id}
                class={`${code ? `code-${name}${code.stale ? " stale" : ""}` : "code-none"}${place === at || run.id === picked ? " at" : ""}`}
              >
                <title>{title}</title>
                <rect x={middle - size / 2} y={2} width={size} height={18} rx="2" />
                {size >= 12 && code && (
                  <text x={middle} y={15.5} text-anchor="middle">
                    {glyph}
                  </text>
                )}
              </g>
            );
            return hrefOf ? (
              <a key={run.id} href={hrefOf(run, series)} tabindex={-1} aria-label={title}>
                {drawn}
              </a>
            ) : (
              drawn
            );
          })}
      </svg>
      {hrefOf && (
        <span class="sr" role="status">
          {night ? `${date(night.run.started_at)}: ${codeWords(codes[night.index])}` : ""}
        </span>
      )}
    </div>
  );
}

/** What a series' last verification said, and since which night every one has said so; null: it was never verified. */
export function standing(
  runs: readonly RunRef[],
  { codes }: Pick<Series, "codes">,
): { code: string; stale: boolean; words: string } | null {
  const own = runs.map((run, index) => ({ run, code: codes[index] })).filter(({ code }) => code && !code.stale);
  const latest = codes[runs.length - 1] ?? own[own.length - 1]?.code;
  if (!latest) return null;
  const other = own.map(({ code }) => code?.code !== latest.code).lastIndexOf(true);
  const same = own.slice(other + 1);
  const first = same[0];
  if (!first) return { code: latest.code, stale: latest.stale, words: "from before these runs" };
  return {
    code: latest.code,
    stale: latest.stale,
    words: `${other < 0 ? "in all of" : `since ${date(first.run.started_at)},`} ${plural(same.length, "verification")}`,
  };
}

function stripWords(runs: RunRef[], one: Series): string {
  const own = runs.map((run, index) => ({ run, code: one.codes[index] })).filter(({ code }) => code && !code.stale);
  if (!own.length) return "never verified in these runs";
  const changes: string[] = [];
  let last = "";
  for (const { run, code } of own) {
    if (!code || code.code === last) continue;
    changes.push(`${code.code} from ${date(run.started_at)}`);
    last = code.code;
  }
  return changes.join(", ");
}

/** A stack a run, a small chart a test and backend. Runs without a verification of their own stay empty. */
export function Stacks({
  history,
  current,
  onPick,
}: {
  history: VerificationHistory;
  current: number;
  onPick: (run: RunRef) => void;
}) {
  const keys = [...new Map(history.counts.map((item) => [`${item.test}\0${item.backend}`, item])).values()].sort(
    (a, b) => byBackend(a.backend, b.backend) || (a.test < b.test ? -1 : 1),
  );
  return (
    <div class="stacks">
      {keys.map(({ test, backend }) => (
        <Stack
          key={`${test} ${backend}`}
          history={history}
          test={test}
          backend={backend}
          current={current}
          onPick={onPick}
        />
      ))}
    </div>
  );
}

function Stack({
  history,
  test,
  backend,
  current,
  onPick,
}: {
  history: VerificationHistory;
  test: string;
  backend: string;
  current: number;
  onPick: (run: RunRef) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = 84;
  const mine = history.counts.filter((item) => item.test === test && item.backend === backend);
  const byRun = new Map<number, typeof mine>();
  for (const item of mine) byRun.set(item.run_id, [...(byRun.get(item.run_id) ?? []), item]);
  const most = Math.max(1, ...[...byRun.values()].map((items) => items.reduce((sum, item) => sum + item.count, 0)));
  const step = history.runs.length ? width / history.runs.length : width;
  const order = codeOrder(mine.map((item) => item.code));
  const first = history.runs[0];
  const last = history.runs[history.runs.length - 1];
  const latest = byRun.get(current) ?? [];
  const words = order.map((code) => `${latest.find((item) => item.code === code)?.count ?? 0} ${code}`).join(", ");
  return (
    <figure class="stack">
      <figcaption>
        <Backend name={backend} link={{ test }} /> <span>{testName(test)}</span>
        <span class="quiet stack-most">{plural(most, "model")}</span>
      </figcaption>
      <div ref={box}>
        <svg
          width={Math.max(0, width)}
          height={height}
          role="img"
          aria-label={`${backend}, ${testName(test)}, codes over ${history.runs.length} runs. In the chosen run: ${words || "not verified"}`}
        >
          <line class="axis" x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} />
          {width > 0 &&
            history.runs.map((run, index) => {
              const items = byRun.get(run.id) ?? [];
              const own = history.verified[index];
              let y = height - 1;
              const title = `${date(run.started_at)}: ${own ? order.map((code) => `${items.find((item) => item.code === code)?.count ?? 0} ${code}`).join(", ") : "no verification of its own"}`;
              return (
                <g
                  key={run.id}
                  class={run.id === current ? "stack-run current" : "stack-run"}
                  onClick={() => onPick(run)}
                >
                  <title>{title}</title>
                  <rect class="stack-hit" x={index * step} y="0" width={step} height={height} />
                  {own
                    ? order.map((code) => {
                        const count = items.find((item) => item.code === code)?.count ?? 0;
                        if (!count) return null;
                        const tall = (count / most) * (height - 8);
                        y -= tall;
                        return (
                          <rect
                            key={code}
                            class={`code-${sign(code).name}`}
                            x={index * step + 0.5}
                            y={y}
                            width={Math.max(1, step - 1.5)}
                            height={Math.max(0.5, tall - 0.75)}
                          />
                        );
                      })
                    : null}
                  {run.id === current && <path class="stack-mark" d={`M${(index + 0.5) * step - 4} 0h8l-4 5z`} />}
                </g>
              );
            })}
        </svg>
      </div>
      <div class="stack-dates quiet">
        <span>{first ? date(first.started_at) : ""}</span>
        <span>{last ? date(last.started_at) : ""}</span>
      </div>
    </figure>
  );
}
