// A metric over nights: a line a backend, the band its interval, nothing across missing nights. Wraps uPlot.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Mark, RunRef, Series, SeriesPoint } from "../api/types";
import { arrow, tone } from "../lib/alerts";
import { type Style, columnStyle } from "../lib/backends";
import { type ChangeMark, placed } from "../lib/changes";
import { DASH, count, date, digits, flag, full, moment, runName, type Unit } from "../lib/format";
import { usePlainKeys, useWidth } from "../lib/hooks";
import { markWords, type PlacedMark, placedMarks } from "../lib/marks";
import { type Bounded, axisExtent, axisLimits, axisWords, beginsAtZero, logTicks } from "../lib/plot";
import type { Range } from "../lib/range";
import { useTheme } from "../lib/theme";
import { useQuery } from "../lib/route";
import { pinned, togglePin } from "./pins";
import { Backend, CodeSign, Missing, Num, Swatch } from "./small";

export const PLOT_LEFT = 64;
export const PLOT_RIGHT = 16;

/** Steps of an axis that counts. */
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000];

export const seconds = (run: RunRef): number => Date.parse(run.started_at) / 1000;

/** The usual time between two nights; what is much longer is a missing night. */
export function usualStep(times: number[]): number {
  const steps = times
    .slice(1)
    .map((time, index) => time - (times[index] as number))
    .sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 86400;
}

/** Positions on the time axis with a hole wherever a night is missing; -1 marks a hole. */
export function withHoles(times: number[]): { x: number[]; index: number[] } {
  const step = usualStep(times);
  const x: number[] = [];
  const index: number[] = [];
  times.forEach((time, i) => {
    const last = x[x.length - 1];
    if (last !== undefined && time - last > 1.8 * step) {
      x.push((time + last) / 2);
      index.push(-1);
    }
    // Two runs may bear one time; the axis needs them apart.
    x.push(last !== undefined && time <= last ? last + 1 : time);
    index.push(i);
  });
  return { x, index };
}

export function fullRange(runs: RunRef[]): { from: number; to: number } {
  const times = runs.map(seconds);
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 1;
  const margin = Math.max((last - first) * 0.015, 3600 * 6);
  return { from: first - margin, to: last + margin };
}

/** The key of the address that makes the value axes of a page logarithmic. */
const LOG = "axis";
/** So long a click waits for a second one where a double click means something. */
const DOUBLE_CLICK_MS = 280;

type Tones = Record<"worse" | "better" | "unclear", string>;
type Placed = ReturnType<typeof placed>;

/** Draws inside of the plot alone. */
function clipped(u: uPlot, draw: (ctx: CanvasRenderingContext2D) => void) {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  draw(u.ctx);
  u.ctx.restore();
}

/** Under the lines: where each change may have begun, and the rule where it most likely did. */
function drawChangeBands(u: uPlot, changes: Placed, tones: Tones) {
  const ratio = devicePixelRatio || 1;
  const { top, height } = u.bbox;
  clipped(u, (ctx) => {
    for (const { mark, rule, from, to } of changes) {
      const color = tones[tone(mark.direction)];
      const left = u.valToPos(from, "x", true);
      const right = u.valToPos(to, "x", true);
      ctx.fillStyle = color;
      ctx.globalAlpha = 0.14;
      ctx.fillRect(left, top, right - left, height);
      ctx.globalAlpha = 0.9;
      ctx.fillRect(Math.round(u.valToPos(rule, "x", true)), top, ratio, height);
    }
  });
}

/** Writes beside rules, from left to right: to their right where there is room, and texts that would lie on each other in rows. */
function ruleLabels(u: uPlot, ctx: CanvasRenderingContext2D, heightOf: (row: number) => number) {
  const ratio = devicePixelRatio || 1;
  ctx.font = `${11 * ratio}px ${getComputedStyle(document.documentElement).getPropertyValue("--sans")}`;
  let edge = -Infinity;
  let row = 0;
  return (text: string, rule: number) => {
    const { width } = ctx.measureText(text);
    row = rule < edge ? row + 1 : 0;
    const fits = rule + width + 6 * ratio < u.bbox.left + u.bbox.width;
    ctx.textAlign = fits ? "left" : "right";
    ctx.fillText(text, rule + (fits ? 5 : -4) * ratio, heightOf(row));
    edge = Math.max(edge, rule + width + 8 * ratio);
  };
}

