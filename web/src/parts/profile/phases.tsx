// Where a result's time went: a stack a repetition, warm-up and steady apart, and the same as numbers.
import { useId, useRef } from "preact/hooks";
import type { PhaseBasis, PhaseGroup, PhaseName, PhasedRepetition, PhasesAnswer } from "../../api/types";
import { count, digits, duration, full, plural, unitOf, type Unit } from "../../lib/format";
import { useWidth } from "../../lib/hooks";
import {
  type Drawn,
  PHASES,
  PHASE_WORDS,
  overlapAmong,
  overlapOf,
  restHolds,
  segments,
  stackLength,
} from "../../lib/phases";
import { type Head, PlainTable } from "../plain_table";
import { IntervalText, Missing, Num } from "../small";

/** Fills that shape tells apart as well as colour: hatched is inferred, dotted is worked out from two metrics. */
export function PhasePatterns({ id }: { id: string }) {
  return (
    <defs>
      {PHASES.map((phase) => (
        <>
          <pattern
            id={`${id}-${phase}-inferred`}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class={`phase-pale-${phase}`} width="6" height="6" />
            <rect class={`phase-${phase}`} width="2.5" height="6" />
          </pattern>
          <pattern id={`${id}-${phase}-derived`} width="5" height="5" patternUnits="userSpaceOnUse">
            <rect class={`phase-${phase}`} width="5" height="5" />
            <circle class="phase-dot" cx="2.5" cy="2.5" r="0.9" />
          </pattern>
        </>
      ))}
    </defs>
  );
}
export const phaseFill = (id: string, phase: PhaseName, drawn: Drawn): { fill?: string; class?: string } =>
  drawn === "measured" ? { class: `phase-${phase}` } : { fill: `url(#${id}-${phase}-${drawn})` };

/** `whole`: how lines mark the whole where phases together are longer than it; null: they are not. */
export function PhaseLegend({
  phases,
  drawn,
  holds = [],
  whole,
  definitions,
}: {
  phases: PhaseName[];
  drawn: Drawn[];
  holds?: PhaseName[];
  whole: "upright" | "level" | null;
  definitions: PhasesAnswer["definitions"] | undefined;
}) {
  const id = useId();
  const meaning = (name: string) => definitions?.phases.find((one) => one.name === name)?.meaning;
  const swatch = (phase: PhaseName, how: Drawn) => (
    <svg width="18" height="12" aria-hidden="true">
      <rect width="18" height="12" {...phaseFill(id, phase, how)} />
    </svg>
  );
  return (
    <div class="phase-legend note">
      <svg width="0" height="0" aria-hidden="true">
        <PhasePatterns id={id} />
      </svg>
      <ul>
        {phases.map((phase) => (
          <li key={phase} title={meaning(phase)}>
            {swatch(phase, "measured")}
            <span>
              {PHASE_WORDS[phase]}
              {phase === "rest" && holds.length > 0 && (
                <span class="quiet">
                  {" "}
                  with {holds.map((one) => PHASE_WORDS[one]).join(" and ")}, which nothing tells apart here
                </span>
              )}
            </span>
          </li>
        ))}
        {drawn.includes("derived") && (
          <li title="A difference of two metrics">
            {swatch("tracing", "derived")} dotted: worked out from two metrics
          </li>
        )}
        {drawn.includes("inferred") && (
          <li title="What the repetition cost beyond those that compile nothing">
            {swatch("compiling", "inferred")} hatched: inferred, no metric says it
          </li>
        )}
        {whole && (
          <li title="Drawn where the phases together are longer than the whole">
            <svg width="18" height="12" aria-hidden="true">
              <line
                class="phase-total"
                {...(whole === "level" ? { x1: 0, x2: 18, y1: 6, y2: 6 } : { x1: 9, x2: 9, y1: 0, y2: 12 })}
              />
            </svg>{" "}
            line: the whole; phases went on at the same time
          </li>
        )}
      </ul>
    </div>
  );
}

const ROW = 22;
const LEFT = 36;
const RIGHT = 92;

