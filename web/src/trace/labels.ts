// Names by number, fetched in blocks when one of a block is first to be drawn.
import { Again } from "./again";
import { UNNAMED } from "./palette";
import { styleOf } from "./names";
import type { Source } from "./source";
import type { Label } from "./types";

export const BLOCK = 1024;
/** Blocks that are kept; a hostile trace has a name for every slice. */
const MOST_BLOCKS = 128;
const AT_ONCE = 4;

type Named = Label & { style: number };
/** `used`: in which picture last. Without names it is wanted, asked for, or could not be had. */
type Block = { names: Named[] | null; used: number; isAsked: boolean; error: unknown };

export class LabelStore {
  /** What was used longest ago is first. */
  private readonly blocks = new Map<number, Block>();
  private readonly controller = new AbortController();
  private readonly again: Again;
  private flying = 0;
  private picture = 0;

  /** `onLoad` is called when names are there that were asked for, and when those that failed should be asked for again. */
  constructor(
    private readonly source: Pick<Source, "labels">,
    private readonly onLoad: () => void,
    againMs?: number,
    private readonly mostBlocks = MOST_BLOCKS,
  ) {
    this.again = new Again(onLoad, againMs);
  }

  /** Another picture is begun: what neither it nor the one before used may be given up. */
  nextPicture(): void {
    ++this.picture;
  }

  /** Why names are missing that were drawn lately; null where none are. */
  get error(): unknown {
    for (const { error, used } of this.blocks.values()) if (error && used >= this.picture - 1) return error;
    return null;
  }

  /** Null while it is on its way; and where a picture has names of more blocks than are kept. */
  get(label: number): Named | null {
    if (label < 0) return null;
    const number = Math.floor(label / BLOCK);
    const block = this.blocks.get(number) ?? this.add(number);
    if (!block) return null;
    if (block.used !== this.picture) {
      block.used = this.picture;
      this.blocks.delete(number);
      this.blocks.set(number, block);
    }
    // Few at once: each answer makes a picture, which asks for what is still missing of it.
    if (!block.names && !block.isAsked && this.flying < AT_ONCE && !(block.error && this.again.isWaiting))
      void this.fetch(number, block);
    return block.names?.[label % BLOCK] ?? null;
  }

  style(label: number): number {
    return this.get(label)?.style ?? UNNAMED;
  }

  stop(): void {
    this.again.stop();
    this.controller.abort();
  }

  private add(number: number): Block | null {
    if (this.blocks.size >= this.mostBlocks) {
      const [oldest] = this.blocks;
      // A picture that gave up what it is drawn with would ask for it for ever.
      if (!oldest || oldest[1].used >= this.picture - 1) return null;
      this.blocks.delete(oldest[0]);
    }
    const block: Block = { names: null, used: -1, isAsked: false, error: null };
    this.blocks.set(number, block);
    return block;
  }

  private async fetch(number: number, block: Block): Promise<void> {
    block.isAsked = true;
    ++this.flying;
    try {
      const items = await this.source.labels(number, this.controller.signal);
      block.names = items.map((one) => ({ ...one, style: styleOf(one.name) }));
      block.error = null;
    } catch (error) {
      if (this.controller.signal.aborted) return;
      block.error = error;
      this.again.later();
    }
    block.isAsked = false;
    --this.flying;
    this.onLoad();
  }
}
