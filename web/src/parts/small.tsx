// The small parts that every page is made of.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import type { Estimate, Failure, Interval, RunRef, Verification } from "../api/types";
import { type Style, columnStyle } from "../lib/backends";
import { copyText } from "../lib/clipboard";
import { describe, sign } from "../lib/codes";
import {
  DASH,
  age,
  ago,
  digits,
  failureKind,
  flag,
  full,
  hoverText,
  interval as intervalText,
  localMoment,
  moment,
  runName,
  short,
  shown,
  type Unit,
} from "../lib/format";
import { axisExtent } from "../lib/plot";
import { linkOf, rangeOf, useLinks } from "../lib/links";
import { backendHref, errorHref, runHref, suiteHref } from "../lib/route";

/** A number in a table: aligned at its point, the whole number on hover. */
export function Num({
  value,
  factor = 1,
  suffix = "",
  title,
}: {
  value: number;
  factor?: number;
  suffix?: string;
  title?: string;
}) {
  const text = digits(value * factor);
  const point = text.indexOf(".");
  return (
    <span class="num" title={title ?? full(value)}>
      {point < 0 ? text : text.slice(0, point)}
      <span class="frac">
        {point < 0 ? "" : text.slice(point)}
        {suffix}
      </span>
    </span>
  );
}

/** A sentence in which dates, intervals and multiples are not torn apart at the end of a line. */
export function Sentence({ text }: { text: string }) {
  return (
    <>
      {text
        .split(/(\d{4}-\d\d-\d\d|\([^()]{1,24}\)|[\d.,]+(?: of [\d,]+|×| [µm]?s\b| %))/)
        .map((part, index) => (index % 2 ? <span class="whole">{part}</span> : part))}
    </>
  );
}

/** `flush`: in a column of whole numbers, whose last digit stands at the edge. */
export function Missing({ why, flush = false }: { why: string; flush?: boolean }) {
  return (
    <span class={`missing${flush ? " flush" : ""}`} title={hoverText(why)}>
      <span aria-hidden="true">{DASH}</span>
      <span class="sr">{hoverText(why)}</span>
    </span>
  );
}

export function estimateTitle(estimate: Estimate, unit: string): string {
  const parts = [`${full(estimate.value)}${unit ? " " + unit : ""}`];
  if (estimate.interval) {
    const { low, high, confidence } = estimate.interval;
    parts.push(`${(confidence * 100).toFixed(1)} % interval within the run: ${full(low)} to ${full(high)}`);
  } else parts.push("no interval");
  parts.push(`n = ${estimate.n}`, ...estimate.flags.map(flag));
  return parts.join("\n");
}

export function EstimateNum({ estimate, unit, unitName }: { estimate: Estimate; unit: Unit; unitName: string }) {
  return (
    <>
      <Num value={estimate.value} factor={unit.factor} title={estimateTitle(estimate, unitName)} />
      {estimate.flags.length > 0 && (
        <sup class="flag" title={estimate.flags.map(flag).join("; ")}>
          *
        </sup>
      )}
    </>
  );
}

/** A line in a colour and dash, then what it stands for: a link where it has a place to go to. */
export function Swatch({ style, to }: { style: Style; to?: string | undefined }) {
  const inside = (
    <>
      <svg class="swatch" width="20" height="8" aria-hidden="true">
        <line
          x1="0"
          y1="4"
          x2="20"
          y2="4"
          stroke={style.color}
          stroke-width="3"
          stroke-dasharray={style.dash.join(" ")}
        />
      </svg>
      <span class="mono">{style.name}</span>
    </>
  );
  return to ? (
    <a class="backend" href={to}>
      {inside}
    </a>
  ) : (
    <span class="backend">{inside}</span>
  );
}

export function Suite({ name, link = {} }: { name: string; link?: Parameters<typeof suiteHref>[1] }) {
  return (
    <a class="suite clip" href={suiteHref(name, link)} title={name}>
      {shown(name)}
    </a>
  );
}

