import type { Snippet } from "./snippets";

/** One argument for a POSIX shell. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

interface Target {
  /** Address of the installation. */
  origin: string;
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
}

const HEADERS = `-H "authorization: Bearer $BERTH_TOKEN"`;

/** The CLI's options that name an agent, from its path. */
const agentOptions = (base: string): string => {
  const [, org = "", agent = ""] = base.split("/");
  return `--org ${org} --agent ${agent}`;
};

/** Ways to send one message to an agent, starting a session or going on with one. */
export function sendCommands(
  { origin, base }: Target,
  message: string,
  sessionId?: string,
): Snippet[] {
  const path = sessionId ? `/v1/session/${sessionId}` : "/v1/session";
  const body = shellQuote(JSON.stringify({ message }));
  const of = agentOptions(base);
  return [
    {
      name: "curl",
      command: `curl -sS ${origin}${base}${path} ${HEADERS} \\\n  -H "content-type: application/json" -d ${body}`,
    },
    {
      name: "CLI",
      command: `berth run ${of}${sessionId ? ` --session ${sessionId}` : ""} ${shellQuote(message)}`,
    },
  ];
}

/** Ways to decide about a call that waits; denying takes the same shape as approving. */
export function decideCommands(
  { origin, base }: Target,
  callId: string,
  reason: string,
): Snippet[] {
  const [, org = "", agent = ""] = base.split("/");
  const why = reason.trim();
  const body = shellQuote(JSON.stringify({ decision: "approve", ...(why ? { reason: why } : {}) }));
  const url = `${origin}/api/v1/orgs/${org}/agents/${agent}/approvals/${callId}`;
  return [
    {
      name: "CLI",
      command: `berth approvals approve ${callId} ${agentOptions(base)}${why ? ` --reason ${shellQuote(why)}` : ""}`,
    },
    {
      name: "curl",
      command: `curl -sS ${url} ${HEADERS} \\\n  -H "content-type: application/json" -d ${body}`,
    },
  ];
}

/** The command that lists what waits for a person, of one agent or of the whole org. */
export const listApprovalsCommand = (org: string, agent?: string): string =>
  `berth approvals --org ${org}${agent === undefined ? "" : ` --agent ${agent}`}`;

/** The command that follows a session as NDJSON. */
export const followCommand = ({ origin, base }: Target, sessionId: string): string =>
  `curl -N "${origin}${base}/v1/session/${sessionId}/stream?startIndex=0" ${HEADERS}`;

/** Ways to download an artifact's contents into the current folder. */
export const downloadCommands = ({ origin, base }: Target, artifactId: string): Snippet[] => [
  {
    name: "curl",
    command: `curl -sSOJ ${origin}${base}/v1/artifacts/${artifactId}/content ${HEADERS}`,
  },
  { name: "CLI", command: `berth artifacts download ${artifactId} ${agentOptions(base)}` },
];

/** The command that lists an agent's artifacts. */
export const listArtifactsCommand = (base: string): string =>
  `berth artifacts list ${agentOptions(base)}`;

/** The command that calls one tool of an agent, with the names that its input needs. */
export function callCommand(base: string, tool: string, schema: unknown): string {
  const { required = [] } = (schema ?? {}) as { required?: string[] };
  const input = JSON.stringify(Object.fromEntries(required.map((name) => [name, "…"])));
  return `berth call ${tool} ${agentOptions(base)} --input ${shellQuote(input)}`;
}
