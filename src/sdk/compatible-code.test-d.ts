// biome-ignore-all lint/suspicious/useAwait: projects write async callbacks that await nothing
// Compiled by tsc, never run: code as projects for compatible packages write it, with fakes of
// every service, has to compile unchanged.
import { type ZodType, z } from "zod";
import {
  defaultGitHubAuth,
  type GhAuth,
  type GhCtx,
  githubChannel,
  type Pr,
} from "./channels/github";
import {
  type Args,
  type Auth,
  allowAll,
  bearerAuth,
  type ChannelDefinition,
  defineChannel,
  GET,
  localDevStrict,
  POST,
  type Route,
  type Send,
  type Session,
} from "./channels/index";
import {
  defaultSlackAuth,
  type SlackAuth,
  type SlackCtx,
  type SlackMessage,
  type SlackMessageHandler,
  slackChannel,
} from "./channels/slack";
import { type ConnectionConfig, defineConnection } from "./connections";
import {
  type Case,
  defineEval,
  defineEvalConfig,
  includes,
  type Matcher,
  satisfies,
  type T,
} from "./evals";
import {
  type AgentConfig,
  defineAgent,
  defineInstructions,
  defineTool,
  type HostMcpCallResult,
  type HostMcpContent,
  type JsonObject,
  type JsonSchemaObject,
  type JsonValue,
  type ModelSetting,
  prompt,
} from "./index";
import { type MemoryBackend, memoryHook } from "./memory";
import { type AppAuth, defineSchedule } from "./schedules";
import { fileKv } from "./storage/file-kv";
import { defineStorage, type StorageBackend, type StorageDefinition } from "./storage/index";
import {
  type Artifacts,
  defineTool as dt,
  type Effect,
  type Host,
  type HostKv,
  type Octo,
  type ToolContext,
  type ToolDef,
  type ToolResultContent,
} from "./tools";

const cfg: AgentConfig = {
  model: { id: "x", params: [{ id: "effort", value: "high" }] },
  tools: ["read"],
  runtime: "cloud",
  architecture: "v2",
  cloud: { repos: [{ url: "u" }], autoCreatePR: true },
  hosting: { image: "i", egressDomains: [] },
  local: { sandbox: true },
};
export const agent = defineAgent(cfg);
const ms: ModelSetting = "m";
class Mem implements MemoryBackend {
  x = 1;
}
memoryHook(new Mem());
memoryHook();
const kv: HostKv = {
  async get() {
    return undefined;
  },
  async put() {},
  async delete() {},
};
const mcp: Host["mcp"] = {
  names: () => ["a"],
  callTool: async () => ({ content: [{ type: "text", text: 1 }] }),
};
const host: Host = {
  kv,
  mcp,
  slack: {
    getClient: async () => ({
      chat: { postMessage: async () => ({ ok: true }) },
      reactions: { get: async () => ({}) },
    }),
  },
  github: { getOctokit: async () => ({}) as Octo },
};
const artifacts: Artifacts = { tag: async (a) => ({ id: a.key + a.title.length }) };
const ctx: ToolContext = {
  host,
  artifacts,
  workspaceDir: "/",
  now: () => new Date(),
  session: { id: "s" },
};
const S = z.object({ a: z.string(), n: z.number().default(1) });
const tool = dt({
  description: "d",
  inputSchema: S,
  outputSchema: z.object({ x: z.string() }),
  effect: (i) => (i.n > 1 ? "write" : "read"),
  needsApproval: true,
  dryRunResult: (i) => i.a,
  execute: async ({ a, n }, c) => {
    const v: JsonValue | undefined = await c.host.kv.get(a);
    const arts: Artifacts = c.artifacts;
    await arts.tag({ kind: "k", key: "k", title: "t", contents: new Uint8Array() });
    const whole: ToolContext = c;
    return { v, n, u: undefined, id: whole.toolCallId };
  },
});
const r = tool.execute({ a: "x", n: 2 }, ctx);
const eff: Effect | ((i: z.output<typeof S>) => Effect) | undefined = tool.effect;
const def: ToolDef<typeof S, ZodType> = {
  description: "x",
  inputSchema: S,
  execute(i, c) {
    return i.a + c.workspaceDir;
  },
};
dt(def);
dt<typeof S, ZodType>(def);
function factory<X extends ZodType, O extends ZodType>(d: ToolDef<X, O>): ToolDef<X, O> {
  return defineTool({ ...d, description: `${d.description}!` });
}
factory(def);
function make<X extends ZodType>(s: X, run: (i: z.output<X>, c: ToolContext) => Promise<unknown>) {
  return defineTool({
    description: "m",
    inputSchema: s,
    async execute(i, c) {
      return run(i, c);
    },
  });
}
export const made = make(S, async (i, c) => i.a + c.session.id);
interface Row {
  a: string;
  b?: number;
}
dt({ description: "i", inputSchema: z.object({}), execute: (): Row => ({ a: "1" }) });
dt({ description: "i", inputSchema: z.object({}).optional(), execute: (i) => i });
const helper = async (c: ToolContext, k: HostKv) => {
  await k.put("a", { b: [1, null] });
  const res: HostMcpCallResult = await c.host.mcp.callTool("a", "b", { c: 1 });
  const cont: HostMcpContent[] = res.content;
  const o = await c.host.github.getOctokit();
  const { data } = await o.rest.pulls.get({ owner: "a", repo: "b", pull_number: 1 });
  const s = await c.host.slack.getClient();
  await s.chat.postMessage({ channel: "c", text: "t" });
  return [data.title, cont];
};
dt({ description: "h", inputSchema: S, execute: (_i, c) => helper(c, c.host.kv) });
const content: ToolResultContent = { type: "text", text: "x" };
const send: Send = async (m, o) =>
  ({
    id: m,
    continuationToken: o?.continuationToken,
    waitForCompletion: async () => ({ status: "x" }),
  }) as Session;
