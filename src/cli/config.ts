import { resolve } from "node:path";
import { type AgentApi, type BerthClient, createClient } from "../sdk/client";
import { requireSlug, slugOfProject } from "./agent-slug";
import type { Cli } from "./cli";
import { CliError, EXIT, usageError } from "./exit-code";
import type { GlobalOptions } from "./global-options";
import { linkedUrl, type ProjectLink, readProjectLink } from "./project-link";
import { decodeUtf8, readStdin } from "./read-stdin";

/** The installation a command talks to. */
export interface Server {
  url: string;
  client: BerthClient;
  link: ProjectLink;
  /** From the address itself, when it ends in `/{org}/{agent}`. */
  inUrl: { org?: string; agent?: string };
}

/** The project folder, absolute. */
export const projectDir = (cli: Cli, options: GlobalOptions): string =>
  resolve(cli.io.cwd, options.dir);

function parseUrl(text: string, source: string): { url: string; segments: string[] } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError(`${source} is not an address: ${text}`, "Give http(s)://host[:port].");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw usageError(`${source} must start with http:// or https://.`);
  }
  return { url: url.origin, segments: url.pathname.split("/").filter((part) => part !== "") };
}

async function tokenFor(cli: Cli, options: GlobalOptions): Promise<string | undefined> {
  if (!options.tokenStdin) return cli.io.env.BERTH_TOKEN?.trim() || undefined;
  const token = decodeUtf8(await readStdin(cli.io.stdin), "The token on stdin").trim();
  if (token === "") throw usageError("There was no token on stdin.");
  return token;
}

/**
 * Finds out where to send requests and as whom: flags, then environment, then the project link.
 * @throws CliError with exit code 2 when no address is known
 */
export async function connect(cli: Cli, options: GlobalOptions): Promise<Server> {
  const link = await readProjectLink(projectDir(cli, options));
  const given = options.url ?? (cli.io.env.BERTH_URL || undefined) ?? linkedUrl(link);
  if (given === undefined) {
    throw new CliError("no_server", "No Berth server is named.", {
      exitCode: EXIT.usage,
      fix: "Set BERTH_URL or pass --url. To start one on this machine: npm run up",
    });
  }
  const { url, segments } = parseUrl(given, options.url ? "--url" : "BERTH_URL");
  const [org, agent] = segments;
  const token = await tokenFor(cli, options);
  return {
    url,
    client: createClient({ url, token, fetch: cli.io.fetch }),
    link,
    inUrl: { ...(org ? { org } : {}), ...(agent ? { agent } : {}) },
  };
}

/** The org's slug: `--org`, the address, BERTH_ORG, the link, else the only one there is. */
export async function orgOf(cli: Cli, options: GlobalOptions, server: Server): Promise<string> {
  const named = options.org ?? server.inUrl.org ?? cli.io.env.BERTH_ORG ?? server.link.org;
  if (named) return requireSlug(named, "--org");
  const { orgs = [] } = await server.client.control.me();
  const [only, ...others] = orgs;
  if (only && others.length === 0) return only.slug;
  const list = orgs.map((org) => org.slug).join(", ");
  throw usageError(
    only ? `You belong to several organisations: ${list}.` : "You belong to no organisation.",
    "Name one with --org NAME.",
  );
}

/** The agent that is named: by `--agent`, the address or the link. */
export function namedAgentOf(options: GlobalOptions, server: Server): string | undefined {
  const named = options.agent ?? server.inUrl.agent ?? server.link.agent;
  return named && requireSlug(named, "--agent");
}

/** The agent's slug: the one that is named, else what the folder is called. */
export async function agentOf(cli: Cli, options: GlobalOptions, server: Server): Promise<string> {
  const named = namedAgentOf(options, server);
  if (named) return named;
  return await slugOfProject(projectDir(cli, options));
}

/** The agent a command is about, ready to talk to. */
export async function connectAgent(
  cli: Cli,
  options: GlobalOptions,
): Promise<{ server: Server; org: string; agent: string; api: AgentApi }> {
  const server = await connect(cli, options);
  const org = await orgOf(cli, options, server);
  const agent = await agentOf(cli, options, server);
  return { server, org, agent, api: server.client.agent(org, agent) };
}
