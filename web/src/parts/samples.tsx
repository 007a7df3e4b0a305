// Every repetition of one result: dots, warm-up hollow, the steady value and its interval behind them.
import { useMemo, useRef } from "preact/hooks";
import { address } from "../api/address";
import type { Measurement, RunRef, Sample } from "../api/types";
import { PER_PAGE, usePages } from "../api/pages";
import { useApi } from "../api/use";
import { columnStyle } from "../lib/backends";
import { ONLY_PROFILED, date, digits, duration, full, plural, testName, unitOf } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { current, kindCounts } from "../lib/profile";
import { profileHref, runHref } from "../lib/route";
import { NightFacts } from "./night_facts";
import { PlainTable } from "./plain_table";
import {
  Backend,
  Copy,
  ErrorNote,
  FailureNote,
  IntervalText,
  Missing,
  Num,
  Signature,
  VerificationSign,
  Waiting,
} from "./small";

/** How many repetitions `steady` drops: 3 where at least 4 exist, 1 where 2 or 3, else none. */
export function warmUp(n: number): number {
  return n >= 4 ? 3 : n >= 2 ? 1 : 0;
}

const numeric = (sample: Sample): number | null =>
  typeof sample === "number" && Number.isFinite(sample) ? sample : null;

export function Dots({
  measurement,
  color,
  interval,
  value,
}: {
  measurement: Measurement;
  color: string;
  interval?: { low: number; high: number } | null;
  value?: number | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = 180;
  const values = measurement.samples.map(numeric);
  const known = values.filter((one) => one !== null);
  const unit = unitOf(known, measurement.unit);
  const dropped = measurement.unit === "s" ? warmUp(values.length) : 0;
  // The axis is that of the steady samples: the first repetition compiles and may be a thousand times slower. It is then
  // written at the edge instead of squeezing the rest into a line.
  const steady = values.slice(dropped).filter((one) => one !== null);
  const focus = steady.length ? steady : known;
  const spread = Math.max(...focus) - Math.min(...focus) || Math.abs(focus[0] as number) * 0.1 || 1;
  const nearby = known.filter((one) => one > Math.min(...focus) - 3 * spread && one < Math.max(...focus) + 3 * spread);
  const from = Math.min(...nearby, interval?.low ?? Infinity) - spread * 0.12;
  const to = Math.max(...nearby, interval?.high ?? -Infinity) + spread * 0.12;
  const left = 72;
  const x = (index: number) =>
    left + 14 + (values.length === 1 ? 0 : (index / (values.length - 1)) * (width - left - 32));
  const y = (one: number) => 24 + (1 - (one - from) / (to - from || 1)) * (height - 52);
  const ticks = evenTicks(from * unit.factor, to * unit.factor).map((tick) => tick / unit.factor);
  const every = Math.max(1, Math.ceil(values.length / Math.max(1, (width - left) / 36)));
  const said = values
    .map((one, index) => `${index}: ${one === null ? String(measurement.samples[index]) : digits(one * unit.factor)}`)
    .join(", ");
  if (!known.length)
    return (
      <p class="quiet">No sample of this metric is a number: {measurement.samples.map(String).join(", ") || "none"}.</p>
    );
  return (
    <div class="dots" ref={box}>
      <svg
        width={Math.max(0, width)}
        height={height}
        role="img"
        aria-label={`${measurement.metric}: ${plural(values.length, "repetition")}, ${said} ${unit.name}`}
      >
        {width > 0 && (
          <>
            {dropped > 0 && values.length > 1 && (
              <rect
                class="warmup"
                x={left}
                y="0"
                width={(x(dropped - 1) + x(dropped)) / 2 - left}
                height={height - 22}
              />
            )}
            {dropped > 0 && (
              <text class="tick" x={left + 4} y={height - 26}>
                warm-up
              </text>
            )}
            {ticks.map((tick) => (
              <g key={tick}>
                <line class="grid" x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
                <text class="tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                  {digits(tick * unit.factor)} {unit.name}
                </text>
              </g>
            ))}
            {interval && (
              <rect
                x={x(dropped) - 6}
                width={Math.max(0, width - 10 - x(dropped))}
                y={y(interval.high)}
                height={Math.max(1, y(interval.low) - y(interval.high))}
                fill={color}
                opacity="0.2"
              />
            )}
            {value != null && (
              <line x1={x(dropped) - 6} x2={width - 4} y1={y(value)} y2={y(value)} stroke={color} stroke-width="1.5" />
            )}
            {values.map((one, index) => (
              <g key={index}>
                {one === null ? (
                  <text class="tick" x={x(index)} y={height - 26} text-anchor="middle">
                    {String(measurement.samples[index])}
                  </text>
                ) : one > to || one < from ? (
                  <text
                    class="tick beyond"
                    x={x(index)}
                    y={one > to ? 22 : height - 30}
                    text-anchor={index === 0 ? "start" : "middle"}
                    fill={color}
                  >
                    <title>{`repetition ${index}: ${full(one)} ${measurement.unit}${index < dropped ? ", warm-up" : ""}; beyond the axis`}</title>
                    {one > to ? "▲" : "▼"} {digits(one * unit.factor)}
                  </text>
                ) : (
                  <circle
                    class={index < dropped ? "dot hollow" : "dot"}
                    cx={x(index)}
                    cy={y(one)}
                    r="4"
                    stroke={color}
                    fill={index < dropped ? "none" : color}
                  >
                    <title>{`repetition ${index}: ${full(one)} ${measurement.unit}${index < dropped ? ", warm-up" : ""}`}</title>
                  </circle>
                )}
                {index % every === 0 && (
                  <text class="tick" x={x(index)} y={height - 6} text-anchor="middle">
                    {index}
                  </text>
                )}
              </g>
            ))}
          </>
        )}
      </svg>
      <p class="quiet note">
        Repetitions in their order; the axis does not start at 0; ▲ with a number: beyond the axis
        {dropped ? `; hollow: the first ${dropped} of ${values.length}, which steady leaves out` : ""}.
      </p>
    </div>
  );
}

function evenTicks(from: number, to: number): number[] {
  const rough = (to - from) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to && ticks.length < 12; tick += step)
    ticks.push(Number(tick.toPrecision(12)));
  return ticks;
}

