import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert, AlertMember, AlertPage } from "../src/api/types";
import {
  WORST,
  ORDERS,
  TRIAGE,
  attentionSentence,
  effectText,
  groups,
  headlineMember,
  levelsText,
  mainMember,
  orderAfterClick,
  orderOf,
  orderedBy,
  probability,
  stateWords,
  unbroken,
} from "../src/lib/alerts";
import { markOf, placed } from "../src/lib/changes";
import { ALERT_KEYS, KEYS } from "../src/lib/keys";
import { type Target, doneWords, pieces, undoSteps, undoneWords } from "../src/lib/triage";

const run = (day: number) => ({
  id: day,
  name: `n${day}`,
  accelerator_model: "A100",
  started_at: new Date(day * 86_400_000).toISOString(),
  verified_at: null,
  labels: {},
});

function member(more: Partial<AlertMember>): AlertMember {
  return {
    experiment: { id: 1 },
    metric: "steady",
    title: "steady time",
    unit: "s",
    better: "lower",
    state: "confirmed",
    direction: "regression",
    onset: run(5),
    earliest: run(5),
    latest: run(5),
    ...more,
  } as AlertMember;
}
const timed = (effect: number, more: Partial<AlertMember> = {}) =>
  member({
    before: 0.002,
    after: 0.002 * (1 + effect),
    effect,
    interval: { low: effect - 0.01, high: effect + 0.01, confidence: 0.95 },
    ...more,
  });

const alert = (id: number, urgency: Alert["urgency"]): Alert =>
  ({ id, urgency, details: { members: [] } }) as unknown as Alert;

test("an alert is mostly about its steady time, however large something less telling is", () => {
  const steady = timed(0.1);
  assert.equal(
    mainMember([
      timed(3, { metric: "compile" }),
      steady,
      member({ metric: "graph_breaks", before_text: "0", after_text: "2" }),
    ]),
    steady,
  );
  assert.equal(mainMember([timed(0.05), steady]), steady, "of two alike the larger");
  assert.equal(mainMember([timed(5, { state: "suspect" }), steady]), steady, "of two alike the surer");
  const baselines = timed(0.5, { metric: "speedup", is_doing_of_baseline: true });
  const compile = timed(0.2, { metric: "compile" });
  assert.equal(mainMember([baselines, compile]), compile, "what the baseline did comes last");
  assert.equal(mainMember([]), null);
});

test("effects, levels and p-values as they are read", () => {
  assert.equal(effectText(timed(0.299)), "+29.9 % [+28.9, +30.9]");
  assert.equal(effectText(timed(-0.05, { interval: null })), "−5.0 %");
  assert.equal(levelsText(timed(0.3)), "2.00 → 2.60 ms");
  assert.equal(levelsText(timed(0.1, { metric: "speedup", unit: "", before: 1, after: 1.1 })), "1.00 → 1.10×");
  assert.equal(effectText(member({ metric: "verification", before_text: "PASS", after_text: "FAIL" })), "PASS → FAIL");
  assert.equal(probability(0.0369), "0.037");
  assert.equal(probability(3.2e-6), "3e−6");
  assert.equal(probability(0), "< 1e-12");
  assert.equal(probability(undefined), "–");
  assert.equal(unbroken("breaks 0 → 2, 6.5 % slower"), "breaks 0\u00a0→\u00a02, 6.5\u00a0% slower");
});

test("regressions that are sure come first, what somebody is on after what nobody is", () => {
  const list = [
    alert(1, "improvement"),
    alert(2, "suspect"),
    alert(3, "taken"),
    alert(4, "confirmed"),
    alert(5, "change"),
    alert(6, "improvement"),
    alert(7, "closed"),
  ];
  assert.deepEqual(
    groups(list).map((group) => [group.key, group.alerts.map((one) => one.id)]),
    [
      ["confirmed", [4]],
      ["suspect", [2]],
      ["taken", [3]],
      ["improvement", [1, 6]],
      ["change", [5]],
    ],
  );
  assert.deepEqual(groups([]), []);
});

test("an alert is about what its title tells", () => {
  const small = timed(0.1),
    large = timed(0.2, { experiment: { id: 2 } as AlertMember["experiment"] }),
    compile = timed(0.5, { metric: "compile" });
  const details = (headline: object | null, members = [small, large, compile]) =>
    ({ headline, members }) as unknown as Alert["details"];
  assert.equal(headlineMember(details({ metric: "steady", experiment_id: 1 })), small);
  assert.equal(
    headlineMember(details({ metric: "steady", experiment_id: null })),
    large,
    "of what most did the largest",
  );
  assert.equal(headlineMember(details({ metric: "compile", experiment_id: 7 })), compile, "one that is gone");
  assert.equal(headlineMember(details(null)), large);
  assert.equal(headlineMember(details(null, [])), null);
});

