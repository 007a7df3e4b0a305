// A backend or a suite: where it stands, how it came there, and every model of it in the newest run.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type {
  AcceleratorHistory,
  Cell,
  FailuresAnswer,
  HistoryGroup,
  ModelHistory,
  ModelSeries,
  ModelTable,
} from "../api/types";
import { useApi } from "../api/use";
import { waitingCount } from "../lib/alerts";
import { byBackend, columnStyle } from "../lib/backends";
import { sign } from "../lib/codes";
import {
  ago,
  change,
  count,
  duration,
  failureKind,
  full,
  hoverText,
  plural,
  shown,
  testName,
  unitOf,
} from "../lib/format";
import { byGroup, type Dimension, groupMetric, groupName, groupStyles } from "../lib/history";
import { useNow, useTitle } from "../lib/hooks";
import { OUTCOMES } from "../lib/outcomes";
import { useRange } from "../lib/range";
import { backendHref, errorHref, href, modelHref, suiteHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { capital, sliceSentence, testOrder } from "../lib/words";
import { AlertLinks } from "../parts/alert_bits";
import { Check, Choice, CsvLink, FilterField, Select } from "../parts/controls";
import { OutcomeSign } from "../parts/coverage";
import { GroupChart } from "../parts/group_chart";
import { PlainTable } from "../parts/plain_table";
import { SpeedupCell, TimeCell } from "../parts/result_cells";
import {
  Backend,
  ErrorNote,
  IntervalText,
  Missing,
  Num,
  RunLink,
  Section,
  Sentence,
  Spark,
  type SparkPoint,
  VerificationSign,
  Waiting,
  sparkLabel,
} from "../parts/small";
import { type Column, Table } from "../parts/table";

const CHARTS = ["passing", "geomean", "compile", "level", "has_timings", "failed"]
  .map(groupMetric)
  .filter((metric) => metric !== undefined);
const SPANS = ["30", "60", "180", "365"];
const SPARK_RUNS = 30;

type Kind = "backend" | "suite";

export function SlicePage({ kind, name }: { kind: Kind; name: string }) {
  const [query, setQuery] = useQuery();
  const now = useNow();
  const baseline = query.get("baseline") ?? "inductor";
  const runs = query.get("runs") ?? "60";
  const byColumn = query.get("by") === "column";
  const slice = { [kind]: name };
  const { data, late, error, again } = useApi(
    address("/history", { ...slice, baseline, runs, group_by: ["test", byColumn ? "column" : "backend"] }),
  );
  const held = useMemo(() => (data?.accelerators ?? []).filter((one) => one.groups.length > 0), [data]);
  const accelerator = held.find((one) => one.accelerator_model === query.get("accelerator_model")) ?? held[0];
  const tests = [...new Set(accelerator?.groups.map((group) => group.test ?? "") ?? [])].sort(testOrder);
  const asked = query.get("test") ?? "";
  const test = tests.includes(asked) ? asked : (tests[0] ?? "");

  const run = accelerator?.runs[accelerator.runs.length - 1];
  const on = accelerator ? { accelerator_model: accelerator.accelerator_model } : {};
  const table = useApi(run ? address("/runs/{run}/models", { run: run.id, ...slice, baseline }) : null);
  const models = useApi(
    run ? address("/history/models", { ...slice, ...on, test, runs: SPARK_RUNS, intervals: true }) : null,
  );
  const failures = useApi(run ? address("/failures", { ...slice, run: run.id }) : null);
  // A backend alone does not know the others, which it may be compared with.
  const known = useApi(
    kind === "backend" && run ? address("/history", { ...on, runs: 1, group_by: "backend" }) : null,
  ).data;
  const open = useApi(run ? address("/alerts", { ...slice, ...on, limit: 6, order: "urgency" }) : null);
  const alerts = open.data;
  useTitle(shown(name));

  if (!data || (run && !alerts && !open.error))
    return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={16} />;
  if (!accelerator || !run) {
    return (
      <div class="empty">
        <h1>
          None of the last {runs} runs holds a {kind} called {shown(name)}.
        </h1>
        <p>
          Look at the <a href="/">overview</a>, at <a href="/models">all models</a>, or search with <kbd>/</kbd>.
        </p>
      </div>
    );
  }
  const backends = [...new Set(accelerator.groups.map((group) => group.backend ?? ""))].sort(byBackend);
  const others =
    kind === "suite"
      ? backends
      : [...new Set(known?.accelerators[0]?.groups.map((group) => group.backend ?? "") ?? backends)].sort(byBackend);
  const columns = new Set(table.data?.columns.map((column) => column.key) ?? []);
  const exploreHref = href("/explore", { [kind]: name, ...on, test, runs });
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <div class="kicker">
          <span>{kind}</span>
          <span class="accel">{accelerator.accelerator_model}</span>
          <span>
            last run <RunLink run={run} /> <span class="quiet">{ago(run.started_at, now)}</span>
          </span>
          {!run.verified_at && (
            <span class="warn">
              {accelerator.groups.some((group) => (group.points[accelerator.runs.length - 1]?.stale ?? 0) > 0)
                ? "not verified: codes are of an earlier run"
                : "not verified"}
            </span>
          )}
        </div>
        <h1>
          <Sentence text={sliceSentence(name, accelerator, baseline, alerts ? waitingCount(alerts.counts) : 0)} />
        </h1>
        <div class="toolbar">
          {held.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator.accelerator_model}
              options={held.map((one) => ({ value: one.accelerator_model, text: one.accelerator_model }))}
              onChange={(value) => setQuery({ accelerator_model: value })}
            />
          )}
          {tests.length > 1 && (
            <Choice
              label="Test"
              value={test}
              options={tests.map((one) => ({ value: one, text: testName(one) }))}
              onChange={(value) => setQuery({ test: value === tests[0] ? null : value })}
            />
          )}
          <Choice
            label="Last"
            value={runs}
            options={SPANS.map((value) => ({ value, text: `${value} runs` }))}
            onChange={(value) => setQuery({ runs: value === "60" ? null : value, range: null })}
          />
          <Select
            label="Speedup over"
            value={baseline}
            options={others.map((one) => ({ value: one, text: one }))}
            onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
          />
          {(columns.size > backends.length || byColumn) && (
            <Check
              label="configurations apart"
              title="A line for each configuration of a backend"
              checked={byColumn}
              onChange={(checked) => setQuery({ by: checked ? "column" : null })}
            />
          )}
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {alerts && alerts.total > 0 && (
        <Section
          id="alerts"
          title={
            <>
              Open alerts <span class="quiet">{count(alerts.total)}</span>
            </>
          }
          note="What needs attention here, wherever it began."
        >
          <AlertLinks alerts={alerts.items} total={alerts.total} />
        </Section>
      )}
      <Charts
        accelerator={accelerator}
        test={test}
        by={byColumn ? "column" : "backend"}
        baseline={baseline}
        exploreHref={exploreHref}
      />
      <Outcomes accelerator={accelerator} by={["test", byColumn ? "column" : "backend"]} />
      <Section id="failures" title="What fails" note={<>In the newest run, by cause.</>}>
        {failures.data ? (
          <Failures answer={failures.data} late={failures.late} test={test} />
        ) : failures.error ? (
          <ErrorNote error={failures.error} again={failures.again} />
        ) : (
          <Waiting rows={3} />
        )}
      </Section>
      {table.error && !table.data ? (
        <ErrorNote error={table.error} again={table.again} />
      ) : table.data ? (
        <>
          <Configurations table={table.data} late={table.late} accelerator={accelerator.accelerator_model} />
          <Models
            kind={kind}
            name={name}
            table={table.data}
            history={models.data}
            late={table.late || models.late}
            test={test}
            baseline={baseline}
          />
        </>
      ) : (
        <Waiting rows={10} />
      )}
    </div>
  );
}

