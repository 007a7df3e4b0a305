// How busy each device was as a whole, and why it was idle: in words, and as the way to the list of its gaps.
import { count, plural } from "../lib/format";
import { percent } from "../lib/profile";
import { useQuery } from "../lib/route";
import type { TraceDevice } from "./info";
import { CAUSES, type IdleCause, listOf } from "./marks";
import { spanText } from "./time";
import type { Viewer } from "./viewer";

const idleOf = ({ idle }: TraceDevice): number => Object.values(idle).reduce((sum, one) => sum + one, 0);

/** Of the time from its first slice to its last; null where that has no length. */
export const busyShare = ({ begin, end, busy }: TraceDevice): string | null =>
  end > begin ? percent(busy / (end - begin)) : null;

/** The same in words. */
export const busyWords = (device: TraceDevice): string => `busy ${busyShare(device) ?? "not known"}`;

/** All of what is known of a device, in lines. */
export function deviceTitle(device: TraceDevice): string {
  const causes = (Object.keys(CAUSES) as IdleCause[]).filter((cause) => device.idle[cause] > 0);
  return [
    `busy ${spanText(device.busy)} of ${spanText(device.end - device.begin)}, from its first slice to its last`,
    ...(device.gaps
      ? [`idle ${spanText(idleOf(device))} in ${plural(device.gaps, "gap")}:`]
      : ["never idle in between"]),
    ...causes.map((cause) => `${spanText(device.idle[cause])} ${CAUSES[cause]}`),
  ].join("\n");
}

/** More of them do not fit beside each other; the tracks have the others. */
const MOST_SHOWN = 8;

export const LIST_GAPS = "List the gaps, the longest first";

/** Opens the list of the gaps of devices. */
export function useGaps(viewer: Viewer): () => void {
  const [, setQuery] = useQuery();
  return () => {
    setQuery(listOf("device_idle"), true);
    viewer.setTab("marks");
  };
}

/** One button a device, which opens the list of its gaps, the longest first. */
export function Devices({ viewer }: { viewer: Viewer }) {
  const listGaps = useGaps(viewer);
  const all = viewer.sections.flatMap(({ title, device }) => (device ? [{ title, device }] : []));
  const more = viewer.info.devices.length - Math.min(all.length, MOST_SHOWN) + viewer.info.devicesLeftOut;
  return (
    <>
      {all.slice(0, MOST_SHOWN).map(({ title, device }) => {
        const words = `${title} ${busyWords(device)}${device.gaps ? `, idle ${spanText(idleOf(device))}` : ""}`;
        if (!device.gaps)
          return (
            <span key={device.device} class="quiet" title={deviceTitle(device)}>
              {words}
            </span>
          );
        return (
          <button
            type="button"
            class="chip"
            key={device.device}
            title={`${deviceTitle(device)}\n${LIST_GAPS}`}
            onClick={listGaps}
          >
            {words}
          </button>
        );
      })}
      {more > 0 && <span class="quiet">and {count(more)} more devices</span>}
    </>
  );
}
