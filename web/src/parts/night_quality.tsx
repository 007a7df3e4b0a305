// Whether a night is one like others, beside what it says.
import { address } from "../api/address";
import { useApi } from "../api/use";
import { qualityFacts, qualityWarning } from "../lib/quality";

/** A warning where the night is disturbed or like nights of another machine; else, if asked for, how quiet it was. */
export function QualityOfNight({ run, always = false }: { run: { id: number }; always?: boolean }) {
  const quality = useApi(address("/runs/{run}/quality", { run: run.id })).data;
  if (!quality || quality.run.id !== run.id) return null;
  const warning = qualityWarning(quality);
  if (warning)
    return (
      <span class="warn" title="docs/regressions.md tells how nights are judged">
        {warning}
      </span>
    );
  return always && quality.judged > 0 ? (
    <span title="docs/regressions.md tells how nights are judged">{qualityFacts(quality)}</span>
  ) : null;
}
