import { Command, CommanderError } from "commander";
import { type Cli, createCli } from "./cli";
import { agentsCommand } from "./commands/agents";
import { approvalsCommand } from "./commands/approvals";
import { artifactsCommand } from "./commands/artifacts";
import { callCommand } from "./commands/call";
import { deployCommand } from "./commands/deploy";
import { deploymentsCommand } from "./commands/deployments";
import { infoCommand } from "./commands/info";
import { modelsCommand } from "./commands/models";
import { runCommand } from "./commands/run";
import { secretsCommand } from "./commands/secrets";
import { sessionsCommand } from "./commands/sessions";
import { trajectoryCommand } from "./commands/trajectory";
import { validateCommand } from "./commands/validate";
import { versionCommand } from "./commands/version";
import { whoamiCommand } from "./commands/whoami";
import { EXIT, type ExitCode } from "./exit-code";
import type { CliIo } from "./io";
import { reportError } from "./report-error";

const COMMANDS = [
  deployCommand,
  validateCommand,
  infoCommand,
  runCommand,
  trajectoryCommand,
  callCommand,
  secretsCommand,
  modelsCommand,
  agentsCommand,
  deploymentsCommand,
  sessionsCommand,
  approvalsCommand,
  artifactsCommand,
  whoamiCommand,
  versionCommand,
];

const EXIT_CODES = `
Exit codes: 0 ok, 1 ran and failed, 2 usage, 3 waiting for a person, 4 not signed in or forbidden,
5 not found, 6 conflict or busy, 7 rate or budget, 8 timeout, 9 server or network.
The server is BERTH_URL (or --url), the credential BERTH_TOKEN (or --token-stdin).`;

/** Sub-commands do not inherit how errors and output are handled: every level is told. */
function prepare(cli: Cli, level: Command): void {
  level.exitOverride();
  level.configureOutput({
    writeOut: (text) => void cli.io.stdout.write(text),
    writeErr: (text) => void cli.io.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error: /, "error[usage]: ")),
  });
  level.configureHelp({ showGlobalOptions: true });
  for (const child of level.commands) prepare(cli, child);
}

function createProgram(cli: Cli): Command {
  const program = new Command("berth")
    .description("Deploy agents to Berth and talk to them.")
    .option("--url <url>", "the server, or an agent's address http://host/{org}/{agent}")
    .option("--token-stdin", "read the API key from stdin")
    .option("--org <slug>", "the organisation")
    .option("--agent <slug>", "the agent")
    .option("--dir <folder>", "the project's folder", ".")
    .option("--json", "print JSON on stdout")
    .addHelpText("after", EXIT_CODES);
  for (const make of COMMANDS) program.addCommand(make(cli));
  prepare(cli, program);
  return program;
}

/**
 * Runs one command line and returns its exit code; everything it says is written and flushed.
 * @param args the words after the program's name
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const cli = createCli(io);
  try {
    await createProgram(cli).parseAsync([...args], { from: "user" });
  } catch (error) {
    // Commander has already said what is wrong; help and version end this way too.
    if (error instanceof CommanderError) cli.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    else reportError(cli, error);
  }
  await cli.output.flush();
  return cli.exitCode;
}
