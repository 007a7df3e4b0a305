// What should have run and what became of it: as a bar, as signs, as a table.
import type { CoverageCounts, CoverageItem, ResultOutcome } from "../api/types";
import { count, date, hoverText, shown, testName } from "../lib/format";
import { OUTCOMES, outcomeGlyph, outcomeMeaning, outcomeWord } from "../lib/outcomes";
import { errorHref, modelHref, runHref } from "../lib/route";
import { Backend, Missing } from "./small";
import type { Column } from "./table";

/** `swatch`: with its colour in bars, as a legend has it. */
export function OutcomeSign({ outcome, n, swatch = false }: { outcome: ResultOutcome; n?: number; swatch?: boolean }) {
  return (
    <span class={`outcome outcome-${outcome}`} title={outcomeMeaning(outcome)}>
      {swatch && (
        <svg class="coverage-bar" width="8" height="10" aria-hidden="true">
          <rect class={`outcome-${outcome}`} width="8" height="10" />
        </svg>
      )}
      {n !== undefined && `${count(n)} `}
      <span class="outcome-glyph" aria-hidden="true">
        {outcomeGlyph(outcome)}
      </span>
      {outcomeWord(outcome)}
    </span>
  );
}

/** A bar as long as what was expected, a piece an outcome; beside it stands what it says in words. */
export function CoverageBar({
  outcomes,
  expected,
  width = 120,
}: {
  outcomes: CoverageCounts;
  expected: number;
  width?: number;
}) {
  const present = OUTCOMES.filter((outcome) => outcomes[outcome] > 0);
  const words = present.map((outcome) => `${count(outcomes[outcome])} ${outcomeWord(outcome)}`).join(", ");
  // What is one of hundreds is still to be seen.
  const wide = present.map((outcome) => Math.max(2, (outcomes[outcome] / Math.max(1, expected)) * width));
  const scale =
    width /
    Math.max(
      width,
      wide.reduce((sum, one) => sum + one, 0),
    );
  let x = 0;
  return (
    <svg class="coverage-bar" width={width} height="10" role="img" aria-label={words || "nothing expected"}>
      <title>{words || "nothing expected"}</title>
      {present.map((outcome, index) => {
        const left = x;
        x += (wide[index] as number) * scale;
        return (
          <rect
            key={outcome}
            class={`outcome-${outcome}`}
            x={left}
            y="0"
            width={Math.max(1, x - left - 0.75)}
            height="10"
          />
        );
      })}
    </svg>
  );
}

export const itemKey = (item: CoverageItem): string =>
  `${item.suite} ${item.model} ${item.test} ${item.column ?? item.backend} ${item.batch_size ?? ""}`;
export const itemHref = (item: CoverageItem, accelerator: string): string =>
  modelHref(item.suite, item.model, { test: item.test, accelerator_model: accelerator });

/** The columns of a table of items; `accelerator`: whose runs they are. */
export function coverageColumns(accelerator: string): Column<CoverageItem>[] {
  return [
    {
      key: "model",
      title: "Model",
      width: 220,
      sort: (item) => item.model,
      cell: (item) =>
        item.experiment_id === null ? (
          <span class="mono" title="no run has it yet">
            {shown(item.model)}
          </span>
        ) : (
          <a class="mono" href={itemHref(item, accelerator)}>
            {shown(item.model)}
          </a>
        ),
    },
    {
      key: "suite",
      title: "Suite",
      width: 110,
      sort: (item) => item.suite,
      cell: (item) => <span class="mono">{shown(item.suite)}</span>,
    },
    { key: "test", title: "Test", width: 90, sort: (item) => testName(item.test), cell: (item) => testName(item.test) },
    {
      key: "backend",
      title: "Backend",
      width: 180,
      sort: (item) => item.column ?? item.backend,
      cell: (item) => <Backend name={item.column ?? item.backend} backend={item.backend} />,
    },
    {
      key: "batch",
      title: "Batch",
      width: 64,
      align: "right",
      sort: (item) => item.batch_size,
      cell: (item) => item.batch_size ?? <Missing flush why="what did not run does not say its batch size" />,
    },
    {
      key: "outcome",
      title: "In this run",
      width: 150,
      sort: (item) => (item.expected ? 0 : 100) + OUTCOMES.indexOf(item.outcome),
      cell: (item) => (
        <>
          <OutcomeSign outcome={item.outcome} />
          {!item.expected && (
            <span class="quiet" title="it was in none of the runs that say what is expected">
              {" "}
              new
            </span>
          )}
        </>
      ),
    },
    {
      key: "before",
      title: "The run before",
      width: 140,
      sort: (item) => (item.outcome_before === null ? null : OUTCOMES.indexOf(item.outcome_before)),
      cell: (item) =>
        item.outcome_before === null ? (
          <Missing why="the run before did not have it" />
        ) : (
          <OutcomeSign outcome={item.outcome_before} />
        ),
    },
    {
      key: "timed",
      title: "Last timed",
      width: 110,
      first: "asc",
      sort: (item) => item.last_timed_run?.started_at ?? "",
      cell: (item) =>
        item.last_timed_run ? (
          <a href={runHref(item.last_timed_run)}>{date(item.last_timed_run.started_at)}</a>
        ) : (
          <Missing why="in none of the runs that were looked at" />
        ),
    },
    {
      key: "why",
      title: "Why",
      width: 380,
      sort: (item) => item.failure?.signature ?? null,
      cell: (item) =>
        item.failure ? (
          <a class="signature-cell" href={errorHref(item.failure.signature)} title={hoverText(item.failure.excerpt)}>
            {item.failure.signature}
          </a>
        ) : (
          <span class="quiet">{item.outcome === "not_run" ? "no line in the results" : ""}</span>
        ),
    },
  ];
}

/** The worst first: what was there the run before, then by outcome. */
export function worstFirst(items: readonly CoverageItem[]): CoverageItem[] {
  const rank = (item: CoverageItem) => (item.lost ? 0 : item.expected ? 1 : 2);
  const order = (item: CoverageItem) => OUTCOMES.indexOf(item.outcome);
  return items.slice().sort((a, b) => rank(a) - rank(b) || order(a) - order(b) || (itemKey(a) < itemKey(b) ? -1 : 1));
}
