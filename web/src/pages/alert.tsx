// One alert: what changed and since when, what else moved, how to measure it again, and what people made of it.
import { useMemo, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import type { AlertCause, AlertMember, AlertWithHistory } from "../api/types";
import { useApi } from "../api/use";
import {
  directionWord,
  headlineMember,
  isTimed,
  levelsText,
  levelsTitle,
  probability,
  scopeText,
  stateWords,
  unbroken,
} from "../lib/alerts";
import { compareHref } from "../lib/compare";
import { digits, full, plural, runName, shown, testName } from "../lib/format";
import { usePlainKeys, useTitle } from "../lib/hooks";
import { atOnce } from "../lib/modal";
import { errorHref, modelHref, profileComparisonHref, profileDiffHref, profileHref } from "../lib/route";
import { muteValue, muteWords } from "../lib/triage";
import { DirectionSign, Effect, StateSign } from "../parts/alert_bits";
import { MarkdownButton } from "../parts/controls";
import { AlertChart } from "../parts/alert_chart";
import { AlertHistory, OrphanNote } from "../parts/alert_history";
import { ExcludeNights } from "../parts/exclude_nights";
import { QualityOfNight } from "../parts/night_quality";
import { PlainTable } from "../parts/plain_table";
import {
  Backend,
  Command,
  Copy,
  ErrorNote,
  LabelRange,
  Missing,
  RunLink,
  Section,
  Suite,
  Waiting,
} from "../parts/small";
import { StateButtons, type Triage, TriageNote, stateOfKey, useTriage } from "../parts/triage";
import { TriageDialog } from "../parts/triage_dialogs";

export function AlertPage({ id }: { id: number }) {
  const { data, late, error, again } = useApi(address("/alerts/{id}", { id }));
  const triage = useTriage();
  const note = useRef<HTMLTextAreaElement>(null);
  const [excluding, setExcluding] = useState(false);
  useTitle(data ? data.details.title : "Alert");
  const main = useMemo(() => (data ? headlineMember(data.details) : null), [data]);

  const [isMuting, setIsMuting] = useState(false);
  const mute = () => {
    triage.forgetError();
    atOnce(() => setIsMuting(true));
  };
  usePlainKeys((event) => {
    if (!data || triage.refusal || document.querySelector("dialog[open]")) return;
    const state = stateOfKey(event.key);
    if (state) {
      if (!event.repeat) void triage.act([data], "state", state);
    } else if (event.key === "n") note.current?.focus();
    else if (event.key === "s") mute();
    else return;
    event.preventDefault();
  });

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={16} />;
  const { details } = data;
  const { subject } = details;
  const errors = data.causes.filter((cause) => cause.kind === "error");
  const others = data.causes.filter((cause) => cause.kind !== "error");
  return (
    <div class={late ? "late" : ""}>
      <header class="page-head">
        <div class="kicker">
          <a href="/alerts">Alerts</a>
          <Copy text={String(data.id)} label=", copy the number">
            #{data.id}
          </Copy>
          <span class="accel">{data.accelerator_model || "an unnamed machine"}</span>
          {subject.backend !== null && details.scope === "backend" ? (
            <Backend name={subject.backend} link={{ accelerator_model: data.accelerator_model }} />
          ) : (
            <span>{scopeText(data)}</span>
          )}
          {subject.suite !== null && (
            <Suite name={subject.suite} link={{ accelerator_model: data.accelerator_model }} />
          )}
          {subject.suite !== null && subject.model !== null && (
            <a
              class="mono"
              href={modelHref(subject.suite, subject.model, { accelerator_model: data.accelerator_model })}
            >
              {shown(subject.model)}
            </a>
          )}
        </div>
        <h1>
          <DirectionSign direction={details.direction} /> {unbroken(details.title)}
        </h1>
        {details.explanation && (
          <p class="why" data-told="Explanation">
            {unbroken(details.explanation)}
          </p>
        )}
        <Buttons alert={data} triage={triage} onMute={mute} />
        <div class="toolbar">
          {details.last_good && details.first_bad && (
            <a
              class="button"
              data-compare
              href={compareHref(
                details.last_good,
                details.first_bad,
                subject.model === null ? {} : { q: subject.model },
              )}
              title="All results of the last good and the first bad run, side by side (c)"
            >
              Compare before and after
            </a>
          )}
          {!triage.refusal && (
            <button
              type="button"
              class="button"
              onClick={() => atOnce(() => setExcluding(true))}
              title="Leave nights out, after a look at which alerts would remain"
            >
              Exclude nights…
            </button>
          )}
          <MarkdownButton />
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept />}
      {!isMuting && <TriageNote triage={triage} />}
      <OrphanNote alert={data} />
      <Facts alert={data} />
      {errors.length > 0 && (
        <Section id="errors" title="How it failed" note="The last lines of each error, in the run in which it began.">
          <Causes causes={errors} />
        </Section>
      )}
      {main && (
        <>
          <h2 class="sr">Chart</h2>
          <AlertChart alert={data} member={main} />
        </>
      )}
      <Section
        id="members"
        title={
          <>
            Series that changed <span class="quiet">{details.members.length}</span>
          </>
        }
        note="p: how likely nights like these are by chance. q: the share of false ones among all changes at least as sure."
      >
        <Members members={details.members} />
      </Section>
      {others.length > 0 && (
        <Section id="causes" title="What else moved" note="Seen at the same time: it may be why.">
          <Causes causes={others} />
        </Section>
      )}
      {data.reproduction && (
        <Section id="reproduction" title="Measure it again">
          <div class="wide-command">
            <Command text={data.reproduction} />
          </div>
        </Section>
      )}
      <Section id="history" title="History">
        <AlertHistory alert={data} />
        {!triage.refusal && <Forms alert={data} triage={triage} note={note} />}
      </Section>
      {triage.dialog}
      {isMuting && (
        <TriageDialog
          asking={{ what: "mute", alerts: [data] }}
          triage={triage}
          onDone={() => setIsMuting(false)}
          onClose={() => setIsMuting(false)}
        />
      )}
      {excluding && <ExcludeNights alert={data} onClose={() => atOnce(() => setExcluding(false))} />}
    </div>
  );
}

