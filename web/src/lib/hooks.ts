import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isTyping, plainKey } from "./keys";

/** The title of the window, there when the page that it is of is painted. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = title ? `${title} · benchhud` : "benchhud";
  }, [title]);
}

/** Hands `onKey` each plain key (plainKey) while nobody types, from the moment that what listens is drawn: what is typed
 * right after it was seen is taken. */
export function usePlainKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isTyping(event) && plainKey(event)) latest.current(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** What all panels that a button in `box` opens have in common: they stay inside the window, wherever the button stands,
 * and `leave` is called when something outside of `box` is pressed, from the moment that they are drawn. */
export function useMenuPanel(box: { current: HTMLElement | null }, open: boolean, leave: () => void): void {
  useLayoutEffect(() => {
    const panel = box.current?.querySelector<HTMLElement>(".menu-panel");
    if (!open || !panel) return;
    const { right } = panel.getBoundingClientRect();
    const left = box.current?.getBoundingClientRect().left ?? 0;
    // Without the place that is kept free for a scroll bar.
    const edge = document.documentElement.getBoundingClientRect().right;
    panel.style.left = `${Math.max(8 - left, Math.min(0, edge - 8 - right))}px`;
    const onPress = (event: Event) => {
      // What a dialog in front of it is asked for is no press elsewhere.
      if (!box.current?.contains(event.target as Node) && !(event.target as Element).closest?.("dialog")) leave();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [open]);
}

/** Marks a box that scrolls sideways while there is more of it to the right (parts.css). */
export function useMoreSign(box: { current: HTMLElement | null }): void {
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const update = () => node.toggleAttribute("data-more", node.scrollLeft + node.clientWidth < node.scrollWidth - 2);
    const observer = new ResizeObserver(update);
    observer.observe(node);
    if (node.firstElementChild) observer.observe(node.firstElementChild);
    node.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      node.removeEventListener("scroll", update);
    };
  }, []);
}

/** Now, renewed every minute, so that ages stay true on a page left open. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The width of an element as it changes, known before it is painted; 0 before it is laid out. */
export function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const node = element.current;
    if (!node) return;
    setWidth(node.clientWidth);
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return width;
}
