// The sections of a profile, in their order: the page and its list of contents are made of the same ones.
import type { ComponentChildren } from "preact";
import type { TraceReport } from "../../api/trace";
import type { Artifact, PhasesAnswer } from "../../api/types";
import { capital } from "../../lib/words";
import { count, plural } from "../../lib/format";
import { pick, whichDump } from "../../lib/profile";
import { MOST_COLUMNS, type Profile, type TraceState, profileFlags } from "../../lib/profile_data";
import { href, useQuery } from "../../lib/route";
import { ErrorNote, Waiting } from "../small";
import { From, NotKnown, ProblemsNote, WithContent } from "./bits";
import { CompilationsBetweenNights } from "./compilation_changes";
import { CompilationLogs } from "./compilations";
import { CompileTime, CompiledFunctions, GraphBreaks, Recompilations, Verdict } from "./compile";
import { Counters } from "./counters";
import { Device, TraceOperators, ranOnDevice } from "./device";
import { Files } from "./files";
import { Flags } from "./flags";
import { HloModules } from "./hlo";
import { IrDumps } from "./ir";
import { Memory, memoryOf } from "./memory";
import { Operators } from "./operators";
import { Phases, metricsNote } from "./phases";
import { XlaReport } from "./xla";
import { XlaOperators } from "./xla_operators";

export type ProfileSection = {
  /** What an address ends with to lead to it. */
  id: string;
  /** What the list of contents calls it. */
  short: string;
  title: string;
  /** Whether this profile has it. */
  when: boolean;
  note?: ComponentChildren;
  render: () => ComponentChildren;
};

/** Chrome traces hold no HLO. */
const isXplane = (one: Artifact): boolean => /\.xplane\.pb$/.test(one.name);

