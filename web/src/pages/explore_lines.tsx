// Explore over runs: lines of groups or of single results; and the same as a table.
import { useMemo } from "preact/hooks";
import type { AcceleratorHistory, Mark, MetricInfo, ModelHistory, RunRef, SeriesPoint } from "../api/types";
import { useApi } from "../api/use";
import { type Style, byBackend, columnStyle, lineStyle } from "../lib/backends";
import { type Asked, RAW, historyAddress, isRaw, modelsAddress, resultMetric } from "../lib/explore";
import { change, count, digits, full, plainUnit, plural, shown, testName, type Unit, unitOf } from "../lib/format";
import {
  type Dimension,
  byGroup,
  dimensionWord,
  groupMetric,
  groupName,
  groupStyles,
  lineSeries,
  pointsOf,
  unitWord,
} from "../lib/history";
import { outcomeWord } from "../lib/outcomes";
import { useRange } from "../lib/range";
import { modelHref, runHref } from "../lib/route";
import { capital, testOrder } from "../lib/words";
import { Chart, seconds } from "../parts/chart";
import { LinesPicture } from "../parts/drawing";
import {
  ErrorNote,
  Missing,
  Num,
  RunLink,
  Section,
  Sentence,
  Spark,
  Swatch,
  Waiting,
  sparkLabel,
} from "../parts/small";
import { type Column, Table } from "../parts/table";
import { type Taken, type ViewProps, useTaken } from "./explore_parts";

/** More lines than this in one chart become a grid of charts. */
const MOST_LINES = 7;
/** More charts than this are not drawn; the table has them all. */
const MOST_PANELS = 24;
/** Columns of the table of runs. */
const MOST_COLUMNS = 24;

export type Line = {
  key: string;
  name: string;
  panel: string;
  style: Style;
  points: (SeriesPoint | null)[];
  href: string | null;
  why: (run: number) => string;
};
type Panel = { title: string; lines: Line[] };

/** What is drawn of one accelerator model. */
type Drawn = { accelerator: string; runs: RunRef[]; marks: Mark[][]; lines: Line[] };

type Said = { title: string; unit: string; better: string; note: string; isRatio: boolean };

/** Lines of one panel stand in one chart; where that would be too many for it, each has one of its own. */
export function panelsOf(lines: readonly Line[]): Panel[] {
  const panels = new Map<string, Line[]>();
  for (const line of lines) panels.set(line.panel, [...(panels.get(line.panel) ?? []), line]);
  if ([...panels.values()].every((own) => own.length <= MOST_LINES))
    return [...panels].map(([title, own]) => ({ title, lines: own }));
  return lines.map((line) => ({ title: line.name, lines: [line] }));
}

const firstAndLast = (line: Line): { first: SeriesPoint; last: SeriesPoint } | null => {
  const known = line.points.filter((point) => point !== null);
  const first = known[0];
  const last = known[known.length - 1];
  return first && last ? { first, last } : null;
};

/** How far the last value of a line is from its first, whichever way; 0 where it has but one. */
function moved(line: Line): number {
  const ends = firstAndLast(line);
  if (!ends || !(ends.first.value > 0) || !(ends.last.value > 0)) return 0;
  return Math.abs(Math.log(ends.last.value / ends.first.value));
}

export function GroupsOverRuns({ asked, onTaken }: ViewProps) {
  const address = historyAddress(asked);
  const { data, late, error, again } = useApi(address);
  const metric = groupMetric(asked.measure.key) ?? groupMetric("geomean");
  const drawn = useMemo(
    () =>
      metric
        ? (data?.accelerators ?? [])
            .filter((one) => one.groups.length > 0)
            .map((one) => groupLines(one, asked.by, metric.key))
        : [],
    [data, asked.by.join(), metric],
  );
  if (!metric) return null;
  const by = asked.by.map(dimensionWord).join(" and ");
  const said: Said = {
    title: `${capital(metric.name)}${metric.isRatio ? ` over ${asked.baseline}` : ""}${by ? `, by ${by}` : ""}`,
    unit: metric.unit,
    better: metric.better,
    note: metric.explanation,
    isRatio: metric.isRatio ?? false,
  };
  return (
    <Lines
      asked={asked}
      drawn={drawn}
      said={said}
      late={late}
      waiting={!data}
      error={error}
      again={again}
      onTaken={onTaken}
      json={address}
      csv={historyAddress(asked, { format: "csv" })}
    />
  );
}

