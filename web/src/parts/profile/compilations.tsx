// What torch.compile compiled, by a log of TORCH_TRACE: each compilation with its frame, its times, why it was restarted or failed, and what it put out.
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { address } from "../../api/address";
import { PER_PAGE, usePages } from "../../api/pages";
import type { TraceReport } from "../../api/trace";
import type { Artifact, Compilation, CompilationOutput, TorchTrace } from "../../api/types";
import {
  type RegionRuns,
  cacheWords,
  compilationsSentence,
  compileId,
  logName,
  nothingCompiled,
  occurrence,
  place,
  regionRuns,
  resumed,
  stackTree,
  stacksCsv,
  stacksOf,
} from "../../lib/compilations";
import { bytes, count, duration, full, plural, shown } from "../../lib/format";
import { isReadable, ofKind } from "../../lib/profile";
import { useQuery } from "../../lib/route";
import { CsvButton, More, Select } from "../controls";
import { PlainTable } from "../plain_table";
import { Copy, ErrorNote, Missing, Waiting } from "../small";
import { type Column, Table } from "../table";
import { Amount, From, Name, WithContent } from "./bits";
import { TextView, compilationTextUrl } from "./text";
import { Tree } from "./tree";

/** A trace of the same result, by which it is known how often what was compiled ran. */
export type TraceOfRuns = { file: Artifact; report: TraceReport };

export function CompilationLogs({
  artifacts,
  repetition,
  trace = null,
}: {
  artifacts: Artifact[];
  repetition: number | null;
  trace?: TraceOfRuns | null;
}) {
  const [query, setQuery] = useQuery();
  const files = ofKind(artifacts, "torch_trace").filter(isReadable);
  const asked = query.get("log");
  const chosen =
    files.find((one) => String(one.id) === asked) ?? files.find((one) => one.repetition === repetition) ?? files[0];
  if (!chosen) return <p class="quiet">No log of this result could be read; see Files.</p>;
  return (
    <>
      {files.length > 1 && (
        <div class="toolbar">
          <Select
            label="Log"
            value={String(chosen.id)}
            options={files.map((one) => ({ value: String(one.id), text: logName(one.name) }))}
            onChange={(value) => setQuery({ log: value, compilation: null })}
            wide
          />
        </div>
      )}
      {trace && files.length > 1 && (
        <p class="quiet note">
          Which of these logs the trace belongs to is not known, so it is not said how often the regions ran.
        </p>
      )}
      <WithContent artifact={chosen} key={chosen.id}>
        {(content) =>
          content.torch_trace ? (
            <CompilationLog artifact={chosen} log={content.torch_trace} trace={files.length === 1 ? trace : null} />
          ) : (
            <p class="quiet">Nothing of this log was kept.</p>
          )
        }
      </WithContent>
    </>
  );
}

export function CompilationLog({
  artifact,
  log,
  trace = null,
}: {
  artifact: Artifact;
  log: TorchTrace;
  trace?: TraceOfRuns | null;
}) {
  const [query, setQuery] = useQuery();
  const list = usePages(address("/artifacts/{id}/compilations", { id: artifact.id, limit: PER_PAGE }));
  const { data, error, again } = list;
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={6} />;
  const chosen = data.items.find((one) => String(one.ordinal) === query.get("compilation"));
  const open = (one: Compilation) => setQuery({ compilation: String(one.ordinal) });
  // Of a log that is not all there, an id may come again.
  const runs = data.total > data.items.length ? null : regionRuns(data.items, trace?.report.recompilation ?? null);
  return (
    <>
      <p class="lead">
        {data.total > 0 ? compilationsSentence(data.items, data.total) : nothingCompiled(artifact)}
        {log.rank !== null && ` Rank ${log.rank}.`}
      </p>
      {data.items.length > 0 && <CompilationTable items={data.items} onOpen={open} current={chosen} runs={runs} />}
      {trace && runs && (
        <p class="quiet note">
          How often each compiled region ran, and how long, is of the trace of <From artifact={trace.file} />: a
          repetition, not the whole run.
        </p>
      )}
      <More list={list} what="compilations" />
      {chosen ? (
        <CompilationDetail
          key={`${artifact.id} ${chosen.ordinal}`}
          artifact={artifact}
          one={chosen}
          onClose={() => setQuery({ compilation: null })}
        />
      ) : (
        data.items.length > 0 && (
          <p class="quiet note">Open a compilation for its stack, times, reasons, graphs and code.</p>
        )
      )}
      <StackTree items={data.items} total={data.total} onOpen={open} />
      <LogRecords artifact={artifact} log={log} />
    </>
  );
}

/** A number that the log may not say. */
function Maybe({ value }: { value: number | null }) {
  return value === null ? (
    <Missing flush why="the log does not say it" />
  ) : (
    <span class="num" title={full(value)}>
      {count(value)}
    </span>
  );
}

