// What should have run and did not: not run, skipped, crashed, timed out, out of memory, wrong are different things.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { CoverageAnswer, CoverageItem, ResultOutcome } from "../api/types";
import { useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import { basisWords, coverageSentence, sumOf } from "../lib/coverage";
import { count, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { OUTCOMES, outcomeWord } from "../lib/outcomes";
import { useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { Choice, CsvLink, FilterField, Select, runChoices } from "../parts/controls";
import { CoverageBar, OutcomeSign, coverageColumns, itemHref, itemKey, worstFirst } from "../parts/coverage";
import { Empty } from "../parts/empty";
import { PlainTable } from "../parts/plain_table";
import { Backend, ErrorNote, RunLink, Section, Sentence, Waiting } from "../parts/small";
import { Table } from "../parts/table";

const FILTERS = ["suite", "test", "backend"] as const;

export function CoveragePage() {
  const [query, setQuery] = useQuery();
  const run = query.get("run") ?? "latest";
  const where = query.get("accelerator_model");
  const back = query.get("expect_runs") ?? "14";
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.getAll(name)]));
  const asked = { run, accelerator_model: where, expect_runs: back === "14" ? null : back, ...filters };
  const { data, late, error, again } = useApi(address("/coverage", asked));
  const store = useApi(address("/store")).data;
  useTitle("Coverage");
  if (!data && error?.problem.status === 404 && store?.run_count === 0)
    return <Empty rejected={store.rejected_count} />;
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  return (
    <div class={late ? "late" : ""}>
      {error && <ErrorNote error={error} again={again} kept />}
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{data.run.accelerator_model}</span>
          <span>
            run <RunLink run={data.run} />
          </span>
        </div>
        <h1>
          <Sentence text={coverageSentence(data)} />
        </h1>
        <p class="quiet">{basisWords(data)}</p>
        <div class="toolbar">
          <RunSelect
            answer={data}
            value={run}
            onChange={(value) => setQuery({ run: value, accelerator_model: null })}
          />
          {data.basis.kind === "runs" && (
            <Choice
              label="Expected is what ran in the last"
              value={back}
              options={["1", "7", "14", "60"].map((value) => ({
                value,
                text: value === "1" ? "run" : `${value} runs`,
              }))}
              onChange={(value) => setQuery({ expect_runs: value === "14" ? null : value })}
            />
          )}
          {FILTERS.some((name) => filters[name]?.length) && (
            <button type="button" class="button" onClick={() => setQuery({ suite: null, test: null, backend: null })}>
              All suites, tests and backends
            </button>
          )}
        </div>
      </header>
      <Groups answer={data} onPick={(change) => setQuery(change)} />
      <Items answer={data} csv={address("/coverage", { ...asked, format: "csv" })} />
    </div>
  );
}

function RunSelect({
  answer,
  value,
  onChange,
}: {
  answer: CoverageAnswer;
  value: string;
  onChange: (value: string) => void;
}) {
  const runs = useRuns(answer.run.accelerator_model).data?.items;
  return (
    <Select
      label="Run"
      value={value === "latest" ? "latest" : String(answer.run.id)}
      options={[{ value: "latest", text: "the newest" }, ...runChoices(runs, answer.run)]}
      onChange={onChange}
    />
  );
}

