import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts a Node program and waits for its first line. `stop` ends it. */
export async function startForLine(args: string[]): Promise<{ line: string; stop(): void }> {
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
    if (child.stdout) createInterface(child.stdout).once("line", resolve);
  });
  return { line, stop: () => void child.kill("SIGTERM") };
}