function Seconds({ value }: { value: number | null }) {
  return value === null ? (
    <Missing flush why="the log does not say it" />
  ) : (
    <span class="num" title={`${full(value)} s`}>
      {duration(value)}
    </span>
  );
}

function Frame({ one }: { one: Compilation }) {
  const behind = resumed(one.frame_name);
  const where = place(one.frame_file, one.frame_line);
  if (one.frame_name === null) return <Missing why="the log does not say it: the compilation did not end" />;
  if (behind)
    return <Name text={`${behind.name}, resumed at line ${behind.line}`} title={`${one.frame_name} (${where})`} />;
  return <Name text={one.frame_name} title={`${one.frame_name} (${where})`} />;
}

function Runs({ run, what }: { run: RegionRuns | undefined; what: "count" | "total_ns" }) {
  if (!run) return <Missing flush why="the trace does not say it" />;
  if ("unknown" in run) return <Missing flush why={run.unknown} />;
  const value = run.executed[what];
  return what === "count" ? <span class="num">{count(value)}</span> : <Amount value={value} unit="ns" />;
}

function CompilationTable({
  items,
  onOpen,
  current,
  runs,
}: {
  items: Compilation[];
  onOpen: (one: Compilation) => void;
  current: Compilation | undefined;
  runs: Map<string, RegionRuns> | null;
}) {
  const executed = (one: Compilation) => {
    const run = runs?.get(one.compile_id);
    return run && "executed" in run ? run.executed : null;
  };
  const ofRuns: Column<Compilation>[] = [
    {
      key: "runs",
      title: "ran",
      hint: "How often the compiled region ran in the trace",
      width: 68,
      align: "right",
      first: "desc",
      sort: (one) => executed(one)?.count ?? null,
      cell: (one) => <Runs run={runs?.get(one.compile_id)} what="count" />,
    },
    {
      key: "running",
      title: "running",
      hint: "How long it ran in the trace, with what lies in it",
      width: 92,
      align: "right",
      first: "desc",
      sort: (one) => executed(one)?.total_ns ?? null,
      cell: (one) => <Runs run={runs?.get(one.compile_id)} what="total_ns" />,
    },
  ];
  const columns: Column<Compilation>[] = [
    {
      key: "id",
      title: "Compile id",
      hint: "Frame / recompilation of it _ attempt; !A/ before it: compiled autograd",
      width: 108,
      sort: (one) => one.ordinal,
      cell: (one) => (
        <button type="button" class="link mono" onClick={() => onOpen(one)} title={occurrence(one) || undefined}>
          {compileId(one)}
          {one.occurrence > 1 ? ` (${one.occurrence})` : ""}
        </button>
      ),
    },
    { key: "frame", title: "frame", width: 260, sort: (one) => one.frame_name, cell: (one) => <Frame one={one} /> },
    {
      key: "seconds",
      title: "time",
      hint: "Of all attempts, without the backward graph",
      width: 92,
      align: "right",
      first: "desc",
      sort: (one) => one.seconds,
      cell: (one) => <Seconds value={one.seconds} />,
    },
    ...(runs ? ofRuns : []),
    {
      key: "restarts",
      title: "restarts",
      hint: "How often the analysis of the frame began again; a graph break is found so",
      width: 84,
      align: "right",
      first: "desc",
      sort: (one) => one.attempt,
      cell: (one) => <Maybe value={one.attempt} />,
    },
    {
      key: "breaks",
      title: "breaks",
      hint: "Graph breaks that the log has a reason of",
      width: 80,
      align: "right",
      first: "desc",
      sort: (one) => one.graph_breaks.length,
      cell: (one) =>
        one.graph_breaks.length ? (
          <Maybe value={one.graph_breaks.length} />
        ) : (
          <Missing flush why="the log has no reason of one; PyTorch writes them since 2.6" />
        ),
    },
    {
      key: "guards",
      title: "guards",
      width: 80,
      align: "right",
      first: "desc",
      sort: (one) => one.guard_count,
      cell: (one) => <Maybe value={one.guard_count} />,
    },
    {
      key: "ops",
      title: "operations",
      hint: "In the graph",
      width: 96,
      align: "right",
      first: "desc",
      sort: (one) => one.op_count,
      cell: (one) => <Maybe value={one.op_count} />,
    },
    {
      key: "caches",
      title: "caches",
      width: runs ? 180 : 230,
      sort: (one) => cacheWords(one.caches),
      cell: (one) => (
        <span class="clip" title={cacheWords(one.caches)}>
          {cacheWords(one.caches)}
        </span>
      ),
    },
    {
      key: "outcome",
      title: "outcome",
      width: runs ? 210 : 240,
      sort: (one) => one.fail_type,
      cell: (one) =>
        one.fail_type !== null ? (
          <span class="clip worse" title={one.fail_reason ?? undefined}>
            ✗ {one.fail_type}
          </span>
        ) : one.recompiles.length ? (
          <span class="clip" title={one.recompiles.join("\n")}>
            recompiled: {one.recompiles[0]}
          </span>
        ) : null,
    },
  ];
  return (
    <Table
      caption="Compilations"
      columns={columns}
      rows={items}
      rowKey={(one) => String(one.ordinal)}
      onOpen={onOpen}
      current={current ? String(current.ordinal) : null}
      sortKey="compilations"
      orderWords="as the log has them"
      empty="Nothing was compiled."
    />
  );
}

