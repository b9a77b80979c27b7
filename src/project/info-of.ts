import type { Manifest } from "../protocol/manifest";

/**
 * What an agent offers, as `GET /v1/info` and `berth info --json` answer it: the manifest without
 * what only running it needs (prompts, scripts, schemas of results).
 */
export const infoOf = (manifest: Manifest) => ({
  agent: {
    name: manifest.name,
    description: manifest.description ?? null,
    models: manifest.models,
    access: manifest.access,
    isolation: manifest.isolation,
    persistent: manifest.persistent,
    harnessTools: manifest.harnessTools ?? null,
    limits: manifest.limits,
    maxRunningTurns: manifest.maxRunningTurns ?? null,
    approvals: manifest.approvals,
    instructions: { file: manifest.instructions.file, kind: manifest.instructions.kind },
  },
  tools: manifest.tools.map(({ script: _script, ...tool }) => tool),
  channels: manifest.channels.map(({ routes, ...channel }) => ({
    ...channel,
    routes: routes.map((route) => ({ ...route, path: channelPath(channel.name, route.path) })),
  })),
  schedules: manifest.schedules.map(({ prompt: _prompt, ...schedule }) => schedule),
  reminders: manifest.reminders,
  skills: manifest.skills.map(({ content: _content, ...skill }) => skill),
  subagents: manifest.subagents.map(({ name, file, description, model }) => ({
    name,
    file,
    description,
    model: model ?? null,
  })),
  connections: [
    ...manifest.mcpConnections.map((connection) => ({ ...connection, kind: "mcp" as const })),
    ...manifest.hostConnections.map((connection) => ({ ...connection, kind: "host" as const })),
  ],
  extensions: manifest.extensions,
  hooks: manifest.hooks,
  artifacts: manifest.artifacts ?? null,
  result: manifest.result ?? null,
  evals: manifest.evals,
  workspaceFiles: manifest.workspaceFiles,
  egressDomains: manifest.egressDomains,
  secretNames: manifest.secretNames,
});

export type AgentInfo = ReturnType<typeof infoOf>;

const channelPath = (channel: string, path: string): string =>
  `/v1/channels/${channel}${path === "/" ? "" : path}`;
