// Tools, and what is shown of the tracks.
import type { ComponentChildren } from "preact";
import { count, plural } from "../lib/format";
import { useQuery } from "../lib/route";
import { Check, Menu } from "../parts/controls";
import { INSTANTS } from "./events";
import { FindBox } from "./find_box";
import { type FlowKind, traceUrl } from "./info";
import { trackTitle } from "./layout";
import type { Tool } from "./url";
import { TOOLS } from "./url";
import { windowOf } from "./view";
import { type Viewer, roundedOut, useViewer } from "./viewer";
import { MARKS, goToMark, markCounts, listOf } from "./marks";

const TOOL_WORDS: Record<Tool, { name: string; hint: string; path: string }> = {
  select: {
    name: "Select",
    hint: "click a slice, or drag a rectangle",
    path: "M4 2l8 6.5-4 .6 2.3 4.3-1.8.9L6.3 10 4 12.6z",
  },
  pan: {
    name: "Pan",
    hint: "drag the timeline",
    path: "M8 1.5l2 2.3H8.7v3.5h3.5V6L14.5 8l-2.3 2V8.7H8.7v3.5H10L8 14.5l-2-2.3h1.3V8.7H3.8V10L1.5 8l2.3-2v1.3h3.5V3.8H6z",
  },
  zoom: {
    name: "Zoom",
    hint: "drag over what shall fill the window",
    path: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zm0 1.4a3.1 3.1 0 1 0 0 6.2 3.1 3.1 0 0 0 0-6.2zm3.6 5.7l3.6 3.6-1 1-3.6-3.6z",
  },
  time: {
    name: "Time",
    hint: "drag to measure; it snaps to the edges of slices",
    path: "M1.5 3h1.3v10H1.5zM13.2 3h1.3v10h-1.3zM4 7.3h2V5.6L3.6 8 6 10.4V8.7h4v1.7L12.4 8 10 5.6v1.7H6z",
  },
};

export function Toolbar({ viewer, more }: { viewer: Viewer; more?: ComponentChildren }) {
  const tool = useViewer(viewer, (one) => one.tool);
  return (
    <div class="trace-tools" role="toolbar" aria-label="Timeline">
      <div class="choice" role="group" aria-label="Tool">
        {TOOLS.map((one, index) => {
          const { name, hint, path } = TOOL_WORDS[one];
          return (
            <button
              type="button"
              key={one}
              aria-pressed={tool === one}
              aria-label={name}
              title={`${name}: ${hint} (${index + 1})`}
              onClick={() => viewer.setTool(one)}
            >
              <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                <path d={path} fill="currentColor" fill-rule="evenodd" />
              </svg>
              <span class="trace-tool-name" aria-hidden="true">
                {name}
              </span>
            </button>
          );
        })}
      </div>
      <button
        type="button"
        class="button"
        title="Show the selection, or else everything (f)"
        onClick={() => viewer.fitChosen()}
      >
        Fit
      </button>
      <Tracks viewer={viewer} />
      <Show viewer={viewer} />
      <Marks viewer={viewer} />
      <Export viewer={viewer} />
      {more}
      {viewer.info.has_index && <FindBox viewer={viewer} />}
    </div>
  );
}

const KIND_WORDS: Record<FlowKind, string> = {
  launch: "launch to kernel",
  fwdbwd: "forward to backward",
  async: "asynchronous",
  other: "other",
};

/** What is drawn over the slices. */
function Show({ viewer }: { viewer: Viewer }) {
  const flows = useViewer(viewer, (one) => one.flows);
  const many = useViewer(viewer, (one) => one.events.tooManyArrows);
  const manyPoints = useViewer(viewer, (one) => one.events.tooManyPoints);
  const { info } = viewer;
  const ends = new Map<FlowKind, number>();
  for (const { kind, ends: of } of info.flow_kinds) ends.set(kind, (ends.get(kind) ?? 0) + of);
  if (!ends.size && !info.points) return null;
  const toggle = (what: string) =>
    viewer.setFlows(flows.includes(what) ? flows.filter((one) => one !== what) : [...flows, what]);
  return (
    <>
      <Menu label={flows.length ? `Arrows: ${flows.length}` : "Arrows"}>
        <div class="trace-menu">
          {[...ends].map(([kind, of]) => (
            <Check
              key={kind}
              label={`${KIND_WORDS[kind]}, ${plural(of, "end")}`}
              checked={flows.includes(kind)}
              onChange={() => toggle(kind)}
            />
          ))}
          {info.points > 0 && (
            <Check
              label={`instants, ${count(info.points)}`}
              checked={flows.includes(INSTANTS)}
              onChange={() => toggle(INSTANTS)}
            />
          )}
          <p class="quiet note">The arrows of the selected slice are always drawn.</p>
        </div>
      </Menu>
      <span class="quiet note" role="status">
        {many !== null
          ? `${count(many)} arrows or more here: zoom in`
          : manyPoints
            ? "too many instants here: zoom in"
            : ""}
      </span>
    </>
  );
}

