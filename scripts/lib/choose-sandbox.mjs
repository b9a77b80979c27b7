import { say } from "./phase.mjs";
import { Problem } from "./problem.mjs";
import { bubblewrapFault, ensureProgram, installCommand } from "./system-package.mjs";

const UNSAFE = "npm run up -- --unsafe-sandbox   (agents' code then runs unconfined, as you)";
const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

function chooseUnsafe(host) {
  if (!LOOPBACK.includes(host)) {
    throw new Problem(
      `--unsafe-sandbox serves this machine only, and BERTH_HOST is ${host}.`,
      "Leave BERTH_HOST at 127.0.0.1, or install bubblewrap.",
    );
  }
  say("  WARNING: --unsafe-sandbox. Agents' code runs with your rights: your files, your network.");
  say("  WARNING: only for your own agents, on this machine, with one organisation.");
  return "unsafe-process";
}

/** The value of BERTH_SANDBOX for this machine; a Problem where nothing safe can run. */
export async function chooseSandbox({ unsafe, host }) {
  if (unsafe) return chooseUnsafe(host);
  if (process.platform !== "linux") {
    throw new Problem("The sandbox needs Linux (bubblewrap).", `On this machine: ${UNSAFE}`);
  }
  const path = await ensureProgram("bubblewrap");
  if (!path) {
    throw new Problem(
      "bubblewrap is not installed; agents' code runs inside it.",
      `${installCommand("bubblewrap")}\nor: ${UNSAFE}`,
    );
  }
  const fault = bubblewrapFault(path);
  if (!fault) return "bwrap";
  throw new Problem(
    `bubblewrap cannot make a sandbox here: ${fault}`,
    "Allow unprivileged user namespaces:\n" +
      "sudo sysctl -w kernel.unprivileged_userns_clone=1 (Debian)\n" +
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)\n" +
      `or: ${UNSAFE}`,
  );
}
