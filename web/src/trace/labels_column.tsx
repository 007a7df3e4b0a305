// The names at the left: sections and tracks as buttons, only those in sight.
import {
  BUSY_TITLE,
  type BusyLane,
  type CounterLane,
  type HeadLane,
  type MoreLane,
  type TrackLane,
  counterTitle,
  lanesIn,
  sectionKey,
  sectionWords,
  trackKey,
  trackTitle,
} from "./layout";
import { count, digits, plural } from "../lib/format";
import { LIST_GAPS, busyShare, deviceTitle, useGaps } from "./devices";
import { spanText } from "./time";
import { type Viewer, useViewer } from "./viewer";

/** Drawn beyond what is in sight, so that they are there before one scrolls to them. */
const MORE_PX = 240;

export function LabelsColumn({ viewer }: { viewer: Viewer }) {
  const layout = useViewer(viewer, (one) => one.layout);
  const place = useViewer(viewer, (one) => Math.floor(one.top / MORE_PX));
  const height = useViewer(viewer, (one) => one.height);
  const focus = useViewer(viewer, (one) => one.focus?.track ?? -1);
  const from = place * MORE_PX - MORE_PX;
  const lanes = lanesIn(layout.lanes, Math.max(0, from), from + height + 3 * MORE_PX);
  return (
    <div class="trace-labels" role="group" aria-label="Sections and tracks">
      {lanes.map((lane) => {
        if (lane.kind === "head") return <Head key={lane.key} viewer={viewer} lane={lane} />;
        if (lane.kind === "counter") return <CounterLabel key={lane.key} lane={lane} />;
        if (lane.kind === "busy") return <BusyLabel key={lane.key} viewer={viewer} lane={lane} />;
        if (lane.kind === "more") return <MoreCounters key={lane.key} viewer={viewer} lane={lane} />;
        return <TrackLabel key={lane.key} viewer={viewer} lane={lane} isFocus={lane.track.number === focus} />;
      })}
    </div>
  );
}

/** Sizes are set through the style's object, which the content policy allows. */
const placed = (lane: { top: number; height: number }) => ({ top: `${lane.top}px`, height: `${lane.height}px` });

function Head({ viewer, lane }: { viewer: Viewer; lane: HeadLane }) {
  const { section } = lane;
  const title = `${section.title}${section.note ? `, ${section.note}` : ""}: ${sectionWords(lane)}`;
  return (
    <div class="trace-label trace-label-head" style={placed(lane)}>
      <button
        type="button"
        class="trace-fold"
        aria-expanded={lane.isOpen}
        disabled={lane.section.key === "pinned"}
        onClick={() => viewer.toggle(sectionKey(section))}
        title={title}
      >
        <span class="trace-arrow" aria-hidden="true">
          {section.key === "pinned" ? "★" : lane.isOpen ? "▾" : "▸"}
        </span>
        <span class="clip">{section.title}</span>{" "}
        <span class="quiet clip trace-note">{lane.isOpen ? section.note : sectionWords(lane)}</span>
      </button>
    </div>
  );
}

function BusyLabel({ viewer, lane: { device, ...lane } }: { viewer: Viewer; lane: BusyLane }) {
  const listGaps = useGaps(viewer);
  const title = `When anything ran on any track of ${lane.section.title}\nDerived from these tracks: sums, search and SQL do not count it\n${deviceTitle(device)}`;
  const share = `derived, ${busyShare(device) ?? "not known"}`;
  const words = (
    <>
      <span class="clip">{BUSY_TITLE}</span> <span class="quiet note">{share}</span>
    </>
  );
  return (
    <div class="trace-label trace-label-busy" style={placed(lane)} title={device.gaps ? undefined : title}>
      {device.gaps ? (
        <button
          type="button"
          class="trace-fold"
          onClick={listGaps}
          aria-label={`${BUSY_TITLE} ${share}: ${lane.section.title}`}
          title={`${title}\n${LIST_GAPS}`}
        >
          {words}
        </button>
      ) : (
        words
      )}
    </div>
  );
}

function CounterLabel({ lane }: { lane: CounterLane }) {
  const { counter } = lane;
  const title = counterTitle(counter);
  return (
    <div
      class="trace-label trace-label-counter"
      style={placed(lane)}
      title={`${title}\nfrom ${digits(counter.min)} to ${digits(counter.max)}, ${plural(counter.count, "value")}`}
    >
      <span class="clip">{title}</span>
      <span class="quiet note">to {digits(counter.max)}</span>
    </div>
  );
}

function MoreCounters({ viewer, lane }: { viewer: Viewer; lane: MoreLane }) {
  return (
    <div class="trace-label" style={placed(lane)}>
      <button type="button" class="trace-fold" aria-expanded={lane.isOpen} onClick={() => viewer.toggle(lane.key)}>
        <span class="trace-arrow" aria-hidden="true">
          {lane.isOpen ? "▴" : "▾"}
        </span>
        <span class="clip">
          {plural(
            lane.more,
            lane.isOpen ? "counter less" : "more counter",
            lane.isOpen ? "counters less" : "more counters",
          )}
        </span>
      </button>
    </div>
  );
}

function TrackLabel({ viewer, lane, isFocus }: { viewer: Viewer; lane: TrackLane; isFocus: boolean }) {
  const { track } = lane;
  const name = trackTitle(track);
  const title = `${name}\nthread ${track.tid} of process ${track.pid}\n${plural(track.slices, "slice")} in ${plural(track.rows, "row")}${track.busy ? `, ${spanText(track.busy)} busy` : ""}${track.isDerived ? `\nDerived from tracks of this device, as XProf does: sums, search and SQL do not count it` : ""}`;
  return (
    <div class={`trace-label${isFocus ? " on" : ""}`} style={placed(lane)}>
      <button
        type="button"
        class="trace-fold"
        aria-expanded={lane.isOpen}
        onClick={() => viewer.toggle(trackKey(track))}
        title={`${title}\nx opens and closes the track of the selection`}
      >
        <span class="trace-arrow" aria-hidden="true">
          {lane.isOpen ? "▾" : "▸"}
        </span>
        <span class="clip">{name}</span>
        {track.isDerived && <span class="quiet trace-derived">derived</span>}
      </button>
      <span class="trace-label-actions">
        <button
          type="button"
          class="icon"
          aria-pressed={lane.isPinned}
          title={lane.isPinned ? "Unpin (p)" : "Pin to the top (p)"}
          aria-label={`${lane.isPinned ? "Unpin" : "Pin"} ${name}`}
          onClick={() => viewer.pin(track.number)}
        >
          <span aria-hidden="true">{lane.isPinned ? "★" : "☆"}</span>
        </button>
        <button
          type="button"
          class="icon"
          title="Hide (h)"
          aria-label={`Hide ${name}`}
          onClick={() => viewer.hide(track.number)}
        >
          <span aria-hidden="true">×</span>
        </button>
      </span>
      {lane.moreRows > 0 && lane.isOpen && (
        <span class="quiet trace-more-rows">{count(lane.moreRows)} more rows are not drawn</span>
      )}
    </div>
  );
}
