// A text of any size: its beginning, and more of it when asked.
import { useEffect, useRef, useState } from "preact/hooks";
import { BASE } from "../../api/address";
import { type ApiError, asApiError, askTextPiece } from "../../api/client";
import { bytes } from "../../lib/format";
import { ErrorNote, Waiting } from "../small";

/** Bytes that are shown at once: a few thousand lines, which a page lays out without a pause. */
const SLICE = 64 * 1024;
/** More than this on one page makes scrolling slow; the raw text is a click away. */
const MOST = 4 * 1024 * 1024;

export const rawUrl = (id: number): string => `${BASE}/artifacts/${id}/text`;
export const compilationTextUrl = (id: number, output: number): string =>
  `${BASE}/artifacts/${id}/compilation-text?output=${output}`;

/** `url`: of the whole text; `from`, `length`: which part of it, bytes. */
export function TextView({
  url,
  from = 0,
  length,
  label,
}: {
  url: string;
  from?: number;
  length: number;
  label: string;
}) {
  const [parts, setParts] = useState<string[]>([]);
  const [read, setRead] = useState(0);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const stop = useRef<AbortController | null>(null);

  const load = (already: number) => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    const wanted = Math.min(SLICE, length - already);
    setBusy(true);
    askTextPiece(url, from + already, Math.max(wanted, 1), controller.signal)
      .then((piece) => {
        setParts((old) => (already === 0 ? [piece] : [...old, piece]));
        setRead(already + wanted);
        setError(null);
        setBusy(false);
      })
      .catch((problem) => {
        if (controller.signal.aborted) return;
        setError(asApiError(problem, url));
        setBusy(false);
      });
  };
  useEffect(() => {
    load(0);
    return () => stop.current?.abort();
  }, [url, from, length]);

  if (error) return <ErrorNote error={error} again={() => load(read)} kept={parts.length > 0} />;
  if (!parts.length) return <Waiting rows={4} />;
  const more = read < length;
  return (
    <div class="text-view">
      <pre tabIndex={0} role="region" aria-label={label} aria-busy={busy}>
        {parts.map((part, index) => (
          <span key={index}>{part}</span>
        ))}
      </pre>
      <p class="quiet note">
        {more ? `${bytes(read)} of ${bytes(length)} shown. ` : `All ${bytes(read)} shown. `}
        {more && read < MOST && (
          <button type="button" class="button" disabled={busy} onClick={() => load(read)}>
            Show more
          </button>
        )}{" "}
        <a href={url} target="_blank" rel="noopener">
          whole text
        </a>
      </p>
    </div>
  );
}
