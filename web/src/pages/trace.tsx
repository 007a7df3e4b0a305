// A trace as a timeline: everything that was recorded, on one axis, to be moved through like a map.
import { useEffect, useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import { asApiError } from "../api/client";
import { contentUrl } from "../api/contents";
import { type TraceReport, traceReport } from "../api/trace";
import { useApi } from "../api/use";
import { useTitle } from "../lib/hooks";
import { OpenTrace } from "../parts/drop_trace";
import { ErrorNote, Waiting } from "../parts/small";
import { AreaTable } from "../trace/area";
import { Second, useBeside } from "../trace/beside";
import { TraceCanvas } from "../trace/canvas";
import { useCommands } from "../trace/commands";
import { Details } from "../trace/details";
import { CompareMenu, Differences } from "../trace/differences";
import { Drawer, type TabPage } from "../trace/drawer";
import { Hits } from "../trace/find_box";
import { Flame } from "../trace/flame";
import { type About, Head, useAbout } from "../trace/head";
import { type TraceInfo, infoOf } from "../trace/info";
import { useKeys } from "../trace/keys";
import { MarkList } from "../trace/mark_list";
import type { Findings } from "../trace/marks";
import { Notes, useNotes } from "../trace/notes";
import { Overview } from "../trace/overview";
import { QueryBox } from "../trace/query";
import { Toolbar } from "../trace/toolbar";
import { useUrl } from "../trace/use_url";
import { Viewer, useViewer } from "../trace/viewer";

export function TracePage({ id }: { id: number }) {
  const { data, error, again } = useApi(address("/traces/{id}", { id }));
  // Of a stored trace little changes; another one may have its id some day.
  const info = useMemo(() => (data ? infoOf(data) : null), [data?.id, data?.key]);
  useTitle("Trace");
  if (!info)
    return error ? (
      <>
        <ErrorNote error={error} again={again} />
        <div>
          Another trace: <OpenTrace />
        </div>
      </>
    ) : (
      <Waiting rows={14} />
    );
  return <Known key={`${info.id} ${info.key}`} info={info} />;
}

/** The timeline is drawn as soon as the trace and its name are there; its report and its marks come when they come, to places that are
 * kept for them. */
function Known({ info }: { info: TraceInfo }) {
  const about = useAbout(info);
  const findings = useApi(info.findings > 0 ? address("/traces/{id}/findings", { id: info.id }) : null);
  const isDropped = info.artifact === null && info.dropped_until !== null;
  const content = useApi(
    isDropped
      ? address("/traces/{id}/report", { id: info.id })
      : info.artifact === null
        ? null
        : contentUrl(info.artifact),
  );
  const report = useMemo(() => traceReport(content.data?.trace), [content.data]);
  if (!about.isKnown) return <Waiting rows={14} />;
  const isLate = (isDropped || info.artifact !== null) && !content.data && !content.error;
  return <Timeline info={info} about={about} report={isLate ? "late" : report} found={findings.data} />;
}

function Timeline({
  info,
  about,
  report,
  found,
}: {
  info: TraceInfo;
  about: About;
  report: TraceReport | "late" | null;
  found: Findings | null;
}) {
  const viewer = useMemo(() => new Viewer(info), [info]);
  const beside = useBeside(viewer);
  const { second, shift } = beside;
  // Keys and details are about the trace in which something was chosen last.
  const [chosen, setChosen] = useState(viewer);
  const active = chosen === second ? second : viewer;
  useEffect(() => () => viewer.stop(), [viewer]);
  useEffect(() => {
    viewer.onChosen = () => setChosen(viewer);
    if (!second) return;
    second.onChosen = () => setChosen(second);
  }, [viewer, second]);
  const noted = useNotes(viewer);
  useEffect(() => viewer.setNotes(noted.notes), [viewer, noted.notes]);
  useEffect(() => viewer.setFindings(found), [viewer, found]);
  useUrl(viewer);
  useKeys(active);
  const pages: TabPage[] = [
    { tab: "details", title: "Details", render: () => <Details viewer={active} /> },
    ...(info.has_index ? [{ tab: "area" as const, title: "Area", render: () => <AreaTable viewer={active} /> }] : []),
    ...(info.has_index ? [{ tab: "flame" as const, title: "Stacks", render: () => <Flame viewer={active} /> }] : []),
    { tab: "hits", title: "Hits", render: () => <Hits viewer={active} /> },
    ...(info.findings > 0
      ? [{ tab: "marks" as const, title: "Marks", render: () => <MarkList viewer={viewer} /> }]
      : []),
    {
      tab: "notes",
      title: noted.notes.length ? `Notes: ${noted.notes.length}` : "Notes",
      render: () => <Notes viewer={viewer} {...noted} />,
    },
    ...(info.has_index ? [{ tab: "query" as const, title: "Query", render: () => <QueryBox viewer={viewer} /> }] : []),
    ...(second
      ? [
          {
            tab: "diff" as const,
            title: "Differences",
            render: () => <Differences first={viewer} second={second} shift={shift} />,
          },
        ]
      : []),
  ];
  useCommands(viewer, pages);
  return (
    <div class="trace">
      <Head viewer={viewer} about={about} report={report} isBefore={second !== null} />
      <Toolbar viewer={viewer} more={info.has_index && <CompareMenu viewer={viewer} artifact={about.artifact} />} />
      {viewer.sections.length === 0 ? (
        <p class="empty">This trace has no slices: nothing in it has a length.</p>
      ) : (
        <>
          <Overview viewer={viewer} />
          <TraceCanvas viewer={viewer} />
        </>
      )}
      <Second first={viewer} beside={beside} />
      <Missing viewer={viewer} second={second} />
      <Drawer viewer={viewer} pages={pages} />
      <Spoken viewer={active} />
    </div>
  );
}

/** What the picture lacks, as long as it does. */
function Missing({ viewer, second }: { viewer: Viewer; second: Viewer | null }) {
  const above = useViewer(viewer, (one) => one.error);
  const below = useViewer(second ?? viewer, (one) => one.error);
  const error = above ?? below;
  return (
    <p class="trace-missing" role="status">
      {error ? `Something here could not be fetched, and is asked for again: ${asApiError(error, "").message}` : ""}
    </p>
  );
}

/** What keys lead to, for those who do not see it. */
function Spoken({ viewer }: { viewer: Viewer }) {
  const text = useViewer(viewer, (one) => one.spoken);
  return (
    <p class="sr" role="status" aria-live="polite">
      {text}
    </p>
  );
}
