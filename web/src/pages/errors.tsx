// Errors over runs: which there are and since when; and one of them, with all that fails of it.
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import type { ErrorHistory, ErrorList, ErrorTrend, FailingExperiment, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import {
  ERROR_KINDS,
  NIGHTS,
  errorSentence,
  errorSign,
  errorsSentence,
  nightsText,
  sinceText,
  standingOf,
  standingText,
} from "../lib/errors";
import { count, date, hoverText, plural, runName, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { backendHref, errorHref, go, href, modelHref, runHref, suiteHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { testsOf } from "../lib/words";
import { AlertLinks } from "../parts/alert_bits";
import { Choice, CsvLink, FilterField, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { CountBars, ErrorText, KindSign, NightStrip } from "../parts/error_bits";
import {
  Backend,
  Command,
  Copy,
  ErrorNote,
  LabelRange,
  Labels,
  Missing,
  RunLink,
  Section,
  Sentence,
  Spark,
  Waiting,
  sparkLabel,
} from "../parts/small";
import { type Column, Table } from "../parts/table";

const SPANS = ["30", "90", "180", "365"];
const USUAL_SPAN = "90";

export function ErrorsPage() {
  const [query] = useQuery();
  const signature = query.get("signature");
  return signature === null ? <AllErrors /> : <OneError key={signature} signature={signature} />;
}

/** The run itself, for a list of runs that holds it. */
const runOf = (runs: readonly RunRef[], id: number | null): RunRef | undefined => runs.find((run) => run.id === id);

function RunDay({ runs, id }: { runs: readonly RunRef[]; id: number | null }) {
  const run = runOf(runs, id);
  if (!run) return <Missing why="it is in none of these runs" />;
  return (
    <a href={runHref(run)} title={`run ${runName(run)}`}>
      {date(run.started_at)}
    </a>
  );
}

function Span({ value, onChange }: { value: string; onChange: (runs: string | null) => void }) {
  return (
    <Choice
      label="Runs"
      value={value}
      options={SPANS.map((n) => ({ value: n, text: n }))}
      onChange={(n) => onChange(n === USUAL_SPAN ? null : n)}
    />
  );
}

function AllErrors() {
  const [query, setQuery] = useQuery();
  const runs = query.get("runs") ?? USUAL_SPAN;
  const accelerator = query.get("accelerator_model") ?? "";
  const suite = query.get("suite") ?? "";
  const backend = query.get("backend") ?? "";
  const test = query.get("test") ?? "";
  const kind = query.get("kind") ?? "";
  const filter = query.get("q") ?? "";
  const asked = { accelerator_model: accelerator, runs, suite, backend, test };
  const { data, late, error, again } = useApi(address("/errors", asked));
  // What can be chosen hangs on no choice.
  const all = useApi(address("/errors", { accelerator_model: accelerator, runs })).data;
  useTitle("Errors");

  const items = useMemo(
    () =>
      (data?.items ?? []).filter(
        (one) =>
          (kind === "all" || (kind ? one.kind === kind : one.kind !== "skipped")) &&
          (!filter ||
            matches(
              filter,
              [one.signature, one.kind, errorSign(one.kind).word, ...one.backends, ...one.suites].join(" "),
            )),
      ),
    [data, kind, filter],
  );
  const ofKind = useMemo(
    () =>
      (data?.items ?? []).filter((one) => kind === "all" || (kind ? one.kind === kind : one.kind !== "skipped")).length,
    [data, kind],
  );
  const columns = useMemo(() => (data ? listColumns(data) : []), [data]);

  if (!data) {
    if (error?.problem.status === 404 && !accelerator) return <Empty />;
    return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  }
  const choices = (pick: (one: ErrorTrend) => string[]): string[] => [...new Set((all ?? data).items.flatMap(pick))];
  const some = (names: string[], text: (name: string) => string = (name) => name) => [
    { value: "", text: "all" },
    ...names.map((name) => ({ value: name, text: text(name) })),
  ];
  const kinds = ERROR_KINDS.filter((one) => data.items.some((item) => item.kind === one));
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{data.runs[data.runs.length - 1]?.accelerator_model}</span>
          <span>
            {plural(data.runs.length, "run")}{" "}
            {data.runs[0] && (
              <>
                from {date(data.runs[0].started_at)} to {date((data.runs[data.runs.length - 1] as RunRef).started_at)}
              </>
            )}
          </span>
        </div>
        <h1>
          <Sentence text={errorsSentence(data)} />
        </h1>
        <div class="toolbar">
          {data.accelerator_models.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator || (data.accelerator_models[0] as string)}
              options={data.accelerator_models.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ accelerator_model: value === data.accelerator_models[0] ? null : value })}
            />
          )}
          <Span value={runs} onChange={(value) => setQuery({ runs: value })} />
          <Select
            label="Suite"
            value={suite}
            options={some(choices((one) => one.suites).sort())}
            onChange={(value) => setQuery({ suite: value || null })}
          />
          <Select
            label="Backend"
            value={backend}
            options={some(choices((one) => one.backends).sort(byBackend))}
            onChange={(value) => setQuery({ backend: value || null })}
          />
          <Select
            label="Test"
            value={test}
            options={some(testsOf(choices((one) => one.tests).map((name) => ({ test: name }))), testName)}
            onChange={(value) => setQuery({ test: value || null })}
          />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <Section
        id="errors"
        title="By signature"
        note="Error texts without their addresses, numbers and paths, so that one cause is one row. Wrong results are no errors: the verification page has them."
        actions={<CsvLink href={address("/errors", { ...asked, format: "csv" })} name="errors.csv" />}
      >
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={items.length}
            all={ofKind}
            what="errors"
          />
          <Choice
            label="Kind"
            value={kind}
            options={[
              { value: "", text: "failures" },
              ...kinds.map((one) => ({ value: one, text: errorSign(one).word })),
              { value: "all", text: "all" },
            ]}
            onChange={(value) => setQuery({ kind: value || null })}
          />
        </div>
        <Table
          caption="Errors by signature"
          columns={columns}
          rows={items}
          rowKey={(one) => one.signature}
          rowHref={(one) => oneHref(one.signature, query)}
          orderWords="those of most experiments now first"
          late={late}
          empty={data.items.length ? "No error matches." : "Nothing failed in these runs."}
        />
      </Section>
    </div>
  );
}

