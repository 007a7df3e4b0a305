// The table of differences between two traces beside each other, and the choice of the other one.
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import { ask, asApiError, type ApiError } from "../api/client";
import type { Artifact, RunRef } from "../api/types";
import { useApi } from "../api/use";
import { csvText } from "../lib/csv";
import { change, count, daysAfter, daysBefore, runName, shown } from "../lib/format";
import { inOrder } from "../lib/neighbours";
import { relative } from "../lib/profile";
import { go, traceHref, useQuery } from "../lib/route";
import { Choice, CsvButton, Menu } from "../parts/controls";
import { ErrorNote, Missing, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { isOfAll, sumsUrl } from "./area";
import { type Diff, type DiffRow, joined } from "./diff";
import { exactly } from "./find";
import { exactPlace, exactText, spanText } from "./time";
import type { Window } from "./types";
import { windowOf } from "./view";
import { type Viewer, roundedOut, useViewer } from "./viewer";

/** As many as the server lists. */
const MOST_NAMES = 10_000;

const signedSpan = (ns: number): string => (ns > 0 ? `+${spanText(ns)}` : spanText(ns));

/** What differs in the area, or else in all of both traces. */
export function Differences({ first, second, shift }: { first: Viewer; second: Viewer; shift: number }) {
  const area = useViewer(first, (one) => one.area);
  const [sight, setSight] = useState<Window | null>(null);
  const window = area?.window ?? sight ?? { begin: 0, end: Math.max(first.end, second.end - shift) };
  const before = useApi(sumsUrl(first, { window, tracks: null }, "name", MOST_NAMES));
  const after = useApi(
    sumsUrl(
      second,
      { window: { begin: window.begin + shift, end: window.end + shift }, tracks: null },
      "name",
      MOST_NAMES,
    ),
  );
  const diff = useMemo(
    () => (isOfAll(before.data) && isOfAll(after.data) ? joined(before.data, after.data) : null),
    [before.data, after.data],
  );
  const columns = useMemo(() => columnsOf(first, second, diff), [first, second, diff]);
  const error = before.error ?? after.error;
  return (
    <div class="trace-area">
      <div class="trace-area-head">
        {!area && (
          <Choice
            label="Within"
            value={sight ? "sight" : "all"}
            options={[
              { value: "all", text: "all of both" },
              { value: "sight", text: "what is in sight" },
            ]}
            onChange={(value) => setSight(value === "sight" ? roundedOut(windowOf(first.view)) : null)}
          />
        )}
        <p>
          {diff ? (
            <>
              <strong>
                {spanText(diff.before)} → {spanText(diff.after)}
              </strong>{" "}
              of self time, {diff.before > 0 ? change(diff.after / diff.before) : signedSpan(diff.after - diff.before)},
              within {spanText(window.end - window.begin)} from {exactPlace(window.begin)}; without annotations and the
              profiler's spans, which only contain other slices
            </>
          ) : (
            "…"
          )}
        </p>
      </div>
      {error && <ErrorNote error={error} again={() => (before.again(), after.again())} />}
      {!diff && !error && <Waiting rows={4} />}
      {diff && <CsvButton name="differences.csv" make={() => csvOf(diff)} />}
      {diff && (
        <Table
          caption="Differences by name"
          columns={columns}
          rows={diff.rows}
          rowKey={(row) => row.key}
          late={before.late || after.late}
          sortKey="ds"
          orderWords="largest change first"
          empty="Nothing happens in either of them."
        />
      )}
      {diff && (diff.leftOut.before > 0 || diff.leftOut.after > 0) && (
        <p class="quiet">
          Of names with shorter totals {count(diff.leftOut.before)} before and {count(diff.leftOut.after)} after are not
          listed; the sums over all hold them.
        </p>
      )}
    </div>
  );
}

/** What is not known, because a name may be among those that are not listed, is an empty cell. */
const csvOf = ({ rows }: Diff): string =>
  csvText(
    ["name", "before_count", "before_self_ns", "after_count", "after_self_ns", "change_ns"],
    rows.map(({ key, before, after, delta }) => [
      key,
      before?.count ?? null,
      before?.self ?? null,
      after?.count ?? null,
      after?.self ?? null,
      delta,
    ]),
  );

/** Why a side has nothing of a name. */
const whyMissing = (leftOut: number): string =>
  leftOut > 0 ? "not in this trace, or too short for the list" : "not in this trace";

/** A change against the row's own value before; null where there was none. */
const relativeChange = ({ before, delta }: DiffRow): number | null =>
  before && before.self > 0 ? delta / before.self : null;

/** The same in words; null where it is not known, for a name may be among those that are not listed. */
export function relativeWords({ before, after }: DiffRow, leftOut: Diff["leftOut"]): string | null {
  if ((!before && leftOut.before > 0) || (!after && leftOut.after > 0)) return null;
  if (!after) return "gone";
  return before ? relative(before.self, after.self).replace(" %", "") || "0" : "new";
}

function columnsOf(first: Viewer, second: Viewer, diff: Diff | null): Column<DiffRow>[] {
  const leftOut = diff?.leftOut ?? { before: 0, after: 0 };
  const side = (key: "before" | "after", title: string): Column<DiffRow>[] => [
    {
      key: `${key}n`,
      title: `${title}, count`,
      width: 110,
      align: "right",
      first: "desc",
      starts: true,
      sort: (row) => row[key]?.count ?? 0,
      cell: (row) => (row[key] ? count(row[key].count) : <Missing flush why={whyMissing(leftOut[key])} />),
    },
    {
      key,
      title: `${title}, self`,
      width: 110,
      align: "right",
      first: "desc",
      sort: (row) => row[key]?.self ?? 0,
      cell: (row) =>
        row[key] ? (
          <span title={exactText(row[key].self)}>{spanText(row[key].self)}</span>
        ) : (
          <Missing flush why={whyMissing(leftOut[key])} />
        ),
    },
  ];
  return [
    {
      key: "name",
      title: "Name",
      width: 320,
      sort: (row) => row.key,
      cell: (row) => (
        <button
          type="button"
          class="link mono clip"
          title={`${row.key}\nShow all of them in both`}
          onClick={() => {
            first.finder.set(exactly(row.key), true);
            second.finder.set(exactly(row.key), true);
          }}
        >
          {shown(row.key)}
        </button>
      ),
    },
    ...side("before", "Before"),
    ...side("after", "After"),
    {
      key: "delta",
      title: "Change",
      hint: "Self time after less self time before",
      width: 120,
      align: "right",
      first: "desc",
      starts: true,
      sort: (row) => row.delta,
      cell: (row) => <span title={exactText(row.delta)}>{row.delta === 0 ? "0 ns" : signedSpan(row.delta)}</span>,
    },
    {
      key: "relative",
      title: "Change, %",
      hint: "Of the name's own self time before",
      width: 100,
      align: "right",
      first: "desc",
      sort: relativeChange,
      cell: (row) =>
        relativeWords(row, leftOut) ?? <Missing flush why="one of them has it not, or too short for its list" />,
    },
  ];
}

/** Where two traces lie beside each other: the one before above, as a difference of profiles has it. */
export const besideHref = (before: number, after: number, shift = 0): string =>
  traceHref(before, { with: String(after), tab: "diff", ...(shift ? { by_shift: String(shift) } : {}) });

/** The run of a trace's result; null where the trace is of none. */
async function runOfTrace(id: number): Promise<RunRef | null> {
  const { artifact } = (await ask(address("/traces/{id}", { id }))).data;
  return artifact === null
    ? null
    : ((await ask(address("/artifacts/{id}", { id: artifact }))).data.results[0]?.run ?? null);
}

/** Whether the run of the trace `other` began before `run`; not where that is not known. */
async function isEarlier(other: number, run: RunRef | undefined): Promise<boolean> {
  const others = run ? await runOfTrace(other).catch(() => null) : null;
  return !!run && !!others && others.started_at < run.started_at;
}

/** The traces that lie near: the night before and after, and other backends of the night. */
export function CompareMenu({ viewer, artifact }: { viewer: Viewer; artifact: Artifact | null }) {
  const [query, setQuery] = useQuery();
  const asked = query.get("with") ?? "";
  const chosen = /^\d{1,15}$/.test(asked) ? Number(asked) : null;
  const own = viewer.info.id;
  const showBelow = (id: number | null): void => {
    setQuery({ with: id === null ? null : String(id), by_shift: null });
    viewer.setTab(id === null ? null : "diff");
  };
  const show = (id: number, isBefore: boolean): void => (isBefore ? go(besideHref(id, own)) : showBelow(id));
  return (
    <div class="trace-compare">
      <Menu label={chosen !== null ? `Beside: trace ${chosen}` : "Compare"}>
        {(close) => (
          <div class="trace-menu">
            {artifact?.results[0] && (
              <Near artifact={artifact} onChoose={(id, isBefore) => (show(id, isBefore), close())} />
            )}
            <form
              class="trace-other"
              onSubmit={(event) => {
                event.preventDefault();
                const id = Number(new FormData(event.currentTarget).get("trace"));
                if (id !== own) void isEarlier(id, artifact?.results[0]?.run).then((isBefore) => show(id, isBefore));
                close();
              }}
            >
              <label class="field">
                <span>Number of another trace, as its address has it</span>
                <input name="trace" type="text" inputMode="numeric" pattern="[0-9]{1,15}" required />
              </label>
              <button
                type="submit"
                class="button"
                title="The trace of the earlier run is the one before, and stands above"
              >
                Show beside this one
              </button>
            </form>
            {chosen !== null && (
              <>
                <button type="button" class="button" onClick={() => (showBelow(null), close())}>
                  Only the one before
                </button>
                <button type="button" class="button" onClick={() => (go(traceHref(chosen)), close())}>
                  Only the one after
                </button>
              </>
            )}
          </div>
        )}
      </Menu>
    </div>
  );
}

type Choices = { run: number; experiment: number; isBefore: boolean; text: string };

function Near({ artifact, onChoose }: { artifact: Artifact; onChoose: (trace: number, isBefore: boolean) => void }) {
  const own = artifact.results[0] as Artifact["results"][number];
  const { data } = useApi(
    address("/runs/{run}/results/{experiment}/neighbours", { run: own.run.id, experiment: own.experiment_id }),
  );
  const { data: result } = useApi(
    address("/runs/{run}/results/{experiment}", { run: own.run.id, experiment: own.experiment_id }),
  );
  const [error, setError] = useState<ApiError | null>(null);
  if (!data || !result) return <p class="quiet">looking for other traces …</p>;
  // Another backend is the one before, as on the page of a profile.
  const choices: Choices[] = [
    ...(data.before
      ? [
          {
            run: data.before.id,
            experiment: own.experiment_id,
            isBefore: true,
            text: `${runName(data.before)}, ${daysBefore(data.before.started_at, own.run.started_at)}`,
          },
        ]
      : []),
    ...(data.after
      ? [
          {
            run: data.after.id,
            experiment: own.experiment_id,
            isBefore: false,
            text: `${runName(data.after)}, ${daysAfter(data.after.started_at, own.run.started_at)}`,
          },
        ]
      : []),
    ...inOrder(data.others, result.experiment).map((one) => ({
      run: own.run.id,
      experiment: one.id,
      isBefore: true,
      text: `${one.column}, the same night`,
    })),
  ];
  const choose = async ({ run, experiment, isBefore }: Choices): Promise<void> => {
    try {
      const { items } = (
        await ask(
          address("/artifacts", { run: String(run), experiment: String(experiment), kind: "trace", limit: 100 }),
        )
      ).data;
      const traces = items.filter((one) => one.trace_id !== null && !one.superseded);
      const other = traces.find((one) => one.repetition === artifact.repetition) ?? traces[0];
      if (!other || other.trace_id === null) throw new Error("That result has no trace.");
      onChoose(other.trace_id, isBefore);
    } catch (problem) {
      setError(asApiError(problem, ""));
    }
  };
  return (
    <>
      {error && <p class="warn">{error.message}</p>}
      {choices.map((one) => (
        <button type="button" class="link" key={one.text} onClick={() => void choose(one)}>
          {one.text}
        </button>
      ))}
      {!choices.length && <p class="quiet">No other night or backend has dumps of this result.</p>}
    </>
  );
}
