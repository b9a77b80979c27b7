/** A model by name, or with parameters in either of the two usual shapes. */
export type ModelSetting =
  | string
  | {
      id: string;
      params?: { id: string; value: string }[] | Record<string, unknown> | undefined;
    };

export interface AgentConfig {
  name?: string | undefined;
  description?: string | undefined;
  /** Inline system prompt: an alternative to an instructions file. */
  instructions?: string | undefined;
  /** The first model is preferred, later ones are fallbacks. */
  model?: ModelSetting | ModelSetting[] | undefined;
  /** Harness tools the agent may use; absent means all, an empty list none. */
  tools?: string[] | undefined;
  builtinTools?: { reminders?: boolean | undefined } | undefined;
  concurrency?: { maxRunningTurns?: number | undefined } | undefined;
  /** Bounds of one turn; `wallMs` in milliseconds. */
  limits?:
    | { steps?: number | undefined; wallMs?: number | undefined; tokens?: number | undefined }
    | undefined;
  persistent?: boolean | undefined;
  hosting?:
    | {
        egressDomains?: string[] | undefined;
        secretNames?: string[] | undefined;
        image?: string | undefined;
        isolation?: "agent" | "session" | undefined;
      }
    | undefined;
  access?: "org" | "public" | undefined;
  /** `expiresIn` is a duration such as `90s`, `2h` or `7d`. */
  approvals?:
    | {
        channel?: boolean | undefined;
        self?: boolean | undefined;
        expiresIn?: string | undefined;
      }
    | undefined;
  /** Accepted for projects written for a local harness; without effect. */
  local?:
    | {
        cwd?: string | undefined;
        workspaceDir?: string | undefined;
        sandbox?: boolean | undefined;
      }
    | undefined;
  /** Only `local` can be hosted; the others are refused by `validate`. */
  runtime?: "local" | "cloud" | "grokbot" | undefined;
  architecture?: "v2" | undefined;
  cloud?:
    | { repos: { url: string; startingRef?: string | undefined }[]; autoCreatePR?: boolean }
    | undefined;
  otel?: Record<string, unknown> | undefined;
}

/** Declares the root agent (`agent.ts`) or a subagent (`subagents/<id>/agent.ts`). */
export const defineAgent = (config: AgentConfig): AgentConfig => config;
