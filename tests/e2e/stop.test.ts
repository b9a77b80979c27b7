import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packProject } from "../../src/cli/pack/pack-project";
import { createClient } from "../../src/sdk/client";
import { canSandbox, chromiumPath } from "../support/capabilities";
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
  const dir = await mkdtemp(join(tmpdir(), "berth-slow-"));
  try {
    await mkdir(join(dir, "bot"));
    await writeFile(join(dir, "bot/instructions.md"), "Speak slowly.\n");
    await writeFile(
      join(dir, "bot/agent.ts"),
      `import { defineAgent } from "openberth";\nexport default defineAgent({ model: "${SLOW}" });\n`,
    );
    const { archive } = await packProject(dir);
    for await (const line of client.control.deploy(product.org, "slow", archive)) {
      if (line.type === "failed") throw new Error(JSON.stringify(line.diagnostics));
    }
  } finally {
    await rm(dir, { recursive: true });
  }
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
