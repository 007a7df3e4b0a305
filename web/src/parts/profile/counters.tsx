// TorchDynamo's counters, repetition beside repetition: what was captured, why graphs broke, what the caches did.
import type { ArtifactContent, DynamoCounterGroup } from "../../api/types";
import { count, hoverText, plural } from "../../lib/format";
import { countersSideBySide, unquoted, whichDump } from "../../lib/profile";
import { PlainTable } from "../plain_table";
import { Missing } from "../small";
import { Name } from "./bits";

const GROUPS: Record<string, string> = {
  frames: "functions that Dynamo looked at, and those that it could compile",
  stats: "graphs that were captured, and the operations in them",
  graph_break: "why capturing stopped within a function, and how often",
  unimplemented: "what Dynamo does not know how to capture",
  inline_call: "calls that could not be inlined",
  aot_autograd: "graphs that AOTAutograd took apart into forward and backward",
  inductor: "what Inductor did with the graphs",
  recompiles: "functions that were captured again, because what had been compiled did not fit any more",
};

type Row = { name: string; values: (number | null)[] };

/** The groups of all dumps in the order in which they come, each with its rows, those of caches apart. */
export function groupsSideBySide(
  dumps: readonly DynamoCounterGroup[][],
): { group: string; own: Row[]; caches: Row[] }[] {
  const names = [...new Set(dumps.flatMap((groups) => groups.map((one) => one.group)))];
  return names.map((group) => {
    const counters = dumps.map((groups) => groups.find((one) => one.group === group)?.counters ?? []);
    const ofCaches = new Set(counters.flatMap((list) => list.filter((one) => one.of_cache).map((one) => one.name)));
    const rows = countersSideBySide(counters);
    return {
      group,
      own: rows.filter((row) => !ofCaches.has(row.name)),
      caches: rows.filter((row) => ofCaches.has(row.name)),
    };
  });
}

export type CounterRow = Row & {
  /** What one has to know of it: said behind its name, or by its colour. */
  note?: string;
  tone?: "worse";
};

export function CounterTable({
  caption,
  heads,
  rows,
  mono = true,
}: {
  caption: string;
  heads: string[];
  rows: CounterRow[];
  mono?: boolean;
}) {
  return (
    <PlainTable
      caption={caption}
      class="counters"
      heads={[{ title: "counter" }, ...heads.map((head) => ({ title: head, right: true }))]}
    >
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th
              scope="row"
              class={`wrap${mono ? " mono" : ""}${row.tone ? ` ${row.tone}` : ""}`}
              title={hoverText(row.name)}
            >
              {unquoted(row.name)}
              {row.note && <span class="quiet"> {row.note}</span>}
            </th>
            {row.values.map((value, index) => (
              <td class="right" key={index}>
                {value === null ? (
                  <Missing flush why={`absent in ${heads[index]}: nothing of the kind happened`} />
                ) : (
                  <span class="num">{count(value)}</span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

/** `contents`: counter dumps in the order of their repetitions. */
export function Counters({ contents }: { contents: ArtifactContent[] }) {
  const known = contents.filter((one) => one.dynamo_counters !== null);
  const heads = known.map((one) => whichDump(one.artifact));
  const split = groupsSideBySide(known.map((one) => one.dynamo_counters ?? []));
  const caches = split.flatMap(({ group, caches }) => caches.map((row) => ({ ...row, name: `${group}: ${row.name}` })));
  const filled = split.filter((one) => one.own.length > 0);
  const empty = split.filter((one) => !one.own.length && !one.caches.length).map((one) => one.group);
  if (!filled.length && !caches.length) {
    return (
      <p class="quiet">
        Every counter is empty in {plural(known.length, "repetition")}: nothing was captured while they were counted.
      </p>
    );
  }
  return (
    <>
      <div class="counter-groups">
        {filled.map(({ group, own }) => (
          <section key={group} aria-label={group}>
            <h3>
              <Name text={group} /> <span class="quiet note">{GROUPS[group] ?? ""}</span>
            </h3>
            <CounterTable
              caption={`Counters of ${group}`}
              heads={heads}
              rows={own}
              mono={group !== "graph_break" && group !== "unimplemented"}
            />
          </section>
        ))}
        {caches.length > 0 && (
          <section aria-label="Caches" class="caches">
            <h3>
              Caches{" "}
              <span class="quiet note">they follow what ran before on the machine, and say nothing of the model</span>
            </h3>
            <CounterTable caption="Counters of caches" heads={heads} rows={caches} />
          </section>
        )}
      </div>
      {empty.length > 0 && (
        <p class="quiet note">
          Empty: <span class="mono">{empty.join(", ")}</span>.
        </p>
      )}
    </>
  );
}
