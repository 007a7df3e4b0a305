// What torch.compile did differently from another night, by the logs of TORCH_TRACE of both: breaks, recompilations, graphs, code, caches and slower phases.
import { useState } from "preact/hooks";
import { address } from "../../api/address";
import { useRuns } from "../../api/pages";
import type { CompilationChange, CompilationChanges, CompilationCounts, RunRef } from "../../api/types";
import { useApi } from "../../api/use";
import { KIND_WORDS, changeSentence, changeTone, frameWords, howWords } from "../../lib/compilation_changes";
import { count, duration, full, plural } from "../../lib/format";
import { artifactHref, href, useQuery } from "../../lib/route";
import { CsvLink, Select, runChoices } from "../controls";
import { PlainTable } from "../plain_table";
import { ErrorNote, Missing, RunLink, Waiting } from "../small";
import { type Column, Table } from "../table";
import { Name } from "./bits";
import { TextView, compilationTextUrl } from "./text";

/** Changes that are asked for at once; the CSV has as many as there are. */
const MOST = 500;
const ALL = 10000;

type Result = { run: RunRef; experiment: { id: number; accelerator_model: string } };

/** Of a result against a night that the reader chooses: the last one before it that has a log, unless told otherwise. */
export function CompilationsBetweenNights({ result }: { result: Result }) {
  const [query, setQuery] = useQuery();
  const runs = useRuns(result.experiment.accelerator_model);
  const asked = query.get("before");
  const others = (runs.data?.items ?? []).filter((run) => run.id !== result.run.id);
  const nearest = { value: "", text: "the last night before it that has a log" };
  return (
    <section class="sub" aria-label="Differences to another night">
      <h3>
        Differences to another night{" "}
        <span class="quiet note">compilations are matched by their frames, whatever their ids and lines</span>
      </h3>
      <div class="toolbar">
        <Select
          label="Compared with"
          value={asked ?? ""}
          options={[nearest, ...runChoices(others)]}
          onChange={(value) => setQuery({ before: value || null, change: null })}
          wide
        />
      </div>
      <Changes result={result} before={asked ? { run: asked, experiment: result.experiment.id } : null} />
    </section>
  );
}

/** Of a result against another one; `before` null: the last night that has a log. */
export function Changes({
  result,
  before,
}: {
  result: { run: { id: number }; experiment: { id: number } };
  before: { run: string | number; experiment: number | string } | null;
}) {
  const place = { run: result.run.id, experiment: result.experiment.id };
  const parameters = before ? { before: String(before.run), before_experiment: String(before.experiment) } : {};
  const { data, error, again, late } = useApi(
    address("/runs/{run}/results/{experiment}/compilation-changes", {
      ...place,
      ...parameters,
      limit: MOST,
    }),
  );
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={4} />;
  const unknown = [
    ...data.unknown,
    ...data.logs.flatMap((pair) =>
      pair.unknown.map((one) => (data.logs.length > 1 && pair.rank !== null ? `Rank ${pair.rank}: ${one}` : one)),
    ),
  ];
  return (
    <div class={late ? "late" : ""}>
      {error && <ErrorNote error={error} again={again} kept />}
      {data.sentence !== null && (
        <p class="lead">
          {changeSentence(data.sentence, unknown.length > 0)}{" "}
          {data.before && (
            <>
              Compared with <RunLink run={data.before} />.
            </>
          )}
        </p>
      )}
      {unknown.length > 0 && (
        <ul class="lines quiet note">
          {unknown.map((one, index) => (
            <li key={index}>Not known: {one}</li>
          ))}
        </ul>
      )}
      {data.changes.length > 0 && (
        <ChangesTable
          answer={data}
          csv={address("/runs/{run}/results/{experiment}/compilation-changes", {
            ...place,
            ...parameters,
            limit: ALL,
            format: "csv",
          })}
        />
      )}
      {data.change_count > data.changes.length && (
        <p class="quiet note">
          The first {count(data.changes.length)} of {plural(data.change_count, "change")}; the CSV has up to{" "}
          {count(ALL)}.
        </p>
      )}
      <Totals answer={data} />
    </div>
  );
}

/** The compilation in the log of one of the nights. */
function Place({ artifact, ordinal, id }: { artifact: number; ordinal: number | null; id: string | null }) {
  if (ordinal === null || id === null) return <Missing flush why="this night's log has none" />;
  return (
    <a
      class="mono"
      href={href(artifactHref({ id: artifact }), { compilation: String(ordinal) })}
      title="This compilation in the night's log"
    >
      [{id}]
    </a>
  );
}

function Value({ one, side }: { one: CompilationChange; side: "before" | "after" }) {
  const value = one[side];
  if (one.kind === "code" || one.kind === "cache") return null;
  if (value === null) return <Missing flush why="the log does not say it" />;
  if (one.kind === "time" || one.kind === "frame")
    return (
      <span class="num" title={`${full(value)} s`}>
        {duration(value)}
      </span>
    );
  return <span class="num">{count(value)}</span>;
}

