// This against that: a point a result. A shape and a colour a backend, so that neither is the only sign.
import { useRef } from "preact/hooks";
import { digits } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { type Scale, extent, place } from "../lib/plot";
import {
  Axes,
  type Box,
  type Ink,
  type LegendItem,
  PAGE_INK,
  Picture,
  FILE_INK,
  PICTURE_WIDTH,
  openMark,
  ticksOf,
} from "./drawing";

export type ScatterGroup = { name: string; color: string };
export type ScatterPoint = { key: string; x: number; y: number; group: number; title: string; href: string };
export type ScatterAxis = { title: string /** From the values' unit to the one shown. */; factor: number };

const SHAPES = 5;

/** A mark of about equal weight in each of a few shapes. */
export function PointMark({
  shape,
  x,
  y,
  color,
  size = 3.4,
}: {
  shape: number;
  x: number;
  y: number;
  color: string;
  size?: number;
}) {
  const s = size * 1.15;
  const at = (path: string) => <path d={path} fill={color} fill-opacity="0.65" stroke={color} stroke-width="0.75" />;
  switch (shape % SHAPES) {
    case 0:
      return (
        <circle
          cx={x.toFixed(1)}
          cy={y.toFixed(1)}
          r={size}
          fill={color}
          fill-opacity="0.65"
          stroke={color}
          stroke-width="0.75"
        />
      );
    case 1:
      return at(`M${x - s} ${y + s}h${2 * s}L${x} ${y - s}Z`);
    case 2:
      return at(`M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}Z`);
    case 3:
      return at(`M${x} ${y - s * 1.3}L${x + s * 1.3} ${y}L${x} ${y + s * 1.3}L${x - s * 1.3} ${y}Z`);
    default:
      return at(`M${x - s} ${y - s}h${2 * s}L${x} ${y + s}Z`);
  }
}

export const pointItem = (group: ScatterGroup, shape: number): LegendItem => ({
  name: group.name,
  sign: (x, y) => <PointMark shape={shape} x={x + 12} y={y} color={group.color} size={4.5} />,
});

type Drawing = {
  points: ScatterPoint[];
  groups: ScatterGroup[];
  x: ScatterAxis;
  y: ScatterAxis;
  /** Both axes show the same: equal scales, and a line where nothing changed. */
  same: boolean;
};

export function ScatterDrawing({
  points,
  groups,
  x,
  y,
  same,
  width,
  height,
  ink,
  linked,
}: Drawing & { width: number; height: number; ink: Ink; linked: boolean }) {
  const box: Box = { left: 68, top: 28, right: width - 14, bottom: height - 46 };
  const positive = points.every((point) => point.x > 0 && point.y > 0);
  const across = points.map((point) => point.x * x.factor);
  const up = points.map((point) => point.y * y.factor);
  const both = extent([...across, ...up], positive);
  const scaleX: Scale = { ...(same ? both : extent(across, positive)), log: positive, from: box.left, to: box.right };
  const scaleY: Scale = { ...(same ? both : extent(up, positive)), log: positive, from: box.bottom, to: box.top };
  const scales = positive ? ", logarithmic" : "";
  return (
    <g>
      <Axes
        box={box}
        ink={ink}
        x={{ scale: scaleX, ticks: ticksOf(scaleX, 70), show: digits, title: x.title + scales }}
        y={{ scale: scaleY, ticks: ticksOf(scaleY, 40), show: digits, title: y.title + scales }}
      />
      {same && (
        <line
          x1={place(scaleX, both.low)}
          y1={place(scaleY, both.low)}
          x2={place(scaleX, both.high)}
          y2={place(scaleY, both.high)}
          stroke={ink.quiet}
          stroke-width="1"
        />
      )}
      {points.map((point, at) => {
        const group = groups[point.group] as ScatterGroup;
        const mark = (
          <PointMark
            shape={point.group}
            x={place(scaleX, across[at] as number)}
            y={place(scaleY, up[at] as number)}
            color={group.color}
          />
        );
        return (
          <g key={point.key} data-href={linked ? point.href : undefined}>
            <title>{point.title}</title>
            {mark}
          </g>
        );
      })}
    </g>
  );
}

export function ScatterPicture({
  title,
  note,
  address,
  ...drawing
}: Drawing & { title: string; note: string; address: string }) {
  return (
    <Picture
      title={title}
      note={note}
      address={address}
      legend={drawing.groups.map(pointItem)}
      width={PICTURE_WIDTH}
      height={560}
    >
      <ScatterDrawing {...drawing} width={PICTURE_WIDTH} height={560} ink={FILE_INK} linked={false} />
    </Picture>
  );
}

export function Legend({ items }: { items: LegendItem[] }) {
  return (
    <ul class="drawing-legend">
      {items.map((item) => (
        <li key={item.name}>
          <svg width="26" height="12" aria-hidden="true">
            {item.sign(1, 6)}
          </svg>
          <span class="mono">{item.name}</span>
        </li>
      ))}
    </ul>
  );
}

export function Scatter({ label, late, ...drawing }: Drawing & { label: string; late: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = Math.max(320, Math.min(560, width * 0.62));
  return (
    <figure class={`drawing${late ? " late" : ""}`}>
      <div ref={box} style={{ minHeight: `${height}px` }}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={label} onClick={openMark}>
            <ScatterDrawing {...drawing} width={width} height={height} ink={PAGE_INK} linked />
          </svg>
        )}
      </div>
      <Legend items={drawing.groups.map(pointItem)} />
    </figure>
  );
}
