// Explore this against that: every result by two of its numbers.
import { useMemo } from "preact/hooks";
import type { HistoryChange, HistoryChanges } from "../api/types";
import { useApi } from "../api/use";
import { byBackend, columnStyle } from "../lib/backends";
import { type AxisChoice, changesAddress, endWord, resultMetric } from "../lib/explore";
import { count, full, plural, shown, testName, type Unit, unitOf } from "../lib/format";
import { modelHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { FilterField } from "../parts/controls";
import { Scatter, ScatterPicture, type ScatterPoint } from "../parts/scatter";
import { Backend, ErrorNote, Num, Section, Sentence, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { experimentName, spanWords } from "./explore_changes";
import { type Taken, type ViewProps, useTaken } from "./explore_parts";

type Row = { item: HistoryChange; x: number; y: number; nx: number; ny: number };

const axisWords = ({ metric, end }: AxisChoice, baseline: string): string =>
  `${resultMetric(metric).text}${metric === "speedup" ? ` over ${baseline}` : ""}, ${endWord(end)}`;

export function ScatterOf({ asked, onTaken }: ViewProps) {
  const [query, setQuery] = useQuery();
  const filter = query.get("q") ?? "";
  const { x, y } = asked;
  const across = useApi(changesAddress(asked, x.metric));
  const other = useApi(y.metric === x.metric ? null : changesAddress(asked, y.metric));
  const up = y.metric === x.metric ? across : other;
  const error = across.error ?? up.error;
  const late = across.late || up.late;
  const rows = useMemo(
    () => (across.data && up.data ? rowsOf(across.data, up.data, x, y) : []),
    [across.data, up.data, x.end, y.end],
  );
  const units = useMemo(
    () => ({
      x: axisUnit(
        across.data,
        rows.map((row) => row.x),
      ),
      y: axisUnit(
        up.data,
        rows.map((row) => row.y),
      ),
    }),
    [rows, across.data, up.data],
  );
  // One metric, one unit: the line of no change is straight then.
  const same = x.metric === y.metric;
  const unitX = units.x;
  const unitY = same ? units.x : units.y;
  const words = { x: axisWords(x, asked.baseline), y: axisWords(y, asked.baseline) };
  const accelerator = across.data?.accelerator_model ?? "";
  const drawing = useMemo(
    () => drawingOf(rows, { x: unitX, y: unitY }, words, same, accelerator),
    [rows, unitX, unitY, words.x, words.y, same, accelerator],
  );
  const filtered = useMemo(
    () =>
      rows.filter(
        ({ item }) =>
          !filter ||
          matches(
            filter,
            `${item.experiment.suite} ${item.experiment.model} ${item.experiment.column} ${testName(item.experiment.test)}`,
          ),
      ),
    [rows, filter],
  );
  const title = `${words.y.charAt(0).toUpperCase()}${words.y.slice(1)}, against ${words.x}`;
  const note = across.data
    ? `${accelerator}; first runs: ${spanWords(across.data.before)}; last runs: ${spanWords(across.data.after)}; medians over runs`
    : "";
  const taken = useMemo<Taken | null>(
    () =>
      rows.length
        ? {
            name: title,
            json: changesAddress(asked, y.metric),
            csv: changesAddress(asked, y.metric, { format: "csv" }),
            picture: (here) => <ScatterPicture title={title} note={note} address={here} {...drawing} />,
          }
        : null,
    [rows, title, note, drawing],
  );
  useTaken(taken, onTaken);
  const columns = useMemo(
    () => columnsOf(words, unitX, unitY, accelerator),
    [words.x, words.y, unitX, unitY, accelerator],
  );
  if (!across.data || !up.data)
    return error ? <ErrorNote error={error} again={across.error ? across.again : up.again} /> : <Waiting rows={12} />;
  const above = rows.filter((row) => row.y > row.x).length;
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{accelerator}</span>
          <span>first runs: {spanWords(across.data.before)}</span>
          <span>last runs: {spanWords(across.data.after)}</span>
        </div>
        <h1>
          <Sentence
            text={`${title}: ${plural(rows.length, "result")}${same && rows.length ? `, ${count(above)} above the line and ${count(rows.filter((row) => row.y < row.x).length)} below it` : ""}.`}
          />
        </h1>
      </header>
      {error && <ErrorNote error={error} again={across.again} kept />}
      <Section
        title="Drawn"
        note={
          <>
            A point a result, at its medians over the runs; hover names it, a click opens its model.
            {same && " On the line nothing differs."}
          </>
        }
      >
        {rows.length ? (
          <Scatter
            {...drawing}
            late={late}
            label={`${title}: ${plural(rows.length, "point")}; the same values are in the table below`}
          />
        ) : (
          <p class="quiet">No result has both. Choose other spans, or fewer filters.</p>
        )}
      </Section>
      <Section id="points" title="Results">
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={filtered.length}
            all={rows.length}
            what="results"
          />
        </div>
        <Table
          caption={title}
          columns={columns}
          rows={filtered}
          rowKey={({ item }) => String(item.experiment.id)}
          rowHref={({ item }) =>
            modelHref(item.experiment.suite, item.experiment.model, {
              test: item.experiment.test,
              accelerator_model: accelerator,
            })
          }
          late={late}
          empty="No result matches the filter."
        />
      </Section>
    </div>
  );
}

function axisUnit(data: HistoryChanges | null, values: number[]): Unit {
  return data?.metric === "speedup" ? { name: "×", factor: 1 } : unitOf(values, data?.unit ?? "");
}

function rowsOf(across: HistoryChanges, up: HistoryChanges, x: AxisChoice, y: AxisChoice): Row[] {
  const other = new Map(up.items.map((item) => [item.experiment.id, item]));
  return across.items.flatMap((item) => {
    const first = item[x.end];
    const second = other.get(item.experiment.id)?.[y.end];
    return first && second ? [{ item, x: first.value, y: second.value, nx: first.n, ny: second.n }] : [];
  });
}

function drawingOf(
  rows: readonly Row[],
  units: { x: Unit; y: Unit },
  words: { x: string; y: string },
  same: boolean,
  accelerator: string,
) {
  const columns = [...new Map(rows.map(({ item }) => [item.experiment.column, item.experiment.backend]))].sort(
    (a, b) => byBackend(a[1], b[1]) || (a[0] < b[0] ? -1 : 1),
  );
  const places = new Map(columns.map(([column], at) => [column, at]));
  const titled = (what: string, unit: Unit) => (unit.name ? `${what}, ${unit.name}` : what);
  const points: ScatterPoint[] = rows.map(({ item, x, y, nx, ny }) => ({
    key: String(item.experiment.id),
    x,
    y,
    group: places.get(item.experiment.column) as number,
    title: `${experimentName(item)}\n${words.x}: ${full(x * units.x.factor)} ${units.x.name} (n = ${plural(nx, "run")})\n${words.y}: ${full(y * units.y.factor)} ${units.y.name} (n = ${plural(ny, "run")})`,
    href: modelHref(item.experiment.suite, item.experiment.model, {
      test: item.experiment.test,
      accelerator_model: accelerator,
    }),
  }));
  return {
    points,
    groups: columns.map(([column, backend]) => ({ name: column, color: columnStyle(column, backend).color })),
    x: { title: titled(words.x, units.x), factor: units.x.factor },
    y: { title: titled(words.y, units.y), factor: units.y.factor },
    same,
  };
}

function columnsOf(words: { x: string; y: string }, unitX: Unit, unitY: Unit, accelerator: string): Column<Row>[] {
  const value = (key: "x" | "y", unit: Unit): Column<Row> => ({
    key,
    title: (
      <span class="clip" title={words[key]}>
        {words[key]} {unit.name}
      </span>
    ),
    label: words[key],
    width: 230,
    align: "right",
    first: "desc",
    sort: (row) => row[key],
    cell: (row) => (
      <Num
        value={row[key]}
        factor={unit.factor}
        title={`${full(row[key])}\nmedian of ${plural(key === "x" ? row.nx : row.ny, "run")}`}
      />
    ),
  });
  return [
    {
      key: "model",
      title: "Model",
      width: 220,
      sort: ({ item }) => item.experiment.model,
      cell: ({ item }) => (
        <a
          class="mono clip"
          title={item.experiment.model}
          href={modelHref(item.experiment.suite, item.experiment.model, {
            test: item.experiment.test,
            accelerator_model: accelerator,
          })}
        >
          {shown(item.experiment.model)}
        </a>
      ),
    },
    {
      key: "suite",
      title: "Suite",
      width: 120,
      sort: ({ item }) => item.experiment.suite,
      cell: ({ item }) => (
        <span class="clip" title={item.experiment.suite}>
          {shown(item.experiment.suite)}
        </span>
      ),
    },
    {
      key: "test",
      title: "Test",
      width: 88,
      sort: ({ item }) => testName(item.experiment.test),
      cell: ({ item }) => testName(item.experiment.test),
    },
    {
      key: "column",
      title: "Backend",
      width: 184,
      sort: ({ item }) => item.experiment.column,
      cell: ({ item }) => (
        <span class="clip" title={item.experiment.column}>
          <Backend name={item.experiment.column} backend={item.experiment.backend} />
        </span>
      ),
    },
    value("x", unitX),
    value("y", unitY),
    {
      key: "ratio",
      title: "up / across",
      hint: "The one by the other, in the same unit",
      width: 110,
      align: "right",
      first: "desc",
      sort: (row) => (row.x > 0 ? row.y / row.x : null),
      cell: (row) => (row.x > 0 ? <Num value={row.y / row.x} /> : null),
    },
  ];
}
