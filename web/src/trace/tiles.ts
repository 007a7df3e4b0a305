// The tiles that are in memory, and which are to be fetched next.
import { Again } from "./again";
import { tileBytes } from "./codec";
import type { Batch, Source } from "./source";
import { MOST_LEVEL, tileSpan } from "./view";
import type { Tile, Window } from "./types";

/** A band of a track: what a tile is of. */
export type Strip = { track: number; band: number };
export const stripKey = ({ track, band }: Strip): string => (band ? `${track}.${band}` : String(track));

/** What is drawn of a strip in a part of the time: of a tile that is as fine as wanted, or of a coarser one that stands in. */
export type Piece = { tile: Tile | null; window: Window; isExact: boolean };

type Kept = { tile: Tile; bytes: number };

const MOST_BYTES = 64e6;
const AT_ONCE = 4;
const IN_A_BATCH = 16;

type Flight = { batch: Batch; controller: AbortController };
const keyOf = (level: number, index: number, strip: string): string => `${level}/${index}/${strip}`;

export class TileStore {
  private readonly kept = new Map<string, Kept>();
  /** Of the whole trace: given up only where there is nothing else to give up. */
  private readonly pinned = new Map<string, Kept>();
  /** Of what is wanted. */
  private failed = new Set<string>();
  private lastError: unknown = null;
  private readonly again: Again;
  private flights: Flight[] = [];
  private queue: Batch[] = [];
  private bytes = 0;
  private pinnedSeen = 0;
  private isStopped = false;

  /** `top`: the level of which one tile holds everything, which is given up last. `onLoad` is called when there is something
   * new to draw, and when what failed may be wanted again. */
  constructor(
    private readonly source: Pick<Source, "tiles">,
    readonly top: number,
    private readonly onLoad: () => void,
    private readonly mostBytes = MOST_BYTES,
    againMs?: number,
  ) {
    this.again = new Again(onLoad, againMs);
  }

  /** Why some of what is wanted could not be had; null where all of it is there or on its way for the first time. */
  get error(): unknown {
    return this.failed.size ? this.lastError : null;
  }

  /** How many tiles of the whole trace have come; it only grows. */
  get pinnedCount(): number {
    return this.pinnedSeen;
  }

  get size(): number {
    return this.bytes;
  }

  get(strip: string, level: number, index: number): Tile | null {
    const key = keyOf(level, index, strip);
    const tiles = level >= this.top ? this.pinned : this.kept;
    const found = tiles.get(key);
    if (!found) return null;
    tiles.delete(key);
    tiles.set(key, found);
    return found.tile;
  }

  /** The finest tile in memory that holds tile `index` of `level`. */
  bestFor(strip: string, level: number, index: number): { tile: Tile; level: number } | null {
    for (let at = level, place = index; at <= Math.max(level, this.top); ++at, place = Math.floor(place / 2)) {
      const tile = this.get(strip, at, place);
      if (tile) return { tile, level: at };
    }
    return null;
  }

  /** What there is of a strip for the tiles `first` to `last` of a level, from left to right. */
  pieces(strip: string, level: number, first: number, last: number): Piece[] {
    const pieces: Piece[] = [];
    const span = tileSpan(level);
    for (let index = first; index <= last; ++index) {
      const best = this.bestFor(strip, level, index);
      const window = { begin: index * span, end: (index + 1) * span };
      const isExact = !!best && (best.level === level || best.tile.isWhole);
      const before = pieces[pieces.length - 1];
      // One that stands in for several is drawn once.
      if (before && best && before.tile === best.tile) before.window.end = window.end;
      else pieces.push({ tile: best?.tile ?? null, window, isExact });
    }
    return pieces;
  }

  private isThere(strip: string, level: number, index: number): boolean {
    const best = this.bestFor(strip, level, index);
    return !!best && (best.level === level || best.tile.isWhole);
  }

