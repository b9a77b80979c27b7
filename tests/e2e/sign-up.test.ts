import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../support/capabilities";
import { type Product, startProduct } from "../support/product";
import { expectAccessible, launchBrowser, openPerson } from "./browser";

describe.skipIf(!chromiumPath)("a new person", () => {
  let product: Product;
  let browser: Browser;

  beforeAll(async () => {
    [product, browser] = await Promise.all([
      startProduct({ BERTH_SIGNUP: "open" }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  test("signs up, founds an organisation, and sees no other", async () => {
    const { page, context, complaints } = await openPerson(browser, product);
    await page.goto("/signup");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create account" }).click();

    await page.getByRole("heading", { name: "Create your organisation" }).waitFor();
    await page.getByLabel("Name").fill("Ada's Engines");
    expect(await page.getByLabel("Address").inputValue()).toBe("ada-s-engines");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create organisation" }).click();
    await page.waitForURL("**/ada-s-engines");
    await page.getByText("No agents yet").waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);

    const foreign = await page.goto(`/${product.org}`);
    expect(foreign?.status()).toBe(404);
    await context.close();
  });
});
