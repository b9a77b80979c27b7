export type { Send, SendOptions, Session, WorkspaceFiles } from "../session-handle";
export type { Auth, ChannelPrincipal } from "./auth";
export { allowAll, bearerAuth, localDevStrict } from "./auth";
export type {
  ChannelDefinition,
  ChannelEvent,
  ChannelSpec,
} from "./channel";
export { defineChannel } from "./channel";
export type { Args, ChannelArgs, LiveArgs } from "./channel-args";
export type { Route, RouteMethod, RouteSpec } from "./route";
export { DELETE, GET, PATCH, POST, PUT } from "./route";
