import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../../src/server/platform/errors";
import {
  authenticateUser,
  authOptions,
  createOrg,
  createUser,
  csrfTokenFor,
  ctxForCaller,
  findOrg,
  isCsrfToken,
  listMyOrgs,
  listMySessions,
  type RequestOrigin,
  revokeMySession,
  sessionCookie,
  signIn,
  signUp,
  type UserCaller,
} from "../../../src/server/tenancy";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let world: TestPlatform;
let addresses = 0;

beforeAll(async () => {
  world = await startTestPlatform({ BERTH_SIGNUP: "open" });
});
afterAll(() => world.stop());

/** Each from another address, so that no test runs into the limits of another. */
const origin = (): RequestOrigin & { userAgent: string } => {
  addresses += 1;
  return { via: "ui", ip: `192.0.2.${addresses}`, requestId: "req", userAgent: "test" };
};
const PASSWORD = "correct horse battery";

async function person(email: string): Promise<UserCaller> {
  await createUser({ email, name: "Ada", password: PASSWORD });
  return signIn({ email, password: PASSWORD }, origin());
}

const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "resolved",
    (error) => (error instanceof AppError ? error.code : String(error)),
  );

describe("signing up and in", () => {
  test("an account is one e-mail, whatever its case", async () => {
    await signUp({ email: " Grace@Example.com ", name: "Grace", password: PASSWORD }, origin());
    const again = { email: "grace@example.com", name: "Grace", password: PASSWORD };
    expect(await codeOf(signUp(again, origin()))).toBe("already_exists");
    const caller = await signIn({ email: "GRACE@example.com", password: PASSWORD }, origin());
    expect(caller).toMatchObject({ kind: "user", email: "grace@example.com", name: "Grace" });
  });

  test("a short password is refused with its issue", async () => {
    const input = { email: "short@example.com", name: "S", password: "123456789" };
    await expect(signUp(input, origin())).rejects.toMatchObject({
      code: "invalid_request",
      details: { issues: [{ path: "password" }] },
    });
  });

  test("passwords are kept as argon2id", async () => {
    const { userId } = await createUser({ email: "h@example.com", name: "H", password: PASSWORD });
    const [row] = await world.sql<{ password_hash: string }>(
      `SELECT password_hash FROM "user" WHERE id = $1`,
      [userId],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test("a wrong password, an unknown e-mail and a disabled person get the same answer", async () => {
    const { userId } = await person("off@example.com");
    await world.sql(`UPDATE "user" SET disabled_at = now() WHERE id = $1`, [userId]);
    await person("known@example.com");
    const refusals = await Promise.all(
      [
        { email: "off@example.com", password: PASSWORD },
        { email: "known@example.com", password: "wrong password" },
        { email: "nobody@example.com", password: PASSWORD },
      ].map((input) => signIn(input, origin()).then(String, (error: AppError) => error)),
    );
    const bodies = refusals.map((error) => ({ ...(error as AppError), message: String(error) }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ code: "invalid_credentials" });
  });

  test("an unknown e-mail costs as much work as a wrong password", async () => {
    await person("slow@example.com");
    const time = async (email: string) => {
      const from = performance.now();
      await codeOf(signIn({ email, password: "wrong password" }, origin()));
      return performance.now() - from;
    };
    const fastest = async (email: string) =>
      Math.min(await time(email), await time(email), await time(email));
    expect(await fastest("unknown@example.com")).toBeGreaterThan(
      (await fastest("slow@example.com")) / 3,
    );
  });

  test("the eleventh try within a minute has to wait", async () => {
    const from = origin();
    const tries = [];
    for (let i = 0; i < 10; i += 1) {
      tries.push(await codeOf(signIn({ email: "brute@example.com", password: "guess" }, from)));
    }
    expect(new Set(tries)).toEqual(new Set(["invalid_credentials"]));
    const refused = await signIn({ email: "Brute@example.com", password: "guess" }, from).catch(
      (error: AppError) => error,
    );
    expect(refused).toMatchObject({ code: "rate_limited" });
    expect((refused as AppError).retryAfterS).toBeGreaterThan(0);
    const elsewhere = signIn({ email: "brute@example.com", password: "guess" }, origin());
    expect(await codeOf(elsewhere)).toBe("invalid_credentials");
  });
});

describe("sessions", () => {
  test("a cookie is good while its row is, and not a moment longer", async () => {
    const caller = await person("cookie@example.com");
    const cookie = `other=1; ${await sessionCookie(caller.sid)}; last=2`;
    expect(await authenticateUser(cookie)).toEqual(caller);
    const request = new Request("http://berth.test/", { headers: { cookie } });
    expect(await authenticateUser(request)).toEqual(caller);

    await revokeMySession(caller, caller.sid, origin());
    expect(await authenticateUser(cookie)).toBeUndefined();
  });

  test("an expired row, a disabled person and a forged cookie are nobody", async () => {
    const caller = await person("gone@example.com");
    const cookie = await sessionCookie(caller.sid);
    expect(await authenticateUser(cookie.replace(/.{5}$/, "AAAAA"))).toBeUndefined();
    expect(await authenticateUser("next-auth.session-token=x")).toBeUndefined();
    expect(await authenticateUser(await sessionCookie("unknown"))).toBeUndefined();
    expect(await authenticateUser(null)).toBeUndefined();
    await world.sql("UPDATE user_session SET expires_at = now() WHERE id = $1", [caller.sid]);
    expect(await authenticateUser(cookie)).toBeUndefined();
    await world.sql("UPDATE user_session SET expires_at = now() + interval '1 day'");
    expect(await authenticateUser(cookie)).toEqual(caller);
    await world.sql(`UPDATE "user" SET disabled_at = now() WHERE id = $1`, [caller.userId]);
    expect(await authenticateUser(cookie)).toBeUndefined();
  });

  test("people list and end their own sessions only", async () => {
    const first = await person("list@example.com");
    const second = await signIn({ email: "list@example.com", password: PASSWORD }, origin());
    const other = await person("other@example.com");
    const listed = await listMySessions(second);
    expect(listed.map(({ id, current }) => [id, current])).toEqual(
      expect.arrayContaining([
        [first.sid, false],
        [second.sid, true],
      ]),
    );
    expect(listed).toHaveLength(2);
    expect(await codeOf(revokeMySession(other, first.sid, origin()))).toBe("not_found");
    await revokeMySession(second, first.sid, origin());
    expect(await listMySessions(second)).toHaveLength(1);
  });

  test("a CSRF token belongs to one session", () => {
    expect(isCsrfToken("one", csrfTokenFor("one"))).toBe(true);
    expect(isCsrfToken("two", csrfTokenFor("one"))).toBe(false);
    expect(isCsrfToken("one", undefined)).toBe(false);
  });

  test("next-auth gets a person for a password, a code for a refusal, and no revoked session", async () => {
    const { userId } = await createUser({ email: "na@example.com", name: "N", password: PASSWORD });
    const options = authOptions();
    const [provider] = options.providers as unknown as {
      authorize(credentials: object, request: object): Promise<{ id: string; sid: string }>;
    }[];
    const request = { headers: { "x-berth-client-address": "198.51.100.1" } };
    const user = await provider!.authorize(
      { email: "na@example.com", password: PASSWORD },
      request,
    );
    expect(user).toMatchObject({ id: userId, email: "na@example.com" });
    await expect(
      provider!.authorize({ email: "na@example.com", password: "wrong" }, request),
    ).rejects.toThrow(/^invalid_credentials$/);

    const token = await options.callbacks!.jwt!({ token: {}, user } as never);
    expect(token).toEqual({ sub: userId, sid: user.sid });
    await expect(options.callbacks!.jwt!({ token } as never)).resolves.toEqual(token);
    await options.events!.signOut!({ token } as never);
    await expect(options.callbacks!.jwt!({ token } as never)).rejects.toThrow();
  });
});

describe("orgs", () => {
  test("a new org belongs to its owner, and its name is taken in any case", async () => {
    const owner = await person("owner@example.com");
    const stranger = await person("stranger@example.com");
    const org = await createOrg(owner, { slug: "Acme-Co" }, origin());
    expect(await findOrg("ACME-co")).toMatchObject({ id: org.id, slug: "Acme-Co" });
    expect(await codeOf(createOrg(stranger, { slug: "acme-CO" }, origin()))).toBe("already_exists");
    expect(await listMyOrgs(owner)).toEqual([
      { id: org.id, slug: "Acme-Co", name: "Acme-Co", role: "owner" },
    ]);
    expect(await listMyOrgs(stranger)).toEqual([]);
    const ctx = await ctxForCaller(owner, org.id, origin());
    expect(ctx.permissions.has("org:manage")).toBe(true);
    expect(await codeOf(ctxForCaller(stranger, org.id, origin()))).toBe("not_found");
    expect(await codeOf(ctxForCaller(stranger, "org_unknown", origin()))).toBe("not_found");
  });

  test.each(["v1", "API", "a--b", "-a", "_next", "", "ü", "a".repeat(65), "a/b"])(
    "%j names no org",
    async (slug) => {
      const owner = { userId: "usr_nobody", name: "N" };
      expect(await codeOf(createOrg(owner, { slug }, origin()))).toBe("invalid_request");
    },
  );

  test("founding, signing in and out are in the org's audit log", async () => {
    const owner = await person("audited@example.com");
    const org = await createOrg(owner, { slug: "audited" }, origin());
    const again = await signIn({ email: "audited@example.com", password: PASSWORD }, origin());
    await revokeMySession(again, again.sid, origin());
    const rows = await world.sql<{ action: string; actor: string }>(
      "SELECT action, actor FROM audit_entry WHERE org_id = $1 ORDER BY at",
      [org.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      "org.create",
      "user.sign-in",
      "user.sign-out",
    ]);
    expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set([`user:${owner.userId}`]));
  });
});
