import { z } from "zod";
import type { Manifest } from "../../../protocol/manifest";
import type { StoredCall } from "../read-conversation";
import { runSubagent } from "../run-subagent";
import { type DoneCall, done, type OfferedTool, type RunOutcome, type Thread } from "../thread";
import { harnessTool } from "./harness-tool";

type Subagent = Manifest["subagents"][number];

/** The tool that hands a job to a subagent. A call that was interrupted goes on where it was. */
export const taskTool = (subagents: readonly Subagent[]): OfferedTool => {
  const named = (name: string) => subagents.find((subagent) => subagent.name === name);
  const list = subagents.map(({ name, description }) => `- ${name}: ${description}`);
  return harnessTool({
    name: "task",
    description: [
      "Hand a job to one of these subagents and get its final answer. It sees the prompt and the workspace, not this conversation. Several tasks in one step run side by side.",
      ...list,
    ].join("\n"),
    input: z.object({
      subagent: z.enum(subagents.map(({ name }) => name)).describe("Name of the subagent."),
      prompt: z.string().min(1).describe("The job, with everything that is needed to do it."),
      description: z.string().optional().describe("The job in a few words."),
    }),
    effect: "write",
    delegates: true,
    announce: ({ callId }, { subagent, prompt }) => [
      { type: "subagent.called", data: { callId, subagent, prompt } },
    ],
    run: async (thread, { subagent, prompt }, call) => {
      const found = named(subagent);
      if (!found) throw new Error(`no subagent ${subagent}`); // the schema knows their names
      return await ran(thread, call, found, prompt);
    },
  });
};

async function ran(
  thread: Thread,
  call: StoredCall,
  subagent: Subagent,
  prompt: string,
): Promise<RunOutcome> {
  const end = await runSubagent(thread, call.callId, subagent, prompt);
  if (end.status === "parked") return { state: "parked" };
  const { status, text } = end;
  const outcome: DoneCall = done({ isError: status === "failed", result: text });
  const { callId } = call;
  return { ...outcome, events: [{ type: "subagent.completed", data: { callId, status, text } }] };
}
