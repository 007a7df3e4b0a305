// All changes of a comparison side by side, the largest slow-down at the left: a bar each, its interval drawn over it.
import { useMemo, useRef, useState } from "preact/hooks";
import type { ComparisonRow } from "../api/types";
import { columnText, rowKey, verdictWords } from "../lib/compare";
import { change, percentInterval, plural, shown, testName } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { Missing } from "./small";

const HEIGHT = 150;
const LEFT = 60;

type Bar = { row: ComparisonRow; size: number; low: number; high: number };

/** Where marks of the axis stand, in percent: round, and not more than a few. */
function ticks(low: number, high: number): number[] {
  const step = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].find((one) => (high - low) / one <= 5) ?? 1000;
  const all: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) all.push(at);
  return all;
}

export function ChangeStrip({
  rows,
  current,
  onPick,
  late,
}: {
  rows: ComparisonRow[];
  current: string | null;
  onPick: (row: ComparisonRow) => void;
  late: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number | null>(null);
  const bars = useMemo<Bar[]>(
    () =>
      rows
        .flatMap((row) => {
          if (!row.change) return [];
          const bounds = row.change.interval;
          return [
            {
              row,
              size: (row.change.ratio - 1) * 100,
              low: ((bounds?.low ?? row.change.ratio) - 1) * 100,
              high: ((bounds?.high ?? row.change.ratio) - 1) * 100,
            },
          ];
        })
        .sort((a, b) => b.size - a.size),
    [rows],
  );
  // Intervals, and a few changes, may reach far beyond what the others do: the axis is for these, and the few end at its edge.
  const sizes = bars.map((bar) => Math.abs(bar.size)).sort((a, b) => a - b);
  const most = Math.max(
    3,
    Math.min((sizes[sizes.length - 1] ?? 0) * 1.15, 3 * (sizes[Math.floor(sizes.length * 0.95)] ?? 0)),
  );
  const cut = sizes.filter((size) => size > most).length;
  const high = Math.min(most, Math.max(3, ...bars.map((bar) => Math.max(bar.high, bar.size))) * 1.05);
  const low = Math.max(-most, Math.min(-3, ...bars.map((bar) => Math.min(bar.low, bar.size))) * 1.05);
  const step = bars.length ? (width - LEFT - 4) / bars.length : 1;
  const y = (value: number) => 4 + ((high - Math.min(high, Math.max(low, value))) / (high - low)) * (HEIGHT - 8);
  const x = (index: number) => LEFT + index * step;
  const shapes = useMemo(() => {
    const paths = { worse: "", better: "", unclear: "", intervals: "" };
    const wide = Math.min(18, Math.max(0.6, step * 0.72));
    bars.forEach((bar, index) => {
      const middle = x(index) + step / 2;
      const { tone } = verdictWords(bar.row.verdict);
      paths[tone] +=
        `M${(middle - wide / 2).toFixed(1)} ${y(0).toFixed(1)}h${wide.toFixed(1)}V${y(bar.size).toFixed(1)}h${(-wide).toFixed(1)}Z`;
      if (step >= 2) paths.intervals += `M${middle.toFixed(1)} ${y(bar.low).toFixed(1)}V${y(bar.high).toFixed(1)}`;
    });
    return paths;
  }, [bars, step, low, high]);
  if (!bars.length) return <p class="quiet">Nothing has a time on both sides.</p>;

  const chosen = at ?? bars.findIndex((bar) => rowKey(bar.row) === current);
  const bar = bars[chosen];
  const place = (event: PointerEvent | MouseEvent): number | null => {
    const left = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const index = Math.floor((left - LEFT) / step);
    return index >= 0 && index < bars.length ? index : null;
  };
  const words = (one: Bar) =>
    `${shown(one.row.model)}, ${testName(one.row.test)}, ${columnText(one.row)}: ${change(1 + one.size / 100)} ${percentInterval(1 + one.low / 100, 1 + one.high / 100)}, ${verdictWords(one.row.verdict).word}`;
  return (
    <figure class={late ? "change-strip late" : "change-strip"}>
      <figcaption class="sr">Changes of the time, the largest slow-down first</figcaption>
      <div
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`Changes of ${plural(bars.length, "result")}, from ${change(1 + (bars[0] as Bar).size / 100)} to ${change(1 + (bars[bars.length - 1] as Bar).size / 100)}. Left and right arrows go from one to the next, Enter opens it. The same values are in the table below.`}
        onPointerMove={(event) => setAt(place(event))}
        onPointerLeave={() => setAt(null)}
        onClick={(event) => {
          const index = place(event);
          if (index !== null) onPick((bars[index] as Bar).row);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            event.preventDefault();
            const now = chosen < 0 ? (event.key === "ArrowRight" ? -1 : bars.length) : chosen;
            setAt(Math.min(bars.length - 1, Math.max(0, now + (event.key === "ArrowRight" ? 1 : -1))));
          } else if (event.key === "Enter" && bar) onPick(bar.row);
        }}
        onBlur={() => setAt(null)}
      >
        <svg width={Math.max(0, width)} height={HEIGHT} aria-hidden="true">
          {ticks(low, high).map((tick) => (
            <g key={tick}>
              <line class={tick === 0 ? "zero" : "grid"} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text class="tick" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
                {tick === 0 ? "0" : `${tick > 0 ? "+" : "\u2212"}${Math.abs(tick)} %`}
              </text>
            </g>
          ))}
          {bar && width > 0 && (
            <rect
              class="here"
              x={x(chosen) - Math.max(0, 3 - step) / 2}
              y="0"
              width={Math.max(step, 3)}
              height={HEIGHT}
            />
          )}
          <path class="bar-unclear" d={shapes.unclear} />
          <path class="bar-worse" d={shapes.worse} />
          <path class="bar-better" d={shapes.better} />
          <path class="bar-interval" d={shapes.intervals} />
        </svg>
      </div>
      <p class="note strip-now" role="status">
        {bar ? (
          words(bar)
        ) : (
          <span class="quiet">
            {plural(bars.length, "result")}; up is slower. Point at a bar, or use the arrows, for its name; click for
            why.{cut > 0 && ` ${plural(cut, "bar")} ${cut === 1 ? "reaches" : "reach"} beyond the axis.`}
          </span>
        )}
        {bars.some((one) => one.row.change?.interval) ? null : <Missing why="no intervals" />}
      </p>
    </figure>
  );
}