function Charts({
  accelerator,
  test,
  by,
  baseline,
  exploreHref,
}: {
  accelerator: AcceleratorHistory;
  test: string;
  by: Dimension;
  baseline: string;
  exploreHref: string;
}) {
  const groups = useMemo(
    () => accelerator.groups.filter((group) => group.test === test).sort(byGroup),
    [accelerator, test],
  );
  const styles = useMemo(() => groupStyles(groups, [by]), [groups, by]);
  const [range, onRange] = useRange();
  return (
    <Section
      id="history"
      title={
        <>
          {capital(testName(test))} over {plural(accelerator.runs.length, "run")}
        </>
      }
      note="Bands of geomeans: 95 % over models. Drag to zoom, double-click for all runs."
      actions={<a href={exploreHref}>Explore</a>}
    >
      <div class="chart-grid">
        {CHARTS.map((metric) => (
          <GroupChart
            key={metric.key}
            accelerator={accelerator}
            groups={groups}
            styles={styles}
            metric={metric}
            baseline={baseline}
            range={range}
            onRange={onRange}
          />
        ))}
      </div>
    </Section>
  );
}

/** What became of the results of the newest run, and of the run before where that differs. */
function Outcomes({ accelerator, by }: { accelerator: AcceleratorHistory; by: Dimension[] }) {
  const now = accelerator.runs.length - 1;
  const groups = accelerator.groups
    .filter((group) => group.points[now])
    .sort((a, b) => testOrder(a.test ?? "", b.test ?? "") || byGroup(a, b));
  const at = (group: HistoryGroup, run: number, outcome: string): number | undefined =>
    group.points[run]?.outcomes[outcome as "timed"];
  const seen = OUTCOMES.filter(
    (outcome) =>
      outcome === "timed" ||
      groups.some((group) => (at(group, now, outcome) ?? 0) > 0 || (at(group, now - 1, outcome) ?? 0) > 0),
  );
  return (
    <Section
      id="coverage"
      title="What became of the results"
      note="Of the newest run; beside it what is different from the run before."
    >
      <PlainTable
        caption="Outcomes of the newest run"
        heads={[
          { title: "" },
          ...seen.map((outcome) => ({ title: <OutcomeSign outcome={outcome} swatch />, right: true })),
          { title: "all", right: true },
        ]}
      >
        <tbody>
          {groups.map((group) => (
            <tr key={groupName(group, by)}>
              <th scope="row">
                {testName(group.test ?? "")}{" "}
                <Backend name={group.column ?? group.backend ?? ""} backend={group.backend ?? ""} />
              </th>
              {seen.map((outcome) => {
                const value = at(group, now, outcome) ?? 0;
                const before = at(group, now - 1, outcome);
                const more = before === undefined ? 0 : value - before;
                return (
                  <td
                    class="right"
                    key={outcome}
                    title={before === undefined ? "the run before has nothing of it" : `${before} in the run before`}
                  >
                    <span class={value === 0 ? "num quiet" : "num"}>{count(value)}</span>
                    {more !== 0 && (
                      <span class="quiet">
                        {" "}
                        ({more > 0 ? "+" : "−"}
                        {count(Math.abs(more))})
                      </span>
                    )}
                  </td>
                );
              })}
              <td class="right">
                <span class="num">{count(group.points[now]?.total ?? 0)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}

function Failures({ answer, late, test }: { answer: FailuresAnswer; late: boolean; test: string }) {
  const items = answer.items
    .map((item) => ({ ...item, experiments: item.experiments.filter((experiment) => experiment.test === test) }))
    .filter((item) => item.experiments.length > 0)
    .sort((a, b) => b.experiments.length - a.experiments.length);
  const skipped = items
    .filter((item) => item.kind === "skipped")
    .reduce((sum, item) => sum + item.experiments.length, 0);
  const failed = items.filter((item) => item.kind !== "skipped");
  const aside =
    skipped > 0 ? ` ${plural(skipped, "result")} ${skipped === 1 ? "was" : "were"} skipped on purpose.` : "";
  if (!failed.length)
    return (
      <p class="quiet">
        Nothing of {testName(test)} failed in this run.{aside}
      </p>
    );
  const most = 5;
  return (
    <>
      <PlainTable
        caption={`Failures of ${testName(test)} by cause`}
        class="failure-table"
        late={late}
        heads={[{ title: "Results", right: true }, { title: "Kind" }, { title: "Cause" }, { title: "Models" }]}
      >
        <tbody>
          {failed.map((item) => (
            <tr key={item.signature + item.kind}>
              <td class="right">
                <strong class="num">{count(item.experiments.length)}</strong>
              </td>
              <td class="quiet">{failureKind(item.kind)}</td>
              <th scope="row">
                <a class="mono clip" href={errorHref(item.signature)} title={hoverText(item.signature)}>
                  {item.signature}
                </a>
              </th>
              <td>
                <ModelNames experiments={item.experiments} most={most} />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {aside && <p class="quiet note">{aside}</p>}
    </>
  );
}

/** Models once each, with all configurations on hover. */
function ModelNames({
  experiments,
  most,
}: {
  experiments: FailuresAnswer["items"][number]["experiments"];
  most: number;
}) {
  const models = new Map<string, typeof experiments>();
  for (const one of experiments)
    models.set(`${one.suite}\n${one.model}`, [...(models.get(`${one.suite}\n${one.model}`) ?? []), one]);
  return (
    <>
      {[...models.values()].slice(0, most).map((all, place) => {
        const one = all[0] as (typeof experiments)[number];
        return (
          <span key={one.id}>
            {place > 0 && ", "}
            <a
              class="mono"
              href={modelHref(one.suite, one.model, { test: one.test, accelerator_model: one.accelerator_model })}
              title={all.map(({ column }) => column).join("\n")}
            >
              {shown(one.model)}
            </a>
          </span>
        );
      })}
      {models.size > most && <span class="quiet"> and {models.size - most} more</span>}
    </>
  );
}

/** Every configuration of the slice in the newest run, test by test. */
function Configurations({ table, late, accelerator }: { table: ModelTable; late: boolean; accelerator: string }) {
  const rows = table.geomeans
    .map((item) => {
      const cells = table.rows
        .filter((row) => row.test === item.test)
        .map((row) => row.cells[item.column])
        .filter((cell) => cell !== undefined);
      return { item, all: cells.length, timed: cells.filter((cell) => cell.status === "timed").length };
    })
    .sort(
      (a, b) =>
        testOrder(a.item.test, b.item.test) ||
        byBackend(a.item.backend, b.item.backend) ||
        (a.item.column < b.item.column ? -1 : 1),
    );
  return (
    <Section
      id="configurations"
      title="Configurations"
      note={<>In the newest run; geomean speedup over {table.baseline.backend}, 95 % over models.</>}
    >
      <PlainTable
        caption="Configurations in the newest run"
        late={late}
        heads={[
          { title: "Configuration" },
          { title: "Test" },
          { title: "Timed", right: true },
          { title: "of", right: true },
          { title: "Geomean ×", right: true },
          { title: "" },
          { title: "n", right: true },
        ]}
      >
        <tbody>
          {rows.map(({ item, all, timed }) => (
            <tr key={`${item.test} ${item.column}`}>
              <th scope="row">
                <a href={backendHref(item.backend, { accelerator_model: accelerator })}>
                  <Backend name={item.column} backend={item.backend} />
                </a>
              </th>
              <td>{testName(item.test)}</td>
              <td class="right">
                <span class="num">{count(timed)}</span>
              </td>
              <td class="right">
                <span class="num quiet">{count(all)}</span>
              </td>
              <td class="right">
                {item.all.value === null ? (
                  <Missing why={item.backend === table.baseline.backend ? "the baseline" : "no model has a speedup"} />
                ) : (
                  <Num value={item.all.value} />
                )}
              </td>
              <td>
                <IntervalText interval={item.all.interval} />
              </td>
              <td class="right quiet">{item.all.n > 0 ? count(item.all.n) : ""}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}

type Row = {
  key: string;
  suite: string;
  model: string;
  test: string;
  batch: number | null;
  column: string;
  backend: string;
  cell: Cell;
  series: ModelSeries | undefined;
};

/** The last two runs of a result; none unless both have it. */
function lastChange(
  series: ModelSeries | undefined,
): { before: number; now: number; apart: boolean; ratio: number } | null {
  if (!series) return null;
  const end = series.values.length - 1;
  const now = series.values[end];
  const before = series.values[end - 1];
  if (now == null || before == null || !(before > 0)) return null;
  const low = (at: number) => series.low?.[at] ?? null;
  const high = (at: number) => series.high?.[at] ?? null;
  const above = (a: number | null, b: number | null) => a !== null && b !== null && a > b;
  return { before, now, ratio: now / before, apart: above(low(end), high(end - 1)) || above(low(end - 1), high(end)) };
}

/** Wrong first, then what failed, then what became slower. */
function wanting(row: Row): number {
  const code = row.cell.verification;
  const loud = code ? sign(code.code).rank * (code.stale ? 0.9 : 1) : 0;
  const change = lastChange(row.series);
  return Math.max(loud, row.cell.status === "failed" ? 4.5 : 0) * 1000 + (change?.apart ? Math.log(change.ratio) : 0);
}

const wantingFirst = (rows: Row[]): Row[] =>
  rows
    .map((row) => ({ row, loud: wanting(row) }))
    .sort((a, b) => b.loud - a.loud)
    .map(({ row }) => row);

function rowsOf(table: ModelTable, history: ModelHistory | null, test: string): Row[] {
  const series = new Map(
    history?.runs[history.runs.length - 1]?.id === table.run.id
      ? history?.series.map((one) => [one.experiment.id, one])
      : [],
  );
  return table.rows
    .filter((row) => row.test === test)
    .flatMap((row) =>
      table.columns
        .filter((column) => row.cells[column.key])
        .map((column) => {
          const cell = row.cells[column.key] as Cell;
          return {
            key: String(cell.experiment_id),
            suite: row.suite,
            model: row.model,
            test: row.test,
            batch: row.batch_size,
            column: column.key,
            backend: column.backend,
            cell,
            series: series.get(cell.experiment_id),
          };
        }),
    );
}

const sparkPoints = (series: ModelSeries): SparkPoint[] =>
  series.values.map((value, place) =>
    value === null ? null : { value, low: series.low?.[place] ?? null, high: series.high?.[place] ?? null },
  );

function Models({
  kind,
  name,
  table,
  history,
  late,
  test,
  baseline,
}: {
  kind: Kind;
  name: string;
  table: ModelTable;
  history: ModelHistory | null;
  late: boolean;
  test: string;
  baseline: string;
}) {
  const [query, setQuery] = useQuery();
  const filter = query.get("q") ?? "";
  const all = useMemo(() => rowsOf(table, history, test), [table, history, test]);
  const rows = useMemo(
    () => all.filter((row) => !filter || matches(filter, `${row.suite} ${row.model} ${row.column}`)),
    [all, filter],
  );
  const columns = useMemo(() => modelColumns(kind, all, table), [kind, all, table]);
  return (
    <Section
      id="models"
      title={<>Models, {testName(test)}</>}
      note={
        <>
          Steady time of the newest run. ▼ ▲ : the intervals within the two runs lie apart; that is no verdict,{" "}
          <a href="/alerts">alerts</a> are.
        </>
      }
      actions={
        <CsvLink
          href={address("/runs/{run}/models", { run: table.run.id, [kind]: name, test, baseline, format: "csv" })}
          name={`${name}-${test}.csv`}
        />
      }
    >
      <div class="toolbar">
        <FilterField
          value={filter}
          onChange={(value) => setQuery({ q: value || null }, true)}
          shown={rows.length}
          all={all.length}
          what="results"
        />
      </div>
      <Table
        caption={`Models of ${kind} ${name}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.key}
        rowHref={(row) =>
          modelHref(row.suite, row.model, { test: row.test, accelerator_model: table.run.accelerator_model })
        }
        order={wantingFirst}
        orderWords="worst first"
        late={late}
        empty={filter ? "No model matches the filter." : "Nothing of this test in the newest run."}
      />
    </Section>
  );
}

function modelColumns(kind: Kind, rows: Row[], table: ModelTable): Column<Row>[] {
  const unit = unitOf(
    rows.map((row) => row.cell.time?.value ?? NaN),
    "s",
  );
  const compileUnit = unitOf(
    rows.map((row) => row.cell.compile ?? NaN),
    "s",
  );
  const several = (pick: (row: Row) => string | number | null) => new Set(rows.map(pick)).size > 1;
  const columns: Column<Row>[] = [
    {
      key: "model",
      title: "Model",
      width: 200,
      sort: (row) => row.model,
      cell: (row) => (
        <a
          class="mono clip"
          title={row.model}
          href={modelHref(row.suite, row.model, { test: row.test, accelerator_model: table.run.accelerator_model })}
        >
          {shown(row.model)}
        </a>
      ),
    },
  ];
  if (kind === "backend") {
    columns.push({
      key: "suite",
      title: "Suite",
      width: 120,
      sort: (row) => row.suite,
      cell: (row) => (
        <a
          class="clip"
          href={suiteHref(row.suite, { test: row.test, accelerator_model: table.run.accelerator_model })}
          title={row.suite}
        >
          {shown(row.suite)}
        </a>
      ),
    });
  }
  if (several((row) => row.column)) {
    columns.push({
      key: "column",
      title: "Backend",
      width: 190,
      sort: (row) => row.column,
      cell: (row) => (
        <a
          class="clip"
          href={backendHref(row.backend, { test: row.test, accelerator_model: table.run.accelerator_model })}
          title={row.column}
        >
          <Backend name={row.column} backend={row.backend} />
        </a>
      ),
    });
  }
  if (several((row) => row.batch))
    columns.push({
      key: "batch",
      title: "Batch",
      width: 64,
      align: "right",
      sort: (row) => row.batch,
      cell: (row) =>
        row.batch === null ? <Missing flush why="batch size unknown" /> : <span class="num">{row.batch}</span>,
    });
  columns.push(
    {
      key: "code",
      title: "✓",
      label: "verification",
      hint: "Verification; outlined: older than this run",
      width: 62,
      align: "center",
      first: "desc",
      sort: (row) => (row.cell.verification ? sign(row.cell.verification.code).rank : null),
      cell: (row) => (
        <VerificationSign
          verification={row.cell.verification}
          why={row.backend === "eager" ? "eager is what the others are verified against" : "never verified"}
        />
      ),
    },
    {
      key: "time",
      title: <>time {unit.name}</>,
      label: "steady time",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.cell.time?.value,
      cell: (row) => <TimeCell cell={row.cell} unit={unit} />,
    },
    {
      key: "change",
      title: "since the run before",
      label: "change of steady time since the run before",
      width: 140,
      align: "right",
      first: "desc",
      sort: (row) => lastChange(row.series)?.ratio,
      cell: (row) => <ChangeCell row={row} />,
    },
    {
      key: "speedup",
      title: "speedup ×",
      label: `speedup over ${table.baseline.backend}`,
      width: 96,
      align: "right",
      sort: (row) => row.cell.speedup?.value,
      cell: (row) => <SpeedupCell cell={row.cell} />,
    },
    {
      key: "compile",
      title: <>compile {compileUnit.name}</>,
      label: "compile time",
      width: 108,
      align: "right",
      first: "desc",
      sort: (row) => row.cell.compile,
      cell: (row) =>
        row.cell.compile === null ? (
          <Missing why="no compile time: nothing compiles, all of it is within noise, or it was not timed" />
        ) : (
          <Num value={row.cell.compile} factor={compileUnit.factor} />
        ),
    },
    {
      key: "history",
      title: `last ${SPARK_RUNS} runs`,
      label: "steady time over runs",
      width: 120,
      cell: (row) => {
        if (!row.series) return null;
        const { color, dash } = columnStyle(row.column, row.backend);
        const points = sparkPoints(row.series);
        return <Spark points={points} color={color} dash={dash} label={sparkLabel("steady time", points, duration)} />;
      },
    },
  );
  return columns;
}

function ChangeCell({ row }: { row: Row }) {
  const found = lastChange(row.series);
  if (!found) return <Missing why={row.series ? "one of the two runs has no time" : "the history is on its way"} />;
  const tone = !found.apart ? "unclear" : found.ratio > 1 ? "worse" : "better";
  const glyph = tone === "worse" ? "▼" : tone === "better" ? "▲" : "~";
  return (
    <span
      class="speedup"
      title={`${full(found.before)} s → ${full(found.now)} s\n${found.apart ? "the intervals within the two runs lie apart" : "the intervals within the two runs overlap, or one has none"}`}
      data-text={`${glyph} ${change(found.ratio)}`}
    >
      <span class={`mark ${tone}`} aria-hidden="true">
        {glyph}
      </span>
      <span class="num">{change(found.ratio)}</span>
      <span class="sr">{tone === "worse" ? "slower" : tone === "better" ? "faster" : "unclear"}</span>
    </span>
  );
}
