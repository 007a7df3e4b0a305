// Numbers of profiles over runs, under the time axis of the charts of timings: how busy devices were, how long idle, what they did most.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { ProfilePoint, ProfileSeriesAnswer } from "../api/types";
import { useApi } from "../api/use";
import { byBackend } from "../lib/backends";
import { bytes, date, plural, unitOf, unitOfBytes, type Unit } from "../lib/format";
import { PEAK_MEMORY_OF, profilePairs } from "../lib/iteration_parts";
import { nanoseconds, percent } from "../lib/profile";
import type { Range } from "../lib/range";
import { go, here, profileComparisonHref, profileHref } from "../lib/route";
import { Chart, type ChartSeries } from "./chart";
import { CsvLink } from "./controls";
import { PlainTable } from "./plain_table";
import { ErrorNote, Missing, RunLink, Section } from "./small";

type NumberOfProfile = {
  key: string;
  title: string;
  note: string;
  unit: string;
  of: (point: ProfilePoint) => number | null;
};

const PERCENT: Unit = { name: "%", factor: 100 };
const seconds = (ns: number | null): number | null => (ns === null ? null : ns / 1e9);

export const NUMBERS: NumberOfProfile[] = [
  {
    key: "busy",
    title: "Devices busy",
    note: "share of the iterations in which any device works",
    unit: "%",
    of: (point) => point.busy_share,
  },
  {
    key: "idle",
    title: "Devices idle",
    note: "time of an iteration in which no device works",
    unit: "s",
    of: (point) => seconds(point.idle_ns),
  },
  {
    key: "top",
    title: "Largest class of kernels",
    note: "its share of the time on devices; the class may change from run to run, the table names it",
    unit: "%",
    of: (point) => point.top_share,
  },
  {
    key: "compiling",
    title: "Compiled in the profile",
    note: "time in which anything was compiled while the profiler ran",
    unit: "s",
    of: (point) => seconds(point.compiling_ns),
  },
  {
    key: "memory",
    title: "Peak of memory",
    note: "the most in use at once within the profile, of the device or allocator with the most; measures of XLA, of PyTorch on devices and on the CPU do not compare, the table says whose each is",
    unit: "bytes",
    of: (point) => point.peak_memory_bytes,
  },
  {
    key: "reserved",
    title: "Peak of reserved memory",
    note: "the most that PyTorch's allocator of one device held at once within the profile, in use or not",
    unit: "bytes",
    of: (point) => point.peak_reserved_bytes,
  },
];

/** The numbers that any run knows. */
export const knownNumbers = (answer: ProfileSeriesAnswer): NumberOfProfile[] =>
  NUMBERS.filter((one) =>
    answer.series.some(({ points }) => points.some((point) => point !== null && one.of(point) !== null)),
  );

/** A line per experiment as a chart draws it; runs without a profile, or whose profile does not say it, are gaps. */
export function linesOf(answer: ProfileSeriesAnswer, number: NumberOfProfile): ChartSeries[] {
  return answer.series
    .map(({ experiment, points }) => ({
      experiment,
      points: points.map((point) => {
        const value = point === null ? null : number.of(point);
        return value === null ? null : { value, low: null, high: null, n: 1, flags: [] };
      }),
      codes: points.map(() => null),
      failures: points.map(() => null),
      changes: [],
    }))
    .filter((one) => one.points.some((point) => point !== null))
    .sort((a, b) => byBackend(a.experiment.backend, b.experiment.backend));
}

function chartOf(answer: ProfileSeriesAnswer, number: NumberOfProfile) {
  const lines = linesOf(answer, number);
  const values = lines.flatMap((one) => one.points.map((point) => point?.value ?? NaN));
  return {
    number,
    lines,
    unit: number.unit === "%" ? PERCENT : number.unit === "bytes" ? unitOfBytes(values) : unitOf(values, number.unit),
  };
}

