import type { JSONSchema7 } from "ai";
import { z } from "zod";
import { errorResult } from "../call-result";
import type { StoredCall } from "../read-conversation";
import { done, type OfferedTool, type RunOutcome, type Thread } from "../thread";

interface HarnessTool<Input> extends Pick<OfferedTool, "name" | "description" | "delegates"> {
  input: z.ZodType<Input>;
  effect: "read" | "write";
  announce?(call: StoredCall, input: Input): ReturnType<NonNullable<OfferedTool["announce"]>>;
  run(thread: Thread, input: Input, call: StoredCall): Promise<RunOutcome>;
}

/** A tool of Berth's own: its input is checked here, unlike that of tenants' tools. */
export function harnessTool<Input>(tool: HarnessTool<Input>): OfferedTool {
  const { name, description, effect, delegates, input, announce } = tool;
  return {
    ...{ name, description, effect, needsApproval: "never" },
    inputSchema: schemaOf(input),
    ...(delegates ? { delegates } : {}),
    ...(announce
      ? {
          announce: (call) => {
            const parsed = input.safeParse(call.input);
            return parsed.success ? announce(call, parsed.data) : [];
          },
        }
      : {}),
    run: async (thread, call) => {
      const parsed = input.safeParse(call.input);
      if (!parsed.success) return done(errorResult(invalidInput(name, parsed.error)));
      return await tool.run(thread, parsed.data, call);
    },
  };
}

function schemaOf(input: z.ZodType): JSONSchema7 {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema as JSONSchema7;
}

function invalidInput(name: string, { issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`);
  return [`The input of ${name} is not valid.`, ...lines].join("\n");
}
