import { randomBytes } from "node:crypto";
import { type Permission, ROLE_PERMISSIONS } from "../protocol/permission";
import { newUuid } from "../server/platform/id";
import { createApiKey, createOrg, createUser, ctxForSystem, findOrg } from "../server/tenancy";

const EMAIL = "demo@berth.local";
const ORG = "demo";
const PERMISSIONS: Permission[] = [...ROLE_PERMISSIONS.developer, "models:manage"];

export interface DemoLogin {
  org: string;
  email: string;
  password: string;
  apiKey: string;
}

/**
 * Makes the demo org with its owner and one API key that does not expire. The password and the
 * key are in the answer and nowhere else. @throws Error when the org is there already
 */
export async function seedDemo(): Promise<DemoLogin> {
  if (await findOrg(ORG)) throw new Error(`the org ${ORG} exists already`);
  const password = randomBytes(12).toString("base64url");
  const name = "Demo";
  const { userId } = await createUser({ email: EMAIL, name, password });
  const origin = { via: "seed" as const, ip: null, requestId: newUuid() };
  const settings = { offlineModel: true };
  const org = await createOrg({ userId, name }, { slug: ORG, name, settings }, origin);
  const { token } = await createApiKey(
    { ...ctxForSystem(org.id, "seed"), ...origin },
    { name: "demo", permissions: PERMISSIONS, expiresInDays: null },
  );
  return { org: ORG, email: EMAIL, password, apiKey: token };
}