const args: Args = { send, host, getSession: async () => undefined, waitUntil() {} };
const sendWith = (a: Args) =>
  a.send("x", { continuationToken: "c", title: "t", admission: "preempt" });
const auths: Auth[] = [allowAll(), localDevStrict(), bearerAuth("x")];
const routes: Route[] = [
  GET("/x", {
    description: "d",
    querySchema: z.object({ q: z.string() }),
    async handler(_r, a) {
      await sendWith(a);
      return new Response(a.query.q);
    },
  }),
  POST("/y", {
    bodySchema: S,
    async handler(_r, { body, send, host, waitUntil }) {
      waitUntil(send(body.a));
      await host.kv.put("x", 1);
      return Response.json({});
    },
  }),
];
const ch: ChannelDefinition = defineChannel({ auth: auths, routes });
const slackDef: ChannelDefinition<JsonValue> = slackChannel({
  envPrefix: "X",
  engagement: { channelPosts: { allow: ["C"], posts: "top-level", debounceMs: 5 } },
  async onChannelPost(c, m) {
    const a: SlackAuth | null = defaultSlackAuth(m, c);
    if (!a || m.author?.isBot) return null;
    await c.thread.post("x");
    return { auth: a, title: m.text, context: prompt`x`.split("\n") };
  },
  reply: { mode: "stream", status: { idle: ["a"], reasoning: true } },
  suggestedPrompts: [{ title: "t", message: "m" }],
});
const hnd: SlackMessageHandler = async (c: SlackCtx, m: SlackMessage) => {
  const a = defaultSlackAuth(m, c);
  return a ? { auth: a } : null;
};
slackChannel({ onAppMention: hnd });
export const answered = hnd(
  { thread: { post: async () => 1 } },
  { body: "", text: "", channelId: "c" },
).then((x) => x?.title);
githubChannel({
  botName: "b",
  webhookEvents: ["x"],
  deliverReplies: false,
  progress: { reactions: true },
  onPullRequest: (c: GhCtx, p: Pr) => {
    const a: GhAuth = defaultGitHubAuth(c);
    return p.draft ? null : { auth: a, title: `${p.number}${p.url}${p.action}` };
  },
});
defineSchedule({
  cron: "x",
  async run({ host, callTool, receive, waitUntil, appAuth }) {
    const a: AppAuth = appAuth;
    waitUntil(receive(slackDef, { message: "m", auth: a, target: { channel: "c" } }));
    await receive(ch, { message: "m", auth: a });
    const { isError, result } = await callTool("x", { a: 1 });
    if (!isError) await host.kv.put("r", result as JsonValue);
  },
});
const conns: ConnectionConfig[] = [
  { agent: "peer" },
  { url: "u", headers: { a: "b" }, oauth: true, advertiseTools: true },
  { cursorAccount: true, servers: ["a"], description: "d" },
  { url: "u", headers: undefined },
];
conns.map(defineConnection);
const cases: Case[] = ["a", "b"].map((id) => ({
  id,
  tags: ["t"],
  async test(t: T) {
    await t.send("x", { workspaceFiles: { a: "b" } });
    t.succeeded();
    t.calledTool("x", { input: { a: /x/ } });
    t.notCalledTool("y");
    const m: Matcher = includes("x");
    t.check(t.reply, m);
    t.check(
      1,
      satisfies((v) => v === 1, "one"),
    );
  },
}));
defineEval({ tags: [], cases, timeoutMs: 1 });
defineEval({
  async test(t) {
    await t.send("x");
  },
});
defineEvalConfig({ maxConcurrency: 1 });
const sd: StorageDefinition = defineStorage({
  name: "x",
  policy: { debounceMs: 1, restore: { maxSessions: 1 } },
  ...fileKv(),
});
const sb: StorageBackend = fileKv();
defineStorage({ name: "y", ...sb });
defineInstructions({ markdown: "x" });
const mock: JsonSchemaObject = { a: 1 };
const jo: JsonObject = { a: null };

export { args, content, eff, jo, mock, ms, r, sd };
