// One result's profile: everything that was dumped beside it, and where it says that the time went.
import { useEffect } from "preact/hooks";
import type { TraceReport } from "../api/trace";
import { address } from "../api/address";
import type { Artifact, DynamoReport, PhasesAnswer, ResultDetail } from "../api/types";
import { useApi } from "../api/use";
import { ONLY_PROFILED, count, daysAfter, daysBefore, duration, plural, runName, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { inOrder } from "../lib/neighbours";
import { KINDS, KIND_ORDER, kindCounts, whichDump } from "../lib/profile";
import { useProfile } from "../lib/profile_data";
import { modelHref, profileDiffHref, traceHref, useQuery } from "../lib/route";
import { Choice, Select } from "../parts/controls";
import { Backend, Copy, ErrorNote, RunLink, Section, Sentence, VerificationSign, Waiting } from "../parts/small";
import { verdictWords } from "../parts/profile/compile";
import { ranOnDevice } from "../parts/profile/device";
import { profileSections } from "../parts/profile/sections";

export function ProfilePage() {
  const [query] = useQuery();
  const run = query.get("run") ?? "";
  const experiment = query.get("experiment") ?? "";
  if (!run || !/^\d+$/.test(experiment)) return <Unnamed />;
  return <Profile key={`${run} ${experiment}`} run={run} experiment={experiment} />;
}

function Unnamed() {
  useTitle("Profile");
  return (
    <div class="empty">
      <h1>A profile is of one result: a run, and an experiment in it.</h1>
      <p>
        Open a model from a <a href="/runs">run</a>, click a night in its charts, then “profile”; or begin with the list
        of <a href="/artifacts">dumps</a>.
      </p>
    </div>
  );
}

function Profile({ run, experiment }: { run: string; experiment: string }) {
  const [query] = useQuery();
  const { profile, error, again } = useProfile(run, experiment, query.get("repetition"));
  const about = profile?.result.experiment;
  useTitle(about ? `Profile of ${about.model}, ${about.column}, ${testName(about.test)}` : "Profile");
  const hash = location.hash.slice(1);
  useEffect(() => {
    if (hash && profile) document.getElementById(hash)?.scrollIntoView();
  }, [!!profile]);

  if (!profile) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={16} />;
  const { result, dumps } = profile;
  const sections = profileSections(profile).filter((one) => one.when);
  return (
    <div class="profile">
      <Head
        result={result}
        phases={profile.phases.data}
        report={profile.trace.report}
        dynamo={profile.dumped.data?.dynamo ?? null}
        dumps={dumps.now}
        trace={dumps.trace}
      />
      {error && <ErrorNote error={error} again={again} kept />}
      <div class="toolbar">
        <Repetition known={dumps.repetitions} value={dumps.repetition} />
        <Compare result={result} />
      </div>
      {dumps.now.length > 0 && (
        <nav class="toc" aria-label="Sections of this profile">
          {sections.map(({ id, short }) => (
            <a key={id} href={hereWith(id)}>
              {short}
            </a>
          ))}
        </nav>
      )}
      {sections.map(({ id, title, note, render }) => (
        <Section key={id} id={id} title={title} note={note}>
          {render()}
        </Section>
      ))}
      <NotDumped artifacts={dumps.now} />
    </div>
  );
}

/** More repetitions than this do not fit side by side. */
const MOST_BUTTONS = 8;

function Repetition({ known, value }: { known: number[]; value: number | null }) {
  const [, setQuery] = useQuery();
  if (known.length < 2) return null;
  const isFew = known.length <= MOST_BUTTONS;
  const chosen = {
    label: "Repetition",
    value: String(value),
    options: known.map((one) => ({ value: String(one), text: isFew && one === 0 ? "0, the first" : String(one) })),
    onChange: (asked: string) =>
      setQuery({
        repetition: Number(asked) === known[known.length - 1] ? null : asked,
        table: null,
        irfile: null,
        module: null,
      }),
  };
  return isFew ? <Choice {...chosen} /> : <Select {...chosen} />;
}

const hereWith = (hash: string): string => `/profile${location.search}#${hash}`;

/** What a person would say: how long, where it went, whether it is compiled, whether it breaks. */
export function profileSentence(
  result: ResultDetail,
  phases: PhasesAnswer | null,
  report: TraceReport | null,
  breaks: number | null,
): string {
  const { experiment } = result;
  const parts: string[] = [];
  if (result.steady) parts.push(`${duration(result.steady.value)} steady`);
  else if (result.failure) parts.push("failed");
  if (result.only_profiled) parts.push(ONLY_PROFILED);
  const cost = phases?.first_excess;
  if (cost && !cost.noise) parts.push(`the first repetition cost ${duration(cost.seconds)} more`);
  if (report) {
    if (experiment.dynamo) parts.push(verdictWords(report));
    if (ranOnDevice(report) && report.device.utilization !== null)
      parts.push(`the device was busy ${(report.device.utilization * 100).toFixed(0)} % of the time`);
  }
  const found = report?.graph_breaks.breaks
    ? `${plural(report.graph_breaks.breaks, "region")} behind graph breaks`
    : breaks
      ? plural(breaks, "graph break")
      : "";
  if (found) parts.push(found);
  return `${shown(experiment.model)}, ${experiment.column}, ${testName(experiment.test)}${parts.length ? `: ${parts.join("; ")}` : ""}.`;
}

function Head({
  result,
  phases,
  report,
  dynamo,
  dumps,
  trace,
}: {
  result: ResultDetail;
  phases: PhasesAnswer | null;
  report: TraceReport | null;
  dynamo: DynamoReport | null;
  dumps: Artifact[];
  trace: Artifact | undefined;
}) {
  const { experiment, run } = result;
  const kinds = kindCounts(dumps);
  return (
    <header class="page-head">
      <div class="kicker">
        <span>{experiment.suite}</span>
        <span class="accel">{experiment.accelerator_model}</span>
        <span>
          run <RunLink run={run} />
        </span>
        <a
          href={modelHref(experiment.suite, experiment.model, {
            test: experiment.test,
            accelerator_model: experiment.accelerator_model,
          })}
        >
          all nights of {shown(experiment.model)}
        </a>
        <Copy text={experiment.model}>{shown(experiment.model)}</Copy>
        <span>{testName(experiment.test)}</span>
        <span>{experiment.batch_size === null ? "batch size unknown" : `batch ${count(experiment.batch_size)}`}</span>
        <VerificationSign verification={result.verification} />
      </div>
      <h1>
        <Sentence text={profileSentence(result, phases, report, dynamo?.graph_break_count ?? null)} />
      </h1>
      <p class="chips">
        <Backend
          name={experiment.column}
          backend={experiment.backend}
          link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
        />
        {kinds.map((one) => (
          <a key={one.kind} class="chip" href={hereWith(KINDS[one.kind].section)} title={KINDS[one.kind].words}>
            {one.text}
          </a>
        ))}
        {trace && trace.trace_id !== null && (
          <a
            class="chip"
            href={traceHref(trace.trace_id)}
            title="What happened when, on one axis, to be moved through like a map"
          >
            timeline of {whichDump(trace)}
          </a>
        )}
        {!kinds.length && <span class="quiet">nothing was dumped beside this result</span>}
      </p>
    </header>
  );
}

function Compare({ result }: { result: ResultDetail }) {
  const {
    data: found,
    error,
    again,
  } = useApi(
    address("/runs/{run}/results/{experiment}/neighbours", { run: result.run.id, experiment: result.experiment.id }),
  );
  const own = { run: result.run.id, experiment: result.experiment.id };
  return (
    <div class="field" role="group" aria-label="Compare with">
      <span aria-hidden="true">Compare with</span>
      <div class="compare">
        {error && <ErrorNote error={error} again={again} kept={!!found} />}
        {!found && !error && <span class="quiet">looking for dumps …</span>}
        {found?.before && (
          <a
            class="button"
            href={profileDiffHref({ run: found.before.id, experiment: own.experiment }, own)}
            title="The last night before this one that has dumps of this result"
          >
            {runName(found.before)}, {daysBefore(found.before.started_at, result.run.started_at)}
          </a>
        )}
        {found?.after && (
          <a
            class="button"
            href={profileDiffHref(own, { run: found.after.id, experiment: own.experiment })}
            title="The first night after this one that has dumps of this result"
          >
            {runName(found.after)}, {daysAfter(found.after.started_at, result.run.started_at)}
          </a>
        )}
        {inOrder(found?.others ?? [], result.experiment).map((one) => (
          <a
            key={one.id}
            class="button"
            href={profileDiffHref({ run: own.run, experiment: one.id }, own)}
            title="Another backend on the same night"
          >
            {one.column}
            {one.batch_size !== result.experiment.batch_size && one.batch_size !== null
              ? `, batch ${one.batch_size}`
              : ""}
          </a>
        ))}
        {found && !found.before && !found.after && !found.others.length && (
          <span class="quiet">no other night or backend has dumps</span>
        )}
      </div>
    </div>
  );
}

function NotDumped({ artifacts }: { artifacts: Artifact[] }) {
  const missing = KIND_ORDER.filter((kind) => !artifacts.some((one) => one.kind === kind));
  if (!missing.length) return null;
  return (
    <p class="foot quiet">
      Not dumped for this result:{" "}
      {missing.map((kind, index) => (
        <>
          {index > 0 && "; "}
          <span title={KINDS[kind].words}>{KINDS[kind].many}</span> (<span class="mono">{KINDS[kind].flag}</span>)
        </>
      ))}
      .
    </p>
  );
}
