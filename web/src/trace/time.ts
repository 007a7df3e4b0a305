// Spans and places of time in words. A number never stands without its unit.
import { count, duration } from "../lib/format";

/** How long: 12 ns, 3.40 µs, 1.24 s. */
export const spanText = (ns: number): string =>
  Math.abs(ns) < 1000 && Number.isInteger(ns) ? `${ns} ns` : duration(ns / 1e9);

/** The same to the nanosecond, for hover and details. */
export const exactText = (ns: number): string => `${count(ns)} ns`;

const UNITS: [name: string, ns: number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

/** The largest unit of which `ns` is at least one. */
export const unitFor = (ns: number): [name: string, ns: number] =>
  UNITS.find(([, size]) => Math.abs(ns) >= size) ?? ["ns", 1];

/** A place to the nanosecond, or to `step`, without zeros at its end. */
export const exactPlace = (ns: number, step = 1): string =>
  placeText(ns, step)
    .replace(/(\.\d*?)0+ /, "$1 ")
    .replace(". ", " ");

/** A place on the axis with so many decimals as tell apart what is `step` ns apart: 340.125 ms. */
export function placeText(ns: number, step = 1, [name, size] = unitFor(ns)): string {
  const decimals = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  const text = Math.abs(ns / size).toFixed(Math.min(9, decimals));
  const [whole, fraction] = text.split(".");
  const grouped = (whole as string).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${ns < 0 ? "\u2212" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`} ${name}`;
}
