import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/event";
import { trajectoryOf } from "../../src/protocol/trajectory";
import { canSandbox, chromiumPath } from "../support/capabilities";
import { deployFiles } from "../support/deploy-files";
import { LONG_TURN, longTurnMessage, researcherFiles } from "../support/long-agent";
import { expectAccessible, openPerson, signIn } from "./browser";
import { type ScriptedProduct, startScriptedProduct } from "./scripted-product";

const AGENT = "researcher";

const turnOf = (page: Page) => page.getByRole("article", { name: "Agent" });

/** The turn has ended and its footer says what it used. */
const ended = (page: Page) =>
  turnOf(page)
    .getByText(/ in · .* out/)
    .waitFor({ timeout: 120_000 });

/** What a page shows of the turn, with what the subagents did unfolded. */
async function shownBy(page: Page): Promise<string> {
  const helpers = turnOf(page).getByRole("button", { name: /^task\b/, expanded: false });
  while ((await helpers.count()) > 0) await helpers.first().click();
  return (await turnOf(page).textContent()) ?? "";
}

describe.skipIf(!chromiumPath || !canSandbox)("a turn of fifty steps", () => {
  let started: ScriptedProduct;

  beforeAll(async () => {
    started = await startScriptedProduct("stub");
    const { client, product } = started;
    await deployFiles(client, product.org, AGENT, await researcherFiles("stub/echo"));
  });
  afterAll(() => started?.stop());

  test("looks the same live, from its middle, after a reload and in the session's page", async () => {
    const { browser, product } = started;
    const { page, context, complaints } = await openPerson(browser, product);
    await signIn(page, product);
    await page.goto(`/${product.org}/${AGENT}/playground`);
    await page.getByLabel("Message", { exact: true }).fill(longTurnMessage());
    await page.keyboard.press("Enter");
    await page
      .getByRole("button", { name: /^glob\b/ })
      .first()
      .waitFor({ timeout: 60_000 });
    // Somebody who comes in the middle.
    const second = await context.newPage();
    await second.goto(page.url());
    await Promise.all([ended(page), ended(second)]);
    const live = await shownBy(page);
    expect(await shownBy(second)).toBe(live);
    await second.close();

    await page.reload();
    await ended(page);
    expect(await shownBy(page)).toBe(live);
    // The first part of a call's line is its tool.
    const names = await turnOf(page)
      .getByRole("button", { name: /^(read|ls|grep|glob|task)\b/ })
      .evaluateAll((lines) => lines.map((line) => line.querySelector("span")?.textContent ?? ""));

    const sessionId = new URL(page.url()).searchParams.get("session") ?? "";
    // As the person whose session it is.
    const csrf = await page.locator('meta[name="berth-csrf"]').getAttribute("content");
    const log = await page.request.get(
      `/${product.org}/${AGENT}/v1/session/${sessionId}/events?format=json`,
      { headers: { "x-berth-csrf": csrf ?? "" } },
    );
    expect(log.status()).toBe(200);
    const events = (await log.json()) as SessionEvent[];
    const turnId = events.find(({ type }) => type === "turn.completed")?.turnId ?? "";
    const { toolCalls, status } = trajectoryOf(events, { sessionId, turnId });
    expect(status).toBe("finished");
    expect(toolCalls).toHaveLength(LONG_TURN.ownCalls + LONG_TURN.helpersCalls);
    // A page shows a subagent's calls within the call that began it; the log as they came.
    expect(names.sort()).toEqual(toolCalls.map(({ toolName }) => toolName).sort());
    for (const text of [...LONG_TURN.helpers, LONG_TURN.end, "step 48"])
      expect(live).toContain(text);

    await page.goto(`/${product.org}/${AGENT}/sessions/${sessionId}`);
    await ended(page);
    expect(await shownBy(page)).toBe(live);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await context.close();
  }, 240_000);
});
