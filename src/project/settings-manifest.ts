import type { Manifest } from "../protocol/manifest";
import type { AgentSettings } from "./agent-settings";
import { durationMs } from "./duration";
import { modelSettings } from "./model-settings";

const WEEK_MS = 7 * 86_400_000;
const DEFAULT_STEPS = 100;
const DEFAULT_WALL_MS = 30 * 60_000;

type Settings = Pick<
  Manifest,
  | "models"
  | "access"
  | "isolation"
  | "persistent"
  | "egressDomains"
  | "secretNames"
  | "maxRunningTurns"
  | "limits"
  | "approvals"
  | "builtinTools"
>;

const limitsOf = ({ limits = {} }: AgentSettings): Manifest["limits"] => ({
  steps: limits.steps ?? DEFAULT_STEPS,
  wallMs: limits.wallMs ?? DEFAULT_WALL_MS,
  ...(limits.tokens === undefined ? {} : { tokens: limits.tokens }),
});

const approvalsOf = ({ approvals = {} }: AgentSettings): Manifest["approvals"] => ({
  channel: approvals.channel ?? false,
  self: approvals.self ?? false,
  expiresInMs: durationMs(approvals.expiresIn ?? "7d") ?? WEEK_MS,
});

/** The part of a manifest that `agent.ts` alone decides, with defaults filled in. */
export const settingsManifest = (settings: AgentSettings): Settings => {
  const { access = "org", hosting = {}, persistent = false } = settings;
  const turns = settings.concurrency?.maxRunningTurns;
  return {
    models: modelSettings(settings.model),
    access,
    isolation: hosting.isolation ?? (access === "public" ? "session" : "agent"),
    persistent,
    egressDomains: (hosting.egressDomains ?? []).map((domain) => domain.toLowerCase()),
    secretNames: hosting.secretNames ?? [],
    ...(turns === undefined ? {} : { maxRunningTurns: turns }),
    limits: limitsOf(settings),
    approvals: approvalsOf(settings),
    builtinTools: { reminders: settings.builtinTools?.reminders ?? false },
  };
};
