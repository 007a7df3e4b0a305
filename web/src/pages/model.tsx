// One model: its metrics over runs for each backend, every repetition of a night on demand, what verification said.
import { useEffect, useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { RunRef, Series, SeriesAnswer } from "../api/types";
import { PER_PAGE, usePages } from "../api/pages";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import { markOf } from "../lib/changes";
import { compareHref } from "../lib/compare";
import { change, count, date, digits, full, plural, shown, testName, times, unitOf } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { type Range, useRange } from "../lib/range";
import { changed, grouped, here, href, runHref, useQuery } from "../lib/route";
import { capital, leadBackend } from "../lib/words";
import { ChangeLinks } from "../parts/alert_bits";
import { Chart } from "../parts/chart";
import { Choice, CsvLink, MarkdownButton, Menu, Check, Select, Toggles } from "../parts/controls";
import { VerificationStrip } from "../parts/history";
import { Configurations, FailedNightsTable, ModelAlerts, type NightHref } from "../parts/model_sections";
import { PhasesOverRuns } from "../parts/phase_series";
import { ProfilesOverRuns } from "../parts/profile_numbers";
import { ResultPanel } from "../parts/samples";
import {
  Backend,
  CodeSign,
  Copy,
  ErrorNote,
  Missing,
  Num,
  RunLink,
  Section,
  Sentence,
  Suite,
  Waiting,
} from "../parts/small";
import { type Column, type ColumnGroup, Table } from "../parts/table";

const MAIN: { value: string; text: string }[] = [
  { value: "steady", text: "steady time" },
  { value: "speedup", text: "speedup" },
  { value: "compile", text: "compile time" },
  { value: "upstream", text: "upstream time" },
];
const FIRST = ["steady", "speedup", "compile"];

/** Experiments that were only planned, or whose lines belong to another batch size, have nothing to show. */
const holdsAnything = (one: Series): boolean =>
  one.points.some(Boolean) || one.codes.some(Boolean) || one.failures.some(Boolean);

export function ModelPage({ suite, model }: { suite: string; model: string }) {
  const [query, setQuery] = useQuery();
  const about = useApi(address("/models", { suite, model }));
  const registry = usePages(address("/metrics-registry", { limit: PER_PAGE }), { whole: true });
  const item = about.data?.items.find((one) => one.suite === suite && one.model === model);
  const tests = item ? [...item.tests].sort() : [];
  const test = query.get("test") ?? tests[0] ?? "eval";
  const accelerator = query.get("accelerator_model") ?? item?.accelerator_models[0] ?? "";
  const baseline = query.get("baseline") ?? "inductor";
  const metrics = query.getAll("metric").length ? query.getAll("metric") : FIRST;
  const [range, onRange] = useRange();
  const point = /^(\d+)\.(\d+)$/.exec(query.get("point") ?? "");
  const pickedMetric = query.get("of") ?? metrics[0] ?? "steady";
  useTitle(`${model}, ${testName(test)}`);

  const common = item ? { suite, model, test, accelerator_model: accelerator, runs: 180 } : null;
  const lead = useApi(common ? address("/series", { ...common, metric: "steady", baseline }) : null);
  const off = (query.get("off") ?? "").split(",").filter(Boolean);
  const isShown = (one: Series) => !off.includes(one.experiment.column);
  const allSeries = useMemo(
    () =>
      (lead.data?.series ?? [])
        .filter(holdsAnything)
        .sort((a, b) => byBackend(a.experiment.backend, b.experiment.backend)),
    [lead.data],
  );

  useEffect(() => {
    if (point) document.getElementById("samples")?.scrollIntoView({ block: "nearest" });
  }, [query.get("point")]);

  if (!about.data) return about.error ? <ErrorNote error={about.error} again={about.again} /> : <Waiting rows={16} />;
  if (!item) {
    return (
      <div class="empty">
        <h1>
          No run holds a model called {model} of suite {suite}.
        </h1>
        <p>
          Search with <kbd>/</kbd>, or look at the <a href="/runs">runs</a>.
        </p>
      </div>
    );
  }
  if (!lead.data && !lead.error) return <Waiting rows={16} />;
  const onPick = (metric: string) => (run: RunRef, one: Series) =>
    setQuery({ point: `${run.id}.${one.experiment.id}`, of: metric === FIRST[0] ? null : metric });
  const picked = point ? { run: Number(point[1]), experiment: Number(point[2]) } : null;
  /** This page, with that night opened. */
  const nightHref: NightHref = (run, one) =>
    href(location.pathname, grouped(changed(query, { point: `${run.id}.${one.experiment.id}`, of: null })));
  const others = (registry.data?.items ?? []).filter((one) => !MAIN.some((main) => main.value === one.metric));
  const shownSeries = allSeries.filter(isShown);
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <Suite name={suite} link={{ accelerator_model: accelerator, test }} />
          <span class="accel">{accelerator}</span>
          <Copy text={model}>{shown(model)}</Copy>
          <span>last run {date(item.last_run_at)}</span>
          <a
            data-compare
            href={compareHref("previous", "latest", { right_accelerator_model: accelerator, q: model })}
            title="What became of it from the run before to the newest (c); pin two nights to compare those"
          >
            compare the last two runs
          </a>
        </div>
        <h1>
          <Sentence
            text={lead.data ? modelSentence(model, test, lead.data, baseline) : `${shown(model)}, ${testName(test)}`}
          />
        </h1>
        <div class="toolbar">
          <Choice
            label="Test"
            value={test}
            options={tests.map((name) => ({ value: name, text: testName(name) }))}
            onChange={(value) => setQuery({ test: value, point: null })}
          />
          {item.accelerator_models.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator}
              options={item.accelerator_models.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ accelerator_model: value, point: null })}
            />
          )}
          <Toggles
            label="Charts"
            on={metrics}
            options={MAIN}
            onChange={(on) => setQuery({ metric: on.length === 0 || on.join() === FIRST.join() ? null : on })}
          />
          <Menu label="More metrics">
            <fieldset>
              <legend>As the runner wrote them</legend>
              {others.map((one) => (
                <Check
                  key={one.metric}
                  label={one.metric}
                  title={one.explanation}
                  checked={metrics.includes(one.metric)}
                  onChange={(on) =>
                    setQuery({ metric: on ? [...metrics, one.metric] : metrics.filter((name) => name !== one.metric) })
                  }
                />
              ))}
            </fieldset>
          </Menu>
          <Select
            label="Speedup over"
            value={baseline}
            options={[...new Set(item.backends)].sort(byBackend).map((name) => ({ value: name, text: name }))}
            onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
          />
          <Toggles
            label="Backends"
            on={allSeries.filter(isShown).map((one) => one.experiment.column)}
            options={[...new Set(allSeries.map((one) => one.experiment.column))].map((name) => ({
              value: name,
              text: name,
            }))}
            onChange={(on) =>
              setQuery({
                off:
                  allSeries
                    .map((one) => one.experiment.column)
                    .filter((name) => !on.includes(name))
                    .join(",") || null,
              })
            }
          />
          {range && (
            <button type="button" class="button" onClick={() => onRange(null)}>
              All nights
            </button>
          )}
          <MarkdownButton />
        </div>
      </header>
      {lead.error && <ErrorNote error={lead.error} again={lead.again} kept={!!lead.data} />}

      <h2 class="sr">Charts</h2>
      {metrics.map((metric, index) => (
        <MetricChart
          key={metric}
          metric={metric}
          common={common as Record<string, string | number>}
          baseline={baseline}
          range={range}
          onRange={onRange}
          onPick={onPick(metric)}
          picked={picked}
          height={index === 0 ? 260 : 180}
          isShown={isShown}
          explanation={registry.data?.items.find((one) => one.metric === metric)?.explanation}
        />
      ))}
      <p class="quiet note chart-help">
        Drag to zoom, sideways into nights, up or down into values; double-click for all of them; click a point for its
        samples, Shift and click or x to pin its night: two make a comparison. × at the foot: failed that night; red
        cross on a point: verification says the result is wrong.
        {lead.data?.marks.some((marks) => marks.length) &&
          " Dotted: a new environment begins; ⚑: a pinned night; grey: a night that does not count."}
      </p>

      {point && (
        <ResultPanel
          run={Number(point[1])}
          experiment={Number(point[2])}
          metric={pickedMetric}
          runs={lead.data?.runs ?? []}
          onClose={() => setQuery({ point: null, of: null, against: null })}
        />
      )}

      {lead.data && (
        <Section
          id="verification"
          title="Verification"
          note="A sign a night: click one for that night. Outlined: the code of an earlier run."
          actions={<a href={href("/verification", { q: model })}>All models</a>}
        >
          {shownSeries.some((one) => one.codes.some(Boolean)) ? (
            <VerificationStrip
              runs={lead.data.runs}
              series={shownSeries.filter((one) => one.codes.some(Boolean))}
              range={range}
              hrefOf={nightHref}
              picked={picked}
            />
          ) : (
            <p class="quiet">Never verified in these runs.</p>
          )}
        </Section>
      )}
      <ModelAlerts suite={suite} model={model} accelerator={accelerator} />
      {lead.data && (
        <FailedNightsTable runs={lead.data.runs} series={shownSeries} hrefOf={nightHref} late={lead.late} />
      )}
      {common && <PhasesOverRuns common={common} baseline={baseline} range={range} />}
      {common && (
        <ProfilesOverRuns common={common} range={range} onRange={onRange} isShown={(column) => !off.includes(column)} />
      )}
      {lead.data && (
        <Section
          id="values"
          title="Values"
          note={<>Steady time of {plural(lead.data.runs.length, "night")}, newest first.</>}
          actions={
            <CsvLink
              href={address("/series", { ...common, metric: "steady", baseline, format: "csv" })}
              name={`${model}-${test}.csv`}
            />
          }
        >
          <Values answer={lead.data} series={shownSeries} late={lead.late} onPick={onPick("steady")} />
        </Section>
      )}
      {lead.data && <Configurations runs={lead.data.runs} series={shownSeries} hrefOf={nightHref} />}
    </div>
  );
}

