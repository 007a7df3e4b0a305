// Alerts as a person goes through them: the list by keys, an alert's page, its marks in charts and on other pages.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, driven, eventually, night, openBrowser, openPage, samples, serve, settled, shot, text, visit } from "./support.mjs";

let server;
let browser;
before(async () => {
  server = await serve([samples]);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const on = (address, body, options) => driven(browser, server.base + address, body, options);

const alertOf = async (model) => (await server.api("/alerts?state=all")).items.find((one) => one.state !== "withdrawn" && one.details.subject.model === model);
/** Does something with alerts, as a program would. */
async function act(ids, kind, value, who = "") {
  const answer = await fetch(`${server.base}/api/v1/alerts/actions`, { method: "POST", headers: { ...server.bearer, "content-type": "application/json" }, body: JSON.stringify({ ids, kind, value, who }) });
  assert.equal(answer.status, 200, await answer.text());
}
/** Alerts as if nobody had said anything of them. */
async function untouched(alerts) {
  const ids = alerts.map(({ id }) => id);
  for (const [kind, value] of [["state", "open"], ["owner", ""], ["mute", ""]]) await act(ids, kind, value);
}

const links = (page) => page.locator("main a[data-alert]");
const focused = (page) => page.evaluate(() => document.activeElement?.dataset.alert ?? null);
/** Titles are drawn with blanks that do not break. */
const plain = (shown) => shown.replace(/\s+/g, " ").trim();

test("the list: what needs attention, with its effect, its night and a count in the navigation", async () => {
  const { items, total } = await server.api("/alerts");
  await on("/alerts", async (page) => {
    assert.match(await text(page.locator("h1")), new RegExp(`^${total} alerts need attention`));
    assert.equal(await links(page).count(), total);
    for (const alert of items) {
      const row = page.locator("tr", { has: page.locator(`a[data-alert="${alert.id}"]`) });
      const shown = plain(await row.innerText());
      assert.ok(shown.includes(alert.details.title), shown);
      assert.ok(shown.includes(alert.state), "the state is a word");
      assert.ok(shown.includes(alert.details.onset.started_at.slice(0, 10)), shown);
      assert.ok(shown.includes(alert.accelerator_model), shown);
    }
    assert.match(await text(page.locator('.top nav a[href="/alerts"]')), new RegExp(`^Alerts ${total}`));
    const others = (await server.api("/alerts?state=recovered,withdrawn&limit=1")).total;
    const fold = page.locator("details", { hasText: "Recovered or withdrawn" });
    assert.match(await text(fold), new RegExp(`${others}$`));
    await fold.locator("summary").click();
    await eventually(async () => assert.equal(await links(page).count(), total + others));
    assert.deepEqual(await axe(page), []);
  });
});

test("keys go through the list, act, ask once for a name, and the next alert has the focus", async () => {
  const { items } = await server.api("/alerts");
  try {
    await on("/alerts", async (page) => {
      const order = await links(page).evaluateAll((nodes) => nodes.map((node) => node.dataset.alert));
      await page.keyboard.press("j");
      assert.equal(await focused(page), order[0]);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      assert.equal(await focused(page), order.at(-1), "the last one is the end");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("k");
      assert.equal(await focused(page), order[0]);

      await page.keyboard.press("i");
      await page.getByLabel("Name", { exact: true }).fill("Ada <b>");
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal((await server.api(`/alerts/${order[0]}`)).state, "investigating"));
      const [action] = (await server.api(`/alerts/${order[0]}`)).actions;
      assert.deepEqual([action.who, action.kind, action.value], ["Ada <b>", "state", "investigating"]);
      await eventually(async () => assert.equal(await focused(page), order[1], "the next one is in its place"));
      assert.ok(plain(await page.locator("section", { hasText: "Taken up" }).innerText()).includes("investigating"));

      await page.keyboard.press("a");
      await eventually(async () => assert.equal((await server.api(`/alerts/${order[1]}`)).state, "acknowledged"));
      assert.equal(await page.locator("dialog[open]").count(), 0, "the name is asked for once");
      await eventually(async () => assert.equal(await focused(page), order[2]));

      await page.keyboard.press("n");
      await page.getByLabel("Note", { exact: true }).fill("since the driver\nof 10 November");
      await page.getByRole("button", { name: "Add note" }).click();
      await eventually(async () => assert.equal((await server.api(`/alerts/${order[2]}`)).actions.at(-1)?.value, "since the driver\nof 10 November"));
      // The page hears of it after the server wrote it, and until then every key is the dialog's.
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      assert.equal(await focused(page), order[2]);

      await page.keyboard.press("d");
      await eventually(async () => assert.equal(await links(page).count(), items.length - 1, "what is fixed needs no attention"));
      await eventually(async () => assert.match(await text(page.locator('.top nav a[href="/alerts"]')), /^Alerts$/, "none is left that nobody has taken up"));
      await shot(page, "alerts-triage");

      // A letter after g is the shell's.
      await page.keyboard.press("g");
      await page.keyboard.press("o");
      await page.waitForURL(server.base + "/");
      await page.keyboard.press("g");
      await page.keyboard.press("a");
      await page.waitForURL(server.base + "/alerts");
      await settled(page);
      await page.keyboard.press("?");
      assert.match(await text(page.locator("dialog.help")), /acknowledge.*investigating.*won't fix.*infrastructure/);
      await page.keyboard.press("Escape");
      await page.locator("dialog.help").waitFor({ state: "detached" });
      await page.keyboard.press("j");
      const next = await focused(page);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${server.base}/alerts/${next}`);
    });
  } finally {
    await untouched(items);
  }
});

test("an alert's page: since when, what changed, in numbers that are the API's", async () => {
  const alert = await alertOf("resnet_mini");
  const { details } = alert;
  await on(`/alerts/${alert.id}`, async (page) => {
    assert.ok(plain(await page.locator("h1").innerText()).endsWith(details.title));
    const facts = await text(page.locator("dl.facts"));
    for (const one of [details.onset, details.last_good, details.first_bad]) assert.ok(facts.includes(one.started_at.slice(0, 10)), facts);
    const rows = page.locator("table.members tbody tr");
    assert.equal(await rows.count(), details.members.length);
    const steady = details.members.find((one) => one.metric === "steady");
    const shown = await text(rows.filter({ hasText: "steady time" }).first());
    assert.ok(shown.includes(`${(steady.effect * 100).toFixed(1)} %`), shown);
    assert.ok(shown.includes(`${steady.nights_before} + ${steady.nights_after}`), shown);
    const ofSteady = rows.filter({ hasText: "steady time" }).first();
    assert.equal(await ofSteady.getByTitle(String(steady.p_value)).count(), 1, "all digits on hover");
    assert.equal(await ofSteady.getByTitle(new RegExp(steady.noise.meaning)).count(), 1);
    assert.match(await text(rows.filter({ hasText: "graph breaks" }).first()), /0 → 2/);
    assert.equal(await page.locator("figure.chart .plot canvas").count(), 1);
    // The chart draws what was judged: its last night is the last of these, and not a median of repetitions.
    const judged = await server.api(`/alerts/${alert.id}/chart`);
    const legend = plain(await page.locator("figure.chart .legend tbody").innerText());
    assert.ok(legend.includes((judged.points.at(-1).value * 1e3).toPrecision(3)), `${legend}: ${judged.points.at(-1).value}`);
    const onset = judged.runs.findIndex((run) => run.id === details.onset.id);
    const level = (points) => points.map((point) => point.value).sort((a, b) => a - b)[Math.floor(points.length / 2)];
    assert.ok(Math.abs(level(judged.points.slice(0, onset)) / steady.before - 1) < 0.02, "before it the level before");
    assert.ok(Math.abs(level(judged.points.slice(onset)) / steady.after - 1) < 0.02, "and since, the level after");
    assert.match(await text(page.locator("#history + *, section:has(#history)").last()), /first seen/);
    await shot(page, "alert");
    assert.deepEqual(await axe(page), []);
    await ofSteady.locator("th a.mono").click();
    await page.waitForURL(/\/models\/cpu-mini\/resnet_mini\?test=eval/);
  });
});

test("an alert links the difference of the profiles that it quotes", async () => {
  const alert = await server.api(`/alerts/${(await alertOf("resnet_mini")).id}`);
  const quoted = alert.causes.find((one) => one.kind === "profile");
  assert.ok(quoted, "its dumps differ");
  for (const one of alert.causes) assert.equal(one.compared !== null, ["profile", "operators"].includes(one.kind));
  await on(`/alerts/${alert.id}`, async (page) => {
    await page.getByRole("link", { name: "All differences of the two profiles" }).click();
    const { before_run, run, experiment } = quoted.compared;
    await page.waitForURL(`${server.base}/profile-diff?before_run=${before_run}&before_experiment=${experiment}&run=${run}&experiment=${experiment}`);
    await settled(page);
    const findings = await text(page.locator(".findings"));
    assert.ok(findings.includes(quoted.lines[0].split(": ").at(-1)), `${quoted.lines[0]} in ${findings}`);
  });
});

test("on a narrow page words do not run into each other", async () => {
  await on(
    "/",
    async (page) => {
      for (const words of await page.locator(".alert-links li").allTextContents()) assert.doesNotMatch(words, /\Ssince \d{4}/);
    },
    { width: 390 },
  );
});

test("an alert's page: buttons, notes, owner and link", async () => {
  const { id } = await alertOf("unet_mini");
  await on(`/alerts/${id}`, async (page) => {
    await page.getByRole("button", { name: /^Acknowledge/ }).click();
    await page.getByLabel("Name", { exact: true }).fill("Bob");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator('.triage [aria-pressed="true"]', { hasText: "Acknowledge" }).waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("is it the <i>driver</i>?");
    await page.keyboard.press("Control+Enter");
    await page.locator(".history", { hasText: "is it the <i>driver</i>?" }).waitFor();
    await page.getByLabel("Owner").fill("ada");
    await page.keyboard.press("Enter");
    await page.locator("dl.facts", { hasText: "ada" }).waitFor();
    await page.getByLabel(/^Link/).fill("https://example.org/issues/1");
    await page.keyboard.press("Enter");
    await page.locator('dl.facts a[href="https://example.org/issues/1"]').waitFor();
    const history = await text(page.locator(".history"));
    assert.match(history, /Bob \(token tests\) said: acknowledged.*Bob \(token tests\) is it the.*Bob \(token tests\) gave it to ada.*Bob \(token tests\) linked https:/);
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("o");
    await page.locator(".history", { hasText: "opened it again" }).waitFor();
    await eventually(async () => assert.equal((await server.api(`/alerts/${id}`)).state, "confirmed"));
    await shot(page, "alert-verdict");
  });
  await untouched([{ id }]);
});

test("what is refused is said, and nothing is shown as done", async () => {
  const { id } = await alertOf("unet_mini");
  const { page, problems, close } = await openPage(browser, { allow: [/status of 503/] });
  try {
    await page.addInitScript(() => localStorage.setItem("hud:who", "Bob"));
    await visit(page, `${server.base}/alerts/${id}`);
    const problem = { type: "urn:benchhud:problem:busy", title: "Another process is writing to the store.", status: 503, detail: "Something else is writing to the store.", instance: "" };
    await page.route("**/actions", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) }));
    await page.getByRole("button", { name: /^Fixed/ }).click();
    await page.getByRole("alert").filter({ hasText: "Something else is writing" }).waitFor();
    assert.equal(await page.locator('.triage [aria-pressed="true"]').count(), 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

/** A page whose browser knows a name, or does not, and what it posted. */
async function acting(address, body, { name = "Bob", answer } = {}) {
  const { page, problems, close } = await openPage(browser, { allow: [/status of 503/] });
  try {
    if (name !== null) await page.addInitScript((who) => localStorage.setItem("hud:who", who), name);
    await visit(page, server.base + address);
    const posted = [];
    await page.route("**/actions", async (route) => {
      posted.push(route.request().postDataJSON());
      if (answer) await answer(route);
      else await route.continue();
    });
    await body(page, posted);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}
const refused = (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ type: "urn:benchhud:problem:busy", title: "Busy", status: 503, detail: "Something else is writing to the store.", instance: "" }) });

/** Writes a note into the form of a page or a dialog, and presses its button. */
async function note(form) {
  await form.getByLabel("Note", { exact: true }).fill("half an hour of writing");
  await form.getByRole("button", { name: "Add note" }).click();
}

/** The same for the first alert of the list; its dialog. */
async function noteInList(page) {
  await page.keyboard.press("j");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: /^Note on alert/ });
  await note(dialog);
  return dialog;
}

test("a note that the server refuses is kept, on the alert's page and in the list", async () => {
  const { id } = await alertOf("unet_mini");
  await acting(
    `/alerts/${id}`,
    async (page) => {
      await note(page);
      await page.getByRole("alert").filter({ hasText: "Something else is writing" }).waitFor();
      assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "half an hour of writing");
    },
    { answer: refused },
  );
  await acting(
    "/alerts",
    async (page, posted) => {
      const dialog = await noteInList(page);
      await dialog.getByRole("alert").filter({ hasText: "Something else is writing" }).waitFor();
      assert.equal(await dialog.getByLabel("Note", { exact: true }).inputValue(), "half an hour of writing");
      assert.equal(posted.length, 1);
    },
    { answer: refused },
  );
});

test("a note is kept where the name is not given", async () => {
  const { id } = await alertOf("unet_mini");
  await acting(
    `/alerts/${id}`,
    async (page, posted) => {
      await note(page);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.locator("dialog.help").waitFor({ state: "detached" });
      assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "half an hour of writing");
      assert.deepEqual(posted, []);
      assert.equal(await page.getByRole("button", { name: "Add note" }).isEnabled(), true);
    },
    { name: null },
  );
  await acting(
    "/alerts",
    async (page, posted) => {
      const dialog = await noteInList(page);
      await page.getByRole("dialog", { name: "Your name" }).getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog", { name: "Your name" }).waitFor({ state: "detached" });
      assert.equal(await dialog.getByLabel("Note", { exact: true }).inputValue(), "half an hour of writing");
      assert.deepEqual(posted, []);
    },
    { name: null },
  );
});

test("a second press while the first is under way does nothing, and what was done is shown", async () => {
  const { id } = await alertOf("unet_mini");
  let release;
  const held = new Promise((done) => (release = done));
  await acting(
    `/alerts/${id}`,
    async (page, posted) => {
      await page.keyboard.press("a");
      await page.keyboard.press("a");
      await page.keyboard.press("d");
      await eventually(async () => assert.equal(await page.getByRole("button", { name: /^Fixed/ }).isDisabled(), true));
      release();
      await page.locator(".undo-bar", { hasText: `#${id} is acknowledged` }).waitFor();
      assert.deepEqual(posted.map((one) => one.value), ["acknowledged"]);
      await page.keyboard.press("o");
      await page.locator(".undo-bar", { hasText: `#${id} is open again.` }).waitFor();
    },
    {
      answer: async (route) => {
        await held;
        await route.continue();
      },
    },
  );
});

test("a second press in the list is not of the next alert", async () => {
  const { items } = await server.api("/alerts?state=attention");
  try {
    await acting("/alerts", async (page, posted) => {
      await page.keyboard.press("j");
      const first = Number(await page.evaluate(() => document.activeElement.dataset.alert));
      await page.keyboard.press("w");
      // As soon as another alert has the focus.
      await page.waitForFunction((id) => Number(document.activeElement?.dataset.alert ?? id) !== id, first);
      await page.keyboard.press("w");
      await page.locator(".undo-bar", { hasText: `#${first} will not be fixed.` }).waitFor();
      assert.equal(posted.length, 1);
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.keyboard.press("i");
      await eventually(async () => assert.equal(posted.length, 2));
      await page.locator(".undo-bar", { hasText: "is being investigated" }).waitFor();
    });
  } finally {
    await untouched(items);
  }
});

/** What is said of an alert, as somebody sees it who looks later. */
const standing = async (id) => {
  const { state, triage, owner, muted_until } = await server.api(`/alerts/${id}`);
  return { state, triage, owner, until: muted_until?.date ?? muted_until?.state ?? "" };
};
const order = (page) => links(page).evaluateAll((nodes) => nodes.map((node) => Number(node.dataset.alert)));
const picked = (page) => page.locator("tbody input[type=checkbox]:checked").evaluateAll((boxes) => boxes.map((box) => Number(box.closest("tr").querySelector("a[data-alert]").dataset.alert)));
const bar = (page) => page.locator(".pick-bar");
const said = (page, words) => page.locator(".undo-bar", { hasText: words }).waitFor();

test("several are selected by key, by click and by group, and acted on together; each is taken back to what it was", async () => {
  const { items } = await server.api("/alerts?state=attention");
  try {
    await acting("/alerts", async (page, posted) => {
      const ids = await order(page);
      assert.ok(ids.length >= 3);
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      assert.deepEqual(await picked(page), [ids[0]]);
      assert.equal(await text(bar(page).locator("strong")), "1 selected");
      assert.equal(await focused(page), String(ids[0]), "the row keeps the focus");
      await page.keyboard.press("x");
      assert.deepEqual(await picked(page), []);
      assert.equal(await bar(page).count(), 0);
      await page.keyboard.press("x");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("Shift+X");
      assert.deepEqual(await picked(page), ids.slice(0, 3), "from the one that was selected last");
      await shot(page, "alerts-selected");
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press("Escape");
      assert.deepEqual(await picked(page), []);
      const box = (id) => page.getByLabel(`Select alert ${id}`, { exact: true });
      await box(ids[2]).click();
      await box(ids[0]).click({ modifiers: ["Shift"] });
      assert.deepEqual(await picked(page), ids.slice(0, 3));
      await bar(page).getByRole("button", { name: /^Clear/ }).click();
      const group = page.getByRole("checkbox", { name: /^Select all \d+ of “Confirmed regressions”$/ });
      await group.click();
      const confirmed = (await picked(page)).length;
      assert.equal(await group.getAttribute("aria-label"), `Select all ${confirmed} of “Confirmed regressions”`);
      await box(ids[0]).click();
      assert.equal(await group.evaluate((node) => node.indeterminate), true);
      await group.click();
      await group.click();
      assert.deepEqual(await picked(page), []);

      // A filter takes out of the selection what it hides.
      await box(ids[0]).click();
      await box(ids[1]).click();
      const words = (await server.api(`/alerts/${ids[1]}`)).details.subject.model;
      await page.getByRole("searchbox", { name: "Filter" }).fill(words);
      await eventually(async () => assert.deepEqual(await picked(page), [ids[1]]));
      await page.getByRole("searchbox", { name: "Filter" }).fill("");
      await eventually(async () => assert.equal((await order(page)).length, ids.length));
      assert.deepEqual(await picked(page), [ids[1]]);
      await page.keyboard.press("Escape");
      await page.locator("h1").click();
      await page.keyboard.press("Escape");

      // They differ before.
      await act([ids[1]], "state", "investigating");
      await act([ids[1]], "owner", "ada");
      await act([ids[2]], "mute", "2999-01-02");
      await eventually(async () => assert.equal((await order(page)).length, ids.length - 1));
      await page.locator("summary", { hasText: "Muted" }).click();
      await eventually(async () => assert.equal((await order(page)).length, ids.length));
      const before = await Promise.all(ids.slice(0, 3).map(standing));
      for (const id of ids.slice(0, 3)) await box(id).click();
      posted.length = 0;
      await page.keyboard.press("a");
      await said(page, "3 alerts are acknowledged; 2 of them are yours now.");
      assert.deepEqual(posted.map(({ ids, kind, value, who }) => [ids.length, kind, value, who]), [[3, "state", "acknowledged", "Bob"]], "in one request");
      assert.deepEqual((await Promise.all(ids.slice(0, 3).map(standing))).map(({ triage, owner }) => [triage, owner]), [["acknowledged", "Bob"], ["acknowledged", "ada"], ["acknowledged", "Bob"]]);
      await eventually(async () => assert.deepEqual(await picked(page), []));
      await page.keyboard.press("z");
      await page.locator(".toast", { hasText: "3 alerts are as they were before." }).waitFor();
      assert.deepEqual(await Promise.all(ids.slice(0, 3).map(standing)), before);
      await eventually(async () => assert.equal(await page.locator(".undo-bar button").count(), 0));

      await eventually(async () => assert.equal((await order(page)).length, ids.length));
      await box(ids[0]).click();
      await box(ids[1]).click();
      await bar(page).getByRole("button", { name: /^Owner/ }).click();
      await page.getByLabel("Owner", { exact: true }).fill("grace");
      await page.getByRole("button", { name: "Set owner" }).click();
      await said(page, "2 alerts belong to grace.");
      assert.deepEqual((await Promise.all([ids[0], ids[1]].map(standing))).map(({ owner }) => owner), ["grace", "grace"]);
      await page.getByRole("button", { name: /^Undo/ }).click();
      await page.locator(".toast", { hasText: "2 alerts are as they were before." }).waitFor();
      assert.deepEqual(await Promise.all(ids.slice(0, 3).map(standing)), before);
    });
  } finally {
    await untouched(items);
  }
});

test("what was done says how to take it back, for long enough, and hides nothing on a narrow page", async () => {
  const { id } = await alertOf("unet_mini");
  try {
    await on(
      `/alerts/${id}`,
      async (page) => {
        await page.clock.install();
        await page.evaluate(() => localStorage.setItem("hud:who", "Bob"));
        const status = page.locator(".undo-bar [role=status]");
        assert.equal(await status.count(), 1, "the region is there before it says something");
        await page.getByRole("button", { name: /^Acknowledge/ }).click();
        await eventually(async () => {
          await page.clock.runFor(50);
          assert.equal(await text(status), `#${id} is acknowledged, and yours.`);
        });
        assert.deepEqual(await axe(page), []);
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const covered = await page.evaluate(() => {
          const bar = document.querySelector(".undo-bar").getBoundingClientRect();
          const last = [...document.querySelectorAll("main *")].filter((node) => node.checkVisibility());
          return Math.max(...last.map((node) => node.getBoundingClientRect().bottom)) > bar.top;
        });
        assert.equal(covered, false, "all of the page can be scrolled above it");
        await shot(page, "alert-undo-390");
        await page.mouse.move(1, 1);
        await page.clock.runFor(12_000);
        assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 1, "it stays");
        await page.getByRole("button", { name: /^Undo/ }).click();
        await eventually(async () => {
          await page.clock.runFor(50);
          assert.deepEqual(await standing(id), { state: "confirmed", triage: "open", owner: "", until: "" });
        });
        assert.equal(await page.evaluate(() => document.activeElement?.id), "main", "the focus is not lost with the button");
        assert.ok((await server.api(`/alerts/${id}`)).actions.at(-2).value === "open", "as an action like any other");
        await page.keyboard.press("a");
        await eventually(async () => {
          await page.clock.runFor(50);
          assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 1);
        });
        await page.mouse.move(1, 1);
        await page.clock.runFor(30_000);
        await eventually(async () => assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 0));
      },
      { width: 390 },
    );
  } finally {
    await untouched([{ id }]);
  }
});

