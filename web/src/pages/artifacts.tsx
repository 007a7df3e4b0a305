// All dumps that were taken in, and one of them alone: for those that belong to no result, or to several.
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import { contentUrl } from "../api/contents";
import type { Artifact, ArtifactContent, ArtifactKind } from "../api/types";
import { traceReport } from "../api/trace";
import { PER_PAGE, usePages, useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { adviceFlags } from "../lib/flags";
import { bytes, count, moment, plural, shown, testName } from "../lib/format";
import { useNow, useTitle } from "../lib/hooks";
import { KINDS, KIND_ORDER, kindCounts, kindName, whichDump } from "../lib/profile";
import { artifactHref, modelHref, profileHref, traceHref, useQuery } from "../lib/route";
import { pathWord } from "../lib/shell";
import { matches } from "../lib/sort";
import { Check, CsvLink, FilterField, More, Select, runChoices } from "../parts/controls";
import { OpenTrace, useDropped } from "../parts/drop_trace";
import { WhatIsStore, useDbOption } from "../parts/empty";
import { Backend, Command, Copy, ErrorNote, Missing, RunLink, Section, Time, Waiting } from "../parts/small";
import { Table } from "../parts/table";
import { ProblemsNote } from "../parts/profile/bits";
import { CompileTime, CompiledFunctions, GraphBreaks, Recompilations, Verdict } from "../parts/profile/compile";
import { Counters } from "../parts/profile/counters";
import { Device, TraceOperators } from "../parts/profile/device";
import { artifactColumns } from "../parts/profile/files";
import { Flags } from "../parts/profile/flags";
import { HloModules } from "../parts/profile/hlo";
import { Modules } from "../parts/profile/ir";
import { OperatorTableView } from "../parts/profile/operators";
import { CompilationLog } from "../parts/profile/compilations";
import { TextView, rawUrl } from "../parts/profile/text";
import { XlaReport } from "../parts/profile/xla";

/** What who looks has dropped, and nobody else sees. */
function YourDropped() {
  // One that was ingested as a dump since then is in the list below, and everybody sees it.
  const dropped = useDropped().filter((one) => one.until !== null);
  if (!dropped.length) return null;
  return (
    <p>
      Traces that you opened, which only you see:{" "}
      {dropped.map((one, index) => (
        <>
          {index > 0 && ", "}
          <a href={traceHref(one.id)}>{shown(one.name)}</a>{" "}
          {one.until !== null && <span class="quiet">until {moment(one.until)}</span>}
        </>
      ))}
    </p>
  );
}

export function ArtifactsPage() {
  const [query, setQuery] = useQuery();
  const now = useNow();
  const run = query.get("run") ?? "";
  const kind = query.get("kind") ?? "";
  const orphaned = query.get("orphaned") === "true";
  const superseded = query.get("superseded") !== "false";
  const filter = query.get("q") ?? "";
  const asked = { run, kind, orphaned: orphaned ? "true" : null, superseded: superseded ? null : "false" };
  const list = usePages(address("/artifacts", { ...asked, limit: PER_PAGE }));
  const { data, late, error, again } = list;
  const runs = useRuns();
  const items = useMemo(() => data?.items ?? [], [data]);
  const columns = useMemo(() => artifactColumns({ now }), [now]);
  const rows = useMemo(
    () =>
      items.filter((one) => !filter || matches(filter, `${one.name} ${one.model} ${kindName(one.kind)} ${one.path}`)),
    [items, filter],
  );
  const db = useDbOption();
  useTitle("Dumps");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  const orphans = items.filter((one) => !one.results.length).length;
  const unreadable = items.filter((one) => one.unreadable !== null).length;
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <a href="/ingests">Ingest reports</a>
          <span>Dumps: what the runner left beside its results</span>
        </div>
        <h1>
          {items.length
            ? `${plural(data.total, "dump")}${list.isComplete ? "" : `, the newest ${count(items.length)} of them here`}: ${kindCounts(
                items,
              )
                .map((one) => one.text)
                .join(
                  ", ",
                )}${orphans ? `; ${count(orphans)} ${orphans === 1 ? "belongs" : "belong"} to no result` : ""}${unreadable ? `; ${count(unreadable)} could not be read` : ""}.`
            : "No dump here."}
        </h1>
        <div class="toolbar">
          <Select
            label="Run"
            value={run}
            options={[{ value: "", text: "all" }, ...runChoices(runs.data?.items)]}
            onChange={(value) => setQuery({ run: value || null })}
          />
          <Select
            label="Kind"
            value={kind}
            options={[{ value: "", text: "all" }, ...KIND_ORDER.map((one) => ({ value: one, text: KINDS[one].one }))]}
            onChange={(value) => setQuery({ kind: value || null })}
          />
          <Check
            label="orphaned only"
            title="Dumps that belong to no result"
            checked={orphaned}
            onChange={(on) => setQuery({ orphaned: on ? "true" : null })}
          />
          <Check
            label="superseded too"
            title="With dumps that a later one of the same name and result took the place of"
            checked={superseded}
            onChange={(on) => setQuery({ superseded: on ? null : "false" })}
          />
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={items.length}
            total={data.total}
            what="dumps"
          />
          <CsvLink href={address("/artifacts", { ...asked, limit: PER_PAGE, format: "csv" })} name="dumps.csv" list />
          <OpenTrace />
        </div>
        <YourDropped />
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {!items.length && !run && !kind && !orphaned ? (
        <div class="empty">
          <p>
            Let the benchmark runner leave them (
            {[...new Set(KIND_ORDER.map((one) => KINDS[one].flag))].slice(0, 3).join(", ")}), then give benchhud its
            output directory. One file alone goes in with the result that it is of:
          </p>
          <Command text={`benchhud ingest ${db}path/to/output`} />
          <Command text={`benchhud ingest ${db}trace.json --for RUN/MODEL/TEST/BACKEND`} />
          {db && <WhatIsStore />}
        </div>
      ) : (
        <Table
          caption="Dumps"
          columns={columns}
          rows={rows}
          total={filter ? undefined : data.total}
          rowKey={(one) => String(one.id)}
          rowHref={artifactHref}
          late={late}
          orderWords="newest first"
          empty={list.isComplete ? "No dump matches." : `None of the newest ${count(items.length)} dumps matches.`}
        />
      )}
      {!error && <More list={list} what="dumps" />}
    </div>
  );
}

