// One table for all pages: header and first column stay, sorting by click and by key, thousands of rows without a stutter.
import { Component, type ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useMoreSign, usePlainKeys } from "../lib/hooks";
import { useTableSource } from "../lib/page_markdown";
import { cameBack, go, useQuery } from "../lib/route";
import { type Direction, type Key, sorted } from "../lib/sort";
import { tab } from "../lib/tab";

export type Column<Row> = {
  key: string;
  title: ComponentChildren;
  /** What a screen reader says for the column, where the title is short or a sign. */
  label?: string;
  hint?: string;
  /** Width in pixels; the first column takes what is left over. */
  width: number;
  align?: "left" | "right" | "center";
  sort?: (row: Row) => Key;
  /** The direction of a first click: the worst on top. */
  first?: Direction;
  cell: (row: Row) => ComponentChildren;
  /** Starts a group of columns: a hairline at its left. */
  starts?: boolean;
};
export type ColumnGroup = { title: ComponentChildren; span: number };

const ROW_HEIGHT = 28;
const VIRTUAL_FROM = 120;
const OVERSCAN = 12;
/** In so many steps a box tells how much of it is in the window. */
const SIGHT_STEPS = 20;

type Entry<Row> = { kind: "row"; row: Row; index: number } | { kind: "group"; name: string; size: number };

type Props<Row> = {
  caption: string;
  columns: Column<Row>[];
  groups?: ColumnGroup[];
  rows: Row[];
  /** How many there are in all, where `rows` are those that are loaded. */
  total?: number | undefined;
  rowKey: (row: Row) => string;
  rowHref?: (row: Row) => string | null;
  /** Called instead of following a link where a row opens something on the page. */
  onOpen?: (row: Row) => void;
  /** The query key that holds this table's order. */
  sortKey?: string;
  /** The order where nobody asked for one. */
  order?: (rows: Row[]) => Row[];
  orderWords?: string;
  groupBy?: ((row: Row) => string) | null;
  empty?: ComponentChildren;
  late?: boolean;
  current?: string | null;
};

