import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { deployFiles } from "../support/deploy-files";
import { openPerson, signIn } from "./browser";
import { type ScriptedProduct, startScriptedProduct } from "./scripted-product";

/** Speaks for half a minute, a word every 50 ms. */
const SLOW = "scripted/tokens-600-50";

describe.skipIf(!chromiumPath || !canSandbox)("a running turn", () => {
  let started: ScriptedProduct;

  beforeAll(async () => {
    started = await startScriptedProduct("scripted");
    await deployFiles(started.client, started.product.org, "slow", {
      "bot/instructions.md": "Speak slowly.\n",
      "bot/agent.ts": `import { defineAgent } from "openberth";\nexport default defineAgent({ model: "${SLOW}" });\n`,
    });
  });
  afterAll(() => started?.stop());

  test("stops at once, and a follow-up interrupts the next one", async () => {
    const { browser, product } = started;
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