export function ArtifactViewPage({ id }: { id: number }) {
  const { data, error, again } = useApi(contentUrl(id));
  const now = useNow();
  useTitle(data ? `${kindName(data.artifact.kind)} ${data.artifact.name.split("/").pop()}` : "Dump");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={10} />;
  const { artifact } = data;
  const words = KINDS[artifact.kind];
  return (
    <div class="profile">
      <header class="page-head">
        <div class="kicker">
          <a href="/artifacts">Dumps</a>
          <span title={words?.words}>{kindName(artifact.kind)}</span>
          <span>{whichDump(artifact)}</span>
          <Time at={artifact.at} now={now} />
        </div>
        <h1>
          <span class="mono">{shown(artifact.name)}</span>
          {artifact.unreadable !== null
            ? ": could not be read."
            : !artifact.results.length
              ? ": belongs to no result."
              : artifact.results.length > 1
                ? `: shared by ${plural(artifact.results.length, "result")}.`
                : ""}
        </h1>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {artifact.trace_id !== null && (
        <p>
          <a class="button" href={traceHref(artifact.trace_id)}>
            Open the timeline
          </a>
        </p>
      )}
      <dl class="facts">
        <dt>Read from</dt>
        <dd>
          <Copy text={artifact.path} />
        </dd>
        <dt>Size</dt>
        <dd title={`${artifact.byte_count} bytes`}>{bytes(artifact.byte_count)} decompressed</dd>
        <dt>Content</dt>
        <dd>
          <Copy text={artifact.content_hash} />
        </dd>
        {artifact.superseded && (
          <>
            <dt>State</dt>
            <dd class="warn">superseded: a later dump of the same name belongs to the same results</dd>
          </>
        )}
        <dt>Belongs to</dt>
        <dd>{artifact.results.length ? <Belongs artifact={artifact} /> : <Orphan artifact={artifact} />}</dd>
      </dl>
      <ProblemsNote content={data} />
      <Content content={data} />
    </div>
  );
}

function Orphan({ artifact }: { artifact: Artifact }) {
  const db = useDbOption();
  return (
    <>
      <p class="warn">
        No result: none of that name, in folder {shown(artifact.model)}, was taken in together with it.
      </p>
      <p class="quiet note">
        Ingest its results.jsonl, or say whose it is. The path starts at the folder that contains the dump's own folder:
      </p>
      <Command text={`benchhud ingest ${db}${pathWord(artifact.path)} --for RESULT`} />
      {db && <WhatIsStore />}
    </>
  );
}

const MOST_OWNERS = 50;

function Belongs({ artifact }: { artifact: Artifact }) {
  return (
    <ul class="owners">
      {artifact.results.slice(0, MOST_OWNERS).map((one) => (
        <Owner key={`${one.run.id} ${one.experiment_id}`} run={one.run} experiment={one.experiment_id} />
      ))}
      {artifact.results.length > MOST_OWNERS && (
        <li class="quiet">and {count(artifact.results.length - MOST_OWNERS)} more</li>
      )}
    </ul>
  );
}