function ChangesTable({ answer, csv }: { answer: CompilationChanges; csv: string }) {
  const [opened, setOpened] = useState<CompilationChange | null>(null);
  const ranks = answer.logs.length > 1;
  const rows = answer.changes.map((one, index) => ({ one, index }));
  type Row = (typeof rows)[number];
  const hasTexts = (one: CompilationChange) => one.output_before !== null && one.output_after !== null;
  const columns: Column<Row>[] = [
    { key: "kind", title: "what", width: 128, sort: (row) => row.index, cell: ({ one }) => KIND_WORDS[one.kind] },
    {
      key: "change",
      title: "how",
      width: 84,
      sort: ({ one }) => howWords(one),
      cell: ({ one }) => <span class={changeTone(one)}>{howWords(one)}</span>,
    },
    {
      key: "frame",
      title: "frame",
      width: 250,
      sort: ({ one }) => one.frame_name,
      cell: ({ one }) => <Name text={frameWords(one)} title={one.text} />,
    },
    {
      key: "reason",
      title: "reason or part",
      width: 300,
      sort: ({ one }) => one.what,
      cell: ({ one }) =>
        hasTexts(one) ? (
          <button
            type="button"
            class="link clip"
            aria-expanded={opened === one}
            onClick={() => setOpened(opened === one ? null : one)}
            title="Both texts"
          >
            {one.what}
          </button>
        ) : one.what ? (
          <Name text={one.what} />
        ) : one.kind === "frame" ? null : (
          <Missing why="the log has no reason" />
        ),
    },
    {
      key: "before",
      title: "before",
      width: 84,
      align: "right",
      sort: ({ one }) => one.before,
      cell: ({ one }) => <Value one={one} side="before" />,
    },
    {
      key: "after",
      title: "after",
      width: 84,
      align: "right",
      sort: ({ one }) => one.after,
      cell: ({ one }) => <Value one={one} side="after" />,
    },
    ...(ranks
      ? [
          {
            key: "rank",
            title: "rank",
            width: 60,
            align: "right" as const,
            sort: ({ one }: Row) => one.rank,
            cell: ({ one }: Row) =>
              one.rank === null ? <Missing flush why="the log names no rank" /> : count(one.rank),
          },
        ]
      : []),
    {
      key: "id_before",
      title: "id before",
      hint: "The compilation in the earlier night's log",
      width: 88,
      cell: ({ one }) => (
        <Place artifact={one.artifact_before} ordinal={one.ordinal_before} id={one.compile_id_before} />
      ),
    },
    {
      key: "id_after",
      title: "id after",
      hint: "The compilation in the later night's log",
      width: 88,
      cell: ({ one }) => <Place artifact={one.artifact_after} ordinal={one.ordinal_after} id={one.compile_id_after} />,
    },
  ];
  return (
    <>
      <Table
        caption="Differences of compilations"
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.index)}
        sortKey="compilation-changes"
        orderWords="the gravest first"
        empty="Nothing differs."
      />
      <p class="toolbar">
        <CsvLink href={csv} name="compilation-changes.csv" />
      </p>
      {opened && <BothTexts one={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function BothTexts({ one, onClose }: { one: CompilationChange; onClose: () => void }) {
  const sides = [
    { title: "Before", artifact: one.artifact_before, id: one.compile_id_before, place: one.output_before },
    { title: "After", artifact: one.artifact_after, id: one.compile_id_after, place: one.output_after },
  ];
  return (
    <section class="panel" aria-label={`Both texts of ${one.what}`}>
      <div class="panel-head">
        <h3>
          {KIND_WORDS[one.kind]} of {frameWords(one)}
        </h3>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
      <div class="both-texts">
        {sides.map(
          ({ title, artifact, id, place }) =>
            place && (
              <div key={title}>
                <h4>
                  {title} <span class="mono quiet">[{id}]</span>
                </h4>
                <TextView
                  url={compilationTextUrl(artifact, place.output)}
                  length={place.byte_count}
                  label={`${title}: ${one.what}`}
                />
              </div>
            ),
        )}
      </div>
    </section>
  );
}

const TOTALS: [keyof CompilationCounts, string][] = [
  ["compilations", "compilations"],
  ["frames", "frames"],
  ["recompilations", "recompilations"],
  ["graph_breaks", "graph breaks with a reason"],
  ["resumed_frames", "frames resumed behind breaks"],
  ["restarts", "restarts"],
  ["failures", "failures"],
];

function Totals({ answer }: { answer: CompilationChanges }) {
  if (!answer.logs.length) return null;
  const number = (value: number | null) =>
    value === null ? <Missing flush why="the log does not say it" /> : count(value);
  const time = (counts: CompilationCounts) =>
    counts.seconds === null ? (
      <Missing flush why="the log does not say it" />
    ) : (
      <span
        class="num"
        title={
          counts.untimed > 0
            ? `without ${plural(counts.untimed, "compilation")} whose time the log does not say`
            : `${full(counts.seconds)} s`
        }
      >
        {counts.untimed > 0 && "≥ "}
        {duration(counts.seconds)}
      </span>
    );
  return (
    <details class="nested">
      <summary>
        What both logs add up <span class="quiet">{plural(answer.logs.length, "pair")} of logs</span>
      </summary>
      {answer.logs.map((pair) => (
        <PlainTable
          key={pair.after.artifact}
          caption={pair.rank === null ? "What both logs add up" : `What both logs of rank ${pair.rank} add up`}
          heads={[
            { title: pair.rank === null ? "" : `rank ${pair.rank}` },
            { title: "before", right: true },
            { title: "after", right: true },
          ]}
        >
          <tbody>
            {TOTALS.map(([key, words]) => (
              <tr key={key}>
                <th scope="row">{words}</th>
                <td class="right">{number(pair.before.counts[key])}</td>
                <td class="right">{number(pair.after.counts[key])}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">time</th>
              <td class="right">{time(pair.before.counts)}</td>
              <td class="right">{time(pair.after.counts)}</td>
            </tr>
          </tbody>
        </PlainTable>
      ))}
    </details>
  );
}
