// A text of any size: its beginning, and more of it when asked.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, BASE, askTextSlice } from "../../api/client";
import { bytes } from "../../lib/format";
import { ErrorNote, Waiting } from "../small";

/** Bytes that are shown at once: a few thousand lines, which a page lays out without a pause. */
const SLICE = 64 * 1024;
/** More than this on one page makes scrolling slow; the raw text is a click away. */
const MOST = 4 * 1024 * 1024;

export const rawUrl = (id: number): string => `${BASE}/artifacts/${id}/text`;

/** `length`: how much there is from `from` on, bytes; null: to the end of the text. */
export function TextView({ id, from = 0, length = null, label }: { id: number; from?: number; length?: number | null; label: string }) {
  const [parts, setParts] = useState<string[]>([]);
  const [read, setRead] = useState(0);
  const [more, setMore] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const stop = useRef<AbortController | null>(null);

  const load = (already: number) => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    const wanted = length === null ? SLICE : Math.min(SLICE, length - already);
    setBusy(true);
    askTextSlice(rawUrl(id), from + already, wanted, controller.signal)
      .then((slice) => {
        setParts((old) => (already === 0 ? [slice.text] : [...old, slice.text]));
        setRead(already + slice.bytes);
        setMore(slice.bytes > 0 && slice.more && (length === null || already + slice.bytes < length));
        setError(null);
        setBusy(false);
      })
      .catch((problem) => {
        if (controller.signal.aborted) return;
        setError(problem instanceof ApiError ? problem : new ApiError({ title: "Something went wrong here", status: 0, detail: String(problem) }, rawUrl(id)));
        setBusy(false);
      });
  };
  useEffect(() => {
    load(0);
    return () => stop.current?.abort();
  }, [id, from, length]);

  if (error) return <ErrorNote error={error} again={() => load(read)} kept={parts.length > 0} />;
  if (!parts.length) return <Waiting rows={4} />;
  return (
    <div class="text-view">
      <pre tabIndex={0} role="region" aria-label={label} aria-busy={busy}>
        {parts.map((part, index) => (
          <span key={index}>{part}</span>
        ))}
      </pre>
      <p class="quiet note">
        {more ? `${bytes(read)}${length === null ? "" : ` of ${bytes(length)}`} shown. ` : `All ${bytes(read)} shown. `}
        {more && read < MOST && (
          <button type="button" class="button" disabled={busy} onClick={() => load(read)}>
            Show more
          </button>
        )}{" "}
        <a href={rawUrl(id)} target="_blank" rel="noopener">
          whole text
        </a>
      </p>
    </div>
  );
}
