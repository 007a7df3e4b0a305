// What could not be had is asked for again after a while, all of it at once.

const AGAIN_MS = 3000;

export class Again {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ask: () => void,
    private readonly ms = AGAIN_MS,
  ) {}

  /** While it is, what failed is left alone. */
  get isWaiting(): boolean {
    return this.timer !== undefined;
  }

  later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.ask();
    }, this.ms);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
