// How many results changed by how much: a histogram, and below it a strip a group with every result in it.
import { useRef } from "preact/hooks";
import { change, count } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { type Bin, type Scale, binOf, linearTicks, median, place, ratioBins } from "../lib/plot";
import { Axes, type Box, FILE_INK, type Ink, PAGE_INK, PICTURE_WIDTH, Picture, openMark } from "./drawing";

export type Tone = "worse" | "better" | "unclear";
export type Changed = { key: string; ratio: number; tone: Tone; group: number; title: string; href: string };
export type ChangedGroup = { name: string; color: string };

const TONES: Tone[] = ["unclear", "better", "worse"];
const GLYPHS: Record<Tone, string> = { worse: "▼", better: "▲", unclear: "~" };
const ROW = 26;
const HISTOGRAM = 220;

type Drawing = { items: Changed[]; groups: ChangedGroup[]; words: Record<Tone, string> };

export const distributionHeight = (groups: number): number => HISTOGRAM + 60 + groups * ROW;

const colorOf = (tone: Tone, ink: Ink): string => (tone === "unclear" ? ink.quiet : ink[tone]);

/** Ticks at round percents, of which each fits. */
function percentTicks(scale: Scale): number[] {
  const span = Math.log(scale.high / scale.low) * 100;
  const steps = linearTicks(-300, 300, 600 / Math.max(1, span / 7));
  let last = -Infinity;
  return steps
    .map((percent) => 1 + percent / 100)
    .filter((ratio) => ratio > scale.low && ratio < scale.high)
    .filter((ratio) => {
      const at = place(scale, ratio);
      if (at - last < 56 && ratio !== 1) return false;
      last = at;
      return true;
    });
}

export function DistributionDrawing({
  items,
  groups,
  width,
  ink,
  linked,
}: Drawing & { width: number; ink: Ink; linked: boolean }) {
  const bins = ratioBins(items.map((item) => item.ratio));
  const first = bins[0] as Bin | undefined;
  const last = bins[bins.length - 1] as Bin | undefined;
  if (!first || !last) return null;
  const names = Math.min(210, width * 0.3);
  const box: Box = { left: names, top: 28, right: width - 96, bottom: HISTOGRAM };
  const x: Scale = { low: first.low, high: last.high, log: true, from: box.left, to: box.right };
  const counts = bins.map(() => ({ worse: 0, better: 0, unclear: 0 }));
  for (const item of items) {
    const bin = counts[binOf(bins, item.ratio)];
    if (bin) ++bin[item.tone];
  }
  const most = Math.max(1, ...counts.map((bin) => bin.worse + bin.better + bin.unclear));
  const y: Scale = { low: 0, high: most * 1.06, log: false, from: box.bottom, to: box.top };
  const ticks = percentTicks(x);
  const inside = (ratio: number) => place(x, Math.min(last.high, Math.max(first.low, ratio)));
  const bottom = distributionHeight(groups.length) - 8;
  return (
    <g font-family={ink.sans} font-size="12">
      <Axes
        box={box}
        ink={ink}
        x={{ scale: x, ticks, show: change, title: "" }}
        y={{ scale: y, ticks: linearTicks(0, y.high, 5).filter(Number.isInteger), show: count, title: "results" }}
      />
      {bins.map((bin, at) => {
        const left = place(x, bin.low);
        const wide = Math.max(1, place(x, bin.high) - left - 1);
        let base = 0;
        const all = counts[at] as Record<Tone, number>;
        const bounds =
          bin.open === "low"
            ? `below ${change(bin.high)}`
            : bin.open === "high"
              ? `${change(bin.low)} and above`
              : `${change(bin.low)} to ${change(bin.high)}`;
        return (
          <g>
            <title>{`${bounds}: ${count(all.worse + all.better + all.unclear)}, of which ${all.worse} ${GLYPHS.worse}, ${all.better} ${GLYPHS.better}`}</title>
            {TONES.map((tone) => {
              if (all[tone] === 0) return null;
              const from = place(y, base);
              base += all[tone];
              return (
                <rect
                  x={left + 0.5}
                  width={wide}
                  y={place(y, base)}
                  height={from - place(y, base)}
                  fill={colorOf(tone, ink)}
                  fill-opacity={tone === "unclear" ? 0.45 : 0.9}
                />
              );
            })}
          </g>
        );
      })}
      <line
        x1={place(x, 1)}
        x2={place(x, 1)}
        y1={box.top}
        y2={bottom}
        stroke={ink.quiet}
        stroke-width="1"
        stroke-dasharray="3 3"
      />
      {groups.map((group, row) => {
        const own = items.filter((item) => item.group === row);
        const middle = median(own.map((item) => item.ratio));
        const at = HISTOGRAM + 44 + row * ROW;
        return (
          <g>
            <text x={box.left - 12} y={at + 4} text-anchor="end" fill={ink.text}>
              {group.name.length * 7 > names - 14
                ? `${group.name.slice(0, Math.max(4, Math.floor((names - 14) / 7) - 1))}…`
                : group.name}
            </text>
            <line x1={box.left} x2={box.right} y1={at} y2={at} stroke={ink.line} stroke-width="1" />
            {own.map((item) => {
              const place = inside(item.ratio);
              return (
                <g key={item.key} data-href={linked ? item.href : undefined}>
                  <title>{item.title}</title>
                  {item.tone === "unclear" ? (
                    <circle cx={place.toFixed(1)} cy={at} r="3" fill={group.color} fill-opacity="0.3" />
                  ) : (
                    <path
                      d={
                        item.tone === "worse"
                          ? `M${place - 4} ${at - 4}h8L${place} ${at + 4}Z`
                          : `M${place - 4} ${at + 4}h8L${place} ${at - 4}Z`
                      }
                      fill={colorOf(item.tone, ink)}
                    />
                  )}
                </g>
              );
            })}
            {middle !== null && (
              <line
                x1={inside(middle)}
                x2={inside(middle)}
                y1={at - 9}
                y2={at + 9}
                stroke={ink.text}
                stroke-width="2"
              />
            )}
            <text x={box.right + 10} y={at + 4} fill={ink.quiet}>
              {middle === null ? "n 0" : `${change(middle)}, n ${count(own.length)}`}
            </text>
          </g>
        );
      })}
    </g>
  );
}

