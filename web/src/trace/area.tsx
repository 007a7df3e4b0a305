// How often and how long, over an area: by name, category, track or class.
import { useMemo } from "preact/hooks";
import type { components } from "../api/openapi";
import { useApi } from "../api/use";
import { count, plural, shown } from "../lib/format";
import { useQuery } from "../lib/route";
import { Choice, CsvLink } from "../parts/controls";
import { ErrorNote, Missing, Num, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { exactly } from "./find";
import { traceUrl } from "./info";
import { trackTitle } from "./layout";
import { classWords } from "./names";
import { exactPlace, exactText, spanText } from "./time";
import type { Area } from "./url";
import { windowOf } from "./view";
import { type Viewer, roundedOut, useViewer } from "./viewer";

export type Sums = components["schemas"]["TraceSums"];
/** Of all tracks, some of which are recorded and so summed up. */
export type SumsOfAllTracks = Sums & { all: NonNullable<Sums["all"]> };
export const isOfAll = (sums: Sums | null): sums is SumsOfAllTracks => sums !== null && sums.all !== null;
export type SumsRow = Sums["rows"][number];
export type By = "name" | "category" | "track" | "class";
/** That the server lists. */
const MOST_ROWS = 10_000;
const BY: By[] = ["name", "category", "track", "class"];
/** `limit`: rows that are listed, 10,000 at most. */
export const sumsUrl = (
  viewer: Viewer,
  { window, tracks }: Area,
  by: By,
  limit: number | null = null,
  format: "csv" | null = null,
) => traceUrl(viewer.info, "sums", { ...window, by, limit, format, tracks: tracks?.join(",") ?? null });

export function AreaTable({ viewer }: { viewer: Viewer }) {
  const area = useViewer(viewer, (one) => one.area);
  const [query, setQuery] = useQuery();
  const asked = query.get("by") as By | null;
  const by = asked && BY.includes(asked) ? asked : "name";
  const inSight = () => viewer.setArea({ window: roundedOut(windowOf(viewer.view)), tracks: null });
  if (!area) {
    return (
      <div class="trace-details">
        <p class="quiet">
          Drag a rectangle over slices to sum them up, or measure an interval and press <kbd>r</kbd>.
        </p>
        <button type="button" class="button" onClick={inSight}>
          Sum up what is in sight
        </button>
      </div>
    );
  }
  return (
    <OfArea
      viewer={viewer}
      area={area}
      by={by}
      setBy={(value) => setQuery({ by: value === "name" ? null : value }, true)}
    />
  );
}

function OfArea({ viewer, area, by, setBy }: { viewer: Viewer; area: Area; by: By; setBy: (by: By) => void }) {
  const { data, error, again, late } = useApi(sumsUrl(viewer, area, by));
  const columns = useMemo(() => columnsOf(viewer, by, data?.all?.work_ns ?? 0), [viewer, by, data]);
  const { begin, end } = area.window;
  const derived = area.tracks?.filter((number) => viewer.tracks.get(number)?.isDerived).length ?? 0;
  return (
    <div class="trace-area">
      <div class="trace-area-head">
        <Choice
          label="By"
          value={by}
          options={BY.map((one) => ({ value: one, text: one }))}
          onChange={(value) => setBy(value as By)}
        />
        <CsvLink href={sumsUrl(viewer, area, by, MOST_ROWS, "csv")} name={`area-by-${by}.csv`} />
        <p>
          {data ? (
            <>
              {data.all ? <strong>{plural(data.all.count, "slice")}</strong> : "Not summed up"} within{" "}
              <span title={exactText(end - begin)}>{spanText(end - begin)}</span> from {exactPlace(begin)}
              {area.tracks ? ` on ${plural(area.tracks.length, "track")}` : ""}
              {viewer.isBelow ? ", in the trace below" : ""}
            </>
          ) : (
            "…"
          )}
        </p>
      </div>
      {error && <ErrorNote error={error} again={again} kept={!!data} />}
      {!data && !error && <Waiting rows={4} />}
      {data && (
        <Table
          caption={`Slices of the area by ${by}`}
          columns={columns}
          rows={data.rows}
          rowKey={(one) => `${one.key} ${one.label ?? ""}`}
          onOpen={(one) => open(viewer, by, one)}
          late={late}
          sortKey="as"
          orderWords="longest total first"
          empty={data.cannot_tell ?? "Nothing happens in this area."}
        />
      )}
      {data?.all && derived > 0 && (
        <p class="quiet">
          {derived} of these {area.tracks?.length} tracks{" "}
          {derived === 1 ? "is derived and not summed up: it repeats" : "are derived and not summed up: they repeat"}{" "}
          other tracks
        </p>
      )}
      {data && data.left_out > 0 && (
        <p class="quiet">and {count(data.left_out)} more, with shorter totals; the counts above hold all of them</p>
      )}
    </div>
  );
}

/** All of a name stands out; a track is gone to. */
function open(viewer: Viewer, by: By, row: SumsRow): void {
  if (by === "name") viewer.finder.set(exactly(row.key), true);
  else if (by === "category") viewer.finder.set(`cat:${row.key}`, true);
  else if (by === "class") viewer.finder.set(`class:${row.key}`, true);
  else if (row.thread !== null) viewer.showTrack(row.thread);
}

/** What a row does for itself, of all that is done. */
function shareOf(row: SumsRow, all: number) {
  if (row.work_ns === 0 && row.self_ns > 0) return <Missing flush why="only contains other slices" />;
  return all > 0 ? <Num value={(100 * row.work_ns) / all} /> : <Missing flush why="nothing in the area takes time" />;
}

function columnsOf(viewer: Viewer, by: By, all: number): Column<SumsRow>[] {
  const name = (row: SumsRow): string => {
    const track = row.thread === null ? undefined : viewer.tracks.get(row.thread);
    return by === "track" && track ? trackTitle(track) : by === "class" ? classWords(row.key) : row.key;
  };
  const time = (
    key: string,
    title: string,
    hint: string,
    value: (row: SumsRow) => number,
    width = 100,
  ): Column<SumsRow> => ({
    key,
    title,
    hint,
    width,
    align: "right",
    first: "desc",
    sort: value,
    cell: (row) => <span title={exactText(Math.round(value(row)))}>{spanText(value(row))}</span>,
  });
  return [
    {
      key: "name",
      title: by === "name" ? "Name" : by === "track" ? "Track" : by === "class" ? "Class" : "Category",
      width: 300,
      sort: name,
      cell: (row) => (
        <button
          type="button"
          class="link mono clip"
          title={`${name(row)}\nShow all of them`}
          onClick={() => open(viewer, by, row)}
        >
          {shown(name(row))}
        </button>
      ),
    },
    ...(by === "name"
      ? [
          {
            key: "class",
            title: "Class",
            width: 120,
            sort: (row: SumsRow) => row.class ?? "",
            cell: (row: SumsRow) => <span class="clip">{classWords(row.class ?? "")}</span>,
          },
        ]
      : []),
    {
      key: "count",
      title: "Count",
      hint: "Slices that touch the area; all times are of their parts within it",
      width: 90,
      align: "right",
      first: "desc",
      sort: (row) => row.count,
      cell: (row) => count(row.count),
    },
    time("total", "Total", "Their parts within the area, added up", (row) => row.total_ns),
    time("self", "Self", "Total without what is right within each of them", (row) => row.self_ns),
    {
      key: "share",
      title: "Share, %",
      hint: "Of all self time in the area that is work: annotations and the profiler's spans only contain other slices",
      width: 90,
      align: "right",
      first: "desc",
      sort: (row) => row.work_ns,
      cell: (row) => shareOf(row, all),
    },
    time(
      "average",
      "Average",
      "The mean part within the area: total by count",
      (row) => row.total_ns / Math.max(1, row.count),
    ),
    time("min", "Shortest", "The shortest part within the area", (row) => row.min_ns),
    time("max", "Longest", "The longest part within the area", (row) => row.max_ns),
  ];
}