function modelSentence(model: string, test: string, answer: SeriesAnswer, baseline: string): string {
  const name = leadBackend(
    answer.series.map((one) => one.experiment.backend),
    baseline,
  );
  const timed = (one: Series) => one.points.reduce((last, point, index) => (point ? index : last), -1);
  const ofBackend = (backend: string | undefined) =>
    answer.series.filter((one) => one.experiment.backend === backend).sort((a, b) => timed(b) - timed(a))[0];
  const series = ofBackend(name);
  if (!series) return `${shown(model)}, ${testName(test)}: nothing was measured.`;
  const latest = answer.runs.length - 1;
  const known = series.points.map((point, index) => ({ point, index })).filter((one) => one.point !== null);
  const last = known[known.length - 1];
  const first = known[0];
  const base = name === baseline ? undefined : ofBackend(baseline);
  const parts: string[] = [];
  if (!last?.point) {
    const why = series.failures[latest];
    parts.push(why ? `${name} fails (${why.slice(0, 90)})` : `${name} was never timed`);
  } else {
    const unit = unitOf([last.point.value], answer.unit);
    parts.push(
      `${name} takes ${digits(last.point.value * unit.factor)} ${unit.name}${last.index === latest ? "" : ` (${date((answer.runs[last.index] as RunRef).started_at)})`}`,
    );
    const basePoint = base?.points[last.index];
    if (basePoint) parts.push(`${times(basePoint.value / last.point.value)} ${baseline}`);
    if (first?.point && first !== last)
      parts.push(
        `${change(last.point.value / first.point.value)} since ${date((answer.runs[first.index] as RunRef).started_at)}`,
      );
  }
  const code = series.codes[latest];
  if (code)
    parts.push(
      code.code === "PASS"
        ? `verification passes${code.stale ? " (stale)" : ""}`
        : `verification says ${code.code}${code.stale ? " (stale)" : ""}`,
    );
  const wrong = answer.series
    .filter((one) => one !== series && one.codes[latest]?.code === "FAIL")
    .map((one) => {
      const since = one.codes.reduce(
        (first, code, index) => (code?.code === "FAIL" ? (first < 0 ? index : first) : -1),
        -1,
      );
      return `${one.experiment.column} computes a wrong result since ${date((answer.runs[since] as RunRef).started_at)}`;
    });
  return `${shown(model)}, ${testName(test)}: ${parts.join(", ")}${wrong.length ? `; ${wrong.join("; ")}` : ""}.`;
}