function Stacks({ title, note, repetitions }: { title: string; note: string; repetitions: PhasedRepetition[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const id = useId();
  if (!repetitions.length) return null;
  const most = Math.max(...repetitions.map(stackLength)) || 1;
  const unit = unitOf(
    repetitions.map((one) => one.total ?? stackLength(one)),
    "s",
  );
  const plot = Math.max(0, width - LEFT - RIGHT);
  const x = (seconds: number) => LEFT + (seconds / most) * plot;
  const row = repetitions.length > 40 ? 12 : ROW;
  const said = repetitions
    .slice(0, 40)
    .map((one) => `${one.repetition}: ${one.total === null ? "no total" : duration(one.total)}`)
    .join(", ");
  return (
    <figure class="phase-stacks">
      <figcaption>
        <h3>{title}</h3> <span class="quiet note">{note}; the axis starts at 0</span>
      </figcaption>
      <div ref={box}>
        <svg
          width={Math.max(0, width)}
          height={repetitions.length * row + 4}
          role="img"
          aria-label={`${title}, ${plural(repetitions.length, "repetition")}: ${said}. The numbers are in the table below.`}
        >
          <PhasePatterns id={id} />
          {width > 0 &&
            repetitions.map((one, index) => {
              const y = index * row + 2;
              const tall = row - 4;
              return (
                <g key={one.repetition}>
                  <text class="tick" x={LEFT - 8} y={y + tall / 2 + 4} text-anchor="end">
                    {row === ROW || index % 5 === 0 ? one.repetition : ""}
                  </text>
                  {segments(one).map((segment) => {
                    const wide = Math.max(1, x(segment.from + segment.seconds) - x(segment.from));
                    const long = PHASE_WORDS[segment.phase].length * 7;
                    // The line of the whole does not go through the name.
                    const line = overlapOf(one) > 0 ? x(one.total ?? 0) - x(segment.from) : -1;
                    const place = line > 0 && line < long + 10 ? line + 6 : 6;
                    return (
                      <g key={segment.phase}>
                        <rect
                          x={x(segment.from)}
                          y={y}
                          width={wide}
                          height={tall}
                          {...phaseFill(id, segment.phase, segment.drawn)}
                        >
                          <title>{`repetition ${one.repetition}, ${PHASE_WORDS[segment.phase]}: ${full(segment.seconds)} s, ${one[segment.phase].basis.replace(/_/g, " ")}`}</title>
                        </rect>
                        {wide > place + long + 6 && row === ROW && (
                          <text
                            class={`phase-name on-${segment.phase} ${segment.drawn}`}
                            x={x(segment.from) + place}
                            y={y + tall / 2 + 4}
                            aria-hidden="true"
                          >
                            {PHASE_WORDS[segment.phase]}
                          </text>
                        )}
                      </g>
                    );
                  })}
                  {one.total !== null && overlapOf(one) > 0 && (
                    <line class="phase-total" x1={x(one.total)} x2={x(one.total)} y1={y - 1} y2={y + tall + 1}>
                      <title>{`the whole: ${full(one.total)} s; the phases together are longer, so some went on at the same time`}</title>
                    </line>
                  )}
                  {(row === ROW || index % 5 === 0) && (
                    <text class="tick" x={Math.min(width - RIGHT + 6, x(stackLength(one)) + 6)} y={y + tall / 2 + 4}>
                      {one.total === null ? "no total" : `${digits(one.total * unit.factor)} ${unit.name}`}
                    </text>
                  )}
                </g>
              );
            })}
        </svg>
      </div>
    </figure>
  );
}

const MOST_DRAWN = 200;
const MOST_ROWS = 500;

export function Phases({ answer }: { answer: PhasesAnswer }) {
  const { repetitions, definitions } = answer;
  if (!repetitions.length) return <p class="quiet">This result was not timed: there is no time to take apart.</p>;
  const warmup = repetitions.filter((one) => one.warmup);
  const steady = repetitions.filter((one) => !one.warmup);
  const used = PHASES.filter((phase) => repetitions.some((one) => (one[phase].seconds ?? 0) > 0));
  const drawn = [...new Set(repetitions.flatMap((one) => segments(one).map((segment) => segment.drawn)))];
  return (
    <>
      <p class="lead">{phasesSentence(answer)}</p>
      <PhaseLegend
        phases={used}
        drawn={drawn}
        holds={restHolds(repetitions)}
        whole={repetitions.some((one) => overlapOf(one) > 0) ? "upright" : null}
        definitions={definitions}
      />
      <div class="phase-groups">
        <Stacks title="Warm-up" note="each group has its own scale" repetitions={warmup.slice(0, MOST_DRAWN)} />
        <Stacks
          title="Steady"
          note={
            steady.length > MOST_DRAWN
              ? `the first ${MOST_DRAWN} of ${count(answer.steady.repetitions)}`
              : plural(steady.length, "repetition")
          }
          repetitions={steady.slice(0, MOST_DRAWN)}
        />
      </div>
      <PhaseTable answer={answer} />
    </>
  );
}

export function phasesSentence(answer: PhasesAnswer): string {
  const { steady, warmup, first_excess } = answer;
  const isSteady = steady.repetitions > 0;
  const group = isSteady ? steady : warmup;
  const total = group.total.median;
  const parts: string[] = [];
  if (total !== null) {
    const known = TOLD.filter((phase) => (group[phase].median ?? 0) > 0);
    const said = known.map((phase) => `${duration(group[phase].median as number)} ${PHASE_WORDS[phase]}`).join(", ");
    const listed = answer.repetitions.filter((one) => one.warmup !== isSteady);
    const overlap = overlapAmong(listed);
    // What goes on at the same time is no part of the whole.
    const among =
      overlap && overlap.repetitions < listed.length
        ? ` in ${count(overlap.repetitions)} of ${count(listed.length)}`
        : "";
    const apart = overlap
      ? `, meanwhile ${said}, with an overlap of ${duration(overlap.median)}${among}`
      : `, of that ${said}`;
    parts.push(
      `A ${isSteady ? "steady repetition" : "repetition"} takes ${duration(total)}${known.length ? apart : ""}`,
    );
  }
  if (first_excess) {
    parts.push(
      first_excess.noise
        ? "the first one did not stand out from the others"
        : `the first one cost ${duration(first_excess.seconds)} more than the ${count(first_excess.n)} that compile nothing`,
    );
  }
  return parts.length ? `${parts.join("; ")}.` : "No repetition has a time.";
}

/** What stands before a number that no metric says, and what the sign means. */
const MARKS: Partial<Record<PhaseBasis, { sign: string; words: string }>> = {
  inferred: { sign: "≈", words: "inferred" },
  derived: { sign: "−", words: "a difference of metrics" },
  counted: { sign: "#", words: "nothing, as Dynamo's counters tell" },
};
const TOLD = ["tracing", "compiling", "executing"] as const;

/** How the numbers of a table are known: the signs that it has, and what stands without one. */
export function marksSentence(repetitions: readonly PhasedRepetition[]): string {
  const known = TOLD.flatMap((phase) => repetitions.map((one) => one[phase])).filter((time) => time.seconds !== null);
  const marked = Object.entries(MARKS).filter(([basis]) => known.some((time) => time.basis === basis));
  const parts = marked.map(([, { sign, words }]) => `${sign} ${words}`);
  if (known.some((time) => time.basis === "measured")) parts.push(marked.length ? "no sign: measured" : "measured");
  if (repetitions.some((one) => one.rest.seconds !== null)) parts.push("the rest is what is left of the total");
  return parts.join("; ");
}

function PhaseTable({ answer }: { answer: PhasesAnswer }) {
  const { repetitions, definitions } = answer;
  const basis = (name: string) =>
    definitions.bases.find((one) => one.name === name)?.meaning ?? name.replace(/_/g, " ");
  const unit = unitOf(
    repetitions.map((one) => one.total ?? NaN),
    "s",
  );
  const compilations = repetitions.some((one) => one.xla_compilations !== null);
  const graphs = repetitions.some((one) => one.graphs_captured !== null);
  const heads: Head[] = [
    { title: "repetition" },
    { title: `total ${unit.name}`, hint: "total_time: the whole repetition", right: true },
    ...PHASES.map((phase) => ({
      title: `${PHASE_WORDS[phase]} ${unit.name}`,
      hint: definitions.phases.find((one) => one.name === phase)?.meaning,
      right: true,
    })),
    ...(compilations ? [{ title: "XLA compiled", hint: "How often XLA compiled", right: true }] : []),
    ...(graphs
      ? [{ title: "graphs captured", hint: "What Dynamo's counters say was captured or compiled", right: true }]
      : []),
  ];
  return (
    <details class="nested" open={repetitions.length <= 12}>
      <summary>
        The same as numbers <span class="quiet">{marksSentence(repetitions)}</span>
      </summary>
      <PlainTable caption={`Phases of each repetition, ${unit.name}`} class="phase-table" heads={heads}>
        <tbody>
          {repetitions.slice(0, MOST_ROWS).map((one) => (
            <tr key={one.repetition}>
              <th scope="row">
                {one.repetition}
                {one.warmup && <span class="quiet"> warm-up</span>}
              </th>
              <td class="right">
                {one.total === null ? (
                  <Missing why="no usable total_time" />
                ) : (
                  <Num value={one.total} factor={unit.factor} title={`${full(one.total)} s`} />
                )}
              </td>
              {PHASES.map((phase) => {
                const time = one[phase];
                if (time.seconds === null)
                  return (
                    <td class="right" key={phase}>
                      <Missing
                        why={`${basis(time.basis)}${time.interval ? ` (${digits(time.interval.low)} to ${digits(time.interval.high)} s)` : ""}`}
                      />
                    </td>
                  );
                return (
                  <td class="right" key={phase}>
                    {phase !== "rest" && MARKS[time.basis] && (
                      <span class="quiet" title={basis(time.basis)}>
                        {MARKS[time.basis]?.sign}{" "}
                      </span>
                    )}
                    <Num
                      value={time.seconds}
                      factor={unit.factor}
                      title={`${full(time.seconds)} s; ${basis(time.basis)}${time.interval ? `; ${full(time.interval.low)} to ${full(time.interval.high)} s` : ""}`}
                    />
                  </td>
                );
              })}
              {compilations && (
                <td class="right">
                  {one.xla_compilations === null ? (
                    <Missing flush why="not recorded" />
                  ) : (
                    <span class="num">{count(one.xla_compilations)}</span>
                  )}
                </td>
              )}
              {graphs && (
                <td class="right">
                  {one.graphs_captured === null ? (
                    <Missing flush why="no counters of this repetition" />
                  ) : (
                    <span class="num">{count(one.graphs_captured)}</span>
                  )}
                </td>
              )}
            </tr>
          ))}
          <GroupRow
            words="steady, median"
            group={answer.steady}
            unit={unit}
            of="median"
            more={Number(compilations) + Number(graphs)}
          />
          <GroupRow
            words="warm-up, sum"
            group={answer.warmup}
            unit={unit}
            of="sum"
            more={Number(compilations) + Number(graphs)}
          />
        </tbody>
      </PlainTable>
      {repetitions.length > MOST_ROWS && (
        <p class="quiet note">
          and {count(repetitions.length + answer.repetitions_omitted - MOST_ROWS)} more repetitions
        </p>
      )}
      {answer.unreadable.length > 0 && (
        <p class="warn note">
          Could not be read: <span class="mono">{answer.unreadable.join(", ")}</span>.
        </p>
      )}
    </details>
  );
}

function GroupRow({
  words,
  group,
  unit,
  of,
  more,
}: {
  words: string;
  group: PhaseGroup;
  unit: Unit;
  of: "median" | "sum";
  more: number;
}) {
  if (!group.repetitions) return null;
  return (
    <tr class="sum-row">
      <th scope="row">
        {words} <span class="quiet">n {count(group.repetitions)}</span>{" "}
        {of === "median" && <IntervalText interval={group.total.interval} factor={unit.factor} />}
      </th>
      {(["total", ...PHASES] as const).map((name) => {
        const value = group[name][of];
        return (
          <td class="right" key={name}>
            {value === null ? (
              <Missing why="not known in any of them" />
            ) : (
              <Num
                value={value}
                factor={unit.factor}
                title={`${full(value)} s over ${plural(group[name].n, "repetition")}`}
              />
            )}
          </td>
        );
      })}
      {more > 0 && <td colSpan={more} />}
    </tr>
  );
}

/** Metrics that were measured under a basis: for the note of the section. */
export function metricsNote(answer: PhasesAnswer): string {
  const known = TOLD.filter((phase) => answer.metrics[phase] !== null);
  const per =
    answer.iterations_per_run && answer.iterations_per_run > 1
      ? `; a repetition is ${count(answer.iterations_per_run)} iterations`
      : "";
  return known.length
    ? `${known.map((phase) => `${PHASE_WORDS[phase]} from ${answer.metrics[phase]}`).join(", ")}${per}`
    : `no metric of the result tells phases apart${per}`;
}
