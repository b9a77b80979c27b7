import { parseArgs } from "node:util";
import { Problem } from "./problem.mjs";

const USAGE =
  "npm run up -- [--port N] [--state DIR] [--fresh] [--unsafe-sandbox] [--dev]\n" +
  "--port N          listen on this port (default 3000)\n" +
  "--state DIR       keep the database, files and keys there (default .berth)\n" +
  "--fresh           start with an empty state; what was there is deleted\n" +
  "--unsafe-sandbox  run agents' code unconfined (only for your own code)\n" +
  "--dev             rebuild and restart when a source file changes";

/** What the person asked `up` for. */
export function readOptions(argv = process.argv.slice(2), env = process.env) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: {
        port: { type: "string" },
        state: { type: "string" },
        fresh: { type: "boolean", default: false },
        "unsafe-sandbox": { type: "boolean", default: false },
        dev: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }));
  } catch (error) {
    throw new Problem(error.message, USAGE);
  }
  const port = Number(values.port ?? env.BERTH_PORT ?? 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Problem(`"${values.port}" is not a port.`, USAGE);
  }
  return {
    port,
    state: values.state ?? env.BERTH_STATE_DIR,
    fresh: values.fresh,
    unsafeSandbox: values["unsafe-sandbox"] || env.BERTH_SANDBOX === "unsafe-process",
    dev: values.dev,
    help: values.help ? USAGE : undefined,
  };
}