function Reasons({ title, reasons }: { title: string; reasons: readonly string[] }) {
  if (!reasons.length) return null;
  return (
    <section class="sub" aria-label={title}>
      <h3>{title}</h3>
      <ul class="reasons">
        {reasons.map((reason, index) => (
          <li key={index} class="reason mono log-text">
            {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function CompilationDetail({
  artifact,
  one,
  onClose,
}: {
  artifact: Artifact;
  one: Compilation;
  onClose: () => void;
}) {
  const where = place(one.frame_file, one.frame_line);
  const failed = place(one.fail_file, one.fail_line);
  return (
    <section class="panel" aria-label={`Compilation ${compileId(one)}`}>
      <div class="panel-head">
        <h3>
          <span class="mono">{compileId(one)}</span> {one.frame_name !== null && shown(one.frame_name)}{" "}
          <span class="quiet note">
            {occurrence(one) && `${occurrence(one)}, `}line {count(one.line)} of the log, {one.logged_at}
          </span>
        </h3>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
      {one.fail_type !== null && (
        <div class="warn">
          <strong>{one.fail_type}</strong>
          {failed && <> at {failed}</>}
          {one.fail_reason !== null && <pre class="log-text">{one.fail_reason}</pre>}
        </div>
      )}
      <dl class="facts">
        <dt>Frame</dt>
        <dd class="wrap">{where ? <Copy text={where}>{where}</Copy> : <Missing why="the log does not say it" />}</dd>
        <dt>Time</dt>
        <dd>
          <Seconds value={one.seconds} />
          {one.restart_seconds !== null && one.restart_seconds > 0 && (
            <span class="quiet">
              {" "}
              {one.attempt > 0
                ? `of which ${duration(one.restart_seconds)} before the last attempt`
                : `of which ${duration(one.restart_seconds)} until it failed`}
            </span>
          )}
        </dd>
        <dt>Graph</dt>
        <dd>
          <Maybe value={one.op_count} /> operations, <Maybe value={one.node_count} /> nodes,{" "}
          <Maybe value={one.input_count} /> inputs
        </dd>
        <dt>Guards</dt>
        <dd>
          <Maybe value={one.guard_count} />; guards on shapes: <Maybe value={one.shape_guard_count} />
        </dd>
        <dt>Compiled before</dt>
        <dd>
          {one.cache_size === null ? (
            <Missing flush why="the log does not say it" />
          ) : (
            plural(one.cache_size, "version")
          )}
        </dd>
        {one.caches.map((use, index) => (
          <Fragment key={index}>
            <dt>Cache {use.cache}</dt>
            <dd class="wrap">
              {use.outcome}
              {use.reason && <span class="quiet">: {use.reason}</span>}
            </dd>
          </Fragment>
        ))}
      </dl>
      <Reasons title="Why it was compiled again" reasons={one.recompiles} />
      <Reasons title="Graph breaks" reasons={one.graph_breaks} />
      <Reasons title="Why it was restarted" reasons={one.restarts} />
      <Phases phases={one.phases} />
      {one.stack.length > 0 && (
        <details class="nested" open={one.stack.length <= 12}>
          <summary>
            Who called the frame{" "}
            <span class="quiet">{plural(one.stack.length, "frame")} of Python, outermost first</span>
          </summary>
          <ol class="lines mono">
            {one.stack.map((frame, index) => (
              <li key={index} class="wrap">
                {frame.name ?? "?"} <span class="quiet">{place(frame.file, frame.line)}</span>
                {frame.code && <span>: {frame.code}</span>}
              </li>
            ))}
          </ol>
        </details>
      )}
      <Outputs artifact={artifact} title="Graphs, code and guards" outputs={one.outputs} total={one.output_count} />
    </section>
  );
}

function Phases({ phases }: { phases: Compilation["phases"] }) {
  if (!phases.length) return null;
  return (
    <section class="sub" aria-label="Time by phase">
      <h3>
        Time by phase <span class="quiet note">phases contain each other and do not add up</span>
      </h3>
      <PlainTable
        caption="Time by phase"
        heads={[{ title: "phase" }, { title: "time", right: true }, { title: "calls", right: true }, { title: "from" }]}
      >
        <tbody>
          {[...phases]
            .sort((a, b) => b.seconds - a.seconds)
            .map((phase, index) => (
              <tr key={index}>
                <th scope="row">
                  <Name text={phase.name} />
                </th>
                <td class="right">
                  <Seconds value={phase.seconds} />
                </td>
                <td class="right">
                  <Maybe value={phase.count} />
                </td>
                <td class="quiet">
                  {phase.source === "events" ? "begin and end events" : "compilation metrics"}
                  {phase.backward && ", backward graph"}
                </td>
              </tr>
            ))}
        </tbody>
      </PlainTable>
    </section>
  );
}

function Outputs({
  artifact,
  title,
  outputs,
  total,
}: {
  artifact: Artifact;
  title: string;
  outputs: readonly CompilationOutput[];
  total: number;
}) {
  const [opened, setOpened] = useState<number | null>(null);
  if (!outputs.length) return null;
  const chosen = outputs.find((one) => one.output === opened);
  return (
    <section class="sub" aria-label={title}>
      <h3>{title}</h3>
      <PlainTable
        caption={title}
        heads={[
          { title: "kind" },
          { title: "name" },
          { title: "attempt", right: true },
          { title: "size", right: true },
          { title: "" },
        ]}
      >
        <tbody>
          {outputs.map((one) => (
            <tr key={one.output}>
              <th scope="row" class="mono">
                {one.kind}
              </th>
              <td>{one.name && <Name text={one.name} />}</td>
              <td class="right">{count(one.attempt)}</td>
              <td class="right">{bytes(one.byte_count)}</td>
              <td>
                {one.has_text ? (
                  <button
                    type="button"
                    class="link"
                    aria-expanded={opened === one.output}
                    onClick={() => setOpened(opened === one.output ? null : one.output)}
                  >
                    {opened === one.output ? "hide" : "show"}
                  </button>
                ) : (
                  <span class="quiet">too long to be kept</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {total > outputs.length && (
        <p class="quiet note">
          The first {count(outputs.length)} of {count(total)}.
        </p>
      )}
      {chosen && (
        <TextView
          key={chosen.output}
          url={compilationTextUrl(artifact.id, chosen.output)}
          length={chosen.byte_count}
          label={`Text of ${chosen.kind} ${chosen.name}`}
        />
      )}
    </section>
  );
}

function StackTree({
  items,
  total,
  onOpen,
}: {
  items: readonly Compilation[];
  total: number;
  onOpen: (one: Compilation) => void;
}) {
  const nodes = useMemo(() => stackTree(items), [items]);
  if (!nodes.length) return null;
  const part = stacksOf(items.length, total);
  return (
    <details class="nested">
      <summary>
        Stacks that led to compilations{" "}
        <span class="quiet">{part && `${part}; `}chains of frames that lead to one frame are drawn together</span>
      </summary>
      <CsvButton
        name={part ? `compilation-stacks-first-${items.length}.csv` : "compilation-stacks.csv"}
        make={() => stacksCsv(items)}
      />
      <Tree
        caption="Stacks that led to compilations"
        head="frame"
        nodes={nodes}
        columns={[
          {
            title: "compilations",
            right: false,
            cell: (node) =>
              node.own.map((one) => (
                <button
                  key={one.ordinal}
                  type="button"
                  class={`link mono${one.fail_type !== null ? " worse" : ""}`}
                  title={one.fail_type ?? (one.recompiles[0] || one.restarts[0]) ?? undefined}
                  onClick={() => onOpen(one)}
                >
                  {compileId(one)}{" "}
                </button>
              )),
          },
          {
            title: "below",
            hint: "Compilations in this frame and in those that it called",
            cell: (node) => count(node.all),
          },
        ]}
      />
    </details>
  );
}

function LogRecords({ artifact, log }: { artifact: Artifact; log: TorchTrace }) {
  return (
    <details class="nested">
      <summary>
        Records of the log{" "}
        <span class="quiet">
          {plural(log.record_count, "record")} of {plural(log.kinds.length, "kind")}
          {log.damaged_payloads > 0 ? `, ${count(log.damaged_payloads)} damaged` : ""}
        </span>
      </summary>
      <PlainTable caption="Records by kind" heads={[{ title: "kind" }, { title: "records", right: true }]}>
        <tbody>
          {log.kinds.map((kind) => (
            <tr key={kind.name}>
              <th scope="row">
                <Name text={kind.name} />
              </th>
              <td class="right">{count(kind.count)}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      <Outputs artifact={artifact} title="Texts of no compile id" outputs={log.outputs} total={log.output_count} />
    </details>
  );
}