export function ProfilesOverRuns({
  common,
  range,
  onRange,
  isShown,
}: {
  common: Record<string, string | number>;
  range: Range;
  onRange: (range: Range) => void;
  isShown: (column: string) => boolean;
}) {
  const { data, late, error, again } = useApi(address("/series/profiles", common));
  const shown = useMemo(
    () => (data ? { ...data, series: data.series.filter((one) => isShown(one.experiment.column)) } : null),
    [data, here().query.get("off")],
  );
  // A chart that is given another list of series is made anew.
  const charts = useMemo(() => (shown ? knownNumbers(shown).map((number) => chartOf(shown, number)) : []), [shown]);
  if (error && !data) return <ErrorNote error={error} again={again} />;
  // Most models have no profile, and a section of its own would say that on every page.
  if (!data || !shown || !data.series.length) return null;
  const pairs = profilePairs(data).slice(0, 6);
  const isReadAgain = shown.series.some(({ points }) =>
    points.some((point) => point !== null && point.missing !== null),
  );
  return (
    <Section
      id="profiles"
      title="Profiles over runs"
      note="By the last repetition's profile of each run; runs without one are gaps. No detector watches these numbers: a change of them raises no alert."
      actions={<CsvLink href={address("/series/profiles", { ...common, format: "csv" })} name="profiles.csv" />}
    >
      {pairs.length > 0 && (
        <p class="note two-backends">
          Where an iteration goes, by the latest profiles of two backends:{" "}
          {pairs.map(({ left, right, differs }, index) => (
            <span key={`${left.column} ${right.column}`}>
              {index > 0 && ", "}
              <a href={profileComparisonHref(left, right)}>
                {left.column} and {right.column}
              </a>
              {differs && ` (${differs})`}
            </span>
          ))}
          .
        </p>
      )}
      {isReadAgain && (
        <p class="note">
          Some profiles were taken in by an older version: their numbers are missing until a server that may write to
          the store has read them again, soon after it starts; <code>benchhud rebuild</code> does so at once.
        </p>
      )}
      {charts.length === 0 && !isReadAgain && (
        <p class="quiet">
          The profiles say none of these numbers: they show neither work of a device, nor what the host compiled, nor
          allocators.
        </p>
      )}
      {charts.map(({ number, lines, unit }) => (
        <Chart
          key={number.key}
          title={number.title}
          note={`${unit.name}; ${number.note}`}
          runs={data.runs}
          series={lines}
          unit={unit}
          unitWord={unit.name}
          height={140}
          range={range}
          onRange={onRange}
          onPick={(run, one) => go(profileHref(run.id, one.experiment.id))}
          late={late}
        />
      ))}
      <ProfileRows answer={shown} />
    </Section>
  );
}

function ProfileRows({ answer }: { answer: ProfileSeriesAnswer }) {
  const rows = answer.runs
    .flatMap((run, place) =>
      answer.series.flatMap(({ experiment, points }) =>
        points[place] ? [{ run, experiment, point: points[place] }] : [],
      ),
    )
    .reverse();
  const cell = (value: number | null, write: (value: number) => string, why: string) =>
    value === null ? <Missing why={why} /> : <span class="num">{write(value)}</span>;
  return (
    <details class="nested">
      <summary>{plural(rows.length, "profile")} as a table</summary>
      <PlainTable
        caption="Numbers of profiles"
        heads={[
          { title: "Run" },
          { title: "Backend" },
          { title: "Iteration", right: true },
          { title: "Busy", right: true },
          { title: "Idle", right: true },
          { title: "Most time on devices" },
          { title: "Compiled", right: true },
          { title: "Peak of memory", right: true },
          { title: "Reserved", right: true },
          { title: "The peak is what was" },
          { title: "Profile" },
        ]}
      >
        <tbody>
          {rows.map(({ run, experiment, point }) => (
            <tr key={`${run.id} ${experiment.id}`}>
              <th scope="row">
                <RunLink run={run} />
              </th>
              <td class="mono">{experiment.column}</td>
              <td class="right">
                {cell(
                  point.iteration_ns,
                  nanoseconds,
                  point.missing ?? "nothing says how many iterations the profile has",
                )}
              </td>
              <td class="right">
                {cell(point.busy_share, percent, point.missing ?? "not known, or nothing ran on a device")}
              </td>
              <td class="right">
                {cell(point.idle_ns, nanoseconds, point.missing ?? "not known, or nothing ran on a device")}
              </td>
              <td>
                {point.top_class === null || point.top_share === null ? (
                  <Missing flush why={point.missing ?? "not known, or nothing ran on a device"} />
                ) : (
                  `${point.top_class}, ${percent(point.top_share)}`
                )}
              </td>
              <td class="right">
                {cell(
                  point.compiling_ns,
                  nanoseconds,
                  point.missing ?? "the profile shows too little of the host to tell",
                )}
              </td>
              <td class="right">
                {cell(point.peak_memory_bytes, bytes, point.missing ?? "the profile does not say it")}
              </td>
              <td class="right">
                {cell(point.peak_reserved_bytes, bytes, point.missing ?? "the profile does not say it")}
              </td>
              <td>
                {point.peak_memory_of === null ? (
                  <Missing flush why={point.missing ?? "the profile does not say it"} />
                ) : (
                  PEAK_MEMORY_OF[point.peak_memory_of]
                )}
              </td>
              <td>
                <a href={profileHref(run.id, experiment.id)}>
                  profile
                  <span class="sr">
                    {" "}
                    of {experiment.column} on {date(run.started_at)}
                  </span>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </details>
  );
}