type Leaf = { path: string; values: (number | null)[] };

/** Nested metrics (dynamo counters, profiles by operation) as rows: path, then one value a repetition. */
export function leaves(json: unknown): Leaf[] {
  const repetitions = Array.isArray(json) ? json : [json];
  const found = new Map<string, (number | null)[]>();
  const walk = (node: unknown, path: string, repetition: number) => {
    if (typeof node === "number" || node === null) {
      const values = found.get(path) ?? new Array<number | null>(repetitions.length).fill(null);
      values[repetition] = node;
      found.set(path, values);
    } else if (typeof node === "object") {
      for (const [key, value] of Object.entries(node)) walk(value, path ? `${path} › ${key}` : key, repetition);
    }
  };
  repetitions.forEach((node, repetition) => walk(node, "", repetition));
  return [...found].map(([path, values]) => ({ path, values })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function Nested({ measurement }: { measurement: Measurement }) {
  const rows = useMemo(() => leaves(measurement.json), [measurement]);
  return (
    <details class="nested">
      <summary>
        <span class="mono">{measurement.metric}</span>{" "}
        <span class="quiet">
          {plural(rows.length, "value")} in{" "}
          {plural(Array.isArray(measurement.json) ? measurement.json.length : 1, "repetition")}
        </span>
      </summary>
      {measurement.explanation && <p class="quiet note">{measurement.explanation}</p>}
      <PlainTable
        caption={measurement.metric}
        heads={[
          { title: "name" },
          { title: "first", right: true },
          { title: "last", right: true },
          { title: "all alike", right: true },
        ]}
      >
        <tbody>
          {rows.slice(0, 400).map((row) => {
            const first = row.values[0] ?? null;
            const last = row.values[row.values.length - 1] ?? null;
            return (
              <tr key={row.path}>
                <th scope="row" class="mono">
                  {row.path}
                </th>
                <td class="right">
                  {first === null ? <Missing why="absent in the first repetition" /> : <Num value={first} />}
                </td>
                <td class="right">
                  {last === null ? <Missing why="absent in the last repetition" /> : <Num value={last} />}
                </td>
                <td class="right quiet" title={row.values.map((one) => one ?? "absent").join(", ")}>
                  {row.values.every((one) => one === first) ? "yes" : "no"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
    </details>
  );
}

/** Everything about one result, opened by a click on a point. */
export function ResultPanel({
  run,
  experiment,
  metric,
  runs,
  onClose,
}: {
  run: number;
  experiment: number;
  metric: string;
  runs: readonly RunRef[];
  onClose: () => void;
}) {
  const detail = useApi(address("/runs/{run}/results/{experiment}", { run, experiment }));
  const measured = usePages(
    address("/runs/{run}/results/{experiment}/measurements", { run, experiment, limit: PER_PAGE }),
    { whole: true },
  );
  const dumps = usePages(address("/artifacts", { run, experiment, superseded: "false", limit: PER_PAGE }), {
    whole: true,
  });
  const kinds = kindCounts(current(dumps.data?.items ?? []));
  const result = detail.data;
  const effective = result?.lines.find((line) => line.effective.includes("timing"))?.id;
  const all = measured.data?.items ?? [];
  const mine = all.filter((one) => effective === undefined || one.line_id === effective);
  const arrays = mine.filter((one) => one.shape === "array" && one.samples.length);
  const preferred =
    (
      {
        steady: "per_iter_time",
        upstream: "total_time",
        compile: "total_time",
        speedup: "per_iter_time",
        xla_compile: "xla_CompileTime_time_s",
      } as Record<string, string>
    )[metric] ?? metric;
  const main =
    arrays.find((one) => one.metric === preferred) ?? arrays.find((one) => one.metric === "per_iter_time") ?? arrays[0];
  const error = detail.error ?? measured.error;
  const relError = result?.lines.find((line) => line.effective.includes("verification"))?.mean_rel_error ?? null;
  return (
    <section
      class={`panel${detail.late || measured.late ? " late" : ""}`}
      aria-label="Samples"
      id="samples"
      tabIndex={-1}
    >
      <div class="panel-head">
        {result ? (
          <h3>
            <Backend
              name={result.experiment.column}
              backend={result.experiment.backend}
              link={{ accelerator_model: result.experiment.accelerator_model, test: result.experiment.test }}
            />{" "}
            {testName(result.experiment.test)}, night of{" "}
            <a class="mono" href={runHref(result.run, { test: result.experiment.test })} title={result.run.name}>
              {date(result.run.started_at)}
            </a>{" "}
            <VerificationSign verification={result.verification} />
            {result.only_profiled && <span class="quiet">{ONLY_PROFILED}</span>}
            {relError !== null && (
              <span class="quiet" title={`verification_mean_rel_error: ${full(relError)}`}>
                {" "}
                mean relative error {digits(relError)}
              </span>
            )}
          </h3>
        ) : (
          <h3>Samples</h3>
        )}
        <div class="panel-actions">
          <a
            class="button"
            href={profileHref(run, experiment)}
            title={
              kinds.length
                ? `Where the time went, from ${kinds.map((one) => one.text).join(", ")}`
                : "Where the time went, from the metrics of the result; nothing was dumped beside it"
            }
          >
            Profile {kinds.length > 0 && <span class="quiet">{plural(dumps.data?.total ?? 0, "dump")}</span>}
          </a>
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
      {error && <ErrorNote error={error} again={() => (detail.again(), measured.again())} kept={!!result} />}
      {!error && (!result || !measured.data) && <Waiting rows={5} />}
      {result?.failure && (
        <p>
          <FailureNote failure={result.failure} /> {result.failure.after_timing ? "after it had been timed: " : ""}
          <Signature text={result.failure.signature} />{" "}
          <a href={`/api/v1/lines/${result.failure.line_id}/error`} target="_blank" rel="noopener">
            whole text
          </a>
        </p>
      )}
      {result && measured.data && (
        <div class="panel-body">
          <div>
            {main ? (
              <>
                <p class="note">
                  <span class="mono">{main.metric}</span> <span class="quiet">{main.explanation}</span>
                  {result.steady && main.metric === "per_iter_time" && (
                    <>
                      {" "}
                      steady <strong>{duration(result.steady.value)}</strong>{" "}
                      <IntervalText
                        interval={result.steady.interval}
                        factor={unitOf([result.steady.value], "s").factor}
                      />{" "}
                      <span class="quiet">n {result.steady.n}, within the run</span>
                    </>
                  )}
                </p>
                <Dots
                  measurement={main}
                  color={columnStyle(result.experiment.column, result.experiment.backend).color}
                  value={main.metric === "per_iter_time" ? result.steady?.value : null}
                  interval={main.metric === "per_iter_time" ? result.steady?.interval : null}
                />
              </>
            ) : (
              <p class="quiet">This result has no samples{result.failure ? ": it failed before it was timed" : ""}.</p>
            )}
          </div>
          <div>
            {mine.length > 0 && (
              <PlainTable
                caption="Metrics of this result"
                heads={[
                  { title: "metric" },
                  { title: "n", right: true },
                  { title: "median", right: true },
                  { title: "least", right: true },
                  { title: "most", right: true },
                  { title: "unit" },
                ]}
              >
                <tbody>
                  {mine
                    .filter((one) => one.shape !== "nested")
                    .map((one) => {
                      const unit = unitOf(one.median === null ? [] : [one.median], one.unit);
                      return (
                        <tr key={one.metric}>
                          <th scope="row" class="mono" title={one.explanation}>
                            {one.metric}
                          </th>
                          <td class="right">{one.n}</td>
                          {[one.median, one.min, one.max].map((value, index) => (
                            <td class="right" key={index}>
                              {value === null ? (
                                <Missing why={one.shape === "null" ? "the line says null" : "no usable sample"} />
                              ) : (
                                <Num value={value} factor={unit.factor} />
                              )}
                            </td>
                          ))}
                          <td class="quiet">{unit.name}</td>
                        </tr>
                      );
                    })}
                </tbody>
              </PlainTable>
            )}
            {mine
              .filter((one) => one.shape === "nested")
              .map((one) => (
                <Nested key={one.metric} measurement={one} />
              ))}
            <details class="nested">
              <summary>
                Where it comes from <span class="quiet">{plural(result.lines.length, "line")}</span>
              </summary>
              <ul class="lines">
                {result.lines.map((line) => (
                  <li key={line.id}>
                    {line.kind}
                    {line.code ? `, ${line.code}` : ""}
                    {line.mean_rel_error !== null && (
                      <span
                        title={`verification_mean_rel_error: ${full(line.mean_rel_error)}`}
                      >{`, mean relative error ${digits(line.mean_rel_error)}`}</span>
                    )}
                    : <Copy text={`${line.file}:${line.line_number}`} />
                    <span class="quiet">
                      {" "}
                      byte {line.byte_offset}
                      {line.effective.includes("profiled_timing")
                        ? `; ${ONLY_PROFILED}`
                        : line.effective.length
                          ? `; counts as ${line.effective.join(" and ")}`
                          : "; replaced by a later line"}
                      {line.shared ? "; shared by several batch sizes" : ""}
                    </span>
                  </li>
                ))}
              </ul>
            </details>
          </div>
        </div>
      )}
      {result && <NightFacts result={result} runs={runs} dumps={current(dumps.data?.items ?? [])} />}
    </section>
  );
}
