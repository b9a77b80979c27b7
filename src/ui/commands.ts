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

/** Ways to send one message to an agent, starting a session or going on with one. */
export function sendCommands(
  { origin, base }: Target,
  message: string,
  sessionId?: string,
): Snippet[] {
  const path = sessionId ? `/v1/session/${sessionId}` : "/v1/session";
  const body = shellQuote(JSON.stringify({ message }));
  const [, , agent = ""] = base.split("/");
  return [
    {
      name: "curl",
      command: `curl -sS ${origin}${base}${path} ${HEADERS} \\\n  -H "content-type: application/json" -d ${body}`,
    },
    {
      name: "CLI",
      command: sessionId
        ? `berth run ${agent} --session ${sessionId} ${shellQuote(message)}`
        : `berth run ${agent} ${shellQuote(message)}`,
    },
  ];
}

/** The command that follows a session as NDJSON. */
export const followCommand = ({ origin, base }: Target, sessionId: string): string =>
  `curl -N "${origin}${base}/v1/session/${sessionId}/stream?startIndex=0" ${HEADERS}`;

/** Ways to call one tool of an agent without a session. */
export function callCommands({ origin, base }: Target, tool: string, input: unknown): Snippet[] {
  const json = JSON.stringify(input);
  const [, , agent = ""] = base.split("/");
  return [
    { name: "CLI", command: `berth call ${agent} ${tool} ${shellQuote(json)}` },
    {
      name: "curl",
      command: `curl -sS ${origin}${base}/v1/tools/${tool} ${HEADERS} \\\n  -H "content-type: application/json" -d ${shellQuote(JSON.stringify({ input }))}`,
    },
  ];
}
