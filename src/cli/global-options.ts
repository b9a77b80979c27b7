/** Options that every command takes. */
export interface GlobalOptions {
  url?: string;
  tokenStdin?: boolean;
  org?: string;
  agent?: string;
  dir: string;
  json?: boolean;
}