export function profileSections(profile: Profile): ProfileSection[] {
  const { dumps, phases, trace, compiling, counters, artifacts } = profile;
  const has = (kind: Artifact["kind"]) => dumps.now.some((one) => one.kind === kind);
  const hasTable = has("operator_table");
  const metrics = pick(dumps.now, "xla_metrics", dumps.repetition);
  const profiles = dumps.now.filter((one) => one.trace_id !== null && isXplane(one));
  const all = artifacts.items;
  return [
    {
      id: "phases",
      short: "Phases",
      title: "Where the time goes",
      when: true,
      note: phases.data ? capital(metricsNote(phases.data)) + "." : undefined,
      render: () => <OfPhases phases={phases} />,
    },
    {
      id: "flags",
      short: "Flags",
      title: "Flags",
      when: true,
      note: "What to know before believing the number, and what the trace suggests; the gravest first.",
      render: () => (
        <>
          <Flags {...profileFlags(phases, has("trace") ? trace : null)} />
          {phases.data && <Checks answer={phases.data} />}
        </>
      ),
    },
    {
      id: "compiled",
      short: "torch.compile",
      title: "Is torch.compile applied?",
      when: has("trace"),
      note: trace.file && (
        <>
          By the trace of <From artifact={trace.file} />.
        </>
      ),
      render: () => (
        <>
          <OfTrace trace={trace}>{(report) => <Verdict report={report} />}</OfTrace>
          {trace.content && <ProblemsNote content={trace.content} />}
        </>
      ),
    },
    {
      id: "breaks",
      short: "Graph breaks",
      title: "Graph breaks",
      when: has("trace") || has("dynamo_counters"),
      note: trace.file && (
        <>
          A region within a region ran behind a break; trace of <From artifact={trace.file} />.
        </>
      ),
      render: () => <Breaks trace={trace} hasTrace={has("trace")} dumped={profile.dumped} />,
    },
    {
      id: "compile",
      short: "Compile time",
      title: "Compile time",
      when: compiling !== null || has("compile_times"),
      note: compiling && (
        <>
          By the trace of <From artifact={compiling.file} />
          {trace.file && trace.file.id !== compiling.file.id
            ? `; nothing was compiled in ${whichDump(trace.file)}`
            : ""}
          .
        </>
      ),
      render: () => <Compilation profile={profile} />,
    },
    {
      id: "compilations",
      short: "Compilations",
      title: "Compilations",
      when: has("torch_trace"),
      note: "What torch.compile compiled, by the log of TORCH_TRACE. Writing the log costs time: compile times without it are shorter.",
      render: () => (
        <>
          <CompilationLogs
            artifacts={dumps.now}
            repetition={dumps.repetition}
            trace={trace.file && trace.report ? { file: trace.file, report: trace.report } : null}
          />
          <CompilationsBetweenNights result={profile.result} />
        </>
      ),
    },
    {
      id: "operators",
      short: "Operators",
      title: "Operators",
      when: hasTable || trace.report !== null || trace.state === "waiting",
      note: hasTable
        ? "The profiler's table, with all of its columns. The profiler itself costs time."
        : trace.file && (
            <>
              From the trace of <From artifact={trace.file} />: no operator table was dumped.
            </>
          ),
      render: () => (
        <>
          {hasTable && <Operators artifacts={dumps.now} repetition={dumps.repetition} />}
          {trace.report ? <HostOperators report={trace.report} beside={hasTable} /> : !hasTable && <Waiting rows={8} />}
        </>
      ),
    },
    {
      id: "device",
      short: "Device",
      title: "Kernels and device",
      when: has("trace"),
      note: trace.file && trace.report && ranOnDevice(trace.report) && (
        <>
          By the trace of <From artifact={trace.file} />.
        </>
      ),
      render: () => (
        <OfTrace trace={trace}>{(report) => <Device report={report} trace={trace.file?.trace_id ?? null} />}</OfTrace>
      ),
    },
    {
      id: "xla-operators",
      short: "XLA operators",
      title: "XLA operators",
      when: !!trace.report?.xla,
      note: trace.file && (
        <>
          By the XPlane profile of <From artifact={trace.file} />. Runs under the profiler are no benchmarks.
        </>
      ),
      render: () => (
        <OfTrace trace={trace}>
          {(report) => report.xla && <XlaOperators xla={report.xla} trace={trace.file?.trace_id ?? null} />}
        </OfTrace>
      ),
    },
    {
      id: "memory",
      short: "Memory",
      title: "Memory",
      when: trace.report !== null && memoryOf(trace.report) !== null,
      note: trace.file && (
        <>
          Of allocators while the profiler ran, by the trace of <From artifact={trace.file} />: peaks within the
          profile, not of the whole process.
        </>
      ),
      render: () => (
        <OfTrace trace={trace}>{(report) => <Memory report={report} trace={trace.file?.trace_id ?? null} />}</OfTrace>
      ),
    },
    {
      id: "counters",
      short: "Counters",
      title: "Counters",
      when: has("dynamo_counters"),
      note:
        dumps.counters.length > MOST_COLUMNS
          ? `TorchDynamo's, of the first ${MOST_COLUMNS} of ${count(dumps.counters.length)} repetitions.`
          : "TorchDynamo's, repetition beside repetition.",
      render: () =>
        counters.error && !counters.data ? (
          <ErrorNote error={counters.error} again={counters.again} />
        ) : counters.data ? (
          <Counters contents={counters.data} />
        ) : (
          <Waiting rows={4} />
        ),
    },
    {
      id: "xla",
      short: "XLA metrics",
      title: "XLA metrics",
      when: has("xla_metrics"),
      note: metrics && (
        <>
          PyTorch/XLA's report of <From artifact={metrics} />.
        </>
      ),
      render: () => <Metrics file={metrics} />,
    },
    {
      id: "ir",
      short: "IR",
      title: "IR",
      when: has("ir") || profiles.length > 0,
      note: "The graphs that XLA compiled.",
      render: () => (
        <>
          {has("ir") && <IrDumps artifacts={dumps.now} repetition={dumps.repetition} />}
          {profiles.map((one) => (
            <div key={one.id}>
              <p class="note">
                HLO that the profile <From artifact={one} /> holds.
              </p>
              <HloModules trace={one.trace_id as number} />
            </div>
          ))}
        </>
      ),
    },
    {
      id: "files",
      short: "Files",
      title: "Files",
      when: all.length > 0,
      note:
        all.length > dumps.now.length
          ? `${plural(all.length - dumps.now.length, "file")} of them superseded by later ones of the same name.`
          : undefined,
      render: () => (
        <>
          <Files artifacts={all} />
          {artifacts.next_cursor && (
            <p class="quiet note">
              The newest {count(all.length)} of {count(artifacts.total)};{" "}
              <a href={href("/artifacts", { run: String(profile.result.run.id) })}>all of the run</a>.
            </p>
          )}
        </>
      ),
    },
  ];
}

