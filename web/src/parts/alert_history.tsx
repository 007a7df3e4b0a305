// What happened to an alert, as the measurements say it and as people acted, in order of time.
import type { ComponentChildren } from "preact";
import type { AlertAction, AlertEvent, AlertWithHistory, RunRef } from "../api/types";
import { stateWords } from "../lib/alerts";
import { count, shown, testName } from "../lib/format";
import { alertHref, modelHref } from "../lib/route";
import { muteWords } from "../lib/triage";
import { Backend, RunLink, Time } from "./small";

/** `run`: of what follows from the results, the run with which it happened. */
type Entry = { at: string; run?: RunRef; key: string; who: string; token?: string | null; what: ComponentChildren };

function actionWords(action: AlertAction): ComponentChildren {
  if (action.kind === "note") return <span class="said">{action.value}</span>;
  if (action.kind === "state")
    return action.value === "open" ? "opened it again" : <>said: {stateWords(action.value).word}</>;
  if (action.kind === "mute") return action.value ? `muted it ${muteWords(action.value)}` : "ended the mute";
  if (action.kind === "owner") return action.value ? <>gave it to {action.value}</> : "took its owner away";
  return action.value ? (
    <>
      linked <span class="mono said">{action.value}</span>
    </>
  ) : (
    "took its link away"
  );
}

/** "#3, #4 and 2 more", each a link. */
function Others({ event, all }: { event: AlertEvent; all?: number }) {
  const more = (all ?? 0) - event.alerts.length;
  return (
    <>
      {event.alerts.map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a href={alertHref({ id })}>#{id}</a>
        </span>
      ))}
      {more > 0 && ` and ${count(more)} more`}
    </>
  );
}

/** Which series, where some are named. */
function Named({ event, accelerator }: { event: AlertEvent; accelerator: string }) {
  if (!event.series.length) return null;
  const more = event.count - event.series.length;
  return (
    <span class="history-series">
      {event.series.map((one) => (
        <span key={`${one.experiment_id} ${one.metric}`}>
          <a class="mono" href={modelHref(one.suite, one.model, { test: one.test, accelerator_model: accelerator })}>
            {shown(one.model)}
          </a>{" "}
          <span class="quiet">{testName(one.test)}</span> <Backend name={one.column} /> {one.title}
        </span>
      ))}
      {more > 0 && <span class="quiet">and {count(more)} more</span>}
    </span>
  );
}

const series = (number: number): string => `${count(number)} series`;

function eventWords(event: AlertEvent): ComponentChildren {
  switch (event.kind) {
    case "first_seen":
      return "first seen";
    case "confirmed":
      return event.count > 0 ? `confirmed with ${series(event.count)}` : "confirmed";
    case "joined":
      return `${series(event.count)} joined it`;
    case "left":
      return `${series(event.count)} left it`;
    case "moved":
      return (
        <>
          {series(event.count)} moved to alert <Others event={event} />
        </>
      );
    case "onset_moved":
      return event.from && event.to ? (
        <>
          its onset moved from <RunLink run={event.from} /> to <RunLink run={event.to} />
        </>
      ) : (
        "its onset moved"
      );
    case "recovered":
      return "recovered";
    case "reopened":
      return event.alerts.length ? (
        <>
          separate again from alert <Others event={event} />
        </>
      ) : (
        "opened again"
      );
    case "withdrawn":
      return "withdrawn";
    case "took_in":
      return (
        <>
          took in the changes of {event.count > 1 ? "alerts" : "alert"} <Others event={event} all={event.count} />
        </>
      );
    case "taken_in":
      return (
        <>
          its changes became part of alert <Others event={event} />
        </>
      );
    case "split":
      return (
        <>
          split from alert <Others event={event} /> with {series(event.count)}
        </>
      );
    default:
      return event.kind;
  }
}

function ofEvent(event: AlertEvent, index: number, accelerator: string): Entry {
  const what = (
    <>
      {eventWords(event)}
      {event.last_run && (
        <span class="quiet">
          {" "}
          (until <RunLink run={event.last_run} />)
        </span>
      )}
      <Named event={event} accelerator={accelerator} />
    </>
  );
  return { at: event.run.started_at, run: event.run, key: `event ${index}`, who: "Measurements", what };
}

/** Of an alert that was last found before histories were kept. */
function ofDetails({ details, detected }: AlertWithHistory): Entry[] {
  const ofRun = (run: RunRef | null, what: string): Entry[] =>
    run ? [{ at: run.started_at, run, key: what, who: "Measurements", what }] : [];
  return [
    ...ofRun(details.first_seen, "first seen"),
    ...ofRun(details.confirmed, "confirmed"),
    ...ofRun(details.closed, detected === "withdrawn" ? "not there any more" : "over"),
  ];
}

export function AlertHistory({ alert }: { alert: AlertWithHistory }) {
  const found = alert.history.length
    ? alert.history.map((event, index) => ofEvent(event, index, alert.accelerator_model))
    : ofDetails(alert);
  const acted = alert.actions.map((action) => ({
    at: action.at,
    key: String(action.id),
    who: action.who || "somebody",
    token: action.token,
    what: actionWords(action),
  }));
  const entries: Entry[] = [...found, ...acted].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <ol class="history" data-told="History">
      {entries.map((entry) => (
        <li key={entry.key}>
          {entry.run ? (
            <span>
              <RunLink run={entry.run} />
            </span>
          ) : (
            <Time at={entry.at} />
          )}
          <span>
            <strong>{entry.who}</strong>
            {entry.token && <span class="quiet"> (token {entry.token})</span>} {entry.what}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Of an alert that people acted on and that is not found any more: what took over from it, and how it goes off the list. */
export function OrphanNote({ alert }: { alert: AlertWithHistory }) {
  if (!alert.is_orphaned) return null;
  return (
    <p class="note orphan">
      <strong>This alert is not found any more.</strong> Results, rules or the detector have changed since.{" "}
      {alert.successor === null ? (
        "No other alert covers its changes."
      ) : (
        <>
          Its changes are now covered by <a href={alertHref({ id: alert.successor })}>#{alert.successor}</a>.
        </>
      )}{" "}
      What people said stays here. It is listed as orphaned until it is marked as fixed, won't fix, invalid or
      infrastructure.
    </p>
  );
}
