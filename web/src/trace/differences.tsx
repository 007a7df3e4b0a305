// The table of differences between two traces beside each other, and the choice of the other one.
import { useMemo, useState } from "preact/hooks";
import { address, ask, asApiError, type ApiError } from "../api/client";
import type { Artifact, ArtifactPage, Neighbours, Result } from "../api/types";
import { useApi } from "../api/use";
import { change, count, daysAfter, daysBefore, digits, runName, shown } from "../lib/format";
import { inOrder } from "../lib/neighbours";
import { useQuery } from "../lib/route";
import { Choice, Menu } from "../parts/controls";
import { ErrorNote, Missing, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";
import { type Sums, sumsUrl } from "./area";
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
  const before = useApi<Sums>(sumsUrl(first, { window, tracks: null }, "name", MOST_NAMES));
  const after = useApi<Sums>(sumsUrl(second, { window: { begin: window.begin + shift, end: window.end + shift }, tracks: null }, "name", MOST_NAMES));
  const diff = useMemo(() => (before.data && after.data ? joined(before.data, after.data) : null), [before.data, after.data]);
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
              of self time, {diff.before > 0 ? change(diff.after / diff.before) : signedSpan(diff.after - diff.before)}, within {spanText(window.end - window.begin)} from {exactPlace(window.begin)}
            </>
          ) : (
            "…"
          )}
        </p>
      </div>
      {error && <ErrorNote error={error} again={() => (before.again(), after.again())} />}
      {!diff && !error && <Waiting rows={4} />}
      {diff && <Table caption="Differences by name" columns={columns} rows={diff.rows} rowKey={(row) => row.key} late={before.late || after.late} sortKey="ds" orderWords="largest change first" empty="Nothing happens in either of them." />}
      {diff && (diff.leftOut.before > 0 || diff.leftOut.after > 0) && (
        <p class="quiet">
          Of names with shorter totals {count(diff.leftOut.before)} above and {count(diff.leftOut.after)} below are not listed; the sums over all hold them.
        </p>
      )}
    </div>
  );
}

/** Why a side has nothing of a name. */
const whyMissing = (leftOut: number): string => (leftOut > 0 ? "not in this trace, or too short for the list" : "not in this trace");

function columnsOf(first: Viewer, second: Viewer, diff: Diff | null): Column<DiffRow>[] {
  const all = diff?.before ?? 0;
  const side = (key: "before" | "after", title: string): Column<DiffRow>[] => [
    { key: `${key}n`, title: `${title}, count`, width: 110, align: "right", first: "desc", starts: true, sort: (row) => row[key]?.count ?? 0, cell: (row) => (row[key] ? count(row[key].count) : <Missing flush why={whyMissing(diff?.leftOut[key] ?? 0)} />) },
    { key, title: `${title}, self`, width: 110, align: "right", first: "desc", sort: (row) => row[key]?.self ?? 0, cell: (row) => (row[key] ? <span title={exactText(row[key].self)}>{spanText(row[key].self)}</span> : <Missing flush why={whyMissing(diff?.leftOut[key] ?? 0)} />) },
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
    ...side("before", "Above"),
    ...side("after", "Below"),
    { key: "delta", title: "Change", hint: "Self time below less self time above", width: 120, align: "right", first: "desc", starts: true, sort: (row) => row.delta, cell: (row) => <span title={exactText(row.delta)}>{row.delta === 0 ? "0 ns" : signedSpan(row.delta)}</span> },
    { key: "share", title: "Change, %", hint: "Of all self time above", width: 100, align: "right", first: "desc", sort: (row) => Math.abs(row.delta), cell: (row) => (all === 0 || row.delta === 0 ? "–" : digits((100 * row.delta) / all)) },
  ];
}

/** The traces that lie near: the night before and after, and other backends of the night. */
export function CompareMenu({ viewer, artifact }: { viewer: Viewer; artifact: Artifact | null }) {
  const [query, setQuery] = useQuery();
  const chosen = query.get("with");
  const show = (id: string | null): void => {
    setQuery({ with: id, by_shift: null });
    viewer.setTab(id ? "diff" : null);
  };
  return (
    <div class="trace-compare">
      <Menu label={chosen ? `Beside: trace ${chosen}` : "Compare"}>
        {(close) => (
          <div class="trace-menu">
            {artifact?.results[0] && <Near artifact={artifact} onChoose={(id) => (show(String(id)), close())} />}
            <form
              class="trace-other"
              onSubmit={(event) => {
                event.preventDefault();
                const id = new FormData(event.currentTarget).get("trace");
                if (id && String(id) !== String(viewer.info.id)) show(String(id));
                close();
              }}
            >
              <label class="field">
                <span>Number of another trace, as its address has it</span>
                <input name="trace" type="text" inputMode="numeric" pattern="[0-9]{1,15}" required />
              </label>
              <button type="submit" class="button">
                Show below
              </button>
            </form>
            {chosen && (
              <button type="button" class="button" onClick={() => (show(null), close())}>
                This trace alone
              </button>
            )}
          </div>
        )}
      </Menu>
    </div>
  );
}

type Choices = { run: number; experiment: number; text: string };

function Near({ artifact, onChoose }: { artifact: Artifact; onChoose: (trace: number) => void }) {
  const own = artifact.results[0] as Artifact["results"][number];
  const { data } = useApi<Neighbours>(address(`/runs/${own.run.id}/results/${own.experiment_id}/neighbours`));
  const { data: result } = useApi<Result>(address(`/runs/${own.run.id}/results/${own.experiment_id}`));
  const [error, setError] = useState<ApiError | null>(null);
  if (!data || !result) return <p class="quiet">looking for other traces …</p>;
  const choices: Choices[] = [
    ...(data.before ? [{ run: data.before.id, experiment: own.experiment_id, text: `${runName(data.before)}, ${daysBefore(data.before.started_at, own.run.started_at)}` }] : []),
    ...(data.after ? [{ run: data.after.id, experiment: own.experiment_id, text: `${runName(data.after)}, ${daysAfter(data.after.started_at, own.run.started_at)}` }] : []),
    ...inOrder(data.others, result.experiment).map((one) => ({ run: own.run.id, experiment: one.id, text: `${one.column}, the same night` })),
  ];
  const choose = async ({ run, experiment }: Choices): Promise<void> => {
    try {
      const { items } = (await ask<ArtifactPage>(address("/artifacts", { run: String(run), experiment: String(experiment), kind: "trace", limit: 100 }))).data;
      const traces = items.filter((one) => one.trace_id !== null && !one.superseded);
      const other = traces.find((one) => one.repetition === artifact.repetition) ?? traces[0];
      if (!other || other.trace_id === null) throw new Error("That result has no trace.");
      onChoose(other.trace_id);
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
