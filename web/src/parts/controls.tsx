// Choices: each is labelled, small, and kept in the address.
import { Component, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { asApiError, askCsv } from "../api/client";
import { type Listed, PER_PAGE } from "../api/pages";
import type { Page, RunRef } from "../api/types";
import { announce } from "../lib/announce";
import { saveCsv } from "../lib/download";
import { count, runName } from "../lib/format";
import { useMenuPanel, usePlainKeys } from "../lib/hooks";
import { atOnce } from "../lib/modal";
import { copyMarkdown } from "../lib/page_markdown";
import { ErrorNote } from "./small";

export type Option = { value: string; text: string };

/** All runs that are loaded, and the one that is shown. */
export function runChoices(runs: readonly RunRef[] | undefined, shownRun?: RunRef): Option[] {
  const all = runs ?? [];
  const listed = shownRun && !all.some((run) => run.id === shownRun.id) ? [shownRun, ...all] : all;
  return listed.map((run) => ({ value: String(run.id), text: runName(run) }));
}

/** Options of a select element. A list of all runs has a thousand: nothing is done for the list that is there already. */
export class Options extends Component<{ options: readonly Option[] }> {
  override shouldComponentUpdate(next: { options: readonly Option[] }) {
    return next.options !== this.props.options;
  }
  override render({ options }: { options: readonly Option[] }) {
    return options.map((option) => (
      <option value={option.value} key={option.value}>
        {option.text}
      </option>
    ));
  }
}

export function Select({
  label,
  value,
  options,
  onChange,
  wide = false,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
  wide?: boolean;
}) {
  const known = options.some((option) => option.value === value);
  return (
    <label class={`field${wide ? " wide" : ""}`}>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {!known && <option value={value}>{value}</option>}
        <Options options={options} />
      </select>
    </label>
  );
}

/** One of a few, all of them in sight. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: Option[];
  onChange: (value: string) => void;
}) {
  return (
    <div class="field" role="group" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      <div class="choice">
        {options.map((option) => (
          <button
            type="button"
            key={option.value}
            aria-pressed={option.value === value}
            onClick={() => onChange(option.value)}
          >
            {option.text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Any of a few. */
export function Toggles({
  label,
  on,
  options,
  onChange,
}: {
  label: string;
  on: string[];
  options: Option[];
  onChange: (on: string[]) => void;
}) {
  return (
    <div class="field" role="group" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      <div class="choice many">
        {options.map((option) => {
          const pressed = on.includes(option.value);
          return (
            <button
              type="button"
              key={option.value}
              aria-pressed={pressed}
              onClick={() => onChange(pressed ? on.filter((one) => one !== option.value) : [...on, option.value])}
            >
              {option.text}
            </button>
          );
        })}
      </div>
    </div>
  );
}

export function Check({
  label,
  checked,
  onChange,
  title,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  title?: string;
}) {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** Filters as one types; `f` jumps here, Escape empties and leaves. `all` of `total` are loaded, and can be looked through. */
export function FilterField({
  value,
  onChange,
  label = "Filter",
  shown,
  all,
  total = all,
  what,
}: {
  value: string;
  onChange: (value: string) => void;
  label?: string;
  shown: number;
  all: number;
  total?: number;
  what: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  usePlainKeys((event) => {
    if (event.key !== "f") return;
    event.preventDefault();
    input.current?.focus();
    input.current?.select();
  });
  return (
    <label class="field filter">
      <span>{label}</span>
      <input
        ref={input}
        type="search"
        value={value}
        placeholder="words"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          onChange("");
          event.currentTarget.blur();
        }}
      />
      <span class="shown quiet" role="status">
        {shown === total
          ? all === 1
            ? `1 ${what.replace(/s$/, "")}`
            : `${count(all)} ${what}`
          : `${count(shown)} of ${count(all)} ${what}`}
        {total > all && ` loaded, ${count(total)} in all`}
      </span>
    </label>
  );
}

/** The end of a list of which more can be had: how much of it is shown, and a button for the next piece. */
export function More({ list, what }: { list: Listed<Page<unknown>>; what: string }) {
  const { data, error } = list;
  if (!data || (list.isComplete && !error)) return null;
  return (
    <>
      <p class="quiet">
        {count(data.items.length)} of {count(data.total)} {what}{" "}
        {list.isLoading && !error ? (
          "…"
        ) : (
          <button type="button" class="button" disabled={!list.more} onClick={() => list.more?.()}>
            {count(Math.min(PER_PAGE, data.total - data.items.length))} more
          </button>
        )}
      </p>
      {error && <ErrorNote error={error} again={list.again} kept />}
    </>
  );
}

/** A button that opens a small panel; Escape or a click elsewhere closes it, and what is in it may. */
export function Menu({
  label,
  children,
}: {
  label: ComponentChildren;
  children: ComponentChildren | ((close: () => void) => ComponentChildren);
}) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useMenuPanel(box, open, () => setOpen(false));
  // There as soon as the panel is: Escape may be the next key.
  useLayoutEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
      // It is what the key was for: nothing that the page has chosen goes with it.
      event.preventDefault();
      close();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  return (
    <div class="menu" ref={box}>
      <button type="button" class="button" aria-expanded={open} onClick={() => atOnce(() => setOpen(!open))}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      {open && <div class="menu-panel">{typeof children === "function" ? children(close) : children}</div>}
    </div>
  );
}

/** A table as a file: in full precision as CSV, or as it is seen as Markdown. `list`: the server gives it in pieces. */
export function CsvLink({ href, name, list = false }: { href: string; name: string; list?: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const saveAll = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      saveCsv(name, await askCsv(href));
    } catch (error) {
      announce(`The table could not be exported: ${asApiError(error, href).message}`);
    }
    setBusy(false);
  };
  return (
    <span class="take-along">
      <a
        class="button"
        href={href}
        download={name}
        data-export
        aria-busy={isBusy}
        onClick={list ? saveAll : undefined}
        title="The same rows in full precision, as CSV (e)"
      >
        CSV
      </a>
      <MarkdownButton />
    </span>
  );
}

/** A table that only the page has, as a file; `isLate`: rows are still on their way, so not yet. */
export function CsvButton({ name, make, isLate = false }: { name: string; make: () => string; isLate?: boolean }) {
  return (
    <span class="take-along">
      <button
        type="button"
        class="button"
        disabled={isLate}
        title={isLate ? "When all rows have come, as CSV" : "The same rows in full precision, as CSV"}
        onClick={() => saveCsv(name, [make()])}
      >
        CSV
      </button>
    </span>
  );
}

/** Copies the section that it stands in, or the page where it stands in none. */
export function MarkdownButton() {
  return (
    <button
      type="button"
      class="button"
      onClick={(event) => void copyMarkdown(event.currentTarget)}
      title="Copy what is seen here as Markdown, for an issue (m: the whole page)"
    >
      Markdown
    </button>
  );
}
