// What launched a slice of a device, and what for: the first that is asked of a kernel.
import type { ComponentChildren } from "preact";
import { hoverText, shown } from "../lib/format";
import { type Slice, chooseSlice } from "./slice";
import { exactPlace, spanText } from "./time";
import type { Viewer } from "./viewer";

type Origin = NonNullable<Slice["launched_by"]>;
type Placed = NonNullable<Origin["operator"]>;

/** Why nothing is said, where the trace does not tell. */
const WHY = {
  operator: "No operator of PyTorch is around the call that launched it",
  module: "No frame of Python is around the call that launched it: the profiler records them with with_stack=True",
  step: "The call that launched it is in no step of the profiler",
  call: "The call that launched it is not in the trace",
};
/** Why it was not found out whether the trace tells. */
const NOT_SEARCHED: Record<NonNullable<Origin["call_not_searched"] | Origin["step_not_searched"]>, string> = {
  no_index: "Not searched: the trace has no index yet",
  too_much: "Not searched: too much of the trace would have to be read",
  ambiguous: "Not decided: several calls have its correlation",
  not_derived: "Not searched: steps are still to be derived from the trace",
};

export function LaunchedBy({ viewer, origin }: { viewer: Viewer; origin: Origin }) {
  const { call, operator, module, line, step, is_of_forward, call_not_searched, step_not_searched } = origin;
  const noCall = call_not_searched ? NOT_SEARCHED[call_not_searched] : WHY.call;
  const why = (what: keyof typeof WHY): string => (call ? WHY[what] : noCall);
  const noStep = call && step_not_searched ? NOT_SEARCHED[step_not_searched] : why("step");
  return (
    <dl class="facts trace-origin">
      <Fact title="Operator" why={why("operator")}>
        {operator && <ToPlaced viewer={viewer} slice={operator} />}
      </Fact>
      <Fact title="Module" why={why("module")}>
        {(module || line) && (
          <>
            {module && <ToPlaced viewer={viewer} slice={module} />}
            {module && line && ", "}
            {line && <ToPlaced viewer={viewer} slice={line} />}
            {is_of_forward && <span class="quiet"> of its forward</span>}
          </>
        )}
      </Fact>
      <Fact title="Step" why={noStep}>
        {step && (
          <button
            type="button"
            class="link mono"
            title={`Show ${step.name}: ${spanText(step.end - step.begin)} at ${exactPlace(step.begin)}`}
            onClick={() => viewer.fitWindow(step)}
          >
            {shown(step.name)}
          </button>
        )}
      </Fact>
      <Fact title="Launched by" why={noCall}>
        {call && (
          <>
            <ToPlaced viewer={viewer} slice={call} /> <span class="quiet">at {exactPlace(call.begin)}</span>
          </>
        )}
      </Fact>
    </dl>
  );
}

function Fact({ title, why, children }: { title: string; why: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {children || (
          <span class="quiet" title={hoverText(why)}>
            not known
          </span>
        )}
      </dd>
    </>
  );
}

function ToPlaced({ viewer, slice }: { viewer: Viewer; slice: Placed }) {
  return (
    <button
      type="button"
      class="link mono"
      title={`Show it: ${spanText(slice.duration)} at ${exactPlace(slice.begin)}`}
      onClick={() => chooseSlice(viewer, slice)}
    >
      {shown(slice.name)}
    </button>
  );
}
