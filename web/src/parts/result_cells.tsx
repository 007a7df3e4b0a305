// A result's numbers as the cells of tables.
import type { Cell } from "../api/types";
import { ONLY_PROFILED, digits, full, hoverText, interval as intervalText, reason, type Unit } from "../lib/format";
import { EstimateNum, FailureNote, Missing, Num } from "./small";

/** A result's time, or what became of it. */
export function TimeCell({ cell, unit }: { cell: Cell | undefined; unit: Unit }) {
  if (!cell) return <Missing why="not part of this run" />;
  if (cell.time)
    return (
      <>
        {cell.failure?.after_timing && (
          <span class="after-failure" title={hoverText(`A later attempt failed: ${cell.failure.signature}`)}>
            !
          </span>
        )}
        <EstimateNum estimate={cell.time} unit={unit} unitName="s" />
      </>
    );
  if (cell.failure) return <FailureNote failure={cell.failure} />;
  return (
    <Missing
      why={
        cell.only_profiled
          ? ONLY_PROFILED
          : cell.status === "not_timed"
            ? "not timed in this run"
            : cell.status === "timed"
              ? "too few samples for this estimator"
              : cell.status.replace("_", " ")
      }
    />
  );
}

const SPEEDUP_SIGNS = { worse: "▼", better: "▲", unclear: "~" };

/** ▲ or ▼ only where the whole interval is on one side of 1; else the difference may be noise. */
export function SpeedupCell({ cell }: { cell: Cell | undefined }) {
  if (!cell) return <Missing why="not part of this run" />;
  const { speedup } = cell;
  if (!speedup) return <Missing why={cell.excluded ? `left out: ${reason(cell.excluded)}` : "no speedup"} />;
  const bounds = speedup.interval;
  const tone = bounds && bounds.high < 1 ? "worse" : bounds && bounds.low > 1 ? "better" : "unclear";
  const title = `${full(speedup.value)}×${bounds ? `\n${(bounds.confidence * 100).toFixed(1)} %: ${full(bounds.low)} to ${full(bounds.high)}, within the run` : "\nno interval"}\nn = ${speedup.n}`;
  return (
    <span
      class="speedup"
      title={title}
      data-text={`${SPEEDUP_SIGNS[tone]} ${digits(speedup.value)}${bounds ? ` [${intervalText(bounds.low, bounds.high)}]` : ""}`}
    >
      <span class={`mark ${tone}`} aria-hidden="true">
        {SPEEDUP_SIGNS[tone]}
      </span>
      <Num value={speedup.value} title={title} />
      <span class="sr">{tone === "worse" ? "slower" : tone === "better" ? "faster" : "unclear"}</span>
    </span>
  );
}
