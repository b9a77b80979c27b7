import { z } from "zod";
import { Slug } from "../../../protocol/id";
import { AppError } from "../../platform/errors";
import { createOrg, listMyOrgs } from "../../tenancy";
import { route } from "../route";
import { listOf, wholeList } from "./list-of";

const Org = z.object({ id: z.string(), slug: z.string(), name: z.string() });

const list = route({
  method: "GET",
  path: "/api/v1/orgs",
  summary: "The orgs the caller belongs to",
  tag: "orgs",
  auth: "caller",
  answer: {
    status: 200,
    description: "All of them.",
    schema: listOf("orgs", Org.extend({ role: z.string().nullable() })),
  },
  async handler({ caller }) {
    return wholeList("orgs", await listMyOrgs(caller));
  },
});

const create = route({
  method: "POST",
  path: "/api/v1/orgs",
  summary: "Make an org whose owner is the caller, a person",
  tag: "orgs",
  auth: "caller",
  body: z.object({ slug: Slug, name: z.string().trim().min(1).max(100).optional() }),
  answer: {
    status: 201,
    description: "The org.",
    schema: Org.extend({ ok: z.literal(true) }),
  },
  async handler({ caller, body, ip, requestId }) {
    if (caller.kind !== "user") {
      throw new AppError("forbidden", "Only a person can make an org; sign in instead.");
    }
    return { ok: true, ...(await createOrg(caller, body, { via: "ui", ip, requestId })) };
  },
});

export const orgRoutes = [list, create];
