// What is known of the slice that is chosen; of several, their sums by name.
import { useEffect } from "preact/hooks";
import { address } from "../api/address";
import { contentUrl } from "../api/contents";
import { traceReport } from "../api/trace";
import { useApi } from "../api/use";
import { csvText } from "../lib/csv";
import { count, digits, hoverText, plural, shown } from "../lib/format";
import { profileHref } from "../lib/route";
import { CsvButton } from "../parts/controls";
import { PlainTable } from "../parts/plain_table";
import { Copy, ErrorNote, Missing, Waiting } from "../parts/small";
import { type Argument, argumentsOf, isPlaceInCode } from "./arguments";
import { LaunchedBy } from "./launched_by";
import { HloOfSliceFacts } from "./hlo";
import { trackTitle } from "./layout";
import { classWords } from "./names";
import { profileRow } from "./profile_row";
import { type Slice, type SliceFlow, arrowsOf, chooseSlice, sliceUrl } from "./slice";
import { nameOf } from "./spoken";
import { exactPlace, exactText, spanText } from "./time";
import { type Item, type Side, sameSlice } from "./types";
import { type Viewer, spanOf, useViewer } from "./viewer";

export function Details({ viewer }: { viewer: Viewer }) {
  const selection = useViewer(viewer, (one) => one.selection);
  const [only] = selection;
  if (!only) {
    return (
      <p class="quiet">
        Click a slice to read what is known of it; Ctrl and click takes more. Keys: <kbd>.</kbd> <kbd>,</kbd> next and
        previous, <kbd>↑</kbd> <kbd>↓</kbd> around and within, <kbd>f</kbd> zoom to it, <kbd>m</kbd> measure it.
      </p>
    );
  }
  if (selection.length > 1) return <Several viewer={viewer} items={selection} />;
  return only.count > 1 ? <Dense viewer={viewer} item={only} /> : <One viewer={viewer} item={only} />;
}

/** Several slices that are drawn as one. */
function Dense({ viewer, item }: { viewer: Viewer; item: Item }) {
  const label = useViewer(viewer, (one) => one.labels.get(item.label));
  const span = item.end - item.begin;
  return (
    <div class="trace-details">
      <h2>{plural(item.count, "slice")}, too short to be told apart here</h2>
      <dl class="facts">
        <dt>From the first to the last</dt>
        <dd title={exactText(span)}>{spanText(span)}</dd>
        <dt>Busy</dt>
        <dd title={exactText(item.busy)}>
          {spanText(item.busy)}, {digits((100 * item.busy) / Math.max(1, span))} %
        </dd>
        <dt>Longest</dt>
        <dd class="mono">{label ? shown(label.name) : "…"}</dd>
      </dl>
      <button type="button" class="button" onClick={() => viewer.fitWindow(item)}>
        Zoom in until they are apart
      </button>
    </div>
  );
}