/** An error without its addresses, numbers and paths, as a link to all failures that have it. */
export function Signature({ text }: { text: string }) {
  return (
    <a class="mono signature" href={errorHref(text)}>
      {shown(text)}
    </a>
  );
}

/** A line in the backend's colour and dash, then its name; with `link`, a link to its page with that query. */
export function Backend({
  name,
  backend = name,
  link,
}: {
  name: string;
  backend?: string;
  link?: Parameters<typeof backendHref>[1];
}) {
  return <Swatch style={{ ...columnStyle(name, backend), name }} to={link && backendHref(backend, link)} />;
}

export function CodeSign({
  code,
  stale = false,
  title,
  ageText,
}: {
  code: string;
  stale?: boolean;
  title?: string;
  ageText?: string;
}) {
  const { glyph, name } = sign(code);
  return (
    <span
      class={`sign sign-${name}${stale ? " stale" : ""}`}
      title={title ?? code}
      data-text={`${glyph} ${code}${stale ? ` (stale${ageText ? `, ${ageText}` : ""})` : ""}`}
    >
      <span class="sign-glyph" aria-hidden="true">
        {glyph}
      </span>
      {ageText && (
        <span class="sign-age" aria-hidden="true">
          {ageText}
        </span>
      )}
      <span class="sr">{title ?? code}</span>
    </span>
  );
}

export function VerificationSign({ verification, why }: { verification: Verification | null; why?: string }) {
  if (!verification) return <Missing why={why ?? "never verified"} />;
  const old =
    verification.stale && verification.age_seconds !== null
      ? age(verification.age_seconds).replace(" months", "mo").replace(" ", "")
      : undefined;
  return <CodeSign code={verification.code} stale={verification.stale} title={describe(verification)} ageText={old} />;
}

export function FailureNote({ failure }: { failure: Failure }) {
  return (
    <span
      class={`failure-note${failure.kind === "skipped" ? " skipped" : ""}`}
      title={hoverText(`${failure.signature}\n\n${failure.excerpt}`)}
    >
      {failureKind(failure.kind)}
    </span>
  );
}

export type Domain = { low: number; high: number };

/** A domain that all whiskers of a column share; on a logarithmic axis, with 1 in it. */
export function ratioDomain(items: readonly (Interval | { low: number; high: number } | null | undefined)[]): Domain {
  let low = 0.9;
  let high = 1.1;
  for (const item of items) {
    if (!item || !(item.low > 0)) continue;
    low = Math.min(low, item.low);
    high = Math.max(high, item.high);
  }
  return { low: Math.max(low, 1 / 8) / 1.03, high: Math.min(high, 8) * 1.03 };
}

/** A value with its interval against the rule at 1. */
export function Whisker({
  value,
  interval,
  domain,
  color,
  width = 72,
}: {
  value: number;
  interval: Interval | null;
  domain: Domain;
  color: string;
  width?: number;
}) {
  const scale = (ratio: number) => {
    const part =
      (Math.log(Math.max(ratio, 1e-9)) - Math.log(domain.low)) / (Math.log(domain.high) - Math.log(domain.low));
    return 3 + Math.min(1, Math.max(0, part)) * (width - 6);
  };
  return (
    <svg class="whisker" width={width} height="14" aria-hidden="true">
      <line class="rule" x1={scale(1)} y1="0" x2={scale(1)} y2="14" />
      {interval && (
        <line
          x1={scale(interval.low)}
          y1="7"
          x2={Math.max(scale(interval.high), scale(interval.low) + 1)}
          y2="7"
          stroke={color}
          stroke-width="2"
        />
      )}
      <circle cx={scale(value)} cy="7" r="3" fill={color} />
    </svg>
  );
}

export type SparkPoint = { value: number; low?: number | null; high?: number | null } | null;

