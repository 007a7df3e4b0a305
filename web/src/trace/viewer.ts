// One trace as it is looked at: what is in sight, chosen and in memory. A picture is drawn at most once a frame, and only if
// something changed; the parts around it are told after that (useViewer).
import { useEffect, useState } from "preact/hooks";
import {
  HEAD_PX,
  type Layout,
  NO_LAYOUT,
  type LayoutState,
  type Section,
  firstOpen,
  laneOf,
  lanesIn,
  lay,
  rowTop,
  sectionKey,
  sections,
  trackKey,
} from "./layout";
import { Finder, exactly } from "./find";
import type { Flag } from "./draw_events";
import { type Arrow, Events } from "./events";
import { LabelStore } from "./labels";
import type { TraceInfo } from "./info";
import {
  ALL_MARKS,
  FIRST_MARKS,
  type Finding,
  type Findings,
  type LoadedMarks,
  type MarkKind,
  drawableMarks,
  loadedMarks,
} from "./marks";
import { type Sight, sightLevel, stripsIn } from "./scene";
import { type Source, sourceOf } from "./source";
import { TileStore, stripKey } from "./tiles";
import {
  type View,
  between,
  clampView,
  endOf,
  fit,
  fitAll,
  panBy,
  tilesOf,
  topLevel,
  windowOf,
  xOf,
  zoomAt,
} from "./view";
import { type Item, type SliceRef, type Track, type Window, sameSlice } from "./types";
import { type Area, type Place, type Tab, type Tool, askable } from "./url";

/** What is drawn of the strip of the whole trace; more tracks would take longer than the first picture may. */
const STRIP_TRACKS = 256;
const EASE_MS = 120;

type Frame = () => void;
/** What has no length, or a sign of its own: an instant, a finding, a counter's value. */
export type HoverPoint = { what: string; name: string; time: number; category: string };

export class Viewer {
  readonly sections: Section[];
  readonly tracks: Map<number, Track>;
  readonly tiles: TileStore;
  readonly labels: LabelStore;
  readonly source: Source;
  readonly end: number;
  private readonly open: Set<number>;

  view: View;
  /** Of the lanes, in pixels. */
  top = 0;
  height = 0;
  layoutState: LayoutState = NO_LAYOUT;
  layout: Layout;

  tool: Tool = "select";
  /** The last one has the focus. */
  selection: Item[] = [];
  hover: Item | null = null;
  hoverPoint: HoverPoint | null = null;
  /** Which of a slice's arrows the last step by keys went along, so that the next one may take another. */
  lastWay: { slice: SliceRef; direction: "back" | "forward"; turn: number } | null = null;
  /** Arrows of the slice that is selected alone. */
  ownArrows: Arrow[] = [];
  mark: Window | null = null;
  area: Area | null = null;
  /** While something is dragged. */
  drag: { kind: "rect" | "zoom" | "time"; x0: number; y0: number; x1: number; y1: number } | null = null;
  tab: Tab | null = null;
  readonly finder: Finder;
  readonly events: Events;
  /** What the server found, as far as it is loaded, by beginning; and which kinds of it are drawn. */
  findings: readonly Finding[] = [];
  loadedMarks: LoadedMarks = new Map();
  private found: Findings = { items: [], kinds: [] };
  private readonly listedMarks = new Map<MarkKind, readonly Finding[]>();
  marks: ReadonlySet<MarkKind> = new Set(FIRST_MARKS);
  /** What people noted, to be drawn. */
  notes: readonly Flag[] = [];
  flows: string[] = [];
  /** In pixels of the picture; null while it is elsewhere. */
  pointer: { x: number; y: number } | null = null;
  /** While Space is held, whatever the tool is. */
  isPanHeld = false;
  /** Said to screen readers. */
  spoken = "";
  /** In the order in which they came; changes with every picture that was asked for. */
  version = 0;

  /** Another trace below this one, whose view is this one's, `shift` ns later on its own clock. */
  private follower: { viewer: Viewer; shift: number } | null = null;
  private leader: { viewer: Viewer; shift: number } | null = null;
  /** Called when something of it is chosen. */
  onChosen: () => void = () => {};

