import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** The title of the window, there when the page that it is of is painted. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = title ? `${title} · benchhud` : "benchhud";
  }, [title]);
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