/** One error's page, of the same runs and experiments. */
const oneHref = (signature: string, query: URLSearchParams): string => {
  const kept = ["accelerator_model", "runs", "suite", "backend", "test"].map((key): [string, string | null] => [
    key,
    query.get(key),
  ]);
  return kept.some(([, value]) => value)
    ? href("/errors", { signature, ...Object.fromEntries(kept) })
    : errorHref(signature);
};

function listColumns(answer: ErrorList): Column<ErrorTrend>[] {
  const place = new Map(answer.runs.map((run, index) => [run.id, index]));
  const at = (id: number | null): number | null => (id === null ? null : (place.get(id) ?? null));
  return [
    {
      key: "signature",
      title: "Error",
      width: 312,
      sort: (one) => one.signature,
      cell: (one) => (
        <a
          class="mono clip"
          title={hoverText(`${one.signature}\n\n${one.excerpt}`)}
          href={oneHref(one.signature, new URLSearchParams(location.search))}
        >
          {shown(one.signature)}
        </a>
      ),
    },
    {
      key: "kind",
      title: "Kind",
      width: 144,
      sort: (one) => errorSign(one.kind).word,
      cell: (one) => <KindSign kind={one.kind} />,
    },
    {
      key: "now",
      title: "Now",
      hint: "Experiments that have it in the newest run, by their last attempt at being timed or verified: the last point of the line beside it",
      width: 64,
      align: "right",
      first: "desc",
      sort: (one) => one.now,
      cell: (one) => (one.now ? <strong class="num">{count(one.now)}</strong> : <span class="quiet">0</span>),
    },
    {
      key: "trend",
      title: "Over runs",
      hint: "Experiments that have it, one point per run; a run that was not verified has the verifier's errors of the last one that was. Gaps: unknown",
      width: 124,
      cell: (one) => {
        const points = one.counts.map((n) => (n === null ? null : { value: n }));
        return (
          <Spark
            points={points}
            color="var(--worse)"
            floor={{ low: 0, high: 1 }}
            label={sparkLabel("experiments", points, count)}
          />
        );
      },
    },
    {
      key: "standing",
      title: "Since",
      hint: "Since when each of its experiments has it, the latest first",
      width: 216,
      first: "desc",
      sort: (one) => at(one.since[0]?.run_id ?? null),
      cell: (one) => <Standing trend={one} runs={answer.runs} />,
    },
    {
      key: "first",
      title: "First",
      hint: "The first of these runs that has it",
      width: 96,
      first: "desc",
      sort: (one) => at(one.first_run_id),
      cell: (one) => <RunDay runs={answer.runs} id={one.first_run_id} />,
    },
    {
      key: "last",
      title: "Last",
      hint: "The last run that has it",
      width: 96,
      first: "desc",
      sort: (one) => at(one.last_run_id),
      cell: (one) => <RunDay runs={answer.runs} id={one.last_run_id} />,
    },
    {
      key: "runs",
      title: "Runs",
      hint: `Runs that have it, of ${answer.runs.length}`,
      width: 64,
      align: "right",
      first: "desc",
      sort: (one) => one.run_count,
      cell: (one) => <span class="num">{count(one.run_count)}</span>,
    },
    {
      key: "models",
      title: "Models",
      hint: "Models that ever had it in these runs",
      width: 76,
      align: "right",
      first: "desc",
      sort: (one) => one.model_count,
      cell: (one) => <span class="num">{count(one.model_count)}</span>,
    },
    {
      key: "backends",
      title: "Backends",
      width: 184,
      sort: (one) => one.backends.join(" "),
      cell: (one) => (
        <span class="clip" title={one.backends.join(", ")}>
          {[...one.backends].sort(byBackend).map((name) => (
            <a key={name} class="in-list" href={backendHref(name)}>
              <Backend name={name} />
            </a>
          ))}
        </span>
      ),
    },
  ];
}

