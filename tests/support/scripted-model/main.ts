import { parseArgs } from "node:util";
import { startScriptedModel } from "./start-scripted-model";

/** `npx tsx tests/support/scripted-model/main.ts --port 4010`: prints its URL and serves. */
const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const model = await startScriptedModel(Number(values.port));
process.stdout.write(`${model.url}\n`);
process.on("SIGTERM", () => void model.stop());
process.on("SIGINT", () => void model.stop());