test("a group is gone through in the order that was asked for, and each head asks for its own", () => {
  const full = (id: number, day: number, weight: number, owner: string | null): Alert =>
    ({
      id,
      owner,
      accelerator_model: "A100",
      details: {
        title: `model ${id} got slower`,
        scope: "model",
        subject: { backend: null },
        onset: run(day),
        weight,
        members: [],
      },
    }) as unknown as Alert;
  const list = [full(10, 3, 0.5, null), full(9, 5, 0.2, "ben"), full(2, 5, 1001, "ann"), full(1, 4, 0.1, null)];
  const by = (value: string | null) => orderedBy(list, orderOf(value)).map((one) => one.id);
  assert.deepEqual(by(null), [2, 10, 9, 1], "the worst first");
  assert.deepEqual(by("no such order"), by(WORST));
  assert.deepEqual(by("least"), [1, 9, 10, 2]);
  assert.deepEqual(by("newest"), [9, 2, 1, 10], "of one night as they come");
  assert.deepEqual(by("oldest"), [10, 1, 9, 2]);
  assert.deepEqual(by("title"), [1, 2, 9, 10], "numbers as numbers");
  assert.deepEqual(by("owner"), [2, 9, 10, 1], "nobody's come last");
  assert.equal(orderAfterClick("effect", orderOf(WORST)), "least");
  assert.equal(orderAfterClick("effect", orderOf("newest")), WORST);
  assert.equal(orderAfterClick("since", orderOf(WORST)), "newest");
  assert.equal(orderAfterClick("since", orderOf("newest")), "oldest");
  assert.equal(orderAfterClick("owner", orderOf("owner")), "owner");
  for (const { column } of ORDERS) assert.notEqual(orderAfterClick(column, orderOf("none")), undefined);
});

test("how many alerts wait is said by how urgent they are, what somebody has taken up apart", () => {
  const of = (more: Partial<AlertPage["counts"]>) =>
    attentionSentence({
      counts: { confirmed: 0, suspect: 0, taken: 0, improvement: 0, change: 0, muted: 0, closed: 9, ...more },
    });
  assert.equal(
    of({ confirmed: 1, suspect: 2, taken: 1, improvement: 1, change: 1 }),
    "3 alerts need attention: 1 confirmed regression, 2 suspected; 1 improvement; 1 neither better nor worse; 1 is taken up.",
  );
  assert.equal(of({ suspect: 1 }), "1 alert needs attention: 1 suspected regression.");
  assert.equal(of({ improvement: 1200 }), "No alert needs attention; 1,200 improvements.");
  assert.equal(of({ taken: 2 }), "No alert needs attention; 2 are taken up.");
  assert.equal(of({}), "No alert needs attention.");
});

test("every state has words and a sign, and every key does one thing", () => {
  for (const { state } of TRIAGE) if (state !== "open") assert.notEqual(stateWords(state).glyph, "?", state);
  assert.equal(stateWords("<b>").word, "<b>", "one that this version does not know is named");
  assert.deepEqual(
    TRIAGE.map(({ key }) => key),
    ALERT_KEYS.map(([key]) => key).slice(0, TRIAGE.length),
  );
  assert.equal(new Set(ALERT_KEYS.map(([key]) => key)).size, ALERT_KEYS.length);
});

test("no key of the alerts is one that works everywhere", () => {
  const everywhere = new Set(KEYS.flatMap(([names]) => (names.startsWith("g ") ? ["g"] : names.split(" "))));
  for (const [key, what] of ALERT_KEYS) {
    assert.equal(key.length, 1, key);
    assert.ok(!everywhere.has(key), `${key}: ${what}`);
  }
  const all = KEYS.map(([names]) => names);
  assert.equal(new Set(all).size, all.length);
});

const target = (id: number, more: Partial<Target> = {}): Target => ({
  id,
  triage: "open",
  owner: "",
  link: "",
  muted_until: null,
  ...more,
});
const taken = { triage: "acknowledged", owner: "ada" } as const;
const now = (...all: Target[]) => new Map(all.map((one) => [one.id, one]));

