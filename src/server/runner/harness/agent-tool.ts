import type { ToolManifest } from "../../../protocol/manifest";
import type { GateOutcome, ToolOutcome } from "../../../protocol/runtime-rpc";
import type { ShellOutcome } from "../../../protocol/shell-rpc";
import { inputSchemaOf } from "../authored-tool";
import { ACKNOWLEDGED, type CallResult, toCallResult } from "../call-result";
import type { StoredCall } from "../read-conversation";
import { done, type OfferedTool } from "../thread";
import type { TurnContext } from "../turn-context";
import { endText, outputText, succeeded } from "./program-text";
import { runInShell } from "./run-in-shell";

/**
 * A tool of the project whose script runs in the session's workspace: JSON on its standard input,
 * its standard output is the result. The script stands at `.berth/tools/<name>` there.
 */
export const agentTool = (tool: ToolManifest): OfferedTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: inputSchemaOf(tool),
  effect: tool.effect,
  needsApproval: tool.needsApproval,
  run: async (thread, call) => {
    const gate = await prepare(thread.turn, call, tool);
    if (gate.outcome !== "open") return done(refusal(tool.name, gate));
    const { dryRun } = thread.turn.session;
    if (dryRun && gate.effect === "write") return done(ACKNOWLEDGED);
    const { timeoutMs } = tool;
    return await runInShell(
      thread,
      {
        kind: "script",
        path: `.berth/tools/${tool.name}`,
        stdin: JSON.stringify(gate.input ?? null),
        ...{ timeoutMs, egress: !dryRun },
      },
      scriptResult,
      timeoutMs,
    );
  },
});

type Gate = GateOutcome;

/** The tenant's schema and predicates run in the agent's process, never here. */
async function prepare(
  { ports, ref, session, claim, signal, agent }: TurnContext,
  call: StoredCall,
  { name, timeoutMs }: ToolManifest,
): Promise<Gate> {
  const scope = { toolCallId: call.callId, session, workspace: claim.sessionId };
  const asked = { kind: "gate", name, input: call.input, scope } as const;
  const gate = await ports.invoke(ref, asked, { timeoutMs, signal });
  return agent.redactor.json(gate as Gate);
}

function refusal(name: string, gate: Exclude<Gate, { outcome: "open" }>): CallResult {
  const outcome: ToolOutcome =
    gate.outcome === "refused" ? { outcome: "threw", message: gate.message } : gate;
  return toCallResult(name, outcome);
}

type Script = Extract<ShellOutcome, { kind: "script" }>;

function scriptResult({ stdout, stderr, end }: Script): CallResult {
  if (succeeded(end)) return { isError: false, result: parsed(stdout) };
  const said = outputText(stderr).trim() || stdout.trim();
  return { isError: true, result: [said, endText(end)].filter(Boolean).join("\n") };
}

function parsed(stdout: string): CallResult["result"] {
  try {
    return JSON.parse(stdout) as CallResult["result"];
  } catch {
    return stdout.replace(/\n$/, "");
  }
}
