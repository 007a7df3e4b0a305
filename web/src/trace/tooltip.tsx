// What is under the pointer, in words beside it.
import { useLayoutEffect, useRef } from "preact/hooks";
import { count } from "../lib/format";
import { itemWords } from "./spoken";
import { exactPlace } from "./time";
import { type Viewer, useViewer } from "./viewer";

export function Tooltip({ viewer }: { viewer: Viewer }) {
  const item = useViewer(viewer, (one) => one.hover);
  const point = useViewer(viewer, (one) => one.hoverPoint);
  const label = useViewer(viewer, (one) => (one.hover ? one.labels.get(one.hover.label) : null));
  const node = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tip = node.current;
    if (!tip || !viewer.pointer) return;
    const { x, y } = viewer.pointer;
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(4, Math.min(x + 14, viewer.view.width - width - 4))}px`;
    tip.style.top = `${y + 18 + height > viewer.height ? Math.max(4, y - height - 10) : y + 18}px`;
  });
  if (point) {
    return (
      <div class="trace-tip" ref={node} aria-hidden="true">
        <strong>{point.name}</strong>
        <span>
          {point.what} <span class="quiet">at {exactPlace(point.time)}</span>
          {point.category ? <span class="quiet"> · {point.category}</span> : null}
        </span>
      </div>
    );
  }
  if (!item) return null;
  const { size, at } = itemWords(item);
  return (
    <div class="trace-tip" ref={node} aria-hidden="true">
      <strong>{label?.name ?? "…"}</strong>
      {item.count > 1 && (
        <span>
          the longest of {count(item.count)} slices,{" "}
          {Math.round((100 * item.busy) / Math.max(1, item.end - item.begin))} % busy
        </span>
      )}
      <span>
        {size} <span class="quiet">at {at}</span>
        {label?.category ? <span class="quiet"> · {label.category}</span> : null}
      </span>
    </div>
  );
}
