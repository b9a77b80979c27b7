import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone's absolute path. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
