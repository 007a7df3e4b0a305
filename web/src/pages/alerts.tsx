// All alerts, what needs attention first, to be gone through with the keys.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../api/client";
import { PER_PAGE, usePages } from "../api/pages";
import type { Alert, AlertPage, Page } from "../api/types";
import { type AlertColumn, FOLDED, WORST, ORDERS, attentionSentence, groups, orderAfterClick, orderOf, orderedBy, scopeText, unbroken } from "../lib/alerts";
import { count, plural, testName } from "../lib/format";
import { usePlainKeys, useTitle } from "../lib/hooks";
import { atOnce } from "../lib/modal";
import { alertHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { DirectionSign, Effect, StateSign } from "../parts/alert_bits";
import { CsvLink, FilterField, Select } from "../parts/controls";
import { ErrorNote, Missing, RunLink, Section, Waiting } from "../parts/small";
import { TextDialog } from "../parts/text_dialog";
import { TriageNote, type Triage, TriageProblem, stateOfKey, useTriage } from "../parts/triage";

/** So many of a kind are drawn before somebody asks for all. */
const MOST_AT_FIRST = 60;

/** What a filter looks in. */
function searchText({ details, owner, accelerator_model }: Alert): string {
  const members = details.members.map(({ experiment, title }) => `${experiment.suite} ${experiment.model} ${experiment.column} ${testName(experiment.test)} ${title}`);
  return [details.title, owner, accelerator_model, ...new Set(members)].join(" ");
}

export function AlertsPage() {
  const [query, setQuery] = useQuery();
  const { data, late, error, again, isComplete } = usePages<AlertPage>(address("/alerts", { limit: PER_PAGE, order: "urgency" }), { whole: true });
  const triage = useTriage();
  const [noteOn, setNoteOn] = useState<number | null>(null);
  const wanted = useRef<number | null>(null);
  // The key that moved the focus to another alert last, and when it did.
  const moved = useRef({ key: "", at: 0 });
  useTitle(data ? plural(data.total, "alert") : "Alerts");
  useKeys(triage.refusal ? null : triage, setNoteOn, wanted, moved);

  // What was acted on may stand elsewhere now: the next one in its place gets the focus.
  useEffect(() => {
    if (wanted.current === null) return;
    const links = rowLinks();
    links[Math.min(wanted.current, links.length - 1)]?.focus();
    wanted.current = null;
    moved.current.at = Date.now();
  }, [data]);

  const filter = query.get("q") ?? "";
  const accelerator = query.get("accelerator_model") ?? "";
  const order = orderOf(query.get("order"));
  const setOrder = (value: string) => setQuery({ order: value === WORST ? null : value });
  const accelerators = useMemo(() => [...new Set((data?.items ?? []).map((alert) => alert.accelerator_model))].sort(), [data]);
  const listed = useMemo(() => {
    const fitting = (data?.items ?? []).filter((alert) => (!accelerator || alert.accelerator_model === accelerator) && (!filter || matches(filter, searchText(alert))));
    return orderedBy(fitting, order);
  }, [data, accelerator, filter, order]);

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={12} />;
  const opened = (query.get("open") ?? "").split(",").filter(Boolean);
  const fold = (key: string, isOpen: boolean) => setQuery({ open: (isOpen ? [...opened.filter((one) => one !== key), key] : opened.filter((one) => one !== key)).join(",") || null }, true);
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <h1>{attentionSentence(data)}</h1>
        <p class="quiet note page-note">
          An alert is one cause: what changed at the same time on one kind of machine.{" "}
          <span class="keys-hint">
            <kbd>j</kbd> <kbd>k</kbd> go through them, <kbd>?</kbd> lists the keys.
          </span>
          {!isComplete && ` The first ${count(data.items.length)} of ${count(data.total)} are loaded.`}
        </p>
        <div class="toolbar">
          <FilterField value={filter} onChange={(value) => setQuery({ q: value || null }, true)} shown={listed.length} all={data.items.length} total={data.total} what="alerts" />
          {accelerators.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator}
              options={[{ value: "", text: "all" }, ...accelerators.map((name) => ({ value: name, text: name || "an unnamed machine" }))]}
              onChange={(value) => setQuery({ accelerator_model: value || null })}
            />
          )}
          <Select label="Order" value={order.value} options={ORDERS} onChange={setOrder} />
          <CsvLink href={address("/alerts", { state: "all", limit: PER_PAGE, format: "csv" })} name="alerts.csv" list />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {noteOn === null && <TriageNote triage={triage} />}
      {groups(listed).map((group) => {
        const isWhole = opened.includes(group.key) || group.alerts.length <= MOST_AT_FIRST;
        return (
          <Section key={group.key} id={`group-${group.key}`} title={<>{group.title} <span class="quiet">{count(group.alerts.length)}</span></>}>
            <AlertTable caption={group.title} alerts={isWhole ? group.alerts : group.alerts.slice(0, MOST_AT_FIRST)} order={order} onOrder={setOrder} />
            {!isWhole && (
              <p>
                <button type="button" class="link" onClick={() => fold(group.key, true)}>
                  All {count(group.alerts.length)}
                </button>
              </p>
            )}
          </Section>
        );
      })}
      {data.items.length === 0 && <p class="quiet">Nothing that is watched has changed, or all of it is dealt with.</p>}
      {isComplete && data.items.length > 0 && listed.length === 0 && <p class="quiet">No alert matches the choices above.</p>}
      {FOLDED.map(({ key, title, states }) => (
        <Folded key={key} title={title} states={states.join(",")} open={opened.includes(key)} onToggle={(isOpen) => fold(key, isOpen)} order={order} onOrder={setOrder} />
      ))}
      <p class="foot quiet">
        On the command line: <code>benchhud regressions</code>.
      </p>
      {triage.dialog}
      {noteOn !== null && (
        <TextDialog
          title={`Note on alert ${noteOn}`}
          label="Note"
          button="Add note"
          rows={5}
          busy={triage.busy.has(noteOn)}
          problem={<TriageProblem error={triage.error} />}
          onText={async (text) => {
            if (!text || (await triage.act({ id: noteOn }, "note", text))) setNoteOn(null);
          }}
          onClose={() => setNoteOn(null)}
        />
      )}
    </div>
  );
}

