// The program `berth` (also `bdk`): the command line of Berth. It packs projects, talks to a
// server over HTTP through sdk/client, and inspects projects offline through project/. It never
// imports the server, keeps no credential on disk, and takes none from the command line.
import type { CliIo } from "./io";
import { runCli } from "./run-cli";

function onInterrupt(handler: () => void): () => void {
  process.on("SIGINT", handler);
  return () => process.off("SIGINT", handler);
}

/** A reader that closed its end (`berth … | head`) has seen enough: that is no failure. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}

const { stdin, stdout, stderr, env } = process;
stdout.on("error", endQuietlyOnClosedPipe);
stderr.on("error", endQuietlyOnClosedPipe);

const io: CliIo = { stdin, stdout, stderr, env, cwd: process.cwd(), fetch, onInterrupt };
process.exit(await runCli(process.argv.slice(2), io));