  isSlicesDirty = true;
  isOverlayDirty = true;
  private frame = 0;
  private readonly frames = new Set<Frame>();
  private readonly listeners = new Set<() => void>();
  private ease: { from: View; to: View; start: number } | null = null;

  constructor(
    readonly info: TraceInfo,
    source: Source = sourceOf(info.id, info.key),
  ) {
    this.source = source;
    this.end = Math.max(1, info.end);
    this.sections = sections(info.tracks, info.counters, info.devices);
    this.tracks = new Map(info.tracks.map((one) => [one.number, one]));
    this.open = firstOpen(this.sections);
    this.layout = lay(this.sections, this.layoutState, this.open);
    this.view = fitAll(1000, this.end);
    const loaded = () => this.changed("slices");
    this.tiles = new TileStore(source, topLevel(this.end), loaded);
    this.labels = new LabelStore(source, loaded);
    this.finder = new Finder(this);
    this.events = new Events(this);
  }

  stop(): void {
    this.tiles.stop();
    this.labels.stop();
    this.finder.stop();
    this.events.stop();
    cancelAnimationFrame(this.frame);
  }

  // --- pictures

  /** `draw` is called once a frame while anything is dirty. */
  onFrame(draw: Frame): () => void {
    this.frames.add(draw);
    return () => this.frames.delete(draw);
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(what: "slices" | "overlay"): void {
    if (what === "slices") this.isSlicesDirty = true;
    this.isOverlayDirty = true;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.run(now));
  }

  private run(now: number): void {
    this.frame = 0;
    if (this.ease) this.step(now);
    if (this.isSlicesDirty) {
      this.labels.nextPicture();
      this.want();
      this.events.rest();
      this.follower?.viewer.follow({ ...this.view, begin: this.view.begin + this.follower.shift });
    }
    if (this.follower) this.share(this.follower);
    for (const draw of this.frames) draw();
    this.isSlicesDirty = false;
    this.isOverlayDirty = false;
    ++this.version;
    for (const one of this.listeners) one();
    if (this.ease) this.changed("slices");
  }

  get sight(): Sight {
    return { view: this.view, top: this.top, height: this.height, end: this.end, layout: this.layout };
  }

  /** The strips of the lanes from `from` to `to`. */
  private strips(from: number, to: number): string[] {
    return lanesIn(this.layout.lanes, from, to).flatMap((lane) =>
      lane.kind === "track" ? stripsIn(lane, from, to).map((one) => one.strip) : [],
    );
  }

  /** Tracks whose density the strip above shows. */
  get overviewTracks(): Track[] {
    const all = this.sections.flatMap((one) => one.tracks).filter((one) => !one.isDerived);
    return all.length <= STRIP_TRACKS ? all : all.sort((a, b) => b.slices - a.slices).slice(0, STRIP_TRACKS);
  }

  /** Asks for what is in sight, then for what will be with the next move. */
  private want(): void {
    const { view, top, height, end } = this;
    if (!height) return;
    const level = sightLevel(this.sight);
    const inSight = this.strips(top, top + height);
    const around = this.strips(top - height, top + 2 * height);
    const span = view.width * view.nsPerPx;
    const wide = { begin: view.begin - span, end: endOf(view) + span };
    const coarse = Math.min(this.tiles.top, level + 2);
    this.tiles.want([
      // The whole of what is in sight, once: it stands in for everything.
      { level: this.tiles.top, first: 0, last: 0, strips: inSight },
      { level, ...tilesOf(windowOf(view), level, end), strips: inSight },
      {
        level: this.tiles.top,
        first: 0,
        last: 0,
        strips: this.overviewTracks.map((one) => stripKey({ track: one.number, band: 0 })),
      },
      { level: coarse, ...tilesOf(wide, coarse, end), strips: inSight },
      { level, ...tilesOf(windowOf(view), level, end), strips: around },
      { level, ...tilesOf(wide, level, end), strips: inSight },
    ]);
  }

