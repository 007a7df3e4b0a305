// Where an iteration goes, by the profiles of two results beside each other: its parts, and the time by the framework's operators.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { address } from "../api/address";
import type { ComparedProfile, ComparedProfileTime, ProfileComparison, ProfileTime } from "../api/types";
import { useApi } from "../api/use";
import { bytes, count, full } from "../lib/format";
import { useTitle, useWidth } from "../lib/hooks";
import {
  PEAK_MEMORY_OF,
  SIDE_NAMES,
  type SideName,
  comparisonSentenceOf,
  differenceOfSettings,
  isInTime,
  iterationsWords,
  missingWords,
  partSegments,
  partWords,
  unknownParts,
} from "../lib/iteration_parts";
import { ticksTo } from "../lib/phases";
import { nanoseconds, percent, relative, signedAmount, unitOfNs } from "../lib/profile";
import {
  artifactHref,
  go,
  modelHref,
  profileComparisonHref,
  profileDiffHref,
  profileHref,
  traceHref,
  useQuery,
} from "../lib/route";
import { CsvLink } from "../parts/controls";
import { PlainTable } from "../parts/plain_table";
import { ChangeBar, Name } from "../parts/profile/bits";
import { Backend, ErrorNote, Missing, Section, Sentence, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { type Side, SidePicker } from "./profile_diff";

/** Operators that are asked for at once. */
const FIRST = 100;
const ALL = 10000;

export function ProfileComparisonPage() {
  const [query, setQuery] = useQuery();
  const left: Side = { run: query.get("left_run") ?? "", experiment: query.get("left_experiment") ?? "" };
  const right: Side = { run: query.get("right_run") ?? "", experiment: query.get("right_experiment") ?? "" };
  const complete = [left, right].every((side) => side.run && /^\d+$/.test(side.experiment));
  const all = query.get("all") === "true";
  const choices = {
    left_run: left.run,
    left_experiment: left.experiment,
    right_run: right.run,
    right_experiment: right.experiment,
  };
  const { data, late, error, again } = useApi(
    complete ? address("/profile-comparison", { ...choices, limit: all ? ALL : FIRST }) : null,
  );
  const one = useApi(
    complete ? address("/runs/{run}/results/{experiment}", { run: left.run, experiment: left.experiment }) : null,
  );
  const other = useApi(
    complete ? address("/runs/{run}/results/{experiment}", { run: right.run, experiment: right.experiment }) : null,
  );
  useTitle(data ? `An iteration of ${data.right.experiment.model}` : "Where an iteration goes");
  if (!complete) {
    return (
      <div class="empty">
        <h1>A comparison of profiles is of two results, each a run and an experiment.</h1>
        <p>Open it from a model's page, or from a row of the comparison of two runs or backends.</p>
      </div>
    );
  }
  const problem = one.error ?? other.error;
  if (!one.data || !other.data)
    return problem ? <ErrorNote error={problem} again={() => (one.again(), other.again())} /> : <Waiting rows={14} />;
  const { experiment } = other.data;
  const differs = differenceOfSettings(one.data.experiment, experiment);
  return (
    <div class="profile two-profiles">
      <header class={one.late || other.late ? "page-head late" : "page-head"}>
        <div class="kicker">
          <span>{experiment.suite}</span>
          <span class="accel">{experiment.accelerator_model}</span>
          <a
            href={modelHref(experiment.suite, experiment.model, {
              test: experiment.test,
              accelerator_model: experiment.accelerator_model,
            })}
          >
            all runs of {experiment.model}
          </a>
          <a href={profileDiffHref(left, right)}>all differences of the dumps</a>
        </div>
        <h1>
          <Sentence text={data ? comparisonSentenceOf(data) : "Where an iteration goes"} />
        </h1>
        {differs && <p class="note">Not only the backends differ: {differs}.</p>}
        <div class="sides">
          <SidePicker
            title="Left"
            side={one.data}
            onChange={(side) => setQuery({ left_run: side.run, left_experiment: side.experiment })}
          />
          <button
            type="button"
            class="button swap"
            onClick={() => go(profileComparisonHref(right, left))}
            title="Left and right, the other way round"
          >
            <span aria-hidden="true">⇄</span> Swap
          </button>
          <SidePicker
            title="Right"
            side={other.data}
            onChange={(side) => setQuery({ right_run: side.run, right_experiment: side.experiment })}
          />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept={!!data} />}
      {!data ? (
        !error && <Waiting rows={10} />
      ) : (
        <div class={late ? "late" : ""}>
          <Section
            id="iteration"
            title="Where an iteration goes"
            note="The parts of a side add up to its iteration. Of what goes on at once, the first of compiling, executing, transferring, waiting and tracing counts."
            actions={
              <CsvLink
                href={address("/profile-comparison", { ...choices, format: "csv" })}
                name="profile-comparison.csv"
              />
            }
          >
            <PartStacks answer={data} />
            <PartTable answer={data} />
          </Section>
          <Section
            id="profiles"
            title="The two profiles"
            note="A profiled run is slower than one that is timed; the timings of the results are on the model's page."
          >
            <Facts answer={data} />
          </Section>
          <Section
            id="operators"
            title="Operators of the framework"
            note="Time of an iteration without what lies within, the largest difference first. A kernel that Inductor fused has a row of its own; a fusion of XLA counts wholly as the one operator that the profile gives it."
            actions={
              data.operator_count > data.operators.length || all ? (
                <button
                  type="button"
                  class="button"
                  aria-pressed={all}
                  onClick={() => setQuery({ all: all ? null : "true" })}
                >
                  {all ? `The first ${FIRST}` : `All ${count(data.operator_count)}`}
                </button>
              ) : null
            }
          >
            <Operators answer={data} />
          </Section>
        </div>
      )}
    </div>
  );
}

