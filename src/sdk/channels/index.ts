export type { Send, SendOptions, Session, WorkspaceFiles } from "../session-handle";
export type { Auth, ChannelPrincipal } from "./auth";
export { allowAll, bearerAuth, localDevStrict } from "./auth";
export type {
  Args,
  ChannelArgs,
  ChannelDefinition,
  ChannelEvent,
  ChannelSpec,
  LiveArgs,
} from "./channel";
export { defineChannel } from "./channel";
export type { Route, RouteMethod, RouteSpec } from "./route";
export { DELETE, GET, PATCH, POST, PUT } from "./route";