function Standing({ trend, runs }: { trend: ErrorTrend; runs: readonly RunRef[] }) {
  const standing = standingOf(trend);
  const text = standingText(trend, runs);
  return (
    <span class={`clip ${standing === "over" ? "quiet" : standing === "lasting" ? "" : "worse"}`} title={text}>
      {(standing === "new" || standing === "back" ? "▼ " : "") + text}
    </span>
  );
}

const GROUPS: Record<string, { text: string; of: (one: FailingExperiment) => string }> = {
  backend: { text: "backend", of: (one) => one.experiment.column },
  model: { text: "model", of: (one) => `${one.experiment.suite}/${one.experiment.model}` },
  suite: { text: "suite", of: (one) => one.experiment.suite },
  test: { text: "test", of: (one) => testName(one.experiment.test) },
};

function OneError({ signature }: { signature: string }) {
  const [query, setQuery] = useQuery();
  const runs = query.get("runs") ?? USUAL_SPAN;
  const accelerator = query.get("accelerator_model") ?? "";
  const filters = { suite: query.get("suite"), backend: query.get("backend"), test: query.get("test") };
  const filter = query.get("q") ?? "";
  const group = query.get("group") ?? "";
  const asked = { signature, accelerator_model: accelerator, runs, ...filters };
  const { data, late, error, again } = useApi(address("/errors/history", asked));
  useTitle(`Error: ${signature}`);

  const rows = useMemo(
    () =>
      (data?.experiments ?? []).filter(
        ({ experiment }) =>
          !filter ||
          matches(
            filter,
            [experiment.suite, experiment.model, experiment.test, testName(experiment.test), experiment.column].join(
              " ",
            ),
          ),
      ),
    [data, filter],
  );
  const columns = useMemo(() => (data ? experimentColumns(data, data.error?.kind === "skipped") : []), [data]);
  const grouper = useMemo(() => GROUPS[group]?.of ?? null, [group]);

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  const { error: trend } = data;
  const model = data.runs[data.runs.length - 1]?.accelerator_model ?? accelerator;
  const models = [...new Set([...data.accelerator_models, ...(accelerator ? [accelerator] : [])])];
  const narrowed = Object.entries(filters).filter((one): one is [string, string] => !!one[1]);
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <div class="kicker">
          <a href={href("/errors", { accelerator_model: accelerator, runs: query.get("runs") })}>All errors</a>
          <span class="accel">{model}</span>
          {trend && <KindSign kind={trend.kind} />}
          {narrowed.map(([key, value]) => (
            <span key={key}>
              only {key} <span class="mono">{value}</span>{" "}
              <button type="button" class="link" onClick={() => setQuery({ [key]: null })}>
                all
              </button>
            </span>
          ))}
        </div>
        <h1>
          <Sentence
            text={
              trend
                ? errorSentence(trend, data.runs)
                : `This error is in none of the last ${plural(data.runs.length, "run")}.`
            }
          />
        </h1>
        <p class="error-signature mono">
          <Copy text={signature}>{shown(signature)}</Copy>
        </p>
        <div class="toolbar">
          {models.length > 1 && (
            <Select
              label="Accelerator"
              value={model}
              options={models.map((name) => ({ value: name, text: name }))}
              onChange={(value) => setQuery({ accelerator_model: value })}
            />
          )}
          <Span value={runs} onChange={(value) => setQuery({ runs: value })} />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {!trend ? (
        <p class="quiet">
          It may be older: choose more runs, or look for a part of it with the search. A signature is compared to the
          letter.
        </p>
      ) : (
        <>
          <Section id="over-runs" title="Over runs" note="Experiments with this error. Click a bar for its run.">
            <CountBars runs={data.runs} counts={trend.counts} onPick={(run) => go(runHref(run))} />
            <Since trend={trend} runs={data.runs} />
          </Section>
          {data.alerts.length > 0 && (
            <Section id="alerts" title="Alerts of these experiments">
              <AlertLinks alerts={data.alerts} />
            </Section>
          )}
          <Section
            id="experiments"
            title="Experiments"
            note={<NightLegend />}
            actions={<CsvLink href={address("/errors/history", { ...asked, format: "csv" })} name="error.csv" />}
          >
            <div class="toolbar">
              <FilterField
                value={filter}
                onChange={(value) => setQuery({ q: value || null }, true)}
                shown={rows.length}
                all={data.experiments.length}
                what="experiments"
              />
              <Choice
                label="Group by"
                value={group}
                options={[
                  { value: "", text: "none" },
                  ...Object.entries(GROUPS).map(([value, { text }]) => ({ value, text })),
                ]}
                onChange={(value) => setQuery({ group: value || null })}
              />
            </div>
            <Table
              caption="Experiments with this error"
              columns={columns}
              rows={rows}
              rowKey={(one) => String(one.experiment.id)}
              rowHref={({ experiment }) =>
                modelHref(experiment.suite, experiment.model, {
                  test: experiment.test,
                  accelerator_model: experiment.accelerator_model,
                })
              }
              orderWords="failing now first, then those that failed in most runs"
              groupBy={grouper}
              empty="No experiment matches."
            />
          </Section>
          {data.reproduction && (
            <Section id="reproduce" title="Try it again" note={<>The first of the experiments above, into ./output.</>}>
              <div class="wide-command">
                <Command text={data.reproduction} />
              </div>
            </Section>
          )}
          <WholeText trend={trend} runs={data.runs} />
        </>
      )}
    </div>
  );
}

