// The instruction of HLO that the chosen slice executes.
import { address } from "../api/address";
import { useApi } from "../api/use";
import { hloQuestion } from "../lib/hlo";
import { hloHref } from "../lib/route";
import { shown } from "../lib/format";
import { HloSource } from "../parts/profile/hlo";
import type { Slice } from "./slice";
import type { Viewer } from "./viewer";

export function HloOfSliceFacts({ viewer, slice }: { viewer: Viewer; slice: Slice }) {
  const question = hloQuestion(slice);
  const { data } = useApi(question && address("/traces/{id}/hlo-instruction", { id: viewer.info.id, ...question }));
  if (!question || !data) return null;
  const { module, instruction, absence } = data;
  const line = instruction?.line ?? data.entry_line;
  return (
    <dl class="facts trace-hlo">
      <dt>HLO</dt>
      <dd>
        {module && (
          <>
            <a
              class="mono"
              href={hloHref(module.module, {
                line: line === null ? null : String(line),
                trace: String(viewer.info.id),
              })}
            >
              {instruction ? `${shown(instruction.name)}` : shown(module.name)}
            </a>{" "}
            <span class="quiet">
              {instruction
                ? `${instruction.opcode} in ${shown(module.name)}, line ${instruction.line}`
                : `program ${module.program_id}`}
            </span>
          </>
        )}
        {absence !== null && <span class="quiet note"> {absence}</span>}
      </dd>
      {instruction && <HloSource instruction={instruction} />}
    </dl>
  );
}