test("mine is what belongs to the name that the browser keeps", async () => {
  const { items } = await server.api("/alerts?state=attention");
  try {
    await act([items[0].id], "owner", "Bob");
    await act([items[1].id], "owner", "Bobby");
    await acting("/alerts", async (page) => {
      assert.equal((await order(page)).length, items.length);
      await page.getByRole("button", { name: "Mine", exact: true }).click();
      await eventually(async () => assert.deepEqual(await order(page), [items[0].id]));
      assert.match(page.url(), /\?mine=1$/);
      await visit(page, page.url());
      assert.deepEqual(await order(page), [items[0].id]);
      assert.equal(await page.getByRole("button", { name: "Mine", exact: true }).getAttribute("aria-pressed"), "true");
      await page.getByRole("button", { name: "Mine", exact: true }).click();
      await eventually(async () => assert.equal((await order(page)).length, items.length));
    });
    await acting(
      "/alerts",
      async (page) => {
        await page.getByRole("button", { name: "Mine", exact: true }).click();
        await page.getByLabel("Name", { exact: true }).fill("Bobby");
        await page.keyboard.press("Enter");
        await eventually(async () => assert.deepEqual(await order(page), [items[1].id]));
      },
      { name: null },
    );
  } finally {
    await untouched(items);
  }
});

