// What ran on devices: how busy they were, why they waited, what launching cost, and which kernels it was.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type {
  CopyRow,
  KernelRow,
  LaunchQueue,
  LaunchRow,
  Quantiles,
  TraceOperator,
  TraceReport,
} from "../../api/trace";
import { count, digits, full, plural } from "../../lib/format";
import { amount, nanoseconds, percent, unitOfNs } from "../../lib/profile";
import { useQuery } from "../../lib/route";
import { matches } from "../../lib/sort";
import { FilterField } from "../controls";
import { Missing, Num } from "../small";
import { type Column, Table } from "../table";
import { Amount, IterationsCsv, Name, ShareBar } from "./bits";

const CLASSES: Record<string, string> = {
  inductor_triton: "Inductor's Triton",
  user_triton: "other Triton",
  gemm: "matrix products",
  normalisation: "normalisation",
  copy: "copy kernels",
  communication: "communication",
  other: "other kernels",
  memcpy: "copies",
  memset: "sets",
};
const CLASS_HINTS: Record<string, string> = {
  inductor_triton: "Triton kernels that Inductor generated",
  user_triton: "Launched as Triton kernels are, by something else than Inductor: a candidate",
  gemm: "Products of matrices and vectors: cuBLAS, CUTLASS, hipBLASLt and the like",
  convolution: "Convolutions; on a TPU matrix products too, which XLA calls so",
  attention: "Attention as one kernel: FlashAttention and the like",
  normalisation: "Layer, batch and group norms, softmax",
  elementwise: "Element by element",
  reduction: "Sums, means, maxima",
  embedding: "Look-ups of rows",
  copy: "Kernels that only move data: copies, transpositions, changes of layout",
  communication: "Collectives and copies between devices: NCCL, RCCL, HCCL, oneCCL, NVSHMEM, custom all-reduces",
  other: "Kernels that no rule knows; rules of your own: --kernel-rules",
  memcpy: "Copies between host and device, or on the device",
  memset: "Filling memory",
};
const className = (name: string): string => CLASSES[name] ?? name.replace(/_/g, " ");

const PARTS: [string, string][] = [
  ["kernel", "kernels"],
  ["memcpy", "copies"],
  ["memset", "sets"],
  ["communication", "communication"],
  ["runtime", "the runtime's calls"],
  ["data_loader", "loading data"],
  ["cpu", "operators on the host"],
  ["other", "nothing of these"],
];

/** Null: it cannot be told. */
export const ranOnDevice = (report: TraceReport): boolean | null =>
  report.kernels === null ? null : report.kernels.total.count > 0;

/** What nobody can tell, and why. */
export function CannotTell({ what, why }: { what: string; why: string }) {
  return (
    <p class="quiet">
      {what} cannot be told. {why}
    </p>
  );
}

const allWaits = (idle: TraceReport["idle_ns"]): number =>
  (idle.host_wait ?? 0) + (idle.kernel_wait ?? 0) + (idle.other ?? 0) + (idle.unknown ?? 0);

export function deviceSentence(report: TraceReport): string {
  const { device, idle_ns } = report;
  const busy =
    device.utilization === null || device.span_ns === null
      ? ""
      : ` for ${percent(device.utilization)} of the ${nanoseconds(device.span_ns)} from its first to its last work`;
  const steps =
    device.utilization_of_steps === null ? "" : `, ${percent(device.utilization_of_steps)} of the annotated steps`;
  const waits = allWaits(idle_ns);
  const forHost =
    idle_ns.host_wait === null
      ? "for what cannot be told"
      : `${percent(idle_ns.host_wait / waits)} of that for the host`;
  const host = waits > 0 ? ` Its streams waited ${nanoseconds(waits)}, ${forHost}.` : "";
  const { devices, span_ns, least_busy_ns, most_busy_ns } = device;
  if (!devices || devices < 2 || !span_ns) return `The device was busy${busy}${steps}.${host}`;
  const each = `, each by itself for ${percent((least_busy_ns ?? 0) / span_ns)} to ${percent((most_busy_ns ?? 0) / span_ns)} of them`;
  return `Of ${count(devices)} devices at least one was busy${busy.replace("its first to its last", "the first to the last")}${each}${steps}.${host.replace("Its", "Their")}`;
}

