import type { EventData, EventType } from "../protocol/event";
import type { LiveHost } from "./host";
import type { JsonObject } from "./json";
import type { LiveArtifacts, SessionInfo } from "./tool-context";

export interface HookContext {
  session: SessionInfo;
  host: LiveHost;
  artifacts: LiveArtifacts;
  channel: { id: string; continuationKey?: string };
}

/** An event as a hook sees it. */
export interface HookEvent<Type extends string = string, Data = JsonObject> {
  type: Type;
  index: number;
  sessionId: string;
  turnId?: string;
  at: string;
  data: Data;
}

type KnownHandlers = {
  [Type in EventType]?: (event: HookEvent<Type, EventData<Type>>, context: HookContext) => unknown;
};

export interface HookDefinition {
  /** Handlers by event type; `*` sees every event but deltas. */
  events: KnownHandlers & { "*"?: (event: HookEvent, context: HookContext) => unknown };
  /** Set by `memoryHook`. */
  memory?: { scope: "principal" | "agent"; backend?: object };
}

/** Declares an observer of session events; it never changes or fails a turn. */
export const defineHook = (definition: HookDefinition): HookDefinition => definition;
