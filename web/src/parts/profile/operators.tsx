// The profiler's table of operators, of whatever columns it has: sorted, filtered, thousands of rows.
import { useMemo } from "preact/hooks";
import { useContents } from "../../api/contents";
import type { Artifact, OperatorTable } from "../../api/types";
import { digits, full, type Unit } from "../../lib/format";
import {
  nanoseconds,
  ofKind,
  isReadable,
  nameColumn,
  rowText,
  unitOfNs,
  whichDump,
  type Cell,
} from "../../lib/profile";
import { useQuery } from "../../lib/route";
import { matches } from "../../lib/sort";
import { FilterField, Select } from "../controls";
import { ErrorNote, Missing, Num, Waiting } from "../small";
import { type Column, Table } from "../table";
import { From, Name, ProblemsNote, ShareBar } from "./bits";

type Row = { cells: Cell[]; index: number };
type OperatorColumn = OperatorTable["columns"][number];

const HINTS: [RegExp, string][] = [
  [/^self .*%$/i, "Its part of all self time: what it did itself, without the operators that it called"],
  [/^self .*mem$/i, "Memory that it took itself, less what it gave back"],
  [/^self /i, "What it did itself, without the operators that it called"],
  [/total %$/i, "Its part of all self time, with the operators that it called"],
  [/total$/i, "With the operators that it called"],
  [/time avg$/i, "Total by the number of calls"],
  [/mem$/i, "Memory taken less given back, with the operators that it called"],
  [/of calls$/i, "How often it was called"],
];
const hint = (name: string): string => HINTS.find(([pattern]) => pattern.test(name))?.[1] ?? name;

const width = (column: OperatorColumn): number =>
  column.unit === "percent" ? 156 : column.unit === "text" ? 220 : Math.max(96, column.name.length * 7 + 56);

function numberCell(column: OperatorColumn, unit: Unit, cell: Cell | undefined) {
  if (typeof cell !== "number")
    return (
      <Missing
        why={
          cell === undefined || cell === "" || cell === "--" ? "the table says nothing here" : `the table says ${cell}`
        }
        flush={column.unit === "number"}
      />
    );
  if (column.unit === "percent") {
    return (
      <span class="with-bar" title={`${full(cell)} %`}>
        <ShareBar share={cell / 100} width={56} />
        <Num value={cell} title={`${full(cell)} %`} />
      </span>
    );
  }
  if (column.unit === "number" && Number.isInteger(cell)) return <span class="num">{cell.toLocaleString("en")}</span>;
  return (
    <Num
      value={cell}
      factor={unit.factor}
      title={column.unit === "ns" ? `${full(cell)} ns` : column.unit === "bytes" ? `${full(cell)} bytes` : full(cell)}
    />
  );
}

/** Bytes of a column in one unit, powers of 1024 as the profiler prints them. */
export function unitOfBytes(values: number[]): Unit {
  const most = Math.max(0, ...values.map(Math.abs));
  const names = ["B", "KiB", "MiB", "GiB"];
  let power = 0;
  while (power + 1 < names.length && most >= 1024 ** (power + 1)) ++power;
  return { name: names[power] as string, factor: 1 / 1024 ** power };
}

export function operatorColumns(table: OperatorTable): Column<Row>[] {
  const name = nameColumn(table);
  const order = [name, ...table.columns.keys()].filter((index, place) => place === 0 || index !== name);
  return order.flatMap((index) => {
    const column = table.columns[index];
    if (!column) return [];
    const values = table.rows.map((row) => row[index]).filter((cell) => typeof cell === "number");
    const unit: Unit =
      column.unit === "ns"
        ? unitOfNs(values)
        : column.unit === "bytes"
          ? unitOfBytes(values)
          : { name: column.unit === "percent" ? "%" : "", factor: 1 };
    const isText = column.unit === "text";
    const said = column.unit === "percent" || !unit.name ? column.name : `${column.name} ${unit.name}`;
    return [
      {
        key: `${index}`,
        title: said,
        hint: hint(column.name),
        width: index === name ? 320 : width(column),
        align: isText ? ("left" as const) : ("right" as const),
        first: isText ? ("asc" as const) : ("desc" as const),
        sort: (row: Row) => {
          const cell = row.cells[index];
          return isText ? cell : typeof cell === "number" ? cell : null;
        },
        cell: (row: Row) =>
          isText ? <Name text={String(row.cells[index] ?? "")} /> : numberCell(column, unit, row.cells[index]),
      },
    ];
  });
}

