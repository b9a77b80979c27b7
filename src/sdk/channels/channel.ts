import type { Host, LiveHost } from "../host";
import type { CallTool, Send, Session } from "../session-handle";
import type { LiveArtifacts } from "../tool-context";
import type { Auth, ChannelPrincipal } from "./auth";
import type { Route } from "./route";

/** What a channel's code can do. Optional members are always set by Berth itself. */
export interface Args {
  send: Send;
  host: Host;
  getSession(id: string): Promise<Session | undefined>;
  waitUntil(work: Promise<unknown>): void;
  callTool?: CallTool;
  artifacts?: LiveArtifacts;
}

export type ChannelArgs = Args;

/** The arguments as route handlers receive them. */
export type LiveArgs = Required<Omit<Args, "host">> & {
  host: LiveHost;
  params: Record<string, string>;
  principal: ChannelPrincipal & { kind: string };
};

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