const rowLinks = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>("main a[data-alert]")];

/** A second press of the same key within this time is of the alert that had the focus before, not of the one that has it now. */
const SECOND_PRESS_MS = 600;

/** j and k move, letters act on the alert that has the focus. `triage` null: nothing can be changed. */
function useKeys(triage: Triage | null, note: (id: number) => void, wanted: { current: number | null }, moved: { current: { key: string; at: number } }) {
  // Before what the same letters do elsewhere: f, e.
  usePlainKeys(
    (event) => {
      if (document.querySelector("dialog[open]")) return;
      const links = rowLinks();
      const at = links.indexOf(document.activeElement as HTMLAnchorElement);
      const isArrow = at >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp");
      if (event.key === "j" || event.key === "k" || isArrow) {
        event.preventDefault();
        moved.current.key = "";
        const step = event.key === "j" || event.key === "ArrowDown" ? 1 : -1;
        const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))];
        next?.focus();
        next?.scrollIntoView({ block: "nearest" });
        return;
      }
      const id = Number(links[at]?.dataset["alert"]);
      if (!id || !triage) return;
      const state = stateOfKey(event.key);
      if (state) {
        event.preventDefault();
        const isSecond = event.key === moved.current.key && Date.now() - moved.current.at < SECOND_PRESS_MS;
        if (event.repeat || isSecond || wanted.current !== null) return;
        moved.current = { key: event.key, at: Date.now() };
        wanted.current = at;
        void triage.act({ id }, "state", state).then((isDone) => {
          if (!isDone) wanted.current = null;
        });
      } else if (event.key === "e") {
        event.preventDefault();
        triage.forgetError();
        atOnce(() => note(id));
      }
    },
    { first: true },
  );
}

type Ordering = { order: ReturnType<typeof orderOf>; onOrder: (value: string) => void };

/** A column's head: a click asks for its order, another one for the opposite where there is one. */
function Head({ column, children, order, onOrder }: Ordering & { column: AlertColumn; children: ComponentChildren }) {
  const isOn = order.column === column;
  return (
    <th scope="col" class={`alert-col-${column}`} aria-sort={isOn ? (order.direction === "asc" ? "ascending" : "descending") : undefined}>
      <button type="button" class="sort-head" onClick={() => onOrder(orderAfterClick(column, order))}>
        {children}
        <span class="sr">, sort</span>
        <span class="arrow" aria-hidden="true">
          {isOn ? (order.direction === "asc" ? " ↑" : " ↓") : ""}
        </span>
      </button>
    </th>
  );
}

function AlertTable({ caption, alerts, ...ordering }: Ordering & { caption: string; alerts: Alert[] }) {
  return (
    <table class="plain alerts">
      <caption class="sr">{caption}</caption>
      <thead>
        <tr>
          <th scope="col" class="alert-col-state">State</th>
          <Head column="title" {...ordering}>What changed</Head>
          <Head column="effect" {...ordering}>By how much <span class="quiet">[95 %]</span></Head>
          <Head column="since" {...ordering}>Since</Head>
          <Head column="where" {...ordering}>Where</Head>
          <Head column="owner" {...ordering}>Owner</Head>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </tbody>
    </table>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  const { details } = alert;
  const { headline } = details;
  return (
    <tr>
      <td class="alert-col-state">
        <StateSign state={alert.state} />
      </td>
      <th scope="row" class="alert-col-title">
        <DirectionSign direction={details.direction} />
        <a href={alertHref(alert)} data-alert={alert.id}>
          {unbroken(details.title)}
        </a>
      </th>
      <td class="alert-col-effect">{headline ? <><Effect changed={headline} /> <span class="quiet note">{headline.title}{headline.experiment_id === null && headline.effect !== null ? ", median" : ""}</span></> : <Missing why="no series is left of it" />}</td>
      <td class="alert-col-since">
        <span class="narrow-word">since </span>
        <RunLink run={details.onset} />
      </td>
      <td class="alert-col-where">
        {scopeText(alert)} <span class="quiet">on {alert.accelerator_model || "an unnamed machine"}</span>
      </td>
      <td class="alert-col-owner">
        {alert.owner ? <><span class="narrow-word">of </span>{alert.owner}</> : <Missing flush why="nobody's yet" />}
      </td>
    </tr>
  );
}

/** Asked for only when somebody unfolds it; how many there are is said before. */
function Folded({ title, states, open, onToggle, ...ordering }: Ordering & { title: string; states: string; open: boolean; onToggle: (open: boolean) => void }) {
  const { data } = usePages<Page<Alert>>(address("/alerts", { state: states, limit: open ? PER_PAGE : 1 }), { whole: open });
  if (!data || data.total === 0) return null;
  return (
    <details class="alert-fold" open={open} onToggle={(event) => event.currentTarget.open !== open && onToggle(event.currentTarget.open)}>
      <summary>
        <h2>
          {title} <span class="quiet">{count(data.total)}</span>
        </h2>
      </summary>
      {open && <AlertTable caption={title} alerts={orderedBy(data.items, ordering.order)} {...ordering} />}
    </details>
  );
}
