import { z } from "zod";
import { Permission } from "../../../protocol/permission";
import { createApiKey, listApiKeys, NewApiKey, revokeApiKey } from "../../tenancy";
import { route } from "../route";
import { listOf, wholeList } from "./list-of";

const BASE = "/api/v1/orgs/{org}/keys";
const tag = "keys";

const Key = z.object({
  id: z.string(),
  name: z.string(),
  serviceAccountId: z.string(),
  permissions: z.array(Permission),
  agentId: z.string().nullable().describe("the one agent it is for; null for all"),
  expiresAt: z.string().nullable(),
});

const list = route({
  method: "GET",
  path: BASE,
  summary: "The org's API keys, without their secrets",
  tag,
  auth: "org",
  answer: {
    status: 200,
    description: "Those that are not revoked, newest first.",
    schema: listOf(
      "keys",
      Key.extend({
        createdBy: z.string(),
        createdAt: z.string(),
        lastUsedAt: z.string().nullable(),
      }),
    ),
  },
  async handler({ ctx }) {
    return wholeList("keys", await listApiKeys(ctx, {}));
  },
});

const create = route({
  method: "POST",
  path: BASE,
  summary: "Make an API key; its token is in this answer only",
  tag,
  auth: "org",
  body: NewApiKey,
  answer: {
    status: 201,
    description: "The key with its token.",
    schema: Key.extend({ ok: z.literal(true), token: z.string() }),
    secret: { member: "token", id: "id" },
  },
  async handler({ ctx, body }) {
    return { ok: true, ...(await createApiKey(ctx, body)) };
  },
});

const revoke = route({
  method: "DELETE",
  path: `${BASE}/{keyId}`,
  summary: "End an API key at once",
  tag,
  auth: "org",
  params: z.object({ keyId: z.string().max(100) }),
  answer: { status: 204, description: "It is refused from now on." },
  handler: ({ ctx, params }) => revokeApiKey(ctx, params),
});

export const keyRoutes = [list, create, revoke];
