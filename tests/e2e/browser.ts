import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { chromiumPath } from "../support/capabilities";
import type { Product } from "../support/product";

const ARGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"],
];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ ...(chromiumPath ? { executablePath: chromiumPath } : {}), args: ARGS });

/** A browser of its own for one person; what the page complains about is collected. */
export async function openPerson(browser: Browser, product: Product) {
  const context = await browser.newContext({ baseURL: product.url });
  const complaints: string[] = [];
  const watch = (page: Page) => {
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
  };
  context.on("page", watch);
  return { context, page: await context.newPage(), complaints };
}

/** Signs in as the demo person and waits for their agents. */
export async function signIn(page: Page, product: Product): Promise<void> {
  await page.goto("/");
  await page.getByLabel("E-mail").fill(product.email);
  await page.getByLabel("Password").fill(product.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**/${product.org}`);
}

/** Resolves when the page has been painted anew, so that colours are those of the scheme. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    await Promise.all(
      document.getAnimations().map((one) => one instanceof CSSTransition && one.finished),
    );
  });

/** No finding of axe on the page, in both colour schemes and on a phone; nothing scrolls sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.bringToFront();
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 360],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    await settle(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
      ]),
    ).toEqual([]);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(wider).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize({ width: 1280, height: 800 });
}
