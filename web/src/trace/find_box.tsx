// The field to look for names in, and the list of what was found.
import { useRef } from "preact/hooks";
import { count, plural, shown } from "../lib/format";
import { csvText } from "../lib/csv";
import { CsvButton, CsvLink } from "../parts/controls";
import { PlainTable } from "../parts/plain_table";
import { ErrorNote } from "../parts/small";
import { exactly } from "./find";
import { inRect } from "./hit";
import { trackTitle } from "./layout";
import { classWords } from "./names";
import { chooseSlice } from "./slice";
import { itemWords, nameOf } from "./spoken";
import { exactText, spanText } from "./time";
import { windowOf } from "./view";
import { type Viewer, useViewer } from "./viewer";

export function FindBox({ viewer }: { viewer: Viewer }) {
  const finder = viewer.finder;
  const text = useViewer(viewer, () => finder.text);
  const found = useViewer(viewer, () => finder.found);
  const isLate = useViewer(viewer, () => finder.isLate);
  const error = useViewer(viewer, () => finder.error);
  const input = useRef<HTMLInputElement>(null);
  const isThere = !!text.trim();
  return (
    <div class="trace-find" role="search" aria-label="Find in this trace">
      <input
        ref={input}
        type="search"
        value={text}
        placeholder="Find in the whole trace"
        aria-label="Find slices by their names, in the whole trace"
        title={'Find (/): words of the name; "…" exactly; cat:kernel, class:inductor_triton'}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => finder.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") void finder.go(event.shiftKey ? "previous" : "next");
          else if (event.key === "Escape") {
            event.preventDefault();
            finder.set("");
            document.querySelector<HTMLElement>(".trace-over")?.focus({ preventScroll: true });
          } else return;
          event.preventDefault();
        }}
      />
      {isThere && (
        <>
          <button
            type="button"
            class="icon"
            title="Previous hit (N)"
            aria-label="Previous hit"
            onClick={() => void finder.go("previous")}
          >
            <span aria-hidden="true">◂</span>
          </button>
          <button
            type="button"
            class="icon"
            title="Next hit (n)"
            aria-label="Next hit"
            onClick={() => void finder.go("next")}
          >
            <span aria-hidden="true">▸</span>
          </button>
        </>
      )}
      <span class={isLate ? "trace-found late" : "trace-found"} role="status">
        {isThere && error && <span class="warn">{error.message}</span>}
        {isThere && found && (
          <button
            type="button"
            class="link"
            onClick={() => viewer.setTab("hits")}
            title={`${exactText(found.total_ns)} in all`}
          >
            {found.slices
              ? `${plural(found.slices, "slice")} of ${plural(found.names, "name")}, ${spanText(found.total_ns)}`
              : "nothing is called so"}
          </button>
        )}
      </span>
    </div>
  );
}

const MOST_IN_SIGHT = 500;

/** What was found by name; and what is in sight, as a list for those who do not see the picture. */
export function Hits({ viewer }: { viewer: Viewer }) {
  const found = useViewer(viewer, (one) => one.finder.found);
  const error = useViewer(viewer, (one) => one.finder.error);
  return (
    <div class="trace-details">
      {error && <ErrorNote error={error} again={() => viewer.finder.set(viewer.finder.text)} />}
      {found && (
        <>
          <h2>
            {plural(found.slices, "slice")} of {plural(found.names, "name")}, {spanText(found.total_ns)} in all
          </h2>
          <CsvLink href={viewer.finder.csvUrl} name="names.csv" />
          <PlainTable
            caption="Names that fit"
            heads={[
              { title: "Name" },
              { title: "Class" },
              { title: "Category" },
              { title: "Count", right: true },
              { title: "Total", right: true },
            ]}
          >
            <tbody>
              {found.labels.slice(0, 200).map((one) => (
                <tr key={one.label}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link mono"
                      onClick={() => viewer.finder.set(exactly(one.name), true)}
                      title="Look for this name alone"
                    >
                      {shown(one.name)}
                    </button>
                  </th>
                  <td>{classWords(one.class)}</td>
                  <td>{one.category}</td>
                  <td class="right">{one.count === null ? "–" : count(one.count)}</td>
                  <td class="right" title={one.total_ns === null ? undefined : exactText(one.total_ns)}>
                    {one.total_ns === null ? "–" : spanText(one.total_ns)}
                  </td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
          {found.names > 200 && <p class="quiet">and {count(found.names - 200)} more names</p>}
        </>
      )}
      <InSight viewer={viewer} />
    </div>
  );
}

function titleOf(viewer: Viewer, track: number): string {
  const known = viewer.tracks.get(track);
  return known ? trackTitle(known) : String(track);
}

function InSight({ viewer }: { viewer: Viewer }) {
  // Drawn anew when the picture rests, not while it moves.
  useViewer(viewer, (one) => (one.isLate ? "" : `${one.view.begin} ${one.view.nsPerPx} ${one.top} ${one.height}`));
  const { items, isCut } = inRect(
    viewer.sight,
    viewer.tiles,
    windowOf(viewer.view),
    viewer.top,
    viewer.top + viewer.height,
    MOST_IN_SIGHT,
  );
  const sorted = items.sort((a, b) => a.begin - b.begin || a.row - b.row);
  return (
    <>
      <h2>In sight{isCut ? `: the first ${count(MOST_IN_SIGHT)}` : `: ${count(items.length)}`}</h2>
      {sorted.length > 0 && (
        <CsvButton
          name="in-sight.csv"
          make={() =>
            csvText(
              ["name", "slices", "begin_ns", "duration_ns", "busy_ns", "track", "row"],
              sorted.map((item) => [
                nameOf(viewer, item) ?? "",
                item.count,
                item.begin,
                item.end - item.begin,
                item.busy,
                titleOf(viewer, item.track),
                item.row + 1,
              ]),
            )
          }
        />
      )}
      <PlainTable
        caption="Slices in sight, by time"
        heads={[
          { title: "Name" },
          { title: "Begin", right: true },
          { title: "Duration", right: true },
          { title: "Track" },
          { title: "Row", right: true },
        ]}
      >
        <tbody>
          {sorted.map((item) => {
            const { size, at } = itemWords(item);
            const name = viewer.labels.get(item.label)?.name ?? "…";
            return (
              <tr key={`${item.track} ${item.slice.chunk} ${item.slice.index}`}>
                <th scope="row">
                  <button
                    type="button"
                    class="link mono"
                    onClick={() =>
                      chooseSlice(
                        viewer,
                        {
                          ...item.slice,
                          thread: item.track,
                          row: item.row,
                          begin: item.begin,
                          duration: item.end - item.begin,
                        },
                        item,
                      )
                    }
                  >
                    {item.count > 1 ? `${count(item.count)} slices, the longest ` : ""}
                    {shown(name)}
                  </button>
                </th>
                <td class="right">{at}</td>
                <td class="right">{size}</td>
                <td>{titleOf(viewer, item.track)}</td>
                <td class="right">{item.row + 1}</td>
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
    </>
  );
}
