// What differs between the dumps of two results: what it comes to as sentences, then each pair of dumps.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { address } from "../api/address";
import type {
  Artifact,
  ArtifactKind,
  ArtifactPair,
  ArtifactSum,
  LeftOut,
  ProfileChange,
  ProfileFinding,
  Result,
  ResultDetail,
  ResultDiff,
  SectionDifference,
} from "../api/types";
import { PER_PAGE, usePages, useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { change, count, duration, full, plural, runName, shown, testName } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { siblings } from "../lib/neighbours";
import {
  KINDS,
  KIND_ORDER,
  addsUp,
  amount,
  barOf,
  isSameFile,
  kindName,
  percent,
  relative,
  signedAmount,
  whichDump,
} from "../lib/profile";
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
import { Select, runChoices } from "../parts/controls";
import { Backend, ErrorNote, Missing, RunLink, Section, Sentence, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { ChangeBar, Name } from "../parts/profile/bits";
import { Changes } from "../parts/profile/compilation_changes";

/** Changes of a section that are asked for at once. */
const FIRST = 50;
const ALL = 10000;

export type Side = { run: string; experiment: string };

export function ProfileDiffPage() {
  const [query, setQuery] = useQuery();
  const before: Side = { run: query.get("before_run") ?? "", experiment: query.get("before_experiment") ?? "" };
  const after: Side = { run: query.get("run") ?? "", experiment: query.get("experiment") ?? "" };
  const complete = [before, after].every((side) => side.run && /^\d+$/.test(side.experiment));
  const all = query.get("all") === "true";
  const { data, late, error, again } = useApi(
    complete
      ? address("/profile-diff", {
          before_run: before.run,
          before_experiment: before.experiment,
          run: after.run,
          experiment: after.experiment,
          limit: all ? ALL : FIRST,
        })
      : null,
  );
  const was = useApi(
    complete ? address("/runs/{run}/results/{experiment}", { run: before.run, experiment: before.experiment }) : null,
  );
  const is = useApi(
    complete ? address("/runs/{run}/results/{experiment}", { run: after.run, experiment: after.experiment }) : null,
  );
  useTitle(is.data ? `What changed in ${is.data.experiment.model}` : "Difference of two profiles");
  if (!complete) {
    return (
      <div class="empty">
        <h1>A difference is of two results, each a run and an experiment.</h1>
        <p>
          Open the profile of one of them, from a model's page or the list of <a href="/artifacts">dumps</a>: it links
          to what can be compared with it.
        </p>
      </div>
    );
  }
  const problem = was.error ?? is.error;
  if (!was.data || !is.data)
    return problem ? <ErrorNote error={problem} again={() => (was.again(), is.again())} /> : <Waiting rows={14} />;
  return (
    <div class="profile diff">
      <header class={was.late || is.late ? "page-head late" : "page-head"}>
        <div class="kicker">
          <span>{is.data.experiment.suite}</span>
          <span class="accel">{is.data.experiment.accelerator_model}</span>
          <a
            href={modelHref(is.data.experiment.suite, is.data.experiment.model, {
              test: is.data.experiment.test,
              accelerator_model: is.data.experiment.accelerator_model,
            })}
          >
            all nights of {shown(is.data.experiment.model)}
          </a>
          <a href={profileComparisonHref(before, after)}>where an iteration goes on both sides</a>
        </div>
        <h1>
          <Sentence text={diffSentence(was.data, is.data)} />
        </h1>
        <div class="sides">
          <SidePicker
            title="Before"
            side={was.data}
            onChange={(side) => setQuery({ before_run: side.run, before_experiment: side.experiment })}
          />
          <button
            type="button"
            class="button swap"
            onClick={() => go(profileDiffHref(after, before))}
            title="Before and after, the other way round"
          >
            <span aria-hidden="true">⇄</span> Swap
          </button>
          <SidePicker
            title="After"
            side={is.data}
            onChange={(side) => setQuery({ run: side.run, experiment: side.experiment })}
          />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept={!!data} />}
      <Compilations before={was.data} after={is.data} />
      {!data ? (
        !error && <Waiting rows={10} />
      ) : (
        <Difference answer={data} late={late} all={all} onAll={() => setQuery({ all: all ? null : "true" })} />
      )}
    </div>
  );
}

/** Where one of the two has a log of TORCH_TRACE. */
function Compilations({ before, after }: { before: ResultDetail; after: ResultDetail }) {
  const logs = (side: ResultDetail) =>
    address("/artifacts", { kind: "torch_trace", run: side.run.id, experiment: side.experiment.id, limit: 1 });
  const was = useApi(logs(before));
  const is = useApi(logs(after));
  if (!was.data?.total && !is.data?.total) return null;
  return (
    <Section
      id="compilations"
      title="Compilations"
      note="What torch.compile did otherwise, by the logs of TORCH_TRACE."
    >
      <Changes result={after} before={{ run: before.run.id, experiment: before.experiment.id }} />
    </Section>
  );
}

/** What is compared, and what became of its time. */
export function diffSentence(before: ResultDetail, after: ResultDetail): string {
  const a = before.experiment;
  const b = after.experiment;
  const sameResult = a.id === b.id;
  const what = `${shown(b.model)}, ${testName(b.test)}`;
  const sides = sameResult
    ? `${b.column}, ${runName(before.run)} → ${runName(after.run)}`
    : before.run.id === after.run.id
      ? `${a.column} → ${b.column}, ${runName(after.run)}`
      : `${a.column} of ${runName(before.run)} → ${b.column} of ${runName(after.run)}`;
  const models = a.model === b.model && a.test === b.test ? "" : `${shown(a.model)}, ${testName(a.test)} → `;
  if (!before.steady || !after.steady) {
    const missing =
      !before.steady && !after.steady
        ? "neither was timed"
        : !before.steady
          ? "the one before was not timed"
          : "the one after was not timed";
    return `${models}${what}, ${sides}: ${missing}.`;
  }
  const ratio = after.steady.value / before.steady.value;
  const apart =
    before.steady.interval &&
    after.steady.interval &&
    (before.steady.interval.high < after.steady.interval.low ||
      after.steady.interval.high < before.steady.interval.low);
  return `${models}${what}, ${sides}: steady time ${duration(before.steady.value)} → ${duration(after.steady.value)} (${change(ratio)}${apart ? "" : ", within the intervals of the runs"}).`;
}

export function SidePicker({
  title,
  side,
  onChange,
}: {
  title: string;
  side: ResultDetail;
  onChange: (side: Side) => void;
}) {
  const { experiment, run } = side;
  const runs = useRuns(experiment.accelerator_model);
  const results = usePages(
    address("/results", {
      run: run.id,
      suite: experiment.suite,
      model: experiment.model,
      test: experiment.test,
      accelerator_model: experiment.accelerator_model,
      limit: PER_PAGE,
    }),
    { whole: true },
  );
  const others = results.data
    ? siblings(
        results.data.items.map((one) => one.experiment),
        experiment,
      )
    : [];
  const text = (one: Result["experiment"]) =>
    `${one.column}${one.batch_size === null ? "" : `, batch ${one.batch_size}`}`;
  return (
    <div class="side" role="group" aria-label={title}>
      <Select
        label={`${title}: run`}
        value={String(run.id)}
        options={runChoices(runs.data?.items, run)}
        onChange={(value) => onChange({ run: value, experiment: String(experiment.id) })}
      />
      <Select
        label="Backend"
        value={String(experiment.id)}
        options={[experiment, ...others].map((one) => ({ value: String(one.id), text: text(one) }))}
        onChange={(value) => onChange({ run: String(run.id), experiment: value })}
      />
      <p class="note">
        <Backend
          name={experiment.column}
          backend={experiment.backend}
          link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
        />{" "}
        <RunLink run={run} /> <a href={profileHref(run.id, experiment.id)}>profile</a>
      </p>
    </div>
  );
}

const TOPICS: Record<ProfileFinding["topic"], string> = {
  graph_breaks: "Graph breaks",
  recompilations: "Recompilations",
  fallbacks: "Fallbacks",
  operators: "Operators",
  compilation: "Compilation",
  ir: "Compiled graphs",
};

function Difference({
  answer,
  late,
  all,
  onAll,
}: {
  answer: ResultDiff;
  late: boolean;
  all: boolean;
  onAll: () => void;
}) {
  const { findings, sums, pairs, only_before, only_after } = answer;
  const kinds = KIND_ORDER.filter((kind) => [...sums, ...pairs].some((one) => one.kind === kind));
  const cut = [...sums, ...pairs].some((one) =>
    one.sections?.some((section) => section.change_count > section.changes.length),
  );
  return (
    <div class={late ? "late" : ""}>
      <Section
        id="findings"
        title="What it comes to"
        note="Counters, compile times and graphs of the first repetition, which compiles; traces and tables of the last. Below is every dump."
      >
        {findings.length ? (
          <ul class="findings">
            {findings.map((finding, index) => (
              <li key={index}>
                <span class="topic" title={`Said by the ${kindName(finding.kind)}`}>
                  {TOPICS[finding.topic] ?? finding.topic}
                </span>
                <p>
                  <Marked sentence={withoutTopic(finding)} names={finding.names} />{" "}
                  <span class="quiet note">
                    {kindName(finding.kind)}
                    {finding.part && `, ${finding.part}`}
                  </span>
                </p>
              </li>
            ))}
          </ul>
        ) : (
          <p class="quiet">
            {pairs.length
              ? "The dumps tell no difference worth a sentence; what little there is is below."
              : "There is no dump that both have, so there is nothing to compare."}
          </p>
        )}
        {answer.left_out.map((one) => (
          <p key={`${one.kind} ${one.part}`} class="warn note">
            {leftOutWords(one)}
          </p>
        ))}
      </Section>
      {kinds.map((kind) => (
        <Section
          key={kind}
          id={kind}
          title={`${KINDS[kind].many.charAt(0).toUpperCase()}${KINDS[kind].many.slice(1)}`}
          note={KINDS[kind].words + "."}
          actions={
            cut || all ? (
              <button type="button" class="button" aria-pressed={all} onClick={onAll}>
                {all ? `The first ${FIRST} of each` : "All changes"}
              </button>
            ) : null
          }
        >
          {sums
            .filter((sum) => sum.kind === kind)
            .map((sum) => (
              <Sum key={sum.part} sum={sum} />
            ))}
          {pairs
            .filter((pair) => pair.kind === kind)
            .map((pair) => (
              <Pair key={`${pair.before.id} ${pair.after.id}`} pair={pair} most={all ? ALL : FIRST} />
            ))}
        </Section>
      ))}
      {answer.pair_count > pairs.length && (
        <p class="quiet note">
          {plural(answer.pair_count - pairs.length, "more pair")} of dumps{" "}
          {answer.pair_count - pairs.length === 1 ? "is" : "are"} not listed.
        </p>
      )}
      {(only_before.length > 0 || only_after.length > 0) && (
        <Section
          id="only"
          title="Only one side has"
          note="Dumps without a counterpart of the same kind, repetition and part."
        >
          <div class="only">
            <Only title="Only before" artifacts={only_before} all={answer.only_before_count} />
            <Only title="Only after" artifacts={only_after} all={answer.only_after_count} />
          </div>
        </Section>
      )}
    </div>
  );
}

/** The topic stands beside the sentence: it need not begin it as well. */
export function withoutTopic(finding: Pick<ProfileFinding, "topic" | "sentence">): string {
  const begins = `${TOPICS[finding.topic]}: `;
  return finding.sentence.startsWith(begins) ? finding.sentence.slice(begins.length) : finding.sentence;
}

/** The sentence with the names that it is about set apart. Names are any text: they are looked for, never interpreted. */
export function markedParts(sentence: string, names: readonly string[]): { text: string; name: boolean }[] {
  const parts: { text: string; name: boolean }[] = [];
  const byLength = [...names].filter(Boolean).sort((a, b) => b.length - a.length);
  let rest = sentence;
  while (rest) {
    let at = -1;
    let found = "";
    for (const name of byLength) {
      const place = rest.indexOf(name);
      if (place >= 0 && (at < 0 || place < at)) [at, found] = [place, name];
    }
    if (at < 0) break;
    if (at > 0) parts.push({ text: rest.slice(0, at), name: false });
    parts.push({ text: found, name: true });
    rest = rest.slice(at + found.length);
  }
  if (rest) parts.push({ text: rest, name: false });
  return parts;
}

function Marked({ sentence, names }: { sentence: string; names: string[] }) {
  return (
    <>
      {markedParts(sentence, names).map((part, index) =>
        part.name ? <strong key={index}>{part.text}</strong> : <span key={index}>{part.text}</span>,
      )}
    </>
  );
}

/** What is not in the findings, and why. */
export function leftOutWords(left: LeftOut): string {
  return `${plural(left.dump_count, KINDS[left.kind].one, KINDS[left.kind].many)}${left.part ? ` (${left.part})` : ""}, ${amount(left.byte_count, "bytes")} together, ${left.dump_count === 1 ? "is" : "are"} left out of the sentences: more than is read for one page. Opened below, each pair is compared.`;
}

function Sum({ sum }: { sum: ArtifactSum }) {
  return (
    <details class="nested pair" open>
      <summary>
        <strong>{sum.part ? `${sum.part}, added up` : "added up"}</strong>{" "}
        <span class="quiet">
          {sumWords(sum)}; {sectionsWords(sum.kind, sum.sections)}
        </span>
      </summary>
      {sum.sections.map((section) => (
        <SectionTable key={section.of} section={section} id={`${sum.kind}-${sum.part}-${section.of}`} kind={sum.kind} />
      ))}
    </details>
  );
}

const sumWords = (sum: ArtifactSum): string =>
  sum.before_count === sum.after_count
    ? plural(sum.before_count, KINDS[sum.kind].one, KINDS[sum.kind].many)
    : `${count(sum.before_count)} → ${plural(sum.after_count, KINDS[sum.kind].one, KINDS[sum.kind].many)}`;

export function sectionsWords(kind: ArtifactKind, sections: SectionDifference[]): string {
  if (!sections.length) return "nothing in it can be compared";
  return sections.some((section) => section.change_count > 0)
    ? sections.map((section) => sectionWords(section, addsUp(kind, section))).join("; ")
    : "no difference";
}

/** Pairs that the findings are of come compared and open; others are compared when they are opened. */
function Pair({ pair, most }: { pair: ArtifactPair; most: number }) {
  const open = pair.telling && pair.sections !== null;
  const [shownNow, setShown] = useState(open);
  const same = isSameFile(pair);
  const asks = shownNow && pair.sections === null && !same;
  const { data, error, again } = useApi(
    asks ? address("/artifact-diff", { before: pair.before.id, after: pair.after.id, limit: most }) : null,
  );
  const sections = pair.sections ?? data?.pair.sections ?? null;
  return (
    <details class="nested pair" open={open} onToggle={(event) => event.currentTarget.open && setShown(true)}>
      <summary>
        <strong>{whichDump(pair.before)}</strong>{" "}
        <span class="quiet">
          {sections ? sectionsWords(pair.kind, sections) : same ? "the same, byte for byte" : "compared when opened"}
        </span>
      </summary>
      {shownNow && (
        <>
          <p class="quiet note">
            <a href={artifactHref(pair.before)} title={pair.before.name}>
              before
            </a>
            ,{" "}
            <a href={artifactHref(pair.after)} title={pair.after.name}>
              after
            </a>
            {pair.before.trace_id !== null && pair.after.trace_id !== null && (
              <>
                ,{" "}
                <a href={traceHref(pair.before.trace_id, { with: String(pair.after.trace_id), tab: "diff" })}>
                  both timelines
                </a>
              </>
            )}
          </p>
          {error && <ErrorNote error={error} again={again} kept={!!data} />}
          {asks && !sections && !error && <Waiting rows={3} />}
          {sections?.map((section) => (
            <SectionTable
              key={section.of}
              section={section}
              id={`${pair.kind}-${pair.before.id}-${section.of}`}
              kind={pair.kind}
            />
          ))}
        </>
      )}
    </details>
  );
}

export function sectionWords(section: SectionDifference, isSum = true): string {
  if (section.change_count === 0) return `${section.of}: the same`;
  const { before, after } = section;
  const by = before === null || after === null ? 0 : after - before;
  if (before === null || after === null || by === 0 || !isSum)
    return `${section.of}: ${plural(section.change_count, "change")}`;
  const part = relative(before, after);
  return `${section.of}: ${signedAmount(by, section.unit)}${part ? ` (${part})` : ""}`;
}

const SIGNS: Record<ProfileChange["change"], { sign: string; words: string }> = {
  appeared: { sign: "+", words: "new" },
  gone: { sign: "−", words: "gone" },
  changed: { sign: "~", words: "changed" },
};

/** More time is worse; of counts and bytes only the reader knows. */
const tone = (section: SectionDifference, by: number): string =>
  section.unit === "ns" ? (by > 0 ? "worse" : by < 0 ? "better" : "") : "";

const changeOf = (one: ProfileChange): number => one.after - one.before;

function SectionTable({ section, id, kind }: { section: SectionDifference; id: string; kind: ArtifactKind }) {
  const { unit } = section;
  const isSum = addsUp(kind, section);
  const before = section.before ?? 0;
  const after = section.after ?? 0;
  const value = (amountOf: number, why: string) =>
    amountOf === 0 && why ? (
      <Missing flush why={why} />
    ) : (
      <span class="num" title={`${full(amountOf)}${unit === "count" ? "" : " " + unit}`}>
        {amount(amountOf, unit)}
      </span>
    );
  // The calls of what is itself counted say the same again.
  const withCalls = unit !== "count" && section.changes.some((one) => one.calls_before !== 0 || one.calls_after !== 0);
  const number = (
    key: string,
    width: number,
    of: (one: ProfileChange) => number | null,
    cell: (one: ProfileChange) => ComponentChildren,
    hint?: string,
  ): Column<ProfileChange> => ({
    key,
    title: key,
    ...(hint ? { hint } : {}),
    width,
    align: "right",
    first: "desc",
    sort: of,
    cell,
  });
  const columns: Column<ProfileChange>[] = [
    {
      key: "name",
      title: kind === "dynamo_counters" || kind === "xla_metrics" ? "Counter or metric" : "Name",
      width: 360,
      sort: (one) => one.name,
      cell: (one) => (
        <span class="change-name">
          <span class={`change-sign ${one.change}`} title={SIGNS[one.change].words}>
            <span aria-hidden="true">{SIGNS[one.change].sign}</span>
            <span class="sr">{SIGNS[one.change].words}: </span>
          </span>
          <Name text={one.name} />
        </span>
      ),
    },
    number(
      "before",
      108,
      (one) => one.before,
      (one) => value(one.before, one.change === "appeared" ? "was not there" : ""),
    ),
    number(
      "after",
      108,
      (one) => one.after,
      (one) => value(one.after, one.change === "gone" ? "is not there any more" : ""),
    ),
    number("change", 190, changeOf, (one) => (
      <span
        class={`num ${tone(section, changeOf(one))}`}
        title={`${full(changeOf(one))}${unit === "count" ? "" : " " + unit}`}
      >
        {signedAmount(changeOf(one), unit)}{" "}
        <span class="quiet">
          {one.change === "changed" ? relative(one.before, one.after) : SIGNS[one.change].words}
        </span>
      </span>
    )),
    {
      key: "bar",
      title: <span class="sr">change, drawn</span>,
      width: 116,
      cell: (one) => <ChangeBar part={barOf(one, section)} tone={tone(section, changeOf(one))} />,
    },
  ];
  if (isSum && before !== after) {
    const hint =
      "Of the difference of the totals. Shares and the unexplained rest add up to 100 %; what went the other way has a share below 0";
    const share = (one: ProfileChange) =>
      one.share === null ? (
        <Missing flush why="the totals differ by less than 2 %: a share of that would be a share of noise" />
      ) : (
        <span class="num" title={full(one.share)}>
          {percent(one.share)}
        </span>
      );
    columns.push(number("share", 84, (one) => one.share, share, hint));
  }
  if (withCalls) {
    const calls = (one: ProfileChange) => (
      <span class="num" title={`${full(one.calls_before)} before, ${full(one.calls_after)} after`}>
        {one.calls_before === one.calls_after
          ? count(one.calls_after)
          : `${count(one.calls_before)} → ${count(one.calls_after)}`}
      </span>
    );
    columns.push(
      number("calls", 130, (one) => one.calls_after - one.calls_before, calls, "How often, before and after"),
    );
  }
  const by = after - before;
  const left = section.change_count - section.changes.length;
  return (
    <div class="diff-section">
      <h3 id={id.replace(/[^\w-]+/g, "-")}>
        {section.of}{" "}
        {isSum && (
          <span class="quiet note">
            {amount(before, unit)} → {amount(after, unit)}
            {by !== 0
              ? `, ${signedAmount(by, unit)}${relative(before, after) ? ` (${relative(before, after)})` : ""}`
              : ""}
          </span>
        )}
      </h3>
      {section.changes.length ? (
        <Table
          caption={`${section.of}: what changed`}
          columns={columns}
          rows={section.changes}
          rowKey={(one) => one.name}
          sortKey={`sort-${id.replace(/[^\w-]+/g, "-")}`}
          orderWords="the largest change first"
        />
      ) : (
        <p class="quiet note">No difference.</p>
      )}
      {((isSum && section.unexplained !== 0) || left > 0) && (
        <p class="quiet note">
          {left > 0 && <>{plural(left, "smaller change")} not listed. </>}
          {isSum && section.unexplained !== 0 && (
            <>
              Unexplained: <strong>{signedAmount(section.unexplained, unit)}</strong>
              {by !== 0 ? ` (${percent(section.unexplained / by)} of the change)` : ""}, the part of the totals'
              difference that no row accounts for.
            </>
          )}
        </p>
      )}
    </div>
  );
}

function Only({ title, artifacts, all }: { title: string; artifacts: Artifact[]; all: number }) {
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="quiet">{count(all)}</span>
      </h3>
      {artifacts.length ? (
        <ul class="lines">
          {artifacts.slice(0, 100).map((one) => (
            <li key={one.id}>
              <a href={artifactHref(one)} title={one.name}>
                {kindName(one.kind)}
              </a>{" "}
              <span class="quiet">{whichDump(one)}</span>
            </li>
          ))}
          {all > 100 && <li class="quiet">and {count(all - 100)} more</li>}
        </ul>
      ) : (
        <p class="quiet">nothing</p>
      )}
    </section>
  );
}
