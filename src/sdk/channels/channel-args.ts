import type { Host, LiveHost } from "../host";
import type { CallTool, Send, Session } from "../session-handle";
import type { LiveArtifacts } from "../tool-context";
import type { ChannelPrincipal } from "./auth";

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
