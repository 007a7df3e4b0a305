// A second trace below the first, on one axis: how much later its clock is, and by what they are laid over each other.
import { useEffect, useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import { ask } from "../api/client";
import { useApi } from "../api/use";
import { announce } from "../lib/announce";
import { go, useQuery } from "../lib/route";
import { Menu } from "../parts/controls";
import { ErrorNote, Waiting } from "../parts/small";
import { TraceCanvas } from "./canvas";
import { besideHref } from "./differences";
import { SecondHead } from "./head";
import { infoOf, traceUrl } from "./info";
import { Overview } from "./overview";
import { spanText } from "./time";
import { Viewer, useViewer } from "./viewer";

export type Beside = {
  second: Viewer | null;
  shift: number;
  error: ReturnType<typeof useApi>["error"];
  again: () => void;
  isWanted: boolean;
};

/** The trace that the address names beside `first`. */
export function useBeside(first: Viewer): Beside {
  const [query] = useQuery();
  const asked = query.get("with") ?? "";
  const id = /^\d{1,15}$/.test(asked) && Number(asked) !== first.info.id ? asked : null;
  const told = Number(query.get("by_shift") ?? "0");
  const shift = Number.isSafeInteger(told) ? told : 0;
  const { data, error, again } = useApi(id ? address("/traces/{id}", { id }) : null);
  const second = useMemo(() => (id && data ? new Viewer(infoOf(data)) : null), [id, data?.id, data?.key]);
  useEffect(() => (second ? () => second.stop() : undefined), [second]);
  useEffect(() => (second ? first.lead(second, shift) : undefined), [first, second, shift]);
  return { second, shift, error, again, isWanted: id !== null };
}

export function Second({ first, beside }: { first: Viewer; beside: Beside }) {
  const { second, shift, error, again, isWanted } = beside;
  if (!isWanted) return null;
  if (!second)
    return (
      <div class="trace-second-bar">{error ? <ErrorNote error={error} again={again} /> : <Waiting rows={2} />}</div>
    );
  return (
    <>
      <div class="trace-second-bar">
        <SecondHead info={second.info} />
        <Align first={first} second={second} shift={shift} />
        <button
          type="button"
          class="button"
          onClick={() => go(besideHref(second.info.id, first.info.id, -shift))}
          title="Before and after, the other way round"
        >
          <span aria-hidden="true">⇄</span> Swap
        </button>
      </div>
      <Overview viewer={second} hasAxis={false} />
      <TraceCanvas viewer={second} />
    </>
  );
}

async function firstStep({ info }: Viewer): Promise<number | null> {
  const { data } = await ask(traceUrl(info, "next", { q: "ProfilerStep#", from: 0 }));
  return data.slice?.begin ?? null;
}

function Align({ first, second, shift }: { first: Viewer; second: Viewer; shift: number }) {
  const [, setQuery] = useQuery();
  const one = useViewer(first, (viewer) => viewer.focus);
  const other = useViewer(second, (viewer) => viewer.focus);
  const [isLooking, setLooking] = useState(false);
  const lay = (by: number) => setQuery({ by_shift: by ? String(Math.round(by)) : null }, true);
  const bySteps = async (): Promise<void> => {
    setLooking(true);
    try {
      const [a, b] = await Promise.all([firstStep(first), firstStep(second)]);
      if (a === null || b === null) announce("Not both of them have steps of the profiler");
      else lay(b - a);
    } catch {
      announce("The steps could not be looked for");
    } finally {
      setLooking(false);
    }
  };
  return (
    <Menu
      label={
        shift
          ? `Below begins ${spanText(Math.abs(shift))} ${shift > 0 ? "earlier" : "later"}`
          : "Both from their beginning"
      }
    >
      {(close) => (
        <div class="trace-menu">
          <button type="button" class="button" onClick={() => (lay(0), close())}>
            By their beginning
          </button>
          <button type="button" class="button" disabled={isLooking} onClick={() => void bySteps().then(close)}>
            By their first step
          </button>
          <button
            type="button"
            class="button"
            disabled={!one || !other}
            title="Select a slice above and one below"
            onClick={() => one && other && (lay(other.begin - one.begin), close())}
          >
            By the two selected slices
          </button>
        </div>
      )}
    </Menu>
  );
}
