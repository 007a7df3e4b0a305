// What is below the tracks: details of what is chosen, in tabs.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Tab } from "./url";
import { type Viewer, useViewer } from "./viewer";

/** What a press of a key on the grip makes it higher or lower. */
const STEP_PX = 24;

export type TabPage = { tab: Tab; title: string; render: () => ComponentChildren };

export function Drawer({ viewer, pages }: { viewer: Viewer; pages: TabPage[] }) {
  const tab = useViewer(viewer, (one) => one.tab);
  const box = useRef<HTMLElement>(null);
  /** Of the window's height, in percent. */
  const [part, setPart] = useState(0);
  const isOpen = tab !== null;
  useLayoutEffect(() => {
    if (box.current) setPart(partOf(box.current.offsetHeight));
  }, [isOpen]);
  const page = pages.find((one) => one.tab === tab);
  if (!page) return null;

  const onPointerDown = (event: PointerEvent) => {
    const node = box.current;
    if (!node) return;
    event.preventDefault();
    const grip = event.currentTarget as HTMLElement;
    grip.setPointerCapture(event.pointerId);
    const bottom = event.clientY + node.offsetHeight;
    const move = (next: PointerEvent) => setPart(resize(node, bottom - next.clientY));
    grip.addEventListener("pointermove", move);
    grip.addEventListener("lostpointercapture", () => grip.removeEventListener("pointermove", move), { once: true });
  };
  const onGripKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowUp" ? STEP_PX : event.key === "ArrowDown" ? -STEP_PX : 0;
    if (!step || !box.current) return;
    event.preventDefault();
    setPart(resize(box.current, box.current.offsetHeight + step));
  };
  const onTabKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = pages[(pages.indexOf(page) + step + pages.length) % pages.length] as TabPage;
    viewer.setTab(next.tab);
    document.getElementById(`trace-tab-${next.tab}`)?.focus();
  };
  return (
    <section class="trace-drawer" ref={box} aria-label="About what is chosen">
      <div
        class="trace-grip"
        role="separator"
        aria-orientation="horizontal"
        aria-label="Height of the details"
        aria-valuenow={part}
        aria-valuemin={0}
        aria-valuemax={100}
        tabIndex={0}
        title="Drag to resize; with the keyboard: arrows up and down"
        onPointerDown={onPointerDown}
        onKeyDown={onGripKey}
      />
      <div class="trace-tabs">
        <div role="tablist" aria-label="About what is chosen">
          {pages.map((one) => (
            <button
              type="button"
              role="tab"
              key={one.tab}
              id={`trace-tab-${one.tab}`}
              aria-selected={one.tab === tab}
              aria-controls="trace-panel"
              tabIndex={one.tab === tab ? 0 : -1}
              onClick={() => viewer.setTab(one.tab)}
              onKeyDown={onTabKey}
            >
              {one.title}
            </button>
          ))}
        </div>
        <button
          type="button"
          class="icon trace-close"
          title="Close (q)"
          aria-label="Close"
          onClick={() => viewer.setTab(null)}
        >
          <span aria-hidden="true">×</span>
        </button>
      </div>
      <div class="trace-panel" id="trace-panel" role="tabpanel" aria-labelledby={`trace-tab-${page.tab}`} tabIndex={0}>
        {page.render()}
      </div>
    </section>
  );
}

const partOf = (height: number): number => Math.round((100 * height) / innerHeight);

/** Neither away nor over the tracks. Returns what part of the window it takes. */
function resize(node: HTMLElement, height: number): number {
  const allowed = Math.round(Math.max(96, Math.min(height, innerHeight * 0.7)));
  node.style.height = `${allowed}px`;
  return partOf(allowed);
}
