// The page of the morning: for each accelerator the last run, how it stands, what changed since the run before.
import { useMemo, useRef } from "preact/hooks";
import { address } from "../api/address";
import type {
  AcceleratorOverview,
  Alert,
  AlertCause,
  AlertPage,
  CoverageAnswer,
  Group,
  GroupChange,
  Move,
  Overview,
  RunRef,
} from "../api/types";
import { useApi } from "../api/use";
import { attentionSentence, unbroken } from "../lib/alerts";
import { byBackend, columnStyle } from "../lib/backends";
import { type CoverageSum, lostSentence, sumOf } from "../lib/coverage";
import {
  age,
  ago,
  change,
  count,
  date,
  digits,
  duration,
  full,
  hoverText,
  moment,
  percentInterval,
  plural,
  runName,
  short,
  shown,
  testName,
  times,
  unitOf,
} from "../lib/format";
import { type GroupMetric, byGroup, groupMetric, groupStyles } from "../lib/history";
import { useMoreSign, useNow, useTitle } from "../lib/hooks";
import { OUTCOMES } from "../lib/outcomes";
import { useMarkdown } from "../lib/page_markdown";
import { useRange } from "../lib/range";
import { alertHref, href, modelHref, runHref, suiteHref, useQuery } from "../lib/route";
import { capital, overviewSentence, testsOf } from "../lib/words";
import { DirectionSign, StateSign } from "../parts/alert_bits";
import { usualStep } from "../parts/chart";
import { Choice, CsvLink, Select } from "../parts/controls";
import { CoverageBar, OutcomeSign, itemHref, itemKey, worstFirst } from "../parts/coverage";
import { Empty } from "../parts/empty";
import { GroupChart } from "../parts/group_chart";
import { PlainTable } from "../parts/plain_table";
import { QualityOfNight } from "../parts/night_quality";
import {
  Backend,
  ErrorNote,
  IntervalText,
  Labels,
  Missing,
  Num,
  RunLink,
  Section,
  Sentence,
  Spark,
  type SparkPoint,
  Waiting,
  Whisker,
  ratioDomain,
  sparkLabel,
} from "../parts/small";
import { TransitionList } from "../parts/transitions";

/** Alerts that the page tells of itself; of the rest it says how many there are. */
const MOST_ALERTS = 5;

export function OverviewPage() {
  const [query, setQuery] = useQuery();
  const baseline = query.get("baseline") ?? "inductor";
  const runs = query.get("runs") ?? "30";
  const until = query.get("until");
  const { data, late, error, again } = useApi(address("/overview", { baseline, runs, until }));
  const now = useNow();
  // Nobody waits for the next night of samples whose times are shifted.
  const isAwaited = useApi(address("/store")).data?.time_shift_weeks === 0;
  const alerts = useApi(address("/alerts", { limit: MOST_ALERTS, order: "urgency" }));
  useTitle(data ? headTitle(data) : "Overview");
  const several =
    data && data.accelerators.length > 1
      ? data.accelerators.map((one) => `${one.accelerator_model}: ${overviewSentence(one, data.baseline)}`).join(" ")
      : null;
  useMarkdown({ ...(several ? { sentence: several } : {}), address: data ? fixedAddress(data, until) : undefined });

  // Alerts stand above all else: what came later would push the page down under somebody's hands.
  if (!data || (!alerts.data && !alerts.error))
    return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  if (data.store.run_count === 0) return <Empty rejected={data.store.rejected_count} />;
  const backends = [...new Set(data.accelerators.flatMap((one) => one.groups.map((group) => group.backend)))].sort(
    byBackend,
  );
  return (
    <div class={late ? "late" : ""}>
      {error && <ErrorNote error={error} again={again} kept />}
      {alerts.data && <Attention alerts={alerts.data} />}
      {data.accelerators.map((one, index) => (
        <Accelerator
          key={one.accelerator_model}
          accelerator={one}
          baseline={data.baseline}
          runs={runs}
          now={now}
          isAwaited={isAwaited}
          first={index === 0}
          until={until}
          control={
            index === 0 && (
              <>
                <Select
                  label="Baseline"
                  value={baseline}
                  options={backends.map((name) => ({ value: name, text: name }))}
                  onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
                />
                <Choice
                  label="History"
                  value={runs}
                  options={["30", "90", "180"].map((value) => ({ value, text: `${value} runs` }))}
                  onChange={(value) => setQuery({ runs: value === "30" ? null : value })}
                />
                <CsvLink
                  href={address("/history", {
                    accelerator_model: one.accelerator_model,
                    group_by: ["test", "backend"],
                    baseline: data.baseline,
                    runs,
                    until,
                    format: "csv",
                  })}
                  name="overview.csv"
                />
              </>
            )
          }
        />
      ))}
      <p class="foot quiet">
        {plural(data.store.run_count, "run")}, {plural(data.store.result_count, "result")}
        {data.store.rejected_count > 0 && (
          <>
            , <a href="/ingests">{plural(data.store.rejected_count, "rejected line")}</a>
          </>
        )}
        . benchhud {data.store.version}.
      </p>
    </div>
  );
}

