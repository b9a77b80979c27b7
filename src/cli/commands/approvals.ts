import type { Command } from "commander";
import type { ApprovalFilter, ApprovalRecord } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connect, namedAgentOf, orgOf } from "../config";
import { usageError } from "../exit-code";
import type { GlobalOptions } from "../global-options";
import { listCommand } from "../list-command";
import { jsonText } from "../output";
import { plainText } from "../plain-text";

const INPUT_CHARS = 60;
const STATUSES = ["pending", "resolved"] as const;

type ListOptions = GlobalOptions & { status?: ApprovalFilter["status"] };

/** The agent that is named, else the whole organisation. */
async function place(cli: Cli, options: GlobalOptions) {
  const server = await connect(cli, options);
  const { control } = server.client;
  return { control, org: await orgOf(cli, options, server), agent: namedAgentOf(options, server) };
}

function status(text: string): ApprovalFilter["status"] {
  const known = STATUSES.find((name) => name === text);
  if (known) return known;
  throw usageError(`--status wants ${STATUSES.join(" or ")}, not "${text}".`);
}

const short = (input: unknown): string => {
  const text = jsonText(input, true);
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS)}…` : text;
};

const outcome = ({ decision, by }: ApprovalRecord): string =>
  decision === "pending" ? "waits" : `${decision === "approve" ? "approved" : "denied"} by ${by}`;

const list = (cli: Cli): Command =>
  listCommand<ApprovalRecord>(cli, {
    summary: "calls that wait for a person, and what was decided",
    plural: "approvals",
    heading: ["CALL", "AGENT", "TOOL", "DECISION", "EXPIRES", "INPUT"],
    row: (approval) => [
      approval.callId,
      approval.agent,
      approval.toolName,
      outcome(approval),
      approval.decision === "pending" ? approval.expiresAt : "",
      short(approval.input),
    ],
    fetch: async (options: ListOptions, page) => {
      const { control, org, agent } = await place(cli, options);
      const filter = options.status ? { status: options.status } : {};
      return control.listApprovals(org, agent, { ...page, ...filter });
    },
  }).option("--status <status>", "only those that are pending, or resolved", status);

const DECISIONS = {
  approve: { summary: "let a call run that waits", done: "Approved" },
  deny: { summary: "refuse a call that waits", done: "Denied" },
} as const;

const decisionCommand = (cli: Cli, decision: keyof typeof DECISIONS): Command =>
  command(`${decision} <callId>`, DECISIONS[decision].summary)
    .option("--reason <text>", "why, for the model and the log")
    .action(async (callId: string, _: object, self: Command) => {
      const options = optionsOf<{ reason?: string }>(self);
      const { control, org, agent } = await place(cli, options);
      const { reason } = options;
      const choice = { decision, ...(reason === undefined ? {} : { reason }) };
      const decided = await control.decideApproval(org, agent, callId, choice);
      if (options.json) cli.output.json(decided);
      const { toolName, sessionId } = decided;
      cli.output.note(plainText(`${DECISIONS[decision].done} ${toolName} in ${sessionId}.`));
    });

/** `berth approvals [list]|approve|deny`. */
export const approvalsCommand = (cli: Cli): Command =>
  command("approvals", "calls that need a person's decision")
    .addCommand(list(cli), { isDefault: true })
    .addCommand(decisionCommand(cli, "approve"))
    .addCommand(decisionCommand(cli, "deny"));
