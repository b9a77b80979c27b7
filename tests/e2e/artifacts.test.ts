import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/sdk/client";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { deployFiles } from "../support/deploy-files";
import { type Product, startProduct } from "../support/product";
import { expectAccessible, launchBrowser, openPerson, signIn } from "./browser";

const PROJECT = {
  "package.json": '{ "name": "reporter", "private": true, "type": "module" }',
  "bot/agent.ts": `import { defineAgent } from "openberth";
export default defineAgent({});`,
  "bot/instructions.md": "Report.",
  "bot/artifacts.ts": `import { defineArtifacts } from "openberth/artifacts";
import { z } from "zod";
export default defineArtifacts({
  kinds: { report: { schema: z.object({ rows: z.number() }) }, draft: { retention: "30d" } },
  agentTool: true,
});`,
  "bot/tools/report.ts": `import { defineTool } from "openberth/tools";
export default defineTool({
  description: "Reports.",
  effect: "write",
  async execute({ rows, bytes }, ctx) {
    const contents = "<script>document.title = 'run'</script>" + "x".repeat(bytes ?? 0);
    return ctx.artifacts.tag({
      kind: "report", key: "weekly", title: "Weekly report", data: { rows }, contents, contentType: "text/html",
    });
  },
});`,
};

describe.skipIf(!chromiumPath || !canSandbox)("artifacts in a browser", () => {
  let product: Product;
  let browser: Browser;
  let base: string;

  const post = async (path: string, json: unknown) => {
    const response = await fetch(product.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${product.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(json),
    });
    return { status: response.status, body: await response.json() };
  };

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
    base = `/${product.org}/reporter`;
    const client = createClient({ url: product.url, token: product.apiKey });
    await deployFiles(client, product.org, "reporter", PROJECT);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  test("an agent without any says how to make one", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`${base}/artifacts`);
    await page.getByRole("heading", { name: "No artifacts yet" }).waitFor();
    await page.getByText("ctx.artifacts.tag").waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("one that a tool tagged is in its session, in the list, and downloads as it was", async () => {
    const { body: opened } = await post(`${base}/v1/session`, { message: "hello" });
    const call = await post(`${base}/v1/tools/report`, {
      input: { rows: 3, bytes: 9_000_000 },
      sessionId: opened.sessionId,
    });
    expect(call).toMatchObject({ status: 200, body: { isError: false, result: { version: 1 } } });

    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`${base}/sessions/${opened.sessionId}`);
    await page.getByRole("link", { name: /Weekly report/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: /Weekly report/ }).click();
    await page.waitForURL(`**${base}/artifacts/art_*`);
    await page.getByText("text/html, 8.6 MiB").waitFor();
    await page.getByRole("region", { name: "the artifact's data" }).getByText("3").waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Weekly report.html");
    const bytes = await readFile(await download.path(), "utf8");
    expect(bytes.length).toBe(9_000_039);
    expect(bytes.startsWith("<script>document.title")).toBe(true);

    await page.goto(`${base}/artifacts?kind=draft`);
    await page.getByRole("heading", { name: "No artifact matches" }).waitFor();
    await page.getByRole("link", { name: "report", exact: true }).click();
    await page.getByRole("link", { name: "Weekly report" }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("data that its kind's schema refuses is the tool's error", async () => {
    const call = await post(`${base}/v1/tools/report`, { input: { rows: "three" } });
    expect(call.body).toMatchObject({ isError: true });
    expect(call.body.result).toContain("does not match the schema of report");
  });
});
