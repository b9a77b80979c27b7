import type { Awaitable } from "./json";
import type { SessionInfo } from "./tool-context";

interface ConnectionBase {
  description?: string | undefined;
  /** Exposes the server's tools to the model by name. */
  advertiseTools?: boolean | undefined;
  /** Headers that depend on the session. */
  auth?: ((session: SessionInfo) => Awaitable<{ headers: Record<string, string> }>) | undefined;
}

export interface PeerConnection extends ConnectionBase {
  agent: string;
  url?: undefined;
  headers?: undefined;
}

export interface RemoteConnection extends ConnectionBase {
  url: string;
  /** `${NAME}` is replaced by the secret of that name. */
  headers?: Record<string, string> | undefined;
  oauth?: boolean | undefined;
  agent?: undefined;
}

export interface StdioConnection extends ConnectionBase {
  command: string;
  args?: string[] | undefined;
  env?: Record<string, string> | undefined;
  workspace?: boolean | undefined;
}

/** Accepted by the types only: `validate` refuses servers of another vendor's account. */
export interface AccountConnection extends ConnectionBase {
  cursorAccount: true;
  servers: string[];
}

export type ConnectionConfig =
  | PeerConnection
  | RemoteConnection
  | StdioConnection
  | AccountConnection;

/** Declares an MCP connection; its name is the name of its file. */
export const defineConnection = (config: ConnectionConfig): ConnectionConfig => config;
