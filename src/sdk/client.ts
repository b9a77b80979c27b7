// The typed HTTP client of a Berth installation: the control API and each agent's own API, over
// fetch and nothing else. It holds no state between calls, reads no environment and prints
// nothing; streams reconnect by index and hand every line over once.
import { type AgentApi, agentApi } from "./client/agent-api";
import { type ControlApi, controlApi } from "./client/control-api";
import { path } from "./client/request";

export type {
  AgentApi,
  ApprovalDecision,
  DirectCall,
  FollowUp,
  NewSession,
  SessionFilter,
  WorkspaceFiles,
} from "./client/agent-api";
export type {
  AgentInfo,
  AgentRecord,
  ApprovalRecord,
  ArtifactRecord,
  CreatedSession,
  DecidedApproval,
  Me,
  ModelProvider,
  Page,
  SecretRecord,
  SentMessage,
  SessionRecord,
  ToolListing,
  ToolOutcome,
} from "./client/answers";
export { BerthApiError } from "./client/api-error";
export type { ApprovalFilter, ControlApi, ModelSettings, PageRequest } from "./client/control-api";
export type { ResumeOptions } from "./client/resume-lines";

export interface ClientOptions {
  /** Address of the installation, `http(s)://host[:port]`. */
  url: string;
  /** API key or session secret, sent as a bearer. */
  token?: string | undefined;
  fetch?: typeof fetch;
}

export interface BerthClient {
  control: ControlApi;
  agent(org: string, agent: string): AgentApi;
}

/** A client for the installation at `url`; nothing is sent before a method is called. */
export function createClient(options: ClientOptions): BerthClient {
  const connection = {
    url: options.url.replace(/\/+$/, ""),
    token: options.token,
    fetch: options.fetch ?? fetch,
  };
  return {
    control: controlApi(connection),
    agent: (org, agent) => agentApi({ ...connection, url: `${connection.url}${path(org, agent)}` }),
  };
}