const ROW = 30;
const GAP = 8;
const AXIS = 22;

function PartStacks({ answer }: { answer: ProfileComparison }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const inTime = isInTime(answer);
  const sides = SIDE_NAMES.filter((side) => answer[side].missing === null);
  const stacks = sides.map((side) => ({ side, segments: partSegments(answer.parts, side, inTime) }));
  const longest = Math.max(0, ...stacks.flatMap(({ segments }) => segments.map((one) => one.from + one.size)));
  if (!stacks.length || longest <= 0) return null;
  const unit = unitOfNs([longest]);
  const x = (size: number) => (size / longest) * Math.max(0, width - 1);
  const used = answer.parts.filter((part) =>
    stacks.some(({ segments }) => segments.some((one) => one.part === part.name)),
  );
  const height = stacks.length * (ROW + GAP + 18) + AXIS;
  return (
    <figure class="part-stacks">
      <div class="phase-legend note">
        <ul>
          {used.map((part) => (
            <li key={part.name} title={meaningOf(answer, part.name)}>
              <svg width="18" height="12" aria-hidden="true">
                <rect width="18" height="12" class={`part-${part.name}`} />
              </svg>
              {part.name}
            </li>
          ))}
        </ul>
      </div>
      <div ref={box}>
        <svg
          width={Math.max(0, width)}
          height={height}
          role="img"
          aria-label={
            stacks.map(({ side }) => `${answer[side].experiment.column}: ${partWords(answer.parts, side)}`).join(". ") +
            ". The numbers are in the table below."
          }
        >
          {width > 0 &&
            stacks.map(({ side, segments }, index) => {
              const top = index * (ROW + GAP + 18);
              return (
                <g key={side}>
                  <text class="tick" x={0} y={top + 12}>
                    {side}: {answer[side].experiment.column}
                    {answer[side].iteration_ns !== null && `, ${nanoseconds(answer[side].iteration_ns)} an iteration`}
                  </text>
                  {segments.map((one) => {
                    const wide = Math.max(1, x(one.size));
                    const text = `${one.part} ${percent(one.share)}`;
                    return (
                      <g key={one.part}>
                        <rect class={`part-${one.part}`} x={x(one.from)} y={top + 18} width={wide} height={ROW}>
                          <title>{`${one.part}: ${percent(one.share)}${inTime ? `, ${nanoseconds(one.size)} an iteration` : ""}`}</title>
                        </rect>
                        {wide > text.length * 7 + 10 && (
                          <text
                            class={`phase-name on-${one.part === "unknown" ? "rest" : one.part}`}
                            x={x(one.from) + 6}
                            y={top + 18 + ROW / 2 + 4}
                            aria-hidden="true"
                          >
                            {text}
                          </text>
                        )}
                      </g>
                    );
                  })}
                </g>
              );
            })}
          {width > 0 &&
            ticksTo(inTime ? longest * unit.factor : 100, Math.max(2, Math.min(8, width / 90))).map(
              (tick, index, ticks) => (
                <text
                  key={tick}
                  class="tick"
                  x={x(inTime ? tick / unit.factor : tick / 100)}
                  y={height - 6}
                  text-anchor={index === 0 ? "start" : index === ticks.length - 1 ? "end" : "middle"}
                >
                  {inTime ? `${tick} ${unit.name}` : `${tick} %`}
                </text>
              ),
            )}
        </svg>
      </div>
      {!inTime && (
        <p class="note quiet">How many iterations a profile has is not known of both sides: the stacks show shares.</p>
      )}
    </figure>
  );
}

