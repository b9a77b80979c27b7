import { z } from "zod";
import { listAudit } from "../../audit";
import { route } from "../route";
import { listOf } from "./list-of";

const Entry = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  via: z.string(),
  onBehalfOf: z.string().nullable(),
  ip: z.string().nullable(),
  requestId: z.string(),
  action: z.string(),
  entityId: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

const list = route({
  method: "GET",
  path: "/api/v1/orgs/{org}/audit",
  summary: "The org's audit log, newest first",
  tag: "audit",
  auth: "org",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).optional(),
    cursor: z.string().max(500).optional(),
    action: z.string().max(100).optional(),
  }),
  answer: { status: 200, description: "One page.", schema: listOf("entries", Entry) },
  async handler({ ctx, query }) {
    return { ok: true, ...(await listAudit(ctx, query)) };
  },
});

export const auditRoutes = [list];