const isOfBackend = (dimension: Dimension): boolean => dimension === "backend" || dimension === "column";

function groupLines(accelerator: AcceleratorHistory, by: Dimension[], key: string): Drawn {
  const metric = groupMetric(key);
  const drawn = accelerator.groups
    .map((group) => ({ group, points: metric ? pointsOf(group, metric) : [] }))
    .filter(({ points }) => points.some(Boolean))
    .sort((a, b) => byGroup(a.group, b.group));
  // A colour means a backend, so the other dimension makes the charts; and so it does where there are too many lines.
  const lead = by.find(isOfBackend) ?? by[0];
  const outer = by.filter((one) => one !== lead && !isOfBackend(one));
  const isSplit = outer.length > 0 && (by.some(isOfBackend) || drawn.length > MOST_LINES);
  const inner = isSplit ? by.filter((one) => !outer.includes(one)) : by;
  const styles = groupStyles(
    drawn.map(({ group }) => group),
    inner,
  );
  const places = new Map<string, number>();
  const lines = drawn.map(({ group, points }, at): Line => {
    const short = groupName(group, inner);
    if (!places.has(short)) places.set(short, places.size);
    return {
      key: groupName(group, by),
      name: groupName(group, by),
      panel: isSplit ? (outer.join() === "test" ? capital(groupName(group, outer)) : groupName(group, outer)) : "",
      // The same name has the same style in all charts of a grid.
      style:
        inner.length > 0 && inner.every(isOfBackend)
          ? (styles[at] as Style)
          : lineStyle(places.get(short) as number, short),
      points,
      href: null,
      why: (run) => (group.points[run] ? "this run does not have it" : "nothing of it in this run"),
    };
  });
  return { accelerator: accelerator.accelerator_model, runs: accelerator.runs, marks: accelerator.marks, lines };
}

export function EachOverRuns({ asked, infos, onTaken }: ViewProps & { infos: readonly MetricInfo[] }) {
  const { value, text } = resultMetric(asked.measure.key);
  const address = modelsAddress(asked, value);
  const { data, late, error, again } = useApi(address);
  const drawn = useMemo(() => (data ? [resultLines(data)] : []), [data]);
  const isAsWritten = isRaw(value);
  const explanation = isAsWritten ? infos.find((one) => RAW + one.metric === value)?.explanation : undefined;
  const said: Said = {
    title: `${isAsWritten ? text : capital(text)} of each result${value === "speedup" ? ` over ${asked.baseline}` : ""}`,
    unit: plainUnit(data?.unit ?? ""),
    better: data?.better ?? "neither",
    note:
      value === "steady"
        ? "the median after warm-up; intervals within the run"
        : value === "compile"
          ? "compiling in all repetitions; unknown where it is within noise"
          : isAsWritten
            ? `${explanation ? `${explanation}; ` : ""}the median over all samples, warm-up included; intervals within the run`
            : "over the baseline in the same run",
    isRatio: value === "speedup",
  };
  return (
    <Lines
      asked={asked}
      drawn={drawn}
      said={said}
      late={late}
      waiting={!data}
      error={error}
      again={again}
      onTaken={onTaken}
      json={address}
      csv={modelsAddress(asked, value, { format: "csv" })}
    />
  );
}

function resultLines(answer: ModelHistory): Drawn {
  const several = (pick: (one: ModelHistory["series"][number]["experiment"]) => unknown) =>
    new Set(answer.series.map((one) => pick(one.experiment))).size > 1;
  const suites = several((one) => one.suite);
  const tests = several((one) => one.test);
  const models = several((one) => `${one.suite}\n${one.model}`);
  const batches = several((one) => one.batch_size);
  const ordered = [...answer.series].sort(
    (a, b) =>
      (a.experiment.suite < b.experiment.suite ? -1 : a.experiment.suite > b.experiment.suite ? 1 : 0) ||
      (a.experiment.model < b.experiment.model ? -1 : a.experiment.model > b.experiment.model ? 1 : 0) ||
      testOrder(a.experiment.test, b.experiment.test) ||
      byBackend(a.experiment.backend, b.experiment.backend),
  );
  const lines = ordered.map(({ experiment, values, low, high, n, outcomes }): Line => {
    const model = [suites ? shown(experiment.suite) : "", shown(experiment.model)].filter(Boolean).join(" / ");
    const own = `${experiment.column}${batches && experiment.batch_size !== null ? `, batch ${experiment.batch_size}` : ""}`;
    const panel = [models ? model : "", tests ? testName(experiment.test) : ""].filter(Boolean).join(" · ");
    return {
      key: String(experiment.id),
      name: [panel, own].filter(Boolean).join(" · "),
      panel,
      style: { ...columnStyle(experiment.column, experiment.backend), name: own },
      points: values.map((value, run) =>
        value === null
          ? null
          : {
              value,
              low: low?.[run] ?? null,
              high: high?.[run] ?? null,
              n: n?.[run] ?? (answer.metric === "compile" ? 1 : 0),
              flags: [],
            },
      ),
      href: modelHref(experiment.suite, experiment.model, {
        test: experiment.test,
        accelerator_model: answer.accelerator_model,
      }),
      why: (run) => outcomeWord(outcomes[run] ?? "not_run"),
    };
  });
  return {
    accelerator: answer.accelerator_model,
    runs: answer.runs,
    marks: [],
    lines: lines.filter((line) => line.points.some(Boolean)),
  };
}

