// A trace as a timeline: everything that was recorded, on one axis, to be moved through like a map.
import { useEffect, useMemo } from "preact/hooks";
import { address } from "../api/client";
import type { Artifact, Result } from "../api/types";
import { useApi } from "../api/use";
import { count, plural, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { whichDump } from "../lib/profile";
import { artifactHref, profileHref } from "../lib/route";
import { ErrorNote, RunLink, Waiting } from "../parts/small";
import { TraceCanvas } from "../trace/canvas";
import { Details } from "../trace/details";
import { Drawer, type TabPage } from "../trace/drawer";
import { type TraceInfo, type TraceOverview, infoOf } from "../trace/info";
import { useKeys } from "../trace/keys";
import { Overview } from "../trace/overview";
import { spanText } from "../trace/time";
import { Toolbar } from "../trace/toolbar";
import { useUrl } from "../trace/use_url";
import { Viewer, useViewer } from "../trace/viewer";

export function TracePage({ id }: { id: string }) {
  const isNumber = /^\d{1,15}$/.test(id);
  const { data, error, again } = useApi<TraceOverview>(isNumber ? address(`/traces/${id}`) : null);
  // Of a stored trace little changes; another one may have its id some day.
  const info = useMemo(() => (data ? infoOf(data) : null), [data?.id, data?.key]);
  useTitle("Trace");
  if (!isNumber) {
    return (
      <div class="empty">
        <h1>A trace's address ends with its number.</h1>
        <p>
          Look for it in the list of <a href="/artifacts?kind=trace">traces</a>.
        </p>
      </div>
    );
  }
  if (!info) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  return <Timeline key={`${info.id} ${info.key}`} info={info} />;
}

function Timeline({ info }: { info: TraceInfo }) {
  const viewer = useMemo(() => new Viewer(info), [info]);
  useEffect(() => () => viewer.stop(), [viewer]);
  useUrl(viewer);
  useKeys(viewer);
  const pages: TabPage[] = [{ tab: "details", title: "Details", render: () => <Details viewer={viewer} /> }];
  return (
    <div class="trace">
      <Head info={info} />
      <Toolbar viewer={viewer} />
      {viewer.sections.length === 0 ? (
        <p class="empty">This trace has no slices: nothing in it has a length.</p>
      ) : (
        <>
          <Overview viewer={viewer} />
          <TraceCanvas viewer={viewer} />
        </>
      )}
      <Drawer viewer={viewer} pages={pages} />
      <Spoken viewer={viewer} />
    </div>
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

function Head({ info }: { info: TraceInfo }) {
  const { data: artifact } = useApi<Artifact>(info.artifact === null ? null : address(`/artifacts/${info.artifact}`));
  const [result] = artifact?.results ?? [];
  const tracks = info.tracks.filter((one) => one.slices > 0).length;
  const { data: about } = useApi<Result>(result ? address(`/runs/${result.run.id}/results/${result.experiment_id}`) : null);
  const file = artifact ? shown(artifact.name.split("/").pop() ?? "") : `Trace ${info.id}`;
  const name = about && artifact ? `${shown(about.experiment.model)}, ${about.experiment.column}, ${testName(about.experiment.test)}, ${whichDump(artifact)}` : file;
  useTitle(about ? `Trace of ${about.experiment.model}, ${about.experiment.column}` : `Trace ${file}`);
  return (
    <header class="trace-head">
      <h1>
        {name}: {plural(info.events, "event")} on {plural(tracks, "track")} in {spanText(info.end)}
        {info.tracksLeftOut > 0 && `, without ${count(info.tracksLeftOut)} more tracks`}
      </h1>
      <nav class="trace-ways" aria-label="What this trace is of">
        {result && (
          <>
            <span class="quiet">run</span> <RunLink run={result.run} /> <a href={profileHref(result.run.id, result.experiment_id)}>profile</a>
          </>
        )}
        {artifact && <a href={artifactHref(artifact)}>report</a>}
      </nav>
    </header>
  );
}
