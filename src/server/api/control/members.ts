import { z } from "zod";
import { Role } from "../../../protocol/permission";
import { listMembers } from "../../tenancy";
import { route } from "../route";
import { listOf, wholeList } from "./list-of";

const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  createdAt: z.string(),
});

const list = route({
  method: "GET",
  path: "/api/v1/orgs/{org}/members",
  summary: "The people of the org and their roles",
  tag: "members",
  auth: "org",
  answer: { status: 200, description: "All of them.", schema: listOf("members", Member) },
  async handler({ ctx }) {
    return wholeList("members", await listMembers(ctx, {}));
  },
});

export const memberRoutes = [list];
