// Stacks as boxes: each as wide as its time, below it what lies in it.
import type { components } from "../api/openapi";
import { csvText } from "../lib/csv";
import type { Item } from "./types";

export type FlameNode = {
  label: number;
  depth: number;
  parent: number | null;
  count: number;
  total: number;
  /** Null where it is not known. */
  self: number | null;
};
/** `from` and `to` of the width, 0 to 1. */
export type FlameBox = { node: FlameNode; from: number; to: number; depth: number };

export type FlameRows = components["schemas"]["FlameTree"];

/** The contract cannot say what stands where in a row of six: only the row above may be null. */
export const nodesOf = ({ rows }: FlameRows): FlameNode[] =>
  rows.map(([label, depth, parent, count, total, self]) => ({
    label: label ?? 0,
    depth: depth ?? 0,
    parent: parent ?? null,
    count: count ?? 0,
    total: total ?? 0,
    self: self ?? 0,
  }));

/** A node stands in the list before those below it; siblings stand beside each other from the left. */
export function boxesOf(nodes: readonly FlameNode[]): FlameBox[] {
  const all = nodes.reduce((sum, node) => (node.parent === null ? sum + node.total : sum), 0);
  if (all <= 0) return [];
  const boxes: FlameBox[] = [];
  /** Where the next child of each begins; the last one is of the roots. */
  const next = new Float64Array(nodes.length + 1);
  for (const [place, node] of nodes.entries()) {
    const above = node.parent ?? nodes.length;
    const from = next[above] as number;
    const to = from + node.total / all;
    next[above] = to;
    next[place] = from;
    boxes.push({ node, from, to, depth: node.depth });
  }
  return boxes;
}

export const depthOf = (boxes: readonly FlameBox[]): number =>
  boxes.reduce((most, box) => Math.max(most, box.depth + 1), 0);

/** The box at a place: of the width, 0 to 1, and which row. */
export const boxAt = (boxes: readonly FlameBox[], part: number, depth: number): FlameBox | null =>
  boxes.find((box) => box.depth === depth && box.from <= part && part < box.to) ?? null;

/** Boxes in the order of time as a table, ns. One of several slices that lie close together has no name of its own: `longest_name` is that of the longest of them. */
export const boxesCsv = (items: readonly Item[], nameOf: (item: Item) => string): string =>
  csvText(
    ["row", "name", "longest_name", "slices", "begin_ns", "duration_ns", "busy_ns"],
    items.map((item) => [
      item.row + 1,
      item.count > 1 ? "" : nameOf(item),
      item.count > 1 ? nameOf(item) : "",
      item.count,
      item.begin,
      item.end - item.begin,
      item.busy,
    ]),
  );