/** A row's history: points in order, gaps where nothing was measured, the band where there is an interval. */
export function Spark({
  points,
  color,
  dash = [],
  width = 96,
  height = 20,
  label,
  floor,
}: {
  points: SparkPoint[];
  color: string;
  dash?: number[];
  width?: number;
  height?: number;
  label: string;
  floor?: Domain;
}) {
  const known = points.filter((point) => point !== null);
  if (known.length === 0) return <Missing why={`no history: ${label}`} />;
  const held = axisExtent(
    known.map(({ value, low = null, high = null }) => ({ value, low, high })),
    false,
  );
  let low = Math.min(floor?.low ?? Infinity, held?.low ?? Infinity);
  let high = Math.max(floor?.high ?? -Infinity, held?.high ?? -Infinity);
  if (!(high - low > Math.abs(high) * 1e-3)) {
    const middle = (low + high) / 2;
    low = middle - (Math.abs(middle) * 0.05 || 1);
    high = middle + (Math.abs(middle) * 0.05 || 1);
  }
  const x = (index: number) => 2 + (points.length === 1 ? width - 5 : (index / (points.length - 1)) * (width - 5));
  const y = (value: number) => 2.5 + (1 - (Math.min(high, Math.max(low, value)) - low) / (high - low)) * (height - 5);
  const lines: string[] = [];
  const bands: string[] = [];
  let start = -1;
  for (let index = 0; index <= points.length; ++index) {
    const point = points[index];
    if (point) {
      if (start < 0) start = index;
      continue;
    }
    if (start >= 0) {
      const span = points.slice(start, index) as NonNullable<SparkPoint>[];
      const from = start;
      lines.push(span.map((one, i) => `${i ? "L" : "M"}${x(from + i).toFixed(1)} ${y(one.value).toFixed(1)}`).join(""));
      if (span.some((one) => one.low != null)) {
        const top = span.map(
          (one, i) => `${i ? "L" : "M"}${x(from + i).toFixed(1)} ${y(one.high ?? one.value).toFixed(1)}`,
        );
        const bottom = span
          .map((one, i) => `L${x(from + i).toFixed(1)} ${y(one.low ?? one.value).toFixed(1)}`)
          .reverse();
        bands.push(top.concat(bottom).join("") + "Z");
      }
      start = -1;
    }
  }
  const lastIndex = points.reduce((last, point, index) => (point ? index : last), 0);
  const last = points[lastIndex] as NonNullable<SparkPoint>;
  return (
    <svg
      class="spark"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {bands.map((path) => (
        <path d={path} fill={color} opacity="0.18" />
      ))}
      {lines.map((path) => (
        <path
          d={path}
          fill="none"
          stroke={color}
          stroke-width="1.5"
          stroke-dasharray={dash.length ? "4 2" : undefined}
          stroke-linejoin="round"
          stroke-linecap={dash.length ? "butt" : "round"}
        />
      ))}
      <circle cx={x(lastIndex)} cy={y(last.value)} r="2" fill={color} />
    </svg>
  );
}

export function sparkLabel(what: string, points: SparkPoint[], show: (value: number) => string): string {
  const known = points.filter((point) => point !== null).map((point) => point.value);
  if (!known.length) return `${what}: nothing in the last ${points.length} runs`;
  return `${what}, last ${points.length} runs: from ${show(known[0] as number)} to ${show(known[known.length - 1] as number)}, lowest ${show(Math.min(...known))}, highest ${show(Math.max(...known))}`;
}

export function IntervalText({ interval, factor = 1 }: { interval: Interval | null; factor?: number }) {
  if (!interval) return null;
  return (
    <span
      class="interval"
      title={`${full(interval.low)} to ${full(interval.high)}, ${(interval.confidence * 100).toFixed(1)} %`}
    >
      [{intervalText(interval.low * factor, interval.high * factor)}]
    </span>
  );
}

export function Copy({ text, children, label }: { text: string; children?: ComponentChildren; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="copy mono" onClick={copy} title={hoverText(`Copy ${text}`)}>
      {children ?? text}
      <span class="sr">{label ?? ", copy"}</span>
      <span class="copy-state" aria-live="polite">
        {copied ? "copied" : ""}
      </span>
    </button>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text}>Copy</Copy>
    </div>
  );
}

