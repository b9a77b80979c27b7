import { BerthApiError } from "../sdk/client";
import type { Cli } from "./cli";
import { CliError, exitCodeOf } from "./exit-code";
import { plainText } from "./plain-text";

const FIXES: Readonly<Record<string, string>> = {
  unauthenticated:
    "Set BERTH_TOKEN to an API key of the organisation, or pass it to --token-stdin.",
  agent_not_deployed: "berth deploy",
  approval_required: "Pass --approve if you may decide.",
  unreachable: "Is the server running? On this machine: npm run up",
  unknown_tool: "berth info --url … lists the agent's tools.",
};

interface Issue {
  path?: unknown;
  message?: unknown;
}

function issueLines(error: BerthApiError): string[] {
  const { issues } = error.details;
  if (!Array.isArray(issues)) return [];
  return issues.map(({ path, message }: Issue) => `  ${path || "(whole input)"}: ${message}`);
}

function apiErrorLines(error: BerthApiError): string[] {
  const fix = FIXES[error.code];
  return [
    ...issueLines(error),
    ...(fix ? [`fix: ${fix}`] : []),
    ...(error.requestId ? [`request id: ${error.requestId}`] : []),
  ];
}

function linesOf(error: unknown): { code: string; message: string; more: string[] } {
  if (error instanceof BerthApiError) {
    return { code: error.code, message: error.message, more: apiErrorLines(error) };
  }
  if (error instanceof CliError) {
    const more = error.fix ? [`fix: ${error.fix}`] : [];
    return { code: error.code, message: error.message, more };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: "internal", message, more: stack ? [stack] : [] };
}

/** Says on stderr what went wrong and sets the exit code. */
export function reportError(cli: Cli, error: unknown): void {
  const { code, message, more } = linesOf(error);
  const head = cli.output.err.red(`error[${plainText(code)}]:`);
  cli.output.note([`${head} ${plainText(message)}`, ...more.map(plainText)].join("\n"));
  cli.exitCode = exitCodeOf(error);
}