/** A time of one side; what is not known is a dash with the reason. */
function Time({ of, name }: { of: ProfileTime; name?: string }) {
  if (of.ns === null) return <Missing why={of.unknown ?? "not known"} />;
  const hidden =
    of.overlapped_ns !== null && of.overlapped_ns > of.ns
      ? `; ${nanoseconds(of.overlapped_ns)} with what goes on behind other parts`
      : "";
  return (
    <span class="num" title={`${full(of.ns)} ns${name ? ` of ${name}` : ""}${hidden}`}>
      {nanoseconds(of.ns)}
    </span>
  );
}

const Share = ({ of }: { of: ProfileTime }) =>
  of.share === null ? (
    <Missing why={of.unknown ?? "not known"} />
  ) : (
    <span class="num" title={full(of.share)}>
      {percent(of.share)}
    </span>
  );

/** Whether a row is one thing, which can be new: what is left over is none. */
const isNamed = (row: ComparedProfileTime): boolean => row.kind !== "without_operator" && row.kind !== "rest";

const Difference = ({ row }: { row: ComparedProfileTime }) =>
  row.difference_ns === null ? (
    <Missing
      why={
        row.left.unknown ??
        row.right.unknown ??
        (row.kind === "part"
          ? "the profiles do not tell the same parts, so what is left does not compare"
          : "these times do not compare")
      }
    />
  ) : (
    <span class="num" title={`${full(row.difference_ns)} ns`}>
      {signedAmount(row.difference_ns, "ns")}{" "}
      {row.left.ns !== null && row.right.ns !== null && (row.left.ns > 0 || isNamed(row)) && (
        <span class="quiet">{relative(row.left.ns, row.right.ns)}</span>
      )}
    </span>
  );

function SideHeads({ answer }: { answer: ProfileComparison }) {
  return (
    <>
      {SIDE_NAMES.map((side) => (
        <th key={side} scope="colgroup" colSpan={2} class="starts">
          {side} <Backend name={answer[side].experiment.column} backend={answer[side].experiment.backend} />
        </th>
      ))}
    </>
  );
}

const meaningOf = (answer: ProfileComparison, name: string): string | undefined =>
  answer.definitions.find((one) => one.name === name)?.meaning;

