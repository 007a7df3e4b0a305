import { Command } from "./small";
import { useTitle } from "../lib/hooks";

/** A store without runs says how to fill it. */
export function Empty({ rejected = 0 }: { rejected?: number }) {
  useTitle("Nothing here yet");
  return (
    <div class="empty">
      <h1>No run has been ingested yet.</h1>
      <p>Give benchhud what the benchmark runner wrote: a results.jsonl, its output directory, or a folder of dated files.</p>
      <Command text="benchhud ingest path/to/output" />
      <p>To look around first, the repository has 28 nights of real results:</p>
      <Command text="benchhud ingest samples/cpu_nightlies" />
      <p class="quiet">This page shows them as soon as they are in.</p>
      {rejected > 0 && (
        <p>
          Something was tried: <a href="/ingests">{rejected} lines were rejected</a>.
        </p>
      )}
    </div>
  );
}
