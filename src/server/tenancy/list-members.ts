import { z } from "zod";
import { query } from "../platform/verb";

/** The people of the org with their roles, by the time they joined. */
export const listMembers = query({
  permission: "members:manage",
  scope: "org",
  input: z.object({}),
  async run({ tx }) {
    const members = await tx.db.member.findMany({
      select: {
        role: true,
        createdAt: true,
        user: { select: { id: true, email: true, name: true } },
      },
      orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
    });
    return members.map(({ user, ...member }) => ({ ...user, ...member }));
  },
});
