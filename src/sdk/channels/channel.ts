import type { LiveHost } from "../host";
import type { Auth } from "./auth";
import type { LiveArgs } from "./channel-args";
import type { Route } from "./route";

/** An event of a session that belongs to the channel. */
export interface ChannelEvent {
  type: string;
  index: number;
  sessionId: string;
  turnId?: string;
  at: string;
  /** Stable across attempts. */
  deliveryId: string;
  data: Record<string, unknown>;
}

export interface ChannelSpec<State = unknown> {
  state?: State | undefined;
  /** Absent means members and keys of the org. */
  auth?: Auth[] | undefined;
  routes: Route[];
  /** Delivery events, at least once each. */
  events?:
    | Record<
        string,
        (
          event: ChannelEvent,
          channel: { id: string; continuationKey?: string; state: State; host: LiveHost },
        ) => unknown
      >
    | undefined;
  onStart?: ((args: Omit<LiveArgs, "params" | "principal">) => unknown) | undefined;
}

/** A channel. Only the kind is public; the rest is for the runtime. */
export interface ChannelDefinition<State = unknown> {
  readonly kind?: "custom" | "slack" | "github";
  readonly routes?: readonly Route[];
  /** Carries the type of the state; never set. */
  readonly __state?: State;
}

/** Declares a channel with routes of its own. */
export const defineChannel = <State = unknown>(
  spec: ChannelSpec<State>,
): ChannelDefinition<State> => ({ kind: "custom", ...spec });
