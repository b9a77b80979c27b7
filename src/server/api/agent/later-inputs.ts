import { z } from "zod";
import { AppError } from "../../platform/errors";

const WorkspaceFile = z.union([
  z.object({ path: z.string(), content: z.string() }),
  z.object({ path: z.string(), contentBase64: z.base64() }),
]);

/** Inputs of the contract whose behaviour this version does not have. */
export const LATER_SESSION_INPUTS = {
  mode: z.enum(["chat", "task"]).optional(),
  dryRun: z.boolean().optional(),
  asOf: z.iso.datetime({ offset: true }).optional(),
  workspaceFiles: z.array(WorkspaceFile).max(100).optional(),
};

export const LATER_MESSAGE_INPUTS = {
  admission: z.enum(["preempt", "coalesce"]).optional(),
  workspaceFiles: z.array(WorkspaceFile).max(100).optional(),
};

export const LATER_CALL_INPUTS = {
  sessionId: z.string().max(64).optional(),
  continuationToken: z.string().max(512).optional(),
  dryRun: z.boolean().optional(),
  asOf: z.iso.datetime({ offset: true }).optional(),
};

/** Whether a value asks for nothing beside what happens anyway. */
const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === "chat" ||
  value === "preempt" ||
  (Array.isArray(value) && value.length === 0);

/** @throws AppError `not_available` before anything is stored, naming the input. */
export function refuseLaterInputs(body: object, names: object): void {
  for (const name of Object.keys(names)) {
    if (isDefault((body as Record<string, unknown>)[name])) continue;
    throw new AppError(
      "not_available",
      `This version does not support ${name} yet; leave it out.`,
      {
        details: { input: name },
      },
    );
  }
}
