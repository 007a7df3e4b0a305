// Drawings in SVG, the same on the page and in a file: axes, lines, and a frame that says what is shown and where.
// No hooks here: lib/svg_text.ts draws them without a page.
import type { ComponentChildren } from "preact";
import type { Style } from "../lib/backends";
import { digits } from "../lib/format";
import { type Scale, axisExtent, extent, linearTicks, logTicks, place } from "../lib/plot";
import { go } from "../lib/route";

export type Ink = {
  text: string;
  quiet: string;
  line: string;
  ground: string;
  worse: string;
  better: string;
  sans: string;
};

/** On the page the theme's. */
export const PAGE_INK: Ink = {
  text: "var(--text)",
  quiet: "var(--quiet)",
  line: "var(--line)",
  ground: "var(--ground)",
  worse: "var(--worse)",
  better: "var(--better)",
  sans: "var(--sans)",
};
/** In a file always the light one: it is put into reports. */
export const FILE_INK: Ink = {
  text: "#1b1f24",
  quiet: "#5b6570",
  line: "#d9dee4",
  ground: "#ffffff",
  worse: "#c0392b",
  better: "#1a7a40",
  sans: "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
};

/** A click on a mark opens what it stands for. By keys the same is reached in the table below a drawing. */
export function openMark(event: MouseEvent): void {
  const address = (event.target as Element).closest("[data-href]")?.getAttribute("data-href");
  if (!address) return;
  go(address);
  scrollTo(0, 0);
}

export type Box = { left: number; top: number; right: number; bottom: number };

type Axis = { scale: Scale; ticks: number[]; show: (value: number) => string; title: string };

/** Ticks that fit on a scale of so many pixels. */
export const ticksOf = (scale: Scale, apart: number): number[] => {
  const most = Math.max(2, Math.floor(Math.abs(scale.to - scale.from) / apart));
  return scale.log ? logTicks(scale.low, scale.high, most) : linearTicks(scale.low, scale.high, most);
};

/** Grid, numbers and titles of both axes around a box. */
export function Axes({ box, x, y, ink }: { box: Box; x: Axis; y: Axis; ink: Ink }) {
  return (
    <g font-family={ink.sans} font-size="12" fill={ink.quiet}>
      {y.ticks.map((tick) => {
        const at = place(y.scale, tick);
        return (
          <>
            <line x1={box.left} x2={box.right} y1={at} y2={at} stroke={ink.line} stroke-width="1" />
            <text x={box.left - 6} y={at + 4} text-anchor="end">
              {y.show(tick)}
            </text>
          </>
        );
      })}
      {x.ticks.map((tick) => {
        const at = place(x.scale, tick);
        return (
          <>
            <line x1={at} x2={at} y1={box.bottom} y2={box.bottom + 4} stroke={ink.quiet} stroke-width="1" />
            <text x={at} y={box.bottom + 17} text-anchor="middle">
              {x.show(tick)}
            </text>
          </>
        );
      })}
      <line x1={box.left} x2={box.right} y1={box.bottom} y2={box.bottom} stroke={ink.quiet} stroke-width="1" />
      <text x={(box.left + box.right) / 2} y={box.bottom + 34} text-anchor="middle">
        {x.title}
      </text>
      <text x={box.left} y={box.top - 8}>
        {y.title}
      </text>
    </g>
  );
}

export type DrawnLine = { style: Style; values: (number | null)[]; low?: (number | null)[]; high?: (number | null)[] };
export type LinesPanel = { title: string; lines: DrawnLine[] };

/** Runs of values without a gap, as places. */
export function spans(values: readonly (number | null)[]): [number, number][] {
  const found: [number, number][] = [];
  let start = -1;
  for (let at = 0; at <= values.length; ++at) {
    if (values[at] != null && at < values.length) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      found.push([start, at]);
      start = -1;
    }
  }
  return found;
}

