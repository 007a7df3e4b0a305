// Kernels of a GPU by name, launch configuration and operator, of an XPlane profile.
import { address } from "../../api/address";
import { PER_PAGE } from "../../api/pages";
import type { XlaDevice, XlaKernel } from "../../api/trace";
import { count, full, plural } from "../../lib/format";
import { unitOfNs } from "../../lib/profile";
import { CsvLink } from "../controls";
import { Missing, Num } from "../small";
import { type Column, Table } from "../table";
import { Name } from "./bits";

const PS_PER_NS = 1000;
const UNKNOWN = "the file does not say it";

export function XlaKernels({ device, trace }: { device: XlaDevice; trace: number | null }) {
  const rows = device.kernels ?? [];
  if (!rows.length) return null;
  const time = (key: string, words: string, pick: (row: XlaKernel) => number): Column<XlaKernel> => {
    const unit = unitOfNs(rows.map((row) => pick(row) / PS_PER_NS));
    return {
      key,
      title: `${words} ${unit.name}`,
      width: 100,
      align: "right",
      first: "desc",
      sort: pick,
      cell: (row) => <Num value={pick(row)} factor={unit.factor / PS_PER_NS} title={`${full(pick(row))} ps`} />,
    };
  };
  const number = (
    key: string,
    title: string,
    hint: string,
    pick: (row: XlaKernel) => number | null,
  ): Column<XlaKernel> => ({
    key,
    title,
    hint,
    width: 100,
    align: "right",
    first: "desc",
    sort: pick,
    cell: (row) => {
      const value = pick(row);
      return value === null ? <Missing why={UNKNOWN} /> : <span class="num">{count(value)}</span>;
    },
  });
  const text = (
    key: string,
    title: string,
    width: number,
    pick: (row: XlaKernel) => string | null,
  ): Column<XlaKernel> => ({
    key,
    title,
    width,
    sort: pick,
    cell: (row) => {
      const value = pick(row);
      return value === null ? <Missing why={UNKNOWN} flush /> : <Name text={value} />;
    },
  });
  const shared = (row: XlaKernel) =>
    row.static_shared_bytes === null && row.dynamic_shared_bytes === null
      ? null
      : (row.static_shared_bytes ?? 0) + (row.dynamic_shared_bytes ?? 0);
  const columns: Column<XlaKernel>[] = [
    text("name", "Kernel", 320, (row) => row.name),
    number("count", "count", "How often it ran", (row) => row.count),
    time("total", "total", (row) => row.total_ps),
    time("mean", "mean", (row) => row.total_ps / row.count),
    time("min", "min", (row) => row.min_ps),
    time("max", "max", (row) => row.max_ps),
    text("operator", "operator", 180, (row) => row.operator),
    text("grid", "grid", 110, (row) => row.grid),
    text("block", "block", 110, (row) => row.block),
    number("registers", "registers", "Of a thread", (row) => row.registers),
    number("shared", "shared bytes", "Shared memory of a block, static and dynamic", shared),
    number("occupancy", "occupancy %", "The theoretical one", (row) => row.occupancy_pct),
  ];
  const leftOut = device.kernels_left_out ?? 0;
  return (
    <details class="nested">
      <summary>
        Kernels by launch configuration and operator <span class="quiet">{plural(rows.length + leftOut, "row")}</span>
      </summary>
      {trace !== null && (
        <CsvLink
          href={address("/traces/{id}/kernels", { id: trace, device: device.name, limit: PER_PAGE, format: "csv" })}
          name="xla-kernels.csv"
          list
        />
      )}
      <Table
        caption={`Kernels of ${device.name}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => [row.name, row.operator, row.grid, row.block, row.total_ps].join(" ")}
        sortKey="xk"
        orderWords="the longest together first"
      />
      {leftOut > 0 && <p class="quiet note">and {plural(leftOut, "more row")}, which the CSV has</p>}
    </details>
  );
}
