// One run: a row a model and test, and for each backend its verification, time and speedup.
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import { useRuns } from "../api/pages";
import type { Cell, ColumnGeomean, ModelRow, ModelTable, Run } from "../api/types";
import { useApi } from "../api/use";
import { NOT_WITHDRAWN } from "../lib/alerts";
import { byBackend, columnStyle } from "../lib/backends";
import { sign } from "../lib/codes";
import { compareHref } from "../lib/compare";
import { count, date, plural, reasonCounted, runName, shown, testName, unitOf } from "../lib/format";
import { useNow, usePlainKeys, useTitle } from "../lib/hooks";
import { go, grouped, href, modelHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { capital, runSentence, testsOf } from "../lib/words";
import { AlertLinks } from "../parts/alert_bits";
import { Check, Choice, CsvLink, FilterField, Menu, Options, Select, runChoices } from "../parts/controls";
import { NightMarks } from "../parts/marks";
import { QualityOfNight } from "../parts/night_quality";
import { PlainTable } from "../parts/plain_table";
import { SpeedupCell, TimeCell } from "../parts/result_cells";
import {
  Backend,
  ErrorNote,
  IntervalText,
  Labels,
  Missing,
  Num,
  Section,
  Sentence,
  Suite,
  Time,
  VerificationSign,
  Waiting,
  Whisker,
  ratioDomain,
} from "../parts/small";
import { type Column, type ColumnGroup, Table } from "../parts/table";

const PARTS = [
  { key: "time", text: "time" },
  { key: "compile", text: "compile time" },
  { key: "speedup", text: "speedup" },
  { key: "interval", text: "interval, drawn" },
];
const HIDDEN_AT_FIRST = "compile";
const BASELINE_RUNS = [
  { value: "same", text: "the same" },
  { value: "oldest", text: "the oldest" },
  { value: "latest", text: "the latest" },
];

/** How much a row wants to be seen: wrong results, then failures, then the slowest against the baseline. */
export function badness(row: ModelRow): number {
  let loud = 0;
  let slow = 0;
  for (const cell of Object.values(row.cells)) {
    if (cell.verification)
      loud = Math.max(loud, sign(cell.verification.code).rank * (cell.verification.stale ? 0.9 : 1));
    if (cell.status === "failed") loud = Math.max(loud, 4.5);
    if (cell.speedup) slow = Math.max(slow, -Math.log(cell.speedup.value));
  }
  return loud * 1000 + slow;
}

export const worstFirst = (rows: ModelRow[]): ModelRow[] =>
  rows
    .map((row) => ({ row, bad: badness(row) }))
    .sort((a, b) => b.bad - a.bad)
    .map(({ row }) => row);

/** The first moment that is sure to be behind a time: what the server keeps may be finer than a millisecond. */
const instantAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

export function RunPage({ id }: { id: string }) {
  const [query, setQuery] = useQuery();
  const now = useNow();
  const baseline = query.get("baseline") ?? "inductor";
  const baselineRun = query.get("baseline_run") ?? "same";
  const estimator = query.get("estimator") ?? "steady";
  const verifiedOnly = query.get("verified_only") === "true";
  const choices = { baseline, baseline_run: baselineRun, estimator, verified_only: verifiedOnly };
  const { data, late, error, again } = useApi(address("/runs/{run}/models", { run: id, ...choices }));
  const runs = useRuns(data ? data.run.accelerator_model : null);

  const dumps = useApi(data ? address("/artifacts", { run: data.run.id, superseded: "false", limit: 1 }) : null);

  const began = useApi(
    data
      ? address("/alerts", {
          state: NOT_WITHDRAWN,
          accelerator_model: data.run.accelerator_model,
          since: data.run.started_at,
          until: instantAfter(data.run.started_at),
          limit: 100,
          order: "urgency",
        })
      : null,
  );

  const test = query.get("test") ?? "";
  const filter = query.get("q") ?? "";
  const group = query.get("group") ?? "";
  const hidden = (query.get("hide") ?? HIDDEN_AT_FIRST).split(",").filter((key) => key && key !== "none");
  useTitle(data ? `Run ${runName(data.run)}` : "Run");

  const runOptions = useMemo(() => runChoices(runs.data?.items, data?.run), [runs.data, data?.run.id]);
  const baselineOptions = useMemo(() => [...BASELINE_RUNS, ...runOptions], [runOptions]);
  const place = runs.data?.items.findIndex((run) => run.id === data?.run.id) ?? -1;
  const known = place >= 0 ? runs.data?.items[place] : undefined;
  const newer = place > 0 ? runs.data?.items[place - 1] : undefined;
  const older = place >= 0 ? runs.data?.items[place + 1] : undefined;
  const toRun = (run: Run) => go(href(`/runs/${run.id}`, grouped(query)));
  usePlainKeys((event) => {
    if (event.key === "[" && older) toRun(older);
    if (event.key === "]" && newer) toRun(newer);
  });

  const allRows = useMemo(() => data?.rows ?? [], [data]);
  const rows = useMemo(
    () =>
      allRows.filter(
        (row) =>
          (!test || row.test === test) &&
          (!filter || matches(filter, `${row.suite} ${row.model} ${row.test} ${testName(row.test)}`)),
      ),
    [allRows, test, filter],
  );
  const backends = useMemo(
    () => (data ? [...data.columns].sort((a, b) => byBackend(a.backend, b.backend) || (a.key < b.key ? -1 : 1)) : []),
    [data],
  );
  const columns = useMemo(() => (data ? tableColumns(data, backends, hidden) : null), [data, backends, hidden.join()]);
  const grouper = useMemo(
    () =>
      group === "suite"
        ? (row: ModelRow) => row.suite
        : group === "test"
          ? (row: ModelRow) => testName(row.test)
          : null,
    [group],
  );

  // What stands above the table is there when the table comes: nothing is pushed down under somebody's hands.
  if (!data || !columns || (!began.data && !began.error))
    return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={16} />;
  const tests = testsOf(allRows);
  const alerts = began.late ? [] : (began.data?.items ?? []);
  const alertCount = began.data?.total ?? alerts.length;
  const hide = (key: string, on: boolean) => {
    const next = on ? hidden.filter((one) => one !== key) : [...hidden, key];
    setQuery({ hide: next.length === 0 ? "none" : next.join(",") === HIDDEN_AT_FIRST ? null : next.join(",") });
  };
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{data.run.accelerator_model}</span>
          <Time at={data.run.started_at} now={now} />
          <span>
            {data.run.verified_at ? (
              <>
                verified <Time at={data.run.verified_at} />
              </>
            ) : (
              <span class="warn">
                {allRows.some((row) => Object.values(row.cells).some((cell) => cell.verification?.stale))
                  ? "not verified: codes are of an earlier run"
                  : "not verified"}
              </span>
            )}
          </span>
          <QualityOfNight run={data.run} always />
          {older && (
            <a
              data-compare
              href={compareHref(older, data.run, baseline === "inductor" ? {} : { baseline })}
              title="What is worse, better or missing against the run before (c)"
            >
              compare with the run before
            </a>
          )}
          {dumps.data && dumps.data.items.length > 0 && (
            <a href={href("/artifacts", { run: String(data.run.id) })}>dumps of this run</a>
          )}
          <Labels labels={data.run.labels} />
        </div>
        <h1>
          <Sentence text={runSentence(data)} />
        </h1>
        <div class="toolbar">
          <div class="field">
            <span aria-hidden="true">Run</span>
            <div class="stepper">
              {older ? (
                <a
                  class="button"
                  href={href(`/runs/${older.id}`, grouped(query))}
                  title={`Previous run, ${date(older.started_at)} ([)`}
                  aria-label="Previous run"
                >
                  ‹
                </a>
              ) : (
                <span class="button off" aria-hidden="true">
                  ‹
                </span>
              )}
              <select
                aria-label="Run"
                value={String(data.run.id)}
                onChange={(event) => go(href(`/runs/${event.currentTarget.value}`, grouped(query)))}
              >
                <Options options={runOptions} />
              </select>
              {newer ? (
                <a
                  class="button"
                  href={href(`/runs/${newer.id}`, grouped(query))}
                  title={`Next run, ${date(newer.started_at)} (])`}
                  aria-label="Next run"
                >
                  ›
                </a>
              ) : (
                <span class="button off" aria-hidden="true">
                  ›
                </span>
              )}
            </div>
          </div>
          <Select
            label="Speedup over"
            value={baseline}
            options={[...new Set(backends.map((column) => column.backend))].map((name) => ({
              value: name,
              text: name,
            }))}
            onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
          />
          <Select
            label="of run"
            value={baselineRun}
            options={baselineOptions}
            onChange={(value) => setQuery({ baseline_run: value === "same" ? null : value })}
          />
          <Choice
            label="Time is"
            value={estimator}
            options={[
              { value: "steady", text: "steady" },
              { value: "upstream", text: "upstream" },
            ]}
            onChange={(value) => setQuery({ estimator: value === "steady" ? null : value })}
          />
          <Check
            label="verified only"
            title="Speedups only of what verification says is right"
            checked={verifiedOnly}
            onChange={(on) => setQuery({ verified_only: on ? "true" : null })}
          />
          {known && <NightMarks key={known.id} run={known} />}
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept={data !== null} />}
      {alerts.length > 0 && (
        <Section
          id="alerts"
          title={
            <>
              Began with this run <span class="quiet">{plural(alertCount, "alert")}</span>
            </>
          }
        >
          <AlertLinks alerts={alerts} total={alertCount} />
        </Section>
      )}

      <Section
        id="geomeans"
        title="Geomean speedup"
        note={
          <>
            Interval: 95 % over models. Matched: only the models that every backend of the test has a speedup for, so
            that backends can be compared.
          </>
        }
      >
        <Geomeans table={data} late={late} />
      </Section>

      <Section
        id="models"
        title="Models"
        note={
          <>
            {estimator === "steady"
              ? "Steady time: median without warm-up"
              : "Upstream's time: mean of total_time without the first 3"}
            ; [intervals] within the run. * : see the hover.
          </>
        }
        actions={
          <CsvLink
            href={address("/runs/{run}/models", { run: data.run.id, ...choices, format: "csv" })}
            name={`${data.run.name}.csv`}
          />
        }
      >
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={allRows.length}
            what="rows"
          />
          <Choice
            label="Test"
            value={test}
            options={[{ value: "", text: "all" }, ...tests.map((name) => ({ value: name, text: testName(name) }))]}
            onChange={(value) => setQuery({ test: value || null })}
          />
          <Choice
            label="Group by"
            value={group}
            options={[
              { value: "", text: "none" },
              { value: "suite", text: "suite" },
              { value: "test", text: "test" },
            ]}
            onChange={(value) => setQuery({ group: value || null })}
          />
          <Menu label="Columns">
            <fieldset>
              <legend>For each backend</legend>
              {PARTS.map((part) => (
                <Check
                  key={part.key}
                  label={part.text}
                  checked={!hidden.includes(part.key)}
                  onChange={(on) => hide(part.key, on)}
                />
              ))}
            </fieldset>
            <fieldset>
              <legend>Backends</legend>
              {backends.map((column) => (
                <Check
                  key={column.key}
                  label={column.key}
                  checked={!hidden.includes(column.key)}
                  onChange={(on) => hide(column.key, on)}
                />
              ))}
            </fieldset>
          </Menu>
        </div>
        <Table
          caption={`Models of run ${runName(data.run)}`}
          columns={columns.columns}
          groups={columns.groups}
          rows={rows}
          rowKey={(row) => `${row.suite}\n${row.model}\n${row.test}\n${row.batch_size}`}
          rowHref={(row) =>
            modelHref(row.suite, row.model, { test: row.test, accelerator_model: data.run.accelerator_model })
          }
          order={worstFirst}
          orderWords="worst first"
          groupBy={grouper}
          late={late}
          empty={filter ? "No model matches the filter." : "This run holds no results."}
        />
      </Section>
    </div>
  );
}