const dated = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Lines over nights; `times` in seconds. Nothing is drawn across missing values. */
export function LinesDrawing({
  panel,
  times,
  unit,
  ruleAtOne,
  width,
  height,
  ink,
}: {
  panel: LinesPanel;
  times: number[];
  unit: string;
  ruleAtOne: boolean;
  width: number;
  height: number;
  ink: Ink;
}) {
  const box: Box = { left: 64, top: 40, right: width - 12, bottom: height - 42 };
  const points = panel.lines.flatMap((line) =>
    line.values.flatMap((value, at) =>
      value === null ? [] : [{ value, low: line.low?.[at] ?? null, high: line.high?.[at] ?? null }],
    ),
  );
  const held = axisExtent(points, false);
  const y: Scale = { ...extent(held ? [held.low, held.high] : [], false), log: false, from: box.bottom, to: box.top };
  // What goes on beyond the axis ends at it.
  const inside = (value: number) => Math.min(y.high, Math.max(y.low, value));
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 1;
  const x: Scale = {
    low: first,
    high: last > first ? last : first + 1,
    log: false,
    from: box.left + 6,
    to: box.right - 6,
  };
  const most = Math.max(2, Math.floor((box.right - box.left) / 110));
  const step = Math.max(1, Math.ceil((times.length - 1) / most));
  const ticks = times.filter((_, at) => (times.length - 1 - at) % step === 0);
  const path = (values: readonly (number | null)[], from: number, to: number) =>
    values
      .slice(from, to)
      .map(
        (value, at) =>
          `${at ? "L" : "M"}${place(x, times[from + at] as number).toFixed(1)} ${place(y, value as number).toFixed(1)}`,
      )
      .join("");
  const one = place(y, 1);
  return (
    <g>
      <text x={box.left} y="16" font-family={ink.sans} font-size="14" font-weight="600" fill={ink.text}>
        {panel.title}
      </text>
      <Axes
        box={box}
        ink={ink}
        x={{ scale: x, ticks, show: dated, title: "" }}
        y={{
          scale: y,
          ticks: ticksOf(y, 40),
          show: digits,
          title: `${unit}${y.low === 0 ? "" : "; axis does not start at 0"}`,
        }}
      />
      {ruleAtOne && one > box.top && one < box.bottom && (
        <line x1={box.left} x2={box.right} y1={one} y2={one} stroke={ink.quiet} stroke-width="1" />
      )}
      {panel.lines.map((line) =>
        spans(line.values).map(([from, to]) => {
          const edge = (part: (number | null)[] | undefined) =>
            line.values.slice(from, to).map((value, at) => part?.[from + at] ?? value);
          const corners = (values: (number | null)[]) =>
            values.map(
              (value, at) =>
                `${place(x, times[from + at] as number).toFixed(1)} ${place(y, inside(value as number)).toFixed(1)}`,
            );
          return (
            <>
              {line.low?.some((value) => value != null) && (
                <path
                  d={`M${[...corners(edge(line.high)), ...corners(edge(line.low)).reverse()].join("L")}Z`}
                  fill={line.style.color}
                  fill-opacity="0.16"
                />
              )}
              <path
                d={path(line.values, from, to)}
                fill="none"
                stroke={line.style.color}
                stroke-width="1.75"
                stroke-dasharray={line.style.dash.join(" ") || undefined}
              />
              {times.length < 120 &&
                line.values
                  .slice(from, to)
                  .map((value, at) => (
                    <circle
                      cx={place(x, times[from + at] as number).toFixed(1)}
                      cy={place(y, value as number).toFixed(1)}
                      r="2.25"
                      fill={ink.ground}
                      stroke={line.style.color}
                      stroke-width="1.25"
                    />
                  ))}
            </>
          );
        }),
      )}
    </g>
  );
}

const LEGEND_ROW = 20;