/** Over the lines: the levels before and after, and the effect beside the rule. */
function drawChangeLevels(u: uPlot, changes: Placed, factor: number, tones: Tones) {
  const ratio = devicePixelRatio || 1;
  clipped(u, (ctx) => {
    const label = ruleLabels(u, ctx, (row) => u.bbox.top + (11 + 14 * row) * ratio);
    ctx.lineWidth = 1.5 * ratio;
    for (const { mark, rule, begin, end } of changes) {
      const middle = u.valToPos(rule, "x", true);
      ctx.strokeStyle = ctx.fillStyle = tones[tone(mark.direction)];
      ctx.setLineDash([5 * ratio, 3 * ratio]);
      ctx.beginPath();
      for (const [level, from, to] of [
        [mark.before, begin, rule],
        [mark.after, rule, end],
      ] as const) {
        if (!Number.isFinite(level)) continue;
        const y = u.valToPos(level * factor, "y", true);
        ctx.moveTo(u.valToPos(from, "x", true), y);
        ctx.lineTo(u.valToPos(to, "x", true), y);
      }
      ctx.stroke();
      label(`${arrow(mark.direction)} ${mark.label}`, middle);
    }
  });
}

/** Behind all: nights that do not count, where a new environment begins (dashed), and nights that levels are held against. */
function drawMarks(u: uPlot, marks: PlacedMark[], color: string, foot: number) {
  const ratio = devicePixelRatio || 1;
  const { top, height } = u.bbox;
  clipped(u, (ctx) => {
    const write = ruleLabels(u, ctx, (row) => top + height - (foot + 14 * row) * ratio);
    ctx.fillStyle = ctx.strokeStyle = color;
    ctx.lineWidth = ratio;
    for (const { kind, from, to, label } of marks) {
      const left = u.valToPos(from, "x", true);
      if (kind === "excluded") {
        ctx.globalAlpha = 0.18;
        ctx.fillRect(left, top, u.valToPos(to, "x", true) - left, height);
        ctx.globalAlpha = 1;
        continue;
      }
      ctx.setLineDash(kind === "environment" ? [2 * ratio, 3 * ratio] : []);
      ctx.beginPath();
      ctx.moveTo(left, top);
      ctx.lineTo(left, top + height);
      ctx.stroke();
      write(`${kind === "pinned" ? "⚑" : "↦"} ${label}`, left);
    }
  });
}

/** A line; one that is of no backend alone brings its own style and name. */
export type ChartSeries = Series & { style?: Style };

const styleOf = (one: ChartSeries): Style => one.style ?? columnStyle(one.experiment.column, one.experiment.backend);

/** A rule with a flag where a night is pinned: L and R once there are two. */
function drawPins(u: uPlot, pins: { time: number; name: string }[], color: string) {
  const ratio = devicePixelRatio || 1;
  const { top, height } = u.bbox;
  clipped(u, (ctx) => {
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.lineWidth = 1.5 * ratio;
    ctx.font = `600 ${11 * ratio}px sans-serif`;
    for (const { time, name } of pins) {
      const left = u.valToPos(time, "x", true);
      ctx.beginPath();
      ctx.moveTo(left, top);
      ctx.lineTo(left, top + height);
      ctx.stroke();
      // To the left, where there is room: to the right of its rule stands the word of a mark of that night.
      const isLeft = left - ctx.measureText(name).width - 6 * ratio > u.bbox.left;
      ctx.textAlign = isLeft ? "right" : "left";
      ctx.fillText(name, left + (isLeft ? -4 : 4) * ratio, top + height - 6 * ratio);
    }
  });
}

