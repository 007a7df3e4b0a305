// Where the time of an area goes, stack by stack: in the order of time, heaviest first, or around one name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useApi } from "../api/use";
import { count, plural, shown } from "../lib/format";
import { useWidth } from "../lib/hooks";
import { useQuery } from "../lib/route";
import { useTheme } from "../lib/theme";
import { Choice, CsvButton, CsvLink } from "../parts/controls";
import { ErrorNote, Waiting } from "../parts/small";
import { penOf } from "./canvas";
import { FONT, fitting } from "./draw";
import { exactly } from "./find";
import { type FlameBox, type FlameRows, boxAt, boxesCsv, boxesOf, depthOf, nodesOf } from "./flame_layout";
import { inRect } from "./hit";
import { traceUrl } from "./info";
import { laneOf, rowTop } from "./layout";
import { FILLS, INK, UNNAMED } from "./palette";
import { nameOf } from "./spoken";
import { exactPlace, spanText } from "./time";
import { type Area, STACKS, type Stacks, stacksIn, stacksText } from "./url";
import { windowOf } from "./view";
import { type Viewer, roundedOut, useViewer } from "./viewer";

const WORDS: Record<Stacks, string> = { time: "in time", heavy: "heaviest first", sandwich: "around a name" };
const ROW_PX = 18;
const MOST_ITEMS = 2000;

export function Flame({ viewer }: { viewer: Viewer }) {
  const chosen = useViewer(viewer, (one) => one.area);
  const focus = useViewer(viewer, (one) => one.focus);
  const [query, setQuery] = useQuery();
  const view = stacksIn(query);
  const told = query.get("of");
  const label =
    told !== null && /^\d{1,10}$/.test(told) ? Number(told) : focus && focus.label >= 0 ? focus.label : null;
  const [sight, setSight] = useState<Area | null>(null);
  const area = chosen ?? sight;
  return (
    <div class="trace-area">
      <div class="trace-area-head">
        <Choice
          label="Stacks"
          value={view}
          options={STACKS.map((value) => ({ value, text: WORDS[value] }))}
          onChange={(value) => setQuery({ flame: stacksText(value as Stacks) }, true)}
        />
        {!chosen && (
          <button
            type="button"
            class="button"
            onClick={() => setSight({ window: roundedOut(windowOf(viewer.view)), tracks: null })}
          >
            Of what is in sight
          </button>
        )}
        {area && (
          <p class="quiet">
            {spanText(area.window.end - area.window.begin)} from {exactPlace(area.window.begin)}
            {area.tracks ? `, ${plural(area.tracks.length, "track")}` : ""}
          </p>
        )}
      </div>
      {!area ? (
        <p class="quiet">Drag a rectangle over slices, or take what is in sight.</p>
      ) : view === "time" ? (
        <InTime viewer={viewer} area={area} />
      ) : view === "sandwich" && label === null ? (
        <p class="quiet">
          Select a slice, or click a box of the heaviest stacks: what calls its name stands above it, what it calls
          below.
        </p>
      ) : (
        <OfServer
          viewer={viewer}
          area={area}
          view={view}
          label={label}
          onLabel={(of) => setQuery({ flame: "sandwich", of: String(of) })}
        />
      )}
    </div>
  );
}

/** That the server lists of a tree. */
const MOST_ROWS = 20_000;

function OfServer({
  viewer,
  area,
  view,
  label,
  onLabel,
}: {
  viewer: Viewer;
  area: Area;
  view: string;
  label: number | null;
  onLabel: (label: number) => void;
}) {
  const asked = {
    ...area.window,
    tracks: area.tracks?.join(",") ?? null,
    view,
    label: view === "sandwich" ? label : null,
  };
  const url = traceUrl(viewer.info, "flame", asked);
  const { data, error, again, late } = useApi(url);
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={4} />;
  const name = label === null ? null : viewer.labels.get(label)?.name;
  return (
    <div class={late ? "trace-area late" : "trace-area"}>
      {error && <ErrorNote error={error} again={again} kept />}
      <CsvLink
        href={traceUrl(viewer.info, "flame", { ...asked, limit: MOST_ROWS, format: "csv" })}
        name={`stacks-${view}.csv`}
      />
      {data.stacks && <Graph viewer={viewer} rows={data.stacks} onLabel={onLabel} words="Stacks, the heaviest first" />}
      {data.callers && (
        <Graph viewer={viewer} rows={data.callers} onLabel={onLabel} isUp words={`What calls ${name ?? "it"}`} />
      )}
      {data.callees && (
        <Graph viewer={viewer} rows={data.callees} onLabel={onLabel} words={`What ${name ?? "it"} calls`} />
      )}
    </div>
  );
}

/** The track's rows upside up, as they are drawn above, over the whole width. */
function InTime({ viewer, area }: { viewer: Viewer; area: Area }) {
  const isBusy = useViewer(viewer, (one) => one.tiles.isBusy);
  const track = area.tracks?.[0] ?? viewer.focusTrack;
  const lane = track === null || track === undefined ? null : laneOf(viewer.layout, track);
  if (!lane) return <p class="quiet">Its track is hidden.</p>;
  const { begin, end } = area.window;
  const view = { begin, nsPerPx: (end - begin) / 1000, width: 1000 };
  const { items, isCut } = inRect(
    { ...viewer.sight, view },
    viewer.tiles,
    area.window,
    lane.top,
    rowTop(lane, lane.rows) - 1,
    MOST_ITEMS,
  );
  const boxes: FlameBox[] = items.map((item) => ({
    node: { label: item.label, depth: item.row, parent: null, count: item.count, total: item.busy, self: null },
    from: Math.max(0, (item.begin - begin) / (end - begin)),
    to: Math.min(1, (item.end - begin) / (end - begin)),
    depth: item.row,
  }));
  return (
    <>
      {items.length > 0 && (
        <CsvButton
          name="stacks-time.csv"
          isLate={isBusy}
          make={() => boxesCsv(items, (item) => nameOf(viewer, item) ?? "")}
        />
      )}
      <Boxes viewer={viewer} boxes={boxes} words="One track in the order of time" onLabel={() => {}} />
      {isCut && (
        <p class="quiet">
          These are the first {count(MOST_ITEMS)} boxes, row by row: a shorter area shows all of its rows.
        </p>
      )}
    </>
  );
}