function One({ viewer, item }: { viewer: Viewer; item: Item }) {
  const { data, error, again, late } = useApi(sliceUrl(viewer, item.slice));
  // Its arrows are drawn whatever kinds are switched on.
  useEffect(() => {
    if (!data || !sameSlice(item.slice, { track: data.thread, chunk: data.chunk, index: data.index })) return;
    viewer.ownArrows = arrowsOf(data);
    viewer.changed("overlay");
  }, [data, item]);
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={4} />;
  const track = viewer.tracks.get(data.thread);
  const { shown: first, folded, raw } = argumentsOf(data.arguments);
  return (
    <div class={late ? "trace-details late" : "trace-details"}>
      {data.parents.length > 0 && (
        <nav class="trace-crumbs" aria-label="What it is within">
          {data.parents
            .slice()
            .reverse()
            .map((parent) => (
              <button
                type="button"
                class="link"
                key={`${parent.chunk} ${parent.index}`}
                onClick={() => chooseSlice(viewer, parent)}
                title={`${parent.name}, ${spanText(parent.duration)}`}
              >
                {shown(parent.name)}
              </button>
            ))}
        </nav>
      )}
      <h2 class="mono">
        <Copy text={data.name}>{shown(data.name)}</Copy>
      </h2>
      {data.launched_by && <LaunchedBy viewer={viewer} origin={data.launched_by} />}
      <div class="trace-columns">
        <dl class="facts">
          <dt>Duration</dt>
          <dd title={exactText(data.duration)}>{spanText(data.duration)}</dd>
          <dt title="Without what is right within it">Self</dt>
          <dd title={exactText(data.self)}>
            {spanText(data.self)}
            {data.duration > 0 && <span class="quiet">, {digits((100 * data.self) / data.duration)} %</span>}
          </dd>
          <dt>Begin</dt>
          <dd title={exactText(data.begin)}>{exactPlace(data.begin)}</dd>
          <dt>End</dt>
          <dd title={exactText(data.end)}>{exactPlace(data.end)}</dd>
          <dt>Category</dt>
          <dd>{data.category || "none"}</dd>
          <dt>Class</dt>
          <dd>{classWords(data.class)}</dd>
          <dt>Track</dt>
          <dd>
            {track ? trackTitle(track) : data.thread}, row {data.row + 1} of {track?.rows ?? 1}
          </dd>
          {track && viewer.info.artifact !== null && (
            <ToProfile artifact={viewer.info.artifact} name={data.name} side={track.side} />
          )}
        </dl>
        {(first.length > 0 || raw !== null) && (
          <dl class="facts trace-arguments">
            {first.map((one) => (
              <Fact key={one.name} {...one} />
            ))}
            {raw !== null && (
              <>
                <dt>Arguments</dt>
                <dd>
                  <pre>{raw}</pre>
                </dd>
              </>
            )}
          </dl>
        )}
      </div>
      <HloOfSliceFacts viewer={viewer} slice={data} />
      <Arrows viewer={viewer} slice={data} />
      {folded.length > 0 && (
        <details class="nested">
          <summary>{plural(folded.length, "further argument")}</summary>
          <dl class="facts trace-arguments">
            {folded.map((one) => (
              <Fact key={one.name} {...one} />
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

/** The way to all slices of its name in the profile of the result, where the trace is of one that shows it. */
function ToProfile({ artifact, name, side }: { artifact: number; name: string; side: Side }) {
  const { data: dump } = useApi(address("/artifacts/{id}", { id: artifact }));
  const of = dump && !dump.superseded ? dump.results[0] : undefined;
  const { data: content } = useApi(of ? contentUrl(artifact) : null);
  const report = content && traceReport(content.trace);
  const row = report && profileRow(report, name, side);
  if (!of || !row) return null;
  return (
    <>
      <dt>Profile</dt>
      <dd>
        <a
          href={`${profileHref(of.run.id, of.experiment_id, { repetition: dump?.repetition?.toString(), ...row.query })}#${row.section}`}
        >
          all of this name
        </a>
      </dd>
    </>
  );
}

const FLOW_WORDS: Record<SliceFlow["kind"], [back: string, forward: string]> = {
  launch: ["launched by", "launches"],
  fwdbwd: ["backward of", "its backward"],
  async: ["follows", "leads to"],
  other: ["comes from", "leads to"],
};
const MOST_ARROWS = 12;
const MOST_NAMES = 200;
const DRAWN_AS_ONE = "some of them are too short to be told apart: zoom in";

/** Where arrows come from and lead to. */
function Arrows({ viewer, slice }: { viewer: Viewer; slice: Slice }) {
  if (!slice.flows.length) return null;
  return (
    <dl class="facts trace-flows">
      {slice.flows.slice(0, MOST_ARROWS).map((flow) => (
        <>
          <dt>{FLOW_WORDS[flow.kind][flow.direction === "back" ? 0 : 1]}</dt>
          <dd>
            {flow.slice ? (
              <button type="button" class="link mono" onClick={() => flow.slice && chooseSlice(viewer, flow.slice)}>
                {shown(flow.slice.name)}
              </button>
            ) : (
              <span class="quiet">no slice is there</span>
            )}{" "}
            <span class="quiet">
              at {exactPlace(flow.time)}, {spanText(Math.abs(flow.time - slice.begin))}{" "}
              {flow.time < slice.begin ? "before" : "after"} its begin
            </span>
          </dd>
        </>
      ))}
      {(slice.flows.length > MOST_ARROWS || slice.flows_are_cut) && (
        <>
          <dt />
          <dd class="quiet">and {slice.flows_are_cut ? "more" : count(slice.flows.length - MOST_ARROWS)} others</dd>
        </>
      )}
    </dl>
  );
}

function Fact({ name, value }: Argument) {
  return (
    <>
      <dt>{shown(name)}</dt>
      <dd class="mono">{isPlaceInCode(name) ? <Copy text={value} /> : value}</dd>
    </>
  );
}

/** `min`, `max`: null where some of them are drawn as one, so that the shortest is not known. */
type Sum = { name: string; count: number; total: number; min: number | null; max: number | null };

function Several({ viewer, items }: { viewer: Viewer; items: Item[] }) {
  useViewer(viewer, (one) => items.filter((item) => nameOf(one, item)).length);
  const sums = new Map<string, Sum>();
  // What is derived repeats the time of what it is derived from.
  const isDerived = (item: Item) => viewer.tracks.get(item.track)?.isDerived ?? false;
  const recorded = items.filter((item) => !isDerived(item));
  const counted = recorded.length > 0 ? recorded : items;
  const leftOut = items.length - counted.length;
  for (const item of counted) {
    const name = nameOf(viewer, item) ?? "…";
    const sum = sums.get(name) ?? { name, count: 0, total: 0, min: Infinity, max: 0 };
    sum.count += item.count;
    sum.total += item.busy;
    const isKnown = item.count === 1;
    sum.min = isKnown && sum.min !== null ? Math.min(sum.min, item.busy) : null;
    sum.max = isKnown && sum.max !== null ? Math.max(sum.max, item.busy) : null;
    sums.set(name, sum);
  }
  const rows = [...sums.values()].sort((a, b) => b.total - a.total);
  const all = rows.reduce((sum, one) => sum + one.count, 0);
  const total = rows.reduce((sum, one) => sum + one.total, 0);
  const span = spanOf(counted) as { begin: number; end: number };
  return (
    <div class="trace-details">
      <h2>
        {plural(all, "slice")} chosen, {spanText(total)} in all, within {spanText(span.end - span.begin)}
      </h2>
      {leftOut > 0 && (
        <p class="quiet">Without {plural(leftOut, "slice")} of derived tracks, which repeat the time of others.</p>
      )}
      <CsvButton
        name="chosen.csv"
        make={() =>
          csvText(
            ["name", "count", "total_ns", "min_ns", "max_ns"],
            rows.map((one) => [one.name, one.count, one.total, one.min, one.max]),
          )
        }
      />
      <PlainTable
        caption="Chosen slices by name"
        heads={[
          { title: "Name" },
          { title: "Count", right: true },
          { title: "Total", right: true },
          { title: "Average", right: true },
          { title: "Shortest", right: true },
          { title: "Longest", right: true },
        ]}
      >
        <tbody>
          {rows.slice(0, MOST_NAMES).map((one) => (
            <tr key={one.name}>
              <th scope="row" class="mono" title={hoverText(one.name)}>
                {shown(one.name)}
              </th>
              <td class="right">{count(one.count)}</td>
              <td class="right" title={exactText(one.total)}>
                {spanText(one.total)}
              </td>
              <td class="right">{spanText(one.total / one.count)}</td>
              <td class="right">{one.min === null ? <Missing why={DRAWN_AS_ONE} /> : spanText(one.min)}</td>
              <td class="right">{one.max === null ? <Missing why={DRAWN_AS_ONE} /> : spanText(one.max)}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {rows.length > MOST_NAMES && (
        <p class="quiet">and {count(rows.length - MOST_NAMES)} more names, with shorter totals</p>
      )}
    </div>
  );
}
