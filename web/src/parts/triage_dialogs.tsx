// What is asked for before something is done with alerts: until when they are muted, whose they are, a note.
import { useId, useState } from "preact/hooks";
import type { Alert } from "../api/types";
import { plural } from "../lib/format";
import { useModal } from "../lib/modal";
import { type Kind, muteValue, muteWords } from "../lib/triage";
import { TextDialog } from "./text_dialog";
import { type Triage, TriageProblem } from "./triage";

export type Asking = { what: "note" | "owner" | "mute"; alerts: Alert[] };

const ofAlerts = (alerts: readonly Alert[]): string =>
  alerts.length === 1 ? `alert ${alerts[0]?.id}` : plural(alerts.length, "alert");

/** `onDone` is called when it was done, `onClose` when it was not. */
export function TriageDialog({
  asking: { what, alerts },
  triage,
  onDone,
  onClose,
}: {
  asking: Asking;
  triage: Triage;
  onDone: () => void;
  onClose: () => void;
}) {
  const busy = alerts.some(({ id }) => triage.busy.has(id));
  const act = async (kind: Kind, value: string) => {
    if (await triage.act(alerts, kind, value)) onDone();
  };
  const problem = <TriageProblem error={triage.error} />;
  if (what === "mute")
    return (
      <MuteDialog
        alerts={alerts}
        busy={busy}
        problem={problem}
        onValue={(value) => void act("mute", value)}
        onClose={onClose}
      />
    );
  if (what === "owner")
    return (
      <TextDialog
        title={`Owner of ${ofAlerts(alerts)}`}
        note="An empty name takes the owner away."
        label="Owner"
        button="Set owner"
        busy={busy}
        problem={problem}
        onText={(text) => void act("owner", text)}
        onClose={onClose}
      />
    );
  return (
    <TextDialog
      title={`Note on ${ofAlerts(alerts)}`}
      label="Note"
      button="Add note"
      rows={5}
      busy={busy}
      problem={problem}
      onText={(text) => void (text ? act("note", text) : onClose())}
      onClose={onClose}
    />
  );
}

const DAY_MS = 86_400_000;
const dayAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Days to choose from, and the states that have not come for any of the alerts. */
function choices(alerts: readonly Alert[]): { value: string; text: string }[] {
  const isOver = alerts.some(({ detected }) => detected === "recovered" || detected === "withdrawn");
  const all = [
    { value: dayAfter(1), text: "Until tomorrow", on: true },
    { value: dayAfter(7), text: "For a week", on: true },
    { value: dayAfter(28), text: "For four weeks", on: true },
    { value: "confirmed", text: "Until it is confirmed", on: alerts.every(({ detected }) => detected === "suspect") },
    {
      value: "worse",
      text: "Until it is worse",
      on: !isOver && alerts.every(({ details }) => !!details.headline?.interval),
    },
    { value: "recovered", text: "Until it is recovered", on: !isOver },
  ];
  return all.filter(({ on }) => on);
}

function MuteDialog({
  alerts,
  busy,
  problem,
  onValue,
  onClose,
}: {
  alerts: Alert[];
  busy: boolean;
  problem: preact.ComponentChildren;
  onValue: (value: string) => void;
  onClose: () => void;
}) {
  const dialog = useModal(onClose);
  const id = useId();
  const [day, setDay] = useState("");
  const muted = alerts.filter(({ muted_until }) => muted_until !== null);
  return (
    <dialog ref={dialog} class="help" aria-labelledby={id}>
      <form
        class="help-body ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (day && !busy) onValue(day);
        }}
      >
        <h2 id={id}>Mute {ofAlerts(alerts)}</h2>
        <p class="quiet">
          A muted alert needs no attention, and nobody is notified of it. It is listed under “Muted”. Days begin at
          midnight UTC.
        </p>
        <div class="mute-choices">
          {choices(alerts).map(({ value, text }, index) => (
            <button
              key={value}
              type="button"
              class="button"
              autofocus={index === 0}
              disabled={busy}
              onClick={() => onValue(value)}
            >
              {text} {/^\d/.test(value) && <span class="quiet">{value}</span>}
            </button>
          ))}
        </div>
        <div class="mute-day">
          <label class="field">
            <span>Until the day</span>
            <input
              type="date"
              required
              min={dayAfter(1)}
              value={day}
              onInput={(event) => setDay(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="button" disabled={busy}>
            Mute
          </button>
        </div>
        {problem}
        <div class="ask-buttons">
          {muted.length > 0 && (
            <button type="button" class="button" disabled={busy} onClick={() => onValue("")}>
              End the mute
              {alerts.length === 1 && <span class="quiet"> {muteWords(muteValue(muted[0]?.muted_until ?? null))}</span>}
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
