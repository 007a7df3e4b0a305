// All alerts, what needs attention first, to be gone through with the keys.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import { PER_PAGE, usePages } from "../api/pages";
import type { Alert } from "../api/types";
import {
  type AlertColumn,
  FOLDED,
  ORPHANED,
  WORST,
  ORDERS,
  attentionSentence,
  groups,
  orderAfterClick,
  orderOf,
  orderedBy,
  scopeText,
  unbroken,
} from "../lib/alerts";
import { count, plural, testName } from "../lib/format";
import { usePlainKeys, useTitle } from "../lib/hooks";
import { atOnce } from "../lib/modal";
import { alertHref, useQuery } from "../lib/route";
import { matches } from "../lib/sort";
import { muteValue, muteWords } from "../lib/triage";
import { who } from "../lib/who";
import { DirectionSign, Effect, StateSign } from "../parts/alert_bits";
import { CsvLink, FilterField, Select } from "../parts/controls";
import {
  PickAll,
  PickBar,
  PickBox,
  type Picking,
  idOf,
  pickedAlerts,
  rowLinks,
  useListed,
  usePicking,
} from "../parts/picking";
import { ErrorNote, Missing, RunLink, Section, Waiting } from "../parts/small";
import { TriageNote, type Triage, stateOfKey, useTriage } from "../parts/triage";
import { type Asking, TriageDialog } from "../parts/triage_dialogs";

/** So many of a kind are drawn before somebody asks for all. */
const MOST_AT_FIRST = 60;

/** What a filter looks in. */
function searchText({ details, owner, accelerator_model }: Alert): string {
  const members = details.members.map(
    ({ experiment, title }) =>
      `${experiment.suite} ${experiment.model} ${experiment.column} ${testName(experiment.test)} ${title}`,
  );
  return [details.title, owner, accelerator_model, ...new Set(members)].join(" ");
}