test("what is muted is listed apart with until when, and needs no attention", async () => {
  const { items } = await server.api("/alerts?state=attention");
  try {
    await acting("/alerts", async (page) => {
      const ids = await order(page);
      const waiting = () => text(page.locator('.top nav a[href="/alerts"]'));
      const before = Number((await waiting()).match(/\d+/)[0]);
      await page.keyboard.press("j");
      await page.keyboard.press("s");
      const dialog = page.getByRole("dialog", { name: `Mute alert ${ids[0]}` });
      assert.equal(await dialog.getByRole("button", { name: "Until it is confirmed" }).count(), 0, "it is");
      assert.deepEqual(await axe(page), []);
      await shot(page, "alerts-mute");
      const past = dialog.getByLabel("Until the day");
      await past.fill("2001-01-01");
      await dialog.getByRole("button", { name: "Mute", exact: true }).click();
      assert.equal(await dialog.isVisible(), true, "a day that has begun is none");
      await past.fill("2999-12-24");
      await dialog.getByRole("button", { name: "Mute", exact: true }).click();
      await said(page, `#${ids[0]} is muted until 2999-12-24.`);
      await eventually(async () => assert.deepEqual(await order(page), ids.slice(1)));
      await eventually(async () => assert.equal(Number((await waiting()).match(/\d+/)?.[0] ?? 0), before - 1));
      const fold = page.locator("details", { hasText: "Muted" });
      assert.match(await text(fold.locator("summary")), /^Muted 1$/);
      await fold.locator("summary").click();
      await eventually(async () => assert.match(plain(await fold.locator("tbody tr").innerText()), /muted until 2999-12-24/));
      await shot(page, "alerts-muted");
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press("z");
      await eventually(async () => assert.deepEqual(await standing(ids[0]), { state: "confirmed", triage: "open", owner: "", until: "" }));
      await eventually(async () => assert.deepEqual(await order(page), ids));

      await visit(page, `${server.base}/alerts/${ids[0]}`);
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "Until it is recovered" }).click();
      await page.locator("dl.facts", { hasText: "until it is recovered" }).waitFor();
      assert.match(await text(page.locator(".history")), /Bob \(token tests\) muted it until it is recovered/);
      await page.getByRole("button", { name: /^Muted/ }).click();
      await page.getByRole("button", { name: /^End the mute/ }).click();
      await said(page, `#${ids[0]} is not muted any more.`);
      await eventually(async () => assert.equal((await standing(ids[0])).state, "confirmed"));
    });
  } finally {
    await untouched(items);
  }
});

