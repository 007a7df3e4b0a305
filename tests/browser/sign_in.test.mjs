// Signing in: by the address that the program prints, with a token, and where reading takes one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { axe, driven, eventually, openBrowser, samples, serve, settled, shot, text, visit } from "./support.mjs";

let browser, server;
before(async () => {
  browser = await openBrowser();
  server = await serve([samples]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const main = (page) => page.locator("main");
const stranger = { signedIn: false };

test("the printed address signs one browser in, without typing, and is nowhere afterwards", async () => {
  const address = server.signIn();
  await driven(
    browser,
    `${server.base}/alerts`,
    async (page) => {
      await visit(page, address.replace("/sign-in#", "/sign-in?to=/alerts#"));
      await page.waitForURL(`${server.base}/alerts`);
      await settled(page);
      await eventually(async () => assert.equal(await page.locator(".top a.icon").getAttribute("title"), "Signed in as browser, signed in by code"));
      assert.equal(await page.evaluate(() => document.cookie), "", "no script reads the cookie");
      await page.goBack();
      await settled(page);
      assert.ok(!page.url().includes("#"), page.url());
    },
    stranger,
  );
  await driven(
    browser,
    address,
    async (page) => {
      await page.getByRole("alert").waitFor();
      assert.match(await text(page.getByRole("alert")), /The code was used or is too old/);
    },
    { ...stranger, allow: [/401/] },
  );
});

test("who is not signed in is told how to act on an alert, and comes back to it", async () => {
  const { items } = await server.api("/alerts?state=all");
  const alert = `${server.base}/alerts/${items[0].id}`;
  await driven(
    browser,
    alert,
    async (page) => {
      assert.equal(await page.getByRole("button", { name: "Investigating" }).count(), 0);
      await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await page.getByLabel("Token").fill("bhud_1_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await eventually(async () => assert.match(await text(page.getByRole("alert")), /not one of this store/));
      assert.deepEqual(await axe(page), []);
      await shot(page, "sign-in");
      await page.getByLabel("Token").fill(` ${server.token} `);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(alert);
      await settled(page);
      await page.getByRole("button", { name: /Investigating/ }).first().waitFor();
    },
    { ...stranger, allow: [/401/] },
  );
});

test("signing out takes the cookie away", async () => {
  await driven(browser, `${server.base}/sign-in`, async (page) => {
    await eventually(async () => assert.match(await text(main(page)), /You are signed in as tests, may act on alerts|You are signed in as tests, may read/));
    await page.getByRole("button", { name: "Sign out" }).click();
    await eventually(async () => assert.equal(await page.locator(".top a.icon").getAttribute("title"), "Sign in"));
    assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
  });
});

test("a page of elsewhere is not gone on to", async () => {
  await driven(
    browser,
    `${server.base}/sign-in?to=//elsewhere.example/`,
    async (page) => {
      await page.getByLabel("Token").fill(server.token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${server.base}/`);
    },
    stranger,
  );
});

describe("where reading takes a token", () => {
  let shut;
  before(async () => (shut = await serve([samples], [], ["--reading", "token"])));
  after(() => shut?.stop());

  test("a page shows nothing but how to sign in, and then what it is of", async () => {
    const address = `${shut.base}/runs/latest`;
    await driven(
      browser,
      address,
      async (page) => {
        await page.getByLabel("Token").waitFor();
        assert.match(await text(main(page)), /shows what it holds to who has a token/);
        assert.doesNotMatch(await text(page.locator("body")), /resnet_mini|has not answered/);
        assert.deepEqual(await axe(page), []);
        await shot(page, "sign-in-forced");
        await page.getByLabel("Token").fill(shut.token);
        await page.getByRole("button", { name: "Sign in" }).click();
        await eventually(async () => assert.match(await text(main(page)), /resnet_mini/));
        assert.equal(page.url(), address);
      },
      { ...stranger, allow: [/401/] },
    );
  });
});