test("what was done is said, and taken back to what each alert was", () => {
  assert.equal(doneWords([target(5)], "state", "acknowledged", "ada"), "#5 is acknowledged, and yours.");
  assert.equal(doneWords([target(5)], "state", "acknowledged", ""), "#5 is acknowledged.");
  assert.equal(doneWords([target(5, { owner: "bob" })], "state", "investigating", "ada"), "#5 is being investigated.");
  assert.equal(
    doneWords([target(5), target(6), target(7, { owner: "bob" })], "state", "acknowledged", "ada"),
    "3 alerts are acknowledged; 2 of them are yours now.",
  );
  assert.equal(
    doneWords([target(5), target(6)], "state", "acknowledged", "ada"),
    "2 alerts are acknowledged, and yours.",
  );
  assert.equal(doneWords([target(5)], "state", "wont_fix", "ada"), "#5 will not be fixed.");
  assert.equal(doneWords([target(5)], "mute", "2026-12-24", "ada"), "#5 is muted until 2026-12-24.");
  assert.equal(doneWords([target(5), target(6)], "mute", "worse", "ada"), "2 alerts are muted until each is worse.");
  assert.equal(doneWords([target(5)], "mute", "", "ada"), "#5 is not muted any more.");
  assert.equal(doneWords([target(5)], "owner", "", "ada"), "#5 belongs to nobody.");

  assert.deepEqual(
    undoSteps(
      [target(5), target(6, { triage: "fixed" }), target(7, { owner: "bob" })],
      "state",
      "acknowledged",
      "ada",
      now(target(5, taken), target(6, taken), target(7, { ...taken, owner: "bob" })),
    ),
    {
      steps: [
        { ids: [5, 7], kind: "state", value: "open" },
        { ids: [6], kind: "state", value: "fixed" },
        { ids: [5, 6], kind: "owner", value: "" },
      ],
      stays: [],
    },
  );
  // Who takes it back does not become the owner of what was acknowledged and nobody's.
  assert.deepEqual(
    undoSteps([target(5, { triage: "acknowledged" })], "state", "fixed", "ada", now(target(5, { triage: "fixed" })))
      .steps,
    [
      { ids: [5], kind: "state", value: "acknowledged" },
      { ids: [5], kind: "owner", value: "" },
    ],
  );
  assert.deepEqual(
    undoSteps(
      [target(5, { owner: "bob" }), target(6)],
      "owner",
      "ada",
      "ada",
      now(target(5, { owner: "ada" }), target(6, { owner: "ada" })),
    ).steps,
    [
      { ids: [5], kind: "owner", value: "bob" },
      { ids: [6], kind: "owner", value: "" },
    ],
  );
  const mutes = [
    target(5, { muted_until: { date: "2026-12-24", state: null } }),
    target(6, { muted_until: { date: null, state: "worse" } }),
  ];
  assert.deepEqual(undoSteps(mutes, "mute", "", "ada", now(target(5), target(6))).steps, [
    { ids: [5], kind: "mute", value: "2026-12-24" },
    { ids: [6], kind: "mute", value: "worse" },
  ]);
  const many = Array.from({ length: 1001 }, (_, id) => target(id));
  assert.deepEqual(
    undoSteps(many, "owner", "ada", "ada", now(...many.map(({ id }) => target(id, { owner: "ada" })))).steps.map(
      ({ ids }) => ids.length,
    ),
    [1000, 1],
  );
});

test("what somebody else changed since stays when something is undone, and that is said", () => {
  const two = [target(5), target(6)];
  const theirs = undoSteps(
    two,
    "state",
    "acknowledged",
    "ada",
    now(target(5, { triage: "fixed", owner: "ada" }), target(6, taken)),
  );
  assert.deepEqual(theirs, {
    steps: [
      { ids: [6], kind: "state", value: "open" },
      { ids: [5, 6], kind: "owner", value: "" },
    ],
    stays: [{ field: "state", id: 5 }],
  });
  assert.equal(
    undoneWords(two, theirs),
    "#6 is as it was before. The state of #5 was changed by somebody else since, and stays as it is.",
  );
  const given = undoSteps([target(5)], "state", "acknowledged", "ada", now(target(5, { ...taken, owner: "bob" })));
  assert.deepEqual(given, { steps: [{ ids: [5], kind: "state", value: "open" }], stays: [{ field: "owner", id: 5 }] });
  assert.deepEqual(
    undoSteps([target(5)], "link", "https://a.example", "ada", now(target(5))),
    { steps: [], stays: [] },
    "somebody put it back already",
  );
  assert.deepEqual(undoSteps([target(5)], "mute", "worse", "ada", now()).stays, [{ field: "mute", id: 5 }]);

  assert.equal(undoneWords(two, { stays: [] }), "2 alerts are as they were before.");
  assert.equal(undoneWords(two, { stays: [] }, [6], "No."), "#5 is as it was before. #6 could not be put back. No.");
  assert.equal(undoneWords(two, { stays: [] }, [5, 6], "No."), "It could not be undone. No.");
  assert.deepEqual(pieces([1, 2, 3], 2), [[1, 2], [3]]);
});

test("a change stands between two nights, and its levels reach to the next one", () => {
  const day = 86_400;
  const nights = [1, 2, 3, 5, 6, 7].map((one) => one * day);
  const first = markOf(1, timed(0.3, { onset: run(5), earliest: run(3), latest: run(6) }));
  const second = markOf(1, { ...timed(0.1), onset: run(7), earliest: run(7), latest: run(7) });
  const other = markOf(2, timed(0.1, { onset: run(6), earliest: run(6), latest: run(6) }));
  const [a, b, c] = placed([second, other, first], nights);
  assert.deepEqual([a?.rule, a?.from, a?.to, a?.begin, a?.end], [4 * day, 2.5 * day, 5.5 * day, 1 * day, 6.5 * day]);
  assert.deepEqual(
    [b?.mark.experiment, b?.begin, b?.end],
    [2, 1 * day, 7 * day],
    "another series' changes do not end its levels",
  );
  assert.deepEqual([c?.begin, c?.end], [4 * day, 7 * day]);
  assert.deepEqual(placed([first], [6 * day, 7 * day]), [], "what began before the chart is not in it");
  assert.deepEqual(placed([first], []), []);
});
