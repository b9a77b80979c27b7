import type { BuildLogLine, DeploymentView } from "../../protocol/build-log";
import type { ApprovalDecision } from "./agent-api";
import type {
  AgentRecord,
  ApprovalRecord,
  DecidedApproval,
  Me,
  ModelProvider,
  Page,
  SecretRecord,
} from "./answers";
import { buildLog, deployStream } from "./deploy-stream";
import { type Connection, path, request, requestJson } from "./request";
import type { ResumeOptions } from "./resume-lines";

export interface ModelSettings {
  kind: string;
  baseUrl?: string;
  apiKey?: string;
}

export interface PageRequest {
  limit?: number;
  cursor?: string;
}

export interface ApprovalFilter extends PageRequest {
  status?: "pending" | "resolved";
  sessionId?: string;
}

/** The control API. Every method throws BerthApiError for an answer that is no success. */
export interface ControlApi {
  me(): Promise<Me>;
  listAgents(org: string, page?: PageRequest): Promise<Page<"agents", AgentRecord>>;
  listDeployments(
    org: string,
    agent: string,
    page?: PageRequest,
  ): Promise<Page<"deployments", DeploymentView>>;
  /** Uploads a tar.gz as the agent's next version and yields the build log. */
  deploy(
    org: string,
    agent: string,
    archive: Uint8Array<ArrayBuffer>,
    options?: ResumeOptions,
  ): AsyncGenerator<BuildLogLine, void, undefined>;
  deploymentLog(
    org: string,
    agent: string,
    version: number,
    options?: ResumeOptions,
  ): AsyncGenerator<BuildLogLine, void, undefined>;
  listSecrets(org: string, agent: string): Promise<{ secrets: SecretRecord[] }>;
  /** Stores all of them or none. */
  setSecrets(
    org: string,
    agent: string,
    values: Record<string, string>,
  ): Promise<{ secrets: SecretRecord[] }>;
  deleteSecret(org: string, agent: string, name: string): Promise<void>;
  /** Approvals of an agent, or without one of the whole org; what waits comes first. */
  listApprovals(
    org: string,
    agent?: string,
    filter?: ApprovalFilter,
  ): Promise<Page<"approvals", ApprovalRecord>>;
  /** Decides about a call that waits; the first decision counts. */
  decideApproval(
    org: string,
    agent: string | undefined,
    callId: string,
    decision: ApprovalDecision,
  ): Promise<DecidedApproval>;
  listModels(org: string): Promise<{ models: ModelProvider[] }>;
  setModel(org: string, name: string, settings: ModelSettings): Promise<ModelProvider>;
}

const orgPath = (org: string) => `/api/v1/orgs${path(org)}`;
const agentPath = (org: string, agent: string) => `${orgPath(org)}/agents${path(agent)}`;
const approvalsPath = (org: string, agent?: string) =>
  `${agent === undefined ? orgPath(org) : agentPath(org, agent)}/approvals`;
const deploymentsPath = (org: string, agent: string) => `${agentPath(org, agent)}/deployments`;

/** The client of the control API at `connection`, whose URL is the installation's. */
export function controlApi(connection: Connection): ControlApi {
  const get = <T>(route: string, page?: PageRequest) =>
    requestJson<T>(connection, "GET", route, { query: { ...page } });
  const put = <T>(route: string, json: unknown) =>
    requestJson<T>(connection, "PUT", route, { json });
  return {
    me: () => get("/api/v1/me"),
    listAgents: (org, page) => get(`${orgPath(org)}/agents`, page),
    listDeployments: (org, agent, page) => get(deploymentsPath(org, agent), page),
    deploy: (org, agent, archive, options) =>
      deployStream(connection, deploymentsPath(org, agent), archive, options),
    deploymentLog: (org, agent, version, options) =>
      buildLog(connection, deploymentsPath(org, agent), version, options),
    listSecrets: (org, agent) => get(`${agentPath(org, agent)}/secrets`),
    setSecrets: (org, agent, secrets) => put(`${agentPath(org, agent)}/secrets`, { secrets }),
    deleteSecret: async (org, agent, name) => {
      await request(connection, "DELETE", `${agentPath(org, agent)}/secrets${path(name)}`);
    },
    listApprovals: (org, agent, filter) => get(approvalsPath(org, agent), filter),
    decideApproval: (org, agent, callId, json) =>
      requestJson(connection, "POST", `${approvalsPath(org, agent)}${path(callId)}`, { json }),
    listModels: (org) => get(`${orgPath(org)}/models`),
    setModel: (org, name, settings) => put(`${orgPath(org)}/models${path(name)}`, settings),
  };
}
