import { z } from "zod";
import { Permission, Role } from "../../../protocol/permission";
import { type Caller, listMyOrgs } from "../../tenancy";
import { route } from "../route";

const MyOrg = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  role: Role.nullable().describe("null for a service account, which has permissions instead"),
});

const Me = z.object({
  ok: z.literal(true),
  principal: z.object({ kind: z.enum(["user", "service"]), id: z.string(), label: z.string() }),
  email: z.string().optional(),
  key: z
    .object({ id: z.string(), permissions: z.array(Permission), agentId: z.string().nullable() })
    .optional(),
  orgs: z.array(MyOrg),
});

const describe = (caller: Caller) =>
  caller.kind === "user"
    ? {
        principal: { kind: "user", id: caller.userId, label: caller.name },
        email: caller.email,
      }
    : {
        principal: {
          kind: "service",
          id: caller.serviceAccountId,
          label: caller.serviceAccountName,
        },
        key: {
          id: caller.keyId,
          permissions: [...caller.permissions],
          agentId: caller.onlyAgentId ?? null,
        },
      };

const me = route({
  method: "GET",
  path: "/api/v1/me",
  summary: "Who the credential speaks for, and the orgs it belongs to",
  tag: "account",
  auth: "caller",
  answer: { status: 200, description: "The caller.", schema: Me },
  async handler({ caller }) {
    return { ok: true, ...describe(caller), orgs: await listMyOrgs(caller) };
  },
});

export const meRoutes = [me];
