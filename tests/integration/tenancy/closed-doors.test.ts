import { afterEach, expect, test } from "vitest";
import { createOrg, createUser, type RequestOrigin, signUp } from "../../../src/server/tenancy";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let world: TestPlatform;
afterEach(() => world.stop());

const origin: RequestOrigin = { via: "ui", ip: "192.0.2.1", requestId: "req" };
const NEW = { email: "a@example.com", name: "A", password: "long enough 1" };

test.each(["invite", "closed"])("%s: strangers cannot sign up", async (mode) => {
  world = await startTestPlatform({ BERTH_SIGNUP: mode });
  await expect(signUp(NEW, origin)).rejects.toMatchObject({ code: "signup_closed" });
});

test("without a sandbox, of twenty racing orgs one is made", async () => {
  world = await startTestPlatform({ BERTH_SANDBOX: "unsafe-process" });
  const { userId } = await createUser(NEW);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      createOrg({ userId, name: "A" }, { slug: `org-${i}` }, origin).then(
        () => "made",
        (error) => error.code,
      ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === "unsafe_sandbox_single_org")).toHaveLength(19);
});
