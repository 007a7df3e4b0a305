import type { Transition, TransitionKind } from "../api/types";
import { count, shown, testName } from "../lib/format";
import { modelHref } from "../lib/route";
import { Backend, VerificationSign } from "./small";

const KINDS: [TransitionKind, string, string][] = [
  ["newly_failing", "Newly failing", "worse"],
  ["newly_passing", "Newly passing", "better"],
  ["changed", "Fails in another way", ""],
  ["disappeared", "No longer there", ""],
  ["new", "New", ""],
];

/** Newly failing first. Long lists are cut, and say so. */
export function TransitionList({ transitions, most = Infinity }: { transitions: Transition[]; most?: number }) {
  return (
    <div class="transitions">
      {KINDS.map(([kind, title, tone]) => {
        const items = transitions.filter((item) => item.kind === kind);
        if (!items.length) return null;
        return (
          <section key={kind} aria-label={title}>
            <h3 class={tone}>
              {tone === "worse" ? "▼ " : tone === "better" ? "▲ " : ""}
              {title} <span class="quiet">{count(items.length)}</span>
            </h3>
            <ul data-told={title}>
              {items.slice(0, most).map((item) => (
                <li key={item.experiment.id}>
                  <span class="from-to">
                    <VerificationSign verification={item.before} why="not there before" />
                    <span class="quiet" aria-hidden="true">
                      →
                    </span>
                    <VerificationSign verification={item.after} why="not there any more" />
                  </span>
                  <a
                    class="mono"
                    href={modelHref(item.experiment.suite, item.experiment.model, {
                      test: item.experiment.test,
                      accelerator_model: item.experiment.accelerator_model,
                    })}
                  >
                    {shown(item.experiment.model)}
                  </a>
                  <Backend
                    name={item.experiment.column}
                    backend={item.experiment.backend}
                    link={{ accelerator_model: item.experiment.accelerator_model, test: item.experiment.test }}
                  />
                  <span class="quiet">{testName(item.experiment.test)}</span>
                </li>
              ))}
            </ul>
            {items.length > most && <p class="quiet">and {count(items.length - most)} more</p>}
          </section>
        );
      })}
    </div>
  );
}
