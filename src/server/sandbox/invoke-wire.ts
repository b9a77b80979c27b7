import { z } from "zod";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { SandboxError } from "./sandbox-error";

/** Path of the worker's one internal route. */
export const INVOKE_PATH = "/internal/invoke";
/** Largest request in bytes: a JSON body of the API and its envelope. */
export const MAX_INVOKE_BYTES = 24 * 1024 * 1024;

/** What web sends to a worker. Both are ours: the call's own shape is not checked again. */
export const InvokeRequest = z.object({
  ref: z.object({ orgId: z.string(), agentId: z.string(), version: z.int() }),
  call: z.custom<RuntimeCall>((value) => typeof value === "object" && value !== null),
  timeoutMs: z.number().positive(),
});

const Failure = z.object({
  code: z.enum([
    "tool_timeout",
    "runtime_lost",
    "sandbox_failed",
    "cancelled",
    "output_too_large",
    "workspace_unavailable",
  ]),
  message: z.string(),
  sent: z.boolean(),
  guestStack: z.string().optional(),
});

export const InvokeAnswer = z.union([
  z.object({ result: z.unknown(), error: z.undefined().optional() }),
  z.object({ error: Failure }),
]);

export const toFailure = (error: SandboxError): z.input<typeof Failure> => ({
  code: error.code,
  message: error.message,
  sent: error.sent,
  ...(error.guestStack === undefined ? {} : { guestStack: error.guestStack }),
});

export const fromFailure = ({ code, message, sent, guestStack }: z.output<typeof Failure>) =>
  new SandboxError(code, message, { sent, guestStack });
