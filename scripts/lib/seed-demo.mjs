import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { phase, say } from "./phase.mjs";
import { runCommand, runNode } from "./run-command.mjs";
import { readJson, writePrivateJson } from "./state-file.mjs";

/** The last line of the seed's output is its result; lines before it are log. */
async function runSeed(env) {
  const output = await runNode("dist/seed.mjs", [], { env });
  const line = output.trim().split("\n").at(-1);
  const { org, email, password, apiKey } = JSON.parse(line);
  return { org, email, password, apiKey };
}

/** The demo login `{ org, email, password, apiKey }`, made in the database the first time. */
export async function demoLogin(dir, env) {
  const path = join(dir, "login.json");
  const stored = readJson(path);
  if (stored) return stored;
  let login;
  await phase("Demo organisation", async () => {
    login = await runSeed(env);
    writePrivateJson(path, login);
  });
  return login;
}

/** Deploys the example as anybody would, once per state; a failure is shown and survived. */
export async function deployExample({ dir, url, login, env }) {
  const marker = join(dir, "example-deployed");
  if (existsSync(marker)) return;
  const args = ["deploy", "--dir", "examples/weather", "--org", login.org];
  await phase("Example agent (examples/weather)", async () => {
    const { code, output } = await runCommand(process.execPath, ["dist/cli.mjs", ...args], {
      env: { PATH: env.PATH, HOME: env.HOME, BERTH_URL: url, BERTH_TOKEN: login.apiKey },
    });
    if (code === 0) {
      writeFileSync(marker, "");
      return "deployed";
    }
    say(output.trim());
    return `NOT deployed. Try again: node dist/cli.mjs ${args.join(" ")}`;
  });
}
