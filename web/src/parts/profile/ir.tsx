// Compiled graphs: how large each is, of which operations, fusions and contractions, and its text on demand.
import { useMemo, useState } from "preact/hooks";
import type { Artifact, IrModule } from "../../api/types";
import { bytes, count, full, hoverText, plural, shown } from "../../lib/format";
import { ofKind, isReadable, percent, whichDump } from "../../lib/profile";
import { useQuery } from "../../lib/route";
import { matches } from "../../lib/sort";
import { FilterField, Select } from "../controls";
import { PlainTable } from "../plain_table";
import { Copy, Missing } from "../small";
import { type Column, Table } from "../table";
import { Name, ShareBar, WithContent } from "./bits";
import { TextView, rawUrl } from "./text";

type Row = { module: IrModule; index: number };

const sum = (counts: readonly { count: number }[]): number => counts.reduce((all, one) => all + one.count, 0);

export function IrDumps({ artifacts, repetition }: { artifacts: Artifact[]; repetition: number | null }) {
  const [query, setQuery] = useQuery();
  const files = ofKind(artifacts, "ir").filter(isReadable);
  const asked = query.get("irfile");
  const chosen =
    files.find((one) => String(one.id) === asked) ?? files.find((one) => one.repetition === repetition) ?? files[0];
  if (!chosen) return <p class="quiet">No IR dump of this result could be read.</p>;
  return (
    <>
      {files.length > 1 && (
        <div class="toolbar">
          <Select
            label="Dump"
            value={String(chosen.id)}
            options={files.map((one) => ({
              value: String(one.id),
              text: `${one.name.split("/").pop() ?? one.name} (${whichDump(one)})`,
            }))}
            onChange={(value) => setQuery({ irfile: value, module: null })}
            wide
          />
        </div>
      )}
      <WithContent artifact={chosen} key={chosen.id}>
        {(content) =>
          content.ir_modules?.length ? (
            <Modules artifact={chosen} modules={content.ir_modules} />
          ) : (
            <p class="quiet">No module was found in this text.</p>
          )
        }
      </WithContent>
    </>
  );
}

export function Modules({ artifact, modules }: { artifact: Artifact; modules: IrModule[] }) {
  const [query, setQuery] = useQuery();
  const filter = query.get("irq") ?? "";
  const asked = Number(query.get("module") ?? (modules.length === 1 ? 0 : NaN));
  const chosen = modules[asked];
  const all = useMemo<Row[]>(() => modules.map((module, index) => ({ module, index })), [modules]);
  const rows = useMemo(
    () =>
      all.filter(
        ({ module }) =>
          !filter || matches(filter, `${module.name} ${module.dialect} ${module.ops.map((op) => op.name).join(" ")}`),
      ),
    [all, filter],
  );
  const number = (
    key: string,
    title: string,
    hint: string,
    width: number,
    pick: (module: IrModule) => number | null,
    show: (value: number) => string = count,
  ): Column<Row> => ({
    key,
    title,
    hint,
    width,
    align: "right",
    first: "desc",
    sort: ({ module }) => pick(module),
    cell: ({ module }) => {
      const value = pick(module);
      return value === null ? (
        <Missing flush why="a type does not tell how large it is" />
      ) : (
        <span class="num" title={full(value)}>
          {show(value)}
        </span>
      );
    },
  });
  const columns: Column<Row>[] = [
    {
      key: "name",
      title: "Module",
      width: 300,
      sort: ({ module }) => module.name,
      cell: ({ module, index }) => (
        <button
          type="button"
          class="link mono clip"
          title={hoverText(module.name)}
          onClick={() => setQuery({ module: String(index) })}
        >
          {shown(module.name)}
        </button>
      ),
    },
    {
      key: "dialect",
      title: "dialect",
      width: 96,
      sort: ({ module }) => module.dialect,
      cell: ({ module }) => (
        <>
          {module.dialect}
          {module.unfinished && (
            <span class="warn" title="The text ends within it">
              {" "}
              …
            </span>
          )}
        </>
      ),
    },
    number("ops", "instructions", "Of all its computations", 108, (module) => module.instruction_count),
    number(
      "computations",
      "computations",
      "Functions of the module, the fused ones included",
      112,
      (module) => module.computation_count,
    ),
    number("fusions", "fusions", "Instructions that were fused into one", 84, (module) => sum(module.fusion_kinds)),
    number("contractions", "contractions", "Convolutions and matrix products", 108, (module) =>
      sum(module.contractions),
    ),
    number("custom", "custom calls", "Calls of a library or of the host", 108, (module) => sum(module.custom_calls)),
    number("parameters", "parameters", "What it is given", 100, (module) => module.parameters.length),
    number("size", "of parameters", "Bytes of all parameters together", 116, (module) => module.parameter_bytes, bytes),
    number("text", "text", "Bytes of its text", 88, (module) => module.length, bytes),
  ];
  return (
    <>
      {modules.length > 8 && (
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ irq: value || null }, true)}
            shown={rows.length}
            all={modules.length}
            what="modules"
            label="Filter by name or operation"
          />
        </div>
      )}
      <Table
        caption="Compiled graphs"
        columns={columns}
        rows={rows}
        rowKey={({ index }) => String(index)}
        onOpen={({ index }) => setQuery({ module: String(index) })}
        current={chosen ? String(asked) : null}
        sortKey="irs"
        orderWords="as the file has them"
        empty="No module matches."
      />
      {chosen ? (
        <ModuleDetail
          key={`${artifact.id} ${asked}`}
          artifact={artifact}
          module={chosen}
          onClose={modules.length > 1 ? () => setQuery({ module: null }) : undefined}
        />
      ) : (
        <p class="quiet note">Open a module for its operations, shapes and text.</p>
      )}
    </>
  );
}

