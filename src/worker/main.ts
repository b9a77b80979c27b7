import { readEnv } from "../server/platform/env";
import { startWorker } from "./start-worker";

const worker = await startWorker(readEnv());

async function close(): Promise<void> {
  await worker.drain();
  process.exit(0);
}

process.once("SIGTERM", () => void close());
process.once("SIGINT", () => void close());
