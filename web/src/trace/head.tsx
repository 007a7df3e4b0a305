// What the page is of, in a sentence, and the ways from it.
import { useState } from "preact/hooks";
import { address } from "../api/address";
import { asApiError, take } from "../api/client";
import type { TraceReport } from "../api/trace";
import type { Artifact, Result } from "../api/types";
import { useApi } from "../api/use";
import { moment, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { whichDump } from "../lib/profile";
import { artifactHref, go, modelHref, profileHref, traceHref } from "../lib/route";
import { OpenTrace, useDropped } from "../parts/drop_trace";
import { RunLink } from "../parts/small";
import { type TraceInfo, sizeWords } from "./info";
import { costsOf, deviceUse } from "./costs";
import { Devices } from "./devices";
import { MARKS, goToMark } from "./marks";
import { type Viewer, useViewer } from "./viewer";

export type About = { artifact: Artifact | null; result: Result | null; name: string; isKnown: boolean };

/** Whose trace it is. */
export function useAbout(info: Pick<TraceInfo, "id" | "artifact">): About {
  const dropped = useDropped().find((one) => one.id === info.id);
  const dump = useApi(info.artifact === null ? null : address("/artifacts/{id}", { id: info.artifact }));
  const artifact = dump.data;
  const [of] = artifact?.results ?? [];
  const measured = useApi(
    of ? address("/runs/{run}/results/{experiment}", { run: of.run.id, experiment: of.experiment_id }) : null,
  );
  const result = measured.data;
  const isKnown =
    (info.artifact === null || artifact !== null || dump.error !== null) &&
    (!of || result !== null || measured.error !== null);
  const file = artifact
    ? shown(artifact.name.split("/").pop() ?? "")
    : dropped
      ? shown(dropped.name)
      : `Trace ${info.id}`;
  const name =
    result && artifact
      ? `${shown(result.experiment.model)}, ${result.experiment.column}, ${testName(result.experiment.test)}, ${whichDump(artifact)}`
      : file;
  return { artifact, result, name, isKnown };
}

/** `report`: "late" while it is fetched, null where there is none. `isBefore`: another trace stands below it. */
export function Head({
  viewer,
  about: { artifact, result, name },
  report,
  isBefore,
}: {
  viewer: Viewer;
  about: About;
  report: TraceReport | "late" | null;
  isBefore: boolean;
}) {
  const { info } = viewer;
  useTitle(`Trace of ${name}`);
  const [of] = artifact?.results ?? [];
  return (
    <header class="trace-head">
      <h1>
        {isBefore && <span class="trace-side">Before: </span>}
        {name}: {sizeWords(info)}
      </h1>
      <nav class="trace-ways" aria-label="What this trace is of">
        {of && (
          <>
            <span class="quiet">run</span> <RunLink run={of.run} />{" "}
            <a href={profileHref(of.run.id, of.experiment_id)}>profile</a>
          </>
        )}
        {result && (
          <a
            href={modelHref(result.experiment.suite, result.experiment.model, {
              test: result.experiment.test,
              accelerator_model: result.experiment.accelerator_model,
            })}
          >
            all nights
          </a>
        )}
        {artifact && <a href={artifactHref(artifact)}>report</a>}
        {info.dropped_until !== null && <OfYours info={info} until={info.dropped_until} />}
        <OpenTrace />
      </nav>
      {(report || viewer.info.devices.length > 0) && (
        <div class="trace-costs" role="group" aria-label="How busy devices were, and what costs time">
          <Devices viewer={viewer} />
          {report === "late" ? (
            <span class="quiet">Reading the report…</span>
          ) : (
            report && <Costs viewer={viewer} report={report} artifact={artifact} />
          )}
        </div>
      )}
    </header>
  );
}

/** Of a trace that who looks dropped: how long it stays, and the way to take it away now. */
function OfYours({ info, until }: { info: TraceInfo; until: string }) {
  const [failed, setFailed] = useState("");
  const remove = async () => {
    try {
      await take(address("/dropped-traces/{id}", { id: info.id }));
      go("/artifacts");
    } catch (problem) {
      setFailed(asApiError(problem, "").message);
    }
  };
  return (
    <>
      <span class="quiet">only you see it, until {moment(until)}</span>
      <button type="button" class="link" onClick={() => void remove()}>
        remove it now
      </button>
      {failed && <span class="warn">{failed}</span>}
    </>
  );
}

/** How busy the device was, and what costs time: each leads to the longest of its places, or to what the report says of it. */
function Costs({ viewer, report, artifact }: { viewer: Viewer; report: TraceReport; artifact: Artifact | null }) {
  const use = deviceUse(report);
  const costs = costsOf(report);
  const findings = useViewer(viewer, (one) => one.findings);
  if (!use && !costs.length) return <span class="quiet">The report lists no problems.</span>;
  return (
    <>
      {use && (
        <span class="quiet" title={use.why}>
          {use.words}
        </span>
      )}
      {costs.map(({ code, severity, words, sentence, mark }) =>
        mark && findings.some((one) => one.kind === mark) ? (
          <button
            type="button"
            class={`chip ${severity}`}
            key={code}
            title={`${sentence}\nShow the longest; b and B go on from there`}
            onClick={() => goToMark(viewer, mark, "longest")}
          >
            <span aria-hidden="true">{MARKS[mark].sign}</span> {words}
          </button>
        ) : (
          <Advice
            severity={severity}
            key={code}
            words={words}
            sentence={sentence}
            href={artifact && `${artifactHref(artifact)}#flags`}
          />
        ),
      )}
    </>
  );
}

/** A trace that was dropped has no page with its report: there the sentence stands behind the words. */
function Advice({
  severity,
  words,
  sentence,
  href,
}: {
  severity: string;
  words: string;
  sentence: string;
  href: string | null;
}) {
  if (href)
    return (
      <a class={`chip ${severity}`} href={href} title={sentence}>
        {words}
      </a>
    );
  return (
    <span class={`chip ${severity}`} title={sentence}>
      {words}
      <span class="sr">: {sentence}</span>
    </span>
  );
}

/** The same of the trace below. */
export function SecondHead({ info }: { info: TraceInfo }) {
  const { name, artifact } = useAbout(info);
  const [of] = artifact?.results ?? [];
  return (
    <h2 class="trace-second-name">
      <span class="trace-side">After: </span>
      <a href={traceHref(info.id)}>{name}</a> {of && <RunLink run={of.run} />}{" "}
      <span class="quiet">{sizeWords(info)}</span>
    </h2>
  );
}
