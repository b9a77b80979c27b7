// Compiled by tsc, never run: code that must compile does, code that must not is marked.
import { type ZodType, z } from "zod";
import { defaultGitHubAuth, githubChannel } from "./channels/github";
import type { Send } from "./channels/index";
import { allowAll, defineChannel, GET, POST } from "./channels/index";
import type { SlackMessageHandler } from "./channels/slack";
import { defaultSlackAuth, slackChannel } from "./channels/slack";
import { defineConnection } from "./connections";
import { defineEval, includes, satisfies } from "./evals";
import { decide } from "./extensions/jev";
import { defineAgent, defineHook, prompt } from "./index";
import type { JsonValue } from "./json";
import { memoryHook } from "./memory";
import { defineSchedule } from "./schedules";
import { fileKv } from "./storage/file-kv";
import { defineStorage } from "./storage/index";
import type { HostKv, ToolContext, ToolDef, ToolInput, ToolResultContent } from "./tools";
import { defineTool } from "./tools";

interface Row {
  id: string;
  note?: string;
}

const Input = z.object({ city: z.string(), days: z.number().default(3) });
const inferred: ToolInput<typeof Input> = { city: "Oslo", days: 1 };

// Members that are undefined, interfaces and synchronous bodies may be returned.
const weather = defineTool({
  description: "Forecast.",
  inputSchema: Input,
  outputSchema: z.object({ id: z.string() }),
  effect: ({ days }) => (days > 5 ? "write" : "read"),
  needsApproval: ({ city }) => city === "Rome",
  dryRunResult: () => 42,
  execute({ city, days }, ctx): Row {
    ctx.signal.throwIfAborted();
    return { id: `${city.toUpperCase()}${days.toFixed()}`, ...(ctx.session.dryRun ? {} : {}) };
  },
});
const called: unknown = weather.execute(inferred, {} as ToolContext);

// A tool factory, generic in its schema.
export const factory = <S extends ZodType>(inputSchema: S, run: (input: z.output<S>) => unknown) =>
  defineTool({ description: "Made.", inputSchema, execute: (input) => run(input) });
export const asDef: ToolDef<typeof Input> = weather;

export const union = defineTool({
  description: "Union at the root.",
  inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
  execute: (input) => ("a" in input ? input.a : input.b.toFixed()),
});
export const raw = defineTool({
  description: "Plain JSON Schema.",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  execute: ({ city }) => ({ city, missing: undefined }),
});
export const open = defineTool({ description: "Anything.", execute: () => "done" });
export const dry = defineTool({
  description: "A dry run answers a value; a result may hold a file.",
  inputSchema: Input,
  dryRunResult: { published: false },
  execute: (): { content: ToolResultContent[] } => ({
    content: [{ type: "file", data: "aGk=", mimeType: "text/plain", name: "hi.txt" }],
  }),
});
export const agentTool = defineTool({
  description: "In the workspace.",
  execution: "agent",
  inputSchema: z.object({ message: z.string() }),
  script: "#!/bin/sh\ncat\n",
});

// An object with just these three members is a kv; further members are optional.
const values = new Map<string, JsonValue>();
const fake = {
  get: async (key: string): Promise<JsonValue | undefined> => values.get(key),
  put: async (key: string, value: JsonValue): Promise<void> => void values.set(key, value),
  delete: async (key: string): Promise<void> => void values.delete(key),
};
export const kv: HostKv = fake;
export const usesKv = defineTool({
  description: "Counts.",
  async execute(_input, { host }) {
    const store: HostKv = host.kv;
    await store.put("n", 1);
    const keys: string[] = await host.kv.list();
    const names: string[] = host.mcp.names();
    return [...keys, ...names];
  },
});

export const channel = defineChannel<{ thread: string }>({
  auth: [allowAll()],
  routes: [
    GET("/", { handler: () => new Response("ok") }),
    POST("/in", {
      bodySchema: z.object({ text: z.string() }),
      async handler(_request, { send, body }) {
        const go: Send = send;
        const session = await go(body.text, { continuationToken: "k", admission: "coalesce" });
        return Response.json(await session.waitForCompletion());
      },
    }),
  ],
});
export const schedule = defineSchedule({
  cron: "0 9 * * *",
  run: ({ receive, appAuth, waitUntil }) =>
    waitUntil(receive(channel, { message: "go", auth: appAuth })),
});
const mention: SlackMessageHandler = (ctx, m) => {
  const auth = defaultSlackAuth(m, ctx);
  return Promise.resolve(auth && { auth });
};
export const slack = slackChannel({ onAppMention: mention, onChannelPost: () => null });
export const github = githubChannel({
  onPullRequest: (c, pr) => (pr.draft ? null : { auth: defaultGitHubAuth(c), title: pr.url }),
});
export const hook = defineHook({
  events: { "turn.completed": (event) => event.data.text.length, "*": () => undefined },
});
export const connection = defineConnection({ url: "https://x.test/mcp", headers: undefined });
export const memory = [memoryHook(), memoryHook({ scope: "agent" }), memoryHook(new Map())];
export const storage = defineStorage({ name: "s", ...fileKv() });
export const agent = defineAgent({ model: { id: "grok-4.5", params: [{ id: "e", value: "h" }] } });
export const list: string[] = prompt.lines`a`;
export const choice: Promise<"low" | "high"> = decide({ question: "?", choices: ["low", "high"] });
export const evaluation = defineEval({
  cases: [{ id: "a", test: (t) => t.check(t.reply, satisfies(Boolean, "any")) }],
  test: (t) => t.check(t.reply, includes(/x/)),
});
export { called };

// @ts-expect-error a description is required
defineTool({ inputSchema: Input, execute: () => 1 });
// @ts-expect-error a server tool needs execute
defineTool({ description: "No body.", inputSchema: Input });
// @ts-expect-error an agent tool needs a script
defineTool({ description: "No script.", execution: "agent" });
defineTool({
  description: "Wrong member.",
  inputSchema: Input,
  // @ts-expect-error the input has no such member
  execute: ({ town }) => town,
});
// @ts-expect-error only read and write are effects
defineTool({ description: "x", inputSchema: Input, effect: "maybe", execute: () => 1 });
// @ts-expect-error exactly one of markdown and run
defineSchedule({ cron: "* * * * *", markdown: "x", run: () => undefined });
// @ts-expect-error a schedule needs markdown or run
defineSchedule({ cron: "* * * * *" });
// @ts-expect-error a channel has routes
defineChannel({ auth: [] });
// @ts-expect-error access is org or public
defineAgent({ access: "everyone" });
// @ts-expect-error a kv has put
export const broken: HostKv = { get: fake.get, delete: fake.delete };