test("letters mean on alerts what they mean everywhere, or nothing elsewhere", async () => {
  const { id } = await alertOf("unet_mini");
  await acting("/alerts", async (page, posted) => {
    await page.keyboard.press("j");
    await page.keyboard.press("f");
    assert.equal(await page.getByRole("searchbox", { name: "Filter" }).evaluate((node) => node === document.activeElement), true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("e")]);
    assert.equal(download.suggestedFilename(), "alerts.csv");
    assert.deepEqual(posted, []);
  });
  await acting(`/alerts/${id}`, async (page, posted) => {
    for (const key of ["f", "e"]) await page.keyboard.press(key);
    assert.equal(await page.locator("textarea:focus").count(), 0);
    await page.keyboard.press("n");
    assert.equal(await page.locator("textarea:focus").count(), 1);
    assert.deepEqual(posted, []);
  });
});

test("changes are marked on the model's charts, the overview and the run that they began with", async () => {
  const alert = await alertOf("resnet_mini");
  await on("/models/cpu-mini/resnet_mini?test=eval", async (page) => {
    const link = page.locator(".change-links a").first();
    assert.match(await text(link), /^2025-11-10 \+2\d\.\d %$/);
    await shot(page, "model-changes");
    assert.deepEqual(await axe(page), []);
    await link.click();
    await page.waitForURL(`${server.base}/alerts/${alert.id}`);
  });
  await on("/", async (page) => {
    const { counts } = await server.api("/alerts");
    const box = page.locator(".attention");
    const waiting = counts.confirmed + counts.suspect + counts.improvement + counts.change;
    assert.match(await text(box), new RegExp(`^${waiting} alerts? needs? attention: ${counts.confirmed} confirmed`));
    assert.ok(plain(await box.innerText()).includes(alert.details.title));
    assert.deepEqual(await axe(page), []);
  });
  await on(`/runs/${alert.details.onset.id}`, async (page) => {
    const section = page.locator("section", { hasText: "Began with this run" });
    await section.waitFor();
    assert.ok(plain(await section.innerText()).includes(alert.details.title));
    assert.deepEqual(await axe(page), []);
  });
});

