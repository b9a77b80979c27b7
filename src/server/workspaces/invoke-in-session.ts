import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { loadVersion } from "../agents";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import { type AgentRef, type Invoke, SandboxError } from "../sandbox";
import { openWorkspace, showWorkspace } from "./open-workspace";
import type { ToSave, WorkspaceSpec } from "./session-workspace";
import type { Folders } from "./workspace-tree";

interface Worker {
  /** Runs a call in the agent's process on this worker. */
  invoke: Invoke;
  /** The same that turns of this worker open workspaces with. */
  sandboxes: Folders;
}

type ToolCall = Extract<RuntimeCall, { kind: "tool" }>;

/**
 * Calls from outside of turns, on the worker that runs them: one that is bound to a session finds
 * its workspace, and what it changed is saved where it holds the session (`scope.epoch`).
 * Rejects with SandboxError, `workspace_unavailable` before anything ran.
 */
export const invokeInSession =
  (worker: Worker): Invoke =>
  async (ref, call, options) => {
    if (call.kind !== "tool" || call.scope.scratch) return worker.invoke(ref, call, options);
    const { epoch, ...scope } = call.scope;
    const spec = await specOf(ref, call);
    const run = () => worker.invoke(ref, { ...call, scope }, options);
    if (epoch !== undefined) return await runHeld(worker, spec, epoch, run);
    await showWorkspace(spec, worker.sandboxes).catch(asSandboxError);
    return await run();
  };

async function specOf(ref: AgentRef, { scope }: ToolCall): Promise<WorkspaceSpec> {
  const { manifest } = await loadVersion(ref);
  return { ref, sessionId: scope.workspace, manifest, dryRun: scope.session.dryRun };
}

async function runHeld(
  worker: Worker,
  spec: WorkspaceSpec,
  epoch: number,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const workspace = openWorkspace(spec, worker.sandboxes);
  try {
    await workspace.ready().catch(asSandboxError);
    try {
      return await run();
    } finally {
      // A call that failed may have changed something all the same.
      await workspace.save((saved) => write(spec, epoch, saved));
    }
  } finally {
    await workspace.close();
  }
}

async function write({ ref, sessionId }: WorkspaceSpec, epoch: number, { changes }: ToSave) {
  if (!changes) return;
  const { rows } = await platform().pool.query<{ revision: number | null }>({
    name: "save_held_workspace",
    text: "SELECT berth_save_held_workspace($1, $2, $3, $4) AS revision",
    values: [ref.orgId, sessionId, epoch, JSON.stringify(changes)],
  });
  if (typeof rows[0]?.revision === "number") return;
  const message = "The call lost its session before it ended.";
  throw new SandboxError("runtime_lost", message, { sent: true });
}

/** For `catch`: the worker's answers are SandboxErrors. */
function asSandboxError(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== "workspace_unavailable") throw error;
  throw new SandboxError("workspace_unavailable", error.message);
}
