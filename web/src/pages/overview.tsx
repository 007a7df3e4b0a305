// The page of the morning: for each accelerator the last run, how it stands, what changed since the run before.
import { address } from "../api/client";
import type { AcceleratorOverview, Alert, Group, Move, Overview, Page, Transition } from "../api/types";
import { useApi } from "../api/use";
import { byBackend, columnStyle } from "../lib/backends";
import { ago, change, count, date, digits, duration, full, moment, percentInterval, plural, runName, shown, testName, times, unitOf } from "../lib/format";
import { useNow, useTitle } from "../lib/hooks";
import { useMarkdown } from "../lib/page_markdown";
import { href, modelHref, runHref, useQuery } from "../lib/route";
import { overviewSentence, testsOf } from "../lib/words";
import { AlertLinks } from "../parts/alert_bits";
import { MarkdownButton, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { PlainTable } from "../parts/plain_table";
import { Backend, ErrorNote, IntervalText, Labels, Missing, Num, RunLink, Section, Sentence, Spark, type SparkPoint, Waiting, Whisker, ratioDomain, sparkLabel } from "../parts/small";
import { TransitionList } from "../parts/transitions";

export function OverviewPage() {
  const [query, setQuery] = useQuery();
  const baseline = query.get("baseline") ?? "inductor";
  const { data, late, error, again } = useApi<Overview>(address("/overview", { baseline, runs: 30 }), { poll: true });
  const now = useNow();
  const alerts = useApi<Page<Alert>>(address("/alerts", { limit: 3 }), { poll: true }).data;
  useTitle(data ? headTitle(data) : "Overview");
  const several = data && data.accelerators.length > 1 ? data.accelerators.map((one) => `${one.accelerator_model}: ${overviewSentence(one, data.baseline)}`).join(" ") : null;
  useMarkdown(several ? { sentence: several } : {});

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  if (data.store.run_count === 0) return <Empty rejected={data.store.rejected_count} />;
  const backends = [...new Set(data.accelerators.flatMap((one) => one.groups.map((group) => group.backend)))].sort(byBackend);
  return (
    <div class={late ? "late" : ""}>
      {error && <ErrorNote error={error} again={again} kept />}
      {alerts && alerts.total > 0 && (
        <div class={`attention${alerts.items.some((alert) => alert.details.direction === "regression") ? "" : " calm"}`}>
          <strong>
            <a href="/alerts">{alerts.total === 1 ? "1 alert needs" : `${count(alerts.total)} alerts need`} attention</a>
          </strong>
          <AlertLinks alerts={alerts.items} total={alerts.total} />
        </div>
      )}
      {data.accelerators.map((one, index) => (
        <Accelerator key={one.accelerator_model} accelerator={one} baseline={data.baseline} now={now} first={index === 0} control={index === 0 ? (
          <>
            <Select
              label="Baseline"
              value={baseline}
              options={backends.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
            />
            <MarkdownButton />
          </>
        ) : null} />
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

function headTitle(data: Overview): string {
  const failing = data.accelerators.reduce((sum, one) => sum + one.transitions.filter((item) => item.kind === "newly_failing").length, 0);
  return failing ? `${failing} newly failing` : "Overview";
}

type HistoryPoint = { run: AcceleratorOverview["run"]; groups: Group[] };

function Accelerator({ accelerator, baseline, now, first, control }: { accelerator: AcceleratorOverview; baseline: string; now: number; first: boolean; control: preact.ComponentChildren }) {
  const { run, previous_run, groups, previous_groups, history, transitions, moves } = accelerator;
  const Heading = first ? "h1" : "h2";
  const tests = testsOf(groups);
  const domain = ratioDomain(groups.map((group) => group.geomean?.all.interval ?? null));
  const compileUnit = unitOf(groups.map((group) => group.compile?.median ?? NaN), "s");
  const stale = run.verified_at === null;
  return (
    <article class="accelerator">
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{accelerator.accelerator_model}</span>
          <span>
            last run <RunLink run={run} /> <time dateTime={run.started_at}>{runName(run) === run.name ? `${moment(run.started_at)}, ` : ""}{ago(run.started_at, now)}</time>
          </span>
          <span class={stale ? "warn" : ""}>{run.verified_at ? `verified ${moment(run.verified_at)}` : "not verified: codes below are of an earlier run"}</span>
          <Labels labels={run.labels} />
        </div>
        <Heading>
          <Sentence text={overviewSentence(accelerator, baseline)} />
        </Heading>
        {control && <div class="toolbar">{control}</div>}
      </header>

      <div class="scroll" tabIndex={0} role="region" aria-label={`Tests and backends on ${accelerator.accelerator_model}`}>
        <table class="overview">
          <caption class="sr">Tests and backends on {accelerator.accelerator_model}</caption>
          <thead>
            <tr>
              <th scope="col" class="stay">Backend</th>
              <th scope="col" colSpan={3} class="starts">
                Verified and right <span class="quiet">last {plural(history.length, "run")}</span>
              </th>
              <th scope="col" colSpan={5} class="starts">
                Speedup over <span class="mono">{baseline}</span>, geomean <span class="quiet">× [95 % over models]</span>
              </th>
              <th scope="col" colSpan={3} class="starts">
                Compile time, median <span class="quiet">{compileUnit.name}</span>
              </th>
              <th scope="col" class="starts">Timed</th>
            </tr>
          </thead>
          {tests.map((test) => (
            <tbody key={test}>
              <tr class="group">
                <th colSpan={13} scope="rowgroup">
                  <span class="group-name">{testName(test)}</span>
                </th>
              </tr>
              {groups
                .filter((group) => group.test === test)
                .sort((a, b) => byBackend(a.backend, b.backend))
                .map((group) => (
                  <GroupRow
                    key={group.backend}
                    group={group}
                    before={previous_groups.find((one) => one.test === test && one.backend === group.backend)}
                    history={history}
                    baseline={baseline}
                    domain={domain}
                    compileUnit={compileUnit}
                    run={run}
                  />
                ))}
            </tbody>
          ))}
        </table>
      </div>

      <div class="columns">
        <Section
          id={first ? "changed" : undefined}
          title={previous_run ? <>Changed since <a href={runHref(previous_run)}>{date(previous_run.started_at)}</a></> : "Changed"}
          note={previous_run ? null : "There is no run before this one."}
          actions={<a href={href("/verification", { run: String(run.id) })}>Verification</a>}
        >
          <Changes transitions={transitions} stale={stale} hasPrevious={!!previous_run} />
        </Section>
        <Section
          title="Largest moves of steady time"
          note={<>Not a verdict: intervals are within each run, so a night's own mood is not in them.</>}
          actions={<a href={runHref(run)}>All models</a>}
        >
          <Moves moves={moves} hasPrevious={!!previous_run} />
        </Section>
      </div>
    </article>
  );
}

function Changes({ transitions, stale, hasPrevious }: { transitions: Transition[]; stale: boolean; hasPrevious: boolean }) {
  if (!hasPrevious) return <p class="quiet">The next run will be compared with this one.</p>;
  if (!transitions.length) return <p class="quiet">{stale ? "This run was not verified, so nothing can have changed." : "Every verification says what it said before."}</p>;
  return <TransitionList transitions={transitions} most={12} />;
}

function GroupRow({ group, before, history, baseline, domain, compileUnit, run }: { group: Group; before: Group | undefined; history: HistoryPoint[]; baseline: string; domain: { low: number; high: number }; compileUnit: { name: string; factor: number }; run: AcceleratorOverview["run"] }) {
  const { color, dash } = columnStyle(group.backend, group.backend);
  const past = (pick: (group: Group) => SparkPoint): SparkPoint[] =>
    history.map(({ groups }) => {
      const same = groups.find((one) => one.test === group.test && one.backend === group.backend);
      return same ? pick(same) : null;
    });
  const verified = (one: Group) => one.passing + one.failing + one.undecided > 0;
  const rates = past((one) => (verified(one) && one.total > 0 ? { value: one.passing / one.total } : null));
  const geomeans = past((one) => {
    const all = one.geomean?.all;
    return all && all.value !== null ? { value: all.value, low: all.interval?.low, high: all.interval?.high } : null;
  });
  const compiles = past((one) => (one.compile ? { value: one.compile.median } : null));
  const geomean = group.geomean?.all ?? null;
  const beforeGeomean = before?.geomean?.all ?? null;
  const isBaseline = group.backend === baseline;
  const rateTitle = `${group.passing} passing, ${group.failing} failing, ${group.undecided} undecided, ${group.unverified} never verified, of ${group.total}${group.stale ? `; ${group.stale} stale` : ""}`;
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
            <span class="quiet">/{count(group.total)}</span>
            {group.stale > 0 && <span class="stale-note" title={`${group.stale} of these codes are older than this run`}> stale</span>}
          </>
        ) : (
          <Missing why={group.backend === "eager" ? "eager is what the others are verified against" : "never verified"} />
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
        {verified(group) && <Spark points={rates} color={color} dash={dash} floor={{ low: 0, high: 1 }} label={sparkLabel("pass rate", rates, (value) => `${(value * 100).toFixed(0)} %`)} />}
      </td>
      {geomean && geomean.value !== null ? (
        <>
          <td class="right starts">
            <strong>
              <Num value={geomean.value} suffix="×" title={`${full(geomean.value)}, n = ${geomean.n} models\nover the models that all backends share: ${full(group.geomean?.matched.value)} (n = ${group.geomean?.matched.n})`} />
            </strong>
          </td>
          <td class="interval">
            <IntervalText interval={geomean.interval} />
          </td>
          <td>
            <Whisker value={geomean.value} interval={geomean.interval} domain={domain} color={color} />
          </td>
          <td class="delta quiet" title={beforeGeomean?.value ? `before: ${full(beforeGeomean.value)}×` : undefined}>
            {beforeGeomean?.value ? change(geomean.value / beforeGeomean.value) : ""}
          </td>
          <td>
            <Spark points={geomeans} color={color} dash={dash} label={sparkLabel("geomean speedup", geomeans, times)} />
          </td>
        </>
      ) : (
        <>
          <td class="right starts">
            {isBaseline ? (
              <>
                <span class="quiet num" title="the baseline">
                  1<span class="frac">×</span>
                </span>
              </>
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
            <Num value={group.compile.median} factor={compileUnit.factor} title={`median ${full(group.compile.median)} s, mean ${full(group.compile.mean)} s, n = ${group.compile.n}`} />
          </td>
          <td class="delta quiet">{before?.compile ? change(group.compile.median / before.compile.median) : ""}</td>
          <td>
            <Spark points={compiles} color={color} dash={dash} label={sparkLabel("median compile time", compiles, duration)} />
          </td>
        </>
      ) : (
        <>
          <td class="right starts">
            <Missing why="no compile time: nothing was timed often enough" />
          </td>
          <td colSpan={2} />
        </>
      )}
      <td class="right starts" title={`${group.timed} timed, ${group.failed} failed`}>
        <span class="num">{count(group.timed)}</span>
        {group.failed > 0 && <span class="quiet"> · {count(group.failed)} failed</span>}
      </td>
    </tr>
  );
}

function Moves({ moves, hasPrevious }: { moves: Move[]; hasPrevious: boolean }) {
  if (!hasPrevious) return <p class="quiet">The next run will be compared with this one.</p>;
  if (!moves.length) return <p class="quiet">No steady time can be compared with the run before.</p>;
  const domain = ratioDomain(moves.map((move) => move.interval ?? { low: move.ratio, high: move.ratio }));
  const unit = unitOf(moves.map((move) => move.after.value), "s");
  return (
    <PlainTable
      caption="Largest moves of steady time, not a verdict"
      class="moves"
      heads={[
        { title: "Model" },
        { title: "Backend" },
        { title: <>Before → now <span class="quiet">{unit.name}</span></>, right: true },
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
                <a class="mono" href={modelHref(experiment.suite, experiment.model, { test: experiment.test, accelerator_model: experiment.accelerator_model })}>
                  {shown(experiment.model)}
                </a>{" "}
                <span class="quiet">{testName(experiment.test)}</span>
              </th>
              <td>
                <Backend name={experiment.column} backend={experiment.backend} link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }} />
              </td>
              <td class="right" title={`${full(move.before.value)} s → ${full(move.after.value)} s`}>
                <span class="num">
                  {digits(move.before.value * unit.factor)} → {digits(move.after.value * unit.factor)}
                </span>
              </td>
              <td class="right" title={move.interval ? `ratio ${full(move.ratio)}, ${full(move.interval.low)} to ${full(move.interval.high)}` : `ratio ${full(move.ratio)}`}>
                <span class="num">{change(move.ratio)}</span> <span class="interval">{move.interval ? percentInterval(move.interval.low, move.interval.high) : ""}</span>
              </td>
              <td class="wide-only">
                <Whisker value={move.ratio} interval={move.interval} domain={domain} color={columnStyle(experiment.column, experiment.backend).color} width={64} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </PlainTable>
  );
}

