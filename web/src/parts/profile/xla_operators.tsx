// Operators of XLA, of an XPlane profile: by themselves, by category, framework operator and module; iterations.
import { useMemo } from "preact/hooks";
import type { XlaDevice, XlaProfile, XlaRow } from "../../api/trace";
import { address } from "../../api/address";
import { PER_PAGE } from "../../api/pages";
import { count, digits, full, plural } from "../../lib/format";
import { FOUND_BY } from "../../lib/iteration_parts";
import { nanoseconds, percent, unitOfNs } from "../../lib/profile";
import { useQuery } from "../../lib/route";
import { matches } from "../../lib/sort";
import { Choice, CsvLink, FilterField, Select } from "../controls";
import { Missing, Num } from "../small";
import { type Column, Table } from "../table";
import { IterationsCsv, Name, ShareBar } from "./bits";
import { XlaKernels } from "./xla_kernels";

const PS_PER_NS = 1000;

const GROUPS = {
  operators: { by: "operator", title: "Operator", text: "Operator", none: "no operator", key: "name" },
  categories: { by: "category", title: "HLO category", text: "Category", none: "no category", key: "category" },
  framework_ops: {
    by: "framework_op",
    title: "Framework operator",
    text: "Framework",
    none: "no framework operator",
    key: "framework_op",
  },
  modules: { by: "module", title: "Module", text: "Module", none: "no module", key: "module" },
} as const;
type Group = keyof typeof GROUPS;
const isGroup = (text: string): text is Group => Object.keys(GROUPS).includes(text);

const RESOURCES: Record<string, string> = {
  compute: "compute",
  hbm: "main memory",
  cmem_read: "reading CMEM",
  cmem_write: "writing CMEM",
  vmem_read: "reading VMEM",
  vmem_write: "writing VMEM",
};

/** How long an iteration is, and how that is known. */
function Iterations({ found, trace }: { found: XlaProfile["iterations"]; trace: number | null }) {
  if (found.found_by === "nothing")
    return (
      <p class="quiet">
        Iterations are unknown: the profile holds no annotated steps, no step marks of PyTorch/XLA, and no runs of
        modules.
      </p>
    );
  const how = (
    <>
      by {FOUND_BY[found.found_by]}
      {found.found_by === "module_runs" &&
        ", each from one run's beginning to the next one's: nothing in the profile marks steps"}
      {found.name !== null && (
        <>
          {" "}
          (<span class="mono">{found.name}</span>
          {found.where !== null && `, ${found.where}`})
        </>
      )}
    </>
  );
  if (found.count === 0 || found.mean_ns === null)
    return (
      <p>
        No whole iteration lies in the profile's window: there {found.marks === 1 ? "is" : "are"}{" "}
        {plural(found.marks, "mark")}, {how}.
      </p>
    );
  return (
    <>
      <p>
        {plural(found.count, "iteration")}, found {how}: {nanoseconds(found.mean_ns)} on average,{" "}
        {nanoseconds(found.min_ns ?? 0)} to {nanoseconds(found.max_ns ?? 0)}
        {found.device_busy_ns !== null &&
          found.total_ns > 0 &&
          `; a device was busy for ${percent(found.device_busy_ns / found.total_ns)} of that time`}
        {found.device_busy_ns === null &&
          "; how long a device was busy is unknown: the profile holds nothing that one did"}
        .
      </p>
      {trace !== null && <IterationsCsv trace={trace} />}
    </>
  );
}

const rate = (value: number | null, factor: number) =>
  value === null ? (
    <Missing why="the file does not say the cost" />
  ) : (
    <Num value={value} factor={factor} title={full(value)} />
  );

