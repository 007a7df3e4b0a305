// One number of groups of results over runs, as a chart.
import { useMemo } from "preact/hooks";
import type { AcceleratorHistory, HistoryGroup } from "../api/types";
import type { Style } from "../lib/backends";
import { unitOf } from "../lib/format";
import { type GroupMetric, lineSeries, pointsOf, unitWord } from "../lib/history";
import type { Range } from "../lib/range";
import { Chart } from "./chart";

type Props = {
  accelerator: AcceleratorHistory;
  groups: HistoryGroup[];
  /** One a group. */
  styles: Style[];
  metric: GroupMetric;
  baseline: string;
  title?: string;
  height?: number;
  range: Range;
  onRange: (range: Range) => void;
  late?: boolean;
};

/** How many of how many a level is over; the groups of a chart may differ in it. */
function setNote(groups: readonly HistoryGroup[]): string {
  const sets = [...new Set(groups.map(({ steady_set: { n, of } }) => `${n} of ${of}`))];
  return sets.length <= 3 ? `; over ${sets.join(", ")} results` : "";
}

export function GroupChart({
  accelerator,
  groups,
  styles,
  metric,
  baseline,
  title,
  height = 150,
  range,
  onRange,
  late = false,
}: Props) {
  const lines = useMemo(
    () =>
      groups
        .map((group, place) => lineSeries(place, styles[place] as Style, pointsOf(group, metric)))
        .filter((line) => line.points.some(Boolean)),
    [groups, styles, metric],
  );
  const unit = useMemo(
    () =>
      unitOf(
        lines.flatMap((line) => line.points.map((point) => point?.value ?? NaN)),
        metric.unit,
      ),
    [lines, metric],
  );
  const name = title ?? metric.name.charAt(0).toUpperCase() + metric.name.slice(1);
  if (!lines.length) {
    return (
      <figure class="chart none">
        <figcaption>
          <h3>{name}</h3>
          <span class="quiet">
            {metric.isRatio && groups.every((group) => group.backend === baseline)
              ? `it is ${baseline} itself: choose another backend under “Speedup over”`
              : "nothing to draw: no run of these has it"}
          </span>
        </figcaption>
      </figure>
    );
  }
  const word = metric.unit === "s" ? unit.name : unitWord(metric.unit);
  const better = metric.better === "neither" ? "" : `; ${metric.better} is better`;
  const over = metric.isRatio ? ` over ${baseline}` : "";
  return (
    <Chart
      title={name}
      note={`${word}${over}${better}${metric.key === "level" ? setNote(groups) : ""}`}
      runs={accelerator.runs}
      series={lines}
      unit={unit}
      unitWord={word}
      height={height}
      range={range}
      onRange={onRange}
      whole={metric.unit === "count"}
      ruleAtOne={metric.isRatio ?? false}
      late={late}
      marks={accelerator.marks}
    />
  );
}