/** The address of these runs: whatever comes later, it shows the same numbers. */
function fixedAddress(data: Overview, until: string | null): string {
  const newest = Math.max(...data.accelerators.map((one) => Date.parse(one.run.started_at)));
  const fixed = new URL(location.href);
  if (until === null && Number.isFinite(newest)) fixed.searchParams.set("until", new Date(newest + 1).toISOString());
  return fixed.href;
}

function headTitle(data: Overview): string {
  const failing = data.accelerators.reduce(
    (sum, one) => sum + one.transitions.filter((item) => item.kind === "newly_failing").length,
    0,
  );
  return failing ? `${failing} newly failing` : "Overview";
}

type HistoryPoint = { run: AcceleratorOverview["run"]; groups: Group[] };

/** What waits for somebody, each with what most likely is why. */
function Attention({ alerts }: { alerts: AlertPage }) {
  if (!alerts.total) return null;
  const isCalm = alerts.counts.confirmed + alerts.counts.suspect === 0;
  return (
    <div class={`attention${isCalm ? " calm" : ""}`}>
      <strong>
        <a href="/alerts">{attentionSentence(alerts)}</a>
      </strong>
      <ul class="alert-links" data-told={attentionSentence(alerts)}>
        {alerts.items.map((alert) => (
          <AttentionItem key={alert.id} alert={alert} />
        ))}
        {alerts.total > alerts.items.length && (
          <li>
            <a href="/alerts">and {count(alerts.total - alerts.items.length)} more</a>
          </li>
        )}
      </ul>
    </div>
  );
}

function AttentionItem({ alert }: { alert: Alert }) {
  const { details } = alert;
  const causes = useApi(address("/alerts/{id}", { id: alert.id })).data?.causes;
  const range = details.labels.map((label) => `${label.key} ${short(label.before)} → ${short(label.after)}`).join(", ");
  return (
    <li>
      <DirectionSign direction={details.direction} />
      <a href={alertHref(alert)}>{unbroken(details.title)}</a>{" "}
      <span class="quiet">
        since {date(details.onset.started_at)} <StateSign state={alert.state} />
      </span>{" "}
      <span class="why quiet">
        {causes ? causeText(causes) : "\u00a0"}
        {range && ` ${range}`}
      </span>
    </li>
  );
}

/** The cause that explains most of the change; of those that nothing is known of, one that is about more than the baseline. */
function causeText(causes: readonly AlertCause[]): string {
  const rank = (cause: AlertCause) => cause.share ?? (cause.kind === "baseline" ? -1 : 0);
  const best = causes
    .filter((cause) => cause.explains)
    .reduce<AlertCause | null>((most, cause) => (!most || rank(cause) > rank(most) ? cause : most), null);
  if (!best) return "Why is not known.";
  return `Why: ${best.title.replace(/\.$/, "")}${best.share === null ? "" : ` (${(best.share * 100).toFixed(0)} % of it)`}.`;
}

/** Said where the newest run is older than runs of this accelerator usually are apart. */
function overdue(runs: readonly RunRef[], now: number): string {
  const times = runs.map((run) => Date.parse(run.started_at) / 1000);
  const last = times[times.length - 1];
  if (last === undefined || times.length < 3) return "";
  const step = usualStep(times);
  const waited = now / 1000 - last;
  return waited > Math.max(1.25 * step, step + 6 * 3600)
    ? `no run for ${age(waited)}; there is usually one every ${age(step)}`
    : "";
}