function PartTable({ answer }: { answer: ProfileComparison }) {
  const reasons = unknownParts(answer);
  return (
    <>
      <PlainTable caption="Parts of an iteration" class="part-table">
        <thead>
          <tr>
            <td />
            <SideHeads answer={answer} />
            <td />
          </tr>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="right starts">
              time
            </th>
            <th scope="col" class="right">
              share
            </th>
            <th scope="col" class="right starts">
              time
            </th>
            <th scope="col" class="right">
              share
            </th>
            <th scope="col" class="right starts">
              difference
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">
                <span class="explained" title={meaningOf(answer, part.name)}>
                  {part.name}
                </span>
              </th>
              {SIDE_NAMES.map((side) => (
                <>
                  <td class="right">
                    <Time of={part[side]} />
                  </td>
                  <td class="right">
                    <Share of={part[side]} />
                  </td>
                </>
              ))}
              <td class="right">
                <Difference row={part} />
              </td>
            </tr>
          ))}
          <tr class="sum-row">
            <th scope="row">iteration</th>
            {SIDE_NAMES.map((side) => (
              <>
                <td class="right">
                  {answer[side].iteration_ns === null ? (
                    <Missing why={answer[side].missing ?? "nothing says how many iterations there are"} />
                  ) : (
                    <span class="num">{nanoseconds(answer[side].iteration_ns)}</span>
                  )}
                </td>
                <td class="right">
                  {answer[side].missing === null ? (
                    <span class="num">100 %</span>
                  ) : (
                    <Missing why={answer[side].missing} />
                  )}
                </td>
              </>
            ))}
            <td class="right">
              {answer.left.iteration_ns !== null && answer.right.iteration_ns !== null ? (
                <span class="num">
                  {signedAmount(answer.right.iteration_ns - answer.left.iteration_ns, "ns")}{" "}
                  <span class="quiet">{relative(answer.left.iteration_ns, answer.right.iteration_ns)}</span>
                </span>
              ) : (
                <Missing why="an iteration's length is not known of both" />
              )}
            </td>
          </tr>
        </tbody>
      </PlainTable>
      {reasons.length > 0 && (
        <ul class="note reasons-unknown">
          {reasons.map(({ side, parts, why }) => (
            <li key={`${side} ${why}`}>
              <span class="quiet">
                {side}: {parts.join(", ")} not known.
              </span>{" "}
              {why}
            </li>
          ))}
        </ul>
      )}
      <details class="nested">
        <summary>What the parts are</summary>
        <dl class="facts">
          {answer.definitions.map((one) => (
            <>
              <dt key={one.name}>{one.name}</dt>
              <dd>{one.meaning}</dd>
            </>
          ))}
        </dl>
      </details>
    </>
  );
}