const legendOf = ({ items, words }: Drawing) =>
  TONES.map((tone) => ({
    name: `${GLYPHS[tone]} ${words[tone]}: ${count(items.filter((item) => item.tone === tone).length)}`,
    sign: (x: number, y: number) => (
      <rect
        x={x + 6}
        y={y - 5}
        width="12"
        height="10"
        fill={colorOf(tone, FILE_INK)}
        fill-opacity={tone === "unclear" ? 0.45 : 0.9}
      />
    ),
  }));

export function DistributionPicture({
  title,
  note,
  address,
  ...drawing
}: Drawing & { title: string; note: string; address: string }) {
  const height = distributionHeight(drawing.groups.length);
  return (
    <Picture
      title={title}
      note={note}
      address={address}
      legend={legendOf(drawing)}
      width={PICTURE_WIDTH}
      height={height}
    >
      <DistributionDrawing {...drawing} width={PICTURE_WIDTH} ink={FILE_INK} linked={false} />
    </Picture>
  );
}

export function Distribution({ label, late, ...drawing }: Drawing & { label: string; late: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = distributionHeight(drawing.groups.length);
  return (
    <figure class={`drawing${late ? " late" : ""}`}>
      <div ref={box} style={{ minHeight: `${height}px` }}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={label} onClick={openMark}>
            <DistributionDrawing {...drawing} width={width} ink={PAGE_INK} linked />
          </svg>
        )}
      </div>
      <ul class="drawing-legend">
        {TONES.map((tone) => (
          <li key={tone}>
            <span class={tone} aria-hidden="true">
              {GLYPHS[tone]}
            </span>
            {drawing.words[tone]}: {count(drawing.items.filter((item) => item.tone === tone).length)}
          </li>
        ))}
        <li>
          <span aria-hidden="true">┃</span> median of a strip
        </li>
      </ul>
    </figure>
  );
}
