import type { Command } from "commander";
import type { Trajectory } from "../../protocol/trajectory";
import type { AgentApi, SentMessage } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connectAgent } from "../config";
import { EXIT, type ExitCode, usageError } from "../exit-code";
import { type Ending, followTurn } from "../follow-turn";
import { plainText } from "../plain-text";
import { decodeUtf8, readStdin } from "../read-stdin";
import { createTurnProgress } from "../turn-progress";

interface RunOptions {
  session?: string;
  timeout?: string;
  title?: string;
  wait?: boolean;
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (!match) throw usageError(`"${text}" is no duration.`, "For example --timeout 90s or 5m.");
  return Number(match[1]) * UNITS_MS[(match[2] ?? "s") as keyof typeof UNITS_MS];
}

async function send(
  api: AgentApi,
  message: string,
  { session, title }: RunOptions,
): Promise<{ sent: SentMessage; startIndex: number }> {
  if (session === undefined) {
    const sent = await api.createSession({ message, ...(title ? { title } : {}) });
    return { sent, startIndex: 0 };
  }
  const { lastIndex = -1 } = await api.getSession(session);
  const sent = await api.sendMessage(session, { message });
  return { sent, startIndex: lastIndex + 1 };
}

const LIMITS = new Set(["budget_exceeded", "token_limit", "model_rate_limited"]);

function exitCodeFor({ status, error }: Trajectory, ending: Ending): ExitCode {
  if (ending === "timeout") return EXIT.timeout;
  if (ending === "interrupt") return EXIT.interrupted;
  if (status === "finished") return EXIT.ok;
  if (status === "waiting") return EXIT.waiting;
  if (error?.code === "turn_timeout") return EXIT.timeout;
  return error && LIMITS.has(error.code) ? EXIT.limited : EXIT.failed;
}

function printFailure(cli: Cli, { error }: Trajectory): void {
  if (!error) return;
  const head = cli.output.err.red(`error[${plainText(error.code)}]:`);
  cli.output.note(`${head} ${plainText(error.message)}`);
}

function printWaiting(cli: Cli, of: string): void {
  cli.output.note(`The turn goes on when somebody decides: berth approvals ${of}`);
  cli.output.note(`  berth approvals approve|deny CALL ${of} [--reason TEXT]`);
}

/** `berth run MESSAGE`: sends a message to a deployed agent and waits for the reply. */
export const runCommand = (cli: Cli): Command =>
  command("run <message>", "send a message to a deployed agent and wait for the reply")
    .option("--session <id>", "go on with this session instead of starting one")
    .option("--title <text>", "title of the new session")
    .option("--timeout <duration>", "stop the turn after this time, for example 90s or 5m")
    .option(
      "--wait",
      "when a call needs a person's approval, wait for it instead of exiting with 3",
    )
    .action(async (text: string, _: object, self: Command) => {
      const options = optionsOf<RunOptions>(self);
      const timeoutMs = options.timeout === undefined ? undefined : durationMs(options.timeout);
      const message =
        text === "-" ? decodeUtf8(await readStdin(cli.io.stdin), "The message") : text;
      const { api, org, agent } = await connectAgent(cli, options);
      const progress = createTurnProgress(cli, { json: options.json === true });
      const { sent, startIndex } = await send(api, message, options);
      cli.output.progress(cli.output.err.dim(`session ${plainText(sent.sessionId)}`));
      const wait = options.wait === true;
      const follow = { api, sent, startIndex, timeoutMs, progress, wait };
      const { trajectory, ending } = await followTurn(cli, follow);
      cli.exitCode = exitCodeFor(trajectory, ending);
      printFailure(cli, trajectory);
      if (trajectory.status === "waiting") printWaiting(cli, `--org ${org} --agent ${agent}`);
      if (options.json) cli.output.json(trajectory);
      else if (trajectory.status === "finished" && !progress.replyOnStdout())
        cli.output.data(plainText(trajectory.reply));
    });
