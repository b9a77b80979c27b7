import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { type Product, startProduct } from "../support/product";
import { expectAccessible, launchBrowser, openPerson, signIn } from "./browser";

const QUESTION = "What is the weather in Lisbon?";

/** Asks the agent in a new session and waits for the end of the turn. */
async function ask(page: Page, agent: string): Promise<string> {
  await page.goto(`${agent}/playground`);
  await page.getByLabel("Message", { exact: true }).fill(QUESTION);
  await page.keyboard.press("Enter");
  await page.getByText(/ in · .* out/).waitFor();
  return new URL(page.url()).searchParams.get("session") ?? "";
}

describe.skipIf(!chromiumPath || !canSandbox)("the dashboard", () => {
  let product: Product;
  let browser: Browser;
  let agent: string;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
    agent = `/${product.org}/weather`;
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  test("refuses a wrong password in words, and takes people where they wanted to go", async () => {
    const { page, context } = await openPerson(browser, product);
    await page.goto(`${agent}/sessions`);
    expect(new URL(page.url()).pathname).toBe("/login");
    await page.getByLabel("E-mail").fill(product.email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("do not match an account").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Password").fill(product.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`**${agent}/sessions`);
    await context.close();
  });

  test("a turn with a tool call survives a reload and looks the same in a second tab", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    const sessionId = await ask(page, agent);
    expect(sessionId).toMatch(/^ses_/);
    const conversation = (of: Page) =>
      of.getByRole("region", { name: "Conversation" }).textContent();
    const call = (of: Page) => of.getByRole("button", { name: /get_weather.*Lisbon/ });
    await call(page).waitFor();
    const before = await conversation(page);

    await page.reload();
    await page.getByText(/ in · .* out/).waitFor();
    expect(await conversation(page)).toBe(before);
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText(/ in · .* out/).waitFor();
    expect(await conversation(second)).toBe(before);

    await second.getByLabel("Message", { exact: true }).fill("And the weather in Oslo?");
    await second.keyboard.press("Enter");
    await page.getByRole("button", { name: /get_weather.*Oslo/ }).waitFor();
    await call(page).click();
    await page.getByRole("region", { name: /^result of get_weather/ }).waitFor();
    await expectAccessible(page);

    await page.goto(`${agent}/sessions/${sessionId}?view=events`);
    await page
      .getByRole("button", { name: /actions\.requested/ })
      .first()
      .click();
    await page.waitForURL(/[?&]event=\d+/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("shows members the sessions that an API key began", async () => {
    const sent = await fetch(`${product.url}${agent}/v1/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${product.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ message: QUESTION }),
    });
    const { sessionId } = (await sent.json()) as { sessionId: string };
    const { page, context } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`${agent}/sessions/${sessionId}`);
    await page.getByRole("button", { name: /get_weather.*Lisbon/ }).waitFor();
    await expectAccessible(page);
    await context.close();
  });

  test("shows a version's build log and what is in it", async () => {
    const { page, context } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`${agent}/deployments`);
    await page.getByRole("link", { name: "Version 1" }).click();
    await page.getByText("Deployed as version 1").waitFor();
    await expectAccessible(page);
    await context.close();
  });

  test("makes a key that works, shows it once, and revokes it", async () => {
    const { page, context } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`/${product.org}/~/keys`);
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("journey");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create key" }).click();
    const token = (await page.getByText(/^bth_/).textContent()) ?? "";
    const me = () =>
      fetch(`${product.url}/api/v1/me`, { headers: { authorization: `Bearer ${token.trim()}` } });
    expect((await me()).status).toBe(200);
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(token.trim());
    await page.getByRole("button", { name: "Revoke journey" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    // What is behind a dialog has no role until the dialog is gone.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Revoke journey" }).waitFor({ state: "detached" });
    expect((await me()).status).toBe(401);
    await context.close();
  });
});
