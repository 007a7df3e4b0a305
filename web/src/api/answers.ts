// The answers that a tab of the browser remembers, and the requests that are under way.
import { AnswerCache, Flights } from "./cache";

/** Bytes of answers that are remembered. */
const MOST_REMEMBERED = 64 << 20;

export const answers = new AnswerCache(MOST_REMEMBERED);
export const flights = new Flights();
