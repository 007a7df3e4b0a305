// Every model there is: where it stands by verification in the newest run, and how its time went.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { ModelHistory, ModelItem, ModelSeries, VerificationAnswer, VerificationCell } from "../api/types";
import { usePages } from "../api/pages";
import { useApi } from "../api/use";
import { byBackend, columnStyle } from "../lib/backends";
import { describe, sign } from "../lib/codes";
import { ago, change, count, date, duration, plural, shown, testName } from "../lib/format";
import { useNow, useTitle } from "../lib/hooks";
import { modelHref, suiteHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { leadBackend, testOrder } from "../lib/words";
import { Choice, FilterField, CsvLink, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { Backend, CodeSign, ErrorNote, Missing, Spark, Waiting, sparkLabel } from "../parts/small";
import { type Column, type ColumnGroup, Table } from "../parts/table";

const RUNS = 30;
const MOST = 10_000;

type Row = { item: ModelItem; codes: Map<string, VerificationCell>; series: ModelSeries | undefined };

export function ModelsPage() {
  const [query, setQuery] = useQuery();
  const now = useNow();
  const filter = query.get("q") ?? "";
  const suite = query.get("suite") ?? "";
  const { data, late, error, again, isComplete } = usePages(address("/models", { limit: MOST }), {
    whole: true,
  });
  const overview = useApi(address("/overview", { baseline: "inductor", runs: 30 }));
  const accelerators = overview.data?.accelerators.map((one) => one.accelerator_model) ?? [];
  const accelerator = query.get("accelerator_model") ?? accelerators[0] ?? "";
  const groups = overview.data?.accelerators.find((one) => one.accelerator_model === accelerator)?.groups ?? [];
  const tests = [...new Set(groups.map((group) => group.test))].sort(testOrder);
  const asked = query.get("test") ?? "";
  const test = tests.includes(asked) ? asked : (tests[0] ?? "");
  const backends = [...new Set(groups.filter((group) => group.timed > 0).map((group) => group.backend))].sort(
    byBackend,
  );
  const backend = query.get("backend") ?? leadBackend(backends, "inductor") ?? "";
  const on = { accelerator_model: accelerator, test };
  const verification = useApi(accelerator && test ? address("/verification", { run: "latest", ...on }) : null);
  const history = useApi(
    accelerator && test && backend ? address("/history/models", { ...on, backend, runs: RUNS }) : null,
  );
  useTitle("Models");

  const all = useMemo(
    () => rowsOf(data?.items ?? [], verification.data, history.data, accelerator),
    [data, verification.data, history.data, accelerator],
  );
  const rows = useMemo(
    () =>
      all.filter(
        ({ item }) => (!suite || item.suite === suite) && (!filter || matches(filter, `${item.suite} ${item.model}`)),
      ),
    [all, suite, filter],
  );
  const suites = useMemo(() => [...new Set((data?.items ?? []).map((item) => item.suite))].sort(), [data]);
  const table = useMemo(
    () => columnsOf(rows, verification.data, backend, test, accelerator, now),
    [rows, verification.data, backend, test, accelerator, now],
  );

  // Codes and lines come with the names: rows do not change places under somebody's eyes.
  const isOnItsWay = (isAsked: boolean, one: { data: unknown; error: unknown }) => isAsked && !one.data && !one.error;
  const isOfRuns = accelerator !== "" && test !== "";
  if (
    !data ||
    isOnItsWay(true, overview) ||
    isOnItsWay(isOfRuns, verification) ||
    isOnItsWay(isOfRuns && backend !== "", history)
  )
    return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={16} />;
  if (data.total === 0) return <Empty />;
  return (
    <div>
      <header class="page-head">
        <h1>{sentence(all, suites, accelerator, accelerators.length)}</h1>
        <p class="quiet">
          Codes and times are of the newest run; the line is the steady time of {backend || "a backend"} in the last{" "}
          {RUNS} runs.
        </p>
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={all.length}
            total={data.total}
            what="models"
          />
          {suites.length > 1 && (
            <Select
              label="Suite"
              value={suite}
              options={[{ value: "", text: "all" }, ...suites.map((name) => ({ value: name, text: shown(name) }))]}
              onChange={(value) => setQuery({ suite: value || null })}
            />
          )}
          {accelerators.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator}
              options={accelerators.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ accelerator_model: value })}
            />
          )}
          {tests.length > 1 && (
            <Choice
              label="Test"
              value={test}
              options={tests.map((name) => ({ value: name, text: testName(name) }))}
              onChange={(value) => setQuery({ test: value === tests[0] ? null : value })}
            />
          )}
          {backends.length > 1 && (
            <Select
              label="Time of"
              value={backend}
              options={backends.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ backend: value })}
            />
          )}
          <CsvLink
            href={address("/history/models", { ...on, backend, runs: RUNS, format: "csv" })}
            name={`models of ${backend || "all backends"}.csv`}
          />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {history.error && <ErrorNote error={history.error} again={history.again} kept={!!history.data} />}
      <Table
        caption="Models"
        columns={table.columns}
        groups={table.groups}
        rows={rows}
        rowKey={({ item }) => `${item.suite}\n${item.model}`}
        rowHref={({ item }) =>
          modelHref(
            item.suite,
            item.model,
            item.accelerator_models.includes(accelerator)
              ? { test: item.tests.includes(test) ? test : null, accelerator_model: accelerator }
              : {},
          )
        }
        order={loudFirst}
        orderWords="worst first"
        late={late || verification.late || history.late}
        empty={
          !isComplete
            ? `None of the first ${count(all.length)} models matches.`
            : filter || suite
              ? "No model matches the choices above."
              : "No model yet."
        }
      />
    </div>
  );
}

