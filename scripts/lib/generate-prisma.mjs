import { runNode } from "./run-command.mjs";
import { whenChanged } from "./stamp.mjs";

/** Generates src/generated/prisma from the schema. Returns whether it did. */
export function generatePrisma() {
  const inputs = ["prisma/schema.prisma", "prisma.config.ts", "package-lock.json"];
  const outputs = ["src/generated/prisma/client.ts"];
  return whenChanged("prisma", { inputs, outputs }, () =>
    runNode("node_modules/prisma/build/index.js", ["generate"]),
  );
}
