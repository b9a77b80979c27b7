import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/sdk/client";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { deployFiles } from "../support/deploy-files";
import { type Product, startProduct } from "../support/product";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../support/scripted-model/start-scripted-model";
import { launchBrowser, openPerson, signIn } from "./browser";

/** Speaks for half a minute, a word every 50 ms. */
const SLOW = "scripted/tokens-600-50";

async function deploySlowAgent(product: Product, model: ScriptedModel): Promise<void> {
  const client = createClient({ url: product.url, token: product.apiKey });
  const settings = { kind: "openai-compatible" as const, baseUrl: model.url, apiKey: "any" };
  await client.control.setModel(product.org, "scripted", settings);
  await deployFiles(client, product.org, "slow", {
    "bot/instructions.md": "Speak slowly.\n",
    "bot/agent.ts": `import { defineAgent } from "openberth";\nexport default defineAgent({ model: "${SLOW}" });\n`,
  });
}

describe.skipIf(!chromiumPath || !canSandbox)("a running turn", () => {
  let product: Product;
  let browser: Browser;
  let model: ScriptedModel;

  beforeAll(async () => {
    model = await startScriptedModel();
    const target = `models=${new URL(model.url).host}`;
    [product, browser] = await Promise.all([
      startProduct({ BERTH_PRIVATE_TARGETS: target }),
      launchBrowser(),
    ]);
    await deploySlowAgent(product, model);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    await model?.stop();
  });

  test("stops at once, and a follow-up interrupts the next one", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`/${product.org}/slow/playground`);
    const message = page.getByLabel("Message", { exact: true });
    const conversation = page.getByRole("region", { name: "Conversation" });
    const send = async (text: string) => {
      await message.fill(text);
      await page.keyboard.press("Enter");
    };
    const stopped = (turns: number) =>
      expect.poll(() => conversation.getByText(/^Stopped · /).count()).toBe(turns);

    await send("First");
    await page.getByRole("button", { name: "Stop" }).click();
    await stopped(1);
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);

    await send("Second");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await send("Third");
    await stopped(2);
    await page.getByRole("button", { name: "Stop" }).click();
    await stopped(3);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
