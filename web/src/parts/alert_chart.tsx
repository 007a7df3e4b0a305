// The nights that an alert's number was judged by; where nothing is kept of them, or the alert is of a verdict or a count, the measurements as they are.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import type { AlertChart as JudgedNights, AlertMember, AlertWithHistory, SeriesPoint } from "../api/types";
import { useApi } from "../api/use";
import { isTimed } from "../lib/alerts";
import { lineStyle } from "../lib/backends";
import { markOf } from "../lib/changes";
import { plural, shown, testName, unitOf } from "../lib/format";
import { lineSeries } from "../lib/history";
import { useRange } from "../lib/range";
import { capital } from "../lib/words";
import { Chart, type ChartSeries } from "./chart";
import { VerificationStrip } from "./history";
import { Section } from "./small";

export function AlertChart({ alert, member }: { alert: AlertWithHistory; member: AlertMember }) {
  const { headline } = alert.details;
  const { data, late, error } = useApi(
    headline?.effect === null || headline === null ? null : address("/alerts/{id}/chart", { id: alert.id }),
  );
  if (headline?.effect !== null && headline && !data && !error)
    return <div class="chart-space" style={{ height: "340px" }} aria-busy="true" />;
  return data && data.points.length > 0 ? (
    <JudgedChart alert={alert} member={member} nights={data} late={late} />
  ) : (
    <MeasuredChart member={member} />
  );
}

const whereOf = ({ experiment }: AlertMember): string =>
  `${shown(experiment.model)}, ${testName(experiment.test)}, ${experiment.column}`;

/** What of a night its level is. */
const levelOf = (metric: string): string =>
  metric === "compile"
    ? "each night's"
    : metric === "speedup"
      ? "of lower quartiles of steady repetitions"
      : "lower quartile of steady repetitions";

/** Of one series its nights as they were judged; of many, by how much they moved. */
function JudgedChart({
  alert,
  member,
  nights,
  late,
}: {
  alert: AlertWithHistory;
  member: AlertMember;
  nights: JudgedNights;
  late: boolean;
}) {
  const { details } = alert;
  const headline = details.headline as NonNullable<typeof details.headline>;
  const isOne = headline.experiment_id !== null;
  const [range, setRange] = useRange();
  const points = useMemo<SeriesPoint[]>(() => nights.points.map((point) => ({ ...point, flags: [] })), [nights]);
  const series = useMemo<ChartSeries[]>(
    () => [
      isOne
        ? { experiment: member.experiment, points, codes: [], failures: [], changes: [] }
        : lineSeries(
            0,
            {
              ...lineStyle(0, "median"),
              name: `median of ${plural(Math.max(...points.map((point) => point.n)), "series", "series")}`,
            },
            points,
          ),
    ],
    [isOne, member, points],
  );
  const isRatio = !isOne || headline.metric === "speedup";
  const unit = useMemo(
    () =>
      unitOf(
        points.map((point) => point.value),
        isRatio ? "" : headline.unit,
      ),
    [points, isRatio, headline.unit],
  );
  const changes = useMemo(() => {
    const first = series[0] as ChartSeries;
    if (isOne) return [markOf(first.experiment.id, member)];
    const { onset, direction } = details;
    return [
      markOf(first.experiment.id, {
        onset,
        earliest: onset,
        latest: onset,
        direction,
        before: 1,
        after: 1 + (headline.effect ?? 0),
        effect: headline.effect ?? undefined,
      }),
    ];
  }, [series, isOne, member, details, headline.effect]);
  const word = isRatio ? "×" : unit.name;
  const judged = isOne
    ? `${levelOf(headline.metric)}, without what moved the machine and ${shown(member.experiment.backend)}`
    : "of their level before it, the median; band: half of them";
  return (
    <Chart
      title={
        isOne
          ? `${capital(headline.title)} of ${whereOf(member)}`
          : `${capital(headline.title)} of all series that changed`
      }
      note={`${word}; ${headline.better === "higher" ? "higher" : "lower"} is better; ${judged}; dashed: the levels before and after`}
      runs={nights.runs}
      series={series}
      unit={unit}
      unitWord={word}
      height={240}
      range={range}
      onRange={setRange}
      ruleAtOne={isRatio}
      late={late}
      changes={changes}
      marks={nights.marks}
    />
  );
}

const DRAWN = ["steady", "speedup", "compile"];

/** The series that the alert is mostly about; of a verdict or a count its steady time, with the codes below. */
function MeasuredChart({ member }: { member: AlertMember }) {
  const { experiment } = member;
  const [range, setRange] = useRange();
  const metric = DRAWN.includes(member.metric) ? member.metric : "steady";
  const { data, late } = useApi(
    address("/series", {
      suite: experiment.suite,
      model: experiment.model,
      test: experiment.test,
      accelerator_model: experiment.accelerator_model,
      backend: experiment.backend,
      metric,
      runs: 180,
    }),
  );
  const series = useMemo(
    () => (data?.series ?? []).filter((one) => one.experiment.id === experiment.id),
    [data, experiment.id],
  );
  const unit = useMemo(
    () =>
      unitOf(
        series.flatMap((one) => one.points.map((point) => point?.value ?? NaN)),
        data?.unit ?? "",
      ),
    [series, data],
  );
  const changes = useMemo(() => {
    const own =
      metric === member.metric || member.metric === "drift" || !isTimed(member) ? [markOf(experiment.id, member)] : [];
    const others = series.flatMap((one) => one.changes.map((change) => markOf(experiment.id, change)));
    return [...own, ...others.filter((one) => !own.some((mark) => mark.onset === one.onset))];
  }, [series, member, metric]);
  if (!data) return <div class="chart-space" style={{ height: "340px" }} aria-busy="true" />;
  const word = metric === "speedup" ? "×" : unit.name;
  const where = whereOf(member);
  const noted = changes.some((mark) => Number.isFinite(mark.before))
    ? "; dashed: the levels before and after; shaded: where it may have begun"
    : "";
  return (
    <>
      {series.some((one) => one.points.some((point) => point !== null)) && (
        <Chart
          title={`${metric === member.metric ? capital(member.title) : "Steady time"} of ${where}`}
          note={`${word}; ${data.better === "higher" ? "higher" : "lower"} is better${noted}`}
          runs={data.runs}
          series={series}
          unit={unit}
          unitWord={word}
          height={240}
          range={range}
          onRange={setRange}
          ruleAtOne={metric === "speedup"}
          late={late}
          changes={changes}
          marks={data.marks}
        />
      )}
      {member.metric === "verification" && (
        <Section title={`Verification of ${where}`}>
          <VerificationStrip runs={data.runs} series={series} range={range} />
        </Section>
      )}
    </>
  );
}
