// What a model's page tells beside its charts: its alerts, the nights on which it failed, its configurations.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import { PER_PAGE, usePages } from "../api/pages";
import type { RunRef, Series } from "../api/types";
import { FOLDED } from "../lib/alerts";
import { count, date, plural } from "../lib/format";
import { AlertLinks } from "./alert_bits";
import { settings } from "./night_facts";
import { PlainTable } from "./plain_table";
import { Backend, ErrorNote, Missing, Section, Signature } from "./small";

export type NightHref = (run: RunRef, series: Series) => string;

const OVER = new Set<string>(FOLDED.flatMap((fold) => fold.states));

/** Alerts with a series of this model, on this machine: what is not dealt with, then the rest on demand. */
export function ModelAlerts({ suite, model, accelerator }: { suite: string; model: string; accelerator: string }) {
  const { data, late, error, again, isComplete } = usePages(
    address("/alerts", { state: "all", suite, model, accelerator_model: accelerator, limit: PER_PAGE }),
    { whole: true },
  );
  const open = data?.items.filter((alert) => !OVER.has(alert.state)) ?? [];
  const over = data?.items.filter((alert) => OVER.has(alert.state)) ?? [];
  return (
    <Section
      id="alerts"
      title={<>Alerts {isComplete && <span class="quiet">{count(open.length)}</span>}</>}
      note="Changes for good of any of its series, inference or training, by whatever backend."
    >
      {error && <ErrorNote error={error} again={again} kept={!!data} />}
      {!isComplete && !error && <p class="quiet">…</p>}
      {data && (
        <div class={late ? "late" : ""}>
          {open.length ? (
            <AlertLinks alerts={open} />
          ) : isComplete ? (
            <p class="quiet">Nothing that is watched has changed, or all of it is dealt with.</p>
          ) : null}
          {over.length > 0 && (
            <details class="nested">
              <summary>
                Over, or dealt with <span class="quiet">{count(over.length)}</span>
              </summary>
              <AlertLinks alerts={over} />
            </details>
          )}
        </div>
      )}
    </Section>
  );
}

type FailedNights = { series: Series; signature: string; nights: number[] };

/** Of each series its errors, each with the nights on which it was so, the one of the latest night first. */
export function failedNights(series: readonly Series[]): FailedNights[] {
  const groups: FailedNights[] = [];
  for (const one of series) {
    const bySignature = new Map<string, number[]>();
    one.failures.forEach((signature, index) => {
      if (signature !== null) bySignature.set(signature, [...(bySignature.get(signature) ?? []), index]);
    });
    for (const [signature, nights] of bySignature) groups.push({ series: one, signature, nights });
  }
  const last = (group: FailedNights) => group.nights[group.nights.length - 1] as number;
  return groups.sort((a, b) => last(b) - last(a) || b.nights.length - a.nights.length);
}

export function FailedNightsTable({
  runs,
  series,
  hrefOf,
  late,
}: {
  runs: readonly RunRef[];
  series: readonly Series[];
  hrefOf: NightHref;
  late: boolean;
}) {
  const groups = useMemo(() => failedNights(series), [series]);
  const night = (group: FailedNights, index: number) => {
    const run = runs[index] as RunRef;
    return (
      <a class="mono" href={hrefOf(run, group.series)} title={`${run.name}: its lines and the whole error`}>
        {date(run.started_at)}
      </a>
    );
  };
  return (
    <Section
      id="failed"
      title="Failed nights"
      note="One row per error and backend, without addresses, numbers and paths; the error's page lists where else it occurs."
    >
      {groups.length === 0 ? (
        <p class="quiet">It failed on none of these {plural(runs.length, "night")}.</p>
      ) : (
        <PlainTable
          caption="Errors of failed nights"
          class="failed-nights"
          late={late}
          heads={[
            { title: "Backend" },
            { title: "Error" },
            { title: "Nights", right: true },
            { title: "First" },
            { title: "Last" },
          ]}
        >
          <tbody>
            {groups.map((group) => {
              const last = group.nights[group.nights.length - 1] as number;
              const { experiment } = group.series;
              return (
                <tr key={`${experiment.id} ${group.signature}`}>
                  <th scope="row">
                    <Backend
                      name={experiment.column}
                      backend={experiment.backend}
                      link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
                    />
                    {experiment.batch_size !== null && <span class="quiet"> batch {count(experiment.batch_size)}</span>}
                  </th>
                  <td class="wrap">
                    <Signature text={group.signature} />
                  </td>
                  <td class="right" title={`of ${plural(runs.length, "night")} shown`}>
                    <span class="num">{count(group.nights.length)}</span>
                  </td>
                  <td>{night(group, group.nights[0] as number)}</td>
                  <td>
                    {night(group, last)} {last === runs.length - 1 && <span class="warn">still</span>}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}

/** A column for each setting that any configuration has; what differs is why there are several. */
export function Configurations({
  runs,
  series,
  hrefOf,
}: {
  runs: readonly RunRef[];
  series: readonly Series[];
  hrefOf: NightHref;
}) {
  const all = series.map((one) => ({ one, own: new Map(settings(one.experiment)) }));
  const names = [...new Set(all.flatMap(({ own }) => [...own.keys()]))];
  if (!series.length) return null;
  return (
    <Section id="configurations" title="Configurations" note="All metrics except times: one row per experiment.">
      <PlainTable
        caption="Settings of each experiment"
        heads={[
          { title: "Backend" },
          ...names.map((name) => ({ title: name, right: name === "batch size" })),
          { title: "Nights timed", right: true, hint: `of ${plural(runs.length, "night")} shown` },
          { title: "Last timed" },
        ]}
      >
        <tbody>
          {all.map(({ one, own }) => {
            const timed = one.points.map((point, index) => (point ? index : -1)).filter((index) => index >= 0);
            const last = timed[timed.length - 1];
            return (
              <tr key={one.experiment.id}>
                <th scope="row">
                  <Backend
                    name={one.experiment.column}
                    backend={one.experiment.backend}
                    link={{ accelerator_model: one.experiment.accelerator_model, test: one.experiment.test }}
                  />
                </th>
                {names.map((name) => (
                  <td key={name} class={name === "batch size" ? "right" : "setting"}>
                    {own.has(name) ? (
                      <span class="mono">{own.get(name)}</span>
                    ) : (
                      <Missing flush why={name === "batch size" ? "unknown, or the model has none" : "not set"} />
                    )}
                  </td>
                ))}
                <td class="right">
                  <span class="num">{count(timed.length)}</span>
                </td>
                <td>
                  {last === undefined ? (
                    <Missing flush why="never timed on these nights" />
                  ) : (
                    <a class="mono" href={hrefOf(runs[last] as RunRef, one)}>
                      {date((runs[last] as RunRef).started_at)}
                    </a>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
    </Section>
  );
}
