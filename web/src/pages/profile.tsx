// One result's profile: everything that was dumped beside it, and where it says that the time went.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { address } from "../api/client";
import { type TraceReport, traceReport } from "../api/trace";
import type { Artifact, ArtifactContent, ArtifactPage, PhasesAnswer, ResultDetail } from "../api/types";
import { useApi } from "../api/use";
import { capital } from "../lib/words";
import { count, duration, plural, runName, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { useNeighbours } from "../lib/neighbours";
import { KINDS, KIND_ORDER, current, isReadable, kindCounts, ofKind, pick, repetitions, whichDump } from "../lib/profile";
import { href, modelHref, profileDiffHref, useQuery } from "../lib/route";
import { Choice, Select } from "../parts/controls";
import { Backend, Copy, ErrorNote, RunLink, Section, Sentence, VerificationSign, Waiting } from "../parts/small";
import { From, ProblemsNote, WithContent, contentUrl, useContents } from "../parts/profile/bits";
import { CompileTime, CompiledFunctions, GraphBreaks, Recompilations, Verdict, verdictWords } from "../parts/profile/compile";
import { Counters } from "../parts/profile/counters";
import { Device, TraceOperators, ranOnDevice } from "../parts/profile/device";
import { Files } from "../parts/profile/files";
import { type Flag, Flags, adviceFlags } from "../parts/profile/flags";
import { IrDumps } from "../parts/profile/ir";
import { Operators } from "../parts/profile/operators";
import { Phases, metricsNote } from "../parts/profile/phases";
import { XlaReport } from "../parts/profile/xla";

/** Counters of more repetitions than this are not set side by side. */
const MOST_COLUMNS = 12;

export function ProfilePage() {
  const [query] = useQuery();
  const run = query.get("run") ?? "";
  const experiment = query.get("experiment") ?? "";
  if (!run || !/^\d+$/.test(experiment)) return <Unnamed />;
  return <Profile key={`${run} ${experiment}`} run={run} experiment={experiment} />;
}

function Unnamed() {
  useTitle("Profile");
  return (
    <div class="empty">
      <h1>A profile is of one result: a run, and an experiment in it.</h1>
      <p>
        Open a model from a <a href="/runs">run</a>, click a night in its charts, then “profile”; or begin with the list of <a href="/artifacts">dumps</a>.
      </p>
    </div>
  );
}

function Profile({ run, experiment }: { run: string; experiment: string }) {
  const [query, setQuery] = useQuery();
  const path = `/runs/${encodeURIComponent(run)}/results/${experiment}`;
  const detail = useApi<ResultDetail>(address(path), { poll: true });
  const dumps = useApi<ArtifactPage>(address("/artifacts", { run, experiment, limit: 1000 }), { poll: true });
  const phases = useApi<PhasesAnswer>(address(`${path}/phases`), { poll: true });
  const all = dumps.data?.items ?? [];
  const now = current(all);
  const reps = repetitions(now);
  const asked = query.get("repetition");
  const repetition = asked !== null && reps.includes(Number(asked)) ? Number(asked) : (reps[reps.length - 1] ?? null);

  const traceFile = pick(now, "trace", repetition);
  const traceContent = useApi<ArtifactContent>(traceFile ? contentUrl(traceFile.id) : null);
  const report = traceContent.data && traceContent.data.artifact.id === traceFile?.id ? traceReport(traceContent.data.trace) : null;
  // What the first repetition compiled is not in the trace of a later one.
  const firstTrace = ofKind(now, "trace").filter(isReadable)[0];
  const wantsFirst = firstTrace && firstTrace.id !== traceFile?.id && report !== null && report.compile_time.phases.length === 0;
  const firstContent = useApi<ArtifactContent>(wantsFirst ? contentUrl(firstTrace.id) : null);
  const firstReport = wantsFirst && firstContent.data ? traceReport(firstContent.data.trace) : null;
  const compiling = report?.compile_time.phases.length ? { report, file: traceFile } : firstReport?.compile_time.phases.length ? { report: firstReport, file: firstTrace } : null;

  const counterFiles = ofKind(now, "dynamo_counters").filter(isReadable);
  const counters = useContents(counterFiles.slice(0, MOST_COLUMNS).map((one) => one.id));
  const functionFiles = ofKind(now, "compile_times").filter(isReadable);
  const functions = useContents(functionFiles.slice(0, MOST_COLUMNS).map((one) => one.id));

  const result = detail.data;
  const name = result ? `${result.experiment.model}, ${result.experiment.column}, ${testName(result.experiment.test)}` : "";
  useTitle(name ? `Profile of ${name}` : "Profile");
  const hash = location.hash.slice(1);
  useEffect(() => {
    if (hash && dumps.data) document.getElementById(hash)?.scrollIntoView();
  }, [!!dumps.data]);

  const error = detail.error ?? dumps.error;
  if (!result || !dumps.data) return error ? <ErrorNote error={error} again={() => (detail.again(), dumps.again())} /> : <Waiting rows={16} />;
  const has = (kind: Artifact["kind"]) => now.some((one) => one.kind === kind);
  const flags: Flag[] = [
    ...(phases.data?.flags ?? []).map((flag) => ({
      key: flag.code,
      severity: flag.severity,
      sentence: flag.sentence,
      numbers: Object.entries(flag.values).filter((entry): entry is [string, number] => entry[1] !== null),
      from: flag.repetitions.length ? `timing, ${flag.repetitions.length > 6 ? plural(flag.repetitions.length, "repetition") : `repetition ${flag.repetitions.join(", ")}`}` : "timing",
    })),
    ...(report && traceFile ? adviceFlags(report.advice, `trace of ${whichDump(traceFile)}`) : []),
  ];
  const waitingForTrace = !!traceFile && !report && !traceContent.error && !traceContent.data;
  const hasBreaks = has("trace") || has("dynamo_counters");
  const toc: [string, string, boolean][] = [
    ["phases", "Phases", true],
    ["flags", "Flags", true],
    ["compiled", "torch.compile", has("trace")],
    ["breaks", "Graph breaks", hasBreaks],
    ["compile", "Compile time", compiling !== null || has("compile_times")],
    ["operators", "Operators", has("operator_table") || has("trace")],
    ["device", "Device", has("trace")],
    ["counters", "Counters", has("dynamo_counters")],
    ["xla", "XLA metrics", has("xla_metrics")],
    ["ir", "IR", has("ir")],
    ["files", "Files", all.length > 0],
  ];
  return (
    <div class="profile">
      <Head result={result} phases={phases.data} report={report} counters={counters.data} dumps={now} />
      {error && <ErrorNote error={error} again={() => (detail.again(), dumps.again())} kept />}
      <div class="toolbar">
        {reps.length > 1 && reps.length <= 8 ? (
          <Choice label="Repetition" value={String(repetition)} options={reps.map((one) => ({ value: String(one), text: one === 0 ? "0, the first" : String(one) }))} onChange={(value) => setQuery({ repetition: Number(value) === reps[reps.length - 1] ? null : value, table: null, irfile: null, module: null })} />
        ) : reps.length > 8 ? (
          <Select label="Repetition" value={String(repetition)} options={reps.map((one) => ({ value: String(one), text: String(one) }))} onChange={(value) => setQuery({ repetition: Number(value) === reps[reps.length - 1] ? null : value, table: null, irfile: null, module: null })} />
        ) : null}
        <Compare result={result} />
      </div>
      {now.length > 0 && (
        <nav class="toc" aria-label="Sections of this profile">
          {toc
            .filter(([, , on]) => on)
            .map(([id, text]) => (
              <a key={id} href={hereWith(query, id)}>
                {text}
              </a>
            ))}
        </nav>
      )}

      <Section id="phases" title="Where the time goes" note={phases.data ? capital(metricsNote(phases.data)) + "." : undefined}>
        {phases.error && !phases.data ? <ErrorNote error={phases.error} again={phases.again} /> : phases.data ? <Phases answer={phases.data} /> : <Waiting rows={5} />}
      </Section>

      <Section id="flags" title="Flags" note="What to know before believing the number, and what the trace suggests; the gravest first.">
        {!phases.data && !phases.error ? <Waiting rows={3} /> : <Flags flags={flags} />}
        {phases.data && <Checks answer={phases.data} />}
      </Section>

      {has("trace") && (
        <Section id="compiled" title="Is torch.compile applied?" note={traceFile && <>By the trace of <From artifact={traceFile} />.</>}>
          {traceContent.error && !report ? <ErrorNote error={traceContent.error} again={traceContent.again} /> : report ? <Verdict report={report} /> : waitingForTrace ? <Waiting rows={4} /> : <Unread file={traceFile} />}
          {traceContent.data && traceFile && <ProblemsNote content={traceContent.data} />}
        </Section>
      )}

      {hasBreaks && (
        <Section id="breaks" title="Graph breaks" note={traceFile && <>A region within a region ran behind a break; trace of <From artifact={traceFile} />.</>}>
          {waitingForTrace ? (
            <Waiting rows={4} />
          ) : (
            <>
              <GraphBreaks report={report} counters={counters.data ?? []} />
              {report && <Recompilations report={report} />}
              {report && <CompiledFunctions report={report} />}
            </>
          )}
        </Section>
      )}

      {(compiling !== null || has("compile_times")) && (
        <Section
          id="compile"
          title="Compile time"
          note={compiling?.file && <>By the trace of <From artifact={compiling.file} />{compiling.file.id !== traceFile?.id && traceFile ? `; nothing was compiled in ${whichDump(traceFile)}` : ""}.</>}
        >
          {functions.error && <ErrorNote error={functions.error} />}
          <CompileTime report={compiling?.report ?? null} functions={(functions.data ?? []).flatMap((one) => (one.compile_times ? [{ dump: whichDump(one.artifact), rows: one.compile_times }] : []))} />
        </Section>
      )}

      {(has("operator_table") || report) && (
        <Section id="operators" title="Operators" note={has("operator_table") ? "The profiler's table, with all of its columns. The profiler itself costs time." : traceFile && <>From the trace of <From artifact={traceFile} />: no operator table was dumped.</>}>
          {has("operator_table") && <Operators artifacts={now} repetition={repetition} />}
          {report && has("operator_table") && (
            <details class="nested" open={!!query.get("slice") || !!query.get("ts")}>
              <summary>
                The same from the trace <span class="quiet">all that the host did, with exact times: compiling, the runtime's calls, annotations too</span>
              </summary>
              <TraceOperators report={report} />
            </details>
          )}
          {report && !has("operator_table") && <TraceOperators report={report} />}
        </Section>
      )}

      {has("trace") && (
        <Section id="device" title="Kernels and device" note={traceFile && report && ranOnDevice(report) && <>By the trace of <From artifact={traceFile} />.</>}>
          {report ? <Device report={report} /> : waitingForTrace ? <Waiting rows={3} /> : <Unread file={traceFile} />}
        </Section>
      )}

      {has("dynamo_counters") && (
        <Section id="counters" title="Counters" note={counterFiles.length > MOST_COLUMNS ? `TorchDynamo's, of the first ${MOST_COLUMNS} of ${count(counterFiles.length)} repetitions.` : "TorchDynamo's, repetition beside repetition."}>
          {counters.error ? <ErrorNote error={counters.error} /> : counters.data ? <Counters contents={counters.data} /> : <Waiting rows={4} />}
        </Section>
      )}

      {has("xla_metrics") && <Xla artifacts={now} repetition={repetition} />}

      {has("ir") && (
        <Section id="ir" title="IR" note="The graphs that XLA compiled.">
          <IrDumps artifacts={now} repetition={repetition} />
        </Section>
      )}

      {all.length > 0 && (
        <Section id="files" title="Files" note={all.length > now.length ? `${plural(all.length - now.length, "file")} of them superseded by later ones of the same name.` : undefined}>
          <Files artifacts={all} />
          {dumps.data.next_cursor && (
            <p class="quiet note">
              The newest {count(all.length)} of {count(dumps.data.total)}; <a href={href("/artifacts", { run })}>all of the run</a>.
            </p>
          )}
        </Section>
      )}
      <NotDumped artifacts={now} />
    </div>
  );
}

function hereWith(query: URLSearchParams, hash: string): string {
  const text = query.toString();
  return `/profile${text ? "?" + location.search.slice(1) : ""}#${hash}`;
}

/** What a person would say: how long, where it went, whether it is compiled, whether it breaks. */
export function profileSentence(result: ResultDetail, phases: PhasesAnswer | null, report: TraceReport | null, breaks: number | null): string {
  const { experiment } = result;
  const parts: string[] = [];
  if (result.steady) parts.push(`${duration(result.steady.value)} steady`);
  else if (result.failure) parts.push("failed");
  const cost = phases?.first_excess;
  if (cost && !cost.noise) parts.push(`the first repetition cost ${duration(cost.seconds)} more`);
  if (report) {
    if (experiment.dynamo) parts.push(verdictWords(report));
    if (ranOnDevice(report) && report.device.utilization !== null) parts.push(`the device was busy ${(report.device.utilization * 100).toFixed(0)} % of the time`);
  }
  const found = report?.graph_breaks.breaks ? `${plural(report.graph_breaks.breaks, "region")} behind graph breaks` : breaks ? plural(breaks, "graph break") : "";
  if (found) parts.push(found);
  return `${shown(experiment.model)}, ${experiment.column}, ${testName(experiment.test)}${parts.length ? `: ${parts.join("; ")}` : ""}.`;
}

function Head({ result, phases, report, counters, dumps }: { result: ResultDetail; phases: PhasesAnswer | null; report: TraceReport | null; counters: ArtifactContent[] | null; dumps: Artifact[] }) {
  const { experiment, run } = result;
  const breaks = counters?.reduce((sum, one) => sum + (one.dynamo_counters?.find((group) => group.group === "graph_break")?.counters.reduce((all, counter) => all + counter.value, 0) ?? 0), 0) ?? null;
  const kinds = kindCounts(dumps);
  return (
    <header class="page-head">
      <div class="kicker">
        <span>{experiment.suite}</span>
        <span class="accel">{experiment.accelerator_model}</span>
        <span>
          run <RunLink run={run} />
        </span>
        <a href={modelHref(experiment.suite, experiment.model, { test: experiment.test, accelerator_model: experiment.accelerator_model })}>all nights of {shown(experiment.model)}</a>
        <Copy text={experiment.model}>{shown(experiment.model)}</Copy>
        <span>{testName(experiment.test)}</span>
        <span>{experiment.batch_size === null ? "batch size unknown" : `batch ${count(experiment.batch_size)}`}</span>
        <VerificationSign verification={result.verification} />
      </div>
      <h1>
        <Sentence text={profileSentence(result, phases, report, breaks)} />
      </h1>
      <p class="chips">
        <Backend name={experiment.column} backend={experiment.backend} />
        {kinds.map((one) => (
          <a key={one.kind} class="chip" href={hereWith(new URLSearchParams(location.search), KINDS[one.kind].section)} title={KINDS[one.kind].words}>
            {one.text}
          </a>
        ))}
        {!kinds.length && <span class="quiet">nothing was dumped beside this result</span>}
      </p>
    </header>
  );
}

function Compare({ result }: { result: ResultDetail }) {
  const found = useNeighbours(result.run.id, result.experiment);
  const own = { run: result.run.id, experiment: result.experiment.id };
  return (
    <div class="field" role="group" aria-label="Compare with">
      <span aria-hidden="true">Compare with</span>
      <div class="compare">
        {!found && <span class="quiet">looking for dumps …</span>}
        {found?.before && (
          <a class="button" href={profileDiffHref({ run: found.before.id, experiment: own.experiment }, own)} title="The last night before this one that has dumps of this result">
            {runName(found.before)}, the night before
          </a>
        )}
        {found?.later && (
          <a class="button" href={profileDiffHref(own, { run: found.later.id, experiment: own.experiment })} title="The first night after this one that has dumps of this result">
            {runName(found.later)}, the next
          </a>
        )}
        {found?.others.map((one) => (
          <a key={one.id} class="button" href={profileDiffHref({ run: own.run, experiment: one.id }, own)} title="Another backend on the same night">
            {one.column}
            {one.batch_size !== result.experiment.batch_size && one.batch_size !== null ? `, batch ${one.batch_size}` : ""}
          </a>
        ))}
        {found && !found.before && !found.later && !found.others.length && <span class="quiet">no other night or backend has dumps</span>}
      </div>
    </div>
  );
}

function Checks({ answer }: { answer: PhasesAnswer }) {
  const not = answer.checks.filter((one) => one.outcome === "not_found");
  const cannot = answer.checks.filter((one) => one.outcome === "cannot_tell");
  const meaning = (code: string) => answer.definitions.checks.find((one) => one.name === code)?.meaning;
  const list = (items: typeof not): ComponentChildren =>
    items.map((one, index) => (
      <>
        {index > 0 && ", "}
        <span class="explained" title={meaning(one.code)}>
          {one.code.replace(/_/g, " ")}
        </span>
      </>
    ));
  return (
    <p class="quiet note checks">
      {not.length > 0 && <>Looked for and not found: {list(not)}. </>}
      {cannot.length > 0 && <>Cannot be told from the metrics of this result: {list(cannot)}.</>}
    </p>
  );
}

function Unread({ file }: { file: Artifact | undefined }) {
  return <p class="quiet">{file ? `The trace holds no report${file.unreadable ? `: ${file.unreadable}` : ""}.` : "No trace of this result could be read; see Files."}</p>;
}

function Xla({ artifacts, repetition }: { artifacts: Artifact[]; repetition: number | null }) {
  const file = pick(artifacts, "xla_metrics", repetition);
  return (
    <Section id="xla" title="XLA metrics" note={file && <>PyTorch/XLA's report of <From artifact={file} />.</>}>
      {file ? (
        <WithContent artifact={file} key={file.id}>
          {(content) => (content.xla_metrics ? <XlaReport report={content.xla_metrics} /> : <p class="quiet">The report holds nothing.</p>)}
        </WithContent>
      ) : (
        <p class="quiet">No report of this result could be read; see Files.</p>
      )}
    </Section>
  );
}

function NotDumped({ artifacts }: { artifacts: Artifact[] }) {
  const missing = KIND_ORDER.filter((kind) => !artifacts.some((one) => one.kind === kind));
  if (!missing.length) return null;
  return (
    <p class="foot quiet">
      Not dumped for this result:{" "}
      {missing.map((kind, index) => (
        <>
          {index > 0 && "; "}
          <span title={KINDS[kind].words}>{KINDS[kind].many}</span> (<span class="mono">{KINDS[kind].flag}</span>)
        </>
      ))}
      .
    </p>
  );
}
