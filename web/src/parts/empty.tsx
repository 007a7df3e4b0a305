import { address } from "../api/address";
import { useApi } from "../api/use";
import { Command } from "./small";
import { useTitle } from "../lib/hooks";

/** What a command needs to find this store: nothing where it is the default one. */
export function useDbOption(): string {
  const store = useApi(address("/store")).data;
  return store && !store.is_default ? "--db STORE " : "";
}

export function WhatIsStore() {
  return (
    <p>
      STORE is the file that this server was started with: <code>benchhud serve --db STORE</code>.
    </p>
  );
}

/** A store without runs says how to fill it. */
export function Empty({ rejected = 0 }: { rejected?: number }) {
  useTitle("Nothing here yet");
  const db = useDbOption();
  return (
    <div class="empty">
      <h1>No run has been ingested yet.</h1>
      <p>
        Give benchhud what the benchmark runner wrote: a results.jsonl, its output directory, or a folder of dated
        files.
      </p>
      <Command text={`benchhud ingest ${db}path/to/output`} />
      <p>To look around first, the repository has 28 nights of real results:</p>
      <Command text={`benchhud ingest ${db}samples/cpu_nightlies`} />
      {db && <WhatIsStore />}
      <p class="quiet">This page shows them as soon as they are in.</p>
      {rejected > 0 && (
        <p>
          Something was tried: <a href="/ingests">{rejected} lines were rejected</a>.
        </p>
      )}
    </div>
  );
}