type Props = {
  title: string;
  note: string;
  runs: RunRef[];
  series: ChartSeries[];
  unit: Unit;
  unitWord: string;
  height: number;
  range: Range;
  onRange: (range: Range) => void;
  onPick?: (run: RunRef, series: Series) => void;
  picked?: { run: number; experiment: number } | null;
  /** A rule at 1 for ratios. */
  ruleAtOne?: boolean;
  late?: boolean;
  /** Changes that alerts hold: a rule where one is, a band where it may be, the levels before and after. */
  changes?: ChangeMark[];
  /** What people said of each run. */
  marks?: Mark[][];
  /** Values are counts: whole numbers, on the axis too. */
  whole?: boolean;
};

export function Chart(props: Props) {
  const { runs, series, unit, range } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const width = useWidth(box);
  const { dark } = useTheme();
  // The night under the cursor by its run: its place changes with the runs.
  const [atRun, setAtRun] = useState<number | null>(null);
  // As of the last event: keys may come faster than pages are drawn.
  const pointedRun = useRef<number | null>(null);
  const placeOf = (id: number | null): number | null => {
    const place = id === null ? -1 : runs.findIndex((run) => run.id === id);
    return place < 0 ? null : place;
  };
  const at = placeOf(atRun);
  // A zoom into values, in the unit of the axis; that into nights is the page's.
  const [yRange, setYRange] = useState<Range>(null);
  const [said, setSaid] = useState("");
  const latest = useRef(props);
  latest.current = props;

  const written = (value: number): string => (props.whole ? count(value) : digits(value));
  const [query, setQuery] = useQuery();
  const pins = pinned(query);
  const pinnedRuns = pins
    .flatMap((id) => runs.filter((run) => String(run.id) === id))
    .sort((a, b) => seconds(a) - seconds(b));
  const drawnPins = useRef(pinnedRuns);
  drawnPins.current = pinnedRuns;

  const { x, index } = useMemo(() => withHoles(runs.map(seconds)), [runs]);

  const shownPoints = useMemo(() => {
    const inRange = (place: number) =>
      !range || (seconds(runs[place] as RunRef) >= range.from && seconds(runs[place] as RunRef) <= range.to);
    return series.flatMap((one) =>
      one.points.filter((point, place): point is SeriesPoint => point !== null && inRange(place)),
    );
  }, [series, runs, range?.from, range?.to]);
  // A logarithm is of what is above 0; counts start at 0.
  const canLog = !props.whole && shownPoints.length > 0 && shownPoints.every((point) => point.value > 0);
  const log = canLog && query.get(LOG) === "log";
  const extent = useMemo(() => axisExtent(shownPoints as Bounded[], log), [shownPoints, log]);
  const startsAtZero = !log && !yRange && extent !== null && beginsAtZero(extent);
  useEffect(() => setYRange(null), [props.title, unit.factor, log]);

  useEffect(() => {
    const node = box.current;
    if (!node || width < 50 || x.length === 0) return;
    const css = getComputedStyle(document.documentElement);
    const quiet = css.getPropertyValue("--quiet").trim();
    const line = css.getPropertyValue("--line").trim();
    const ground = css.getPropertyValue("--ground").trim();
    const worse = css.getPropertyValue("--worse").trim();
    const focus = css.getPropertyValue("--focus").trim();
    const tones = { worse, better: css.getPropertyValue("--better").trim(), unclear: quiet };
    const font = `12px ${css.getPropertyValue("--sans").trim()}`;
    const ratio = devicePixelRatio || 1;

    const pick = (part: (point: SeriesPoint) => number | null) => (one: Series) =>
      index.map((run) => {
        const point = run < 0 ? null : one.points[run];
        const value = point ? part(point) : null;
        return value === null ? null : value * unit.factor;
      });
    const values = series.map(pick((point) => point.value));
    const lows = series.map(pick((point) => point.low ?? point.value));
    const highs = series.map(pick((point) => point.high ?? point.value));

    const lines: uPlot.Series[] = series.map((one) => {
      const style = styleOf(one);
      return {
        label: one.experiment.column,
        stroke: style.color,
        width: 1.75,
        dash: style.dash.map((length) => length * ratio),
        spanGaps: false,
        points: { show: x.length < 120, size: 6, width: 1.5, stroke: style.color, fill: ground },
      };
    });
    // The axis is not theirs to widen.
    const edges = (): uPlot.Series => ({
      show: true,
      auto: false,
      width: 0,
      stroke: "transparent",
      spanGaps: false,
      points: { show: false },
    });
    const n = series.length;
    const options: uPlot.Options = {
      width,
      height: props.height,
      padding: [10, PLOT_RIGHT, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: "page", scales: ["x", null] },
        // Along whichever way is dragged further: into nights or into values.
        drag: { x: true, y: true, uni: Infinity, setScale: false },
        focus: { prox: 24 },
        points: { size: 9, width: 2, fill: ground },
        x: true,
        y: false,
      },
      focus: { alpha: 1 },
      scales: {
        x: { time: true, range: () => (range ? [range.from, range.to] : [fullRange(runs).from, fullRange(runs).to]) },
        y: { distr: log ? 3 : 1, range: () => axisLimits(extent, unit.factor, yRange, startsAtZero, log) },
      },
      axes: [
        {
          stroke: quiet,
          font,
          size: 28,
          gap: 4,
          space: 72,
          grid: { show: false },
          ticks: { stroke: line, width: 1, size: 4 },
          values: (_, splits, __, ___, step) =>
            splits.map((time) => {
              const iso = new Date(time * 1000).toISOString();
              return step < 86400 ? iso.slice(11, 16) : step > 86400 * 200 ? iso.slice(0, 7) : iso.slice(5, 10);
            }),
        },
        {
          stroke: quiet,
          font,
          size: PLOT_LEFT,
          gap: 6,
          space: props.height < 180 ? 24 : 36,
          ...(props.whole ? { incrs: WHOLE_STEPS } : {}),
          grid: { stroke: line, width: 1 },
          ticks: { show: false },
          ...(log
            ? {
                splits: (_: uPlot, __: number, low: number, high: number) =>
                  logTicks(low, high, Math.max(3, Math.floor(props.height / 40))),
                filter: (_: uPlot, splits: number[]) => splits,
              }
            : {}),
          values: (_, splits) => splits.map((value) => written(value)),
        },
      ],
      tzDate: (time) => uPlot.tzDate(new Date(time * 1000), "Etc/UTC"),
      series: [{}, ...lines, ...series.map(edges), ...series.map(edges)],
      bands: series.map((one, i) => ({
        series: [1 + 2 * n + i, 1 + n + i] as [number, number],
        fill: styleOf(one).color + (dark ? "40" : "2e"),
      })),
      hooks: {
        drawClear: [
          // Above the crosses of what failed.
          (u) =>
            drawMarks(
              u,
              placedMarks(latest.current.marks ?? [], runs.map(seconds)),
              quiet,
              5 + (series.some((one) => one.failures.some(Boolean)) ? 9 * series.length : 0),
            ),
          (u) => drawChangeBands(u, placed(latest.current.changes ?? [], runs.map(seconds)), tones),
          (u) => {
            if (!latest.current.ruleAtOne) return;
            const y = u.valToPos(1, "y", true);
            if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
            u.ctx.save();
            u.ctx.strokeStyle = quiet;
            u.ctx.lineWidth = ratio;
            u.ctx.beginPath();
            u.ctx.moveTo(u.bbox.left, y);
            u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
            u.ctx.stroke();
            u.ctx.restore();
          },
        ],
        draw: [
          (u) =>
            drawPins(
              u,
              drawnPins.current.map((run, place) => ({
                time: seconds(run),
                name: drawnPins.current.length < 2 ? "pinned" : place ? "R" : "L",
              })),
              focus,
            ),
          (u) =>
            drawChangeLevels(
              u,
              placed(
                (latest.current.changes ?? []).filter((mark) =>
                  series.some((one) => one.experiment.id === mark.experiment),
                ),
                runs.map(seconds),
              ),
              unit.factor,
              tones,
            ),
          (u) => {
            // Where a backend failed there is no value: a cross at the foot says so.
            u.ctx.save();
            u.ctx.font = `${11 * ratio}px sans-serif`;
            u.ctx.textAlign = "center";
            series.forEach((one, s) => {
              const color = styleOf(one).color;
              index.forEach((run, i) => {
                if (run < 0 || !one.failures[run] || one.points[run]) return;
                const left = u.valToPos(x[i] as number, "x", true);
                if (left < u.bbox.left || left > u.bbox.left + u.bbox.width) return;
                u.ctx.fillStyle = color;
                u.ctx.fillText("×", left, u.bbox.top + u.bbox.height - (2 + 9 * s) * ratio);
              });
              // An interval that goes on beyond the axis.
              index.forEach((run, i) => {
                const point = run < 0 ? null : one.points[run];
                const left = u.valToPos(x[i] as number, "x", true);
                if (!point || left < u.bbox.left || left > u.bbox.left + u.bbox.width) return;
                const { min = -Infinity, max = Infinity } = u.scales["y"] ?? {};
                u.ctx.fillStyle = color;
                if ((point.high ?? point.value) * unit.factor > (max ?? Infinity))
                  u.ctx.fillText("▲", left, u.bbox.top + 9 * ratio);
                if ((point.low ?? point.value) * unit.factor < (min ?? -Infinity))
                  u.ctx.fillText("▼", left, u.bbox.top + u.bbox.height - ratio);
              });
              // A wrong result is not a point like the others.
              index.forEach((run, i) => {
                const point = run < 0 ? null : one.points[run];
                if (!point || one.codes[run]?.code !== "FAIL") return;
                const left = u.valToPos(x[i] as number, "x", true);
                const top = u.valToPos(point.value * unit.factor, "y", true);
                u.ctx.strokeStyle = worse;
                u.ctx.lineWidth = 2 * ratio;
                u.ctx.beginPath();
                u.ctx.moveTo(left - 4 * ratio, top - 4 * ratio);
                u.ctx.lineTo(left + 4 * ratio, top + 4 * ratio);
                u.ctx.moveTo(left + 4 * ratio, top - 4 * ratio);
                u.ctx.lineTo(left - 4 * ratio, top + 4 * ratio);
                u.ctx.stroke();
              });
              const { picked } = latest.current;
              if (picked && one.experiment.id === picked.experiment) {
                const run = runs.findIndex((r) => r.id === picked.run);
                const point = one.points[run];
                if (point) {
                  u.ctx.strokeStyle = styleOf(one).color;
                  u.ctx.lineWidth = 2 * ratio;
                  u.ctx.beginPath();
                  u.ctx.arc(
                    u.valToPos(x[index.indexOf(run)] as number, "x", true),
                    u.valToPos(point.value * unit.factor, "y", true),
                    8 * ratio,
                    0,
                    7,
                  );
                  u.ctx.stroke();
                }
              }
            });
            u.ctx.restore();
          },
        ],
        setCursor: [
          (u) => {
            const place = u.cursor.idx;
            const run = place === null || place === undefined || (u.cursor.left ?? -1) < 0 ? -1 : (index[place] ?? -1);
            pointedRun.current = run < 0 ? null : (runs[run] as RunRef).id;
            setAtRun(pointedRun.current);
          },
        ],
        setSelect: [
          (u) => {
            const { left, top, width: wide, height: high } = u.select;
            const isWhole = wide >= u.over.clientWidth - 1;
            if (!isWhole && wide >= 6)
              latest.current.onRange({
                from: Math.round(u.posToVal(left, "x")),
                to: Math.round(u.posToVal(left + wide, "x")),
              });
            else if (isWhole && high >= 6 && high < u.over.clientHeight - 1)
              setYRange({ from: u.posToVal(top + high, "y"), to: u.posToVal(top, "y") });
            else return;
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
    // The night under the cursor stays so where the same one is drawn again, whatever its place is now.
    const before = index.indexOf(runs.findIndex((run) => run.id === pointedRun.current));
    const u = new uPlot(options, [x, ...values, ...lows, ...highs] as uPlot.AlignedData, node);
    plot.current = u;
    // Once it has scales, which it makes in a microtask.
    queueMicrotask(() => {
      if (plot.current === u && before >= 0 && index[before] !== -1)
        u.setCursor({ left: u.valToPos(x[before] as number, "x"), top: 10 }, true);
    });

    let pressedAt = { x: 0, y: 0 };
    const down = (event: MouseEvent) => {
      pressedAt = { x: event.clientX, y: event.clientY };
    };
    let waiting = 0;
    const click = (event: MouseEvent) => {
      if (Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) > 4) return;
      const place = u.cursor.idx;
      // The second click of a double one is no click of its own, nor is the first where a double one resets the zoom.
      clearTimeout(waiting);
      if (place === null || place === undefined || event.detail > 1) return;
      const top = u.cursor.top ?? 0;
      if (range || yRange) waiting = window.setTimeout(() => choose(place, top, event.shiftKey), DOUBLE_CLICK_MS);
      else choose(place, top, event.shiftKey);
    };
    const choose = (place: number, top: number, withShift: boolean) => {
      const run = index[place] as number;
      // Where a click shows nothing else it pins; elsewhere it does with Shift.
      if (withShift || !latest.current.onPick) {
        if (run >= 0) togglePin(runs[run] as RunRef);
        return;
      }
      let best: Series | null = null;
      let distance = Infinity;
      series.forEach((one, i) => {
        const value = values[i]?.[place];
        if (value === null || value === undefined) return;
        const away = Math.abs(u.valToPos(value, "y") - top);
        if (away < distance) [distance, best] = [away, one];
      });
      if (run >= 0 && best) latest.current.onPick(runs[run] as RunRef, best);
    };
    const reset = () => {
      clearTimeout(waiting);
      setYRange(null);
      latest.current.onRange(null);
    };
    u.over.addEventListener("mousedown", down);
    u.over.addEventListener("click", click);
    u.over.addEventListener("dblclick", reset);
    return () => {
      clearTimeout(waiting);
      u.destroy();
      plot.current = null;
    };
  }, [runs, series, width, dark, range?.from, range?.to, unit.factor, props.height, x, yRange?.from, yRange?.to, log]);

  useEffect(
    () => plot.current?.redraw(false),
    [props.picked?.run, props.picked?.experiment, props.changes, props.marks, pins.join()],
  );

  // The night under the cursor, wherever the keys go: charts are pointed at far more often than walked through.
  usePlainKeys((event) => {
    const node = box.current?.closest("figure");
    const run = runs.find((one) => one.id === pointedRun.current);
    if (event.key !== "p" || !run || !(node?.matches(":hover") || node?.contains(document.activeElement))) return;
    event.preventDefault();
    togglePin(run);
  });

  const onKey = (event: KeyboardEvent) => {
    const u = plot.current;
    if (!u || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = placeOf(pointedRun.current) ?? runs.length;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      event.preventDefault();
      const next = Math.min(runs.length - 1, Math.max(0, now + (event.key === "ArrowLeft" ? -1 : 1)));
      const place = index.indexOf(next);
      u.setCursor({ left: u.valToPos(x[place] as number, "x"), top: 10 }, true);
      const words = series.map((one) => {
        const point = one.points[next];
        return `${one.experiment.column} ${point ? `${written(point.value * unit.factor)} ${props.unitWord}` : (one.failures[next] ?? "not measured")}`;
      });
      const said = (props.marks?.[next] ?? []).map((mark) => `${markWords(mark)}; `).join("");
      setSaid(`${date((runs[next] as RunRef).started_at)}: ${said}${words.join(", ")}`);
    } else if (event.key === "Enter" && props.onPick) {
      const run = placeOf(pointedRun.current);
      if (run === null) return;
      const first = series.find((one) => one.points[run]);
      if (first) props.onPick(runs[run] as RunRef, first);
    } else if (event.key === "Escape") {
      setYRange(null);
      props.onRange(null);
    }
  };

  const shown = at ?? runs.length - 1;
  const night = runs[shown];
  const verified = series.some((one) => one.codes.length > 0);
  const bounded = series.some((one) => one.points.some((point) => point?.low != null));
  return (
    <figure class={`chart${props.late ? " late" : ""}`}>
      <figcaption>
        <h3>{props.title}</h3>
        <span class="quiet">
          {props.note}; {axisWords(log, startsAtZero)}
          {(extent?.isClipped || yRange) && "; ▲ ▼ at an edge: an interval or a value goes on beyond it"}
        </span>
        {canLog && (
          <button
            type="button"
            class="link"
            aria-pressed={log}
            onClick={() => setQuery({ [LOG]: log ? null : "log" })}
            title="A logarithmic axis shows equal ratios as equal distances"
          >
            log
          </button>
        )}
      </figcaption>
      <div
        class="plot"
        ref={box}
        style={{ height: `${props.height}px` }}
        tabIndex={0}
        role="group"
        aria-label={`${props.title} over ${runs.length} runs. Left and right arrows move from night to night, ${props.onPick ? "Enter shows more of it, " : ""}x pins the night: two make a comparison. The table after it has the values of that night.`}
        onKeyDown={onKey}
      />
      <span class="sr" role="status">
        {said}
      </span>
      {night && (
        <div class="legend-box" tabIndex={0} role="region" aria-label={`Values of ${props.title}`}>
          <table class="legend">
            <caption>
              <span class="mono">{runName(night)}</span>
              <span class="quiet">{`${runName(night) === night.name ? ` ${moment(night.started_at)}` : ""}${at === null ? ", the last night" : ""}`}</span>
              <button
                type="button"
                class="pin"
                aria-pressed={pins.includes(String(night.id))}
                onClick={() => togglePin(night)}
                title="Two pinned nights make a comparison (x on a night)"
              >
                {pins.includes(String(night.id)) ? "unpin" : "pin"}
              </button>
              {(props.marks?.[shown] ?? []).map((mark) => (
                <span key={mark.kind} class="warn">
                  {" "}
                  {markWords(mark)}
                </span>
              ))}
              <span class="legend-labels quiet">
                {Object.entries(night.labels).map(([key, value]) => (
                  <span key={key}>
                    {key} <span class="mono">{value.slice(0, 12)}</span>
                  </span>
                ))}
              </span>
            </caption>
            <thead class="sr">
              <tr>
                <th scope="col">backend</th>
                <th scope="col">{props.unitWord}</th>
                <th scope="col">interval</th>
                <th scope="col">n</th>
                {verified && <th scope="col">verification</th>}
              </tr>
            </thead>
            <tbody>
              {series.map((one) => {
                const point = one.points[shown];
                const code = one.codes[shown];
                return (
                  <tr key={one.experiment.id}>
                    <th scope="row">
                      {one.style ? (
                        <Swatch style={one.style} />
                      ) : (
                        <Backend name={one.experiment.column} backend={one.experiment.backend} />
                      )}
                      {one.experiment.batch_size !== null && (
                        <span class="quiet"> batch {one.experiment.batch_size}</span>
                      )}
                    </th>
                    <td class="right">
                      {point ? (
                        <>
                          {props.whole ? (
                            <span class="num">{count(point.value)}</span>
                          ) : (
                            <Num
                              value={point.value}
                              factor={unit.factor}
                              title={`${full(point.value)}${point.flags.length ? "\n" + point.flags.map(flag).join("\n") : ""}`}
                            />
                          )}
                          <span class="quiet"> {props.unitWord}</span>
                        </>
                      ) : (
                        <Missing why={one.failures[shown] ?? "not measured in this run"} />
                      )}
                    </td>
                    <td class="interval">
                      {point && point.low !== null && point.high !== null
                        ? `[${digits(point.low * unit.factor)}, ${digits(point.high * unit.factor)}]`
                        : bounded
                          ? DASH
                          : ""}
                    </td>
                    <td class="quiet">{!point ? DASH : point.n > 0 ? `n ${point.n}` : ""}</td>
                    {verified && (
                      <td>
                        {code ? (
                          <CodeSign
                            code={code.code}
                            stale={code.stale}
                            title={`${code.code}${code.stale ? ", stale" : ""}`}
                          />
                        ) : (
                          <Missing why="not verified" />
                        )}
                      </td>
                    )}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
}
