/** What one sandbox may reach. */
export interface EgressRules {
  /** `host`, `*.host` or `host:port`; without a port 80 and 443 are meant. */
  domains: string[];
  /** The operator named these hosts, so they may be on private addresses; metadata ones never. */
  byOperator?: boolean;
}

/** A non-public place the operator opened: an address range, or a name mapped to an address. */
export interface PrivateTarget {
  purpose: "models" | "mcp" | "otlp" | "webhook" | "sandbox";
  /** Name that is answered with `address` instead of being resolved. */
  host?: string;
  /** An address or a CIDR range. */
  address: string;
  port?: number;
}

/** A connection the gateway refused, with the line that would allow it. */
export interface EgressDenial {
  host: string;
  port: number;
  reason: string;
  /** What to add to `hosting.egressDomains`; absent when no line could allow it. */
  allowLine?: string;
}

/** Parent → gateway, over the process's IPC channel. */
export type GatewayCommand =
  | { t: "configure"; targets: PrivateTarget[]; uid?: number }
  | { t: "serve"; id: string; socketPath: string; rules: EgressRules }
  | { t: "drop"; id: string };

/** Gateway → parent. */
export type GatewayReport =
  | { t: "up" }
  | { t: "serving"; id: string }
  | { t: "dropped"; id: string }
  | { t: "failed"; id: string; message: string }
  | { t: "denied"; id: string; denial: EgressDenial };