/** Between which two runs it came, and what of their labels is different. */
function Since({ trend, runs }: { trend: ErrorTrend; runs: RunRef[] }) {
  const id = trend.since[0]?.run_id ?? trend.first_run_id;
  const index = runs.findIndex((run) => run.id === id);
  const run = runs[index];
  const before = runs
    .slice(0, Math.max(0, index))
    .filter((_, place) => trend.counts[place] !== null)
    .pop();
  if (!run) return null;
  const labels = before
    ? [...new Set([...Object.keys(before.labels), ...Object.keys(run.labels)])].filter(
        (key) => before.labels[key] !== run.labels[key],
      )
    : [];
  return (
    <dl class="facts since">
      {before && (
        <>
          <dt>last run without it</dt>
          <dd>
            <RunLink run={before} />
          </dd>
        </>
      )}
      <dt>{!trend.since.length ? "first run with it" : before ? "there since" : "there in the first run shown"}</dt>
      <dd>
        <RunLink run={run} />
        {!before && <Labels labels={run.labels} />}
      </dd>
      {before &&
        labels.map((key) => (
          <Fragment key={key}>
            <dt>{key}</dt>
            <dd>
              <LabelRange name={key} before={before.labels[key] ?? null} after={run.labels[key] ?? null} />
            </dd>
          </Fragment>
        ))}
      <dt>in</dt>
      <dd>
        {plural(trend.run_count, "run")} of {count(trend.counts.filter((n) => n !== null).length)} that tell
      </dd>
    </dl>
  );
}

function NightLegend() {
  return (
    <span class="night-legend">
      {Object.entries(NIGHTS)
        .filter(([, { name }]) => name !== "untried")
        .map(([letter, { words }]) => (
          <span key={letter}>
            <NightMark letter={letter} /> {words}
          </span>
        ))}
      <span>blank: not tried</span>
    </span>
  );
}

function NightMark({ letter }: { letter: string }) {
  const shapes: Record<string, [number, number]> = { x: [2, 16], o: [7, 11], ".": [14, 4] };
  const [y, height] = shapes[letter] ?? [0, 0];
  return (
    <svg width="8" height="20" aria-hidden="true">
      <rect class={`night-${NIGHTS[letter]?.name}`} x="1" y={y} width="6" height={height} />
    </svg>
  );
}

