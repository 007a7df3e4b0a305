// All runs, newest first.
import { useMemo } from "preact/hooks";
import { address } from "../api/address";
import { PER_PAGE, useRuns } from "../api/pages";
import type { Run } from "../api/types";
import { count, plural, runName } from "../lib/format";
import { useNow, usePlainKeys, useTitle } from "../lib/hooks";
import { runHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { CsvLink, FilterField, Select } from "../parts/controls";
import { Empty } from "../parts/empty";
import { pinned, togglePin } from "../parts/pins";
import { ErrorNote, Labels, Missing, RunLink, Time, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";

export function RunsPage() {
  const [query, setQuery] = useQuery();
  const { data, late, error, again, isComplete } = useRuns();
  const now = useNow();
  const accelerator = query.get("accelerator_model") ?? "";
  const filter = query.get("q") ?? "";
  const runs = data?.items ?? [];
  const accelerators = useMemo(() => [...new Set(runs.map((run) => run.accelerator_model))].sort(), [runs]);
  const rows = useMemo(
    () =>
      runs.filter(
        (run) =>
          (!accelerator || run.accelerator_model === accelerator) &&
          (!filter ||
            matches(
              filter,
              [run.name, run.accelerator_model, run.started_at, ...Object.entries(run.labels).flat()].join(" "),
            )),
      ),
    [runs, accelerator, filter],
  );
  usePlainKeys((event) => {
    if (event.key === "p")
      document.activeElement?.closest("tr[data-entry]")?.querySelector<HTMLElement>("[data-pin]")?.click();
  });
  useTitle("Runs");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  if (data.total === 0) return <Empty />;

  const first = runs[runs.length - 1] as Run;
  const verified = runs.filter((run) => run.verified_at).length;
  const pins = pinned(query);
  const columns: Column<Run>[] = [
    { key: "name", title: "Run", width: 190, sort: (run) => run.name, cell: (run) => <RunLink run={run} /> },
    {
      key: "pin",
      title: "Pin",
      hint: "Two pinned runs make a comparison",
      width: 56,
      align: "center",
      cell: (run) => (
        <button
          type="button"
          class="pin-cell"
          aria-pressed={pins.includes(String(run.id))}
          onClick={() => togglePin(run)}
          title="Pin this run: two make a comparison (p)"
          data-pin={run.id}
        >
          <span aria-hidden="true">{pins.includes(String(run.id)) ? "◆" : "◇"}</span>
          <span class="sr">
            {pins.includes(String(run.id)) ? "unpin" : "pin"} {runName(run)}
          </span>
        </button>
      ),
    },
    {
      key: "time",
      title: "Started (UTC)",
      width: 256,
      sort: (run) => run.started_at,
      first: "desc",
      cell: (run) => <Time at={run.started_at} now={now} />,
    },
    {
      key: "accelerator",
      title: "Accelerator",
      width: 240,
      sort: (run) => run.accelerator_model,
      cell: (run) => (
        <span class="clip" title={run.accelerator_model}>
          {run.accelerator_model}
        </span>
      ),
    },
    {
      key: "results",
      title: "Results",
      width: 84,
      align: "right",
      sort: (run) => run.result_count,
      first: "desc",
      cell: (run) => <span class="num">{count(run.result_count)}</span>,
    },
    {
      key: "timed",
      title: "Timed",
      width: 80,
      align: "right",
      sort: (run) => run.timed_count,
      cell: (run) => <span class="num">{count(run.timed_count)}</span>,
    },
    {
      key: "failed",
      title: "Failed",
      width: 80,
      align: "right",
      sort: (run) => run.failed_count,
      first: "desc",
      cell: (run) => <span class="num">{count(run.failed_count)}</span>,
    },
    {
      key: "verified",
      title: "Verified (UTC)",
      width: 150,
      sort: (run) => run.verified_at,
      first: "desc",
      cell: (run) =>
        run.verified_at ? <Time at={run.verified_at} /> : <Missing why="this run had no verification of its own" />,
    },
    {
      key: "labels",
      title: "Labels",
      width: 260,
      cell: (run) =>
        Object.keys(run.labels).length ? (
          <Labels labels={run.labels} />
        ) : (
          <Missing why="no labels: give them with benchhud ingest --label key=value" />
        ),
    },
  ];
  return (
    <div>
      <header class="page-head">
        <h1>
          {isComplete ? (
            <>
              {plural(data.total, "run")} on{" "}
              {accelerators.length === 1 ? accelerators[0] : plural(accelerators.length, "accelerator model")} since{" "}
              {first.started_at.slice(0, 10)}, {count(verified)} of them verified.
            </>
          ) : (
            <>
              {plural(data.total, "run")}; the newest {count(runs.length)} are loaded.
            </>
          )}
        </h1>
        <div class="toolbar">
          {accelerators.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator}
              options={[{ value: "", text: "all" }, ...accelerators.map((name) => ({ value: name, text: name }))]}
              onChange={(value) => setQuery({ accelerator_model: value || null })}
            />
          )}
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={runs.length}
            total={data.total}
            what="runs"
          />
          <CsvLink
            href={address("/runs", { accelerator_model: accelerator, limit: PER_PAGE, format: "csv" })}
            name="runs.csv"
            list
          />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <Table
        caption="Runs"
        columns={columns}
        rows={rows}
        rowKey={(run) => String(run.id)}
        rowHref={(run) => runHref(run)}
        late={late}
        orderWords="newest first"
        empty={isComplete ? "No run matches." : `None of the newest ${count(runs.length)} runs matches.`}
      />
    </div>
  );
}