/** A row of parts of a whole: words, bar, amount, share. */
function Parts({
  caption,
  rows,
  whole,
  of,
}: {
  caption: string;
  rows: { key: string; words: ComponentChildren; hint?: string; value: number }[];
  whole: number;
  of: string;
}) {
  return (
    <table class="plain parts">
      <caption class="sr">{caption}</caption>
      <thead class="sr">
        <tr>
          <th scope="col">what</th>
          <th scope="col">drawn</th>
          <th scope="col">time</th>
          <th scope="col">share {of}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" title={row.hint}>
              {row.words}
            </th>
            <td>
              <ShareBar share={whole > 0 ? row.value / whole : 0} />
            </td>
            <td class="right">
              <Amount value={row.value} unit="ns" />
            </td>
            <td class="right quiet">{whole > 0 ? percent(row.value / whole) : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Quantile({ words, hint, value }: { words: string; hint: string; value: Quantiles | null }) {
  if (!value) return null;
  return (
    <tr>
      <th scope="row" title={hint}>
        {words}
      </th>
      {[value.p50, value.p90, value.max].map((one, index) => (
        <td class="right" key={index}>
          <Amount value={one} unit="ns" />
        </td>
      ))}
    </tr>
  );
}

/** What launching costs. */
function Launching({ launches }: { launches: NonNullable<TraceReport["launches"]> }) {
  return (
    <>
      <h3>
        Launching{" "}
        <span class="quiet note">
          {plural(launches.calls, "call")} launched {count(launches.launched)}
        </span>
      </h3>
      <table class="plain parts">
        <caption class="sr">What launching costs</caption>
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col" class="right">
              median
            </th>
            <th scope="col" class="right">
              90 %
            </th>
            <th scope="col" class="right">
              most
            </th>
          </tr>
        </thead>
        <tbody>
          <Quantile words="the call" hint="How long the host was in the runtime's call" value={launches.call_ns} />
          <Quantile
            words="wait until it ran"
            hint="From the end of the call to the beginning on the device"
            value={launches.delay_ns}
          />
          <Quantile words="ran" hint="On the device" value={launches.device_ns} />
        </tbody>
      </table>
      <ul class="note">
        {Object.entries(launches.by_call).length > 0 && (
          <li class="wrap">
            By{" "}
            {Object.entries(launches.by_call).map(([name, n], index) => (
              <>
                {index > 0 && ", "}
                <span class="mono">{name}</span> {count(n)}
              </>
            ))}
            .
          </li>
        )}
        {launches.from_graphs > 0 && <li>{count(launches.from_graphs)} came out of CUDA or HIP graphs.</li>}
        {launches.longer_than_launched > 0 && (
          <li>{plural(launches.longer_than_launched, "call")} took longer than what was launched.</li>
        )}
        {launches.long_calls > 0 && <li>{plural(launches.long_calls, "call")} took more than 50 µs.</li>}
        {launches.long_delays > 0 && <li>{count(launches.long_delays)} waited more than 100 µs.</li>}
        {launches.without_call > 0 && (
          <li class="quiet">Of {count(launches.without_call)} the call is not in the trace.</li>
        )}
      </ul>
    </>
  );
}

export function Device({ report, trace }: { report: TraceReport; trace: number | null }) {
  const { idle_ns, device_breakdown: breakdown, kernels, launches, steps, kernel_classes, cannot_tell } = report;
  if (cannot_tell.device !== null || kernels === null || breakdown === null || kernel_classes === null)
    return <CannotTell what="What ran on devices" why={cannot_tell.device ?? ""} />;
  if (kernels.total.count === 0) {
    const busy = report.host_busy_ns ?? 0;
    return (
      <>
        <p class="quiet">
          Nothing ran on a device in this trace: no kernel, no copy, no launch. The host was busy for{" "}
          {nanoseconds(busy)} of {nanoseconds(report.span_ns)}
          {report.span_ns > 0 ? ` (${percent(busy / report.span_ns)})` : ""}. That is how it is on a CPU; on an
          accelerator it means that the profiler did not record the device.
        </p>
        {steps.count > 0 && trace !== null && <IterationsCsv trace={trace} />}
      </>
    );
  }
  const waits = allWaits(idle_ns);
  const classes = Object.entries(kernel_classes).flatMap(([name, n]) => (n ? [{ name, n }] : []));
  const most = Math.max(1, ...classes.map(({ n }) => n));
  return (
    <>
      <p class="lead">{deviceSentence(report)}</p>
      <div class="device-grid">
        <section aria-label="What it was busy with">
          <h3>
            What it was busy with <span class="quiet note">over all streams; may overlap</span>
          </h3>
          <Parts
            caption="What the device was busy with"
            whole={breakdown.span_ns}
            of="of the span"
            rows={[
              { key: "compute", words: "computing", value: breakdown.compute_ns },
              { key: "communication", words: "communicating", value: breakdown.communication_ns },
              { key: "memory", words: "copying and setting", value: breakdown.memory_ns },
              { key: "idle", words: "idle", value: breakdown.idle_ns },
            ]}
          />
          {breakdown.overlap_of_communication !== null && (
            <p class="quiet note">
              {percent(breakdown.overlap_of_communication)} of the communication was covered by computing.
            </p>
          )}
        </section>
        <section aria-label="Why streams waited">
          <h3>
            Why streams waited <span class="quiet note">added up over streams</span>
          </h3>
          <Parts
            caption="Why streams waited"
            whole={waits}
            of="of all waiting"
            rows={[
              {
                key: "host",
                words: "for the host",
                hint: "The launch began after the work before had ended",
                value: idle_ns.host_wait,
              },
              {
                key: "kernel",
                words: "from kernel to kernel",
                hint: "Gaps under 30 µs between work that had been launched in time",
                value: idle_ns.kernel_wait,
              },
              {
                key: "other",
                words: "for something else",
                hint: "Longer gaps though the launch was in time: events, other streams, memory",
                value: idle_ns.other,
              },
              {
                key: "unknown",
                words: "unknown",
                hint: "The launch is not in the trace, or of a runtime that is not known",
                value: idle_ns.unknown,
              },
            ].flatMap(({ value, ...row }) =>
              value === null || (row.key === "unknown" && value === 0) ? [] : [{ ...row, value }],
            )}
          />
        </section>
        <section aria-label="What ran, by kind">
          <h3>
            What ran <span class="quiet note">how often, by kind</span>
          </h3>
          <table class="plain parts">
            <caption class="sr">What ran on the device, by kind</caption>
            <tbody>
              {classes.map(({ name, n }) => (
                <tr key={name}>
                  <th scope="row" title={CLASS_HINTS[name]}>
                    {className(name)}
                  </th>
                  <td>
                    <ShareBar share={n / most} />
                  </td>
                  <td class="right">{count(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {kernels.short_kernels > 0 && (
            <p class="quiet note">
              {count(kernels.short_kernels)} of {plural(kernels.kernels, "kernel")} are shorter than 10 µs: launching
              the next one takes about as long.
            </p>
          )}
        </section>
        <section aria-label="Launching">
          {launches ? (
            <Launching launches={launches} />
          ) : (
            <CannotTell what="What launched it" why={cannot_tell.launches ?? ""} />
          )}
        </section>
      </div>
      {steps.count > 0 && steps.mean_parts_ns && (
        <section aria-label="Steps" class="sub">
          <h3>
            A step{" "}
            <span class="quiet note">
              the mean of {plural(steps.count, "annotated step")}, {nanoseconds(steps.duration_ns / steps.count)} each;
              a moment belongs to the first of these that happens then
            </span>
          </h3>
          <Parts
            caption="Where the time of steps went"
            whole={steps.duration_ns / steps.count}
            of="of a step"
            rows={Object.entries(steps.mean_parts_ns)
              .filter(([, value]) => value > 0)
              .map(([name, value]) => ({
                key: name,
                words: PARTS.find(([key]) => key === name)?.[1] ?? name.replace(/_/g, " "),
                value,
              }))}
          />
          {trace !== null && <IterationsCsv trace={trace} />}
        </section>
      )}
      <Kernels kernels={kernels} />
      {launches && <Launches rows={launches.by_name} leftOut={launches.names_left_out} />}
      <Queues queues={report.launch_queues ?? []} leftOut={report.launch_queues_left_out ?? 0} />
      <Copies rows={report.copies ?? []} leftOut={report.copies_left_out ?? 0} />
    </>
  );
}

function totalsColumns<
  Row extends { count: number; total_ns: number; mean_ns: number | null; min_ns: number | null; max_ns: number | null },
>(rows: Row[]): Column<Row>[] {
  const total = unitOfNs(rows.map((row) => row.total_ns));
  const each = unitOfNs(rows.map((row) => row.mean_ns ?? NaN));
  const value = (pick: (row: Row) => number | null) => (row: Row) => {
    const found = pick(row);
    return found === null ? (
      <Missing why="there was none" />
    ) : (
      <Num value={found} factor={each.factor} title={`${full(found)} ns`} />
    );
  };
  return [
    {
      key: "count",
      title: "count",
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row.count,
      cell: (row) => <span class="num">{count(row.count)}</span>,
    },
    {
      key: "total",
      title: `total ${total.name}`,
      width: 100,
      align: "right",
      first: "desc",
      sort: (row) => row.total_ns,
      cell: (row) => <Num value={row.total_ns} factor={total.factor} title={`${full(row.total_ns)} ns`} />,
    },
    {
      key: "mean",
      title: `mean ${each.name}`,
      width: 100,
      align: "right",
      first: "desc",
      sort: (row) => row.mean_ns,
      cell: value((row) => row.mean_ns),
    },
    {
      key: "min",
      title: `min ${each.name}`,
      width: 96,
      align: "right",
      first: "desc",
      sort: (row) => row.min_ns,
      cell: value((row) => row.min_ns),
    },
    {
      key: "max",
      title: `max ${each.name}`,
      width: 96,
      align: "right",
      first: "desc",
      sort: (row) => row.max_ns,
      cell: value((row) => row.max_ns),
    },
  ];
}

const shareColumn = <Row extends { share: number | null }>(hint: string): Column<Row> => ({
  key: "share",
  title: "share %",
  hint,
  width: 150,
  align: "right",
  first: "desc",
  sort: (row) => row.share,
  cell: ({ share }) =>
    share === null ? (
      <Missing why="only contains other slices" />
    ) : (
      <span class="with-bar" title={`${full(share * 100)} %`}>
        <ShareBar share={share} width={56} />
        <Num value={share * 100} title={`${full(share * 100)} %`} />
      </span>
    ),
});

function Kernels({ kernels }: { kernels: NonNullable<TraceReport["kernels"]> }) {
  const [query, setQuery] = useQuery();
  const filter = query.get("kernel") ?? "";
  const { by_name, names_left_out, left_out, by_operator, operators_left_out } = kernels;
  const rows = useMemo(
    () => by_name.filter((row) => !filter || matches(filter, `${row.name} ${className(row.class)}`)),
    [by_name, filter],
  );
  const columns: Column<KernelRow>[] = [
    { key: "name", title: "Kernel", width: 360, sort: (row) => row.name, cell: (row) => <Name text={row.name} /> },
    {
      key: "class",
      title: "kind",
      width: 132,
      sort: (row) => row.class,
      cell: (row) => <span title={CLASS_HINTS[row.class]}>{className(row.class)}</span>,
    },
    shareColumn("Of the time of all that ran on devices, which may run at once: all shares add up to 100 %"),
    ...totalsColumns(by_name),
  ];
  const operatorColumns: Column<(typeof by_operator)[number]>[] = [
    {
      key: "name",
      title: "Operator that launched it",
      width: 360,
      sort: (row) => row.name,
      cell: (row) => (row.name === null ? <span class="quiet">nothing says which</span> : <Name text={row.name} />),
    },
    shareColumn("Of the time of all that ran on devices"),
    ...totalsColumns(by_operator),
  ];
  return (
    <>
      <section class="sub" aria-label="Kernels">
        <h3>Kernels, copies and sets</h3>
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ kernel: value || null }, true)}
            shown={rows.length}
            all={by_name.length}
            what="names"
          />
        </div>
        <Table
          caption="Kernels"
          columns={columns}
          rows={rows}
          rowKey={(row) => `${row.class} ${row.name}`}
          sortKey="ks"
          orderWords="the longest together first"
          empty="No kernel matches."
        />
        {names_left_out > 0 && (
          <p class="quiet note">
            and {plural(names_left_out, "more name")}: {count(left_out.count)} that took{" "}
            {nanoseconds(left_out.total_ns)} together
          </p>
        )}
      </section>
      {by_operator.length > 0 && (
        <details class="nested">
          <summary>
            By the operator that launched them{" "}
            <span class="quiet">{plural(by_operator.length + operators_left_out, "operator")}</span>
          </summary>
          <Table
            caption="Device time by operator"
            columns={operatorColumns}
            rows={by_operator}
            rowKey={(row) => row.name ?? ""}
            sortKey="ko"
            orderWords="the longest together first"
          />
        </details>
      )}
    </>
  );
}

function Launches({ rows, leftOut }: { rows: LaunchRow[]; leftOut: number }) {
  if (!rows.length) return null;
  const unit = (pick: (row: LaunchRow) => number | null) => unitOfNs(rows.map((row) => pick(row) ?? NaN));
  const mean = (
    key: string,
    title: string,
    hint: string,
    pick: (row: LaunchRow) => number | null,
  ): Column<LaunchRow> => {
    const { name, factor } = unit(pick);
    return {
      key,
      title: `${title} ${name}`,
      hint,
      width: 130,
      align: "right",
      first: "desc",
      sort: pick,
      cell: (row) => {
        const value = pick(row);
        return value === null ? (
          <Missing why="there was none" />
        ) : (
          <Num value={value} factor={factor} title={`${full(value)} ns`} />
        );
      },
    };
  };
  const columns: Column<LaunchRow>[] = [
    { key: "name", title: "Launched", width: 360, sort: (row) => row.name, cell: (row) => <Name text={row.name} /> },
    {
      key: "count",
      title: "count",
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row.count,
      cell: (row) => <span class="num">{count(row.count)}</span>,
    },
    mean("call", "mean call", "The host in the runtime's call", (row) => row.call.mean_ns),
    mean("delay", "mean wait", "From the end of the call to the beginning on the device", (row) => row.delay.mean_ns),
    mean("device", "mean run", "On the device", (row) => row.device.mean_ns),
    {
      key: "long",
      title: "waits > 100 µs",
      width: 130,
      align: "right",
      first: "desc",
      sort: (row) => row.long_delays,
      cell: (row) => <span class="num">{count(row.long_delays)}</span>,
    },
  ];
  return (
    <details class="nested">
      <summary>
        Launches by what was launched <span class="quiet">{plural(rows.length + leftOut, "name")}</span>
      </summary>
      <Table
        caption="Launches"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
        sortKey="ls"
        orderWords="the most often launched first"
      />
      {leftOut > 0 && <p class="quiet note">and {plural(leftOut, "more name")}</p>}
    </details>
  );
}

function Queues({ queues, leftOut }: { queues: LaunchQueue[]; leftOut: number }) {
  if (!queues.length) return null;
  return (
    <details class="nested">
      <summary>
        How much was waiting in the queue of each stream{" "}
        <span class="quiet">{plural(queues.length + leftOut, "stream")}</span>
      </summary>
      <ul class="queues">
        {queues.map((queue, index) => (
          <li key={index}>
            <QueueSpark queue={queue} />
            <span>
              <span class="mono">{queue.name || `${queue.pid}/${queue.tid}`}</span>{" "}
              <span class="quiet">
                {plural(queue.launched, "launch", "launches")} in {nanoseconds(queue.span_ns)}; at most{" "}
                {count(queue.longest)} waiting, {digits(queue.mean)} on average
                {queue.full_ns > 0 ? `; full (1,024) for ${nanoseconds(queue.full_ns)}` : ""}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function QueueSpark({ queue }: { queue: LaunchQueue }) {
  const { longest_by_part: parts, longest } = queue;
  const width = 200;
  const step = parts.length ? width / parts.length : width;
  return (
    <svg
      class="queue"
      width={width}
      height="28"
      role="img"
      aria-label={`Longest queue over the trace: at most ${longest}`}
    >
      {parts.map((value, index) =>
        value > 0 ? (
          <rect
            key={index}
            x={index * step}
            width={Math.max(0.5, step)}
            y={28 - (value / Math.max(1, longest)) * 26}
            height={(value / Math.max(1, longest)) * 26}
          />
        ) : null,
      )}
      <line x1="0" y1="27.5" x2={width} y2="27.5" />
    </svg>
  );
}

function Copies({ rows, leftOut }: { rows: CopyRow[]; leftOut: number }) {
  if (!rows.length) return null;
  const rate = (value: number | null) =>
    value === null ? <Missing why="the trace does not say how much was copied" /> : <Num value={value} />;
  const columns: Column<CopyRow>[] = [
    {
      key: "name",
      title: "Copies and sets",
      width: 320,
      sort: (row) => row.name,
      cell: (row) => <Name text={row.name} />,
    },
    ...totalsColumns(rows),
    {
      key: "bytes",
      title: "bytes",
      width: 100,
      align: "right",
      first: "desc",
      sort: (row) => row.bytes,
      cell: (row) =>
        row.bytes === null ? (
          <Missing flush why="the trace does not say how much was copied" />
        ) : (
          <span class="num" title={`${full(row.bytes)} bytes`}>
            {amount(row.bytes, "bytes")}
          </span>
        ),
    },
    {
      key: "rate",
      title: "mean GB/s",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.mean_gb_per_s,
      cell: (row) => rate(row.mean_gb_per_s),
    },
    {
      key: "fastest",
      title: "most GB/s",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.max_gb_per_s,
      cell: (row) => rate(row.max_gb_per_s),
    },
  ];
  return (
    <details class="nested">
      <summary>
        How fast copies were <span class="quiet">{plural(rows.length + leftOut, "kind")}</span>
      </summary>
      <Table
        caption="Copies"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
        sortKey="cs"
        orderWords="the longest together first"
      />
    </details>
  );
}

/** The host's slices by name, where there is no operator table, or beside it. */
export function TraceOperators({ report }: { report: TraceReport }) {
  const [query, setQuery] = useQuery();
  const filter = query.get("slice") ?? "";
  const { by_name, names_left_out, left_out } = report.operators;
  const rows = useMemo(
    () => by_name.filter((row) => !filter || matches(filter, `${row.name} ${row.category}`)),
    [by_name, filter],
  );
  const total = unitOfNs(by_name.map((row) => row.total_ns));
  const self = unitOfNs(by_name.map((row) => row.self_ns));
  const deviceTimes = by_name.flatMap((row) => (row.device_ns ? [row.device_ns] : []));
  const onDevice = deviceTimes.length > 0;
  const device = unitOfNs(deviceTimes);
  const columns: Column<TraceOperator>[] = [
    { key: "name", title: "Name", width: 320, sort: (row) => row.name, cell: (row) => <Name text={row.name} /> },
    {
      key: "category",
      title: "category",
      width: 150,
      sort: (row) => row.category,
      cell: (row) => <span class="clip">{row.category}</span>,
    },
    shareColumn(
      "Its part of all self time of work on the host: all shares add up to 100 %; annotations and steps only contain other slices",
    ),
    {
      key: "self",
      title: `self ${self.name}`,
      hint: "Without what lies within",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.self_ns,
      cell: (row) => <Num value={row.self_ns} factor={self.factor} title={`${full(row.self_ns)} ns`} />,
    },
    {
      key: "total",
      title: `total ${total.name}`,
      hint: "With what lies within",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.total_ns,
      cell: (row) => <Num value={row.total_ns} factor={total.factor} title={`${full(row.total_ns)} ns`} />,
    },
    {
      key: "count",
      title: "count",
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row.count,
      cell: (row) => <span class="num">{count(row.count)}</span>,
    },
  ];
  if (onDevice)
    columns.push({
      key: "device",
      title: `device ${device.name}`,
      hint: "On devices, of what it launched",
      width: 112,
      align: "right",
      first: "desc",
      sort: (row) => row.device_ns,
      cell: (row) =>
        row.device_ns ? (
          <Num value={row.device_ns} factor={device.factor} title={`${full(row.device_ns)} ns`} />
        ) : (
          <Missing why="launched nothing on a device" />
        ),
    });
  return (
    <>
      {report.cannot_tell.device !== null && (
        <CannotTell what="Which of these ran on a device" why={report.cannot_tell.device} />
      )}
      <div class="toolbar">
        <FilterField
          value={filter}
          onChange={(value) => setQuery({ slice: value || null }, true)}
          shown={rows.length}
          all={by_name.length}
          what="names"
          label="Filter the names"
        />
      </div>
      <Table
        caption="What the host did, by name, from the trace"
        columns={columns}
        rows={rows}
        rowKey={(row) => `${row.category} ${row.name}`}
        sortKey="ts"
        orderWords="the longest self time first"
        empty="No name matches."
      />
      {names_left_out > 0 && (
        <p class="quiet note">
          and {plural(names_left_out, "more name")}: {plural(left_out.count, "slice")}, {nanoseconds(left_out.self_ns)}{" "}
          self time
        </p>
      )}
    </>
  );
}
