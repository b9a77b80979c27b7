import { z } from "zod";
import {
  deleteModelProvider,
  listModelProviders,
  NewModelProvider,
  setModelProvider,
} from "../../models";
import { route } from "../route";
import { listOf, wholeList } from "./list-of";

const BASE = "/api/v1/orgs/{org}/models";
const tag = "models";
const NameParams = z.object({ name: z.string().max(200) });

const Provider = z.object({
  name: z.string(),
  kind: z.string(),
  baseUrl: z.string().nullable(),
  fingerprint: z.string().nullable().describe("six hex digits of the key; null without one"),
});

const list = route({
  method: "GET",
  path: BASE,
  summary: "The org's model providers, without their keys",
  tag,
  auth: "org",
  answer: {
    status: 200,
    description: "All of them, by name.",
    schema: listOf("models", Provider.extend({ updatedAt: z.string() })),
  },
  async handler({ ctx }) {
    return wholeList("models", await listModelProviders(ctx, {}));
  },
});

const set = route({
  method: "PUT",
  path: `${BASE}/{name}`,
  summary: "Set a model provider; a key that is not sent again is forgotten",
  tag,
  auth: "org",
  params: NameParams,
  body: NewModelProvider,
  answer: {
    status: 200,
    description: "The provider.",
    schema: Provider.extend({ ok: z.literal(true) }),
  },
  async handler({ ctx, params, body }) {
    return { ok: true, ...(await setModelProvider(ctx, { ...body, name: params.name })) };
  },
});

const remove = route({
  method: "DELETE",
  path: `${BASE}/{name}`,
  summary: "Remove a model provider and its key",
  tag,
  auth: "org",
  params: NameParams,
  answer: { status: 204, description: "It is gone." },
  handler: ({ ctx, params }) => deleteModelProvider(ctx, params),
});

export const modelRoutes = [list, set, remove];
