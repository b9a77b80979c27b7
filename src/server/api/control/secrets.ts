import { z } from "zod";
import type { Ctx } from "../../platform/context";
import { deleteSecret, listSecrets, setSecrets } from "../../secrets";
import { type Route, route } from "../route";
import { listOf, wholeList } from "./list-of";

const tag = "secrets";
const NameParams = z.object({ name: z.string().max(200) });

const Receipt = z.object({
  name: z.string(),
  version: z.int(),
  length: z.int().describe("UTF-8 bytes of the value"),
  fingerprint: z.string().describe("six hex digits to recognise the value by"),
});
const Listed = Receipt.extend({ setAt: z.string(), setBy: z.string() });

/** The same four routes for an agent's secrets and for the org's. */
interface Owner {
  base: string;
  auth: "org" | "agent";
  whose: string;
}

const agentIdOf = (args: { ctx: Ctx; agent?: { id: string } }): string | undefined =>
  args.agent?.id;

const list = ({ base, auth, whose }: Owner): Route =>
  route({
    method: "GET",
    path: `/${base}/secrets`,
    summary: `${whose} secrets, without their values`,
    tag,
    auth,
    answer: { status: 200, description: "All, by name.", schema: listOf("secrets", Listed) },
    async handler(args) {
      return wholeList("secrets", await listSecrets(args.ctx, { agentId: agentIdOf(args) }));
    },
  });

const setMany = ({ base, auth, whose }: Owner): Route =>
  route({
    method: "PUT",
    path: `/${base}/secrets`,
    summary: `Set several of ${whose.toLowerCase()} secrets: all or none`,
    tag,
    auth,
    body: z.object({ secrets: z.record(z.string(), z.string()) }),
    answer: {
      status: 200,
      description: "What was set.",
      schema: z.object({ ok: z.literal(true), secrets: z.array(Receipt) }),
    },
    async handler(args) {
      const { secrets } = args.body;
      const receipts = await setSecrets(args.ctx, { agentId: agentIdOf(args), secrets });
      return { ok: true, secrets: receipts };
    },
  });

const setOne = ({ base, auth, whose }: Owner): Route =>
  route({
    method: "PUT",
    path: `/${base}/secrets/{name}`,
    summary: `Set one of ${whose.toLowerCase()} secrets`,
    tag,
    auth,
    params: NameParams,
    body: z.object({ value: z.string() }),
    answer: {
      status: 200,
      description: "What was set.",
      schema: Receipt.extend({ ok: z.literal(true) }),
    },
    async handler(args) {
      const secrets = { [args.params.name]: args.body.value };
      const [receipt] = await setSecrets(args.ctx, { agentId: agentIdOf(args), secrets });
      return { ok: true, ...receipt };
    },
  });

const remove = ({ base, auth, whose }: Owner): Route =>
  route({
    method: "DELETE",
    path: `/${base}/secrets/{name}`,
    summary: `Forget one of ${whose.toLowerCase()} secrets`,
    tag,
    auth,
    params: NameParams,
    answer: { status: 204, description: "It is gone." },
    async handler(args) {
      await deleteSecret(args.ctx, { agentId: agentIdOf(args), name: args.params.name });
    },
  });

const routesOf = (owner: Owner): Route[] => [
  list(owner),
  setMany(owner),
  setOne(owner),
  remove(owner),
];

export const secretRoutes = [
  ...routesOf({
    base: "api/v1/orgs/{org}/agents/{agent}",
    auth: "agent",
    whose: "The agent's",
  }),
  ...routesOf({ base: "api/v1/orgs/{org}", auth: "org", whose: "The org's" }),
];