function sentence(rows: readonly Row[], suites: readonly string[], accelerator: string, accelerators: number): string {
  const wrong = rows.filter((row) => [...row.codes.values()].some((cell) => cell.code === "FAIL")).length;
  const where = accelerators > 1 && accelerator ? ` on ${accelerator}` : "";
  return `${plural(rows.length, "model")} of ${plural(suites.length, "suite")}; ${wrong ? `${count(wrong)} ${wrong === 1 ? "computes" : "compute"} a wrong result with some backend${where}` : `no result is wrong${where}`}.`;
}

function rowsOf(
  items: readonly ModelItem[],
  verification: VerificationAnswer | null,
  history: ModelHistory | null,
  accelerator: string,
): Row[] {
  const key = (suite: string, model: string) => `${suite}\n${model}`;
  const codes = new Map<string, Map<string, VerificationCell>>();
  for (const row of verification?.rows ?? []) {
    const cells = codes.get(key(row.suite, row.model)) ?? new Map<string, VerificationCell>();
    for (const [column, cell] of Object.entries(row.cells)) if (cell) cells.set(column, cell);
    codes.set(key(row.suite, row.model), cells);
  }
  // Of several configurations and batch sizes the one with the most nights stands for the model.
  const series = new Map<string, ModelSeries>();
  const timed = (one: ModelSeries) => one.values.filter((value) => value !== null).length;
  for (const one of history?.accelerator_model === accelerator ? history.series : []) {
    const place = key(one.experiment.suite, one.experiment.model);
    const known = series.get(place);
    if (!known || timed(one) > timed(known)) series.set(place, one);
  }
  return items.map((item) => ({
    item,
    codes: codes.get(key(item.suite, item.model)) ?? new Map<string, VerificationCell>(),
    series: series.get(key(item.suite, item.model)),
  }));
}

const loudness = (row: Row): number =>
  [...row.codes.values()].reduce((most, cell) => Math.max(most, sign(cell.code).rank * (cell.stale ? 0.9 : 1)), 0);

const loudFirst = (rows: Row[]): Row[] =>
  rows
    .map((row) => ({ row, loud: loudness(row) }))
    .sort((a, b) => b.loud - a.loud)
    .map(({ row }) => row);

/** From the first of the shown runs that has a time to the last that has. */
function overall(series: ModelSeries | undefined): number | null {
  const known = (series?.values ?? []).filter((value) => value !== null);
  const first = known[0];
  const last = known[known.length - 1];
  return known.length > 1 && first !== undefined && last !== undefined && first > 0 ? last / first : null;
}