function Buttons({ alert, triage, onMute }: { alert: AlertWithHistory; triage: Triage; onMute: () => void }) {
  return (
    <div class="triage" role="group" aria-label="State">
      <StateSign state={alert.state} />
      {!triage.refusal && (
        <>
          <StateButtons
            pressed={alert.triage}
            isBusy={triage.busy.has(alert.id)}
            onState={(state) => void triage.act([alert], "state", state)}
          />
          <button
            type="button"
            class="button"
            aria-pressed={alert.muted_until !== null}
            title="Not hear of it until a day or a state (s)"
            disabled={triage.busy.has(alert.id)}
            onClick={onMute}
          >
            {alert.muted_until ? "Muted…" : "Mute…"} <kbd aria-hidden="true">s</kbd>
          </button>
        </>
      )}
    </div>
  );
}

function Facts({ alert }: { alert: AlertWithHistory }) {
  const { details } = alert;
  const isLink = /^https?:\/\//.test(alert.link);
  return (
    <dl class="facts alert-facts">
      <dt>Since</dt>
      <dd>
        <RunLink run={details.onset} />
        {details.last_good && details.last_good.id !== details.onset.id && (
          <span class="quiet">
            {" "}
            – the last good run is <RunLink run={details.last_good} />, the first bad one{" "}
            <RunLink run={details.first_bad} />
          </span>
        )}{" "}
        <QualityOfNight run={details.onset} />
        {!details.last_good && <span class="quiet"> – there is no run before it that is sure to be good</span>}
      </dd>
      {details.labels.map((label) => (
        <>
          <dt key={`${label.key} name`}>{label.key}</dt>
          <dd key={label.key}>
            <LabelRange
              name={label.key}
              before={label.before}
              after={label.after}
              whyNot={["the last good run has no such label", "the first bad run has no such label"]}
            />
          </dd>
        </>
      ))}
      <dt>Measurements say</dt>
      <dd>
        {stateWords(alert.detected).word}
        <span class="quiet">
          {details.closed ? (
            <>
              {" "}
              with <RunLink run={details.closed} />
            </>
          ) : details.confirmed ? (
            <>
              {" "}
              with <RunLink run={details.confirmed} />
            </>
          ) : (
            ""
          )}
        </span>
        {details.rerun && <span>; {details.rerun}</span>}
      </dd>
      {alert.muted_until && (
        <>
          <dt>Muted</dt>
          <dd>{muteWords(muteValue(alert.muted_until))}</dd>
        </>
      )}
      <dt>Owner</dt>
      <dd>{alert.owner || <span class="quiet">nobody</span>}</dd>
      {alert.link && (
        <>
          <dt>More</dt>
          <dd>
            {isLink ? (
              <a href={alert.link} target="_blank" rel="noopener noreferrer">
                {alert.link}
              </a>
            ) : (
              <span class="mono">{alert.link}</span>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

function Members({ members }: { members: AlertMember[] }) {
  return (
    <PlainTable
      caption="Series that changed"
      class="members"
      heads={[
        { title: "Series" },
        { title: "Metric" },
        { title: "State" },
        { title: "Before → after", right: true },
        {
          title: (
            <>
              Change <span class="quiet">[95 %]</span>
            </>
          ),
          right: true,
        },
        { title: "p", right: true, hint: "How likely nights like the ones before look like this by chance" },
        { title: "q", right: true, hint: "The share of false ones among all changes at least as sure" },
        { title: "Nights", right: true, hint: "Before + after" },
        { title: "Nights are" },
      ]}
    >
      <tbody>
        {members.map((member) => (
          <MemberRow key={`${member.experiment.id} ${member.metric} ${member.onset.id}`} member={member} />
        ))}
      </tbody>
    </PlainTable>
  );
}

function MemberRow({ member }: { member: AlertMember }) {
  const { experiment } = member;
  const timed = isTimed(member);
  return (
    <tr>
      <th scope="row">
        <a
          class="mono"
          href={modelHref(experiment.suite, experiment.model, {
            test: experiment.test,
            accelerator_model: experiment.accelerator_model,
          })}
        >
          {shown(experiment.model)}
        </a>{" "}
        <span class="quiet">{testName(experiment.test)}</span>{" "}
        <Backend
          name={experiment.column}
          backend={experiment.backend}
          link={{ accelerator_model: experiment.accelerator_model, test: experiment.test }}
        />
        {experiment.batch_size !== null && <span class="quiet"> batch {experiment.batch_size}</span>}
      </th>
      <td>
        <DirectionSign direction={member.direction} />
        <a
          href={profileHref(member.onset.id, experiment.id)}
          title={`The profile of ${runName(member.onset)}; ${directionWord(member.direction)}`}
        >
          {member.title}
        </a>
        {member.is_doing_of_baseline && (
          <span class="quiet" title="What the speedup is against moved, not this backend">
            {" "}
            its baseline's
          </span>
        )}
      </td>
      <td>
        <StateSign state={member.state} />
      </td>
      <td class="right" title={levelsTitle(member)}>
        <span class="num">{levelsText(member)}</span>
      </td>
      <td class="right">
        {timed ? (
          <Effect changed={member} title={levelsTitle(member)} />
        ) : (
          <Missing flush why="a count or a verdict: see before and after" />
        )}
      </td>
      <td class="right">
        {timed ? (
          <span class="num" title={full(member.p_value)}>
            {probability(member.p_value)}
          </span>
        ) : (
          <Missing flush why="of counts and verdicts there is none" />
        )}
      </td>
      <td class="right">
        {timed ? (
          <span class="num" title={full(member.q_value)}>
            {probability(member.q_value)}
          </span>
        ) : (
          <Missing flush why="of counts and verdicts there is none" />
        )}
      </td>
      <td class="right">
        {timed ? (
          <span class="num">
            {member.nights_before} + {member.nights_after}
          </span>
        ) : (
          <Missing flush why="of counts and verdicts none is needed" />
        )}
      </td>
      <td>
        {member.noise && (
          <span
            class="hint"
            title={`${member.noise.meaning}${member.noise.sigma === null ? "" : `\na night is ${digits(member.noise.sigma * 100, 2)} % off its level (standard deviation)`}`}
          >
            {member.noise.class.replace("_", " ")}
          </span>
        )}
        {member.flakiness && member.flakiness.flips > 0 && (
          <span
            class="hint"
            title={`${member.flakiness.flips} of the last ${member.flakiness.of} values differed from the one before`}
          >
            {member.flakiness.flips > 2
              ? "flaky"
              : `${plural(member.flakiness.flips, "flip")} in ${member.flakiness.of}`}
          </span>
        )}
      </td>
    </tr>
  );
}

function Causes({ causes }: { causes: AlertCause[] }) {
  return (
    <ul class="causes" data-told="What else moved">
      {causes.map((cause, index) => (
        <li key={index}>
          {cause.explains ? <strong>{cause.title}</strong> : <span class="quiet">Not known: {cause.title}</span>}{" "}
          {cause.share !== null && <span class="quiet">{digits(cause.share * 100, 2)} % of the change</span>}
          {cause.signature !== null && <a href={errorHref(cause.signature)}>This error over runs</a>}
          {cause.lines.length > 0 && <pre>{cause.lines.join("\n")}</pre>}
          {cause.compared && (
            <div>
              {cause.kind === "operators" ? (
                <a
                  href={profileComparisonHref(
                    { run: cause.compared.before_run, experiment: cause.compared.experiment },
                    cause.compared,
                  )}
                >
                  Where an iteration went on both nights
                </a>
              ) : (
                <a
                  href={profileDiffHref(
                    { run: cause.compared.before_run, experiment: cause.compared.experiment },
                    cause.compared,
                  )}
                >
                  All differences of the two profiles
                </a>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Forms({
  alert,
  triage,
  note,
}: {
  alert: AlertWithHistory;
  triage: Triage;
  note: { current: HTMLTextAreaElement | null };
}) {
  const [text, setText] = useState("");
  const busy = triage.busy.has(alert.id);
  const add = async () => {
    // What was not taken stays, and so does what was written meanwhile.
    if (text.trim() && (await triage.act([alert], "note", text.trim()))) setText((now) => (now === text ? "" : now));
  };
  return (
    <div class="forms">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label class="field">
          <span>Note</span>
          <textarea
            ref={note}
            rows={3}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void add();
            }}
          />
        </label>
        <button type="submit" class="button" disabled={busy}>
          Add note
        </button>
      </form>
      <OneLine
        key={`owner ${alert.owner}`}
        label="Owner"
        value={alert.owner}
        busy={busy}
        onSet={(value) => void triage.act([alert], "owner", value)}
      />
      <OneLine
        key={`link ${alert.link}`}
        label="Link: an issue, a commit"
        value={alert.link}
        type="url"
        busy={busy}
        onSet={(value) => void triage.act([alert], "link", value)}
      />
    </div>
  );
}

/** A text that is set as a whole; an empty one takes it away. */
function OneLine({
  label,
  value,
  type = "text",
  busy,
  onSet,
}: {
  label: string;
  value: string;
  type?: string;
  busy: boolean;
  onSet: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== value) onSet(text.trim());
      }}
    >
      <label class="field">
        <span>{label}</span>
        <input type={type} value={text} maxLength={1000} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="button" disabled={busy}>
        {text.trim() === "" && value !== "" ? "Take away" : "Set"}
      </button>
    </form>
  );
}