function Owner({ run, experiment }: { run: Artifact["results"][number]["run"]; experiment: number }) {
  const { data } = useApi(address("/runs/{run}/results/{experiment}", { run: run.id, experiment }));
  const about = data?.experiment;
  return (
    <li>
      <RunLink run={run} />{" "}
      {about ? (
        <>
          <a
            class="mono"
            href={modelHref(about.suite, about.model, { test: about.test, accelerator_model: about.accelerator_model })}
          >
            {shown(about.model)}
          </a>{" "}
          <Backend
            name={about.column}
            backend={about.backend}
            link={{ accelerator_model: about.accelerator_model, test: about.test }}
          />{" "}
          <span class="quiet">
            {testName(about.test)}
            {about.batch_size === null ? "" : `, batch ${about.batch_size}`}
          </span>
        </>
      ) : (
        <span class="quiet">experiment {experiment}</span>
      )}{" "}
      <a href={profileHref(run.id, experiment)}>profile</a>
    </li>
  );
}

/** What is in it, by its kind; the text where nothing else is to be shown. */
function Content({ content }: { content: ArtifactContent }) {
  const { artifact } = content;
  const [text, setText] = useState(false);
  return (
    <>
      <KindContent kind={artifact.kind} content={content} />
      {artifact.has_text && (
        <Section id="text" title="Text" note={bytes(artifact.byte_count)}>
          {text || artifact.unreadable !== null ? (
            <TextView url={rawUrl(artifact.id)} length={artifact.byte_count} label={`Text of ${artifact.name}`} />
          ) : (
            <button type="button" class="button" onClick={() => setText(true)}>
              Show the text
            </button>
          )}
        </Section>
      )}
    </>
  );
}

function KindContent({ kind, content }: { kind: ArtifactKind; content: ArtifactContent }) {
  if (content.operator_tables?.length) {
    return (
      <>
        {content.operator_tables.map((table, index, tables) => (
          <Section
            key={index}
            id={`table-${index}`}
            title={tables.length > 1 ? `Operators, table ${index}` : "Operators"}
          >
            <OperatorTableView table={table} caption={`Operators, table ${index}`} />
          </Section>
        ))}
      </>
    );
  }
  if (content.dynamo_counters)
    return (
      <Section id="counters" title="Counters">
        <Counters contents={[content]} />
      </Section>
    );
  if (content.xla_metrics)
    return (
      <Section id="xla" title="XLA metrics">
        <XlaReport report={content.xla_metrics} />
      </Section>
    );
  if (content.compile_times)
    return (
      <Section id="compile" title="Compile time">
        <CompileTime report={null} functions={[{ dump: whichDump(content.artifact), rows: content.compile_times }]} />
      </Section>
    );
  if (content.ir_modules)
    return (
      <Section id="ir" title="Compiled graphs">
        <Modules artifact={content.artifact} modules={content.ir_modules} />
      </Section>
    );
  if (content.torch_trace)
    return (
      <Section id="compilations" title="Compilations">
        <CompilationLog artifact={content.artifact} log={content.torch_trace} />
      </Section>
    );
  const report = traceReport(content.trace);
  if (report)
    return (
      <TraceContent
        report={report}
        trace={content.artifact.trace_id}
        profile={/\.xplane\.pb$/.test(content.artifact.name) ? content.artifact.trace_id : null}
      />
    );
  if (kind === "xplane")
    return (
      <p class="quiet">
        Of XPlane folders profiles (*.xplane.pb) are read as traces; their other files are kept and listed.
      </p>
    );
  return content.artifact.unreadable === null ? <Missing why="Nothing of it could be shown" /> : null;
}

/** `profile`: the trace's number where it is an XPlane profile, which may hold HLO. */
function TraceContent({
  report,
  trace,
  profile,
}: {
  report: NonNullable<ReturnType<typeof traceReport>>;
  trace: number | null;
  profile: number | null;
}) {
  return (
    <>
      <p class="quiet note">
        {plural(report.events, "event")}, {plural(report.slices, "slice")}, nested at most {count(report.max_depth)}{" "}
        deep
        {report.overlaps ? `; ${count(report.overlaps)} overlap another of their track` : ""}
        {report.broken ? `; ${plural(report.broken, "event")} could not be read` : ""}
        {report.unclosed ? `; ${plural(report.unclosed, "slice")} without an end` : ""}.
      </p>
      <Section id="flags" title="What it suggests">
        <Flags flags={adviceFlags(report.advice, "trace")} sources={[{ what: "trace", state: "answered" }]} />
      </Section>
      <Section id="compiled" title="Is torch.compile applied?">
        <Verdict report={report} />
      </Section>
      <Section id="breaks" title="Graph breaks">
        <GraphBreaks report={report} dynamo={null} />
        <Recompilations report={report} />
        <CompiledFunctions report={report} />
      </Section>
      {report.compile_time.phases.length > 0 && (
        <Section id="compile" title="Compile time">
          <CompileTime report={report} functions={[]} />
        </Section>
      )}
      <Section id="operators" title="Operators">
        <TraceOperators report={report} />
      </Section>
      <Section id="device" title="Kernels and device">
        <Device report={report} trace={trace} />
      </Section>
      {profile !== null && (
        <Section id="hlo" title="HLO modules">
          <HloModules trace={profile} />
        </Section>
      )}
    </>
  );
}
