import { readEnv } from "../server/platform/env";
import { startPlatform } from "../server/platform/start-platform";
import { seedDemo } from "./seed-demo";

const { stop } = await startPlatform("seed", readEnv());
try {
  process.stdout.write(`${JSON.stringify(await seedDemo())}\n`);
} finally {
  await stop();
}
