// Explore before and now: how much every result changed from the first runs of a span to the last.
import { useMemo } from "preact/hooks";
import type { HistoryChange, HistoryChanges, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { byBackend, columnStyle } from "../lib/backends";
import { changesAddress, resultMetric } from "../lib/explore";
import {
  change,
  count,
  date,
  full,
  percentInterval,
  plainUnit,
  plural,
  shown,
  testName,
  type Unit,
  unitOf,
} from "../lib/format";
import { outcomeWord } from "../lib/outcomes";
import { median } from "../lib/plot";
import { modelHref, suiteHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { capital } from "../lib/words";
import { FilterField } from "../parts/controls";
import { OutcomeSign } from "../parts/coverage";
import { Distribution, DistributionPicture, type Changed, type Tone } from "../parts/distribution";
import { Backend, ErrorNote, Missing, Num, Section, Sentence, Waiting, Whisker, ratioDomain } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { type Taken, type ViewProps, useTaken } from "./explore_parts";

/** The interval leaves no change out, this way or that. */
export function toneOf(item: HistoryChange, better: Better): Tone {
  const { interval } = item;
  if (better === "neither" || !interval || (interval.low <= 1 && interval.high >= 1)) return "unclear";
  return interval.low > 1 === (better === "higher") ? "better" : "worse";
}

export const spanWords = (runs: readonly RunRef[]): string => {
  const first = runs[0];
  const last = runs[runs.length - 1];
  if (!first || !last) return "no run";
  return runs.length === 1
    ? date(first.started_at)
    : `${plural(runs.length, "run")} ${date(first.started_at)} to ${date(last.started_at)}`;
};

type Better = HistoryChanges["better"];
type Words = Record<Tone, string>;

/** What worse and better are called; of a number that is better neither way, nothing is. */
function wordsOf(better: Better, unit: string): Words {
  if (better === "lower")
    return unit === "s"
      ? { worse: "slower", better: "faster", unclear: "unclear" }
      : { worse: "higher", better: "lower", unclear: "unclear" };
  return { worse: "lower", better: "higher", unclear: better === "neither" ? "neither better nor worse" : "unclear" };
}

export const experimentName = (item: HistoryChange): string =>
  `${item.experiment.suite}/${item.experiment.model}, ${testName(item.experiment.test)}, ${item.experiment.column}${item.experiment.batch_size === null ? "" : `, batch ${item.experiment.batch_size}`}`;

export const changeHref = (item: HistoryChange, accelerator: string): string =>
  modelHref(item.experiment.suite, item.experiment.model, {
    test: item.experiment.test,
    accelerator_model: accelerator,
  });

function changeTitle(item: HistoryChange, unit: string): string {
  const { before, after, ratio, interval } = item;
  const side = (value: typeof before) =>
    value ? `${full(value.value)}${unit} (n = ${value.n} ${value.n === 1 ? "run" : "runs"})` : "nothing";
  return `${experimentName(item)}\n${side(before)} → ${side(after)}${ratio === null ? "" : `\n${change(ratio)}${interval ? ` ${percentInterval(interval.low, interval.high)}` : ", no interval"}`}`;
}

export function Changes({ asked, onTaken }: ViewProps) {
  const [query, setQuery] = useQuery();
  const filter = query.get("q") ?? "";
  const metric = resultMetric(asked.of);
  const address = changesAddress(asked, asked.of);
  const { data, late, error, again } = useApi(address);
  const better = data?.better ?? "neither";
  const words = useMemo(() => wordsOf(better, data?.unit ?? ""), [better, data?.unit]);
  const drawing = useMemo(() => (data ? drawingOf(data) : null), [data]);
  const rows = useMemo(
    () =>
      (data?.items ?? []).filter(
        (item) =>
          !filter ||
          matches(
            filter,
            `${item.experiment.suite} ${item.experiment.model} ${item.experiment.column} ${item.experiment.test} ${testName(item.experiment.test)}`,
          ),
      ),
    [data, filter],
  );
  const columns = useMemo(() => (data ? changeColumns(data) : []), [data]);
  const order = useMemo(() => worstFirst(better), [better]);
  const title = `Change of ${metric.text}${asked.of === "speedup" ? ` over ${asked.baseline}` : ""}`;
  const note = data
    ? `${data.accelerator_model}; ${spanWords(data.before)} → ${spanWords(data.after)}; medians over runs, intervals 95 % by bootstrap over runs`
    : "";
  const taken = useMemo<Taken | null>(
    () =>
      drawing?.items.length
        ? {
            name: title,
            json: address,
            csv: changesAddress(asked, asked.of, { format: "csv" }),
            picture: (here) => (
              <DistributionPicture title={title} note={note} address={here} {...drawing} words={words} />
            ),
          }
        : null,
    [drawing, title, note, address, words],
  );
  useTaken(taken, onTaken);
  if (!data || !drawing) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={12} />;
  const changed = drawing.items.filter((item) => item.tone !== "unclear").length;
  const sure = data.items.filter((item) => item.interval).length;
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <div class="kicker">
          <span class="accel">{data.accelerator_model}</span>
          <span>before: {spanWords(data.before)}</span>
          <span>now: {spanWords(data.after)}</span>
        </div>
        <h1>
          <Sentence text={changesSentence(data, drawing.items, words, metric.text)} />
        </h1>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <Section
        title={title}
        note={
          better === "neither" ? (
            "Neither more nor less of it is better by itself."
          ) : (
            <>
              ▼ ▲: the 95 % interval over runs leaves no change out. Not a verdict: of {count(sure)} results that did
              not change, about {count(sure * 0.05)} would look so too, more where nights resemble each other;{" "}
              {count(changed)} do. <a href="/alerts">Alerts</a> hold what was found.
            </>
          )
        }
      >
        {drawing.items.length ? (
          <Distribution
            {...drawing}
            words={words}
            late={late}
            label={`${title}: histogram of ${plural(drawing.items.length, "result")} and a strip for each backend; the same values are in the table below`}
          />
        ) : (
          <p class="quiet">
            No result has a {metric.text} in both spans.{" "}
            {data.before.length === 0
              ? "There are fewer than two runs: ask for more."
              : "Choose other spans, or fewer filters."}
          </p>
        )}
      </Section>
      <Section id="changes" title="Results">
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={data.items.length}
            what="results"
          />
        </div>
        <Table
          caption={title}
          columns={columns}
          rows={rows}
          rowKey={(item) => String(item.experiment.id)}
          rowHref={(item) => changeHref(item, data.accelerator_model)}
          order={order}
          orderWords="surely worse first"
          late={late}
          empty="No result matches the filter."
        />
      </Section>
    </div>
  );
}

/** The unit behind a number of these, with its blank. */
const behind = ({ metric, unit }: HistoryChanges): string =>
  metric === "speedup" ? "×" : plainUnit(unit) && ` ${plainUnit(unit)}`;

function drawingOf(data: HistoryChanges): { items: Changed[]; groups: { name: string; color: string }[] } {
  const backends = [...new Map(data.items.map((item) => [item.experiment.column, item.experiment.backend]))].sort(
    (a, b) => byBackend(a[1], b[1]) || (a[0] < b[0] ? -1 : 1),
  );
  const places = new Map(backends.map(([column], at) => [column, at]));
  const items = data.items
    .filter((item) => item.ratio !== null)
    .map((item) => ({
      key: String(item.experiment.id),
      ratio: item.ratio as number,
      tone: toneOf(item, data.better),
      group: places.get(item.experiment.column) as number,
      title: changeTitle(item, behind(data)),
      href: changeHref(item, data.accelerator_model),
    }));
  return {
    items,
    groups: backends.map(([column, backend]) => ({ name: column, color: columnStyle(column, backend).color })),
  };
}

function changesSentence(data: HistoryChanges, items: readonly Changed[], words: Words, what: string): string {
  if (!items.length) return `${capital(what)}: nothing can be compared.`;
  const number = (tone: Tone) => items.filter((item) => item.tone === tone).length;
  const middle = median(items.map((item) => item.ratio)) as number;
  const gone = data.items.filter((item) => item.before && !item.after).length;
  const fresh = data.items.filter((item) => !item.before && item.after).length;
  const others = [
    gone ? `${count(gone)} had a value before and ${gone === 1 ? "has" : "have"} none now` : "",
    fresh ? `${count(fresh)} ${fresh === 1 ? "is" : "are"} new` : "",
  ].filter(Boolean);
  const rest = others.length ? `; ${others.join(", ")}` : "";
  if (data.better === "neither")
    return `The median change of ${what} over ${plural(items.length, "result")} is ${change(middle)}${rest}.`;
  return `Of ${plural(items.length, "result")} ${count(number("worse"))} ${number("worse") === 1 ? "looks" : "look"} ${words.worse} and ${count(number("better"))} ${words.better}, where chance alone makes about ${count(data.items.filter((item) => item.interval).length * 0.05)} look so; the median change of ${what} is ${change(middle)}${rest}.`;
}

/** What is surely worse first, by how much; what has no interval, and what is better, behind. */
const worstFirst =
  (better: Better) =>
  (items: HistoryChange[]): HistoryChange[] => {
    const bad = (item: HistoryChange): number => {
      if (item.ratio === null) return item.before && !item.after ? 500 : -1000;
      if (better === "neither") return Math.abs(Math.log(item.ratio));
      const much = Math.log(item.ratio) * (better === "higher" ? -1 : 1);
      const tone = toneOf(item, better);
      return (tone === "worse" ? 1000 : tone === "better" ? -500 : 0) + much;
    };
    return items
      .map((item) => ({ item, bad: bad(item) }))
      .sort((a, b) => b.bad - a.bad)
      .map(({ item }) => item);
  };

export function changeColumns(data: HistoryChanges): Column<HistoryChange>[] {
  const { better } = data;
  const unit = unitOf(
    data.items.map((item) => item.after?.value ?? NaN),
    data.unit,
  );
  const word = data.metric === "speedup" ? "×" : unit.name;
  const domain = ratioDomain(data.items.map((item) => item.interval));
  const several = (pick: (item: HistoryChange) => unknown) => new Set(data.items.map(pick)).size > 1;
  const columns: Column<HistoryChange>[] = [
    {
      key: "model",
      title: "Model",
      width: 210,
      sort: (item) => item.experiment.model,
      cell: (item) => (
        <a class="mono clip" title={item.experiment.model} href={changeHref(item, data.accelerator_model)}>
          {shown(item.experiment.model)}
        </a>
      ),
    },
  ];
  if (several((item) => item.experiment.suite)) {
    columns.push({
      key: "suite",
      title: "Suite",
      width: 120,
      sort: (item) => item.experiment.suite,
      cell: (item) => (
        <a class="clip" href={suiteHref(item.experiment.suite)} title={item.experiment.suite}>
          {shown(item.experiment.suite)}
        </a>
      ),
    });
  }
  if (several((item) => item.experiment.test))
    columns.push({
      key: "test",
      title: "Test",
      width: 88,
      sort: (item) => testName(item.experiment.test),
      cell: (item) => testName(item.experiment.test),
    });
  columns.push({
    key: "column",
    title: "Backend",
    width: 184,
    sort: (item) => item.experiment.column,
    cell: (item) => (
      <span class="clip" title={item.experiment.column}>
        <Backend name={item.experiment.column} backend={item.experiment.backend} />
      </span>
    ),
  });
  if (several((item) => item.experiment.batch_size))
    columns.push({
      key: "batch",
      title: "Batch",
      width: 64,
      align: "right",
      sort: (item) => item.experiment.batch_size,
      cell: (item) =>
        item.experiment.batch_size === null ? (
          <Missing flush why="batch size unknown" />
        ) : (
          <span class="num">{item.experiment.batch_size}</span>
        ),
    });
  columns.push(
    {
      key: "before",
      title: <>before {word}</>,
      label: "before",
      width: 100,
      align: "right",
      first: "desc",
      sort: (item) => item.before?.value,
      cell: (item) => <SideCell value={item.before} unit={unit} why="no run of the first span has it" />,
    },
    {
      key: "after",
      title: <>now {word}</>,
      label: "now",
      width: 100,
      align: "right",
      first: "desc",
      sort: (item) => item.after?.value,
      cell: (item) => (
        <SideCell
          value={item.after}
          unit={unit}
          why={`no run of the last span has it; in the newest: ${outcomeWord(item.outcome)}`}
        />
      ),
    },
    {
      key: "ratio",
      title: "change",
      label: "change",
      width: 106,
      align: "right",
      first: better === "higher" ? "asc" : "desc",
      sort: (item) => item.ratio,
      cell: (item) => <RatioCell item={item} better={better} unit={behind(data)} />,
    },
    {
      key: "interval",
      title: "95 % over runs",
      label: "interval of the change",
      width: 132,
      cell: (item) =>
        item.interval ? (
          <span class="interval">{percentInterval(item.interval.low, item.interval.high)}</span>
        ) : item.ratio === null ? null : (
          <Missing why="one run a side: nothing says how runs differ" />
        ),
    },
    {
      key: "drawn",
      title: <span class="sr">interval, drawn</span>,
      width: 84,
      cell: (item) =>
        item.ratio === null ? null : (
          <Whisker
            value={item.ratio}
            interval={item.interval}
            domain={domain}
            color={columnStyle(item.experiment.column, item.experiment.backend).color}
            width={64}
          />
        ),
    },
    {
      key: "n",
      title: "n",
      label: "runs before and now",
      hint: "Runs before, runs now",
      width: 64,
      align: "right",
      sort: (item) => (item.before?.n ?? 0) + (item.after?.n ?? 0),
      cell: (item) => <span class="num quiet">{`${item.before?.n ?? 0}, ${item.after?.n ?? 0}`}</span>,
    },
    {
      key: "outcome",
      title: "newest run",
      label: "outcome in the newest run",
      width: 118,
      sort: (item) => item.outcome,
      cell: (item) => <OutcomeSign outcome={item.outcome} />,
    },
  );
  return columns;
}

function SideCell({ value, unit, why }: { value: HistoryChange["before"]; unit: Unit; why: string }) {
  return value ? (
    <Num value={value.value} factor={unit.factor} title={`${full(value.value)}\nmedian of ${plural(value.n, "run")}`} />
  ) : (
    <Missing why={why} />
  );
}

function RatioCell({ item, better, unit }: { item: HistoryChange; better: Better; unit: string }) {
  if (item.ratio === null)
    return (
      <Missing
        flush
        why={!item.before ? "nothing before" : !item.after ? "nothing now" : "no multiple of what is not above 0"}
      />
    );
  const tone = toneOf(item, better);
  const glyph = tone === "worse" ? "▼" : tone === "better" ? "▲" : "~";
  return (
    <span class="speedup" title={changeTitle(item, unit)} data-text={`${glyph} ${change(item.ratio)}`}>
      <span class={`mark ${tone}`} aria-hidden="true">
        {glyph}
      </span>
      <span class="num">{change(item.ratio)}</span>
      <span class="sr">{tone === "unclear" ? "unclear" : tone}</span>
    </span>
  );
}
