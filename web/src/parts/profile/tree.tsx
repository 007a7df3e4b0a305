// A tree as a table: what lies below a row is indented under it, and folded away by its button.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { hoverText, plural, shown } from "../../lib/format";
import { PlainTable } from "../plain_table";

export type TreeNode = { name: string; depth: number; parent: number | null };
export type TreeColumn<Node> = {
  title: ComponentChildren;
  hint?: string;
  cell: (node: Node) => ComponentChildren;
  right?: boolean;
};

/** Nodes that no folded one hides. A parent always stands before what is below it. */
export function visibleNodes(nodes: readonly TreeNode[], folded: ReadonlySet<number>): number[] {
  const hidden = new Set<number>();
  const shownNodes: number[] = [];
  nodes.forEach((node, index) => {
    if (node.parent !== null && (hidden.has(node.parent) || folded.has(node.parent))) hidden.add(index);
    else shownNodes.push(index);
  });
  return shownNodes;
}

/** Deep and long trees begin folded, so that what matters is in sight: nodes at `depth` that have something below. */
export function foldedAtFirst(nodes: readonly TreeNode[], most: number): Set<number> {
  if (nodes.length <= most) return new Set();
  const perDepth: number[] = [];
  for (const node of nodes) perDepth[node.depth] = (perDepth[node.depth] ?? 0) + 1;
  let depth = 0;
  for (let sum = perDepth[0] ?? 0; depth + 1 < perDepth.length && sum + (perDepth[depth + 1] ?? 0) <= most; ++depth)
    sum += perDepth[depth + 1] ?? 0;
  const parents = new Set(nodes.map((node) => node.parent));
  return new Set(nodes.flatMap((node, index) => (node.depth >= depth && parents.has(index) ? [index] : [])));
}

export function Tree<Node extends TreeNode>({
  caption,
  nodes,
  columns,
  head,
  most = 60,
}: {
  caption: string;
  nodes: Node[];
  columns: TreeColumn<Node>[];
  head: string;
  most?: number;
}) {
  const [folded, setFolded] = useState<{ of: Node[]; set: Set<number> }>({
    of: nodes,
    set: foldedAtFirst(nodes, most),
  });
  const set = folded.of === nodes ? folded.set : foldedAtFirst(nodes, most);
  const parents = new Set(nodes.map((node) => node.parent));
  const toggle = (index: number) => {
    const next = new Set(set);
    if (!next.delete(index)) next.add(index);
    setFolded({ of: nodes, set: next });
  };
  const visible = visibleNodes(nodes, set);
  return (
    <div class="tree">
      {nodes.length > most && (
        <p class="note">
          <button type="button" class="link" onClick={() => setFolded({ of: nodes, set: new Set() })}>
            unfold all
          </button>{" "}
          <button
            type="button"
            class="link"
            onClick={() => setFolded({ of: nodes, set: new Set([...parents].filter((one) => one !== null)) })}
          >
            fold all
          </button>
        </p>
      )}
      <PlainTable
        caption={caption}
        heads={[
          { title: head },
          ...columns.map((column) => ({ title: column.title, hint: column.hint, right: column.right !== false })),
        ]}
      >
        <tbody>
          {visible.map((index) => {
            const node = nodes[index] as Node;
            const below = parents.has(index);
            return (
              <tr key={index}>
                <th scope="row">
                  <span class="tree-name" style={{ paddingLeft: `${Math.min(node.depth, 24) * 18}px` }}>
                    {below ? (
                      <button
                        type="button"
                        class="fold"
                        aria-expanded={!set.has(index)}
                        aria-label={`What is below ${shown(node.name) || "this"}`}
                        onClick={() => toggle(index)}
                      >
                        {set.has(index) ? "▸" : "▾"}
                      </button>
                    ) : (
                      <span class="fold" aria-hidden="true">
                        {node.depth > 0 ? "·" : ""}
                      </span>
                    )}
                    <span class="mono clip" title={hoverText(node.name)}>
                      {shown(node.name)}
                    </span>
                    <span class="sr">, level {node.depth + 1}</span>
                    {set.has(index) && (
                      <span class="quiet note">
                        {" "}
                        {plural(nodes.filter((one) => one.parent === index).length, "node")} below
                      </span>
                    )}
                  </span>
                </th>
                {columns.map((column, place) => (
                  <td key={place} class={column.right === false ? "" : "right"}>
                    {column.cell(node)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
    </div>
  );
}
