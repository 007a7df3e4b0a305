// Phases over runs: a stack a night for one backend, under the same time axis as the charts.
import { useMemo, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import type { PhaseName, PhasePoint, PhaseSeries, PhaseSeriesAnswer, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import { count, date, digits, duration, full, plural, runName, unitOf } from "../lib/format";
import { useWidth } from "../lib/hooks";
import type { Range } from "../lib/range";
import {
  type GroupName,
  PHASES,
  PHASE_WORDS,
  overlappedWhole,
  pointSeconds,
  pointSegments,
  ticksTo,
} from "../lib/phases";
import { go, profileHref, useQuery } from "../lib/route";
import { PLOT_LEFT, PLOT_RIGHT, fullRange, seconds } from "./chart";
import { Choice, CsvLink, Select } from "./controls";
import { PhaseLegend } from "./profile/phases";
import { ErrorNote, Missing, Num, RunLink, Section, Waiting } from "./small";
import { type Column, Table } from "./table";

type Props = { common: Record<string, string | number>; baseline: string; range: Range };

/** The series that a person asked for, else the one that tells most phases apart. */
export function chosenSeries(series: readonly PhaseSeries[], column: string | null): PhaseSeries | undefined {
  const told = (one: PhaseSeries) => Math.max(phasesTold(one, "steady"), phasesTold(one, "warmup"));
  const ordered = [...series].sort(
    (a, b) => told(b) - told(a) || byBackend(a.experiment.backend, b.experiment.backend),
  );
  return series.find((one) => keyOf(one) === column) ?? ordered[0];
}
/** How many phases beside the rest any night tells. */
export function phasesTold(series: PhaseSeries, of: GroupName): number {
  return Math.max(
    0,
    ...series.points.map((point) =>
      point ? PHASES.filter((phase) => phase !== "rest" && (pointSeconds(point[of], phase, of) ?? 0) > 0).length : 0,
    ),
  );
}
const keyOf = (one: PhaseSeries): string => `${one.experiment.column}.${one.experiment.id}`;

export function PhasesOverRuns({ common, baseline, range }: Props) {
  const [query, setQuery] = useQuery();
  const { data, late, error, again } = useApi(address("/series/phases", { ...common, baseline }));
  const chosen = data ? chosenSeries(data.series, query.get("phases")) : undefined;
  // Where steady repetitions are all rest, the warm-up has more to say.
  const usual: GroupName =
    chosen && phasesTold(chosen, "steady") === 0 && phasesTold(chosen, "warmup") > 0 ? "warmup" : "steady";
  const asked = query.get("phases_of");
  const of: GroupName = asked === "warmup" || asked === "steady" ? asked : usual;
  if (error && !data) return <ErrorNote error={error} again={again} />;
  if (!data) return <Waiting rows={4} />;
  if (!chosen) return null;
  const several = new Set(data.series.map((one) => one.experiment.column)).size < data.series.length;
  return (
    <Section
      id="phases"
      title="Phases over runs"
      note={
        of === "steady"
          ? "The median of each phase over a night's steady repetitions; medians need not add up to the whole."
          : "The sum of each phase over a night's warm-up; compiling may be inferred: the profile of a night says so."
      }
      actions={<CsvLink href={address("/series/phases", { ...common, baseline, format: "csv" })} name="phases.csv" />}
    >
      <div class="toolbar">
        <Select
          label="Backend"
          value={keyOf(chosen)}
          options={[...data.series]
            .sort((a, b) => byBackend(a.experiment.backend, b.experiment.backend))
            .map((one) => ({
              value: keyOf(one),
              text: `${one.experiment.column}${several && one.experiment.batch_size !== null ? `, batch ${one.experiment.batch_size}` : ""}`,
            }))}
          onChange={(value) => setQuery({ phases: value })}
        />
        <Choice
          label="Repetitions"
          value={of}
          options={[
            { value: "steady", text: "steady" },
            { value: "warmup", text: "warm-up" },
          ]}
          onChange={(value) => setQuery({ phases_of: value === usual ? null : value })}
        />
      </div>
      <PhaseChart runs={data.runs} series={chosen} of={of} range={range} late={late} definitions={data.definitions} />
    </Section>
  );
}

const HEIGHT = 200;
const BOTTOM = 22;
const TOP = 8;

function pointWords(run: RunRef, point: PhasePoint | null | undefined, of: GroupName): string {
  if (!point) return `${date(run.started_at)}: not timed`;
  const total = pointSeconds(point[of], "total", of);
  const phases = PHASES.map((phase) => ({ phase, value: pointSeconds(point[of], phase, of) })).filter(
    (one) => (one.value ?? 0) > 0,
  );
  const meanwhile = overlappedWhole(point, of) === null ? "" : "meanwhile ";
  return `${date(run.started_at)}: ${total === null ? "no total" : duration(total)}${phases.length ? `; ${meanwhile}${phases.map((one) => `${PHASE_WORDS[one.phase]} ${duration(one.value as number)}`).join(", ")}` : ""}`;
}

function PhaseChart({
  runs,
  series,
  of,
  range,
  late,
  definitions,
}: {
  runs: RunRef[];
  series: PhaseSeries;
  of: GroupName;
  range: Range;
  late: boolean;
  definitions: PhaseSeriesAnswer["definitions"];
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const [table, setTable] = useState(false);
  const nights = useMemo(() => {
    const { from, to } = range ?? fullRange(runs);
    return runs
      .map((run, index) => ({ run, index, time: seconds(run), point: series.points[index] ?? null }))
      .filter(({ time }) => time >= from && time <= to);
  }, [runs, series, range]);
  const { from, to } = range ?? fullRange(runs);
  const plot = Math.max(0, width - PLOT_LEFT - PLOT_RIGHT);
  const lengths = nights.map(({ point }) =>
    point
      ? Math.max(
          pointSegments(point, of).reduce((sum, one) => sum + one.seconds, 0),
          pointSeconds(point[of], "total", of) ?? 0,
        )
      : NaN,
  );
  const top = Math.max(...lengths.filter(Number.isFinite), 0) * 1.04;
  const unit = unitOf(lengths, "s");
  const x = (time: number) => PLOT_LEFT + ((time - from) / (to - from)) * plot;
  const y = (value: number) => TOP + (1 - value / (top || 1)) * (HEIGHT - TOP - BOTTOM);
  const bar = Math.max(2, Math.min(28, nights.length > 1 ? (plot / (nights.length + 1)) * 0.72 : 28));
  const wholes = nights.map(({ point }) => (point ? overlappedWhole(point, of) : null));
  const used: PhaseName[] = PHASES.filter((phase) =>
    nights.some(({ point }) => point && (pointSeconds(point[of], phase, of) ?? 0) > 0),
  );
  const place = at ?? nights.length - 1;
  const shown = nights[place];
  const every = Math.max(1, Math.ceil(nights.length / Math.max(1, plot / 72)));
  const open = (night: (typeof nights)[number] | undefined) => {
    if (!night?.point) return;
    go(profileHref(night.run.id, series.experiment.id));
    scrollTo(0, 0);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !nights.length) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight" || event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const now = at ?? nights.length;
      const next =
        event.key === "Home"
          ? 0
          : event.key === "End"
            ? nights.length - 1
            : Math.min(nights.length - 1, Math.max(0, now + (event.key === "ArrowLeft" ? -1 : 1)));
      setAt(next);
      const night = nights[next];
      if (night) setSaid(pointWords(night.run, night.point, of));
    } else if (event.key === "Enter" && at !== null) {
      open(nights[at]);
    } else if (event.key === "Escape") {
      setAt(null);
    }
  };
  if (!nights.length) return <p class="quiet">No night in this range.</p>;
  return (
    <figure class={`phase-chart${late ? " late" : ""}`}>
      <PhaseLegend
        phases={used}
        drawn={[]}
        whole={wholes.some((whole) => whole !== null) ? "level" : null}
        definitions={definitions}
      />
      <div
        ref={box}
        class="phase-plot"
        tabIndex={0}
        role="group"
        aria-label={`Phases of ${series.experiment.column} over ${plural(nights.length, "run")}. Left and right arrows move from night to night, Enter opens the profile. The same numbers are in the table below.`}
        onKeyDown={onKey}
        onMouseLeave={() => setAt(null)}
      >
        <svg width={Math.max(0, width)} height={HEIGHT} aria-hidden="true">
          {width > 0 && (
            <>
              {ticksTo(top * unit.factor, 4).map((tick) => (
                <g key={tick}>
                  <line
                    class="grid"
                    x1={PLOT_LEFT}
                    x2={width - PLOT_RIGHT}
                    y1={y(tick / unit.factor)}
                    y2={y(tick / unit.factor)}
                  />
                  <text class="tick" x={PLOT_LEFT - 8} y={y(tick / unit.factor) + 4} text-anchor="end">
                    {digits(tick)} {unit.name}
                  </text>
                </g>
              ))}
              {nights.map((night, index) => (
                <g
                  key={night.run.id}
                  class={`phase-night${index === at ? " on" : ""}`}
                  onMouseMove={() => setAt(index)}
                  onClick={() => open(night)}
                >
                  <rect
                    class="hit"
                    x={x(night.time) - bar / 2 - 1}
                    y={TOP}
                    width={bar + 2}
                    height={HEIGHT - TOP - BOTTOM}
                  />
                  {night.point ? (
                    pointSegments(night.point, of).map((segment) => (
                      <rect
                        key={segment.phase}
                        class={`phase-${segment.phase}`}
                        x={x(night.time) - bar / 2}
                        width={bar}
                        y={y(segment.from + segment.seconds)}
                        height={Math.max(0.5, y(segment.from) - y(segment.from + segment.seconds))}
                      />
                    ))
                  ) : (
                    <text class="tick" x={x(night.time)} y={y(0) - 3} text-anchor="middle">
                      ·
                    </text>
                  )}
                  {typeof wholes[index] === "number" && (
                    <line
                      class="phase-total"
                      x1={x(night.time) - bar / 2 - 2}
                      x2={x(night.time) + bar / 2 + 2}
                      y1={y(wholes[index])}
                      y2={y(wholes[index])}
                    />
                  )}
                  {index % every === 0 && (
                    <text class="tick" x={x(night.time)} y={HEIGHT - 6} text-anchor="middle">
                      {date(night.run.started_at).slice(5)}
                    </text>
                  )}
                </g>
              ))}
            </>
          )}
        </svg>
      </div>
      <span class="sr" role="status">
        {said}
      </span>
      {shown && (
        <p class="phase-now note">
          <span class="mono">{runName(shown.run)}</span>{" "}
          <span class="quiet">{at === null ? "the last night" : ""}</span>{" "}
          {pointWords(shown.run, shown.point, of).slice(12)}{" "}
          {shown.point && <a href={profileHref(shown.run.id, series.experiment.id)}>profile</a>}
        </p>
      )}
      <details class="nested" onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>The same as a table</summary>
        {table && <PhaseNights nights={nights} series={series} of={of} unit={unit} />}
      </details>
    </figure>
  );
}

type Night = { run: RunRef; index: number; time: number; point: PhasePoint | null };

function PhaseNights({
  nights,
  series,
  of,
  unit,
}: {
  nights: Night[];
  series: PhaseSeries;
  of: GroupName;
  unit: { name: string; factor: number };
}) {
  const rows = useMemo(() => [...nights].reverse(), [nights]);
  const value = (name: PhaseName | "total"): Column<Night> => ({
    key: name,
    title: `${name === "total" ? "total" : PHASE_WORDS[name]} ${unit.name}`,
    width: 116,
    align: "right",
    first: "desc",
    sort: (night) => (night.point ? pointSeconds(night.point[of], name, of) : null),
    cell: (night) => {
      const found = night.point ? pointSeconds(night.point[of], name, of) : null;
      if (!night.point) return <Missing why="not timed in this run" />;
      return found === null ? (
        <Missing
          why={
            name === "rest" && overlappedWhole(night.point, of) !== null
              ? "the phases together are longer than the whole: nothing is left over"
              : "no metric of this run tells it"
          }
        />
      ) : (
        <Num value={found} factor={unit.factor} title={`${full(found)} s; n = ${night.point[of][name].n}`} />
      );
    },
  });
  const columns: Column<Night>[] = [
    {
      key: "run",
      title: "Run",
      width: 170,
      sort: (night) => night.run.started_at,
      first: "desc",
      cell: (night) => <RunLink run={night.run} />,
    },
    value("total"),
    ...PHASES.map(value),
    {
      key: "n",
      title: "n",
      hint: "Repetitions",
      width: 60,
      align: "right",
      sort: (night) => night.point?.[of].repetitions,
      cell: (night) =>
        night.point ? (
          <span class="num">{count(night.point[of].repetitions)}</span>
        ) : (
          <Missing flush why="not timed in this run" />
        ),
    },
    {
      key: "profile",
      title: <span class="sr">profile</span>,
      width: 80,
      cell: (night) =>
        night.point ? (
          <a href={profileHref(night.run.id, series.experiment.id)}>
            profile<span class="sr"> of {runName(night.run)}</span>
          </a>
        ) : null,
    },
  ];
  return (
    <Table
      caption="Phases of all nights"
      columns={columns}
      rows={rows}
      rowKey={(night) => String(night.run.id)}
      sortKey="ps"
      orderWords="newest first"
    />
  );
}
