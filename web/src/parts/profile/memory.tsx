// Memory by allocator: of XLA's by an XPlane profile, of PyTorch's by the `[memory]` events of a Chrome trace.
import { address } from "../../api/address";
import { PER_PAGE } from "../../api/pages";
import type { AllocatorRow, TraceReport } from "../../api/trace";
import { count, full, plural } from "../../lib/format";
import { amount } from "../../lib/profile";
import { CsvLink } from "../controls";
import { Missing } from "../small";
import { type Column, Table } from "../table";
import { Name } from "./bits";

type Peak = "peak_bytes" | "peak_reserved_bytes" | "lifetime_peak_bytes" | "capacity_bytes";

function peak(key: Peak, title: string, hint: string, width: number): Column<AllocatorRow> {
  return {
    key,
    title,
    hint,
    width,
    align: "right",
    first: "desc",
    sort: (row) => row[key] ?? null,
    cell: (row) => {
      const value = row[key] ?? null;
      return value === null ? (
        <Missing why="the file does not say it" />
      ) : (
        <span class="num" title={`${full(value)} bytes`}>
          {amount(value, "bytes")}
        </span>
      );
    },
  };
}

const OF_XLA = [
  peak(
    "peak_bytes",
    "most allocated + reserved",
    "The most that was allocated and reserved at once within the profile",
    190,
  ),
  peak(
    "lifetime_peak_bytes",
    "most in use since start",
    "The most in use since the program began, as the allocator says it: another count than what was allocated and reserved",
    180,
  ),
  peak("capacity_bytes", "capacity", "What was allocated, reserved and free together", 110),
];
const OF_PYTORCH = [
  peak(
    "peak_bytes",
    "most allocated",
    "The most that tensors had at once within the profile. On the CPU only what was allocated since the profiler began is counted",
    140,
  ),
  peak(
    "peak_reserved_bytes",
    "most reserved",
    "The most that PyTorch's caching allocator held at once within the profile, in use or not. On the CPU it reserves nothing",
    140,
  ),
];

/** The rows of a report, none where no record says of which device it is, and whether they are of XLA's allocators; null: the trace has no records of memory. */
export function memoryOf(report: TraceReport): { rows: AllocatorRow[]; isXla: boolean } | null {
  if (report.xla?.memory.length) return { rows: report.xla.memory, isXla: true };
  return report.memory?.length || report.memory_events_left_out ? { rows: report.memory ?? [], isXla: false } : null;
}

/** From which device to which the peaks range, where there are several beside the CPU; null where there are not. */
export function spreadOfPeaks(rows: readonly AllocatorRow[]): string | null {
  const devices = rows.filter((row) => row.allocator !== "cpu");
  const peaks = devices.flatMap((row) => (row.peak_bytes !== null ? [row.peak_bytes] : []));
  if (devices.length < 2 || peaks.length === 0) return null;
  const [least, most] = [amount(Math.min(...peaks), "bytes"), amount(Math.max(...peaks), "bytes")];
  const range = peaks.length === 1 ? most : `${least} to ${most}`;
  if (peaks.length === devices.length)
    return `Peaks of ${plural(peaks.length, "device")}: ${range}. Numbers over runs take the largest.`;
  return `${peaks.length === 1 ? "Peak" : "Peaks"} of ${peaks.length} of ${plural(devices.length, "device")}: ${range}. Others, which are not known, may be larger; numbers over runs take the largest that is known.`;
}

export function Memory({ report, trace }: { report: TraceReport; trace: number | null }) {
  const memory = memoryOf(report);
  if (!memory) return null;
  const { rows, isXla } = memory;
  const leftOut = report.memory_events_left_out ?? 0;
  const columns: Column<AllocatorRow>[] = [
    {
      key: "name",
      title: isXla ? "Allocator" : "Device",
      width: 220,
      sort: (row) => row.allocator,
      cell: (row) => <Name text={row.allocator ?? "without a name"} />,
    },
    ...(isXla ? OF_XLA : OF_PYTORCH),
    {
      key: "allocations",
      title: "allocations",
      width: 104,
      align: "right",
      first: "desc",
      sort: (row) => row.allocations,
      cell: (row) => <span class="num">{count(row.allocations)}</span>,
    },
    {
      key: "deallocations",
      title: "deallocations",
      width: 120,
      align: "right",
      first: "desc",
      sort: (row) => row.deallocations,
      cell: (row) => <span class="num">{count(row.deallocations)}</span>,
    },
  ];
  return (
    <>
      {trace !== null && rows.length > 0 && (
        <div class="toolbar">
          <CsvLink
            href={address("/traces/{id}/memory", { id: trace, limit: PER_PAGE, format: "csv" })}
            name="memory.csv"
            list
          />
        </div>
      )}
      {!isXla && spreadOfPeaks(rows) !== null && <p class="note">{spreadOfPeaks(rows)}</p>}
      {rows.length === 0 && (
        <p class="quiet">The trace has records of memory, and of none it is known of which device it is.</p>
      )}
      {rows.length > 0 && (
        <Table
          caption={isXla ? "Memory by allocator" : "Memory by device"}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.allocator ?? ""}
          sortKey="xm"
          orderWords="as the profile has them"
        />
      )}
      {leftOut > 0 && (
        <p class="quiet note">
          {plural(leftOut, "event")} of memory in no row: of no known device, or of one beyond those that are kept.
        </p>
      )}
    </>
  );
}