type LinesProps = {
  asked: Asked;
  drawn: Drawn[];
  said: Said;
  late: boolean;
  waiting: boolean;
  error: Parameters<typeof ErrorNote>[0]["error"] | null;
  again: () => void;
  onTaken: (taken: Taken | null) => void;
  json: string;
  csv: string;
};

function Lines({ asked, drawn, said, late, waiting, error, again, onTaken, json, csv }: LinesProps) {
  const held = useMemo(() => drawn.filter((one) => one.lines.length > 0), [drawn]);
  const unit = useMemo(
    () =>
      unitOf(
        held.flatMap((one) => one.lines.flatMap((line) => line.points.map((point) => point?.value ?? NaN))),
        said.unit,
      ),
    [held, said.unit],
  );
  const word = said.unit === "s" ? unit.name : said.unit === "" && !said.isRatio ? "" : unitWord(said.unit);
  const taken = useMemo<Taken | null>(() => {
    const first = held[0];
    if (!first) return null;
    const better = said.better === "neither" ? "" : `; ${said.better} is better`;
    return {
      name: said.title,
      json,
      csv,
      picture: (address) => (
        <LinesPicture
          title={said.title}
          note={`${first.accelerator}; ${plural(first.runs.length, "run")}${better}; ${said.note}${held.length > 1 ? "; of the first accelerator model shown" : ""}`}
          address={address}
          panels={chosenPanels(first.lines).map((panel) => ({
            title: panel.title,
            lines: panel.lines.map((line) => ({
              style: line.style,
              values: line.points.map((point) => (point ? point.value * unit.factor : null)),
              low: line.points.map((point) => (point?.low != null ? point.low * unit.factor : null)),
              high: line.points.map((point) => (point?.high != null ? point.high * unit.factor : null)),
            })),
          }))}
          times={first.runs.map(seconds)}
          unit={word}
          ruleAtOne={said.isRatio}
        />
      ),
    };
  }, [held, unit, said.title, said.note, json, csv]);
  useTaken(taken, onTaken);
  if (waiting) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={12} />;
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <h1>
          <Sentence text={linesSentence(held, said, unit, word)} />
        </h1>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {held.length === 0 && (
        <p class="quiet">No run of this span has anything of this slice. Choose fewer filters above, or more runs.</p>
      )}
      {held.map((one) => (
        <OneAccelerator
          key={one.accelerator}
          drawn={one}
          said={said}
          unit={unit}
          word={word}
          isTable={asked.view === "table"}
          late={late}
        />
      ))}
    </div>
  );
}

/** What fits on a page: of many charts those with the largest moves. */
function chosenPanels(lines: readonly Line[]): Panel[] {
  const all = panelsOf(lines);
  if (all.length <= MOST_PANELS) return all;
  const most = new Set(
    all
      .map((panel) => ({ panel, far: Math.max(...panel.lines.map(moved)) }))
      .sort((a, b) => b.far - a.far)
      .slice(0, MOST_PANELS)
      .map(({ panel }) => panel),
  );
  return all.filter((panel) => most.has(panel));
}