test("what people said of nights stands in the charts", async () => {
  const marked = await serve([samples]);
  const marks = [
    ["2025-11-05", "pinned", "release 2.9"],
    ["2025-11-12", "environment", "driver 550"],
    ["2025-11-20", "excluded", "the disk was full"],
  ];
  const { page, problems, close } = await openPage(browser);
  try {
    await visit(page, `${marked.base}/models/cpu-mini/mlp_mini?test=eval`);
    const plot = page.locator(".chart .plot").first();
    const drawing = () => plot.locator("canvas").evaluate((canvas) => canvas.toDataURL());
    const before = await drawing();
    for (const [run, kind, reason] of marks) {
      const answer = await fetch(`${marked.base}/api/v1/runs/${run}/marks`, { method: "POST", headers: { ...marked.bearer, "Content-Type": "application/json" }, body: JSON.stringify({ kind, reason, who: "ada" }) });
      assert.equal(answer.status, 201, await answer.text());
    }
    await visit(page, `${marked.base}/models/cpu-mini/mlp_mini?test=eval`);
    assert.notEqual(await drawing(), before);
    const words = { pinned: "pinned: later levels are held against it: release 2.9", environment: "another environment from here on: driver 550", excluded: "does not count: the disk was full" };
    const caption = page.locator(".chart .legend caption").first();
    await plot.focus();
    const found = new Map();
    for (let n = 0; n < 28; ++n) {
      await page.keyboard.press("ArrowLeft");
      const shown = plain(await caption.innerText());
      const said = plain(await page.locator(".chart .sr[role=status]").first().innerText());
      for (const [kind, text] of Object.entries(words)) {
        if (!shown.includes(text)) continue;
        found.set(kind, shown.slice(0, 10));
        assert.ok(said.includes(text), `said aloud as well: ${said}`);
      }
    }
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(marks.map(([run, kind]) => [kind, run])));
    assert.deepEqual(await axe(page), []);
    await shot(page, "model-marks");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await marked.stop();
  }
});

