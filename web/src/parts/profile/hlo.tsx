// Modules of HLO that profiles hold: a list, and what is known of an instruction.
import { address } from "../../api/address";
import type { HloInstruction, HloModule } from "../../api/types";
import { useApi } from "../../api/use";
import { bytes, count, full, hoverText, plural, shown } from "../../lib/format";
import { hloHref } from "../../lib/route";
import { Copy, ErrorNote, Waiting } from "../small";
import { type Column, Table } from "../table";

/** The modules of a trace's profile; why there is none, where there is none. */
export function HloModules({ trace }: { trace: number }) {
  const { data, error, again } = useApi(address("/traces/{id}/hlo", { id: trace }));
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={3} />;
  if (data.absence !== null) return <p class="quiet">{data.absence}</p>;
  const columns: Column<HloModule>[] = [
    {
      key: "name",
      title: "Module",
      width: 320,
      sort: (one) => one.name,
      cell: (one) => (
        <a class="mono clip" title={hoverText(one.name)} href={hloHref(one.module, { trace: String(trace) })}>
          {shown(one.name)}
        </a>
      ),
    },
    {
      key: "program",
      title: "program",
      hint: "By which slices of this profile name it",
      width: 200,
      sort: (one) => one.program_id,
      cell: (one) => <span class="mono">{one.program_id}</span>,
    },
    {
      key: "text",
      title: "text",
      hint: "Bytes of its text",
      width: 96,
      align: "right",
      first: "desc",
      sort: (one) => one.byte_count,
      cell: (one) => (
        <span class="num" title={full(one.byte_count)}>
          {bytes(one.byte_count)}
        </span>
      ),
    },
  ];
  return (
    <>
      <Table
        caption="HLO modules of the profile"
        columns={columns}
        rows={data.modules}
        rowKey={(one) => `${one.module} ${one.program_id}`}
        rowHref={(one) => hloHref(one.module, { trace: String(trace) })}
        sortKey="hlos"
        orderWords="as the profile has them"
        empty="No module."
      />
      {data.llo_byte_count !== null && data.llo_byte_count > 0 && (
        <p class="quiet note">
          The profile holds {bytes(data.llo_byte_count)} of LLO, too: the TPU compiler's own format, which is not kept.
        </p>
      )}
    </>
  );
}

/** Where an instruction comes from, as members of a list of facts. */
export function HloSource({ instruction }: { instruction: HloInstruction }) {
  const { op_type, op_name, source_file, source_line, stack } = instruction;
  return (
    <>
      {op_name !== null && (
        <>
          <dt>Framework operation</dt>
          <dd class="mono">
            {op_type !== null && `${shown(op_type)} `}
            {shown(op_name)}
          </dd>
        </>
      )}
      {source_file !== null && (
        <>
          <dt>Source</dt>
          <dd class="mono">
            <Copy text={source_line === null ? source_file : `${source_file}:${source_line}`} />
          </dd>
        </>
      )}
      {stack.length > 1 && (
        <>
          <dt>Python stack</dt>
          <dd>
            <details class="nested">
              <summary>{plural(stack.length, "frame")}, innermost first</summary>
              <ol class="lines mono">
                {stack.map((frame, index) => (
                  <li key={index}>
                    {shown(frame.file)}
                    {frame.line !== null && `:${frame.line}`} <span class="quiet">{frame.function}</span>
                  </li>
                ))}
              </ol>
            </details>
          </dd>
        </>
      )}
    </>
  );
}

/** What is around an instruction, each name leading to its line. */
export function HloNeighbours({
  instruction,
  lineHref,
}: {
  instruction: HloInstruction;
  lineHref: (line: number) => string;
}) {
  const lists = [
    { title: "Operands", list: instruction.operands, all: instruction.operand_count },
    { title: "Users", list: instruction.users, all: instruction.user_count },
    { title: "Calls", list: instruction.called, all: instruction.called_count },
  ];
  return (
    <>
      {lists
        .filter(({ list }) => list.length > 0)
        .map(({ title, list, all }) => (
          <>
            <dt>{title}</dt>
            <dd>
              {list.map((one, index) => (
                <span key={one.name}>
                  {index > 0 && ", "}
                  {one.line === null ? (
                    <span class="mono quiet">{shown(one.name)}</span>
                  ) : (
                    <a class="mono" href={lineHref(one.line)}>
                      {shown(one.name)}
                    </a>
                  )}
                </span>
              ))}
              {all > list.length && list.length >= 50 && <span class="quiet"> and more, {count(all)} in all</span>}
            </dd>
          </>
        ))}
    </>
  );
}