/** A label's value, shortened where it is a commit: a link where the store has one for it, and to be copied. */
export function LabelValue({ name, value }: { name: string; value: string }) {
  const address = linkOf(useLinks(), name, value);
  if (!address) return <Copy text={value}>{short(value)}</Copy>;
  return (
    <>
      <a class="mono" href={address} target="_blank" rel="noopener noreferrer" title={`${value}\n${address}`}>
        {short(value)}
      </a>
      <Copy text={value} label={`copy ${name} ${short(value)}`}>
        <svg
          width="12"
          height="12"
          viewBox="0 0 16 16"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
        >
          <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
          <path d="M3.5 10.5h-1v-7a1 1 0 0 1 1-1h7v1" />
        </svg>
      </Copy>
    </>
  );
}

export function Labels({ labels }: { labels: Record<string, string> }) {
  const entries = Object.entries(labels);
  if (!entries.length) return null;
  return (
    <span class="labels">
      {entries.map(([key, value]) => (
        <span class="label" key={key}>
          <span class="quiet">{key}</span> <LabelValue name={key} value={value} />
        </span>
      ))}
    </span>
  );
}

/** A label's values in two runs, the earlier one first, and what is between them. */
export function LabelRange({
  name,
  before,
  after,
  whyNot = ["the earlier run has no such label", "the later run has no such label"],
}: {
  name: string;
  before: string | null;
  after: string | null;
  whyNot?: [string, string];
}) {
  const address = rangeOf(useLinks(), name, before ?? "", after ?? "");
  return (
    <span class="label-range">
      {before ? <LabelValue name={name} value={before} /> : <Missing flush why={whyNot[0]} />} →{" "}
      {after ? <LabelValue name={name} value={after} /> : <Missing flush why={whyNot[1]} />}
      {address && (
        <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
          what is between
        </a>
      )}
      {before && after && before !== after && (
        <Copy text={`${before}..${after}`} label=", copy the range">
          copy range
        </Copy>
      )}
    </span>
  );
}

export function Time({ at, now, withAge = true }: { at: string; now?: number; withAge?: boolean }) {
  return (
    <time dateTime={at} title={localMoment(at)}>
      {moment(at)}
      {withAge && now !== undefined && <span class="quiet"> {ago(at, now)}</span>}
    </time>
  );
}

export function RunLink({ run }: { run: RunRef }) {
  return (
    <a class="mono" href={runHref(run)} title={`${run.name}, ${localMoment(run.started_at)}`}>
      {runName(run)}
    </a>
  );
}

export function ErrorNote({ error, again, kept = false }: { error: ApiError; again?: () => void; kept?: boolean }) {
  const { status, title, detail } = error.problem;
  const todo =
    status === 0
      ? "Is benchhud serve still running? This page asks again by itself, and goes on when it answers."
      : status === 404
        ? "It may be gone, or be called otherwise now: search for it with /."
        : status === 503
          ? "It may pass: this page asks again by itself."
          : status >= 500
            ? "The program's own output says more. Nothing in the store was changed by looking."
            : "Change the address or the choices above.";
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      {status > 0 && <span class="quiet"> ({status})</span>}
      {detail && detail !== title && <p>{detail}</p>}
      <p class="quiet">
        {kept ? "What is shown is the last answer. " : ""}
        {todo}
      </p>
      {again && (
        <button type="button" class="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  );
}

export function Section({
  title,
  id,
  note,
  children,
  actions,
}: {
  title: ComponentChildren;
  id?: string;
  note?: ComponentChildren;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id} tabIndex={id ? -1 : undefined}>
          {title}
        </h2>
        {note && <p class="quiet note">{note}</p>}
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export function Waiting({ rows = 8 }: { rows?: number }) {
  return (
    <div class="waiting" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div class="bone" key={index} />
      ))}
    </div>
  );
}