function OfPhases({ phases }: { phases: Profile["phases"] }) {
  const { data, error, again } = phases;
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={5} />;
  return (
    <>
      {error && <ErrorNote error={error} again={again} kept />}
      <Phases answer={data} />
    </>
  );
}

/** What a trace tells once it is here; why it tells nothing where it does not. */
function OfTrace({ trace, children }: { trace: TraceState; children: (report: TraceReport) => ComponentChildren }) {
  if (trace.report) return <>{children(trace.report)}</>;
  if (trace.state === "failed") return <ErrorNote error={trace.error} again={trace.again} />;
  if (trace.state === "waiting") return <Waiting rows={4} />;
  return (
    <p class="quiet">
      {trace.file
        ? `The trace holds no report${trace.file.unreadable ? `: ${trace.file.unreadable}` : ""}.`
        : "No trace of this result could be read; see Files."}
    </p>
  );
}

function Breaks({ trace, hasTrace, dumped }: { trace: TraceState; hasTrace: boolean; dumped: Profile["dumped"] }) {
  if (trace.state === "waiting") return <Waiting rows={4} />;
  const { report } = trace;
  return (
    <>
      {hasTrace && <OfTrace trace={trace}>{() => null}</OfTrace>}
      <GraphBreaks report={report} hasTrace={hasTrace} dynamo={dumped.data?.dynamo ?? null} />
      {dumped.error && <NotKnown what="Dynamo's reasons" error={dumped.error} again={dumped.again} />}
      {dumped.data && dumped.data.left_out > 0 && (
        <p class="quiet note">
          Dynamo's reasons are of {plural(dumped.data.dump_count, "counter dump")}; {count(dumped.data.left_out)} more
          are too long to be read with them.
        </p>
      )}
      {report && <Recompilations report={report} />}
      {report && <CompiledFunctions report={report} />}
    </>
  );
}

function Compilation({ profile }: { profile: Profile }) {
  const { compiling, functions } = profile;
  return (
    <>
      {functions.error && (
        <NotKnown what="the seconds of the compiler's functions" error={functions.error} again={functions.again} />
      )}
      <CompileTime
        report={compiling?.report ?? null}
        functions={(functions.data ?? []).flatMap((one) =>
          one.compile_times ? [{ dump: whichDump(one.artifact), rows: one.compile_times }] : [],
        )}
      />
    </>
  );
}

/** `beside`: there is an operator table as well, which tells most of it. */
function HostOperators({ report, beside }: { report: TraceReport; beside: boolean }) {
  const [query] = useQuery();
  if (!beside) return <TraceOperators report={report} />;
  return (
    <details class="nested" open={!!query.get("slice") || !!query.get("ts")}>
      <summary>
        The same from the trace{" "}
        <span class="quiet">
          all that the host did, with exact times: compiling, the runtime's calls, annotations too
        </span>
      </summary>
      <TraceOperators report={report} />
    </details>
  );
}

function Metrics({ file }: { file: Artifact | undefined }) {
  if (!file) return <p class="quiet">No report of this result could be read; see Files.</p>;
  return (
    <WithContent artifact={file} key={file.id}>
      {(content) =>
        content.xla_metrics ? (
          <XlaReport report={content.xla_metrics} />
        ) : (
          <p class="quiet">The report holds nothing.</p>
        )
      }
    </WithContent>
  );
}

/** What else was looked for: a flag that is not there may be good news, or not to be known. */
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
