// Light, dark, or what the system says. Kept in the browser: it is about the reader, not about the view.
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const KEY = "benchhud-theme";
const EVENT = "hud:theme";
const media = () => matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "auto";
  } catch {
    return "auto";
  }
}

export function isDark(): boolean {
  const chosen = theme();
  return chosen === "dark" || (chosen === "auto" && media().matches);
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
}

export function setTheme(next: Theme): void {
  try {
    if (next === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Storage may be forbidden; the theme then lasts as long as the page.
  }
  applyTheme();
  dispatchEvent(new Event(EVENT));
}

export function nextTheme(): Theme {
  const order: Theme[] = ["auto", "light", "dark"];
  return order[(order.indexOf(theme()) + 1) % order.length] as Theme;
}

/** The chosen theme and whether it is dark now; charts redraw when it changes. */
export function useTheme(): { chosen: Theme; dark: boolean } {
  const read = () => ({ chosen: theme(), dark: isDark() });
  const [state, setState] = useState(read);
  useEffect(() => {
    const update = () => {
      applyTheme();
      setState(read());
    };
    const system = media();
    addEventListener(EVENT, update);
    system.addEventListener("change", update);
    return () => {
      removeEventListener(EVENT, update);
      system.removeEventListener("change", update);
    };
  }, []);
  return state;
}