function Accelerator({
  accelerator,
  baseline,
  runs,
  now,
  isAwaited,
  first,
  until,
  control,
}: {
  accelerator: AcceleratorOverview;
  baseline: string;
  runs: string;
  now: number;
  isAwaited: boolean;
  first: boolean;
  until: string | null;
  control: preact.ComponentChildren;
}) {
  const { run, previous_run, groups, history, moves } = accelerator;
  const [query, setQuery] = useQuery();
  const Heading = first ? "h1" : "h2";
  const stale = run.verified_at === null;
  const late = isAwaited
    ? overdue(
        history.map((past) => past.run),
        now,
      )
    : "";
  const coverage = useApi(address("/coverage", { run: run.id })).data;
  const suites = [...new Set(coverage?.groups.map((group) => group.suite) ?? [])].sort();
  const bySuite = suites.length > 1 && query.get("rows") === "suite";
  const lost = coverage ? lostSentence(coverage.items) : "";
  return (
    <article class="accelerator">
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{accelerator.accelerator_model}</span>
          <span>
            last run <RunLink run={run} />{" "}
            <time dateTime={run.started_at}>
              {runName(run) === run.name ? `${moment(run.started_at)}, ` : ""}
              {ago(run.started_at, now)}
            </time>
          </span>
          {until === null ? (
            late && <span class="warn">{late}</span>
          ) : (
            <span class="warn">
              as of this run;{" "}
              <a href={href("/", { baseline: query.get("baseline"), runs: query.get("runs") })}>the newest</a>
            </span>
          )}
          <span class={stale ? "warn" : ""}>
            {run.verified_at
              ? `verified ${moment(run.verified_at)}`
              : groups.some((group) => group.stale > 0)
                ? "not verified: codes below are of an earlier run"
                : "not verified"}
          </span>
          <QualityOfNight run={run} />
          <Labels labels={run.labels} />
        </div>
        <Heading>
          <Sentence text={overviewSentence(accelerator, baseline) + (lost ? ` ${capital(lost)}.` : "")} />
        </Heading>
        {(control || suites.length > 1) && (
          <div class="toolbar">
            {control}
            {suites.length > 1 && (
              <Choice
                label="Rows"
                value={bySuite ? "suite" : "backend"}
                options={[
                  { value: "backend", text: "backend" },
                  { value: "suite", text: "suite and backend" },
                ]}
                onChange={(value) => setQuery({ rows: value === "suite" ? "suite" : null })}
              />
            )}
          </div>
        )}
      </header>

      {bySuite ? (
        <StatusBySuite accelerator={accelerator} baseline={baseline} runs={runs} until={until} coverage={coverage} />
      ) : (
        <StatusTable
          accelerator={accelerator}
          parts={[{ suite: null, groups, previous: accelerator.previous_groups, history }]}
          baseline={baseline}
          coverage={coverage}
        />
      )}

      <div class="columns">
        <Section
          id={first ? "changed" : undefined}
          title={
            previous_run ? (
              <>
                Changed since <a href={runHref(previous_run)}>{date(previous_run.started_at)}</a>
              </>
            ) : (
              "Changed"
            )
          }
          note={previous_run ? null : "There is no run before this one."}
          actions={<a href={href("/verification", { run: String(run.id) })}>Verification</a>}
        >
          <Changes accelerator={accelerator} />
          {coverage && <Missed coverage={coverage} accelerator={accelerator.accelerator_model} />}
        </Section>
        <Section
          title="Largest moves of steady time"
          note={<>Not a verdict: intervals are within each run, so a night's own mood is not in them.</>}
          actions={<a href={runHref(run)}>All models</a>}
        >
          <Moves moves={moves} hasPrevious={!!previous_run} />
        </Section>
      </div>

      <Trend accelerator={accelerator.accelerator_model} baseline={baseline} runs={runs} until={until} />
    </article>
  );
}

/** What was expected and is not there as it should be, in short. */
function Missed({ coverage, accelerator }: { coverage: CoverageAnswer; accelerator: string }) {
  const sum = sumOf(coverage.groups);
  const lost = worstFirst(coverage.items.filter((item) => item.lost));
  const all = href("/coverage", { run: String(coverage.run.id) });
  if (!sum.expected) return null;
  return (
    <Section title="What should have run" actions={<a href={all}>Coverage</a>}>
      <p class="coverage-line">
        <CoverageBar outcomes={sum.outcomes} expected={sum.expected} width={240} />
        <span>
          {count(sum.timed)} of {count(sum.expected)} expected are timed
        </span>
        {OUTCOMES.filter((outcome) => outcome !== "timed" && sum.outcomes[outcome] > 0).map((outcome) => (
          <OutcomeSign key={outcome} outcome={outcome} n={sum.outcomes[outcome]} swatch />
        ))}
        {sum.extra > 0 && <span class="quiet">{count(sum.extra)} new</span>}
      </p>
      {lost.length > 0 && (
        <ul class="lost">
          {lost.slice(0, MOST_LOST).map((item) => (
            <li key={itemKey(item)}>
              <OutcomeSign outcome={item.outcome} />
              <a class="mono" href={itemHref(item, accelerator)}>
                {shown(item.model)}
              </a>
              <Backend name={item.column ?? item.backend} backend={item.backend} />
              <span class="quiet">{testName(item.test)}</span>
              {item.failure && (
                <span class="quiet signature-cell" title={hoverText(item.failure.excerpt)}>
                  {item.failure.signature}
                </span>
              )}
            </li>
          ))}
          {lost.length > MOST_LOST && (
            <li>
              <a href={href("/coverage", { run: String(coverage.run.id), outcome: "lost" })}>
                and {count(lost.length - MOST_LOST)} more that were timed the run before
              </a>
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}
const MOST_LOST = 12;

/** The geomean of every backend over the runs, a chart a test. */
function Trend({
  accelerator,
  baseline,
  runs,
  until,
}: {
  accelerator: string;
  baseline: string;
  runs: string;
  until: string | null;
}) {
  const [range, setRange] = useRange();
  const { data, late } = useApi(
    address("/history", { accelerator_model: accelerator, group_by: ["test", "backend"], baseline, runs, until }),
  );
  const mine = data?.accelerators.find((one) => one.accelerator_model === accelerator);
  const charts = useMemo(
    () =>
      testsOf((mine?.groups ?? []).map((group) => ({ test: group.test ?? "" }))).map((test) => {
        const groups = (mine?.groups ?? [])
          .filter((group) => group.test === test && group.backend !== baseline)
          .sort(byGroup);
        return { test, groups, styles: groupStyles(groups, ["backend"]) };
      }),
    [mine, baseline],
  );
  // The place is kept, so that nothing below it jumps.
  if (!mine) return <div class="chart-grid waiting" aria-busy="true" />;
  if (mine.runs.length < 2) return null;
  return (
    <div class="chart-grid">
      {charts.map(({ test, groups, styles }) => (
        <GroupChart
          key={test}
          accelerator={mine}
          groups={groups}
          styles={styles}
          metric={GEOMEAN}
          baseline={baseline}
          title={`Geomean speedup, ${testName(test)}`}
          height={170}
          range={range}
          onRange={setRange}
          late={late}
        />
      ))}
    </div>
  );
}
const GEOMEAN = groupMetric("geomean") as GroupMetric;

type StatusPart = { suite: string | null; groups: Group[]; previous: Group[]; history: HistoryPoint[] };

/** The same status for every suite by itself. */
function StatusBySuite({
  accelerator,
  baseline,
  runs,
  until,
  coverage,
}: {
  accelerator: AcceleratorOverview;
  baseline: string;
  runs: string;
  until: string | null;
  coverage: CoverageAnswer | null;
}) {
  const { accelerator_model, run } = accelerator;
  const { data, late, error, again } = useApi(
    address("/history", { accelerator_model, group_by: ["suite", "test", "backend"], baseline, runs, until }),
  );
  const parts = useMemo<StatusPart[]>(() => {
    const mine = data?.accelerators.find((one) => one.accelerator_model === accelerator_model);
    if (!mine) return [];
    const at = (suite: string, place: number): Group[] =>
      mine.groups.flatMap((group) => {
        const point = group.suite === suite ? group.points[place] : null;
        return point ? [{ ...point, test: group.test ?? "", backend: group.backend ?? "" }] : [];
      });
    const last = mine.runs.findIndex((one) => one.id === run.id);
    return [...new Set(mine.groups.map((group) => group.suite ?? ""))].sort().map((suite) => ({
      suite,
      groups: at(suite, last),
      previous: last > 0 ? at(suite, last - 1) : [],
      history: mine.runs.map((one, place) => ({ run: one, groups: at(suite, place) })),
    }));
  }, [data, accelerator_model, run.id]);
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={12} />;
  return (
    <div class={late ? "late" : ""}>
      <StatusTable accelerator={accelerator} parts={parts} baseline={baseline} coverage={coverage} />
    </div>
  );
}

function StatusTable({
  accelerator,
  parts,
  baseline,
  coverage,
}: {
  accelerator: AcceleratorOverview;
  parts: StatusPart[];
  baseline: string;
  coverage: CoverageAnswer | null;
}) {
  const groups = parts.flatMap((part) => part.groups);
  const domain = ratioDomain(groups.map((group) => group.geomean?.all.interval ?? null));
  const compileUnit = unitOf(
    groups.map((group) => group.compile?.median ?? NaN),
    "s",
  );
  const runs = parts[0]?.history.length ?? 0;
  const name = `Tests and backends on ${accelerator.accelerator_model}`;
  const box = useRef<HTMLDivElement>(null);
  useMoreSign(box);
  return (
    <div ref={box} class="scroll" tabIndex={0} role="region" aria-label={name}>
      <table class="overview">
        <caption class="sr">{name}</caption>
        <thead>
          <tr>
            <th scope="col" class="stay">
              Backend
            </th>
            <th scope="col" colSpan={3} class="starts">
              Verified and right <span class="quiet">last {plural(runs, "run")}</span>
            </th>
            <th scope="col" colSpan={5} class="starts">
              Speedup over <span class="mono">{baseline}</span>, geomean <span class="quiet">× [95 % over models]</span>
            </th>
            <th scope="col" colSpan={3} class="starts">
              Compile time, median <span class="quiet">{compileUnit.name}</span>
            </th>
            <th
              scope="col"
              colSpan={2}
              class="starts"
              title="with timings, of those that were expected: what was in one of the 14 runs before, or what a manifest names"
            >
              Timed <span class="quiet">of expected</span>
            </th>
          </tr>
        </thead>
        {parts.flatMap((part) =>
          testsOf(part.groups).map((test) => (
            <tbody key={`${part.suite} ${test}`}>
              <tr class="group">
                <th colSpan={14} scope="rowgroup">
                  <span class="group-name">
                    {part.suite !== null && (
                      <>
                        <a class="mono" href={suiteHref(part.suite)}>
                          {shown(part.suite)}
                        </a>
                        {", "}
                      </>
                    )}
                    {testName(test)}
                  </span>
                </th>
              </tr>
              {part.groups
                .filter((group) => group.test === test)
                .sort((a, b) => byBackend(a.backend, b.backend))
                .map((group) => (
                  <GroupRow
                    key={group.backend}
                    group={group}
                    before={part.previous.find((one) => one.test === test && one.backend === group.backend)}
                    change={
                      part.suite === null
                        ? accelerator.changes.find((one) => one.test === test && one.backend === group.backend)
                        : undefined
                    }
                    history={part.history}
                    baseline={baseline}
                    domain={domain}
                    compileUnit={compileUnit}
                    run={accelerator.run}
                    coverage={
                      coverage &&
                      sumOf(
                        coverage.groups.filter(
                          (one) =>
                            one.test === test &&
                            one.backend === group.backend &&
                            (part.suite === null || one.suite === part.suite),
                        ),
                      )
                    }
                  />
                ))}
            </tbody>
          )),
        )}
      </table>
    </div>
  );
}

function Changes({ accelerator }: { accelerator: AcceleratorOverview }) {
  const { transitions, run, previous_run, verified_run, verified_before } = accelerator;
  if (!previous_run) return <p class="quiet">The next run will be compared with this one.</p>;
  const stale = verified_run?.id !== run.id;
  return (
    <>
      {stale && verified_run && (
        <p class="quiet">
          This run was not verified. The last verified run is <RunLink run={verified_run} />
          {verified_before ? (
            <>
              ; changes since <RunLink run={verified_before} />
              {transitions.length ? ":" : ": none."}
            </>
          ) : (
            "."
          )}
        </p>
      )}
      {!stale && !transitions.length && (
        <p class="quiet">
          {verified_before
            ? `Every verification says what it said on ${date(verified_before.started_at)}.`
            : "There is no earlier verification to compare with."}
        </p>
      )}
      {!verified_run && <p class="quiet">Nothing has been verified yet.</p>}
      <TransitionList transitions={transitions} most={12} />
    </>
  );
}

/** By how much a mean moved over the models of both runs; a percentage only where it is more than which models there are. */
function Moved({ mean, unit }: { mean: GroupChange["speedup"] | undefined; unit: string }) {
  if (!mean || mean.ratio === null) return null;
  const apart = mean.interval !== null && (mean.interval.low > 1 || mean.interval.high < 1);
  const bounds = mean.interval ? ` ${percentInterval(mean.interval.low, mean.interval.high)}` : "";
  const title = `over the ${plural(mean.n, "model")} in both runs: ${full(mean.before)}${unit} before, ${full(mean.now)}${unit} now; ${apart ? "" : "no significant change, "}${change(mean.ratio)}${bounds}`;
  return <span title={title}>{apart ? change(mean.ratio) : "~"}</span>;
}

function GroupRow({
  group,
  before,
  change: moved,
  history,
  baseline,
  domain,
  compileUnit,
  run,
  coverage,
}: {
  group: Group;
  before: Group | undefined;
  change: GroupChange | undefined;
  history: HistoryPoint[];
  baseline: string;
  domain: { low: number; high: number };
  compileUnit: { name: string; factor: number };
  run: AcceleratorOverview["run"];
  coverage: CoverageSum | null;
}) {
  const { color, dash } = columnStyle(group.backend, group.backend);
  const past = (pick: (group: Group) => SparkPoint): SparkPoint[] =>
    history.map(({ groups }) => {
      const same = groups.find((one) => one.test === group.test && one.backend === group.backend);
      return same ? pick(same) : null;
    });
  const verified = (one: Group) => one.passing + one.failing + one.undecided > 0;
  const rates = past((one) => (verified(one) ? { value: one.passing / one.verifiable } : null));
  const geomeans = past((one) => {
    const all = one.geomean?.all;
    return all && all.value !== null ? { value: all.value, low: all.interval?.low, high: all.interval?.high } : null;
  });
  const compiles = past((one) => (one.compile ? { value: one.compile.median } : null));
  const geomean = group.geomean?.all ?? null;
  const isBaseline = group.backend === baseline;
  const rateTitle = `${group.passing} passing, ${group.failing} failing, ${group.undecided} undecided, ${group.unverified} never verified, of ${group.total} results, ${group.verifiable} of which count in the pass rate${group.stale ? `; ${group.stale} stale` : ""}`;
  const difference = before ? group.passing - before.passing : 0;
  return (
    <tr>
      <th scope="row" class="stay">
        <Backend name={group.backend} link={{ accelerator_model: run.accelerator_model, test: group.test }} />
      </th>
      <td class="right starts" title={rateTitle}>
        {verified(group) ? (
          <>
            <strong class="num">{count(group.passing)}</strong>
            <span class="quiet">/{count(group.verifiable)}</span>
            {group.failing > 0 && <span class="worse note"> {count(group.failing)} fail</span>}
            {group.stale > 0 && (
              <span class="stale-note" title={`${group.stale} of these codes are older than this run`}>
                {" "}
                stale
              </span>
            )}
          </>
        ) : (
          <Missing
            why={group.backend === "eager" ? "eager is what the others are verified against" : "never verified"}
          />
        )}
      </td>
      <td class="delta">
        {difference !== 0 && (
          <span class={difference < 0 ? "worse" : "better"}>
            {difference < 0 ? "▼" : "▲"}
            {Math.abs(difference)}
          </span>
        )}
      </td>
      <td>
        {verified(group) && (
          <Spark
            points={rates}
            color={color}
            dash={dash}
            floor={{ low: 0, high: 1 }}
            label={sparkLabel("pass rate", rates, (value) => `${(value * 100).toFixed(0)} %`)}
          />
        )}
      </td>
      {geomean && geomean.value !== null ? (
        <>
          <td class="right starts">
            <strong>
              <Num
                value={geomean.value}
                suffix="×"
                title={`${full(geomean.value)}, n = ${geomean.n} models\nover the models that all backends share: ${full(group.geomean?.matched.value)} (n = ${group.geomean?.matched.n})`}
              />
            </strong>
          </td>
          <td class="interval">
            <IntervalText interval={geomean.interval} />
          </td>
          <td>
            <Whisker value={geomean.value} interval={geomean.interval} domain={domain} color={color} />
          </td>
          <td class="delta quiet">
            <Moved mean={moved?.speedup} unit="×" />
          </td>
          <td>
            <Spark points={geomeans} color={color} dash={dash} label={sparkLabel("geomean speedup", geomeans, times)} />
          </td>
        </>
      ) : (
        <>
          <td class="right starts">
            {isBaseline ? (
              <span class="quiet num" title="the baseline">
                1<span class="frac">×</span>
              </span>
            ) : (
              <Missing why={`no model has a speedup over ${baseline} in this run`} />
            )}
          </td>
          <td class="quiet" colSpan={4}>
            {isBaseline ? "the baseline" : ""}
          </td>
        </>
      )}
      {group.compile ? (
        <>
          <td class="right starts">
            <Num
              value={group.compile.median}
              factor={compileUnit.factor}
              title={`median ${full(group.compile.median)} s, mean ${full(group.compile.mean)} s, n = ${group.compile.n}`}
            />
          </td>
          <td class="delta quiet">
            <Moved mean={moved?.compile} unit=" s" />
          </td>
          <td>
            <Spark
              points={compiles}
              color={color}
              dash={dash}
              label={sparkLabel("median compile time", compiles, duration)}
            />
          </td>
        </>
      ) : (
        <>
          <td class="right starts">
            <Missing
              why={group.backend === "eager" ? "nothing compiles on eager" : "no compile time that is more than noise"}
            />
          </td>
          <td colSpan={2} />
        </>
      )}
      <td class="right starts" title={`${group.timed} timed, ${group.failed} failed`}>
        <span class="num">{count(coverage && coverage.expected > 0 ? coverage.timed : group.timed)}</span>
        {coverage && coverage.expected > 0 && <span class="quiet">/{count(coverage.expected)}</span>}
        {coverage && coverage.expected > 0 && coverage.extraTimed > 0 && (
          <span class="quiet"> +{count(coverage.extraTimed)} new</span>
        )}
      </td>
      <td>
        {coverage && coverage.expected > 0 && (
          <CoverageBar outcomes={coverage.outcomes} expected={coverage.expected} width={72} />
        )}
      </td>
    </tr>
  );
}

function Moves({ moves, hasPrevious }: { moves: Move[]; hasPrevious: boolean }) {
  if (!hasPrevious) return <p class="quiet">The next run will be compared with this one.</p>;
  if (!moves.length) return <p class="quiet">No steady time can be compared with the run before.</p>;
  const domain = ratioDomain(moves.map((move) => move.interval ?? { low: move.ratio, high: move.ratio }));
  const unit = unitOf(
    moves.map((move) => move.after.value),
    "s",
  );
  return (
    <PlainTable
      caption="Largest moves of steady time, not a verdict"
      class="moves"
      heads={[
        { title: "Model" },
        { title: "Backend" },
        {
          title: (
            <>
              Before → now <span class="quiet">{unit.name}</span>
            </>
          ),
          right: true,
        },
        { title: "Change", right: true },
        { title: <span class="sr">interval drawn</span>, class: "wide-only" },
      ]}
    >
      <tbody>
        {moves.slice(0, 12).map((move) => {
          const { experiment } = move;
          return (
            <tr key={experiment.id}>
              <th scope="row">
                <a
                  class="mono clip"
                  title={experiment.model}
                  href={modelHref(experiment.suite, experiment.model, {
                    test: experiment.test,
                    accelerator_model: experiment.accelerator_model,
                  })}
                >
                  {shown(experiment.model)}
                </a>{" "}
                <span class="quiet">{testName(experiment.test)}</span>
              </th>
              <td>
                <Backend
                  name={experiment.column}
                  backend={experiment.backend}
                  link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
                />
              </td>
              <td class="right" title={`${full(move.before.value)} s → ${full(move.after.value)} s`}>
                <span class="num">
                  {digits(move.before.value * unit.factor)} → {digits(move.after.value * unit.factor)}
                </span>
              </td>
              <td
                class="right"
                title={
                  move.interval
                    ? `ratio ${full(move.ratio)}, ${full(move.interval.low)} to ${full(move.interval.high)}`
                    : `ratio ${full(move.ratio)}`
                }
              >
                <span class="num">{change(move.ratio)}</span>{" "}
                <span class="interval">
                  {move.interval ? percentInterval(move.interval.low, move.interval.high) : ""}
                </span>
              </td>
              <td class="wide-only">
                <Whisker
                  value={move.ratio}
                  interval={move.interval}
                  domain={domain}
                  color={columnStyle(experiment.column, experiment.backend).color}
                  width={64}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </PlainTable>
  );
}
