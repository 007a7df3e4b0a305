// Any two runs, or any two backends, side by side: what got worse, what better, what is missing, and how sure that is.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { ComparedMean, ComparedResult, Comparison, ComparisonGroup, ComparisonRow, RunRef } from "../api/types";
import { usePages, useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { byBackend, columnStyle } from "../lib/backends";
import { sign } from "../lib/codes";
import {
  SHOWN,
  absenceWords,
  columnText,
  comparisonSentence,
  groupName,
  isFailure,
  isLikeForLike,
  meanSentence,
  named,
  percent,
  reasonSentence,
  rowKey,
  splitWords,
  totalOf,
  verdictWords,
  worstFirst,
} from "../lib/compare";
import {
  change,
  count,
  digits,
  duration,
  full,
  interval as intervalText,
  percentInterval,
  reason,
  runName,
  shown,
  testName,
  unitOf,
  type Unit,
} from "../lib/format";
import { usePlainKeys, useTitle } from "../lib/hooks";
import { markWords } from "../lib/marks";
import { here, modelHref, profileComparisonHref, profileDiffHref, profileHref, runHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { testsOf } from "../lib/words";
import { ChangeStrip } from "../parts/change_strip";
import { Check, Choice, CsvLink, FilterField, Menu, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { PlainTable } from "../parts/plain_table";
import { RunPicker } from "../parts/run_picker";
import {
  Backend,
  ErrorNote,
  EstimateNum,
  FailureNote,
  LabelRange,
  Missing,
  Num,
  RunLink,
  Section,
  Sentence,
  Spark,
  Suite,
  VerificationSign,
  Waiting,
  Whisker,
  estimateTitle,
  ratioDomain,
  sparkLabel,
  type Domain,
  type SparkPoint,
} from "../parts/small";
import { type Column, type ColumnGroup, Table } from "../parts/table";

const COLUMNS = [
  { key: "verification", text: "verification" },
  { key: "time", text: "times" },
  { key: "change", text: "change" },
  { key: "absolute", text: "absolute change" },
  { key: "interval", text: "interval, drawn" },
  { key: "speedup", text: "speedup" },
  { key: "split", text: "ours or the baseline" },
  { key: "compile", text: "compile time" },
  { key: "history", text: "history" },
];
const HIDDEN_AT_FIRST = "absolute,compile";
const HISTORY_RUNS = 30;

export function ComparePage() {
  const [query, setQuery] = useQuery();
  const asked = { left: query.get("left") ?? "previous", right: query.get("right") ?? "latest" };
  const of = { left: query.get("left_accelerator_model"), right: query.get("right_accelerator_model") };
  const backend = { left: query.get("left_backend") ?? "", right: query.get("right_backend") ?? "" };
  const baseline = query.get("baseline") ?? "inductor";
  const set = query.get("set") === "all" ? "all" : "matched";
  const suite = query.get("suite") ?? "";
  const test = query.get("test") ?? "";
  const column = query.get("column") ?? "";
  const show = query.get("show") ?? "";
  const filter = query.get("q") ?? "";
  const group = query.get("group") ?? "";
  const current = query.get("row");
  const hidden = (query.get("hide") ?? HIDDEN_AT_FIRST).split(",").filter((key) => key && key !== "none");
  const choices = {
    left: asked.left,
    right: asked.right,
    left_accelerator_model: of.left,
    right_accelerator_model: of.right,
    left_backend: backend.left,
    right_backend: backend.right,
    baseline,
  };
  const { data, late, error, again } = useApi(address("/compare", choices));
  const runs = useRuns();
  const models = usePages(address("/models", { limit: 10000 }), { whole: true });
  const rightRun = data?.right.run;
  const history = useApi(
    rightRun
      ? address("/history/models", {
          accelerator_model: rightRun.accelerator_model,
          until: instantAfter(rightRun.started_at),
          runs: HISTORY_RUNS,
        })
      : null,
  );
  useTitle(data ? `${runName(data.left.run)} → ${runName(data.right.run)}` : "Compare");

  const allRuns = runs.data?.items ?? [];
  const accelerators = useMemo(() => [...new Set(allRuns.map((run) => run.accelerator_model))], [allRuns]);
  const find = (id: string) => allRuns.find((run) => String(run.id) === id) ?? null;
  const onRun =
    (side: "left" | "right") =>
    (run: string, accelerator: string | null, replace = false) => {
      const change: Record<string, string | null> = { [side]: run, row: null };
      // An id says itself which accelerator it is of; names are looked for on one.
      if (/^\d+$/.test(run)) change[`${side}_accelerator_model`] = null;
      else if (accelerator !== null) change[`${side}_accelerator_model`] = accelerator;
      if (side === "left" && run === "previous") change["left_accelerator_model"] = null;
      // What follows from the other side stays what it was.
      if (side === "right" && (here().query.get("left") ?? "previous") === "previous" && data && run !== "latest")
        change["left"] = String(data.left.run.id);
      setQuery(change, replace);
    };
  usePlainKeys((event) => {
    const step = { "[": ["right", -1], "]": ["right", 1], "{": ["left", -1], "}": ["left", 1] }[event.key] as
      | ["left" | "right", number]
      | undefined;
    if (!step) return;
    const [side, by] = step;
    // From what the address says by now: keys may come faster than answers.
    const now = find(here().query.get(side) ?? "") ?? data?.[side].run;
    const near = allRuns.filter((run) => run.accelerator_model === now?.accelerator_model);
    const place = near.findIndex((run) => run.id === now?.id);
    // "previous" goes with the right side; a run that is named stays, and is passed over: no step compares a run with itself.
    const follows = side === "right" && (here().query.get("left") ?? "previous") === "previous";
    const other = side === "right" ? "left" : "right";
    const taken =
      follows || backend.left !== backend.right
        ? undefined
        : (find(here().query.get(other) ?? "")?.id ?? data?.[other].run.id);
    const beside = place < 0 ? undefined : near[place - by];
    const next = beside && beside.id === taken ? near[place - 2 * by] : beside;
    if (next && follows) setQuery({ right: String(next.id), right_accelerator_model: null, row: null });
    else if (next) onRun(side)(String(next.id), null);
  });

  const rows = data?.rows ?? [];
  const inScope = useMemo(
    () =>
      rows.filter(
        (row) =>
          (!suite || row.suite === suite) && (!test || row.test === test) && (!column || columnText(row) === column),
      ),
    [rows, suite, test, column],
  );
  const fits = SHOWN.find((one) => one.value === show)?.fits;
  const listed = useMemo(
    () =>
      inScope.filter(
        (row) =>
          (!fits || fits(row)) &&
          (!filter ||
            matches(filter, `${row.suite} ${row.model} ${row.test} ${testName(row.test)} ${columnText(row)}`)),
      ),
    [inScope, show, filter],
  );
  const past = useMemo(
    () => new Map((history.data?.series ?? []).map((one) => [one.experiment.id, one.values])),
    [history.data],
  );
  const columns = useMemo(() => (data ? tableColumns(data, hidden, past) : null), [data, hidden.join(), past]);
  const grouper = useMemo(
    () =>
      ({
        suite: (row: ComparisonRow) => row.suite,
        test: (row: ComparisonRow) => testName(row.test),
        backend: columnText,
        verdict: (row: ComparisonRow) => verdictWords(row.verdict).word,
      })[group] ?? null,
    [group],
  );

  if ((!runs.data || !data) && !(error && runs.data) && !(runs.error && data))
    return (error ?? runs.error) ? (
      <ErrorNote error={(error ?? runs.error) as NonNullable<typeof error>} again={() => (again(), runs.again())} />
    ) : (
      <Waiting rows={16} />
    );
  if (runs.data && !allRuns.length) return <Empty />;
  // The server knows no run before the only one.
  const isFirst = error?.problem.status === 404 && asked.left === "previous" && runs.isComplete && allRuns.length === 1;
  const backendsOf = (run: RunRef | undefined) => {
    const known = new Set(
      (models.data?.items ?? [])
        .filter((item) => !run || item.accelerator_models.includes(run.accelerator_model))
        .flatMap((item) => item.backends),
    );
    for (const row of rows) for (const side of [row.left, row.right]) if (side.column !== null) known.add(side.column);
    return [...known].sort(byBackend);
  };
  const hide = (key: string, on: boolean) => {
    const next = on ? hidden.filter((one) => one !== key) : [...hidden, key];
    setQuery({ hide: next.length === 0 ? "none" : next.join(",") === HIDDEN_AT_FIRST ? null : next.join(",") });
  };
  const picked = data && current ? rows.find((row) => rowKey(row) === current) : undefined;
  const pick = (row: ComparisonRow | null) => setQuery({ row: row ? rowKey(row) : null }, true);
  const swap = () =>
    setQuery({
      left: data ? String(data.right.run.id) : asked.right,
      right: data ? String(data.left.run.id) : asked.left,
      left_accelerator_model: null,
      right_accelerator_model: null,
      left_backend: backend.right || null,
      right_backend: backend.left || null,
      row: null,
    });
  const columnNames = [...new Set(rows.map(columnText))].sort();
  const suites = [...new Set(rows.map((row) => row.suite))].sort();
  return (
    <div class="compare-page">
      <header class={late ? "page-head late" : "page-head"}>
        {data && (
          <div class="kicker">
            <span class="accel">{data.right.run.accelerator_model}</span>
            <span>{apartWords(data)}</span>
            {labelsApart(data).map((name) => (
              <span key={name}>
                <span class="quiet">{name}</span>{" "}
                <LabelRange
                  name={name}
                  before={data.left.run.labels[name] ?? null}
                  after={data.right.run.labels[name] ?? null}
                  whyNot={["the left run has no such label", "the right run has no such label"]}
                />
              </span>
            ))}
            {(["left", "right"] as const).flatMap((side) =>
              data[side].marks.map((mark) => (
                <span key={`${side} ${mark.kind}`} class="warn">
                  {side}: {markWords(mark)}
                </span>
              )),
            )}
          </div>
        )}
        <h1>
          <Sentence text={data ? comparisonSentence(data) : "Compare two runs"} />
        </h1>
      </header>
      <div class="sides compare-sides">
        <RunPicker
          title="Left"
          keys={["{", "}"]}
          asked={asked.left}
          run={find(asked.left) ?? data?.left.run ?? null}
          runs={allRuns}
          names={[
            { value: "previous", text: "previous", more: "the run before the right one" },
            { value: "latest", text: "latest", more: "the newest run" },
          ]}
          accelerators={accelerators}
          backend={backend.left}
          backends={backendsOf(data?.left.run)}
          onRun={onRun("left")}
          onBackend={(name) =>
            setQuery({ left_backend: name || null, right_backend: name ? backend.right || name : null, row: null })
          }
        />
        <button
          type="button"
          class="button swap"
          onClick={swap}
          disabled={!data}
          title="Left and right, the other way round"
        >
          <span aria-hidden="true">⇄</span> Swap
        </button>
        <RunPicker
          title="Right"
          keys={["[", "]"]}
          asked={asked.right}
          run={find(asked.right) ?? data?.right.run ?? null}
          runs={allRuns}
          names={[{ value: "latest", text: "latest", more: "the newest run" }]}
          accelerators={accelerators}
          backend={backend.right}
          backends={backendsOf(data?.right.run)}
          onRun={onRun("right")}
          onBackend={(name) =>
            setQuery({ right_backend: name || null, left_backend: name ? backend.left || name : null, row: null })
          }
        />
      </div>
      {error && (isFirst ? <NothingBefore /> : <ErrorNote error={error} again={again} kept={!!data} />)}
      {!data || !columns ? (
        !error && <Waiting rows={12} />
      ) : (
        <>
          <Section
            id="summary"
            title="Summary"
            note={
              <>
                Geometric means over models that are on both sides. Intervals, 95 %: over models; of times also over
                nights.{data.groups.every((one) => one.memory.length === 0) && " Memory: not measured in these runs."}
              </>
            }
            actions={
              <>
                <Select
                  label="Speedup over"
                  value={baseline}
                  options={backendsOf(undefined).map((name) => ({ value: name, text: name }))}
                  onChange={(value) => setQuery({ baseline: value === "inductor" ? null : value })}
                />
                <Choice
                  label="Speedups of"
                  value={set}
                  options={[
                    { value: "matched", text: "models on both sides" },
                    { value: "all", text: "all models" },
                  ]}
                  onChange={(value) => setQuery({ set: value === "matched" ? null : value })}
                />
              </>
            }
          >
            <Summary
              answer={data}
              set={set}
              late={late}
              onScope={(one) => setQuery({ suite: one.suite, test: one.test, column: null, row: null })}
            />
          </Section>

          <Events answer={data} late={late} onPick={pick} />

          <Section
            id="changes"
            title="Changes of the time"
            note="A bar a result, the largest slow-down at the left; thin: its 95 % interval over nights and repetitions. Grey: unclear."
          >
            <ChangeStrip rows={inScope} current={current} onPick={pick} late={late} />
          </Section>

          <Section
            id="models"
            title="Models"
            note={<>Steady time: median without warm-up. {ruleWords(data)}</>}
            actions={
              <CsvLink
                href={address("/compare", { ...choices, suite, test, format: "csv" })}
                name={`${data.left.run.name}-${data.right.run.name}.csv`}
              />
            }
          >
            <div class="toolbar">
              <FilterField
                value={filter}
                onChange={(value) => setQuery({ q: value || null }, true)}
                shown={listed.length}
                all={rows.length}
                what="rows"
              />
              <Choice
                label="Show"
                value={show}
                options={SHOWN.map((one) => ({
                  value: one.value,
                  text: one.value ? `${one.text} ${count(inScope.filter(one.fits).length)}` : one.text,
                }))}
                onChange={(value) => setQuery({ show: value || null })}
              />
              <Choice
                label="Test"
                value={test}
                options={[
                  { value: "", text: "all" },
                  ...testsOf(rows).map((name) => ({ value: name, text: testName(name) })),
                ]}
                onChange={(value) => setQuery({ test: value || null })}
              />
              {suites.length > 1 && (
                <Select
                  label="Suite"
                  value={suite}
                  options={[{ value: "", text: "all" }, ...suites.map((name) => ({ value: name, text: name }))]}
                  onChange={(value) => setQuery({ suite: value || null })}
                />
              )}
              {columnNames.length > 1 && (
                <Select
                  label="Backend"
                  value={column}
                  options={[{ value: "", text: "all" }, ...columnNames.map((name) => ({ value: name, text: name }))]}
                  onChange={(value) => setQuery({ column: value || null })}
                />
              )}
              <Select
                label="Group by"
                value={group}
                options={[
                  { value: "", text: "none" },
                  { value: "verdict", text: "verdict" },
                  { value: "backend", text: "backend" },
                  { value: "test", text: "test" },
                  { value: "suite", text: "suite" },
                ]}
                onChange={(value) => setQuery({ group: value || null })}
              />
              <Menu label="Columns">
                <fieldset>
                  <legend>Beside the verdict</legend>
                  {COLUMNS.map((one) => (
                    <Check
                      key={one.key}
                      label={one.text}
                      checked={!hidden.includes(one.key)}
                      onChange={(on) => hide(one.key, on)}
                    />
                  ))}
                </fieldset>
              </Menu>
            </div>
            {picked && <RowPanel answer={data} row={picked} past={past} onClose={() => pick(null)} />}
            <Table
              caption={`Results of ${runName(data.left.run)} and ${runName(data.right.run)}`}
              columns={columns.columns}
              groups={columns.groups}
              rows={listed}
              rowKey={rowKey}
              onOpen={(row) => pick(rowKey(row) === current ? null : row)}
              order={worstFirst}
              orderWords="worst first"
              groupBy={grouper}
              late={late}
              current={current}
              empty={rows.length ? "No row matches." : "These two have nothing."}
            />
          </Section>
        </>
      )}
    </div>
  );
}

function NothingBefore() {
  return (
    <p>
      There is one run so far, and none before it to compare it with. To compare its backends with each other, choose{" "}
      <i>latest</i> on the left as well, and a backend on each side.
    </p>
  );
}

/** The first moment that is sure to be behind a time: what the server keeps may be finer than a millisecond. */
const instantAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

function apartWords({ left, right, nights_apart: apart }: Comparison): string {
  if (apart === null)
    return `left: ${left.run.accelerator_model}; matched by suite, model, test, batch size and configuration`;
  if (left.run.id === right.run.id)
    return left.backend === right.backend ? "the same run on both sides" : "two backends of one run";
  const backwards = left.run.started_at > right.run.started_at ? ", the left one is the newer" : "";
  return `${apart === 1 ? "neighbouring runs" : `${count(apart)} runs apart`}${backwards}`;
}

/** The labels by which the two runs are told apart. */
const labelsApart = ({ left, right }: Comparison): string[] =>
  [...new Set([...Object.keys(left.run.labels), ...Object.keys(right.run.labels)])].filter(
    (name) => left.run.labels[name] !== right.run.labels[name],
  );

function ruleWords({ rule }: Comparison): string {
  return `Slower or faster: q below ${rule.rate} over all rows, and ${percent(rule.least_time_effect)} or more, held against how up to ${rule.nights} earlier nights differ; open a row for why.`;
}

const SIDES = ["left", "right"] as const;

/** "62/67 → 61/67", the second loud where something that passed fails. */
function PassCell({ group }: { group: ComparisonGroup }) {
  const part = (side: "left" | "right") => {
    const { passing, failing, undecided, results, stale, verifiable } = group[side];
    const verified = passing + failing + undecided;
    return verified === 0 ? (
      <Missing flush why="nothing of it was ever verified" />
    ) : (
      <span
        title={`${passing} pass, ${failing} fail, ${undecided} undecided, ${results - verified} never verified${stale ? `; ${stale} of the codes are of an earlier run` : ""}`}
      >
        {count(passing)}/{count(verifiable)}
      </span>
    );
  };
  const worse = group.newly_failing.length > 0;
  const better = group.newly_passing.length > 0;
  return (
    <span class="from-to-text">
      <span class={`mark ${worse ? "worse" : "better"}`} aria-hidden="true">
        {worse ? "▼" : better ? "▲" : ""}
      </span>
      {part("left")} <span class="quiet">→</span> {part("right")}
      {worse && <span class="sr">, {count(group.newly_failing.length)} newly failing</span>}
    </span>
  );
}

function Delta({
  mean,
  lowerIsBetter,
  what,
  brief = false,
}: {
  mean: ComparedMean;
  lowerIsBetter: boolean;
  what: string;
  brief?: boolean;
}) {
  if (mean.ratio === null) return <Missing why={`no model has ${what} on both sides`} />;
  const apart = mean.interval && (mean.interval.low > 1 || mean.interval.high < 1);
  const tone = !apart ? "unclear" : mean.ratio > 1 === lowerIsBetter ? "worse" : "better";
  return (
    <span
      title={`${full(mean.ratio)}${mean.interval ? `, 95 % over models ${percentInterval(mean.interval.low, mean.interval.high)}` : ""}; n = ${mean.n} models on both sides`}
    >
      <span class={`mark ${tone}`} aria-hidden="true">
        {tone === "worse" ? "▼" : tone === "better" ? "▲" : "~"}
      </span>
      {change(mean.ratio)}{" "}
      {mean.interval && !brief && (
        <span class="interval">{percentInterval(mean.interval.low, mean.interval.high)}</span>
      )}
      <span class="sr">{tone === "unclear" ? "unclear" : tone}</span>
    </span>
  );
}

function Summary({
  answer,
  set,
  late,
  onScope,
}: {
  answer: Comparison;
  set: "all" | "matched";
  late: boolean;
  onScope: (group: ComparisonGroup) => void;
}) {
  const { groups, rule, baseline } = answer;
  const domain = ratioDomain(groups.map((group) => group.time.interval));
  const memory = [...new Set(groups.flatMap((group) => group.memory.map((one) => one.metric)))];
  const suites = new Set(groups.map((group) => group.suite).filter(Boolean));
  // A mean over several backends would be a speedup of none of them.
  const isMixed = new Set(groups.filter((group) => group.suite !== null).map((group) => group.right_backend)).size > 1;
  return (
    <PlainTable caption="Summary, left and right" class="compare-summary" late={late}>
      <thead>
        <tr>
          <th scope="col">{suites.size > 1 ? "Suite, test" : "Test"}</th>
          <th scope="col">Backend</th>
          <th
            scope="col"
            title="Results that pass, of those of suites, tests and backends that are verified; stale codes count"
          >
            Pass
          </th>
          <th scope="col" title="Results with timings">
            Timed
          </th>
          <th scope="col" class="starts" title="Verdicts of single results: slower, faster, unclear">
            ▼ ▲ ~
          </th>
          <th scope="col" class="starts" title="Geometric mean of right time / left time">
            Time
          </th>
          <th scope="col">
            <span class="sr">drawn</span>
          </th>
          <th scope="col" class="right">
            n
          </th>
          <th scope="col" class="starts" title={`Geometric mean of speedups over ${baseline}`}>
            Speedup ×
          </th>
          <th scope="col" title="Over models with a speedup on both sides">
            Change
          </th>
          <th scope="col" class="starts" title="Geometric mean over models with a compile time on both sides">
            Compile
          </th>
          <th scope="col">Change</th>
          {memory.length > 0 && (
            <th scope="col" class="starts" title="Geometric mean over models that have it on both sides">
              Memory
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => {
          const speedup = (side: "left" | "right") =>
            set === "all"
              ? {
                  value: group[`${side}_speedup`].value,
                  n: group[`${side}_speedup`].n,
                  interval: group[`${side}_speedup`].interval,
                }
              : { value: group.speedup[side], n: group.speedup.n, interval: null };
          const name =
            group.suite === null ? "All results" : suites.size > 1 ? groupName(group) : testName(group.test ?? "");
          const words = verdictWords(group.time.verdict);
          return (
            <tr
              key={`${group.suite} ${group.test} ${group.right_backend}`}
              class={group.suite === null ? "sum-row" : undefined}
            >
              <th scope="row">
                {group.suite === null ? (
                  name
                ) : (
                  <button type="button" class="link" onClick={() => onScope(group)} title="Show only these below">
                    {name}
                  </button>
                )}
              </th>
              <td>
                {group.right_backend === null ? (
                  <span class="quiet">all</span>
                ) : group.left_backend === group.right_backend || group.left_backend === null ? (
                  <Backend name={group.right_backend} />
                ) : (
                  <>
                    <Backend name={group.left_backend} /> <span class="quiet">→</span>{" "}
                    <Backend name={group.right_backend} />
                  </>
                )}
              </td>
              <td>
                <PassCell group={group} />
              </td>
              <td>
                {count(group.left.timed)} <span class="quiet">→</span> {count(group.right.timed)}
              </td>
              <td class="starts">
                <span title={`${group.worse} slower, ${group.better} faster, ${group.unclear} unclear`}>
                  <span class={group.worse ? "worse" : "quiet"}>{count(group.worse)}</span>{" "}
                  <span class={group.better ? "better" : "quiet"}>{count(group.better)}</span>{" "}
                  <span class="quiet">{count(group.unclear)}</span>
                </span>
              </td>
              <td class="starts">
                {group.time.ratio === null ? (
                  <Missing why="no model has a time on both sides" />
                ) : (
                  <span class="verdict" title={meanSentence(group.time, rule)}>
                    <span class={`mark ${words.tone}`} aria-hidden="true">
                      {words.glyph}
                    </span>
                    <strong>{change(group.time.ratio)}</strong>{" "}
                    {group.time.interval && (
                      <span class="interval">{percentInterval(group.time.interval.low, group.time.interval.high)}</span>
                    )}
                    <span class="sr">
                      {words.word}. {meanSentence(group.time, rule)}
                    </span>
                  </span>
                )}
              </td>
              <td>
                {group.time.ratio !== null && (
                  <Whisker
                    value={group.time.ratio}
                    interval={group.time.interval}
                    domain={domain}
                    color={toneColor(words.tone)}
                    width={52}
                  />
                )}
              </td>
              <td class="right quiet">{group.time.n}</td>
              <td class="starts">
                {(group.suite === null && isMixed) || SIDES.some((side) => speedup(side).value === null) ? (
                  <Missing
                    why={
                      group.suite === null && isMixed
                        ? "several backends: each has its own row"
                        : group.right_backend === baseline
                          ? "this is the baseline"
                          : "a side has no speedup"
                    }
                  />
                ) : (
                  <span
                    title={SIDES.map(
                      (side) =>
                        `${side}: ${full(speedup(side).value)}×, n = ${speedup(side).n}${speedup(side).interval ? `, 95 % over models ${intervalText(speedup(side).interval?.low ?? 0, speedup(side).interval?.high ?? 0)}` : ""}`,
                    ).join("\n")}
                  >
                    {digits(speedup("left").value as number)} <span class="quiet">→</span>{" "}
                    {digits(speedup("right").value as number)}
                    {set === "all" && speedup("left").n !== speedup("right").n && (
                      <span class="warn note">
                        {" "}
                        n {speedup("left").n} → {speedup("right").n}
                      </span>
                    )}
                  </span>
                )}
              </td>
              <td>
                {group.suite === null && isMixed ? (
                  <Missing why="several backends: each has its own row" />
                ) : (
                  <Delta mean={group.speedup} lowerIsBetter={false} what="a speedup" />
                )}
              </td>
              <td class="starts">
                {group.suite === null && isMixed ? (
                  <Missing why="several backends: each has its own row" />
                ) : group.compile.left === null || group.compile.right === null ? (
                  <Missing why="no model has a compile time on both sides" />
                ) : (
                  <span
                    title={`${full(group.compile.left)} s → ${full(group.compile.right)} s, n = ${group.compile.n} models on both sides`}
                  >
                    {duration(group.compile.left)} <span class="quiet">→</span> {duration(group.compile.right)}
                  </span>
                )}
              </td>
              <td>
                {group.suite === null && isMixed ? (
                  <Missing why="several backends: each has its own row" />
                ) : (
                  <Delta mean={group.compile} lowerIsBetter brief what="a compile time" />
                )}
              </td>
              {memory.length > 0 && (
                <td class="starts">
                  {group.memory.map((one) => (
                    <span
                      key={one.metric}
                      class="memory"
                      title={`${one.metric}: ${full(one.left)} → ${full(one.right)} ${one.unit}`}
                    >
                      {memory.length > 1 && <span class="quiet mono">{one.metric} </span>}
                      <Delta mean={one} lowerIsBetter what={one.metric} />
                    </span>
                  ))}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </PlainTable>
  );
}

const toneColor = (tone: "worse" | "better" | "unclear"): string =>
  ({ worse: "var(--worse)", better: "var(--better)", unclear: "var(--quiet)" })[tone];

/** Of two backends or accelerators nothing is new and nothing is over: it is so on one side. */
const SIDE_TITLES: Record<(typeof EVENTS)[number]["key"], string> = {
  newly_failing: "Fail on the right only",
  stopped: "Timed on the left only",
  changed: "Fail in different ways",
  newly_passing: "Pass on the right only",
  started: "Timed on the right only",
  gone: "On the left only",
  appeared: "On the right only",
};
const EVENTS: {
  key: "newly_failing" | "stopped" | "changed" | "newly_passing" | "started" | "gone" | "appeared";
  title: string;
  tone: string;
}[] = [
  { key: "newly_failing", title: "Newly failing", tone: "worse" },
  { key: "stopped", title: "No longer timed", tone: "worse" },
  { key: "changed", title: "Fails in another way", tone: "" },
  { key: "newly_passing", title: "Newly passing", tone: "better" },
  { key: "started", title: "Timed again", tone: "better" },
  { key: "gone", title: "Gone", tone: "" },
  { key: "appeared", title: "New", tone: "" },
];
const MOST_EVENTS = 12;

/** What changed apart from times: each an event, however small. */
function Events({ answer, late, onPick }: { answer: Comparison; late: boolean; onPick: (row: ComparisonRow) => void }) {
  const [query, setQuery] = useQuery();
  const total = totalOf(answer.groups);
  if (!total) return null;
  const all = EVENTS.filter((event) => total[event.key].length > 0);
  const open = query.get("events") === "all";
  const titleOf = (event: (typeof EVENTS)[number]) => (isLikeForLike(answer) ? event.title : SIDE_TITLES[event.key]);
  const cut = all.some((event) => total[event.key].length > MOST_EVENTS);
  return (
    <Section
      id="events"
      title="What came, went, broke"
      note="Verification and coverage: any pass that became a fail is here, however little the averages moved."
      actions={
        cut || open ? (
          <button
            type="button"
            class="button"
            aria-pressed={open}
            onClick={() => setQuery({ events: open ? null : "all" })}
          >
            {open ? `The first ${MOST_EVENTS} of each` : "All"}
          </button>
        ) : null
      }
    >
      {!all.length && (
        <p class="quiet">Nothing: the same results on both sides, and verification says the same of each.</p>
      )}
      <div class={late ? "events late" : "events"}>
        {all.map((event) => (
          <section key={event.key} aria-label={titleOf(event)}>
            <h3 class={event.tone}>
              {event.tone === "worse" ? "▼ " : event.tone === "better" ? "▲ " : ""}
              {titleOf(event)} <span class="quiet">{count(total[event.key].length)}</span>
            </h3>
            <ul data-told={titleOf(event)}>
              {total[event.key].slice(0, open ? Infinity : MOST_EVENTS).map((place) => {
                const row = answer.rows[place] as ComparisonRow;
                const byTime = event.key === "stopped" || event.key === "started";
                return (
                  <li key={place}>
                    <span class="from-to">
                      {byTime ? (
                        <SideTime side={row.left} />
                      ) : (
                        <VerificationSign
                          verification={row.left.verification}
                          why={row.left.experiment_id === null ? "not in the left run" : "never verified"}
                        />
                      )}
                      <span class="quiet" aria-hidden="true">
                        →
                      </span>
                      {byTime ? (
                        <SideTime side={row.right} />
                      ) : (
                        <VerificationSign
                          verification={row.right.verification}
                          why={row.right.experiment_id === null ? "not in the right run" : "never verified"}
                        />
                      )}
                    </span>
                    <button type="button" class="link mono" onClick={() => onPick(row)} title="What is known of it">
                      {shown(row.model)}
                    </button>
                    <Backend name={columnText(row)} backend={named(row).backend ?? ""} />
                    <span class="quiet">{testName(row.test)}</span>
                  </li>
                );
              })}
            </ul>
            {!open && total[event.key].length > MOST_EVENTS && (
              <p class="quiet note">and {count(total[event.key].length - MOST_EVENTS)} more</p>
            )}
          </section>
        ))}
      </div>
    </Section>
  );
}

/** A side's time in its own unit, or why there is none. */
function SideTime({ side }: { side: ComparedResult }) {
  if (side.time) return <span title={estimateTitle(side.time, "s")}>{duration(side.time.value)}</span>;
  if (side.failure && side.absent && isFailure(side.absent)) return <FailureNote failure={side.failure} />;
  return <span class="quiet">{side.absent ? absenceWords(side.absent) : ""}</span>;
}

function TimeCell({ side, unit }: { side: ComparedResult; unit: Unit }) {
  if (side.time) return <EstimateNum estimate={side.time} unit={unit} unitName="s" />;
  if (side.failure && isFailure(side.absent)) return <FailureNote failure={side.failure} />;
  return <Missing why={side.absent ? absenceWords(side.absent) : "no time"} />;
}

function Verdict({ row, answer }: { row: ComparisonRow; answer: Comparison }) {
  const words = verdictWords(row.verdict);
  const why = reasonSentence(row, answer.rule);
  const loud = row.verdict === "missing_right" && isFailure(row.right.absent);
  return (
    <span
      class="verdict"
      title={why}
      data-text={`${words.glyph} ${loud && row.right.absent ? absenceWords(row.right.absent) : words.word}`}
    >
      <span class={`mark ${loud ? "worse" : words.tone}`} aria-hidden="true">
        {words.glyph}
      </span>
      <span class={loud ? "worse" : words.tone}>
        {loud && row.right.absent ? absenceWords(row.right.absent) : words.word}
      </span>
      <span class="sr">. {why}</span>
    </span>
  );
}

function tableColumns(
  answer: Comparison,
  hidden: string[],
  past: Map<number, (number | null)[]>,
): { columns: Column<ComparisonRow>[]; groups: ColumnGroup[] } {
  const { rows, baseline, rule } = answer;
  const times = rows.flatMap((row) => [row.left.time?.value ?? NaN, row.right.time?.value ?? NaN]);
  const timeUnit = unitOf(times, "s");
  const compileUnit = unitOf(
    rows.flatMap((row) => [row.left.compile ?? NaN, row.right.compile ?? NaN]),
    "s",
  );
  const domain: Domain = ratioDomain(
    rows.map((row) => (row.change ? { low: row.change.ratio, high: row.change.ratio } : null)),
  );
  const anyStale = rows.some((row) => row.left.verification?.stale || row.right.verification?.stale);
  const columns: Column<ComparisonRow>[] = [
    {
      key: "model",
      title: "Model",
      width: 172,
      sort: (row) => row.model,
      cell: (row) => (
        <a
          class="mono clip"
          title={row.model}
          href={modelHref(row.suite, row.model, {
            test: row.test,
            accelerator_model: answer.right.run.accelerator_model,
          })}
        >
          {shown(row.model)}
        </a>
      ),
    },
  ];
  if (new Set(rows.map((row) => row.suite)).size > 1)
    columns.push({
      key: "suite",
      title: "Suite",
      width: 104,
      sort: (row) => row.suite,
      cell: (row) => (
        <Suite name={row.suite} link={{ accelerator_model: answer.right.run.accelerator_model, test: row.test }} />
      ),
    });
  const verdict: Column<ComparisonRow> = {
    key: "verdict",
    title: "Verdict",
    width: 128,
    first: "asc",
    hint: `q below ${rule.rate} and ${percent(rule.least_time_effect)} or more; open a row for why`,
    sort: (row) => ["worse", "missing_right", "better", "unclear", "missing_left", "missing_both"].indexOf(row.verdict),
    cell: (row) => <Verdict row={row} answer={answer} />,
  };
  // Beside the name, where a small window shows no more than two columns.
  const isNarrow = matchMedia("(max-width: 720px)").matches;
  if (isNarrow) columns.push(verdict);
  columns.push({
    key: "test",
    title: "Test",
    width: 80,
    sort: (row) => testName(row.test),
    cell: (row) => testName(row.test),
  });
  if (new Set(rows.map(columnText)).size > 1)
    columns.push({
      key: "backend",
      title: "Backend",
      width: 176,
      sort: columnText,
      cell: (row) => (
        <span class="clip" title={columnText(row)}>
          <Backend
            name={columnText(row)}
            backend={named(row).backend ?? ""}
            link={{ accelerator_model: answer.right.run.accelerator_model, test: row.test }}
          />
        </span>
      ),
    });
  if (rows.some((row) => named(row).batch_size !== null))
    columns.push({
      key: "batch",
      title: "Batch",
      width: 60,
      align: "right",
      sort: (row) => named(row).batch_size,
      cell: (row) =>
        named(row).batch_size === null ? (
          <Missing flush why="batch size unknown" />
        ) : (
          <span class="num">{named(row).batch_size}</span>
        ),
    });
  if (!isNarrow) columns.push(verdict);
  const groups: ColumnGroup[] = [{ title: "", span: columns.length }];
  const add = (title: ColumnGroup["title"], own: Column<ComparisonRow>[]) => {
    if (!own[0]) return;
    own[0].starts = true;
    columns.push(...own);
    groups.push({ title, span: own.length });
  };
  const code = (side: "left" | "right"): Column<ComparisonRow> => ({
    key: `code:${side}`,
    title: side,
    label: `${side} verification`,
    width: anyStale ? 62 : 48,
    align: "center",
    first: "desc",
    sort: (row) => (row[side].verification ? sign(row[side].verification.code).rank : null),
    cell: (row) =>
      row[side].experiment_id === null ? (
        <Missing flush why={`not in the ${side} run`} />
      ) : (
        <VerificationSign verification={row[side].verification} />
      ),
  });
  if (!hidden.includes("verification")) add(<>Verification</>, [code("left"), code("right")]);
  const time = (side: "left" | "right"): Column<ComparisonRow> => ({
    key: `time:${side}`,
    title: side,
    label: `${side} time`,
    width: 98,
    align: "right",
    first: "desc",
    sort: (row) => row[side].time?.value,
    cell: (row) => <TimeCell side={row[side]} unit={timeUnit} />,
  });
  const none = (row: ComparisonRow) => <Missing why={reasonSentence(row, rule)} />;
  const ofTime: Column<ComparisonRow>[] = [];
  if (!hidden.includes("time")) ofTime.push(time("left"), time("right"));
  if (!hidden.includes("change"))
    ofTime.push({
      key: "change",
      title: "change",
      width: 84,
      align: "right",
      first: "desc",
      hint: "Right time / left time; up is slower",
      sort: (row) => row.change?.ratio,
      cell: (row) =>
        row.change ? (
          <span
            class={`num ${verdictWords(row.verdict).tone === "unclear" ? "" : verdictWords(row.verdict).tone}`}
            title={`${full(row.change.ratio)}×\n${reasonSentence(row, rule)}`}
          >
            {change(row.change.ratio)}
          </span>
        ) : (
          none(row)
        ),
    });
  if (!hidden.includes("absolute"))
    ofTime.push({
      key: "absolute",
      title: timeUnit.name,
      label: "absolute change",
      width: 92,
      align: "right",
      first: "desc",
      sort: (row) => (row.left.time && row.right.time ? row.right.time.value - row.left.time.value : null),
      cell: (row) =>
        row.left.time && row.right.time ? (
          <Num value={row.right.time.value - row.left.time.value} factor={timeUnit.factor} />
        ) : (
          none(row)
        ),
    });
  if (!hidden.includes("interval"))
    ofTime.push({
      key: "interval",
      title: "95 %",
      label: "interval of the change",
      width: 172,
      first: "desc",
      hint: "Over nights and repetitions where enough nights are known, else over repetitions alone",
      sort: (row) => row.change?.interval?.low,
      cell: (row) =>
        row.change ? (
          <span class="with-whisker">
            <Whisker
              value={row.change.ratio}
              interval={row.change.interval}
              domain={domain}
              color={toneColor(verdictWords(row.verdict).tone)}
              width={60}
            />
            {row.change.interval && (
              <span
                class={row.change.knows_nights ? "interval" : "interval thin"}
                title={`${full(row.change.interval.low)} to ${full(row.change.interval.high)}${row.change.knows_nights ? "" : ", within the two runs alone"}`}
              >
                {percentInterval(row.change.interval.low, row.change.interval.high)}
                {!row.change.knows_nights && <sup class="flag">*</sup>}
              </span>
            )}
          </span>
        ) : (
          none(row)
        ),
    });
  add(<>Time, {timeUnit.name}</>, ofTime);
  if (!hidden.includes("history"))
    add(<>Last {HISTORY_RUNS} runs</>, [
      {
        key: "history",
        title: <span class="sr">steady time up to the right run</span>,
        width: 116,
        cell: (row) => <History row={row} past={past} unit={timeUnit} />,
      },
    ]);
  const ofSpeedup: Column<ComparisonRow>[] = [];
  if (!hidden.includes("speedup")) {
    for (const side of SIDES)
      ofSpeedup.push({
        key: `speedup:${side}`,
        title: side,
        label: `${side} speedup`,
        width: 66,
        align: "right",
        sort: (row) => row[side].speedup?.value,
        cell: (row) => {
          const { speedup, excluded } = row[side];
          return speedup ? (
            <Num value={speedup.value} title={estimateTitle(speedup, "×")} />
          ) : (
            <Missing why={excluded ? `left out: ${reason(excluded)}` : "no speedup"} />
          );
        },
      });
    ofSpeedup.push({
      key: "speedup",
      title: "change",
      label: "change of the speedup",
      width: 80,
      align: "right",
      sort: (row) => row.speedup?.ratio,
      cell: (row) =>
        row.speedup ? (
          <span class="num" title={splitWords(row, baseline)?.long}>
            {change(row.speedup.ratio)}
          </span>
        ) : (
          <Missing why="a side has no speedup" />
        ),
    });
  }
  if (!hidden.includes("split"))
    ofSpeedup.push({
      key: "split",
      title: "due to",
      width: 116,
      hint: `Whether our own time or ${baseline}'s moved the speedup: the part that is at least twice the other`,
      sort: (row) => row.speedup?.due,
      cell: (row) => {
        const words = splitWords(row, baseline);
        if (!words) return <Missing why="a side has no speedup" />;
        return (
          <span class="clip note" title={words.long}>
            {words.short || <span class="quiet">nothing moved</span>}
          </span>
        );
      },
    });
  add(<>Speedup over {baseline}</>, ofSpeedup);
  if (!hidden.includes("compile")) {
    const compile = (side: "left" | "right"): Column<ComparisonRow> => ({
      key: `compile:${side}`,
      title: side,
      label: `${side} compile time`,
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row[side].compile,
      cell: (row) => {
        const value = row[side].compile;
        return value === null ? (
          <Missing why="no compile time: nothing compiles, all of it is within noise, or it was not timed" />
        ) : (
          <Num value={value} factor={compileUnit.factor} />
        );
      },
    });
    add(<>Compile, {compileUnit.name}</>, [compile("left"), compile("right")]);
  }
  return { columns, groups };
}

function History({
  row,
  past,
  unit,
  wide = false,
}: {
  row: ComparisonRow;
  past: Map<number, (number | null)[]>;
  unit: Unit;
  wide?: boolean;
}) {
  const side = named(row);
  const values = side.experiment_id === null ? undefined : past.get(side.experiment_id);
  if (!values) return <Missing why="no history" />;
  const points: SparkPoint[] = values.map((value) => (value === null ? null : { value }));
  const style = columnStyle(side.column ?? "", side.backend ?? "");
  return (
    <Spark
      points={points}
      color={style.color}
      dash={style.dash}
      {...(wide ? { width: 320, height: 48 } : {})}
      label={sparkLabel("steady time", points, (value) => `${digits(value * unit.factor)} ${unit.name}`)}
    />
  );
}

/** All that is known of one row: the reason in full, both sides, and where to go on. */
function RowPanel({
  answer,
  row,
  past,
  onClose,
}: {
  answer: Comparison;
  row: ComparisonRow;
  past: Map<number, (number | null)[]>;
  onClose: () => void;
}) {
  const { left, right } = row;
  const split = splitWords(row, answer.baseline);
  const both = left.experiment_id !== null && right.experiment_id !== null;
  const unit = unitOf([left.time?.value ?? NaN, right.time?.value ?? NaN], "s");
  const runs = { left: answer.left.run, right: answer.right.run };
  return (
    <section class="panel compare-row" aria-label={`${row.model}, ${testName(row.test)}, ${columnText(row)}`}>
      <div class="panel-head">
        <h3>
          <a
            class="mono"
            href={modelHref(row.suite, row.model, {
              test: row.test,
              accelerator_model: answer.right.run.accelerator_model,
            })}
          >
            {shown(row.model)}
          </a>
          <span>{testName(row.test)}</span>
          <Backend name={columnText(row)} backend={named(row).backend ?? ""} />
        </h3>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
      <p>
        <Verdict row={{ ...row }} answer={answer} />
        {row.verification !== "unchanged" && (
          <span
            class={
              row.verification === "newly_failing" ? "worse" : row.verification === "newly_passing" ? "better" : ""
            }
          >
            {" "}
            {row.verification.replace("_", " ")}: {left.verification?.code} → {right.verification?.code}
          </span>
        )}
      </p>
      <p>{reasonSentence(row, answer.rule)}</p>
      {split && <p>{split.long}</p>}
      <PlainTable caption="Both sides">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">side</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col" class="right">
              Time
            </th>
            <th scope="col">95 % within the run</th>
            <th scope="col" class="right">
              n
            </th>
            <th scope="col" class="right">
              Speedup ×
            </th>
            <th scope="col" class="right">
              Compile
            </th>
            <th scope="col">Verification</th>
            <th scope="col">Profile</th>
          </tr>
        </thead>
        <tbody>
          {SIDES.map((name) => {
            const side = row[name];
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <RunLink run={runs[name]} />
                </td>
                <td class="right">
                  <SideTime side={side} />
                </td>
                <td>
                  {side.time?.interval ? (
                    <span class="interval">
                      {duration(side.time.interval.low)} – {duration(side.time.interval.high)}
                    </span>
                  ) : (
                    <Missing flush why="no interval" />
                  )}
                </td>
                <td class="right">{side.time ? side.time.n : <Missing flush why="no time" />}</td>
                <td class="right">
                  {side.speedup ? (
                    <Num value={side.speedup.value} title={estimateTitle(side.speedup, "×")} />
                  ) : (
                    <Missing flush why={side.excluded ? reason(side.excluded) : "no speedup"} />
                  )}
                </td>
                <td class="right">
                  {side.compile !== null ? duration(side.compile) : <Missing flush why="no compile time" />}
                </td>
                <td>
                  <VerificationSign verification={side.verification} /> {side.verification?.code}
                </td>
                <td>
                  {side.has_dumps && side.experiment_id !== null ? (
                    <a href={profileHref(runs[name].id, side.experiment_id)}>profile</a>
                  ) : (
                    <Missing flush why="no dumps beside this result" />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
      {SIDES.map(
        (name) =>
          row[name].failure && (
            <p key={name} class="note">
              <span class="quiet">{name}:</span> <span class="worse">{row[name].failure?.signature}</span>
            </p>
          ),
      )}
      <p class="panel-links">
        <History row={row} past={past} unit={unit} wide />
        {both && left.has_dumps && right.has_dumps && (
          <>
            {(left.has_profile || right.has_profile) && (
              <a
                href={profileComparisonHref(
                  { run: runs.left.id, experiment: left.experiment_id as number },
                  { run: runs.right.id, experiment: right.experiment_id as number },
                )}
              >
                Where an iteration goes on both sides
              </a>
            )}
            <a
              href={profileDiffHref(
                { run: runs.left.id, experiment: left.experiment_id as number },
                { run: runs.right.id, experiment: right.experiment_id as number },
              )}
            >
              What differs between the profiles
            </a>
          </>
        )}
        <a
          href={modelHref(row.suite, row.model, {
            test: row.test,
            accelerator_model: answer.right.run.accelerator_model,
          })}
        >
          All nights
        </a>
        <a href={runHref(answer.right.run, { q: row.model })}>In the right run</a>
      </p>
    </section>
  );
}
