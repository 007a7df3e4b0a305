// Names by number, fetched in blocks when one of a block is first to be drawn.
import { UNNAMED } from "./palette";
import { styleOf } from "./names";
import type { Source } from "./source";
import type { Label } from "./types";

export const BLOCK = 1024;
/** Blocks that are kept; a hostile trace has a name for every slice. */
const MOST_BLOCKS = 128;

type Named = Label & { style: number };

export class LabelStore {
  private readonly blocks = new Map<number, Named[] | null>();

  /** `onLoad` is called when names are there that were asked for. */
  constructor(private readonly source: Pick<Source, "labels">, private readonly onLoad: () => void) {}

  /** Null while it is on its way. */
  get(label: number): Named | null {
    if (label < 0) return null;
    const number = Math.floor(label / BLOCK);
    const block = this.blocks.get(number);
    if (block === undefined) this.fetch(number);
    return block?.[label % BLOCK] ?? null;
  }

  style(label: number): number {
    return this.get(label)?.style ?? UNNAMED;
  }

  private fetch(number: number): void {
    if (this.blocks.size >= MOST_BLOCKS) this.blocks.delete(this.blocks.keys().next().value as number);
    this.blocks.set(number, null);
    this.source.labels(number).then(
      (items) => {
        this.blocks.set(number, items.map((one) => ({ ...one, style: styleOf(one.name) })));
        this.onLoad();
      },
      // Asked for again with the next picture that needs it, but not at once.
      () => setTimeout(() => this.blocks.delete(number), 2000),
    );
  }
}