function linesSentence(drawn: readonly Drawn[], said: Said, unit: Unit, word: string): string {
  const first = drawn[0];
  if (!first) return `${said.title}: nothing to show.`;
  const value = (point: SeriesPoint) =>
    said.unit === "count"
      ? count(point.value)
      : `${digits(point.value * unit.factor)}${said.unit === "" ? word : ` ${word}`}`;
  const runs = plural(first.runs.length, "run");
  if (first.lines.length <= 3) {
    const parts = first.lines.map((line) => {
      const ends = firstAndLast(line);
      return ends ? `${line.name} ${value(ends.first)} → ${value(ends.last)}` : "";
    });
    return `${said.title}, ${runs}: ${parts.filter(Boolean).join("; ")}.`;
  }
  const far = [...first.lines].sort((a, b) => moved(b) - moved(a))[0] as Line;
  const ends = firstAndLast(far);
  return `${said.title}, ${runs}: ${plural(first.lines.length, "line")}${ends && moved(far) > 0 ? `; the one that moved most is ${far.name}, ${value(ends.first)} → ${value(ends.last)}` : ""}.`;
}

function OneAccelerator({
  drawn,
  said,
  unit,
  word,
  isTable,
  late,
}: {
  drawn: Drawn;
  said: Said;
  unit: Unit;
  word: string;
  isTable: boolean;
  late: boolean;
}) {
  const panels = useMemo(() => chosenPanels(drawn.lines), [drawn]);
  const [range, onRange] = useRange();
  const left = panelsOf(drawn.lines).length - panels.length;
  const better = said.better === "neither" ? "" : `; ${said.better} is better`;
  const charts = useMemo(
    () =>
      panels.map((panel) => ({
        title: panel.title || said.title,
        series: panel.lines.map((line, at) => lineSeries(at, line.style, line.points)),
      })),
    [panels, said.title],
  );
  return (
    <>
      {!isTable && (
        <Section
          title={drawn.accelerator || "no accelerator named"}
          note={<>{said.note}. Drag to zoom, double-click for all runs.</>}
        >
          <div class={panels.length > 1 ? "chart-grid" : ""}>
            {charts.map((chart) => (
              <Chart
                key={chart.title}
                title={chart.title}
                note={`${word}${better}`}
                runs={drawn.runs}
                series={chart.series}
                unit={unit}
                unitWord={word}
                height={panels.length > 1 ? 150 : 320}
                range={range}
                onRange={onRange}
                ruleAtOne={said.isRatio}
                whole={said.unit === "count"}
                late={late}
                marks={drawn.marks}
              />
            ))}
          </div>
          {left > 0 && (
            <p class="quiet note">
              {plural(left, "more chart")} of what moved less {left === 1 ? "is" : "are"} not drawn; the table has all
              of them.
            </p>
          )}
        </Section>
      )}
      {isTable || drawn.lines.length > MOST_COLUMNS ? (
        <LineTable drawn={drawn} said={said} unit={unit} word={word} late={late} />
      ) : (
        <RunTable drawn={drawn} said={said} unit={unit} word={word} late={late} />
      )}
    </>
  );
}

type TableProps = { drawn: Drawn; said: Said; unit: Unit; word: string; late: boolean };

const Value = ({ point, said, unit }: { point: SeriesPoint; said: Said; unit: Unit }) =>
  said.unit === "count" ? (
    <span class="num" title={`of ${count(point.n)}`}>
      {count(point.value)}
    </span>
  ) : (
    <Num
      value={point.value}
      factor={unit.factor}
      title={`${full(point.value)}${point.low !== null && point.high !== null ? `\n${full(point.low)} to ${full(point.high)}` : "\nno interval"}${point.n > 0 ? `\nn = ${point.n}` : ""}`}
    />
  );