export function AlertsPage() {
  const [query, setQuery] = useQuery();
  const { data, late, error, again, isComplete } = usePages(address("/alerts", { limit: PER_PAGE, order: "urgency" }), {
    whole: true,
  });
  const triage = useTriage();
  const picking = usePicking();
  const [asking, setAsking] = useState<Asking | null>(null);
  const wanted = useRef<number | null>(null);
  // The key that moved the focus to another alert last, and when it did.
  const moved = useRef({ key: "", at: 0 });
  useTitle(data ? plural(data.total, "alert") : "Alerts");
  const ask = (what: Asking["what"], alerts: Alert[]) => {
    triage.forgetError();
    atOnce(() => setAsking({ what, alerts }));
  };
  const actOnPicked = async (state: string) => {
    if (await triage.act(pickedAlerts(picking), "state", state)) picking.clear();
  };
  useKeys({ triage: triage.refusal ? null : triage, picking, ask, actOnPicked, wanted, moved });

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
  // Whose the alerts are that are shown, for whoever looks; null: anybody's. Without a name nothing is theirs.
  const name = query.has("mine") ? (who() ?? "") : null;
  const order = orderOf(query.get("order"));
  const setOrder = (value: string) => setQuery({ order: value === WORST ? null : value });
  const accelerators = useMemo(
    () => [...new Set((data?.items ?? []).map((alert) => alert.accelerator_model))].sort(),
    [data],
  );
  const listed = useMemo(() => {
    const fitting = (data?.items ?? []).filter(
      (alert) =>
        (name === null || (name !== "" && alert.owner === name)) &&
        (!accelerator || alert.accelerator_model === accelerator) &&
        (!filter || matches(filter, searchText(alert))),
    );
    return orderedBy(fitting, order);
  }, [data, accelerator, name, filter, order]);

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={12} />;
  const canAct = triage.refusal ? null : picking;
  const opened = (query.get("open") ?? "").split(",").filter(Boolean);
  const fold = (key: string, isOpen: boolean) =>
    setQuery(
      {
        open:
          (isOpen ? [...opened.filter((one) => one !== key), key] : opened.filter((one) => one !== key)).join(",") ||
          null,
      },
      true,
    );
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <h1>{attentionSentence(data)}</h1>
        <p class="quiet note page-note">
          An alert is one cause: what changed at the same time on one kind of machine.{" "}
          <span class="keys-hint">
            <kbd>j</kbd> <kbd>k</kbd> go through them, <kbd>x</kbd> selects, <kbd>?</kbd> lists the keys.
          </span>
          {!isComplete && ` The first ${count(data.items.length)} of ${count(data.total)} are loaded.`}
        </p>
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={listed.length}
            all={data.items.length}
            total={data.total}
            what="alerts"
          />
          {accelerators.length > 1 && (
            <Select
              label="Accelerator"
              value={accelerator}
              options={[
                { value: "", text: "all" },
                ...accelerators.map((name) => ({ value: name, text: name || "an unnamed machine" })),
              ]}
              onChange={(value) => setQuery({ accelerator_model: value || null })}
            />
          )}
          <Select label="Order" value={order.value} options={ORDERS} onChange={setOrder} />
          <button
            type="button"
            class="button"
            aria-pressed={name !== null}
            title={
              name ? `Only what belongs to ${name}` : "Only what belongs to you, by the name that this browser keeps"
            }
            onClick={async () => {
              if (name !== null) setQuery({ mine: null });
              else if (await triage.named()) setQuery({ mine: "1" });
            }}
          >
            Mine
          </button>
          <CsvLink href={address("/alerts", { state: "all", limit: PER_PAGE, format: "csv" })} name="alerts.csv" list />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {asking === null && <TriageNote triage={triage} />}
      <OrphansNote owner={name} onOpen={() => fold(ORPHANED, true)} />
      {name === "" && (
        <p class="quiet note">This browser knows no name of yours: it is asked for when you first act on an alert.</p>
      )}
      {groups(listed).map((group) => {
        const isWhole = opened.includes(group.key) || group.alerts.length <= MOST_AT_FIRST;
        return (
          <Section
            key={group.key}
            id={`group-${group.key}`}
            title={
              <>
                {group.title} <span class="quiet">{count(group.alerts.length)}</span>
              </>
            }
          >
            <AlertTable
              caption={group.title}
              alerts={group.alerts}
              most={isWhole ? Infinity : MOST_AT_FIRST}
              picking={canAct}
              order={order}
              onOrder={setOrder}
            />
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
      {isComplete && data.items.length > 0 && listed.length === 0 && (
        <p class="quiet">No alert matches the choices above.</p>
      )}
      {FOLDED.map(({ key, title, states }) => (
        <Folded
          key={key}
          id={key}
          title={title}
          states={states.join(",")}
          owner={name}
          picking={canAct}
          open={opened.includes(key)}
          onToggle={(isOpen) => fold(key, isOpen)}
          order={order}
          onOrder={setOrder}
        />
      ))}
      <p class="foot quiet">
        On the command line: <code>benchhud regressions</code>.
      </p>
      {canAct && picking.picked.size > 0 && (
        <PickBar
          picking={picking}
          isBusy={[...picking.picked].some((id) => triage.busy.has(id))}
          onState={(state) => void actOnPicked(state)}
          onAsk={(what) => ask(what, pickedAlerts(picking))}
        />
      )}
      {triage.dialog}
      {asking && (
        <TriageDialog
          asking={asking}
          triage={triage}
          onDone={() => {
            setAsking(null);
            picking.clear();
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

/** A second press of the same key within this time is of the alert that had the focus before, not of the one that has it now. */
const SECOND_PRESS_MS = 600;

type Keyed = {
  /** Null: nothing can be changed. */
  triage: Triage | null;
  picking: Picking;
  ask: (what: Asking["what"], alerts: Alert[]) => void;
  actOnPicked: (state: string) => Promise<void>;
  wanted: { current: number | null };
  moved: { current: { key: string; at: number } };
};

/** j and k move; letters act on what is selected, or on the alert that has the focus where nothing is. */
function useKeys({ triage, picking, ask, actOnPicked, wanted, moved }: Keyed) {
  usePlainKeys((event) => {
    if (document.querySelector("dialog[open]")) return;
    const links = rowLinks();
    const focused = document.activeElement?.closest("tr")?.querySelector<HTMLAnchorElement>("a[data-alert]");
    const at = focused ? links.indexOf(focused) : -1;
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
    if (!triage) return;
    const id = idOf(links[at]);
    const picked = pickedAlerts(picking);
    if (event.key === "Escape" && picked.length) return picking.clear();
    if ((event.key === "x" || event.key === "X") && id) {
      event.preventDefault();
      if (!event.repeat) picking.toggle(id, event.key === "X");
      return;
    }
    const one = [...picking.listed.values()].flat().find((alert) => alert.id === id);
    const targets = picked.length ? picked : one ? [one] : [];
    if (!targets.length) return;
    if (event.key === "n" || event.key === "s") {
      event.preventDefault();
      return ask(event.key === "n" ? "note" : "mute", targets);
    }
    const state = stateOfKey(event.key);
    if (!state) return;
    event.preventDefault();
    const isSecond = event.key === moved.current.key && Date.now() - moved.current.at < SECOND_PRESS_MS;
    if (event.repeat || isSecond || wanted.current !== null) return;
    if (picked.length) return void actOnPicked(state);
    moved.current = { key: event.key, at: Date.now() };
    wanted.current = at;
    void triage.act(targets, "state", state).then((isDone) => {
      if (!isDone) wanted.current = null;
    });
  });
}

type Ordering = { order: ReturnType<typeof orderOf>; onOrder: (value: string) => void };

/** A column's head: a click asks for its order, another one for the opposite where there is one. */
function Head({ column, children, order, onOrder }: Ordering & { column: AlertColumn; children: ComponentChildren }) {
  const isOn = order.column === column;
  return (
    <th
      scope="col"
      class={`alert-col-${column}`}
      aria-sort={isOn ? (order.direction === "asc" ? "ascending" : "descending") : undefined}
    >
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

/** The first `most` of them; all can be selected. `picking` null: none can be. */
function AlertTable({
  caption,
  alerts,
  most = Infinity,
  picking,
  ...ordering
}: Ordering & { caption: string; alerts: Alert[]; most?: number; picking: Picking | null }) {
  useListed(picking, caption, alerts);
  return (
    <table class={`plain alerts${picking ? " with-picks" : ""}`}>
      <caption class="sr">{caption}</caption>
      <thead>
        <tr>
          {picking && (
            <th scope="col" class="alert-col-pick" data-untold>
              <PickAll title={caption} alerts={alerts} picking={picking} />
            </th>
          )}
          <th scope="col" class="alert-col-state">
            State
          </th>
          <Head column="title" {...ordering}>
            What changed
          </Head>
          <Head column="effect" {...ordering}>
            By how much <span class="quiet">[95 %]</span>
          </Head>
          <Head column="since" {...ordering}>
            Since
          </Head>
          <Head column="where" {...ordering}>
            Where
          </Head>
          <Head column="owner" {...ordering}>
            Owner
          </Head>
        </tr>
      </thead>
      <tbody>
        {(most < alerts.length ? alerts.slice(0, most) : alerts).map((alert) => (
          <AlertRow key={alert.id} alert={alert} picking={picking} />
        ))}
      </tbody>
    </table>
  );
}

function AlertRow({ alert, picking }: { alert: Alert; picking: Picking | null }) {
  const { details } = alert;
  const { headline } = details;
  return (
    <tr class={picking?.picked.has(alert.id) ? "is-picked" : undefined}>
      {picking && (
        <td class="alert-col-pick">
          <PickBox id={alert.id} picking={picking} />
        </td>
      )}
      <td class="alert-col-state">
        <StateSign state={alert.state} />
        {alert.state === "muted" && (
          <span class="mute-end quiet">
            {" "}
            {alert.muted_until?.date ? (
              <>
                until <span class="whole">{alert.muted_until.date}</span>
              </>
            ) : (
              muteWords(muteValue(alert.muted_until))
            )}
          </span>
        )}
      </td>
      <th scope="row" class="alert-col-title">
        <DirectionSign direction={details.direction} />
        <a href={alertHref(alert)} data-alert={alert.id}>
          {unbroken(details.title)}
        </a>
        {alert.is_orphaned && alert.successor !== null && (
          <span class="quiet">
            {" "}
            – now covered by <a href={alertHref({ id: alert.successor })}>#{alert.successor}</a>
          </span>
        )}
      </th>
      <td class="alert-col-effect">
        {headline ? (
          <>
            <Effect changed={headline} />{" "}
            <span class="quiet note">
              {headline.title}
              {headline.experiment_id === null && headline.effect !== null ? ", median" : ""}
            </span>
          </>
        ) : (
          <Missing why="no series is left of it" />
        )}
      </td>
      <td class="alert-col-since">
        <span class="narrow-word">since </span>
        <RunLink run={details.onset} />
      </td>
      <td class="alert-col-where">
        {scopeText(alert)} <span class="quiet">on {alert.accelerator_model || "an unnamed machine"}</span>
      </td>
      <td class="alert-col-owner">
        {alert.owner ? (
          <>
            <span class="narrow-word">of </span>
            {alert.owner}
          </>
        ) : (
          <Missing flush why="nobody's yet" />
        )}
      </td>
    </tr>
  );
}

/** That people acted on alerts which are not found any more, where there are any. */
function OrphansNote({ owner, onOpen }: { owner: string | null; onOpen: () => void }) {
  const { data } = usePages(owner === "" ? null : address("/alerts", { state: ORPHANED, owner, limit: 1 }));
  if (!data || data.total === 0) return null;
  const open = (event: Event) => {
    event.preventDefault();
    atOnce(onOpen);
    document.getElementById(`fold-${ORPHANED}`)?.scrollIntoView();
  };
  return (
    <p class="note orphan">
      {data.total === 1 ? "An alert" : `${count(data.total)} alerts`} that people acted on{" "}
      {data.total === 1 ? "is" : "are"} not found any more.{" "}
      <a href={`/alerts?open=${ORPHANED}`} onClick={open}>
        Show {data.total === 1 ? "it" : "them"}
      </a>
    </p>
  );
}

/** Asked for only when somebody unfolds it; how many there are is said before. */
function Folded({
  id,
  title,
  states,
  owner,
  picking,
  open,
  onToggle,
  ...ordering
}: Ordering & {
  id: string;
  title: string;
  states: string;
  owner: string | null;
  picking: Picking | null;
  open: boolean;
  onToggle: (open: boolean) => void;
}) {
  const { data } = usePages(
    owner === "" ? null : address("/alerts", { state: states, owner, limit: open ? PER_PAGE : 1 }),
    { whole: open },
  );
  const alerts = useMemo(() => orderedBy(data?.items ?? [], ordering.order), [data, ordering.order]);
  if (!data || data.total === 0) return null;
  return (
    <details
      class="alert-fold"
      id={`fold-${id}`}
      open={open}
      onToggle={(event) => event.currentTarget.open !== open && onToggle(event.currentTarget.open)}
    >
      <summary>
        <h2>
          {title} <span class="quiet">{count(data.total)}</span>
        </h2>
      </summary>
      {open && <AlertTable caption={title} alerts={alerts} picking={picking} {...ordering} />}
    </details>
  );
}