function MetricChart({
  metric,
  common,
  baseline,
  range,
  onRange,
  onPick,
  picked,
  height,
  isShown,
  explanation,
}: {
  metric: string;
  common: Record<string, string | number>;
  baseline: string;
  range: Range;
  onRange: (range: Range) => void;
  onPick: (run: RunRef, series: Series) => void;
  picked: { run: number; experiment: number } | null;
  height: number;
  isShown: (series: Series) => boolean;
  explanation: string | undefined;
}) {
  const { data, late, error, again } = useApi(address("/series", { ...common, metric, baseline }));
  const series = useMemo(
    () =>
      (data?.series ?? [])
        .filter(isShown)
        .filter((one) => one.points.some((point) => point !== null) || (metric === "steady" && holdsAnything(one)))
        .sort((a, b) => byBackend(a.experiment.backend, b.experiment.backend)),
    [data, isShown.toString(), here().query.get("off")],
  );
  const unit = useMemo(
    () =>
      unitOf(
        series.flatMap((one) => one.points.map((point) => point?.value ?? NaN)),
        data?.unit ?? "",
      ),
    [series, data],
  );
  const changes = useMemo(
    () =>
      series.flatMap((one) =>
        one.changes.map((change) => ({
          column: one.experiment.column,
          backend: one.experiment.backend,
          change,
          mark: markOf(one.experiment.id, change),
        })),
      ),
    [series],
  );
  const marks = useMemo(() => changes.map(({ mark }) => mark), [changes]);
  const title = MAIN.find((main) => main.value === metric)?.text ?? metric;
  if (error && !data) return <ErrorNote error={error} again={again} />;
  if (!data) return <div class="chart-space" style={{ height: `${height + 120}px` }} aria-busy="true" />;
  if (!series.length) {
    return (
      <figure class="chart none">
        <figcaption>
          <h3>{title}</h3>
          <span class="quiet">nothing to draw: no run of this test has it</span>
        </figcaption>
      </figure>
    );
  }
  const isRatio = metric === "speedup";
  const word = isRatio ? "×" : unit.name;
  const note = isRatio
    ? `over ${baseline} of the same run; higher is better`
    : `${word ? word + "; " : ""}${data.better === "higher" ? "higher is better" : data.better === "lower" ? "lower is better" : "neither way is better"}${explanation && !["steady", "compile"].includes(metric) ? `; ${explanation}` : ""}`;
  const withBand = series.some((one) => one.points.some((point) => point?.low != null));
  return (
    <>
      <Chart
        title={capital(title)}
        note={`${note}${withBand ? "; band: 95 % within each run" : ""}`}
        runs={data.runs}
        series={series}
        unit={unit}
        unitWord={word}
        height={height}
        range={range}
        onRange={onRange}
        onPick={onPick}
        picked={picked}
        ruleAtOne={isRatio}
        late={late}
        changes={marks}
        marks={data.marks}
      />
      <ChangeLinks changes={changes} />
    </>
  );
}