function experimentColumns(answer: ErrorHistory, isSkipped: boolean): Column<FailingExperiment>[] {
  const place = new Map(answer.runs.map((run, index) => [run.id, index]));
  const columns: Column<FailingExperiment>[] = [
    {
      key: "model",
      title: "Model",
      width: 220,
      sort: ({ experiment }) => experiment.model,
      cell: ({ experiment }) => (
        <a
          class="mono clip"
          title={`${experiment.suite}/${experiment.model}`}
          href={modelHref(experiment.suite, experiment.model, {
            test: experiment.test,
            accelerator_model: experiment.accelerator_model,
          })}
        >
          {shown(experiment.model)}
        </a>
      ),
    },
    {
      key: "suite",
      title: "Suite",
      width: 112,
      sort: ({ experiment }) => experiment.suite,
      cell: ({ experiment }) => (
        <a class="clip" title={experiment.suite} href={suiteHref(experiment.suite)}>
          {shown(experiment.suite)}
        </a>
      ),
    },
    {
      key: "test",
      title: "Test",
      width: 88,
      sort: ({ experiment }) => testName(experiment.test),
      cell: ({ experiment }) => testName(experiment.test),
    },
    {
      key: "backend",
      title: "Backend",
      width: 210,
      sort: ({ experiment }) => experiment.column,
      cell: ({ experiment }) => (
        <a class="clip" title={experiment.column} href={backendHref(experiment.backend)}>
          <Backend name={experiment.column} backend={experiment.backend} />
        </a>
      ),
    },
    {
      key: "now",
      title: "Now",
      width: 96,
      first: "desc",
      sort: (one) => (one.now ? 1 : 0),
      cell: (one) =>
        one.now ? (
          isSkipped ? (
            <span class="quiet">skipped</span>
          ) : (
            <span class="worse">✗ {one.verifying ? "verifying" : "failing"}</span>
          )
        ) : (
          <span class="quiet">over</span>
        ),
    },
    {
      key: "nights",
      title: "Over runs",
      width: 222,
      sort: (one) => one.failed / one.tried,
      first: "desc",
      cell: (one) => <NightStrip nights={one.nights} runs={answer.runs} label={nightsText(one, answer.runs)} />,
    },
    {
      key: "failed",
      title: "Failed",
      hint: "Runs in which an attempt failed with this error, of those in which there was one",
      width: 92,
      align: "right",
      first: "desc",
      sort: (one) => one.failed,
      cell: (one) => (
        <span class="num" title={nightsText(one, answer.runs)}>
          {count(one.failed)}
          <span class="quiet"> of {count(one.tried)}</span>
        </span>
      ),
    },
    {
      key: "since",
      title: "Since",
      hint: "Since which run it has had the error without a break",
      width: 180,
      first: "desc",
      sort: (one) => (one.since_run_id === null ? null : (place.get(one.since_run_id) ?? null)),
      cell: (one) => (
        <span class={one.standing === "over" ? "quiet" : one.standing === "lasting" ? "" : "worse"}>
          {sinceText({ standing: one.standing, run_id: one.since_run_id }, answer.runs)}
        </span>
      ),
    },
    {
      key: "first",
      title: "First",
      hint: "The first of these runs in which it has it",
      width: 96,
      first: "desc",
      sort: (one) => place.get(one.first_run_id),
      cell: (one) => <RunDay runs={answer.runs} id={one.first_run_id} />,
    },
    {
      key: "last",
      title: "Last",
      hint: "The last run in which it has it",
      width: 96,
      first: "desc",
      sort: (one) => place.get(one.last_run_id),
      cell: (one) => <RunDay runs={answer.runs} id={one.last_run_id} />,
    },
  ];
  if (answer.experiments.some(({ experiment }) => experiment.batch_size !== null)) {
    columns.splice(3, 0, {
      key: "batch",
      title: "Batch",
      width: 64,
      align: "right",
      sort: ({ experiment }) => experiment.batch_size,
      cell: ({ experiment }) =>
        experiment.batch_size === null ? (
          <Missing flush why="batch size unknown" />
        ) : (
          <span class="num">{experiment.batch_size}</span>
        ),
    });
  }
  return columns;
}

function WholeText({ trend, runs }: { trend: ErrorTrend; runs: readonly RunRef[] }) {
  const [open, setOpen] = useState(false);
  const last = runOf(runs, trend.line_run_id);
  return (
    <Section
      id="text"
      title="The newest text"
      note={last && <>Of run {runName(last)}; its end, and all of it when opened.</>}
    >
      {open ? (
        <ErrorText line={trend.line_id} excerpt={trend.excerpt} />
      ) : (
        <div class="error-text">
          <pre tabIndex={0} aria-label="End of the error text">
            {trend.excerpt}
          </pre>
          <button type="button" class="button" onClick={() => setOpen(true)}>
            Show all of it
          </button>
        </div>
      )}
    </Section>
  );
}