function Facts({ answer }: { answer: ProfileComparison }) {
  const rows: [string, (of: ComparedProfile, why: string) => ComponentChildren][] = [
    [
      "File",
      (of, why) =>
        of.artifact_id === null ? (
          <Missing flush why={why} />
        ) : (
          <>
            <a href={artifactHref({ id: of.artifact_id })}>{of.dump}</a>
            {of.trace_id !== null && (
              <>
                {" "}
                (<a href={traceHref(of.trace_id)}>timeline</a>,{" "}
                <a href={profileHref(of.run.id, of.experiment.id)}>profile</a>)
              </>
            )}
          </>
        ),
    ],
    ["Iterations", iterationsWords],
    [
      "Devices busy",
      (of, why) =>
        of.busy_share === null ? (
          <Missing flush why={of.busy_unknown ?? why} />
        ) : (
          `${percent(of.busy_share)} of the iterations${of.idle_ns !== null ? `; idle ${nanoseconds(of.idle_ns)} an iteration` : ""}`
        ),
    ],
    [
      "Most time on devices",
      (of, why) =>
        of.top_class === null || of.top_share === null ? (
          <Missing flush why={of.busy_unknown ?? why} />
        ) : (
          `${of.top_class}, ${percent(of.top_share)} of the time on devices`
        ),
    ],
    [
      "Compiled in the profile",
      (of) =>
        of.compiling_ns === null ? (
          <Missing flush why={of.missing ?? "the profile shows too little of the host to tell"} />
        ) : (
          nanoseconds(of.compiling_ns)
        ),
    ],
    [
      "Peak of memory",
      (of) =>
        of.peak_memory_bytes === null ? (
          <Missing flush why={of.missing ?? "the profile does not say it"} />
        ) : (
          `${bytes(of.peak_memory_bytes)}${of.peak_reserved_bytes === null ? "" : `; ${bytes(of.peak_reserved_bytes)} reserved`}${of.peak_memory_of === null ? "" : `; ${PEAK_MEMORY_OF[of.peak_memory_of]}`}`
        ),
    ],
  ];
  return (
    <PlainTable caption="The two profiles" class="two-facts">
      <thead>
        <tr>
          <td />
          {SIDE_NAMES.map((side) => (
            <th key={side} scope="col">
              {side} <Backend name={answer[side].experiment.column} backend={answer[side].experiment.backend} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, cell]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            {SIDE_NAMES.map((side) => (
              <td key={side} class="wrap">
                {cell(answer[side], answer[side].missing ?? "the profile does not say it")}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

const nameOf = (row: ComparedProfileTime): string =>
  row.kind === "without_operator" ? "(no operator known)" : row.kind === "rest" ? "(all others)" : row.name;

function Operators({ answer }: { answer: ProfileComparison }) {
  const most = Math.max(0, ...answer.operators.map((row) => Math.abs(row.difference_ns ?? 0)));
  const sideColumns = (side: SideName): Column<ComparedProfileTime>[] => [
    {
      key: `${side}-time`,
      title: "time",
      label: `${side} time`,
      width: 104,
      align: "right",
      starts: true,
      first: "desc",
      sort: (row) => row[side].ns,
      cell: (row) => <Time of={row[side]} name={nameOf(row)} />,
    },
    {
      key: `${side}-share`,
      title: "share",
      label: `${side} share`,
      width: 76,
      align: "right",
      first: "desc",
      hint: "Of the time of all operators of the whole profile",
      sort: (row) => row[side].share,
      cell: (row) => <Share of={row[side]} />,
    },
  ];
  const columns: Column<ComparedProfileTime>[] = [
    {
      key: "name",
      title: "Operator",
      width: 320,
      sort: nameOf,
      cell: (row) => (row.kind === "operator" ? <Name text={row.name} /> : <span class="quiet">{nameOf(row)}</span>),
    },
    ...sideColumns("left"),
    ...sideColumns("right"),
    {
      key: "difference",
      title: "difference",
      width: 170,
      align: "right",
      starts: true,
      first: "desc",
      sort: (row) => row.difference_ns,
      cell: (row) => <Difference row={row} />,
    },
    {
      key: "bar",
      title: <span class="sr">difference, drawn</span>,
      width: 116,
      cell: (row) =>
        row.difference_ns === null || most === 0 ? null : (
          <ChangeBar part={row.difference_ns / most} tone={row.difference_ns > 0 ? "worse" : "better"} />
        ),
    },
  ];
  const unknown = SIDE_NAMES.flatMap((side) =>
    answer[side].operators_unknown && answer[side].missing === null
      ? [{ side, why: answer[side].operators_unknown }]
      : [],
  );
  if (!answer.operators.length) {
    const isMissing = SIDE_NAMES.some((side) => answer[side].missing !== null);
    return (
      <p class="quiet">
        {isMissing ? `Nothing to compare: ${missingWords(answer)}.` : "Neither profile names an operator."}
      </p>
    );
  }
  return (
    <>
      <p class="note">
        {SIDE_NAMES.map(
          (side) =>
            `${answer[side].experiment.column}: ${answer[side].operators_on === "device" ? `time on devices${(answer[side].operator_devices ?? 1) > 1 ? `, the mean of ${answer[side].operator_devices}` : ""}` : answer[side].operators_on === "host" ? "time on the host" : "not known"}`,
        ).join("; ")}
        .{answer.without_difference && <span class="warn"> {answer.without_difference}</span>}
      </p>
      <Table
        caption="Operators of both profiles"
        columns={columns}
        groups={[
          { title: "", span: 1 },
          ...SIDE_NAMES.map((side) => ({
            title: <Backend name={answer[side].experiment.column} backend={answer[side].experiment.backend} />,
            span: 2,
          })),
          { title: "", span: 2 },
        ]}
        rows={answer.operators}
        rowKey={(row) => `${row.kind} ${row.name}`}
        orderWords="the largest difference first"
      />
      {unknown.length > 0 && (
        <ul class="note reasons-unknown">
          {unknown.map(({ side, why }) => (
            <li key={side}>
              <span class="quiet">{side}, no operator known:</span> {why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
