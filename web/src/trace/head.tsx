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
import { spanText } from "./time";

export type About = { artifact: Artifact | null; result: Result | null; name: string };

/** Whose trace it is. */
export function useAbout(info: Pick<TraceInfo, "id" | "artifact">): About {
  const { data: artifact } = useApi<Artifact>(info.artifact === null ? null : address(`/artifacts/${info.artifact}`));
  const [of] = artifact?.results ?? [];
  const { data: result } = useApi<Result>(of ? address(`/runs/${of.run.id}/results/${of.experiment_id}`) : null);
  const file = artifact ? shown(artifact.name.split("/").pop() ?? "") : `Trace ${info.id}`;
  const name = result && artifact ? `${shown(result.experiment.model)}, ${result.experiment.column}, ${testName(result.experiment.test)}, ${whichDump(artifact)}` : file;
  return { artifact, result, name };
}

const sizeWords = (info: TraceInfo): string => {
  const tracks = info.tracks.filter((one) => one.slices > 0).length;
  return `${plural(info.events, "event")} on ${plural(tracks, "track")} in ${spanText(info.end)}${info.tracksLeftOut > 0 ? `, without ${count(info.tracksLeftOut)} more tracks` : ""}`;
};

export function Head({ info, about: { artifact, result, name } }: { info: TraceInfo; about: About }) {
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
    </header>
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