/** A row a line: where it began, where it is, how it went. */
function LineTable({ drawn, said, unit, word, late }: TableProps) {
  const columns = useMemo<Column<Line>[]>(
    () => [
      {
        key: "name",
        title: "",
        label: "line",
        width: 320,
        sort: (line) => line.name,
        cell: (line) =>
          line.href ? (
            <a class="clip mono" href={line.href} title={line.name}>
              {line.name}
            </a>
          ) : (
            <span class="clip" title={line.name}>
              <Swatch style={{ ...line.style, name: line.name }} />
            </span>
          ),
      },
      {
        key: "first",
        title: <>first {word}</>,
        label: "first value",
        width: 110,
        align: "right",
        first: "desc",
        sort: (line) => firstAndLast(line)?.first.value,
        cell: (line) => endCell(line, "first", said, unit),
      },
      {
        key: "last",
        title: <>last {word}</>,
        label: "last value",
        width: 110,
        align: "right",
        first: "desc",
        sort: (line) => firstAndLast(line)?.last.value,
        cell: (line) => endCell(line, "last", said, unit),
      },
      {
        key: "interval",
        title: "interval",
        width: 130,
        cell: (line) => {
          const last = firstAndLast(line)?.last;
          return last && last.low !== null && last.high !== null ? (
            <span class="interval">
              [{digits(last.low * unit.factor)}–{digits(last.high * unit.factor)}]
            </span>
          ) : null;
        },
      },
      {
        key: "n",
        title: "n",
        width: 72,
        align: "right",
        first: "desc",
        sort: (line) => firstAndLast(line)?.last.n,
        cell: (line) =>
          (firstAndLast(line)?.last.n ?? 0) > 0 ? (
            <span class="num quiet">{count(firstAndLast(line)?.last.n ?? 0)}</span>
          ) : (
            <Missing flush why="the samples of both sides are told on the model's page" />
          ),
      },
      {
        key: "change",
        title: "change",
        hint: "From the first run that has it to the last; no verdict",
        width: 96,
        align: "right",
        first: "desc",
        sort: (line) => {
          const ends = firstAndLast(line);
          return ends && ends.first.value > 0 ? ends.last.value / ends.first.value : null;
        },
        cell: (line) => {
          const ends = firstAndLast(line);
          return ends && ends.first.value > 0 ? (
            <span class="num">{change(ends.last.value / ends.first.value)}</span>
          ) : (
            <Missing flush why="it began at nothing" />
          );
        },
      },
      {
        key: "runs",
        title: "runs",
        hint: "Runs that have it",
        width: 64,
        align: "right",
        sort: (line) => line.points.filter(Boolean).length,
        cell: (line) => <span class="num quiet">{line.points.filter(Boolean).length}</span>,
      },
      {
        key: "spark",
        title: <>over {plural(drawn.runs.length, "run")}</>,
        width: 130,
        cell: (line) => (
          <Spark
            points={line.points}
            color={line.style.color}
            dash={line.style.dash}
            label={sparkLabel(said.title, line.points, (value) => digits(value * unit.factor))}
          />
        ),
      },
    ],
    [drawn, said.title, unit, word],
  );
  return (
    <Section
      title={`${drawn.accelerator || "no accelerator named"}: ${plural(drawn.lines.length, "line")}`}
      note={said.note}
    >
      <Table
        caption={`Lines on ${drawn.accelerator}`}
        columns={columns}
        rows={drawn.lines}
        rowKey={(line) => line.key}
        rowHref={(line) => line.href}
        late={late}
      />
    </Section>
  );
}

function endCell(line: Line, end: "first" | "last", said: Said, unit: Unit) {
  const point = firstAndLast(line)?.[end];
  return point ? <Value point={point} said={said} unit={unit} /> : <Missing why="no run has it" />;
}

type RunRow = { run: RunRef; at: number };

/** A row a run, a column a line: all that the charts draw. */
function RunTable({ drawn, said, unit, word, late }: TableProps) {
  const rows = useMemo<RunRow[]>(() => drawn.runs.map((run, at) => ({ run, at })).reverse(), [drawn]);
  const columns = useMemo<Column<RunRow>[]>(
    () => [
      {
        key: "run",
        title: "Run",
        width: 170,
        sort: (row) => row.run.started_at,
        first: "desc",
        cell: (row) => <RunLink run={row.run} />,
      },
      ...drawn.lines.map(
        (line): Column<RunRow> => ({
          key: `line:${line.key}`,
          title: (
            <span class="clip" title={line.name}>
              {line.name}
            </span>
          ),
          label: line.name,
          width: Math.max(96, Math.min(220, 24 + 6.8 * line.name.length)),
          align: "right",
          first: "desc",
          sort: (row) => line.points[row.at]?.value,
          cell: (row) => {
            const point = line.points[row.at];
            return point ? <Value point={point} said={said} unit={unit} /> : <Missing why={line.why(row.at)} />;
          },
        }),
      ),
    ],
    [drawn, said.unit, unit],
  );
  return (
    <Section
      title="Values"
      note={
        <>
          {word ? `${word}; ` : ""}newest first, on {drawn.accelerator || "no accelerator named"}.
        </>
      }
    >
      <Table
        caption={`Values on ${drawn.accelerator}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.run.id)}
        rowHref={(row) => runHref(row.run)}
        sortKey="order"
        late={late}
        orderWords="newest first"
      />
    </Section>
  );
}
