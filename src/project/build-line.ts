import { z } from "zod";
import { Diagnostic } from "../protocol/manifest";

/** One line of what the build program prints, as NDJSON. `done` is the last of a good build. */
export const BuildLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("phase"), phase: z.enum(["scan", "install", "bundle"]) }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("diagnostic"), diagnostic: Diagnostic }),
  z.object({
    type: z.literal("done"),
    /** Whether there is a bundle; without one some diagnostic is an error. */
    ok: z.boolean(),
    bundleBytes: z.number().int(),
  }),
]);
export type BuildLine = z.infer<typeof BuildLine>;