  /** Whether all that is in sight is there, as fine as it should be. */
  get isLate(): boolean {
    return this.tiles.isBusy;
  }

  /** Why something is missing that was asked for; it is asked for again until it comes. */
  get error(): unknown {
    return this.tiles.error ?? this.labels.error ?? this.events.error;
  }

  // --- moving

  /** From here on `viewer` shows what this one shows. Returns how to part them. */
  lead(viewer: Viewer, shift: number): () => void {
    this.follower = { viewer, shift };
    viewer.leader = { viewer: this, shift };
    this.changed("slices");
    return () => {
      this.follower = null;
      viewer.leader = null;
      this.show(this.view);
    };
  }

  /** Whether it stands below another one. */
  get isBelow(): boolean {
    return this.leader !== null;
  }

  /** How far one can go. */
  get reach(): number {
    return this.follower ? Math.max(this.end, this.follower.viewer.end - this.follower.shift) : this.end;
  }

  /** What is measured is measured in both, and an area's time is one of both; its tracks are of the trace in which it was
   * chosen: another one has others. */
  private share({ viewer, shift }: { viewer: Viewer; shift: number }): void {
    const window = this.area && moved(this.area.window, shift);
    viewer.mark = this.mark && moved(this.mark, shift);
    if (!sameWindow(window, viewer.area?.window ?? null)) viewer.area = window && { window, tracks: null };
    viewer.tool = this.tool;
    viewer.tab = this.tab;
    viewer.changed("overlay");
  }

  private follow(view: View): void {
    this.view = { ...view, width: this.view.width };
    this.changed("slices");
  }

