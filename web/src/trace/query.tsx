// A box for questions that no table answers: one SELECT over the trace.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { components } from "../api/openapi";
import { useApi } from "../api/use";
import { count, digits, plural } from "../lib/format";
import { useQuery } from "../lib/route";
import { CsvLink, Select } from "../parts/controls";
import { ErrorNote, Missing, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { traceUrl } from "./info";
import { QueryTables } from "./query_tables";
import { chooseSlice, sliceUrl } from "./slice";
import type { SliceRef } from "./types";
import type { Viewer } from "./viewer";

type Answer = components["schemas"]["TraceQueryAnswer"];
type Cell = Answer["rows"][number][number];
type Row = { number: number; cells: Cell[] };

const LIMIT = 1000;
/** That the server gives. */
const MOST_ROWS = 10_000;
const EXAMPLES = [
  { value: "", text: "examples" },
  {
    value:
      "SELECT name, count(*) AS slices, sum(duration) AS total_ns\nFROM slices WHERE category = 'kernel'\nGROUP BY name ORDER BY total_ns DESC LIMIT 20",
    text: "kernels by time",
  },
  {
    value:
      "SELECT slice_id, name, begin, duration FROM slices\nWHERE name LIKE 'aten::%' ORDER BY duration DESC LIMIT 50",
    text: "the longest operators",
  },
  {
    value:
      "SELECT t.track, t.name, count(*) AS slices, max(s.row) + 1 AS depth\nFROM slices s JOIN tracks t ON t.track = s.track\nGROUP BY t.track ORDER BY slices DESC",
    text: "slices by track",
  },
];

/** The number that the table `slices` gives a slice, taken apart; null for one that a double does not hold. */
export function sliceOfId(id: Cell): SliceRef | null {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) return null;
  return { track: Math.floor(id / 2 ** 43), chunk: Math.floor(id / 2 ** 13) % 2 ** 30, index: id % 2 ** 13 };
}

export function QueryBox({ viewer }: { viewer: Viewer }) {
  const [query, setQuery] = useQuery();
  const sql = query.get("sql") ?? "";
  const [text, setText] = useState(sql);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => setText(sql), [sql]);
  const run = (what = text) => setQuery({ sql: what.trim() || null });
  const insert = (name: string): void => {
    const box = field.current;
    if (!box) return;
    const [from, to] = [box.selectionStart, box.selectionEnd];
    // Names stand apart from what is beside them.
    const before = /[\w"]$/.test(text.slice(0, from)) ? " " : "";
    const after = /^[\w"]/.test(text.slice(to)) ? " " : "";
    setText(text.slice(0, from) + before + name + after + text.slice(to));
    const at = from + before.length + name.length;
    requestAnimationFrame(() => {
      box.focus();
      box.setSelectionRange(at, at);
    });
  };
  return (
    <div class="trace-area">
      <form
        class="trace-sql"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label class="field">
          <span>
            One SELECT over slices, tracks, labels, flows, counters, points and args; times in ns. Ctrl Enter asks.
          </span>
          <textarea
            ref={field}
            id="trace-sql"
            value={text}
            rows={4}
            maxLength={4000}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              run();
            }}
          />
        </label>
        <div class="trace-sql-actions">
          <button type="submit" class="button">
            Ask
          </button>
          <Select
            label="Begin with"
            value=""
            options={EXAMPLES}
            onChange={(value) => {
              if (!value) return;
              setText(value);
              run(value);
            }}
          />
        </div>
      </form>
      <details class="nested">
        <summary>Tables and their columns</summary>
        <QueryTables insert={insert} />
      </details>
      {sql && <Answered viewer={viewer} sql={sql} />}
    </div>
  );
}

function Answered({ viewer, sql }: { viewer: Viewer; sql: string }) {
  const { data, error, again, late } = useApi(traceUrl(viewer.info, "query", { sql, limit: LIMIT }));
  const rows = useMemo(() => (data?.rows ?? []).map((cells, number): Row => ({ number, cells })), [data]);
  const columns = useMemo(() => columnsOf(viewer, data?.columns ?? []), [viewer, data]);
  if (error) return <ErrorNote error={error} again={again} />;
  if (!data) return <Waiting rows={4} />;
  return (
    <>
      {data.error && <p class="warn">It ended early: {data.error}</p>}
      <p class="quiet" role="status">
        {plural(data.rows.length, "row")}
        {data.is_cut ? ", and there are more" : ""}
        {data.slices_read === null ? "" : `, ${plural(data.slices_read, "slice")} read`}
      </p>
      {data.rows.length > 0 && (
        <CsvLink
          href={traceUrl(viewer.info, "query", { sql, limit: MOST_ROWS, format: "csv" })}
          name="query.csv"
          list
        />
      )}
      {data.is_cut && <p class="quiet note">The CSV has {count(MOST_ROWS)} rows at most.</p>}
      <Table
        caption="What the query answers"
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.number)}
        late={late}
        sortKey="qs"
        orderWords="as the query gives them"
        empty="No row."
      />
    </>
  );
}

function columnsOf(viewer: Viewer, names: readonly string[]): Column<Row>[] {
  return names.map((name, at) => ({
    key: `c${at}`,
    title: name,
    width: 160,
    sort: (row) => row.cells[at] ?? null,
    cell: (row) => <CellOf viewer={viewer} name={name} value={row.cells[at] ?? null} />,
  }));
}

function CellOf({ viewer, name, value }: { viewer: Viewer; name: string; value: Cell }) {
  if (value === null) return <Missing flush why="NULL" />;
  const slice = name === "slice_id" ? sliceOfId(value) : null;
  if (slice) return <ToSlice viewer={viewer} slice={slice} text={String(value)} />;
  if (typeof value === "number")
    return <span title={String(value)}>{Number.isInteger(value) ? count(value) : digits(value)}</span>;
  return (
    <span class="mono clip" title={value}>
      {value}
    </span>
  );
}

function ToSlice({ viewer, slice, text }: { viewer: Viewer; slice: SliceRef; text: string }) {
  const show = async (): Promise<void> => {
    try {
      chooseSlice(viewer, (await ask(sliceUrl(viewer, slice))).data);
    } catch {
      viewer.say("that slice is not there");
    }
  };
  return (
    <button type="button" class="link mono" onClick={() => void show()}>
      {text}
    </button>
  );
}