function columnsOf(group: Group, rows: XlaRow[], isGpu: boolean): Column<XlaRow>[] {
  const { key, title, none } = GROUPS[group];
  const ns = (pick: (row: XlaRow) => number) => unitOfNs(rows.map((row) => pick(row) / PS_PER_NS));
  const time = (id: string, words: string, hint: string, pick: (row: XlaRow) => number): Column<XlaRow> => {
    const unit = ns(pick);
    return {
      key: id,
      title: `${words} ${unit.name}`,
      hint,
      width: 104,
      align: "right",
      first: "desc",
      sort: pick,
      cell: (row) => <Num value={pick(row)} factor={unit.factor / PS_PER_NS} title={`${full(pick(row))} ps`} />,
    };
  };
  const name = (row: XlaRow) => row[key] ?? null;
  const columns: Column<XlaRow>[] = [
    {
      key: "name",
      title,
      width: 260,
      sort: name,
      cell: (row) => (name(row) === null ? <span class="quiet">{none}</span> : <Name text={name(row) ?? ""} />),
    },
    {
      key: "share",
      title: "share %",
      hint: "Self time in the device's span, from its first beginning to its last end: idle time is in it",
      width: 140,
      align: "right",
      first: "desc",
      sort: (row) => row.share_of_span,
      cell: (row) => (
        <span
          class="with-bar"
          title={`${full(row.share_of_span * 100)} % of the span, ${full(row.share_of_self * 100)} % of all operators`}
        >
          <ShareBar share={row.share_of_span} width={56} />
          <Num value={row.share_of_span * 100} />
        </span>
      ),
    },
    time("self", "self", "Without the operators right within it", (row) => row.self_ps),
  ];
  if (group === "operators")
    columns.push(time("time", "time", "With the operators within it", (row) => row.time_ps ?? row.self_ps));
  columns.push({
    key: "occurrences",
    title: "executions",
    width: 100,
    align: "right",
    first: "desc",
    sort: (row) => row.occurrences,
    cell: (row) =>
      row.occurrences === null ? (
        <Missing why="the kernels belong to no operator" />
      ) : (
        <span class="num">{count(row.occurrences)}</span>
      ),
  });
  if (isGpu)
    columns.push({
      key: "kernels",
      title: "kernels",
      hint: "Kernels, copies and sets: one execution may launch several",
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row.kernels,
      cell: (row) => <span class="num">{count(row.kernels)}</span>,
    });
  if (group === "modules")
    columns.push({
      key: "runs",
      title: "runs",
      width: 84,
      align: "right",
      first: "desc",
      sort: (row) => row.runs ?? null,
      cell: (row) =>
        row.runs == null ? <Missing why="the file says no runs of it" /> : <span class="num">{count(row.runs)}</span>,
    });
  columns.push(
    {
      key: "flops",
      title: "TFLOP/s",
      hint: "Floating-point operations, as the file says them, over the time",
      width: 92,
      align: "right",
      first: "desc",
      sort: (row) => row.flops_per_s,
      cell: (row) => rate(row.flops_per_s, 1e-12),
    },
    {
      key: "bytes",
      title: "GB/s",
      hint: "Bytes read and written, as the file says them, over the time; 10⁹ bytes",
      width: 92,
      align: "right",
      first: "desc",
      sort: (row) => row.bytes_per_s,
      cell: (row) => rate(row.bytes_per_s, 1e-9),
    },
    {
      key: "bound",
      title: "bound by",
      hint: "What of the device is used most, and how much of its peak, by the peaks that the file says",
      width: 150,
      sort: (row) => row.bound_by,
      cell: (row) =>
        row.bound_by === null || row.utilization === null ? (
          <Missing why="the file says no peaks of the device, or not the cost" flush />
        ) : (
          `${RESOURCES[row.bound_by] ?? row.bound_by} ${percent(row.utilization)}`
        ),
    },
  );
  if (group === "operators")
    columns.push(
      {
        key: "category",
        title: "category",
        width: 130,
        sort: (row) => row.category ?? null,
        cell: (row) =>
          row.category ? <span class="clip">{row.category}</span> : <Missing why="the file does not say it" flush />,
      },
      {
        key: "module",
        title: "module",
        width: 150,
        sort: (row) => row.module ?? null,
        cell: (row) =>
          row.module ? (
            <Name text={row.module} title={`${row.module}${row.program ? ` (${row.program})` : ""}`} />
          ) : (
            <Missing why="the file does not say it" flush />
          ),
      },
      {
        key: "framework",
        title: "framework operator",
        width: 220,
        sort: (row) => row.framework_op ?? null,
        cell: (row) =>
          row.framework_op ? (
            <Name text={row.framework_op} />
          ) : (
            <Missing why="the file does not say it: PyTorch/XLA writes it with XLA_HLO_DEBUG=1" flush />
          ),
      },
      {
        key: "source",
        title: "source",
        width: 220,
        sort: (row) => row.source ?? null,
        cell: (row) =>
          row.source ? (
            <Name text={row.source} />
          ) : (
            <Missing why="the file does not say it: PyTorch/XLA writes it with XLA_HLO_DEBUG=1" flush />
          ),
      },
    );
  return columns;
}

