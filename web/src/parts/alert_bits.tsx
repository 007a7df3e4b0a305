// Signs and lists of alerts, as several pages show them.
import type { Alert, AlertState, ChangeDirection, SeriesChange } from "../api/types";
import { type Changed, arrow, directionWord, effectText, stateWords, tone, unbroken } from "../lib/alerts";
import { change, date, percentInterval } from "../lib/format";
import { alertHref } from "../lib/route";
import { Backend } from "./small";

export function StateSign({ state }: { state: AlertState }) {
  const { word, glyph, name, meaning } = stateWords(state);
  return (
    <span class={`alert-state state-${name}`} title={meaning}>
      <span class="state-glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}

export function DirectionSign({ direction }: { direction: ChangeDirection }) {
  return (
    <span class={`direction ${tone(direction)}`} title={directionWord(direction)} data-text={`${arrow(direction)} `}>
      <span aria-hidden="true">{arrow(direction)}</span>
      <span class="sr">{directionWord(direction)}:</span>
    </span>
  );
}

/** How much a series changed, worse or better by sign and by colour. */
export function Effect({ changed, title }: { changed: Changed; title?: string }) {
  const [effect, ...bounds] = effectText(changed).split(" [");
  return (
    <span class="effect" title={title}>
      <span class="num">{effect}</span>
      {bounds.length > 0 && <span class="interval"> [{bounds.join(" [")}</span>}
    </span>
  );
}

/** Alerts as links, one a line; where there are more, the list of all of them. */
export function AlertLinks({ alerts, total = alerts.length }: { alerts: readonly Alert[]; total?: number }) {
  return (
    <ul class="alert-links" data-told="Alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <DirectionSign direction={alert.details.direction} />
          <a href={alertHref(alert)}>{unbroken(alert.details.title)}</a>{" "}
          <span class="quiet">
            since {date(alert.details.onset.started_at)}, {stateWords(alert.state).word}
          </span>
        </li>
      ))}
      {total > alerts.length && (
        <li>
          <a href="/alerts">and {total - alerts.length} more</a>
        </li>
      )}
    </ul>
  );
}

/** The changes that a chart draws, as links to their alerts. */
export function ChangeLinks({ changes }: { changes: { column: string; backend: string; change: SeriesChange }[] }) {
  if (!changes.length) return null;
  return (
    <ul class="alert-links change-links" aria-label="Changes drawn above" data-told="Changes">
      {changes.map(({ column, backend, change: one }) => (
        <li key={`${one.alert} ${column} ${one.run.id}`}>
          <DirectionSign direction={one.direction} />
          <a href={alertHref({ id: one.alert })}>
            {date(one.run.started_at)} {change(1 + one.effect)}
          </a>{" "}
          <span class="interval">
            {one.interval ? percentInterval(1 + one.interval.low, 1 + one.interval.high) : ""}
          </span>{" "}
          <Backend name={column} backend={backend} link={{}} /> <span class="quiet">{stateWords(one.state).word}</span>
        </li>
      ))}
    </ul>
  );
}