function Graph({
  viewer,
  rows,
  isUp = false,
  words,
  onLabel,
}: {
  viewer: Viewer;
  rows: FlameRows;
  isUp?: boolean;
  words: string;
  onLabel: (label: number) => void;
}) {
  const boxes = useMemo(() => boxesOf(nodesOf(rows)), [rows]);
  return (
    <>
      <h3>{words}</h3>
      <Boxes viewer={viewer} boxes={boxes} words={words} isUp={isUp} onLabel={onLabel} />
      {rows.left_out > 0 && <p class="quiet">and {count(rows.left_out)} more boxes with shorter times</p>}
    </>
  );
}

/** What a box is sorted by: its own time, where that is known. */
const timeOfBox = ({ node }: FlameBox): number => node.self ?? node.total;

function Boxes({
  viewer,
  boxes,
  words,
  isUp = false,
  onLabel,
}: {
  viewer: Viewer;
  boxes: FlameBox[];
  words: string;
  isUp?: boolean;
  onLabel: (label: number) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const { dark } = useTheme();
  const [over, setOver] = useState<FlameBox | null>(null);
  // Names come in blocks; each one that comes changes how many are known.
  const known = useViewer(viewer, (one) =>
    boxes.reduce((sum, box) => sum + (one.labels.get(box.node.label) ? 1 : 0), 0),
  );
  const rows = depthOf(boxes);
  const height = Math.max(1, rows) * ROW_PX;
  const rowOf = (depth: number): number => (isUp ? rows - 1 - depth : depth);
  const nameOf = (box: FlameBox): string => viewer.labels.get(box.node.label)?.name ?? "…";

  useEffect(() => {
    if (!canvas.current || !width) return;
    const theme = dark ? "dark" : "light";
    const pen = penOf(canvas.current, width, height);
    pen.clearRect(0, 0, width, height);
    pen.font = FONT;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    for (const box of boxes) {
      const x = box.from * width;
      const wide = (box.to - box.from) * width;
      if (wide < 0.5) continue;
      const fill = FILLS[theme][viewer.labels.get(box.node.label)?.style ?? UNNAMED];
      if (!fill) continue;
      const y = rowOf(box.depth) * ROW_PX;
      pen.fillStyle = fill.color;
      pen.fillRect(x, y, Math.max(1, wide - (wide > 4 ? 1 : 0)), ROW_PX - 1);
      if (box === over) {
        pen.strokeStyle = INK[theme].text;
        pen.lineWidth = 1;
        pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, wide - 1), ROW_PX - 2);
      }
      if (wide < 36) continue;
      pen.fillStyle = fill.text;
      pen.fillText(fitting(pen, nameOf(box), wide - 8), x + 4, y + ROW_PX / 2);
    }
  }, [boxes, width, height, dark, over, known]);

  const find = (event: MouseEvent): FlameBox | null => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return boxAt(boxes, (event.clientX - box.left) / box.width, rowOf(Math.floor((event.clientY - box.top) / ROW_PX)));
  };
  const isSelfKnown = boxes.some((box) => box.node.self !== null);
  const heaviest = useMemo(
    () =>
      boxes
        .slice()
        .sort((a, b) => timeOfBox(b) - timeOfBox(a))
        .slice(0, 50),
    [boxes],
  );
  if (!boxes.length) return <p class="quiet">Nothing is there.</p>;
  return (
    <div class="trace-flame" ref={frame}>
      <p class="trace-flame-words" aria-hidden="true">
        {over
          ? `${shown(nameOf(over))}: ${spanText(over.node.total)}, ${over.node.self === null ? "" : `${spanText(over.node.self)} of it itself, `}${plural(over.node.count, "slice")}`
          : `${plural(boxes.length, "box", "boxes")}; point at one`}
      </p>
      <canvas
        ref={canvas}
        style={{ height: `${height}px` }}
        aria-hidden="true"
        onPointerMove={(event) => setOver(find(event))}
        onPointerLeave={() => setOver(null)}
        onClick={(event) => {
          const box = find(event);
          if (box) onLabel(box.node.label);
        }}
        onDblClick={(event) => {
          const box = find(event);
          if (box) viewer.finder.set(exactly(nameOf(box)), true);
        }}
      />
      <details class="nested">
        <summary>The same as a list: the 50 with the longest time{isSelfKnown ? " of their own" : ""}</summary>
        <ol class="trace-flame-list" aria-label={words}>
          {heaviest.map((box, index) => (
            <li key={index}>
              <button type="button" class="link mono" onClick={() => onLabel(box.node.label)}>
                {shown(nameOf(box))}
              </button>{" "}
              <span class="quiet">
                {box.node.self === null ? "" : `${spanText(box.node.self)} itself, `}
                {spanText(box.node.total)} in all, {plural(box.node.count, "slice")}, depth {box.depth + 1}
              </span>
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}