  /**
   * What should be fetched now, the most urgent first; what was wanted before and is not any more is given up.
   * Of each: a level, its tiles and the strips of them.
   */
  want(wanted: { level: number; first: number; last: number; strips: string[] }[]): void {
    const queue: Batch[] = [];
    const seen = new Set<string>();
    const failed = new Set<string>();
    for (const { level, first, last, strips } of wanted) {
      if (level > MOST_LEVEL) continue;
      for (let index = first; index <= last; ++index) {
        const missing = strips.filter((strip) => {
          const key = keyOf(level, index, strip);
          if (seen.has(key) || this.isThere(strip, level, index)) return false;
          if (this.failed.has(key)) {
            failed.add(key);
            if (this.again.isWaiting) return false;
          }
          seen.add(key);
          return true;
        });
        for (let at = 0; at < missing.length; at += IN_A_BATCH)
          queue.push({ level, index, tracks: missing.slice(at, at + IN_A_BATCH) });
      }
    }
    this.failed = failed;
    for (const flight of this.flights) {
      const { level, index, tracks } = flight.batch;
      if (!tracks.some((strip) => seen.has(keyOf(level, index, strip)))) flight.controller.abort();
      for (const strip of tracks) seen.add(keyOf(level, index, strip));
    }
    this.flights = this.flights.filter((one) => !one.controller.signal.aborted);
    const flying = new Set(
      this.flights.flatMap(({ batch }) => batch.tracks.map((strip) => keyOf(batch.level, batch.index, strip))),
    );
    this.queue = queue
      .map((batch) => ({
        ...batch,
        tracks: batch.tracks.filter((strip) => !flying.has(keyOf(batch.level, batch.index, strip))),
      }))
      .filter((batch) => batch.tracks.length);
    this.pump();
  }

  /** Whether anything is on its way. */
  get isBusy(): boolean {
    return this.flights.length > 0 || this.queue.length > 0;
  }

  stop(): void {
    this.isStopped = true;
    this.again.stop();
    this.queue = [];
    for (const one of this.flights) one.controller.abort();
    this.flights = [];
  }

  private pump(): void {
    while (!this.isStopped && this.flights.length < AT_ONCE && this.queue.length)
      this.start(this.queue.shift() as Batch);
  }

  private start(batch: Batch): void {
    const flight: Flight = { batch, controller: new AbortController() };
    this.flights.push(flight);
    const done = () => {
      this.flights = this.flights.filter((one) => one !== flight);
      this.pump();
      this.onLoad();
    };
    this.source.tiles(batch, flight.controller.signal).then(
      (tiles) => {
        if (this.isStopped) return;
        const got = new Map(tiles.map((tile) => [stripKey(tile), tile]));
        for (const strip of batch.tracks) {
          const tile = got.get(strip);
          if (tile) this.put(strip, batch.level, batch.index, tile);
          else this.fail(keyOf(batch.level, batch.index, strip), new Error("The server left a tile out."));
        }
        done();
      },
      (error: unknown) => {
        if (flight.controller.signal.aborted || this.isStopped) return;
        for (const strip of batch.tracks) this.fail(keyOf(batch.level, batch.index, strip), error);
        done();
      },
    );
  }

  private fail(key: string, error: unknown): void {
    this.failed.add(key);
    this.lastError = error;
    this.again.later();
  }

  private put(strip: string, level: number, index: number, tile: Tile): void {
    const key = keyOf(level, index, strip);
    this.failed.delete(key);
    const tiles = level >= this.top ? this.pinned : this.kept;
    this.bytes -= tiles.get(key)?.bytes ?? 0;
    tiles.delete(key);
    if (tiles === this.pinned) ++this.pinnedSeen;
    const bytes = tileBytes(tile);
    tiles.set(key, { tile, bytes });
    this.bytes += bytes;
    for (const store of [this.kept, this.pinned]) {
      for (const [oldest, { bytes: size }] of store) {
        if (this.bytes <= this.mostBytes) break;
        store.delete(oldest);
        this.bytes -= size;
      }
    }
  }
}
