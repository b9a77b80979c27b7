import { spawn } from "node:child_process";
import { ROOT } from "./root.mjs";

const running = new Set();

/** Asks every program that still runs to end. */
export function stopCommands() {
  for (const child of running) child.kill("SIGTERM");
}

/**
 * Runs a program in the clone. Resolves to `{ code, output }` with stdout and stderr interleaved;
 * with `inherit` the output goes straight to the terminal and `output` is empty.
 */
export function runCommand(command, args, { env = process.env, inherit = false, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = inherit ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(command, args, { cwd, env, stdio });
    running.add(child);
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => {
      running.delete(child);
      reject(error);
    });
    child.on("close", (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? (signal ? 1 : 0), output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}

/** Like runCommand with Node and a file of the clone; throws with the output when it fails. */
export async function runNode(file, args, options) {
  const { code, output } = await runCommand(process.execPath, [file, ...args], options);
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} failed (exit ${code})\n${output}`);
  return output;
}
