import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/sdk/client";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { deployFiles } from "../support/deploy-files";
import { type Product, startProduct } from "../support/product";
import { expectAccessible, launchBrowser, openPerson, signIn } from "./browser";

const PROMOTE = `import { defineTool } from "openberth";
import { z } from "zod";
export default defineTool({
  description: "Promote a verified build to an environment.",
  inputSchema: z.object({ environment: z.string() }),
  needsApproval: ({ environment }) => environment !== "staging",
  execute: ({ environment }) => "It is live: " + environment,
});
`;

const agentFile = (self: boolean) => `import { defineAgent } from "openberth";
export default defineAgent({ model: "berth/offline", approvals: { self: ${self} } });
`;

async function deploy(product: Product, slug: string, self: boolean): Promise<void> {
  const client = createClient({ url: product.url, token: product.apiKey });
  await deployFiles(client, product.org, slug, {
    "bot/instructions.md": "Promote builds.\n",
    "bot/agent.ts": agentFile(self),
    "bot/tools/promote.ts": PROMOTE,
  });
}

const ASK = "Promote the build to environment production";

/** Asks in a new session of the playground; the card of the gated call opens by itself. */
async function ask(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/playground`);
  await page.getByLabel("Message", { exact: true }).fill(ASK);
  await page.keyboard.press("Enter");
  await page.getByText("A person decides before this runs.").waitFor();
}

describe.skipIf(!chromiumPath || !canSandbox)("approvals", () => {
  let product: Product;
  let browser: Browser;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
    await deploy(product, "release", true);
    await deploy(product, "guarded", false);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  /** Somebody else's session whose call waits, as programs start one. */
  async function askByKey(): Promise<{ sessionId: string; callId: string }> {
    const api = createClient({ url: product.url, token: product.apiKey }).agent(
      product.org,
      "guarded",
    );
    const { sessionId } = await api.createSession({ message: ASK });
    for await (const event of api.events(sessionId)) {
      if (event.type === "action.approval_requested") {
        return { sessionId, callId: event.data.callId };
      }
    }
    throw new Error("nobody was asked");
  }

  test("a gated call is approved in the playground, and its result comes", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await ask(page, `/${product.org}/release`);
    await expectAccessible(page);
    const url = page.url();
    await page.reload();
    const second = await context.newPage();
    await second.goto(url);
    for (const each of [page, second]) {
      await each.getByRole("button", { name: "Approve" }).waitFor();
    }
    await page.getByLabel("Reason for promote").fill("looks good");
    await page.getByRole("button", { name: "Approve" }).click();
    for (const each of [page, second]) {
      await each.getByText(/promote answered: .*It is live/).waitFor();
      await each.getByRole("button", { name: /^promote/ }).click();
      await each.getByText("Approved by you: looks good", { exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("whoever asked is told that somebody else decides", async () => {
    const { page, context } = await openPerson(browser, product);
    await signIn(page, product);
    await ask(page, `/${product.org}/guarded`);
    await page.getByText("somebody else decides").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Stopped · /).waitFor();
    await context.close();
  });

  test("a call is denied from the inbox with the keyboard, and the model is told why", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`/${product.org}/~/approvals`);
    await page.getByText("Nothing waits for you").waitFor();
    await expectAccessible(page);
    const { sessionId } = await askByKey();
    const card = page.getByRole("article", { name: /^promote, asked by/ });
    const appeared = Date.now();
    await card.waitFor();
    // A page is live within a second; the load of the tests' machine adds to it.
    expect(Date.now() - appeared).toBeLessThan(5_000);
    const places = page.getByRole("navigation", { name: "Main" });
    await places.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
    await expectAccessible(page);

    await page.keyboard.press("j");
    await expect.poll(() => card.evaluate((node) => node === document.activeElement)).toBe(true);
    await page.getByLabel("Reason for promote").focus();
    await page.keyboard.type("not on a Friday");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByRole("link", { name: "Decided" }).click();
    await page.getByRole("link", { name: "guarded · promote" }).first().click();
    await page.waitForURL(`**/guarded/sessions/${sessionId}*`);
    await page.getByText(/promote failed: Denied by user:\S+: not on a Friday/).waitFor();
    await page.getByRole("button", { name: /^promote.*Denied/ }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("the agent's inbox and the session's page decide too, once", async () => {
    const { page, context } = await openPerson(browser, product);
    await signIn(page, product);
    const { sessionId, callId } = await askByKey();
    await page.goto(`/${product.org}/guarded/approvals`);
    const approve = page.getByRole("button", { name: "Approve" });
    await approve.waitFor();
    await page.getByText("From a terminal").click();
    await page.getByText(`berth approvals approve ${callId} --org`).waitFor();
    await expectAccessible(page);

    const second = await context.newPage();
    await second.goto(`/${product.org}/guarded/sessions/${sessionId}`);
    await second.getByText("Needs approval").waitFor();
    await second.getByRole("button", { name: "Approve" }).click();
    await second.getByText(/promote answered: .*It is live/).waitFor();
    await page.getByText("Nothing waits for you").waitFor();
    await context.close();
  });
});
