import { z } from "zod";
import { Slug } from "../../protocol/id";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { mutation } from "../platform/verb";
import { AGENT_COLUMNS, toAgentRecord } from "./agent-record";

const NewAgent = z.object({
  slug: Slug,
  name: z.string().trim().min(1).max(100).optional(),
  kind: z.enum(["live", "dev"]).default("live"),
});

/** Makes an agent without a version. @throws AppError `already_exists` */
export const createAgent = mutation({
  permission: "agents:create",
  scope: "org",
  input: NewAgent,
  action: "agent.create",
  async run({ ctx, input, tx }) {
    const { slug, kind, name = slug } = input;
    const id = newId("agt");
    const { count } = await tx.db.agent.createMany({
      data: [{ orgId: ctx.orgId, id, slug, slugKey: slug.toLowerCase(), name, kind }],
      skipDuplicates: true,
    });
    if (count === 0) throw new AppError("already_exists", `There is an agent named ${slug}.`);
    const row = await tx.db.agent.findFirstOrThrow({ where: { id }, select: AGENT_COLUMNS });
    return toAgentRecord(row);
  },
  audit: ({ id, slug, kind }) => ({ entityId: id, after: { slug, kind } }),
});
