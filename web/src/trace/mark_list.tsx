// All marks of a kind, the longest first: as many as are asked for, and how many there are.
import { useEffect, useMemo } from "preact/hooks";
import { address } from "../api/address";
import { PER_PAGE, usePages } from "../api/pages";
import { count, plural, shown } from "../lib/format";
import { useQuery } from "../lib/route";
import { CsvLink, More, Select } from "../parts/controls";
import { ErrorNote, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { trackTitle } from "./layout";
import { ALL_MARKS, CAUSES, type Finding, MARKS, type MarkKind, goToFinding, isGap, listOf } from "./marks";
import { exactPlace, exactText, spanText } from "./time";
import { type Viewer, useViewer } from "./viewer";

const listUrl = (viewer: Viewer, kind: MarkKind, format: "csv" | null = null) =>
  address("/traces/{id}/findings/{kind}", { id: viewer.info.id, kind, limit: PER_PAGE, format });

/** `place`: in the list, from 0. Two marks may be alike but for it. */
type Row = { finding: Finding; place: number };

export function MarkList({ viewer }: { viewer: Viewer }) {
  const kinds = useViewer(viewer, (one) => one.findingKinds);
  const [query, setQuery] = useQuery();
  const found = ALL_MARKS.filter((kind) => kinds.some((one) => one.kind === kind));
  const kind = found.find((one) => one === query.get("kind")) ?? found[0];
  if (!kind) return <Waiting rows={4} />;
  const options = found.map((one) => ({
    value: one,
    text: `${MARKS[one].sign} ${plural(kinds.find((of) => of.kind === one)?.count ?? 0, MARKS[one].one, MARKS[one].many)}`,
  }));
  return (
    <div class="trace-mark-list">
      <div class="trace-mark-head">
        <Select
          label="Marks"
          value={kind}
          options={options}
          onChange={(value) => setQuery(listOf(value as MarkKind), true)}
        />
        <CsvLink href={listUrl(viewer, kind, "csv")} name={`${kind}.csv`} list />
      </div>
      <OfKind key={kind} viewer={viewer} kind={kind} />
    </div>
  );
}

function OfKind({ viewer, kind }: { viewer: Viewer; kind: MarkKind }) {
  const list = usePages(listUrl(viewer, kind));
  const { data, error, again } = list;
  const rows = useMemo<Row[]>(() => data?.items.map((finding, place) => ({ finding, place })) ?? [], [data]);
  const columns = useMemo(() => columnsOf(viewer, kind), [viewer, kind]);
  useEffect(() => {
    if (data) viewer.setListedMarks(kind, data.items);
  }, [viewer, kind, data]);
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={4} />;
  const open = ({ finding }: Row) => {
    viewer.toggleMarks(kind, true);
    goToFinding(viewer, finding);
  };
  return (
    <>
      <Table
        caption={MARKS[kind].many}
        columns={columns}
        rows={rows}
        total={data.total}
        rowKey={(row) => String(row.place)}
        onOpen={open}
        sortKey="ms"
        orderWords="longest first"
      />
      <More list={list} what={MARKS[kind].many} />
      {data.kept < data.total && (
        <p class="quiet note">
          An older version of benchhud took this trace in and kept the longest {count(data.kept)}. A server that may
          write to the store finds the others again soon after it starts; <code>benchhud rebuild</code> does so at once.
        </p>
      )}
    </>
  );
}

/** An older version of the server did not keep why. */
const causeOf = ({ cause }: Finding): string => CAUSES[cause ?? "unknown"];

const columnsOf = (viewer: Viewer, kind: MarkKind): Column<Row>[] => [
  {
    key: "words",
    title: "Mark",
    width: 320,
    cell: ({ finding }) => <span title={finding.words}>{shown(finding.words)}</span>,
  },
  {
    key: "length",
    title: "Length",
    width: 100,
    align: "right",
    first: "desc",
    sort: ({ finding }) => finding.end - finding.begin,
    cell: ({ finding }) => (
      <span title={exactText(finding.end - finding.begin)}>{spanText(finding.end - finding.begin)}</span>
    ),
  },
  ...(isGap(kind)
    ? [
        {
          key: "cause",
          title: "Cause",
          width: 200,
          sort: ({ finding }: Row) => causeOf(finding),
          cell: ({ finding }: Row) => causeOf(finding),
        },
      ]
    : []),
  {
    key: "begin",
    title: "Begin",
    width: 150,
    align: "right",
    first: "asc",
    sort: ({ finding }) => finding.begin,
    cell: ({ finding }) => exactPlace(finding.begin),
  },
  {
    key: "track",
    title: "Track",
    width: 200,
    sort: ({ finding }) => finding.thread,
    cell: ({ finding }) => {
      const track = viewer.tracks.get(finding.thread);
      return track ? trackTitle(track) : String(finding.thread);
    },
  },
];