/** What was found, by kind: switched on, and gone to. */
function Marks({ viewer }: { viewer: Viewer }) {
  const on = useViewer(viewer, (one) => one.marks);
  const loaded = useViewer(viewer, (one) => one.loadedMarks);
  const [, setQuery] = useQuery();
  // There before the marks are, so that nothing beside it moves.
  if (!viewer.info.findings) return null;
  return (
    <Menu label="Marks">
      {(close) => (
        <div class="trace-menu trace-marks">
          {markCounts(loaded, viewer.findingKinds).map(({ kind, words, kept, hasFirst }) => (
            <div class="trace-mark-kind" key={kind}>
              <Check
                label={`${MARKS[kind].sign} ${words}`}
                checked={on.has(kind)}
                onChange={(isOn) => viewer.toggleMarks(kind, isOn)}
              />
              <span class="trace-mark-ways">
                {[...(hasFirst ? ["first" as const] : []), "longest" as const].map((which) => (
                  <button
                    type="button"
                    class="link"
                    key={which}
                    aria-label={`Go to the ${which}: ${MARKS[kind].one}`}
                    onClick={() => {
                      goToMark(viewer, kind, which);
                      close();
                    }}
                  >
                    {which}
                  </button>
                ))}
                <button
                  type="button"
                  class="link"
                  aria-label={`List the ${MARKS[kind].many}`}
                  onClick={() => {
                    setQuery(listOf(kind), true);
                    viewer.setTab("marks");
                    close();
                  }}
                >
                  list
                </button>
              </span>
              {kept && <span class="quiet note">{kept}</span>}
            </div>
          ))}
          <p class="quiet note">b and B go from one to the next.</p>
        </div>
      )}
    </Menu>
  );
}

/** A part of the trace as a file that other viewers open. */
function Export({ viewer }: { viewer: Viewer }) {
  const area = useViewer(viewer, (one) => one.area);
  const link = (window: { begin: number; end: number } | null, tracks: number[] | null) =>
    traceUrl(viewer.info, "export", { ...window, tracks: tracks?.join(",") ?? null });
  return (
    <Menu label="Export">
      {() => (
        <div class="trace-menu">
          <p class="quiet note">
            A Chrome trace, which Perfetto and Chrome open: slices, arrows, counters and instants.
          </p>
          {area && (
            <a class="button" href={link(area.window, area.tracks)} download>
              The area
            </a>
          )}
          <a class="button" href={link(roundedOut(windowOf(viewer.view)), null)} download>
            What is in sight
          </a>
          <a class="button" href={link(null, null)} download>
            All of it
          </a>
        </div>
      )}
    </Menu>
  );
}

/** Tracks that are listed to be shown again one by one. */
const MOST_HIDDEN = 50;

function Tracks({ viewer }: { viewer: Viewer }) {
  const layout = useViewer(viewer, (one) => one.layout);
  const { hidden, only, pinned } = viewer.layoutState;
  const hiddenTracks = [...hidden].flatMap((number) => viewer.tracks.get(number) ?? []);
  return (
    <Menu label={layout.shown < layout.all ? `Tracks: ${layout.shown} of ${layout.all}` : "Tracks"}>
      <div class="trace-menu">
        <label class="field">
          <span>Only tracks with these words in their names</span>
          <input
            type="search"
            value={only}
            placeholder="stream 7"
            spellcheck={false}
            onInput={(event) => viewer.setLayout({ only: event.currentTarget.value })}
          />
        </label>
        <p class="quiet note" role="status">
          {plural(layout.shown, "track")} of {layout.all} in sight{pinned.length ? `, ${pinned.length} pinned` : ""}
        </p>
        <button
          type="button"
          class="button"
          onClick={() => viewer.toggleAll()}
          title="Open or close all tracks (Shift X)"
        >
          Open or close all
        </button>
        {hiddenTracks.length > 0 && (
          <>
            <button
              type="button"
              class="button"
              onClick={() => viewer.setLayout({ hidden: new Set() })}
              title="Shift H"
            >
              Show all hidden
            </button>
            <ul class="trace-hidden">
              {hiddenTracks.slice(0, MOST_HIDDEN).map((track) => (
                <li key={track.number}>
                  <button type="button" class="link" onClick={() => viewer.openTrack(track.number)}>
                    show {trackTitle(track)}
                  </button>
                </li>
              ))}
              {hiddenTracks.length > MOST_HIDDEN && (
                <li class="quiet">and {count(hiddenTracks.length - MOST_HIDDEN)} more</li>
              )}
            </ul>
          </>
        )}
      </div>
    </Menu>
  );
}