/** One table. Its order is that of the file, which the profiler sorted, unless asked otherwise. */
export function OperatorTableView({
  table,
  caption,
  note,
}: {
  table: OperatorTable;
  caption: string;
  note?: preact.ComponentChildren;
}) {
  const [query, setQuery] = useQuery();
  const filter = query.get("op") ?? "";
  const columns = useMemo(() => operatorColumns(table), [table]);
  const all = useMemo<Row[]>(() => table.rows.map((cells, index) => ({ cells, index })), [table]);
  const rows = useMemo(
    () => (filter ? all.filter((row) => matches(filter, rowText(table, row.cells))) : all),
    [all, filter],
  );
  return (
    <>
      <div class="toolbar">
        <FilterField
          value={filter}
          onChange={(value) => setQuery({ op: value || null }, true)}
          shown={rows.length}
          all={all.length}
          what="operators"
        />
        {note}
        {table.totals.length > 0 && (
          <p class="quiet note totals">
            {table.totals.map((total) => (
              <span key={total.name} title={`${full(total.ns)} ns`}>
                {total.name} <strong>{nanoseconds(total.ns)}</strong>
              </span>
            ))}
          </p>
        )}
      </div>
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.index)}
        sortKey="ops"
        orderWords="as the profiler sorted them"
        empty={filter ? "No operator matches." : "The table has no rows."}
      />
    </>
  );
}

type Source = { key: string; text: string; artifact: Artifact; table: OperatorTable };

/** All tables of a result: one a repetition, and those of the file that has one of each. */
export function sources(contents: { artifact: Artifact; operator_tables: OperatorTable[] | null }[]): Source[] {
  return contents.flatMap(({ artifact, operator_tables }) =>
    (operator_tables ?? []).map((table, index, tables) => ({
      key: `${artifact.id}.${index}`,
      text: tables.length > 1 ? `${whichDump(artifact)}, table ${index}` : whichDump(artifact),
      artifact,
      table,
    })),
  );
}

const MOST_FILES = 24;

export function Operators({ artifacts, repetition }: { artifacts: Artifact[]; repetition: number | null }) {
  const [query, setQuery] = useQuery();
  const files = ofKind(artifacts, "operator_table").filter(isReadable);
  const { data, error } = useContents(files.slice(0, MOST_FILES).map((one) => one.id));
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Waiting rows={8} />;
  const known = sources(data);
  const asked = query.get("table");
  const chosen =
    known.find((one) => one.key === asked) ??
    known.find((one) => one.artifact.repetition === repetition) ??
    known[known.length - 1];
  if (!chosen) return <p class="quiet">The {files.length === 1 ? "file holds" : "files hold"} no table.</p>;
  const content = data.find((one) => one.artifact.id === chosen.artifact.id);
  return (
    <>
      {content && <ProblemsNote content={content} />}
      <OperatorTableView
        table={chosen.table}
        caption={`Operators, ${chosen.text}`}
        note={
          known.length > 1 ? (
            <Select
              label="Table of"
              value={chosen.key}
              options={known.map((one) => ({ value: one.key, text: one.text }))}
              onChange={(value) => setQuery({ table: value })}
            />
          ) : (
            <p class="quiet note">
              Of <From artifact={chosen.artifact} />.
            </p>
          )
        }
      />
      {files.length > MOST_FILES && (
        <p class="quiet note">
          Of {digits(files.length)} tables the first {MOST_FILES}; the others are under Files.
        </p>
      )}
    </>
  );
}
