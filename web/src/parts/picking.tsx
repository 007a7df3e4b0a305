// Alerts that are selected in the list, to be acted on together.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Alert } from "../api/types";
import { count } from "../lib/format";
import { useMoreSign } from "../lib/hooks";
import { StateButtons } from "./triage";

export const rowLinks = (): HTMLAnchorElement[] => [
  ...document.querySelectorAll<HTMLAnchorElement>("main a[data-alert]"),
];
export const idOf = (link: HTMLElement | undefined): number => Number(link?.dataset["alert"] ?? 0);

export type Picking = {
  picked: ReadonlySet<number>;
  /** Selects one, or not any more; with `isRange` all from the one that was selected last to this one, as they are listed. */
  toggle: (id: number, isRange: boolean) => void;
  set: (ids: readonly number[], isOn: boolean) => void;
  clear: () => void;
  /** What is listed, by the table that lists it: nothing else can be selected. */
  listed: Map<string, readonly Alert[]>;
};

export function usePicking(): Picking {
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<number | null>(null);
  const { current: listed } = useRef(new Map<string, readonly Alert[]>());

  // Whatever is drawn: what is not listed any more, for a filter or because it moved on, would be acted on unseen.
  useEffect(() => {
    if (!picked.size) return;
    const known = new Set([...listed.values()].flat().map(({ id }) => id));
    const left = [...picked].filter((id) => known.has(id));
    if (left.length < picked.size) setPicked(new Set(left));
  });

  const set = (ids: readonly number[], isOn: boolean) =>
    setPicked((old) => {
      const next = new Set(old);
      for (const id of ids) isOn ? next.add(id) : next.delete(id);
      return next;
    });
  return {
    picked,
    set,
    clear: () => {
      last.current = null;
      setPicked(new Set());
    },
    toggle: (id, isRange) => {
      const order = rowLinks().map(idOf);
      const from = last.current === null ? -1 : order.indexOf(last.current);
      const to = order.indexOf(id);
      last.current = id;
      if (!isRange || from < 0 || to < 0) return set([id], !picked.has(id));
      set(order.slice(Math.min(from, to), Math.max(from, to) + 1), true);
    },
    listed,
  };
}

/** Those that are selected, in the order in which they are listed. */
export const pickedAlerts = ({ picked, listed }: Picking): Alert[] =>
  [...listed.values()].flat().filter(({ id }) => picked.has(id));

/** Says what a table lists, as long as it is there. */
export function useListed(picking: Picking | null, key: string, alerts: readonly Alert[]): void {
  useLayoutEffect(() => {
    picking?.listed.set(key, alerts);
    return () => void picking?.listed.delete(key);
  }, [picking?.listed, key, alerts]);
}

export function PickBox({ id, picking }: { id: number; picking: Picking }) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        aria-label={`Select alert ${id}`}
        title="Select (x); with Shift all up to here"
        checked={picking.picked.has(id)}
        onClick={(event) => picking.toggle(id, event.shiftKey)}
      />
    </label>
  );
}

/** Selects all of a group; half on where some are. */
export function PickAll({ title, alerts, picking }: { title: string; alerts: readonly Alert[]; picking: Picking }) {
  const on = alerts.filter(({ id }) => picking.picked.has(id)).length;
  const isAll = on > 0 && on === alerts.length;
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = on > 0 && !isAll;
  });
  return (
    <label class="pick">
      <input
        ref={box}
        type="checkbox"
        aria-label={`Select all ${count(alerts.length)} of “${title}”`}
        checked={isAll}
        onClick={() =>
          picking.set(
            alerts.map(({ id }) => id),
            !isAll,
          )
        }
      />
      <span class="narrow-word" aria-hidden="true">
        all {count(alerts.length)}
      </span>
    </label>
  );
}

/** What can be done with all that is selected, at the edge of the window. */
export function PickBar({
  picking,
  isBusy,
  onState,
  onAsk,
}: {
  picking: Picking;
  isBusy: boolean;
  onState: (state: string) => void;
  onAsk: (what: "owner" | "mute") => void;
}) {
  const buttons = useRef<HTMLDivElement>(null);
  useMoreSign(buttons);
  return (
    <aside class="pick-bar" aria-label="Selected alerts">
      <strong role="status">{count(picking.picked.size)} selected</strong>
      <div ref={buttons} class="pick-actions" role="group" aria-label="State, owner and mute of all that are selected">
        <div>
          <StateButtons isBusy={isBusy} onState={onState} />
          <button type="button" class="button" disabled={isBusy} onClick={() => onAsk("owner")}>
            Owner…
          </button>
          <button
            type="button"
            class="button"
            disabled={isBusy}
            title="Not hear of them until a day or a state (s)"
            onClick={() => onAsk("mute")}
          >
            Mute… <kbd aria-hidden="true">s</kbd>
          </button>
        </div>
      </div>
      <button type="button" class="button" onClick={picking.clear}>
        Clear <kbd aria-hidden="true">Esc</kbd>
      </button>
    </aside>
  );
}
