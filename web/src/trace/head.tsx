// What the page is of, in a sentence, and the ways from it.
import { address } from "../api/client";
import type { Artifact, Result } from "../api/types";
import { useApi } from "../api/use";
import { count, plural, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { whichDump } from "../lib/profile";
import { artifactHref, modelHref, profileHref, traceHref } from "../lib/route";
import { RunLink } from "../parts/small";
import type { TraceInfo } from "./info";
import { type Findings, MARKS, goToFirst, hygieneOf } from "./marks";
import { spanText } from "./time";
import type { Viewer } from "./viewer";

export type About = { artifact: Artifact | null; result: Result | null; name: string; isKnown: boolean };

/** Whose trace it is. */
export function useAbout(info: Pick<TraceInfo, "id" | "artifact">): About {
  const dump = useApi<Artifact>(info.artifact === null ? null : address(`/artifacts/${info.artifact}`));
  const artifact = dump.data;
  const [of] = artifact?.results ?? [];
  const measured = useApi<Result>(of ? address(`/runs/${of.run.id}/results/${of.experiment_id}`) : null);
  const result = measured.data;
  const isKnown = (info.artifact === null || artifact !== null || dump.error !== null) && (!of || result !== null || measured.error !== null);
  const file = artifact ? shown(artifact.name.split("/").pop() ?? "") : `Trace ${info.id}`;
  const name = result && artifact ? `${shown(result.experiment.model)}, ${result.experiment.column}, ${testName(result.experiment.test)}, ${whichDump(artifact)}` : file;
  return { artifact, result, name, isKnown };
}

const sizeWords = (info: TraceInfo): string => {
  const tracks = info.tracks.filter((one) => one.slices > 0).length;
  return `${plural(info.events, "event")} on ${plural(tracks, "track")} in ${spanText(info.end)}${info.tracksLeftOut > 0 ? `, without ${count(info.tracksLeftOut)} more tracks` : ""}`;
};

export function Head({ viewer, about: { artifact, result, name }, findings }: { viewer: Viewer; about: About; findings: Findings | null }) {
  const { info } = viewer;
  useTitle(`Trace of ${name}`);
  const [of] = artifact?.results ?? [];
  return (
    <header class="trace-head">
      <h1>
        {name}: {sizeWords(info)}
      </h1>
      <nav class="trace-ways" aria-label="What this trace is of">
        {of && (
          <>
            <span class="quiet">run</span> <RunLink run={of.run} /> <a href={profileHref(of.run.id, of.experiment_id)}>profile</a>
          </>
        )}
        {result && <a href={modelHref(result.experiment.suite, result.experiment.model, { test: result.experiment.test, accelerator_model: result.experiment.accelerator_model })}>all nights</a>}
        {artifact && <a href={artifactHref(artifact)}>report</a>}
      </nav>
      {findings && <Hygiene viewer={viewer} findings={findings} />}
    </header>
  );
}

/** What was found that costs time, each leading to its first place. */
function Hygiene({ viewer, findings }: { viewer: Viewer; findings: Findings }) {
  const all = hygieneOf(findings);
  if (!all.length) return null;
  return (
    <div class="trace-hygiene" role="group" aria-label="What was found">
      {all.map(({ kind, words }) => (
        <button type="button" class="chip" key={kind} title="Show the first; b and B go on from there" onClick={() => goToFirst(viewer, kind)}>
          <span aria-hidden="true">{MARKS[kind].sign}</span> {words}
        </button>
      ))}
    </div>
  );
}

/** The same of the trace below. */
export function SecondHead({ info }: { info: TraceInfo }) {
  const { name } = useAbout(info);
  return (
    <h2 class="trace-second-name">
      <a href={traceHref(info.id)}>{name}</a> <span class="quiet">{sizeWords(info)}</span>
    </h2>
  );
}
