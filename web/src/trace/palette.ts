// The fills of slices: eight hues in three lightnesses, so that neighbours differ without colour too. What a fill means
// nothing hangs on: names are written wherever there is room for them.

export type Theme = "light" | "dark";
export const STYLES = 24;
/** What has no name yet. */
export const UNNAMED = STYLES;

/** Angles of Okabe and Ito's colours in OKLCH, and how much colour is left of them on a large surface. */
const HUES: [angle: number, chroma: number][] = [
  [245, 0.085],
  [50, 0.095],
  [165, 0.085],
  [350, 0.085],
  [85, 0.1],
  [222, 0.07],
  [305, 0.08],
  [260, 0.012],
];
const LIGHTNESS: Record<Theme, [number, number, number]> = { light: [0.885, 0.8, 0.71], dark: [0.35, 0.44, 0.53] };

function channel(linear: number): number {
  const bounded = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055));
}

/** OKLCH as Björn Ottosson defines it, in the bytes of sRGB. */
function rgb(lightness: number, chroma: number, angle: number): [number, number, number] {
  const a = chroma * Math.cos((angle * Math.PI) / 180);
  const b = chroma * Math.sin((angle * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const hex = (bytes: number[]): string => "#" + bytes.map((one) => one.toString(16).padStart(2, "0")).join("");

export type Fill = {
  color: string;
  /** Of what stands on it. */
  text: string;
};

const TEXT: Record<Theme, string> = { light: "#14181d", dark: "#f4f6f8" };

function fill(bytes: number[], theme: Theme): Fill {
  return { color: hex(bytes), text: TEXT[theme] };
}

function fillsOf(theme: Theme): Fill[] {
  const fills = LIGHTNESS[theme].flatMap((lightness) =>
    HUES.map(([angle, chroma]) => fill(rgb(lightness, chroma, angle), theme)),
  );
  return [...fills, fill(theme === "light" ? [226, 230, 235] : [52, 58, 65], theme)];
}

/** By style; the last one is of what has no name yet. */
export const FILLS: Record<Theme, Fill[]> = { light: fillsOf("light"), dark: fillsOf("dark") };

export type Ink = {
  ground: string;
  band: string;
  head: string;
  line: string;
  strong: string;
  text: string;
  quiet: string;
  focus: string;
  veil: string;
  mark: string;
  hatch: string;
  hit: string;
  arrow: string;
  /** Text on `focus` or `hit`. */
  filled: string;
};

/** The rest of what is drawn: styles/base.css, which a canvas does not read. */
export const INK: Record<Theme, Ink> = {
  light: {
    ground: "#ffffff",
    band: "#f6f7f9",
    head: "#eceff2",
    line: "#e7eaee",
    strong: "#c5ccd4",
    text: "#1b1f24",
    quiet: "#5b6570",
    focus: "#0072b2",
    veil: "rgb(255 255 255 / 62%)",
    mark: "rgb(0 114 178 / 12%)",
    hatch: "#aab3bc",
    hit: "#b3450a",
    arrow: "#39424c",
    filled: "#ffffff",
  },
  dark: {
    ground: "#14171a",
    band: "#1a1e22",
    head: "#22272c",
    line: "#24292f",
    strong: "#3d454d",
    text: "#e6e9ec",
    quiet: "#9aa4ae",
    focus: "#56b4e9",
    veil: "rgb(20 23 26 / 62%)",
    mark: "rgb(86 180 233 / 16%)",
    hatch: "#5a646e",
    hit: "#ffb27a",
    arrow: "#cfd6dd",
    filled: "#0d1114",
  },
};