  private get isStill(): boolean {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** `isEased`: goes there within an eighth of a second; any other move ends that. */
  show(view: View, isEased = false): void {
    if (this.leader) return this.leader.viewer.show({ ...view, begin: view.begin - this.leader.shift }, isEased);
    const to = clampView(view, this.reach);
    if (isEased && !this.isStill) {
      this.ease = { from: this.view, to, start: performance.now() };
    } else {
      this.ease = null;
      this.view = to;
    }
    this.changed("slices");
  }

  private step(now: number): void {
    const { from, to, start } = this.ease as NonNullable<typeof this.ease>;
    const part = Math.min(1, Math.max(0, (now - start) / EASE_MS));
    this.view = between(from, to, 1 - (1 - part) ** 3);
    if (part >= 1) this.ease = null;
  }

  /** Where the view is going, if it moves. */
  get target(): View {
    if (this.leader)
      return { ...this.leader.viewer.target, begin: this.leader.viewer.target.begin + this.leader.shift };
    return this.ease?.to ?? this.view;
  }

  zoom(factor: number, x = this.view.width / 2, isEased = false): void {
    if (this.leader) return this.leader.viewer.zoom(factor, x, isEased);
    this.show(zoomAt(isEased ? this.target : this.view, factor, x, this.reach), isEased);
  }

  pan(px: number, isEased = false): void {
    if (this.leader) return this.leader.viewer.pan(px, isEased);
    this.show(panBy(isEased ? this.target : this.view, px, this.reach), isEased);
  }

  fitWindow(window: Window, isEased = true): void {
    if (this.leader)
      return this.leader.viewer.fitWindow(
        { begin: window.begin - this.leader.shift, end: window.end - this.leader.shift },
        isEased,
      );
    this.show(fit(window, this.view.width, this.reach), isEased);
  }

  fitAll(isEased = true): void {
    if (this.leader) return this.leader.viewer.fitAll(isEased);
    this.show(fitAll(this.view.width, this.reach), isEased);
  }

  get isAll(): boolean {
    return this.view.nsPerPx >= fitAll(this.view.width, this.reach).nsPerPx * (1 - 1e-9);
  }

  /** What `f` shows: the selection, else the area, else everything. */
  fitChosen(): void {
    const span = spanOf(this.selection) ?? this.area?.window ?? null;
    if (!span) return this.fitAll();
    this.fitWindow(span);
  }

  resize(width: number, height: number): void {
    if (width === this.view.width && height === this.height) return;
    this.height = height;
    const { isAll } = this;
    this.ease = null;
    if (this.leader) this.view = { ...this.view, width };
    else
      this.view = isAll
        ? fitAll(width, this.reach)
        : clampView(
            { ...this.view, width, nsPerPx: (this.view.nsPerPx * this.view.width) / Math.max(1, width) },
            this.reach,
          );
    this.changed("slices");
  }

  scrolled(top: number): void {
    if (top === this.top) return;
    this.top = top;
    this.changed("slices");
  }

  /** Set by the component that scrolls. */
  scrollTo: (top: number) => void = () => {};

  /** Moves as little as is needed for an item to be seen. */
  reveal(item: Pick<Item, "track" | "row" | "begin" | "end">): void {
    let lane = laneOf(this.layout, item.track);
    if (!lane || item.row >= lane.rows || !lane.isOpen) {
      this.openTrack(item.track);
      lane = laneOf(this.layout, item.track);
    }
    if (lane) {
      const y = rowTop(lane, item.row);
      if (y < this.top + 8) this.scrollTo(Math.max(0, y - this.height / 3));
      else if (y + lane.rowPx > this.top + this.height - 8) this.scrollTo(y - (2 * this.height) / 3);
    }
    const view = this.target;
    const x0 = xOf(view, item.begin);
    const x1 = xOf(view, item.end);
    const isIn = x0 >= 0 && x0 < view.width - 16;
    const isOver = x0 < 0 && x1 > view.width;
    if (!isIn && !isOver)
      this.show(
        {
          ...view,
          begin:
            (item.begin + Math.min(item.end, item.begin + view.width * view.nsPerPx * 0.5)) / 2 -
            (view.width * view.nsPerPx) / 2,
        },
        true,
      );
  }

  // --- tracks

  setLayout(change: Partial<LayoutState>): void {
    this.layoutState = { ...this.layoutState, ...change };
    this.layout = lay(this.sections, this.layoutState, this.open);
    this.changed("slices");
  }

  toggle(key: string): void {
    const toggled = new Set(this.layoutState.toggled);
    if (!toggled.delete(key)) toggled.add(key);
    this.setLayout({ toggled });
  }

  /** Opens a track, and its section, wherever it is hidden. */
  openTrack(number: number): void {
    const section = this.sections.find((one) => one.tracks.some((track) => track.number === number));
    if (!section) return;
    const toggled = new Set(this.layoutState.toggled);
    toggled.delete(sectionKey(section));
    const key = trackKey({ number });
    if (this.open.has(number)) toggled.delete(key);
    else toggled.add(key);
    const hidden = new Set(this.layoutState.hidden);
    hidden.delete(number);
    const isFilteredOut = !laneOf(this.layout, number);
    this.setLayout({ toggled, hidden, only: isFilteredOut ? "" : this.layoutState.only });
  }

  /** Scrolls to what the device of a track did as a whole, where that is shown. */
  showDevice(number: number): void {
    const section = this.sections.find((one) => one.tracks.some((track) => track.number === number));
    if (section && this.layoutState.toggled.has(sectionKey(section))) this.toggle(sectionKey(section));
    const lane = this.layout.busyByTrack.get(number);
    if (lane) this.scrollTo(Math.max(0, lane.top - HEAD_PX));
    else this.showTrack(number);
  }

  /** Scrolls to a track. */
  showTrack(number: number): void {
    if (!laneOf(this.layout, number)) this.openTrack(number);
    const lane = laneOf(this.layout, number);
    if (lane) this.scrollTo(Math.max(0, lane.top - HEAD_PX));
  }

  toggleAll(): void {
    const isAnyOpen = this.layout.lanes.some((lane) => lane.kind === "track" && lane.isOpen);
    const all = this.sections.flatMap((one) => one.tracks);
    const toggled = new Set([...this.layoutState.toggled].filter((key) => key.startsWith("s:")));
    for (const track of all) if (this.open.has(track.number) === isAnyOpen) toggled.add(trackKey(track));
    this.setLayout({ toggled });
  }

  pin(number: number): void {
    const { pinned } = this.layoutState;
    this.setLayout({ pinned: pinned.includes(number) ? pinned.filter((one) => one !== number) : [...pinned, number] });
  }

  hide(number: number): void {
    this.setLayout({
      hidden: new Set([...this.layoutState.hidden, number]),
      pinned: this.layoutState.pinned.filter((one) => one !== number),
    });
  }

  // --- what is chosen

  get focus(): Item | null {
    return this.selection[this.selection.length - 1] ?? null;
  }

  /** The track that keys are about: of the focus, else the first one in sight. */
  get focusTrack(): number | null {
    if (this.focus) return this.focus.track;
    const lane = lanesIn(this.layout.lanes, this.top, this.top + this.height).find((one) => one.kind === "track");
    return lane?.kind === "track" ? lane.track.number : null;
  }

  select(items: Item[]): void {
    this.selection = items;
    this.ownArrows = [];
    if (items.length) {
      this.setTab(this.tab === "area" && items.length > 1 ? "area" : "details");
      this.onChosen();
    }
    this.changed("overlay");
  }

  /** Takes it in, or out where it is in. */
  alsoSelect(item: Item): void {
    const without = this.selection.filter((one) => !sameSlice(one.slice, item.slice));
    this.select(without.length < this.selection.length ? without : [...this.selection, item]);
  }

  setHover(item: Item | null, x: number, y: number): void {
    const isSame =
      item === this.hover ||
      (!!item && !!this.hover && sameSlice(item.slice, this.hover.slice) && item.count === this.hover.count);
    if (isSame) return;
    this.pointer = item ? { x, y } : this.pointer;
    this.hover = item;
    this.changed("overlay");
  }

  setHoverPoint(point: HoverPoint | null): void {
    if (point?.name === this.hoverPoint?.name && point?.time === this.hoverPoint?.time) return;
    this.hoverPoint = point;
    this.changed("overlay");
  }

  /** All slices with the name of this one, in the window in sight. */
  allOfName(item: Item): void {
    const name = item.name ?? this.labels.get(item.label)?.name;
    if (name !== undefined) this.finder.set(exactly(name), true);
    this.select([item]);
    this.setArea({ window: roundedOut(windowOf(this.target)), tracks: null });
  }

  setFlows(flows: string[]): void {
    this.flows = flows;
    this.changed("slices");
  }

  /** How many the server found of each kind. */
  get findingKinds(): Findings["kinds"] {
    return this.found.kinds;
  }

  /** What the server answers at first: of each kind the longest. */
  setFindings(found: Findings | null): void {
    this.found = found ?? { items: [], kinds: [] };
    this.mergeMarks();
  }

  /** What a list has of a kind, the longest first. */
  setListedMarks(kind: MarkKind, listed: readonly Finding[]): void {
    this.listedMarks.set(kind, listed);
    this.mergeMarks();
  }

  private mergeMarks(): void {
    this.loadedMarks = loadedMarks(this.found, this.listedMarks);
    this.findings = drawableMarks(this.loadedMarks, this.found.kinds);
    this.changed("overlay");
  }

  toggleMarks(kind: MarkKind, isOn = !this.marks.has(kind)): void {
    const marks = new Set(this.marks);
    if (isOn) marks.add(kind);
    else marks.delete(kind);
    this.marks = marks;
    this.changed("overlay");
  }

  /** Null: those that are drawn at first. */
  private get chosenMarks(): MarkKind[] | null {
    const isFirst = this.marks.size === FIRST_MARKS.length && FIRST_MARKS.every((kind) => this.marks.has(kind));
    return isFirst ? null : ALL_MARKS.filter((kind) => this.marks.has(kind));
  }

  setNotes(notes: readonly Flag[]): void {
    this.notes = notes;
    this.changed("overlay");
  }

  setTool(tool: Tool): void {
    if (this.leader) return this.leader.viewer.setTool(tool);
    this.tool = tool;
    this.changed("overlay");
  }

  setTab(tab: Tab | null): void {
    if (this.leader) this.leader.viewer.setTab(tab);
    this.tab = tab;
    this.changed("overlay");
  }

  setMark(mark: Window | null): void {
    if (this.leader) return this.leader.viewer.setMark(mark && moved(mark, -this.leader.shift));
    this.mark = mark;
    this.changed("overlay");
  }

  setArea(area: Area | null): void {
    if (this.leader)
      this.leader.viewer.setArea(area && { window: moved(area.window, -this.leader.shift), tracks: null });
    this.area = area && askable(area);
    if (area) {
      this.setTab(this.tab === "diff" ? "diff" : "area");
      this.onChosen();
    }
    this.changed("overlay");
  }

  /** Marks the selection's interval; the same again takes the mark away. */
  markSelection(): void {
    const span = spanOf(this.selection) ?? this.area?.window ?? null;
    const isSame = this.mark && span && this.mark.begin === span.begin && this.mark.end === span.end;
    this.setMark(isSame || !span ? null : span);
  }

  /** Escape: takes back what was chosen last. Whether there was anything. */
  clear(): boolean {
    if (this.mark) this.setMark(null);
    else if (this.area) this.setArea(null);
    else if (this.selection.length) this.select([]);
    else if (this.finder.text) this.finder.set("");
    else return false;
    return true;
  }

  say(text: string): void {
    this.spoken = text;
    this.changed("overlay");
  }

  // --- the address

  get place(): Place {
    const { pinned, hidden, toggled, only } = this.layoutState;
    return {
      window: this.isAll ? null : windowOf(this.target),
      selection: this.selection.map((one) => one.slice),
      area: this.area,
      tool: this.tool,
      tab: this.tab,
      find: this.finder.text,
      flows: this.flows,
      marks: this.chosenMarks,
      pinned: [...pinned],
      hidden: [...hidden],
      toggled: [...toggled],
      only,
      top: this.top,
    };
  }

  /** All but the selection, whose slices must be asked for. */
  apply(place: Place): void {
    this.layoutState = {
      toggled: new Set(place.toggled),
      pinned: place.pinned,
      hidden: new Set(place.hidden),
      only: place.only,
    };
    this.layout = lay(this.sections, this.layoutState, this.open);
    this.tool = place.tool;
    this.area = place.area;
    this.tab = place.tab;
    if (place.find !== this.finder.text) this.finder.set(place.find, true);
    this.flows = place.flows;
    this.marks = new Set(place.marks ? ALL_MARKS.filter((kind) => place.marks?.includes(kind)) : FIRST_MARKS);
    this.ease = null;
    // To the nanosecond, without a margin: it is the window itself that was sent.
    const { width } = this.view;
    this.view = place.window
      ? clampView(
          { begin: place.window.begin, nsPerPx: (place.window.end - place.window.begin) / width, width },
          this.reach,
        )
      : fitAll(width, this.reach);
    this.scrollTo(place.top);
    this.changed("slices");
  }
}

const moved = ({ begin, end }: Window, by: number): Window => ({ begin: begin + by, end: end + by });

const sameWindow = (a: Window | null, b: Window | null): boolean =>
  a === b || (!!a && !!b && a.begin === b.begin && a.end === b.end);

export const roundedOut = ({ begin, end }: Window): Window => ({ begin: Math.floor(begin), end: Math.ceil(end) });

/** From the first begin to the last end. */
export function spanOf(items: readonly Window[]): Window | null {
  if (!items.length) return null;
  return { begin: Math.min(...items.map((one) => one.begin)), end: Math.max(...items.map((one) => one.end)) };
}

/** What `select` says of the viewer, drawn again when that changes. */
export function useViewer<T>(viewer: Viewer, select: (viewer: Viewer) => T): T {
  const [, redraw] = useState(0);
  const value = select(viewer);
  useEffect(() => {
    let last = value;
    const update = () => {
      const now = select(viewer);
      if (Object.is(now, last)) return;
      last = now;
      redraw((n) => n + 1);
    };
    update();
    return viewer.onChange(update);
  });
  return value;
}
