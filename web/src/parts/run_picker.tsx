// One side of a comparison: accelerator, run (by search, by label, by slider), backend.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunRef } from "../api/types";
import { choiceText, labelChoices } from "../lib/compare";
import { date, runName, short } from "../lib/format";
import { useMenuPanel } from "../lib/hooks";
import { atOnce } from "../lib/modal";
import { matches } from "../lib/sort";
import { Select } from "./controls";
import { Labels, Missing, RunLink } from "./small";

type Choice = { value: string; text: string; more: string };

const MOST_LABELS = 40;
const MOST_SHOWN = 200;

type Props = {
  title: string;
  /** Which keys step through the runs. */
  keys: [string, string];
  /** As the address names it: an id, `latest`, `previous`, `branch:main`, … */
  asked: string;
  /** The run that it is; null while the answer is on its way. */
  run: RunRef | null;
  /** All runs of all accelerators, newest first. */
  runs: readonly RunRef[];
  /** Names that stand beside runs and labels: `latest`. */
  names: readonly Choice[];
  accelerators: readonly string[];
  backend: string;
  backends: readonly string[];
  onRun: (run: string, accelerator: string | null, replace?: boolean) => void;
  onBackend: (backend: string) => void;
};

export function RunPicker({
  title,
  keys,
  asked,
  run,
  runs,
  names,
  accelerators,
  backend,
  backends,
  onRun,
  onBackend,
}: Props) {
  const accelerator = run?.accelerator_model ?? "";
  const near = runs
    .filter((one) => one.accelerator_model === accelerator)
    .slice()
    .reverse();
  const place = near.findIndex((one) => one.id === run?.id);
  const step = (by: number) => {
    const next = near[place + by];
    if (place >= 0 && next) onRun(String(next.id), null);
  };
  const stepper = (by: -1 | 1, sign: string, words: string, key: string) => {
    const target = place < 0 ? undefined : near[place + by];
    return (
      <button
        type="button"
        class="button"
        disabled={!target}
        onClick={() => step(by)}
        title={target ? `${words}, ${runName(target)} (${key})` : `no ${words.toLowerCase()}`}
        aria-label={`${title}: ${words.toLowerCase()}`}
      >
        {sign}
      </button>
    );
  };
  return (
    <div class="side" role="group" aria-label={title}>
      <div class="side-row">
        <div class="field grows">
          <span aria-hidden="true">{title}</span>
          <div class="stepper">
            {stepper(-1, "‹", "Previous run", keys[0])}
            <RunMenu
              title={title}
              asked={asked}
              run={run}
              runs={runs}
              names={names}
              onPick={(value, of) => onRun(value, of)}
            />
            {stepper(1, "›", "Next run", keys[1])}
          </div>
        </div>
        <Select
          label="Backend"
          value={backend}
          options={[{ value: "", text: "all" }, ...backends.map((name) => ({ value: name, text: name }))]}
          onChange={onBackend}
        />
        {accelerators.length > 1 && (
          <Select
            label="Accelerator"
            value={accelerator}
            options={accelerators.map((name) => ({ value: name, text: name }))}
            onChange={(name) => onRun("latest", name)}
          />
        )}
      </div>
      {near.length > 1 && (
        <input
          type="range"
          class="run-slider"
          min={0}
          max={near.length - 1}
          value={Math.max(0, place)}
          aria-label={`${title}: run, oldest to newest`}
          aria-valuetext={run ? runName(run) : ""}
          title={`${near.length} runs from ${date((near[0] as RunRef).started_at)} to ${date((near[near.length - 1] as RunRef).started_at)}`}
          onInput={(event) => {
            const next = near[Number(event.currentTarget.value)];
            if (next) onRun(String(next.id), null, true);
          }}
        />
      )}
      <p class="note side-labels">
        {run ? <RunLink run={run} /> : <Missing why="on its way" />}
        {run && <Labels labels={run.labels} />}
      </p>
    </div>
  );
}

/** A button with the run's name; below it, when open, a field to search in and what it finds. */
function RunMenu({
  title,
  asked,
  run,
  runs,
  names,
  onPick,
}: {
  title: string;
  asked: string;
  run: RunRef | null;
  runs: readonly RunRef[];
  names: readonly Choice[];
  onPick: (value: string, accelerator: string | null) => void;
}) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const id = `runs-${title.toLowerCase()}`;

  useMenuPanel(box, open, () => setOpen(false));
  useLayoutEffect(() => {
    if (open) box.current?.querySelector("input")?.focus();
  }, [open]);

  const several = new Set(runs.map((one) => one.accelerator_model)).size > 1;
  const all: (Choice & { of: string | null })[] = !open
    ? []
    : [
        ...names.map((name) => ({ ...name, of: null })),
        ...labelChoices(runs, MOST_LABELS).map((label) => ({
          value: label.value,
          text: label.text,
          more: `newest: ${runName(label.newest)}`,
          of: null,
        })),
        ...runs.map((one) => ({
          value: String(one.id),
          text: runName(one),
          more: [
            several ? one.accelerator_model : "",
            ...Object.entries(one.labels).map(([key, value]) => `${key} ${short(value)}`),
          ]
            .filter(Boolean)
            .join(", "),
          of: one.accelerator_model,
        })),
      ];
  const found = text.trim() ? all.filter((one) => matches(text.trim(), `${one.text} ${one.more} ${one.value}`)) : all;
  const hits = found.slice(0, MOST_SHOWN);
  const close = () => {
    setOpen(false);
    setText("");
    setAt(0);
    box.current?.querySelector("button")?.focus();
  };
  const choose = (choice: (typeof hits)[number] | undefined) => {
    if (!choice) return;
    close();
    onPick(choice.value, choice.of === null || choice.of === run?.accelerator_model ? null : choice.of);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = (at + (event.key === "ArrowDown" ? 1 : hits.length - 1)) % Math.max(1, hits.length);
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(hits[at]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
  };
  return (
    <div class="menu run-menu" ref={box}>
      <button
        type="button"
        class="button"
        aria-haspopup="listbox"
        aria-expanded={open}
        onClick={() => atOnce(() => setOpen(!open))}
      >
        <span class="sr">{title}: run </span>
        <span class="clip">{choiceText(asked, run)}</span> <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="menu-panel">
          <input
            type="search"
            value={text}
            placeholder="date, name, label"
            aria-label={`${title}: search runs and labels`}
            role="combobox"
            aria-expanded={true}
            aria-controls={id}
            aria-autocomplete="list"
            aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
          <ul id={id} role="listbox" aria-label={`${title}: runs`}>
            {hits.map((choice, index) => (
              <li
                key={choice.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                onPointerDown={(event) => {
                  event.preventDefault();
                  choose(choice);
                }}
                onPointerMove={() => setAt(index)}
              >
                <span class="mono">{choice.text}</span> <span class="quiet">{choice.more}</span>
              </li>
            ))}
          </ul>
          {found.length === 0 && <p class="quiet note">No run and no label is called that.</p>}
          {found.length > hits.length && <p class="quiet note">and {found.length - hits.length} more</p>}
        </div>
      )}
    </div>
  );
}