type ValueRow = { run: RunRef; index: number };

function Values({
  answer,
  series,
  late,
  onPick,
}: {
  answer: SeriesAnswer;
  series: Series[];
  late: boolean;
  onPick: (run: RunRef, series: Series) => void;
}) {
  const rows = useMemo<ValueRow[]>(() => answer.runs.map((run, index) => ({ run, index })).reverse(), [answer]);
  const unit = unitOf(
    series.flatMap((one) => one.points.map((point) => point?.value ?? NaN)),
    answer.unit,
  );
  const columns: Column<ValueRow>[] = [
    {
      key: "run",
      title: "Run",
      width: 180,
      sort: (row) => row.run.started_at,
      first: "desc",
      cell: (row) => <RunLink run={row.run} />,
    },
  ];
  const groups: ColumnGroup[] = [{ title: "", span: 1 }];
  for (const one of series) {
    const key = `${one.experiment.column}.${one.experiment.id}`;
    columns.push(
      {
        key: `code:${key}`,
        title: "✓",
        label: `${one.experiment.column} verification`,
        width: 56,
        align: "center",
        starts: true,
        sort: (row) => one.codes[row.index]?.code,
        cell: (row) => {
          const code = one.codes[row.index];
          return code ? (
            <CodeSign code={code.code} stale={code.stale} title={`${code.code}${code.stale ? ", stale" : ""}`} />
          ) : (
            <Missing why="not verified" />
          );
        },
      },
      {
        key: `value:${key}`,
        title: unit.name,
        label: `${one.experiment.column} steady time`,
        width: 104,
        align: "right",
        first: "desc",
        sort: (row) => one.points[row.index]?.value,
        cell: (row) => {
          const value = one.points[row.index];
          return value ? (
            <button
              type="button"
              class="link"
              onClick={() => onPick(row.run, one)}
              title={`${full(value.value)} ${answer.unit}; click for its samples`}
            >
              <Num value={value.value} factor={unit.factor} />
            </button>
          ) : (
            <Missing why={one.failures[row.index] ?? "not measured in this run"} />
          );
        },
      },
      {
        key: `interval:${key}`,
        title: "interval",
        width: 124,
        cell: (row) => {
          const value = one.points[row.index];
          return value && value.low !== null && value.high !== null ? (
            <span class="interval" title={`${full(value.low)} to ${full(value.high)}, n = ${value.n}`}>
              [{digits(value.low * unit.factor)}, {digits(value.high * unit.factor)}]
            </span>
          ) : null;
        },
      },
    );
    groups.push({
      title: (
        <>
          <Backend
            name={one.experiment.column}
            backend={one.experiment.backend}
            link={{ accelerator_model: one.experiment.accelerator_model, test: one.experiment.test }}
          />
          {one.experiment.batch_size !== null ? ` batch ${count(one.experiment.batch_size)}` : ""}
        </>
      ),
      span: 3,
    });
  }
  return (
    <Table
      caption="Values of all nights"
      columns={columns}
      groups={groups}
      rows={rows}
      rowKey={(row) => String(row.run.id)}
      rowHref={(row) => runHref(row.run)}
      late={late}
      orderWords="newest first"
    />
  );
}
