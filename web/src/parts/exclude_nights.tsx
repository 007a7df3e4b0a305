// Leaving nights out of what alerts are found from: which alerts would remain is seen before it is done, and it can be undone.
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { type ApiError, asApiError, take, tell } from "../api/client";
import type { AlertWithHistory, ExclusionPreview, MarkPage, PreviewedAlert, RunRef, ToldAlert } from "../api/types";
import { useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { stateWords, unbroken } from "../lib/alerts";
import { announce } from "../lib/announce";
import { firstRange } from "../lib/exclusion";
import { plural } from "../lib/format";
import { useModal } from "../lib/modal";
import { alertHref, go } from "../lib/route";
import { DirectionSign } from "./alert_bits";
import { Select, runChoices } from "./controls";
import { TriageProblem } from "./triage";
import { ErrorNote, Waiting } from "./small";
import { useNamed } from "./who";

const MOST_LETTERS = 1000;

/** `nights`: those that were not excluded before, and are now. */
type Done = { nights: RunRef[]; isGone: boolean };

export function ExcludeNights({ alert, onClose }: { alert: AlertWithHistory; onClose: () => void }) {
  const runs = useRuns(alert.accelerator_model).data?.items;
  const [range, setRange] = useState<{ first: string; last: string } | null>(null);
  // What is offered first stays, also when another night comes meanwhile.
  const offered = useRef<{ first: string; last: string } | null>(null);
  offered.current ??= firstRange(alert.details, runs);
  const asked = range ?? offered.current;
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const { named, dialog: naming } = useNamed();
  const id = useId();
  const close = () => {
    onClose();
    if (done?.isGone) go("/alerts");
  };
  const dialog = useModal(close);
  // What was asked before the nights were excluded would say that nothing changes.
  const preview = useApi(asked && !done ? address("/exclusions/preview", asked) : null);
  const answer = preview.late ? null : preview.data;
  const fresh = answer?.nights.filter((night) => !night.is_excluded).map((night) => night.run) ?? [];

  const change = async (url: string, asking: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    try {
      await asking();
      setError(null);
      return true;
    } catch (failed) {
      setError(asApiError(failed, url));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const exclude = async () => {
    if (!asked || !answer || busy || fresh.length === 0) return;
    const who = await named();
    if (who === null) return;
    const url = address("/marks");
    const isGone = answer.alerts.some((one) => one.id === alert.id && one.outcome === "gone");
    let marks: MarkPage["items"] = [];
    const tellAll = async () => {
      marks = (await tell(url, { ...asked, kind: "excluded", reason: reason.trim(), who })).items;
    };
    if (!(await change(url, tellAll))) return;
    // Those that this has marked, and not what somebody else has said meanwhile: all are of one time, the latest.
    const latest = marks.reduce((time, { mark }) => (mark.at > time ? mark.at : time), "");
    const asOfNow = new Set(
      marks.filter(({ mark }) => mark.at === latest && mark.kind === "excluded").map(({ run }) => run?.id),
    );
    const nights = fresh.filter((run) => asOfNow.has(run.id));
    announce(`${plural(nights.length, "night")} excluded.`);
    setDone({ nights, isGone });
  };
  const undo = async () => {
    if (!done || busy) return;
    const url = address("/marks/{kind}", { kind: "excluded", run: done.nights.map((run) => String(run.id)) });
    if (!(await change(url, () => take(url)))) return;
    announce(`${plural(done.nights.length, "night")} counted again.`);
    setDone(null);
    // One that was never sure is forgotten, and found again under another number.
    if (done.isGone && alert.details.confirmed === null) {
      onClose();
      go("/alerts");
    }
  };

  const options = useMemo(() => runChoices(runs), [runs]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby={id}>
      <form
        class="help-body ask exclude"
        onSubmit={(event) => {
          event.preventDefault();
          void exclude();
        }}
      >
        <h2 id={id}>Exclude nights</h2>
        {done ? (
          <p role="status">
            {done.nights.length === 1 ? "1 night is" : `${done.nights.length} nights are`} excluded.{" "}
            {done.isGone && `Alert ${alert.id} is gone.`}
          </p>
        ) : (
          <>
            <p class="quiet">
              Measurements of excluded nights do not count, of any series on {alert.accelerator_model || "this machine"}
              .
            </p>
            {asked && runs && (
              <div class="exclude-range">
                <Select
                  label="From"
                  value={asked.first}
                  options={options}
                  onChange={(first) => setRange({ ...asked, first })}
                />
                <Select
                  label="to"
                  value={asked.last}
                  options={options}
                  onChange={(last) => setRange({ ...asked, last })}
                />
              </div>
            )}
            <div class="exclude-preview" aria-live="polite" aria-busy={!answer}>
              {preview.error && !preview.late ? (
                <ErrorNote error={preview.error} again={preview.again} />
              ) : answer ? (
                <Outcomes preview={answer} fresh={fresh.length} />
              ) : (
                <Waiting rows={4} />
              )}
            </div>
            <label class="field">
              <span>Why, in a word</span>
              <input
                type="text"
                value={reason}
                maxLength={MOST_LETTERS}
                onInput={(event) => setReason(event.currentTarget.value)}
                placeholder="another job ran on the machine"
              />
            </label>
          </>
        )}
        <TriageProblem error={error} />
        <div class="ask-buttons">
          {done ? (
            <button type="button" class="button" disabled={busy} onClick={() => void undo()}>
              Undo
            </button>
          ) : (
            <button type="submit" class="button" disabled={busy || fresh.length === 0}>
              {fresh.length === 0 ? "Exclude" : `Exclude ${plural(fresh.length, "night")}`}
            </button>
          )}
          <button type="button" class="button" onClick={close}>
            {done ? "Close" : "Cancel"}
          </button>
        </div>
      </form>
      {naming}
    </dialog>
  );
}

const GROUPS: { outcome: PreviewedAlert["outcome"]; title: string }[] = [
  { outcome: "gone", title: "Gone" },
  { outcome: "new", title: "New" },
  { outcome: "changed", title: "Different" },
  { outcome: "same", title: "As now" },
];

function Outcomes({ preview, fresh }: { preview: ExclusionPreview; fresh: number }) {
  if (fresh === 0) return <p>{preview.nights.length === 1 ? "This night is" : "These nights are"} excluded already.</p>;
  const remaining = preview.alerts.filter((one) => one.then !== null && one.then.detected !== "recovered").length;
  return (
    <>
      <p>
        {remaining === 0
          ? "No alert would stand."
          : remaining === 1
            ? "1 alert would stand."
            : `${remaining} alerts would stand.`}
      </p>
      {GROUPS.map(({ outcome, title }) => {
        const alerts = preview.alerts.filter((one) => one.outcome === outcome);
        if (alerts.length === 0) return null;
        return (
          <section key={outcome}>
            <h3>
              {title} <span class="quiet">{alerts.length}</span>
            </h3>
            <ul class="alert-links">
              {alerts.map((one) => (
                <li key={one.id ?? one.then?.title}>
                  <OutcomeLine alert={one} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

function OutcomeLine({ alert }: { alert: PreviewedAlert }) {
  const { id, now, then, outcome } = alert;
  const shown = (now ?? then) as ToldAlert;
  return (
    <>
      <DirectionSign direction={shown.direction} />
      {id === null ? unbroken(shown.title) : <a href={alertHref({ id })}>{unbroken(shown.title)}</a>}{" "}
      <span class="quiet">{stateWords(shown.detected).word}</span>
      {outcome === "changed" && then && (
        <div class="exclude-then">
          <span aria-hidden="true">→ </span>
          <span class="sr">would be: </span>
          {then.title === shown.title ? "" : `${unbroken(then.title)} `}
          <span class="quiet">{stateWords(then.detected).word}</span>
        </div>
      )}
    </>
  );
}