function columnsOf(
  rows: readonly Row[],
  verification: VerificationAnswer | null,
  backend: string,
  test: string,
  accelerator: string,
  now: number,
): { columns: Column<Row>[]; groups: ColumnGroup[] } {
  const verified = (verification?.columns ?? [])
    .filter((column) => rows.some((row) => row.codes.has(column.key)))
    .sort((a, b) => byBackend(a.backend, b.backend) || (a.key < b.key ? -1 : 1));
  const columns: Column<Row>[] = [
    {
      key: "model",
      title: "Model",
      width: 240,
      sort: ({ item }) => item.model,
      cell: ({ item }) => (
        <a
          class="mono clip"
          title={item.model}
          href={modelHref(
            item.suite,
            item.model,
            item.accelerator_models.includes(accelerator)
              ? { test: item.tests.includes(test) ? test : null, accelerator_model: accelerator }
              : {},
          )}
        >
          {shown(item.model)}
        </a>
      ),
    },
    {
      key: "suite",
      title: "Suite",
      width: 120,
      sort: ({ item }) => item.suite,
      cell: ({ item }) => (
        <a class="clip" href={suiteHref(item.suite)} title={item.suite}>
          {shown(item.suite)}
        </a>
      ),
    },
    {
      key: "tests",
      title: "Tests",
      width: 164,
      sort: ({ item }) => item.tests.join(),
      cell: ({ item }) => <span class="clip">{[...item.tests].sort(testOrder).map(testName).join(", ")}</span>,
    },
    {
      key: "last",
      title: "Last run",
      width: 204,
      first: "desc",
      sort: ({ item }) => item.last_run_at,
      cell: ({ item }) => (
        <time dateTime={item.last_run_at} title={item.last_run_at}>
          {date(item.last_run_at)} <span class="quiet">{ago(item.last_run_at, now)}</span>
        </time>
      ),
    },
  ];
  const groups: ColumnGroup[] = [{ title: "", span: columns.length }];
  verified.forEach((column, place) =>
    columns.push({
      key: `code:${column.key}`,
      title: <Backend name={column.key} backend={column.backend} />,
      label: `${column.key} verification`,
      width: Math.min(210, 56 + 8 * column.key.length),
      first: "desc",
      starts: place === 0,
      sort: (row) => {
        const code = row.codes.get(column.key);
        return code ? sign(code.code).rank : null;
      },
      cell: (row) => {
        const code = row.codes.get(column.key);
        return code ? (
          <CodeSign code={code.code} stale={code.stale} title={describe(code)} />
        ) : (
          <Missing
            why={
              column.backend === "eager"
                ? "eager is what the others are verified against"
                : `not verified in ${testName(test)}`
            }
          />
        );
      },
    }),
  );
  if (verified.length) groups.push({ title: `Verification, ${testName(test)}`, span: verified.length });
  columns.push(
    {
      key: "history",
      title: `last ${RUNS} runs`,
      label: `steady time of ${backend} over runs`,
      width: 124,
      starts: true,
      cell: (row) => {
        if (!row.series) return <Missing why={`${backend} has no result of it in ${testName(test)}`} />;
        const { color, dash } = columnStyle(row.series.experiment.column, row.series.experiment.backend);
        const points = row.series.values.map((value) => (value === null ? null : { value }));
        return <Spark points={points} color={color} dash={dash} label={sparkLabel("steady time", points, duration)} />;
      },
    },
    {
      key: "overall",
      title: "change",
      label: `change of the steady time of ${backend} over these runs`,
      hint: "From the first of these runs that has a time to the last that has; no verdict",
      width: 96,
      align: "right",
      first: "desc",
      sort: (row) => overall(row.series),
      cell: (row) => {
        const ratio = overall(row.series);
        return ratio === null ? (
          <Missing flush why="fewer than two runs have a time" />
        ) : (
          <span class="num quiet">{change(ratio)}</span>
        );
      },
    },
  );
  groups.push({ title: <Backend name={backend} />, span: 2 });
  return { columns, groups };
}
