// Right or wrong: models by backends, how it was before, what changed, and why things fail.
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import type { CodeInfo, FailuresAnswer, Run, RunRef, VerificationAnswer, VerificationCell } from "../api/types";
import { useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import { codeOrder, sign } from "../lib/codes";
import { ago, count, date, failureKind, hoverText, moment, runName, shown, testName } from "../lib/format";
import { useNow, useTitle } from "../lib/hooks";
import { useMarkdown } from "../lib/page_markdown";
import { errorHref, href, modelHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { testsOf, verificationSentence } from "../lib/words";
import { type Option, Choice, CsvLink, FilterField, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { ErrorText, KindSign } from "../parts/error_bits";
import { Stacks } from "../parts/history";
import { PlainTable } from "../parts/plain_table";
import {
  Backend,
  CodeSign,
  ErrorNote,
  Labels,
  Missing,
  RunLink,
  Section,
  Sentence,
  Suite,
  Time,
  VerificationSign,
  Waiting,
} from "../parts/small";
import { type Column, type ColumnGroup, Table } from "../parts/table";
import { TransitionList } from "../parts/transitions";

type Row = VerificationAnswer["rows"][number];
type ModelVerification = { suite: string; model: string; cells: Record<string, VerificationCell | null> };

const columnsOf = (answer: VerificationAnswer): { key: string; backend: string }[] =>
  [...answer.columns].sort((a, b) => byBackend(a.backend, b.backend) || (a.key < b.key ? -1 : 1));

const CODES_CAPTION = "Codes by backend and test";
const matrixCaption = (answer: VerificationAnswer) => `Verification of run ${runName(answer.run)}, models by backends`;
const cellKey = (test: string, column: string) => `${test}\n${column}`;

export function VerificationPage() {
  const [query, setQuery] = useQuery();
  const now = useNow();
  const run = query.get("run") ?? "latest";
  const since = query.get("since") ?? "previous";
  const filter = query.get("q") ?? "";
  const only = query.get("only") ?? "";
  const answer = useApi(address("/verification", { run }));
  const { data } = answer;
  const accelerator = data?.run.accelerator_model;
  const runs = useRuns();
  const history = useApi(
    accelerator ? address("/verification/history", { accelerator_model: accelerator, runs: 60 }) : null,
  );
  const transitions = useApi(address("/verification/transitions", { run, since }));
  const failures = useApi(address("/failures", { run }));
  useTitle("Verification");
  useMarkdown({ tables: data ? [CODES_CAPTION, matrixCaption(data)] : [] });

  const columns = useMemo(
    () => (data ? columnsOf(data).filter((column) => data.rows.some((row) => row.cells[column.key])) : []),
    [data],
  );
  const tests = useMemo(() => (data ? testsOf(data.rows) : []), [data]);
  const models = useMemo(() => (data ? byModel(data.rows) : []), [data]);
  const rows = useMemo(
    () =>
      models.filter((row) => {
        const codes = Object.values(row.cells).filter((cell) => cell !== null);
        const asked =
          only === "failing"
            ? codes.some((cell) => cell.outcome === "failing")
            : only
              ? codes.some((cell) => cell.code === only)
              : true;
        return asked && (!filter || matches(filter, `${row.suite} ${row.model}`));
      }),
    [models, filter, only],
  );
  const grid = useMemo(() => matrixColumns(columns, tests, models, accelerator), [columns, tests, models, accelerator]);

  const runOptions = useMemo(
    () => [{ value: "latest", text: "the latest" }, ...runChoices(runs.data?.items ?? [])],
    [runs.data],
  );
  const shownRun = data?.run;
  const sinceOptions = useMemo(() => {
    const earlier = (runs.data?.items ?? []).filter(
      (one) => shownRun && one.accelerator_model === shownRun.accelerator_model && one.started_at < shownRun.started_at,
    );
    return [
      { value: "previous", text: "the verified run before" },
      ...earlier.map((one) => ({ value: String(one.id), text: runName(one) })),
    ];
  }, [runs.data, shownRun]);

  // What stands above the models is there when they come: nothing is pushed down under somebody's hands.
  if (!data || (!transitions.data && !transitions.error) || (!failures.data && !failures.error)) {
    if (runs.data?.total === 0) return <Empty />;
    return answer.error ? <ErrorNote error={answer.error} again={answer.again} /> : <Waiting rows={16} />;
  }
  const verified = transitions.data?.verified_run ?? null;
  const isStale = verified !== null && verified.id !== data.run.id;
  const present = codeOrder(data.counts.map((item) => item.code));
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{data.run.accelerator_model}</span>
          <span>
            run <RunLink run={data.run} />{" "}
            {runName(data.run) === data.run.name ? `${moment(data.run.started_at)}, ` : ""}
            {ago(data.run.started_at, now)}
          </span>
          <span>
            {data.run.verified_at ? (
              <>
                verified <Time at={data.run.verified_at} />
              </>
            ) : (
              <span class="warn">
                {data.counts.some((item) => item.stale > 0)
                  ? "not verified: outlined codes are of an earlier run"
                  : "not verified"}
              </span>
            )}
          </span>
          <Labels labels={data.run.labels} />
        </div>
        <h1>
          <Sentence text={verificationSentence(data)} />
        </h1>
        <div class="toolbar">
          <Select
            label="Run"
            value={run === "latest" ? "latest" : String(data.run.id)}
            options={runOptions}
            onChange={(value) => setQuery({ run: value === "latest" ? null : value, since: null })}
          />
        </div>
      </header>
      {answer.error && <ErrorNote error={answer.error} again={answer.again} kept />}

      <Section id="codes" title="Codes">
        <CodeTable
          answer={data}
          codes={present}
          late={answer.late}
          only={only}
          onOnly={(code) => setQuery({ only: only === code ? null : code })}
        />
      </Section>

      <div class="transitions-wide">
        <Section
          id="transitions"
          title="Transitions"
          actions={
            <Select
              label="since"
              value={since}
              options={sinceOptions}
              onChange={(value) => setQuery({ since: value === "previous" ? null : value })}
            />
          }
        >
          {transitions.error ? (
            <ErrorNote error={transitions.error} again={transitions.again} />
          ) : !transitions.data ? (
            <Waiting rows={4} />
          ) : (
            <div class={transitions.late ? "late" : ""}>
              {isStale && since === "previous" && transitions.data.items.length > 0 && (
                <p class="quiet">
                  What <RunLink run={verified as RunRef} />, the newest verified run, brought
                  {transitions.data.since && (
                    <>
                      {" "}
                      against <RunLink run={transitions.data.since} />
                    </>
                  )}
                  :
                </p>
              )}
              {transitions.data.items.length ? (
                <TransitionList transitions={transitions.data.items} most={30} />
              ) : (
                <p class="quiet">
                  {transitions.data.since
                    ? `Every code${isStale && since === "previous" ? ` of ${date((verified as RunRef).started_at)}` : ""} is what it was on ${date(transitions.data.since.started_at)}.`
                    : "There is no earlier verification to compare with."}
                </p>
              )}
            </div>
          )}
        </Section>
        <Section
          id="history"
          title="Over runs"
          note="A bar a run, in the codes' colours; a gap: that run was not verified. Click a bar for its run."
        >
          {history.error ? (
            <ErrorNote error={history.error} again={history.again} />
          ) : history.data ? (
            <Stacks
              history={history.data}
              current={data.run.id}
              onPick={(one) => setQuery({ run: String(one.id), since: null })}
            />
          ) : (
            <Waiting rows={6} />
          )}
        </Section>
      </div>

      <Section
        id="matrix"
        title="Models"
        actions={
          <CsvLink href={address("/verification", { run, format: "csv" })} name={`verification-${data.run.name}.csv`} />
        }
      >
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={models.length}
            what="models"
          />
          <Choice
            label="Only"
            value={only}
            options={[
              { value: "", text: "all" },
              { value: "failing", text: "failing" },
              ...(only && only !== "failing" ? [{ value: only, text: only }] : []),
            ]}
            onChange={(value) => setQuery({ only: value || null })}
          />
        </div>
        <Table
          caption={matrixCaption(data)}
          columns={grid.columns}
          groups={grid.groups}
          rows={rows}
          rowKey={(row) => `${row.suite}\n${row.model}`}
          rowHref={(row) => modelHref(row.suite, row.model, { accelerator_model: accelerator })}
          order={worstModels}
          orderWords="worst first"
          late={answer.late}
          empty="No model matches."
        />
      </Section>

      <Section
        id="failures"
        title="Failures by signature"
        note="Error texts without their addresses, numbers and paths, so that one cause is one row."
        actions={<a href={href("/errors", { accelerator_model: accelerator })}>Errors over runs</a>}
      >
        {failures.error ? (
          <ErrorNote error={failures.error} again={failures.again} />
        ) : failures.data ? (
          <Failures answer={failures.data} late={failures.late} />
        ) : (
          <Waiting rows={4} />
        )}
      </Section>

      <Section id="legend" title="What the codes mean">
        <Legend codes={data.codes} />
      </Section>
    </div>
  );
}

function runChoices(runs: readonly Run[]): Option[] {
  const areOfSeveral = new Set(runs.map((run) => run.accelerator_model)).size > 1;
  return runs.map((run) => ({
    value: String(run.id),
    text: `${runName(run)}${run.verified_at ? "" : " (not verified)"}${areOfSeveral ? `, ${run.accelerator_model}` : ""}`,
  }));
}

function byModel(rows: Row[]): ModelVerification[] {
  const models = new Map<string, ModelVerification>();
  for (const row of rows) {
    const key = `${row.suite}\n${row.model}`;
    const entry = models.get(key) ?? { suite: row.suite, model: row.model, cells: {} };
    for (const [column, cell] of Object.entries(row.cells)) entry.cells[cellKey(row.test, column)] = cell;
    models.set(key, entry);
  }
  return [...models.values()];
}

const loudness = (row: ModelVerification): number =>
  Object.values(row.cells).reduce(
    (sum, cell) =>
      sum +
      (cell
        ? 10 ** sign(cell.code).rank *
          (cell.code === "PASS" || sign(cell.code).name === "skipped" ? 0 : 1) *
          (cell.stale ? 0.5 : 1)
        : 0),
    0,
  );

const worstModels = (rows: ModelVerification[]): ModelVerification[] =>
  rows
    .map((row) => ({ row, loud: loudness(row) }))
    .sort((a, b) => b.loud - a.loud)
    .map(({ row }) => row);

function matrixColumns(
  columns: { key: string; backend: string }[],
  tests: string[],
  models: ModelVerification[],
  accelerator: string | undefined,
): { columns: Column<ModelVerification>[]; groups: ColumnGroup[] } {
  const list: Column<ModelVerification>[] = [
    {
      key: "model",
      title: "Model",
      width: 260,
      sort: (row) => row.model,
      cell: (row) => (
        <a
          class="mono clip"
          title={row.model}
          href={modelHref(row.suite, row.model, { accelerator_model: accelerator })}
        >
          {shown(row.model)}
        </a>
      ),
    },
  ];
  if (new Set(models.map((row) => row.suite)).size > 1)
    list.push({
      key: "suite",
      title: "Suite",
      width: 130,
      sort: (row) => row.suite,
      cell: (row) => <Suite name={row.suite} link={{ accelerator_model: accelerator }} />,
    });
  const groups: ColumnGroup[] = [{ title: "", span: list.length }];
  for (const test of tests) {
    columns.forEach((column, index) => {
      const key = cellKey(test, column.key);
      list.push({
        key: `${test}:${column.key}`,
        title: <Backend name={column.key} backend={column.backend} />,
        label: `${testName(test)}, ${column.key}`,
        width: Math.max(118, 60 + column.key.length * 9),
        starts: index === 0,
        first: "desc",
        sort: (row) => {
          const cell = row.cells[key];
          return cell ? sign(cell.code).rank : null;
        },
        cell: (row) => {
          const cell = row.cells[key];
          if (!cell)
            return (
              <Missing
                why={column.backend === "eager" ? "eager is what the others are verified against" : "never verified"}
              />
            );
          return (
            <span class="code-cell">
              <VerificationSign verification={cell} />
              {cell.failure && (
                <span class="quiet clip" title={hoverText(cell.failure.signature)}>
                  {failureKind(cell.failure.kind)}
                </span>
              )}
            </span>
          );
        },
      });
    });
    groups.push({ title: testName(test), span: columns.length });
  }
  return { columns: list, groups };
}

function CodeTable({
  answer,
  codes,
  late,
  only,
  onOnly,
}: {
  answer: VerificationAnswer;
  codes: string[];
  late: boolean;
  only: string;
  onOnly: (code: string) => void;
}) {
  const keys = [...new Map(answer.counts.map((item) => [`${item.backend}\n${item.test}`, item])).values()].sort(
    (a, b) => byBackend(a.backend, b.backend) || (a.test < b.test ? -1 : 1),
  );
  if (!keys.length) return <p class="quiet">Nothing in this run has been verified.</p>;
  return (
    <PlainTable caption={CODES_CAPTION} class="codes" late={late}>
      <thead>
        <tr>
          <th scope="col">Backend</th>
          <th scope="col">Test</th>
          <th scope="col" class="bar-col">
            <span class="sr">share of each code</span>
          </th>
          {codes.map((code) => (
            <th scope="col" class="right" key={code}>
              <button
                type="button"
                class="code-head"
                aria-pressed={only === code}
                onClick={() => onOnly(code)}
                title={`${code}: ${sign(code).words}. Click: only models with this code`}
              >
                <span data-text="">
                  <CodeSign code={code} title=" " />
                </span>{" "}
                <span class="mono">{code}</span>
              </button>
            </th>
          ))}
          <th scope="col" class="right">
            stale
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map(({ backend, test }) => {
          const mine = answer.counts.filter((item) => item.backend === backend && item.test === test);
          const total = mine.reduce((sum, item) => sum + item.count, 0);
          const stale = mine.reduce((sum, item) => sum + item.stale, 0);
          let left = 0;
          return (
            <tr key={`${backend} ${test}`}>
              <th scope="row">
                <Backend name={backend} link={{ accelerator_model: answer.run.accelerator_model, test: test }} />
              </th>
              <td>{testName(test)}</td>
              <td class="bar-col">
                <svg
                  class="bar"
                  width="100%"
                  height="12"
                  aria-hidden="true"
                  viewBox="0 0 100 12"
                  preserveAspectRatio="none"
                >
                  {codes.map((code) => {
                    const width = ((mine.find((item) => item.code === code)?.count ?? 0) / total) * 100;
                    const from = left;
                    left += width;
                    return width > 0 ? (
                      <rect
                        key={code}
                        class={`code-${sign(code).name}`}
                        x={from}
                        y="0"
                        width={Math.max(0.3, width - 0.3)}
                        height="12"
                      />
                    ) : null;
                  })}
                </svg>
              </td>
              {codes.map((code) => {
                const n = mine.find((item) => item.code === code)?.count ?? 0;
                return (
                  <td class="right" key={code}>
                    {n ? (
                      <span class={`num${sign(code).rank >= 7 ? " loud" : ""}`}>{count(n)}</span>
                    ) : (
                      <span class="quiet">0</span>
                    )}
                  </td>
                );
              })}
              <td class="right quiet">{stale ? count(stale) : "0"}</td>
            </tr>
          );
        })}
      </tbody>
    </PlainTable>
  );
}

function Failures({ answer, late }: { answer: FailuresAnswer; late: boolean }) {
  if (!answer.items.length) return <p class="quiet">Nothing failed in this run.</p>;
  return (
    <ul class={`failures${late ? " late" : ""}`} data-told="Failures by signature">
      {answer.items.map((item) => (
        <FailureGroup key={item.signature + item.kind} item={item} />
      ))}
    </ul>
  );
}

function FailureGroup({ item }: { item: FailuresAnswer["items"][number] }) {
  const [opened, setOpened] = useState(false);
  return (
    <li>
      <details onToggle={(event) => (event.currentTarget as HTMLDetailsElement).open && setOpened(true)}>
        <summary>
          <strong class="num">{count(item.count)}×</strong> <KindSign kind={item.kind} />{" "}
          <span class="mono signature">{item.signature}</span>
        </summary>
        <ul class="experiments">
          {item.experiments.map((experiment) => (
            <li key={experiment.id}>
              <a
                class="mono"
                href={modelHref(experiment.suite, experiment.model, {
                  test: experiment.test,
                  accelerator_model: experiment.accelerator_model,
                })}
              >
                {shown(experiment.model)}
              </a>{" "}
              <Backend
                name={experiment.column}
                backend={experiment.backend}
                link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
              />{" "}
              <span class="quiet">{testName(experiment.test)}</span>
            </li>
          ))}
        </ul>
        {opened && <ErrorText line={item.line_id} excerpt={item.excerpt} />}
      </details>
      <a
        class="over-runs"
        href={errorHref(item.signature)}
        title="This error over runs: since when, and of which experiments"
      >
        over runs
      </a>
    </li>
  );
}

export function Legend({ codes }: { codes: CodeInfo[] }) {
  return (
    <PlainTable
      caption="Codes and their meanings"
      class="legend-table"
      heads={[{ title: "Code" }, { title: "Means" }, { title: "What to do" }]}
    >
      <tbody>
        {codes.map((code) => (
          <tr key={code.code}>
            <th scope="row">
              <CodeSign code={code.code} title=" " /> <span class="mono">{code.code}</span>
            </th>
            <td>{code.meaning}</td>
            <td>{code.advice || <Missing why="nothing to do" />}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">
            <CodeSign code="PASS" stale title=" " ageText="3d" /> <span>outlined, with an age</span>
          </th>
          <td>stale: the verification is older than the timing by that much</td>
          <td>run the verifier again before trusting it; no transition is drawn from it</td>
        </tr>
      </tbody>
    </PlainTable>
  );
}