function DeviceTable({ device, group, trace }: { device: XlaDevice; group: Group; trace: number | null }) {
  const [query, setQuery] = useQuery();
  const filter = query.get("xop") ?? "";
  const all = device[group] ?? [];
  const { by, key, text } = GROUPS[group];
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          !filter ||
          matches(filter, [row.name, row.category, row.framework_op, row.module, row.source].filter(Boolean).join(" ")),
      ),
    [all, filter],
  );
  const leftOut = device[`${group}_left_out`] ?? 0;
  return (
    <>
      <div class="toolbar">
        <FilterField
          value={filter}
          onChange={(value) => setQuery({ xop: value || null }, true)}
          shown={rows.length}
          all={all.length}
          what="rows"
          label="Filter the operators"
        />
        {trace !== null && (
          <CsvLink
            href={address("/traces/{id}/operators", {
              id: trace,
              by,
              device: device.name,
              limit: PER_PAGE,
              format: "csv",
            })}
            name={`xla-${by}.csv`}
            list
          />
        )}
      </div>
      <Table
        caption={`XLA operators of ${device.name} by ${text.toLowerCase()}`}
        columns={columnsOf(group, all, device.kind === "gpu")}
        rows={rows}
        rowKey={(row) =>
          `${row[key] ?? ""} ${row.module ?? ""} ${row.program ?? ""} ${row.category ?? ""} ${row.self_ps}`
        }
        sortKey="xo"
        orderWords="the longest self time first"
        empty="No row matches."
      />
      {leftOut > 0 && <p class="quiet note">and {plural(leftOut, "more row")}, which the CSV has</p>}
    </>
  );
}

export function XlaOperators({ xla, trace }: { xla: XlaProfile; trace: number | null }) {
  const [query, setQuery] = useQuery();
  const devices = xla.devices.filter((one) => one.operators);
  const device = devices.find((one) => one.name === query.get("xdev")) ?? devices[0];
  const asked = query.get("xby") ?? "operators";
  const group: Group = isGroup(asked) ? asked : "operators";
  const { linked, without_launch, launches_without_run } = xla.module_runs;
  const lost = xla.left_out
    ? [
        xla.left_out.kernels > 0 && plural(xla.left_out.kernels, "kernel"),
        xla.left_out.module_runs > 0 && plural(xla.left_out.module_runs, "run") + " of modules",
        xla.left_out.steps > 0 && plural(xla.left_out.steps, "annotated step"),
      ].filter(Boolean)
    : [];
  return (
    <>
      <Iterations found={xla.iterations} trace={trace} />
      {device ? (
        <>
          <div class="toolbar">
            {devices.length > 1 && (
              <Select
                label="Device"
                value={device.name}
                options={devices.map((one) => ({ value: one.name, text: one.name }))}
                onChange={(value) => setQuery({ xdev: value }, true)}
              />
            )}
            <Choice
              label="By"
              value={group}
              options={Object.entries(GROUPS).map(([value, { text }]) => ({ value, text }))}
              onChange={(value) => setQuery({ xby: value === "operators" ? null : value }, true)}
            />
          </div>
          <p class="quiet note">
            <span class="mono">{device.name}</span> was busy for {nanoseconds(device.busy_ps / PS_PER_NS)} of{" "}
            {nanoseconds(device.span_ps / PS_PER_NS)}
            {device.span_ps > 0 && ` (${percent(device.busy_ps / device.span_ps)})`}; shares are of this span, idle time
            included{device.kind === "gpu" && ", and together more than all of it where several streams work at once"}.
            {device.peaks.flops_per_s !== null && ` Peak ${digits(device.peaks.flops_per_s / 1e12)} TFLOP/s.`}
            {device.peaks.hbm_bytes_per_s !== null &&
              ` Main memory ${digits(device.peaks.hbm_bytes_per_s / 1e9)} GB/s.`}
            {device.events_left_out > 0 && ` ${plural(device.events_left_out, "event")} in no row.`}
          </p>
          <DeviceTable device={device} group={group} trace={trace} key={`${device.name} ${group}`} />
          <XlaKernels device={device} trace={trace} key={`kernels ${device.name}`} />
        </>
      ) : (
        <p class="quiet">The profile holds no operators of XLA and no kernels.</p>
      )}
      {linked + without_launch + launches_without_run > 0 && (
        <p class="quiet note">
          {plural(linked, "run")} of modules lead back to their launches; {count(without_launch)} have none in the
          profile, {plural(launches_without_run, "launch", "launches")} no run.
        </p>
      )}
      {lost.length > 0 && <p class="quiet note">Beyond what is kept, and in none of this: {lost.join(", ")}.</p>}
    </>
  );
}