/** What a line or a mark stands for, in rows that fit. */
function legendRows(names: readonly { name: string }[], width: number): { x: number; row: number }[] {
  const places: { x: number; row: number }[] = [];
  let x = 0;
  let row = 0;
  for (const { name } of names) {
    const room = 46 + name.length * 7.4;
    if (x > 0 && x + room > width) {
      x = 0;
      ++row;
    }
    places.push({ x, row });
    x += room;
  }
  return places;
}

export type LegendItem = { name: string; sign: (x: number, y: number) => ComponentChildren };

export const lineItem = (style: Style): LegendItem => ({
  name: style.name,
  sign: (x, y) => (
    <line
      x1={x}
      x2={x + 24}
      y1={y}
      y2={y}
      stroke={style.color}
      stroke-width="2.5"
      stroke-dasharray={style.dash.join(" ") || undefined}
    />
  ),
});

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A whole picture: what it shows, the drawing, what lines and marks stand for, and the address where it is alive. */
export function Picture({
  title,
  note,
  address,
  legend,
  width,
  height,
  children,
}: {
  title: string;
  note: string;
  address: string;
  legend: LegendItem[];
  width: number;
  height: number;
  children: ComponentChildren;
}) {
  const ink = FILE_INK;
  const margin = 24;
  const places = legendRows(legend, width);
  const rows = legend.length ? (places[places.length - 1]?.row ?? 0) + 1 : 0;
  const top = 76;
  const foot = top + height + 16 + rows * LEGEND_ROW;
  const whole = foot + 36;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width + 2 * margin}
      height={whole}
      viewBox={`0 0 ${width + 2 * margin} ${whole}`}
    >
      <rect x="0" y="0" width={width + 2 * margin} height={whole} fill={ink.ground} />
      <text x={margin} y="36" font-family={ink.sans} font-size="20" font-weight="600" fill={ink.text}>
        {shortened(title, Math.floor(width / 10.5))}
      </text>
      <text x={margin} y="58" font-family={ink.sans} font-size="12" fill={ink.quiet}>
        {shortened(note, Math.floor(width / 6))}
      </text>
      <g transform={`translate(${margin} ${top})`}>{children}</g>
      <g font-family={ink.sans} font-size="12" fill={ink.text}>
        {legend.map((item, at) => {
          const { x, row } = places[at] as { x: number; row: number };
          const y = top + height + 20 + row * LEGEND_ROW;
          return (
            <>
              {item.sign(margin + x, y - 4)}
              <text x={margin + x + 30} y={y}>
                {item.name}
              </text>
            </>
          );
        })}
      </g>
      <text x={margin} y={whole - 14} font-family={ink.sans} font-size="11" fill={ink.quiet}>
        {shortened(address, Math.floor(width / 5.6))}
      </text>
    </svg>
  );
}

export const PICTURE_WIDTH = 1000;

/** One panel over the whole width, several in two columns. */
export function LinesPicture({
  title,
  note,
  address,
  panels,
  times,
  unit,
  ruleAtOne,
}: {
  title: string;
  note: string;
  address: string;
  panels: LinesPanel[];
  times: number[];
  unit: string;
  ruleAtOne: boolean;
}) {
  const columns = panels.length > 1 ? 2 : 1;
  const width = (PICTURE_WIDTH - (columns - 1) * 24) / columns;
  const height = panels.length > 1 ? 240 : 380;
  const styles = new Map<string, Style>();
  for (const panel of panels)
    for (const { style } of panel.lines) styles.set(`${style.name} ${style.color} ${style.dash}`, style);
  return (
    <Picture
      title={title}
      note={note}
      address={address}
      legend={[...styles.values()].map(lineItem)}
      width={PICTURE_WIDTH}
      height={Math.ceil(panels.length / columns) * height}
    >
      {panels.map((panel, at) => (
        <g transform={`translate(${(at % columns) * (width + 24)} ${Math.floor(at / columns) * height})`}>
          <LinesDrawing
            panel={panel}
            times={times}
            unit={unit}
            ruleAtOne={ruleAtOne}
            width={width}
            height={height}
            ink={FILE_INK}
          />
        </g>
      ))}
    </Picture>
  );
}
