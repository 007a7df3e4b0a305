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
      assert.ok(plain(await page.locator("section", { hasText: "Somebody is on it" }).innerText()).includes("investigating"));

      await page.keyboard.press("a");
      await eventually(async () => assert.equal((await server.api(`/alerts/${order[1]}`)).state, "acknowledged"));
      assert.equal(await page.locator("dialog[open]").count(), 0, "the name is asked for once");
      await eventually(async () => assert.equal(await focused(page), order[2]));

      await page.keyboard.press("e");
      await page.getByLabel("Note", { exact: true }).fill("since the driver\nof 10 November");
      await page.getByRole("button", { name: "Add note" }).click();
      await eventually(async () => assert.equal((await server.api(`/alerts/${order[2]}`)).actions.at(-1)?.value, "since the driver\nof 10 November"));
      // The page hears of it after the server wrote it, and until then every key is the dialog's.
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      assert.equal(await focused(page), order[2]);

      await page.keyboard.press("f");
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
    for (const { id } of items) await fetch(`${server.base}/api/v1/alerts/${id}/actions`, { method: "POST", headers: { ...server.bearer, "content-type": "application/json" }, body: JSON.stringify({ kind: "state", value: "open" }) });
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
  for (const one of alert.causes) assert.equal(one.compared !== null, one.kind === "profile");
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
    await page.keyboard.press("e");
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
  await page.keyboard.press("e");
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
      await page.keyboard.press("f");
      await eventually(async () => assert.equal(await page.getByRole("button", { name: /^Fixed/ }).isDisabled(), true));
      release();
      await page.locator(".toast", { hasText: `Alert ${id} is acknowledged.` }).waitFor();
      assert.deepEqual(posted.map((one) => one.value), ["acknowledged"]);
      await page.keyboard.press("o");
      await page.locator(".toast", { hasText: `Alert ${id} is open again.` }).waitFor();
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
      await page.locator(".toast", { hasText: `Alert ${first} is won't fix.` }).waitFor();
      assert.equal(posted.length, 1);
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.keyboard.press("i");
      await eventually(async () => assert.equal(posted.length, 2));
      await page.locator(".toast", { hasText: "investigating" }).waitFor();
    });
  } finally {
    for (const { id } of items) await fetch(`${server.base}/api/v1/alerts/${id}/actions`, { method: "POST", headers: { ...server.bearer, "content-type": "application/json" }, body: JSON.stringify({ kind: "state", value: "open" }) });
  }
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