function tableColumns(
  table: ModelTable,
  backends: { key: string; backend: string }[],
  hidden: string[],
): { columns: Column<ModelRow>[]; groups: ColumnGroup[] } {
  const cells = table.rows.flatMap((row) => Object.values(row.cells));
  const timeUnit = unitOf(
    cells.map((cell) => cell.time?.value ?? NaN),
    "s",
  );
  const compileUnit = unitOf(
    cells.map((cell) => cell.compile ?? NaN),
    "s",
  );
  const domain = ratioDomain(
    cells.map((cell) =>
      cell.speedup ? (cell.speedup.interval ?? { low: cell.speedup.value, high: cell.speedup.value }) : null,
    ),
  );
  const anyStale = cells.some((cell) => cell.verification?.stale);
  const suites = new Set(table.rows.map((row) => row.suite));
  const batches = table.rows.some((row) => row.batch_size !== null);
  const columns: Column<ModelRow>[] = [
    {
      key: "model",
      title: "Model",
      width: 184,
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
    { key: "test", title: "Test", width: 88, sort: (row) => testName(row.test), cell: (row) => testName(row.test) },
  ];
  if (suites.size > 1)
    columns.splice(1, 0, {
      key: "suite",
      title: "Suite",
      width: 112,
      sort: (row) => row.suite,
      cell: (row) => (
        <Suite name={row.suite} link={{ accelerator_model: table.run.accelerator_model, test: row.test }} />
      ),
    });
  if (batches)
    columns.push({
      key: "batch",
      title: "Batch",
      width: 64,
      align: "right",
      sort: (row) => row.batch_size,
      cell: (row) =>
        row.batch_size === null ? (
          <Missing flush why="batch size unknown" />
        ) : (
          <span class="num">{row.batch_size}</span>
        ),
    });
  const groups: ColumnGroup[] = [{ title: "", span: columns.length }];
  for (const { key, backend } of backends) {
    if (hidden.includes(key)) continue;
    const { color } = columnStyle(key, backend);
    const isBaseline = backend === table.baseline.backend && table.baseline.run === "same";
    const own: Column<ModelRow>[] = [];
    const at = (row: ModelRow): Cell | undefined => row.cells[key];
    own.push({
      key: `code:${key}`,
      title: "✓",
      label: `${key} verification`,
      hint: "Verification; outlined: older than this run",
      width: anyStale ? 62 : 46,
      align: "center",
      first: "desc",
      sort: (row) => {
        const code = at(row)?.verification;
        return code ? sign(code.code).rank : null;
      },
      cell: (row) =>
        at(row) ? (
          <VerificationSign
            verification={at(row)?.verification ?? null}
            why={backend === "eager" ? "eager is what the others are verified against" : "never verified"}
          />
        ) : (
          <Missing flush why="not part of this run" />
        ),
    });
    if (!hidden.includes("time")) {
      own.push({
        key: `time:${key}`,
        title: <>time {timeUnit.name}</>,
        label: `${key} time`,
        width: isBaseline ? 112 : 90,
        align: "right",
        first: "desc",
        sort: (row) => at(row)?.time?.value,
        cell: (row) => <TimeCell cell={at(row)} unit={timeUnit} />,
      });
    }
    if (!hidden.includes("compile")) {
      own.push({
        key: `compile:${key}`,
        title: <>compile {compileUnit.name}</>,
        label: `${key} compile time`,
        width: 104,
        align: "right",
        first: "desc",
        sort: (row) => at(row)?.compile,
        cell: (row) => {
          const compile = at(row)?.compile;
          return compile === null || compile === undefined ? (
            <Missing why="no compile time: nothing compiles, all of it is within noise, or it was not timed" />
          ) : (
            <Num value={compile} factor={compileUnit.factor} />
          );
        },
      });
    }
    if (!isBaseline && !hidden.includes("speedup")) {
      own.push({
        key: `speedup:${key}`,
        title: "speedup ×",
        label: `${key} speedup`,
        width: 86,
        align: "right",
        sort: (row) => at(row)?.speedup?.value,
        cell: (row) => <SpeedupCell cell={at(row)} />,
      });
      if (!hidden.includes("interval")) {
        own.push({
          key: `whisker:${key}`,
          title: <span class="sr">interval of the speedup</span>,
          width: 66,
          cell: (row) => {
            const speedup = at(row)?.speedup;
            return speedup ? (
              <Whisker value={speedup.value} interval={speedup.interval} domain={domain} color={color} width={50} />
            ) : null;
          },
        });
      }
    }
    if (own[0]) own[0].starts = true;
    columns.push(...own);
    groups.push({
      title: (
        <>
          <Backend name={key} backend={backend} link={{ accelerator_model: table.run.accelerator_model }} />
          {isBaseline && <span class="quiet"> baseline</span>}
        </>
      ),
      span: own.length,
    });
  }
  return { columns, groups };
}

function Geomeans({ table, late }: { table: ModelTable; late: boolean }) {
  const items = table.geomeans.filter(
    (item) => item.excluded.every((one) => one.reason !== "is_baseline" || one.count === 0) || item.all.n > 0,
  );
  items.sort((a, b) => (a.test < b.test ? -1 : a.test > b.test ? 1 : byBackend(a.backend, b.backend)));
  const domain = ratioDomain(items.flatMap((item) => [item.all.interval, item.matched.interval]));
  if (!items.length) return <p class="quiet">No backend of this run has a speedup over {table.baseline.backend}.</p>;
  return (
    <PlainTable caption={`Geomean speedups over ${table.baseline.backend}`} class="geomeans" late={late}>
      <thead>
        <tr>
          <th scope="col">Backend</th>
          <th scope="col">Test</th>
          <th scope="col" class="right starts" colSpan={2}>
            All models ×
          </th>
          <th scope="col">
            <span class="sr">drawn</span>
          </th>
          <th scope="col" class="right">
            n
          </th>
          <th scope="col" class="right starts" colSpan={2}>
            Matched ×
          </th>
          <th scope="col">
            <span class="sr">drawn</span>
          </th>
          <th scope="col" class="right">
            n
          </th>
          <th scope="col" class="starts">
            Left out
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={`${item.test} ${item.column}`}>
            <th scope="row">
              <Backend
                name={item.column}
                backend={item.backend}
                link={{ accelerator_model: table.run.accelerator_model, test: item.test }}
              />
            </th>
            <td>{testName(item.test)}</td>
            <GeomeanCells geomean={item.all} item={item} domain={domain} />
            <GeomeanCells geomean={item.matched} item={item} domain={domain} />
            <td class="starts">
              <LeftOut item={item} />
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

function GeomeanCells({
  geomean,
  item,
  domain,
}: {
  geomean: ColumnGeomean["all"];
  item: ColumnGeomean;
  domain: { low: number; high: number };
}) {
  const { color } = columnStyle(item.column, item.backend);
  return (
    <>
      <td class="right starts">
        {geomean.value === null ? (
          <Missing why="no model has a speedup" />
        ) : (
          <strong>
            <Num value={geomean.value} />
          </strong>
        )}
      </td>
      <td class="interval">
        <IntervalText interval={geomean.interval} />
      </td>
      <td>
        {geomean.value !== null && (
          <Whisker value={geomean.value} interval={geomean.interval} domain={domain} color={color} />
        )}
      </td>
      <td class="right quiet">{geomean.n}</td>
    </>
  );
}

function LeftOut({ item }: { item: ColumnGeomean }) {
  const [open, setOpen] = useState(false);
  const total = item.excluded.reduce((sum, one) => sum + one.count, 0);
  if (!total) return <span class="quiet">none</span>;
  return (
    <div class="left-out">
      <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {item.excluded.map((one) => `${count(one.count)} ${reasonCounted(one.reason)}`).join(", ")}
      </button>
      {open && (
        <ul>
          {item.excluded.map((one) => (
            <li key={one.reason}>
              {capital(reasonCounted(one.reason))}: <span class="mono">{one.models.join(", ")}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
