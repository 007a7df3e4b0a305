// The last answers of the server, as many as fit, and the requests that are under way.

export type Answer<T> = { data: T; text: string; etag: string | null; at: number };

/** A character of a text takes two bytes at most; what is parsed from it takes about twice as much again. */
const BYTES_PER_CHARACTER = 6;

/** Answers by address. What was not used for the longest time goes first; an answer that is larger than all the room is not kept. */
export class AnswerCache {
  private readonly answers = new Map<string, Answer<unknown>>();
  private used = 0;

  constructor(private readonly capacity: number) {}

  /** Bytes, about. */
  get size(): number {
    return this.used;
  }

  get<T>(url: string): Answer<T> | undefined {
    const found = this.answers.get(url);
    if (found) {
      this.answers.delete(url);
      this.answers.set(url, found);
    }
    return found as Answer<T> | undefined;
  }

  set(url: string, answer: Answer<unknown>): void {
    this.drop(url);
    const room = bytesOf(url, answer);
    if (room > this.capacity) return;
    this.answers.set(url, answer);
    this.used += room;
    for (const oldest of this.answers.keys()) {
      if (this.used <= this.capacity) break;
      this.drop(oldest);
    }
  }

  private drop(url: string): void {
    const old = this.answers.get(url);
    if (!old) return;
    this.answers.delete(url);
    this.used -= bytesOf(url, old);
  }
}

const bytesOf = (url: string, answer: Answer<unknown>): number =>
  (url.length + answer.text.length) * BYTES_PER_CHARACTER;

type Flight = { result: Promise<unknown>; controller: AbortController; waiting: number };

/** Requests under way: whoever asks for the same address meanwhile gets the same answer. A request is given up when nobody waits for it any more. */
export class Flights {
  private flights = new Map<string, Flight>();

  /** Rejects with the signal's reason when it is aborted. */
  async join<T>(url: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const flight = this.flights.get(url) ?? this.start(url, start);
    ++flight.waiting;
    const result = flight.result as Promise<T>;
    if (!signal) return result;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        if (--flight.waiting === 0) {
          flight.controller.abort(signal.reason);
          this.end(url, flight);
        }
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      result.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });
  }

  /** What is asked from now on is asked again: the store may be another one than when a request set out. */
  forget(): void {
    this.flights = new Map();
  }

  private start<T>(url: string, start: (signal: AbortSignal) => Promise<T>): Flight {
    const controller = new AbortController();
    const flight: Flight = { result: start(controller.signal), controller, waiting: 0 };
    this.flights.set(url, flight);
    flight.result.catch(() => undefined).finally(() => this.end(url, flight));
    return flight;
  }

  private end(url: string, flight: Flight): void {
    if (this.flights.get(url) === flight) this.flights.delete(url);
  }
}
