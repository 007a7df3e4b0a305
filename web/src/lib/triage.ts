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
export const muteWords = (value: string, name = "it"): string => (/^\d/.test(value) ? `until ${value}` : `until ${name} is ${value}`);

const TAKES_UP: readonly string[] = ["acknowledged", "investigating"];

/** Whether `who` becomes the owner with it, as the server has it. */
export const becomesOwner = (alert: Pick<Target, "owner">, kind: Kind, value: string, who: string): boolean => kind === "state" && TAKES_UP.includes(value) && alert.owner === "" && who !== "";

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
const subject = (alerts: readonly Pick<Target, "id">[]): string => (alerts.length === 1 ? `#${alerts[0]?.id}` : plural(alerts.length, "alert"));

/** "#5 is acknowledged, and yours." */
export function doneWords(alerts: readonly Target[], kind: Kind, value: string, who: string): string {
  const isOne = alerts.length === 1;
  const name = subject(alerts);
  if (kind === "note") return `Your note is with ${name}.`;
  if (kind === "owner") return `${name} ${isOne ? "belongs" : "belong"} to ${value || "nobody"}.`;
  if (kind === "link") return `${name} ${isOne ? "has" : "have"} ${value ? "a link" : "no link any more"}.`;
  if (kind === "mute") return `${name} ${isOne ? "is" : "are"} ${value ? `muted ${muteWords(value, isOne ? "it" : "each")}` : "not muted any more"}.`;
  const taken = alerts.filter((alert) => becomesOwner(alert, kind, value, who)).length;
  const whose = taken === 0 ? "" : taken === alerts.length ? ", and yours" : `; ${taken} of them ${taken === 1 ? "is" : "are"} yours now`;
  return `${name} ${STATES[value]?.[isOne ? 0 : 1] ?? value}${whose}.`;
}

export const undoneWords = (alerts: readonly Pick<Target, "id">[]): string => `${subject(alerts)} ${alerts.length === 1 ? "is as it was" : "are as they were"} before.`;

/** Alerts by what an action has to say to make them as they were. */
function stepsTo(kind: Kind, alerts: readonly Target[], before: (alert: Target) => string): Step[] {
  const steps = new Map<string, Step>();
  for (const alert of alerts) {
    const value = before(alert);
    const step = steps.get(value) ?? { ids: [], kind, value };
    step.ids.push(alert.id);
    steps.set(value, step);
  }
  return [...steps.values()];
}

/** What `who` has to do for alerts to be as they were before they did this with them; nothing where that cannot be, as for a
 * note. A state comes before an owner: who sets it may become the owner, and is not to stay it. */
export function undoSteps(alerts: readonly Target[], kind: Kind, value: string, who: string): Step[] {
  if (kind === "owner") return stepsTo("owner", alerts, ({ owner }) => owner);
  if (kind === "link") return stepsTo("link", alerts, ({ link }) => link);
  if (kind === "mute") return stepsTo("mute", alerts, ({ muted_until }) => muteValue(muted_until));
  if (kind !== "state") return [];
  const taken = alerts.filter((alert) => becomesOwner(alert, kind, value, who) || becomesOwner(alert, kind, alert.triage, who));
  return [...stepsTo("state", alerts, ({ triage }) => triage), ...stepsTo("owner", taken, () => "")];
}
