// What was read from where, and what was refused.
import { address } from "../api/address";
import { PER_PAGE, usePages } from "../api/pages";
import type { Ingest, RejectedLine } from "../api/types";
import { useApi } from "../api/use";
import { bytes, count, hoverText, plural } from "../lib/format";
import { useNow, useTitle } from "../lib/hooks";
import { useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { CsvLink, FilterField, More } from "../parts/controls";
import { Empty } from "../parts/empty";
import { Copy, ErrorNote, Missing, RunLink, Section, Time, Waiting } from "../parts/small";
import { type Column, Table } from "../parts/table";

/** The server lists no more. */
const MOST_UNRECOGNIZED = 1000;

export function IngestsPage() {
  const [query, setQuery] = useQuery();
  const { data, late, error, again, isComplete } = usePages(address("/ingests", { limit: PER_PAGE }), {
    whole: true,
  });
  const now = useNow();
  const filter = query.get("q") ?? "";
  useTitle("Ingest reports");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  if (data.total === 0)
    return (
      <>
        <Empty />
        <UnrecognizedFiles paths={data.unrecognized_files} />
      </>
    );
  const rejected = data.items.reduce((sum, one) => sum + one.rejected, 0);
  const lines = data.items.reduce((sum, one) => sum + one.line_count, 0);
  const rows = data.items.filter(
    (one) => !filter || matches(filter, one.path + " " + one.runs.map((run) => run.name).join(" ")),
  );
  const columns: Column<Ingest>[] = [
    {
      key: "path",
      title: "File",
      width: 380,
      sort: (one) => one.path,
      cell: (one) => (
        <a class="mono clip from-end" href={`/ingests/${one.id}`} title={one.path}>
          <bdi>{one.path}</bdi>
        </a>
      ),
    },
    {
      key: "at",
      title: "Read (UTC)",
      width: 220,
      sort: (one) => one.at,
      first: "desc",
      cell: (one) => <Time at={one.at} now={now} />,
    },
    {
      key: "lines",
      title: "Lines",
      width: 90,
      align: "right",
      sort: (one) => one.line_count,
      first: "desc",
      cell: (one) => <span class="num">{count(one.line_count)}</span>,
    },
    {
      key: "accepted",
      title: "Accepted",
      width: 96,
      align: "right",
      sort: (one) => one.accepted,
      first: "desc",
      cell: (one) => <span class="num">{count(one.accepted)}</span>,
    },
    {
      key: "duplicate",
      title: "Known already",
      width: 120,
      align: "right",
      sort: (one) => one.duplicate,
      first: "desc",
      cell: (one) => <span class="num">{count(one.duplicate)}</span>,
    },
    {
      key: "rejected",
      title: "Rejected",
      width: 96,
      align: "right",
      sort: (one) => one.rejected,
      first: "desc",
      cell: (one) =>
        one.rejected ? (
          <a class="worse num" href={`/ingests/${one.id}`}>
            ✗ {count(one.rejected)}
          </a>
        ) : (
          <span class="quiet num">0</span>
        ),
    },
    {
      key: "size",
      title: "Size",
      width: 96,
      align: "right",
      sort: (one) => one.byte_count,
      first: "desc",
      cell: (one) => (
        <span class="num" title={`${one.byte_count} bytes`}>
          {bytes(one.byte_count)}
        </span>
      ),
    },
    {
      key: "runs",
      title: "Runs",
      width: 200,
      cell: (one) =>
        one.runs.length ? (
          <span class="clip">
            {one.runs.map((run, index) => (
              <>
                {index > 0 && ", "}
                <RunLink run={run} />
              </>
            ))}
          </span>
        ) : (
          <Missing why="no new line, so no run" />
        ),
    },
  ];
  return (
    <div>
      <header class="page-head">
        <h1>
          {isComplete
            ? `${plural(lines, "line")} read from ${plural(data.total, "file")}; ${rejected ? `${plural(rejected, "line")} rejected` : "none rejected"}.`
            : `${plural(data.total, "file")} read; the newest ${count(data.items.length)} are loaded.`}
        </h1>
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={rows.length}
            all={data.items.length}
            total={data.total}
            what="files"
          />
          <a
            class="button"
            href="/artifacts"
            title="Traces, operator tables, counters, metrics reports and IR that were taken in"
          >
            Dumps
          </a>
          <CsvLink href={address("/ingests", { limit: PER_PAGE, format: "csv" })} name="ingests.csv" list />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <Table
        caption="Ingest reports"
        columns={columns}
        rows={rows}
        rowKey={(one) => String(one.id)}
        rowHref={(one) => `/ingests/${one.id}`}
        late={late}
        orderWords="newest first"
        empty={isComplete ? "No file matches." : `None of the newest ${count(data.items.length)} files matches.`}
      />
      <UnrecognizedFiles paths={data.unrecognized_files} />
    </div>
  );
}

function UnrecognizedFiles({ paths }: { paths: readonly string[] }) {
  if (!paths.length) return null;
  return (
    <Section
      id="unrecognized"
      title={`Files that were not recognized: ${count(paths.length)}${paths.length < MOST_UNRECOGNIZED ? "" : " or more"}`}
      note="They lie in folders that were ingested and are neither results nor dumps: nothing of them is in the store."
    >
      <ul class="mono">
        {paths.map((path, index) => (
          <li key={index}>
            <bdi>{path}</bdi>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function IngestPage({ id }: { id: number }) {
  const { data, error, again } = useApi(address("/ingests/{id}", { id }));
  const rejected = usePages(address("/rejected-lines", { ingest: id, limit: PER_PAGE }));
  const now = useNow();
  useTitle(data ? `Ingest of ${data.path}` : "Ingest report");
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={8} />;
  const columns: Column<RejectedLine>[] = [
    {
      key: "line",
      title: "Line",
      width: 90,
      sort: (one) => one.line_number,
      cell: (one) => <span class="num">{count(one.line_number)}</span>,
    },
    {
      key: "reason",
      title: "Reason",
      width: 360,
      sort: (one) => one.reason,
      cell: (one) => (
        <span class="clip" title={hoverText(one.reason)}>
          {one.reason}
        </span>
      ),
    },
    {
      key: "offset",
      title: "At byte",
      width: 110,
      align: "right",
      sort: (one) => one.byte_offset,
      cell: (one) => <span class="num">{count(one.byte_offset)}</span>,
    },
    {
      key: "bytes",
      title: "Bytes",
      width: 96,
      align: "right",
      sort: (one) => one.byte_count,
      first: "desc",
      cell: (one) => <span class="num">{count(one.byte_count)}</span>,
    },
    {
      key: "excerpt",
      title: "Begins with",
      width: 520,
      cell: (one) => (
        <code class="clip" title={hoverText(one.excerpt)}>
          {one.excerpt}
        </code>
      ),
    },
  ];
  return (
    <div>
      <header class="page-head">
        <div class="kicker">
          <a href="/ingests">Ingest reports</a>
          <Time at={data.at} now={now} />
          <Copy text={data.path} />
        </div>
        <h1>
          {plural(data.line_count, "line")}: {count(data.accepted)} accepted, {count(data.duplicate)} known already,{" "}
          {count(data.rejected)} rejected.
        </h1>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      <dl class="facts">
        <dt>Size</dt>
        <dd title={`${data.byte_count} bytes`}>{bytes(data.byte_count)}</dd>
        <dt>Content</dt>
        <dd>
          <Copy text={data.content_hash} />
        </dd>
        <dt>Runs</dt>
        <dd>
          {data.runs.length ? (
            data.runs.map((run, index) => (
              <>
                {index > 0 && ", "}
                <RunLink run={run} />
              </>
            ))
          ) : (
            <Missing why="no new line, so no run" />
          )}
        </dd>
      </dl>
      <Section
        id="rejected"
        title="Rejected lines"
        note={
          data.rejected
            ? "Each was refused alone; all the other lines are in the store. Mend the file and ingest it again: only what is new is added."
            : undefined
        }
        actions={
          data.rejected ? (
            <CsvLink
              href={address("/rejected-lines", { ingest: id, limit: PER_PAGE, format: "csv" })}
              name={`rejected-${id}.csv`}
              list
            />
          ) : null
        }
      >
        {rejected.error ? (
          <ErrorNote error={rejected.error} again={rejected.again} />
        ) : !rejected.data ? (
          <Waiting rows={3} />
        ) : rejected.data.total ? (
          <>
            <Table
              caption="Rejected lines"
              columns={columns}
              rows={rejected.data.items}
              total={rejected.data.total}
              rowKey={(one) => String(one.id)}
              late={rejected.late}
            />
            <More list={rejected} what="rejected lines" />
          </>
        ) : (
          <p class="quiet">No line of this file was rejected.</p>
        )}
      </Section>
    </div>
  );
}
