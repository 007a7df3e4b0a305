// One night of one result beside its numbers: which commits, what was dumped, what people said of it, how to run it again.
import { address } from "../api/address";
import type { Artifact, Experiment, ResultDetail, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { bytes, plural, runName } from "../lib/format";
import { kindName, whichDump } from "../lib/profile";
import { artifactHref, useQuery } from "../lib/route";
import { Select } from "./controls";
import { NightMarks } from "./marks";
import { QualityOfNight } from "./night_quality";
import { Command, LabelRange, Labels, RunLink } from "./small";

/** Every setting of an experiment beside its model, test and accelerator, as name and value. */
export function settings(experiment: Experiment): [string, string][] {
  const all: [string, unknown][] = [
    ["batch size", experiment.batch_size],
    ["dynamo", experiment.dynamo],
    ["xla", experiment.xla],
    ["torch_xla2", experiment.torch_xla2],
    ["xla_flags", experiment.xla_flags],
    ...Object.entries(experiment.flags),
  ];
  return all
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Labels that differ between two nights, or that only one of them has. */
export function differing(before: Record<string, string>, after: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => before[key] !== after[key])
    .sort();
}

/** `runs`: the nights of the page, oldest first. */
export function NightFacts({
  result,
  runs,
  dumps,
}: {
  result: ResultDetail;
  runs: readonly RunRef[];
  dumps: readonly Artifact[];
}) {
  const run = useApi(address("/runs/{run}", { run: result.run.id })).data;
  const own = settings(result.experiment);
  const { timing, verification } = result.reproduction;
  return (
    <>
      <dl class="facts night-facts">
        <dt>Run</dt>
        <dd>
          <RunLink run={result.run} /> <Labels labels={result.run.labels} />
        </dd>
        <Against run={result.run} runs={runs} />
        <dt>Configuration</dt>
        <dd class="settings">
          {own.length === 0 && <span class="quiet">nothing is set</span>}
          {own.map(([name, value]) => (
            <span key={name}>
              <span class="quiet">{name}</span> <span class="mono">{value}</span>
            </span>
          ))}
        </dd>
        <dt>Dumps</dt>
        <dd class="settings">
          {dumps.length === 0 && <span class="quiet">nothing was dumped beside it</span>}
          {dumps.map((one) => (
            <a key={one.id} href={artifactHref(one)} title={one.name}>
              {kindName(one.kind)}, {whichDump(one)} <span class="quiet">{bytes(one.byte_count)}</span>
            </a>
          ))}
        </dd>
        <dt>Of this night</dt>
        <dd>
          <QualityOfNight run={result.run} always />{" "}
          {run && run.id === result.run.id ? (
            <>
              {run.marks.length === 0 && <span class="quiet">nothing was said of it</span>}{" "}
              <NightMarks key={run.id} run={run} />
            </>
          ) : (
            <span class="quiet">…</span>
          )}
        </dd>
      </dl>
      <div class="wide-command">
        <p class="note quiet">
          Measure it again{result.repeat !== null ? `, ${plural(result.repeat, "repetition")}` : ""}
        </p>
        <Command text={timing} />
        {verification !== null && (
          <>
            <p class="note quiet">Verify it again</p>
            <Command text={verification} />
          </>
        )}
      </div>
    </>
  );
}

/** Which labels are others than on another night, the one before unless somebody chose. */
function Against({ run, runs }: { run: RunRef; runs: readonly RunRef[] }) {
  const [query, setQuery] = useQuery();
  const place = runs.findIndex((one) => one.id === run.id);
  const asked = runs.find((one) => String(one.id) === query.get("against"));
  const usual = runs[place - 1];
  const other = asked && asked.id !== run.id ? asked : usual;
  const others = runs.filter((one) => one.id !== run.id);
  if (!others.length) return null;
  const isEarlier = !other || other.started_at <= run.started_at;
  const before = (isEarlier ? other : run)?.labels ?? {};
  const after = (isEarlier || !other ? run : other).labels;
  const keys = differing(before, after);
  const anyLabel = Object.keys(before).length + Object.keys(after).length > 0;
  return (
    <>
      <dt>Commits</dt>
      <dd class="against">
        <Select
          label="between it and"
          value={other ? String(other.id) : ""}
          options={[
            ...(other ? [] : [{ value: "", text: "no night before it" }]),
            ...[...others].reverse().map((one) => ({ value: String(one.id), text: runName(one) })),
          ]}
          onChange={(value) => setQuery({ against: value === String(usual?.id ?? "") ? null : value })}
        />
        {other && keys.length === 0 && (
          <span class="quiet">
            {anyLabel
              ? "the labels are the same"
              : "neither night has labels: give them with benchhud ingest --label key=value"}
          </span>
        )}
        {other &&
          keys.map((key) => (
            <span key={key}>
              <span class="quiet">{key}</span>{" "}
              <LabelRange name={key} before={before[key] ?? null} after={after[key] ?? null} />
            </span>
          ))}
      </dd>
    </>
  );
}
