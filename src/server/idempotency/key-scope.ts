import { encodeText } from "../platform/json-safety";

/** What a key is unique in: the same text of another principal, or for another path, is another key. */
export interface KeyScope {
  orgId: string;
  principal: string;
  method: string;
  path: string;
  key: string;
}

/** The scope as the first parameters of the module's SQL functions. */
export const scopeValues = ({ orgId, principal, method, path, key }: KeyScope): string[] =>
  [orgId, principal, method, path, key].map(encodeText);