function Groups({ answer, onPick }: { answer: CoverageAnswer; onPick: (change: Record<string, string>) => void }) {
  const groups = answer.groups
    .slice()
    .sort(
      (a, b) =>
        (a.suite < b.suite ? -1 : a.suite > b.suite ? 1 : 0) ||
        (a.test < b.test ? -1 : a.test > b.test ? 1 : 0) ||
        byBackend(a.backend, b.backend),
    );
  const sum = sumOf(groups);
  const columns = OUTCOMES.filter((outcome) => sum.outcomes[outcome] > 0);
  if (!groups.length) return null;
  return (
    <Section
      id="groups"
      title="By suite, test and backend"
      note="What was expected, by what became of it. Lost: timed in the run before, and not, or wrong, now."
    >
      <PlainTable
        caption="Expected results by what became of them"
        heads={[
          { title: "Suite" },
          { title: "Test" },
          { title: "Backend" },
          { title: "Expected", right: true },
          { title: "Timed", right: true, hint: "with timings, of those expected, whatever their verification says" },
          { title: <span class="sr">drawn</span> },
          ...columns.map((outcome) => ({ title: <OutcomeSign outcome={outcome} swatch />, right: true })),
          { title: "Lost", right: true, hint: "timed in the run before, and not, or wrong, now" },
          { title: "New", right: true, hint: "in this run, and in none of those that say what is expected" },
        ]}
      >
        <tbody>
          {groups.map((group) => (
            <tr key={`${group.suite} ${group.test} ${group.backend}`}>
              <th scope="row">
                <button
                  type="button"
                  class="link mono"
                  onClick={() => onPick({ suite: group.suite, test: group.test, backend: group.backend })}
                  title="Only these"
                >
                  {shown(group.suite)}
                </button>
              </th>
              <td>{testName(group.test)}</td>
              <td>
                <Backend name={group.backend} />
              </td>
              <td class="right num">{count(group.expected)}</td>
              <td class="right num">{count(group.timed)}</td>
              <td>
                <CoverageBar outcomes={group.outcomes} expected={group.expected} />
              </td>
              {columns.map((outcome) => (
                <td key={outcome} class="right num">
                  {group.outcomes[outcome] > 0 ? count(group.outcomes[outcome]) : <span class="quiet">0</span>}
                </td>
              ))}
              <td class="right num">
                {group.lost > 0 ? <span class="worse">▼ {count(group.lost)}</span> : <span class="quiet">0</span>}
              </td>
              <td class="right num">{group.extra > 0 ? count(group.extra) : <span class="quiet">0</span>}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}

function Items({ answer, csv }: { answer: CoverageAnswer; csv: string }) {
  const [query, setQuery] = useQuery();
  const text = query.get("q") ?? "";
  const outcome = query.get("outcome") ?? "all";
  const groupBy = query.get("group") ?? "none";
  const present = OUTCOMES.filter((one) => answer.items.some((item) => item.outcome === one));
  const accelerator = answer.run.accelerator_model;
  const columns = useMemo(() => coverageColumns(accelerator), [accelerator]);
  const items = useMemo(
    () =>
      answer.items.filter(
        (item) =>
          (outcome === "all" ||
            (outcome === "lost" ? item.lost : outcome === "new" ? !item.expected : item.outcome === outcome)) &&
          matches(
            text,
            `${item.suite} ${item.model} ${testName(item.test)} ${item.column ?? item.backend} ${outcomeWord(item.outcome)} ${item.failure?.signature ?? ""}`,
          ),
      ),
    [answer, outcome, text],
  );
  const by = useMemo(
    () =>
      groupBy === "outcome"
        ? (item: CoverageItem) => outcomeWord(item.outcome)
        : groupBy === "why"
          ? (item: CoverageItem) => item.failure?.signature ?? outcomeWord(item.outcome)
          : groupBy === "model"
            ? (item: CoverageItem) => `${item.suite}/${item.model}`
            : null,
    [groupBy],
  );
  return (
    <Section
      id="items"
      title="Not as expected"
      note="All that was expected and is not timed, or is wrong, and what is new. What was lost since the run before is on top."
      actions={<CsvLink href={csv} name={`coverage-${answer.run.id}.csv`} />}
    >
      <div class="toolbar">
        <FilterField
          value={text}
          onChange={(value) => setQuery({ q: value || null }, true)}
          shown={items.length}
          all={answer.items.length}
          what="results"
        />
        <Select
          label="Outcome"
          value={outcome}
          options={[
            { value: "all", text: "all" },
            { value: "lost", text: "lost since the run before" },
            ...present.map((one: ResultOutcome) => ({ value: one, text: outcomeWord(one) })),
            { value: "new", text: "new" },
          ]}
          onChange={(value) => setQuery({ outcome: value === "all" ? null : value })}
        />
        <Choice
          label="Group by"
          value={groupBy}
          options={[
            { value: "none", text: "none" },
            { value: "outcome", text: "outcome" },
            { value: "why", text: "why" },
            { value: "model", text: "model" },
          ]}
          onChange={(value) => setQuery({ group: value === "none" ? null : value })}
        />
      </div>
      <Table
        caption="Results that are not as expected"
        columns={columns}
        rows={items}
        rowKey={itemKey}
        rowHref={(item) => (item.experiment_id === null ? null : itemHref(item, accelerator))}
        order={worstFirst}
        orderWords="what was lost first"
        groupBy={by}
        empty={
          answer.items.length
            ? "Nothing fits the filter."
            : "Everything that was expected is timed, and nothing is known to be wrong."
        }
      />
    </Section>
  );
}