const FIRST_OPS = 16;
/** Longer lists make the page slow; the text has them all. */
const MOST_OPS = 1000;

/** What the button of a list promises: never more than it shows. */
export const moreWords = (n: number, most = MOST_OPS): string =>
  n > most ? `the first ${count(most)} of ${count(n)}` : `all ${count(n)}`;

function Histogram({
  title,
  note,
  rows,
  whole,
}: {
  title: string;
  note?: string;
  rows: { name: string; count: number }[];
  whole?: number;
}) {
  const [all, setAll] = useState(false);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => row.count));
  const list = all ? rows.slice(0, MOST_OPS) : rows.slice(0, FIRST_OPS);
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="quiet note">{note ?? plural(rows.length, "kind")}</span>
      </h3>
      <table class="plain histogram">
        <caption class="sr">{title}</caption>
        <tbody>
          {list.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <Name text={row.name} />
              </th>
              <td>
                <ShareBar share={row.count / most} width={96} />
              </td>
              <td class="right" title={whole ? percent(row.count / whole) : undefined}>
                {count(row.count)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > FIRST_OPS && (
        <button type="button" class="link note" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fewer" : moreWords(rows.length)}
        </button>
      )}
    </section>
  );
}

/** What is in a module, beside its text. */
export function ModuleContent({ module }: { module: IrModule }) {
  return (
    <>
      {module.unfinished && <p class="warn">The text ends within this module: what follows is of its beginning.</p>}
      <div class="ir-grid">
        <Histogram
          title="Operations"
          note={`${plural(module.instruction_count, "instruction")} of ${plural(module.ops.length, "kind")}`}
          rows={module.ops}
          whole={module.instruction_count}
        />
        <div>
          <Histogram title="Fusions" rows={module.fusion_kinds} />
          <Histogram title="Custom calls" rows={module.custom_calls} />
          <Values title="Parameters" rows={module.parameters} />
          <Values title="Results" rows={module.results} />
        </div>
      </div>
      {module.contractions.length > 0 && (
        <PlainTable
          caption="Convolutions and matrix products"
          heads={[
            { title: "contraction" },
            { title: "operands" },
            { title: "result" },
            { title: "dimensions" },
            { title: "count", right: true },
          ]}
        >
          <tbody>
            {module.contractions.slice(0, 300).map((row, index) => (
              <tr key={index}>
                <th scope="row" class="mono">
                  {row.op}
                </th>
                <td class="mono">{row.operands.join(" × ")}</td>
                <td class="mono">{row.result}</td>
                <td class="quiet">
                  <span class="mono clip dims" title={hoverText(row.dimensions)}>
                    {row.dimensions}
                  </span>
                </td>
                <td class="right">{count(row.count)}</td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
      {module.contractions.length > 300 && <p class="quiet note">and {count(module.contractions.length - 300)} more</p>}
      {module.entry_layout && (
        <details class="nested">
          <summary>Entry layout</summary>
          <p class="mono wrap">
            {module.entry_layout.length > 20000 ? module.entry_layout.slice(0, 20000) + "…" : module.entry_layout}
          </p>
        </details>
      )}
      {module.stack.length > 0 && (
        <details class="nested">
          <summary>
            Where the graph was cut <span class="quiet">{plural(module.stack.length, "frame")} of Python</span>
          </summary>
          <ol class="lines mono">
            {module.stack.slice(0, 200).map((frame, index) => (
              <li key={index}>{frame}</li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function ModuleDetail({
  artifact,
  module,
  onClose,
}: {
  artifact: Artifact;
  module: IrModule;
  onClose?: (() => void) | undefined;
}) {
  const [text, setText] = useState(false);
  return (
    <section class="panel" aria-label={`Module ${shown(module.name)}`}>
      <div class="panel-head">
        <h3>
          <Copy text={module.name}>{shown(module.name)}</Copy>{" "}
          <span class="quiet note">
            {module.dialect}, line {count(module.line)}, {bytes(module.length)}
            {module.parameter_bytes !== null ? `; parameters of ${bytes(module.parameter_bytes)}` : ""}
          </span>
        </h3>
        {onClose && (
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      <ModuleContent module={module} />
      {artifact.has_text &&
        (text ? (
          <TextView
            url={rawUrl(artifact.id)}
            from={module.offset}
            length={module.length}
            label={`Text of ${shown(module.name)}`}
          />
        ) : (
          <button type="button" class="button show-text" onClick={() => setText(true)}>
            Show its text
          </button>
        ))}
    </section>
  );
}

function Values({ title, rows }: { title: string; rows: { name: string; type: string }[] }) {
  if (!rows.length) return null;
  return (
    <details class="nested" open={rows.length <= 8}>
      <summary>
        {title} <span class="quiet">{count(rows.length)}</span>
      </summary>
      <ul class="lines mono values">
        {rows.slice(0, 500).map((row, index) => (
          <li key={index}>
            {row.name && <span class="quiet">{row.name}: </span>}
            {row.type}
          </li>
        ))}
        {rows.length > 500 && <li class="quiet">and {count(rows.length - 500)} more</li>}
      </ul>
    </details>
  );
}