test("small and dark: nothing sticks out, and contrast is enough", async () => {
  const { id } = await alertOf("transformer_mini");
  for (const width of [390, 1024]) {
    for (const address of ["/alerts", `/alerts/${id}`]) {
      await on(
        address,
        async (page) => {
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${address} at ${width}`);
          assert.deepEqual(await axe(page), []);
          await shot(page, `alerts${address.replace(/\W+/g, "-")}-${width}-dark`);
        },
        { width, theme: "dark" },
      );
    }
  }
});

test("hostile names are text, on every page of alerts", async () => {
  const hostile = await serve([]);
  const model = '<img src=x onerror="window.pwned=1">';
  const folder = join(hostile.folder, "hostile");
  mkdirSync(folder);
  const DAY = 86400;
  for (let n = 0; n < 24; ++n) {
    const level = n < 12 ? 0.1 : 0.15;
    const times = Array.from({ length: 8 }, (_, i) => (i < 3 ? 1 : level * (1 + 0.004 * ((i * 7 + n * 5) % 5))));
    writeFileSync(join(folder, `n${n}.jsonl`), night({ timestamp: 1767225600 + n * DAY, accelerator: "<svg onload=window.pwned=2>", lines: [{ suite: "<b>suite</b>", model, dynamo: "inductor", times }] }));
  }
  await hostile.ingest([folder], ["--label", "commit=<img src=x onerror=window.pwned=3>"]);
  const { page, problems, close } = await openPage(browser);
  try {
    const { items } = await hostile.api("/alerts?state=all");
    const alert = items.find((one) => one.details.subject.model === model);
    assert.ok(alert, "the change is found");
    for (const [kind, value] of [["note", "<img src=x onerror=window.pwned=4>"], ["owner", "<script>window.pwned=5</script>"], ["link", "https://example.org/<img/onerror=window.pwned=6>"]]) {
      const answer = await fetch(`${hostile.base}/api/v1/alerts/${alert.id}/actions`, { method: "POST", headers: { ...hostile.bearer, "content-type": "application/json" }, body: JSON.stringify({ kind, value, who: "<img src=x onerror=window.pwned=7>" }) });
      assert.equal(answer.status, 201);
    }
    for (const address of ["/", "/alerts", `/alerts/${alert.id}`, `/runs/${alert.details.onset.id}`, `/models/${encodeURIComponent("<b>suite</b>")}/${encodeURIComponent(model)}`]) {
      await visit(page, hostile.base + address);
      await eventually(async () => assert.ok((await page.locator("main").innerText()).includes("<img src=x"), address));
      assert.equal(await page.evaluate(() => window.pwned), undefined, address);
      assert.equal(await page.locator("main img, main script, main b, main [onerror], main [onload]").count(), 0, address);
    }
    await shot(page, "alerts-hostile");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await hostile.stop();
  }
});

test("an alert's history has what happened by night, with names as they are and links to other alerts", async () => {
  const alert = await alertOf("transformer_mini");
  const name = "<img src=x onerror=alert(1)>";
  const whole = await server.api(`/alerts/${alert.id}`);
  const run = whole.details.onset;
  const event = (kind, more = {}) => ({ kind, run, last_run: null, count: 0, from: null, to: null, series: [], alerts: [], ...more });
  const series = [{ experiment_id: 1, suite: name, model: name, test: "eval", column: name, metric: "steady", title: "steady time" }];
  const made = {
    ...whole,
    is_orphaned: true,
    successor: 23,
    split_from: 5,
    history: [
      event("first_seen"),
      event("split", { count: 2, alerts: [5] }),
      event("confirmed", { count: 3 }),
      event("joined", { count: 500, series, last_run: run }),
      event("moved", { count: 1, series, alerts: [6] }),
      event("left", { count: 1, series }),
      event("onset_moved", { from: run, to: run }),
      event("took_in", { count: 7, alerts: [7, 8, 9] }),
      event("recovered"),
      event("reopened"),
      event("taken_in", { alerts: [4] }),
    ],
  };
  for (const width of [1440, 1024, 390]) {
    await on(
      "/",
      async (page) => {
        await page.route(`**/api/v1/alerts/${alert.id}`, (route) => route.fulfill({ json: made }));
        await visit(page, `${server.base}/alerts/${alert.id}`);
        const history = page.locator("ol.history");
        await history.waitFor();
        const shown = plain(await history.innerText());
        for (const words of [/Measurements first seen/, /split from alert #5 with 2 series/, /confirmed with 3 series/, /500 series joined it.*and 499 more/, /1 series moved to alert #6/, /1 series left it/, /its onset moved from/, /took in the changes of alerts #7, #8, #9 and 4 more/, /Measurements recovered/, /opened again/, /became part of alert #4/]) assert.match(shown, words);
        assert.ok(shown.includes(name), "a name is text");
        assert.equal(await history.locator("img").count(), 0);
        assert.equal(await history.locator('a[href="/alerts/6"]').count(), 1);
        const note = page.locator(".note.orphan");
        assert.match(plain(await note.innerText()), /not found any more.*now covered by #23/);
        assert.equal(await note.locator('a[href="/alerts/23"]').count(), 1);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: nothing is wider than the window`);
        await history.scrollIntoViewIfNeeded();
        await shot(page, `alert-history-${width}`);
      },
      { width, height: 900 },
    );
  }
});

test("the list says when people acted on alerts that are not found any more, and shows them", async () => {
  const alert = await alertOf("unet_mini");
  const made = { ...alert, state: "withdrawn", detected: "withdrawn", urgency: "closed", triage: "acknowledged", is_orphaned: true, successor: 23 };
  await on("/", async (page) => {
    await page.route("**/api/v1/alerts?*state=orphaned*", (route) => route.fulfill({ json: { items: [made], next_cursor: null, total: 1, counts: { confirmed: 0, suspect: 0, taken: 0, improvement: 0, change: 0, muted: 0, closed: 1 } } }));
    await visit(page, `${server.base}/alerts`);
    const note = page.locator(".note.orphan");
    assert.match(plain(await note.innerText()), /An alert that people acted on is not found any more/);
    await note.getByRole("link", { name: "Show it" }).click();
    const row = page.locator("#fold-orphaned tbody tr");
    await row.waitFor();
    assert.match(plain(await row.innerText()), /now covered by #23/);
    await shot(page, "alerts-orphaned");
  });
  await on("/alerts", async (page) => {
    await links(page).first().waitFor();
    assert.equal(await page.locator(".note.orphan").count(), 0, "there are none");
  });
});