export function Table<Row>(props: Props<Row>) {
  const { columns, rows, rowKey, sortKey = "sort", groupBy } = props;
  const [query, setQuery] = useQuery();
  const asked = query.get(sortKey) ?? "";
  const direction: Direction = asked.startsWith("-") ? "desc" : "asc";
  const sortColumn = columns.find((column) => column.key === asked.replace(/^-/, "") && column.sort);

  const ordered = useMemo(
    () => (sortColumn?.sort ? sorted(rows, sortColumn.sort, direction) : props.order ? props.order(rows) : rows),
    [rows, sortColumn?.key, direction, columns, props.order],
  );
  const entries = useMemo<Entry<Row>[]>(() => {
    if (!groupBy) return ordered.map((row, index) => ({ kind: "row", row, index }));
    const groups = new Map<string, Row[]>();
    for (const row of ordered) {
      const name = groupBy(row);
      const members = groups.get(name);
      if (members) members.push(row);
      else groups.set(name, [row]);
    }
    let index = 0;
    return [...groups].flatMap(([name, members]) => [
      { kind: "group" as const, name, size: members.length },
      ...members.map((row) => ({ kind: "row" as const, row, index: index++ })),
    ]);
  }, [ordered, groupBy]);

  const box = useRef<HTMLDivElement>(null);
  useMoreSign(box);
  const [view, setView] = useState({ top: 0, height: 900 });
  const [printing, setPrinting] = useState(false);
  const isVirtual = entries.length > VIRTUAL_FROM && !printing;
  // Other rows, or another order: what is in sight is painted first, what is around it right afterwards.
  const [whole, setWhole] = useState<Entry<Row>[] | null>(null);
  const isFirstDraw = whole !== entries && !printing;
  const wanted = useRef<number | null>(null); // the row that is focused as soon as it is drawn
  useEffect(() => {
    setWhole(entries);
    wanted.current = null; // a row of that place may be another one, or none
  }, [entries]);
  const sight = useRef<{ from: number; to: number } | null>(null);

  useEffect(() => {
    const node = box.current;
    if (!node) return;
    // In steps of a few rows, which the overscan covers: most scroll events draw nothing anew.
    const step = ROW_HEIGHT * (OVERSCAN / 2);
    const measure = () => {
      const top = Math.floor(node.scrollTop / step) * step;
      const height = Math.ceil(node.clientHeight / step) * step;
      setView((old) => (old.top === top && old.height === height ? old : { top, height }));
    };
    const place = `${location.pathname} ${props.caption}`;
    if (cameBack()) node.scrollTop = tab.scrolled.get(place) ?? 0;
    measure();
    const scrolled = () => {
      tab.scrolled.set(place, node.scrollTop);
      measure();
    };
    node.addEventListener("scroll", scrolled, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    // Which part of the box is in the window, told without laying out anything for it.
    const inWindow = new IntersectionObserver(
      (seen) => {
        const last = seen.at(-1);
        if (last)
          sight.current = {
            from: last.intersectionRect.top - last.boundingClientRect.top,
            to: last.intersectionRect.bottom - last.boundingClientRect.top,
          };
      },
      { threshold: Array.from({ length: SIGHT_STEPS + 1 }, (_, step) => step / SIGHT_STEPS) },
    );
    inWindow.observe(node);
    const before = () => setPrinting(true);
    const after = () => setPrinting(false);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      node.removeEventListener("scroll", scrolled);
      observer.disconnect();
      inWindow.disconnect();
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);

  const size = Math.max(entries.length, props.total ?? 0);
  useTableSource(box, {
    heads: columns.map((column) => ({ title: column.title, right: column.align === "right" })),
    groups: props.groups,
    size,
    rows: (most) =>
      entries
        .slice(0, most)
        .map((entry) => (entry.kind === "group" ? entry.name : columns.map((column) => column.cell(entry.row)))),
  });

  let from = isVirtual ? Math.max(0, Math.floor(view.top / ROW_HEIGHT) - OVERSCAN) : 0;
  let to = isVirtual
    ? Math.min(entries.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVERSCAN)
    : entries.length;
  if (isFirstDraw && sight.current) {
    // `view.top` is up to a step above what is seen, and so may the box's place in the window be.
    const slack = OVERSCAN / 2 + Math.ceil(view.height / SIGHT_STEPS / ROW_HEIGHT);
    from = Math.max(from, Math.floor((view.top + sight.current.from) / ROW_HEIGHT) - slack);
    to = Math.max(from, Math.min(to, Math.ceil((view.top + sight.current.to) / ROW_HEIGHT) + slack));
  }

  const focusRow = (entry: number) => {
    const node = box.current;
    if (!node) return;
    wanted.current = entry;
    const head = node.querySelector("thead")?.clientHeight ?? 0;
    const top = entry * ROW_HEIGHT;
    if (isVirtual) {
      if (top < node.scrollTop) node.scrollTop = top;
      else if (top + ROW_HEIGHT + head > node.scrollTop + node.clientHeight)
        node.scrollTop = top + ROW_HEIGHT + head - node.clientHeight;
    }
    tryFocus();
  };
  const tryFocus = () => {
    if (wanted.current === null) return;
    const row = box.current?.querySelector<HTMLElement>(`tr[data-entry="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };
  useLayoutEffect(tryFocus);

  usePlainKeys((event) => {
    if (event.key !== "j" && event.key !== "k") return;
    const node = box.current;
    if (!node) return;
    const active = document.activeElement?.closest(".table-box");
    // Keys may come faster than rows are drawn: they go on from the row that is to be focused.
    const mine =
      wanted.current !== null ||
      (active ? active === node : document.querySelector("main .table-box[data-open]") === node);
    if (!mine) return;
    const now = wanted.current ?? document.activeElement?.closest<HTMLElement>("tr[data-entry]")?.dataset["entry"];
    const step = event.key === "j" ? 1 : -1;
    let entry = now === undefined ? Math.ceil(node.scrollTop / ROW_HEIGHT) : Number(now) + step;
    while (entries[entry]?.kind === "group") entry += step;
    if (entries[entry]?.kind !== "row") return;
    event.preventDefault();
    focusRow(entry);
  });

  const latest = useRef(props);
  latest.current = props;
  const openRow = useCallback((row: Row) => {
    if (latest.current.onOpen) return latest.current.onOpen(row);
    const target = latest.current.rowHref?.(row);
    if (target) {
      go(target);
      scrollTo(0, 0);
    }
  }, []);
  const canOpen = !!props.onOpen || !!props.rowHref;

  const sortBy = (column: Column<Row>) => {
    const first = column.first ?? "asc";
    const next =
      sortColumn?.key !== column.key ? first : direction === first ? (first === "asc" ? "desc" : "asc") : null;
    setQuery({ [sortKey]: next === null ? null : (next === "desc" ? "-" : "") + column.key });
  };

  const total = columns.reduce((sum, column) => sum + column.width, 0);
  const first = columns[0]?.width ?? 0;
  // The first column stays in sight: on a small window it leaves half of it to the others.
  const narrowest = `calc(${total - first}px + min(${first}px, 50vw))`;
  // Each row is a grid of these columns (table.css): laid out by itself, where a row of a table lays out all the others anew.
  const tracks = `minmax(0, 1fr) ${columns
    .slice(1)
    .map((column) => `${column.width}px`)
    .join(" ")}`;
  return (
    <div
      class={`table-box${props.late ? " late" : ""}`}
      style={{ maxWidth: `${total + 140}px` }}
      ref={box}
      data-open={canOpen ? "" : undefined}
      tabIndex={0}
      role="region"
      aria-label={props.caption}
      aria-busy={props.late}
    >
      <table role="table" style={{ minWidth: narrowest, "--tracks": tracks }} aria-rowcount={size + 1}>
        <caption class="sr">
          {props.caption}
          {sortColumn
            ? `, sorted by ${sortColumn.label ?? sortColumn.key}, ${direction === "asc" ? "ascending" : "descending"}`
            : props.orderWords
              ? `, ${props.orderWords}`
              : ""}
        </caption>
        <colgroup>
          {columns.map((column, index) => (
            <col key={column.key} style={index === 0 ? undefined : { width: `${column.width}px` }} />
          ))}
        </colgroup>
        <thead role="rowgroup">
          {props.groups && (
            <tr role="row" class="group-heads">
              {props.groups.map((group, index) => {
                const place = {
                  key: index,
                  colSpan: group.span,
                  style: { gridColumn: `span ${group.span}` },
                  class: index === 0 ? "stay" : "starts",
                };
                return group.title ? (
                  <th {...place} role="columnheader" scope="colgroup">
                    {group.title}
                  </th>
                ) : (
                  <td {...place} role="cell" />
                );
              })}
            </tr>
          )}
          <tr role="row">
            {columns.map((column, index) => {
              const on = sortColumn?.key === column.key;
              return (
                <th
                  key={column.key}
                  role="columnheader"
                  scope="col"
                  class={`${column.align ?? "left"}${index === 0 ? " stay" : ""}${column.starts ? " starts" : ""}`}
                  aria-sort={on ? (direction === "asc" ? "ascending" : "descending") : undefined}
                  title={column.hint}
                >
                  {column.sort ? (
                    <button type="button" onClick={() => sortBy(column)}>
                      <span class="th-text" aria-hidden={column.label ? true : undefined}>
                        {column.title}
                      </span>
                      <span class="sr">{column.label ? `${column.label}: sort` : ", sort"}</span>
                      <span class="arrow" aria-hidden="true">
                        {on ? (direction === "asc" ? "↑" : "↓") : ""}
                      </span>
                    </button>
                  ) : column.label ? (
                    <>
                      <span aria-hidden="true">{column.title}</span>
                      <span class="sr">{column.label}</span>
                    </>
                  ) : (
                    column.title
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {from > 0 && (
            <tr class="spacer" aria-hidden="true">
              <td colSpan={columns.length} style={{ height: `${from * ROW_HEIGHT}px` }} />
            </tr>
          )}
          {entries.slice(from, to).map((entry, offset) => {
            const place = from + offset;
            if (entry.kind === "group") {
              return (
                <tr role="row" class="group" key={`group:${entry.name}`} aria-rowindex={place + 2}>
                  <th role="rowheader" colSpan={columns.length} scope="rowgroup">
                    <span class="group-name">
                      {entry.name} <span class="quiet">{entry.size}</span>
                    </span>
                  </th>
                </tr>
              );
            }
            const key = rowKey(entry.row);
            return (
              <BodyRow
                key={key}
                row={entry.row}
                place={place}
                columns={columns}
                canOpen={canOpen}
                isCurrent={props.current === key}
                open={openRow}
              />
            );
          })}
          {to < entries.length && (
            <tr class="spacer" aria-hidden="true">
              <td colSpan={columns.length} style={{ height: `${(entries.length - to) * ROW_HEIGHT}px` }} />
            </tr>
          )}
        </tbody>
      </table>
      {entries.length === 0 && <div class="no-rows">{props.empty ?? "Nothing here."}</div>}
    </div>
  );
}

type RowProps<Row> = {
  row: Row;
  place: number;
  columns: Column<Row>[];
  canOpen: boolean;
  isCurrent: boolean;
  open: (row: Row) => void;
};

/** A row is drawn again only when something of it changed: while scrolling, only the rows that come into sight are. */
class BodyRow<Row> extends Component<RowProps<Row>> {
  override shouldComponentUpdate(next: RowProps<Row>) {
    const now = this.props;
    return (
      now.row !== next.row ||
      now.place !== next.place ||
      now.columns !== next.columns ||
      now.canOpen !== next.canOpen ||
      now.isCurrent !== next.isCurrent
    );
  }
  override render({ row, place, columns, canOpen, isCurrent, open }: RowProps<Row>) {
    return (
      <tr
        role="row"
        data-entry={place}
        aria-rowindex={place + 2}
        tabIndex={canOpen ? -1 : undefined}
        class={`${canOpen ? "opens" : ""}${isCurrent ? " current" : ""}`}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.target === event.currentTarget) open(row);
        }}
        onClick={(event) => {
          if (!canOpen || (event.target as Element).closest("a,button,input,label,select,summary")) return;
          if (getSelection()?.toString()) return;
          open(row);
        }}
      >
        {columns.map((column, index) =>
          index === 0 ? (
            <th key={column.key} role="rowheader" scope="row" class={`stay ${column.align ?? "left"}`}>
              {column.cell(row)}
            </th>
          ) : (
            <td key={column.key} role="cell" class={`${column.align ?? "left"}${column.starts ? " starts" : ""}`}>
              {column.cell(row)}
            </td>
          ),
        )}
      </tr>
    );
  }
}
