// What a person does with alerts, in words, and what takes it back.
import type { Alert, NewAlertAction } from "../api/types";
import { plural } from "./format";

export type Kind = NewAlertAction["kind"];
/** An alert as far as something can be done with it, as it was before. */
export type Target = Pick<Alert, "id" | "triage" | "owner" | "link" | "muted_until">;
/** The same with several alerts. */
export type Step = { ids: number[]; kind: Kind; value: string };

/** The value of an action that mutes as an alert is muted. */
export const muteValue = (until: Alert["muted_until"]): string => until?.date ?? until?.state ?? "";

/** "until 2026-12-24", "until it is confirmed"; of several "until each is confirmed". */
export const muteWords = (value: string, name = "it"): string =>
  /^\d/.test(value) ? `until ${value}` : `until ${name} is ${value}`;

const TAKES_UP: readonly string[] = ["acknowledged", "investigating"];

/** Whether `who` becomes the owner with it, as the server has it. */
export const becomesOwner = (alert: Pick<Target, "owner">, kind: Kind, value: string, who: string): boolean =>
  kind === "state" && TAKES_UP.includes(value) && alert.owner === "" && who !== "";

const STATES: Record<string, [string, string]> = {
  open: ["is open again", "are open again"],
  acknowledged: ["is acknowledged", "are acknowledged"],
  investigating: ["is being investigated", "are being investigated"],
  fixed: ["is fixed", "are fixed"],
  wont_fix: ["will not be fixed", "will not be fixed"],
  invalid: ["is invalid", "are invalid"],
  infrastructure: ["is the infrastructure's doing", "are the infrastructure's doing"],
};

/** "#5", "3 alerts". */
const subject = (alerts: readonly Pick<Target, "id">[]): string =>
  alerts.length === 1 ? `#${alerts[0]?.id}` : plural(alerts.length, "alert");

/** "#5 is acknowledged, and yours." */
export function doneWords(alerts: readonly Target[], kind: Kind, value: string, who: string): string {
  const isOne = alerts.length === 1;
  const name = subject(alerts);
  if (kind === "note") return `Your note is with ${name}.`;
  if (kind === "owner") return `${name} ${isOne ? "belongs" : "belong"} to ${value || "nobody"}.`;
  if (kind === "link") return `${name} ${isOne ? "has" : "have"} ${value ? "a link" : "no link any more"}.`;
  if (kind === "mute")
    return `${name} ${isOne ? "is" : "are"} ${value ? `muted ${muteWords(value, isOne ? "it" : "each")}` : "not muted any more"}.`;
  const taken = alerts.filter((alert) => becomesOwner(alert, kind, value, who)).length;
  const whose =
    taken === 0
      ? ""
      : taken === alerts.length
        ? ", and yours"
        : `; ${taken} of them ${taken === 1 ? "is" : "are"} yours now`;
  return `${name} ${STATES[value]?.[isOne ? 0 : 1] ?? value}${whose}.`;
}

/** At most so many alerts are acted on at once. */
export const MOST_AT_ONCE = 1000;

/** Pieces of a list, each of at most `most`. */
export function pieces<T>(all: readonly T[], most: number): T[][] {
  const cut: T[][] = [];
  for (let from = 0; from < all.length; from += most) cut.push(all.slice(from, from + most));
  return cut;
}

type Field = Exclude<Kind, "note">;
/** What takes something back: the steps, and the alerts of which somebody changed a field since, which stays. */
export type Undo = { steps: Step[]; stays: { field: Field; id: number }[] };

function fieldOf(alert: Target, field: Field): string {
  if (field === "state") return alert.triage;
  if (field === "mute") return muteValue(alert.muted_until);
  return alert[field];
}

/** Alerts by what an action has to say to make them as they were. */
function stepsTo(kind: Kind, alerts: readonly Target[], before: (alert: Target) => string): Step[] {
  const steps = new Map<string, Step>();
  for (const alert of alerts) {
    const value = before(alert);
    const step = steps.get(value) ?? { ids: [], kind, value };
    step.ids.push(alert.id);
    steps.set(value, step);
  }
  return [...steps.values()].flatMap(({ ids, value }) =>
    pieces(ids, MOST_AT_ONCE).map((some) => ({ ids: some, kind, value })),
  );
}

/** What `who` has to do for alerts to be as they were (`alerts`) before they did this with them, where they still are as it
 * made them (`now`, by number). A note cannot be taken back. A state comes before an owner: who sets it may become the owner,
 * and is not to stay it. */
export function undoSteps(
  alerts: readonly Target[],
  kind: Field,
  value: string,
  who: string,
  now: ReadonlyMap<number, Target>,
): Undo {
  const undo: Undo = { steps: [], stays: [] };
  const back: Target[] = [];
  const owned: Target[] = [];
  for (const alert of alerts) {
    const current = now.get(alert.id);
    const field = current ? fieldOf(current, kind) : null;
    const isBack = field === value && field !== fieldOf(alert, kind);
    if (isBack) back.push(alert);
    else if (field !== fieldOf(alert, kind)) undo.stays.push({ field: kind, id: alert.id });
    if (!current || kind !== "state") continue;
    const isOurs = becomesOwner(alert, kind, value, who);
    if (isOurs ? current.owner === who : isBack && becomesOwner(current, kind, alert.triage, who)) owned.push(alert);
    else if (isOurs && current.owner !== "") undo.stays.push({ field: "owner", id: alert.id });
    else if (isOurs && isBack && becomesOwner(current, kind, alert.triage, who)) owned.push(alert);
  }
  undo.steps = [...stepsTo(kind, back, (alert) => fieldOf(alert, kind)), ...stepsTo("owner", owned, () => "")];
  return undo;
}

const MOST_NAMED = 8;
/** "#5, #6 and #7". */
function named(ids: readonly number[]): string {
  const names = ids.slice(0, MOST_NAMED).map((id) => `#${id}`);
  if (ids.length > MOST_NAMED) names.push(`${ids.length - MOST_NAMED} more`);
  const last = names.pop() ?? "";
  return names.length ? `${names.join(", ")} and ${last}` : last;
}

/** What became of taking something back. `failed`: those of which not all could be put back, and why. */
export function undoneWords(
  alerts: readonly Pick<Target, "id">[],
  { stays }: Pick<Undo, "stays">,
  failed: readonly number[] = [],
  why = "",
): string {
  const stay = new Set(stays.map(({ id }) => id));
  const back = alerts.filter(({ id }) => !stay.has(id) && !failed.includes(id));
  if (!back.length && failed.length === alerts.length) return `It could not be undone. ${why}`.trim();
  const said: string[] = [];
  // Where not all are, it is said which.
  const names = back.length < alerts.length ? named(back.map(({ id }) => id)) : subject(back);
  if (back.length) said.push(`${names} ${back.length === 1 ? "is as it was" : "are as they were"} before.`);
  const changed = new Map<Field, number[]>();
  for (const { field, id } of stays) changed.set(field, [...(changed.get(field) ?? []), id]);
  for (const [field, ids] of changed)
    said.push(`The ${field} of ${named(ids)} was changed by somebody else since, and stays as it is.`);
  if (failed.length) said.push(`${named(failed)} could not be put back. ${why}`.trim());
  return said.join(" ");
}
